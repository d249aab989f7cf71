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

"""Published findings about the relative path lengths of algorithms."""

from __future__ import annotations

from arena import RHO, TURNS
from bug_nav.lab.ground_truth import inflate
from bug_nav.simulation.catalogue import find_world
from family import drive, driven
from oracle_family import ORACLES
import pytest

PAIRS = [('alg1', 'rev1'), ('alg2', 'rev2')]
MULTI_WINDING = ['sp12_in', 'sp12_E']


@pytest.mark.parametrize('alg, rev', PAIRS)
@pytest.mark.parametrize('scene', MULTI_WINDING)
def test_mean_path_of_rev_is_shorter_than_that_of_alg_in_spirals(scene, alg, rev):
    world = find_world(scene)
    means = [sum(ORACLES[name](inflate(world, RHO), world.start[:2], world.goal, turn, 0.1).length
                 for turn in TURNS) / 2.0 for name in (alg, rev)]
    assert means[1] < 0.95 * means[0]


@pytest.mark.campaign
@pytest.mark.parametrize('alg, rev', PAIRS)
@pytest.mark.parametrize('scene', MULTI_WINDING)
def test_mean_driven_path_of_rev_is_shorter_than_that_of_alg_in_spirals(scene, alg, rev):
    means = [sum(drive(name, find_world(scene), turn, time_allowance=10800.0).path_length
                 for turn in TURNS) / 2.0 for name in (alg, rev)]
    assert means[1] < 0.95 * means[0]


@pytest.mark.parametrize('turn', TURNS)
@pytest.mark.parametrize('scene', ['box', 'u_trap', 'two_close', 'demo'])
def test_path_of_bug1_is_longer_than_that_of_tangent_bug(scene, turn):
    bug1, tangent = (driven(name, scene, turn) for name in ('bug1', 'tangent_bug'))
    assert bug1.path_length > 1.3 * tangent.path_length
