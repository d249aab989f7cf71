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
The local tangent graph: the visible part of the configuration space.

At its nodes, the free distance of a disc of radius rho, as a function of the heading, jumps or
reaches the sensor's range, where the disc just passes an obstacle. I. Kamon, E. Rimon and
E. Rivlin, "TangentBug: a range-sensor-based navigation algorithm", IJRR 17(9):934-953, 1998.
"""

from __future__ import annotations

import functools
import math
from typing import List, NamedTuple, Optional, Tuple

from bug_nav.navigation.behaviors.clusters import clusters
from bug_nav.navigation.compiled import fan, kernel
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.robot import Robot
import numpy as np

HEADINGS = 720
"""Number of headings for which the free distance is computed."""
STEP = 2.0 * math.pi / HEADINGS
"""Angle between two headings [rad]."""
JUMP = 0.25
"""Minimum change of the free distance between neighbouring headings at a jump [m]."""
COURSES = np.column_stack(fan(0.0, STEP, HEADINGS))
"""Unit vectors of the headings (`HEADINGS`, 2)."""


class Node(NamedTuple):
    """An endpoint O_i: where the disc just passes an obstacle."""

    heading: int
    """First free heading beside the obstacle [steps]."""
    distance: float
    """Distance from the robot to the contact of the disc [m]."""
    turn: int
    """+1 if the disc passes left of the obstacle as seen from the robot, -1 if right."""


class TangentGraph:
    """Free distances around a point in configuration space (odometry frame)."""

    def __init__(self, origin: Point, space: FreeSpace, reach: float):
        """Observe ``space`` from ``origin`` within ``reach`` [m]."""
        self.origin = origin
        self.space = space
        self.reach = reach

    @functools.cached_property
    def _fan(self) -> Tuple[np.ndarray, np.ndarray]:
        return self.space.free_distances(self.origin, self.reach, HEADINGS)

    @property
    def free(self) -> np.ndarray:
        """Free distance for each heading (`HEADINGS`,) [m]."""
        return self._fan[0]

    @property
    def stops(self) -> np.ndarray:
        """Index of the blocking point for each heading (`HEADINGS`,), or -1."""
        return self._fan[1]

    def place(self, heading: int, away: float) -> Point:
        """Return the point at a distance [m] along a heading [steps]."""
        course = COURSES[heading % HEADINGS]
        return (self.origin[0] + away * float(course[0]), self.origin[1] + away * float(course[1]))

    def free_distance(self, origin: Point, heading: float, reduction: float = 0.0) -> float:
        """
        Return the free distance [m] from a nearby point along a heading [rad].

        The disc is smaller by ``reduction`` [m].
        """
        return self.space.free_distance(origin, heading, self.reach, reduction)[0]

    def nodes(self, seen: Optional[np.ndarray] = None) -> List[Node]:
        """Return the nodes, limited to the headings ``seen`` (`HEADINGS`,) bool if given."""
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
        return np.append(clusters(self.space.points, self.space.radii), -1)

    @functools.cached_property
    def obstacles(self) -> np.ndarray:
        """Return the number of the obstacle at which each heading ends (`HEADINGS`,), or -1."""
        return self._labels[self.stops]

    def ends_at(self, place: Point) -> np.ndarray:
        """Return which headings end at the obstacle nearest to a point, bool."""
        _, i = kernels.nearest(self.space.points, *place)
        return (self.stops >= 0) & (self.obstacles == self._labels[i])

    def ends_closest(self, which: np.ndarray, goal: Point) -> Tuple[int, float]:
        """
        Return the heading whose free way ends closest to a goal, and that distance [m].

        Only ``which`` (`HEADINGS`,) bool are considered; return -1 and inf if there are none.
        """
        return _closest_end(self.free, COURSES, which, *self.origin, *goal)

    def is_inner(self, node: Node) -> bool:
        """Return whether the obstacle of a node continues behind it."""
        obstacles = self.obstacles
        return obstacles[node.heading] == obstacles[(node.heading - node.turn) % HEADINGS]


class TangentSight:
    """Computes the local tangent graph for every scan."""

    def __init__(self, sensor_range: float):
        """Limit the range to ``sensor_range`` [m] and that of the sensor."""
        self.sensor_range = sensor_range
        self._newest: object = None
        self._graph: Optional[TangentGraph] = None

    def look(self, robot: Robot) -> TangentGraph:
        """Return the graph at the position where the newest scan arrived."""
        newest = robot.newest_scan
        if self._graph is None or newest is not self._newest:
            self._newest = newest
            self._graph = TangentGraph(
                robot.odom_position, robot.space_in_sight,
                # A point that stops the disc is farther away than its centre.
                min(self.sensor_range, newest.scan.range_max - robot.contour_radius))
        return self._graph


def free_to_goal(robot: Robot, graph: TangentGraph) -> bool:
    """Return whether there is a T-node: the visible way to the goal is free."""
    needed = robot.goal_distance - robot.settings.xy_goal_tolerance
    return (robot.blocking_hit() is None
            and graph.free_distance(robot.odom_position, robot.goal_heading)
            >= min(needed, graph.reach))


def heading_index(heading: float) -> int:
    """Return the step nearest to a heading [rad]."""
    return round(heading / STEP) % HEADINGS


def path_through(graph: TangentGraph, place: Point, goal: Point) -> float:
    """Return the heuristic h(x, O_i) = |x O_i| + |O_i T| [m]."""
    return distance(graph.origin, place) + distance(place, goal)


@kernel
def _closest_end(free: np.ndarray, directions: np.ndarray, mask: np.ndarray, x: float, y: float,
                 goal_x: float, goal_y: float) -> Tuple[int, float]:
    """
    Return the heading whose free distance ends closest to a goal, and that distance [m].

    -1 and inf for none. ``free`` (n,) [m] are the free distances from ``x``, ``y`` along
    ``directions`` (n, 2); only those in ``mask`` (n,) bool are compared.
    """
    index, least = -1, np.inf
    for k in range(free.size):
        if mask[k]:
            distance = math.hypot(x + free[k] * directions[k, 0] - goal_x,
                                  y + free[k] * directions[k, 1] - goal_y)
            if distance < least:
                index, least = k, distance
    return index, least
