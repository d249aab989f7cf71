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

from typing import Any, Dict, List, NamedTuple

from bug_nav.navigation.geometry import Pose
from bug_nav.recording.sensor_messages import Mount, mount_from_matrix, transform_matrix
import numpy as np

MAX_FRAMES = 2000
"""Maximum number of frames."""
MAX_DEPTH = 100
"""Maximum length of a chain; a longer one is a cycle."""
MAX_CHANGE = 0.005
"""Maximum change of a fixed transform, per element of the matrix [m or 1]."""


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


class FrameTree:
    """Tree of frames with their newest transforms."""

    def __init__(self) -> None:
        """Start without frames."""
        self.links: Dict[str, Link] = {}
        """Links by name of the child frame."""
        self.unusable = ''
        """Reason why the last invalid transform could not be used; else empty."""

    def add(self, message: Any) -> None:
        """Add the transforms of a `tf2_msgs/TFMessage`."""
        for each in message.transforms:
            child = each.child_frame_id.lstrip('/')
            if child not in self.links and len(self.links) >= MAX_FRAMES:
                return
            try:
                self.links[child] = self._link(child, each.header.frame_id.lstrip('/'),
                                               transform_matrix(each.transform))
            except ValueError as error:
                self.unusable = f'{each.header.frame_id!r} to {child!r}: {error}'

    def _link(self, child: str, parent: str, matrix: np.ndarray) -> Link:
        before = self.links.get(child)
        if before is None or before.parent != parent:
            return Link(parent, matrix, matrix, False)
        moves = before.moves or bool(np.abs(matrix - before.first).max() > MAX_CHANGE)
        return Link(parent, matrix, before.first, moves)

    @property
    def frames(self) -> List[str]:
        """Return the names of all frames."""
        return sorted({*self.links, *(link.parent for link in self.links.values())})

    def chain(self, frame: str) -> List[str]:
        """Return a frame, its parent, and so on up to the root."""
        names = [frame]
        while names[-1] in self.links and len(names) < MAX_DEPTH:
            names.append(self.links[names[-1]].parent)
        return names

    def place(self, target: str, source: str) -> np.ndarray:
        """Return the transform of ``source`` in ``target``, (4, 4); FrameGap if unknown."""
        up, down = self.chain(source), self.chain(target)
        shared = next((name for name in up if name in down), None)
        if shared is None:
            raise FrameGap(self._why(target, source))
        return np.linalg.inv(self._above(down, shared)) @ self._above(up, shared)

    def mount(self, base: str, scan: str) -> Mount:
        """Return the mount of a lidar; FrameGap if unknown, ValueError if it is not level."""
        return mount_from_matrix(self.place(base, scan))

    def pose(self, target: str, source: str) -> Pose:
        """Return the planar pose of ``source`` in ``target``; FrameGap if unknown."""
        return mount_from_matrix(self.place(target, source)).pose

    def moving(self, target: str, source: str) -> List[str]:
        """Return the moving frames between two connected frames."""
        between = {*self.chain(source)} ^ {*self.chain(target)}
        return sorted(name for name in between if name in self.links and self.links[name].moves)

    def _above(self, names: List[str], root: str) -> np.ndarray:
        """Return the transform of the first frame of a chain in its member ``root``."""
        matrix = np.eye(4)
        for name in names[:names.index(root)]:
            matrix = self.links[name].matrix @ matrix
        return matrix

    def _why(self, target: str, source: str) -> str:
        known = self.frames
        missing = [repr(name) for name in (target, source) if name not in known]
        if missing:
            return (f'there is no transform of {" or ".join(missing)} (frames: '
                    f'{", ".join(known[:12])}{" ..." if len(known) > 12 else ""})'
                    if known else 'there are no transforms')
        return f'{source!r} and {target!r} are in two unconnected trees'
