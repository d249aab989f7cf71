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

"""Tests of TangentBug; P1 to P25 are properties of test/properties."""

from __future__ import annotations

import functools
import math

from arena import block, hits_and_leaves, QUIET, RHO, world_of
from bug_nav.lab.ground_truth import inflate, judge, shortest_path
from bug_nav.navigation.algorithms.class1 import Class1
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import World
import numpy as np
import pytest
from shapely.geometry import Point
from subsets import subset

SCENES = ('open', 'box', 'u_trap', 'ring_goal', 'ring_start', 'arena_out', 'goal_solid', 'pole',
          'narrow_door', 'two_close', 'touch', 'cell', 'maze', 'gap_step', 'spiral_in')
CLUTTER = tuple(subset((f'random:cluttered?seed={seed}{wish}' for seed in range(300, 304)
                        for wish in ('', '&reachable=false')), 3))
AMBIGUOUS = 'random:cluttered?seed=162&reachable=false&count=60&size=6&gaps=0.8'
"""At its start, two nodes are alternately the best while the robot turns on the spot."""


def drive(world: World, algorithm=None, turn: str = 'left', lidar: LidarModel = QUIET,
          start=None, goal=None) -> EpisodeResult:
    return run_episode(world, Pose(*(start or world.start)), goal or world.goal,
                       algorithm or TangentBug(), settings=Settings(turn_direction=turn),
                       lidar=lidar)


@functools.lru_cache(maxsize=None)
def driven(name: str) -> EpisodeResult:
    """Run TangentBug in a world, once for all tests."""
    return drive(find_world(name))


def perimeters_and_minima(world: World) -> list:
    """Return p_i, and m_i: the local minima of d inside of the disc (T, D), by sampling."""
    goal, start = world.goal, world.start[:2]
    blocked = inflate(world, RHO)
    found = []
    for solid in getattr(blocked, 'geoms', [blocked]):
        for ring in [] if solid.is_empty else [solid.exterior, *solid.interiors]:
            along = np.arange(0.0, ring.length, 0.05)
            d = np.array([ring.interpolate(s).distance(Point(goal)) for s in along])
            least = (d < np.roll(d, 1)) & (d <= np.roll(d, -1)) & (d < math.dist(start, goal))
            if (d < math.dist(start, goal)).any():
                found.append((ring.length, int(least.sum())))
    return found


# ---- properties of any run --------------------------------------------------------------------

def right_verdict(world: World, episode: EpisodeResult) -> None:
    """P1, P2: the verdict is the connectivity of configuration space."""
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is None or episode.outcome in (ARRIVED if truth else ('unreachable',))


def within_the_bound(world: World, episode: EpisodeResult) -> None:
    """P6: at most D + sum of p_i + sum of p_i m_i, plus a margin for a disc."""
    bound = math.dist(world.start[:2], world.goal) + sum(
        perimeter * (1 + minima) for perimeter, minima in perimeters_and_minima(world))
    assert episode.path_length <= 1.10 * bound + 0.5 * len(episode.events)


def each_hit_closer_than_the_last(world: World, episode: EpisodeResult) -> None:
    """P7 of the range algorithms: d(H_1) > d(H_2) > ..."""
    hits, _ = hits_and_leaves(episode)
    distances = [hit.goal_distance for hit in hits]
    assert all(a > b for a, b in zip(distances, distances[1:])), distances


def never_farther_on_the_way_to_the_goal(world: World, episode: EpisodeResult) -> None:
    """P8: in motion to goal the distance does not grow, except 1 cm per tick for turning."""
    for a, b in zip(episode.samples, episode.samples[1:]):
        if a.state == b.state == ('motion_to_goal',):
            assert (math.dist(b.pose.position, world.goal)
                    <= math.dist(a.pose.position, world.goal) + 0.01)


def no_contact(world: World, episode: EpisodeResult) -> None:
    """P23: the body has no contact, and keeps more than half of the clearance even in gaps."""
    assert episode.contacts == 0
    assert episode.min_clearance > 0.05


def ends_in_time(world: World, episode: EpisodeResult) -> None:
    """P25: the time is that of the path and its turns, not of turning on the spot."""
    assert episode.time < 1.5 * episode.path_length / 0.22 + 5.0 * len(episode.events) + 20.0


CHECKS = (right_verdict, within_the_bound, each_hit_closer_than_the_last,
          never_farther_on_the_way_to_the_goal, no_contact, ends_in_time)


@pytest.mark.parametrize('name', subset(SCENES + CLUTTER + (AMBIGUOUS,), 4))
def test_p1_p6_p7_p8_p23_p25_hold(name):
    for holds in CHECKS:
        holds(find_world(name), driven(name))


@pytest.mark.parametrize('name', subset(['u_trap', 'ring_start', 'maze', CLUTTER[2]], 3))
def test_p1_verdict_is_right_with_noise_and_turning_right(name):
    world = find_world(name)
    right_verdict(world, drive(world, turn='right', lidar=LidarModel(scan_noise=0.01)))


# ---- P20: limits of the sensor range ------------------------------------------------------------

@pytest.mark.parametrize('name', subset(['box', 'pole', 'touch', 'ring_goal', 'cell'], 3))
def test_p20_minimal_range_is_as_good_as_contact(name):
    world = find_world(name)
    short = drive(world, TangentBug(TangentBug.Parameters(sensor_range=0.15)))
    touch = [drive(world, Class1(), turn) for turn in ('left', 'right')]
    assert short.outcome == touch[0].outcome
    assert short.path_length <= 1.1 * max(run.path_length for run in touch) + 0.5


CONVEX = world_of(
    block(1.5, 2.2, -0.6, 0.9),
    np.array([(4.0 + 0.7 * math.cos(k), -0.3 + 0.7 * math.sin(k)) for k in range(6)]),
    np.array([(6.5, -0.8), (7.5, 0.2), (6.8, 0.9), (5.8, -0.1)]))
"""Convex obstacles, passed one at a time, so that none hides another."""


@pytest.mark.parametrize('start, goal', [
    ((0.0, 0.0, 0.0), (3.0, 0.0)), ((0.0, 1.0, 1.0), (3.0, -0.5)), ((4.0, 1.5, 0.0), (4.1, -2.0)),
    ((9.0, 0.2, 0.0), (5.4, 0.5)), ((2.7, -1.4, 0.0), (5.5, 1.2))])
def test_p20_path_with_a_long_range_is_nearly_the_shortest_past_a_convex_obstacle(start, goal):
    far = LidarModel(scan_noise=0.0, scan_range_max=30.0)
    episode = drive(CONVEX, TangentBug(TangentBug.Parameters(sensor_range=30.0)), lidar=far,
                    start=start, goal=goal)
    assert episode.outcome == 'reached'
    assert episode.path_length <= 1.05 * shortest_path(CONVEX, start, goal, RHO) + 0.3


# ---- the steps --------------------------------------------------------------------------------

def test_obstacle_seen_from_afar_is_passed_without_a_hit():
    assert hits_and_leaves(driven('box')) == ([], [])


def test_pocket_is_left_by_boundary_following_and_a_transition():
    states = [sample.state for sample in driven('u_trap').samples]
    assert ('boundary_following',) in states
    after = states[len(states) - states[::-1].index(('boundary_following',)):]
    assert after[0] == ('transition',) and after[-1] == ('motion_to_goal',)


def test_transition_ends_closer_than_the_whole_followed_boundary():
    world, episode = find_world('u_trap'), driven('u_trap')
    d = np.array([math.dist(sample.pose.position, world.goal) for sample in episode.samples])
    followed = np.array([sample.state == ('boundary_following',) for sample in episode.samples])
    end = np.flatnonzero([sample.state == ('transition',) for sample in episode.samples])[-1]
    assert d[end + 1] < d[followed].min()


def test_sensor_range_below_the_body_radius_is_rejected():
    with pytest.raises(ValueError, match='sensor_range'):
        TangentBug.Parameters(sensor_range=0.05)
