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
Where one frame lies in another: a port with two adapters.

`Tf2Frames` asks tf2, where tf2_ros is installed; `FixedFrames` knows the lidar's place from
parameters and nothing else. Both raise FrameError, which names both frames.
"""

from __future__ import annotations

import abc
import time
from typing import Mapping, Optional

from bug_nav.core.geometry import IDENTITY, Pose
from bug_nav.ros.node.inbox import Inbox
from bug_nav.sense.messages import Mount, mount_of, seconds, transform_pose
from geometry_msgs.msg import Transform
from rclpy.node import Node
from rclpy.time import Time

try:
    import tf2_ros
except ImportError:  # not on PyPI
    tf2_ros = None


HEARD = 3.0
"""So long [s] after the first transform that was found, the others have come as well."""


class FrameError(LookupError):
    """Two frames cannot be connected; the message is one sentence that names both."""


class Frames(abc.ABC):
    """The port: what the node asks about frames."""

    @property
    def settled(self) -> bool:
        """Tell whether a frame that is not known now will hardly be known in a moment."""
        return True

    @abc.abstractmethod
    def pose(self, target: str, source: str) -> Pose:
        """Return the newest pose of the frame ``source`` in the frame ``target``."""

    @abc.abstractmethod
    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """
        Return how a sensor, whose data are in the frame ``scan``, is mounted on the robot.

        ``topic``: that of a single ranger, none for a lidar.
        """

    def forget(self) -> None:  # noqa: B027
        """Forget what moves: the clock was set back, and it is of a time that is yet to come."""

    @abc.abstractmethod
    def close(self) -> None:
        """Let go of what the adapter holds."""


class FixedFrames(Frames):
    """Frames without tf2: every name is the same frame, but for the lidar's."""

    def __init__(self, mount: Mount, rangers: Mapping[str, Pose], why: str):
        """Take the mounts of lidar and rangers, and the reason for which there is no tf2."""
        self._mount = mount
        self._rangers = rangers
        self._why = why

    def pose(self, target: str, source: str) -> Pose:
        """Return the identity for a frame and itself."""
        if target == source:
            return IDENTITY
        raise FrameError(f'the frame {source!r} cannot be transformed to {target!r}: {self._why}')

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the mount that the parameters give."""
        if not topic:
            return self._mount
        if topic not in self._rangers:
            raise FrameError(f'the frame {scan!r} cannot be transformed to {base!r}: {self._why}, '
                             'and range_offsets is empty')
        return Mount(self._rangers[topic])

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""


class Tf2Frames(Frames):
    """Frames from tf2."""

    def __init__(self, node: Node, tolerance: float, inbox: Inbox):
        """
        Listen to /tf; a transform that is older than ``tolerance`` [s] is an error.

        What comes on /tf waits in ``inbox``: where it is fast, it would cost most of all.
        """
        self._clock = node.get_clock()
        self._tolerance = tolerance
        self._found_at: Optional[float] = None
        self._buffer = tf2_ros.Buffer()
        self._listener = tf2_ros.TransformListener(self._buffer, node, spin_thread=False)
        inbox.adopt(self._listener.tf_sub)

    @property
    def settled(self) -> bool:
        """Tell whether transforms have been found for a while."""
        return self._found_at is not None and time.monotonic() - self._found_at > HEARD

    def pose(self, target: str, source: str) -> Pose:
        """Return the newest pose of ``source`` in ``target``."""
        return IDENTITY if target == source else transform_pose(self._find(target, source))

    def mount(self, base: str, scan: str, topic: str = '') -> Mount:
        """Return the sensor's mount; it is looked up once and has to be static."""
        try:
            return mount_of(self._find(base, scan))
        except ValueError as error:
            raise FrameError(f'from {base!r} to {scan!r}: {error}') from error

    def forget(self) -> None:
        """Empty the buffer: it would take nothing in until the time of before is reached again."""
        self._buffer.clear()  # static transforms stay

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


def make_frames(node: Node, inbox: Inbox, use_tf: bool, tolerance: float, mount: Mount,
                rangers: Mapping[str, Pose]) -> Frames:
    """Return the adapter that is asked for, or the one that this machine has."""
    if use_tf and tf2_ros is not None:
        return Tf2Frames(node, tolerance, inbox)
    why = 'use_tf is false' if tf2_ros else 'tf2_ros is not installed'
    return FixedFrames(mount, rangers, why)
