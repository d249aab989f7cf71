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

"""What the live page shows of a robot."""

from bug_nav.ros.client.robot_monitor import RobotMonitor
from nav_msgs.msg import Odometry
import pytest

pytestmark = [pytest.mark.ros, pytest.mark.timeout(60)]


@pytest.mark.parametrize('frame, child', [
    ('odom', 'base_footprint'), ('/odom', '/base_footprint'), ('odom', ''),
    ('', 'base_footprint')])
def test_robot_is_shown_with_each_odometry_that_the_node_accepts(make_stack, frame, child):
    monitor = RobotMonitor(make_stack().node)
    monitor._frames = 'odom', 'base_footprint'  # as the node has told
    message = Odometry(child_frame_id=child)
    message.header.frame_id = frame
    message.pose.pose.position.x, message.pose.pose.orientation.w = 0.5, 1.0
    monitor._on_odometry(message)
    monitor._update_pose()
    assert monitor.documents['live']['pose'] == [0.5, 0.0, 0.0]
