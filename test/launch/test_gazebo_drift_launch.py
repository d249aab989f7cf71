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


"""gazebo_demo.launch.py with a TurtleBot3 whose wheel separation is wrong by 5 %."""

import math
import os
import subprocess
import unittest

from bug_nav.messages.sensor_messages import odometry_pose
from bug_nav.ros.launching.resources import package_share
from launch_harness import launch, STARTS, text_of
import launch_testing
from launch_testing.asserts import assertExitCodes
from nav_msgs.msg import Odometry
import pytest

MISSING = [name for name in ('gazebo_ros', 'turtlebot3_gazebo') if package_share(name) is None]


@pytest.mark.launch_test
@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.gazebo
@pytest.mark.skipif(bool(MISSING), reason=f'not installed: {", ".join(MISSING)}')
def generate_test_description():
    return launch('gazebo_demo.launch.py', world='ring_goal', model='burger', x_pose='0.0',
                  y_pose='0.0', yaw='0.0', axle_error='0.05', headless='true')


class TestGoals(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)

    def test_goal_behind_the_ring_is_reached_at_its_true_position(self, stack):
        odometry = stack.listen(Odometry, 'odom')
        sent = stack.send(7.0, 0.0)
        assert sent.end(timeout=240.0)[:2] == ('SUCCEEDED', 'REACHED')
        truth = true_position(stack)
        assert math.dist(odometry_pose(odometry[-1]).position, truth) > 0.15  # it drifts
        assert math.dist(truth, (7.0, 0.0)) < 0.15
        assert 0.0 < sent.result.uncertainty < 0.1

    def test_goal_in_the_ring_is_proven_unreachable(self, stack):
        sent = stack.send(4.5, 0.1)
        assert sent.end(timeout=300.0)[:2] == ('ABORTED', 'UNREACHABLE')
        assert 12.0 < sent.result.lap_length < 15.0 and len(sent.result.certificate) > 20


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_navigator_exits_cleanly(self, proc_info, proc_output):
        assertExitCodes(proc_info, process='bug_navigator')
        assert 'Traceback' not in text_of(proc_output)


def true_position(stack):
    """Return the true position of the robot."""
    told = subprocess.run(
        ['gz', 'model', '-m', 'burger', '-p'], stdout=subprocess.PIPE, text=True, timeout=30.0,
        env={**os.environ, 'GAZEBO_MASTER_URI': stack.gazebo}, check=False).stdout
    return tuple(map(float, told.split()[:2]))
