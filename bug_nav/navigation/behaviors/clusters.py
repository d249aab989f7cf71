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

"""Clusters of obstacle points between which the robot cannot pass."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
import numpy as np


@kernel
def clusters(points, radii):
    """
    Return the cluster numbers (n,) of points (n, 2) [m].

    Two points whose discs of ``radii`` (n,) [m] overlap belong to the same cluster: the centre of
    the robot cannot pass between them. The search covers the cells around each point, which are as
    wide as two discs; a point leaves its cell once its number is known.
    """
    n = radii.size
    size = 2.001 * radii.max() if n > 0 else 1.0
    slots = 64
    while slots < n:
        slots *= 2
    heads, next_in_cell = np.full(slots, -1), np.empty(n, dtype=np.int64)
    for i in range(n):
        slot = _slot(points[i], 0, 0, size, slots)
        next_in_cell[i], heads[slot] = heads[slot], i
    labels, stack = np.full(n, -1), np.empty(n, dtype=np.int64)
    for seed in range(n):
        if labels[seed] >= 0:
            continue
        labels[seed], stack[0], top = seed, seed, 1
        while top > 0:
            top -= 1
            i = stack[top]
            for column in range(-1, 2):
                for row in range(-1, 2):
                    top = _pop_overlapping(points, radii, i, heads, next_in_cell, labels, stack,
                                           top, _slot(points[i], column, row, size, slots))
    return labels


@kernel
def _slot(point, column, row, size, slots):
    """Return the slot of a cell near a point in a table of ``slots``, a power of two."""
    column += math.floor(point[0] / size)
    row += math.floor(point[1] / size)
    return (column * 73856093 ^ row * 19349663) & (slots - 1)


@kernel
def _pop_overlapping(points, radii, i, heads, next_in_cell, labels, stack, top, slot):
    """Move points that overlap with point ``i`` from a cell to a stack; return its top."""
    last = -1
    j = heads[slot]
    while j >= 0:
        if labels[j] < 0:
            dx, dy = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
            all_points = radii[j] + radii[i]
            if dx * dx + dy * dy < all_points * all_points:
                labels[j], stack[top] = labels[i], j
                top += 1
        if labels[j] < 0:
            last = j
        elif last < 0:
            heads[slot] = next_in_cell[j]
        else:
            next_in_cell[last] = next_in_cell[j]
        j = next_in_cell[j]
    return top
