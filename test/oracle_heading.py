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
The Bug algorithms with a preferred heading, as walks of a point robot.

Sources: K. N. McGuire et al., Science Robotics 4(35), 2019, and its code (gradient_bug of one
robot on its way home; sgba without messages is the same); bug_algorithms of the same group
(blind_bug). A corner of the scene is where the boundary turns to the side of the wall; a way is
free if it is free for `clear` metres. Straight ways are checked every `GRAIN`.

Both end as in the navigator: straight to the goal once it is within `approach_distance` and the
way is free, or in a loop if the same hit and leave places occur three times without progress, if
whole laps have no exit, or if the distance to the goal grows by `max_distance_increase` on a
straight way. In gradient_bug, a metre votes if it is on one edge; the bins begin at the first
heading; side walls whose distances differ by less than `even` do not change the turn.
"""

from __future__ import annotations

import math
from typing import Optional

import numpy as np
from oracle import cross, Lap, OracleRun, Scene
from oracle_contact import OTHER

CLEAR = 0.15
APPROACH_DISTANCE, MAX_DISTANCE_INCREASE = 2.5, 10.0
GRAIN = 0.01
FAR = 1e3
SAME, PROGRESS, TIMES = 0.15, 0.02, 3
LOST, STRIDE = math.radians(20.0), 0.10
"""Minimum bend at a corner to the side of the wall [rad], from stride to stride [m]."""
OFF = math.radians(5.0)
"""Minimum angle by which the heading leads away from the wall at a corner [rad]."""
STEP = 0.02
ARC = 0.12
"""Maximum length of an edge of an arc [m]."""


class BlindWalk:
    """A walk of BlindBug; gradient_bug changes `laps`, `free_side`, `turn_at` and `leaves`."""

    laps, free_side = 1, math.pi

    def __init__(self, obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
                 approach_distance: float = APPROACH_DISTANCE,
                 max_distance_increase: float = MAX_DISTANCE_INCREASE,
                 clear: float = CLEAR) -> None:
        self.scene = Scene(obstacles, start, goal, goal_tolerance)
        self.turn, self.clear = turn, clear
        self.approach_distance = approach_distance
        self.max_distance_increase = max_distance_increase
        self.heading = math.atan2(goal[1] - start[1], goal[0] - start[0])
        self.run = OracleRun(path=[self.scene.start])
        self.aside, self.best, self.pairs = 0.0, math.inf, []

    def walk(self) -> OracleRun:
        while not self.run.verdict:
            hit = self.straight()
            if hit is None:
                continue
            self.run.hits.append(hit)
            self.run.turns.append(self.turn_at(hit))
            leave = self.go_round(hit, self.run.turns[-1])
            if leave is not None:
                self.run.leaves.append(leave)
                self.note(hit, leave)
        return self.run

    # ---- straight ways ------------------------------------------------------------------------

    def straight(self) -> Optional[tuple]:
        """Go along the heading, or to the goal once that is near; return the hit, if any."""
        here = self.run.path[-1]
        if self.arrives(here):
            return self.to_goal()
        end = tuple(np.add(here, FAR * self.direction))
        hit = self.scene.hit_from(here, end)
        length = FAR if hit is None else math.dist(here, hit)
        closest, walked = math.inf, 0.0
        while walked < length:
            place = tuple(np.add(here, walked * self.direction))
            away = self.scene.to_goal(place)
            closest = min(closest, away)
            if self.arrives(place):
                self.go(place)
                return self.to_goal()
            if away > closest + self.max_distance_increase:
                self.go(place)
                self.run.verdict = 'loop'
                return None
            walked += GRAIN
        self.go(hit)
        return hit

    def to_goal(self) -> Optional[tuple]:
        """Go to the goal; return the hit, if any."""
        here, hit = self.run.path[-1], self.scene.hit_from(self.run.path[-1])
        away = self.scene.to_goal(here)
        way = max(away - self.scene.reach, 0.0)
        if hit is not None and math.dist(here, hit) < way:
            self.go(hit)
            return hit
        share = way / away if away else 0.0
        self.go(tuple(np.add(here, share * np.subtract(self.scene.goal, here))))
        self.run.verdict = 'reached'
        return None

    @property
    def direction(self) -> np.ndarray:
        return along(self.heading)

    def arrives(self, place) -> bool:
        hit, away = self.scene.hit_from(place), self.scene.to_goal(place)
        return away <= self.approach_distance and (
            hit is None or math.dist(place, hit) >= away - self.scene.reach)

    def is_free(self, place, target) -> bool:
        hit = self.scene.hit_from(place, target)
        return hit is None or math.dist(place, hit) >= self.clear

    def is_free_along(self, place) -> bool:
        return self.is_free(place, tuple(np.add(place, FAR * self.direction)))

    def go(self, place) -> None:
        self.run.length += math.dist(self.run.path[-1], place)
        self.run.path.append((float(place[0]), float(place[1])))

    # ---- boundaries ---------------------------------------------------------------------------

    def go_round(self, hit, turn: str) -> Optional[tuple]:
        """Follow the boundary; return the leave point, or None if there is a verdict."""
        steps = np.arange(0.0, self.scene.boundary_at(hit).perimeter, STEP)
        lap = self.scene.lap(hit, turn, stops=steps)
        for _ in range(self.laps):
            for i in range(1, len(lap.points)):
                before, here = self.run.path[-1], lap.points[i]
                self.go(here)
                self.aside += float(cross(self.direction, np.subtract(here, before)))
                if lap.at_goal[i]:
                    self.run.verdict = 'reached'
                    return None
                if self.leaves(lap, i, hit, turn) or self.arrives(self.run.path[-1]):
                    return self.run.path[-1]
        self.run.verdict = 'loop'
        return None

    def corner(self, lap: Lap, i: int, turn: str) -> Optional[float]:
        """Return the direction of the boundary after the corner at a node, or None."""
        ends = np.mod(lap.walked[i] + np.array([-STRIDE, 0.0, STRIDE]), lap.walked[-1])
        a, b, c = (np.array([np.interp(end, lap.walked, lap.points[:, k]) for k in (0, 1)])
                   for end in ends)
        now = math.atan2(*(c - b)[::-1])
        bend = wrapped(now - math.atan2(*(b - a)[::-1])) * (-1.0 if turn == 'left' else 1.0)
        return now if bend > LOST else None

    def note(self, hit, leave) -> None:
        self.best = min(self.best, self.scene.to_goal(hit), self.scene.to_goal(leave))
        self.pairs.append((hit, leave, self.best))
        again = sum(math.dist(one, hit) < SAME and math.dist(other, leave) < SAME
                    and best < self.best + PROGRESS for one, other, best in self.pairs)
        if again >= TIMES:
            self.run.verdict = 'loop'

    # ---- overridden by gradient_bug -----------------------------------------------------------

    def turn_at(self, hit) -> str:
        if abs(self.aside) < 1e-9:
            return self.turn
        return 'right' if self.aside > 0.0 else 'left'

    def leaves(self, lap: Lap, i: int, hit, turn: str) -> bool:
        course = self.corner(lap, i, turn)
        if course is None:
            return False
        off = (1.0 if turn == 'left' else -1.0) * wrapped(self.heading - course)
        return OFF < off < self.free_side and self.is_free_along(self.run.path[-1])


class GradientWalk(BlindWalk):
    """A walk of the gradient bug."""

    laps, free_side = 3, 1.5

    def __init__(self, *args, sample: float = 1.0, most: int = 5, side_range: float = 2.0,
                 even: float = 0.05, radius: float = 0.224, **options) -> None:
        super().__init__(*args, **options)
        self.zero, self.sample, self.most = self.heading, sample, most
        self.side_range, self.even, self.radius = side_range, even, radius
        self.votes, self.begin, self.loops, self.last = [0] * 8, None, False, self.turn

    def turn_at(self, hit) -> str:
        self.votes, self.begin, self.hit_heading = [0] * 8, None, self.heading
        if self.loops:
            self.last, self.loops = OTHER[self.last], False
            return self.last
        # Walls are `radius` behind the boundaries of a scene that is inflated by it.
        (x, y), (to_x, to_y) = self.run.path[-2:] if len(self.run.path) > 1 else (
            hit, np.add(hit, self.direction))
        course = math.atan2(to_y - y, to_x - x)
        left, right = (self.room(hit, course, turn) + self.radius
                       for turn in (0.5 * math.pi, -0.5 * math.pi))
        left, right = min(left, self.side_range), min(right, self.side_range)
        self.last = (self.turn if abs(left - right) < self.even
                     else 'right' if left < right else 'left')
        return self.last

    def room(self, place, course: float, turn: float) -> float:
        # One step back, so that the wall that was hit is not at the side.
        place = np.subtract(place, GRAIN * along(course))
        hit = self.scene.hit_from(tuple(place), tuple(place + FAR * along(course + turn)))
        return math.inf if hit is None else math.dist(place, hit)

    def leaves(self, lap: Lap, i: int, hit, turn: str) -> bool:
        here = self.run.path[-1]
        if math.dist(hit, here) > 2.0 * self.radius:
            there = math.atan2(here[1] - hit[1], here[0] - hit[0])
            self.loops |= abs(wrapped(there - self.hit_heading - math.pi)) < 1.0
        edge = lap.boundary.edge_at(np.array([lap.boundary.place(lap.middles[i - 1])]))[0]
        self.measure(int(edge), lap.boundary.lengths[edge], self.run.path[-2], here)
        return super().leaves(lap, i, hit, turn)

    def measure(self, edge: int, length: float, before, here) -> None:
        """Vote for the last metre of an edge."""
        if length < ARC:
            self.begin = None
            return
        if self.begin is None or self.begin[0] != edge:
            self.begin = edge, before
        begin = self.begin[1]
        if math.dist(begin, here) < self.sample:
            return
        closer = self.scene.to_goal(here) < self.scene.to_goal(begin)
        way = math.atan2(here[1] - begin[1], here[0] - begin[0])
        k = round((way - self.zero) / (math.pi / 4)) % 8
        good, bad = (k, (k + 4) % 8) if closer else ((k + 4) % 8, k)
        self.votes[good] += 1
        self.votes[bad] = max(self.votes[bad] - 1, 0)
        if max(self.votes) > self.most:
            self.votes = [max(vote - 1, 0) for vote in self.votes]
        mean = sum(vote * np.exp(0.25j * math.pi * each) for each, vote in enumerate(self.votes))
        if abs(mean) > 0.5:
            self.heading = self.zero + float(np.angle(mean))
        self.begin = edge, here


def along(heading: float) -> np.ndarray:
    return np.array([math.cos(heading), math.sin(heading)])


def wrapped(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi


HEADING = {
    'blind_bug': lambda *args, **options: BlindWalk(*args, **options).walk(),
    'gradient_bug': lambda *args, **options: GradientWalk(*args, **options).walk(),
    'sgba': lambda *args, **options: GradientWalk(*args, **options).walk(),
}
