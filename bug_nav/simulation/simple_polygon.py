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

from typing import Iterator, Tuple

import numpy as np

# Maximum number of pairs of edges that are tested at once: about 10 MB per temporary.
_AT_ONCE = 1_000_000


def is_simple(polygon: np.ndarray) -> bool:
    """
    Return whether an (n, 2) polygon is simple: edges meet only at the corner of neighbours.

    Exact up to the rounding of float64; every pair of edges whose bounding boxes meet is tested.
    """
    a, b = polygon, np.roll(polygon, -1, axis=0)
    if (a == b).all(axis=1).any() or _folds_back(a, b):
        return False
    low, high = np.minimum(a, b), np.maximum(a, b)
    for one, other in _overlapping(low, high):
        apart = np.abs(one - other)
        candidate = ((low[one] <= high[other]) & (low[other] <= high[one])).all(axis=1)
        candidate &= (apart > 1) & (apart < len(polygon) - 1)
        one, other = one[candidate], other[candidate]
        if np.any(_is_between(a[one], b[one], a[other], b[other])
                  & _is_between(a[other], b[other], a[one], b[one])):
            return False
    return True


def _overlapping(low: np.ndarray, high: np.ndarray) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
    """
    Yield the pairs of boxes (n, 2) that overlap along one axis, as two arrays of indices.

    Of the two axes, it is the one with fewer pairs: hardly more than boxes if edges are short.
    """
    count = len(low)
    orders = np.argsort(low, axis=0).T
    later = [np.searchsorted(low[order, k], high[order, k], side='right') - np.arange(1, count + 1)
             for k, order in enumerate(orders)]
    axis = int(np.argmin([each.sum() for each in later]))
    order, partners = orders[axis], later[axis]
    ends = np.cumsum(partners)
    blocks = np.searchsorted(ends, np.arange(_AT_ONCE, ends[-1], _AT_ONCE))
    for some in np.split(np.arange(count), blocks):
        begins = np.cumsum(partners[some]) - partners[some]
        one = np.repeat(some, partners[some])
        yield order[one], order[one + 1 + np.arange(one.size) - np.repeat(begins, partners[some])]


def _folds_back(a: np.ndarray, b: np.ndarray) -> bool:
    """Return whether an edge runs back along the previous one."""
    (x0, y0), (x1, y1) = (b - a).T, np.roll(b - a, -1, axis=0).T
    return bool(((x0 * y1 == y0 * x1) & (x0 * x1 + y0 * y1 < 0)).any())


def _is_between(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Return for each edge a-b whether its line meets the edge c-d."""
    return _side(a, b, c) * _side(a, b, d) <= 0


def _side(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the side of each point relative to the edge a-b."""
    (dx, dy), (x, y) = (b - a).T, (points - a).T
    return np.sign(dx * y - dy * x)
