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

"""Tests of the clusters of obstacle points."""

from __future__ import annotations

from bug_nav.navigation.behaviors.clusters import clusters
from hypothesis import given
from hypothesis import strategies as st
import numpy as np

clouds_of_points = st.lists(
    st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0)), max_size=15).map(
        lambda cloud: np.array(cloud, dtype=float).reshape(-1, 2))


def test_points_with_overlapping_discs_are_connected():
    row = np.array([(0.0, 0.0), (0.3, 0.0), (0.6, 0.0), (1.1, 0.0)])
    labels = clusters(row, np.full(4, 0.2))
    assert labels[0] == labels[1] == labels[2] != labels[3]


@given(clouds_of_points, st.floats(0.06, 0.4))
def test_points_are_in_one_cluster_if_overlapping_discs_connect_them(points, radius):
    radii = np.resize((radius, 0.05, radius - 0.02), len(points))
    apart = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    linked = (apart < radii[:, None] + radii) | np.eye(len(points), dtype=bool)
    for _ in points:
        linked = linked @ linked
    assert clusters(points, radii).tolist() == [row.argmax() for row in linked]


def test_row_of_many_points_has_a_cluster_on_each_side_of_its_gap():
    # An unsorted row with a gap: more points than slots of the table, cells on all sides of 0.
    row = np.random.default_rng(0).permutation(
        np.column_stack((0.01 * np.arange(-200, 200), np.full(400, -0.003))))
    row[row[:, 0] > 0.3, 0] += 0.5
    labels = clusters(row, np.full(400, 0.2))
    assert set(labels[row[:, 0] > 0.3]) & set(labels[row[:, 0] < 0.3]) == set()
    assert len(set(labels.tolist())) == 2
    assert clusters(np.empty((0, 2)), np.empty(0)).size == 0
