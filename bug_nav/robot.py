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
The robot as behaviours and algorithms see it.

Headings are in the odometry's frame, which is continuous; positions that are kept (M-line, hit
and leave points, traces) are in the global frame, which a localiser may correct in jumps.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ContextManager, NamedTuple, Optional, Tuple

from bug_nav.core.geometry import bearing, distance, IDENTITY, Point, Pose, Segment, wrap
from bug_nav.core.interface import Event, Observation, Twist
from bug_nav.core.settings import contour_radius, RobotModel, Settings
from bug_nav.core.turn_directions import Encounter, POLICIES
from bug_nav.mission import Mission
from bug_nav.space.gaps import GapMemory
from bug_nav.space.perception import Perception
from bug_nav.space.view import EMPTY, View
import numpy as np

FELT = 1.5
"""With contact sensing so much around the centre of rotation is felt, in radii R."""
TOUCH_SPEED = 0.12
"""The robot is no faster then [m/s]."""
SIGHT = 0.02
"""No obstacle point is nearer than this [m] to the straight line to a goal that is seen."""
ELBOW_ROOM = 0.02
"""An obstacle is in the way of a start that is boxed in up to rho and this [m]."""
GAP_STEP = 0.03
"""How often it is looked whether the robot is in a narrow gap [m]."""
TURN_ON_THE_SPOT = math.radians(20.0)
"""A larger error of the heading is turned away on the spot."""
TURN_AROUND_CORNER = math.radians(60.0)
"""The same for an error towards the wall's side: there the boundary bends away from the robot."""
HEADING_GAIN = 5.0
"""Turning rate per error of the heading [1/s]."""


class Hit(NamedTuple):
    """Where an obstacle was hit."""

    distance: float
    """Distance from the goal of the place of first contact [m]."""
    centre: Point
    """That place: on the contour and on the way to the goal (odometry's frame)."""
    contact: Point
    """The obstacle point that stopped the robot (odometry's frame)."""


class Robot:
    """What a behaviour may know and ask at a tick; `Navigator` keeps it up to date."""

    def __init__(self, model: RobotModel, settings: Settings):
        """Make the robot for one goal."""
        self.model = model
        self.settings = settings
        self.contour_radius = contour_radius(model, settings)
        self.gaps = GapMemory(self.contour_radius)
        if settings.sensing == 'contact':
            self.model = dataclasses.replace(model, max_vel_x=min(model.max_vel_x, TOUCH_SPEED))
        touch = settings.sensing == 'contact'
        self.perception = Perception(settings.memory, self._reach(), self.gaps.share,
                                     FELT * model.robot_radius if touch else math.inf)
        self.stamp = 0.0
        self.pose = IDENTITY
        self.correction = IDENTITY
        self.position: Point = (0.0, 0.0)
        self.previous: Optional[Point] = None
        self.goal: Point = (0.0, 0.0)
        self.goal_distance = math.inf
        self.local_goal: Point = (0.0, 0.0)
        """The goal in the odometry's frame."""
        self.goal_heading = 0.0
        self.start: Optional[Point] = None
        """Where it was at first (odometry's frame)."""
        self.path_length = 0.0
        self.turned = 0.0
        self.turning = 0.0
        """By how much it has turned since the odometry that is known, as it was told to [rad]."""
        self.mission = Mission()
        self._radius = self.contour_radius
        self._looked = (math.inf, 0.0)
        self._view = EMPTY

    def observe(self, observation: Observation, held: bool) -> None:
        """
        Take in an observation.

        ``held``: the last tick was a hold, so that this step must not be taken for a crossing.
        """
        self.mission.begin_tick()
        last, pose = self.pose, observation.pose
        here, before = pose.position, self.position
        self.stamp, self.pose = observation.stamp, pose
        self.start = self.start or here
        if observation.correction != self.correction or observation.goal != self.goal:
            self.correction, self.goal = observation.correction, observation.goal
            self.local_goal = self.correction.inverse().apply(self.goal)
            before = self.correction.apply(last.position)
        # Both ends of a step are placed with the same correction: its jump is never a crossing.
        self.previous = None if held else before
        self.position = self.correction.apply(here)
        if not held:
            self.path_length += distance(last.position, here)
            self.turned += abs(wrap(pose.theta - last.theta))
        self.goal_distance = distance(self.position, self.goal)
        self.goal_heading = bearing(here, self.local_goal)
        self.perception.look_from(here)
        rho = self.contour_radius - (self.gaps.ease if self.gaps.eases(here) else 0.0)
        self._radius = min(rho, max(self.perception.nearest, self.model.robot_radius))
        if distance(self._looked, here) > GAP_STEP:
            self._looked = here
            self._note_passage()

    def _note_passage(self) -> None:
        """Remember the gap where the robot is passing a narrow one."""
        within = self.contour_radius + self.gaps.narrow
        if self.perception.nearest > within:
            return
        jambs = self.perception.nearest_on_either_side(self.pose.theta, within)
        if (jambs and self.gaps.is_narrow(*jambs)
                and Segment(*jambs).distance(self.pose.position) < self.gaps.plug_radius):
            self.gaps.passing(self.pose.position)

    def _reach(self) -> float:
        """Return how far points matter [m]: for rolling through gaps, for looking and braking."""
        model = self.model
        return (3.0 * self.contour_radius + max(self.settings.clear_distance,
                                                self.settings.xy_goal_tolerance)
                + 0.5 * model.max_vel_x + 0.5 * model.max_vel_x ** 2 / model.acc_lim_x)

    @property
    def global_pose(self) -> Pose:
        """Return the robot's pose in the global frame."""
        return self.correction.compose(self.pose)

    def side_at(self, hit: Hit) -> int:
        """Choose where to keep the boundary at the newest hit: +1 right hand, -1 left hand."""
        scan, sensor = self.view.scan, self.view.origin
        return POLICIES[self.settings.turn_direction](Encounter(
            self.mission.hits, self.settings.turn_seed,
            wrap(bearing(hit.centre, hit.contact) - self.goal_heading), scan,
            self.goal_heading - sensor.theta))

    def state(self, name: str) -> ContextManager[None]:
        """Be in a state; states nest, and their stack is what feedback and plots show."""
        return self.mission.state(name)

    def set_fence(self, points: np.ndarray) -> None:
        """
        Make virtual obstacle points, (n, 2) [m] in the global frame, instead of those before.

        Gaps are judged anew: the last ones may have been between an obstacle and the fence.
        """
        inverse = self.correction.inverse()
        self.perception.set_fence(np.array([inverse.apply(point) for point in points]))
        self.gaps = GapMemory(self.contour_radius)

    # ---- what is free -------------------------------------------------------------------------

    def _free_distance(self, reach: float, radius: float, origin: Point
                       ) -> Tuple[float, Optional[Point]]:
        """Return how far a disc at ``origin`` can go towards the goal, and what stops it."""
        heading = bearing(origin, self.local_goal)
        free = self.perception.free_distance(
            heading, radius, reach, None if origin == self.pose.position else origin)
        plug_radius = self.gaps.plug_radius
        for plug in self.gaps.plugs:
            apart = distance(origin, plug)
            if apart < reach + plug_radius:
                off = wrap(bearing(origin, plug) - heading)
                across, along = apart * math.sin(off), apart * math.cos(off)
                if abs(across) < plug_radius and along > 0.0:
                    to_plug = max(along - math.sqrt(plug_radius ** 2 - across ** 2), 0.0)
                    free = min(free, (to_plug, plug))
        return free

    def free_distance_to_goal(self) -> float:
        """Return how far the disc can go towards the goal [m], up to the clear distance."""
        return self._free_distance(
            self.settings.clear_distance, self._radius, self.pose.position)[0]

    def way_is_free(self) -> bool:
        """Tell whether the way to the goal is free: for clear_distance, or up to the goal."""
        needed = self.goal_distance - self.settings.xy_goal_tolerance
        clear = self.settings.clear_distance
        # A goal that is near and out of sight is not reached: what is in the way has to end first.
        if needed >= clear or not self.sees_goal():
            needed = clear
        return self.free_distance_to_goal() >= needed

    def sees_goal(self) -> bool:
        """Tell whether nothing near by lies between the robot and the goal."""
        _, blocker = self.perception.free_distance(self.goal_heading, SIGHT, self.goal_distance)
        return blocker is None

    @property
    def view(self) -> View:
        """Return what the sensor sees now, as far as it reaches; made when it is asked for."""
        newest = self.perception.newest
        if newest is not None and newest[0] is not self._view.scan:
            self._view = View(*newest)
        return self._view

    def obstacles(self, far: bool = False) -> Tuple[np.ndarray, np.ndarray]:
        """
        Return the obstacle points, (n, 2), and how far the centre keeps from each, (n,) [m].

        They are those near by that are remembered, with the gaps as they have been judged; and,
        if ``far``, what the newest scan has seen beyond.
        """
        points = self.perception.points
        if far:
            points = np.concatenate((points, self.view.beyond(self.perception.reach)))
        return self.gaps.apply(points)

    def free_distance_ahead(self, reach: float) -> float:
        """
        Return how far the disc can go towards the goal [m], as far as the sensor sees.

        What is near by decides as for every other move; what is farther away, on the safe side.
        """
        near, _ = self._free_distance(reach, self._radius, self.pose.position)
        return min(near, self.view.free_distance(
            self.pose.position, self.goal_heading, self._radius, reach, self.perception.reach))

    def blocking_hit(self) -> Optional[Hit]:
        """Return the hit, where the way to the goal is blocked; the robot is still before it."""
        free, blocker = self._free_distance(
            self.settings.hit_distance, self._radius, self.pose.position)
        to_go = self.goal_distance - self.settings.xy_goal_tolerance
        if blocker is None or 0.0 < to_go <= free:
            return None
        centre = (self.pose.x + free * math.cos(self.goal_heading),
                  self.pose.y + free * math.sin(self.goal_heading))
        return Hit(distance(self.correction.apply(centre), self.goal), centre, blocker)

    def is_boxed_in(self) -> bool:
        """Tell whether the robot, where it began, has no free heading."""
        return self.path_length < self.contour_radius and self.perception.encloses(
            self.contour_radius, self.contour_radius + ELBOW_ROOM)

    # ---- what to do ---------------------------------------------------------------------------

    def drive(self, heading: float, speed: Optional[float] = None, side: int = 0) -> Twist:
        """
        Return the command that drives along a heading (odometry's frame).

        ``side`` tells where a wall is: +1 on the right hand, -1 on the left, 0 for none.
        """
        error = wrap(heading - self.pose.theta - self.turning)
        limit = TURN_AROUND_CORNER if side * error < 0.0 else TURN_ON_THE_SPOT
        if speed is None:
            speed = self.model.max_vel_x
        if self.model.base == 'omni':
            return Twist(speed * math.cos(error), HEADING_GAIN * error, speed * math.sin(error))
        return Twist(speed * max(1.0 - abs(error) / limit, 0.0), HEADING_GAIN * error)

    # ---- what has happened --------------------------------------------------------------------

    def record_hit(self, hit: Hit) -> None:
        """Record the hit point H_j."""
        self.mission.hits += 1
        self._record('hit', hit.distance)
        self.mission.pass_milestone(self.correction.apply(hit.centre), self.goal)

    def record_leave(self) -> None:
        """Record the leave point L_j."""
        self._record('leave', self.goal_distance)

    def _record(self, kind: str, goal_distance: float) -> None:
        self.mission.record(Event(kind, self.mission.hits, self.global_pose, self.stamp,
                                  goal_distance, self.path_length))
