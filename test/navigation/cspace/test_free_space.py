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

"""Tests of the free space between obstacle points."""

from __future__ import annotations

import math

from arena import block, BURGER, QUIET, RHO, Stage, world_of
from bug_nav.navigation.behaviors.visibility import can_go_straight
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest

INF = math.inf
BODY = BURGER.robot_radius
WALL = world_of(block(1.0, 1.2, -2.0, 2.0))     # its face is at x = 1
HERE = (0.0, 0.0)


def space_of(points, radii=RHO, plugs: int = 0) -> FreeSpace:
    table = np.array(points, dtype=float).reshape(-1, 2)
    return FreeSpace(table, np.full(len(table), radii) if np.isscalar(radii) else radii,
                     len(table) - plugs, BODY)


def seen_in(world, lidar: LidarModel = QUIET, radius: float = RHO) -> FreeSpace:
    scan = Simulator(world, IDENTITY, lidar=lidar).scan()
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    near = np.isfinite(scan.ranges)
    x = scan.mount.x + scan.ranges[near] * np.cos(angles[near])
    y = scan.mount.y + scan.ranges[near] * np.sin(angles[near])
    return space_of(np.column_stack((x, y)), radius)


def reaches(space: FreeSpace, origin, places, least: float = BODY) -> list:
    """Return for each place whether a disc of radius ``least`` or more can go straight there."""
    room = max(space.clearance(origin), least)
    return [can_go_straight(space.points, space.radii, room, 0.0, *origin, *place)
            for place in places]


def test_space_without_points_has_infinite_clearance_and_free_ways():
    space = space_of([])
    assert space.clearance(HERE) == INF
    assert space.free_distance(HERE, 1.0, 0.7) == (0.7, None)
    assert space.gap_edges(HERE, 0.0, 5.0) is None and space.has_line_of_sight(HERE, (9.0, 9.0))
    assert not space.is_enclosed(HERE, RHO, 1.0)


@pytest.mark.parametrize('heading, free', [
    (0.0, 0.8), (0.5, 1.0 / math.cos(0.5) - 0.2 / math.cos(0.5)), (math.pi, 1.0)])
def test_free_distance_to_a_wall_is_that_of_a_disc(heading, free):
    space = seen_in(WALL, LidarModel(scan_noise=0.0, scan_count=1440), 0.2)
    found, blocker = space.free_distance(HERE, heading, 1.0)
    assert found == pytest.approx(free, abs=2e-3)
    assert blocker is None if free == 1.0 else blocker[0] == pytest.approx(1.0)
    assert space.free_distance((0.5, 0.3), 0.0, 1.0)[0] == pytest.approx(0.3, abs=2e-3)


@pytest.mark.parametrize('room, free', [(RHO - 0.02, True), (BODY + 0.001, True),
                                        (BODY - 0.01, False)])
def test_disc_shrinks_to_the_clearance_but_not_below_the_body_radius(room, free):
    # Along the wall: a point beside the disc, and the next ones as near to its way.
    space = space_of([(0.1 * k, room) for k in range(10)])
    assert (space.free_distance(HERE, 0.0, 0.5)[1] is None) is free
    aside, _ = space.free_distance(HERE, 0.5 * math.pi, 0.5)
    assert aside == pytest.approx(max(room - BODY, 0.0), abs=0.11)


def test_smaller_disc_goes_farther():
    space = space_of([(1.0, 0.0)])
    assert space.free_distance(HERE, 0.0, 2.0, reduction=0.02)[0] == pytest.approx(
        space.free_distance(HERE, 0.0, 2.0)[0] + 0.02)


def test_plug_stops_the_disc_but_is_no_obstacle():
    space = space_of([(1.0, 0.0)], np.array([0.05]), plugs=1)
    assert space.free_distance(HERE, 0.0, 2.0) == (pytest.approx(0.95), (1.0, 0.0))
    assert space.clearance(HERE) == INF and space.has_line_of_sight(HERE, (2.0, 0.0))


@given(st.floats(-math.pi, math.pi), st.floats(0.1, 3.0), st.floats(-0.1, 0.1))
def test_line_of_sight_is_blocked_only_by_points_within_2_cm(heading, away, aside):
    cos, sin = math.cos(heading), math.sin(heading)
    blocker = (0.5 * away * cos - aside * sin, 0.5 * away * sin + aside * cos)
    seen = space_of([blocker]).has_line_of_sight(HERE, (away * cos, away * sin))
    assert seen == (abs(aside) >= 0.02) or abs(abs(aside) - 0.02) < 1e-9


def test_gap_edges_are_the_nearest_points_on_each_side():
    space = seen_in(world_of(block(-1.0, 1.0, 0.3, 0.5), block(-1.0, 1.0, -0.6, -0.4)))
    left, right = space.gap_edges(HERE, 0.0, 1.0)
    assert left == pytest.approx((0.0, 0.3), abs=0.01)
    assert right == pytest.approx((0.0, -0.4), abs=0.01)
    assert space.gap_edges(HERE, math.pi, 1.0) == (right, left)
    assert space.gap_edges(HERE, 0.0, 0.35) is None     # the right one is too far
    two = space_of([(0.0, 0.3), (0.0, -0.4)])
    assert two.gap_edges(HERE, 0.0, 1.0) == ((0.0, 0.3), (0.0, -0.4))
    assert two.gap_edges(HERE, math.pi, 1.0) == ((0.0, -0.4), (0.0, 0.3))


@pytest.mark.parametrize('depth', [0.0, 0.03, 0.1])
def test_place_is_inside_up_to_its_depth_in_the_inflated_obstacle(depth):
    space = space_of([(RHO - depth, 0.0)])
    assert space.is_inside(HERE, depth - 0.001) or depth == 0.0
    assert not space.is_inside(HERE, depth + 0.001)


@pytest.mark.parametrize('seed', range(5))
def test_free_distances_match_the_free_distance_of_each_heading(seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2.0, 2.0, (40, 2))
    space = space_of(points, rng.choice((0.05, 0.2, RHO), 40))
    free, stops = space.free_distances(HERE, 1.5, 720)
    for k in range(0, 720, 7):
        one, blocker = space.free_distance(HERE, k * math.pi / 360.0, 1.5)
        assert free[k] == pytest.approx(one, abs=1e-9)
        assert (stops[k] < 0) == (blocker is None)


def test_free_distances_without_points_are_the_full_reach():
    free, stops = space_of([]).free_distances(HERE, 2.0, 8)
    assert (free == 2.0).all() and (stops == -1).all()


@given(st.lists(st.tuples(*[st.integers(-64, 64)] * 2).filter(any), min_size=1, max_size=12),
       st.floats(-math.pi, math.pi))
def test_queries_do_not_depend_on_the_origin_of_the_frame(cloud, heading):
    # Sums of powers of two: nothing is rounded.
    here, there = HERE, (4.0, -8.0)
    points = np.array(cloud) / 64.0
    radii = np.resize((RHO, 0.2, 0.05), len(points))
    one, other = space_of(points, radii, len(points) // 3), space_of(
        points + there, radii, len(points) // 3)

    def answers(space, place):
        def back(point):
            return point if point is None else np.subtract(point, place)
        free, blocker = space.free_distance(place, heading, 1.5)
        wide, wall = space.free_distance_of(0.1, place, heading, 1.5)
        jambs = space.gap_edges(place, heading, 0.6) or (None, None)
        ahead = np.array([(0.375, 0.25), (-0.5, 0.125), (0.0, -0.875)]) + place
        around, stops = space.free_distances(place, 1.5, 90)
        return (free, back(blocker), wide, back(wall), *map(back, jambs),
                space.clearance(place), reaches(space, place, ahead), space.is_inside(place, 0.01),
                space.is_enclosed(place, 0.1, 0.8),
                space.has_line_of_sight(place, tuple(ahead[0])),
                kernels.free_distance(space.points, space.radii, 0, 0.0, 0.0, *place, heading,
                                      1.5), around, stops)
    for this, that in zip(answers(one, here), answers(other, there)):
        if this is None or that is None:
            assert this is that
        else:
            assert that == pytest.approx(this, abs=1e-9)


@pytest.mark.parametrize('away', [0.3, 0.5, 0.8])
def test_disc_is_enclosed_by_a_ring_with_enough_points(away):
    enough = math.pi / math.asin(0.2 / away)
    for count, encloses in ((math.floor(enough), False), (math.ceil(enough), True)):
        angles = 0.3 + 2.0 * math.pi / count * np.arange(count)
        ring = (3.0, 1.0) + away * np.column_stack((np.cos(angles), np.sin(angles)))
        assert space_of(ring).is_enclosed((3.0, 1.0), 0.2, away + 0.01) is encloses
        assert not space_of(ring).is_enclosed((3.0, 1.0), 0.2, away - 0.01)


@given(st.lists(st.tuples(st.floats(-math.pi, math.pi), st.floats(0.21, 1.0)), min_size=3,
                max_size=12))
def test_disc_is_enclosed_if_every_heading_is_blocked(ring):
    space = space_of([(away * math.cos(angle), away * math.sin(angle)) for angle, away in ring])
    bearings, widths = np.array([(angle, math.asin(0.2 / away)) for angle, away in ring]).T
    # Between two neighbouring ends of blocked sectors, all headings are free or none.
    ends = np.sort(np.concatenate((bearings - widths, bearings + widths)) % (2.0 * math.pi))
    gaps = np.diff(ends, append=ends[0] + 2.0 * math.pi)
    assume((gaps > 1e-6).all())
    headings = (ends + 0.5 * gaps)[:, None]
    off = np.abs((headings - bearings + math.pi) % (2.0 * math.pi) - math.pi)
    assert space.is_enclosed(HERE, 0.2, 2.0) == (off < widths).any(axis=1).all()


def test_space_is_reused_until_points_or_gaps_change():
    stage = Stage(WALL, IDENTITY)
    space, sight = stage.robot.space, stage.robot.space_in_sight
    assert stage.robot.space is space and stage.robot.space_in_sight is sight
    assert len(sight.points) > len(space.points)
    stage.robot.gaps.mark_closed((0.5, 0.0), (1.0, 0.0))
    assert stage.robot.space is not space and stage.robot.space_in_sight is not sight
    assert stage.put(Pose(0.1, 0.0, 0.0)).space.obstacles > 0


@pytest.mark.parametrize('goal, free', [((3.0, 0.0), 1.0 - RHO), ((-9.0, 0.0), 3.5 - RHO - 0.032)])
def test_free_distance_ahead_ends_at_the_wall_or_at_the_sensor_range(goal, free):
    robot = Stage(WALL, IDENTITY, goal).robot
    assert robot.free_distance_ahead(10.0) == pytest.approx(free, abs=0.04)
    assert robot.free_distance_ahead(10.0) <= free + 1e-9


def test_disc_does_not_shrink_below_its_minimum_radius():
    space = space_of([(0.1 * k, side * 0.15) for k in range(10) for side in (-1, 1)])
    assert space.free_distance(HERE, 0.0,
                               2.0)[1] is None                 # shrunk to the clearance, it fits
    assert space.free_distance(HERE, 0.0, 2.0, min_radius=RHO - 0.05)[0] < 0.1
    assert reaches(space, HERE, [(0.5, 0.0)]) == [True]
    assert reaches(space, HERE, [(0.5, 0.0)], RHO - 0.05) == [False]
