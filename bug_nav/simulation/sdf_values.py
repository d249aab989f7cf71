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

"""Read and check the values of SDF elements: poses, numbers, attributes of bug_nav."""

from __future__ import annotations

import math
from typing import Container, Iterable, Union

from bug_nav.files.untrusted import printable
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import Node
import numpy as np

NAMESPACE = '{urn:bug_nav}'
"""XML namespace of the extensions of SDF."""
MAX_NUMBER = 1e5
MAX_POSE = 1e15
"""Maximum number in a pose; models that fell through the ground are saved far away [m]."""
UPRIGHT = 1.0 - 1e-6
"""Cosine of the maximum tilt that counts as rounding in the file, 0.08 degrees."""
_ROTATIONS = {'euler_rpy': 6, 'quat_xyzw': 7}
"""Formats of the rotation of a pose, with the count of numbers."""
_TRUE, _FALSE = ('true', '1'), ('false', '0')


class Values:
    """Reads values; an error names file, line and element."""

    def __init__(self) -> None:
        self.ignored: dict[str, None] = {}
        """Elements that SDFormat does not define and ignores, in order."""

    def pose(self, node: Node) -> tuple[np.ndarray, str]:
        """Return the 4x4 transform of `<pose>`, and the frame that it is relative to or ''."""
        poses = node.find_all('pose')
        if len(poses) > 1:
            raise self.error(poses[1], f"a second <pose> in <{node.tag}> '{node.name}'")
        if not poses:
            return np.eye(4), ''
        given = poses[0].attributes
        # Its name until SDF 1.6.
        frame = given.get('relative_to', '') or given.get('frame', '')
        kind = given.get('rotation_format', 'euler_rpy')
        if kind not in _ROTATIONS:
            raise self.error(poses[0], f"the rotation_format '{printable(kind, 60)}' cannot be "
                                       f'read; give {" or ".join(_ROTATIONS)}')
        nothing = kind == 'euler_rpy' and not poses[0].text
        values = self.numbers(poses[0], '0 0 0 0 0 0' if nothing else poses[0].text,
                              _ROTATIONS[kind], 'pose', MAX_POSE)
        if kind == 'quat_xyzw':
            return _quaternion_transform(values), frame
        if is_true(given.get('degrees', '')):
            values[3:] = np.radians(values[3:])
        return _transform(values), frame

    def numbers(self, node: Node, text: str, count: int, what: str,
                limit: float = MAX_NUMBER) -> np.ndarray:
        """Return ``count`` numbers of at most ``limit``."""
        try:
            # float() accepts 1_000, Gazebo does not.
            values = [float(word.replace('_', '?')) for word in text.split()]
        except ValueError:
            values = []
        if len(values) != count or not all(abs(value) <= limit for value in values):
            raise self.error(node, f"{what} must be {count} finite number{'s' * (count > 1)} "
                                   f"of at most {limit:g}, got '{printable(text, 60)}'")
        return np.array(values)

    def flag(self, node: Node, tag: str, default: bool = False) -> bool:
        """Return the boolean text of a child element."""
        child = node.first(tag)
        return default if child is None else is_true(child.text)

    def attributes(self, node: Node, names: Iterable[str]) -> dict[str, str]:
        """Return the attributes of an element of bug_nav; reject all not in ``names``."""
        for key in node.attributes:
            if key not in names:
                raise self.error(node, f"<{short(node)}> has no attribute '{key}'; allowed are "
                                       f'{", ".join(names)}')
        return node.attributes

    def number(self, node: Node, key: str, default: float) -> float:
        """Return a numeric attribute."""
        text = node.attributes.get(key)
        return default if text is None else float(self.numbers(node, text, 1, short(key))[0])

    def switch(self, node: Node, key: str, default: bool) -> bool:
        """Return a boolean attribute."""
        text = node.attributes.get(key, str(default))
        if text.strip().lower() not in (*_TRUE, *_FALSE):
            raise self.error(node, f'{short(key)} must be true or false, got '
                                   f"'{printable(text, 60)}'")
        return is_true(text)

    def length(self, node: Node, key: str, default: float, high: float) -> float:
        """Return a numeric attribute above 0, up to ``high``."""
        value = self.number(node, key, default)
        if not 0.0 < value <= high:
            raise self.error(node, f'{short(key)} is {value:g}; it must be above 0, up to '
                                   f'{high:g}')
        return value

    def place(self, node: Node, key: str, count: int) -> tuple:
        """Return a mandatory attribute of ``count`` numbers."""
        if key not in node.attributes:
            raise self.error(node, f'<{short(node)}> has no {short(key)}')
        return tuple(self.numbers(node, node.attributes[key], count, short(key)).tolist())

    def check_known(self, node: Node, known: Container[str]) -> None:
        """Note an unknown element, which Gazebo ignores; reject one of bug_nav."""
        if node.tag in known:
            return
        if node.tag.startswith(NAMESPACE):
            name = f" '{node.name}'" if node.name else ''
            raise self.error(node, f'<{short(node)}>{name} cannot be read; take it out')
        if NAMESPACE + node.tag in known:
            raise self.error(node, f'<{node.tag}> has no prefix; write <bug_nav:{node.tag}>')
        # Elements of other namespaces are meant for other programs.
        if not node.tag.startswith('{'):
            self.ignored.setdefault(f'<{printable(node.tag, 40)}>')

    def check_known_all(self, node: Node, known: Container[str]) -> None:
        """Check all child elements."""
        for child in node.children:
            self.check_known(child, known)

    def error(self, node: Node, why: str) -> WorldError:
        """Return an error about an element."""
        return WorldError(f'{node.file}:{node.line}: {printable(why)}')


def is_true(text: str) -> bool:
    """Return the value of a boolean of SDF: true or 1, in any case."""
    return text.strip().lower() in _TRUE


def short(node: Union[Node, str]) -> str:
    """Return a tag with the usual prefix of the namespace."""
    tag = node if isinstance(node, str) else node.tag
    return tag.replace(NAMESPACE, 'bug_nav:')


def planar(matrix: np.ndarray) -> Pose:
    """Return x, y and yaw of a 4x4 transform."""
    return Pose(float(matrix[0, 3]), float(matrix[1, 3]),
                math.atan2(float(matrix[1, 0]), float(matrix[0, 0])))


def _transform(values: np.ndarray) -> np.ndarray:
    """Return the 4x4 matrix of x, y, z (m), roll, pitch, yaw (rad) about fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(values[3:]), np.sin(values[3:])
    matrix = np.eye(4)
    matrix[:3, :3] = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr))
    matrix[:3, 3] = values[:3]
    return matrix


def _quaternion_transform(values: np.ndarray) -> np.ndarray:
    """Return the 4x4 matrix of x, y, z (m) and a quaternion x, y, z, w."""
    x, y, z, w = values[3:] / (np.linalg.norm(values[3:]) or 1.0)
    matrix = np.eye(4)
    matrix[:3, :3] += 2.0 * np.array((
        (-y * y - z * z, x * y - z * w, x * z + y * w),
        (x * y + z * w, -x * x - z * z, y * z - x * w),
        (x * z - y * w, y * z + x * w, -x * x - y * y)))
    matrix[:3, 3] = values[:3]
    return matrix
