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

"""What lidars and rangers report of a wall whose distance is known."""

import math

from bug_nav.core.geometry import Pose, PoseHistory
from bug_nav.core.interface import Twist
from bug_nav.core.settings import RobotModel
from bug_nav.sense.deskew import undistorted
from bug_nav.sim.sensors import LidarModel, RangerRing, ring_of
from bug_nav.sim.simulator import Simulator
from bug_nav.sim.world import World
import numpy as np
import pytest

# The face of the wall is at x = 1.
WALL = World('wall', (np.array([[1.0, -9.0], [1.5, -9.0], [1.5, 9.0], [1.0, 9.0]]),))
HERE = Pose(0.0, 0.0, 0.0)
QUIET = {'scan_noise': 0.0, 'scan_offset_x': 0.0}


def scan_with(start=HERE, **lidar):
    return Simulator(WALL, start, lidar=LidarModel(**{**QUIET, **lidar})).scan()


def test_lidar_that_looks_to_the_side_sees_the_wall_there():
    scan = scan_with(scan_offset_yaw=math.pi / 2.0, scan_offset_x=0.1, scan_offset_y=0.2)
    assert scan.ranges[270] == pytest.approx(0.9, abs=0.01)     # 90 degrees to its right
    assert scan.mount == Pose(0.1, 0.2, math.pi / 2.0)


def test_field_of_view_holds_beams_in_it_and_no_others():
    scan = scan_with(scan_count=91, scan_angle_min=-math.pi / 4, scan_angle_max=math.pi / 4)
    assert len(scan.ranges) == 91
    assert scan.ranges[[0, 45, 90]] == pytest.approx([math.sqrt(2.0), 1.0, math.sqrt(2.0)])


@pytest.mark.parametrize('lidar, near, nothing', [
    ({}, math.inf, math.inf),
    ({'scan_near': 'minus_inf'}, -math.inf, math.inf),
    ({'scan_use_inf': False}, 3.6, 3.6),
    ({'scan_zeros': True}, 0.0, 0.0),
    ({'scan_zeros': True, 'scan_near': 'minus_inf'}, 0.0, 0.0)])
def test_what_is_no_range_is_reported_as_the_lidar_is_told(lidar, near, nothing):
    scan = scan_with(Pose(0.9, 0.0, 0.0), **lidar)              # 0.10 m off, in the blind zone
    assert scan.ranges[0] == pytest.approx(near)
    assert scan.ranges[180] == pytest.approx(nothing)


@pytest.mark.parametrize('lost, reported', [('nan', np.isnan), ('inf', np.isposinf)])
def test_lost_beams_are_as_many_as_they_should_be(lost, reported):
    lidar = {'scan_count': 4000, 'scan_angle_min': -0.5, 'scan_angle_max': 0.5}
    scan = scan_with(scan_dropout=0.2, scan_lost=lost, **lidar)
    assert reported(scan.ranges).mean() == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize('lidar, sentence', [
    ({'scan_sweep_time': 0.3}, 'scan_sweep_time is 0.3 s; allowed is up to scan_publish_dur'),
    ({'scan_angle_min': 1.0, 'scan_angle_max': 0.0}, 'allowed is up to one turn above'),
    ({'scan_angle_max': 7.0}, 'allowed is up to one turn above'),
    ({'scan_range_min': 4.0}, 'scan_range_min is 4 m; allowed is less than scan_range_max')])
def test_lidar_that_cannot_be_is_refused(lidar, sentence):
    with pytest.raises(ValueError, match=sentence):
        LidarModel(**lidar)


def turning(sweep_time):
    """Return the last scan of a robot that turns, the history of its poses, and its pose."""
    robot = Simulator(WALL, HERE, lidar=LidarModel(
        **QUIET, scan_sweep_time=sweep_time, scan_count=720, scan_angle_max=2 * math.pi * 719/720))
    history = PoseHistory()
    history.append(0.0, robot.pose)
    for _ in range(20):
        robot.step(Twist(0.0, 1.0), 0.05)
        history.append(robot.stamp, robot.pose)
    return robot.scan(), history, robot


def nearest_bearing(scan, pose):
    """Return where the wall's nearest point is seen [rad, world]; it is at 0."""
    return pose.theta + scan.angle_min + scan.angle_increment * int(np.nanargmin(scan.ranges))


def test_sweep_of_a_turning_robot_is_bent_and_undistorted_again():
    scan, history, robot = turning(0.2)
    assert scan.stamp == pytest.approx(robot.stamp - 0.2)
    bent = math.remainder(nearest_bearing(scan, robot.pose), 2 * math.pi)
    assert abs(bent) > 0.02
    straight = undistorted(scan, history, robot.pose, robot.stamp)
    assert (straight.stamp, straight.time_increment) == (robot.stamp, 0.0)
    assert math.remainder(nearest_bearing(straight, robot.pose), 2 * math.pi) == pytest.approx(
        0.0, abs=math.radians(0.75))
    still, _, _ = turning(0.0)
    both = np.isfinite(straight.ranges) & np.isfinite(still.ranges)
    assert both.sum() > 0.9 * np.isfinite(still.ranges).sum()
    # Oblique beams differ most where they are a fraction of a beam apart.
    assert np.median(np.abs(straight.ranges[both] - still.ranges[both])) < 0.01


def test_sweep_of_a_robot_that_stands_is_what_it_was():
    robot = Simulator(WALL, HERE, lidar=LidarModel(**QUIET, scan_sweep_time=0.2))
    history = PoseHistory()
    for _ in range(10):
        robot.step(Twist(0.0, 0.0), 0.05)
        history.append(robot.stamp, robot.pose)
    scan = robot.scan()
    same = undistorted(scan, history, robot.pose, robot.stamp)
    assert same.ranges == pytest.approx(scan.ranges)


def ring(**changes):
    values = {'range_min': 0.05, 'range_max': 2.0, 'field_of_view': 0.0, 'noise': 0.0,
              'period': 0.1, **changes}
    rangers = ring_of((('front', 0.1, 0.0, 0), ('left', 0.0, 0.1, 90), ('slant', 0.0, 0.0, 45)))
    return RangerRing(rangers, **values)


def test_rangers_measure_along_their_axes():
    scans = Simulator(WALL, HERE, lidar=ring()).sense()
    assert [float(scan.ranges[0]) for scan in scans] == pytest.approx(
        [0.9, math.inf, math.sqrt(2.0)])
    assert scans[1].mount == Pose(0.0, 0.1, math.pi / 2.0)


def test_cone_of_a_ranger_measures_the_nearest_thing_in_it():
    scans = Simulator(WALL, HERE, lidar=ring(field_of_view=math.radians(40.0))).sense()
    assert float(scans[2].ranges[0]) == pytest.approx(1.0 / math.cos(math.radians(25.0)), rel=1e-3)


def test_ranger_that_is_too_near_says_so():
    near = Simulator(WALL, Pose(0.87, 0.0, 0.0), RobotModel(robot_radius=0.1), ring()).sense()
    assert float(near[0].ranges[0]) == -math.inf
