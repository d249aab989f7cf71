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
Checks the certificate of an unreachable goal, and knows nothing of how it was made.

A certificate is a closed chain of obstacle points, [x, y] in metres, the last joined to the
first. A disc whose centre keeps more than its radius from each point cannot pass between two
that are nearer to each other than twice that. So it cannot get to the other side of the chain.
"""

from __future__ import annotations

import math
from typing import Sequence

Place = Sequence[float]


def is_proof(chain: Sequence[Place], robot: Place, goal: Place, radius: float) -> bool:
    """Tell whether a chain lies between robot and goal for a disc of ``radius`` [m]."""
    links = list(zip(chain, [*chain[1:], *chain[:1]]))
    return (len(links) >= 2
            and all(math.dist(one, other) < 2.0 * radius for one, other in links)
            and _turns(links, robot) != _turns(links, goal))


def _turns(links: Sequence[Sequence[Place]], place: Place) -> int:
    """Return how many times the links of a closed chain go around a place."""
    angle = 0.0
    for one, other in links:
        ax, ay, bx, by = (one[0] - place[0], one[1] - place[1],
                          other[0] - place[0], other[1] - place[1])
        angle += math.atan2(ax * by - ay * bx, ax * bx + ay * by)
    return round(angle / (2.0 * math.pi))
