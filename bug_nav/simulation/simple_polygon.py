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

"""Whether a polygon is simple: its outline neither crosses nor touches itself."""

from __future__ import annotations

import numpy as np

# Maximum number of pairs of edges that are tested at once: about 10 MB per temporary.
_AT_ONCE = 1_000_000


def is_simple(polygon: np.ndarray) -> bool:
    """
    Return whether an (n, 2) polygon is simple: edges meet only at the corner of neighbours.

    Exact up to the rounding of float64; every pair is tested.
    """
    a, b = polygon, np.roll(polygon, -1, axis=0)
    if (a == b).all(axis=1).any() or _folds_back(a, b):
        return False
    count = len(polygon)
    step = max(1, _AT_ONCE // count)
    return not any(_crosses(a, b, np.arange(k, min(k + step, count)))
                   for k in range(0, count, step))


def _crosses(a: np.ndarray, b: np.ndarray, some: np.ndarray) -> bool:
    """Return whether some of the edges a-b, given by index, meet another that is no neighbour."""
    here, there = (a[some], b[some]), (a, b)
    crossing = (_is_between(*here, *there) & _is_between(*there, *here).T
                & _boxes_meet(*here, *there))
    for neighbour in (-1, 0, 1):
        crossing[np.arange(len(some)), (some + neighbour) % len(a)] = False
    return bool(crossing.any())


def _folds_back(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether an edge runs back along the previous one."""
    (x0, y0), (x1, y1) = (b - a).T, np.roll(b - a, -1, axis=0).T
    return bool(((x0 * y1 == y0 * x1) & (x0 * x1 + y0 * y1 < 0)).any())


def _is_between(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return whether the line of an edge a-b (row) meets an edge c-d (column)."""
    return _side(a, b, c) * _side(a, b, d) <= 0


def _side(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the side of each point (column) relative to each edge a-b (row)."""
    d = b - a
    x = points[:, 0] - a[:, 0:1]
    y = points[:, 1] - a[:, 1:2]
    return np.sign(d[:, 0:1] * y - d[:, 1:2] * x)


def _boxes_meet(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return whether the bounding boxes of edges a-b (row) and c-d (column) meet."""
    low, high = np.minimum(a, b), np.maximum(a, b)
    other_low, other_high = np.minimum(c, d), np.maximum(c, d)
    meet = (low[:, None] <= other_high[None]) & (other_low[None] <= high[:, None])
    return meet.all(axis=2)
