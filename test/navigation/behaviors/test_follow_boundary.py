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

from __future__ import annotations

import math

from arena import block, hits_and_leaves, play, RHO, room, TURNS, world_of
from bug_nav.lab.ground_truth import inflate, perimeters
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.rolling_disc import BoxedIn, RollingDisc
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import WorldChanged
from bug_nav.simulation.catalogue import find_world
import numpy as np
import pytest
from shapely.geometry import Point

BOX = world_of(block(1.0, 2.0, -0.5, 0.5))


def never(robot) -> bool:
    return False


def following(leave=never):
    """Return a script: straight to the first obstacle, then along its boundary."""
    def script(robot):
        hit = yield from move_to_goal(robot)
        return (yield from follow_boundary(robot, meet_boundary(robot, hit), leave))
    return script


def places_while(episode, state: str) -> list:
    return [sample.pose.position for sample in episode.samples if state in sample.state]


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', ['box', 'u_trap', 'pole', 'goal_solid', 'two_close'])
def test_lap_length_is_the_perimeter_of_the_inflated_obstacle(name, turn):
    world = find_world(name)
    # The goal is behind the obstacle, so that it is hit in its middle.
    episode, lap = play(world, following(), goal=(20.0, 0.0), turn_direction=turn)
    (outline,) = perimeters(world, RHO)
    assert lap.closed and lap.begin == 0
    # The overlap is detected early by up to the tolerance, and a step adds as much again.
    assert lap.lap_length == pytest.approx(outline, rel=0.02, abs=0.15)
    assert episode.contacts == 0


@pytest.mark.parametrize('turn', TURNS)
def test_robot_stays_on_the_contour(turn):
    episode, _ = play(BOX, following(), turn_direction=turn)
    contour = inflate(BOX, RHO).exterior
    apart = [contour.distance(Point(place))
             for place in places_while(episode, 'boundary_following')]
    # The robot approaches the contour first, and cuts arcs slightly.
    assert max(apart) < 0.06
    assert sorted(apart)[len(apart) // 2] < 0.01


def test_turning_left_keeps_the_obstacle_on_the_right_and_vice_versa():
    for turn, side in (('left', 1), ('right', -1)):
        episode, _ = play(BOX, following(), turn_direction=turn)
        way = places_while(episode, 'boundary_following')
        assert side * way[60][1] > 0.2


def test_leave_rule_ends_boundary_following_at_once():
    positions = []

    def leave(robot):
        positions.append(robot.position)
        return robot.position[1] > 0.4
    episode, trace = play(BOX, following(leave))
    assert not trace.closed and trace.lap_length == 0.0
    assert positions[-1][1] > 0.4 and all(y <= 0.4 for _, y in positions[:-1])
    # The rule is evaluated at every tick: once more than there are ticks in that state.
    assert len(positions) == len(places_while(episode, 'boundary_following')) + 1


def test_state_lasts_as_long_as_boundary_following():
    episode, _ = play(BOX, following(lambda robot: robot.position[1] > 0.4))
    stacks = [sample.state for sample in episode.samples]
    kinds = [stack for k, stack in enumerate(stacks) if not k or stack != stacks[k - 1]]
    assert kinds == [('motion_to_goal',), ('boundary_following',), ()]
    hits, _ = hits_and_leaves(episode)
    assert len(hits) == 1


@pytest.mark.parametrize('side', [0.30, 0.40, 2 * RHO - 0.01, 2 * RHO + 0.01])
def test_robot_without_a_free_heading_is_boxed_in(side):
    def script(robot):
        try:
            yield from following()(robot)
        except BoxedIn:
            return 'boxed in'
    _, result = play(room(side), script)
    assert result == 'boxed in'


def test_obstacle_that_comes_between_robot_and_boundary_is_a_change_of_the_world():
    def script(robot):
        yield from move_to_goal(robot)
        # As after a door: the box hides the followed boundary, and something is new.
        robot.perception.perceived = robot.perceived._replace(new_points=np.array([(1.0, 0.0)]))
        try:
            yield from follow_boundary(robot, RollingDisc((2.0 + RHO, 0.0), (2.0, 0.0), 1), never)
        except WorldChanged as change:
            return str(change)
    _, result = play(BOX, script)
    assert result == 'an obstacle has come between robot and followed boundary'


def test_start_on_the_contour_is_a_hit_and_gives_a_full_lap():
    world = find_world('touch')
    episode, lap = play(world, following(), Pose(*world.start), (20.0, 0.0))
    (outline,) = perimeters(world, RHO)
    assert lap.lap_length == pytest.approx(outline, rel=0.02, abs=0.15)
    assert episode.events[0].stamp < 1.0


def test_trace_matches_the_true_contour():
    _, lap = play(find_world('u_trap'), following(), goal=(20.0, 0.0))
    contour = inflate(find_world('u_trap'), RHO).exterior
    assert max(contour.distance(Point(mark.place)) for mark in lap.marks) < 0.02
    assert math.dist(lap.lap[0].place, lap.lap[-10].place) < 0.1 + 0.04
