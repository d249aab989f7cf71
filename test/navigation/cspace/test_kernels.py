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

from arena import RHO
from bug_nav.lab.ground_truth import inflate
from bug_nav.navigation.compiled import fan
from bug_nav.navigation.cspace import disc_rolling, kernels
from bug_nav.simulation import kinematics, rays
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.generators import cluttered
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest
from shapely.geometry import LineString, MultiLineString, Point

headings = st.floats(-math.pi, math.pi)
clouds = st.lists(st.tuples(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0)), max_size=15)


def table(cloud) -> np.ndarray:
    return np.array(cloud, dtype=float).reshape(-1, 2)


# Free distance.

def free_distance(points: np.ndarray, x: float, y: float, heading: float, radius: float,
                  reach: float) -> tuple:
    """Return the free distance of a disc of constant radius, and what blocks it."""
    return kernels.free_distance(points, np.full(len(points), radius), 0, 0.0, 0.0, x, y,
                                 heading, reach)


def marched(cloud, heading: float, radius: float, reach: float, step: float = 1e-3) -> float:
    """Return the free distance of a disc that moves in small steps."""
    travel = np.arange(0.0, reach, step)
    centres = np.column_stack((np.cos(heading) * travel, np.sin(heading) * travel))
    points = table(cloud)
    ahead = points @ np.array((math.cos(heading), math.sin(heading))) > 0.0
    apart = np.linalg.norm(centres[:, None] - points[None, ahead], axis=2)
    # Points behind the disc do not stop it, even if it covers them.
    covers = (apart < radius).any(axis=1)
    return float(travel[np.argmax(covers)]) if covers.any() else reach


@given(clouds, headings, st.floats(0.05, 0.4), st.floats(0.1, 1.5))
def test_free_distance_matches_a_disc_moved_in_small_steps(cloud, heading, radius, reach):
    free, i = free_distance(table(cloud), 0.0, 0.0, heading, radius, reach)
    step = 1e-3
    march = marched(cloud, heading, radius, reach, step)
    if i >= 0:
        grazing = abs(math.sin(math.atan2(cloud[i][1], cloud[i][0]) - heading)
                      * math.hypot(*cloud[i])) > radius - 1e-4
        # A chord shorter than a step can lie between two steps.
        assume(not grazing)
    assert free == pytest.approx(march, abs=step + 1e-9)
    assert (i == -1) == (free == reach)


@pytest.mark.parametrize('cloud, free, index', [
    ([], 1.0, -1),
    ([(0.5, 0.0)], 0.3, 0),
    ([(0.9, 0.0), (0.5, 0.0)], 0.3, 1),         # the nearer one
    ([(0.5, 0.1)], 0.5 - math.sqrt(0.03), 0),   # off the axis
    ([(0.5, 0.2)], 1.0, -1),                    # touched in passing
    ([(1.2, 0.0)], 1.0, -1),                    # exactly at the end
    ([(0.1, 0.0)], 0.0, 0),                     # covered, ahead
    ([(-0.1, 0.0)], 1.0, -1),                   # covered, behind
    ([(-0.5, 0.0)], 1.0, -1)])
def test_free_distance_of_a_20_cm_disc(cloud, free, index):
    assert free_distance(table(cloud), 0.0, 0.0, 0.0, 0.2, 1.0) == (
        pytest.approx(free), index)


# Rolling.

def rolled_in_steps(cloud, radii, radius, start, side, step=1e-4) -> float:
    turns = np.arange(0.0, 2.0 * math.pi, step)
    angles = start - side * turns
    centres = radius * np.column_stack((np.cos(angles), np.sin(angles)))
    points = table(cloud)
    apart = np.linalg.norm(centres[:, None] - points[None], axis=2)
    covers = (apart < np.array(radii) - 1e-9).any(axis=1)
    return float(turns[np.argmax(covers)]) if covers.any() else 2.0 * math.pi


@given(clouds.filter(bool), st.floats(0.1, 0.5), headings, st.sampled_from((1, -1)), st.data())
def test_disc_rolls_until_it_touches_another_point(cloud, radius, start, side, data):
    radii = data.draw(st.lists(st.sampled_from((radius, radius - 0.02, 0.05)),
                               min_size=len(cloud), max_size=len(cloud)))
    centre = radius * np.array((math.cos(start), math.sin(start)))
    apart = np.linalg.norm(np.array(cloud) - centre, axis=1)
    assume((apart > np.array(radii) + 1e-3).all())      # the disc covers no point at first
    turn, i = disc_rolling.turn_to_contact(table(cloud), np.array(radii), 0.0, 0.0, radius, start,
                                           side)
    stepped = rolled_in_steps(cloud, radii, radius, start, side)
    if i >= 0:
        end = start - side * turn
        touched = math.dist(cloud[i], (radius * math.cos(end), radius * math.sin(end)))
        assert touched == pytest.approx(radii[i], abs=1e-6)
        # No earlier contact; the stepping disc can miss a chord shorter than a step.
        assert stepped >= turn - 1e-6
        if stepped > turn + 2e-4:
            after = start - side * (turn + 1e-4)
            assert math.dist(cloud[i], (radius * math.cos(after), radius * math.sin(after))
                             ) > radii[i] - 1e-6
    else:
        assert turn == pytest.approx(stepped) == 2.0 * math.pi


@pytest.mark.parametrize('side', [1, -1])
def test_disc_on_a_straight_wall_rolls_from_point_to_point(side):
    # Points 2 cm apart along y = 0, the disc above them: with side 1, it moves to the right.
    wall = np.array([(0.02 * k, 0.0) for k in range(-5, 6) if k])
    half = math.asin(0.01 / 0.2)
    start = 0.5 * math.pi + side * half
    turn, i = disc_rolling.turn_to_contact(wall, np.full(10, 0.2), 0.0, 0.0, 0.2, start, side)
    assert turn == pytest.approx(2.0 * half)
    assert wall[i] == pytest.approx((side * 0.02, 0.0))


def test_disc_rolls_all_the_way_around_a_single_point():
    for cloud in ([], [(0.5, 0.0)]):
        radii = np.full(len(cloud), 0.2)
        assert disc_rolling.turn_to_contact(table(cloud), radii, 0.0, 0.0, 0.2, 0.0,
                                            1) == (2.0 * math.pi, -1)


@pytest.mark.parametrize('name', ['box', 'u_trap', 'two_close', 'maze'])
@pytest.mark.parametrize('side', [1, -1])
def test_disc_rolled_over_dense_points_traces_the_inflated_outline(name, side):
    world = find_world(name)
    points = np.vstack([
        np.column_stack([np.linspace(row[k], row[k + 2], max(int(math.dist(row[:2], row[2:])
                                                                 / 0.005), 1), endpoint=False)
                         for k in (0, 1)]) for row in world.segments])
    outline = inflate(world, RHO).boundary
    along = np.subtract(world.goal, world.start[:2]) / math.dist(world.goal, world.start[:2])
    heading = math.atan2(along[1], along[0])
    # From the start straight to the first contact, and then around the obstacle.
    free, i = free_distance(points, *world.start[:2], heading, RHO, 100.0)
    centre, contact = np.add(world.start[:2], free * along), points[i]
    for _ in range(400):
        radius = math.dist(centre, contact)
        start = math.atan2(*(centre - contact)[::-1])
        turn, i = disc_rolling.turn_to_contact(points, np.full(len(points), RHO), *contact, radius,
                                               start, side)
        angle = start - side * min(turn, 0.1)
        centre = contact + radius * np.array((math.cos(angle), math.sin(angle)))
        if turn <= 0.1:
            contact = points[i]
        # The chord of 5 mm sinks the disc by 14 um; arcs of the outline are inscribed polygons.
        assert outline.distance(Point(centre)) < 4e-4


# Ray casting.

@pytest.mark.parametrize('name', ['box', 'u_trap', 'maze', 'pole', 'spiral_in', 'demo'])
@pytest.mark.parametrize('seed', range(3))
def test_ray_lengths_match_shapely(name, seed):
    world, rng = find_world(name), np.random.default_rng(seed)
    walls = MultiLineString([((a, b), (c, d)) for a, b, c, d in world.segments])
    x, y = world.start[:2] + rng.uniform(-0.2, 0.2, 2)
    first, count = rng.uniform(-7.0, 7.0), int(rng.integers(90, 400))
    step = 2.0 * math.pi / count * rng.uniform(0.3, 1.0)
    ranges = rays.cast_rays(world.segments, x, y, first, step, count, 3.5)
    assert ranges.shape == (count,)
    for k in range(0, count, 7):
        angle = first + k * step
        ray = LineString([(x, y), (x + 3.5 * math.cos(angle), y + 3.5 * math.sin(angle))])
        expected = ray.intersection(walls).distance(Point(x, y)) if ray.intersects(walls) else None
        if expected is None:
            assert ranges[k] == math.inf
        else:
            assert ranges[k] == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.tuples(*[st.integers(-8, 8)] * 4), min_size=1, max_size=6), st.floats(-8, 8),
       st.integers(4, 90))
def test_fan_of_rays_matches_single_rays(rows, first, count):
    # Corners at integers, the sensor elsewhere: rays through corners are not tested.
    segments, x, y = np.array(rows, dtype=float), 0.137, -0.211
    step = 2.0 * math.pi / count
    fan = rays.cast_rays(segments, x, y, first, step, count, 30.0)
    for k in range(count):
        angle = first + k * step
        best = math.inf
        for ax, ay, bx, by in segments - (x, y, x, y):
            ex, ey = bx - ax, by - ay
            facing = math.cos(angle) * ey - math.sin(angle) * ex
            if abs(facing) < 1e-9:
                continue
            t = (ax * ey - ay * ex) / facing
            u = (ax * math.sin(angle) - ay * math.cos(angle)) / facing
            if t >= 0.0 and 1e-9 < u < 1.0 - 1e-9:
                best = min(best, t)
            elif t >= 0.0 and -1e-9 <= u <= 1.0 + 1e-9:
                best = math.nan
                break
        if not math.isnan(best):
            assert fan[k] == pytest.approx(best, rel=1e-9) if best <= 30.0 else fan[k] == math.inf


@pytest.mark.parametrize('name', ['box', 'maze', 'pole', 'spiral_in', 'demo'])
def test_rays_cast_one_by_one_match_a_fan(name):
    world, rng = find_world(name), np.random.default_rng(5)
    x, y = world.start[:2] + rng.uniform(-0.2, 0.2, 2)
    step = 2.0 * math.pi / 360
    origins = np.column_stack((np.full(360, x), np.full(360, y), 0.3 + step * np.arange(360)))
    fan = rays.cast_rays(world.segments, x, y, 0.3, step, 360, 3.5)
    assert rays.cast_each(world.segments, origins, 3.5) == pytest.approx(fan, abs=1e-9)


def test_ranges_are_finite_exactly_up_to_range_max():
    wall = np.array([(2.0, -5.0, 2.0, 5.0)])
    ranges = rays.cast_rays(wall, 0.0, 0.0, -math.pi, math.pi / 180, 360, 3.0)
    angles = -math.pi + math.pi / 180 * np.arange(360)
    seen = np.abs(angles) < math.acos(2.0 / 3.0)
    assert np.isfinite(ranges).tolist() == seen.tolist()
    assert ranges[seen] == pytest.approx(2.0 / np.cos(angles[seen]))


def test_world_without_walls_has_infinite_ranges_and_distance():
    nothing = np.zeros((0, 4))
    assert (rays.cast_rays(nothing, 0.0, 0.0, 0.0, 0.1, 30, 5.0) == math.inf).all()
    assert kinematics.distance_to_segments(nothing, 0.0, 0.0) == math.inf


# Distance to walls.

@pytest.mark.parametrize('seed', range(5))
def test_distance_to_segments_matches_shapely(seed):
    world, rng = cluttered(seed), np.random.default_rng(seed)
    walls = MultiLineString([((a, b), (c, d)) for a, b, c, d in world.segments])
    for x, y in rng.uniform(-1.0, 8.0, (50, 2)):
        assert kinematics.distance_to_segments(world.segments, x, y) == pytest.approx(
            walls.distance(Point(x, y)), abs=1e-9)


def test_distance_to_a_segment_of_zero_length_is_to_the_point():
    dot = np.array([(1.0, 1.0, 1.0, 1.0)])
    assert kinematics.distance_to_segments(dot, 4.0, 5.0) == pytest.approx(5.0)


# Jambs.

@pytest.mark.parametrize('across, up, radius, is_one', [
    (0.4, 0.0, 0.2, True), (0.0, -0.4, 0.2, True), (0.24, 0.32, 0.2, True),
    (0.24, 0.0, 0.2, False), (0.4, 0.32, 0.2, False), (0.4, 0.0, 0.05, False)])
def test_contact_is_at_a_gap_if_the_previous_one_is_a_gap_width_away(across, up, radius, is_one):
    first, other = (0.0, 0.0, 1.0, 2.0, 0.2), (0.0, 0.0, 1.0 + across, 2.0 + up, radius)
    for before, disc in ((first, other), (other, first)):
        assert disc_rolling.is_gap_contact(before, disc, (0.4, 0.02, 0.05)) is is_one


# Nearest points.

places = st.floats(-0.5, 0.5)
tables = clouds.map(table)


def radii_of(points, radius: float) -> np.ndarray:
    """Return a mix of radii: of obstacle points, of plugs, and around a passage."""
    return np.resize((radius, 0.05, radius - 0.02), len(points))


@given(tables, places, places, headings, st.floats(0.05, 0.4))
def test_nearest_points_are_the_nearest_overall_and_on_each_side(points, x, y, heading, within):
    dx, dy = (points - (x, y)).T
    away, left = np.hypot(dx, dy), math.cos(heading) * dy - math.sin(heading) * dx > 0.0
    least, i = kernels.nearest(points, x, y)
    assert least == pytest.approx(np.min(away, initial=math.inf))
    assert away[i] == pytest.approx(least) if len(points) else i == -1
    for k, side in zip(kernels.nearest_on_sides(points, x, y, heading, within), (left, ~left)):
        expected = np.min(away[side], initial=within)
        assert (k == -1) == (expected == within)
        assert k == -1 or (side[k] and away[k] == pytest.approx(expected))


def test_points_seen_beyond_the_reach_are_added_with_their_beam_spacing():
    near, seen = table([(1.5, 1.0)]), table([(3.0, 1.0), (0.5, 1.5)])
    points, between = kernels.append_far(near, seen, 1.0, 1.0, 1.0, math.radians(1.0))
    assert points.tolist() == [[1.5, 1.0], [3.0, 1.0]]
    assert between == pytest.approx([0.0, 2.0 * math.radians(1.0)])


def test_points_near_a_passage_and_plugs_have_inflation_radii_of_their_own():
    points, plugs = table([(0.0, 1.0), (3.0, 2.0), (3.0, 3.0)]), table([(4.0, 5.0), (6.0, 7.0)])
    centres, radii = kernels.inflate(points, 0.2, table([(3.0, 2.4)]), 0.5, 0.15, plugs, 0.05)
    assert centres.tolist() == [*points.tolist(), *plugs.tolist()]
    assert radii.tolist() == [0.2, 0.15, 0.2, 0.05, 0.05]


def test_radii_end_before_places_that_are_free():
    points, radii = table([(0.0, 0.0), (2.0, 3.0), (9.0, 9.0)]), np.array([0.2, 0.2, 0.2])
    kernels.free_places(points, radii, table([(2.0, 3.15), (0.06, 0.08), (5.0, 1.0)]), 0.02)
    assert radii == pytest.approx([0.08, 0.13, 0.2])
    kernels.free_places(points, radii, table([(0.0, 0.01)]), 0.02)
    assert radii == pytest.approx([0.0, 0.13, 0.2])


@given(tables, places, places, st.floats(0.05, 0.4), st.floats(0.1, 1.5))
def test_fan_of_free_distances_matches_each_heading(points, x, y, radius, reach):
    asked = points, radii_of(points, radius), len(points) // 2, 0.1
    free, stops = kernels.free_distances(*asked, x, y, reach, *fan(0.0, math.pi / 12.0, 24))
    room = max(kernels.nearest(points[:len(points) // 2], x, y)[0], 0.1)
    for k in range(24):
        one, i = kernels.free_distance(*asked, 0.0, x, y, k * math.pi / 12.0, reach)
        cos, sin = math.cos(k * math.pi / 12.0), math.sin(k * math.pi / 12.0)
        dx, dy = (points - (x, y)).T
        along, across = cos * dx + sin * dy, cos * dy - sin * dx
        kept = np.minimum(asked[1], room)
        # Half the digits of a place beside the disc are lost in its square.
        grazes = (abs(abs(across) - kept) < 1e-9) | (abs(along) < 1e-7) & (abs(across) < kept)
        if not grazes.any() and abs(one - reach) > 1e-9:
            assert free[k] == pytest.approx(one, abs=1e-9)
            assert (stops[k] < 0) == (i < 0)


def test_segments_within_reach_are_those_at_a_smaller_distance():
    walls = np.array(cluttered(1).segments)
    for reach in (0.0, 0.5, 2.0, 100.0):
        near = rays.segments_within(walls, 3.0, 4.0, reach)
        less = [kinematics.distance_to_segments(walls[k:k + 1], 3.0, 4.0) < reach
                for k in range(len(walls))]
        assert near.tolist() == walls[less].tolist()
