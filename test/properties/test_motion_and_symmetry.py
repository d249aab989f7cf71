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

"""P8, P16, P17, P21, P23, P26, P27: motion, symmetry and invariance."""

from __future__ import annotations

import itertools
import math

from arena import drive_bug2, hand_over, QUIET, RHO, TURNS, way_of
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.generators import random_name
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
from family import (
    BOTH_TURNS,
    broken,
    changed,
    CLUTTER,
    COMPLETE,
    drive,
    driven,
    NAMES,
    SCENES,
    WALKERS,
)
import numpy as np
import pytest
from shapely.geometry import LineString
from subsets import one_of, subset

OTHER = dict(zip(TURNS, TURNS[::-1]))
MIRRORED = LidarModel(scan_noise=0.0, scan_angle_min=-6.28, scan_angle_max=0.0)
"""Mirror image of the lidar, whose 360 beams start ahead and span less than a turn."""


def never_farther_in_motion_to_goal(episode) -> list:
    """P8: in motion to goal the distance does not grow; braking costs up to 1 cm a tick."""
    pairs = zip(episode.samples, episode.samples[1:])
    return [f'farther from the goal at {b.stamp} s' for a, b in pairs
            if a.state == b.state == ('motion_to_goal',)
            and math.dist(b.pose.position, episode.goal)
            > math.dist(a.pose.position, episode.goal) + 0.01]


def without_contact(episode) -> list:
    """P23: the body has no contact, and keeps half of its clearance."""
    found = [f'{episode.contacts} contacts'] if episode.contacts else []
    return found + ([] if episode.min_clearance > 0.05 else [f'{episode.min_clearance} m left'])


@pytest.mark.parametrize('name', NAMES)
def test_p08_goal_distance_never_increases_in_motion_to_goal(name):
    assert broken(never_farther_in_motion_to_goal, name, SCENES) == {}


def test_p08_p23_of_bug2_hold_in_clutter():
    assert broken(never_farther_in_motion_to_goal, 'bug2', CLUTTER) == {}
    assert broken(without_contact, 'bug2', CLUTTER) == {}


@pytest.mark.parametrize('name', NAMES)
def test_p23_robot_has_no_contacts(name):
    assert broken(without_contact, name, SCENES) == {}


@pytest.mark.parametrize('name, allowance, world', [
    (name, allowance, world) for name, first, allowance in (
        ('k_bug', 340, 3600.0), ('blind_bug', 360, 1800.0), ('point_bug', 380, 3600.0),
        ('iba', 390, 3600.0), ('rv_bug', 400, 3600.0))
    for world in subset((random_name('cluttered', seed, wish) for seed in range(first, first + 4)
                         for wish in (True, False)), 3)])
def test_p23_p25_run_without_proofs_ends_without_contact(name, allowance, world):
    episode = drive(name, find_world(world), time_allowance=allowance)
    assert episode.outcome in ('reached', 'loop_detected')
    assert episode.contacts == 0


@pytest.mark.parametrize('name', ['k_bug', 'iba', 'rv_bug'])
@pytest.mark.parametrize('scene', ['goal_solid', 'ring_goal', 'ring_start', 'cell', 'arena_out'])
def test_unreachable_goal_ends_as_loop_detected(name, scene):
    episode = drive(name, find_world(scene), time_allowance=3600.0)
    assert episode.outcome == 'loop_detected'


def test_every_check_of_motion_can_fail():
    good = driven('bug2', 'u_trap', 'left')
    backwards = [sample._replace(state=('motion_to_goal',)) for sample in good.samples[::-1]]
    assert never_farther_in_motion_to_goal(changed(good, samples=backwards)) != []
    assert without_contact(changed(good, contacts=1)) != []
    assert without_contact(changed(good, min_clearance=0.01)) != []


# ---- symmetry -----------------------------------------------------------------------------------

def assert_same_path(one, other, back, allowed: float = 0.05) -> None:
    """Compare two episodes; ``back`` transforms points of the second into the first world."""
    assert other.outcome == one.outcome and other.contacts == one.contacts == 0
    assert [(event.kind, event.index) for event in other.events] == [
        (event.kind, event.index) for event in one.events]
    # New points replace stored ones by the cells of a grid that does not move with the scene, so
    # that different points of a wall are kept: 5 cm per 10 m are allowed.
    assert other.path_length == pytest.approx(
        one.path_length, abs=allowed * max(one.path_length / 10.0, 1.0))
    there = LineString([back(tuple(place)) for place in way_of(other)])
    assert LineString(way_of(one)).hausdorff_distance(there) < allowed


# In u_trap, the path of K-Bug is a hundred meters long, and its decisions depend on centimeters.
# The first pan direction of WedgeBug's camera is not mirrored. A side of the box is 1 m long:
# whether it counts for the gradient bugs depends on centimeters.
MIRRORABLE = [(name, scene) for name in WALKERS for scene in ('box', 'u_trap')
              if (name, scene) not in (('k_bug', 'u_trap'), ('wedge_bug', 'u_trap'),
                                       ('gradient_bug', 'box'), ('sgba', 'box'))]
# These drive to points in directions of the local tangent graph, which are half a degree apart
# (3 cm at 3.5 m): their scenes are rotated by a multiple of that.
BY_DIRECTIONS = ('insert_bug', 'k_bug', 'point_bug', 'wedge_bug')


@pytest.mark.parametrize('name, scene', subset(MIRRORABLE, 7))
def test_p16_mirrored_scene_and_turn_yield_the_mirrored_path(name, scene):
    other = drive(name, find_world(scene).mirrored(), 'right', lidar=MIRRORED)
    assert_same_path(driven(name, scene, 'left'), other, lambda place: (place[0], -place[1]))


@pytest.mark.parametrize('scene, turn', subset(itertools.product(
    ['maze', 'pole', 'two_close', 'ring_goal', 'ring_start', 'demo'], TURNS), 5))
def test_p16_path_of_bug2_is_mirrored_in_more_scenes(scene, turn):
    other = drive('bug2', find_world(scene).mirrored(), OTHER[turn], lidar=MIRRORED)
    assert_same_path(driven('bug2', scene, turn), other, lambda place: (place[0], -place[1]))


def test_p16_mirrored_scene_with_the_same_turn_yields_another_path():
    # The tests above would pass if `turn_direction` had no effect.
    left, right = (driven('bug2', 'box', turn).path_length for turn in TURNS)
    assert left > right + 1.0
    assert drive_bug2(find_world('box').mirrored(), 'left').path_length == pytest.approx(
        right, abs=0.05)


@pytest.mark.parametrize('name, degrees', [
    (name, degrees) for name in subset(WALKERS, 5) for degrees in one_of((90.0, 37.3), name)])
def test_p17_moved_scene_yields_the_moved_path(name, degrees):
    degrees = round(degrees) if name in BY_DIRECTIONS else degrees
    motion = Pose(3.0, -40.0, math.radians(degrees))
    scene = 'box' if name in ('k_bug', 'point_bug') else 'u_trap'
    # Wall segments start elsewhere in a rotated scene, and some paths depend on millimeters.
    one, other = (drive(name, world, drift_correction='none') for world in (
        find_world(scene), find_world(scene).transformed(*motion)))
    assert_same_path(one, other, motion.inverse().apply)


@pytest.mark.parametrize('scene, degrees', subset(itertools.product(
    ['box', 'maze', 'ring_goal', 'two_close'], [90.0, 180.0, -120.0, 1.0]), 7))
def test_p17_path_of_bug2_is_moved_in_more_scenes(scene, degrees):
    motion = Pose(3.0, -40.0, math.radians(degrees))
    for turn in TURNS:
        other = drive('bug2', find_world(scene).transformed(*motion), turn)
        assert_same_path(driven('bug2', scene, turn), other, motion.inverse().apply)


@pytest.mark.parametrize('name, correction', subset(itertools.product(
    ['alg1', 'bug1', 'bug2', 'c_bug', 'rev2', 'tangent_bug'],
    [Pose(5.0, -7.0, 0.0), Pose(-3.0, 2.0, 2.2)]), 3))
def test_p17_global_frame_does_not_change_the_path(name, correction):
    world = find_world('u_trap')

    def seen_in(frame: Pose) -> tuple:
        simulator = Simulator(world, Pose(*world.start), lidar=QUIET)
        navigator = Navigator(find(name)(), settings=Settings())
        goal, way = frame.apply(world.goal), []
        for k in range(6000):
            hand_over(simulator, navigator, k % 4 == 0)
            decision = navigator.tick(TickInput(simulator.stamp, goal, correction=frame))
            way.append(simulator.pose.position)
            if decision.result is not None:
                return decision.result.outcome, way
            simulator.step(decision.twist, 0.05)
        return None, way
    (outcome, way), (there, other) = seen_in(Pose(0.0, 0.0, 0.0)), seen_in(correction)
    assert outcome is there is not None
    assert LineString(way).hausdorff_distance(LineString(other)) < 0.01


# ---- pairs of algorithms that are equal until their rules differ --------------------------------

def equal_until(one, other, end: float) -> float:
    """Return the time until which two episodes are equal, at most until ``end`` [s]."""
    for a, b in zip(one.samples, other.samples):
        if a.stamp > end or a.pose != b.pose or a.state != b.state:
            return a.stamp
    return min(one.time, other.time)


@pytest.mark.parametrize('name, other, scene, turn', [
    (name, other, scene, turn)
    for name, other in (('bug2', 'alg1'), ('class1', 'alg2'), ('alg1', 'rev1'), ('alg2', 'rev2'))
    for scene in subset(('u_trap', 'maze', 'box', 'ring_goal', 'demo'), 3)
    for turn in (TURNS if scene in BOTH_TURNS else one_of(TURNS, name, scene))])
def test_p21_paths_of_a_pair_are_equal_until_its_rules_differ(name, other, scene, turn):
    one, two = driven(name, scene, turn), driven(other, scene, turn)
    hits = [event.stamp for event in one.events if event.kind == 'hit']
    if name in ('bug2', 'class1'):      # equal until a previous point is reached again
        end = min([sample.stamp for sample in two.samples if 'turned_back' in sample.state],
                  default=math.inf)
    else:                               # nothing is stored before the first hit
        end = hits[1] if len(hits) > 1 else math.inf
    if (name, other) == ('class1', 'alg2'):
        # Until a visited point is closer to the goal than the hit point.
        first = one.events[0]
        end = min([end, *(sample.stamp for sample in one.samples
                          if sample.stamp > first.stamp
                          and math.dist(sample.pose.position, one.goal) < first.goal_distance)])
    # To within one tick, because the estimated pose differs from the true one by millimeters.
    assert equal_until(one, two, end) >= min(end, one.time, two.time) - PERIOD


def test_p21_alg1_turns_back_where_bug2_does_not():
    one, two = (driven(name, 'spiral_out_W', 'left') for name in ('bug2', 'alg1'))
    assert two.path_length > 1.5 * one.path_length
    back = min(sample.stamp for sample in two.samples if 'turned_back' in sample.state)
    assert back <= equal_until(one, two, math.inf) < back + 0.1


def test_p21_different_paths_are_detected():
    one, two = driven('bug1', 'box', 'left'), driven('bug2', 'box', 'left')
    assert equal_until(one, two, math.inf) < min(one.time, two.time) - 1.0


# ---- invariance ---------------------------------------------------------------------------------

@pytest.mark.parametrize('name', subset(WALKERS, 3))
def test_p26_distant_obstacles_do_not_change_the_path(name):
    world = find_world('box')
    far = np.array([(100.0, 100.0), (101.0, 100.0), (100.0, 101.0)])
    more = World('', (*world.solids, far), world.start, world.goal)
    assert np.array_equal(way_of(driven(name, 'box', 'left')), way_of(drive(name, more)))


class Faulty(Simulator):
    """A simulator whose lidar loses beams: 1 % are NaN, and 5 % are infinite."""

    def scan(self):
        scan = super().scan()
        ranges, lost = scan.ranges.copy(), np.random.default_rng(int(1000 * self.stamp))
        ranges[lost.random(ranges.size) < 0.05] = math.inf
        ranges[lost.random(ranges.size) < 0.01] = math.nan
        return scan._replace(ranges=ranges)


WORSE = {'half of the beams': LidarModel(scan_count=180, scan_noise=0.0),
         'noise': LidarModel(scan_noise=0.01), 'drop-outs': QUIET}


@pytest.mark.parametrize('name, kind', subset(
    ((name, kind) for name in WALKERS if name in COMPLETE for kind in WORSE), 13))
def test_p27_verdict_does_not_depend_on_the_quality_of_the_scan(name, kind, monkeypatch):
    if kind == 'drop-outs':
        monkeypatch.setattr('bug_nav.simulation.episode.Simulator', Faulty)
    for scene, outcome in (('box', 'reached'), ('ring_start', 'unreachable'),
                           ('pole', 'reached'), ('cell', 'unreachable')):
        episode = drive(name, find_world(scene), lidar=WORSE[kind], seed=4)
        assert (episode.outcome, episode.contacts) == (outcome, 0), scene


@pytest.mark.parametrize('count, noise', subset(
    itertools.product([180, 240, 720], [0.0, 0.01]), 3))
def test_p27_verdict_of_bug2_does_not_depend_on_the_number_of_beams(count, noise):
    lidar = LidarModel(scan_count=count, scan_noise=noise)
    for scene, outcome in (('box', 'reached'), ('ring_start', 'unreachable')):
        for turn in TURNS:
            episode = drive('bug2', find_world(scene), turn, lidar=lidar, seed=4)
            assert (episode.outcome, episode.contacts) == (outcome, 0), (scene, turn)


def test_contour_radius_of_the_checks_matches_the_robot():
    assert RHO == pytest.approx(0.124 + Settings().clearance)
