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

"""The text of a run: its path, and the distance from the goal under odometry drift."""

from __future__ import annotations

import bug_nav
from bug_nav.lab.run import shortest_of
from bug_nav.lab.run_report import describe, make_report
from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.navigation.types import Outcome, Result
import pytest


@pytest.fixture(scope='module')
def report():
    """Return the report of a run through a gap a few millimetres narrower than 2 rho."""
    pytest.importorskip('bug_nav.lab.ground_truth')
    return dict(bug_nav.run('random:cluttered?seed=7', algorithm='tangent_bug', seed=3))


def path_text(report, **changes):
    lines = describe({**report, **changes}).splitlines()
    return next(line.split(maxsplit=1)[1] for line in lines if line.startswith('  path '))


def test_path_through_a_narrower_gap_is_compared_with_a_shortest_path_through_it(report):
    assert report['path_length'] < 4.7 and report['shortest_path_margin'] == 0.02
    ratio = (report['path_length'] + report['goal_error']) / report['shortest_path']
    assert 1.0 < ratio < 1.2
    assert path_text(report) == (
        f'{report["path_length"]:.2f} m, {report["path_length"] + report["goal_error"]:.2f} m '
        'with the straight line to the goal; the shortest with 2 cm less clearance is '
        f'{report["shortest_path"]:.2f} m, ratio {ratio:.2f}')


@pytest.mark.parametrize('changes, text', [
    # The remaining distance to the goal counts.
    ({'path_length': 4.95}, '4.95 m, 5.05 m with the straight line to the goal; the shortest is '
     '5.00 m, ratio 1.01'),
    ({'path_length': 4.9, 'goal_error': 0.05}, '4.90 m, 4.95 m with the straight line to the '
     'goal; the shortest is 5.00 m, ratio 1.00'),
    ({'path_length': 6.0, 'goal_error': 0.004}, '6.00 m; the shortest is 5.00 m, ratio 1.20'),
    ({'path_length': 4.0}, '4.00 m; in the final state of the world, the shortest is 5.00 m'),
    ({'path_length': 9.0, 'goal_missed': True, 'goal_error': 2.0},
     '9.00 m; the shortest is 5.00 m'),
    ({'path_length': 9.0, 'outcome': 'timeout'}, '9.00 m; the shortest is 5.00 m'),
    ({'path_length': 9.0, 'shortest_path': None}, '9.00 m')])
def test_ratio_is_of_arrived_robots_and_at_least_1(report, changes, text):
    usual = {'shortest_path': 5.0, 'shortest_path_margin': 0.0, 'goal_error': 0.1}
    assert path_text(report, **{**usual, **changes}) == text


def test_distance_from_the_goal_is_estimated_or_true(report):
    text = describe({**report, 'message': '0.099 m from the goal', 'odometry': 'encoders',
                     'goal_error': 0.1105, 'odometry_length': 4.7})
    assert text.startswith('REACHED: 0.099 m from the goal by its own estimate.\n')
    assert 'encoders: 4.70 m; in truth, the robot is 0.11 m from the goal\n' in text
    assert 'estimate' not in describe(report) and 'in truth' not in describe(report)


@pytest.mark.parametrize('odometry, uncertainty, headline', [
    ('encoders', None, 'REACHED BY ODOMETRY ALONE: the robot is in fact 2.00 m from the goal, '
     'because odometry has drifted.'),
    ('encoders', 0.03, 'REACHED BY ESTIMATE ALONE: the robot is in fact 2.00 m from the goal, '
     'because its estimate of the position is off.'),
    ('perfect', 0.03, 'REACHED BY ESTIMATE ALONE: the robot is in fact 2.00 m from the goal, '
     'because its estimate of the position is off.')])
def test_missed_goal_is_attributed_to_odometry_only_if_nothing_corrects_its_drift(
        report, odometry, uncertainty, headline):
    text = describe({**report, 'odometry': odometry, 'odometry_length': 4.7, 'goal_missed': True,
                     'goal_error': 2.0, 'uncertainty': uncertainty})
    assert text.splitlines()[0] == headline


def test_unreachable_goal_to_which_a_path_leads_is_called_false(report):
    assert report['false_unreachable'] is False
    text = describe({**report, 'outcome': 'unreachable', 'message': 'the lap is closed',
                     'shortest_path': 3.07, 'false_unreachable': True})
    assert text.startswith('FALSE UNREACHABLE: the lap is closed; in truth, a path of 3.07 m '
                           'leads to the goal.\n')


@pytest.mark.parametrize('world, expected', [
    ('box', True), ('ring_goal', False), ('doors', False)])  # doors may have been shut
def test_verdict_is_false_only_where_a_way_was_open_all_the_time(world, expected):
    pytest.importorskip('bug_nav.lab.ground_truth')
    setup = set_up(RunOptions(world))
    episode = drive(setup, keep_samples=False)
    episode.result = Result(Outcome.UNREACHABLE, 'the lap is closed')
    told = make_report(setup, episode, shortest_of(setup))
    assert told['false_unreachable'] is expected
