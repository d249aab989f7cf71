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

"""Kernels of a rolling disc: its steps, and how far it rolls."""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.compiled import kernel, wrapped
import numpy as np

STRIDE = 0.02
"""Maximum arc length of a step [m]."""
MAX_NEARBY = 1.0
"""A contour that stays near the robot for this length encloses it [m]."""
JAM_CONTACTS = 100
"""Number of consecutive contacts without rotation after which the disc is jammed."""
MAX_PUSHES = 8
"""Maximum number of points that a disc is pushed out of at once."""
PENETRATION = 1e-4
"""Penetration depth from which on points push the disc out [m]."""

Disc = Tuple[float, float, float, float, float]
"""Its centre, the contact point, and its radius: x, y, ax, ay, radius [m]."""

# In all functions, the centre must keep radii (n,) [m] from points (n, 2).


@kernel
def deepest_penetration(points, radii, x, y):
    """
    Return the deepest penetration of a place into the discs around points (n, 2) [m].

    Also return the index of that point; outside all of them, 0 and -1.
    """
    most, index = 0.0, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        r2 = dx * dx + dy * dy
        if r2 < radii[i] * radii[i]:
            depth = radii[i] - math.sqrt(r2)
            if depth > most:
                most, index = depth, i
    return most, index


@kernel
def turn_to_contact(points, radii, x, y, radius, start, side):
    """
    Return the angle that a disc can turn about its contact point, and the next contact.

    The centre of the disc is ``radius`` [m] from the contact point ``x``, ``y``, in the direction
    ``start`` [rad]; it turns clockwise if ``side`` is +1 and counter-clockwise if it is -1. The
    centre must keep ``radii`` (n,) [m] from ``points`` (n, 2). Return an angle in [0, 2 pi] and an
    index, -1 for a full turn.
    """
    start_x, start_y = math.cos(side * start), math.sin(side * start)
    # A value from 0 to 4 that grows with the angle is computed from its cosine and sine; the angle
    # itself, which costs more, is computed only for the smallest.
    progress = np.full(points.shape[0], np.inf)
    least = 4.0
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, side * (points[i, 1] - y)
        distance2 = dx * dx + dy * dy
        cos, has_contact = _at_contact(distance2, radius, radii[i])
        if has_contact:
            sin = math.sqrt((1.0 - cos) * (1.0 + cos))
            edge_x, edge_y = cos * dx - sin * dy, sin * dx + cos * dy
            along = (edge_x * start_x + edge_y * start_y) / math.sqrt(distance2)
            if along > 1.0 - 1e-9:
                progress[i] = -1.0  # no turn or a full one: decided by the angle
            else:
                ahead = edge_x * start_y >= edge_y * start_x
                progress[i] = 1.0 - along if ahead else 3.0 + along
                least = min(least, progress[i])
    full_turn = 2.0 * math.pi
    turn, index = full_turn, -1
    for i in range(points.shape[0]):
        if progress[i] <= least + 1e-9:
            dx, dy = points[i, 0] - x, side * (points[i, 1] - y)
            cos, has_contact = _at_contact(dx * dx + dy * dy, radius, radii[i])
            edge = math.atan2(dy, dx) + math.acos(cos)
            angle = (side * start - edge + 1e-6) % full_turn - 1e-6
            if has_contact and angle < turn:
                turn, index = angle, i
    return max(turn, 0.0), index


@kernel
def _at_contact(distance2, radius, other_radius):
    """
    Return the cosine of the angle at the contact point when a disc touches another point too.

    By the law of cosines: the centre is ``radius`` [m] from the contact point and ``other_radius``
    from the other one, and their squared distance is ``distance2``. The second value is whether
    the contact is possible.
    """
    if distance2 > 1.001 * (radius + other_radius) ** 2:
        return 0.0, False
    distance = math.sqrt(distance2)
    cos = (radius * radius + distance2 - other_radius * other_radius) / max(2.0 * radius
                                                                            * distance, 1e-12)
    return min(max(cos, -1.0), 1.0), distance > 1e-6 and abs(cos) < 1.0


@kernel
def resolve_penetration(points, radii, disc):
    """
    Move a disc out of the points that it overlaps, because two scans never agree exactly.

    A point of the same wall pushes the disc. If the point is the other edge of a gap that has
    become narrower, the disc turns about its contact, forwards or backwards, whichever is shorter:
    it leaves the gap on the side from which it came, unless it is more than half through.
    """
    for _ in range(MAX_PUSHES):
        x, y, ax, ay, radius = disc
        depth, i = deepest_penetration(points, radii, x, y)
        if depth < PENETRATION:
            break
        dx, dy = points[i, 0] - ax, points[i, 1] - ay
        distance = math.hypot(dx, dy)
        if distance < radius:
            disc = _touching(points, radii, i, x, y)
            continue
        cos = (radius ** 2 + distance ** 2 - radii[i] ** 2) / max(2.0 * radius * distance, 1e-9)
        towards = math.atan2(dy, dx)
        offset = wrapped(math.atan2(y - ay, x - ax) - towards)
        angle = towards + math.copysign(math.acos(min(max(cos, -1.0), 1.0)), offset)
        disc = ax + radius * math.cos(angle), ay + radius * math.sin(angle), ax, ay, radius
    return disc


@kernel
def roll_step(points, radii, disc, side):
    """
    Turn a disc about its contact point, up to the next contact or for one step.

    The points are on its right if ``side`` is +1, on its left if it is -1. Return the disc, the
    length [m], the direction of its centre from the previous contact [rad], and whether there is a
    new contact.
    """
    x, y, ax, ay, radius = disc
    start = math.atan2(y - ay, x - ax)
    most, i = turn_to_contact(points, radii, ax, ay, radius, start, side)
    stride = STRIDE / radius
    angle = start - side * min(most, stride)
    x, y = ax + radius * math.cos(angle), ay + radius * math.sin(angle)
    has_contact = most <= stride
    disc = _touching(points, radii, i, x, y) if has_contact else (x, y, ax, ay, radius)
    return disc, radius * min(most, stride), angle, has_contact


@kernel
def is_gap_contact(before, disc, gap_limits):
    """
    Return whether a new contact is the other edge of a narrow gap, and not a plug.

    ``gap_limits``: the width of ambiguous gaps, its tolerance, and the radius of a plug [m].
    """
    width, narrow, plug_radius = gap_limits
    return (before[4] != plug_radius and disc[4] != plug_radius
            and abs(math.hypot(disc[2] - before[2], disc[3] - before[3]) - width) < narrow)


@kernel
def roll_ahead(points, radii, disc, side, x, y, lead, gap_limits, rolled, stuck, path):
    """
    Roll until the centre is ``lead`` [m] away from a place, or a decision is needed.

    Decisions are needed at the other edge of a narrow gap (``gap_limits`` as for
    `is_gap_contact`), for a contour that stays nearby (``rolled`` [m] until now), for a jammed
    disc (``stuck`` contacts until now), and if ``path`` (m, 2), which receives the places, is
    full. Return the disc now and before the last step; the direction from `roll_step`; whether it
    is at a gap; rolled, stuck, and the number of places.
    """
    before, angle, at_gap, count = disc, 0.0, False, 0
    while math.hypot(disc[0] - x, disc[1] - y) < lead:
        before = resolve_penetration(points, radii, disc)
        disc, length, angle, has_contact = roll_step(points, radii, before, side)
        rolled += length
        stuck = 0 if length > PENETRATION else stuck + 1
        path[count, 0], path[count, 1] = disc[0], disc[1]
        count += 1
        at_gap = has_contact and is_gap_contact(before, disc, gap_limits)
        if at_gap or rolled > MAX_NEARBY or stuck > JAM_CONTACTS or count == path.shape[0]:
            break
    return disc, before, angle, at_gap, rolled, stuck, count


@kernel
def _touching(points, radii, i, x, y):
    """Return the disc that just touches point ``i``, with its centre moved radially."""
    ax, ay, radius = float(points[i, 0]), float(points[i, 1]), float(radii[i])
    distance = math.hypot(x - ax, y - ay)
    scale = radius / distance if distance > 0.0 else 1.0
    return ax + scale * (x - ax), ay + scale * (y - ay), ax, ay, radius
