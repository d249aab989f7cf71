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

"""sim_demo.launch.py end to end: simulator and node, from the goal to the verdict."""

import unittest

from launch_harness import assert_cancel_stops, assert_clean_end, launch, STARTS
import launch_testing
import pytest


@pytest.mark.launch_test
@pytest.mark.ros
@launch_testing.parametrize('namespace', ['', 'robot1'])
def generate_test_description(namespace):
    # In lockstep, as fast as the node runs.
    return launch('sim_demo.launch.py', namespace, world='box', real_time_factor='0.0',
                  use_rviz='false')


class TestGoals(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def setUp(self, stack):
        assert stack.send(0.0, 0.0).end(timeout=120.0)[1] == 'REACHED'

    def test_goal_behind_the_box_is_reached(self, stack):
        sent = stack.send(6.0, 0.0)
        assert sent.end(timeout=120.0)[:2] == ('SUCCEEDED', 'REACHED')
        assert sent.result.number_of_hits == sent.result.number_of_leaves == 1

    def test_goal_in_the_box_is_proven_unreachable(self, stack):
        sent = stack.send(3.0, 0.4)
        assert sent.end(timeout=120.0)[:2] == ('ABORTED', 'UNREACHABLE')
        # Once around the box of 1 m by 2.4 m, inflated by the contour radius.
        assert 6.8 < sent.result.lap_length < 9.0

    def test_canceled_goal_stops_the_robot(self, stack):
        assert_cancel_stops(stack, 0.0, 20.0)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupted_nodes_exit_cleanly(self, proc_info, proc_output):
        assert_clean_end(proc_info, proc_output, processes=2)
