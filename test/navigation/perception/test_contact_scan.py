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

"""Tests of the sense of touch."""

from __future__ import annotations

import argparse
import math

from arena import block, BURGER, drive_bug2, hits_and_leaves, QUIET, Stage, TURNS, world_of
from bug_nav.cli import BadInput, case
from bug_nav.cli.parser import make_parser
from bug_nav.lab.ground_truth import judge, perimeters
from bug_nav.navigation.algorithms.base import (
    Algorithm,
    check_sensing,
    CONTACT,
    Facts,
    INTENSITY,
    RANGE,
)
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.senses import contact_scan, CONTACT_SECTORS
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Scan
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import random_name, random_world
import numpy as np
import pytest

FELT = 1.5 * BURGER.robot_radius
TOUCHING = Settings(sensing='contact')


def scan_of(ranges: dict, mount: Pose = IDENTITY) -> Scan:
    """Return 360 beams that see nothing, but for things of five beams: their range by degree."""
    beams = np.full(360, math.inf)
    for degree, value in ranges.items():
        beams[np.arange(degree - 2, degree + 3) % 360] = value
    return Scan(0.0, beams, 0.0, math.radians(1.0), 0.12, 3.5, mount)


def things_felt(scan: Scan) -> list:
    """Return the degrees of what is felt, each rounded to tens."""
    return [round(i / 10.0) * 10 % 360
            for i in np.flatnonzero(np.isfinite(contact_scan(scan, FELT).ranges))]


# ---- what is felt -----------------------------------------------------------------------------

def test_only_what_is_near_the_centre_of_rotation_is_felt():
    assert things_felt(scan_of({0: 0.18, 90: 0.19, 180: 3.0})) == [0]


def test_distance_counts_from_the_centre_and_not_from_the_sensor():
    behind = Pose(-0.05, 0.0, 0.0)
    assert things_felt(scan_of({0: 0.23, 180: 0.15}, behind)) == [0]
    assert things_felt(scan_of({0: 0.24, 180: 0.13}, behind)) == [180]


def test_sector_feels_its_nearest_point_alone():
    assert things_felt(scan_of({350: 0.17, 0: 0.16, 10: 0.15})) == [10]


def test_sectors_do_not_know_of_each_other_and_lie_all_around():
    everywhere = scan_of(dict.fromkeys(range(0, 360, 5), 0.15))
    assert len(things_felt(everywhere)) == CONTACT_SECTORS == 10
    # The five of the front half meet at 18 and 54 degrees.
    assert things_felt(scan_of({10: 0.17, 30: 0.16, 50: 0.15, 60: 0.18})) == [10, 50, 60]


def test_beam_that_is_off_is_not_felt():
    scan = scan_of(dict.fromkeys(range(0, 16, 5), 0.17))
    scan.ranges[7] = 0.13
    assert np.nanmin(contact_scan(scan, FELT).ranges) == 0.17


def test_unknown_stays_unknown_and_too_near_is_felt():
    ranges = contact_scan(scan_of({0: 0.0, 40: math.nan, 80: -math.inf, 120: 1.0}), FELT).ranges
    assert ranges[0] == 0.0 and math.isnan(ranges[40]) and ranges[120] == math.inf
    assert np.nanmin(ranges[78:83]) == 0.12


# ---- the robot --------------------------------------------------------------------------------

def test_robot_keeps_the_contour_that_it_can_feel_and_is_slow():
    robot = Robot(BURGER, TOUCHING)
    assert robot.contour_radius == contour_radius(BURGER, TOUCHING)
    assert robot.contour_radius == pytest.approx(0.17, abs=1e-3)
    assert robot.model.max_vel_x == 0.12
    assert contour_radius(BURGER, Settings(sensing='contact', clearance=0.03)) == pytest.approx(
        0.154)
    assert Robot(RobotModel(max_vel_x=0.05), TOUCHING).model.max_vel_x == 0.05


def test_wall_is_hit_when_it_is_felt_and_not_before():
    world = world_of(block(1.0, 1.2, -1.0, 1.0))

    def hit_at(x: float):
        return Stage(world, Pose(x, 0.0, 0.0), sensing='contact').robot.blocking_hit()
    assert hit_at(1.0 - FELT - 0.01) is None and hit_at(1.0 - FELT + 0.01) is not None
    # With ranges, that place is inside of the contour already.
    assert Stage(world, Pose(0.8 - 0.05, 0.0, 0.0)).robot.blocking_hit() is not None


# ---- navigation -------------------------------------------------------------------------------

@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', [
    'box', 'u_trap', 'pole', 'goal_solid', 'ring_goal', 'ring_start', 'two_close', 'cell'])
def test_bug2_finds_the_truth_by_touch(name, turn):
    world = find_world(name)
    truth = judge(world, world.start, world.goal, contour_radius(BURGER, TOUCHING))
    episode = drive_bug2(world, turn, sensing='contact')
    assert episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0


@pytest.mark.parametrize('seed', range(6))
def test_bug2_finds_the_truth_by_touch_in_clutter(seed):
    world = random_world(random_name('cluttered', seed // 2, seed % 2 == 0))
    truth = judge(world, world.start, world.goal, contour_radius(BURGER, TOUCHING))
    episode = drive_bug2(world, sensing='contact')
    assert truth is None or episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0


def test_lap_by_touch_is_shorter_than_one_by_sight():
    world = find_world('goal_solid')
    by_touch = drive_bug2(world, sensing='contact', lidar=QUIET).result.lap_length
    by_sight = drive_bug2(world, lidar=QUIET).result.lap_length
    (outline,) = perimeters(world, contour_radius(BURGER, TOUCHING))
    # The contour of a smaller disc; each point that is felt late leaves a dent in it.
    assert outline - 0.15 < by_touch < 1.12 * outline
    assert by_sight < 1.05 * perimeters(world, 0.224)[0]


def test_wall_is_met_farther_by_sight_than_by_touch():
    hits = [hits_and_leaves(drive_bug2(find_world('box'), sensing=sensing))[0][0]
            for sensing in ('range', 'contact')]
    assert hits[1].pose.x > hits[0].pose.x + 0.05


# ---- what is refused --------------------------------------------------------------------------

def needing(sensing: str) -> type:
    class Needing(Algorithm):
        facts = Facts('Seer', 'a test', sensing, 'none', False, 'none', 'none')
        run = Bug2.run
    return Needing


def test_algorithm_that_needs_ranges_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="sensing is 'contact', and Seer needs a scan; choose "):
        check_sensing(needing(RANGE), TOUCHING)
    check_sensing(needing(RANGE), Settings())
    for sensing in (CONTACT, INTENSITY):
        check_sensing(needing(sensing), TOUCHING)


def made(*options: str) -> case.Case:
    arguments: argparse.Namespace = make_parser().parse_args(['run', 'box', *options])
    return case.make_case(arguments)


def test_command_refuses_what_touch_cannot_do(monkeypatch):
    assert made('--set', 'sensing=contact').robot.contour_radius == pytest.approx(0.17, abs=1e-3)
    with pytest.raises(BadInput, match='blind up to 0.152 m .* choose sensing range'):
        made('--set', 'sensing=contact', '--set', 'robot_radius=0.1')
    monkeypatch.setattr(case, 'find', lambda name: needing(RANGE))
    with pytest.raises(BadInput, match='Seer needs a scan'):
        made('--set', 'sensing=contact')


def test_follower_that_needs_ranges_is_refused():
    with pytest.raises(ValueError, match="follower is 'pid', which needs a scan"):
        Settings(sensing='contact', follower='pid')


def test_wandering_point_of_touch_is_not_taken_for_range_noise():
    # The noise was learnt to be 12 cm, walls were forgotten, and this run touched one at 277 s.
    world, goal = find_world('labyrinth'), (3.261, 5.139)
    episode = run_episode(
        world, Pose(4.762, 8.22, -2.683), goal, Bug2(), settings=TOUCHING, seed=1512213683,
        time_allowance=290.0, keep_samples=False)
    assert (episode.outcome, episode.contacts) == ('timeout', 0)
    assert episode.min_clearance > 0.02
