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
"""The present state of all movers and robots of a world, shared by its simulators."""

from __future__ import annotations

import math
from typing import List, Protocol, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.simulation import kinematics, rays
from bug_nav.simulation.movers import Body, disc, edges, NOWHERE
from bug_nav.simulation.walls import Walls
from bug_nav.simulation.world import World
import numpy as np


class SceneRobot(Protocol):
    """A robot that a simulator drives."""

    pose: Pose


class Scene:
    """
    The movers and robots of a world.

    Each robot sees all but itself. People follow the first robot that joins, and its simulator
    advances the time of the scene.
    """

    def __init__(self, world: World, seed: int = 0):
        """Place every mover at its pose at time 0."""
        self._walls = Walls(world.segments)
        self.bodies: List[Body] = [
            mover.begin(np.random.default_rng((seed, 3, number)))
            for number, mover in enumerate(world.movers)]
        self._driven: List[Tuple[SceneRobot, float, np.ndarray]] = []
        self._robots: Tuple[Tuple[float, float, float], ...] = ()
        self.is_static = True
        """Whether there are no movers and no other robots."""
        self._gather()

    def join(self, robot: SceneRobot, radius: float) -> None:
        """Add a robot, a disc of a radius [m]."""
        self._driven.append((robot, radius, edges((disc(radius),))))
        self.is_static = not self.bodies and len(self._driven) < 2

    def step(self, stamp: float, dt: float) -> None:
        """Advance all movers by ``dt`` [s] to the time ``stamp`` [s]."""
        if not self.bodies:
            return
        # Cached, because no robot moves meanwhile and every body queries them several times.
        self._robots = self.robots
        for body in self.bodies:
            body.step(self, stamp, dt)
        self._robots = ()
        self._gather()

    def _gather(self) -> None:
        outlines = [body.segments for body in self.bodies if len(body.segments)]
        self.segments = np.vstack(outlines) if outlines else NOWHERE
        """The outlines of all movers, (m, 4) [m]."""

    def seen_by(self, me: SceneRobot) -> np.ndarray:
        """Return the outlines of movers and other robots that a robot sees, (m, 4) [m]."""
        if len(self._driven) < 2:
            return self.segments
        others = [outline + (*robot.pose.position, *robot.pose.position)
                  for robot, _, outline in self._driven if robot is not me]
        return np.vstack([self.segments, *others])

    def distance(self, me: SceneRobot, x: float, y: float) -> float:
        """Return the distance from a place to movers and other robots [m]; 0 within one."""
        return distance_to(self.seen_by(me), x, y)

    # ---- queries of bodies: `movers.SceneView` ------------------------------------------------

    @property
    def robots(self) -> Tuple[Tuple[float, float, float], ...]:
        """Return x, y and radius of each robot [m]."""
        return self._robots or tuple((*robot.pose.position, radius)
                                     for robot, radius, _ in self._driven)

    def distance_to_others(self, body: Body, place: Point) -> float:
        """Return the distance from a place to all bodies but one [m]; 0 within one."""
        return min((distance_to(other.segments, *place) for other in self.bodies
                    if other is not body), default=math.inf)

    def clearance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest static solid [m]."""
        return self._walls.distance(x, y)

    def is_free(self, segments: np.ndarray, margin: float, now: np.ndarray) -> bool:
        """Return whether an outline is clear of all robots."""
        for x, y, radius in self.robots:
            away = distance_to(segments, x, y)
            # A robot beside a door leaf must not block a motion away from it.
            if away < radius + margin and away < distance_to(now, x, y):
                return False
        return True


def distance_to(segments: np.ndarray, x: float, y: float) -> float:
    """Return the distance from a place to outlines (m, 4) [m]; 0 within one of them."""
    if not len(segments):
        return math.inf
    if rays.is_within(segments, x, y):
        return 0.0
    return kinematics.distance_to_segments(segments, x, y)
