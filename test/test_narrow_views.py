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

"""Lidars and depth cameras that do not look all around: nothing unobserved is taken as free."""

import math

from bug_nav.lab.run_setup import drive, RunOptions, set_up
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.perception import Perception
from bug_nav.navigation.perception.sensor_queue import Placed
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Scan
import numpy as np
import pytest


def narrow(degrees, ahead, radius):
    """Return settings of a robot with a lidar of a field of view, ``ahead`` [m] of the centre."""
    half = math.radians(degrees) / 2.0
    return {'scan_count': int(degrees), 'scan_angle_min': -half, 'scan_angle_max': half,
            'scan_offset_x': ahead, 'robot_radius': radius, 'max_vel_x': 0.3, 'max_wheel_vel': 0.5}


@pytest.mark.parametrize('degrees, ahead, radius', [
    (57.0, 0.05, 0.124), (60.0, 0.0, 0.124), (90.0, 0.1, 0.25), (120.0, 0.1, 0.25),
    (180.0, 0.2, 0.25), (270.0, 0.15, 0.2)])
@pytest.mark.parametrize('algorithm', ['bug1', 'tangent_bug'])
def test_no_contact_and_no_false_verdict(degrees, ahead, radius, algorithm):
    for seed in (1001, 1002, 1004, 1010):  # all had contacts
        episode = drive(set_up(RunOptions(
            f'random:cluttered?seed={seed}', algorithm, seed=seed, time_allowance=600.0,
            settings=narrow(degrees, ahead, radius))))
        assert episode.contacts == 0
        assert episode.outcome in ('reached', 'timeout', 'blocked', 'undecided') or (
            episode.outcome == 'unreachable' and episode.certified)


def test_robot_does_not_stop_for_the_place_that_it_occupies():
    settings = narrow(270.0, 0.15, 0.2)
    wide = narrow(359.0, 0.15, 0.2)
    times = [drive(set_up(RunOptions('open', 'bug2', goal=(3.0, 0.0), settings=each))).time
             for each in (settings, wide)]
    assert times[0] < times[1] + 5.0  # one look around


def test_what_is_too_near_to_measure_is_not_observed_to_be_free():
    # Ahead of a lidar at (0.2, 0) is a wall that ends on the left; most of it is too near.
    perception = Perception(RobotModel(robot_radius=0.25), Settings(drift_correction='none'))
    angles = np.radians(np.arange(-90.0, 90.0))
    ranges = np.full(180, math.inf)
    ranges[100:103] = 0.13
    scan = Scan(0.0, ranges, float(angles[0]), math.radians(1.0), 0.12, 3.5,
                mount=Pose(0.2, 0.0, 0.0))
    perception.process(Placed(scan, IDENTITY, 0.0))
    inside, aside = np.array([(0.35, 0.0, 0.0)]), np.array([(0.3, -0.8, 0.0)])
    assert not perception.perceived.observed.covers(inside, 0.05)
    assert perception.perceived.observed.covers(aside, 0.05)


def test_corner_seen_only_from_beyond_the_reach_of_the_memory_is_looked_at_again():
    # Its place was observed to be free, and its points were not remembered: a contact.
    episode = drive(set_up(RunOptions(
        'random:cells?seed=4610&reachable=false', 'tangent_bug', seed=2019750194, noise=0.01,
        time_allowance=300.0, settings={
            'robot_radius': 0.35, 'max_vel_x': 0.3, 'max_wheel_vel': 0.46, 'scan_range_min': 0.02,
            'scan_count': 57, 'scan_angle_min': -0.497, 'scan_angle_max': 0.497,
            'scan_offset_x': 0.0})))
    assert episode.contacts == 0


def test_place_beyond_the_reach_of_the_memory_is_unobserved():
    perception = Perception(RobotModel(robot_radius=0.35), Settings(drift_correction='none'))
    scan = Scan(0.0, np.full(180, math.inf), math.radians(-90.0), math.radians(1.0), 0.12, 3.5)
    perception.process(Placed(scan, IDENTITY, 0.0))
    near, far = (np.array([(perception.reach + share, 0.0, 0.0)]) for share in (-0.2, 0.2))
    assert perception.perceived.observed.covers(near, 0.1)
    assert not perception.perceived.observed.covers(far, 0.1)


@pytest.mark.parametrize('ahead', [0.0, 0.1])
@pytest.mark.parametrize('yaw', [0.0, 1.0])
def test_place_that_another_lidar_sees_all_around_is_observed(ahead, yaw):
    perception = Perception(RobotModel(robot_radius=0.35), Settings(drift_correction='none'))
    around = Scan(0.0, np.full(360, math.inf), 0.0, math.radians(1.0), 0.12, 3.5,
                  Pose(-0.1, 0.0, yaw))
    narrow_one = Scan(0.0, np.full(60, math.inf), math.radians(-30.0), math.radians(1.0), 0.12,
                      3.5, Pose(ahead, 0.0, 0.0))
    for stamp in (0.1, 0.2):
        for scan in (narrow_one, around, narrow_one):
            perception.process(Placed(scan._replace(stamp=stamp), IDENTITY, stamp))
    observed = perception.perceived.observed
    places = np.array([(0.6 * math.cos(angle), 0.6 * math.sin(angle), 0.0)
                       for angle in np.radians(np.arange(0.0, 360.0, 5.0))])
    assert observed.covers(places, 0.35, observed.margin)
    assert observed.max_gap < math.radians(60.0)


@pytest.mark.parametrize('world, seed, half', [
    ('box', 1, 0.75), ('demo', 1, 0.5), ('demo', 2, 0.75), ('demo', 4, 0.75), ('u_trap', 4, 0.75)])
def test_robot_that_stops_a_little_after_a_look_looks_again(world, seed, half):
    # It stood for ever: the way was not observed, and the last look less than 5 mm away.
    episode = drive(set_up(RunOptions(world, 'bug2', seed=seed, time_allowance=400.0, settings={
        'wheels': 'slippery', 'scan_angle_min': -half, 'scan_angle_max': half})))
    assert episode.outcome in ('reached', 'reached_uncertain')
