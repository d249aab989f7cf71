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

"""Tests of the tutorial notebook: its stored outputs, and its execution."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path

from PIL import Image
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / 'docs' / 'tutorial.ipynb'
STORED = json.loads(NOTEBOOK.read_text(encoding='utf-8'))['cells']
FIGURES = 4
LARGEST = 500_000
"""Maximum size of the notebook [bytes]."""


def code_of(cells):
    return [cell for cell in cells if cell['cell_type'] == 'code']


def printed(cells):
    return ''.join(''.join(output['text']) for cell in cells for output in cell['outputs']
                   if output['output_type'] == 'stream')


def pictures(cells):
    """Return the size of each picture [pixels]."""
    found = [output['data']['image/png'] for cell in cells for output in cell['outputs']
             if 'image/png' in output.get('data', {})]
    return [Image.open(io.BytesIO(base64.b64decode(each))).size for each in found]


def test_stored_notebook_has_all_outputs_and_is_small():
    cells = code_of(STORED)
    assert [cell['execution_count'] for cell in cells] == list(range(1, len(cells) + 1))
    sizes = pictures(cells)
    assert len(sizes) == FIGURES and all(wide >= 500 and high >= 250 for wide, high in sizes)
    assert NOTEBOOK.stat().st_size < LARGEST


@pytest.mark.timeout(900)
def test_executed_notebook_shows_its_pictures(tmp_path, ground_truth):
    pytest.importorskip('ipykernel')
    pytest.importorskip('nbclient')
    from run_tutorial import executed
    cells = code_of(executed(NOTEBOOK, tmp_path).cells)
    assert len(pictures(cells)) == FIGURES
    out = printed(cells)
    assert out.startswith('reached ') and 'unreachable' in out and 'exit code 0' in out
    # Later cells print the speed of the machine.
    assert printed(cells[:4]) == printed(code_of(STORED)[:4])
    for picture in ('bug2.png', 'compare.png', 'ratios.png'):
        assert (tmp_path / 'out' / picture).stat().st_size > 5000


# ---- the exercises of the course ---------------------------------------------------------------

EXERCISES = ROOT / 'docs' / 'course' / 'exercises.ipynb'


def test_stored_exercises_show_their_pictures_and_no_command_that_fails():
    cells = json.loads(EXERCISES.read_text(encoding='utf-8'))['cells']
    assert len(pictures(code_of(cells))) == 3 and EXERCISES.stat().st_size < LARGEST
    # The name is not on the index of Python.
    assert not any('pip install' in ''.join(cell['source']) for cell in cells)


RING = ('[(3.6, -1.2), (5.8, -1.2), (5.8, 1.2), (3.6, 1.2), (3.6, 1.0), (5.6, 1.0), (5.6, -1.0), '
        '(3.8, -1.0), (3.8, 0.98), (3.6, 0.98)]')


@pytest.mark.timeout(300)
@pytest.mark.parametrize('hook, words', [
    ('[(1.0, 1.0), (2.6, 1.0), (2.6, 1.2), (1.0, 1.2)]', 'solved'),
    ('[]', 'not yet: Bug0 does not loop'),
    (RING, 'cannot be reached at all')])
def test_first_exercise_is_solved_by_a_hook_and_not_by_a_ring_around_the_goal(
        capsys, hook, words):
    drive, wall = (''.join(cell['source'])
                   for cell in code_of(json.loads(EXERCISES.read_text('utf-8'))['cells'])[:2])
    assert 'hook = []' in wall
    exec(drive + '\n' + wall.replace('hook = []', f'hook = {hook}'), {})
    assert words in capsys.readouterr().out
