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

"""Reference path lengths: the shortest path and the bound from the paper."""

from __future__ import annotations

import sys
from typing import Optional, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.simulation.world import World

MAX_SEGMENTS = 20_000
"""Maximum number of obstacle segments; more may take minutes."""
ROUNDING = 0.02
"""Maximum relative error of a shortest path; absolute below 1 m [m]."""


def shortest_path_length(world: World, start: Pose, goal: Point, radius: float, tolerance: float
                         ) -> Optional[float]:
    """Return the length of the shortest path [m]; None if there is none or it is unknown."""
    if len(world.segments) > MAX_SEGMENTS:
        print(f'bug_nav: no shortest path is computed for {len(world.segments)} segments; '
              f'the limit is {MAX_SEGMENTS}', file=sys.stderr)
        return None
    try:
        from bug_nav.lab.ground_truth import shortest_path
    except ImportError as missing:
        print(f'bug_nav: the shortest path needs {missing.name}; '
              'pip install "shapely>=2"', file=sys.stderr)
        return None
    return shortest_path(world, start, goal, radius, tolerance)


def comparable_length(world: World, start: Pose, goal: Point, radius: float, tolerance: float,
                      shortest: float, driven: float) -> Tuple[float, float]:
    """
    Return the length of the shortest path to compare a driven path with, and its margin [m].

    `ground_truth.comparable_path` says which path that is; its module is imported when needed.
    """
    from bug_nav.lab.ground_truth import comparable_path
    return comparable_path(world, start, goal, radius, shortest, driven, tolerance)


def ratio_to_shortest(driven: float, shortest: float) -> Optional[float]:
    """
    Return driven / shortest path; None if it is not meaningful.

    A driven path can be shorter than the shortest path of the final state of a world in which
    obstacles move. Rounding makes a ratio at most some thousandths too small.
    """
    if shortest <= 0.0 or driven < shortest - ROUNDING * max(shortest, 1.0):
        return None
    return max(1.0, driven / shortest)


def path_length_bound(algorithm: str, world: World, start: Pose, goal: Point, radius: float
                      ) -> Optional[float]:
    """Return the upper bound of the path length from the paper [m]; None if unknown."""
    if len(world.segments) > MAX_SEGMENTS:
        return None
    try:
        from bug_nav.lab.bounds import bound_of, BOUNDS, loop_sums
    except ImportError:
        return None
    return (bound_of(algorithm, loop_sums(world, start, goal, radius)) if algorithm in BOUNDS
            else None)
