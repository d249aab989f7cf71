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

"""Floods of goals, cancels, parameters and messages: the node responds, and then drives."""

import random

from action_msgs.srv import CancelGoal
from bug_nav.navigation.settings import Settings
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import PoseStamped
import pytest
from rclpy.action import ActionClient
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros


@pytest.fixture
def flooded(stack):
    """Yield the stack; check afterwards that the node still drives to a goal."""
    yield stack
    assert stack.set_parameters(**{name: getattr(Settings(), name) for name in RANGES}) == ''
    assert stack.state() == 'active'
    stack.reset_sim()
    assert stack.send(0.3, 0.0).end()[1] == 'REACHED', stack.output
    assert 'Traceback' not in stack.navigator.output


RANGES = {'hit_distance': (0.01, 1.0), 'clear_distance': (0.02, 2.0), 'clearance': (0.02, 2.0),
          'scan_timeout': (0.2, 2.0), 'odom_timeout': (0.2, 2.0), 'give_up_timeout': (0.5, 5.0)}


@pytest.mark.slow
def test_goal_after_a_flood_of_goals_is_reached(flooded):
    client = ActionClient(flooded.node, NavigateBug, 'navigate_bug')
    assert client.wait_for_server(10.0)
    goal = NavigateBug.Goal()
    goal.pose.pose.position.x = 9.0
    sent = []
    for _ in range(300):
        sent.append(client.send_goal_async(goal))
        flooded.executor.spin_once(timeout_sec=0.005)
    assert flooded.send(0.0, 0.0, xy_goal_tolerance=1.9).end()[1] == 'REACHED'
    # Not all of them: a service keeps ten responses for a busy client.
    assert sum(each.done() and each.result().accepted for each in sent) >= 10
    client.destroy()


def test_repeated_cancel_requests_end_the_goal_once(flooded):
    service = flooded.node.create_client(CancelGoal, 'navigate_bug/_action/cancel_goal')
    assert service.wait_for_service(10.0)
    sent = flooded.send(2000.0, 0.0).under_way()
    asked = [service.call_async(CancelGoal.Request()) for _ in range(200)]
    assert sent.end()[:2] == ('CANCELED', 'CANCELED')
    flooded.wait(lambda: any(each.done() for each in asked))


@pytest.mark.slow
def test_flood_of_messages_ends_the_goal_but_not_the_node(flooded):
    scans = flooded.publisher(LaserScan, 'scan')
    poses = flooded.publisher(PoseStamped, 'goal_pose')
    sent = flooded.send(2000.0, 0.0).under_way()
    nonsense = LaserScan(ranges=[1.0] * 360)
    nonsense.header.frame_id = 'x' * 10_000
    for _ in range(500):
        scans.publish(nonsense)
        poses.publish(PoseStamped())
        flooded.executor.spin_once(timeout_sec=0.001)
    assert sent.end()[1] in ('SUPERSEDED', 'SCAN_STALE', 'TF_ERROR')
    flooded.node.destroy_publisher(scans)
    flooded.node.destroy_publisher(poses)


@pytest.mark.slow
def test_random_parameters_are_set_or_rejected_while_the_robot_drives(flooded):
    chance = random.Random(7)
    sent = flooded.send(2000.0, 0.0).under_way()
    rejected = 0
    for _ in range(60):
        names = chance.sample(sorted(RANGES), 2)
        reason = flooded.set_parameters(**{name: chance.uniform(*RANGES[name]) for name in names})
        rejected += bool(reason)
        assert '\n' not in reason
    assert 0 < rejected < 60
    assert not sent.has_ended
    sent.cancel()
    assert sent.end()[1] == 'CANCELED'
