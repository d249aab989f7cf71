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

"""
Tests of VisBug-21 and VisBug-22: a virtual Bug2 ahead of the robot, as far as the lidar sees.

P1 to P23 are properties of test/properties.
"""

from __future__ import annotations

import functools
import itertools
import math
from unittest import mock

from arena import (
    block,
    BURGER,
    drive_bug2,
    hand_over,
    QUIET,
    R,
    RHO,
    Stage,
    TURNS,
    way_of,
    world_of,
)
from bug_nav.lab.ground_truth import bug2_bound, inflate, judge
from bug_nav.navigation.algorithms.vis_bug_21 import VisBug21
from bug_nav.navigation.algorithms.vis_bug_22 import VisBug22
from bug_nav.navigation.behaviors.lookahead_disc import look, LookaheadDisc, Visibility
from bug_nav.navigation.behaviors.rolling_disc import RollingDisc
from bug_nav.navigation.behaviors.virtual_bug import MAX_UNSEEN_SCANS, VirtualBug
from bug_nav.navigation.cspace.disc_rolling import STRIDE
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED, TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.generators import random_name
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np
import pytest
from shapely.geometry import Point
from subsets import one_of, subset

pytestmark = pytest.mark.xdist_group('vis_bug_21')  # they share episodes

SCENES = ('open', 'box', 'u_trap', 'ring_goal', 'ring_start', 'arena_out', 'goal_solid', 'pole',
          'narrow_door', 'two_close', 'touch', 'cell', 'maze', 'demo', 'spiral_out_W')
WALL = world_of(block(1.0, 1.2, -1.5, 0.5))
CLUTTER = tuple(random_name('cluttered', seed, wish) for seed in (2000, 2002)
                for wish in (True, False))
IN_TURN = [(name, turn) for name in subset(SCENES + CLUTTER, 4)
           for turn in one_of(TURNS, name)]
NOISY = LidarModel(scan_noise=0.01)


@functools.lru_cache(maxsize=None)
def driven(name: str, turn: str, kind=VisBug21, lidar: LidarModel = QUIET) -> EpisodeResult:
    """Run an algorithm in a world, once for all tests."""
    world = find_world(name)
    return run_episode(world, Pose(*world.start), world.goal, kind(), lidar=lidar,
                       settings=Settings(turn_direction=turn))


@functools.lru_cache(maxsize=None)
def bug2(name: str, turn: str) -> EpisodeResult:
    """Run Bug2 in the same world, with the gap judgements of the disc at T_i."""
    with mock.patch.object(RollingDisc, 'doubts', LookaheadDisc.doubts):
        return drive_bug2(find_world(name), turn)


def used_the_safe_rule(*episodes: EpisodeResult) -> bool:
    """Return whether the safe rule was used, after which a new M-line begins."""
    return any('return_to_leave_point' in sample.state
               for episode in episodes for sample in episode.samples)


def assert_right(name: str, episode: EpisodeResult) -> None:
    world = find_world(name)
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is not None
    assert episode.outcome in (ARRIVED if truth else ('unreachable',))         # P1, P2
    assert episode.contacts == 0 and episode.min_clearance > 0.03              # P23


@pytest.mark.parametrize('name, turn', IN_TURN)
def test_p1_p2_p23_vis_bug_21_has_the_right_verdict_without_contact(name, turn):
    assert_right(name, driven(name, turn))


@pytest.mark.parametrize('name, turn', subset(itertools.product(SCENES[:-1], TURNS), 5))
def test_p1_p2_p23_vis_bug_22_has_the_right_verdict_without_contact(name, turn):
    assert_right(name, driven(name, turn, VisBug22))


@pytest.mark.parametrize('name, turn', subset(itertools.product(
    ['box', 'u_trap', 'ring_start', 'arena_out', 'goal_solid', 'pole', CLUTTER[0], CLUTTER[1]],
    TURNS), 5))
def test_p1_p2_p23_verdict_is_right_with_range_noise_of_a_centimetre(name, turn):
    assert_right(name, driven(name, turn, lidar=NOISY))


@pytest.mark.parametrize('name, turn', IN_TURN)
def test_p19_vis_bug_21_is_never_longer_than_bug2(name, turn):
    episode, contact = driven(name, turn), bug2(name, turn)
    if not used_the_safe_rule(episode, contact):
        assert episode.path_length <= 1.05 * contact.path_length + 0.5


@pytest.mark.parametrize('name, turn', [each for each in IN_TURN if each[0] in SCENES])
def test_p4_vis_bug_21_stays_within_the_bound_of_bug2(name, turn):
    world, episode = find_world(name), driven(name, turn)
    hits = sum(event.kind == 'hit' for event in episode.events)
    bound = bug2_bound(world, RHO, world.start, world.goal)
    assert episode.path_length <= 1.10 * bound + 0.5 * hits


# Path length.

@pytest.mark.parametrize('name, left, right', [
    ('box', 6.9, 6.3), ('u_trap', 6.9, 7.4), ('pole', 4.0, 4.0), ('touch', 5.0, 4.2)])
def test_path_is_about_as_long_as_that_of_a_point_robot(name, left, right):
    # The lengths are those of an exact simulation with a range of 3.5 m.
    for turn, length in zip(TURNS, (left, right)):
        measured = driven(name, turn).path_length
        assert 0.92 * length - 0.10 <= measured <= 1.15 * length


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', ['ring_start', 'arena_out', 'cell'])
def test_visible_lap_is_closed_without_driving_all_of_it(name, turn):
    seen, walked = driven(name, turn), bug2(name, turn)
    assert seen.outcome == walked.outcome == 'unreachable'
    assert seen.path_length < max(0.5 * walked.path_length, 0.1)
    assert seen.result.lap_length == pytest.approx(walked.result.lap_length, rel=0.05, abs=0.1)


@pytest.mark.parametrize('name', ['box', 'u_trap'])
def test_corners_are_cut_instead_of_followed(name):
    for turn in TURNS:
        assert driven(name, turn).path_length < bug2(name, turn).path_length - 1.0


@pytest.mark.parametrize('turn', TURNS)
def test_short_range_gives_the_path_length_of_bug2(turn):
    lidar = LidarModel(scan_noise=0.0, scan_range_max=0.35)
    for name in ('box', 'ring_start'):
        blind = driven(name, turn, lidar=lidar)
        assert (blind.outcome in ARRIVED) is (bug2(name, turn).outcome in ARRIVED)
        assert blind.path_length == pytest.approx(bug2(name, turn).path_length, rel=0.05)


def test_vis_bug_22_is_longer_than_vis_bug_21_in_the_maze():
    # A shortcut from the other side of the M-line does not pay in this maze.
    one, other = driven('maze', 'right'), driven('maze', 'right', VisBug22)
    assert other.path_length > one.path_length + 5.0


@pytest.mark.parametrize('turn', TURNS)
def test_hit_points_come_closer_and_are_detected_from_afar(turn):
    """Check P7, as far as it holds for a range sensor."""
    world, episode = find_world('u_trap'), driven('u_trap', turn)
    hits = [event for event in episode.events if event.kind == 'hit']
    assert all(a.goal_distance > b.goal_distance for a, b in zip(hits, hits[1:]))
    assert inflate(world, RHO).distance(Point(hits[0].pose.position)) > 1.0


def test_verdict_is_right_with_a_lidar_that_looks_ahead_only():
    half = LidarModel(scan_noise=0.0, scan_angle_min=-2.0, scan_angle_max=2.0, scan_count=230)
    for name in ('box', 'goal_solid'):
        episode = driven(name, 'left', lidar=half)
        assert_right(name, episode)


@pytest.mark.parametrize('name', ['box', 'ring_start'])
def test_path_length_does_not_depend_on_the_global_frame(name):
    world, frame = find_world(name), Pose(-3.0, 2.0, 2.2)
    simulator = Simulator(world, Pose(*world.start), BURGER, QUIET)
    navigator, result = Navigator(VisBug21(), BURGER, Settings()), None
    for k in range(2000):
        hand_over(simulator, navigator, k % 4 == 0)
        decision = navigator.tick(TickInput(
            simulator.stamp, frame.apply(world.goal), correction=frame))
        result = decision.result
        if result is not None:
            break
        simulator.step(decision.twist, 0.05)
    there = driven(name, 'left')
    assert result is not None and result.outcome is there.result.outcome
    assert navigator.robot.path_length == pytest.approx(there.path_length, abs=0.02)


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('goal, outcome', [
    ((0.84, 0.0), 'reached'),           # in front of the wall, between R and rho from it
    ((1.36, 0.0), 'reached'),           # behind it
    ((0.93, 0.0), 'unreachable'),       # nearer than R, and outside the tolerance
    ((1.1, 0.2), 'unreachable')])       # inside
def test_goal_near_a_wall_is_reached_if_the_tolerance_allows(goal, outcome, turn):
    assert judge(WALL, (-1.0, 0.1), goal, RHO) is (outcome == 'reached')
    episode = run_episode(WALL, Pose(-1.0, 0.1, 0.0), goal, VisBug21(), lidar=QUIET,
                          settings=Settings(turn_direction=turn))
    assert (episode.outcome, episode.contacts) == (outcome, 0)


# Visibility.

def test_place_is_visible_if_the_disc_can_go_straight_to_it():
    sight = Visibility(Stage(WALL).robot)
    assert sight.sees((0.7, 0.0)) and sight.sees((-3.0, 0.0)) and sight.sees((1.0, 1.0))
    assert not sight.sees((0.9, 0.0))           # nearer to the wall than rho
    assert not sight.sees((2.0, 0.0))           # behind it
    assert not sight.sees((2.0, 1.2))           # the line of sight is free, the way is not
    assert not sight.sees((-3.4, 0.0))          # beyond the range, less rho


def test_place_outside_the_field_of_view_is_not_visible():
    ahead = LidarModel(scan_noise=0.0, scan_angle_min=-1.0, scan_angle_max=1.0, scan_count=115)
    sight = Visibility(Stage(WALL, lidar=ahead).robot)
    assert sight.sees((0.5, 0.0)) and not sight.sees((-0.5, 0.0))


def test_visibility_of_many_places_matches_single_queries():
    sight = Visibility(Stage(WALL, Pose(0.2, -0.3, 1.0)).robot)
    places = np.random.default_rng(3).uniform(-4.0, 4.0, (300, 2))
    seen = sight.sees_which(places)
    assert seen.tolist() == [sight.sees(place) for place in map(tuple, places.tolist())]
    assert 50 < seen.sum() < 250


def test_sight_is_reused_until_the_robot_moves_scans_or_judges_a_gap():
    stage = Stage(WALL)
    sight = look(stage.robot)
    assert look(stage.robot, sight) is sight
    stage.robot.gaps.mark_closed((0.5, 0.0), (1.0, 0.0))
    judged = look(stage.robot, sight)
    assert judged is not sight and look(stage.robot, judged) is judged
    seen = look(stage.put(Pose(0.0, 0.0, 0.0)), judged)
    assert seen is not judged
    assert look(stage.put(Pose(0.1, 0.0, 0.0)), seen) is not seen


def test_disc_rolled_in_sight_begins_in_place_and_moves_by_strides():
    disc = (1.0 - RHO, 0.0, 1.0, 0.0, RHO)
    discs = Visibility(Stage(WALL, Pose(0.0, 0.0, 0.0)).robot).roll(disc, 1)
    assert discs[0] == pytest.approx(disc, abs=0.02) and len(discs) > 20
    centres, contacts = np.array(discs)[:, :2], np.array(discs)[:, 2:4]
    assert np.hypot(*(centres - contacts).T) == pytest.approx(np.full(len(discs), RHO))
    assert (np.hypot(*np.diff(centres, axis=0).T) < STRIDE + 1e-3).all()


def roll(world, disc: LookaheadDisc, robot) -> list:
    return list(disc.roll_on(robot, Visibility(robot)))


def test_disc_rolls_along_a_wall_only_as_far_as_it_is_visible():
    stage = Stage(WALL, Pose(0.0, 0.0, 0.0))
    places = roll(WALL, LookaheadDisc((1.0 - RHO, 0.0), (1.0, 0.0), 1), stage.robot)
    contour = inflate(WALL, RHO).exterior
    assert max(contour.distance(Point(place)) for place in places) < 0.025      # a beam's width
    # It rolls around the corner at (1, 0.5) until the corner hides the rest.
    x, y = places[-1]
    assert y > 0.6 and 0.85 < x < 1.3


@pytest.mark.parametrize('width, passes', [(0.30, False), (0.43, False), (0.47, False),
                                           (0.56, True)])
def test_narrow_gap_is_not_judged_from_afar(width, passes):
    # The way up along the wall reaches a gap after 1 m, which would lead to x > 1.
    gap = world_of(block(1.0, 1.2, -1.5, 1.0), block(1.0, 1.2, 1.0 + width, 3.0))
    robot = Stage(gap, Pose(-0.5, 1.0 + 0.5 * width, 0.0)).robot
    places = roll(gap, LookaheadDisc((1.0 - RHO, 0.0), (1.0, 0.0), 1), robot)
    assert robot.gaps.plugs == []
    if passes:
        assert max(x for x, _ in places) > 1.05
    elif width > 0.39:
        assert max(y for _, y in places) < 1.0 + width     # it waits at the gap
    else:
        assert max(y for _, y in places) > 1.5             # clearly too narrow


def test_target_that_turns_out_to_be_hidden_is_given_up():
    stage = Stage(world_of(block(2.0, 2.2, -1.0, 1.0)), goal=(5.0, 0.0))
    bug = VirtualBug(stage.robot, 0.03, True)
    bug.advance(stage.robot)
    assert bug.hit is not None and bug.place[1] > 0.9
    hit = bug.hit
    # A wall directly in front of the robot that was not visible before.
    stage.world = world_of(block(0.3, 0.4, -2.0, 2.0))
    for _ in range(MAX_UNSEEN_SCANS + 2):
        stage.put(Pose(0.1, 0.0, 0.0))
        bug.approach(stage.robot)
    assert math.dist(bug.place, stage.robot.pose.position) < 0.1
    bug.advance(stage.robot)
    assert bug.hit is not hit and bug.hit.centre[0] == pytest.approx(0.3 - RHO, abs=0.03)


def test_verdict_is_right_if_a_shortcut_gap_looks_closed_from_nearby():
    # The robot waited at a gap that looked open in one scan and closed in the next.
    name = random_name('cluttered', 6023)
    assert_right(name, driven(name, 'right'))


def test_robot_keeps_its_distance_on_the_straight_way():
    for turn in TURNS:
        world = find_world('box')
        clearances = world.clearance(way_of(driven('box', turn)))
        assert clearances.min() > RHO - 0.05 > R


def test_verdict_is_right_after_no_stored_place_is_reachable():
    # After a loss, the robot drove straight through a corner to the oldest stored place.
    world = find_world('random:spirals?seed=9510016&reachable=false')
    episode = run_episode(world, Pose(*world.start), world.goal, VisBug22(), seed=285871891)
    assert episode.outcome == 'unreachable' and episode.contacts == 0


@pytest.mark.parametrize('kind, name, seed, outcome', [
    (VisBug22, 'random:rooms?seed=9510006', 367443031, 'unreachable'),
    (VisBug21, 'random:cluttered?seed=9610015', 1645058491, 'reached')])
def test_verdict_is_right_at_gaps_ambiguous_for_other_algorithms(kind, name, seed, outcome):
    world = find_world(name)
    episode = run_episode(world, Pose(*world.start), world.goal, kind(), seed=seed,
                          time_allowance=1000.0)
    assert episode.outcome == outcome and episode.contacts == 0


def test_gap_that_is_narrower_than_it_appeared_from_afar_ends_in_a_verdict():
    # New points pushed the disc through the gap while T_i stayed there; the robot turned forever.
    world = find_world('random:spirals?seed=60479258&reachable=false')
    episode = run_episode(world, Pose(*world.start), world.goal, VisBug22(), seed=931604816,
                          settings=Settings(turn_direction='left'), time_allowance=1000.0)
    assert episode.outcome == 'unreachable' and episode.certified and episode.contacts == 0
