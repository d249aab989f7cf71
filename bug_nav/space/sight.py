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

"""What a disc sees from where it is, and how far it sees another roll: kernels."""

from __future__ import annotations

import math

from bug_nav.core.compiled import kernel
from bug_nav.space.kernels import nearest_beside, reaches
from bug_nav.space.strides import is_jamb, make_room, turn
import numpy as np


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
