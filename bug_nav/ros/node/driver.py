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

"""The control loop: ticks the navigator of the current goal, and ends the goal."""

from __future__ import annotations

import traceback
from typing import Any, Callable, List, Optional, Tuple

from bug_nav.navigation.geometry import distance, wrap
from bug_nav.navigation.settings import MAX_GOAL_DISTANCE
from bug_nav.navigation.types import Decision, Outcome, Result, TickInput
from bug_nav.ros.node.frames import FrameError, Frames, OldTransform
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.uptime_clock import UptimeClock
from bug_nav.ros.process import Stopwatch
from bug_nav.ros.velocity import Velocity
from rclpy.node import Node

MAX_TICK_TIME = 1.0
"""Maximum duration of a tick, during which the robot is not controlled [s]."""
MAX_OVERRUNS = 2
"""
Number of such ticks in a row that end the goal: a single one may be the machine's, which waits for
a disk or does not run.
"""
FAILURES = (Outcome.BLOCKED, Outcome.TIMEOUT, Outcome.SCAN_STALE, Outcome.ODOM_STALE,
            Outcome.ODOM_JUMPED, Outcome.ODOM_CONTRADICTORY, Outcome.UNDECIDED,
            Outcome.TIME_JUMPED, Outcome.TF_ERROR)
"""Outcomes for which a problem of the robot may be the cause."""


class Driver:
    """Drives to one goal at a time."""

    def __init__(self, node: Node, global_frame: str, sensors: Sensors, frames: Frames,
                 velocity: Velocity, uptime: UptimeClock,
                 show: Callable[[Goal, Decision, float], None],
                 ended: Callable[[Goal, Result, float], None]):
        """``show`` is called after each tick, and ``ended`` when a goal has its result."""
        self._node, self._global_frame = node, global_frame
        self._sensors, self._frames, self._velocity = sensors, frames, velocity
        self._uptime, self._show, self._ended = uptime, show, ended
        self.goal: Optional[Goal] = None
        self.cause: Callable[[], Optional[str]] = lambda: None
        """Returns the known problem that keeps the robot from driving, if any."""
        self.tick_time = 0.0
        """Duration of the last tick [s]."""
        self._began = 0.0
        self._frame_lost_at: Optional[float] = None
        self._overrun: Optional[Stopwatch] = None
        """Stopwatch of the last tick if it took too long."""
        self._overruns = 0
        """Number of ticks in a row that took too long."""

    @property
    def stamp(self) -> float:
        """Return the node's time [s]."""
        return self._node.get_clock().now().nanoseconds * 1e-9

    def begin(self, goal: Goal) -> None:
        """Start a goal; the next tick is its first."""
        self.goal = goal
        self._frame_lost_at, self._overrun, self._overruns = None, None, 0
        sensors, navigator = self._sensors, goal.navigator
        if navigator is not None:
            sensors.poll()
            sensors.take_contact()  # one that has ended is of no concern to this goal
            self._began = self._uptime()
            sensors.drop_stale(goal.settings.odom_timeout)
            # In order of arrival, or all scans would seem late.
            kept: List[Tuple[Callable[..., None], Tuple[Any, ...]]] = [
                *((navigator.queue.add_pose, pose) for pose in sensors.poses),
                *((navigator.queue.add_scan, scan) for scan in sensors.scans)]
            for add, arrival in sorted(kept, key=lambda each: each[1][-1]):
                add(*arrival)
            sensors.on_pose, sensors.on_scan = navigator.queue.add_pose, navigator.queue.add_scan
            sensors.on_tilt = navigator.queue.drop_waiting

    def end(self, outcome: Outcome, message: str) -> None:
        """Stop the robot, then end the current goal, if any."""
        self._finish(Result(outcome, message))

    def tick(self) -> None:
        """Take one step; an exception, such as a plug-in's, ends the goal but not the node."""
        if self.goal is None:
            return
        goal, watch = self.goal, Stopwatch()
        if self._has_overrun():
            message = (f'a tick of {goal.algorithm!r} took {self.tick_time:.1f} s; the maximum is '
                       f'{MAX_TICK_TIME:g} s')
            if self._overruns == MAX_OVERRUNS:
                return self.end(Outcome.INTERNAL, f'{message}, which the one before exceeded too')
            self._node.get_logger().warning(f'{message}: the robot was stopped meanwhile')
        try:
            self._tick(goal)
        except Exception as error:
            self._velocity.stop()
            self._node.get_logger().error(
                f'software error, the goal ends:\n{traceback.format_exc()}')
            self.end(Outcome.INTERNAL, f'{type(error).__name__}: {error}')
        self.tick_time = watch.time
        if self.tick_time > MAX_TICK_TIME and self.goal is goal and watch.own_time > MAX_TICK_TIME:
            self._velocity.stop()
            self._overrun = watch  # whether the process was suspended is known at the next tick

    def _has_overrun(self) -> bool:
        """Return whether the last tick took too long, and count those in a row."""
        overrun, self._overrun = self._overrun, None
        is_own = overrun is not None and not overrun.was_suspended
        self._overruns = self._overruns + 1 if is_own else 0
        return is_own

    def wait(self, reason: str) -> None:
        """Hold the robot without a tick; a cancelled goal ends."""
        goal = self.goal
        if goal is not None and not self._finish_if(_verdict(goal)):
            self._hold(goal, reason)

    # ---- a tick -------------------------------------------------------------------------------

    def _tick(self, goal: Goal) -> None:
        navigator = goal.navigator
        if self._finish_if(_verdict(goal)) or navigator is None:
            return
        self._sensors.poll()
        if self._finish_if(self._overdue(goal)):
            return
        if self._sensors.take_contact():
            return self.end(Outcome.BLOCKED, 'the bumper is pressed: move the robot away from '
                            'what it touches')
        try:
            tick_input = self._tick_input(goal)
        except FrameError as error:
            return self._without_frame(goal, error)
        self._frame_lost_at = None
        if tick_input is None or self._finish_if(self._invalid(goal, tick_input)):
            return
        decision = navigator.tick(tick_input)
        self._velocity.send(decision.twist)
        goal.ticks += 1
        goal.events.extend(decision.events)
        goal.robot_pose = navigator.estimated_pose(tick_input.correction)
        goal.start = goal.start or goal.robot_pose.position
        goal.accepted = goal.accepted or tick_input.stamp  # simulated time may have been zero
        goal.path.add(tick_input.stamp, goal.robot_pose)
        self._show(goal, decision, tick_input.stamp)
        if decision.result is not None:
            self._finish(self._explained(decision.result))

    def _overdue(self, goal: Goal) -> Optional[Result]:
        """Return TIMEOUT if the goal has taken too long, even if it was held from its start."""
        # Uptime: simulated time may begin after the goal, and the system clock can be set.
        if not 0.0 < goal.time_allowance < self._uptime() - self._began:
            return None
        return Result(Outcome.TIMEOUT, f'not reached within {goal.time_allowance:g} s')

    def _tick_input(self, goal: Goal) -> Optional[TickInput]:
        """Return the input of this tick; None while data are missing or at the end."""
        sensors = self._sensors
        if sensors.frame_error and (
                sensors.scan_arrivals.missing > goal.settings.scan_timeout
                or sensors.odom_arrivals.missing > goal.settings.odom_timeout):
            raise FrameError(sensors.frame_error)
        if self._is_without(goal, 'odom') or self._is_without(goal, 'scan'):
            return None
        if sensors.tilt.has_tipped:
            # At once, or it climbs on. If it stays tilted, its scans or odometry end the goal.
            self._hold(goal, 'waiting_until_level')
            return None
        correction = self._frames.pose(self._global_frame, sensors.odom_frame)
        assert goal.pose is not None
        if (goal.target is None and self._frames.is_fixed(sensors.base_frame, goal.frame)
                and not self._frames.is_fixed(self._global_frame, goal.frame)):
            # It would move along with the robot, which would never reach it.
            goal.keep_in(self._global_frame, self._frames.pose(self._global_frame, goal.frame))
        goal.target = self._frames.pose(self._global_frame, goal.frame).compose(goal.pose)
        return TickInput(self.stamp, goal.target.position, self._yaw(goal), correction,
                         self._uptime())

    def _yaw(self, goal: Goal) -> Optional[float]:
        """Return the requested yaw in the global frame [rad]."""
        if goal.yaw is None or goal.target is None or goal.pose is None:
            return None
        return wrap(goal.yaw + goal.target.theta - goal.pose.theta)

    def _invalid(self, goal: Goal, tick_input: TickInput) -> Optional[Result]:
        """Return BAD_GOAL for a goal too far away or an unsuitable lidar, else None."""
        _, pose, _ = self._sensors.poses[-1]
        away = distance(tick_input.correction.apply(pose.position), tick_input.goal)
        if away > MAX_GOAL_DISTANCE:
            return Result(Outcome.BAD_GOAL, f'the goal is {away / 1000.0:.6g} km away; allowed '
                          f'are {MAX_GOAL_DISTANCE / 1000.0:g} km')
        try:
            self._sensors.check(goal.model, goal.settings)
        except ValueError as error:
            return Result(Outcome.BAD_GOAL, str(error))
        return None

    def _is_without(self, goal: Goal, kind: str) -> bool:
        """
        Return whether 'odom' or 'scan' is missing; if it is, wait, or end the goal.

        The navigator checks the age of its data. This check covers messages that never reach it:
        the first ones after startup, unusable ones, and those of a silent ranger.
        """
        sensors, settings = self._sensors, goal.settings
        arrivals, timeout, outcome, what = (
            (sensors.odom_arrivals, settings.odom_timeout, Outcome.ODOM_STALE, 'odometry')
            if kind == 'odom' else
            (sensors.scan_arrivals, settings.scan_timeout, Outcome.SCAN_STALE, 'scan'))
        is_there = sensors.poses if kind == 'odom' else arrivals.count
        if is_there and arrivals.missing <= timeout:
            return False
        if min(arrivals.missing, self._uptime() - self._began) > settings.give_up_timeout:
            self.end(outcome, (f'no {what} for {arrivals.age:.1f} s' if arrivals.count else
                               f'no {what} has arrived') + self._hint(kind))
        else:
            self._hold(goal, f'waiting_for_{what}', kind == 'scan')
        return True

    def _without_frame(self, goal: Goal, error: FrameError) -> None:
        """End the goal if a frame never existed or is missing for too long; else wait."""
        now = self._uptime()
        never = (goal.ticks == 0 and self._frame_lost_at is None and self._frames.settled
                 and not isinstance(error, OldTransform))
        self._frame_lost_at = self._frame_lost_at or now
        if never or now - self._frame_lost_at > goal.settings.give_up_timeout:
            return self.end(Outcome.TF_ERROR, str(error))
        self._hold(goal, 'waiting_for_transform')

    def _hold(self, goal: Goal, reason: str, odometry_continues: bool = False) -> None:
        """Stop the robot, and hold the navigator as `Navigator.hold` does."""
        if goal.navigator is not None:
            self._velocity.stop()
            self._show(goal, goal.navigator.hold(reason, odometry_continues), self.stamp)

    # ---- the end ------------------------------------------------------------------------------

    def _finish_if(self, result: Optional[Result]) -> bool:
        """End the goal with ``result``, if any; return whether there is one."""
        if result is not None:
            self._finish(result)
        return result is not None

    def _finish(self, result: Result) -> None:
        self._velocity.stop()
        result = self._with_cause(result)
        goal, self.goal = self.goal, None
        self._sensors.on_pose = self._sensors.on_scan = self._sensors.on_tilt = None
        if goal is None:
            return
        if goal.handle.is_cancel_requested:  # takes precedence over any other outcome
            result = Result(Outcome.CANCELED, 'a client cancelled the goal')
        try:
            if goal.navigator is not None:
                goal.navigator.close()
        except Exception:  # of a plug-in
            self._node.get_logger().error(traceback.format_exc())
        self._ended(goal, result, self.stamp)

    def _with_cause(self, result: Result) -> Result:
        """Return a result, with the known cause if the robot could not drive."""
        cause = self.cause() if self.goal is not None and result.outcome in FAILURES else None
        if not cause or cause in result.message:
            return result
        return result._replace(message=f'{result.message}; {cause}')

    def _explained(self, result: Result) -> Result:
        """Return a result, with a hint about the cause if it reports missing data."""
        hints = {Outcome.SCAN_STALE: 'scan', Outcome.ODOM_STALE: 'odom'}
        kind = hints.get(result.outcome)
        return result._replace(message=result.message + self._hint(kind)) if kind else result

    def _hint(self, kind: str) -> str:
        """Return why data are unusable, or else the topic and its number of publishers."""
        sensors = self._sensors
        arrivals = sensors.odom_arrivals if kind == 'odom' else sensors.scan_arrivals
        if arrivals.reason:
            return f': {arrivals.reason}'
        topic = sensors.source(kind).topic
        publishers = self._node.count_publishers(topic)
        return f' on {topic} ({publishers} publisher{"" if publishers == 1 else "s"})'


def _verdict(goal: Goal) -> Optional[Result]:
    """Return the result of a cancelled or invalid goal, else None."""
    if goal.handle.is_cancel_requested:
        return Result(Outcome.CANCELED, '')
    return Result(Outcome.BAD_GOAL, goal.rejection) if goal.navigator is None else None
