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


"""Tests of goals in messages of any type."""

from __future__ import annotations

import math

from bug_nav.ros.sim.goal_delivery import fill, message_class
from bug_nav_msgs.action import NavigateBug
from geometry_msgs.msg import Point, PointStamped, Pose, Pose2D, PoseStamped, Twist
import pytest
from std_srvs.srv import SetBool

pytestmark = pytest.mark.ros
GOAL, YAW = (1.5, -2.0), math.pi / 2.0


def filled(message, **fields):
    fill(message, GOAL, YAW, fields)
    return message


@pytest.mark.parametrize('message, place', [
    (Point(), lambda it: it), (PointStamped(), lambda it: it.point),
    (Pose(), lambda it: it.position), (Pose2D(), lambda it: it),
    (PoseStamped(), lambda it: it.pose.position),
    (NavigateBug.Goal(), lambda it: it.pose.pose.position)])
def test_goal_is_written_to_its_place(message, place):
    point = place(filled(message))
    assert (point.x, point.y) == GOAL


def test_pose_has_frame_and_heading():
    message = filled(PoseStamped())
    assert message.header.frame_id == 'odom'
    q = message.pose.orientation
    assert 2.0 * math.atan2(q.z, q.w) == pytest.approx(YAW)
    assert filled(Pose2D()).theta == pytest.approx(YAW)


def test_places_can_be_given():
    message = filled(Twist(), x='linear.y', y='angular.z')
    assert (message.linear.y, message.angular.z) == GOAL


def test_type_without_a_place_is_refused():
    with pytest.raises(ValueError, match='give goal.fields'):
        filled(SetBool.Request())


@pytest.mark.parametrize('name', ['geometry_msgs/msg/Pont', 'no_such/msg/Point', 'Point', ''])
def test_unknown_type_is_refused_in_one_sentence(name):
    with pytest.raises(ValueError, match='cannot be imported'):
        message_class(name, 'msg')


def test_type_is_found_by_its_name():
    assert message_class('geometry_msgs/msg/Point', 'msg') is Point
    assert message_class('std_srvs/srv/SetBool', 'srv') is SetBool
