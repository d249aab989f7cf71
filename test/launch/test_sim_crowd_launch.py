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


"""sim_demo.launch.py in a world with walking people."""

import unittest

from bug_nav.ros.qos import LATCHED
from diagnostic_msgs.msg import DiagnosticArray
from launch_harness import assert_clean_end, launch, STARTS
import launch_testing
import pytest
from visualization_msgs.msg import MarkerArray


@pytest.mark.launch_test
@pytest.mark.ros
@pytest.mark.slow
def generate_test_description():
    return launch('sim_demo.launch.py', world='crowd', real_time_factor='0.0', use_rviz='false')


class TestCrowd(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_goal_is_reached_without_touching_people(self, stack):
        movers = stack.listen(MarkerArray, 'bug_sim/movers')
        contacts = stack.listen(DiagnosticArray, 'bug_sim/contacts', LATCHED)
        assert stack.send(0.7, 7.0).end(timeout=120.0)[1] == 'REACHED'
        (told,) = contacts[-1].status
        assert [value.value for value in told.values] == ['0', '0']
        one, other = (message.markers[0].points for message in (movers[0], movers[-1]))
        assert len(one) == len(other) and one != other


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupted_nodes_exit_cleanly(self, proc_info, proc_output):
        assert_clean_end(proc_info, proc_output, processes=2)
