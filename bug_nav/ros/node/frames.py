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

`TopicFrames` has those of /tf and /tf_static; `FixedFrames` has only the sensors' mounts from the
parameters. Both raise FrameError, which names both frames.
"""

from __future__ import annotations

import abc
import math
import time
from typing import Mapping, Optional

from bug_nav.messages.frame_tree import FrameGap, TF, TF_STATIC
from bug_nav.messages.sensor_messages import Mount, mount_from_matrix, planar_from_matrix
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions
from bug_nav.ros.transforms import make_tree, subscribe
import numpy as np
from rclpy.node import Node

SETTLING_TIME = 3.0
"""Time after the first transform by which all others should be available [s]."""


class FrameError(LookupError):
    """Two frames cannot be connected; the message is one sentence that names both."""


class OldTransform(FrameError):
    """The transform between two frames is too old; a newer one may be under way."""


class Frames(abc.ABC):
    """Interface for transforms."""

    source: str
    """Origin of the mounts."""

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

    def is_fixed(self, target: str, source: str) -> bool:
        """Return whether a frame cannot move in another one."""
        return target == source

    def clear(self) -> None:  # noqa: B027
        """Clear the dynamic transforms, which are in the future after a clock jump back."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release resources."""


class FixedFrames(Frames):
    """Frames without transforms: only the sensors' mounts are known."""

    source = 'parameters'

    def __init__(self, mount: Mount, rangers: Mapping[str, Pose]):
        """Set the mounts of lidar and rangers."""
        self._mount = mount
        self._rangers = rangers

    def pose(self, target: str, source: str) -> Pose:
        """Return the identity if both frames are the same."""
        if target == source:
            return IDENTITY
        raise FrameError(f'the frame {source!r} cannot be transformed to {target!r}: use_tf is '
                         'false')

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the mount in the parameters."""
        if not topic:
            return self._mount
        if topic not in self._rangers:
            raise FrameError(f'the frame {scan!r} cannot be transformed to {base!r}: use_tf is '
                             'false, and range_offsets is empty')
        return Mount(self._rangers[topic])

    def close(self) -> None:
        """Do nothing: there are no resources."""


class TopicFrames(Frames):
    """Frames from /tf and /tf_static."""

    source = 'transforms'

    def __init__(self, node: Node, tolerance: float, subscriptions: PolledSubscriptions):
        """
        Listen to the topics; a transform older than ``tolerance`` [s] is an error.

        ``subscriptions`` polls /tf, whose high rate would otherwise dominate the node's load.
        """
        self._node, self._tolerance, self._tree = node, tolerance, make_tree()
        self._found_at: Optional[float] = None
        subscriptions.add_existing(subscribe(node, TF, self._tree))
        self._static = subscribe(node, TF_STATIC, self._tree)

    @property
    def settled(self) -> bool:
        """Return whether the first transform was found long enough ago."""
        return self._found_at is not None and time.monotonic() - self._found_at > SETTLING_TIME

    def pose(self, target: str, source: str) -> Pose:
        """Return the newest pose of ``source`` in ``target``."""
        return IDENTITY if target == source else planar_from_matrix(self._find(target, source))

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the sensor's mount, which is looked up once and must be static."""
        try:
            return mount_from_matrix(self._find(base, scan))
        except ValueError as error:
            raise FrameError(f'from {base!r} to {scan!r}: {error}') from error

    def is_fixed(self, target: str, source: str) -> bool:
        """Return whether only static transforms connect the frames."""
        try:
            return target == source or math.isinf(self._tree.stamp(target, source))
        except FrameGap:
            return False

    def clear(self) -> None:
        """Clear the transforms that are newer than those to come."""
        self._tree.clear()

    def close(self) -> None:
        """Stop listening."""
        self._node.destroy_subscription(self._static)

    def _find(self, target: str, source: str) -> np.ndarray:
        try:
            found, stamp = self._tree.place(target, source), self._tree.stamp(target, source)
        except FrameGap as gap:
            raise FrameError(
                f'the frame {source!r} cannot be transformed to {target!r}: {gap}') from gap
        self._found_at = self._found_at or time.monotonic()
        age = self._node.get_clock().now().nanoseconds * 1e-9 - stamp
        if math.isfinite(age) and age > self._tolerance:
            raise OldTransform(f'the transform from {source!r} to {target!r} is {age:.2f} s old; '
                               f'transform_tolerance is {self._tolerance:g} s')
        return found


def make_frames(node: Node, subscriptions: PolledSubscriptions, use_tf: bool, tolerance: float,
                mount: Mount, rangers: Mapping[str, Pose]) -> Frames:
    """Return `TopicFrames` if requested, else `FixedFrames`."""
    if use_tf:
        return TopicFrames(node, tolerance, subscriptions)
    return FixedFrames(mount, rangers)
