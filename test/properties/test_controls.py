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

"""P28, P29, P30: failures of Bug0, negative control, and effects of margins."""

from __future__ import annotations

import dataclasses
import itertools
import math

from arena import hits_and_leaves, play, RHO, TURNS
from bug_nav.lab.ground_truth import inflate
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Pose, Segment
from bug_nav.simulation.catalogue import find_world
from family import COMPLETE, drive, driven
from oracle_course import COURSE
import pytest
from subsets import one_of, subset

# ---- P28 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize('scene, turn', [
    ('u_trap', 'left'), ('u_trap', 'right'), ('spiral_in', 'left'), ('ring_goal', 'left'),
    ('ring_goal', 'right'), ('ring_start', 'left'), ('ring_start', 'right')])
def test_p28_bug0_detects_a_loop_where_theory_predicts_failure(scene, turn):
    episode = driven('bug0', scene, turn)
    assert episode.outcome == 'loop_detected' and episode.contacts == 0


def test_p28_bug0_reaches_the_goal_in_a_spiral_with_the_right_turn():
    assert driven('bug0', 'spiral_in', 'right').outcome == 'reached'


def test_p28_message_distinguishes_a_closed_lap_from_a_cycle_of_hits():
    assert 'closed lap' in driven('bug0', 'ring_goal', 'left').result.message
    assert 'hit and left at the same places' in driven('bug0', 'u_trap', 'left').result.message


# ---- P29, the negative control ------------------------------------------------------------------

class OnMLine:
    """Leave rule: wherever the M-line is free, except at the hit point."""

    def __init__(self, start, begin: float) -> None:
        self.start, self.begin = start, begin

    def __call__(self, robot) -> bool:
        if robot.previous is None or robot.path_length - self.begin < 0.3:
            return False
        m_line = Segment(self.start, robot.goal)
        return (m_line.crossing(robot.previous, robot.position) is not None
                and robot.way_is_free())


def naive_bug2(robot):
    """Drive like many public implementations, which check neither distance nor closed laps."""
    start = robot.position
    while True:
        hit = yield from move_to_goal(robot)
        wall = meet_boundary(robot, hit)
        leave = OnMLine(start, robot.path_length)
        while (yield from follow_boundary(robot, wall, leave)).closed:
            pass
        robot.record_leave()


def hit_again(episode) -> bool:
    """Return whether any position was hit twice."""
    hits, _ = hits_and_leaves(episode)
    places = [hit.pose.position for hit in hits]
    return any(math.dist(a, b) < 0.1 for k, a in enumerate(places) for b in places[:k])


@pytest.mark.parametrize('name', subset(['spiral_out', 'spiral_out_W'], 2))
def test_p29_naive_bug2_loops_where_bug2_reaches_the_goal(name):
    # The tests can detect the defect of most public implementations.
    world = find_world(name)
    walk = COURSE['naive'](inflate(world, RHO), world.start, world.goal, 'left', 0.10)
    assert walk.verdict == 'loop'
    right = driven('bug2', name, 'left')
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal)
    assert right.outcome == 'reached' and not hit_again(right)
    assert naive.outcome == 'timeout' and naive.path_length > 1.2 * right.path_length
    assert hit_again(naive)


@pytest.mark.parametrize('name', subset(['ring_goal', 'ring_start', 'goal_solid'], 3))
def test_p29_naive_bug2_does_not_terminate_for_an_unreachable_goal(name):
    world = find_world(name)
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal)
    assert naive.outcome == 'timeout'
    assert naive.path_length > 3.0 * driven('bug2', name, 'left').path_length


@pytest.mark.parametrize('name, turn', [
    ('box', 'left'), ('u_trap', 'left'), ('u_trap', 'right'), ('spiral_out', 'right')])
def test_p29_naive_bug2_reaches_the_goal_where_its_missing_checks_do_not_matter(name, turn):
    # This excludes that it fails for other reasons.
    world = find_world(name)
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal, turn_direction=turn)
    assert naive.outcome == 'reached'
    assert naive.path_length == pytest.approx(driven('bug2', name, turn).path_length, abs=0.05)


# ---- P30 ----------------------------------------------------------------------------------------

@pytest.mark.parametrize('name, step, turn', subset(itertools.product(
    ['dist_bug', 'cautious_bug'], [0.05, 0.2, 1.0, 5.0], TURNS), 5))
def test_p30_goal_behind_a_gap_is_reached_with_any_step(name, step, turn):
    episode = drive(name, find_world('gap_step'), turn, step=step)
    assert (episode.outcome, episode.contacts) == ('reached', 0)


@pytest.mark.parametrize('name', subset(
    (name for name in COMPLETE if hasattr(find(name).Parameters(), 'leave_margin')), 3))
def test_p30_goal_behind_a_gap_is_reached_with_any_leave_margin(name):
    field, = (field for field in dataclasses.fields(find(name).Parameters)
              if field.name == 'leave_margin')
    limit = field.metadata['high']
    for margin in one_of([margin for margin in (0.0, 0.03, 0.2) if margin <= limit], name):
        episode = drive(name, find_world('gap_step'), leave_margin=margin)
        assert (episode.outcome, episode.contacts) == ('reached', 0)


@pytest.mark.parametrize('name, turn', [
    (name, turn) for name in subset(COMPLETE, 6) for turn in one_of(TURNS, name)])
def test_p30_goal_behind_a_gap_is_reached_by_complete_algorithms(name, turn):
    assert driven(name, 'gap_step', turn).outcome == 'reached'
