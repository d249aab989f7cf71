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

"""Short goals of every kind, one after the other, with their expected outcomes."""

from __future__ import annotations

import collections
import math
from random import Random
from typing import Any, Callable, Counter, Dict, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.simulation.world import World
import numpy as np
from trials.navigator import Goal, Lost, Navigator
from trials.robot import LockstepRobot

HALF = 5.0
POSTS = ((-2.0, -2.0), (2.0, -2.0), (-2.0, 2.0), (2.0, 2.0), (0.0, 0.0))
SIDE = 0.3
"""Side of a post; laps around it are short [m]."""
START = Pose(1.0, 0.0, 0.0)
WEIGHTS = {'reached': 30, 'canceled': 25, 'superseded': 25, 'bad_goal': 15, 'timeout': 4,
           'unreachable': 1}
"""Relative frequency of the expected outcomes."""
ALGORITHMS = ('bug2', 'bug1', 'tangent_bug', 'dist_bug', '')
LONGEST = 4000
"""Maximum duration of a goal [ticks]."""


def field() -> World:
    """Return a walled field with posts."""
    def box(x: float, y: float, width: float, depth: float) -> np.ndarray:
        return np.array([[x - width, y - depth], [x + width, y - depth],
                         [x + width, y + depth], [x - width, y + depth]])
    walls = [box(sign * HALF, 0.0, 0.1, HALF) for sign in (-1.0, 1.0)]
    walls += [box(0.0, sign * HALF, HALF, 0.1) for sign in (-1.0, 1.0)]
    return World('field', (*walls, *(box(*post, SIDE / 2.0, SIDE / 2.0) for post in POSTS)))


class ShortGoals:
    """Sends goals to the node and simulates its robot."""

    def __init__(self, robot: LockstepRobot, navigator: Navigator, random: Random):
        """Place the robot in the field."""
        self.robot, self.navigator, self.random = robot, navigator, random
        self.world = field()
        robot.place(self.world, START, random.randrange(2 ** 31))
        self.ended: Counter[str] = collections.Counter()
        """Number of goals by outcome."""
        self.wrong: Counter[Tuple[str, str]] = collections.Counter()
        """Number of goals with an unexpected outcome, by (expected, actual)."""
        self._wants: Dict[str, Callable[[], Goal]] = {
            'reached': lambda: self._driven(self._near()),
            'canceled': self._canceled, 'superseded': self._superseded,
            'bad_goal': self._bad, 'timeout': self._late,
            'unreachable': lambda: self._driven(self.random.choice(POSTS))}

    @property
    def count(self) -> int:
        """Return the number of finished goals."""
        return sum(self.ended.values())

    def run_one(self) -> None:
        """Send one goal and record its outcome."""
        wanted = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        try:
            goal = self._wants[wanted]()
            outcome = goal.outcome or 'none'
        except Lost as lost:
            outcome = str(lost)
        if self.robot.sim.contacts:
            outcome = 'contact'
            self.robot.place(self.world, START, self.random.randrange(2 ** 31))
            for _ in range(70):  # until old odometry is forgotten
                self.robot.step()
        self.ended[outcome] += 1
        if outcome != wanted:
            self.wrong[wanted, outcome] += 1

    def _near(self) -> Point:
        """Return a free place nearby."""
        here = self.robot.sim.pose
        while True:
            away, way = self.random.uniform(0.4, 1.0), self.random.uniform(-math.pi, math.pi)
            place = (here.x + away * math.cos(way), here.y + away * math.sin(way))
            if max(map(abs, place)) < HALF and self.world.clearance(np.array([place]))[0] > 0.4:
                return place

    def _send(self, place: Point, **fields: Any) -> Goal:
        goal = self.navigator.send(*place, algorithm=fields.pop(
            'algorithm', self.random.choice(ALGORITHMS)), **fields)
        if goal is None:
            raise Lost('rejected')
        return goal

    def _finish(self, goal: Goal, most: int = LONGEST) -> Goal:
        for _ in range(most):
            if goal.ended or self.robot.sim.contacts:
                break
            self.robot.step(lambda: goal.ended)
        return goal

    def _driven(self, place: Point) -> Goal:
        return self._finish(self._send(place))

    def _under_way(self) -> Goal:
        """Return a goal that has been active for a few ticks."""
        goal = self._send(self.random.choice(POSTS))
        return self._finish(goal, self.random.randint(0, 12))

    def _canceled(self) -> Goal:
        goal = self._under_way()
        goal.handle.cancel_goal_async()
        self.robot.wait(lambda: goal.ended, 0.02)
        return self._finish(goal)

    def _superseded(self) -> Goal:
        first = self._under_way()
        second = self._send(self._near())
        self.robot.wait(lambda: first.ended, 5.0)
        second.handle.cancel_goal_async()
        self._finish(second)
        return first

    def _bad(self) -> Goal:
        return self._finish(self.random.choice((
            lambda: self._send((math.nan, 0.0)), lambda: self._send((1e30, 0.0)),
            lambda: self._send((1.0, 1.0), algorithm='bug3'),
            lambda: self._send((1.0, 1.0), xy_goal_tolerance=-1.0)))())

    def _late(self) -> Goal:
        return self._finish(self._send(self.random.choice(POSTS), allowance=0.5))
