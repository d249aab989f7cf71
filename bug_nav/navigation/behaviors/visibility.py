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
Kernels of visibility: where a disc could go straight to, and how far it rolls while it is visible.

In all functions, the centre of the disc must keep radii (n,) [m] from points (n, 2).
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel, wrapped
from bug_nav.navigation.cspace.disc_rolling import is_gap_contact, resolve_penetration, roll_step
from bug_nav.navigation.cspace.kernels import nearest_on_sides
import numpy as np


@kernel
def can_go_straight(points, radii, clearance, reduction, x, y, to_x, to_y):
    """
    Return whether a disc can go straight from ``x``, ``y`` to a place.

    The inflation ``radii`` are as for `free_distance`, but at most ``clearance`` [m].
    """
    to_x, to_y = to_x - x, to_y - y
    distance = math.sqrt(to_x * to_x + to_y * to_y)
    cos, sin = (to_x / distance, to_y / distance) if distance > 0.0 else (1.0, 0.0)
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        along, across = dx * cos + dy * sin, dy * cos - dx * sin
        radius = min(radii[i] - reduction, clearance)
        chord = radius * radius - across * across
        if chord > 0.0 and along > 0.0 and along - math.sqrt(chord) < distance:
            return False
    return True


@kernel
def is_visible(points, radii, clearance, x, y, reach, axis, half_field, to_x, to_y, reduction):
    """
    Return whether the straight motion of a disc, smaller by ``reduction`` [m], is visible.

    The field of view from ``x``, ``y`` extends to ``reach`` [m] and to ``half_field`` [rad] on
    either side of ``axis``; the other arguments are as for `can_go_straight`.
    """
    offset = wrapped(math.atan2(to_y - y, to_x - x) - axis)
    return (math.hypot(to_x - x, to_y - y) < reach and abs(offset) <= half_field
            and can_go_straight(points, radii, clearance, reduction, x, y, to_x, to_y))


@kernel
def visible_places(points, radii, clearance, x, y, reach, axis, half_field, places, reduction):
    """Return which of ``places`` (m, 2) [m] are visible, see `is_visible`, (m,) bool."""
    seen = np.empty(places.shape[0], dtype=np.bool_)
    for k in range(places.shape[0]):
        seen[k] = is_visible(points, radii, clearance, x, y, reach, axis, half_field, places[k, 0],
                             places[k, 1], reduction)
    return seen


@kernel
def in_narrow_gap(points, x, y, heading, within, gap_limits):
    """Return whether a place is in a gap that is too narrow to be judged from afar."""
    left, right = nearest_on_sides(points, x, y, heading, within)
    width, narrow, _ = gap_limits
    return left >= 0 and right >= 0 and abs(math.hypot(
        points[left, 0] - points[right, 0], points[left, 1] - points[right, 1]) - width) < narrow


@kernel
def roll_while_visible(points, radii, clearance, x, y, reach, axis, half_field, obstacles, near,
                       within, gap_limits, disc, side, reduction, discs):
    """
    Roll a disc while it is visible or within ``near`` [m]; return the number of steps.

    Visible is as for `is_visible`. ``discs`` (m, 5) receives the disc after each step, the first
    one being the current disc. It ends before a narrow gap, with ``gap_limits`` as for
    `is_gap_contact` and edges ``within`` [m]. Even penetration is not resolved there, because that
    would push the disc out scan by scan.
    """
    real = points[:obstacles]
    heading = math.atan2(disc[1] - disc[3], disc[0] - disc[2]) - side * math.pi / 2.0
    if in_narrow_gap(real, disc[0], disc[1], heading, within, gap_limits):
        return 0
    disc = resolve_penetration(points, radii, disc)
    for count in range(discs.shape[0]):
        before = disc
        for i in range(5):
            discs[count, i] = disc[i]
        disc, _, _, has_contact = roll_step(points, radii, before, side)
        if has_contact and is_gap_contact(before, disc, gap_limits):
            return count + 1
        disc = resolve_penetration(points, radii, disc)
        heading = math.atan2(disc[1] - before[1], disc[0] - before[0])
        if (in_narrow_gap(real, disc[0], disc[1], heading, within, gap_limits)
                or not (math.hypot(disc[0] - x, disc[1] - y) < near
                        or is_visible(points, radii, clearance, x, y, reach, axis, half_field,
                                      disc[0], disc[1], reduction))):
            return count + 1
    return discs.shape[0]
