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
from make_barn_worlds import (
    can_be_crossed,
    CELLS,
    field,
    FILLED,
    MAX_SHIFT,
    RADIUS,
    ROUNDS,
    write,
    write_mirrored,
)
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


def test_square_crosses_a_gap_of_its_width_and_no_narrower_one():
    for width in (4, 5):
        filled = np.zeros((CELLS, CELLS), dtype=bool)
        filled[12], filled[12, 9:9 + width] = True, False
        assert can_be_crossed(filled) == (width == 5)


def test_fields_of_a_larger_share_are_denser_and_those_with_a_way_as_dense_as_barn():
    rng = np.random.default_rng(1)
    fields = [[field(rng, share, rounds) for rounds in ROUNDS for _ in range(40)]
              for share in FILLED]
    means = [np.mean(each) for each in fields]
    assert means == sorted(means)
    # In BARN, 19 % of the cells have a post. A way through the densest fields is rare.
    crossed = [np.mean([each for each in some if can_be_crossed(each)]) for some in fields[:3]]
    assert np.mean(crossed) == pytest.approx(0.17, abs=0.03)


def test_mirrored_world_has_the_posts_on_the_other_side_and_a_path_as_long(folder, tmp_path):
    write_mirrored(tmp_path, folder / 'world_2.world', np.random.default_rng(1))
    before, after = (np.array([solid.mean(axis=0) for solid in find_world(path).solids])
                     for path in (folder / 'world_2.world', tmp_path / 'world_2.world'))
    shift = after.mean(axis=0) - (2.0 * START[0] - before[:, 0].mean(), before[:, 1].mean())
    assert np.abs(shift).max() <= MAX_SHIFT and np.abs(shift).max() > 0.0
    mirrored = before * (-1.0, 1.0) + (2.0 * START[0], 0.0) + shift
    order = [np.lexsort(np.round(each, 2).T) for each in (mirrored, after)]
    assert mirrored[order[0]] == pytest.approx(after[order[1]], abs=1e-3)
    (entry,) = barn_entries(tmp_path)
    assert entry['reference_length'] == pytest.approx(
        barn_entries(folder)[2]['reference_length'], abs=2.0 * MAX_SHIFT)
    assert reachable(find_world(entry['world']), START[:2], GOAL, RADIUS)
