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

"""Kernels of a rolling disc: its strides, and how far it is seen to roll."""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.cspace.kernels import nearest_beside, reaches
import numpy as np

STRIDE = 0.02
"""The disc rolls on in arcs of at most this length [m]."""
ROUND = 1.0
"""A contour that stays near the robot for so long [m] is all around it."""
JAM = 100
"""After so many touches on end without a turn the disc is jammed."""
MAKE_ROOM = 8
"""So many points are made room for at once."""
PENETRATION = 1e-4
"""Points this deep [m] in the disc push it out."""

Disc = Tuple[float, float, float, float, float]
"""Its centre, the point that it touches, and its radius: x, y, ax, ay, radius [m]."""

# In all that follows points (n, 2) are to be kept radii (n,) [m] away from the centre.


@kernel
def deepest(points, radii, x, y):
    """
    Return how deep a place is in the discs around points (n, 2) [m], and in which most.

    Where it is in none, that is 0 and -1.
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
def roll(points, radii, x, y, radius, start, side):
    """
    Return by how much a disc can turn about a point that it touches, and what it touches then.

    The centre of the disc is ``radius`` [m] from the point ``x``, ``y``, and ``start`` [rad] its
    direction from there; it turns clockwise where ``side`` is +1 and counter-clockwise where it
    is -1. Each of ``points`` (n, 2) is to be kept ``radii`` (n,) [m] away from the centre. The
    answer is an angle in [0, 2 pi] and an index, -1 for a full turn.
    """
    start_x, start_y = math.cos(side * start), math.sin(side * start)
    # What grows with the angle of a turn as far as that, from 0 to 4, is made of its cosine and
    # sine; the angle itself, which costs more, is asked of the least alone.
    progress = np.full(points.shape[0], np.inf)
    least = 4.0
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, side * (points[i, 1] - y)
        apart2 = dx * dx + dy * dy
        cos, meets = _at_contact(apart2, radius, radii[i])
        if meets:
            sin = math.sqrt((1.0 - cos) * (1.0 + cos))
            edge_x, edge_y = cos * dx - sin * dy, sin * dx + cos * dy
            along = (edge_x * start_x + edge_y * start_y) / math.sqrt(apart2)
            if along > 1.0 - 1e-9:
                progress[i] = -1.0  # no turn, or a full one: only the angle can tell
            else:
                ahead = edge_x * start_y >= edge_y * start_x
                progress[i] = 1.0 - along if ahead else 3.0 + along
                least = min(least, progress[i])
    full = 2.0 * math.pi
    turn, index = full, -1
    for i in range(points.shape[0]):
        if progress[i] <= least + 1e-9:
            dx, dy = points[i, 0] - x, side * (points[i, 1] - y)
            cos, meets = _at_contact(dx * dx + dy * dy, radius, radii[i])
            edge = math.atan2(dy, dx) + math.acos(cos)
            angle = (side * start - edge + 1e-6) % full - 1e-6
            if meets and angle < turn:
                turn, index = angle, i
    return max(turn, 0.0), index


@kernel
def _at_contact(apart2, radius, other):
    """
    Return the cosine at the point that a disc turns about, once it touches another as well.

    That is the law of cosines: the centre is ``radius`` [m] from the one and ``other`` from the
    other, and their squared distance is ``apart2``. The second value tells whether it ever does.
    """
    if apart2 > 1.001 * (radius + other) ** 2:
        return 0.0, False
    apart = math.sqrt(apart2)
    cos = (radius * radius + apart2 - other * other) / max(2.0 * radius * apart, 1e-12)
    return min(max(cos, -1.0), 1.0), apart > 1e-6 and abs(cos) < 1.0


@kernel
def make_room(points, radii, disc):
    """
    Take a disc out of points that it has come to cover, for two scans never agree quite.

    A point of the same wall just pushes. Where it is the other jamb of a gap that shows narrower
    than a moment ago, the disc turns about its contact, on or back, whichever is nearer: it leaves
    the gap the way that it came, unless it is half through.
    """
    for _ in range(MAKE_ROOM):
        x, y, ax, ay, radius = disc
        depth, i = deepest(points, radii, x, y)
        if depth < PENETRATION:
            break
        dx, dy = points[i, 0] - ax, points[i, 1] - ay
        apart = math.hypot(dx, dy)
        if apart < radius:
            disc = _touching(points, radii, i, x, y)
            continue
        cos = (radius ** 2 + apart ** 2 - radii[i] ** 2) / max(2.0 * radius * apart, 1e-9)
        there = math.atan2(dy, dx)
        off = (math.atan2(y - ay, x - ax) - there + math.pi) % (2.0 * math.pi) - math.pi
        angle = there + math.copysign(math.acos(min(max(cos, -1.0), 1.0)), off)
        disc = ax + radius * math.cos(angle), ay + radius * math.sin(angle), ax, ay, radius
    return disc


@kernel
def turn(points, radii, disc, side):
    """
    Turn a disc about the point that it touches, to the next one or for a stride.

    It keeps the points on its right hand where ``side`` is +1, on its left where it is -1. The
    answer is the disc, the length [m], where the centre is seen from the old contact then [rad],
    and whether there is a new one.
    """
    x, y, ax, ay, radius = disc
    start = math.atan2(y - ay, x - ax)
    most, i = roll(points, radii, ax, ay, radius, start, side)
    stride = STRIDE / radius
    angle = start - side * min(most, stride)
    x, y = ax + radius * math.cos(angle), ay + radius * math.sin(angle)
    met = most <= stride
    disc = _touching(points, radii, i, x, y) if met else (x, y, ax, ay, radius)
    return disc, radius * min(most, stride), angle, met


@kernel
def is_jamb(before, disc, gaps):
    """
    Tell whether a new contact is the other jamb of a narrow gap, and no plug.

    ``gaps``: the width of gaps that can be judged either way, what they may be narrower or wider,
    and the radius that is kept from a plug [m].
    """
    width, narrow, plug_radius = gaps
    return (before[4] != plug_radius and disc[4] != plug_radius
            and abs(math.hypot(disc[2] - before[2], disc[3] - before[3]) - width) < narrow)


@kernel
def roll_ahead(points, radii, disc, side, x, y, by, gaps, rolled, stuck, way):
    """
    Roll on until the centre is ``by`` [m] away from a place, or something is to be judged.

    That is the other jamb of a narrow gap (``gaps`` as `is_jamb` takes it), a contour that stays
    near by for long (``rolled`` [m] so far), a disc that is stuck (``stuck`` touches so far), or a
    full ``way`` (m, 2), which takes the places. The answer is the disc, and what it was before the
    last stride; the direction that `turn` tells of that one; whether it met a jamb; rolled, stuck,
    and the number of places.
    """
    before, angle, jamb, count = disc, 0.0, False, 0
    while math.hypot(disc[0] - x, disc[1] - y) < by:
        before = make_room(points, radii, disc)
        disc, length, angle, met = turn(points, radii, before, side)
        rolled += length
        stuck = 0 if length > PENETRATION else stuck + 1
        way[count, 0], way[count, 1] = disc[0], disc[1]
        count += 1
        jamb = met and is_jamb(before, disc, gaps)
        if jamb or rolled > ROUND or stuck > JAM or count == way.shape[0]:
            break
    return disc, before, angle, jamb, rolled, stuck, count


@kernel
def _touching(points, radii, i, x, y):
    """Return the disc that just touches point ``i``, its centre moved straight there."""
    ax, ay, radius = float(points[i, 0]), float(points[i, 1]), float(radii[i])
    away = math.hypot(x - ax, y - ay)
    scale = radius / away if away > 0.0 else 1.0
    return ax + scale * (x - ax), ay + scale * (y - ay), ax, ay, radius


@kernel
def sees(points, radii, room, x, y, reach, axis, half_field, to_x, to_y, less):
    """
    Tell whether a disc, smaller by ``less`` [m], is seen to go straight to a place.

    Seen from ``x``, ``y`` is what is nearer than ``reach`` [m], in directions up to ``half_field``
    [rad] from ``axis``; the rest is as for `reaches`.
    """
    off = (math.atan2(to_y - y, to_x - x) - axis + math.pi) % (2.0 * math.pi) - math.pi
    return (math.hypot(to_x - x, to_y - y) < reach and abs(off) <= half_field
            and reaches(points, radii, room, less, x, y, to_x, to_y))


@kernel
def sees_which(points, radii, room, x, y, reach, axis, half_field, places, less):
    """Tell which of ``places`` (m, 2) [m] are seen, see `sees`, (m,) bool."""
    seen = np.empty(places.shape[0], dtype=np.bool_)
    for k in range(places.shape[0]):
        seen[k] = sees(points, radii, room, x, y, reach, axis, half_field, places[k, 0],
                        places[k, 1], less)
    return seen


@kernel
def in_narrow_gap(points, x, y, heading, within, gaps):
    """Tell whether a place lies in a gap so narrow that it is judged from near by alone."""
    left, right = nearest_beside(points, x, y, heading, within)
    width, narrow, _ = gaps
    return left >= 0 and right >= 0 and abs(math.hypot(
        points[left, 0] - points[right, 0], points[left, 1] - points[right, 1]) - width) < narrow


@kernel
def roll_in_sight(points, radii, room, x, y, reach, axis, half_field, obstacles, near, within,
                  gaps, disc, side, less, discs):
    """
    Roll a disc on as far as it is seen, see `sees`, or ``near`` [m]; return how many ``discs``.

    They are where it comes through, (m, 5), the first of them where it is now. It ends before a
    narrow gap, ``gaps`` as `is_jamb` takes it, with jambs ``within`` [m]: not even room is made
    there, for that would push the disc out, scan by scan.
    """
    real = points[:obstacles]
    course = math.atan2(disc[1] - disc[3], disc[0] - disc[2]) - side * math.pi / 2.0
    if in_narrow_gap(real, disc[0], disc[1], course, within, gaps):
        return 0
    disc = make_room(points, radii, disc)
    for count in range(discs.shape[0]):
        before = disc
        for i in range(5):
            discs[count, i] = disc[i]
        disc, _, _, met = turn(points, radii, before, side)
        if met and is_jamb(before, disc, gaps):
            return count + 1
        disc = make_room(points, radii, disc)
        course = math.atan2(disc[1] - before[1], disc[0] - before[0])
        if (in_narrow_gap(real, disc[0], disc[1], course, within, gaps)
                or not (math.hypot(disc[0] - x, disc[1] - y) < near
                        or sees(points, radii, room, x, y, reach, axis, half_field, disc[0],
                                disc[1], less))):
            return count + 1
    return discs.shape[0]
