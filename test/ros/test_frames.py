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

"""Transforms of the topics, with and without tf2, and from parameters."""

import time

from bug_nav.messages import frame_tree
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros import transforms
from bug_nav.ros.node import frames
from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions
from bug_nav.ros.qos import LATCHED
from geometry_msgs.msg import TransformStamped
import pytest
from rclpy.time import Time
from tf2_msgs.msg import TFMessage

pytestmark = pytest.mark.ros
MOUNT = Mount(Pose(-0.032, 0.0, 0.0))
TOLERANCE = 600.0
TF2 = pytest.param('tf2', marks=pytest.mark.skipif(
    transforms.tf2_ros is None, reason='tf2_ros is not installed (it is not on PyPI)'))


@pytest.fixture
def stack(make_stack):
    return make_stack()


@pytest.fixture
def node(stack):
    return stack.node


@pytest.fixture
def subscriptions(node):
    return PolledSubscriptions(node, time.monotonic)


def test_fixed_frames_provide_the_sensor_mounts_and_the_identity():
    place = Pose(0.1, 0.0, 0.5)
    fixed = frames.FixedFrames(MOUNT, {'range/a': place})
    assert fixed.mount('base_footprint', 'base_scan') == MOUNT
    assert fixed.mount('base_footprint', 'a', 'range/a').pose == place
    with pytest.raises(frames.FrameError, match='use_tf is false, and range_offsets is empty'):
        fixed.mount('base_footprint', 'b', 'range/b')
    assert fixed.pose('odom', 'odom') == IDENTITY
    with pytest.raises(frames.FrameError, match="'map' .* 'odom': use_tf is false"):
        fixed.pose('odom', 'map')


def test_parameter_selects_fixed_frames(node, subscriptions):
    made = frames.make_frames(node, subscriptions, False, 0.1, MOUNT, {})
    assert isinstance(made, frames.FixedFrames)


@pytest.fixture(params=['own', TF2])
def made(request, node, subscriptions, monkeypatch):
    """Return frames from the topics, with the buffer of tf2 and with the own tree."""
    if request.param == 'own':
        monkeypatch.setattr(transforms, 'tf2_ros', None)
    # New transforms must not expire on a busy machine.
    made = frames.make_frames(node, subscriptions, True, TOLERANCE, MOUNT, {})
    assert isinstance(made, frames.TopicFrames)
    yield made
    made.close()


def add(made, link, is_static=False):
    made._tree.add(TFMessage(transforms=[link]), is_static=is_static)


def transform(parent, child, x, roll=0.0, stamp=0.0):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    message.header.stamp = Time(nanoseconds=int(stamp * 1e9)).to_msg()
    message.transform.translation.x = x
    message.transform.rotation.x, message.transform.rotation.w = (roll, 1.0 - roll)
    return message


def test_static_transform_of_an_upside_down_lidar_is_recognized(made):
    add(made, transform('base', 'laser', 0.1, roll=1.0), is_static=True)
    assert made.pose('base', 'laser').x == 0.1
    assert made.mount('base', 'laser').upside_down


def test_only_static_transforms_fix_a_frame_to_another(made, node):
    now = node.get_clock().now().nanoseconds * 1e-9
    add(made, transform('base', 'laser', 0.1), is_static=True)
    add(made, transform('odom', 'base', 0.1, stamp=now))
    assert made.is_fixed('base', 'base') and made.is_fixed('base', 'laser')
    assert not made.is_fixed('base', 'odom') and not made.is_fixed('base', 'mars')


def test_error_of_an_unknown_frame_names_both_frames(made):
    with pytest.raises(frames.FrameError, match="'map' .* 'odom'"):
        made.pose('odom', 'map')


def test_old_transform_is_rejected(made, node):
    now = node.get_clock().now().nanoseconds * 1e-9
    add(made, transform('map', 'odom', 0.1, stamp=now))
    assert made.pose('map', 'odom').x == 0.1
    add(made, transform('map', 'base', 0.1, stamp=now - 2.0 * TOLERANCE))
    with pytest.raises(frames.FrameError, match='s old; transform_tolerance is 600 s'):
        made.pose('map', 'base')


def test_clearing_after_a_clock_reset_keeps_only_static_transforms(made, node):
    now = node.get_clock().now().nanoseconds * 1e-9
    add(made, transform('base', 'laser', 0.3), is_static=True)
    add(made, transform('map', 'odom', 0.1, stamp=now + 100.0))
    made.clear()
    add(made, transform('map', 'odom', 0.2, stamp=now))
    assert made.pose('map', 'odom').x == 0.2
    assert made.pose('base', 'laser').x == 0.3


def test_transforms_are_available_after_polling(made, stack, node, subscriptions):
    sender = node.create_publisher(TFMessage, frame_tree.TF, 10)
    static = node.create_publisher(TFMessage, frame_tree.TF_STATIC, LATCHED)
    static.publish(TFMessage(transforms=[transform('base', 'laser', 0.3)]))

    def known():
        now = node.get_clock().now().nanoseconds * 1e-9
        sender.publish(TFMessage(transforms=[transform('map', 'odom', 0.1, stamp=now)]))
        subscriptions.dispatch()
        try:
            return made.pose('map', 'odom').x == 0.1 and made.pose('base', 'laser').x == 0.3
        except frames.FrameError:
            return False
    stack.wait(known)
