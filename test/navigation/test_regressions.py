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

"""Faults found in public implementations of Bug algorithms: none of them is ours."""

from __future__ import annotations

import ast
import itertools
import math
from pathlib import Path

from arena import (
    block,
    drive_bug2,
    hand_over,
    hits_and_leaves,
    play,
    QUIET,
    RHO,
    Stage,
    TURNS,
    world_of,
)
from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.algorithms.bug2 import Bug2, CloserOnMLine
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.geometry import Pose, Segment
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.points import obstacle_points
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Observation, Scan, STOP
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np
from part import part
import pytest

PACKAGE = Path(__file__).resolve().parents[2] / 'bug_nav'
FAST = RobotModel(max_vel_x=1.0, max_wheel_vel=1.0, acc_lim_x=2.0, max_vel_theta=3.0,
                  acc_lim_theta=10.0)
SLOW = RobotModel(max_vel_x=0.05, max_wheel_vel=0.05, max_vel_theta=0.3)


# Scan indices hard-coded; sectors by index instead of angle; 720 or 360 beams assumed.

@pytest.mark.parametrize('lidar', [
    LidarModel(scan_noise=0.0, scan_count=count, scan_angle_min=first,
               scan_angle_max=first + 2.0 * math.pi * (count - 1) / count)
    for count, first in ((180, 0.0), (241, -math.pi), (359, 1.0), (720, -1.0), (1440, 2.0))],
    ids=lambda lidar: f'{lidar.scan_count} beams from {lidar.scan_angle_min:.1f}')
def test_beams_are_told_by_their_angles_however_many_and_wherever_they_begin(lidar):
    for name, outcome in (('box', 'reached'), ('ring_start', 'unreachable')):
        usual = drive_bug2(find_world(name))
        episode = drive_bug2(find_world(name), lidar=lidar)
        assert (episode.outcome, episode.contacts) == (outcome, 0)
        assert episode.path_length == pytest.approx(usual.path_length, rel=0.03)


@pytest.mark.parametrize('yaw', [math.pi / 2, math.pi, -2.0])
def test_sensor_that_does_not_look_ahead_is_told_by_its_mount(yaw):
    # The same scan, of a lidar that is turned on the robot.
    simulator = Simulator(find_world('box'), Pose(2.1, 0.0, 0.4), lidar=QUIET)
    scan = simulator.scan()
    turned = Scan(scan.stamp, scan.ranges, scan.angle_min - yaw, scan.angle_increment,
                  scan.range_min, scan.range_max, Pose(scan.mount.x, 0.0, yaw))
    assert obstacle_points(turned) == pytest.approx(obstacle_points(scan))


# Infinite ranges used as 10 m points.

@pytest.mark.parametrize('nothing', [math.inf, math.nan, 0.0, 3.6, 1e9])
def test_nothing_seen_is_not_a_wall_at_the_end_of_the_range(nothing):
    scan = Scan(0.0, np.full(360, nothing), 0.0, math.radians(1.0), 0.12, 3.5)
    assert len(obstacle_points(scan)) == 0


def test_open_space_reported_beyond_the_range_is_driven_through():
    lidar = LidarModel(scan_noise=0.0, scan_use_inf=False, scan_range_max=0.6)
    episode = drive_bug2(find_world('open'), lidar=lidar)
    assert episode.outcome == 'reached' and episode.events == []


# Bug2 leaves without being closer than the hit point, or right at the hit point.

@pytest.mark.parametrize('name, turn', part(itertools.product(
    ['spiral_out', 'spiral_out_W', 'maze', 'u_trap', 'box', 'pole'], TURNS), 3))
def test_robot_leaves_closer_than_it_hit_and_not_where_it_hit(name, turn):
    episode = drive_bug2(find_world(name), turn)
    hits, leaves = hits_and_leaves(episode)
    assert len(hits) == len(leaves) > 0
    for hit, leave in zip(hits, leaves):
        assert leave.goal_distance < hit.goal_distance - 0.03
        assert leave.path_length - hit.path_length > RHO
        assert math.dist(leave.pose.position, hit.pose.position) > 0.3


def stepping(robot: Robot, before, after, goal, correction=Pose(0.0, 0.0, 0.0)) -> Robot:
    for place, held in ((before, True), (after, False)):
        robot.put(0.0, Pose(*place, 0.0), goal, held, correction)
    return robot


@pytest.mark.parametrize('x, leaves', [(2.0, False), (3.9, False), (4.1, True), (6.0, True)])
def test_crossing_of_the_m_line_counts_only_where_it_is_closer(x, leaves):
    # The hit was 6 m from the goal.
    rule = CloserOnMLine((0.0, 0.0), 6.0)
    robot = Stage(world_of(), goal=(10.0, 0.0)).robot
    assert rule(stepping(robot, (x, -0.01), (x, 0.01), (10.0, 0.0))) is leaves


@pytest.mark.parametrize('x', [-1.0, 10.5])
def test_line_beyond_start_and_goal_is_not_the_m_line(x):
    rule = CloserOnMLine((0.0, 0.0), 60.0)
    robot = Stage(world_of(), goal=(10.0, 0.0)).robot
    assert not rule(stepping(robot, (x, -0.01), (x, 0.01), (10.0, 0.0)))


def test_crossing_with_the_way_blocked_is_no_place_to_leave():
    wall = world_of(block(5.3, 5.5, -2.0, 2.0))
    robot = Stage(wall, Pose(5.0, 0.0, 0.0), (10.0, 0.0)).robot
    rule = CloserOnMLine((0.0, 0.0), 6.0)
    assert not rule(stepping(robot, (5.0, -0.01), (5.0, 0.01), (10.0, 0.0)))
    free = Stage(world_of(), Pose(5.0, 0.0, 0.0), (10.0, 0.0)).robot
    assert rule(stepping(free, (5.0, -0.01), (5.0, 0.01), (10.0, 0.0)))


# The M-line compared by slope, or by a distance threshold that a fast robot steps over.

@pytest.mark.parametrize('goal', [(0.0, 10.0), (0.0, -10.0), (-10.0, 0.0), (1e-9, 10.0)])
def test_upright_m_line_is_crossed_like_any_other(goal):
    rule = CloserOnMLine((0.0, 0.0), 6.0)
    ahead = math.atan2(goal[1], goal[0])
    here = Pose(6.0 * math.cos(ahead), 6.0 * math.sin(ahead), ahead)
    robot = Stage(world_of(), goal=goal).robot
    for side in (1, -1):
        before, after = here.apply((0.0, -0.01 * side)), here.apply((0.0, 0.01 * side))
        assert rule(stepping(robot, before, after, goal))


@pytest.mark.parametrize('stride', [0.001, 0.02, 0.5, 2.0])
def test_line_is_not_stepped_over_however_long_the_step(stride):
    rule = CloserOnMLine((0.0, 0.0), 6.0)
    robot = Stage(world_of(), goal=(10.0, 0.0)).robot
    assert rule(stepping(robot, (6.0, -0.4 * stride), (6.0, 0.6 * stride), (10.0, 0.0)))
    # Near the line is not on it.
    assert not rule(stepping(robot, (6.0, -stride), (6.0, -1e-6), (10.0, 0.0)))


def test_jump_of_the_correction_over_the_line_is_no_crossing():
    rule = CloserOnMLine((0.0, 0.0), 6.0)
    robot = Stage(world_of(), goal=(10.0, 0.0)).robot
    stepping(robot, (6.0, -0.30), (6.0, -0.20), (10.0, 0.0))
    robot.put(0.0, Pose(6.0, -0.19, 0.0), (10.0, 0.0), False, correction=Pose(0.0, 0.5, 0.0))
    assert robot.position[1] > 0.0 and not rule(robot)


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name, outcome', [
    ('box', 'reached'), ('u_trap', 'reached'), ('ring_goal', 'unreachable')])
def test_fast_robot_misses_neither_the_line_nor_its_goal_nor_its_lap(name, outcome, turn):
    # 5 cm in a tick, 20 cm between two scans.
    episode = drive_bug2(find_world(name), turn, model=FAST)
    assert (episode.outcome, episode.contacts) == (outcome, 0)
    assert episode.path_length == pytest.approx(
        drive_bug2(find_world(name), turn).path_length, rel=0.08)


# "The second time at the closest point" decided by a timer; a return between two ticks.

@pytest.mark.parametrize('name', ['ring_start', 'goal_solid', 'box'])
def test_lap_and_leave_hang_on_the_way_and_not_on_time(name):
    # At a quarter of the speed everything comes four times later.
    usual = drive_bug2(find_world(name))
    slow = drive_bug2(find_world(name), model=SLOW, movement_time_allowance=60.0)
    assert slow.outcome == usual.outcome and slow.time > 3.0 * usual.time
    assert slow.path_length == pytest.approx(usual.path_length, rel=0.03)
    assert len(slow.events) == len(usual.events)


def test_robot_that_is_held_up_for_long_finishes_its_lap_all_the_same():
    # It stands for ten seconds, three times on its lap, for want of scans.
    world = find_world('ring_start')
    simulator = Simulator(world, Pose(*world.start), lidar=QUIET)
    navigator = Navigator(Bug2(), settings=Settings(movement_time_allowance=60.0,
                                                    give_up_timeout=30.0))
    for k in range(20_000):
        waiting = any(0 <= k - begin < 200 for begin in (400, 700, 900))
        hand_over(simulator, navigator, not (waiting or k % 4))
        decision = navigator.tick(Observation(simulator.stamp, world.goal))
        stale = any(20 <= k - begin < 200 for begin in (400, 700, 900))
        assert decision.twist == STOP or not stale
        if decision.result is not None:
            break
        simulator.step(decision.twist, 0.05)
    assert decision.result.outcome.value == 'unreachable'
    assert decision.result.lap_length == pytest.approx(
        drive_bug2(world).result.lap_length, rel=0.02)


# An enclosed goal: never ends, or "succeeds" through the wall.

@pytest.mark.parametrize('name, turn, tolerance', part(itertools.product(
    ['ring_goal', 'ring_start', 'arena_out', 'goal_solid'], TURNS, [0.05, 0.25]), 5))
def test_enclosed_goal_ends_unreachable_after_one_lap(name, turn, tolerance):
    world = find_world(name)
    episode = drive_bug2(world, turn, xy_goal_tolerance=tolerance, time_allowance=600.0)
    assert episode.outcome == 'unreachable'
    assert episode.path_length < 1.3 * (math.dist(world.start[:2], world.goal)
                                        + episode.result.lap_length)


# A goal that can be reached is told unreachable, for a gap that is only just wide enough.

@pytest.mark.parametrize('gap, turn', part(itertools.product(
    [(0.0, 0.0), (0.004, 0.0), (0.01, 0.0), (0.03, 0.01)], TURNS), 3))
def test_closest_place_of_a_lap_may_be_in_a_gap_that_the_disc_just_fits(gap, turn):
    spare, noise = gap
    # The block is gone round, and off its closest place there is the wall, a few millimetres away.
    near = 1.0 - 2 * RHO - spare
    world = world_of(block(1.0, 3.0, 1.0, 1.5), block(0.0, 4.0, near - 0.5, near))
    start, goal = (2.0, 3.0, 0.0), (2.0, -1.0)
    assert judge(world, start, goal, RHO) is True
    episode = drive_bug2(world, turn, start=start, goal=goal,
                         lidar=LidarModel(scan_noise=noise), time_allowance=600.0)
    assert (episode.outcome, episode.contacts) == ('reached', 0)


def test_gap_that_narrows_inside_is_judged_alike_from_both_ends():
    world = find_world('random:cluttered?seed=9&count=60&size=6&gaps=0.8')
    assert judge(world, world.start, world.goal, RHO) is True
    assert drive_bug2(world, 'right').outcome == 'reached'


@pytest.mark.parametrize('turn', TURNS)
def test_goal_in_a_corner_that_the_robot_has_cut_is_looked_for_there(turn):
    # A cleft between two blocks, that the disc reaches the bottom of and the robot behind it not.
    world = find_world('random:cluttered?seed=3082')
    assert judge(world, world.start, world.goal, RHO) is True
    episode = drive_bug2(world, turn, lidar=LidarModel(scan_noise=0.01), seed=3082)
    assert (episode.outcome, episode.contacts) == ('reached', 0)


@pytest.mark.parametrize('turn', TURNS)
def test_wall_that_comes_nearer_little_by_little_ends_a_transition(turn):
    # TangentBug went straight for a node, along a wall that it came 8 cm too near to.
    world = find_world('random:cluttered?seed=4560015&count=60&size=6&gaps=0.8')
    episode = run_episode(world, Pose(*world.start), world.goal, TangentBug(),
                          settings=Settings(turn_direction=turn), lidar=QUIET, seed=606690013,
                          time_allowance=3000.0, keep_samples=False)
    assert (episode.outcome, episode.contacts) == ('reached', 0)
    assert episode.min_clearance > 0.05


# Noise in a narrow gap: the disc is caged between jambs that show nearer than before.

@pytest.mark.parametrize('name, turn, outcome', [
    ('random:cluttered?seed=3023', 'right', 'reached'),
    ('random:cluttered?seed=5108&reachable=false', 'right', 'unreachable'),
    ('random:cluttered?seed=5116&reachable=false', 'right', 'unreachable'),
    ('random:cluttered?seed=6030&reachable=false', 'left', 'unreachable')])
def test_robot_in_a_gap_that_noise_narrows_is_neither_boxed_in_nor_jammed(name, turn, outcome):
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO) is (outcome == 'reached')
    seed = int(name.partition('=')[2].partition('&')[0])
    episode = drive_bug2(world, turn, lidar=LidarModel(scan_noise=0.01), seed=seed)
    assert (episode.outcome, episode.contacts) == (outcome, 0)
    assert 'boxed in' not in episode.result.message


def test_robot_that_protruded_into_a_gap_gets_its_certificate():
    # Its centre was 4 mm beyond the line between the jambs, which counted as a passage.
    world = find_world('random:cluttered?seed=258970546&reachable=false')
    episode = run_episode(world, Pose(*world.start), world.goal, find('i_bug')(), seed=1053478704,
                          settings=Settings(turn_direction='right'), time_allowance=1000.0)
    assert episode.outcome == 'unreachable' and episode.result.certificate


# Each reading a point of its own, and forgotten after a second: gaps were judged anew for ever,
# doors looked shut, and the disc was jammed between points that were nowhere.

@pytest.mark.parametrize('name, algorithm, turn, seed', part([
    ('rooms?seed=9830270', 'bug1', 'left', 173173144),
    ('rooms?seed=9830270', 'bug2', 'left', 414887562),
    ('rooms?seed=9830224', 'dist_bug', 'left', 350109366),
    ('rooms?seed=9730027', 'one_bug', 'left', 341561431),
    ('cluttered?seed=9830172', 'leave_bug', 'left', 720417547),
    ('cluttered?seed=9810002', 'alg2', 'left', 590944574),
    ('cluttered?seed=9810018', 'alg2', 'left', 793785723),
    ('cluttered?seed=9810018', 'c_bug', 'right', 879035111),
    ('cluttered?seed=10110008', 'rev2', 'left', 776172825),
    ('cluttered?seed=9410024&reachable=false', 'alg2', 'right', 1701671301),
    ('cells?seed=11510024', 'vis_bug_21', 'right', 1233367906),
    ('cluttered?seed=11620002&reachable=false', 'wedge_bug', 'left', 944304657),
    ('cluttered?seed=11410000&reachable=false', 'class2', 'left', 544538756),
    ('cells?seed=11410000&reachable=false', 'alg1', 'left', 534110556),
    ('cluttered?seed=7700007&count=60&size=6&gaps=0.8', 'bug2', 'right', 1459450265),
    ('cluttered?seed=7700008&count=60&size=6&gaps=0.8', 'bug1', 'right', 2036698075)], 5))
def test_noise_neither_shuts_a_gap_nor_keeps_the_robot_in_it(name, algorithm, turn, seed):
    world = find_world(f'random:{name}')
    episode = run_episode(world, Pose(*world.start), world.goal, find(algorithm)(), seed=seed,
                          settings=Settings(turn_direction=turn), time_allowance=1000.0)
    assert episode.outcome == ('unreachable' if 'false' in name else 'reached')
    assert episode.contacts == 0


# The goal in the source code; state that survives a goal.

@pytest.mark.parametrize('goal', [(6.0, 0.5), (-2.0, 1.0), (3.0, 3.0), (3.0, -3.0)])
def test_goal_is_where_it_is_said_to_be(goal):
    episode = drive_bug2(find_world('box'), goal=goal, drift_correction='none')
    assert episode.outcome == 'reached'
    assert math.dist(episode.samples[-1].pose.position, goal) <= 0.10


def test_start_need_not_be_the_origin():
    world = find_world('box').transformed(1000.0, -2000.0, 0.0)
    episode = drive_bug2(world)
    assert episode.outcome == 'reached'
    m_line = Segment(world.start[:2], world.goal)
    assert all(abs(m_line.offset(event.pose.position)) < 0.05 for event in episode.events)


def test_algorithm_that_is_run_again_starts_afresh():
    algorithm, world = Bug2(), find_world('u_trap')
    episodes = [play(world, algorithm.run, Pose(*world.start), world.goal)[0] for _ in range(2)]
    assert episodes[0].path_length == episodes[1].path_length
    assert episodes[0].events == episodes[1].events


# Sleep in a callback.

@pytest.mark.parametrize('room', ['navigation', 'simulation', 'ros'])
def test_nothing_sleeps(room):
    for path in sorted((PACKAGE / room).rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
            if isinstance(node, ast.Call):
                called = node.func
                name = getattr(called, 'attr', getattr(called, 'id', ''))
                # The stop process is on its own; the steady timer is the wait of the main loop.
                assert path.name in ('stop_process.py', 'steady_timer.py') or name not in (
                    'sleep', 'sleep_for', 'sleep_until'), f'{path}:{node.lineno}'


# No stop on cancel or Ctrl-C: that of the node is tested with ROS; here, of what it stands on.

def test_every_end_of_a_goal_asks_for_standstill():
    world = find_world('box')
    for fault, allowance in (('', 0.0), ('no scans', 0.0), ('no odometry', 0.0),
                             ('jumps', 0.0), ('goes back in time', 0.0), ('', 4.0)):
        simulator = Simulator(world, Pose(*world.start), lidar=QUIET)
        navigator = Navigator(Bug2(), time_allowance=allowance,
                              settings=Settings(movement_time_allowance=60.0))
        moving = False
        for k in range(4000):
            happens = fault if k >= 60 else ''
            if happens == 'jumps':
                navigator.add_pose(simulator.stamp, Pose(9.0, 9.0, 0.0))
            elif happens != 'no odometry':
                navigator.add_pose(simulator.stamp, simulator.odometry)
            if k % 4 == 0 and happens != 'no scans':
                navigator.add_scan(simulator.scan(), simulator.stamp)
            decision = navigator.tick(Observation(
                -9.0 if happens == 'goes back in time' else simulator.stamp, world.goal))
            if decision.result is not None:
                break
            moving |= decision.twist.v > 0.1
            simulator.step(decision.twist, 0.05)
        assert moving and decision.result is not None and decision.twist == STOP


# Decisions without end, and data that are none.

@pytest.mark.parametrize('name', part([
    'bug0', 'bug1', 'bug1_plus', 'bug2', 'one_bug', 'dist_bug', 'cautious_bug', 'tangent_bug'], 3))
def test_goal_within_its_tolerance_and_behind_a_wall_comes_to_an_end(name):
    # It was asked for a way of negative length, which is always free: hit and left for ever.
    world = find_world('box')
    assert not judge(world, world.start, (2.52, 0.0), RHO, 0.3, 0.02)
    for seed in range(3):
        episode = run_episode(world, Pose(*world.start), (2.52, 0.0), find(name)(), seed=seed,
                              settings=Settings(xy_goal_tolerance=0.3))
        assert episode.outcome == ('loop_detected' if name == 'bug0' else 'unreachable')
        assert len(episode.events) <= 5


def test_goal_inside_a_thin_wall_comes_to_an_end():
    wall = world_of(block(1.0, 1.04, -1.0, 1.0))
    episode = run_episode(wall, Pose(0.0, 0.0, 0.0), (1.02, 0.0), find('dist_bug')(),
                          settings=Settings(xy_goal_tolerance=0.25))
    assert episode.outcome == 'unreachable'


def test_algorithm_that_decides_for_ever_without_a_move_is_a_fault_of_its_own():
    def script(robot):
        while True:
            with robot.state('wondering'):
                pass
            robot.record_leave()
            if robot.ledger.hits:
                yield STOP
    episode, _ = play(world_of(), script, Pose(0.0, 0.0, 0.0))
    assert episode.outcome == 'internal'
    assert 'decisions without a move (leave, wondering)' in episode.result.message


@pytest.mark.parametrize('lidar', [
    {'scan_dropout': 1.0}, {'scan_dropout': 1.0, 'scan_zeros': True}, {'scan_dropout': 0.99}])
def test_lidar_that_reports_errors_alone_is_silent(lidar):
    world = find_world('demo')
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), lidar=LidarModel(**lidar))
    assert episode.outcome == 'scan_stale' and episode.path_length == 0.0
    assert 'beams of the scan are errors' in episode.result.message
    assert episode.time == pytest.approx(2.0, abs=0.5)


@pytest.mark.parametrize('lidar', [
    {'scan_dropout': 0.5}, {'scan_zeros': True}, {'scan_zeros': True, 'scan_dropout': 0.3}])
def test_lidar_of_which_many_beams_are_lost_leads_to_the_goal(lidar):
    world = find_world('demo')
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), lidar=LidarModel(**lidar))
    assert episode.outcome == 'reached' and episode.contacts == 0


def test_robot_that_is_slow_is_not_blocked():
    world = find_world('box')
    model = RobotModel(max_vel_x=0.03, max_wheel_vel=0.03)
    assert drive_bug2(world, model=model).outcome == 'reached'


def test_waiting_now_and_then_without_end_comes_to_an_end():
    # Half a second of scans in every two: no gap is long enough to give up, and nothing is done.
    navigator = Navigator(Bug2(), settings=Settings(movement_time_allowance=5.0))
    for k in range(2000):
        stamp = 0.05 * k
        navigator.add_pose(stamp, Pose(0.0, 0.0, 0.0))
        if k % 40 < 4:
            navigator.add_scan(
                Scan(stamp, np.full(360, math.inf), 0.0, math.radians(1.0), 0.12, 3.5))
        decision = navigator.tick(Observation(stamp, (5.0, 0.0)))
        if decision.result is not None:
            break
    assert decision.result.outcome.value in ('scan_stale', 'blocked') and stamp < 30.0
