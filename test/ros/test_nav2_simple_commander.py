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

"""Nav2's BasicNavigator, which knows nothing of bug_nav, drives a Bug algorithm."""

from geometry_msgs.msg import PoseStamped
from nav2_simple_commander.robot_navigator import BasicNavigator, TaskResult
import pytest
import rclpy

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open')
    stack.navigator = stack.start_navigator(navigate_to_pose=True)
    return stack


@pytest.fixture
def commander(stack):
    rclpy.init(domain_id=stack.domain.id)  # it takes the global context
    commander = BasicNavigator()
    yield commander
    commander.destroy_node()
    rclpy.shutdown()


def pose(x, y):
    message = PoseStamped()
    message.header.frame_id = 'odom'
    message.pose.position.x, message.pose.position.y = x, y
    return message


def finish(commander):
    """Wait for the end as its users do; return it and the feedback."""
    feedback = []
    while not commander.isTaskComplete():
        feedback.append(commander.getFeedback())
    return commander.getResult(), [message for message in feedback if message]


def test_basic_navigator_drives_and_cancels(commander):
    commander.waitUntilNav2Active(navigator='bug_navigator', localizer='bug_navigator')
    assert commander.goToPose(pose(3.0, 1.0), behavior_tree='bug1')
    result, feedback = finish(commander)
    assert result == TaskResult.SUCCEEDED
    assert feedback[0].distance_remaining > feedback[-1].distance_remaining

    assert commander.goToPose(pose(50.0, 0.0))
    assert not commander.isTaskComplete()
    commander.cancelTask()
    assert finish(commander)[0] == TaskResult.CANCELED

    assert commander.goToPose(pose(0.0, 0.0), behavior_tree='bug22')
    assert finish(commander)[0] == TaskResult.FAILED


def test_inactive_node_rejects_the_goal_of_basic_navigator(stack, commander):
    assert stack.transition('deactivate')
    assert not commander.goToPose(pose(1.0, 0.0))
    assert stack.transition('activate')
    assert commander.goToPose(pose(0.0, 0.0))
    assert finish(commander)[0] == TaskResult.SUCCEEDED
