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

"""Tests of the referee of Gazebo, with messages as of its plug-ins."""

from __future__ import annotations

import json
import math

from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.navigation.geometry import Pose
from bug_nav.ros.conversions import to_pose, to_time
from bug_nav.ros.sim.gazebo_referee import GazeboReferee
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import numpy as np
import pytest
import rclpy
from sensor_msgs.msg import LaserScan

pytestmark = pytest.mark.ros
RULES = {'tolerance': 0.2, 'time_allowance': 20.0, 'silence': 5.0, 'standstill': 10.0}


@pytest.fixture
def referee(tmp_path):
    (tmp_path / 'trial.json').write_text(json.dumps({
        'rules': RULES, 'goal': [2.0, 0.0], 'yaw': 0.0, 'delivery': {}, 'verdict_topic': {},
        'world': 'box', 'start': [-3.0, 0.0, 0.0], 'robot': 'burger'}))
    with reserved_domain() as domain:
        rclpy.init(domain_id=domain)
        node = GazeboReferee(tmp_path)
        yield node
        node.destroy_node()
        rclpy.shutdown()


def see(referee, stamp, pose, speed=0.2):
    """Receive an odometry message."""
    message = Odometry()
    message.header.stamp = to_time(stamp)
    message.pose.pose = to_pose(pose)
    message.twist.twist.linear.x = speed
    referee._on_odometry(message)


def begin(referee, stamp=100.0):
    scan = LaserScan()
    scan.header.stamp = to_time(stamp)
    referee._on_scan(scan)
    see(referee, stamp + 1.5, Pose(-3.0, 0.0, 0.0), 0.0)


def drive(referee, *places):
    """Give a command, drive through places, and return the written trace and result."""
    folder = referee.observer._folder
    command = Twist()
    command.linear.x = 0.2
    referee._on_command(command)
    for k, (place, speed) in enumerate(places, 1):
        see(referee, 101.5 + k, Pose(*place, 0.0), speed)
    referee.run(lambda: True)
    return (np.load(folder / 'trace.npy').view(np.recarray),
            json.loads((folder / 'result.json').read_text()))


def test_trial_begins_when_the_robot_has_settled(referee):
    folder = referee.observer._folder
    see(referee, 100.0, Pose(-3.0, 0.0, 0.0))
    assert not (folder / 'ready').exists()  # no scan yet
    begin(referee)
    assert (folder / 'ready').exists()
    trace, _ = drive(referee, ((-2.9, 0.0), 0.2))
    assert trace.stamp.tolist() == pytest.approx([0.0, 1.0])


def test_standing_at_the_goal_ends_the_trial(referee):
    begin(referee)
    trace, result = drive(referee, ((1.0, 1.5), 0.2), ((1.9, 0.0), 0.2), ((1.95, 0.0), 0.0),
                          ((1.95, 0.0), 0.0))
    assert result['ending'] == 'stopped at the goal' and result['command_topic'] == '/cmd_vel'
    assert trace.commands.tolist() == [0.0, 1.0, 1.0, 1.0, 1.0] and not trace.contact.any()


def test_overlap_with_an_obstacle_is_a_contact(referee):
    begin(referee)
    beside = referee._body.world.solids[0].min(axis=0) - (0.09, 0.0)
    trace, _ = drive(referee, (beside, 0.2), (beside - (0.05, 0.0), 0.2))
    assert trace.contact.tolist() == [0.0, 1.0, 0.0]


def test_command_that_is_not_finite_and_a_lost_robot_are_counted(referee):
    begin(referee)
    command = Twist()
    command.linear.x = math.nan
    referee._on_command(command)
    trace, _ = drive(referee, ((math.nan, 0.0), 0.2))
    assert trace.rejected[-1] == 1.0 and trace.commands[-1] == 2.0
    assert trace.x[-1] == -3.0
