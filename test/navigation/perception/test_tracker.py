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
"""What moves is told from what stands, and from what was not seen before."""

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.lidar_filter import LidarFilter
from bug_nav.navigation.perception.memory_update import seen_through
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.tracker import DynamicObstacleTracker, INITIAL_SPEED
from bug_nav.navigation.types import STOP, Twist
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


def looks(simulator, seconds, told, twist=STOP):
    """Yield the time, the scan and what is left of it, five times a second."""
    lidar = LidarFilter(WAITED)
    for k in range(round(seconds * 20)):
        if k % 4 == 0:
            pose = simulator.pose
            scan, trouble = lidar.read(
                Placed(simulator.scan(), pose, IDENTITY, simulator.stamp), pose, 0.0)
            assert not trouble
            yield simulator.stamp, scan, told.remove_dynamic(
                scan, *lidar.beam_ends, pose.compose(scan.mount).position)
        simulator.step(twist, 0.05)


def walker(speed=0.6):
    return Person('p', [(-1.0, -1.5), (-1.0, 1.5)], speed=speed, manner='stubborn')


@pytest.mark.parametrize('twist', [Twist(0.0, 0.0), Twist(0.2, 0.0), Twist(0.15, 0.5)])
@pytest.mark.parametrize('noise', [0.0, 0.01])
def test_nothing_moves_in_a_world_that_stands_still_however_the_robot_drives(twist, noise):
    post, slanting = disc(0.03, -0.8, 0.6), rectangle(0.5, -0.8, 1.5, 0.08, 0.4)
    simulator = Simulator(World('hall', (*HALL, post, slanting)), START,
                          lidar=LidarModel(scan_noise=noise), seed=4)
    told = DynamicObstacleTracker(WAITED)
    for _, scan, left in looks(simulator, 10.0, told, twist):
        assert told.dynamic_obstacles == [] and left is scan
    assert not told.has_moved


def test_who_walks_is_seen_with_their_velocity_and_is_not_in_the_scan_that_is_left():
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, seed=1)
    told = DynamicObstacleTracker(WAITED)
    for stamp, scan, left in looks(simulator, 3.0, told):
        if stamp > 2.0:
            thing, = told.dynamic_obstacles
            assert thing.is_tracked and thing.velocity == pytest.approx((0.0, 0.6), abs=0.2)
            assert thing.speed == pytest.approx(0.6, abs=0.25)
            body = simulator.scene.bodies[0].pose
            off = np.hypot(*(thing.points - (body.x, body.y)).T)
            assert np.abs(off - 0.25).max() < 0.06
            hidden = np.isnan(left.ranges) & ~np.isnan(scan.ranges)
            assert hidden.sum() == len(thing.points)
            assert np.array_equal(left.ranges[~hidden], scan.ranges[~hidden], equal_nan=True)
    assert told.has_moved


def test_who_is_seen_for_the_first_time_may_be_as_fast_as_anybody():
    came = Scripted('p', (disc(0.25, -1.0, 0.0),), Script([0.0], [(0, 0, 0)]), since=1.0)
    simulator = Simulator(World('hall', HALL, movers=(came,)), START, seed=1)
    told = DynamicObstacleTracker(WAITED)
    speeds = [thing.speed for stamp, _, _ in looks(simulator, 1.2, told)
              for thing in told.dynamic_obstacles]
    assert speeds == [INITIAL_SPEED]


def test_what_has_stood_for_as_long_as_is_waited_is_an_obstacle_that_has_come():
    came = Scripted('p', (disc(0.25, -1.0, 0.0),), Script([0.0], [(0, 0, 0)]), since=1.0)
    simulator = Simulator(World('hall', HALL, movers=(came,)), START, seed=1)
    told = DynamicObstacleTracker(WAITED)
    last = max(stamp for stamp, _, _ in looks(simulator, 12.0, told) if told.dynamic_obstacles)
    assert last == pytest.approx(1.0 + WAITED, abs=0.3)
    assert told.last_arrival((-1.25, 0.0)) == pytest.approx(last, abs=0.01)
    assert told.last_arrival((3.9, 0.0)) == -math.inf
    near = told.has_arrived(np.array([(-1.25, 0.0), (3.9, 0.0)]))
    assert near.tolist() == [True, False]
    scan = simulator.scan()
    hidden = np.isnan(told.remove_person_sized(scan).ranges)
    assert 10 < hidden.sum() < 60 and (scan.ranges[hidden] < 1.2).all()


def test_who_only_walks_by_has_not_come_to_stay():
    simulator = Simulator(World('hall', HALL, movers=(walker(),)), START, seed=1)
    told = DynamicObstacleTracker(WAITED)
    list(looks(simulator, 3.0, told))
    assert told.last_arrival((-1.25, 0.0)) == -math.inf


@pytest.mark.parametrize('away, held', [(0.7, True), (1.2, False)])
def test_what_was_at_hand_is_there_for_a_moment_though_it_is_not_seen(away, held):
    # As it is when it comes nearer than the lidar can measure.
    there = Scripted('p', (disc(0.25, START.x + away, 0.0),), Script([0.0], [(0, 0, 0)]),
                     since=1.0, until=2.0)
    simulator = Simulator(World('hall', HALL, movers=(there,)), START, seed=1)
    told, unseen = DynamicObstacleTracker(WAITED), []
    for stamp, scan, left in looks(simulator, 6.0, told):
        if told.dynamic_obstacles and left is scan:
            unseen.append(stamp)
            first = told.dynamic_obstacles[0]
            assert not first.is_tracked and first.speed == INITIAL_SPEED
    assert bool(unseen) is held
    if held:
        assert unseen[0] == pytest.approx(2.0) and 0.5 < unseen[-1] - unseen[0] < 0.9


def test_corner_that_was_hidden_has_not_moved():
    # The robot drives past the end of a wall, and sees what was behind it.
    wall = rectangle(0.0, 0.6, 1.0, 0.1, 0.0)
    behind = disc(0.25, 0.0, 1.2)
    simulator = Simulator(World('hall', (*HALL, wall, behind)), START, seed=3)
    told = DynamicObstacleTracker(WAITED)
    for _ in looks(simulator, 18.0, told, Twist(0.2, 0.0)):
        assert told.dynamic_obstacles == []


def test_point_that_is_gone_is_seen_through_and_one_at_the_end_of_the_range_is_not():
    ranges = np.full(360, math.inf)
    points = np.array([(1.0, 0.0), (3.4, 0.0), (0.05, 0.0)])
    asked = (points, ranges, 0.0, 0.0, 0.0, math.radians(1.0), 0.12, 3.5, 0.01)
    assert seen_through(*asked).tolist() == [True, False, False]
    ranges[3] = 1.02    # beside the first, 5 cm away
    assert not seen_through(*asked).any()
