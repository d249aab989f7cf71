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

"""Tests of surfels: extraction from a scan, and updates of the table."""

from __future__ import annotations

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.surfels import GATE, MAX_ALONG, NEW_DISTANCE, READINGS
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest
from surfel_table import ROOM, surfels, surfels_of, Table, walls

# Extraction.


def test_surfels_lie_on_the_walls_and_point_towards_the_sensor():
    seen = surfels_of(ROOM, Pose(0.3, 0.2, 0.0))
    x, y = seen['x'] + 0.3, seen['y'] + 0.2
    off = np.min(np.abs(np.stack((x + 1.0, x - 2.0, y + 1.0, y - 1.0))), axis=0)
    assert len(seen) > 60 and off.max() < 0.04
    assert np.all(seen['nx'] * seen['x'] + seen['ny'] * seen['y'] < 0.0)
    assert np.hypot(seen['nx'], seen['ny']) == pytest.approx(1.0)


def straightness(seen):
    """Return the larger component of each normal: 1 along the walls of a room, less elsewhere."""
    return np.maximum(np.abs(seen['nx']), np.abs(seen['ny']))


def test_few_surfels_lie_across_a_corner():
    straight = straightness(surfels_of(ROOM, Pose(0.0, 0.0, 0.0)))
    assert straight.min() > 0.9 and np.quantile(straight, 0.1) > 0.99


def test_readings_inside_the_body_give_no_surfels():
    near = walls(((0.15, -0.5), (0.15, 0.5)))
    scan = Simulator(near, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.0)).scan()
    assert len(surfels(scan)) > 0
    assert len(surfels(scan, body=2.0)) == 0


def test_lost_beams_leave_most_surfels_intact():
    scan = Simulator(ROOM, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.0)).scan()
    ranges = scan.ranges.copy()
    ranges[::3] = math.nan
    whole, holed = surfels(scan), surfels(scan._replace(ranges=ranges))
    assert len(holed) > 0.6 * len(whole)
    assert np.quantile(straightness(holed), 0.1) > 0.99


def test_full_turn_has_no_gap_at_its_beginning():
    scan = Simulator(ROOM, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.0)).scan()
    seen = surfels(scan._replace(ranges=np.roll(scan.ranges, 180), angle_min=math.pi))
    behind = np.sort(seen['y'][(seen['x'] < 0.0) & (np.abs(seen['y']) < 0.5)])
    assert behind[0] < -0.4 and behind[-1] > 0.4 and np.diff(behind).max() < 0.09


# Posts.

def post(x, y, size, sides, turn=0.0):
    """Return a post with this many sides; its opposite corners are ``size`` apart [m]."""
    angles = turn + np.arange(sides) * 2.0 * math.pi / sides
    return np.stack((x + 0.5 * size * np.cos(angles), y + 0.5 * size * np.sin(angles)), axis=1)


@given(st.sampled_from((4, 6, 24)), st.floats(0.06, 0.2), st.floats(0.0, math.pi),
       st.floats(0.4, 2.0), st.floats(-math.pi, math.pi), st.sampled_from((0.0, 0.01)))
def test_post_is_at_its_centre_whatever_its_shape(sides, size, turn, away, bearing, noise):
    world = World('post', (post(away * math.cos(bearing), away * math.sin(bearing), size, sides,
                                turn),))
    seen = surfels_of(world, Pose(0.0, 0.0, 0.0), noise)
    assume(len(seen) > 0)
    along, across = seen['x'] * math.cos(bearing) + seen['y'] * math.sin(bearing), (
        seen['y'] * math.cos(bearing) - seen['x'] * math.sin(bearing))
    assert len(seen) == 2 and np.all(seen['gate'] > 0.0)
    spacing = math.radians(1.0) * away
    assert np.abs(across).max() < 0.5 * spacing + 0.05 * size + 1.5 * noise
    assert np.abs(along - away).max() < 0.5 * spacing + 0.2 * size + 2.0 * noise


def test_posts_hold_a_pose_in_every_direction():
    world = World('posts', (post(1.0, 0.5, 0.1, 24), post(-0.8, 0.7, 0.1, 4),
                            post(0.2, -0.9, 0.08, 24)))
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    table.enter(surfels_of(world, here), here)
    assert table.count == 3
    there = Pose(0.05, 0.03, 0.1)
    found, covariance, matched, fitting, _ = table.align(
        surfels_of(world, there), Pose(0.0, 0.08, 0.06), np.diag((2e-3, 2e-3, 1e-3)))
    assert math.dist(found[:2], there.position) < 0.02 and abs(found[2] - 0.1) < 0.02
    assert matched == fitting == 12 and np.diag(covariance).max() < 1e-4


def test_uncertain_pose_matches_no_post_with_another():
    row = World('row', tuple(post(1.0, -1.0 + 0.3 * k, 0.1, 24) for k in range(8)))
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    seen = surfels_of(row, here)
    table.enter(seen, here)
    *_, matched, _, _ = table.align(seen, Pose(0.0, 0.25, 0.0), np.diag((0.04, 0.04, 0.01)))
    assert len(seen) > 8 and matched == 0


def test_wall_or_something_before_a_wall_or_at_the_edge_of_the_view_is_no_post():
    before = walls(((1.0, -0.05), (1.0, 0.05)), ((1.2, -1.0), (1.2, 1.0)))
    for world in (walls(((1.0, 0.1), (3.0, 0.5))), before):
        assert not np.any(surfels_of(world, Pose(0.0, 0.0, 0.0))['gate'])
    scan = Simulator(World('post', (post(1.0, 0.0, 0.1, 24),)), Pose(0.0, 0.0, 0.0),
                     lidar=LidarModel(scan_noise=0.0)).scan()
    assert len(surfels(scan._replace(ranges=scan.ranges[:180]))) == 0


# Updates.

def test_surfel_is_the_mean_of_its_readings_and_then_stays_fixed():
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    for k in range(40):
        seen = surfels_of(ROOM, here, 0.02, k)
        onto = table.align(seen, here)[-1] if table.count else None
        table.enter(seen, here, onto)
    known = table.known[table.known['readings'] == READINGS]
    off = np.min(np.abs(np.stack((known['x'] + 0.99, known['x'] - 2.0, known['y'] + 0.98,
                                  known['y'] - 1.0))), axis=0)
    assert len(known) > 60 and np.median(off) < 0.005
    table.enter(seen, Pose(0.02, 0.02, 0.0), table.align(seen, here)[-1])
    after = table.known[table.known['readings'] == READINGS]
    assert np.array_equal(after['x'][:len(known)], known['x'])


def test_known_surfel_is_not_added_again():
    table, here = Table(), Pose(0.3, -0.2, 0.5)
    seen = surfels_of(ROOM, here)
    table.enter(seen, here)
    first = table.count
    table.enter(seen, here)
    table.enter(seen, here, table.align(seen, here)[-1])
    assert table.count == first > 60


def test_new_surfel_has_the_variance_of_the_pose_it_was_seen_from():
    table = Table()
    table.enter(surfels_of(ROOM, Pose(0.0, 0.0, 0.0)), Pose(0.0, 0.0, 0.0),
                covariance=np.diag((0.04, 0.01, 0.0)))
    known = table.known
    assert known['variance'][np.abs(known['nx']) > 0.999] == pytest.approx(0.04, rel=0.01)
    assert known['variance'][np.abs(known['ny']) > 0.999] == pytest.approx(0.01, rel=0.01)


def test_gate_is_no_wider_than_a_cell_of_the_hash_table():
    """Ensure that every surfel within the gate is in a cell that is searched."""
    assert MAX_ALONG <= GATE and NEW_DISTANCE <= GATE
