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

"""Tests that scans without a motion show a held robot, and that no others do."""

from __future__ import annotations

import math

from arena import block, world_of
from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.classification import initial_dialect
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.perception.slip_check import (
    DRIVE,
    MAX_AGE,
    MIN_SCANS,
    SlipCheck,
)
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

ROOM = world_of(block(-2.0, 2.5, 2.0, 2.2), block(-2.0, 2.5, -1.7, -1.5),
                block(-2.2, -2.0, -2.0, 2.0), block(2.5, 2.7, -2.0, 2.0))
CORRIDOR = world_of(block(-20.0, 20.0, 1.0, 1.2), block(-20.0, 20.0, -1.2, -1.0))
ANGLES = np.arange(72) * math.tau / 72
ROUND = world_of(*(np.array([(2.0 * math.cos(a), 2.0 * math.sin(a)),
                             (2.0 * math.cos(b), 2.0 * math.sin(b)),
                             (2.2 * math.cos(b), 2.2 * math.sin(b)),
                             (2.2 * math.cos(a), 2.2 * math.sin(a))])
                   for a, b in zip(ANGLES, np.roll(ANGLES, -1))))
STRAIGHT, TURN = Pose(0.11, 0.0, 0.0), Pose(0.0, 0.0, 0.2)


def problem_after(world, odometry, motion, scans=20, lidar=LidarModel(), period=0.2,
                  readings=None, is_last=False, is_doubt=False, **changes):
    """Return the problem after scans, between which odometry and the robot move by these poses."""
    simulator = Simulator(world, IDENTITY, lidar=lidar, seed=1)
    check = SlipCheck(initial_dialect('auto') if readings is None else readings, 0.1)
    pose, true = IDENTITY, IDENTITY
    for k in range(scans):
        simulator.pose = true
        scan = simulator.scan()._replace(stamp=k * period, **changes)
        check.observe(Placed(scan, pose, scan.stamp), np.asarray(scan.ranges, dtype=float))
        pose, true = pose.compose(odometry), true.compose(motion)
    return check.doubt if is_doubt else check.problem(is_last)


@pytest.mark.parametrize('lidar', [LidarModel(), LidarModel(scan_noise=0.03),
                                   LidarModel(scan_angle_min=-1.0, scan_angle_max=1.0,
                                              scan_count=100),
                                   LidarModel(scan_offset_x=0.1)])
@pytest.mark.parametrize('odometry', [STRAIGHT, TURN, Pose(0.05, 0.0, 0.1)])
def test_held_robot_is_named(lidar, odometry):
    assert 'the scans show no motion' in problem_after(ROOM, odometry, IDENTITY, lidar=lidar)


@pytest.mark.parametrize('odometry, motion', [
    (STRAIGHT, STRAIGHT), (TURN, TURN), (Pose(0.03, 0.0, -0.2), Pose(0.03, 0.0, -0.2)),
    (IDENTITY, IDENTITY), (Pose(0.11, 0.0, 0.02), STRAIGHT), (STRAIGHT, Pose(0.07, 0.0, 0.0))])
@pytest.mark.parametrize('noise', [0.0, 0.03])
def test_robot_that_moves_is_not_named(odometry, motion, noise):
    lidar = LidarModel(scan_noise=noise)
    assert problem_after(ROOM, odometry, motion, lidar=lidar) == ''
    assert problem_after(ROOM, odometry, motion, lidar=lidar, is_last=True) == ''


@pytest.mark.parametrize('degrees', [4.0, 8.0, 12.0])
@pytest.mark.parametrize('half_width', [0.2, 0.3, 0.4])
def test_robot_that_drives_while_its_odometry_turns_is_not_named(degrees, half_width):
    narrow = world_of(block(-20.0, 20.0, half_width, 1.2), block(-20.0, 20.0, -1.2, -half_width),
                      block(3.0, 3.2, -half_width, half_width))
    turn = math.radians(degrees) / 3  # of each step: three are compared
    arc = Pose(0.11 * math.cos(0.5 * turn), 0.11 * math.sin(0.5 * turn), turn)
    assert problem_after(narrow, arc, STRAIGHT) == ''


@pytest.mark.parametrize('world, odometry', [
    (CORRIDOR, STRAIGHT), (CORRIDOR, Pose(0.11, 0.0, 0.01)), (ROUND, TURN),
    (world_of(block(50.0, 51.0, 0.0, 1.0)), STRAIGHT)])
def test_motion_that_changes_no_scan_says_nothing(world, odometry):
    assert problem_after(world, odometry, IDENTITY) == ''


@pytest.mark.parametrize('is_last', [False, True])
def test_people_who_walk_along_are_no_standing_walls(is_last):
    # To the lidar, they stand while the walls are out of range.
    people = world_of(*(np.array([
        (1.3 * math.cos(at) + 0.3 * math.cos(a), 1.3 * math.sin(at) + 0.3 * math.sin(a))
        for a in ANGLES]) for at in ANGLES[::12]))
    assert problem_after(people, STRAIGHT, IDENTITY, is_last=is_last) == ''
    assert problem_after(people, STRAIGHT, IDENTITY, is_doubt=True) != ''


def test_places_that_were_free_show_a_held_robot():
    # If it had moved, the posts would now be where the earlier scan shows nothing.
    posts = world_of(*(block(x - 0.05, x + 0.05, y - 0.05, y + 0.05)
                       for x, y in 2.0 * np.stack((np.cos(ANGLES), np.sin(ANGLES)), 1)[::6]))
    readings = initial_dialect('auto')
    for readings['has_free'], is_found in ((True, True), (False, False)):
        found = problem_after(posts, STRAIGHT, IDENTITY, readings=readings, is_doubt=True)
        assert bool(found) is is_found
        assert problem_after(posts, STRAIGHT, STRAIGHT, readings=readings, is_doubt=True) == ''


def test_slow_drift_of_a_standing_robot_is_no_motion():
    period = MAX_AGE * 0.11 / DRIVE
    assert problem_after(ROOM, STRAIGHT, IDENTITY, period=1.05 * period) == ''
    assert problem_after(ROOM, STRAIGHT, IDENTITY, period=0.3 * period) != ''


def test_range_that_is_no_return_is_no_wall():
    readings = initial_dialect('auto')
    ring = {'ranges': np.full(360, 3.5), 'range_max': 3.5}
    assert problem_after(ROOM, Pose(0.0, 0.2, 0.0), IDENTITY, readings=readings, **ring) != ''
    readings['repeated'] = 3.5
    assert problem_after(ROOM, Pose(0.0, 0.2, 0.0), IDENTITY, readings=readings, **ring) == ''


def test_robot_needs_several_scans_unless_they_are_the_last():
    scans = 1 + 3 * (MIN_SCANS - 1)  # three steps of odometry for each comparison
    assert problem_after(ROOM, STRAIGHT, IDENTITY, scans) == ''
    assert problem_after(ROOM, STRAIGHT, IDENTITY, scans + 3) != ''
    assert problem_after(ROOM, STRAIGHT, IDENTITY, 5, is_last=True) != ''


@settings(max_examples=12)
@given(kind=st.sampled_from(['cluttered', 'cells', 'rooms', 'posts', 'coils', 'corridors',
                             'crowd', 'doors', 'rings', 'spirals']),
       change=st.sampled_from([{}, {'lidar': 'lds_01'}, {'scan_noise': 0.03},
                               {'odometry': 'encoders', 'odometry_noise': 0.05},
                               {'odometry': 'encoders', 'odometry_slip': 0.1}]),
       algorithm=st.sampled_from(['bug1', 'bug2', 'tangent_bug']), seed=st.integers(0, 10**6))
def test_robot_that_drives_freely_is_not_named(kind, change, algorithm, seed):
    episode = drive(set_up(RunOptions(f'random:{kind}?seed={seed}', algorithm, seed=seed,
                                      time_allowance=100.0, settings=change)))
    assert episode.result is None or 'no motion' not in episode.result.message
