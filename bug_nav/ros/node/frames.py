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
Transforms between frames: an interface with two implementations.

`Tf2Frames` uses tf2, if tf2_ros is installed; `FixedFrames` has only the sensors' mounts from
the parameters. Both raise FrameError, which names both frames.
"""

from __future__ import annotations

import abc
import time
from typing import Mapping, Optional

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.recording.sensor_messages import (
    Mount,
    mount_from_transform,
    seconds,
    transform_pose,
)
from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions
from geometry_msgs.msg import Transform
from rclpy.node import Node
from rclpy.time import Time

try:
    import tf2_ros
except ImportError:  # not on PyPI
    tf2_ros = None


SETTLING_TIME = 3.0
"""Time after the first transform by which all others should be available [s]."""


class FrameError(LookupError):
    """Two frames cannot be connected; the message is one sentence that names both."""


class Frames(abc.ABC):
    """Interface for transforms."""

    @property
    def settled(self) -> bool:
        """Return whether a frame that is unknown now is unlikely to appear soon."""
        return True

    @abc.abstractmethod
    def pose(self, target: str, source: str) -> Pose:
        """Return the newest pose of the frame ``source`` in the frame ``target``."""

    @abc.abstractmethod
    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """
        Return the mount on the robot of a sensor with data in the frame ``scan``.

        ``topic`` is that of a single ranger, empty for a lidar.
        """

    def clear(self) -> None:  # noqa: B027
        """Clear the dynamic transforms, which are in the future after a clock jump back."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release resources."""


class FixedFrames(Frames):
    """Frames without tf2: only the sensors' mounts are known."""

    def __init__(self, mount: Mount, rangers: Mapping[str, Pose], why: str):
        """Set the mounts of lidar and rangers, and the reason ``why`` tf2 is not used."""
        self._mount = mount
        self._rangers = rangers
        self._why = why

    def pose(self, target: str, source: str) -> Pose:
        """Return the identity if both frames are the same."""
        if target == source:
            return IDENTITY
        raise FrameError(f'the frame {source!r} cannot be transformed to {target!r}: {self._why}')

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the mount in the parameters."""
        if not topic:
            return self._mount
        if topic not in self._rangers:
            raise FrameError(f'the frame {scan!r} cannot be transformed to {base!r}: {self._why}, '
                             'and range_offsets is empty')
        return Mount(self._rangers[topic])

    def close(self) -> None:
        """Do nothing: there are no resources."""


class Tf2Frames(Frames):
    """Frames from tf2."""

    def __init__(self, node: Node, tolerance: float, subscriptions: PolledSubscriptions):
        """
        Listen to /tf; a transform older than ``tolerance`` [s] is an error.

        ``subscriptions`` polls /tf, whose high rate would otherwise dominate the node's load.
        """
        self._clock = node.get_clock()
        self._tolerance = tolerance
        self._found_at: Optional[float] = None
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node, spin_thread=False)
        subscriptions.add_existing(self._listener.tf_sub)

    @property
    def settled(self) -> bool:
        """Return whether the first transform was found long enough ago."""
        return self._found_at is not None and time.monotonic() - self._found_at > SETTLING_TIME

    def pose(self, target: str, source: str) -> Pose:
        """Return the newest pose of ``source`` in ``target``."""
        return IDENTITY if target == source else transform_pose(self._find(target, source))

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the sensor's mount, which is looked up once and must be static."""
        try:
            return mount_from_transform(self._find(base, scan))
        except ValueError as error:
            raise FrameError(f'from {base!r} to {scan!r}: {error}') from error

    def clear(self) -> None:
        """Clear the buffer, which would reject transforms older than its newest."""
        self._buffer.clear()  # keeps static transforms

    def close(self) -> None:
        """Stop listening."""
        self._listener.unregister()

    def _find(self, target: str, source: str) -> Transform:
        try:
            found = self._buffer.lookup_transform(target, source, Time())
        except tf2_ros.TransformException as error:
            reason = str(error).rstrip('. ')
            raise FrameError(
                f'the frame {source!r} cannot be transformed to {target!r}: {reason}') from error
        self._found_at = self._found_at or time.monotonic()
        stamp = seconds(found.header.stamp)
        age = self._clock.now().nanoseconds * 1e-9 - stamp
        if stamp > 0.0 and age > self._tolerance:  # static transforms have no stamp
            raise FrameError(f'the transform from {source!r} to {target!r} is {age:.2f} s old; '
                             f'transform_tolerance is {self._tolerance:g} s')
        return found.transform


def make_frames(node: Node, subscriptions: PolledSubscriptions, use_tf: bool, tolerance: float,
                mount: Mount, rangers: Mapping[str, Pose]) -> Frames:
    """Return `Tf2Frames` if requested and available, else `FixedFrames`."""
    if use_tf and tf2_ros is not None:
        return Tf2Frames(node, tolerance, subscriptions)
    why = 'use_tf is false' if tf2_ros else 'tf2_ros is not installed'
    return FixedFrames(mount, rangers, why)
