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

"""Presets of robots: each drives, or is rejected with the reason."""

import dataclasses
import itertools
import math

from arena import block, world_of
import bug_nav
from bug_nav.navigation.algorithms.base import check_sensing
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.sensors import check_coverage
from bug_nav.navigation.settings import contour_radius
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.robots import check_sensor, equip, find_robot, ROBOTS
from bug_nav.simulation.sensors import LidarModel, make_rangers, RangerRing
from bug_nav.simulation.world import World
import numpy as np
import pytest
from subsets import subset

DRIVEN = [name for name in ROBOTS if name != 'crazyflie']
RINGS = [name for name in ROBOTS if isinstance(find_robot(name).sensor, RangerRing)]


def test_presets_match_the_expected_list():
    assert list(ROBOTS) == [
        'burger', 'waffle_pi', 'turtlebot4', 'jackal', 'pioneer', 'e_puck', 'crazyflie']
    assert all(preset.sources for preset in ROBOTS.values())


@pytest.mark.parametrize('scene, name', subset(itertools.product([
    ('box', 'left', 'reached'), ('ring_goal', 'left', 'unreachable'), ('box', 'right', 'reached')],
    DRIVEN), 2))
def test_robot_has_the_expected_outcome(scene, name):
    world, turn, ends = scene
    preset, world = find_robot(name), find_world(world)
    check_sensor(preset.sensor, preset.model, preset.settings, name)
    episode = run_episode(
        world, Pose(*world.start), world.goal, Bug2(), model=preset.model, lidar=preset.sensor,
        settings=dataclasses.replace(preset.settings, turn_direction=turn),
        odometry=preset.odometry, time_allowance=600.0, keep_samples=False)
    assert (episode.outcome, episode.contacts) == (ends, 0)
    # Rangers guarantee no clearance, because a sharp corner may be between two of them.
    if isinstance(preset.sensor, LidarModel):
        assert episode.min_clearance > 0.5 * preset.settings.clearance


@pytest.mark.parametrize('off', [0.0, 0.15, 0.3])
@pytest.mark.parametrize('name', RINGS)
def test_bar_between_the_cones_of_two_rangers_is_not_touched(name, off):
    # Ahead of the robot, and thinner than the gap between the cones of the front rangers.
    preset = find_robot(name)
    radius = preset.model.robot_radius
    bar = radius * np.array([(4.0, off - 0.06), (10.0, off - 0.06), (10.0, off + 0.06),
                             (4.0, off + 0.06)])
    episode = run_episode(
        World('bar', (bar,)), Pose(0.0, 0.0, 0.0), (14.0 * radius, 0.0), Bug2(),
        model=preset.model, lidar=preset.sensor, settings=preset.settings,
        odometry=preset.odometry, time_allowance=120.0, keep_samples=False, seed=1)
    assert (episode.outcome, episode.contacts) == ('reached', 0)


@pytest.mark.parametrize('seed, wider', subset(itertools.product(range(4), [0.05, 0.10]), 5))
def test_slot_slightly_wider_than_necessary_is_found_by_the_pioneer(seed, wider):
    # Because of its wide sonar cones, a distant slot seems up to 10 cm narrower.
    preset = find_robot('pioneer')
    half = 0.5 * (2.0 * contour_radius(preset.model, preset.settings) + wider)
    walls = [block(-1.5, -1.2, -1.5, 1.5), block(-1.5, 1.5, -1.5, -1.2),
             block(-1.5, 1.5, 1.2, 1.5), block(1.2, 1.5, -1.5, -half), block(1.2, 1.5, half, 1.5)]
    episode = run_episode(
        world_of(*walls), Pose(-4.0, 0.3 * seed, 0.0), (0.0, 0.0), Bug1(), model=preset.model,
        lidar=preset.sensor, settings=preset.settings, odometry=preset.odometry,
        keep_samples=False, seed=seed)
    assert episode.contacts == 0
    assert episode.outcome == 'reached' or (episode.outcome, wider) == ('undecided', 0.05)


def test_four_rangers_are_rejected_with_the_reason():
    preset = find_robot('crazyflie')
    with pytest.raises(ValueError, match='4 rangers of crazyflie point in directions up to 90'):
        check_sensor(preset.sensor, preset.model, preset.settings, 'crazyflie')


@pytest.mark.parametrize('name', ['pioneer', 'e_puck'])
def test_algorithm_that_needs_a_scan_is_rejected_with_rangers(name):
    settings = find_robot(name).settings
    check_sensing(Bug2, settings)
    with pytest.raises(ValueError, match="sensing is 'rangers', and TangentBug needs a scan"):
        check_sensing(TangentBug, settings)


@pytest.mark.parametrize('change, sentence', [
    ({'follower': 'pid'}, "follower is 'pid', which needs a scan"),
    ({'turn_direction': 'clearer'}, "turn_direction is 'clearer', which needs a scan")])
def test_setting_that_needs_a_scan_is_rejected_with_rangers(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        dataclasses.replace(find_robot('e_puck').settings, **change)


def test_sensing_that_the_robot_does_not_support_is_rejected():
    burger, e_puck = find_robot('burger'), find_robot('e_puck')
    with pytest.raises(ValueError, match='has a lidar; allowed are range and contact'):
        check_sensor(burger.sensor, burger.model, e_puck.settings)
    with pytest.raises(ValueError, match='has single rangers and no scan; allowed is rangers'):
        check_sensor(e_puck.sensor, e_puck.model, burger.settings)


@pytest.mark.parametrize('directions, sees', [
    ((-90, -45, 0, 45, 90), True), ((-60, 0, 60), True), ((-90, -30, 30, 90), True),
    ((-90, -31, 31, 90), False), ((0, 60, 120), False), ((180,), False), ((), False)])
def test_rangers_must_cover_the_front(directions, sees):
    mounts = [Pose(0.0, 0.0, math.radians(each)) for each in directions]
    if sees:
        check_coverage(mounts)
    else:
        with pytest.raises(ValueError, match='or use a lidar'):
            check_coverage(mounts)


def test_unknown_robot_is_rejected_with_a_suggestion():
    with pytest.raises(ValueError, match="unknown robot 'wafle_pi'; did you mean 'waffle_pi'"):
        find_robot('wafle_pi')


def test_contour_in_the_blind_zone_is_rejected():
    far = LidarModel(scan_range_min=0.3)
    burger = find_robot('burger')
    with pytest.raises(ValueError, match='blind up to 0.332 m .* the clearance at least 0.208 m'):
        check_sensor(far, burger.model, burger.settings)
    ring = RangerRing(make_rangers((('a', 0.1, 0.0, 0.0),)), 0.2, 1.0, 0.0, 0.0, 0.1)
    assert ring.blind == pytest.approx(0.3)


@pytest.mark.parametrize('names', [
    ('scan_angle_min', 'scan_angle_max'), ('scan_angle_max', 'scan_angle_min')])
def test_compatible_changes_are_accepted_in_any_order(names):
    values = {'scan_angle_min': -1.57, 'scan_angle_max': 1.57}
    equipment = equip('burger', {name: values[name] for name in names})
    assert equipment.sensor.scan_angle_min == -1.57 and equipment.sensor.scan_angle_max == 1.57


@pytest.mark.parametrize('algorithm, turn, seed, world', [
    ('bug2', 'left', 1388752668, 144629003), ('bug1', 'right', 1204122706, 144629011)])
def test_slow_robot_that_looks_around_on_its_way_makes_progress(algorithm, turn, seed, world):
    found = bug_nav.run(f'random:cluttered?seed={world}', algorithm=algorithm, turn=turn,
                        robot='e_puck', seed=seed, time_allowance=6000.0)
    assert found['outcome'] == 'reached' and not found['contacts']
