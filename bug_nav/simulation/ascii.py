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
Worlds drawn with characters, for readable tests and for quick sketches.

    cell: 0.5

    ##########
    #>...#...#
    #....#.G.#
    #........#
    ##########

`#` is solid, `:` is solid glass, `%` is solid black, `.` and a blank are free, `G` is the goal.
The robot starts at `>`, `<`, `^` or `v` with that heading, or at `S`, heading right. An optional
first line `cell:` gives the side of a cell in metres, 0.5 by default. The lower left corner of the
drawing is the origin; start and goal are at the centres of their cells. A short line is padded
with free cells.
"""

from __future__ import annotations

import math
from pathlib import Path
import textwrap
from typing import Dict, List, Optional, Tuple, Union

from bug_nav.files.untrusted import printable, read_bytes
from bug_nav.simulation.polygonize import polygonize
from bug_nav.simulation.world import BLACK, GLASS, PLAIN, World, WorldError
import numpy as np

CELL = 0.5
"""Default side of a cell [m]."""
MIN_CELL, MAX_CELL = 0.01, 100.0
MAX_SIDE = 4096
"""Maximum number of lines and columns of a drawing."""
HEADINGS = {'S': 0.0, '>': 0.0, '^': 0.5 * math.pi, '<': math.pi, 'v': -0.5 * math.pi}
"""Headings of the start, by character [rad]."""

_MAX_BYTES = MAX_SIDE * (MAX_SIDE + 4)
LETTERS = {'#': PLAIN, ':': GLASS, '%': BLACK}
_FREE = '. '
_KNOWN = ''.join(LETTERS) + _FREE + 'G' + ''.join(HEADINGS)


def world_of(drawing: str, cell: float = CELL) -> World:
    """Return a drawing without a line `cell:`, which may be indented, as a world."""
    return _world('ascii', textwrap.dedent(drawing).strip('\n').splitlines(), cell, 'drawing', 1)


def load_ascii(path: Union[str, Path]) -> World:
    """
    Read a drawing from a file.

    :raises WorldError: with file, line and column.
    """
    path = Path(path)
    try:
        lines = read_bytes(path, _MAX_BYTES, WorldError).decode('utf-8').splitlines()
    except UnicodeDecodeError:
        raise WorldError(f'{path}: not a text in UTF-8') from None
    cell, above = CELL, 0
    if lines and lines[0].startswith('cell:'):
        cell, above = _cell(lines[0][len('cell:'):].strip(), f'{path}:1'), 1
    while above < len(lines) and not lines[above].strip():
        above += 1
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines[above:]:
        raise WorldError(f'{path}: an empty drawing; draw with # : % . S > < ^ v G and blanks')
    return _world(path.stem, lines[above:], cell, str(path), above + 1)


def _cell(text: str, where: str) -> float:
    try:
        cell = float(text)
    except ValueError:
        cell = math.nan
    if not MIN_CELL <= cell <= MAX_CELL:
        raise WorldError(f"{where}: cell is '{printable(text, 60)}'; give metres from "
                         f'{MIN_CELL:g} to {MAX_CELL:g}')
    return cell


def _world(name: str, lines: List[str], cell: float, where: str, first: int) -> World:
    """Return the world; ``first`` is the line number of the first line in its file."""
    if max(len(lines), *map(len, lines), 0) > MAX_SIDE:
        raise WorldError(f'{where}: a drawing may have up to {MAX_SIDE} lines and columns')
    marks = _marks(lines, where, first)
    width = max(map(len, lines), default=0)
    letters = np.array([list(line.ljust(width)) for line in lines[::-1]], dtype='<U1'
                       ).reshape(len(lines), width)
    solids = {surface: polygonize(letters == letter) for letter, surface in LETTERS.items()}
    surfaces = tuple(surface for surface, alike in solids.items() for _ in alike)
    start: Optional[Tuple[float, float, float]] = None
    goal: Optional[Tuple[float, float]] = None
    for mark, (row, column) in marks.items():
        place = ((column + 0.5) * cell, (len(lines) - row - 0.5) * cell)
        if mark == 'G':
            goal = place
        else:
            start = (*place, HEADINGS[mark])
    return World(name, tuple(cell * polygon for alike in solids.values() for polygon in alike),
                 start, goal, surfaces=surfaces if set(surfaces) - {PLAIN} else ())


def _marks(lines: List[str], where: str, first: int) -> Dict[str, Tuple[int, int]]:
    """Return row and column of start and goal, by character."""
    marks: Dict[str, Tuple[int, int]] = {}
    for row, line in enumerate(lines):
        for column, letter in enumerate(line):
            here = f'{where}:{row + first}:{column + 1}'
            if letter == '\t':
                raise WorldError(f'{here}: a tab is not allowed; use blanks')
            if letter not in _KNOWN:
                raise WorldError(f"{here}: '{printable(letter)}' is not known; draw with # : % . "
                                 'S > < ^ v G and blanks')
            if letter not in LETTERS and letter not in _FREE:
                if letter == 'G' and 'G' in marks or letter != 'G' and set(marks) - {'G'}:
                    what = 'goal' if letter == 'G' else 'start'
                    raise WorldError(f'{here}: a second {what}; a world has one')
                marks[letter] = (row, column)
    return marks
