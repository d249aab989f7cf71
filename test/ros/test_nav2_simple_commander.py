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

"""Nav2's BasicNavigator, unmodified, as a client of a Bug algorithm."""

import subprocess
import sys

from nav2_simple_commander.robot_navigator import BasicNavigator
import pytest

assert BasicNavigator  # imported by the programs below
pytestmark = [pytest.mark.ros, pytest.mark.timeout(300)]

PROGRAM = """
from geometry_msgs.msg import PoseStamped
from nav2_simple_commander.robot_navigator import BasicNavigator
import rclpy

rclpy.init()
navigator = BasicNavigator()


def go(x, y, algorithm=''):
    pose = PoseStamped()
    pose.header.frame_id = 'odom'
    pose.pose.position.x, pose.pose.position.y = x, y
    return navigator.goToPose(pose, behavior_tree=algorithm)


def end():
    feedback = []
    while not navigator.isTaskComplete():
        feedback.append(navigator.getFeedback())
    places = [message.distance_remaining for message in feedback if message]
    return navigator.getResult().name, places


"""
DRIVES_AND_CANCELS = """
navigator.waitUntilNav2Active(navigator='bug_navigator', localizer='bug_navigator')
assert go(3.0, 1.0, 'bug1')
result, places = end()
assert result == 'SUCCEEDED' and places[0] > places[-1], (result, places)
assert go(50.0, 0.0) and not navigator.isTaskComplete()
navigator.cancelTask()
assert end()[0] == 'CANCELED'
assert go(0.0, 0.0, 'bug22') and end()[0] == 'FAILED'
assert go(0.0, 0.0) and end()[0] == 'SUCCEEDED'
"""
IS_REJECTED = 'assert not go(1.0, 0.0)'
PATIENCE = 60.0
"""Time after which a program is stopped and restarted [s].

BasicNavigator waits indefinitely for a response, and a response that is sent before DDS has fully
connected the two is lost.
"""


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=10.0)  # several feedback messages per goal
    stack.navigator = stack.start_navigator(navigate_to_pose=True)
    return stack


def run(stack, program):
    """Run a program in the stack's domain; return its exit code and its output."""
    for _ in range(3):
        try:
            done = subprocess.run(
                [sys.executable, '-c', PROGRAM + program], timeout=PATIENCE,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env=stack.environment)
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            said = late.stdout
    raise AssertionError(f'three times no end within {PATIENCE} s: {said}')


def test_basic_navigator_drives_and_cancels(stack):
    code, said = run(stack, DRIVES_AND_CANCELS)
    assert code == 0, said


@pytest.mark.slow
def test_inactive_node_rejects_the_goal_of_basic_navigator(stack):
    assert stack.transition('deactivate')
    code, said = run(stack, IS_REJECTED)
    assert code == 0, said
    assert stack.transition('activate')
