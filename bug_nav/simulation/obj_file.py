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
Read the polygons of an OBJ file, in the groups that are submeshes in Gazebo.

Normals, textures, materials, lines, and free-form surfaces are skipped, as in Gazebo.

Source: Appendix B1, Object Files, of the Advanced Visualizer manual; OBJLoader.cc of
gazebosim/gz-common.
"""

from __future__ import annotations

from array import array
import re
from typing import Dict, Sequence, Tuple

from bug_nav.files.untrusted import printable
import numpy as np

_BYTE_ORDER_MARK = b'\xef\xbb\xbf'
_CONTINUATION = re.compile(rb'\\\r?\n')


class Group:
    """Polygons with a name."""

    def __init__(self) -> None:
        self.indices = array('q')
        """Indices of the vertices of all polygons in a row, from 0."""
        self.counts = array('q')
        """Number of corners of each polygon."""


def read_obj(content: bytes) -> Tuple[np.ndarray, Dict[str, Group]]:
    """
    Return the vertices (n, 3), and the groups by the line `o` or `g` before them.

    :raises ValueError: for a damaged line.
    """
    vertices, groups = array('d'), {'': Group()}
    group = groups['']
    begin = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    for line in _CONTINUATION.sub(b' ', content[begin:]).splitlines():
        kind, *words = line.partition(b'#')[0].split() or (b'',)
        try:
            if kind == b'v':
                # More numbers are a weight or colours.
                x, y, z = map(float, words[:3])
                vertices.extend((x, y, z))
            elif kind == b'f':
                _add(group, words, len(vertices) // 3)
            elif kind in (b'o', b'g'):
                name = b' '.join(words).decode('utf-8', 'replace')
                group = groups.setdefault(name, Group())
        except (ValueError, OverflowError):
            raise ValueError(f"the line '{printable(line.decode('latin-1'), 60)}'") from None
    return np.array(vertices).reshape(-1, 3), groups


def _add(group: Group, words: Sequence[bytes], count: int) -> None:
    """Add a polygon, whose corners are counted from 1, or back from the last vertex with -1."""
    for word in words:
        index = int(word.partition(b'/')[0])
        group.indices.append(index - 1 if index > 0 else count + index)
    group.counts.append(len(words))
