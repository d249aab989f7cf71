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

"""
Recordings compared with ROS: message classes, serialization, quality of service.

A recording without ROS must equal the messages of a node.
"""

import importlib
import math

from bug_nav.messages.markers import Body, build
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Event, Scan, Twist
from bug_nav.recording import messages, topics
from bug_nav.recording.definitions import definition
from bug_nav.ros import conversions
from bug_nav.ros.node import markers
from bug_nav.ros.node.path import PublishedPath
from mcap_ros2._dynamic import generate_dynamic, serialize_dynamic
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.serialization import deserialize_message, serialize_message

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]
POSE = Pose(1.5, -2.0, 2.5)
SCAN = Scan(3.2, np.array([1.0, math.inf, 0.5]), -0.5, 0.5, 0.12, 3.5, time_increment=0.01)
EVENTS = [Event(kind, i, Pose(float(i), 1.0, 0.3), 2.0 * i, 1.0, 1.0)
          for i in range(1, 4) for kind in ('hit', 'leave')]
SHOWN = ('odom', Body('base_footprint', 0.124, 0.224), (0.0, 0.5), POSE, 0.1, EVENTS,
         'bug2/motion_to_goal')


def kind_of(topic):
    """Return the class of a topic's messages."""
    package, _, name = topic.datatype.split('/')
    return getattr(importlib.import_module(f'{package}.msg'), name)


def encoded(topic, message) -> bytes:
    return serialize_dynamic(topic.datatype, definition(topic.datatype))[topic.datatype](message)


def driven() -> PublishedPath:
    path = PublishedPath()
    for i in range(5):
        path.add(0.5 * i, Pose(0.1 * i, 0.0, 0.2 * i))
    return path


def header(message, frame_id, stamp):
    message.header.frame_id, message.header.stamp = frame_id, conversions.to_time(stamp)
    return message


def odometry():
    message = header(kind_of(topics.ODOM)(child_frame_id='base_footprint'), 'odom', 3.2)
    message.pose.pose = conversions.to_pose(POSE)
    message.twist.twist = conversions.to_twist(Twist(0.2, -0.5))
    return message


def transform():
    array = kind_of(topics.TF)()
    link = header(importlib.import_module('geometry_msgs.msg').TransformStamped(
        child_frame_id='base_footprint'), 'odom', 3.2)
    link.transform.translation.x, link.transform.translation.y = POSE.position
    link.transform.rotation = conversions.to_pose(POSE).orientation
    array.transforms = [link]
    return array


SAME = {
    topics.SCAN: (lambda: messages.laser_scan('base_scan', SCAN, 0.2),
                  lambda: conversions.to_laser_scan(SCAN, 'base_scan', 0.2)),
    topics.ODOM: (lambda: messages.odometry(
        'odom', 'base_footprint', 3.2, POSE, Twist(0.2, -0.5)), odometry),
    topics.TF: (
        lambda: messages.transforms(3.2, ('odom', 'base_footprint', POSE)), transform),
    topics.CMD_VEL: (lambda: messages.twist(Twist(0.2, -0.5)),
                     lambda: conversions.to_twist(Twist(0.2, -0.5))),
    topics.MARKERS: (lambda: messages.marker_array(build(*SHOWN)), lambda: markers.build(*SHOWN)),
    topics.PATH: (lambda: messages.path('odom', 3.2, driven().placed(IDENTITY)),
                  lambda: driven().message('odom', 3.2)),
    topics.STATE: (lambda: messages.text('grün'), lambda: kind_of(topics.STATE)(data='grün')),
    topics.GROUND_TRUTH: (
        lambda: messages.pose_stamped('odom', 3.2, POSE),
        lambda: header(kind_of(topics.GROUND_TRUTH)(pose=conversions.to_pose(POSE)), 'odom', 3.2)),
}


@pytest.mark.parametrize('topic', SAME, ids=lambda topic: topic.name)
def test_message_is_serialized_as_by_ros(topic):
    ours, theirs = SAME[topic]
    kind = kind_of(topic)
    data, expected = encoded(topic, ours()), serialize_message(theirs())
    # Not byte by byte, because padding bytes of ROS are arbitrary.
    assert len(data) == len(expected)
    assert deserialize_message(data, kind) == deserialize_message(expected, kind)
    decode = generate_dynamic(topic.datatype, definition(topic.datatype))[topic.datatype]
    assert decode(data) == decode(expected)


@pytest.fixture(scope='module')
def stack(make_stack):
    """Return the stack after a goal behind a pole."""
    stack = make_stack()
    stack.start_sim(world='pole')
    stack.start_navigator()
    assert stack.send(4.0, 0.0).end()[1] == 'REACHED'
    return stack


@pytest.mark.parametrize('topic', [
    topics.SCAN, topics.ODOM, topics.TF, topics.TF_STATIC, topics.CMD_VEL, topics.MARKERS,
    topics.PATH], ids=lambda topic: topic.name)
def test_topic_has_the_quality_of_service_of_the_nodes(stack, topic):
    # On a busy machine, publishers may be discovered after their messages.
    stack.wait(lambda: stack.node.get_publishers_info_by_topic(topic.name))
    publishers = stack.node.get_publishers_info_by_topic(topic.name)
    for offered in publishers:  # the stop process publishes commands too
        assert offered.topic_type == topic.datatype
        profile = offered.qos_profile
        assert (profile.reliability == ReliabilityPolicy.RELIABLE) == topic.reliable
        assert (profile.durability == DurabilityPolicy.TRANSIENT_LOCAL) == topic.latched
        assert profile.depth in (0, topic.depth)  # 0: not available from discovery
