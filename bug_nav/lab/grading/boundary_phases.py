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
Hit points, leave points and laps in the path of any program.

They are estimated from the path alone: a robot that is near an obstacle and does not head for the
goal follows a boundary.
"""

from __future__ import annotations

import math
from typing import List, NamedTuple, Sequence, Tuple

from bug_nav.navigation.geometry import Point
from bug_nav.simulation.world import World
import numpy as np

NEAR = 0.8
"""Maximum distance of a robot that follows a boundary from it [m]."""
PARALLEL = 0.15
"""Maximum change of the distance from the obstacle per distance along it, to go on following."""
HEADS_FOR_GOAL = math.radians(12.0)
"""Maximum angle between the motion and the direction of the goal [rad]."""
SPACING = 0.1
"""Distance between two places of the path that are looked at [m]."""
SHORTEST = 0.6
"""Minimum length of a boundary phase, and of the straight way between two [m]."""
AWAY, RETURNED = 0.5, 0.3
"""Distances from the hit point at which a lap has begun, and at which it is complete [m]."""
ON_LINE = 0.25
"""Maximum distance of a leave point from the M-line [m]."""


class Phase(NamedTuple):
    """A part of the path that follows a boundary."""

    hit: Point
    leave: Point
    """The last place, whether it was left or not."""
    hit_distance: float
    """Distance of the hit point from the goal [m]."""
    leave_distance: float
    left: bool
    """Whether the robot drove on towards the goal."""
    laps: int
    """Number of returns to the hit point."""
    extent: Tuple[float, float]
    """Path lengths at the hit and at the leave point [m]."""

    def leaves_on(self, m_line: Tuple[Point, Point]) -> bool:
        """Return whether the boundary was left on the M-line, nearer to the goal."""
        return (self.left and distance_to_line(self.leave, *m_line) <= ON_LINE
                and self.leave_distance < self.hit_distance)


def distance_to_line(place: Point, start: Point, goal: Point) -> float:
    """Return the distance of a place from the segment start-goal [m]."""
    along = np.subtract(goal, start)
    share = np.clip(np.subtract(place, start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return float(math.dist(place, np.add(start, share * along)))


def boundary_phases(world: World, goal: Point, trace: np.recarray, radius: float) -> List[Phase]:
    """Return the boundary phases of a path, in order."""
    if len(trace) < 2 or not world.solids:
        return []
    places = _spaced(np.stack((trace.x, trace.y), axis=1))
    if len(places) < 3:
        return []
    phases = []
    for first, last in _merged(*_following(world, goal, places, radius)):
        part = places[first:last + 1]
        if (last - first) * SPACING < SHORTEST:
            continue
        hit, leave = _point(part[0]), _point(part[-1])
        phases.append(Phase(hit, leave, math.dist(hit, goal), math.dist(leave, goal),
                            last < len(places) - 2, _returns(part),
                            (first * SPACING, last * SPACING)))
    return phases


def laps(phases: Sequence[Phase]) -> int:
    """Return the number of complete laps."""
    return sum(phase.laps for phase in phases)


def resemblance(phases: Sequence[Phase], on_line: int) -> str:
    """Return the algorithm that boundary phases resemble, with the reason; '' without any."""
    left = [phase for phase in phases if phase.left]
    if not left:
        return ''
    circled = sum(phase.laps > 0 for phase in left)
    counts = f'{len(left)} leave points, {on_line} on the M-line, {circled} after a lap'
    if circled == len(left):
        return f'Bug1 ({counts})'
    if on_line == len(left):
        return f'Bug2 ({counts})'
    return f'Bug0 or TangentBug ({counts})' if not circled else f'none clearly ({counts})'


def _spaced(places: np.ndarray) -> np.ndarray:
    """Return places along a path at a constant distance."""
    lengths = np.concatenate(([0.0], np.hypot(*np.diff(places, axis=0).T).cumsum()))
    at = np.arange(0.0, lengths[-1], SPACING)
    return np.stack([np.interp(at, lengths, column) for column in places.T], axis=1)


def _following(world: World, goal: Point, places: np.ndarray, radius: float
               ) -> Tuple[np.ndarray, np.ndarray]:
    """Return at which places a robot begins, and goes on, to follow a boundary, (n - 1,) each."""
    motion, to_goal = np.diff(places, axis=0), np.subtract(goal, places[:-1])
    angle = np.arctan2(motion[:, 0] * to_goal[:, 1] - motion[:, 1] * to_goal[:, 0],
                       (motion * to_goal).sum(axis=1))
    clearance = world.clearance(places)
    near = clearance[:-1] < NEAR + radius
    begins = near & (np.abs(angle) > HEADS_FOR_GOAL)
    return begins, begins | (near & (np.abs(np.diff(clearance)) < PARALLEL * SPACING))


def _merged(begins: np.ndarray, goes_on: np.ndarray) -> List[Tuple[int, int]]:
    """Return first and last index of each phase; short interruptions belong to it."""
    found: List[Tuple[int, int]] = []
    for k in np.flatnonzero(goes_on).tolist():
        if found and (k - found[-1][1]) * SPACING <= SHORTEST:
            found[-1] = found[-1][0], k
        elif begins[k]:
            found.append((k, k))
    return found


def _returns(part: np.ndarray) -> int:
    """Return how often a path comes back to its first place after it has left it."""
    away = np.hypot(*(part - part[0]).T)
    count, is_away = 0, False
    for distance in away.tolist():
        if distance > AWAY:
            is_away = True
        elif is_away and distance <= RETURNED:
            count, is_away = count + 1, False
    return count


def _point(place: np.ndarray) -> Point:
    return float(place[0]), float(place[1])
