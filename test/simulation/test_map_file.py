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

"""Round trips of maps through files."""

from bug_nav.simulation.map_file import FREE, GridMap, OCCUPIED, save_map, UNKNOWN
from bug_nav.simulation.occupancy import load_map
from bug_nav.simulation.pgm import pgm_of, read_pgm
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
import yaml

CELLS = np.array([[FREE, FREE, OCCUPIED], [FREE, FREE, UNKNOWN]], np.int8)


def test_walls_of_a_map_survive_a_round_trip(tmp_path):
    save_map(GridMap(CELLS, 0.5, (-1.0, 2.0)), tmp_path / 'a.yaml')
    solid, = load_map(tmp_path / 'a.yaml').solids
    assert solid.min(axis=0) == pytest.approx([0.0, 2.0], abs=1e-3)
    assert solid.max(axis=0) == pytest.approx([0.5, 2.5], abs=1e-3)


def test_unknown_cells_survive_a_round_trip(tmp_path):
    save_map(GridMap(CELLS, 0.5, (-1.0, 2.0)), tmp_path / 'a.yaml')
    solid, = load_map(tmp_path / 'a.yaml', 'solid').solids
    assert solid.max(axis=0) == pytest.approx([0.5, 3.0], abs=1e-3)


def test_yaml_file_contains_image_name_origin_and_resolution(tmp_path):
    save_map(GridMap(CELLS, 0.5, (-1.0, 2.0)), tmp_path / 'no: 1.yaml')
    told = yaml.safe_load((tmp_path / 'no: 1.yaml').read_text())
    assert told['image'] == 'no: 1.pgm' and (tmp_path / told['image']).exists()
    assert told['origin'] == [-1.0, 2.0, 0.0] and told['resolution'] == 0.5


def test_shares_refer_to_all_cells():
    drawn = GridMap(CELLS, 0.5, (0.0, 0.0))
    assert drawn.share(FREE) == pytest.approx(4 / 6)
    assert drawn.share(OCCUPIED) == drawn.share(UNKNOWN) == pytest.approx(1 / 6)


@given(st.integers(1, 20), st.integers(1, 20), st.integers(0, 1000))
def test_pgm_image_survives_a_round_trip(rows, columns, seed):
    values = np.random.default_rng(seed).integers(0, 256, (rows, columns))
    read, largest = read_pgm(pgm_of(values))
    assert largest == 255 and np.array_equal(read, values)
