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

from bug_nav.simulation import kinematics, rays
from bug_nav.simulation.generators import cluttered
from bug_nav.simulation.walls import SKIN, Walls
import numpy as np
import pytest

STEP = 2.0 * math.pi / 90


def random_walk(seed: int, steps: int, stride: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    headings = np.cumsum(rng.normal(0.0, 0.3, steps))
    return 4.0 + np.cumsum(stride * np.column_stack((np.cos(headings), np.sin(headings))), axis=0)


@pytest.mark.parametrize('stride', [0.02, 0.9 * SKIN, 3.0])
@pytest.mark.parametrize('range_max', [0.3, 1.0, 50.0])
def test_cached_walls_yield_the_same_scan_as_all_walls(stride, range_max):
    segments = cluttered(4).segments
    walls = Walls(segments)
    for x, y in random_walk(1, 60, stride):
        assert walls.distance(x, y) == kinematics.distance_to_segments(segments, x, y)
        assert (walls.cast_rays(x, y, 0.2, STEP, 90, range_max).tolist()
                == rays.cast_rays(segments, x, y, 0.2, STEP, 90, range_max).tolist())


@pytest.mark.parametrize('stride', [0.02, 3.0])
def test_cached_walls_yield_the_same_rays_from_moving_origins(stride):
    segments = cluttered(4).segments
    walls = Walls(segments)
    places = random_walk(2, 60, stride)
    origins = np.column_stack((places, np.arange(60.0)))
    for k in range(0, 60, 20):
        assert (walls.cast_each(origins[k:k + 20], 3.5).tolist()
                == rays.cast_each(segments, origins[k:k + 20], 3.5).tolist())


def test_longer_reach_at_the_same_position_updates_the_cache():
    walls = Walls(np.array([(2.0, -1.0, 2.0, 1.0)]))
    assert walls.cast_rays(0.0, 0.0, 0.0, STEP, 90, 1.0).min() == math.inf
    assert walls.cast_rays(0.0, 0.0, 0.0, STEP, 90, 3.0).min() == pytest.approx(2.0)
    assert walls.cast_rays(0.0, 0.0, 0.0, STEP, 90, 1.0).min() == math.inf


def test_cache_is_updated_only_after_a_sufficient_motion(monkeypatch):
    updates = []
    within = rays.segments_within
    monkeypatch.setattr(rays, 'segments_within',
                        lambda *asked: updates.append(asked[0]) or within(*asked))
    walls = Walls(cluttered(4).segments)
    for k in range(100):
        walls.cast_rays(4.0 + 0.01 * k, 4.0, 0.0, STEP, 90, 1.0)
        walls.distance(4.0 + 0.01 * k, 4.0)
    assert len(updates) == math.ceil(100 * 0.01 / SKIN)


def test_nearby_walls_include_all_walls_within_reach():
    segments = cluttered(4).segments
    walls = Walls(segments)
    for x, y in random_walk(3, 30, 0.3):
        near = walls.near(x, y, 1.0).tolist()
        assert walls.reach == 1.0
        assert all(wall in near for wall in rays.segments_within(segments, x, y, 1.0).tolist())


def test_world_without_walls_has_infinite_distances():
    walls = Walls(np.zeros((0, 4)))
    assert walls.distance(0.0, 0.0) == math.inf
    assert (walls.cast_rays(0.0, 0.0, 0.0, STEP, 90, 5.0) == math.inf).all()
