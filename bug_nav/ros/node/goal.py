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

"""A goal: its validated request, and its navigator."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, List, Optional, Tuple

from bug_nav.messages.display_frame import DisplayFrame
from bug_nav.messages.sensor_messages import frame_name, planar, seconds
from bug_nav.navigation.algorithms.base import check_sensing, check_turn
from bug_nav.navigation.geometry import IDENTITY, Point, Pose, wrap
from bug_nav.navigation.names import shortened
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Event
from bug_nav.ros.conversions import requested_yaw
from bug_nav.ros.node.parameters import Parameters
from bug_nav.ros.node.path import PublishedPath
from bug_nav.ros.node.settings import GoalDefaults
from bug_nav_msgs.action import NavigateBug


class BadGoal(ValueError):
    """A goal is invalid; the message is one sentence."""


class Goal:
    """An accepted goal and its progress."""

    def __init__(self, handle: Any, parameters: Parameters, stamp: float, dialects: Dialects):
        """
        Start with an accepted goal handle at the time ``stamp`` [s].

        ``dialects`` are those of the lidars, which outlast the goal.
        An invalid goal has no navigator; ``rejection`` is the reason.
        """
        self.handle = handle
        self.accepted = stamp
        defaults = parameters.read(GoalDefaults)
        self.algorithm = shortened(handle.request.algorithm) or defaults.algorithm
        self.pause_timeout = defaults.pause_timeout
        self.time_allowance = seconds(handle.request.time_allowance)
        """Maximum time from accepting the goal to its end [s]; 0: no limit."""
        self.model = parameters.read(RobotModel)
        self.settings = parameters.read(Settings)
        self.frame = frame_name(handle.request.pose.header.frame_id) or (
            parameters.node.global_frame)
        self.pose: Optional[Pose] = None
        """The goal in its frame."""
        self.yaw: Optional[float] = None
        """The requested yaw in that frame [rad]."""
        self.target: Optional[Pose] = None
        """The goal in the current global frame, at the last transform."""
        self.start: Optional[Point] = None
        """Position of the robot at the first tick, in the navigator's global frame."""
        self.robot_pose: Optional[Pose] = None
        """The navigator's estimate of the robot's pose, in its global frame."""
        self.ticks = 0
        self.events: List[Event] = []
        self.path, self._placing = PublishedPath(), DisplayFrame()
        self.navigator: Optional[Navigator] = None
        self.rejection = ''
        try:
            self._prepare(handle.request, parameters, dialects)
        except ValueError as error:
            self.rejection = str(error)

    def _prepare(self, request: NavigateBug.Goal, parameters: Parameters, dialects: Dialects
                 ) -> None:
        self.pose = planar(request.pose.pose)
        self.yaw = requested_yaw(request.pose.pose, request.align_yaw)
        allowance = self.time_allowance
        if allowance < 0.0:
            raise BadGoal(f'time_allowance is {allowance:g} s; give a positive one, or 0 for none')
        self.settings = overridden(self.settings, request)
        algorithm = parameters.algorithm(self.algorithm)
        check_sensing(type(algorithm), self.settings)
        check_turn(type(algorithm), request.turn_direction)
        self.navigator = Navigator(algorithm, self.model, self.settings, allowance, dialects)

    def keep_in(self, frame: str, place: Pose) -> None:
        """Keep the goal in another frame, in which its present one is at ``place``."""
        assert self.pose is not None
        self.frame, self.pose = frame, place.compose(self.pose)
        if self.yaw is not None:
            self.yaw = wrap(self.yaw + place.theta)

    @property
    def path_length(self) -> float:
        """Return the length of the driven path [m]."""
        return self.navigator.robot.path_length if self.navigator else 0.0

    @property
    def has_m_line(self) -> bool:
        """Return whether the algorithm has an M-line."""
        return self.navigator is not None and self.navigator.has_m_line

    @property
    def place(self) -> Optional[Pose]:
        """Return the goal in the navigator's global frame, None if unknown."""
        if self.target is None or self.navigator is None or self.navigator.tick_input is None:
            return self.target
        return Pose(*self.navigator.robot.goal, self.target.theta)

    @property
    def ends(self) -> Optional[Tuple[Point, Point]]:
        """Return robot and goal in the navigator's global frame, None if unknown."""
        if self.robot_pose is None or self.place is None:
            return None
        return self.robot_pose.position, self.place.position

    def placed(self) -> Pose:
        """Return the pose of the navigator's global frame in the current one, for display."""
        if self.navigator is None or self.ends is None:
            return IDENTITY
        return self._placing.follow(
            self.navigator.localization.shift.inverse(), (self.start or self.ends[0], *self.ends))

    @property
    def contour_radius(self) -> float:
        """Return the contour radius rho [m]."""
        return contour_radius(self.model, self.settings)


def overridden(settings: Settings, request: NavigateBug.Goal) -> Settings:
    """Return the settings with those of the request; ValueError if one is invalid."""
    requested: Dict[str, Any] = {name: value for name, value in (
        ('turn_direction', shortened(request.turn_direction)),
        ('xy_goal_tolerance', request.xy_goal_tolerance),
        ('yaw_goal_tolerance', request.yaw_goal_tolerance)) if value}
    for name, value in requested.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise BadGoal(f'{name} is {value}; give a finite number, or 0 for the parameter')
    return dataclasses.replace(settings, **requested)
