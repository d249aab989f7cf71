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

"""Tests that a lidar that reports lost readings as no return is found out, and no other is."""

from __future__ import annotations

import math

from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.dialect import Dialect
from bug_nav.navigation.perception.scan_filters import LidarFilter
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def readings_after(hole_of, turned=0.0, step=math.tau / 360, scans=60, told='auto', loss=math.inf,
                   view=None):
    """
    Return what is known of a lidar in a round room, with beams ``hole_of`` lost.

    The room has a radius of 2 m and an opening of 60 degrees; ``view`` is called with each scan.
    """
    lidar = LidarFilter(0.0, Dialect(told))
    for k in range(scans):
        ranges = np.full(360, 2.0)
        ranges[300:] = math.inf  # a wide opening
        ranges = np.roll(ranges, -round(k * turned / step))
        ranges[hole_of(k)] = loss
        pose = Pose(0.0, 0.0, k * turned)
        sweep = lidar.read(Placed(Scan(0.2 * k, ranges, 0.0, step, 0.1, 10.0), pose, 0.2 * k),
                           pose, 0.01)
        if view is not None:
            view(sweep.scan.ranges)
    return lidar.dialect


def random_holes(k):
    """Return six beams, other ones in each scan."""
    first = np.random.default_rng(k).integers(10, 350, 2)
    return np.concatenate([first, first + 1, first + 2])


@pytest.mark.parametrize('loss', [math.inf, 11.0])
@pytest.mark.parametrize('step', [math.tau / 360, -math.tau / 360])
@pytest.mark.parametrize('turned', [0.0, 0.2, -0.2])
def test_holes_that_come_and_go_in_a_wall_are_lost_readings(turned, step, loss):
    dialect = readings_after(random_holes, turned, step, loss=loss)
    assert 'no return: unknown, ' in str(dialect) and 'of the readings on walls are lost' in str(
        dialect)


def test_lost_readings_are_filled_once_they_are_found_out():
    views = []
    readings_after(random_holes, view=lambda ranges: views.append(ranges.copy()))
    assert np.isinf(views[0][random_holes(0)]).all()  # not known yet
    assert views[-1][:300] == pytest.approx(2.0)


def test_no_return_is_free_again_once_objects_move():
    lidar, here = LidarFilter(0.0), Pose(0.0, 0.0, 0.0)
    for k in range(60):
        ranges = np.full(360, 2.0)
        ranges[random_holes(k)] = math.inf
        lidar.read(Placed(Scan(0.2 * k, ranges, 0.0, math.tau / 360, 0.1, 10.0), here, 0.2 * k),
                   here, 0.01)
    assert 'no return: unknown' in str(lidar.dialect)
    lidar.expect_motion()
    assert 'no return: inf' in str(lidar.dialect)


@pytest.mark.parametrize('algorithm, seed', [('bug1', 1363438215), ('tangent_bug', 1500206172)])
def test_old_positions_of_a_door_do_not_close_the_way(algorithm, seed):
    run = drive(set_up(RunOptions(
        'random:doors?seed=4425', algorithm, turn='left', seed=seed, time_allowance=1200.0,
        settings={'lidar': 'rplidar_a1'})))
    assert run.outcome == 'reached'


@pytest.mark.parametrize('holes', [
    lambda k: np.arange(40, 44),  # one that stays
    lambda k: np.arange(40, 44) if k > 30 else [],  # one that opens
    lambda k: np.arange(100, 130) if k % 2 else [],  # a wide one that comes and goes
    lambda k: [k + 10, k + 11]])  # one that moves on, seldom
def test_other_holes_are_free(holes):
    assert 'no return: inf or above range_max' in str(readings_after(holes))


def test_setting_of_no_return_overrides_the_readings():
    assert 'no return: inf, as set' in str(readings_after(random_holes, told='inf'))


@pytest.mark.parametrize('world', ['random:posts?seed=32', 'random:posts?seed=35',
                                   'random:crowd?seed=13', 'random:doors?seed=13'])
def test_lidar_that_loses_nothing_is_not_suspected_among_posts_and_people(world):
    found = []

    def watch(simulator, navigator, decision):
        found[:] = [str(navigator.dialects)]

    drive(set_up(RunOptions(world, 'bug2', seed=3, noise=0.01, time_allowance=60.0)), watch)
    assert 'no return: inf' in found[0]


@pytest.mark.parametrize('world, algorithm, seed', [
    ('random:rooms?seed=88112939', 'bug2', 561603004),
    ('random:cluttered?seed=88112939', 'bug2', 1582209480)])
def test_unreachable_goal_is_proven_although_readings_are_lost(world, algorithm, seed):
    run = drive(set_up(RunOptions(
        world + '&reachable=false', algorithm, turn='left', seed=seed, time_allowance=2000.0,
        settings={'lidar': 'rplidar_a1'})))
    assert run.outcome == 'unreachable'


def test_walls_that_seemed_to_go_do_not_stop_matching_from_learning():
    errors = []

    def watch(simulator, navigator, decision):
        if simulator.stamp > 1.0:
            errors.append(math.dist(navigator.robot.pose.position, simulator.pose.position))

    drive(set_up(RunOptions(
        'random:rooms?seed=55501302&reachable=false', 'tangent_bug', turn='left', seed=36519837,
        time_allowance=345.0, settings={'lidar': 'rplidar_a1'})), watch)
    assert max(errors) < 0.05
