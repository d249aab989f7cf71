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
Checker for the certificate of an unreachable goal, independent of how it was made.

A certificate is a closed chain of obstacle points, [x, y] in metres, the last joined to the first.
A disc whose centre keeps more than its radius from each point cannot pass between two that are
nearer to each other than its diameter. Therefore it cannot cross the chain, nor reach a place that
is nearer to a point than its radius.
"""

from __future__ import annotations

import math
from typing import Iterator, Sequence

Place = Sequence[float]
RING_SPACING = 0.02
"""Distance between the rings of tested places within the tolerance of a goal [m]."""
MAX_RINGS = 8
"""Maximum number of these rings; with a large tolerance they are wider apart."""
SIGHT_RADIUS = 0.02
"""Distance from the line of sight to a goal within which a point hides the goal [m]."""


def is_proof(chain: Sequence[Place], robot: Place, goal: Place, radius: float,
             tolerance: float = 0.0) -> bool:
    """
    Return whether a chain proves that a disc of ``radius`` [m] at ``robot`` cannot reach a goal.

    The goal is reached within the ``tolerance`` [m] and in line of sight.
    """
    links = list(zip(chain, [*chain[1:], *chain[:1]]))
    if len(links) < 2 or not all(math.dist(one, other) < 2.0 * radius for one, other in links):
        return False
    side = winding_by_angles(links, robot)
    return all(winding_by_angles(links, place) != side
               or any(math.dist(place, point) < radius for point in chain)
               or any(_distance_to_line(point, place, goal) < SIGHT_RADIUS for point in chain)
               for place in _places_within(goal, tolerance))


def winding_by_angles(links: Sequence[Sequence[Place]], place: Place) -> int:
    """Return the winding number of a closed chain around a place, as a sum of angles."""
    angle = 0.0
    for one, other in links:
        ax, ay, bx, by = (one[0] - place[0], one[1] - place[1],
                          other[0] - place[0], other[1] - place[1])
        angle += math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    return round(angle / (2.0 * math.pi))


def _distance_to_line(point: Place, one: Place, other: Place) -> float:
    """Return the distance of a point from the segment between two places."""
    ux, uy = other[0] - one[0], other[1] - one[1]
    vx, vy = point[0] - one[0], point[1] - one[1]
    along = (vx * ux + vy * uy) / max(ux * ux + uy * uy, 1e-12)
    t = min(max(along, 0.0), 1.0)
    return math.hypot(vx - t * ux, vy - t * uy)


def _places_within(goal: Place, tolerance: float) -> Iterator[Place]:
    """Yield the goal, and places in rings around it."""
    yield goal
    spacing = max(RING_SPACING, tolerance / MAX_RINGS)
    for ring in range(1, int(tolerance / spacing + 1e-9) + 1):
        count = 6 * ring
        for k in range(count):
            angle = 2.0 * math.pi * k / count
            yield (goal[0] + ring * spacing * math.cos(angle),
                   goal[1] + ring * spacing * math.sin(angle))
