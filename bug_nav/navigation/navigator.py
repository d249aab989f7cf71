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
The navigator: runs one algorithm for one goal.

Scans and odometry are added to its queue when they arrive; each tick takes a `TickInput` and
returns a `Decision`. Before each step of the algorithm it checks the data, the clock, the goal,
the time limit and the progress; afterwards, the collision monitor clips the command.
"""

from __future__ import annotations

import math
from typing import Dict, Optional, Tuple

from bug_nav.navigation.algorithms.base import Algorithm, IntentGenerator, Metadata
from bug_nav.navigation.algorithms.misuse import (
    invalid_end,
    invalid_exit,
    invalid_intent,
    invalid_result,
    invalid_run,
    misuse_of,
)
from bug_nav.navigation.control.collision_monitor import CollisionMonitor
from bug_nav.navigation.control.motion import (
    NO_DATA,
    OBSTRUCTED,
    ODOM_JUMPED,
    TIME_JUMPED,
    TIMEOUT,
    update_motion,
)
from bug_nav.navigation.geometry import IDENTITY, Pose, wrap
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.perception.recent_readings import NOWHERE
from bug_nav.navigation.perception.sensor_queue import SensorQueue, UnusableScan
from bug_nav.navigation.proof.policy import ProofPolicy
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import clearance, RobotModel, Settings
from bug_nav.navigation.types import (
    Concluded,
    Decision,
    Event,
    Intent,
    InvalidAlgorithm,
    Outcome,
    Result,
    STOP,
    TickInput,
    TurnTo,
    Twist,
    WorldChanged,
)
import numpy as np

TOUCH_DISTANCE, TOUCH_WAIT = 0.05, 20.0
"""
Distance from the body to a new obstacle that has stopped, below which the robot stands [m], and
maximum time for which it does so [s].
"""
LOOK_TOLERANCE = 0.05
"""Heading error at the end of a turn in which single rangers look around [rad]."""
MAX_YIELD_TIME = 120.0
"""Maximum waiting time for dynamic obstacles without progress [s]."""
MAX_SKEW_ERROR = 0.3
"""
Maximum position error because of clock skew, which limits the speed [share of the clearance].
"""


class Navigator:
    """Drives a robot to one goal with one algorithm."""

    def __init__(self, algorithm: Algorithm, model: RobotModel = RobotModel(),
                 settings: Settings = Settings(), time_allowance: float = 0.0,
                 dialects: Optional[Dialects] = None):
        """
        Start at the first tick.

        ``time_allowance`` [s]: the goal ends with a timeout after it; 0 for none. ``dialects`` of
        the lidars of an earlier goal are used and completed.
        """
        self.dialects = Dialects() if dialects is None else dialects
        self.robot = Robot(model, settings, self.dialects)
        self.algorithm = algorithm
        # A plug-in may lack it.
        metadata: Optional[Metadata] = getattr(algorithm, 'metadata', None)
        self.robot.ledger.ordered = metadata is not None and metadata.ordered
        self.robot.ledger.steps = tuple(
            getattr(step, 'name', step) for step in getattr(algorithm, 'steps', None) or ())
        self.has_m_line = metadata is not None and metadata.m_line
        """Whether the algorithm has an M-line, which is then displayed."""
        self.queue = SensorQueue()
        """
        Odometry and scans that have arrived: `SensorQueue.add_pose` and `add_scan`.

        Odometry may arrive between ticks too, for precise places.
        """
        self.localization = self.robot.perception.localization
        self.robot.limits['time_allowance'] = time_allowance
        self._monitor = CollisionMonitor(self.robot.model, self.robot.state_record,
                                         self.robot.limits)
        self._run: Optional[IntentGenerator] = None
        self._held = True
        self._reported = 0
        self.tick_input: Optional[TickInput] = None
        """The newest input, None before the first."""
        self._now = self._began = math.nan
        self._elapsed = 0.0
        self._frames: object = None
        self._goal_yaw: Optional[float] = None
        self._proof = ProofPolicy(self.robot, self.queue)
        self._last_scans: Dict[Pose, float] = {}
        self._scan_periods: Dict[Pose, float] = {}
        """Stamp of the newest scan, and time since the one before, by the sensor's mount [s]."""
        self._slowness = 0.0
        self._clearance = clearance(model, settings)
        self._touching, self._touched_since = NOWHERE, math.inf
        self._look_heading = math.nan
        self._slip = ''
        """That the robot is held while its wheels turn; empty if it is not."""

    def tick(self, tick_input: TickInput) -> Decision:
        """Return the decision of a tick; call it at the control rate until there is a result."""
        self._process_sensors(tick_input)
        result, waiting = self._check_data()
        is_fresh = result is None and not waiting
        if is_fresh:
            self._set_frames(tick_input)
        robot, held, is_held_back = self.robot, self._held, self._proof.verdict is not None
        stamp, pose = self.queue.newest or (math.nan, IDENTITY)
        found, place = update_motion(
            robot.state_record, robot.limits, self._now, self._elapsed, stamp, *pose,
            self.localization.uses_scan_matching, is_fresh, held,
            MAX_YIELD_TIME + (robot.settings.settled_timeout if is_held_back else 0.0))
        if found == TIME_JUMPED or found == ODOM_JUMPED:
            result = self._failure(found)
        elif result is None:
            if is_fresh:
                robot.set_place(tick_input.stamp, held, place)
                self._held = False
                if robot.goal_distance <= robot.settings.xy_goal_tolerance:
                    result = self._reached()
            if result is None and found:
                result = self._failure(found)
            if result is None and waiting:
                return self.hold(waiting, odometry_continues=True)
        self.tick_input = tick_input
        if result is not None:
            return self._end(result)
        return self._apply(self._proof.check()) if is_held_back else self._step(tick_input)

    def process_only(self, tick_input: TickInput) -> None:
        """Process new data without a decision, to build a map without a goal."""
        self._process_sensors(tick_input)
        self.tick_input = tick_input
        if self.queue.newest is not None:
            self._set_frames(tick_input)
            drift, robot = self.localization.drift, self.robot
            robot.set_pose(tick_input.stamp, drift.compose(self.queue.newest[1]), robot.goal, True,
                           robot.correction, drift)

    def hold(self, reason: str, odometry_continues: bool = False) -> Decision:
        """
        Stop the robot without a step of the algorithm, so that it detects no false crossing.

        ``odometry_continues``: odometry continues meanwhile, so that no crossing is lost.
        """
        self._held = self._held or not odometry_continues
        return self._stand('is_standing', (*self.robot.ledger.states, reason),
                           reason.replace('_', ' '))

    def estimated_pose(self, correction: Pose) -> Pose:
        """
        Return the current pose by odometry, in the global frame of the navigator.

        ``correction`` is that of a `TickInput`. The origin before the first odometry.
        """
        _, pose = self.queue.newest or (math.nan, IDENTITY)
        return self.localization.estimated_pose(pose, correction)

    @property
    def command_period(self) -> float:
        """Return the longest recent time between two commands while the robot drives [s]."""
        return float(self.robot.state_record['period'][0])

    def close(self) -> None:
        """
        End the run, as a cancellation does.

        :raises InvalidAlgorithm: if the algorithm yields or ends the program while it is closed.
        """
        try:
            if self._run is not None:
                self._run.close()
        except SystemExit as end:
            raise InvalidAlgorithm(invalid_exit(self.algorithm, end)) from None
        except RuntimeError as error:
            if 'ignored GeneratorExit' not in str(error):
                raise
            raise InvalidAlgorithm(invalid_end(self.algorithm, self._run)) from None

    # ---- before the step ----------------------------------------------------------------------

    def _process_sensors(self, tick_input: TickInput) -> None:
        """Update the time, and process the scans that can be placed now."""
        before, now = self._now, tick_input.steady
        if math.isnan(now):
            now = tick_input.stamp
        if math.isnan(before):
            before = self._began = now
        self._now, self._elapsed = now, now - before
        queue, robot = self.queue, self.robot
        for placed in queue.ready(now):
            try:
                perceived = robot.perception.process(placed)
            except UnusableScan as reason:
                queue.reject(placed.scan, str(reason))
                continue
            queue.accept(placed, now)
            self._slip = robot.perception.slip_problem()
            if self.localization.skew != queue.compensated:
                queue.compensate(self.localization.skew)
            skew = 0.0 if self.localization.knows_skew else abs(queue.remaining_skew)
            self._slowness = skew / (MAX_SKEW_ERROR * self._clearance)
            mount = placed.scan.mount
            self._scan_periods[mount] = min(
                placed.stamp - self._last_scans.get(mount, -math.inf), robot.settings.scan_timeout)
            self._last_scans[mount] = placed.stamp
            touching = perceived.new_points
            if len(touching):
                away = np.hypot(*(touching - perceived.newest_scan.pose.position).T)
                touching = touching[away < robot.model.robot_radius + TOUCH_DISTANCE]
            self._touched_since = min(self._touched_since, now) if len(touching) else math.inf
            self._touching = touching

    def _set_frames(self, tick_input: TickInput) -> None:
        """Update the goal and the frames."""
        drift = self.localization.drift
        frames = tick_input.goal, tick_input.goal_yaw, tick_input.correction, drift
        if frames == self._frames:
            return
        self._frames = frames
        goal, self._goal_yaw, correction = self.localization.in_map_frame(*frames[:3])
        self.robot.set_frames(drift, correction, goal)

    def _check_data(self) -> Tuple[Optional[Result], str]:
        """Return a result if data have been missing for too long, or the reason to wait."""
        settings, queue, now = self.robot.settings, self.queue, self._now
        waited, pose_age, scan_age = now - self._began, now - queue.pose_at, now - queue.placed_at
        # Each goal waits from its own start: data that were missing before may return.
        if min(pose_age, waited) > settings.give_up_timeout:
            return Result(Outcome.ODOM_STALE,
                          f'no odometry for {min(pose_age, waited):.1f} s'), ''
        # Without odometry no scan can be placed: odometry is the cause then.
        if min(scan_age, waited) > settings.give_up_timeout and pose_age <= settings.odom_timeout:
            return Result(Outcome.SCAN_STALE, self._missing_scans(min(scan_age, waited))), ''
        if self._slip:
            return Result(Outcome.BLOCKED, self._slip), ''
        if pose_age > settings.odom_timeout:
            self._held = True  # the motion meanwhile is unknown
            return None, 'waiting_for_odometry'
        if not queue.placed or max(scan_age, queue.lag) > settings.scan_timeout:
            return None, ('clocks_out_of_step' if queue.is_skewed else 'waiting_for_scan')
        return None, ''

    def _missing_scans(self, age: float) -> str:
        """Return why there is no scan."""
        queue, of_sensor = self.queue, ''
        for x, y, yaw in queue.silent(self._now - self.robot.settings.scan_timeout)[:1]:
            of_sensor = f' of the sensor at ({x:.2f}, {y:.2f}, {yaw:.2f})'
        if not queue.dropped:
            return f'no scan{of_sensor} for {age:.1f} s'
        (reason, count), = queue.dropped.most_common(1)
        return (f'no scan{of_sensor} that could be used for {age:.1f} s: '
                + (queue.problem or f'{count} dropped ({reason})'))

    def _failure(self, found: int) -> Result:
        """Return the result of a failure that `update_motion` has detected."""
        robot, state = self.robot, self.robot.state_record
        if found == TIME_JUMPED:
            return Result(Outcome.TIME_JUMPED,
                          f'the clock jumped back by {-self._elapsed:.3f} s')
        if found == ODOM_JUMPED:
            step, turn, lasted = state['jump'][0].tolist()
            return Result(Outcome.ODOM_JUMPED, f'odometry jumped by {step:.2f} m and '
                          f'{turn:.2f} rad in {lasted:.2f} s')
        if found == TIMEOUT:
            return Result(Outcome.TIMEOUT, 'not reached within '
                          f'{robot.limits["time_allowance"][0]:g} s{self._doubt}')
        if found == NO_DATA:
            return Result(Outcome.SCAN_STALE, self._missing_scans(float(state['stood'][0])))
        if found == OBSTRUCTED:
            what = ('no observable way was found' if self._monitor.is_looking
                    else 'a moving obstacle was in the way')
            return Result(Outcome.BLOCKED, f'{what} for {state["waited"][0]:.0f} s')
        moved = state['moved'][0] - state['progress_moved'][0]
        return Result(Outcome.BLOCKED, f'moved only {moved:.2f} m in '
                      f'{robot.settings.movement_time_allowance:g} s{self._doubt}')

    @property
    def _doubt(self) -> str:
        """Return that the robot may be held, to add to a reason; empty if nothing shows it."""
        doubt = self.robot.perception.slip_doubt
        return f'; {doubt}' if doubt else ''

    def _reached(self) -> Optional[Result]:
        """Return the result of a goal that is reached, including its yaw if one is given."""
        robot, yaw = self.robot, self._goal_yaw
        if (self._at_goal() and (yaw is None or abs(wrap(yaw - robot.global_pose.theta))
                                 <= robot.settings.yaw_goal_tolerance)):
            slip = robot.perception.slip_problem(is_last=True)
            if slip:
                return Result(Outcome.BLOCKED, slip)
            doubt = robot.perception.slip_doubt
            if doubt:
                return Result(Outcome.REACHED_UNCERTAIN,
                              f'{robot.goal_distance:.3f} m from the goal by the estimate, but '
                              f'{doubt}')
            return Result(Outcome.REACHED, f'{robot.goal_distance:.3f} m from the goal')
        return None

    def _at_goal(self) -> bool:
        """Return whether the goal is within the tolerance and in line of sight."""
        robot = self.robot
        return (robot.goal_distance <= robot.settings.xy_goal_tolerance
                and not getattr(self.algorithm, 'passes_goal', False)  # as metadata
                and robot.sees_goal())

    # ---- the step -----------------------------------------------------------------------------

    def _step(self, tick_input: TickInput) -> Decision:
        """Return the decision of the algorithm; a common mistake in its code ends the goal."""
        try:
            return self._advance(tick_input)
        except InvalidAlgorithm as mistake:
            explanation = str(mistake)
        except SystemExit as end:
            explanation = invalid_exit(self.algorithm, end)
        except (AttributeError, TypeError) as error:
            explanation = misuse_of(self.algorithm, error)
            if not explanation:
                raise
        return self._end(Result(Outcome.INTERNAL, explanation))

    def _advance(self, tick_input: TickInput) -> Decision:
        robot = self.robot
        run = self._begin() if self._run is None else self._run
        turn = self._turn()
        if turn is not None:
            heading, name, reason = turn
            intent: Intent = TurnTo(heading)
            state: Tuple[str, ...] = (name,)
            step = robot.ledger.step, reason
        else:
            try:
                intent = next(run)
            except StopIteration as end:
                return self._conclude(end.value)
            except Concluded as verdict:
                return self._conclude(verdict.result)
            except WorldChanged as change:
                return self._apply(self._proof.prove(self._now)
                                   or self._proof.restart(str(change)))
            state, step = tuple(robot.ledger.states), robot.ledger.reported_step
        try:
            twist = self._clip(intent, tick_input.stamp)
        except InvalidAlgorithm:
            raise InvalidAlgorithm(invalid_intent(self.algorithm, self._run, intent)) from None
        if twist is None:
            proof = self._proof.prove(self._now)
            return (self._yield(state, 'a moving obstacle is in the way') if proof is None
                    else self._end(proof))
        events = self._new_events() if len(robot.ledger.events) > self._reported else ()
        return Decision(twist, state, events, None, *step)

    def _begin(self) -> IntentGenerator:
        """Start the algorithm, with single rangers after a turn in which they look around."""
        robot = self.robot
        run = self.algorithm.run(robot)
        explanation = invalid_run(self.algorithm, run)
        if explanation:
            raise InvalidAlgorithm(explanation)
        self._run = run
        perceived = robot.perceived
        if perceived.observed is not None and perceived.cone_angle > 0.0:
            self._look_heading = robot.pose.theta + perceived.observed.max_gap
        return run

    def _turn(self) -> Optional[Tuple[float, str, str]]:
        """Return the heading [rad], state and reason of a turn that no algorithm requests."""
        # If it were aligned with the goal yaw, the goal would have ended.
        if self._goal_yaw is not None and self._at_goal():
            return (self._goal_yaw - self.robot.correction.theta, 'turning_to_goal_yaw',
                    'the goal is reached, but not its yaw')
        heading = self._look_heading
        if not math.isnan(heading):
            if abs(wrap(heading - self.robot.pose.theta)) > LOOK_TOLERANCE:
                return heading, 'looking_around', 'obstacles may be between the rangers'
            self._look_heading = math.nan
        return None

    def _clip(self, intent: Intent, stamp: float) -> Optional[Twist]:
        """
        Return the safe part of an intent, or None if the robot must wait for a dynamic obstacle.

        ``stamp`` [s] is the time of the tick.
        """
        monitor, queue, perceived = self._monitor, self.queue, self.robot.perceived
        dynamic = perceived.dynamic_obstacles
        assert queue.newest is not None  # the data are fresh
        delay, since_arrival = stamp - queue.newest[0], max(self._now - queue.pose_at, 0.0)
        # On two different clocks, only the time since the arrival is known.
        age = max(delay, since_arrival) if 0.0 <= delay <= 1.0 else since_arrival
        twist = monitor.clip(intent, self._elapsed, perceived, age, self._slowness)
        if twist is None:
            raise InvalidAlgorithm('the velocity of an intent is not finite')
        if (0.0 < self._now - self._touched_since < TOUCH_WAIT
                and monitor.approaches(self._touching)
                or dynamic and monitor.must_yield(
                    dynamic, max((queue.lag, *self._scan_periods.values())))):
            return None
        return twist

    def _yield(self, state: Tuple[str, ...], reason: str) -> Decision:
        """Wait for dynamic obstacles to pass."""
        return self._stand('is_waiting', (*state, 'waiting_for_passage'), reason)

    def _stand(self, flag: str, state: Tuple[str, ...], reason: str) -> Decision:
        """Stop the robot for a reason, the ``flag`` of its state record."""
        self._monitor.stop()
        self.robot.state_record[flag] = True
        return Decision(STOP, state, self._new_events(), None, self.robot.ledger.step, reason)

    def _conclude(self, result: Result) -> Decision:
        """Process a result of the algorithm, whose evidence is only its lap."""
        explanation = invalid_result(self.algorithm, result)
        if explanation:
            raise InvalidAlgorithm(explanation)
        return self._apply(self._proof.conclude(
            Result(result.outcome, result.message, float(result.lap_length))))

    def _apply(self, result: Optional[Result]) -> Decision:
        """End with a result; without one, wait, or restart the algorithm at the current pose."""
        if result is not None:
            return self._end(result)
        state = tuple(self.robot.ledger.states)
        if self._proof.verdict is None:
            self.close()
            self._run = None
            self.robot.restart()
        return self._yield(state, self.robot.ledger.reason)

    def _end(self, result: Result) -> Decision:
        state = tuple(self.robot.ledger.states)
        try:
            self.close()
        except InvalidAlgorithm as mistake:
            result = Result(Outcome.INTERNAL, str(mistake))
        assert self.tick_input is not None
        result = self._proof.complete(result, self.tick_input.goal_is_measured)
        lap = f' (a lap of {result.lap_length:.2f} m)' if result.lap_length else ''
        return Decision(STOP, state, self._new_events(), result, self.robot.ledger.step,
                        result.message + lap)

    def _new_events(self) -> Tuple[Event, ...]:
        events = tuple(self.robot.ledger.events[self._reported:])
        self._reported += len(events)
        return events
