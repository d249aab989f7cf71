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
from typing import Optional, Tuple

from bug_nav.algorithms.base import Algorithm, Facts, Run
from bug_nav.confirmation import Confirmation, Next
from bug_nav.core.geometry import Pose, wrap
from bug_nav.core.interface import (
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
from bug_nav.core.settings import RobotModel, Settings
from bug_nav.drive.control import velocity
from bug_nav.drive.gate import Gate, Known, UNSEEN, View
from bug_nav.drive.intents import Intent, TurnTo
from bug_nav.robot import Robot
from bug_nav.sense.intake import Intake
from bug_nav.sense.localisation import Localisation
from bug_nav.sense.scan_matcher import ScanMatcher
import numpy as np

JUMP = 0.10
"""Odometry that moves so much further in a tick than the robot can has jumped [m]."""
JUMP_ANGLE = 0.5
"""The same for its heading [rad]."""
CREEP = 0.5
"""Progress is no more than what so much of the largest speed makes in the time for it."""
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
        self.time_allowance = time_allowance
        self.intake = Intake()
        """What has come in, and what of it is believed."""
        matches = settings.drift_correction == 'scan_matching' and settings.sensing == 'range'
        self.localisation = Localisation(ScanMatcher(model.robot_radius) if matches else None)
        """What is told where, and how odometry's drift is corrected."""
        self._gate = Gate(self.robot.model, settings)
        self._view = UNSEEN
        self._run: Optional[Run] = None
        self._held = True
        self._told = 0
        self._last: Optional[Observation] = None
        self._now = self._began = math.nan
        self._elapsed = 0.0
        self._progress: Optional[Tuple[float, float]] = None
        self._standing, self._stood = False, 0.0
        self._waiting, self._waited = False, 0.0
        self._confirmation = Confirmation(self.robot)
        self._seen = -math.inf
        self._between = 0.0
        self._beside_somebody = False
        self._elbowed = math.inf

    @property
    def observation(self) -> Optional[Observation]:
        """Return the newest observation, None before the first."""
        return self._last

    def add_pose(self, stamp: float, pose: Pose, at: Optional[float] = None) -> None:
        """
        Add odometry that came between two ticks, so that scans are placed more precisely.

        ``at`` [s] is when it came, on the steady clock of the observations.
        """
        self.intake.add_pose(stamp, pose, stamp if at is None else at)

    def add_scan(self, scan: Scan, at: Optional[float] = None) -> None:
        """Add a scan that came between two ticks; ``at`` as for `add_pose`."""
        self.intake.add_scan(scan, scan.stamp if at is None else at)

    def tick(self, observation: Observation) -> Decision:
        """Decide what to do now; to be called at the control rate until there is a result."""
        last = self._begin_tick(observation)
        observation = self._take_in(observation)
        result = self._jump(last, observation)
        waiting = ''
        if result is None:
            result, waiting = self._data(observation)
        if result is None and waiting:
            result = self._time_is_up() or self._no_progress()
            if result is None:
                return self._stand(waiting)
        if result is None:
            told = self.localisation.in_map_frame(observation)
            self.robot.observe(told, self._held, self.localisation.drift)
            self._held = self._standing = self._waiting = False
            result = self._watch(told.goal_yaw)
        self._last = observation
        if result is not None:
            return self._end(result)
        return self._step(told)

    def listen(self, observation: Observation) -> None:
        """Take in what has come, and decide nothing: for whoever has no goal, and makes a map."""
        self._begin_tick(observation)
        self._last = self._take_in(observation)
        told = self.localisation.in_map_frame(self._last)
        self.robot.observe(told, True, self.localisation.drift)

    def hold(self, reason: str) -> Decision:
        """Stand still without stepping the algorithm, so that no crossing is faked."""
        self._held = True
        return self._stand(reason)

    def close(self) -> None:
        """End the run, as a cancel does."""
        if self._run is not None:
            self._run.close()

    # ---- before the step ----------------------------------------------------------------------

    def _begin_tick(self, observation: Observation) -> Optional[Observation]:
        """Take note of the time; return the observation of the tick before."""
        before, self._now = self._now, observation.steady
        if math.isnan(self._now):
            self._now = observation.stamp
        if math.isnan(before):
            before = self._began = self._now
        self._elapsed = self._now - before
        if self._standing:
            self._stood += self._elapsed
        if self._waiting or self._gate.looks:
            self._waited += self._elapsed
        self._gate.advance(self._elapsed)
        return self._last

    def _take_in(self, observation: Observation) -> Observation:
        """Take in what has come, and return the observation with the odometry to be believed."""
        intake, now = self.intake, self._now
        intake.add_pose(observation.pose_stamp, observation.pose, now - observation.pose_age)
        if observation.scan is not None:
            intake.add_scan(observation.scan, now)
        for echo in observation.echoes:
            intake.add_scan(echo, now, echo=True)
        for scan, pose in intake.place(now):
            perception, roughly = self.robot.perception, self.localisation.drift.compose(pose)
            still = perception.without_passing(scan, roughly)
            # What moves, or did so, tells nothing of where the robot is.
            pose = self.localisation.place(perception.lasting(still), pose)
            perception.add(still, pose)
            self._view = _view(scan, pose)
            self._between = min(scan.stamp - self._seen, self.robot.settings.scan_timeout)
            self._seen = scan.stamp
            radius = self.robot.model.robot_radius
            self._beside_somebody = perception.is_beside_somebody(radius + BESIDE)
            elbowed = self._beside_somebody and perception.is_beside_somebody(radius + AT_ELBOW)
            self._elbowed = min(self._elbowed, self._now) if elbowed else math.inf
        if intake.newest is None or intake.newest == (observation.pose_stamp, observation.pose):
            return observation
        stamp, pose = intake.newest
        return observation._replace(pose_stamp=stamp, pose=pose)

    def _jump(self, last: Optional[Observation], now: Observation) -> Optional[Result]:
        if self._elapsed < 0.0:
            return Result(Outcome.TIME_JUMPED, 'the clock jumped back by '
                          f'{-self._elapsed:.3f} s')
        if last is None:
            return None
        elapsed = now.pose_stamp - last.pose_stamp
        if elapsed < 0.0:  # odometry's clock was set
            elapsed = self._elapsed
        model = self.robot.model
        before, after = last.pose, now.pose
        step = math.hypot(after.x - before.x, after.y - before.y)
        turn = abs(wrap(after.theta - before.theta))
        if (step > JUMP + 2.0 * model.max_vel_x * elapsed
                or turn > JUMP_ANGLE + 2.0 * model.max_vel_theta * elapsed):
            return Result(Outcome.ODOM_JUMPED, f'odometry jumped by {step:.2f} m and '
                          f'{turn:.2f} rad in {elapsed:.2f} s')
        return None

    def _data(self, observation: Observation) -> Tuple[Optional[Result], str]:
        """Return a result where data have been missing for too long, or what is waited for."""
        settings, intake = self.robot.settings, self.intake
        waited = self._now - self._began
        pose_age = max(observation.pose_age, min(intake.pose_age(self._now), waited))
        scan_age = max(observation.scan_age, min(intake.scan_age(self._now), waited))
        if not (intake.placed or intake.dropped):
            scan_age = observation.scan_age  # the first may take, and who listens knows how long
        # Each goal waits in its own time: what was silent before may come again at any moment.
        if min(pose_age, waited) > settings.give_up_timeout:
            return Result(Outcome.ODOM_STALE, f'no odometry for {pose_age:.1f} s'), ''
        # Without odometry no scan can be placed: then it is odometry that is missing.
        if min(scan_age, waited) > settings.give_up_timeout and pose_age <= settings.odom_timeout:
            return Result(Outcome.SCAN_STALE, self._without_scans(scan_age)), ''
        if pose_age > settings.odom_timeout:
            self._held = True  # where the robot goes meanwhile is not known
            return None, 'waiting_for_odometry'
        if not intake.placed or max(scan_age, intake.lag) > settings.scan_timeout:
            return None, ('clocks_out_of_step' if intake.out_of_step else 'waiting_for_scan')
        return None, ''

    def _without_scans(self, age: float) -> str:
        """Say why there is no scan."""
        intake = self.intake
        if not intake.dropped:
            return f'no scan for {age:.1f} s'
        (why, count), = intake.dropped.most_common(1)
        return (f'no scan that could be used for {age:.1f} s: '
                + (intake.trouble or f'{count} dropped ({why})'))

    def _watch(self, goal_yaw: Optional[float]) -> Optional[Result]:
        """Test the goal, the time and the progress."""
        if self._at_goal() and self._aligned(goal_yaw):
            return Result(Outcome.REACHED, f'{self.robot.goal_distance:.3f} m from the goal')
        return self._time_is_up() or self._no_progress()

    def _no_progress(self) -> Optional[Result]:
        """End a goal to which the robot comes no nearer, whatever keeps it from that."""
        robot, settings = self.robot, self.robot.settings
        moved = robot.path_length + robot.model.robot_radius * robot.turned
        allowed = settings.movement_time_allowance
        needed = min(settings.required_movement_radius, CREEP * robot.model.max_vel_x * allowed)
        if self._progress is None or moved - self._progress[1] >= needed:
            self._progress, self._stood, self._waited = (self._now, moved), 0.0, 0.0
        since, moved_then = self._progress
        if self._stood > allowed + 2.0 * settings.give_up_timeout:  # it waits again and again
            return Result(Outcome.SCAN_STALE, self._without_scans(self._stood))
        patience = PATIENCE + (settings.settled_timeout if self._confirmation.is_due else 0.0)
        if self._waited > patience:
            what = ('no way that the rangers can observe was found' if self._gate.looks
                    else 'something that moves has been in the way')
            return Result(Outcome.BLOCKED, f'{what} for {self._waited:.0f} s')
        if self._now - since - self._stood - self._waited <= allowed:
            return None
        return Result(Outcome.BLOCKED, f'moved only {moved - moved_then:.2f} m in {allowed:g} s')

    def _time_is_up(self) -> Optional[Result]:
        """Test the time since the first tick, held or not."""
        if 0.0 < self.time_allowance < self._now - self._began:
            return Result(Outcome.TIMEOUT, f'not there after {self.time_allowance:g} s')
        return None

    def _at_goal(self) -> bool:
        """Within the tolerance, and nothing between the robot and the goal, which it wants."""
        robot = self.robot
        return (robot.goal_distance <= robot.settings.xy_goal_tolerance
                and not getattr(self.algorithm, 'passes_goal', False)  # as facts
                and robot.sees_goal())

    def _aligned(self, goal_yaw: Optional[float]) -> bool:
        if goal_yaw is None:
            return True
        error = wrap(goal_yaw - self.robot.global_pose.theta)
        return abs(error) <= self.robot.settings.yaw_goal_tolerance

    # ---- the step -----------------------------------------------------------------------------

    def _step(self, observation: Observation) -> Decision:
        robot = self.robot
        if self._confirmation.is_due:
            return self._go_on(self._confirmation.look())
        late = self._lateness(observation)
        if self._run is None:
            self._run = self.algorithm.run(robot)
        # At the goal it is not aligned, or the goal would have ended.
        if observation.goal_yaw is not None and self._at_goal():
            intent: Intent = TurnTo(observation.goal_yaw - robot.correction.theta)
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
        turned = self._gate.turned_since(robot.pose, late)
        wanted = velocity(intent, robot.pose._replace(theta=robot.pose.theta + turned),
                          robot.model)
        if not math.isfinite(wanted.v + wanted.w + wanted.u):
            raise ValueError(f'{type(self.algorithm).__name__} asked for the velocity {wanted}')
        twist = self._let_pass(wanted, late)
        if twist is None:
            return self._wait(state, 'something that moves is in the way')
        return Decision(twist, Status.RUNNING, state, self._news(), None, *told)

    def _let_pass(self, wanted: Twist, late: float) -> Optional[Twist]:
        """Return what may be driven, or None where the robot waits for what moves."""
        robot, known = self.robot, self._known()
        if (self._gate.lets_pass(known, robot.pose, late)
                or 0.0 < self._now - self._elbowed < ELBOWED):
            return None
        twist = self._gate.clip(
            wanted, self._elapsed, known, robot.pose, late,
            abs(self.intake.skew) / (MISPLACED * robot.settings.clearance))
        self._waiting = self._beside_somebody  # who may go on at any moment
        stopped = (wanted.v or wanted.u) and not (twist.v or twist.u)
        return None if stopped and self._gate.is_near(known.passing, robot.pose) else twist

    def _known(self) -> Known:
        """Return what is known of the obstacles, those that move among them."""
        perception, here = self.robot.perception, self.robot.pose.position
        points, nearest = perception.points, self.robot.space.room(here)
        if perception.passing:
            moving = np.concatenate([thing.points for thing in perception.passing])
            points = np.concatenate((points, moving))
            nearest = min(nearest, float(np.hypot(*(moving - here).T).min()))
        return Known(points, nearest, self._view, perception.sight, perception.passing,
                     max(self.intake.lag, self._between), self._beside_somebody,
                     perception.observed)

    def _wait(self, state: Tuple[str, ...], reason: str) -> Decision:
        """Let pass what moves."""
        self._waiting = True
        self._gate.stop()
        return Decision(STOP, Status.RUNNING, (*state, 'waiting_for_passage'), self._news(), None,
                        self.robot.mission.step, reason)

    def _lateness(self, observation: Observation) -> float:
        """Return how old the odometry is [s], as far as can be told."""
        by_stamp = observation.stamp - observation.pose_stamp
        silent = max(self.intake.pose_age(self._now), 0.0)
        # Where the two clocks are another, only what has gone by since it came is known.
        return max(by_stamp, silent) if 0.0 <= by_stamp <= 1.0 else silent

    def _stand(self, reason: str) -> Decision:
        mission = self.robot.mission
        self._standing = True
        self._gate.stop()
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
                Outcome.ODOM_CONTRADICTORY, 'odometry contradicts itself: the robot has been all '
                'around, and the obstacles that it remembers are not closed', result.lap_length)
        # With the lap's end known among the walls of its beginning, and the goal well inside.
        off = SURELY * localisation.uncertainty(robot.local_goal)
        if (SURELY * localisation.uncertainty(robot.pose.position) > robot.contour_radius
                or off > 0.0 and not robot.is_certain(chain, off)):
            return Result(
                Outcome.UNDECIDED, 'the robot has been all around and the obstacles are closed; '
                f'but odometry may be off by {off:.2f} m, and the goal be reached then',
                result.lap_length)
        return result._replace(certificate=tuple(map(robot.correction.apply, chain)))

    def _news(self) -> Tuple[Event, ...]:
        events = tuple(self.robot.mission.events[self._told:])
        self._told += len(events)
        return events


def _view(scan: Scan, pose: Pose) -> View:
    """Return what a scan that was taken at ``pose`` sees, for the gate."""
    if len(scan.ranges) == 1:
        return UNSEEN
    sensor = pose.compose(scan.mount)
    return scan.ranges, sensor.x, sensor.y, sensor.theta + scan.angle_min, scan.angle_increment
