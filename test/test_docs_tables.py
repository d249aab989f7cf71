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

"""Tests of README.md, docs/algorithms.md and the gallery against the code."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from bug_nav.lab.algorithm_catalogue import catalogue, Entry
from bug_nav.navigation.algorithms.bug2 import Bug2
import make_doc_tables
import make_tables
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
OWN = [entry for entry in catalogue() if entry.is_shipped]
LARGEST = 60_000
"""Maximum size of a picture [bytes]."""
BUG2 = Entry('bug2', ('two',), 'bug_nav.navigation.algorithms.bug2:Bug2', Bug2)


def test_documents_match_the_code(capsys):
    assert make_tables.main(['--check']) == 0, capsys.readouterr().err


def test_outdated_document_is_reported_and_rewritten(monkeypatch, tmp_path, capsys):
    for tool in (make_doc_tables, make_tables):
        monkeypatch.setattr(tool, 'ROOT', tmp_path)
    (tmp_path / 'docs' / 'algorithms').mkdir(parents=True)
    (tmp_path / 'README.md').write_text(f'before {make_tables.BEGIN} x {make_tables.END} after')
    (tmp_path / 'docs' / 'index.rst').write_text(
        f'before\n{make_tables.RST_BEGIN}\n{make_tables.RST_END}\nafter')
    assert make_tables.main(['--check']) == 1
    assert 'README.md does not match code and results/' in capsys.readouterr().err
    assert make_tables.main([]) == 0 and make_tables.main(['--check']) == 0
    page = tmp_path / 'docs' / 'algorithms' / 'bug2.md'
    page.write_text(page.read_text().replace('0.03', '0.3', 1))
    assert make_tables.main(['--check']) == 1
    assert 'docs/algorithms/bug2.md does not match code and results/' in capsys.readouterr().err
    readme = (tmp_path / 'README.md').read_text()
    assert readme.startswith('before ') and readme.endswith(' after')


def test_algorithm_that_cannot_be_loaded_is_omitted_and_reported(monkeypatch, tmp_path, capsys):
    broken = Entry('wreck', (), 'bug_nav.navigation.algorithms.wreck:Wreck', None,
                   'no such module')
    monkeypatch.setattr(make_tables, 'catalogue', lambda: [BUG2, broken])
    monkeypatch.setattr(make_tables, 'ROOT', tmp_path)
    (tmp_path / 'docs' / 'algorithms').mkdir(parents=True)
    (tmp_path / 'README.md').write_text(f'{make_tables.BEGIN}{make_tables.END}')
    (tmp_path / 'docs' / 'index.rst').write_text(
        f'{make_tables.RST_BEGIN}\n{make_tables.RST_END}\n')
    assert make_tables.main([]) == 1
    assert 'wreck cannot be loaded and is omitted: no such module' in capsys.readouterr().err
    assert 'wreck' not in (tmp_path / 'README.md').read_text()


def test_plug_in_algorithms_are_not_documented(monkeypatch):
    theirs = dataclasses.replace(BUG2, name='theirs', value='somebody:Theirs')
    monkeypatch.setattr(make_tables, 'catalogue', lambda: [BUG2, theirs])
    assert make_tables.own() == [BUG2]


def test_row_and_page_list_names_paper_bound_and_parameters():
    row = make_tables.table([BUG2]).splitlines()[-1]
    for words in ('`bug2`, `two`', 'Lumelsky and Stepanov 1987', '`D + Σ ⌈n_i / 2⌉ p_i`',
                  'complete', 'contact'):
        assert words in row
    section = make_tables.page(BUG2)
    for words in ('# bug2\n', 'Also registered as `two`.', 'images/algorithms/bug2.png',
                  '| `bug2.leave_margin` | 0.03 m | 0 to 0.03 |', 'the M-line and the last hit'):
        assert words in section


@pytest.mark.parametrize('bound, text', [
    ('D + 3 sum of p_i (of the original)', '`D + 3 Σ p_i` (of the original)'),
    ('D + sum of p_i m_i, m_i the minima', '`D + Σ p_i m_i`, m_i the minima'),
    ('none known', 'none known'), ('that of Bug2', 'that of Bug2')])
def test_only_the_formula_of_a_bound_is_set_as_code(bound, text):
    assert make_tables.formula(bound) == text


@pytest.mark.parametrize('entry', OWN, ids=lambda entry: entry.name)
def test_page_lists_differences_and_the_algorithm_of_a_bound(entry):
    metadata = entry.metadata
    assert metadata.differences
    assert f'| differences | {metadata.differences} |' in make_tables.page(entry)
    assert not metadata.bound.startswith('D +') or metadata.bound.endswith(
        ('(of the original)', '(of Bug1)'))


def test_reconstructed_algorithm_is_marked_with_a_star():
    guessed = dataclasses.replace(Bug2.metadata, reconstructed=True)
    two = dataclasses.replace(BUG2, algorithm=type('Guessed', (Bug2,), {'metadata': guessed}))
    plain, starred = make_tables.table([BUG2, two]).splitlines()[2:]
    assert '\\*' not in plain and 'Stepanov 1987 \\* |' in starred


@pytest.mark.parametrize('name', [entry.name for entry in OWN] + ['../family'])
def test_picture_of_every_algorithm_exists_and_is_small(name):
    picture = ROOT / 'docs' / 'images' / 'algorithms' / f'{name}.png'
    assert 5_000 < picture.stat().st_size < LARGEST * (2 if name == '../family' else 1)


def test_gallery_has_exactly_one_picture_per_algorithm():
    pictures = {path.stem for path in (ROOT / 'docs' / 'images' / 'algorithms').glob('*.png')}
    assert pictures == {entry.name for entry in OWN}


def test_folder_has_exactly_one_page_per_algorithm():
    pages = {path.stem for path in (ROOT / 'docs' / 'algorithms').glob('*.md')}
    assert pages == {entry.name for entry in OWN}
