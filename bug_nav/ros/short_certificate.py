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

"""Certificates with a limited number of points, for messages."""

from __future__ import annotations

import math
from typing import List, Sequence

from bug_nav.navigation.proof.certificate import Place, winding_by_angles


def shortened(chain: Sequence[Place], robot: Place, goal: Place, radius: float, most: int
              ) -> List[Place]:
    """
    Return a proof with at most ``most`` of the points of a longer one; [] if there is none.

    Points are removed only if neither robot nor goal changes sides, and no more than necessary,
    because more points show the obstacles better. None is removed near the goal, where a point may
    hide it or block the robot.
    """
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        kept = _thinned(chain, robot, goal, share * 2.0 * radius)
        if len(kept) <= most:
            return kept
    return []


def _thinned(chain: Sequence[Place], robot: Place, goal: Place, link: float) -> List[Place]:
    """Return a proof without points that links shorter than ``link`` [m] can skip."""
    kept = list(chain[:1])
    for place, after in zip(chain[1:], [*chain[2:], *chain[:1]]):
        corner = ((kept[-1], place), (place, after), (after, kept[-1]))
        if not (math.dist(kept[-1], after) < link <= math.dist(place, goal)
                and winding_by_angles(corner, robot) == winding_by_angles(corner, goal) == 0):
            kept.append(place)
    return kept
