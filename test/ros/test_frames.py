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

"""Transforms with and without tf2."""

import time

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.recording.sensor_messages import Mount
from bug_nav.ros.node import frames
from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions
from geometry_msgs.msg import TransformStamped
import pytest
from rclpy.time import Time

pytestmark = pytest.mark.ros
MOUNT = Mount(Pose(-0.032, 0.0, 0.0))
TOLERANCE = 600.0
needs_tf2 = pytest.mark.skipif(
    frames.tf2_ros is None, reason='tf2_ros is not installed (it is not on PyPI)')


@pytest.fixture
def node(make_stack):
    return make_stack().node


@pytest.fixture
def subscriptions(node):
    return PolledSubscriptions(node, time.monotonic)


def test_fixed_frames_provide_the_sensor_mounts_and_the_identity():
    place = Pose(0.1, 0.0, 0.5)
    fixed = frames.FixedFrames(MOUNT, {'range/a': place}, 'tf2_ros is not installed')
    assert fixed.mount('base_footprint', 'base_scan') == MOUNT
    assert fixed.mount('base_footprint', 'a', 'range/a').pose == place
    with pytest.raises(frames.FrameError, match='tf2_ros is not installed, and range_offsets is'):
        fixed.mount('base_footprint', 'b', 'range/b')
    assert fixed.pose('odom', 'odom') == IDENTITY
    with pytest.raises(frames.FrameError, match="'map' .* 'odom': tf2_ros is not installed"):
        fixed.pose('odom', 'map')


def test_without_tf2_frames_are_fixed(node, subscriptions, monkeypatch):
    monkeypatch.setattr(frames, 'tf2_ros', None)
    made = frames.make_frames(node, subscriptions, True, 0.1, MOUNT, {})
    assert isinstance(made, frames.FixedFrames)


def test_parameter_selects_fixed_frames(node, subscriptions):
    made = frames.make_frames(node, subscriptions, False, 0.1, MOUNT, {})
    assert isinstance(made, frames.FixedFrames)


@pytest.fixture
def tf2(node, subscriptions):
    # New transforms must not expire on a busy machine.
    made = frames.make_frames(node, subscriptions, True, TOLERANCE, MOUNT, {})
    assert isinstance(made, frames.Tf2Frames)
    yield made
    made.close()


def transform(parent, child, x, roll=0.0, stamp=0.0):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    message.header.stamp = Time(nanoseconds=int(stamp * 1e9)).to_msg()
    message.transform.translation.x = x
    message.transform.rotation.x, message.transform.rotation.w = (roll, 1.0 - roll)
    return message


@needs_tf2
def test_static_transform_of_an_upside_down_lidar_is_recognized(tf2):
    tf2._buffer.set_transform_static(transform('base', 'laser', 0.1, roll=1.0), 'test')
    assert tf2.pose('base', 'laser').x == 0.1
    assert tf2.mount('base', 'laser').upside_down


@needs_tf2
def test_error_of_an_unknown_frame_names_both_frames(tf2):
    with pytest.raises(frames.FrameError, match="'map' .* 'odom'"):
        tf2.pose('odom', 'map')


@needs_tf2
def test_old_transform_is_rejected(tf2, node):
    now = node.get_clock().now().nanoseconds * 1e-9
    tf2._buffer.set_transform(transform('map', 'odom', 0.1, stamp=now), 'test')
    assert tf2.pose('map', 'odom').x == 0.1
    tf2._buffer.set_transform(transform('map', 'base', 0.1, stamp=now - 2.0 * TOLERANCE), 'test')
    with pytest.raises(frames.FrameError, match='s old; transform_tolerance is 600 s'):
        tf2.pose('map', 'base')


@needs_tf2
def test_clearing_after_a_clock_reset_keeps_only_static_transforms(tf2, node):
    now = node.get_clock().now().nanoseconds * 1e-9
    tf2._buffer.set_transform_static(transform('base', 'laser', 0.3), 'test')
    tf2._buffer.set_transform(transform('map', 'odom', 0.1, stamp=now + 100.0), 'test')
    tf2.clear()
    tf2._buffer.set_transform(transform('map', 'odom', 0.2, stamp=now), 'test')
    assert tf2.pose('map', 'odom').x == 0.2
    assert tf2.pose('base', 'laser').x == 0.3


@needs_tf2
def test_transform_is_available_after_polling(tf2, node, subscriptions):
    sender = frames.tf2_ros.TransformBroadcaster(node)

    def known():
        now = node.get_clock().now().nanoseconds * 1e-9
        sender.sendTransform(transform('map', 'odom', 0.1, stamp=now))
        subscriptions.dispatch()
        try:
            return tf2.pose('map', 'odom').x == 0.1
        except frames.FrameError:
            return False
    deadline = time.monotonic() + 10.0
    while not known():
        assert time.monotonic() < deadline
