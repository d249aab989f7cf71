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

from __future__ import annotations

import math

from arena import block, BURGER, hand_over, play, QUIET, R, RHO, Scripted, world_of
from bug_nav.navigation.algorithms.bug0 import Bug0
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.control.state import MARGIN
from bug_nav.navigation.geometry import distance, IDENTITY, Pose, wrap
from bug_nav.navigation.navigator import MAX_YIELD_TIME, Navigator, TOUCH_WAIT
from bug_nav.navigation.perception.sensor_queue import UnusableScan
from bug_nav.navigation.perception.tracker import DynamicObstacle
from bug_nav.navigation.settings import BASES, RobotModel, Settings
from bug_nav.navigation.types import (
    Concluded,
    Outcome,
    Result,
    Scan,
    STOP,
    TickInput,
    TurnTo,
    Twist,
)
from bug_nav.simulation.generators import cluttered
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given, Phase, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from subsets import WHOLE

TICK = 0.05
EMPTY = np.full(360, math.inf)


def requesting(v: float, w: float = 0.0):
    """Return an algorithm that always requests the same velocity."""
    def script(robot):
        with robot.state('asking'):
            while True:
                yield Twist(v, w)
    return Scripted(script)


class Bench:
    """A test bench: a navigator with hand-made data, and a robot that executes its commands."""

    def __init__(self, algorithm=None, goal=(5.0, 0.0), time_allowance: float = 0.0,
                 model: RobotModel = BURGER, **settings) -> None:
        self.navigator = Navigator(algorithm or requesting(0.2), model, Settings(**settings),
                                   time_allowance)
        self.goal, self.stamp, self.pose = goal, 0.0, IDENTITY

    def tick(self, ranges=EMPTY, odometry=True, scans=None, pose=None, pose_stamp=None,
             pose_age=0.0, **changes):
        """
        Tick once with new data; ``changes`` replace fields of the observation.

        ``scans`` replace the scan of ``ranges``, which is omitted if None.
        """
        if scans is None:
            scans = [] if ranges is None else [Scan(
                self.stamp, np.asarray(ranges, dtype=float), 0.0, math.radians(1.0), 0.12, 3.5)]
        if odometry:
            self.navigator.queue.add_pose(
                self.stamp if pose_stamp is None else pose_stamp,
                self.pose if pose is None else pose, self.stamp - pose_age)
        for scan in scans:
            self.navigator.queue.add_scan(scan, self.stamp)
        decision = self.navigator.tick(
            TickInput(**{'stamp': self.stamp, 'goal': self.goal, **changes}))
        x, y, theta = self.pose
        v, w, u = decision.twist
        cos, sin = math.cos(theta), math.sin(theta)
        self.pose = Pose(x + TICK * (v * cos - u * sin), y + TICK * (v * sin + u * cos),
                         wrap(theta + w * TICK))
        self.stamp = round(self.stamp + TICK, 6)
        return decision

    def tick_after_silence(self, what: str, seconds: float):
        """Tick once after some time without 'scan' or 'odometry'."""
        self.stamp = round(self.stamp + seconds - TICK, 6)
        return self.tick(ranges=None, odometry=what != 'odometry')

    def ticks(self, seconds: float, **changes):
        """Tick for some time or until there is a result; return the last decision."""
        for _ in range(round(seconds / TICK)):
            decision = self.tick(**changes)
            if decision.result is not None:
                break
        return decision


def wall_ahead(away: float) -> np.ndarray:
    """Return the ranges of a wall across the way, ``away`` [m] ahead."""
    angles = np.radians(np.arange(360))
    with np.errstate(divide='ignore'):
        ranges = away / np.cos(angles)
    return np.where((ranges > 0.0) & (ranges < 3.5), ranges, math.inf)


# Holds because of missing data.

def test_navigator_holds_until_the_first_scan():
    bench = Bench()
    for _ in range(5):
        decision = bench.tick(ranges=None)
        assert decision.twist == STOP and decision.result is None
        assert decision.state == ('waiting_for_scan',)
    assert bench.tick().state == ('asking',)
    assert bench.tick().twist.v > 0.0


def test_scan_newer_than_the_odometry_waits_for_its_pose():
    bench = Bench()
    bench.stamp = 1.0
    early = Scan(1.02, EMPTY, 0.0, math.radians(1.0), 0.12, 3.5)
    assert bench.tick(scans=[early]).state == ('waiting_for_scan',)
    assert bench.tick(ranges=None).state == ('asking',)      # the pose of 1.05 s has arrived


def test_scan_is_placed_with_the_pose_of_its_stamp():
    bench = Bench(requesting(0.0))
    one = Scan(0.1, [0.4], 0.0, 0.1, 0.12, 3.5, Pose(0.1, 0.0, 0.0))
    for k, ranges in enumerate((EMPTY, None, None, None)):
        bench.pose = Pose(0.02 * k, 0.0, 0.1 * k)
        bench.tick(ranges=ranges)
    bench.pose = Pose(0.08, 0.0, 0.4)
    bench.tick(scans=[one])
    # At 0.1 s the robot was at 0.04 m, turned by 0.2 rad.
    points = bench.navigator.robot.perceived.points
    assert points.tolist() == [pytest.approx((0.04 + 0.5 * math.cos(0.2), 0.5 * math.sin(0.2)))]


def test_process_only_makes_no_decision_and_never_ends():
    bench = Bench(Scripted(lambda robot: pytest.fail('it was stepped')), goal=(0.0, 0.0))
    placed = []
    bench.navigator.robot.perception.observers.append(lambda *each: placed.append(each))
    for k in range(60):
        pose = Pose(3.0 * k, 1.0, 0.5)  # each pose is a jump, with silence in between
        scan = Scan(10.0 * k, EMPTY, 0.0, math.radians(1.0), 0.12, 3.5)
        bench.navigator.queue.add_pose(10.0 * k, pose)
        bench.navigator.queue.add_scan(scan)
        bench.navigator.process_only(TickInput(10.0 * k, pose.position))
        assert bench.navigator.robot.pose == pytest.approx(pose)
    assert [pose.x for _, pose in placed] == pytest.approx([3.0 * k for k in range(60)])


def test_scans_after_an_unusable_one_are_used_in_the_same_tick(monkeypatch):
    bench = Bench(requesting(0.0))
    bench.tick()
    perception, given = bench.navigator.robot.perception, []
    process = perception.process

    def first_is_unusable(placed):
        given.append(placed)
        if len(given) == 1:
            raise UnusableScan('it is broken')
        return process(placed)
    monkeypatch.setattr(perception, 'process', first_is_unusable)
    bench.tick(scans=[Scan(0.01, [0.4], 0.0, 0.1, 0.12, 3.5, Pose(0.1, y, 0.0))
                      for y in (0.02, 0.0)])
    assert len(given) == 2
    assert perception.perceived.points.tolist() == [[pytest.approx(0.5), 0.0]]
    assert bench.navigator.queue.dropped == {'unusable': 1}


def test_known_offset_of_scan_stamps_is_removed_from_them(monkeypatch):
    bench = Bench(requesting(0.0))
    localization = bench.navigator.localization
    localize = localization.localize

    def learns(*given):
        pose, localization.skew = localize(*given), 0.05
        return pose
    monkeypatch.setattr(localization, 'localize', learns)
    bench.tick()
    assert bench.navigator.queue.compensated == 0.05


def test_estimated_pose_is_that_of_the_newest_odometry():
    bench = Bench(requesting(0.0))
    assert bench.navigator.estimated_pose(IDENTITY) == IDENTITY
    bench.pose = Pose(0.02, 0.01, 0.03)
    bench.tick()
    assert bench.navigator.estimated_pose(IDENTITY) == pytest.approx(bench.pose)
    assert bench.navigator.estimated_pose(Pose(1.0, 2.0, 0.0)) == pytest.approx((1.02, 2.01, 0.03))


def test_odometry_between_ticks_places_a_scan_more_precisely():
    bench = Bench(requesting(0.0))
    bench.tick()
    bench.navigator.queue.add_pose(0.025, Pose(0.02, 0.0, 0.0))
    bench.pose = Pose(0.02, 0.0, 0.0)
    bench.tick(scans=[Scan(0.03, [0.4], 0.0, 0.1, 0.12, 3.5, Pose(0.1, 0.0, 0.0))])
    assert bench.navigator.robot.perceived.points.tolist() == [[pytest.approx(0.52), 0.0]]


@pytest.mark.parametrize('what, reason', [
    ('scan', 'waiting_for_scan'), ('odometry', 'waiting_for_odometry')])
def test_stale_data_stop_the_robot_until_fresh_data_arrive(what, reason):
    bench = Bench()
    bench.ticks(1.0)
    held = bench.tick_after_silence(what, 0.7)
    assert held.twist == STOP and held.state == ('asking', reason)
    assert held.result is None
    going_on = bench.tick()
    assert going_on.state == ('asking',)
    assert going_on.twist.v == pytest.approx(BURGER.acc_lim_x * TICK)    # from standstill again


def test_step_stays_reported_during_a_hold_with_the_reason_of_the_hold():
    bench = Bench(Bug2())
    assert bench.tick(ranges=None)[-2:] == ('', 'waiting for scan')
    assert bench.tick()[-2:] == ('1', 'the start S, d(S) = 5.00 m')
    assert bench.tick_after_silence('scan', 0.7)[-2:] == ('1', 'waiting for scan')
    assert bench.navigator.hold('waiting_for_transform')[-2:] == ('1', 'waiting for transform')
    assert bench.tick()[-2:] == ('1', 'the start S, d(S) = 5.00 m')
    assert bench.tick(goal=bench.pose.position, goal_yaw=2.0)[-2:] == (
        '1', 'the goal is reached, but not its yaw')


@pytest.mark.parametrize('what, outcome', [
    ('scan', Outcome.SCAN_STALE), ('odometry', Outcome.ODOM_STALE)])
def test_missing_data_end_the_goal(what, outcome):
    bench = Bench()
    bench.ticks(3.0)
    decision = bench.tick_after_silence(what, 2.1)
    assert decision.result.outcome is outcome and decision.twist == STOP


def test_unusable_scans_end_the_goal_with_the_reason():
    bench = Bench()
    decision = bench.ticks(10.0, scans=[Scan(math.nan, EMPTY, 0.0, 0.1, 0.12, 3.5)])
    assert decision.result.outcome is Outcome.SCAN_STALE
    assert decision.result.message.startswith('no scan that could be used for 2.')
    assert 'dropped' in decision.result.message or 'stamp' in decision.result.message


@pytest.mark.parametrize('odometry, outcome', [
    (True, Outcome.SCAN_STALE), (False, Outcome.ODOM_STALE)])
@pytest.mark.parametrize('before', [[], [(-60.0, IDENTITY, -60.0)]])
def test_data_missing_since_before_the_goal_get_the_full_timeout(odometry, outcome, before):
    bench = Bench()
    for pose in before:
        bench.navigator.queue.add_pose(*pose)
    assert bench.ticks(2.0, odometry=odometry, ranges=None).result is None
    assert bench.ticks(0.2, odometry=odometry, ranges=None).result.outcome is outcome


def test_scans_that_return_before_the_timeout_resume_the_goal():
    bench = Bench()
    bench.ticks(1.9, ranges=None)
    assert bench.tick().state == ('asking',)


def stepping():
    """Return a bench after half a second, and the previous place at each step of its algorithm."""
    steps = []

    def script(robot):
        while True:
            steps.append(robot.previous)
            yield Twist(0.1, 0.0)
    bench = Bench(Scripted(script))
    bench.ticks(0.5)
    return bench, steps


def test_hold_without_scans_does_not_step_the_algorithm_and_loses_no_crossing():
    bench, steps = stepping()
    count, before = len(steps), bench.navigator.robot.pose
    bench.tick_after_silence('scan', 1.0)
    bench.tick(ranges=None)
    assert len(steps) == count
    bench.tick()
    # Odometry covers the stop: the path during the hold is one step.
    assert steps[count] == pytest.approx((before.x, before.y)) and len(steps) == count + 1


def test_external_hold_does_not_step_the_algorithm_and_causes_no_crossing():
    bench, seen = stepping()
    assert seen[-1] is not None
    count = len(seen)
    assert bench.navigator.hold('waiting_for_transform').twist == STOP and len(seen) == count
    bench.ticks(0.1)
    assert seen[count] is None and seen[count + 1] is not None


def test_process_only_causes_no_crossing():
    bench = Bench()
    for stamp, x in ((0.0, 0.0), (0.1, 0.02)):
        bench.navigator.queue.add_pose(stamp, Pose(x, 0.0, 0.0))
        bench.navigator.process_only(TickInput(stamp, bench.goal))
    assert bench.navigator.robot.previous is None


def test_readings_of_several_rangers_in_one_tick_are_all_placed():
    bench = Bench(requesting(0.0), goal=(9.0, 0.0))
    bench.tick(scans=[Scan(0.0, [away], 0.0, 0.1, 0.02, 3.5, Pose(0.0, 0.0, angle))
                      for angle, away in ((0.0, 0.5), (1.2, 0.4))])
    points = bench.navigator.robot.perceived.points
    assert sorted(np.hypot(*points.T)) == pytest.approx([0.4, 0.5], abs=0.02)


def test_robot_with_rangers_looks_between_them_before_the_first_step():
    bench, cone = Bench(requesting(0.2), sensing='rangers'), math.radians(20.0)

    def readings():
        return [Scan(bench.stamp, np.array([2.0]), 0.0, cone, 0.02, 2.5,
                     Pose(0.0, 0.0, k * math.pi / 2)) for k in range(4)]
    states = []
    while bench.stamp < 4.0 and 'asking' not in states[-1:]:
        decision = bench.tick(scans=readings())
        assert decision.twist.v == 0.0 or decision.state == ('asking',)
        states.append(decision.state[-1])
    assert set(states) == {'looking_around', 'asking'}
    assert bench.pose.theta == pytest.approx(math.pi / 2, abs=0.1)


def test_hold_without_odometry_causes_no_crossing():
    bench, steps = stepping()
    bench.tick_after_silence('odometry', 1.0)
    bench.tick()
    assert steps[-1] is None
    bench.tick()
    assert steps[-1] is not None


# Jumps.

@pytest.mark.parametrize('pose', [Pose(0.5, 0.0, 0.0), Pose(0.0, -0.3, 0.0),
                                  Pose(0.0, 0.0, 1.0), Pose(0.0, 0.0, math.pi)])
def test_odometry_jump_ends_the_goal(pose):
    bench = Bench(requesting(0.0))
    bench.ticks(0.5)
    decision = bench.tick(pose=pose)
    assert decision.result.outcome is Outcome.ODOM_JUMPED and decision.twist == STOP


def test_feasible_motion_and_heading_wraparound_are_no_odometry_jumps():
    bench = Bench(requesting(0.0))
    bench.pose = Pose(0.0, 0.0, math.pi - 0.01)
    bench.tick()
    bench.pose = Pose(0.011, 0.0, -math.pi + 0.04)
    assert bench.tick().result is None
    # A late tick: two seconds of motion at once.
    bench.stamp += 2.0
    bench.pose = Pose(0.45, 0.0, -math.pi + 0.04)
    assert bench.tick().result is None


def test_backward_clock_jump_ends_the_goal():
    bench = Bench()
    bench.ticks(1.0)
    decision = bench.tick(ranges=None, stamp=0.3)
    assert decision.result.outcome is Outcome.TIME_JUMPED and decision.twist == STOP


def test_out_of_order_odometry_is_ignored_and_the_goal_continues():
    bench = Bench()
    bench.ticks(1.0)
    before = bench.navigator.robot.pose
    decision = bench.tick(pose=IDENTITY, pose_stamp=0.3)
    assert decision.result is None and bench.navigator.robot.pose == before


@pytest.mark.parametrize('step', [-5.0, -0.5, 5.0])
def test_odometry_after_a_clock_change_is_accepted_once_it_advances(step):
    bench = Bench()
    bench.ticks(1.0)
    for k in range(20):
        decision = bench.tick(pose_stamp=bench.stamp + step, scans=[] if k % 4 else [Scan(
            bench.stamp + step, EMPTY, 0.0, math.radians(1.0), 0.12, 3.5)])
        assert decision.result is None
    assert decision.state == ('asking',)
    assert bench.navigator.queue.newest[0] == pytest.approx(bench.stamp - TICK + step)


@pytest.mark.parametrize('late, apart, age', [
    (0, 0.0, 0.0),
    (6, 0.0, 0.0),      # it arrives 0.3 s after it was measured
    (6, 5.0, 0.3),      # it arrived 0.3 s ago, with a clock that is 5 s behind
    (0, 5.0, 0.0),      # an offset alone does not imply a delay
    (0, 1.5, 0.0),
    (0, -5.0, 0.0)])
def test_turn_does_not_overshoot_with_delayed_odometry(late, apart, age):
    def script(robot):
        while True:
            yield TurnTo(1.5)
    bench, past = Bench(Scripted(script)), []
    for _ in range(200):
        past.append((bench.stamp, bench.pose))
        stamp, pose = past[max(len(past) - 1 - late, 0)]
        scan = Scan(stamp - apart, EMPTY, 0.0, math.radians(1.0), 0.12, 3.5)
        bench.tick(pose=pose, pose_stamp=stamp - apart, pose_age=age, scans=[scan])
    headings = [pose.theta for _, pose in past]
    assert headings[-1] == pytest.approx(1.5, abs=0.01)
    assert max(headings) < 1.52


# Time and progress.

@pytest.mark.parametrize('held', [0.0, 1.0, 5.0])
@pytest.mark.parametrize('begin', [0.0, 1000.0])
def test_time_allowance_starts_at_the_first_tick_even_during_a_hold(held, begin):
    bench = Bench(requesting(0.1), goal=(100.0, 0.0), time_allowance=2.0, give_up_timeout=60.0)
    bench.stamp = begin
    decision = bench.ticks(held, ranges=None) if held else None
    if held < 2.0:
        decision = bench.ticks(5.0)
    assert decision.result.outcome is Outcome.TIMEOUT
    assert bench.stamp == pytest.approx(begin + 2.0, abs=3 * TICK)


def test_zero_time_allowance_means_no_limit():
    assert Bench(requesting(0.1), goal=(100.0, 0.0)).ticks(60.0).result is None


def test_robot_without_progress_is_blocked():
    bench = Bench(requesting(0.0), movement_time_allowance=3.0)
    decision = bench.ticks(10.0)
    assert decision.result.outcome is Outcome.BLOCKED
    assert bench.stamp == pytest.approx(3.0, abs=3 * TICK)


def test_turning_fast_enough_is_progress():
    # Turning on the spot counts as a path of R times the angle.
    assert Bench(requesting(0.0, 0.9), movement_time_allowance=5.0).ticks(45.0).result is None
    slow = Bench(requesting(0.0, 0.5), movement_time_allowance=5.0)
    assert slow.ticks(60.0).result.outcome is Outcome.BLOCKED


def test_endless_turning_on_the_spot_is_no_progress():
    bench = Bench(requesting(0.0, 1.0), movement_time_allowance=5.0)
    result = bench.ticks(120.0).result
    assert result.outcome is Outcome.BLOCKED and bench.stamp == pytest.approx(54.0, abs=1.0)


# The goal.

def test_goal_within_the_tolerance_and_in_sight_is_reached():
    bench = Bench(goal=(0.09, 0.0))
    decision = bench.tick()
    assert decision.result.outcome is Outcome.REACHED and decision.twist == STOP
    assert Bench(goal=(0.11, 0.0)).tick().result is None


@pytest.mark.parametrize('wall, reached', [
    (0.3, False),       # between robot and goal
    (0.46, True),       # 6 cm behind the goal
    (0.41, False),      # 1 cm behind the goal: within 2 cm of the line of sight
    (2.0, True)])
def test_goal_within_the_tolerance_behind_a_thin_wall_is_not_reached(wall, reached):
    bench = Bench(requesting(0.0), goal=(0.4, 0.0), xy_goal_tolerance=0.5)
    decision = bench.tick(ranges=wall_ahead(wall))
    assert (decision.result is not None) is reached


def test_recently_seen_wall_still_hides_the_goal():
    bench = Bench(requesting(0.0), goal=(0.4, 0.0), xy_goal_tolerance=0.5)
    bench.tick(ranges=wall_ahead(0.3))
    assert bench.tick(ranges=np.zeros(360)).result is None       # a lidar that reports only errors
    assert bench.tick(ranges=EMPTY).result is None               # a blind lidar, as in Gazebo


def test_robot_turns_to_the_goal_yaw_at_the_goal():
    bench = Bench(goal=(0.5, 0.0))
    decision = bench.ticks(30.0, goal_yaw=2.5)
    assert decision.result.outcome is Outcome.REACHED
    assert bench.pose.theta == pytest.approx(2.5, abs=0.1)
    assert distance(bench.pose.position, bench.goal) <= 0.1


def test_goal_yaw_is_in_the_global_frame():
    bench = Bench(requesting(0.0), goal=(0.0, 0.0))
    correction = Pose(0.0, 0.0, 1.0)
    assert bench.tick(goal_yaw=1.05, correction=correction).result.outcome is Outcome.REACHED
    other = Bench(requesting(0.0), goal=(0.0, 0.0))
    decision = other.tick(goal_yaw=0.0, correction=correction)
    assert decision.state == ('turning_to_goal_yaw',)
    assert other.tick(goal_yaw=0.0, correction=correction).twist.w < 0.0


def test_algorithm_uses_the_current_position_of_a_moving_goal():
    seen = []

    def script(robot):
        while True:
            seen.append(robot.goal)
            yield STOP
    bench = Bench(Scripted(script))
    bench.tick()
    bench.tick(goal=(1.0, 2.0))
    assert seen == [(5.0, 0.0), (1.0, 2.0)]


# The algorithm.

@pytest.mark.parametrize('algorithm', [Bug0, Bug2])
def test_order_of_milestones_is_checked_only_for_algorithms_that_prove_it(algorithm):
    ledger = Bench(algorithm()).navigator.robot.ledger
    assert ledger.ordered is algorithm.metadata.ordered is (algorithm is Bug2)
    plug_in = requesting(0.1)
    plug_in.metadata = None
    assert Bench(plug_in).navigator.robot.ledger.ordered is False


def test_result_of_the_algorithm_ends_the_goal():
    def script(robot):
        yield Twist(0.1, 0.0)
    bench = Bench(Scripted(script))
    assert bench.tick().result is None
    decision = bench.tick()
    assert decision.result.outcome is Outcome.LOOP_DETECTED and decision.twist == STOP


@pytest.mark.parametrize('raises', [True, False])
def test_verdict_without_a_certificate_is_undecided_whether_raised_or_returned(raises):
    class Hasty(Scripted):

        def run(self, robot):
            yield STOP
            verdict = Result(Outcome.UNREACHABLE, 'so it seems', lap_length=3.0)
            if raises:
                raise Concluded(verdict)
            return verdict
    result = Bench(Hasty(None)).ticks(1.0).result
    assert (result.outcome, result.lap_length) == (Outcome.UNDECIDED, 3.0)


@pytest.mark.parametrize('outcome, why', [
    (Outcome.WORLD_CHANGED, 'the world kept changing'),
    (Outcome.ODOM_CONTRADICTORY, 'the obstacles are not closed')])
@pytest.mark.parametrize('skew, warning', [
    (0.2, 'scan stamps are 0.20 s ahead of odometry'),
    (-0.2, 'scan stamps are 0.20 s behind odometry'), (0.1, '')])
def test_result_names_scan_stamps_that_are_offset_from_odometry(skew, warning, outcome, why):
    class Ends(Scripted):

        def run(self, robot):
            for _ in range(20):
                yield STOP
            return Result(outcome, why)
    bench, result = Bench(Ends(None)), None
    while result is None:
        result = bench.tick(scans=[Scan(
            bench.stamp + skew, EMPTY, 0.0, math.radians(1.0), 0.12, 3.5)]).result
    assert why in result.message and ('scan stamps' in result.message) is bool(warning)
    assert warning in result.message
    if warning:  # the stamps may be the cause, so the outcome does not blame the sensors
        assert result.outcome is outcome


@pytest.mark.parametrize('skew, outcome', [
    (0.0, Outcome.UNREACHABLE), (0.1, Outcome.UNREACHABLE), (0.2, Outcome.UNDECIDED)])
def test_verdict_is_undecided_while_a_large_clock_skew_is_not_compensated(skew, outcome):
    class Encloses(Scripted):

        def run(self, robot):
            for _ in range(20):
                yield STOP
            return Result(Outcome.UNREACHABLE, 'it is enclosed')
    bench, result = Bench(Encloses(None), goal=(2.0, 0.0)), None
    while result is None:
        result = bench.tick(scans=[Scan(
            bench.stamp + skew, np.full(360, 0.6), 0.0, math.radians(1.0), 0.12, 3.5)]).result
    assert result.outcome is outcome
    assert ('synchronize the clocks' in result.message) is (outcome is Outcome.UNDECIDED)


def test_algorithm_that_ends_without_a_result_ends_the_goal_as_internal():
    class Silent(Scripted):

        def run(self, robot):
            yield STOP
    result = Bench(Silent(None)).ticks(1.0).result
    assert result.outcome is Outcome.INTERNAL
    assert result.message.startswith('Silent has ended with None instead of a Result')


def test_close_ends_the_generator():
    ends = []

    def script(robot):
        try:
            with robot.state('asking'):
                while True:
                    yield STOP
        finally:
            ends.append(list(robot.ledger.states))
    bench = Bench(Scripted(script))
    bench.tick()
    bench.navigator.close()
    assert ends == [[]] and bench.navigator.robot.ledger.states == []
    bench.navigator.close()      # a second time does nothing
    Bench().navigator.close()    # does nothing before the first tick


def test_end_of_the_goal_closes_the_generator():
    ends = []

    def script(robot):
        try:
            while True:
                yield STOP
        finally:
            ends.append(True)
    bench = Bench(Scripted(script), time_allowance=0.5)
    assert bench.ticks(1.0).result.outcome is Outcome.TIMEOUT
    assert ends == [True]


def test_exception_of_the_algorithm_propagates():
    def script(robot):
        yield STOP
        raise KeyError('a bug')
    bench = Bench(Scripted(script))
    bench.tick()
    with pytest.raises(KeyError, match='a bug'):
        bench.tick()


@pytest.mark.parametrize('twist', [Twist(math.nan, 0.0), Twist(0.0, math.inf)])
def test_non_finite_velocity_ends_the_goal_as_internal(twist):
    result = Bench(requesting(twist.v, twist.w)).tick().result
    assert result.outcome is Outcome.INTERNAL
    assert 'Scripted has yielded Twist(' in result.message and 'not a finite' in result.message


def test_misuse_of_a_behavior_ends_the_goal_with_an_explanation():
    def script(robot):
        yield STOP
        yield script(robot).place  # without `yield from`
    bench = Bench(Scripted(script))
    assert bench.tick().result is None
    result = bench.tick().result
    assert result.outcome is Outcome.INTERNAL
    assert 'Scripted uses a generator as the finding of a behavior' in result.message


def test_other_attribute_error_of_the_algorithm_propagates():
    def script(robot):
        yield (1).nothing
    with pytest.raises(AttributeError, match="'int' object has no attribute 'nothing'"):
        Bench(Scripted(script)).tick()


def test_events_are_reported_once():
    def script(robot):
        robot.record_leave()
        yield STOP
        yield STOP
        robot.record_leave()
        robot.record_leave()
        while True:
            yield STOP
    bench = Bench(Scripted(script))
    assert [len(bench.tick().events) for _ in range(4)] == [1, 0, 2, 0]


# Limits.

@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(-5.0, 5.0), st.floats(-20.0, 20.0), st.floats(-5.0, 5.0)),
                min_size=2, max_size=40),
       st.builds(RobotModel, max_vel_x=st.floats(0.05, 1.0), max_vel_theta=st.floats(0.1, 3.0),
                 acc_lim_x=st.floats(0.2, 5.0), acc_lim_theta=st.floats(0.2, 9.0),
                 max_wheel_vel=st.floats(0.05, 1.0), base=st.sampled_from(BASES)))
def test_no_command_exceeds_the_limits(commands, model):
    def script(robot):
        while True:
            for command in commands:
                yield Twist(*command)
    bench, before = Bench(Scripted(script), goal=(1e6, 0.0), model=model), STOP
    for k in range(2 * len(commands)):
        twist = bench.tick().twist
        speed = math.hypot(twist.v, twist.u)
        assert twist.u == 0.0 or model.base == 'omni'
        assert speed <= model.max_vel_x + 1e-9
        assert abs(twist.w) <= model.max_vel_theta + 1e-9
        wheel = speed + 0.5 * model.wheel_separation * abs(twist.w)
        assert wheel <= max(model.max_wheel_vel,
                            0.5 * model.wheel_separation * abs(twist.w)) + 1e-9
        elapsed = TICK if k else 0.0
        assert abs(twist.w - before.w) <= model.acc_lim_theta * elapsed + 1e-9
        # In any direction, speed grows by the acceleration limit at most; braking may be instant.
        if speed > 0.0:
            along = (before.v * twist.v + before.u * twist.u) / speed
            assert speed - along <= model.acc_lim_x * elapsed + 1e-9
        before = twist


def test_robot_accelerates_at_its_limit():
    bench = Bench(requesting(9.0))
    speeds = [bench.tick().twist.v for _ in range(7)]
    assert speeds == pytest.approx([0.0, 0.05, 0.10, 0.15, 0.20, 0.22, 0.22])


def test_wheel_limit_reduces_speed_before_turning():
    bench = Bench(requesting(0.22, 1.0))
    twist = bench.ticks(2.0).twist
    assert twist.w == pytest.approx(1.0)
    assert twist.v == pytest.approx(0.22 - 0.08)


# Two lidars.

REAR = Pose(-0.1, 0.0, math.pi)


@pytest.mark.parametrize('rear, message', [
    (None, 'no scan of the sensor at (-0.10, 0.00, 3.14) for 2.'),
    (np.zeros(360), 'no scan of the sensor at (-0.10, 0.00, 3.14) that could be used for 2.')])
def test_robot_waits_for_a_lidar_that_fails_although_the_other_is_used(rear, message):
    bench, waits, result = Bench(goal=(9.0, 0.0)), [], None
    while result is None and bench.stamp < 10.0:
        front = wall_ahead(3.0) + 1e-6 * bench.stamp
        each = {IDENTITY: front, REAR: front if bench.stamp < 2.0 else rear}
        decision = bench.tick(scans=[
            Scan(bench.stamp, ranges, 0.0, math.radians(1.0), 0.12, 3.5, mount)
            for mount, ranges in each.items() if ranges is not None])
        result = decision.result
        if 'waiting_for_scan' in decision.state and decision.twist == STOP:
            waits.append(bench.stamp)
    assert waits[0] == pytest.approx(2.0 + Settings().scan_timeout, abs=0.2)
    assert result.outcome is Outcome.SCAN_STALE and result.message.startswith(message)


def test_scans_of_another_lidar_do_not_make_a_moving_obstacle_more_recent(monkeypatch):
    bench, ages = bench_with_moving_obstacle((3.0, 0.0), (-0.5, 0.0)), []
    monkeypatch.setattr(bench.navigator._monitor, 'must_yield',
                        lambda _, scan_age: bool(ages.append(scan_age)))
    for k in range(40):  # each lidar scans every 0.2 s
        bench.tick(scans=[Scan(bench.stamp, wall_ahead(3.0) + 1e-6 * k, 0.0, math.radians(1.0),
                               0.12, 3.5, IDENTITY if k % 4 == 0 else REAR)] * (k % 2 == 0))
    assert len(ages) > 30 and min(ages) > 0.19


# Moving obstacles.

def bench_with_moving_obstacle(place, velocity):
    """Return a bench whose robot always detects this obstacle."""
    bench = Bench()
    tracker = bench.navigator.robot.perception.tracker
    tracker.mark_dynamic = lambda *_: None
    tracker.dynamic_obstacles = [
        DynamicObstacle(np.array([place]), velocity, math.hypot(*velocity), True)]
    return bench


@pytest.mark.parametrize('place, velocity, waits', [
    ((0.15, 0.0), (2.0, 0.0), True),        # in the way, though it moves away
    ((3.0, 0.0), (-0.5, 0.0), False),
    ((0.0, 0.55), (0.0, -1.0), True),       # could be here before the robot has stopped
    ((0.0, 0.9), (0.0, -1.0), False)])      # as the newest scan is not old
def test_robot_waits_for_a_moving_obstacle_that_is_in_the_way_or_comes(place, velocity, waits):
    bench = bench_with_moving_obstacle(place, velocity)
    decision = bench.ticks(1.0)
    assert (decision.state[-1] == 'waiting_for_passage') is waits
    assert (decision.twist == STOP) is waits


def test_collision_monitor_also_gets_the_points_of_moving_obstacles(monkeypatch):
    bench, given = bench_with_moving_obstacle((0.5, 0.3), (1.0, 0.0)), []
    monitor = bench.navigator._monitor
    clip = monitor.clip
    monkeypatch.setattr(monitor, 'clip', lambda intent, elapsed, perceived, *others: (
        given.append(perceived.all_points), clip(intent, elapsed, perceived, *others))[1])
    bench.tick(scans=[Scan(0.0, [0.7], 0.0, 0.1, 0.12, 3.5, Pose(0.1, 0.0, 0.0))])
    assert given[0].tolist() == [[pytest.approx(0.8), 0.0], [0.5, 0.3]]


def test_moving_obstacle_that_stays_in_the_way_blocks_the_robot():
    bench = bench_with_moving_obstacle((0.15, 0.0), (0.1, 0.0))
    decision = bench.ticks(MAX_YIELD_TIME + 1.0)
    assert decision.result.outcome is Outcome.BLOCKED
    assert decision.result.message == 'a moving obstacle was in the way for 120 s'


@pytest.mark.parametrize('place, wait', [
    (R + 0.04, TOUCH_WAIT), (R + 0.06, 0.0), (-R - 0.04, 0.0)])  # the last is behind the robot
def test_robot_stands_for_a_while_before_a_new_obstacle_that_touches_it(monkeypatch, place, wait):
    bench = Bench(movement_time_allowance=60.0)
    monkeypatch.setattr(bench.navigator.robot.perception, '_new_points',
                        lambda *_: np.array([(place, 0.0)]))
    bench.ticks(0.1)
    while bench.tick().twist == STOP:
        assert bench.stamp < 30.0
    assert bench.stamp == pytest.approx(wait, abs=0.3)


# The collision monitor.

def driving(v: float, w: float = 0.0):
    def script(robot):
        while True:
            yield Twist(v, w)
    return script


@pytest.mark.parametrize('v, heading', [(9.0, 0.0), (9.0, 0.5), (-9.0, math.pi), (0.22, -0.4)])
def test_collision_monitor_stops_before_a_wall_that_the_algorithm_ignores(v, heading):
    wall = world_of(block(1.0, 1.2, -3.0, 3.0))
    episode, _ = play(wall, driving(v), Pose(0.0, 0.0, heading), goal=(50.0, 0.0))
    assert episode.outcome == 'blocked' and episode.contacts == 0
    # The robot comes as near as allowed, up to the distance of a tick at creep speed.
    assert 0.0 < episode.min_clearance < MARGIN + 0.02


def test_collision_monitor_lets_the_robot_through_a_lane_that_fits():
    lane = world_of(block(-1.0, 5.0, R + 0.03, 1.0), block(-1.0, 5.0, -1.0, -R - 0.03))
    episode, _ = play(lane, driving(0.2), Pose(0.0, 0.0, 0.0), goal=(3.0, 0.0))
    assert episode.outcome == 'reached'


@pytest.mark.parametrize('behind, patience', [
    # From there, only parts of the corner farther back are visible again, in the same cell.
    ([(-1.0, 0.0), (-2.0, -1.0), (-3.0, 0.0), (-2.0, 1.0)], 10.0),
    # The robot pushes for longer than other points are remembered.
    (block(-1.2, -1.0, -3.0, 3.0), 60.0),
    (block(-1.2, -1.0, -3.0, 3.0), 10.0)])
def test_collision_monitor_stops_a_robot_that_reverses_into_its_blind_zone(behind, patience):
    episode, _ = play(world_of(behind), driving(-9.0), goal=(50.0, 0.0),
                      movement_time_allowance=patience)
    assert episode.outcome == 'blocked' and episode.contacts == 0


@pytest.mark.parametrize('speeds', [
    (9.0, 9.0, 0.1, 0.0), (9.0, 9.0, 0.1, 0.0, -0.1, -9.0),
    (-9.0,)], ids=['forwards', 'both ways', 'backwards'])
def test_erratic_algorithm_never_causes_a_contact(speeds):
    @settings(max_examples=25 if WHOLE else 8, phases=(Phase.explicit, Phase.generate))
    @given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from((1, 5, 20, 100)),
           st.sampled_from((0.2, 2.0)), st.sampled_from((0.0, 0.01)))
    def never_touches(seed, command_seed, patience, turning, noise):
        rng = np.random.default_rng(command_seed)

        def script(robot):
            while True:
                twist = Twist(float(rng.choice(speeds)), float(rng.normal(0.0, turning)))
                for _ in range(int(rng.integers(1, patience + 1))):
                    yield twist
        world = cluttered(seed, count=40, size=5.0)
        simulator = Simulator(world, Pose(*world.start), BURGER, LidarModel(scan_noise=noise),
                              seed)
        patient = Settings(movement_time_allowance=600.0)
        go(simulator, Navigator(Scripted(script), BURGER, patient), 1200)
        assert simulator.contacts == 0 and simulator.min_clearance >= R
    never_touches()


def go(simulator: Simulator, navigator: Navigator, ticks: int) -> None:
    """Drive for some ticks, or until there is a result or a contact."""
    for k in range(ticks):
        hand_over(simulator, navigator, k % 4 == 0)
        decision = navigator.tick(TickInput(simulator.stamp, (1e3, 0.0)))
        simulator.step(decision.twist, TICK)
        if simulator.contacts or decision.result is not None:
            break


def test_erratic_algorithm_without_a_collision_monitor_causes_a_contact():
    # Shows that the test above can fail.
    world = cluttered(3, count=40, size=5.0)
    simulator, rng = Simulator(world, Pose(*world.start), BURGER), np.random.default_rng(1)
    for _ in range(60):
        command = Twist(9.0, float(rng.normal(0.0, 2.0)))
        for _ in range(20):
            simulator.step(command, TICK)
    assert simulator.contacts > 0


def test_robot_brakes_in_time_for_any_speed_deceleration_and_radius():
    for speed, brake, radius in ((1.0, 0.5, 0.3), (2.0, 1.0, 0.2), (0.5, 5.0, 0.1)):
        model = RobotModel(max_vel_x=speed, max_wheel_vel=speed, acc_lim_x=brake,
                           robot_radius=radius)
        wall = world_of(block(6.0, 6.2, -3.0, 3.0))
        simulator = Simulator(wall, IDENTITY, model, QUIET)
        navigator = Navigator(Scripted(driving(speed)), model, Settings())
        go(simulator, navigator, 600)
        assert simulator.contacts == 0
        assert 6.0 - radius - 0.1 < simulator.pose.x < 6.0 - radius


def test_collision_monitor_protects_the_body_and_not_the_contour_radius():
    # The monitor lets the body come nearer than rho, which only algorithms keep.
    wall = world_of(block(1.0, 1.2, -3.0, 3.0))
    episode, _ = play(wall, driving(0.1), goal=(50.0, 0.0))
    assert episode.min_clearance + R < RHO - 0.05


def test_hold_while_the_clock_is_paused_takes_no_time():
    bench = Bench()
    bench.ticks(0.2)
    for _ in range(1000):  # a paused simulation
        bench.navigator.hold('waiting_for_clock')
    assert bench.tick().result is None


def test_hold_does_not_count_as_time_without_progress():
    bench = Bench(movement_time_allowance=1.0)
    bench.ticks(0.2)
    bench.navigator.hold('waiting_for_transform')
    bench.stamp += 3.0
    assert bench.tick().result is None


def test_progress_check_restarts_after_a_hold():
    navigator = Navigator(Scripted(driving(0.1)), BURGER, Settings(
        movement_time_allowance=1.0, give_up_timeout=60.0))
    simulator = Simulator(world_of(), Pose(0.0, 0.0, 0.0), BURGER)

    def tick(scans):
        hand_over(simulator, navigator, scans)
        decision = navigator.tick(TickInput(simulator.stamp, (9.0, 0.0)))
        simulator.step(decision.twist, TICK)
        return decision
    tick(True)
    for _ in range(60):
        assert tick(False).result is None
    assert tick(True).result is None
