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

Scans and odometry go into its queue as they come; at each tick an `Observation` goes in and a
`Decision` comes out. Before each step it tests the data, the
clock, the goal, the time and the progress; after it, the collision monitor clips the command.
"""

from __future__ import annotations

import math
from typing import Optional, Tuple

from bug_nav.navigation.algorithms.base import Algorithm, Facts, Run
from bug_nav.navigation.control.collision_monitor import CollisionMonitor
from bug_nav.navigation.control.intents import Intent, TurnTo
from bug_nav.navigation.control.observe import (
    IN_THE_WAY,
    observe,
    ODOM_JUMPED,
    TIME_JUMPED,
    TIMEOUT,
    WITHOUT_DATA,
)
from bug_nav.navigation.geometry import IDENTITY, Pose, wrap
from bug_nav.navigation.perception.localisation import Localisation
from bug_nav.navigation.perception.scan_matcher import ScanMatcher
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.navigation.proof_policy import Confirmation, Next
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import (
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
    WorldChanged,
)
import numpy as np

SURELY = 2.0
"""What is known of places holds for so many standard deviations of where they are."""
BESIDE = 0.35
"""Somebody who stands no farther away than this [m] is passed slowly."""
AT_ELBOW, ELBOWED = 0.05, 20.0
"""While somebody stands so near to the body [m] the robot does not set out, for so long [s]."""
PATIENCE = 120.0
"""What passes is waited for so long without any progress [s]."""
MISPLACED = 0.3
"""Where stamps are apart, the robot is so slow that places err by so much of its clearance."""


class Navigator:
    """Drives a robot to one goal with one algorithm."""

    def __init__(self, algorithm: Algorithm, model: RobotModel = RobotModel(),
                 settings: Settings = Settings(), time_allowance: float = 0.0):
        """``time_allowance`` [s]: the goal ends as a timeout after it; 0 for none."""
        self.robot = Robot(model, settings)
        self.algorithm = algorithm
        facts: Optional[Facts] = getattr(algorithm, 'facts', None)  # a plug-in may have forgotten
        self.robot.mission.ordered = facts is not None and facts.ordered
        self.has_m_line = facts is not None and facts.m_line
        """Whether the algorithm knows an M-line, which is shown then."""
        self.queue = SensorQueue()
        """Odometry and scans that have come in."""
        matches = settings.drift_correction == 'scan_matching' and settings.sensing == 'range'
        self.localisation = Localisation(ScanMatcher(model.robot_radius) if matches else None)
        """What is told where, and how odometry's drift is corrected."""
        self.robot.limits['time_allowance'] = time_allowance
        self._monitor = CollisionMonitor(self.robot.model, self.robot.state_record,
                                         self.robot.limits)
        self._run: Optional[Run] = None
        self._held = True
        self._told = 0
        self.observation: Optional[Observation] = None
        """The newest observation, None before the first."""
        self._now = self._began = math.nan
        self._elapsed = 0.0
        self._frames: object = None
        self._goal_yaw: Optional[float] = None
        self._confirmation = Confirmation(self.robot)
        self._seen = -math.inf
        self._between = 0.0
        self._beside_somebody = False
        self._elbowed = math.inf

    def add_pose(self, stamp: float, pose: Pose, at: Optional[float] = None) -> None:
        """
        Add odometry as it comes, also between two ticks: scans are placed more precisely then.

        ``at`` [s] is when it came, on the steady clock of the observations.
        """
        self.queue.add_pose(stamp, pose, stamp if at is None else at)

    def add_scan(self, scan: Scan, at: Optional[float] = None) -> None:
        """Add a scan, or the reading of a single ranger (one beam); ``at`` as for `add_pose`."""
        self.queue.add_scan(scan, scan.stamp if at is None else at)

    def tick(self, observation: Observation) -> Decision:
        """Decide what to do now; to be called at the control rate until there is a result."""
        self._take_in(observation)
        result, waiting = self._data()
        is_fresh = result is None and not waiting
        if is_fresh:
            self._set_frames(observation)
        robot, held, is_due = self.robot, self._held, self._confirmation.verdict is not None
        stamp, pose = self.queue.newest or (math.nan, IDENTITY)
        found, place = observe(
            robot.state_record, robot.limits, self._now, self._elapsed, stamp, *pose,
            self.localisation.matching is not None, is_fresh, held,
            PATIENCE + (robot.settings.settled_timeout if is_due else 0.0))
        if found == TIME_JUMPED or found == ODOM_JUMPED:
            result = self._given_up(found)
        elif result is None:
            if is_fresh:
                robot.arrive(observation.stamp, held, place)
                self._held = False
                if robot.goal_distance <= robot.settings.xy_goal_tolerance:
                    result = self._reached()
            if result is None and found:
                result = self._given_up(found)
            if result is None and waiting:
                return self._stand(waiting)
        self.observation = observation
        if result is not None:
            return self._end(result)
        return self._go_on(self._confirmation.look()) if is_due else self._step(observation)

    def listen(self, observation: Observation) -> None:
        """Take in new data and decide nothing: to make a map without a goal."""
        self._take_in(observation)
        self.observation = observation
        if self.queue.newest is not None:
            drift = self.localisation.drift
            goal, _, correction = self.localisation.in_map_frame(
                observation.goal, None, observation.correction)
            self.robot.put(observation.stamp, drift.compose(self.queue.newest[1]), goal, True,
                           correction, drift)

    def hold(self, reason: str, is_followed: bool = False) -> Decision:
        """
        Stand still without stepping the algorithm, so that no crossing is faked.

        ``is_followed``: odometry tells where the robot goes meanwhile, so that none is lost.
        """
        self._held = self._held or not is_followed
        return self._stand(reason)

    def believed(self, correction: Pose) -> Pose:
        """
        Return where odometry has the robot by now, in the global frame of the core.

        ``correction`` is that of an observation. The origin before the first odometry.
        """
        _, pose = self.queue.newest or (math.nan, IDENTITY)
        return self.localisation.believed(pose, correction)

    def close(self) -> None:
        """End the run, as a cancel does."""
        if self._run is not None:
            self._run.close()

    # ---- before the step ----------------------------------------------------------------------

    def _take_in(self, observation: Observation) -> None:
        """Take note of the time, and take in the scans that can be placed by now."""
        before, now = self._now, observation.steady
        if math.isnan(now):
            now = observation.stamp
        if math.isnan(before):
            before = self._began = now
        self._now, self._elapsed = now, now - before
        queue, perception = self.queue, self.robot.perception
        for placed in queue.ready(now):
            trouble = perception.take(placed, self.localisation)
            if trouble:
                queue.reject(trouble)
                continue
            queue.accept(placed, now)
            self._between = min(placed.stamp - self._seen, self.robot.settings.scan_timeout)
            self._seen = placed.stamp
            radius = self.robot.model.robot_radius
            self._beside_somebody = perception.is_beside_somebody(radius + BESIDE)
            elbowed = self._beside_somebody and perception.is_beside_somebody(radius + AT_ELBOW)
            self._elbowed = min(self._elbowed, now) if elbowed else math.inf

    def _set_frames(self, observation: Observation) -> None:
        """Take in where the goal and the frames are now."""
        drift = self.localisation.drift
        frames = observation.goal, observation.goal_yaw, observation.correction, drift
        if frames == self._frames:
            return
        self._frames = frames
        goal, self._goal_yaw, correction = self.localisation.in_map_frame(*frames[:3])
        self.robot.set_frames(drift, correction, goal)

    def _data(self) -> Tuple[Optional[Result], str]:
        """Return a result where data have been missing for too long, or what is waited for."""
        settings, queue, now = self.robot.settings, self.queue, self._now
        waited, pose_age, scan_age = now - self._began, now - queue.pose_at, now - queue.placed_at
        # Each goal waits in its own time: what was silent before may come again at any moment.
        if min(pose_age, waited) > settings.give_up_timeout:
            return Result(Outcome.ODOM_STALE,
                          f'no odometry for {min(pose_age, waited):.1f} s'), ''
        # Without odometry no scan can be placed: then it is odometry that is missing.
        if min(scan_age, waited) > settings.give_up_timeout and pose_age <= settings.odom_timeout:
            return Result(Outcome.SCAN_STALE, self._without_scans(min(scan_age, waited))), ''
        if pose_age > settings.odom_timeout:
            self._held = True  # where the robot goes meanwhile is not known
            return None, 'waiting_for_odometry'
        if not queue.placed or max(scan_age, queue.lag) > settings.scan_timeout:
            return None, ('clocks_out_of_step' if queue.out_of_step else 'waiting_for_scan')
        return None, ''

    def _without_scans(self, age: float) -> str:
        """Say why there is no scan."""
        queue = self.queue
        if not queue.dropped:
            return f'no scan for {age:.1f} s'
        (why, count), = queue.dropped.most_common(1)
        return (f'no scan that could be used for {age:.1f} s: '
                + (queue.trouble or f'{count} dropped ({why})'))

    def _given_up(self, found: int) -> Result:
        """Return the end of a goal after what `observe` has found."""
        robot, state = self.robot, self.robot.state_record
        if found == TIME_JUMPED:
            return Result(Outcome.TIME_JUMPED,
                          f'the clock jumped back by {-self._elapsed:.3f} s')
        if found == ODOM_JUMPED:
            step, turn, lasted = state['jump'][0].tolist()
            return Result(Outcome.ODOM_JUMPED, f'odometry jumped by {step:.2f} m and '
                          f'{turn:.2f} rad in {lasted:.2f} s')
        if found == TIMEOUT:
            return Result(Outcome.TIMEOUT,
                          f'not there after {robot.limits["time_allowance"][0]:g} s')
        if found == WITHOUT_DATA:
            return Result(Outcome.SCAN_STALE, self._without_scans(float(state['stood'][0])))
        if found == IN_THE_WAY:
            what = ('no way that the rangers can observe was found' if self._monitor.looks
                    else 'something that moves has been in the way')
            return Result(Outcome.BLOCKED, f'{what} for {state["waited"][0]:.0f} s')
        moved = robot.path_length + robot.model.robot_radius * robot.turned
        return Result(Outcome.BLOCKED, f'moved only {moved - state["progress_moved"][0]:.2f} m in '
                      f'{robot.settings.movement_time_allowance:g} s')

    def _reached(self) -> Optional[Result]:
        """End a goal that is reached, its yaw too where one is asked for."""
        robot, yaw = self.robot, self._goal_yaw
        if (self._at_goal() and (yaw is None or abs(wrap(yaw - robot.global_pose.theta))
                                 <= robot.settings.yaw_goal_tolerance)):
            return Result(Outcome.REACHED, f'{robot.goal_distance:.3f} m from the goal')
        return None

    def _at_goal(self) -> bool:
        """Within the tolerance, and nothing between the robot and the goal, which it wants."""
        robot = self.robot
        return (robot.goal_distance <= robot.settings.xy_goal_tolerance
                and not getattr(self.algorithm, 'passes_goal', False)  # as facts
                and robot.sees_goal())

    # ---- the step -----------------------------------------------------------------------------

    def _step(self, observation: Observation) -> Decision:
        robot = self.robot
        if self._run is None:
            self._run = self.algorithm.run(robot)
        # At the goal it is not aligned, or the goal would have ended.
        if self._goal_yaw is not None and self._at_goal():
            intent: Intent = TurnTo(self._goal_yaw - robot.correction.theta)
            state: Tuple[str, ...] = ('turning_to_goal_yaw',)
            told = robot.mission.step, 'the goal is reached, and its yaw is not'
        else:
            try:
                intent = next(self._run)
            except StopIteration as end:
                return self._conclude(end.value)
            except Concluded as verdict:
                return self._conclude(verdict.result)
            except WorldChanged:
                return self._go_on(self._confirmation.anew())
            state, told = tuple(robot.mission.states), robot.mission.told
        twist = self._clipped(intent, observation.stamp)
        if twist is None:
            return self._wait(state, 'something that moves is in the way')
        news = self._news() if len(robot.mission.events) > self._told else ()
        return Decision(twist, Status.RUNNING, state, news, None, *told)

    def _clipped(self, intent: Intent, stamp: float) -> Optional[Twist]:
        """
        Return what may be driven of an intent, or None where the robot waits for what moves.

        ``stamp`` [s] is the time of the tick.
        """
        robot, monitor, perception = self.robot, self._monitor, self.robot.perception
        queue, points, passing = self.queue, perception.points, perception.passing
        if passing:
            points = np.concatenate((points, *(thing.points for thing in passing)))
        assert queue.newest is not None  # for the data are fresh
        late, silent = stamp - queue.newest[0], max(self._now - queue.pose_at, 0.0)
        # Where the two clocks are another, only what has gone by since it came is known.
        age = max(late, silent) if 0.0 <= late <= 1.0 else silent
        twist = monitor.clip(
            intent, self._elapsed, points, perception.view, perception.sight, age,
            abs(queue.skew) / (MISPLACED * robot.settings.clearance),
            self._beside_somebody, perception.observed)
        if twist is None:
            raise ValueError(f'{type(self.algorithm).__name__} asked for the velocity '
                             f'{monitor.wanted}')
        if (0.0 < self._now - self._elbowed < ELBOWED
                or passing and monitor.must_yield(passing, max(queue.lag, self._between))):
            return None
        return twist

    def _wait(self, state: Tuple[str, ...], reason: str) -> Decision:
        """Let pass what moves."""
        self._monitor.stop()
        self.robot.state_record['is_waiting'] = True
        return Decision(STOP, Status.RUNNING, (*state, 'waiting_for_passage'), self._news(), None,
                        self.robot.mission.step, reason)

    def _stand(self, reason: str) -> Decision:
        mission = self.robot.mission
        self._monitor.stop()
        self.robot.state_record['is_standing'] = True
        return Decision(STOP, Status.RUNNING, (*mission.states, reason), self._news(), None,
                        mission.step, reason.replace('_', ' '))

    def _conclude(self, result: Result) -> Decision:
        """End with a result of the algorithm, where it counts."""
        if not isinstance(result, Result):
            raise TypeError(f'{type(self.algorithm).__name__} has ended with {result!r} instead '
                            'of a Result')
        if result.outcome is Outcome.UNREACHABLE:
            self.robot.perception.look_again()
            result = self._certified(result)
        return self._go_on(self._confirmation.of(result))

    def _go_on(self, after: Next) -> Decision:
        """End, or wait, or have the algorithm meet the world anew from here."""
        if after.result is not None:
            return self._end(after.result)
        state = tuple(self.robot.mission.states)
        if after.begins_anew:
            self.close()
            self._run = None
            self.robot.meet_anew()
        return self._wait(state, self.robot.mission.reason)

    def _end(self, result: Result) -> Decision:
        state = tuple(self.robot.mission.states)
        self.close()
        if result.outcome is Outcome.ODOM_CONTRADICTORY:
            result = self._attributed(result)
        if self.queue.skewed not in result.message:
            result = result._replace(message=f'{result.message}; {self.queue.skewed}')
        result = result._replace(
            uncertainty=self.localisation.uncertainty(self.robot.local_goal))
        status = Status.SUCCESS if result.outcome is Outcome.REACHED else Status.FAILURE
        lap = f' (a lap of {result.lap_length:.2f} m)' if result.lap_length else ''
        return Decision(STOP, status, state, self._news(), result, self.robot.mission.step,
                        result.message + lap)

    def _certified(self, result: Result) -> Result:
        """Return a verdict with its certificate; another result where there is none."""
        robot, localisation = self.robot, self.localisation
        chain = robot.certificate()
        if not chain:
            return Result(
                Outcome.ODOM_CONTRADICTORY, 'the robot has been all around, and the obstacles '
                'that it remembers are not closed', result.lap_length)
        # With the lap's end known among the walls of its beginning, and the goal well inside.
        off = SURELY * localisation.uncertainty(robot.local_goal)
        if (SURELY * localisation.uncertainty(robot.here) > robot.contour_radius
                or off > 0.0 and not robot.is_certain(chain, off)):
            return Result(
                Outcome.UNDECIDED, 'the robot has been all around and the obstacles are closed; '
                f'but odometry may be off by {off:.2f} m, and the goal be reached then',
                result.lap_length)
        return result._replace(certificate=tuple(map(robot.correction.apply, chain)))

    def _attributed(self, contradiction: Result) -> Result:
        """Name the cause of a contradiction: not odometry where its error is known to be small."""
        robot, uncertainty = self.robot, self.localisation.uncertainty
        off = SURELY * max(uncertainty(robot.local_goal), uncertainty(robot.here))
        if off <= robot.contour_radius and not self.queue.skewed:  # nor where it is not known
            return contradiction._replace(
                outcome=Outcome.UNDECIDED, message='the sensors do not resolve the obstacles: '
                f'{contradiction.message}, and its position is known to {off:.2f} m')
        return contradiction._replace(message=f'{contradiction.message}: odometry drifts, or the '
                                      'sensors do not resolve the obstacles')

    def _news(self) -> Tuple[Event, ...]:
        events = tuple(self.robot.mission.events[self._told:])
        self._told += len(events)
        return events
