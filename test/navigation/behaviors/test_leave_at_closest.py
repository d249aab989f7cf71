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

from arena import block, drive_bug2, play, QUIET, RHO, TURNS, world_of
from bug_nav.lab.ground_truth import inflate, perimeters
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.leave_at_closest import leave_at_closest
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.proof.chain import find_chain
from bug_nav.navigation.types import Unreachable
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import cluttered
from bug_nav.simulation.latency import TimingModel
from bug_nav.simulation.movers import Script, Scripted
from bug_nav.simulation.world import World
import pytest
from shapely.geometry import Point


class Lap:
    """A lap around the first obstacle, then the safe rule; stores the results."""

    def __call__(self, robot):
        hit = yield from move_to_goal(robot)
        follower = meet_boundary(robot, hit)
        self.trace = yield from follow_boundary(robot, follower)
        self.walked = robot.path_length
        try:
            yield from leave_at_closest(robot, self.trace, follower)
            self.free = True
        except Unreachable:
            self.free = False
        self.way_back = robot.path_length - self.walked
        self.place = robot.position
        return self.free


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('start, goal', [
    ((0.0, 0.0), (6.0, 0.0)), ((0.0, 0.0), (6.0, 3.0)), ((3.0, -3.0), (3.2, 6.0)),
    ((3.0, 5.0), (2.8, -6.0)), ((6.0, 1.0), (0.0, -0.5))])
def test_way_from_the_closest_point_of_a_box_is_free(start, goal, turn):
    world, lap = find_world('box'), Lap()
    episode, free = play(world, lap, Pose(*start, 1.0), goal, turn_direction=turn)
    assert free is True
    contour = inflate(world, RHO)
    truth = contour.exterior.distance(Point(goal))
    # P11: L minimizes d over the lap, and the way back is at most half of the lap.
    assert math.dist(lap.place, goal) == pytest.approx(truth, abs=0.05)
    assert lap.way_back <= 0.5 * perimeters(world, RHO)[0] + 0.5
    assert episode.contacts == 0


@pytest.mark.parametrize('x', [2.2, 5.8])
def test_robot_returns_by_the_shorter_way(x):
    # Turning left below the bar, the robot passes its left end first: the closest point, above
    # one of the ends, is early or late on the lap.
    world, lap = world_of(block(2.0, 6.0, -0.2, 0.2)), Lap()
    play(world, lap, Pose(4.0, -3.0, 0.0), (x, 3.0))
    assert lap.free and lap.place == pytest.approx((x, 0.2 + RHO), abs=0.15)
    assert 1.0 < lap.way_back < 0.4 * perimeters(world, RHO)[0]


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', ['ring_goal', 'ring_start', 'arena_out', 'goal_solid',
                                  'narrow_door'])
def test_robot_does_not_return_to_the_closest_point_of_an_enclosed_goal(name, turn):
    world, lap = find_world(name), Lap()
    _, free = play(world, lap, Pose(*world.start), world.goal, turn_direction=turn)
    assert free is False
    assert lap.way_back < 0.03      # it only brakes


def test_robot_is_at_rest_during_the_search_for_a_certificate(monkeypatch):
    # The search may take longer than a tick, in which the last command would stay active.
    moved = []

    def find(robot):
        moved.append(math.dist(robot.previous, robot.position))
        return find_chain(robot)
    monkeypatch.setattr('bug_nav.navigation.behaviors.leave_at_closest.find_chain', find)
    assert drive_bug2(find_world('ring_goal')).outcome == 'unreachable'
    assert moved and max(moved) < 0.001


def test_robot_is_at_rest_during_the_search_also_with_odometry_slower_than_the_ticks(monkeypatch):
    # Between two messages, the place does not change, even while the robot brakes.
    world, simulators, speeds = find_world('ring_goal'), [], []

    def find(robot):
        speeds.append(math.hypot(*simulators[-1].twist[:2]))
        return find_chain(robot)
    monkeypatch.setattr('bug_nav.navigation.behaviors.leave_at_closest.find_chain', find)
    episode = run_episode(
        world, Pose(*world.start), world.goal, Bug1(), lidar=QUIET,
        timing=TimingModel(odometry_rate=10.0), watch=lambda *each: simulators.append(each[0]))
    assert episode.outcome == 'unreachable' and speeds and max(speeds) < 0.01


def test_state_shows_the_return_to_the_leave_point():
    episode, _ = play(find_world('box'), Lap(), goal=(6.0, 0.0))
    assert ('return_to_leave_point', 'boundary_following') in {
        sample.state for sample in episode.samples}


def bug1(robot):
    """Run Bug1, whose verdicts all come from the behavior under test."""
    while True:
        hit = yield from move_to_goal(robot)
        follower = meet_boundary(robot, hit)
        trace = yield from follow_boundary(robot, follower)
        yield from leave_at_closest(robot, trace, follower)


@pytest.mark.parametrize('name', ['box', 'u_trap', 'two_close', 'pole', 'maze'])
def test_algorithm_with_the_safe_rule_alone_reaches_its_goal_within_the_bound(name):
    world = find_world(name)
    episode, _ = play(world, bug1, Pose(*world.start), world.goal, lidar=QUIET)
    assert episode.outcome == 'reached' and episode.contacts == 0
    direct = math.dist(world.start[:2], world.goal)
    # P3: D + 1.5 sum of p_i, with the corridor for a disc robot.
    bound = direct + 1.5 * sum(perimeters(world, RHO))
    assert episode.path_length <= 1.1 * bound + 0.5 * len(episode.events)


def test_closest_point_of_a_lap_in_clutter_matches_the_ground_truth():
    world, lap = cluttered(3), Lap()
    play(world, lap, Pose(*world.start), world.goal)
    assert lap.trace.closed
    loops = [ring for part in getattr(inflate(world, RHO), 'geoms', [inflate(world, RHO)])
             for ring in (part.exterior, *part.interiors)]
    loop = min(loops, key=lambda ring: ring.distance(Point(lap.trace.lap[0].place)))
    assert lap.trace.closest.goal_distance == pytest.approx(
        loop.distance(Point(world.goal)), abs=0.05)


def test_goal_is_reached_from_a_pocket_that_noise_closes_behind_the_robot():
    # The pocket between two blocks is 5 mm wider than 2 rho: the robot enters it from below, and
    # finds its end closed, and for a moment the way back as well.
    world = find_world('random:cluttered?seed=9330204')
    for seed in (1, 7, 2074675900):
        episode = run_episode(world, Pose(*world.start), world.goal, Bug1(), seed=seed)
        assert episode.outcome == 'reached' and episode.contacts == 0


@pytest.mark.parametrize('world, algorithm, seed', [
    (9430114, 'bug2', 1441269550), (9430167, 'leave_bug', 2056238441),
    (9430236, 'alg1', 1478699994), (9430243, 'dist_bug', 1270695305)])
def test_goal_behind_a_door_narrowed_by_noise_is_reached(world, algorithm, seed):
    # The door is up to 3 cm wider than a gap that is always closed; the nearest points count.
    world = find_world(f'random:rooms?seed={world}')
    episode = run_episode(world, Pose(*world.start), world.goal, find(algorithm)(), seed=seed)
    assert episode.outcome == 'reached' and episode.contacts == 0


@pytest.mark.parametrize('new, reason', [
    # It appears once the robot has passed there: the boundary is that of the wall now.
    (Scripted('wall', (block(2.6, 2.7, -4.0, 4.0),), Script([0.0], [(0, 0, 0)]), since=28.0),
     'is not on the boundary any more'),
    # It comes when the robot is on its way back, 15 cm away.
    (Scripted('cart', (block(2.86, 2.95, -0.03, 0.03),), Script(
        [0.0, 43.5, 45.0], [(0.8, 0, 0), (0.8, 0, 0), (0, 0, 0)]), gives_way=True),
     'an obstacle is at the closest point')])
def test_algorithm_restarts_if_the_closest_point_of_the_lap_cannot_be_reached(new, reason):
    # It is at the far side of the box, where that point is.
    world = World('box', (block(1.5, 2.5, -0.4, 0.4),), movers=(new,))
    reasons = set()
    episode = run_episode(world, Pose(0.0, 0.0, 0.0), (5.0, 0.0), Bug1(), lidar=QUIET,
                          time_allowance=600.0, watch=lambda simulator, navigator, decision:
                          reasons.add(decision.reason))
    assert episode.outcome == 'reached'
    assert any(reason in each for each in reasons)
