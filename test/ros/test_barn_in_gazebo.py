# Copyright 2026 The bug_nav authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""How a run of BARN in Gazebo is judged, without Gazebo."""

from types import SimpleNamespace

import pytest

pytest.importorskip('gazebo_msgs')  # which wheels from PyPI lack

from barn_in_gazebo import judge, summary  # noqa: E402

pytestmark = pytest.mark.ros
GOAL = (-2.25, 13.0)


def client(*track, contact='', complete=False):
    return SimpleNamespace(track=[[*each, 0.0, 0.0, 0.0] for each in track], contact=contact,
                           isTaskComplete=lambda: complete)


def test_run_goes_on_until_the_robot_is_within_a_metre_of_the_goal():
    assert judge(client(), GOAL) == ''
    assert judge(client((5.0, -2.25, 3.0), (12.0, -2.25, 11.9)), GOAL) == ''
    assert judge(client((5.0, -2.25, 3.0), (12.0, -2.25, 12.1)), GOAL) == 'success'


def test_contact_ends_a_run_also_beside_the_goal():
    assert judge(client((5.0, -2.25, 12.5), contact='body'), GOAL) == 'collision'


def test_time_limit_counts_from_the_first_motion():
    began, moved = (5.0, -2.25, 3.0), (60.0, -2.25, 3.2)
    assert judge(client(began, moved, (159.0, -2.25, 8.0)), GOAL) == ''
    assert judge(client(began, moved, (161.0, -2.25, 8.0)), GOAL) == 'timeout'
    assert judge(client(began, (66.0, -2.25, 3.05)), GOAL) == 'timeout'  # it never moves


def test_ended_task_far_from_the_goal_is_no_success():
    assert judge(client((5.0, -2.25, 3.0), (9.0, -2.25, 8.0), complete=True), GOAL) == 'gave up'


def test_metric_is_the_mean_over_all_runs_and_the_time_over_the_successes():
    rows = [{'result': 'success', 'travel_time': '6.0', 'barn_metric': '0.5',
             'real_time_factor': '0.9'},
            {'result': 'collision', 'travel_time': '', 'barn_metric': '0',
             'real_time_factor': '1.0'}]
    assert summary(rows) == (
        '2 runs, 1 successes, 1 contacts, 0 timeouts, mean AT 6.00 s, metric 0.2500, '
        'real-time factor 0.90 to 1.00')
