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
What is proven of Bug2, or must hold of any run, looked for in scenes and in random clutter.

P4 to P29 are the numbers of the list of properties that the project works from; each says in its
docstring what it asks.
"""

from __future__ import annotations

import functools
import math

from arena import (
    BURGER,
    drive_bug2,
    hits_and_leaves,
    play,
    QUIET,
    RHO,
    TURNS,
    way_of,
)
from bug_nav.algorithms.bug2 import Bug2
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.bench.ground_truth import bug2_bound, inflate, judge, shortest_path
from bug_nav.geometry import Pose, Segment
from bug_nav.interface import Observation
from bug_nav.navigator import Navigator
from bug_nav.robot import Settings
from bug_nav.sim.episode import Episode
from bug_nav.sim.generators import cluttered_name
from bug_nav.sim.simulator import LidarModel, Simulator
from bug_nav.sim.world import find_world, World
import numpy as np
from oracle import bug2_policy, explore, Scene, Step
import pytest
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

SCENES = ('box', 'u_trap', 'ring_goal', 'ring_start', 'arena_out', 'goal_solid', 'pole',
          'narrow_door', 'two_close', 'maze', 'cell', 'touch', 'spiral_out', 'spiral_in', 'demo')
CLUTTER = tuple(cluttered_name(seed, wish) for seed in range(300, 308) for wish in (True, False))
POSITION_ERROR = 0.02
"""Odometry is exact here; this is how far the robot strays from its contour [m]."""


@functools.lru_cache(maxsize=None)
def driven(name: str, turn: str) -> Episode:
    """Run Bug2 in a world, once for all tests."""
    return drive_bug2(find_world(name), turn)


# What must hold of any run.

def strictly_decreasing_distances(world: World, episode: Episode) -> None:
    """P7: d(H_1) > d(L_1) > d(H_2) > ..."""
    distances = [event.goal_distance for event in episode.events]
    kinds = [event.kind for event in episode.events]
    assert kinds == (['hit', 'leave'] * len(kinds))[:len(kinds)]
    assert all(a > b for a, b in zip(distances, distances[1:])), distances


def within_the_bound(world: World, episode: Episode) -> None:
    """P4: no longer than D + sum of ceil(n_i / 2) p_i, with what a disc may need beyond."""
    hits, _ = hits_and_leaves(episode)
    bound = bug2_bound(world, RHO, world.start, world.goal)
    assert episode.path_length <= 1.10 * bound + 0.5 * len(hits)


def never_farther_on_the_way_to_the_goal(world: World, episode: Episode) -> None:
    """P8: in motion to goal the distance does not grow; braking costs up to 1 cm a tick."""
    for a, b in zip(episode.samples, episode.samples[1:]):
        if a.state == b.state == ('motion_to_goal',):
            assert (math.dist(b.pose.position, world.goal)
                    <= math.dist(a.pose.position, world.goal) + 0.01)


def hits_on_the_way_at_the_contour(world: World, episode: Episode) -> None:
    """P9: H_j is at the inflated boundary, on the segment from L_(j-1) to the goal."""
    contour = inflate(world, RHO).boundary
    hits, leaves = hits_and_leaves(episode)
    begins = [world.start[:2], *(leave.pose.position for leave in leaves)]
    for begin, hit in zip(begins, hits):
        assert contour.distance(Point(hit.pose.position)) < Settings().hit_distance + 0.02
        assert Segment(begin, world.goal).distance(hit.pose.position) < 0.05


def leaves_on_the_m_line_with_the_way_free(world: World, episode: Episode) -> None:
    """P10: L_j is on the segment from start to goal, and the disc can go on from there."""
    m_line = Segment(world.start[:2], world.goal)
    solids = unary_union([Polygon(solid) for solid in world.solids])
    _, leaves = hits_and_leaves(episode)
    for leave in leaves:
        place = leave.pose.position
        assert abs(m_line.offset(place)) < 0.05
        assert 0.0 <= m_line.abscissa(place) <= m_line.length
        ahead = min(Settings().clear_distance, math.dist(place, world.goal)) / math.dist(
            place, world.goal)
        way = LineString([place, (place[0] + ahead * (world.goal[0] - place[0]),
                                  place[1] + ahead * (world.goal[1] - place[1]))])
        # As wide as where the robot stands, and never much less than rho.
        free = min(RHO, solids.distance(Point(place)))
        assert free > RHO - 2 * POSITION_ERROR
        assert solids.distance(way) > free - 0.01


def no_contact(world: World, episode: Episode) -> None:
    """P23: the body touches nothing; more than half of the clearance is kept even in gaps."""
    assert episode.contacts == 0
    assert episode.min_clearance > 0.05


def no_shorter_than_the_shortest(world: World, episode: Episode) -> None:
    """P24: the length is at least that of the shortest path, less the goal's tolerance."""
    shortest = shortest_path(world, world.start, world.goal, RHO)
    if episode.outcome == 'reached' and shortest is not None:
        # The robot may round corners this much nearer.
        ease = 2 * math.pi * POSITION_ERROR * len(episode.events)
        assert episode.path_length >= shortest - 0.10 - ease


CHECKS = (strictly_decreasing_distances, within_the_bound, never_farther_on_the_way_to_the_goal,
          hits_on_the_way_at_the_contour, leaves_on_the_m_line_with_the_way_free, no_contact,
          no_shorter_than_the_shortest)


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('name', SCENES + CLUTTER)
def test_proven_properties_hold_on_the_way(name, turn):
    world = find_world(name)
    episode = driven(name, turn)
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is None or episode.outcome == ('reached' if truth else 'unreachable')
    # The safe rule leaves at the closest place of a lap, which need not be on the M-line. Only
    # gaps near 2 rho call for it.
    safe_rule = any('return_to_leave_point' in sample.state for sample in episode.samples)
    assert not (safe_rule and name in SCENES)
    for holds in CHECKS:
        if not (safe_rule and holds in (within_the_bound, leaves_on_the_m_line_with_the_way_free)):
            holds(world, episode)


# The same seen from elsewhere.

MIRRORED = LidarModel(scan_noise=0.0, scan_angle_min=-6.28, scan_angle_max=0.0)
"""The mirror image of the lidar, whose 360 beams begin ahead and end short of a turn."""


def assert_same_way(one: Episode, other: Episode, back) -> None:
    """Compare two episodes; ``back`` takes places of the second into the first one's world."""
    assert other.outcome == one.outcome and other.contacts == one.contacts == 0
    assert [(event.kind, event.index) for event in other.events] == [
        (event.kind, event.index) for event in one.events]
    # Remembered points give way to new ones by cells of a grid that does not move with the
    # scene, so that now this and now that point of a wall is kept: 5 cm in 10 m are allowed.
    allowed = 0.05 * max(one.path_length / 10.0, 1.0)
    assert other.path_length == pytest.approx(one.path_length, abs=allowed)
    there = LineString([back(tuple(place)) for place in way_of(other)])
    assert LineString(way_of(one)).hausdorff_distance(there) < 0.05


@pytest.mark.parametrize('turn, other', [TURNS, TURNS[::-1]])
@pytest.mark.parametrize('name', ['box', 'u_trap', 'maze', 'pole', 'two_close', 'ring_goal',
                                  'ring_start', 'demo', CLUTTER[0], CLUTTER[1]])
def test_mirrored_scene_with_the_mirrored_turn_gives_the_mirrored_way(name, turn, other):
    """P16."""
    world = find_world(name)
    assert_same_way(driven(name, turn), drive_bug2(world.mirrored(), other, lidar=MIRRORED),
                    lambda place: (place[0], -place[1]))


def test_mirrored_scene_with_the_same_turn_gives_another_way():
    # Left is not right: the test above would pass if `turn_direction` meant nothing.
    world = find_world('box')
    assert driven('box', 'left').path_length > driven('box', 'right').path_length + 1.0
    assert drive_bug2(world.mirrored(), 'left').path_length == pytest.approx(
        driven('box', 'right').path_length, abs=0.05)


@pytest.mark.parametrize('degrees', [90.0, 180.0, 37.3, -120.0, 1.0])
@pytest.mark.parametrize('name', ['box', 'u_trap', 'maze', 'ring_goal', 'two_close', CLUTTER[2]])
def test_moved_scene_gives_the_moved_way(name, degrees):
    """P17: turned by any angle, 90 degrees included (no slope has a value there), and moved."""
    world, motion = find_world(name), Pose(3.0, -40.0, math.radians(degrees))
    moved = world.transformed(*motion)
    for turn in TURNS:
        assert_same_way(driven(name, turn), drive_bug2(moved, turn), motion.inverse().apply)


@pytest.mark.parametrize('correction', [Pose(5.0, -7.0, 0.0), Pose(-3.0, 2.0, 2.2)])
@pytest.mark.parametrize('name', ['box', 'ring_start'])
def test_global_frame_other_than_odometrys_changes_nothing(name, correction):
    world = find_world(name)

    def seen_in(frame: Pose) -> tuple:
        simulator = Simulator(world, Pose(*world.start), BURGER, QUIET)
        navigator = Navigator(Bug2(), BURGER, Settings())
        goal, way = frame.apply(world.goal), []
        for k in range(6000):
            decision = navigator.tick(Observation(
                stamp=simulator.stamp, pose=simulator.odometry, pose_stamp=simulator.stamp,
                goal=goal, scan=simulator.scan() if k % 4 == 0 else None, correction=frame))
            way.append(simulator.pose.position)
            if decision.result is not None:
                return decision.result.outcome, way
            simulator.step(decision.twist, 0.05)
        return None, way
    (outcome, way), (there, other) = seen_in(Pose(0.0, 0.0, 0.0)), seen_in(correction)
    assert outcome is there is not None
    assert LineString(way).hausdorff_distance(LineString(other)) < 0.01


@pytest.mark.parametrize('name', ['maze', 'ring_goal'])
def test_obstacles_that_are_never_seen_change_nothing(name):
    """P26."""
    world = find_world(name)
    far = np.array([(100.0, 100.0), (101.0, 100.0), (100.0, 101.0)])
    more = World('', (*world.solids, far), world.start, world.goal)
    one, other = driven(name, 'left'), drive_bug2(more)
    assert np.array_equal(way_of(one), way_of(other))


@pytest.mark.parametrize('count', [180, 240, 720])
@pytest.mark.parametrize('noise', [0.0, 0.01])
def test_verdict_hangs_neither_on_the_beams_nor_on_their_noise(count, noise):
    """P27."""
    lidar = LidarModel(scan_count=count, scan_noise=noise)
    for name, outcome in (('box', 'reached'), ('ring_start', 'unreachable'), ('pole', 'reached'),
                          ('cell', 'unreachable')):
        for turn in TURNS:
            episode = drive_bug2(find_world(name), turn, lidar=lidar, seed=4)
            assert (episode.outcome, episode.contacts) == (outcome, 0), (name, turn)


# Negative control.

class OnMLine:
    """Leaves wherever the M-line is met and the way is free, but for the hit point itself."""

    def __init__(self, start, begin: float) -> None:
        self.start, self.begin = start, begin

    def __call__(self, robot) -> bool:
        if robot.previous is None or robot.path_length - self.begin < 0.3:
            return False
        m_line = Segment(self.start, robot.goal)
        return (m_line.crossing(robot.previous, robot.position) is not None
                and robot.way_is_free())


def naive_bug2(robot):
    """Walk as many public implementations do: no test of the distance, none of the lap."""
    start = robot.position
    while True:
        hit = yield from move_to_goal(robot)
        wall = meet_boundary(robot, hit)
        leave = OnMLine(start, robot.path_length)
        while (yield from follow_boundary(robot, wall, leave)).closed:
            pass
        robot.record_leave()


def hit_again(episode: Episode) -> bool:
    """Tell whether some place was hit twice."""
    hits, _ = hits_and_leaves(episode)
    places = [hit.pose.position for hit in hits]
    return any(math.dist(a, b) < 0.1 for k, a in enumerate(places) for b in places[:k])


def forgetful_policy(scene, run, hit, turn):
    """Do the same as a point robot."""
    for node in scene.lap(hit, turn):
        if node.on_m_line and node.walked > 0.3 and scene.is_free(node.point):
            return Step(node.walked, node.point)
    return bug2_policy(scene, run, hit, turn)


@pytest.mark.parametrize('name', ['spiral_out', 'spiral_out_W'])
def test_naive_bug2_loops_where_bug2_reaches_its_goal(name):
    """P29: the bench can tell the defect that most public implementations have."""
    world = find_world(name)
    scene = Scene(inflate(world, RHO), world.start, world.goal, 0.10)
    assert explore(scene, 'left', forgetful_policy).verdict == 'loop'
    right = driven(name, 'left')
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal)
    assert right.outcome == 'reached' and not hit_again(right)
    assert naive.outcome == 'timeout' and naive.path_length > 1.2 * right.path_length
    assert hit_again(naive)


@pytest.mark.parametrize('name', ['ring_goal', 'ring_start', 'goal_solid'])
def test_naive_bug2_never_ends_where_the_goal_is_shut(name):
    world = find_world(name)
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal)
    assert naive.outcome == 'timeout'
    assert naive.path_length > 3.0 * driven(name, 'left').path_length


@pytest.mark.parametrize('name, turn', [
    ('box', 'left'), ('u_trap', 'left'), ('u_trap', 'right'), ('spiral_out', 'right')])
def test_naive_bug2_is_right_where_the_tests_do_not_matter(name, turn):
    # So that it is not merely broken.
    world = find_world(name)
    naive, _ = play(world, naive_bug2, Pose(*world.start), world.goal, turn_direction=turn)
    assert naive.outcome == 'reached'
    assert naive.path_length == pytest.approx(driven(name, turn).path_length, abs=0.05)


def test_check_of_each_property_can_fail():
    world = find_world('u_trap')
    good = driven('u_trap', 'left')
    hit, leave = good.events
    far = leave._replace(pose=Pose(leave.pose.x, leave.pose.y + 0.2, 0.0),
                         goal_distance=hit.goal_distance + 0.01)
    early = hit._replace(pose=Pose(0.5, 0.2, 0.0))
    backwards = [sample._replace(state=('motion_to_goal',)) for sample in good.samples[::-1]]
    bad = [(strictly_decreasing_distances, {'events': [hit, far]}),
           (within_the_bound, {'path_length': 40.0}),
           (never_farther_on_the_way_to_the_goal, {'samples': backwards}),
           (hits_on_the_way_at_the_contour, {'events': [early, leave]}),
           (leaves_on_the_m_line_with_the_way_free, {'events': [hit, far]}),
           (no_contact, {'contacts': 1}), (no_shorter_than_the_shortest, {'path_length': 5.0})]
    assert [check for check, _ in bad] == list(CHECKS)
    for check, changes in bad:
        check(world, good)
        with pytest.raises(AssertionError):
            check(world, _changed(good, **changes))


def _changed(episode: Episode, **changes) -> Episode:
    return type(episode)(**{**vars(episode), **changes})
