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

"""New worlds like those of BARN."""

from bug_nav.lab.barn import barn_entries, GOAL, START
from bug_nav.lab.ground_truth import reachable
from bug_nav.simulation.catalogue import find_world
from make_barn_worlds import field, FILLED, RADIUS, ROUNDS, write
import numpy as np
import pytest


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('worlds') / 'BARN'
    for number in range(3):
        write(folder, number, seed=4)
    return folder


def test_campaign_reads_the_worlds_and_their_paths(folder):
    entries = barn_entries(folder)
    assert len(entries) == 3
    assert all(10.0 <= entry['reference_length'] < 15.0 for entry in entries)


def test_disc_can_reach_the_goal_between_the_walls(folder):
    for entry in barn_entries(folder):
        world = find_world(entry['world'])
        assert reachable(world, START[:2], GOAL, RADIUS)
        assert world.clearance(np.array([(-4.425, y) for y in (0.1, 5.0, 9.4)])).max() <= 0.0


def test_same_seed_writes_the_same_world_and_another_does_not(folder, tmp_path):
    for seed in (4, 5):
        write(tmp_path / str(seed), 1, seed)
    worlds = [(each / 'world_1.world').read_text() for each in (
        folder, tmp_path / '4', tmp_path / '5')]
    assert worlds[0] == worlds[1] != worlds[2]


def test_fields_of_a_larger_share_are_denser_and_all_as_dense_as_those_of_barn():
    rng = np.random.default_rng(1)
    shares = [np.mean([field(rng, share, rounds) for rounds in ROUNDS for _ in range(20)])
              for share in FILLED]
    assert shares == sorted(shares) and np.mean(shares) == pytest.approx(0.18, abs=0.04)
