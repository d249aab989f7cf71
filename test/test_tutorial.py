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

"""The tutorial runs from its first cell to its last, and keeps no outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / 'docs' / 'tutorial.ipynb'
CELLS = json.loads(NOTEBOOK.read_text(encoding='utf-8'))['cells']
CODE = [''.join(cell['source']) for cell in CELLS if cell['cell_type'] == 'code']


def test_notebook_is_kept_without_outputs():
    assert len(CODE) >= 6
    assert not any(cell.get('outputs') or cell.get('execution_count') for cell in CELLS)


@pytest.mark.timeout(240)
def test_every_cell_runs_in_order(tmp_path, monkeypatch, capsys, ground_truth):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for number, source in enumerate(CODE):
        exec(compile(source, f'cell {number + 1}', 'exec'), names)
    out = capsys.readouterr().out
    assert out.startswith('reached ') and 'unreachable' in out and 'exit code 0' in out
    assert sorted(names['ratios']) == ['bug1', 'bug2', 'tangent_bug']
    assert min(min(values) for values in names['ratios'].values()) > 0.98
    for picture in ('bug2.png', 'compare.png', 'ratios.png'):
        assert (tmp_path / 'out' / picture).stat().st_size > 5000
