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

"""Arrow heads on a path point in the driving direction."""

from __future__ import annotations

import math

from bug_nav.visualization.arrows import draw_head, heads_along
from matplotlib.figure import Figure
import numpy as np
import pytest


@pytest.mark.parametrize('heading', np.radians([0.0, 30.0, 90.0, 210.0]))
def test_tip_of_a_head_points_along_the_heading(heading):
    axes = Figure().add_axes((0, 0, 1, 1))
    draw_head(axes, (0.0, 0.0), heading, 10.0)
    marker, = axes.lines
    corners = marker.get_marker().vertices[:-1]
    tip = corners[np.argmax(np.hypot(*corners.T) * (
        corners @ (math.cos(heading), math.sin(heading)) > 0.0))]
    assert math.atan2(tip[1], tip[0]) == pytest.approx(
        math.remainder(heading, 2.0 * math.pi), abs=1e-9)
    # A head that is as wide as long looks like three arrows.
    along = corners @ (math.cos(heading), math.sin(heading))
    across = corners @ (-math.sin(heading), math.cos(heading))
    assert np.ptp(along) > 1.3 * np.ptp(across)


def test_head_has_the_same_size_at_every_heading():
    axes = Figure().add_axes((0, 0, 1, 1))
    for heading in np.radians([0.0, 45.0]):
        draw_head(axes, (0.0, 0.0), heading, 10.0)
    # matplotlib scales the largest coordinate to half of the marker's size.
    sizes = [line.get_markersize() / np.abs(line.get_marker().vertices).max()
             * np.hypot(*line.get_marker().vertices.T).max() for line in axes.lines]
    assert sizes[0] == pytest.approx(sizes[1])


def test_heads_follow_the_path_and_avoid_given_points():
    path = [(0.1 * k, 0.0) for k in range(40)] + [(4.0, 0.1 * k) for k in range(40)]
    heads = list(heads_along(path, 1.0, 0.2, [(4.0, 2.0)], 0.3))
    assert len(heads) == 8
    for k, heading in heads:
        assert math.dist(path[k], (4.0, 2.0)) > 0.3
        if not 38 <= k <= 43:
            assert heading == pytest.approx(0.0 if k < 38 else math.pi / 2)


def test_stationary_robot_has_no_heads():
    assert not list(heads_along([(1.0, 1.0)] * 50, 1.0, 0.2, [], 0.3))
