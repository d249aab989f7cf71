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

import math
from typing import List, NamedTuple, Optional

from bug_nav.core.geometry import distance, Point
from bug_nav.robot import Robot
from bug_nav.space.free_space import FreeSpace
import numpy as np

HEADINGS = 720
"""The free distance is known for so many headings."""
STEP = 2.0 * math.pi / HEADINGS
"""The angle between two of them [rad]."""
JUMP = 0.25
"""A free distance that changes by more than this [m] from one heading to the next jumps."""
_ANGLES = STEP * np.arange(HEADINGS)
COURSES = np.column_stack((np.cos(_ANGLES), np.sin(_ANGLES)))
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
        self.free, self.stops = space.all_around(origin, reach, HEADINGS)
        """The free distance for each heading [m], and the index of what ends it, or -1."""
        self._labels = np.empty(0, dtype=np.int64)
        self._obstacles: Optional[np.ndarray] = None

    @property
    def places(self) -> np.ndarray:
        """Return the ends of the free ways (`HEADINGS`, 2): of those stopped, visible contour."""
        return np.array(self.origin) + self.free[:, None] * COURSES

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
        after = np.roll(self.free, -1)
        edge = ((np.abs(after - self.free) > JUMP)
                | ((after < self.reach) != (self.free < self.reach)))
        if seen is not None:
            edge &= seen & np.roll(seen, -1)
        nodes = []
        for k in np.flatnonzero(edge):
            here, there = float(self.free[k]), float(after[k])
            nodes.append(Node((int(k) + 1) % HEADINGS, here, 1) if here < there
                         else Node(int(k), there, -1))
        return nodes

    @property
    def obstacles(self) -> np.ndarray:
        """Which obstacle each heading ends at (`HEADINGS`,): a number, or -1 for none."""
        if self._obstacles is None:
            labels = np.append(self.space.connected(), -1)
            self._labels, self._obstacles = labels, labels[self.stops]
        return self._obstacles

    def ends_at(self, place: Point) -> np.ndarray:
        """Tell which headings end at the obstacle that is nearest to a place, bool."""
        obstacles = self.obstacles
        points = self.space.points
        if not len(points):
            return np.zeros(HEADINGS, dtype=bool)
        dx, dy = points[:, 0] - place[0], points[:, 1] - place[1]
        return obstacles == self._labels[np.argmin(dx * dx + dy * dy)]

    def is_inner(self, node: Node) -> bool:
        """Tell whether the obstacle that a node is on goes on behind it."""
        obstacles = self.obstacles
        return obstacles[node.heading] == obstacles[(node.heading - node.turn) % HEADINGS]


class TangentSight:
    """Sees the local tangent graph, anew with every scan."""

    def __init__(self, sensor_range: float):
        """See as far as ``sensor_range`` [m] and the sensor allow."""
        self.sensor_range = sensor_range
        self._scan: object = None
        self._graph: Optional[TangentGraph] = None

    def look(self, robot: Robot) -> TangentGraph:
        """Return the graph from where the robot was when the newest scan came."""
        seen = robot.perception.seen
        if self._graph is None or seen.scan is not self._scan:
            self._scan = seen.scan
            self._graph = TangentGraph(
                robot.pose.position, robot.space_in_sight,
                # What stops the disc at its side lies farther away than its centre comes.
                min(self.sensor_range, seen.reach - robot.contour_radius))
        return self._graph


def free_to_goal(robot: Robot, graph: TangentGraph) -> bool:
    """Tell whether the T-node is there: the way to the goal is free as far as is seen."""
    needed = robot.goal_distance - robot.settings.xy_goal_tolerance
    return (robot.blocking_hit() is None
            and graph.free_distance(robot.pose.position, robot.goal_heading)
            >= min(needed, graph.reach))


def heading_index(heading: float) -> int:
    """Return the step that is nearest to a heading [rad]."""
    return round(heading / STEP) % HEADINGS


def path_through(graph: TangentGraph, place: Point, goal: Point) -> float:
    """Return the heuristic h(x, O_i) = |x O_i| + |O_i T| [m]."""
    return distance(graph.origin, place) + distance(place, goal)
