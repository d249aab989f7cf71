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

"""Polygons as triangles."""

from __future__ import annotations

from bug_nav.simulation import triangulation
from bug_nav.simulation.triangulation import triangulated
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest


def areas(triangles):
    """Return the area vectors of triangles (n, 3, 3), (n, 3)."""
    return 0.5 * np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])


@given(st.lists(st.floats(0.2, 5.0), min_size=4, max_size=20), st.integers(0, 2), st.booleans())
def test_triangles_of_a_star_cover_it_once(radii, axis, is_clockwise):
    angles = np.linspace(0.0, 2.0 * np.pi, len(radii), endpoint=False)
    flat = np.column_stack((radii * np.cos(angles), radii * np.sin(angles)))
    star = np.insert(flat[::-1] if is_clockwise else flat, axis, 1.0, axis=1)
    inside = areas(triangulated(star, np.array([len(star)])))[:, axis]
    x, y = flat.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert np.abs(inside).sum() == pytest.approx(abs(inside.sum())) == pytest.approx(area)


@pytest.mark.parametrize('count', [20, 1900])
def test_hollow_of_short_edges_stays_open(count):
    angles = np.linspace(0.0, np.pi, count)
    bowl = [(-1.0, -5.0, 0.0), (1.0, -5.0, 0.0),
            *zip(np.cos(angles), -0.5 * np.sin(angles), np.zeros(count))]
    inside = areas(triangulated(np.array(bowl), np.array([len(bowl)])))[:, 2]
    assert np.abs(inside).sum() == pytest.approx(inside.sum())
    assert inside.sum() == pytest.approx(10.0 - 0.25 * np.pi, rel=0.01)


def test_polygon_with_a_slit_to_its_hole_is_covered_once():
    flat = [(0, 0), (4, 0), (4, 4), (0, 4), (0, 0), (1, 1), (1, 3), (3, 3), (3, 1), (1, 1)]
    triangles = triangulated(np.insert(np.array(flat, float), 2, 0.0, axis=1), np.array([10]))
    assert np.abs(areas(triangles)[:, 2]).sum() == pytest.approx(12.0)


def test_polygons_of_several_sizes_keep_their_corners():
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    corners = np.concatenate((square[:2], square, square[:3], square + 5.0))
    triangles = triangulated(corners, np.array([2, 4, 3, 4]))
    assert areas(triangles)[:, 2].tolist() == [0.5] * 5
    assert sorted(triangles[:, :, 0].max(axis=1)) == [1.0, 1.0, 1.0, 6.0, 6.0]


def test_concave_polygons_with_too_many_corners_in_all_are_rejected(monkeypatch):
    monkeypatch.setattr(triangulation, 'MAX_PAIRS', 25)
    arrow = np.array([(0, 0, 0), (2, 1, 0), (4, 0, 0), (3, 3, 0), (2, 4, 0)], float)
    assert len(triangulated(arrow, np.array([5]))) == 3
    with pytest.raises(ValueError, match='too many corners .one of them 5.'):
        triangulated(np.vstack((arrow, arrow)), np.array([5, 5]))
