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
The local tangent graph: what a robot sees of its configuration space from where it stands.

Its nodes are where the free distance of a disc of radius rho, as a function of the heading, jumps
or reaches the sensor's range: the disc just passes an obstacle there. I. Kamon, E. Rimon and
E. Rivlin, "TangentBug: a range-sensor-based navigation algorithm", IJRR 17(9):934-953, 1998.
"""

from __future__ import annotations

import functools
import math
from typing import List, NamedTuple, Optional, Tuple

from bug_nav.core.compiled import fan
from bug_nav.core.geometry import distance, Point
from bug_nav.robot import Robot
from bug_nav.space import kernels
from bug_nav.space.free_space import FreeSpace
import numpy as np

HEADINGS = 720
"""The free distance is known for so many headings."""
STEP = 2.0 * math.pi / HEADINGS
"""The angle between two of them [rad]."""
JUMP = 0.25
"""A free distance that changes by more than this [m] from one heading to the next jumps."""
COURSES = np.column_stack(fan(0.0, STEP, HEADINGS))
"""The unit vectors of the headings (`HEADINGS`, 2)."""


class Node(NamedTuple):
    """An endpoint O_i: where the disc just passes an obstacle."""

    heading: int
    """The first heading beside the obstacle that is free, in steps."""
    distance: float
    """From the robot to where the disc touches [m]."""
    turn: int
    """+1 where it passes on the obstacle's left as seen from here, -1 on its right."""


class TangentGraph:
    """What is free around a place, in configuration space (odometry's frame)."""

    def __init__(self, origin: Point, space: FreeSpace, reach: float):
        """See ``space`` from ``origin``, as far as ``reach`` [m]."""
        self.origin = origin
        self.space = space
        self.reach = reach

    @functools.cached_property
    def _fan(self) -> Tuple[np.ndarray, np.ndarray]:
        return self.space.all_around(self.origin, self.reach, HEADINGS)

    @property
    def free(self) -> np.ndarray:
        """The free distance for each heading (`HEADINGS`,) [m]."""
        return self._fan[0]

    @property
    def stops(self) -> np.ndarray:
        """The index of the point that ends it (`HEADINGS`,), or -1."""
        return self._fan[1]

    def place(self, heading: int, away: float) -> Point:
        """Return the place at a distance [m] along a heading, given in steps."""
        course = COURSES[heading % HEADINGS]
        return (self.origin[0] + away * float(course[0]), self.origin[1] + away * float(course[1]))

    def free_distance(self, origin: Point, heading: float, less: float = 0.0) -> float:
        """
        Return how far [m] the disc can go from a place near by along a heading [rad].

        It is taken smaller by ``less`` [m].
        """
        return self.space.free(origin, heading, self.reach, less)[0]

    def nodes(self, seen: Optional[np.ndarray] = None) -> List[Node]:
        """Return the nodes, of the headings ``seen`` (`HEADINGS`,) bool or of all."""
        free = self.free
        after = np.roll(free, -1)
        edge = (np.abs(after - free) > JUMP) | ((after < self.reach) != (free < self.reach))
        if seen is not None:
            edge &= seen & np.roll(seen, -1)
        nodes = []
        for k in edge.nonzero()[0]:
            here, there = float(free[k]), float(after[k])
            nodes.append(Node((int(k) + 1) % HEADINGS, here, 1) if here < there
                         else Node(int(k), there, -1))
        return nodes

    @functools.cached_property
    def _labels(self) -> np.ndarray:
        return np.append(self.space.connected(), -1)

    @functools.cached_property
    def obstacles(self) -> np.ndarray:
        """Which obstacle each heading ends at (`HEADINGS`,): a number, or -1 for none."""
        return self._labels[self.stops]

    def ends_at(self, place: Point) -> np.ndarray:
        """Tell which headings end at the obstacle that is nearest to a place, bool."""
        _, i = kernels.nearest(self.space.points, *place)
        return (self.stops >= 0) & (self.obstacles == self._labels[i])

    def ends_closest(self, which: np.ndarray, goal: Point) -> Tuple[int, float]:
        """
        Return the heading whose free way ends closest to a goal, and how close that is [m].

        It is one of ``which`` (`HEADINGS`,) bool; -1 and inf where these are none.
        """
        return kernels.ends_closest(self.free, COURSES, which, *self.origin, *goal)

    def is_inner(self, node: Node) -> bool:
        """Tell whether the obstacle that a node is on goes on behind it."""
        obstacles = self.obstacles
        return obstacles[node.heading] == obstacles[(node.heading - node.turn) % HEADINGS]


class TangentSight:
    """Sees the local tangent graph, anew with every scan."""

    def __init__(self, sensor_range: float):
        """See as far as ``sensor_range`` [m] and the sensor allow."""
        self.sensor_range = sensor_range
        self._newest: object = None
        self._graph: Optional[TangentGraph] = None

    def look(self, robot: Robot) -> TangentGraph:
        """Return the graph from where the robot was when the newest scan came."""
        newest = robot.perception.newest
        if self._graph is None or newest is not self._newest:
            self._newest = newest
            self._graph = TangentGraph(
                robot.here, robot.space_in_sight,
                # What stops the disc at its side lies farther away than its centre comes.
                min(self.sensor_range, robot.perception.seen.reach - robot.contour_radius))
        return self._graph


def free_to_goal(robot: Robot, graph: TangentGraph) -> bool:
    """Tell whether the T-node is there: the way to the goal is free as far as is seen."""
    needed = robot.goal_distance - robot.settings.xy_goal_tolerance
    return (robot.blocking_hit() is None
            and graph.free_distance(robot.here, robot.goal_heading)
            >= min(needed, graph.reach))


def heading_index(heading: float) -> int:
    """Return the step that is nearest to a heading [rad]."""
    return round(heading / STEP) % HEADINGS


def path_through(graph: TangentGraph, place: Point, goal: Point) -> float:
    """Return the heuristic h(x, O_i) = |x O_i| + |O_i T| [m]."""
    return distance(graph.origin, place) + distance(place, goal)
