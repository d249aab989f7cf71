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
The chain of remembered obstacle points that proves a goal unreachable.

`enclosure` searches it among points; here is decided among which: those that have settled, or all;
with which gaps closed; and from which side.
"""

from __future__ import annotations

from typing import List, Sequence

from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.perception.memory import (
    FIRST_MEASURED,
    LAST_MEASURED,
    OBSTACLE_TIME,
    READINGS,
)
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.navigation.proof.enclosure import crossed_at, enclosing_chain
from bug_nav.navigation.proof.settled import settled_points
from bug_nav.navigation.robot import Robot
import numpy as np

FIRST_GAP_ERROR, LATER_GAP_ERROR = 1.0, 0.35
"""
Error of the width of a gap that single rangers measure: in the first rounds, and after them [share
of the width of a cone].
"""
MIN_READINGS = 3
"""
Minimum number of readings of a point in a proof that the robot has driven along, unless they are
`OBSTACLE_TIME` apart.
"""
DRIVEN_ALONG = 2.0
"""Maximum distance between such a point and the way of the robot [contour radii]."""


def find_chain(robot: Robot) -> List[Point]:
    """
    Return the closed chain of obstacle points around goal or robot (odometry frame).

    Return [] if there is none. Gaps that are wider than they were judged are then opened,
    because no chain can close them.
    """
    if robot.chain[0] != robot.stamp:
        robot.perception.update_far_points()
        points = _measured_points(robot)
        # The robot's side may have passages that noise has closed behind the robot.
        robot.chain = robot.stamp, (settled_chain(robot) or _search(robot, points)
                                    or _search(robot, points, from_goal=True))
    return robot.chain[1]


def _measured_points(robot: Robot) -> np.ndarray:
    """
    Return the points in memory that count in a proof, (n, 2) [m].

    A lidar measures what the robot has driven along many times, but an outlier only once or
    twice: too near to the robot, no later beam contradicts it. This does not concern points that
    a wall hid from the robot: it has seen them from elsewhere.
    """
    memory = robot.perception.memory
    if not robot.has_driven or robot.settings.sensing != 'range' or robot.perceived.cone_angle > 0:
        return memory.points
    rows = memory.confirmed
    few = np.flatnonzero((rows[:, READINGS] < MIN_READINGS) & (
        rows[:, LAST_MEASURED] - rows[:, FIRST_MEASURED] < OBSTACLE_TIME))
    reach, places = DRIVEN_ALONG * robot.contour_radius, np.ascontiguousarray(rows[:, :READINGS])
    few = few[_distance_to_way(robot, places[few]) < reach]
    many = np.delete(places, few, axis=0)
    space = FreeSpace(many, np.zeros(len(many)), len(many), 0.0)
    return np.delete(places, [k for k in few if any(
        distance(place, places[k]) < reach and space.has_line_of_sight(place, places[k])
        for place in _way(robot))], axis=0)


def _way(robot: Robot) -> List[Point]:
    """Return the places where the robot has been."""
    return [*robot.path, robot.odom_position]


def _distance_to_way(robot: Robot, places: np.ndarray) -> np.ndarray:
    """Return how near the robot has come to places (n, 2) [m], (n,) [m]."""
    nearest = np.full(len(places), np.inf)
    for place in _way(robot):
        np.minimum(nearest, np.hypot(*(places - place).T), out=nearest)
    return nearest


def settled_chain(robot: Robot) -> List[Point]:
    """
    Return the same without points that may still move away, in a world that has changed.

    A wall may be a door that has opened since. It counts only if it was observed again after
    the `settled_timeout`.
    """
    perception, needed = robot.perception, robot.settings.settled_timeout
    if not perception.has_changed:
        return []
    confirmed = perception.memory.confirmed
    return _search(robot, perception.memory.points[
        settled_points(perception, needed, robot.stamp)
        & (confirmed[:, LAST_MEASURED] - confirmed[:, FIRST_MEASURED] >= needed)])


def _search(robot: Robot, points: np.ndarray, from_goal: bool = False) -> List[Point]:
    """
    Return the chain through some of the obstacle points (n, 2) [m], as `find_chain`.

    The disc that searches it rolls on the robot's side, or on the goal's.
    """
    here, rho, goal, gaps = robot.odom_position, robot.contour_radius, robot.local_goal, robot.gaps
    ends = (goal, here) if from_goal else (here, goal)
    points, count = np.ascontiguousarray(points), len(points)
    # A door may have closed behind the robot.
    path = [robot.start or here, *([] if robot.perception.has_changed else robot.path)]
    cone, body = robot.perceived.cone_angle, robot.model.robot_radius
    # A smaller disc goes through the gaps that single rangers may measure too narrow: if it
    # does not reach the goal either, these gaps do not matter.
    for share in (FIRST_GAP_ERROR, LATER_GAP_ERROR) if cone > 0.0 else ():
        radius = (1.0 - 0.5 * share * cone) * rho
        space = FreeSpace(points, np.full(count, radius), count, body)
        chain = enclosing_chain(space, radius, *ends) or []
        if (is_proof(chain, here, goal, radius, robot.settings.xy_goal_tolerance)
                and crossed_at(chain, here, path, radius) is None):
            return chain
    while True:
        changes = gaps.changes
        space = FreeSpace(*gaps.apply(points), count, body)
        chain = enclosing_chain(space, rho, *ends) or []
        crossed = crossed_at(chain, here, path, rho)
        if crossed is None:
            break
        # Noise makes gaps narrower, and the robot has been beyond this one.
        gaps.mark_entered(crossed)
        if gaps.changes == changes:
            return []
    if is_certain(robot, chain):
        return chain
    for one, other in zip(chain, chain[1:] + chain[:1]):
        if distance(one, other) >= 2.0 * rho:
            gaps.reopen((0.5 * (one[0] + other[0]), 0.5 * (one[1] + other[1])))
    return []


def is_certain(robot: Robot, chain: List[Point], uncertainty: float = 0.0) -> bool:
    """Return whether a chain encloses the goal even with an uncertainty [m] of its place."""
    return is_proof(chain, robot.odom_position, robot.local_goal, robot.contour_radius,
                    robot.settings.xy_goal_tolerance + uncertainty)


def is_doubtful(robot: Robot, certificate: Sequence[Point], share: float) -> bool:
    """
    Return whether a certificate has a gap that single rangers may measure too narrow.

    Each end of a link may be off by half a ``share`` of the width of a cone, at the distance
    to which the robot has come.
    """
    cone = robot.perceived.cone_angle
    if cone == 0.0:
        return False
    inverse = robot.correction.inverse()
    chain = np.array([inverse.apply(place) for place in certificate])
    ends = 0.5 * share * cone * _distance_to_way(robot, chain)
    links = np.hypot(*(chain - np.roll(chain, 1, axis=0)).T) + ends + np.roll(ends, 1)
    return bool((links >= 2.0 * robot.contour_radius).any())
