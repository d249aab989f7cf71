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

"""Tests that a mirrored or rotated lidar is named, and that one mounted as stated is not."""

from __future__ import annotations

from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.beams import beams_of
from bug_nav.navigation.perception.mount_check import MIRRORED, MountCheck
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.types import Scan
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

NAMED = 'transform'
LIDARS = ({}, {'lidar': 'lds_01'}, {'lidar': 'rplidar_a1'}, {'scan_noise': 0.03})

SLIP = {'odometry': 'encoders', 'odometry_slip': 0.05}


def drive_with(change, world, lidar, algorithm='bug2', seed=1):
    """Drive with ranges that are changed as by another mount; return the episode."""
    sense = Simulator.sense
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Simulator, 'sense', lambda simulator: [
            scan._replace(ranges=change(np.asarray(scan.ranges))) for scan in sense(simulator)])
        return drive(set_up(RunOptions(world, algorithm, seed=seed, time_allowance=200.0,
                                       settings=lidar)))


@pytest.mark.parametrize('lidar', LIDARS)
@pytest.mark.parametrize('world', ['demo', 'maze', 'random:rooms?seed=2', 'random:posts?seed=1'])
def test_mirrored_lidar_is_named_before_a_contact(world, lidar):
    episode = drive_with(lambda ranges: ranges[::-1].copy(), world, lidar)
    assert episode.outcome == 'scan_stale' and not episode.contacts
    assert 'turn the other way' in episode.result.message and NAMED in episode.result.message


@pytest.mark.parametrize('turn', [90, -90, 135])
def test_rotated_lidar_is_named(turn):
    def change(ranges):
        return np.roll(ranges, turn * ranges.size // 360)
    episode = drive_with(change, 'maze', {})
    assert episode.outcome == 'scan_stale'
    assert f'add about {-turn} degrees' in episode.result.message


def test_half_a_turn_does_not_show_a_mirrored_lidar():
    episode = drive_with(lambda ranges: ranges, 'random:rings?seed=144628993', SLIP,
                         'tangent_bug', 1427887478)
    assert episode.outcome in ('reached', 'reached_uncertain')


@pytest.mark.parametrize('odometry', [Pose(0.11, 0.0, 0.0), Pose(0.0, 0.0, 0.6)])
def test_held_robot_is_no_mount(odometry):
    world = find_world('box')
    simulator = Simulator(world, Pose(*world.start), seed=1)
    check, pose = MountCheck(), IDENTITY
    for _ in range(20):
        scan = simulator.scan()
        simulator.stamp += 0.2
        check.observe(Placed(scan, pose, scan.stamp), np.asarray(scan.ranges), beams_of(scan)[1])
        pose = pose.compose(odometry)
    assert check.problem == ''


def test_comparisons_that_show_nothing_do_not_end_the_check():
    maze, check, pose = find_world('maze'), MountCheck(), IDENTITY
    motions = [Pose(0.11, 0.0, 0.0)] * 20 + [Pose(0.0, 0.0, 0.6)] * 20
    for k, motion in enumerate(motions):  # in an empty hall, where drives and turns end a check
        scan = Scan(0.2 * k, np.full(360, np.inf), 0.0, np.radians(1.0), 0.12, 3.5)
        check.observe(Placed(scan, pose, scan.stamp), scan.ranges, beams_of(scan)[1])
        pose = pose.compose(motion)
    for k in range(10):  # the first walls
        heading = Pose(0.0, 0.0, 0.6 * k)
        scan = Simulator(maze, Pose(*maze.start).compose(heading), seed=k).scan()
        check.observe(Placed(scan, pose.compose(heading), 10.0 + 0.2 * k),
                      np.asarray(scan.ranges)[::-1], beams_of(scan)[1])
    assert check.problem == MIRRORED


@settings(max_examples=12)
@given(kind=st.sampled_from(['cluttered', 'cells', 'rooms', 'posts', 'coils', 'corridors',
                             'crowd', 'doors', 'rings', 'spirals']),
       lidar=st.sampled_from([*LIDARS, {'odometry': 'encoders', 'odometry_noise': 0.2}, SLIP]),
       seed=st.integers(0, 10**6))
def test_lidar_mounted_as_stated_is_not_named(kind, lidar, seed):
    episode = drive_with(lambda ranges: ranges, f'random:{kind}?seed={seed}', lidar, seed=seed)
    assert episode.result is None or NAMED not in episode.result.message
