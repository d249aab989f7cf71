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

"""Tests of InsertBug; P1 to P23 are properties of test/properties."""

from __future__ import annotations

from arena import drive, RHO
from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.algorithms.insert_bug import InsertBug
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.simulation.catalogue import find_world
import numpy as np
import pytest
from subsets import subset

CLUTTER = tuple(f'random:cluttered?seed={seed}{wish}' for seed in (320, 321)
                for wish in ('', '&reachable=false'))


@pytest.mark.parametrize('name', subset((
    'box', 'u_trap', 'ring_goal', 'ring_start', 'goal_solid', 'cell', 'maze', 'spiral_in',
    *CLUTTER), 3))
def test_p1_p23_verdict_is_right_without_contact(name):
    world, episode = find_world(name), drive(name, InsertBug())
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is None or episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0 and episode.min_clearance > 0.05


@pytest.mark.parametrize('name', ['box', 'pole', 'two_close'])
def test_vertices_are_passed_at_a_larger_distance_than_by_tangent_bug(name):
    assert (drive(name, InsertBug()).min_clearance
            > drive(name, TangentBug()).min_clearance + 0.005)


def test_way_points_are_inserted_beside_the_obstacle():
    world, algorithm = find_world('box'), InsertBug()
    drive('box', algorithm)
    assert 1 <= len(algorithm.way_points) <= 5
    assert world.clearance(np.array(algorithm.way_points)).min() > RHO


def test_way_points_are_cleared_for_the_next_goal():
    algorithm = InsertBug()
    drive('box', algorithm)
    drive('open', algorithm)
    assert algorithm.way_points == []


def test_zero_safe_distance_gives_the_path_length_of_tangent_bug():
    none = drive('demo', InsertBug(InsertBug.Parameters(safe_distance=0.0)))
    assert none.path_length == pytest.approx(drive('demo', TangentBug()).path_length, abs=1e-6)
