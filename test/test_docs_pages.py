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
"""Tests of the pages in docs/: tables from the code, table of contents, and links."""

from __future__ import annotations

from pathlib import Path
import re

from bug_nav.cli.parser import main
import make_doc_tables as tool
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / 'docs'
PAGES = sorted(page.relative_to(ROOT).as_posix()
               for page in (*ROOT.glob('*.md'), *DOCS.rglob('*.md'))
               if '_build' not in page.parts)
DEFINITION = """# A thing, which no paragraph takes for its own.

# How it went,
# in short.
uint8 UNKNOWN=0
# There.
uint8 REACHED=1
uint8 outcome

# Two counts.
uint32 hits
uint32 leaves

string bare
"""


def test_every_program_in_tools_is_started_by_another_or_listed():
    started = ''.join((ROOT / name).read_text('utf-8') for name in (
        'Makefile', 'CONTRIBUTING.md', 'tools/measurements.py', 'tools/compare_commits.py'))
    programs = [path.name for path in (ROOT / 'tools').iterdir() if path.is_file()
                and (not path.suffix or "'__main__'" in path.read_text('utf-8'))]
    assert len(programs) > 20
    assert [name for name in programs if name not in started] == []


# ---- tables -------------------------------------------------------------------------------------

@pytest.mark.parametrize('page, cell', [
    ('parameters.md', '| `clearance` | 0.1 m | 0.02 to 2 |'),
    ('parameters.md', '| `global_frame` | odom |'), ('parameters.md', '| `publish_clock` |'),
    ('parameters.md', '| `bug2.leave_margin` | 0.03 m |'),
    ('interfaces.md', '| `string algorithm` |'), ('interfaces.md', '| `UNREACHABLE` | 2 |'),
    ('interfaces.md', '| `HOLDING` | 7 |'), ('interfaces.md', '| `uint32 index` |'),
    ('worlds.md', '| `cell` |')])
def test_outdated_table_is_rewritten(page, cell):
    text = (DOCS / page).read_text(encoding='utf-8')
    tables = tool.pages()[page]
    assert tool.with_tables(page, text, tables) == text
    stale = text.replace(cell, '| stale |', 1)
    assert stale != text and tool.with_tables(page, stale, tables) == text


def test_parameter_has_unit_range_choices_and_meaning():
    table = tool.tables_of_parameters()['settings']
    assert '| `turn_seed` | 0 | 0 to ' in table and '| left, right, clearer,' in table
    assert ('| time for which beams must pass through a remembered obstacle point before it is '
            'removed |') in table
    assert r'\|v\| + wheel_separation/2 \|w\|' in tool.tables_of_parameters()['robot']


def test_comment_belongs_to_the_field_or_constant_below_it():
    outcome, counts, bare = tool.paragraphs(DEFINITION)
    assert outcome == ('How it went, in short.', ['`uint8 outcome`'],
                       [('UNKNOWN', '0', ''), ('REACHED', '1', 'There.')])
    assert counts == ('Two counts.', ['`uint32 hits`', '`uint32 leaves`'], [])
    assert bare == ('', ['`string bare`'], [])


def test_documented_constants_have_a_separate_table():
    tables = tool.tables_of_definition('part', DEFINITION + '\n# An offset.\nuint8 BASE=9\n')
    assert set(tables) == {'part', 'part_outcome'}
    assert tables['part'].splitlines()[2:] == [
        '| `uint8 outcome` | How it went, in short. |',
        '| `uint32 hits`<br>`uint32 leaves` | Two counts. |', '| `string bare` |  |']
    assert tables['part_outcome'].splitlines()[-1] == '| `REACHED` | 1 | There. |'


# ---- contents and links -------------------------------------------------------------------------

def test_every_page_is_in_the_table_of_contents_once():
    index = (DOCS / 'index.rst').read_text(encoding='utf-8')
    entries = re.findall(r'^   (\w+)$', index.partition('.. toctree::')[2], re.MULTILINE)
    pages = [page.stem for page in (*DOCS.glob('*.md'), *DOCS.glob('*.rst'))]
    assert sorted(entries) == sorted(set(pages) - {'index'})


def anchors(text):
    """Return the anchors of the headings of a page, as on GitHub."""
    headings = re.findall(r'^#+ (.*)$', re.sub(r'```.*?```', '', text, flags=re.DOTALL), re.M)
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-') for heading in headings}


@pytest.mark.parametrize('page', PAGES)
def test_link_leads_to_an_existing_file_and_heading(page):
    text = (ROOT / page).read_text(encoding='utf-8')
    for link in re.findall(r'\]\((?!https?:)([^)\s]+)\)', text):
        path, _, anchor = link.partition('#')
        there = (ROOT / page).parent / path if path else ROOT / page
        assert there.exists(), link
        assert not anchor or anchor in anchors(there.read_text(encoding='utf-8')), link


@pytest.mark.parametrize('page', PAGES)
def test_no_line_is_a_comment_to_the_site(page):
    """MyST drops the lines that begin with a percent sign."""
    text = re.sub(r'^ *```.*?^ *```', '', (ROOT / page).read_text(), flags=re.M | re.S)
    assert re.findall('^ *%.*', text, re.M) == []


@pytest.mark.parametrize('page', PAGES)
def test_named_rows_of_results_exist(page):
    names = re.findall(r'results/[\w/]+\.csv\.gz', (ROOT / page).read_text(encoding='utf-8'))
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_first_run_page_shows_the_command_output(tmp_path, monkeypatch, capsys, ground_truth):
    text = (DOCS / 'first_run.md').read_text(encoding='utf-8')
    command, shown = re.search(r'^\$ bug_nav (run .*)\n((?:.+\n)*?)```', text, re.M).groups()
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0
    printed = capsys.readouterr().out
    # Three dots match any text.
    assert re.search(re.escape(shown).replace(re.escape('...'), '.*'), printed)
