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

"""Recorder of an episode of the embedded simulator, with the topics of the nodes."""

from __future__ import annotations

from typing import List, Optional, Tuple

from bug_nav.messages import markers
from bug_nav.messages.display_frame import DisplayFrame
from bug_nav.messages.driven_path import DrivenPath
from bug_nav.messages.markers import Body
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Decision, Event, Scan, TickInput
from bug_nav.recording import messages, topics
from bug_nav.recording.mcap_file import McapFile
from bug_nav.recording.messages import nanoseconds
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import RangerRing
from bug_nav.simulation.simulator import Simulator

MAP, ODOM, BASE, LIDAR = 'map', 'odom', 'base_footprint', 'base_scan'
"""Frames; 'map' exists only with a localizer."""
DISPLAY_PERIOD = 0.5
"""Period of path and markers, which are also recorded at hit and leave points [s]."""
GROWTH = 0.02
"""Minimum share of new poses before the whole path is recorded again, to bound the file."""


class EpisodeRecording:
    """
    Writes every tick of an episode; pass it as ``watch`` to `run_episode`.

    The order is that of the nodes: odometry, transforms, scan, then the decision.
    """

    def __init__(self, file: McapFile, algorithm: str, odometry: OdometryModel = OdometryModel()):
        """Record to a file; ``algorithm`` is the name in the states."""
        self._file, self._algorithm = file, algorithm
        self._frame = MAP if odometry.localizer_period > 0.0 else ODOM
        self._drifts = odometry.odometry != 'perfect'
        self._path, self._placing = DrivenPath(), DisplayFrame()
        self._events: List[Event] = []
        self._start: Optional[Pose] = None
        self._state = ''
        self._shown: Tuple = ()
        self._recorded: Tuple[Scan, ...] = ()
        self._shown_at = 0.0
        self._drawn = 0

    def __call__(self, simulator: Simulator, navigator: Navigator, decision: Decision) -> None:
        """Record a tick."""
        tick_input = navigator.tick_input
        assert tick_input is not None  # there is a decision
        now = nanoseconds(tick_input.stamp)
        if self._start is None:
            self._begin(simulator, navigator, tick_input, now)
        self._sense(simulator, tick_input, now)
        self._file.write(topics.CMD_VEL, now, messages.twist(decision.twist))
        self._show(simulator, navigator, decision, tick_input, now)

    def _begin(self, simulator: Simulator, navigator: Navigator, tick_input: TickInput,
               now: int) -> None:
        self._start = navigator.estimated_pose(tick_input.correction)
        lidar = simulator.lidar
        sensors = ([(ranger.name, ranger.mount) for ranger in lidar.rangers]
                   if isinstance(lidar, RangerRing) else [(LIDAR, lidar.mount)])
        self._file.write(topics.TF_STATIC, now, messages.transforms(
            0.0, *((BASE, frame, mount) for frame, mount in sensors)))

    def _sense(self, simulator: Simulator, tick_input: TickInput, now: int) -> None:
        """Record odometry, transforms and sensor data."""
        stamp, pose, lidar = tick_input.stamp, simulator.odometry, simulator.lidar
        self._file.write(topics.ODOM, now, messages.odometry(
            ODOM, BASE, stamp, pose, simulator.twist))
        links = [(ODOM, BASE, pose)]
        if self._frame == MAP:
            links.append((MAP, ODOM, tick_input.correction))
        self._file.write(topics.TF, now, messages.transforms(stamp, *links))
        if self._drifts:
            self._file.write(topics.GROUND_TRUTH, now, messages.pose_stamped(
                self._frame, stamp, simulator.pose))
        scans = simulator.scans if simulator.scans is not self._recorded else ()
        self._recorded = simulator.scans
        if isinstance(lidar, RangerRing):
            for ranger, reading in zip(lidar.rangers, scans):
                self._file.write(topics.ranger(ranger.name), now,
                                 messages.ranged(ranger.name, reading, lidar))
        else:
            for scan in scans:
                self._file.write(topics.SCAN, now, messages.laser_scan(LIDAR, scan, lidar.period))

    def _show(self, simulator: Simulator, navigator: Navigator, decision: Decision,
              tick_input: TickInput, now: int) -> None:
        """Record state, markers and path if they are due."""
        state = _state_text(self._algorithm, simulator, decision)
        over = decision.result is not None or simulator.contacts > 0
        self._events.extend(decision.events)
        self._path.add(tick_input.stamp, navigator.estimated_pose(tick_input.correction))
        if state != self._state:
            self._state = state
            self._file.write(topics.STATE, now, messages.text(state))
        due = not self._shown or tick_input.stamp - self._shown_at >= DISPLAY_PERIOD
        if due or decision.events or over:
            self._shown_at = tick_input.stamp
            robot = navigator.robot
            assert self._start is not None
            self._placing.follow(navigator.localization.shift.inverse(),
                                 (self._start.position, robot.position, robot.goal))
            self._mark(navigator, tick_input.goal_yaw or 0.0, state, now,
                       decision.result.certificate if decision.result else ())
            self._draw_path(tick_input.stamp, now, 0.0 if over else GROWTH)

    def _mark(self, navigator: Navigator, goal_yaw: float, state: str, now: int,
              certificate: Tuple[Point, ...]) -> None:
        """Record the markers if they have changed."""
        robot = navigator.robot
        new = (len(self._events), robot.goal, state, self._placing.pose)
        if new == self._shown:
            return
        self._shown = new
        assert self._start is not None
        self._file.write(topics.MARKERS, now, messages.marker_array(markers.build(
            self._frame, Body(BASE, robot.model.robot_radius, robot.contour_radius),
            self._start.position, Pose(*robot.goal, goal_yaw),
            robot.settings.xy_goal_tolerance, self._events, state, certificate,
            self._placing.pose, navigator.has_m_line)))

    def _draw_path(self, stamp: float, now: int, growth: float) -> None:
        count = len(self._path.poses)
        if abs(count - self._drawn) > growth * count:
            self._drawn = count
            self._file.write(topics.PATH, now, messages.path(
                self._frame, stamp, self._path.placed(self._placing.pose)))


def _state_text(algorithm: str, simulator: Simulator, decision: Decision) -> str:
    if simulator.contacts:
        return 'collision'
    if decision.result is not None:
        return decision.result.outcome.value
    return markers.state_name(algorithm, decision.state)
