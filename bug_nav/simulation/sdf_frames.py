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
Poses relative to named frames of SDF: links, models, joints, and `<frame>`.

Names are looked up in the model around the element; `outer::inner` leads into a nested model.
Before SDF 1.7, the attribute `relative_to` was called `frame`.

Source: http://sdformat.org/tutorials?tut=pose_frame_semantics.
"""

from __future__ import annotations

from typing import Tuple

from bug_nav.files.untrusted import printable
from bug_nav.simulation.sdf_values import is_true, Values
from bug_nav.simulation.xml_tree import Node
import numpy as np

_WITH_FRAME = frozenset(('frame', 'joint', 'link', 'model'))
MAX_CHAIN = 64
"""Maximum number of poses that are relative to each other in a row."""
RELATIVE = 'pose relative_to'


class Frames:
    """
    The frames of a model or a world.

    :param scope: its element; included models stand in place of their `<include>`.
    """

    def __init__(self, read: Values, scope: Node) -> None:
        self.read = read
        self.scope = scope
        self.merged = [child for child in scope.children
                       if child.tag == 'model' and is_true(child.attributes.get('merge', ''))]
        # Nothing is called like a merged model.
        self.elements = {child.attributes.get('name', ''): child for child in scope.children
                         if child.tag in _WITH_FRAME and child not in self.merged}

    def pose(self, node: Node, chain: int = 0) -> np.ndarray:
        """Return the pose of an element of this scope relative to the scope, 4x4."""
        pose, frame = self.read.pose(node)
        what = RELATIVE
        if not frame and node.tag in ('frame', 'joint'):
            frame, what = _base(node)
        if frame:
            pose = self.named(node, frame, chain, what) @ pose
        placed = node.attributes.get('placement_frame', '') if node.tag == 'model' else ''
        if placed:
            # The pose is that of this frame of the model.
            pose = pose @ np.linalg.inv(
                Frames(self.read, node).named(node, placed, chain, 'placement_frame'))
        return pose

    def pose_in(self, link: Node, node: Node) -> np.ndarray:
        """Return the pose of an element of a link of this scope relative to the scope, 4x4."""
        pose, frame = self.read.pose(node)
        # A collision may name its link.
        own = frame in ('', link.attributes.get('name', ''))
        return (self.pose(link) if own else self.named(node, frame)) @ pose

    def named(self, node: Node, name: str, chain: int = 0, what: str = RELATIVE) -> np.ndarray:
        """
        Return the pose of a frame relative to the scope, 4x4.

        Errors name ``node``, and ``what`` of it has the name of the frame.
        """
        if chain > MAX_CHAIN:
            raise self.read.error(node, f"{what} '{printable(name, 80)}' leads to itself, or over "
                                        'too many frames')
        if name in ('__model__', 'world', '__root__'):
            return np.eye(4)
        # `gz sdf` wrote names such as outer::inner when it flattened models.
        if name in self.elements:
            return self.pose(self.elements[name], chain + 1)
        outer, _, inner = name.partition('::')
        element = self.elements.get(outer)
        if element is not None and element.tag == 'model':
            return self.pose(element, chain + 1) @ Frames(self.read, element).named(
                node, inner, chain + 1, what)
        # The elements of a merged model belong to the model around it.
        for each in self.merged:
            frames = Frames(self.read, each)
            if name in frames.elements or outer in frames.elements:
                return self.pose(each, chain + 1) @ frames.named(node, name, chain + 1, what)
        # The name of the model itself stands for its frame in files of Gazebo 11.
        if name == self.scope.attributes.get('name'):
            return np.eye(4)
        place = node.first('pose') or node
        raise self.read.error(place, f"{what} '{printable(name, 80)}' of <{node.tag}> "
                                     f"'{node.name}' is not the name of a link, joint, model or "
                                     f"frame of '{self.scope.name}'")


def _base(node: Node) -> Tuple[str, str]:
    """Return the default frame of the pose of a `<frame>` or `<joint>`, and what names it."""
    if node.tag == 'frame':
        return node.attributes.get('attached_to', ''), 'attached_to'
    child = node.first('child')
    return child.text if child else '', '<child>'
