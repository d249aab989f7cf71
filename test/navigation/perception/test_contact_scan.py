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

"""Tests of contact sensing."""

from __future__ import annotations

import argparse
import itertools
import math

from arena import block, BURGER, drive_bug2, hits_and_leaves, QUIET, Stage, TURNS, world_of
from bug_nav.cli.parser import make_parser
from bug_nav.cli.run import options_of
from bug_nav.files import BadInput
from bug_nav.lab.ground_truth import judge, perimeters
from bug_nav.lab.run_setup import RunSetup, set_up
from bug_nav.navigation.algorithms.base import (
    Algorithm,
    check_sensing,
    CONTACT,
    INTENSITY,
    Metadata,
    RANGE,
)
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.sensors import contact_scan, CONTACT_SECTORS
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Scan
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import random_name, random_world
import numpy as np
import pytest
from subsets import subset

FELT = 1.5 * BURGER.robot_radius
TOUCHING = Settings(sensing='contact')


def scan_of(ranges: dict, mount: Pose = IDENTITY) -> Scan:
    """Return 360 free beams, with obstacles of five beams at ``ranges`` by degree."""
    beams = np.full(360, math.inf)
    for degree, value in ranges.items():
        beams[np.arange(degree - 2, degree + 3) % 360] = value
    return Scan(0.0, beams, 0.0, math.radians(1.0), 0.12, 3.5, mount)


def contact_bearings(scan: Scan) -> list:
    """Return the bearings of contacts, rounded to tens of degrees."""
    return [round(i / 10.0) * 10 % 360
            for i in np.flatnonzero(np.isfinite(contact_scan(scan, FELT).ranges))]


# ---- contacts ---------------------------------------------------------------------------------

def test_only_obstacles_near_the_centre_of_rotation_are_contacts():
    assert contact_bearings(scan_of({0: 0.18, 90: 0.19, 180: 3.0})) == [0]


def test_distance_is_measured_from_the_centre_and_not_from_the_sensor():
    behind = Pose(-0.05, 0.0, 0.0)
    assert contact_bearings(scan_of({0: 0.23, 180: 0.15}, behind)) == [0]
    assert contact_bearings(scan_of({0: 0.24, 180: 0.13}, behind)) == [180]


def test_sector_reports_only_its_nearest_point():
    assert contact_bearings(scan_of({350: 0.17, 0: 0.16, 10: 0.15})) == [10]


def test_sectors_are_independent_and_cover_all_directions():
    everywhere = scan_of(dict.fromkeys(range(0, 360, 5), 0.15))
    assert len(contact_bearings(everywhere)) == CONTACT_SECTORS == 10
    # The five of the front half meet at 18 and 54 degrees.
    assert contact_bearings(scan_of({10: 0.17, 30: 0.16, 50: 0.15, 60: 0.18})) == [10, 50, 60]


def test_single_outlier_is_no_contact():
    scan = scan_of(dict.fromkeys(range(0, 16, 5), 0.17))
    scan.ranges[7] = 0.13
    assert np.nanmin(contact_scan(scan, FELT).ranges) == 0.17


def test_unknown_range_stays_unknown_and_too_near_range_is_a_contact():
    ranges = contact_scan(scan_of({0: 0.0, 40: math.nan, 80: -math.inf, 120: 1.0}), FELT).ranges
    assert ranges[0] == 0.0 and math.isnan(ranges[40]) and ranges[120] == math.inf
    assert np.nanmin(ranges[78:83]) == 0.12


# ---- the robot --------------------------------------------------------------------------------

def test_robot_has_a_smaller_contour_and_is_slow():
    robot = Robot(BURGER, TOUCHING)
    assert robot.contour_radius == contour_radius(BURGER, TOUCHING)
    assert robot.contour_radius == pytest.approx(0.17, abs=1e-3)
    assert robot.model.max_vel_x == 0.12
    assert contour_radius(BURGER, Settings(sensing='contact', clearance=0.03)) == pytest.approx(
        0.154)
    assert Robot(RobotModel(max_vel_x=0.05), TOUCHING).model.max_vel_x == 0.05


def test_wall_is_hit_at_contact_and_not_before():
    world = world_of(block(1.0, 1.2, -1.0, 1.0))

    def hit_at(x: float):
        return Stage(world, Pose(x, 0.0, 0.0), sensing='contact').robot.blocking_hit()
    assert hit_at(1.0 - FELT - 0.01) is None and hit_at(1.0 - FELT + 0.01) is not None
    # With ranges, that place is inside of the contour already.
    assert Stage(world, Pose(0.8 - 0.05, 0.0, 0.0)).robot.blocking_hit() is not None


# ---- navigation -------------------------------------------------------------------------------

@pytest.mark.parametrize('name, turn', subset(itertools.product([
    'box', 'u_trap', 'pole', 'goal_solid', 'ring_goal', 'ring_start', 'two_close', 'cell'],
    TURNS), 3))
def test_bug2_has_the_right_verdict_with_contact_sensing(name, turn):
    world = find_world(name)
    truth = judge(world, world.start, world.goal, contour_radius(BURGER, TOUCHING))
    episode = drive_bug2(world, turn, sensing='contact')
    assert episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0


@pytest.mark.parametrize('seed', subset(range(6), 3))
def test_bug2_has_the_right_verdict_with_contact_sensing_in_clutter(seed):
    world = random_world(random_name('cluttered', seed // 2, seed % 2 == 0))
    truth = judge(world, world.start, world.goal, contour_radius(BURGER, TOUCHING))
    episode = drive_bug2(world, sensing='contact')
    assert truth is None or episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0


def test_lap_lengths_match_the_contours_of_contact_and_range_sensing():
    world = find_world('goal_solid')
    by_touch = drive_bug2(world, sensing='contact', lidar=QUIET).result.lap_length
    by_sight = drive_bug2(world, lidar=QUIET).result.lap_length
    (outline,) = perimeters(world, contour_radius(BURGER, TOUCHING))
    # The contour of a smaller disc, with a dent at each point that is detected late.
    assert outline - 0.15 < by_touch < 1.12 * outline
    assert by_sight < 1.05 * perimeters(world, 0.224)[0]


def test_wall_is_hit_farther_away_with_range_than_with_contact_sensing():
    hits = [hits_and_leaves(drive_bug2(find_world('box'), sensing=sensing))[0][0]
            for sensing in ('range', 'contact')]
    assert hits[1].pose.x > hits[0].pose.x + 0.05


# ---- rejected combinations --------------------------------------------------------------------

def needing(sensing: str) -> type:
    class Needing(Algorithm):
        metadata = Metadata('Seer', 'a test', sensing, 'none', False, 'none', 'none')
        run = Bug2.run
    return Needing


def test_algorithm_that_needs_ranges_is_rejected_with_one_sentence():
    with pytest.raises(ValueError, match="sensing is 'contact', and Seer needs a scan; choose "):
        check_sensing(needing(RANGE), TOUCHING)
    check_sensing(needing(RANGE), Settings())
    for sensing in (CONTACT, INTENSITY):
        check_sensing(needing(sensing), TOUCHING)


def made(*options: str) -> RunSetup:
    arguments: argparse.Namespace = make_parser().parse_args(['run', 'box', *options])
    return set_up(options_of(arguments, algorithm=arguments.algorithm, turn=arguments.turn))


def test_command_rejects_options_that_contact_sensing_does_not_support(monkeypatch):
    assert made('--set', 'sensing=contact').robot.contour_radius == pytest.approx(0.17, abs=1e-3)
    with pytest.raises(BadInput, match='blind up to 0.152 m .* choose sensing range'):
        made('--set', 'sensing=contact', '--set', 'robot_radius=0.1')
    monkeypatch.setattr('bug_nav.lab.run_setup.find', lambda name: needing(RANGE))
    with pytest.raises(BadInput, match='Seer needs a scan'):
        made('--set', 'sensing=contact')


def test_follower_that_needs_ranges_is_rejected():
    with pytest.raises(ValueError, match="follower is 'pid', which needs a scan"):
        Settings(sensing='contact', follower='pid')


def test_contacts_are_not_used_to_learn_range_noise():
    # Noise was estimated as 12 cm, walls were deleted, and this run had a contact at 277 s.
    world, goal = find_world('labyrinth'), (3.261, 5.139)
    episode = run_episode(
        world, Pose(4.762, 8.22, -2.683), goal, Bug2(), settings=TOUCHING, seed=1512213683,
        time_allowance=290.0, keep_samples=False)
    assert (episode.outcome, episode.contacts) == ('timeout', 0)
    assert episode.min_clearance > 0.02
