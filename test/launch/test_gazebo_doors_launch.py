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


"""gazebo_demo.launch.py in a world with a swinging and an automatic door."""

import math
import unittest

from bug_nav.messages.sensor_messages import planar
from bug_nav.ros.launching.resources import package_share
from gazebo_msgs.msg import ModelStates
from launch_harness import launch, STARTS, text_of
import launch_testing
from launch_testing.asserts import assertExitCodes
import pytest

MISSING = [name for name in ('gazebo_ros', 'turtlebot3_gazebo') if package_share(name) is None]


@pytest.mark.launch_test
@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.gazebo
@pytest.mark.skipif(bool(MISSING), reason=f'not installed: {", ".join(MISSING)}')
def generate_test_description():
    return launch('gazebo_demo.launch.py', world='doors', model='burger', headless='true')


class TestDoors(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)

    def test_automatic_door_is_open_only_near_the_robot(self, stack):
        states = stack.listen(ModelStates, '/gazebo/model_states')
        stack.wait(lambda: states and 'burger' in states[-1].name)
        stack.send(8.3, 1.8).end(timeout=300.0)
        robot, sliding, swinging = ([planar(message.pose[message.name.index(name)])
                                     for message in states if 'burger' in message.name]
                                    for name in ('burger', 'sliding', 'swinging'))
        assert max(here.x for here in robot) > 6.5
        assert {round(door.theta, 1) for door in swinging} >= {0.0, -1.6}
        for here, door in zip(robot, sliding):
            away = math.dist(here.position, (6.0, 2.0))
            # Its pose is published at 20 Hz, and it takes 2 s.
            assert away < 2.1 or door.y == pytest.approx(2.0, abs=1e-3)
            assert abs(here.x - 6.0) > 0.1 or door.y < 1.4


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_navigator_and_movers_exit_cleanly(self, proc_info, proc_output):
        for process in ('bug_navigator', 'bug_movers'):
            assertExitCodes(proc_info, process=process)
        assert 'Traceback' not in text_of(proc_output)
