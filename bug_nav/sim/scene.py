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
"""Everything in a world that moves, at one moment: what simulators in it share."""

from __future__ import annotations

import math
from typing import List, Protocol, Tuple

from bug_nav.core.geometry import Pose
from bug_nav.sim import motion, rays
from bug_nav.sim.movers import Body, disc, edges, NOWHERE
from bug_nav.sim.walls import Walls
from bug_nav.sim.world import World
import numpy as np


class Driven(Protocol):
    """A robot that a simulator drives."""

    pose: Pose


class Scene:
    """
    The movers of a world, and the robots.

    Each robot sees all but itself. The first that joins is *the* robot, of whom people and doors
    take note first, and whose simulator moves time on.
    """

    def __init__(self, world: World, seed: int = 0):
        """Put every mover to where it is at time 0."""
        self._walls = Walls(world.segments)
        self.bodies: List[Body] = [
            mover.begin(np.random.default_rng((seed, 3, number)))
            for number, mover in enumerate(world.movers)]
        self._driven: List[Tuple[Driven, float, np.ndarray]] = []
        self._robots: Tuple[Tuple[float, float, float], ...] = ()
        self._gather()

    def join(self, robot: Driven, radius: float) -> None:
        """Have a robot in the scene, a disc of this radius [m]."""
        self._driven.append((robot, radius, edges((disc(radius),))))

    @property
    def is_still(self) -> bool:
        """Tell whether a robot is alone, and nothing moves."""
        return not self.bodies and len(self._driven) < 2

    def step(self, stamp: float, dt: float) -> None:
        """Move all on by ``dt`` [s], to the time ``stamp`` [s]."""
        if not self.bodies:
            return
        # No robot moves meanwhile, and every body asks several times.
        self._robots = self.robots
        for body in self.bodies:
            body.step(self, stamp, dt)
        self._robots = ()
        self._gather()

    def _gather(self) -> None:
        outlines = [body.segments for body in self.bodies if len(body.segments)]
        self.segments = np.vstack(outlines) if outlines else NOWHERE
        """The outlines of all movers, (m, 4) [m]."""

    def seen_by(self, me: Driven) -> np.ndarray:
        """Return the outlines of all that moves, as a robot sees them, (m, 4) [m]."""
        if len(self._driven) < 2:
            return self.segments
        others = [outline + (*robot.pose.position, *robot.pose.position)
                  for robot, _, outline in self._driven if robot is not me]
        return np.vstack([self.segments, *others])

    def distance(self, me: Driven, x: float, y: float) -> float:
        """Return how far a place is from all that moves but me [m]; 0 within a mover."""
        return distance_to(self.seen_by(me), x, y)

    # ---- what a body may know: `movers.Around` ------------------------------------------------

    @property
    def robots(self) -> Tuple[Tuple[float, float, float], ...]:
        """Return x, y and radius of each robot [m]."""
        return self._robots or tuple((*robot.pose.position, radius)
                                     for robot, radius, _ in self._driven)

    def clearance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest solid that stands still [m]."""
        return self._walls.distance(x, y)

    def free(self, segments: np.ndarray, room: float, now: np.ndarray) -> bool:
        """Tell whether an outline gets near no robot."""
        for x, y, radius in self.robots:
            away = distance_to(segments, x, y)
            # Whoever stands beside a door's leaf must not keep it from going away.
            if away < radius + room and away < distance_to(now, x, y):
                return False
        return True


def distance_to(segments: np.ndarray, x: float, y: float) -> float:
    """Return how far a place is from outlines (m, 4) [m]; 0 within one of them."""
    if not len(segments):
        return math.inf
    if rays.is_within(segments, x, y):
        return 0.0
    return motion.distance_to_segments(segments, x, y)
