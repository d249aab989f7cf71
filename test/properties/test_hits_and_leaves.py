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

"""P7, P9 to P15, P22: hit points, leave points, and the boundary paths in between."""

from __future__ import annotations

import math

from arena import hits_and_leaves, RHO, TURNS
from bug_nav.lab.ground_truth import crossings
from bug_nav.navigation.behaviors.trace import TOLERANCE
from bug_nav.navigation.cspace.gaps import EASE
from bug_nav.navigation.geometry import Segment, wrap
from bug_nav.navigation.settings import Settings
from family import (
    abscissae,
    broken,
    but_for_the_safe_rule,
    BY_RANGE,
    changed,
    CLUTTER,
    contour_of,
    contours,
    driven,
    FALLING,
    followings,
    length_of,
    LONG,
    M_LINE,
    OVERLAP,
    POSITION_ERROR,
    SCENES,
    state_at,
    STRAIGHT,
    WHOLE_LAPS,
)
import numpy as np
import pytest
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

ROUND = tuple(scene for scene in SCENES if scene not in ('cell', 'touch'))
"""Scenes whose contour is long enough to have a heading."""
GRID = 0.3
"""Spacing of the marks on a contour at which passages are counted [m]."""


def falling_distances(episode) -> list:
    """P7: d(H_1) > d(L_1) > d(H_2) > ..."""
    events = episode.events
    kinds = [event.kind for event in events]
    if kinds != (['hit', 'leave'] * len(kinds))[:len(kinds)]:
        return [f'no chain of hits and leaves: {kinds}']
    return [f'd rises from {a.kind} {a.index} to {b.kind} {b.index} by '
            f'{b.goal_distance - a.goal_distance} m'
            for a, b in zip(events, events[1:])
            if b.goal_distance > a.goal_distance + 2.0 * POSITION_ERROR]


def falling_hits(episode) -> list:
    """P7 for algorithms with a range sensor: d(H_1) > d(H_2) > ..."""
    hits, _ = hits_and_leaves(episode)
    return [f'hit {b.index} is no closer than the one before' for a, b in zip(hits, hits[1:])
            if b.goal_distance > a.goal_distance - POSITION_ERROR]


def hits_on_the_straight_path(episode) -> list:
    """P9: H_j is at the inflated boundary, on the segment from L_(j-1) to the goal."""
    # In a gap that noise may make narrower than 2 rho, the contour of a smaller disc counts.
    rings = contours(episode.world) + contours(episode.world, RHO - EASE)
    hits, leaves = hits_and_leaves(episode)
    begins = [episode.start.position, *(leave.pose.position for leave in leaves)]
    found = []
    for begin, hit in zip(begins, hits):
        place = hit.pose.position
        away = min(ring.line.distance(Point(place)) for ring in rings)
        aside = Segment(begin, episode.goal).distance(place)
        if away > Settings().hit_distance + POSITION_ERROR or aside > 0.05:
            found.append(f'hit {hit.index}: {away} m from the contour, {aside} m off the way')
    return found


def leaves_on_the_m_line(episode) -> list:
    """P10: L_j is on the segment from start to goal, and the disc can continue from there."""
    m_line = Segment(episode.start.position, episode.goal)
    solids = unary_union([Polygon(solid) for solid in episode.world.solids])
    found = []
    for leave in hits_and_leaves(episode)[1]:
        place = leave.pose.position
        if not (abs(m_line.offset(place)) < 0.05 and 0.0 <= m_line.abscissa(place)
                <= m_line.length):
            found.append(f'leave {leave.index} is off the M-line')
        to_go = math.dist(place, episode.goal)
        ahead = min(Settings().clear_distance, to_go) / to_go
        way = LineString([place, (place[0] + ahead * (episode.goal[0] - place[0]),
                                  place[1] + ahead * (episode.goal[1] - place[1]))])
        # As wide as the clearance at the leave point, and almost rho.
        free = min(RHO, solids.distance(Point(place)))
        if free < RHO - 2 * POSITION_ERROR or solids.distance(way) < free - 0.01:
            found.append(f'the way from leave {leave.index} is not free')
    return found


def leaves_at_the_closest(episode) -> list:
    """P11: L_j minimizes d over the lap, and the return path is at most half of the lap."""
    found = []
    for following in followings(episode):
        if following.leave is None:
            continue
        ring = contours(episode.world)[contour_of(episode.world, following.hit)]
        least = ring.line.distance(Point(episode.goal))
        if abs(following.leave.goal_distance - least) > 0.05:
            found.append(f'left at {following.leave.goal_distance} m, closest is {least} m')
        back = [sample for sample in following.samples
                if 'return_to_leave_point' in sample.state]
        if length_of(back) > 0.5 * ring.line.length + 0.5:
            found.append(f'a way back of {length_of(back)} m, round are {ring.line.length} m')
    return found


def one_pair_per_obstacle(episode) -> list:
    """P12: no contour is hit twice."""
    hits = [contour_of(episode.world, hit) for hit in hits_and_leaves(episode)[0]]
    return [] if len(set(hits)) == len(hits) else [f'contours hit: {hits}']


def passages(episode) -> list:
    """Return for each contour an array with the number of passages of each mark."""
    rings = contours(episode.world)
    counts = [np.zeros(max(round(ring.line.length / GRID), 1)) for ring in rings]
    for following in followings(episode):
        number = contour_of(episode.world, following.hit)
        if len(following.samples) < 2:
            continue
        # Turning back does not count; a closed lap is slightly longer than the contour.
        along, round_ = abscissae(rings[number], following.samples), rings[number].line.length
        low, high = along.min(), along.max()
        if high - low > round_:
            high -= min(OVERLAP, high - low - round_)
        marks = np.arange(counts[number].size) * GRID
        counts[number] += np.floor((high - marks) / round_) - np.floor((low - marks) / round_)
    return counts


def bug2_passages(episode) -> list:
    """P13: every point of a boundary is passed at most ceil(n_i / 2) times."""
    loops = crossings(episode.world, RHO, episode.start, episode.goal)
    return [f'a contour crossed {loop.crossings} times is passed {count.max()} times'
            for loop, count in zip(loops, passages(episode))
            if count.max() > math.ceil(loop.crossings / 2)]


def alg_passages(episode) -> list:
    """P14: every part of a boundary is passed at most twice, not counting turning back."""
    return [f'passed {count.max()} times' for count in passages(episode) if count.max() > 2]


def hits_within_the_disc(episode) -> list:
    """P15: only obstacles that meet the disc about the goal with the start on its edge are hit."""
    rings = contours(episode.world)
    direct = math.dist(episode.start.position, episode.goal)
    away = [rings[contour_of(episode.world, hit)].line.distance(Point(episode.goal))
            for hit in hits_and_leaves(episode)[0]]
    return [f'an obstacle {d} m from the goal was hit' for d in away if d > direct]


def lap_turns_once(episode) -> list:
    """P22: in a lap, Bug1 turns by 360 degrees, and the lap is as long as the contour."""
    found = []
    for following in followings(episode):
        lap = [sample for sample in following.samples if 'circumnavigation' in sample.state]
        ring = contours(episode.world)[contour_of(episode.world, following.hit)]
        walked = length_of(lap) - 0.4  # overlap that detects the closed lap
        # The lap tolerance may end the lap early, which matters only at a pole.
        if abs(walked - ring.line.length) > 0.05 * ring.line.length + TOLERANCE:
            found.append(f'a lap of {walked} m, round are {ring.line.length} m')
        inner = Polygon(ring.line.coords).contains(Point(episode.start.position))
        # One lap up to the end, because the robot first had to turn to the boundary.
        along = np.abs(abscissae(ring, lap) - abscissae(ring, lap)[-1])
        once = [sample.pose.theta for sample, way in zip(lap, along) if way <= ring.line.length]
        turned = sum(wrap(b - a) for a, b in zip(once, once[1:]))
        expected = 360.0 if inner else -360.0  # turning left keeps the obstacle on the right
        if abs(math.degrees(turned) - expected) > 30.0:
            found.append(f'turned by {math.degrees(turned)} degrees, not {expected}')
    return found


@pytest.mark.parametrize('name', FALLING)
def test_p07_goal_distances_of_hits_and_leaves_decrease(name):
    assert broken(falling_distances, name, SCENES) == {}


@pytest.mark.parametrize('name', BY_RANGE)
def test_p07_goal_distances_of_hits_decrease(name):
    assert broken(falling_hits, name, SCENES) == {}


@pytest.mark.parametrize('name', STRAIGHT)
def test_p09_hits_are_at_the_contour_on_the_straight_path(name):
    assert broken(hits_on_the_straight_path, name, SCENES) == {}


@pytest.mark.parametrize('name', M_LINE)
def test_p10_holds_in_clutter_except_with_the_safe_rule(name):
    assert broken(but_for_the_safe_rule(leaves_on_the_m_line), name, CLUTTER) == {}


@pytest.mark.parametrize('name', ['bug1', 'bug2', 'alg1', 'class1', 'rev2'])
def test_p07_p09_hold_in_clutter(name):
    assert broken(falling_distances, name, CLUTTER) == {}
    assert broken(hits_on_the_straight_path, name, CLUTTER) == {}


@pytest.mark.parametrize('name', M_LINE)
def test_p10_leave_points_are_on_the_m_line_with_a_free_path(name):
    assert broken(leaves_on_the_m_line, name, SCENES) == {}


@pytest.mark.parametrize('name', WHOLE_LAPS)
def test_p11_leave_points_are_closest_to_the_goal_with_a_short_return_path(name):
    assert broken(leaves_at_the_closest, name, (*SCENES, 'maze')) == {}


@pytest.mark.parametrize('name', WHOLE_LAPS)
def test_p12_no_obstacle_is_hit_twice(name):
    assert broken(one_pair_per_obstacle, name, (*SCENES, *LONG)) == {}


def test_p13_passages_of_bug2_are_limited_by_the_m_line_crossings():
    assert broken(bug2_passages, 'bug2', (*SCENES, *LONG)) == {}


@pytest.mark.campaign
@pytest.mark.parametrize('scene', ['spiral_in', 'spiral_out', 'spiral_out_W', 'sp12_E'])
def test_p13_p14_passages_of_bug2_alg1_and_alg2_are_limited_in_spirals(scene):
    assert broken(bug2_passages, 'bug2', (scene,), TURNS) == {}
    for name in ('alg1', 'alg2'):
        assert broken(alg_passages, name, (scene,), TURNS) == {}


@pytest.mark.parametrize('name', ['alg1', 'alg2'])
def test_p14_alg1_and_alg2_pass_no_point_more_than_twice(name):
    assert broken(alg_passages, name, (*SCENES, *LONG)) == {}


@pytest.mark.parametrize('name', (*FALLING, *BY_RANGE))
def test_p15_obstacles_far_from_the_goal_are_not_hit(name):
    assert broken(hits_within_the_disc, name, SCENES) == {}


def test_p22_lap_of_bug1_turns_once_and_has_the_length_of_the_contour():
    assert broken(lap_turns_once, 'bug1', ROUND, ('left',)) == {}


def test_every_check_of_hits_and_leaves_can_fail():
    good = driven('bug2', 'u_trap', 'left')
    hit, leave = good.events
    far = leave._replace(pose=leave.pose._replace(y=leave.pose.y + 0.2),
                         goal_distance=hit.goal_distance + 0.1)
    early = hit._replace(pose=hit.pose._replace(x=0.5))
    again = [hit, leave, hit._replace(index=2)]
    bug1 = driven('bug1', 'u_trap', 'left')
    shut = driven('bug2', 'ring_goal', 'left')
    lap = state_at(shut, 'boundary_following')
    thrice = [*lap, *(sample for _ in range(2) for sample in lap[40:])]
    bad = [(falling_distances, good, {'events': [hit, far]}),
           (falling_hits, good, {'events': again}),
           (hits_on_the_straight_path, good, {'events': [early, leave]}),
           (leaves_on_the_m_line, good, {'events': [hit, far]}),
           (leaves_at_the_closest, bug1, {'events': [bug1.events[0], far]}),
           (one_pair_per_obstacle, good, {'events': again}),
           (bug2_passages, good, {'events': again}),
           (bug2_passages, shut, {'samples': thrice}),
           (alg_passages, shut, {'samples': thrice}),
           (alg_passages, good, {'events': [hit, hit, hit]}),
           (hits_within_the_disc, good, {'goal': (3.0, -30.0), 'start': good.start._replace(
               y=-29.0)}),
           (lap_turns_once, bug1, {'samples': state_at(bug1, 'circumnavigation')[:200]})]
    for check, episode, changes in bad:
        assert check(episode) == [], check
        assert check(changed(episode, **changes)) != [], check


def test_overlap_of_a_lap_is_limited():
    lap = state_at(driven('bug1', 'box', 'left'), 'circumnavigation')
    (ring,) = contours(driven('bug1', 'box', 'left').world)
    assert ring.line.length < length_of(lap) < ring.line.length + OVERLAP
