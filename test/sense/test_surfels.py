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

"""Laying scans onto walls: what facets are, and where a scan comes to lie."""

from __future__ import annotations

import math

from bug_nav.core.geometry import Pose
from bug_nav.sense import surfels as matching
from bug_nav.sense.surfels import COLUMNS, EXTENT, GATE, NX, NY, READ, READINGS, VARIANCE, X, Y
from bug_nav.sim.catalogue import find_world
from bug_nav.sim.sensors import LidarModel
from bug_nav.sim.simulator import Simulator
from bug_nav.sim.world import World
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

BODY = 0.124
LOOSE = np.diag((1e-2, 1e-2, 1e-2))
"""A first guess that is good to 10 cm and 0.1 rad."""


def walls(*corners):
    """Return a world of thin walls, each from a corner to another."""
    return World('walls', tuple(
        np.array([(x, y), (u, v), (u + 0.01, v + 0.02), (x + 0.01, y + 0.02)])
        for (x, y), (u, v) in corners))


ROOM = walls(((-1, -1), (2, -1)), ((-1, 1), (2, 1)), ((-1, -1), (-1, 1)), ((2, -1), (2, 1)))
CORRIDOR = walls(((-9, -1), (9, -1)), ((-9, 1), (9, 1)))


def facets_of(world, pose, noise=0.0, seed=0):
    simulator = Simulator(world, pose, lidar=LidarModel(scan_noise=noise), seed=seed)
    return facets(simulator.scan())


def facets(scan, kernel=matching.facets, body=BODY):
    return kernel(np.asarray(scan.ranges, dtype=float), scan.mount.x, scan.mount.y,
                  scan.mount.theta + scan.angle_min, scan.angle_increment, scan.range_min,
                  scan.range_max, body, EXTENT)


class Table:
    """Facets that scans have seen, as the kernels keep them."""

    def __init__(self, align=matching.align, enter=matching.enter):
        self.rows = np.empty((4000, COLUMNS))
        self.heads, self.following = np.full(1 << 12, -1), np.full(4000, -1)
        self.count = 0
        self._align, self._enter = align, enter

    def enter(self, seen, pose, onto=None, covariance=None, view=0):
        onto = np.full(len(seen), -1) if onto is None else onto
        self.count = self._enter(self.rows, self.heads, self.following, self.count, seen, onto,
                                 *pose, np.zeros((3, 3)) if covariance is None else covariance,
                                 view)

    def align(self, seen, guess, covariance=LOOSE, noise=0.01):
        return self._align(self.rows, self.heads, self.following, self.count, seen, *guess,
                           covariance, noise)


# What a facet is.

def test_facets_lie_on_the_walls_and_look_at_the_sensor():
    seen = facets_of(ROOM, Pose(0.3, 0.2, 0.0))
    places = seen[:, :2] + (0.3, 0.2)
    off = np.min(np.abs(np.stack((places[:, 0] + 1.0, places[:, 0] - 2.0, places[:, 1] + 1.0,
                                  places[:, 1] - 1.0))), axis=0)
    assert len(seen) > 60 and off.max() < 0.04
    assert np.all(np.einsum('ij,ij->i', seen[:, 2:4], seen[:, :2]) < 0.0)
    assert np.hypot(seen[:, 2], seen[:, 3]) == pytest.approx(1.0)


def test_hardly_a_facet_lies_across_a_corner():
    straight = np.max(np.abs(facets_of(ROOM, Pose(0.0, 0.0, 0.0))[:, 2:4]), axis=1)
    assert straight.min() > 0.9 and np.quantile(straight, 0.1) > 0.99


def test_what_is_within_the_body_is_no_wall():
    near = walls(((0.15, -0.5), (0.15, 0.5)))
    scan = Simulator(near, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.0)).scan()
    assert len(facets(scan)) > 0
    assert len(facets(scan, body=2.0)) == 0


def test_lost_beams_make_no_hole_in_a_facet():
    scan = Simulator(ROOM, Pose(0.0, 0.0, 0.0), lidar=LidarModel(scan_noise=0.0)).scan()
    ranges = scan.ranges.copy()
    ranges[::3] = math.nan
    whole, holed = facets(scan), facets(scan._replace(ranges=ranges))
    assert len(holed) > 0.6 * len(whole)
    assert np.quantile(np.max(np.abs(holed[:, 2:4]), axis=1), 0.1) > 0.99


# Where a scan comes to lie.

@given(st.floats(-0.08, 0.08), st.floats(-0.08, 0.08), st.floats(-0.06, 0.06),
       st.sampled_from((0.0, 0.01, 0.02)))
def test_scan_is_laid_where_it_was_made(x, y, theta, noise):
    table, here = Table(), Pose(0.3, -0.2, 0.5)
    table.enter(facets_of(ROOM, here, noise, 1), here)
    guess = Pose(here.x + x, here.y + y, here.theta + theta)
    found = table.align(facets_of(ROOM, here, noise, 2), guess)
    assert math.dist(found[:2], here.position) < 0.002 + noise
    assert abs(found[2] - here.theta) < 0.001 + 0.5 * noise


def test_corridor_tells_nothing_of_the_way_along_it():
    table, here = Table(), Pose(0.0, 0.1, 0.0)
    table.enter(facets_of(CORRIDOR, here, 0.01, 1), here)
    seen = facets_of(CORRIDOR, Pose(0.04, 0.1, 0.0), 0.01, 2)
    # Odometry says 2 cm too much, and 3 cm aside.
    x, y, theta, covariance, *_ = table.align(seen, Pose(0.06, 0.13, 0.02), 0.01 * LOOSE)
    assert x == pytest.approx(0.06, abs=1e-3)
    assert y == pytest.approx(0.1, abs=0.005) and theta == pytest.approx(0.0, abs=0.005)
    assert covariance[0, 0] == pytest.approx(1e-4, rel=0.01)
    assert covariance[1, 1] < 0.1 * covariance[0, 0]


def test_oldest_wall_is_the_one_that_counts():
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    seen = facets_of(ROOM, here)
    table.enter(seen, here)
    first = table.count
    table.enter(seen, Pose(0.07, 0.0, 0.0))  # seen again, 7 cm aside: a second layer
    assert table.count > first
    x, _, _, _, laid, well, _, onto = table.align(seen, Pose(0.07, 0.0, 0.0))
    assert x == pytest.approx(0.0, abs=1e-3) and onto.max() < first and laid == well


def test_what_has_moved_counts_little():
    person = World('person', ROOM.solids + (
        np.array([(0.9, 0.3), (1.2, 0.3), (1.2, 0.6), (0.9, 0.6)]),))
    moved = World('moved', ROOM.solids + (
        np.array([(0.95, 0.36), (1.25, 0.36), (1.25, 0.66), (0.95, 0.66)]),))
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    table.enter(facets_of(person, here), here)
    found = table.align(facets_of(moved, here), here)
    assert math.dist(found[:2], (0.0, 0.0)) < 0.005


def test_facet_is_the_mean_of_its_readings_and_stays_then():
    table, here = Table(), Pose(0.0, 0.0, 0.0)
    for k in range(40):
        seen = facets_of(ROOM, here, 0.02, k)
        onto = table.align(seen, here)[-1] if table.count else None
        table.enter(seen, here, onto)
    known = table.rows[:table.count]
    known = known[known[:, READ] == READINGS]
    off = np.min(np.abs(np.stack((known[:, X] + 0.99, known[:, X] - 2.0, known[:, Y] + 0.98,
                                  known[:, Y] - 1.0))), axis=0)
    assert len(known) > 60 and np.median(off) < 0.005
    before = known.copy()
    table.enter(seen, Pose(0.02, 0.02, 0.0), table.align(seen, here)[-1])
    after = table.rows[:table.count]
    assert np.array_equal(after[after[:, READ] == READINGS][:len(before), X], before[:, X])


def test_new_wall_is_known_as_well_as_the_place_it_was_seen_from():
    table = Table()
    table.enter(facets_of(ROOM, Pose(0.0, 0.0, 0.0)), Pose(0.0, 0.0, 0.0),
                covariance=np.diag((0.04, 0.01, 0.0)))
    known = table.rows[:table.count]
    assert known[np.abs(known[:, NX]) > 0.999, VARIANCE] == pytest.approx(0.04, rel=0.01)
    assert known[np.abs(known[:, NY]) > 0.999, VARIANCE] == pytest.approx(0.01, rel=0.01)


def test_pose_is_known_as_well_as_the_views_its_walls_were_seen_in():
    rows = np.zeros((2, COLUMNS))
    rows[1, -1] = 1.0
    # Of two views, 2 m apart along x: the heading of the second is off by 0.1 rad.
    views = np.array([[0.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.0, 0.0],
                      [2.0, 0.0, 0.01, 0.0, 0.0, 0.01, 0.0, 0.01]])
    both = matching.handed_on(rows, views, np.array([0, -1, 1]), 5.0, 0.0)
    assert both[0, 0] == pytest.approx(0.01)
    assert both[1, 1] == pytest.approx(0.01 + 0.5 * 3.0 ** 2 * 0.01)
    assert both[1, 2] == both[2, 1] == pytest.approx(0.5 * 3.0 * 0.01)
    assert not matching.handed_on(rows, views, np.array([-1]), 5.0, 0.0).any()


# With numba and without.

@pytest.mark.parametrize('name', ['maze', 'random:cluttered?seed=3', 'random:rings?seed=5'])
def test_loop_and_numpy_decide_alike(name):
    world = find_world(name)
    one = Table(matching._align_loop, matching._enter_loop)
    other = Table(matching._align_whole, matching._enter_whole)
    simulator = Simulator(world, Pose(*world.start), seed=2, lidar=LidarModel(
        scan_count=120, scan_angle_max=6.23, scan_dropout=0.05))
    random = np.random.default_rng(1)
    for k in range(12):
        scan, here = simulator.scan(), simulator.pose
        seen = facets(scan, matching._facets_loop)
        whole = facets(scan, matching._facets_whole)
        assert seen.shape == whole.shape and seen == pytest.approx(whole, abs=1e-9)
        guess = Pose(*(np.array(here) + 0.02 * random.standard_normal(3)))
        *a, onto_a = one.align(seen, guess)
        *b, onto_b = other.align(seen, guess)
        assert np.array_equal(onto_a, onto_b)
        for mine, its in zip(a, b):
            assert mine == pytest.approx(its, rel=1e-6, abs=1e-6)
        for table, onto in ((one, onto_a), (other, onto_b)):
            table.enter(seen, here, onto, np.diag((0.01, 0.02, 0.001)), k)
        assert one.count == other.count
        assert one.rows[:one.count] == pytest.approx(other.rows[:other.count], abs=1e-9)
        simulator.pose = Pose(here.x + 0.02, here.y, here.theta + 0.1)


def test_no_facets_are_laid_nowhere():
    table = Table()
    none = np.empty((0, 5))
    for align in (matching.align, matching._align_whole):
        x, y, theta, covariance, laid, well, off, onto = align(
            table.rows, table.heads, table.following, 0, none, 1.0, 2.0, 0.5, LOOSE, 0.01)
        assert (x, y, theta, laid, well, off, len(onto)) == (1.0, 2.0, 0.5, 0, 0, 0.0, 0)
        assert covariance == pytest.approx(LOOSE)


def test_gate_is_no_wider_than_a_cell_of_the_hash_table():
    """Else what is within the gate could lie beyond the cells that are looked into."""
    assert matching.BESIDE <= GATE and matching.NEW <= GATE
