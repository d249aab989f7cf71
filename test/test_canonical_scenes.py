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

"""Canonical scenes of the literature, and special goals, with a disc robot."""

from __future__ import annotations

import math

from arena import block, drive_bug2, hits_and_leaves, R, RHO, room, TURNS, world_of
from bug_nav.lab.ground_truth import inflate, judge
from bug_nav.simulation.catalogue import find_world
from family import driven, turns_of
from oracle_course import COURSE
import pytest

TOLERANCE = 0.10
SCENES = {
    'open': True, 'box': True, 'u_trap': True, 'ring_goal': False, 'ring_start': False,
    'arena_out': False, 'goal_solid': False, 'pole': True, 'narrow_door': False,
    'two_close': True, 'maze': True, 'cell': False,
    # Not small, not canonical, or neither.
    'touch': True, 'spiral_in': True, 'spiral_out': True, 'spiral_out_W': True, 'demo': True}
LARGE = ('sp12_E', 'sp12_in')


def assert_matches_the_oracle(name: str, turn: str) -> None:
    """Compare an episode with a point robot's walk among the inflated obstacles."""
    world = find_world(name)
    walk = COURSE['bug2'](inflate(world, RHO), world.start, world.goal, turn, TOLERANCE)
    episode = driven('bug2', name, turn)
    # In the open, no wall locates the robot.
    assert episode.outcome == ('reached_uncertain' if name == 'open' else walk.verdict)
    assert episode.contacts == 0
    # The range of lengths for a disc robot, from the reference of the literature.
    assert 0.92 * walk.length <= episode.path_length <= 1.25 * walk.length + 1.0
    hits, leaves = hits_and_leaves(episode)
    assert (len(hits), len(leaves)) == (len(walk.hits), len(walk.leaves))


@pytest.mark.parametrize('name, turn', [
    (name, turn) for name in SCENES for turn in turns_of('bug2', name)])
def test_scene_has_the_right_verdict_no_contact_and_the_length_of_the_oracle(name, turn):
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO, TOLERANCE) is SCENES[name]
    assert_matches_the_oracle(name, turn)


@pytest.mark.campaign
@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', LARGE)
def test_large_spiral_has_the_verdict_and_length_of_the_oracle_without_contact(name, turn):
    assert_matches_the_oracle(name, turn)


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', ['graze', 'door_050', 'gap_step'])
def test_goal_of_a_borderline_scene_is_reached_without_contact(name, turn):
    # A wall on the M-line, a door 0.05 m wider than the disc, and only 0.1 m of free way behind an
    # obstacle, which is undecided until the closest point is checked: no length is expected.
    episode = drive_bug2(find_world(name), turn)
    assert (episode.outcome, episode.contacts) == ('reached', 0)


@pytest.mark.parametrize('name, turn', [
    (name, turn) for name, reached in SCENES.items() if not reached
    for turn in turns_of('bug2', name)])
def test_unreachable_verdict_includes_the_lap_that_proves_it(name, turn):
    world = find_world(name)
    walk = COURSE['bug2'](inflate(world, RHO), world.start, world.goal, turn, TOLERANCE)
    lap = walk.length - math.dist(world.start[:2], walk.hits[0])
    episode = driven('bug2', name, turn)
    # The end of the lap is detected early by up to the lap tolerance, in steps of 4 cm.
    assert episode.result.lap_length == pytest.approx(lap, rel=0.03, abs=0.15)


# Special goals.

WALL = world_of(block(1.224, 2.0, -1.5, 1.5))       # its contour is at x = 1


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('x, reached', [
    (0.98, True),       # on the free side of the contour
    (1.02, True),       # between R and rho from the wall
    (1.07, True),
    (1.13, False),      # nearer to the wall than R, 0.13 m beyond the contour
    (1.20, False)])
def test_goal_nearer_to_a_wall_than_rho_is_reached_if_the_tolerance_allows(x, reached, turn):
    goal = (x, 0.3)
    assert judge(WALL, (-1.0, 0.0), goal, RHO, TOLERANCE) is reached
    episode = drive_bug2(WALL, turn, start=(-1.0, 0.0, 0.0), goal=goal)
    assert episode.outcome == ('reached' if reached else 'unreachable')
    assert episode.contacts == 0
    if reached:
        assert math.dist(episode.samples[-1].pose.position, goal) <= TOLERANCE
        assert episode.events == []         # straight there, and no lap


def test_goals_of_the_test_above_include_some_between_body_and_rho():
    assert R < 1.224 - 1.02 < RHO and R < 1.224 - 1.07 < RHO


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('goal', [(3.0, 0.0), (2.52, 0.5), (3.45, 1.55)])
def test_goal_inside_an_obstacle_is_unreachable(goal, turn):
    world = find_world('box')
    episode = drive_bug2(world, turn, goal=goal)
    assert judge(world, world.start, goal, RHO, TOLERANCE) is False
    assert (episode.outcome, episode.contacts) == ('unreachable', 0)
    assert episode.result.lap_length > 6.8


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('off', [(0.0, 0.0), (0.07, 0.07), (-0.09, 0.0)])
def test_goal_at_the_start_is_reached_without_motion(off, turn):
    for world in (find_world('box'), find_world('cell')):
        x, y, _ = world.start
        episode = drive_bug2(world, turn, goal=(x + off[0], y + off[1]))
        assert (episode.outcome, episode.path_length, episode.ticks) == ('reached', 0.0, 1)


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('x', [0.9, 1.0])
def test_goal_behind_a_thin_wall_within_the_tolerance_is_unreachable(x, turn):
    # A closed room with walls of 2 cm; the contour inside comes to 0.32 m before the goal.
    thin = room(1.6, wall=0.02)
    goal = (x, 0.05)
    assert judge(thin, (0.0, 0.0), goal, RHO, 0.5) is False
    episode = drive_bug2(thin, turn, start=(0.0, 0.0, 0.0), goal=goal, xy_goal_tolerance=0.5)
    assert (episode.outcome, episode.contacts) == ('unreachable', 0)
    nearest = min(math.dist(sample.pose.position, goal) for sample in episode.samples)
    assert nearest < 0.5        # it was within the tolerance, and did not stop there


@pytest.mark.parametrize('turn', TURNS)
def test_goal_behind_a_freestanding_thin_wall_is_reached_on_its_own_side(turn):
    thin = world_of(block(2.0, 2.02, -1.5, 1.5))
    goal = (2.25, 0.0)
    episode = drive_bug2(thin, turn, start=(0.0, 0.0, 0.0), goal=goal, xy_goal_tolerance=0.5)
    assert judge(thin, (0.0, 0.0), goal, RHO, 0.5) is True
    assert (episode.outcome, episode.contacts) == ('reached', 0)
    assert episode.samples[-1].pose.x > 2.0 and episode.path_length > 3.0
