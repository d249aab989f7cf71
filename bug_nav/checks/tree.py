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

"""The tree of frames as /tf and /tf_static tell of it, without tf2."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple

from bug_nav.core.geometry import Pose
from bug_nav.sense.messages import Mount, mount_in, placement
import numpy as np

MOST_FRAMES = 2000
"""A robot has hundreds of frames at most."""
DEEPEST = 100
"""A longer chain is a circle."""
STEADY = 0.005
"""A frame whose place and axes change by no more than this [m, rad] stays where it is."""


class FrameGap(LookupError):
    """Two frames are not connected; the message is one sentence that names both."""


class Link(NamedTuple):
    """The newest place of a frame in its parent's."""

    parent: str
    matrix: np.ndarray
    first: np.ndarray
    """Where it was at first."""
    moves: bool
    """Whether it has ever been anywhere else."""


class FrameTree:
    """Who is whose parent, and where; of a frame that moves, its newest place."""

    def __init__(self) -> None:
        """Begin with no frame."""
        self.links: Dict[str, Link] = {}
        """By the child's name."""
        self.unusable = ''
        """Why a transform could not be used, where there was such a one."""

    def add(self, message: Any) -> None:
        """Take the transforms of a `tf2_msgs/TFMessage`."""
        for each in message.transforms:
            child = each.child_frame_id.lstrip('/')
            if child not in self.links and len(self.links) >= MOST_FRAMES:
                return
            try:
                self.links[child] = self._link(child, each.header.frame_id.lstrip('/'),
                                               placement(each.transform))
            except ValueError as error:
                self.unusable = f'{each.header.frame_id!r} to {child!r}: {error}'

    def _link(self, child: str, parent: str, matrix: np.ndarray) -> Link:
        before = self.links.get(child)
        if before is None or before.parent != parent:
            return Link(parent, matrix, matrix, False)
        moves = before.moves or bool(np.abs(matrix - before.first).max() > STEADY)
        return Link(parent, matrix, before.first, moves)

    @property
    def frames(self) -> List[str]:
        """Return the names of all frames."""
        return sorted({*self.links, *(link.parent for link in self.links.values())})

    def chain(self, frame: str) -> List[str]:
        """Return a frame, its parent, and so on up to the root."""
        names = [frame]
        while names[-1] in self.links and len(names) < DEEPEST:
            names.append(self.links[names[-1]].parent)
        return names

    def place(self, target: str, source: str) -> np.ndarray:
        """Return where ``source`` is in ``target``, as a matrix (4, 4); FrameGap where unknown."""
        up, down = self.chain(source), self.chain(target)
        shared = next((name for name in up if name in down), None)
        if shared is None:
            raise FrameGap(self._why(target, source))
        return np.linalg.inv(self._above(down, shared)) @ self._above(up, shared)

    def mount(self, base: str, scan: str) -> Mount:
        """Return how a lidar is mounted; FrameGap where unknown, ValueError where not level."""
        return mount_in(self.place(base, scan))

    def pose(self, target: str, source: str) -> Pose:
        """Return the pose of ``source`` in ``target``, in the plane; FrameGap where unknown."""
        return mount_in(self.place(target, source)).pose

    def moving(self, target: str, source: str) -> List[str]:
        """Return the frames between two connected ones that move."""
        between = {*self.chain(source)} ^ {*self.chain(target)}
        return sorted(name for name in between if name in self.links and self.links[name].moves)

    def _above(self, names: List[str], root: str) -> np.ndarray:
        """Return where the first of a chain is in ``root``, which is in the chain."""
        matrix = np.eye(4)
        for name in names[:names.index(root)]:
            matrix = self.links[name].matrix @ matrix
        return matrix

    def _why(self, target: str, source: str) -> str:
        known = self.frames
        missing = [repr(name) for name in (target, source) if name not in known]
        if missing:
            return (f'nobody sends a transform of {" or ".join(missing)} (there are '
                    f'{", ".join(known[:12])}{" ..." if len(known) > 12 else ""})'
                    if known else 'nobody sends transforms')
        return f'{source!r} and {target!r} are in two trees that nobody connects'
