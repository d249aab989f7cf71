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
Convert the solid cells of a grid to simple polygons, with numpy only.

Solid cells are 8-connected and free cells 4-connected, so that no beam passes between two solid
cells. At a shared corner, an outline is shifted into the free cell by NUDGE, so that it never
touches itself. A part with holes is cut into slabs of rows without holes; neighbouring slabs share
a row, so that there is no seam.
"""

from __future__ import annotations

from typing import List, NamedTuple

import numpy as np

NUDGE = 1.0 / 1024.0
"""Shift of an outline at a corner shared by two solid cells [cells]."""


class _Runs(NamedTuple):
    """Runs of equal cells, row by row: columns from begin up to end."""

    row: np.ndarray
    begin: np.ndarray
    end: np.ndarray


class _Edges(NamedTuple):
    """Vertical edges between two heights; the solid is right of side 0 and left of side 1."""

    piece: np.ndarray
    column: np.ndarray
    side: np.ndarray
    low: np.ndarray
    high: np.ndarray


def polygonize(solid: np.ndarray) -> List[np.ndarray]:
    """
    Return simple polygons whose union is the solid cells of a grid.

    :param solid: (rows, columns) of bool; the cell (i, j) is the square [j, j + 1] x [i, i + 1].
    :return: the corners x, y of each polygon, (n, 2), counter-clockwise.
    """
    grid = np.pad(np.asarray(solid, dtype=bool), 1)
    runs = _runs(grid)
    if not len(runs.row):
        return []
    # Undo the offset of the padding.
    return [polygon - 1.0 for polygon in _polygons(_edges(runs, *_pieces(runs, _runs(~grid))))]


def _runs(grid: np.ndarray) -> _Runs:
    framed = np.pad(grid, ((0, 0), (1, 1)))
    row, change = np.nonzero(framed[:, 1:] != framed[:, :-1])
    return _Runs(row[::2], change[::2], change[1::2])


def _pieces(solid: _Runs, free: _Runs) -> tuple:
    """Return runs and their pieces without holes, as two arrays; shared runs occur twice."""
    part = _parts(solid, corners=True)
    rows = int(free.row[-1]) + 1
    cuts = np.array(_cuts(solid, free, part, rows), dtype=np.int64)
    place = part * rows + solid.row
    above = np.searchsorted(cuts, place)
    shared = np.flatnonzero(np.isin(place, cuts))
    every = np.arange(len(part))
    return (np.concatenate((every, shared)),
            np.concatenate((part + above, part[shared] + above[shared] + 1)))


def _cuts(solid: _Runs, free: _Runs, part: np.ndarray, rows: int) -> List[int]:
    """Return the rows at which parts are cut, sorted, as part * rows + row: one per hole."""
    hole = _parts(free, corners=False)
    bottom = np.zeros(len(hole), dtype=np.int64)
    np.maximum.at(bottom, hole, free.row)
    # A part has the index of its first run. The first free part surrounds the grid.
    first = np.flatnonzero(hole == np.arange(len(hole)))[1:]
    width = int(free.end.max()) + 1
    # The solid run left of a hole's first run belongs to the part around the hole.
    left = np.searchsorted(solid.row * width + solid.begin,
                           free.row[first] * width + free.begin[first]) - 1
    around = part[left]
    cuts: List[int] = []
    order = np.lexsort((bottom[first], around))
    for top, last in np.column_stack((around * rows + free.row[first],
                                      around * rows + bottom[first]))[order].tolist():
        if not cuts or cuts[-1] < top:
            cuts.append(last)
    return cuts


def _parts(runs: _Runs, corners: bool) -> np.ndarray:
    """Label connected runs by their first run; ``corners``: whether corners connect them."""
    count, width = len(runs.row), int(runs.end.max()) + 2
    # The runs in the next row that overlap this one, or touch it if corners connect.
    touch = 0 if corners else 1
    below = (runs.row + 1) * width
    first = np.searchsorted(runs.row * width + runs.end, below + runs.begin + touch)
    last = np.searchsorted(runs.row * width + runs.begin, below + runs.end + 1 - touch)
    counts = np.maximum(last - first, 0)
    one = np.repeat(np.arange(count), counts)
    other = np.arange(len(one)) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    part = np.arange(count)
    while True:
        a, b = part[one], part[other]
        apart = a != b
        if not apart.any():
            return part
        np.minimum.at(part, np.maximum(a, b)[apart], np.minimum(a, b)[apart])
        while (part != part[part]).any():
            part = part[part]


def _edges(runs: _Runs, member: np.ndarray, piece: np.ndarray) -> _Edges:
    """Return the vertical edges of pieces; collinear edges are merged."""
    row = np.tile(runs.row[member], 2)
    column = np.concatenate((runs.begin[member], runs.end[member]))
    side = np.repeat((0, 1), len(member))
    piece = np.tile(piece, 2)
    order = np.lexsort((row, side, column, piece))
    piece, column, side, row = piece[order], column[order], side[order], row[order]
    follows = ((np.diff(piece) == 0) & (np.diff(column) == 0) & (np.diff(side) == 0)
               & (np.diff(row) == 1))
    first = np.flatnonzero(np.concatenate(([True], ~follows)))
    last = np.concatenate((first[1:], [len(row)])) - 1
    return _Edges(piece[first], column[first], side[first], row[first], row[last] + 1)


def _polygons(edges: _Edges) -> List[np.ndarray]:
    """Link vertical edges to outlines by pairing the corners on each horizontal line."""
    count = len(edges.piece)
    corner = np.arange(2 * count)
    edge, upper = corner // 2, corner % 2
    y = np.where(upper == 1, edges.high[edge], edges.low[edge])
    # Of two corners at one place, the one with the solid on its right is paired to the left, so
    # that the outline goes around the free cell and keeps the solid cells connected.
    order = np.lexsort((edges.side[edge], edges.column[edge], y, edges.piece[edge]))
    partner = np.empty_like(corner)
    partner[order[::2]], partner[order[1::2]] = order[1::2], order[::2]
    x = edges.column[edge].astype(float)
    y = y.astype(float)
    one, other = order[:-1], order[1:]
    double = ((edges.piece[edge[one]] == edges.piece[edge[other]])
              & (x[one] == x[other]) & (y[one] == y[other]))
    one, other = one[double], other[double]
    x[one] -= NUDGE
    x[other] += NUDGE
    both = np.concatenate((one, other))
    y[both] += np.where(upper[both] == 1, -NUDGE, NUDGE)
    # Edges with the solid on the right run downwards, all others upwards.
    end = 2 * np.arange(count) + edges.side
    return [np.column_stack((x[ring], y[ring])) for ring in _rings(partner[end], end)]


def _rings(start_after: np.ndarray, end: np.ndarray) -> List[np.ndarray]:
    """Return the corners of each closed chain of edges."""
    following, rings = (start_after // 2).tolist(), []
    seen = bytearray(len(following))
    for first in range(len(following)):
        chain, edge = [], first
        while not seen[edge]:
            seen[edge] = True
            chain.append(edge)
            edge = following[edge]
        if chain:
            rings.append(np.column_stack((end[chain], start_after[chain])).ravel())
    return rings
