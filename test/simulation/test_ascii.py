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
from pathlib import Path

from bug_nav.simulation.ascii import load_ascii, MAX_SIDE, world_of
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.world import World, WorldError
import pytest

DRAWING = """
    #####
    #>.G#
    #####
"""


def world_from(folder: Path, text: str) -> World:
    path = folder / 'sketch.txt'
    path.write_text(text, encoding='utf-8')
    return find_world(path)


def test_drawing_is_a_world_with_its_origin_at_the_lower_left():
    world = world_of(DRAWING, 2.0)
    assert world.bounds == (0.0, 0.0, 10.0, 6.0)
    assert (world.start, world.goal) == ((3.0, 3.0, 0.0), (7.0, 3.0))
    assert (world.clearance([(5.0, 3.0), (1.0, 3.0), (5.0, 5.0)]) > 0).tolist() == [
        True, False, False]


@pytest.mark.parametrize('letter, heading', [
    ('S', 0.0), ('>', 0.0), ('^', math.pi / 2), ('<', math.pi), ('v', -math.pi / 2)])
def test_letter_at_the_start_sets_the_heading(letter, heading):
    assert world_of(f'..{letter}').start == pytest.approx((1.25, 0.25, heading))


def test_start_and_goal_may_be_missing():
    assert (world_of('#').start, world_of('#').goal) == (None, None)


def test_missing_cells_and_blanks_are_free():
    world = world_of('#  #\n#\n####', 1.0)
    assert world.bounds == (0.0, 0.0, 4.0, 3.0)
    assert world.clearance([(3.5, 1.5)])[0] > 0 > world.clearance([(3.5, 2.5)])[0]


def test_file_may_set_the_cell_size_and_contain_blank_lines(tmp_path):
    world = world_from(tmp_path, 'cell: 0.25\n\n##\n#G\n\n')
    assert (world.name, world.goal) == ('sketch', (0.375, 0.125))
    assert world_from(tmp_path, '##\r\n#G\r\n').goal == (0.75, 0.25)


def test_blanks_at_the_edge_of_a_drawing_count(tmp_path):
    assert world_from(tmp_path, 'cell: 1\n  #\n   \n').bounds == (2.0, 0.0, 3.0, 1.0)


@pytest.mark.parametrize('text, reason', [
    ('cell: 1\n\n##\n#x\n',
     ":4:2: 'x' is not known; draw with # : % . S > < ^ v G and blanks"),
    ('##\n#\t\n', ':2:2: a tab is not allowed'), ('S.\n.>\n', ':2:2: a second start'),
    ('GG\n', ':1:2: a second goal'), ('cell: 0\n#', ":1: cell is '0'; give metres from 0.01"),
    ('cell: wide\n#', "cell is 'wide'"), ('cell:\n#', "cell is ''"), ('cell: nan', "'nan'"),
    ('#' * (MAX_SIDE + 1), f'up to {MAX_SIDE} lines and columns'),
    ('#\n' * (MAX_SIDE + 1), f'up to {MAX_SIDE} lines and columns')])
def test_invalid_drawing_is_rejected_with_line_and_column(tmp_path, text, reason):
    with pytest.raises(WorldError) as caught:
        world_from(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(str(tmp_path / 'sketch.txt')) and '\n' not in message
    assert reason in message


def test_binary_or_missing_file_is_rejected(tmp_path):
    (tmp_path / 'sketch.txt').write_bytes(b'\xff\xfe#')
    for name, reason in (('sketch.txt', 'not a text in UTF-8'), ('no.txt', 'No such file')):
        with pytest.raises(WorldError, match=reason):
            load_ascii(tmp_path / name)


def test_walls_may_be_glass_or_black():
    world = world_of("""
        #####
        #>:G#
        ##%##
    """, cell=1.0)
    assert world.surfaces == ('plain', 'glass', 'black')
    assert world.solids[1].min(axis=0) == pytest.approx((2.0, 1.0))
    assert world.solids[2].min(axis=0) == pytest.approx((2.0, 0.0))
    assert world_of('#>#').surfaces == ()
