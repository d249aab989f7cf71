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

"""Frame tree from /tf and /tf_static, without tf2."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple

from bug_nav.messages.sensor_messages import (
    Mount,
    mount_from_matrix,
    seconds,
    transform_matrix,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.names import shortened, shown
import numpy as np

TF, TF_STATIC = '/tf', '/tf_static'
MAX_FRAMES = 2000
"""Maximum number of frames."""
MAX_DEPTH = 100
"""Maximum length of a chain."""
MAX_CHANGE = 0.005
"""Maximum change of a fixed transform, per element of the matrix [m or 1]."""
MAX_LATENESS = 10.0
"""Maximum lateness of a transform, which is ignored; an older one is from a reset clock [s]."""


class FrameGap(LookupError):
    """Two frames are not connected; the message is one sentence that names both."""


class Link(NamedTuple):
    """Newest transform of a frame to its parent."""

    parent: str
    matrix: np.ndarray
    first: np.ndarray
    """First transform."""
    moves: bool
    """Whether the transform has ever changed."""
    stamp: float
    """Stamp of a dynamic transform [s], infinity for a static one."""


class FrameTree:
    """Tree of frames with their newest transforms."""

    def __init__(self) -> None:
        """Start without frames."""
        self.links: Dict[str, Link] = {}
        """Links by name of the child frame."""
        self.unusable: Dict[str, str] = {}
        """Why the newest transform of a frame cannot be used, by name of the child frame."""

    def add(self, message: Any, *, is_static: bool = False) -> None:
        """Add the transforms of a `tf2_msgs/TFMessage`, from /tf_static if ``is_static``."""
        for each in message.transforms:
            child = each.child_frame_id.lstrip('/')
            if child not in self.links and len(self.links) >= MAX_FRAMES:
                continue
            stamp = math.inf if is_static else seconds(each.header.stamp)
            try:
                self.links[child] = self._link(child, each.header.frame_id.lstrip('/'),
                                               transform_matrix(each.transform), stamp)
                self.unusable.pop(child, None)
            except ValueError as error:
                if len(self.unusable) < MAX_FRAMES:
                    self.unusable[child] = (
                        f'{shown(each.header.frame_id)} to {shown(child)}: {error}')

    def _link(self, child: str, parent: str, matrix: np.ndarray, stamp: float) -> Link:
        before = self.links.get(child)
        if before is None or before.parent != parent:
            return Link(parent, matrix, matrix, False, stamp)
        if 0.0 < before.stamp - stamp <= MAX_LATENESS:
            return before
        moves = before.moves or bool(np.abs(matrix - before.first).max() > MAX_CHANGE)
        return Link(parent, matrix, before.first, moves, stamp)

    def clear(self) -> None:
        """Remove the dynamic transforms."""
        self.links = {child: link for child, link in self.links.items()
                      if link.stamp == math.inf}

    @property
    def frames(self) -> List[str]:
        """Return the names of all frames."""
        return sorted({*self.links, *(link.parent for link in self.links.values())})

    def chain(self, frame: str) -> List[str]:
        """Return a frame, its parent, and so on up to the root; FrameGap if there is a cycle."""
        names = [frame]
        while names[-1] in self.links and len(names) < MAX_DEPTH:
            parent = self.links[names[-1]].parent
            if parent in names:
                raise FrameGap(f'the frame {shown(parent)} is in a cycle')
            names.append(parent)
        return names

    def place(self, target: str, source: str) -> np.ndarray:
        """Return the transform of ``source`` in ``target``, (4, 4); FrameGap if unknown."""
        up, down = self.chain(source), self.chain(target)
        shared = next((name for name in up if name in down), None)
        if shared is None:
            raise FrameGap(self._why(target, source))
        return np.linalg.inv(self._above(down, shared)) @ self._above(up, shared)

    def stamp(self, target: str, source: str) -> float:
        """
        Return the oldest stamp between two connected frames [s], infinity if all are static.

        A dynamic transform without a stamp is valid at any time, as in tf2.
        """
        return min((self.links[name].stamp or math.inf for name in self._between(target, source)),
                   default=math.inf)

    def mount(self, base: str, scan: str) -> Mount:
        """Return the mount of a lidar; FrameGap if unknown, ValueError if it is not level."""
        return mount_from_matrix(self.place(base, scan))

    def pose(self, target: str, source: str) -> Pose:
        """Return the planar pose of ``source`` in ``target``; FrameGap if unknown."""
        return mount_from_matrix(self.place(target, source)).pose

    def moving(self, target: str, source: str) -> List[str]:
        """Return the moving frames between two connected frames."""
        return sorted(name for name in self._between(target, source) if self.links[name].moves)

    def _between(self, target: str, source: str) -> List[str]:
        """Return the frames whose links connect two frames."""
        return [name for name in {*self.chain(source)} ^ {*self.chain(target)}
                if name in self.links]

    def _above(self, names: List[str], root: str) -> np.ndarray:
        """Return the transform of the first frame of a chain in its member ``root``."""
        matrix = np.eye(4)
        for name in names[:names.index(root)]:
            matrix = self.links[name].matrix @ matrix
        return matrix

    def _why(self, target: str, source: str) -> str:
        known = self.frames
        missing = [shown(name) for name in (target, source) if name not in known]
        if missing:
            why = (f'there is no transform of {" or ".join(missing)} (frames: '
                   f'{", ".join(map(shortened, known[:12]))}{" ..." if len(known) > 12 else ""})'
                   if known else 'there are no transforms')
            return '; that of '.join((why, *list(self.unusable.values())[-1:]))
        return f'{shown(source)} and {shown(target)} are in two unconnected trees'
