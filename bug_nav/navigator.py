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
The navigator: ticks one algorithm for one goal.

An `Observation` goes in and a `Decision` comes out. Before each step it tests the data, the
clock, the goal, the time and the progress; after it, the safety gate clips the command.
"""

from __future__ import annotations

import math
from typing import List, Optional, Tuple

from bug_nav.algorithms.base import Algorithm, Run
from bug_nav.geometry import Pose, PoseHistory, wrap
from bug_nav.interface import (
    Concluded,
    Decision,
    Event,
    Observation,
    Outcome,
    Result,
    Scan,
    Status,
    STOP,
    Twist,
)
from bug_nav.robot import Robot, RobotModel, Settings
from bug_nav.sweeps import undistorted

SIGHT = 0.02
"""No scan point may be nearer than this [m] to the straight line to a goal that is reached."""
GATE_MARGIN = 0.02
"""What the safety gate keeps between the body and a remembered point [m]."""
JUMP = 0.10
"""Odometry that moves so much further in a tick than the robot can has jumped [m]."""
JUMP_ANGLE = 0.5
"""The same for its heading [rad]."""


class Navigator:
    """Drives a robot to one goal with one algorithm."""

    def __init__(self, algorithm: Algorithm, model: RobotModel = RobotModel(),
                 settings: Settings = Settings(), time_allowance: float = 0.0):
        """``time_allowance`` [s]: the goal ends as a timeout after it; 0 for none."""
        self.robot = Robot(model, settings)
        self.algorithm = algorithm
        self.time_allowance = time_allowance
        self._run: Optional[Run] = None
        self._history = PoseHistory()
        self._pending: List[Scan] = []
        self._seen = False
        self._held = True
        self._told = 0
        self._began: Optional[float] = None
        self._last: Optional[Observation] = None
        self._twist = STOP
        self._progress: Optional[Tuple[float, float]] = None

    @property
    def observation(self) -> Optional[Observation]:
        """Return the newest observation, None before the first."""
        return self._last

    def add_pose(self, stamp: float, pose: Pose) -> None:
        """Add odometry that came between two ticks, so that scans are placed more precisely."""
        self._history.append(stamp, pose)

    def tick(self, observation: Observation) -> Decision:
        """Decide what to do now; to be called at the control rate until there is a result."""
        last, self._last = self._last, observation
        if self._began is None:
            self._began = observation.stamp
        result = self._jump(last, observation)
        if result is None:
            self._perceive(observation)
            result, waiting = self._data(observation)
            if result is None and waiting:
                result = self._time_is_up(observation)
                if result is None:
                    return self.hold(waiting)
        if result is None:
            self.robot.observe(observation, self._held)
            self._held = False
            result = self._watch(observation)
        if result is not None:
            return self._end(result)
        return self._step(observation, last)

    def hold(self, reason: str) -> Decision:
        """Stand still without stepping the algorithm, so that no crossing is faked."""
        self._held = True
        self._progress = None
        self._twist = STOP
        return Decision(STOP, Status.RUNNING, (*self.robot.states, reason), self._news())

    def close(self) -> None:
        """End the run, as a cancel does."""
        if self._run is not None:
            self._run.close()

    # ---- before the step ----------------------------------------------------------------------

    def _jump(self, last: Optional[Observation], now: Observation) -> Optional[Result]:
        if last is None:
            return None
        if now.stamp < last.stamp or now.pose_stamp < last.pose_stamp:
            return Result(Outcome.TIME_JUMPED, f'the clock jumped back from {last.stamp:.3f} s to '
                          f'{now.stamp:.3f} s')
        elapsed = now.pose_stamp - last.pose_stamp
        model = self.robot.model
        before, after = last.pose, now.pose
        step = math.hypot(after.x - before.x, after.y - before.y)
        turn = abs(wrap(after.theta - before.theta))
        if (step > JUMP + 2.0 * model.max_vel_x * elapsed
                or turn > JUMP_ANGLE + 2.0 * model.max_vel_theta * elapsed):
            return Result(Outcome.ODOM_JUMPED, f'odometry jumped by {step:.2f} m and '
                          f'{turn:.2f} rad in {elapsed:.2f} s')
        return None

    def _perceive(self, observation: Observation) -> None:
        self._history.append(observation.pose_stamp, observation.pose)
        if observation.scan is not None:
            self._pending = [observation.scan]
        self._pending.extend(observation.echoes)
        if not self._pending:
            return
        later: List[Scan] = []
        for scan in self._pending:
            whole = scan.stamp + scan.time_increment * (len(scan.ranges) - 1)
            pose = self._history.at(whole)
            if pose is None:
                later.append(scan)
            else:
                self.robot.perception.add(undistorted(scan, self._history, pose, whole), pose)
                self._seen = True
        self._pending = later

    def _data(self, observation: Observation) -> Tuple[Optional[Result], str]:
        """Return a result where data have been missing for too long, or what is waited for."""
        settings = self.robot.settings
        if observation.pose_age > settings.give_up_timeout:
            return Result(Outcome.ODOM_STALE, f'no odometry for {observation.pose_age:.1f} s'), ''
        if observation.scan_age > settings.give_up_timeout:
            return Result(Outcome.SCAN_STALE, f'no scan for {observation.scan_age:.1f} s'), ''
        if observation.pose_age > settings.odom_timeout:
            return None, 'waiting_for_odometry'
        if not self._seen or observation.scan_age > settings.scan_timeout:
            return None, 'waiting_for_scan'
        return None, ''

    def _watch(self, observation: Observation) -> Optional[Result]:
        """Test the goal, the time and the progress."""
        robot, settings = self.robot, self.robot.settings
        if self._at_goal() and self._aligned(observation):
            return Result(Outcome.REACHED, f'{robot.goal_distance:.3f} m from the goal')
        late = self._time_is_up(observation)
        if late:
            return late
        moved = robot.path_length + robot.model.robot_radius * robot.turned
        if self._progress is None:
            self._progress = (observation.stamp, moved)
        since, moved_then = self._progress
        if moved - moved_then >= settings.required_movement_radius:
            self._progress = (observation.stamp, moved)
        elif observation.stamp - since > settings.movement_time_allowance:
            return Result(Outcome.BLOCKED, f'moved only {moved - moved_then:.2f} m in '
                          f'{settings.movement_time_allowance:g} s')
        return None

    def _time_is_up(self, observation: Observation) -> Optional[Result]:
        """Test the time since the first tick, held or not."""
        if 0.0 < self.time_allowance < observation.stamp - (self._began or 0.0):
            return Result(Outcome.TIMEOUT, f'not there after {self.time_allowance:g} s')
        return None

    def _at_goal(self) -> bool:
        """Within the tolerance, and nothing between the robot and the goal."""
        robot = self.robot
        if robot.goal_distance > robot.settings.xy_goal_tolerance:
            return False
        _, blocker = robot.perception.free_distance(
            robot.goal_heading, SIGHT, robot.goal_distance)
        return blocker is None

    def _aligned(self, observation: Observation) -> bool:
        if observation.goal_yaw is None:
            return True
        error = wrap(observation.goal_yaw - self.robot.global_pose.theta)
        return abs(error) <= self.robot.settings.yaw_goal_tolerance

    # ---- the step -----------------------------------------------------------------------------

    def _step(self, observation: Observation, last: Optional[Observation]) -> Decision:
        robot = self.robot
        if self._run is None:
            self._run = self.algorithm.run(robot)
        # At the goal it is not aligned, or the goal would have ended.
        if observation.goal_yaw is not None and self._at_goal():
            heading = observation.goal_yaw - robot.correction.theta
            wanted = Twist(0.0, robot.drive(heading).w)
            state: Tuple[str, ...] = ('turning_to_goal_yaw',)
        else:
            try:
                wanted = next(self._run)
            except StopIteration as verdict:
                return self._end(verdict.value)
            except Concluded as verdict:
                return self._end(verdict.result)
            state = tuple(robot.states)
        elapsed = observation.stamp - last.stamp if last is not None else 0.0
        self._twist = self._gate(wanted, elapsed)
        return Decision(self._twist, Status.RUNNING, state, self._news())

    def _gate(self, wanted: Twist, elapsed: float) -> Twist:
        """
        Clip a command to the robot's limits, and to what can brake before the body touches.

        Whatever is asked for, by whichever algorithm or plug-in, passes through here.
        """
        model, robot = self.robot.model, self.robot
        if not math.isfinite(wanted.v + wanted.w + wanted.u):
            raise ValueError(f'{type(self.algorithm).__name__} asked for the velocity {wanted}')
        limit, change = model.max_vel_theta, model.acc_lim_theta * elapsed
        w = min(max(wanted.w, -limit), limit)
        w = min(max(w, self._twist.w - change), self._twist.w + change)
        wheel = model.max_wheel_vel - 0.5 * model.wheel_separation * abs(w)
        u = wanted.u if model.base == 'omni' else 0.0
        speed, way = math.hypot(wanted.v, u), math.atan2(u, wanted.v)
        cos, sin = math.cos(way), math.sin(way)
        gained = self._twist.v * cos + self._twist.u * sin + model.acc_lim_x * elapsed
        speed = max(min(speed, model.max_vel_x, max(wheel, 0.0), gained), 0.0)
        if speed > 0.0:
            # One tick goes by before the next command can brake: v dt + v^2 / 2a <= room.
            a, dt = model.acc_lim_x, max(elapsed, 0.05)
            room, _ = robot.perception.free_distance(
                robot.pose.theta + way, model.robot_radius + GATE_MARGIN,
                speed * dt + speed * speed / (2.0 * a))
            speed = min(speed, a * (math.sqrt(dt * dt + 2.0 * room / a) - dt))
        return Twist(speed * cos, w, speed * sin if u else 0.0)

    def _end(self, result: Result) -> Decision:
        state = tuple(self.robot.states)
        self.close()
        status = Status.SUCCESS if result.outcome is Outcome.REACHED else Status.FAILURE
        return Decision(STOP, status, state, self._news(), result)

    def _news(self) -> Tuple[Event, ...]:
        if self._told == len(self.robot.events):
            return ()
        events = tuple(self.robot.events[self._told:])
        self._told += len(events)
        return events
