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

"""Tests of the gradient bug."""

from __future__ import annotations

import math

from arena import block, hits_and_leaves, QUIET, Stage, world_of
from bug_nav.navigation.algorithms.gradient_bug import BIN, GradientBug, Parameters, SignalGradient
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.robot import Hit
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from hypothesis import given
from hypothesis import strategies as st
import pytest

CLUTTER = tuple(f'random:cluttered?seed={seed}{wish}' for seed in range(370, 374)
                for wish in ('', '&reachable=false'))
HEADINGS = st.floats(-math.pi, math.pi)


def drive(world, goal=None, turn: str = 'left', **parameters) -> EpisodeResult:
    return run_episode(world, Pose(*(world.start or (0.0, 0.0, 0.0))), goal or world.goal,
                       GradientBug(Parameters(**parameters)), lidar=QUIET,
                       settings=Settings(turn_direction=turn), time_allowance=3600.0)


def gradient(heading: float = 0.0) -> SignalGradient:
    return SignalGradient(heading, 1.0, 5)


# ---- votes --------------------------------------------------------------------------------------

def test_metre_votes_for_its_heading_if_the_signal_grew_and_against_it_if_not():
    votes = gradient()
    votes.vote(0.5 * math.pi, 1.0)
    assert votes.votes.tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert votes.heading == pytest.approx(0.5 * math.pi)
    votes.vote(0.0, -1.0)
    assert votes.votes.tolist() == [0, 0, 1, 0, 1, 0, 0, 0]
    assert votes.heading == pytest.approx(0.75 * math.pi)


def test_constant_signal_casts_no_vote():
    votes = gradient(0.3)
    votes.vote(1.0, 0.0)
    assert not votes.votes.any() and votes.heading == 0.3


def test_headings_that_cancel_out_keep_the_heading():
    votes = gradient(0.3)
    for heading in (0.3 + 0.5 * math.pi, 0.3 - 0.5 * math.pi):
        votes.votes[round((heading - 0.3) / BIN) % 8] = 2
    votes.vote(0.3, 1.0)
    votes.vote(0.3, -1.0)
    assert votes.votes.tolist() == [0, 0, 2, 0, 1, 0, 2, 0]
    votes.vote(0.3, 1.0)
    assert votes.votes.tolist() == [1, 0, 2, 0, 0, 0, 2, 0]
    votes.vote(0.3 + math.pi, 0.0)
    assert votes.heading == pytest.approx(0.3)


def test_all_headings_lose_a_vote_once_one_has_too_many():
    votes = gradient()
    votes.vote(0.5 * math.pi, 1.0)
    for _ in range(6):
        votes.vote(0.0, 1.0)
    assert votes.votes.tolist() == [5, 0, 0, 0, 0, 0, 0, 0]


@given(HEADINGS, HEADINGS, st.lists(st.tuples(HEADINGS, st.floats(-5.0, 5.0)), max_size=30))
def test_bins_rotate_with_the_initial_heading(begin, turned, metres):
    one, other = gradient(begin), gradient(begin + turned)
    for heading, change in metres:
        # In the middle of a bin, so that rounding does not matter.
        heading = begin + BIN * round((heading - begin) / BIN)
        one.vote(heading, change)
        other.vote(heading + turned, change)
    assert one.votes.tolist() == other.votes.tolist()
    assert math.cos(other.heading - one.heading - turned) == pytest.approx(1.0)


@given(st.lists(st.tuples(HEADINGS, st.floats(-5.0, 5.0)), min_size=1, max_size=60))
def test_votes_are_never_negative_and_never_above_the_maximum(metres):
    votes = gradient()
    for heading, change in metres:
        votes.vote(heading, change)
        assert 0 <= votes.votes.min() and votes.votes.max() <= 5


def test_metre_must_be_driven_straight_and_restarts_after_a_corner():
    votes = gradient()
    for x in (0.0, 0.6):
        votes.walk((x, 0.0), x, True)
    votes.walk((0.9, 0.0), 0.9, False)
    votes.walk((1.2, 0.0), 1.2, True)
    votes.walk((2.1, 0.0), 2.1, True)
    assert not votes.votes.any()
    votes.walk((2.3, 0.0), 2.3, True)
    assert votes.votes.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]


# ---- turns --------------------------------------------------------------------------------------

def side_between(left: float, right: float, turn: str = 'left', pose: Pose = Pose(0, 0, 0)) -> int:
    """Return the side chosen at a wall between two side walls at these distances [m]."""
    world = world_of(block(0.3, 0.4, -right, left), block(-3.0, 3.0, left, left + 0.1),
                     block(-3.0, 3.0, -right - 0.1, -right))
    robot = Stage(world, pose, goal=(6.0, 0.0), turn_direction=turn).robot
    bug = GradientBug()
    bug.begin(robot)
    return bug.side(robot, Hit(5.9, (0.07, 0.0), (0.3, 0.0)))


def test_robot_turns_away_from_the_nearer_side_wall():
    assert side_between(1.5, 0.8) == 1 and side_between(0.8, 1.5) == -1
    assert side_between(1.5, 5.0, 'right') == -1


@pytest.mark.parametrize('turn, side', [('left', 1), ('right', -1)])
def test_turn_direction_decides_if_no_wall_is_nearer(turn, side):
    assert side_between(1.0, 1.02, turn) == side_between(3.0, 2.5, turn) == side


def test_turn_is_reversed_after_a_boundary_that_led_back_behind_its_hit_point():
    bug, robot = GradientBug(), Stage(world_of(), goal=(6.0, 0.0)).robot
    hit = Hit(5.9, (0.0, 0.0), (0.3, 0.0))
    bug.begin(robot)
    assert bug.side(robot, hit) == 1
    bug.loops = True
    assert bug.side(robot, hit) == -1 and not bug.loops
    assert bug.side(robot, hit) == 1


def test_boundary_that_leads_back_behind_its_hit_point_is_detected():
    # Out of the pocket, the robot has to go back beside the way that it came.
    assert any(bug.loops for bug in watched(find_world('u_trap')))
    assert not any(bug.loops for bug in watched(find_world('box')))


def watched(world) -> list:
    """Return the loop flag of the algorithm for each tick along walls."""
    class Watched(GradientBug):

        def follow(self, *args) -> bool:
            seen.append(Knows(self.loops))
            return super().follow(*args)

    class Knows:

        def __init__(self, loops: bool) -> None:
            self.loops = loops

    seen: list = []
    run_episode(world, Pose(*world.start), world.goal, Watched(), lidar=QUIET)
    return seen


# ---- complete runs ------------------------------------------------------------------------------

def test_signal_along_the_wall_turns_the_heading_towards_the_goal():
    # The wall leads away from the goal, so the votes are for the opposite heading.
    bug = GradientBug()
    world = world_of(block(1.0, 1.2, -2.0, 4.0))
    run_episode(world, Pose(0.0, 0.0, 0.0), (8.0, -1.0), bug, lidar=QUIET, time_allowance=25.0)
    assert bug.gradient.votes.argmax() == 6 and bug.heading < -1.0


def test_way_without_walls_leads_away_from_the_goal_and_ends_as_a_loop():
    episode = drive(world_of(block(1.0, 1.5, -0.3, 0.3)), (4.0, 0.0), approach_distance=0.0,
                    max_distance_increase=2.0)
    assert episode.outcome == 'loop_detected' and 'away from the goal' in episode.result.message


def test_cell_is_circled_three_times():
    episode = drive(find_world('ring_start'))
    assert episode.outcome == 'loop_detected' and 'lap 3 around' in episode.result.message
    assert episode.path_length == pytest.approx(3.0 * episode.result.lap_length, rel=0.1)


@pytest.mark.parametrize('name', ['open', 'box', 'pole', 'two_close', 'u_trap', 'maze'])
def test_goal_is_reached_if_walls_lead_to_it(name):
    assert drive(find_world(name)).outcome in ARRIVED


@pytest.mark.parametrize('name', CLUTTER)
def test_p23_p25_run_ends_without_contact(name):
    episode = drive(find_world(name))
    assert episode.outcome in ('reached', 'loop_detected')
    assert episode.contacts == 0
    hits, leaves = hits_and_leaves(episode)
    assert len(hits) - len(leaves) in (0, 1)
