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
TangentBug as a walk of a point robot, in steps of a few centimetres.

Source: I. Kamon, E. Rivlin and E. Rimon, ICRA 1996; IJRR 17(9), 1998; with the conditions for
termination: motion to the goal uses only nodes that are closer to the goal, following begins where
the straight way to the goal is blocked, and a mere continuation of the followed wall is no reason
to leave it.

The nodes of the local tangent graph are exact: visible corners at which the view jumps, and
visible places of walls at the range of sight. Walls are sampled every `wall_grain` metres. An
obstacle is followed on the given side. The choice among nodes of equal length is free, so path
lengths are not unique.
"""

from __future__ import annotations

import math
from typing import Optional

import numpy as np
from oracle import cross, Lap, leading, OracleRun, Scene, TINY

SIGHT = 3.5
GRAIN = 0.05
WALL_GRAIN = 0.1
COARSE = 0.003
# A node must be closer to the goal by this; a place to leave for, closer than the followed wall.
NODE_MARGIN, LEAVE_MARGIN = 0.005, 0.02
# The chosen side is kept unless another is shorter by this.
HYSTERESIS = 0.10
MAX_STEPS = 50_000


class TangentBug:
    """One run, with the state that its two modes share."""

    def __init__(self, scene: Scene, turn: str, sight: float) -> None:
        self.scene, self.turn, self.sight = scene, turn, sight
        self.run = OracleRun(path=[scene.start])
        self.here = scene.start
        before = [np.roll(boundary.a, 1, axis=0) for boundary in scene.boundaries]
        self.before = np.vstack(before) if before else np.zeros((0, 2))
        # Places of all walls: their abscissa, and the index of their boundary.
        stops = [_stops(boundary) for boundary in scene.boundaries]
        self.stops = np.concatenate([*stops, np.zeros(0)])
        self.owner = np.repeat(np.arange(len(stops)), list(map(len, stops)))
        places = [boundary.points(at) for boundary, at in zip(scene.boundaries, stops)]
        self.places = np.vstack([*places, np.zeros((0, 2))])
        self.places_to_goal = np.hypot(*(self.places - scene.goal).T)

    def go(self) -> OracleRun:
        while not self.run.verdict:
            self.motion_to_goal()
            if not self.run.verdict:
                self.follow()
        return self.run

    def motion_to_goal(self) -> None:
        """Go to the goal, or to the best node closer to it, until there is none."""
        scene, aim = self.scene, None
        while len(self.run.path) < MAX_STEPS:
            distance, way = scene.to_goal(self.here), self.way_to_goal()
            if way >= distance and distance <= self.sight:
                self.move_to(scene.goal, max(distance - scene.reach, 0.0))
                self.run.verdict = 'reached'
                return
            aim = scene.goal if way >= min(self.sight, distance) else self.best_node(aim)
            if aim is None:
                return
            self.move_to(aim, GRAIN)
        self.run.verdict = 'loop'

    def best_node(self, old: Optional[tuple]) -> Optional[tuple]:
        """Return the node closer to the goal with the shortest way through it."""
        nodes = np.array([*self.corners(), *self.ends_of_sight()]).reshape(-1, 2)
        to_goal = np.hypot(*(nodes - self.scene.goal).T)
        closer = to_goal < self.scene.to_goal(self.here) - NODE_MARGIN
        nodes, to_goal = nodes[closer], to_goal[closer]
        lengths = np.hypot(*(nodes - self.here).T) + to_goal
        if old is not None:
            lengths[np.hypot(*(nodes - old).T) < HYSTERESIS] -= HYSTERESIS
        nodes = nodes[np.argsort(lengths, kind='stable')]
        seen = nodes[self.scene.sees(self.here, nodes)]
        return tuple(seen[0]) if len(seen) else None

    def corners(self) -> np.ndarray:
        """Return the corners within sight at which a ray from here touches the obstacle."""
        corner, after = self.scene.a, self.scene.b
        ray = corner - self.here
        sides = [cross(ray, other - corner) for other in (self.before, after)]
        convex = cross(corner - self.before, after - corner) > 0
        far = np.hypot(*ray.T)
        touched = (sides[0] * sides[1] >= -TINY) & convex & (far > TINY) & (far <= self.sight)
        return corner[touched]

    def ends_of_sight(self) -> np.ndarray:
        """Return the places of walls at the range of sight."""
        edge, gap = self.scene.b - self.scene.a, self.scene.a - self.here
        length2 = np.maximum((edge**2).sum(axis=1), TINY**2)
        middle = -(gap * edge).sum(axis=1) / length2
        root = middle**2 - ((gap**2).sum(axis=1) - self.sight**2) / length2
        half = np.sqrt(np.maximum(root, 0.0))
        shares = np.concatenate((middle - half, middle + half))
        inner = (shares > 0) & (shares < 1) & np.tile(root > 0, 2)
        begin, edge = np.tile(self.scene.a, (2, 1))[inner], np.tile(edge, (2, 1))[inner]
        return begin + shares[inner, None] * edge

    def follow(self) -> None:
        """Follow the obstacle until a visible place is closer than all of its followed part."""
        scene = self.scene
        hit = scene.hit_from(self.here)
        self.move_to(hit, math.dist(self.here, hit))
        self.run.hits.append(hit)
        boundary = scene.boundary_at(hit)
        lap = scene.lap(hit, self.turn, stops=_stops(boundary))
        followed = scene.to_goal(hit)
        for i in range(len(lap.walked)):
            self.move_to(lap.points[i], math.inf)
            if lap.at_goal[i]:
                self.run.verdict = 'reached'
                return
            back, ahead = self.seen_wall(lap, i)
            followed = min(followed, lap.to_goal[np.arange(back, ahead + 1) % (len(
                lap.walked) - 1)].min())
            place = self.place_to_leave_for(lap, back, ahead, followed - LEAVE_MARGIN)
            if place is not None:
                self.run.leaves.append(self.here)
                while scene.to_goal(self.here) >= followed:
                    self.move_to(place, GRAIN)
                return
        self.run.verdict = 'unreachable'

    def seen_wall(self, lap: Lap, node: int) -> tuple[int, int]:
        """Return the nodes up to which the wall is visible backwards and ahead without a break."""
        count = len(lap.walked) - 1
        ends = []
        for sense in (-1, 1):
            nodes = node + sense * np.arange(1, count)
            points = lap.points[nodes % count]
            near = np.hypot(*(points - self.here).T) <= self.sight
            points = points[:leading(near)]
            ends.append(node + sense * leading(self.scene.sees(self.here, points)))
        return ends[0], ends[1]

    def place_to_leave_for(self, lap: Lap, back: int, ahead: int,
                           closer_than: float) -> Optional[tuple]:
        """Return the visible place closest to the goal that the followed wall does not lead to."""
        scene = self.scene
        distance, way = scene.to_goal(self.here), self.way_to_goal()
        free = min(self.sight, distance)
        if way >= free and distance - free < closer_than:
            share = free / max(distance, TINY)
            return tuple(np.add(self.here, share * np.subtract(scene.goal, self.here)))
        near = np.hypot(*(self.places - self.here).T) <= self.sight
        found = np.nonzero(near & (self.places_to_goal < closer_than))[0]
        found = found[~self.on_seen_wall(found, lap, back, ahead)]
        found = found[np.argsort(self.places_to_goal[found], kind='stable')]
        seen = self.places[found][scene.sees(self.here, self.places[found])]
        return tuple(seen[0]) if len(seen) else None

    def on_seen_wall(self, found: np.ndarray, lap: Lap, back: int, ahead: int) -> np.ndarray:
        """Return which places of walls are on the visible part of the followed wall."""
        count, perimeter = len(lap.walked) - 1, lap.boundary.perimeter
        same = np.array([boundary is lap.boundary for boundary in self.scene.boundaries])
        # One more node on both sides, because the view breaks somewhere between nodes.
        begin, end = lap.walked[(back - 1) % count], lap.walked[(ahead + 1) % count]
        whole = ahead - back + 2 >= count
        length = perimeter if whole else (end - begin) % perimeter
        walked = (lap.walked_to(self.stops[found]) - begin) % perimeter
        return same[self.owner[found]] & (walked <= length)

    def way_to_goal(self) -> float:
        hit = self.scene.hit_from(self.here)
        return math.inf if hit is None else math.dist(self.here, hit)

    def move_to(self, place, at_most: float) -> None:
        left = math.dist(self.here, place)
        share = min(1.0, at_most / max(left, TINY))
        self.here = tuple(np.add(self.here, share * np.subtract(place, self.here)))
        self.run.length += share * left
        self.run.path.append(self.here)


def _stops(boundary) -> np.ndarray:
    return np.union1d(np.arange(0.0, boundary.perimeter, WALL_GRAIN), boundary.corners_and_feet())


def tangent_bug(obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
                sight: float = SIGHT) -> OracleRun:
    """Run TangentBug with a range sensor that sees `sight` metres to all sides."""
    # Arcs of many edges would take far longer, with less effect than a grain.
    scene = Scene(obstacles.simplify(COARSE), start, goal, goal_tolerance)
    return TangentBug(scene, turn, sight).go()


TANGENT = {'tangent_bug': tangent_bug}
