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
"""Tests of the tracker, which distinguishes dynamic from static and newly seen obstacles."""

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.sweep import PERSON, Sweep
from bug_nav.navigation.perception.tracker import (
    DynamicObstacleTracker,
    INITIAL_SPEED,
    MOTION_HORIZON,
    MOVING_AREA,
)
from bug_nav.navigation.types import Scan, STOP, Twist
from bug_nav.simulation.generators import rectangle
from bug_nav.simulation.movers import disc, Person, Script, Scripted
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np
import pytest

WAITED = 5.0
HALL = (rectangle(0, 2.5, 8, 0.2, 0), rectangle(0, -2.5, 8, 0.2, 0), rectangle(4, 0, 0.2, 5, 0),
        rectangle(-4, 0, 0.2, 5, 0))
START = Pose(-2.0, 0.0, 0.0)


def scans(simulator, seconds, tracker, twist=STOP):
    """Yield the time, the scan, and the scan without dynamic obstacles, five times a second."""
    lidar = LidarFilter(WAITED)
    for k in range(round(seconds * 20)):
        if k % 4 == 0:
            pose = simulator.pose
            sweep = lidar.read(Placed(simulator.scan(), pose, simulator.stamp), pose, 0.0)
            tracker.mark_dynamic(sweep, *lidar.beam_ends,
                                 pose.compose(sweep.scan.mount).position)
            yield simulator.stamp, sweep.scan, sweep.static
        simulator.step(twist, 0.05)


def scans_in_turn(simulator, seconds, tracker, yaws):
    """Yield the time after each scan of lidars that look along ``yaws``, ten a second in turn."""
    lidars = [(yaw, LidarFilter(WAITED)) for yaw in yaws]
    for k in range(round(seconds * 20)):
        if k % 2 == 0:
            yaw, lidar = lidars[k // 2 % len(lidars)]
            pose, scan = simulator.pose, half(simulator.scan(), yaw)
            sweep = lidar.read(Placed(scan, pose, simulator.stamp), pose, 0.0)
            tracker.mark_dynamic(sweep, *lidar.beam_ends, pose.position)
            yield simulator.stamp
        simulator.step(STOP, 0.05)


def half(scan, yaw):
    """Return the half of a scan all around that a lidar with this yaw measures."""
    first = round((yaw - 0.5 * math.pi) / scan.angle_increment)
    return scan._replace(ranges=np.roll(scan.ranges, -first)[:len(scan.ranges) // 2],
                         angle_min=first * scan.angle_increment - yaw, mount=Pose(0.0, 0.0, yaw))


def sweep_of(scan):
    return Sweep(scan, np.zeros(len(scan.ranges), dtype=np.uint8))


def walker(speed=0.6):
    return Person('p', [(-1.0, -1.5), (-1.0, 1.5)], speed=speed, manner='stubborn')


@pytest.mark.parametrize('twist', [Twist(0.0, 0.0), Twist(0.2, 0.0), Twist(0.15, 0.5)])
@pytest.mark.parametrize('noise', [0.0, 0.01])
def test_static_world_has_no_dynamic_obstacles_for_any_robot_motion(twist, noise):
    post, slanting = disc(0.03, -0.8, 0.6), rectangle(0.5, -0.8, 1.5, 0.08, 0.4)
    simulator = Simulator(World('hall', (*HALL, post, slanting)), START,
                          lidar=LidarModel(scan_noise=noise), seed=4)
    tracker = DynamicObstacleTracker(WAITED)
    for _, scan, left in scans(simulator, 10.0, tracker, twist):
        assert tracker.dynamic_obstacles == [] and left is scan
    assert not tracker.has_moved


def test_walking_person_is_tracked_with_velocity_and_removed_from_the_scan():
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    for stamp, scan, left in scans(simulator, 3.0, tracker):
        if stamp > 2.0:
            thing, = tracker.dynamic_obstacles
            assert thing.is_tracked and thing.velocity == pytest.approx((0.0, 0.6), abs=0.2)
            assert thing.speed == pytest.approx(0.6, abs=0.25)
            body = simulator.scene.bodies[0].pose
            off = np.hypot(*(thing.points - (body.x, body.y)).T)
            assert np.abs(off - 0.25).max() < 0.06
            hidden = np.isnan(left.ranges) & ~np.isnan(scan.ranges)
            assert hidden.sum() == len(thing.points)
            assert np.array_equal(left.ranges[~hidden], scan.ranges[~hidden], equal_nan=True)
    assert tracker.has_moved


@pytest.mark.parametrize('beams, objects', [(360, 1), (180, 2)])
def test_objects_at_both_ends_of_the_view_are_one_only_in_a_full_turn(beams, objects):
    changed = np.r_[0:8, beams - 8:beams]
    ranges = np.full(beams, math.inf)
    ranges[changed] = 1.0
    scan = Scan(0.0, ranges, 0.0, math.radians(1.0), 0.12, 3.5)
    spacing = np.full(beams, math.inf)
    spacing[changed] = 0.02
    bearings = math.radians(1.0) * np.arange(beams)
    ends = np.stack((np.cos(bearings), np.sin(bearings)), axis=1)
    tracker = DynamicObstacleTracker(WAITED)
    tracker.mark_dynamic(sweep_of(scan), ends, spacing, (0.0, 0.0))
    assert len(tracker.dynamic_obstacles) == objects


def test_newly_seen_obstacle_has_the_initial_speed():
    came = Scripted('p', (disc(0.25, -1.0, 0.0),), Script([0.0], [(0, 0, 0)]), since=1.0)
    simulator = Simulator(World('hall', HALL, movers=(came,)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    speeds = [thing.speed for stamp, _, _ in scans(simulator, 1.2, tracker)
              for thing in tracker.dynamic_obstacles]
    assert speeds == [INITIAL_SPEED]


def test_settled_obstacle_is_recorded_as_an_arrival():
    came = Scripted('p', (disc(0.25, -1.0, 0.0),), Script([0.0], [(0, 0, 0)]), since=1.0)
    simulator = Simulator(World('hall', HALL, movers=(came,)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    last = max(stamp for stamp, _, _ in scans(simulator, 12.0, tracker)
               if tracker.dynamic_obstacles)
    assert last == pytest.approx(1.0 + WAITED, abs=0.3)
    assert tracker.arrived_last_seen((-1.25, 0.0)) == pytest.approx(last, abs=0.01)
    assert tracker.arrived_last_seen((3.9, 0.0)) == -math.inf
    near = tracker.has_arrived(np.array([(-1.25, 0.0), (3.9, 0.0)]))
    assert near.tolist() == [True, False]
    scan = simulator.scan()
    sweep = sweep_of(scan)
    tracker.mark_person_sized(sweep)
    hidden = sweep.kinds == PERSON
    assert 10 < hidden.sum() < 60 and (scan.ranges[hidden] < 1.2).all()


@pytest.mark.parametrize('end, lasts', [('leaves', 0.0), ('stays', WAITED)])
def test_more_motion_is_expected_until_a_while_after_a_person_has_moved(end, lasts):
    walks = Scripted('p', (disc(0.25),), Script([0.0, 3.0], [(-1.0, -1.2, 0.0), (-1.0, 1.2, 0.0)]),
                     until=3.0 if end == 'leaves' else math.inf)
    simulator = Simulator(World('hall', HALL, movers=(walks,)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    stamps = [stamp for stamp, _, _ in scans(simulator, 20.0, tracker)
              if tracker.may_move(START.position, stamp)]
    assert tracker.has_moved and 1.0 <= stamps[0] <= 2.5
    assert stamps[-1] == pytest.approx(3.0 + lasts + MOTION_HORIZON, abs=0.5)
    assert len(stamps) == pytest.approx(5.0 * (stamps[-1] - stamps[0]) + 1.0)


def test_more_motion_is_always_expected_where_a_door_has_moved():
    leaf = Scripted('door', (rectangle(0.0, 0.0, 0.1, 1.2, 0.0),),
                    Script([0.0, 3.0], [(-0.5, 3.2, 0.0), (-0.5, 1.8, 0.0)]))
    simulator = Simulator(World('hall', HALL, movers=(leaf,)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    list(scans(simulator, 6.0, tracker))
    assert tracker.has_moved and tracker.may_move(START.position, 1000.0)
    assert tracker.may_move((2.0 * MOVING_AREA, 0.0), 6.0)
    assert not tracker.may_move((2.0 * MOVING_AREA, 0.0), 1000.0)


def test_passing_person_is_not_an_arrival():
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    list(scans(simulator, 3.0, tracker))
    assert tracker.arrived_last_seen((-1.25, 0.0)) == -math.inf


@pytest.mark.parametrize('away, held', [(0.7, True), (1.2, False)])
def test_nearby_obstacle_is_kept_for_a_moment_after_it_disappears(away, held):
    # An obstacle also disappears when it comes nearer than the lidar can measure.
    there = Scripted('p', (disc(0.25, START.x + away, 0.0),), Script([0.0], [(0, 0, 0)]),
                     since=1.0, until=2.0)
    simulator = Simulator(World('hall', HALL, movers=(there,)), START, seed=1)
    tracker, unseen = DynamicObstacleTracker(WAITED), []
    for stamp, scan, left in scans(simulator, 6.0, tracker):
        if tracker.dynamic_obstacles and left is scan:
            unseen.append(stamp)
            first = tracker.dynamic_obstacles[0]
            assert not first.is_tracked and first.speed == INITIAL_SPEED
    assert bool(unseen) is held
    if held:
        assert unseen[0] == pytest.approx(2.0) and 0.5 < unseen[-1] - unseen[0] < 0.9


def test_obstacle_that_was_hidden_is_not_dynamic():
    # The robot drives past the end of a wall, and sees the obstacle behind it.
    wall = rectangle(0.0, 0.6, 1.0, 0.1, 0.0)
    behind = disc(0.25, 0.0, 1.2)
    simulator = Simulator(World('hall', (*HALL, wall, behind)), START, seed=3)
    tracker = DynamicObstacleTracker(WAITED)
    for _ in scans(simulator, 18.0, tracker, Twist(0.2, 0.0)):
        assert tracker.dynamic_obstacles == []


# Two lidars.

ALL_AROUND = LidarModel(scan_angle_max=math.radians(359.0))


@pytest.mark.parametrize('yaw', [0.0, 0.4, -0.4])
@pytest.mark.parametrize('is_first', [True, False])
def test_person_is_tracked_although_another_lidar_does_not_see_them(yaw, is_first):
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, lidar=ALL_AROUND, seed=1)
    tracker, yaws = DynamicObstacleTracker(WAITED), (yaw, yaw + math.pi)
    for stamp in scans_in_turn(simulator, 4.0, tracker, yaws if is_first else yaws[::-1]):
        if stamp > 2.0:
            thing, = tracker.dynamic_obstacles
            assert thing.is_tracked and thing.velocity == pytest.approx((0.0, 0.6), abs=0.25)
    assert tracker.has_tracked_motion


def test_person_is_forgotten_a_second_after_the_last_scan_of_their_lidar():
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, lidar=ALL_AROUND, seed=1)
    tracker = DynamicObstacleTracker(WAITED)
    last = max(scans_in_turn(simulator, 2.5, tracker, (0.0, math.pi)))
    assert tracker.dynamic_obstacles
    stamps = [stamp for stamp in scans_in_turn(simulator, 3.0, tracker, (math.pi,))
              if tracker.dynamic_obstacles]
    assert stamps[-1] == pytest.approx(last + 1.0, abs=0.2)
