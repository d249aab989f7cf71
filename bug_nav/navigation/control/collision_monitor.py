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
The collision monitor: the final check of every command.

`control.drive` rejects commands from which the robot cannot stop. This module handles the rest: it
stops the robot before a moving obstacle could reach it, early enough to brake; and without a view
all around it lets the robot look around before it drives into an unobserved area.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Sequence

from bug_nav.navigation.control.drive import drive, intent_fields
from bug_nav.navigation.control.forward_simulation import latency, simulate_poses
from bug_nav.navigation.control.state import MARGIN
from bug_nav.navigation.geometry import distance, IDENTITY, Pose, wrap
from bug_nav.navigation.perception.observed_area import ObservedArea
from bug_nav.navigation.perception.perception import Perceived
from bug_nav.navigation.perception.tracker import DynamicObstacle
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Intent, STOP, Twist
import numpy as np

PERSON_ACCELERATION = 1.5
"""Acceleration with which people start, stop and turn [m/s^2]."""
VELOCITY_LAG = 0.1
"""Velocity estimates of moving obstacles lag the scan by this time [s]."""
LOOK_SPEED = 1.0
"""Maximum turning rate while the robot looks around [rad/s]."""
LOOK_SPACING = 0.3
"""
Distance after which the robot looks around again in an area that remained unobserved [body radii].
"""
NEXT_LOOK, LOOK_AFRESH = 0.05, 0.01
"""
Distances after which a lidar whose way leads into its blind sector looks around again: while the
robot drives, and when it stands [body radii].
"""
MIN_SPEED = 1e-3
"""Speed above which the robot drives [m/s]."""
MAX_TURN = 0.5 * math.pi
"""Maximum turn of a robot that drives away from an obstacle [rad]."""
UNOBSERVED_SPEED = 0.25
"""Maximum speed in an area that remained unobserved [share of the robot's maximum]."""
AT_REST = np.zeros(2)
"""The velocity of an obstacle that stands."""
NO_WAY = np.empty((0, 3))
"""The way of a robot that does not look around."""


class LookAround(NamedTuple):
    """State of a robot that looks around."""

    way: np.ndarray = NO_WAY
    """Poses of the way that is not observed (n, 3)."""
    pose: Pose = IDENTITY
    """Last pose while looking around at this place."""
    remaining: float = math.inf
    """Remaining angle to turn [rad]; infinite before the first time."""
    side: float = 1.0
    """Turns to the left (1) or to the right (-1)."""


class CollisionMonitor:
    """Clips commands to those from which the robot can stop."""

    def __init__(self, model: RobotModel, state: np.ndarray, limits: np.ndarray):
        """Start with a stationary robot; ``state`` and ``limits``: `control.state`."""
        self._model, self._state, self._limits = model, state, limits
        self._radius = float(limits['guarded_radius'][0])
        self.command = STOP
        """The newest command."""
        self._look_around = LookAround()

    @property
    def is_looking(self) -> bool:
        """Return whether the robot looks around instead of driving into an unobserved area."""
        return bool(self._state['is_looking'][0])

    @property
    def wanted(self) -> Twist:
        """Return the velocity that the newest intent requests."""
        return Twist(*self._state['wanted'][0].tolist())

    def stop(self) -> None:
        """Stop the robot, which is always safe."""
        self._look_around = self._look_around._replace(way=NO_WAY)
        self.command = STOP
        self._state['command'], self._state['is_looking'] = STOP, False

    def clip(self, intent: Intent, elapsed: float, perceived: Perceived, age: float = 0.0,
             slowness: float = 0.0) -> Optional[Twist]:
        """
        Return the safe part of an intent; None if its velocity is not finite.

        The arguments are as for `bug_nav.navigation.control.drive.drive`.
        """
        before, situation = self.command, (elapsed, perceived, age, slowness)
        if not self._drive(intent, *situation):
            return None
        if perceived.observed is not None:
            limited, wanted = self._clip_to_observed(perceived.observed, before), self.wanted
            if limited != self.command:  # an arc that was not checked
                self._state['command'] = before
                self._drive(limited, *situation)
                self._state['wanted'] = wanted
        return self.command

    def _drive(self, intent: Intent, elapsed: float, perceived: Perceived, age: float,
               slowness: float) -> bool:
        """Update the command to the safe part of an intent, if its velocity is finite."""
        is_finite, v, w, u = drive(
            self._state, self._limits, perceived.all_points, *perceived.view,
            *intent_fields(intent), elapsed, age, perceived.sensing_range,
            len(perceived.new_points) > 0, slowness)
        if is_finite:
            self.command = Twist(v, w, u)
        return bool(is_finite)

    def _clip_to_observed(self, area: ObservedArea, before: Twist) -> Twist:
        """
        Return what remains of the command where a sensor without a view all around did not look.

        The robot turns on the spot until the way was observed, or as much of it as can be seen
        from here. The remaining unobserved part is close to an obstacle: the robot drives there
        slowly. ``before`` is the previous command.
        """
        wanted, model = self.command, self._model
        pose = Pose(*self._state['extrapolated'][0, :3].tolist())
        body = model.robot_radius, area.margin, pose.position
        way, previous, remaining, side = self._look_around
        self._state['is_looking'] = False
        if len(way):
            remaining -= abs(wrap(pose.theta - previous.theta))
        else:
            if not (wanted.v or wanted.u):
                return wanted
            way = simulate_poses(self._state, self._limits, *before, *wanted)
            if area.covers(way, *body):
                return wanted
            # A lidar sees past a corner from a little farther on; the cones of rangers miss some.
            is_closed = area.margin > 0.0 and not area.covers(way, body[0], 0.0, pose.position)
            spacing = LOOK_SPACING
            if is_closed:  # a robot that stands would stop for ever a little after a look
                spacing = NEXT_LOOK if before.v or before.u else LOOK_AFRESH
            if (math.isinf(remaining) or distance(previous.position, pose.position)
                    > spacing * model.robot_radius):
                remaining, side = area.max_gap, -side
            elif is_closed and remaining <= 0.0:
                return STOP
        if remaining > 0.0 and not area.covers(way, *body):
            self._look_around = LookAround(way, pose, remaining, side)
            self._state['is_looking'] = True
            turn = Twist(0.0, side * min(LOOK_SPEED, model.max_vel_theta), 0.0)
            # A robot that turns while it brakes leaves the way that it has looked at.
            is_observed = area.covers(
                simulate_poses(self._state, self._limits, *before, *turn), *body)
            return turn if is_observed else STOP
        self._look_around = LookAround(pose=pose, remaining=remaining, side=side)
        speed = math.hypot(wanted.v, wanted.u)
        scale = min(UNOBSERVED_SPEED * model.max_vel_x / speed, 1.0) if speed else 1.0
        return Twist(scale * wanted.v, wanted.w, scale * wanted.u)

    def must_yield(self, obstacles: Sequence[DynamicObstacle], scan_age: float) -> bool:
        """
        Return whether the robot must stop for a moving obstacle.

        It must if the obstacle could reach it while it brakes, or blocks it where it may want to
        go next. It may drive away from an obstacle that is not faster than itself, and has no
        reason to stop if it stands or turns on the spot. ``scan_age`` [s] is the age of the scan
        of these obstacles. Call it after `clip`.
        """
        wanted, command, heading = self.wanted, self.command, self._heading
        if math.isnan(heading):
            return False
        if (wanted.v or wanted.u) and not (command.v or command.u) and self._is_near(obstacles):
            return True
        ahead, stopping = _unit(heading), self._stopping_distance()
        time = scan_age + self._braking_time
        for obstacle in obstacles:
            offsets, velocity = obstacle.points - self._place, np.array(obstacle.velocity)
            distances = np.hypot(*offsets.T)
            approach_speeds = (-(offsets @ velocity) / distances if obstacle.is_tracked
                               else obstacle.speed) + PERSON_ACCELERATION * VELOCITY_LAG
            approaches = (np.maximum(offsets @ ahead, 0.0) * (stopping / distances)
                          + np.maximum(approach_speeds, 0.0) * time)
            is_in_reach = distances < (
                self._radius + approaches + 0.5 * PERSON_ACCELERATION * time * time)
            near = obstacle.points[is_in_reach]
            can_leave = obstacle.is_tracked and obstacle.speed <= self._model.max_vel_x
            if len(near) and (not can_leave or self.approaches(near, velocity, scan_age)):
                return True
        return False

    def approaches(self, points: np.ndarray, velocity: np.ndarray = AT_REST, scan_age: float = 0.0
                   ) -> bool:
        """
        Return whether the robot may come nearer to one of some points (n, 2) [m].

        It does not if it stands, turns on the spot, or drives away from all of them: from where
        they are, and from where their ``velocity`` [m/s] takes them from a scan of this age [s]
        until the robot could stand, in its direction now and in that which it has turned to then.
        """
        heading = self._heading
        if math.isnan(heading):
            return False
        time = scan_age + self._braking_time
        turn = min(max(self.command.w * time, -MAX_TURN), MAX_TURN)
        now, then = _unit(heading), _unit(heading + turn)
        offsets = points - self._place
        later = offsets + time * velocity
        return any((ahead >= 0.0).any() for ahead in (offsets @ now, later @ now, later @ then))

    @property
    def _place(self) -> np.ndarray:
        """Position of the robot (2,) [m]."""
        place: np.ndarray = self._state['extrapolated'][0, :2]
        return place

    @property
    def _heading(self) -> float:
        """Heading in which the robot drives, or wants to [rad]; NaN if it does neither."""
        for v, _, u in (self.command, self.wanted, self._state['motion'][0].tolist()[:3]):
            if math.hypot(v, u) > MIN_SPEED:
                return float(self._state['extrapolated'][0, 2]) + math.atan2(u, v)
        return math.nan

    @property
    def _braking_time(self) -> float:
        """Time to stop from the maximum speed, or the robot would start and stop often [s]."""
        return latency(self._state[0]) + self._model.max_vel_x / self._model.acc_lim_x

    def _stopping_distance(self) -> float:
        """Return the distance in which the robot stops from its maximum speed [m]."""
        speed = self._model.max_vel_x
        return latency(self._state[0]) * speed + speed * speed / (2.0 * self._model.acc_lim_x)

    def _is_near(self, obstacles: Sequence[DynamicObstacle]) -> bool:
        """Return whether a moving obstacle is where the robot may want to go next."""
        reach = self._radius + 2.0 * MARGIN + self._stopping_distance()
        return any(np.hypot(*(obstacle.points - self._state['pose'][0, :2]).T).min() < reach
                   for obstacle in obstacles)


def _unit(heading: float) -> np.ndarray:
    """Return the unit vector (2,) of a heading [rad]."""
    return np.array((math.cos(heading), math.sin(heading)))
