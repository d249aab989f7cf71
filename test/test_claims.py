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

"""Tests of the tool that checks the claims of the pages."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
ROOT = Path(__file__).resolve().parents[1]
from bug_nav.simulation.catalogue import find_world  # noqa: E402, I100
import claims  # noqa: E402
import measurements  # noqa: E402
from measurements import Share  # noqa: E402
import results  # noqa: E402

pytestmark = pytest.mark.slow

STALE = re.compile(r'from before|before scans were|of a version before|predate', re.I)
RUN, SKIPPED = claims.all_commands()


@pytest.mark.parametrize('page', claims.pages())
def test_page_has_no_figure_marked_as_outdated(page):
    assert not STALE.search((ROOT / page).read_text(encoding='utf-8'))


def test_failed_campaign_of_a_page_is_reported_with_its_output(tmp_path, monkeypatch):
    desk = claims.PageWorkspace(tmp_path)
    monkeypatch.setattr(desk, 'run', lambda *_: (1, 'the disk is full'))
    with pytest.raises(AssertionError, match='the disk is full'):
        desk._rows()


# ---- comparisons -------------------------------------------------------------------------------

@pytest.mark.parametrize('studied, stored, fresh, holds', [
    (False, (800, 800), (80, 80), True), (False, (800, 800), (79, 80), False),
    (False, (90, 100), (8, 10), True), (False, (90, 100), (2, 10), False),
    (True, (334, 336), (3, 4), True), (True, (334, 336), (2, 4), False),
    (True, (14, 14), (13, 14), True), (True, (140, 140), (7, 14), False)])
def test_share_holds_if_it_is_complete_again_or_within_its_interval(
        studied, stored, fresh, holds):
    (check,) = claims.compared('a.md', studied, 'it', {'right': Share(*stored)},
                               {'right': Share(*fresh)}, 'bug_nav campaign it')
    assert check.holds is holds
    assert (check.expected, check.measured) == tuple(
        f'{hits} of {count}' for hits, count in (stored, fresh))


def test_missing_share_does_not_hold_and_empty_share_is_skipped():
    fresh = {'new': Share(1, 1), 'empty': Share(0, 0)}
    (check,) = claims.compared('a.md', False, 'it', {}, fresh, '')
    assert check.claim == 'it: new' and check.holds is False


def test_report_ends_with_failed_claims_and_their_commands():
    text = claims.report([
        claims.Check('README.md', 'wrong', '8 of 8', '7 of 8', False, 'bug_nav campaign it'),
        claims.Check('README.md', 'right', '8 of 8', '8 of 8', True),
        claims.Check('README.md', 'time', '3', '4', None)]).splitlines()
    assert [line.rpartition('  ')[2].strip() for line in text[1:]] == [
        'holds', 'not judged', 'DOES NOT HOLD', 'repeat: bug_nav campaign it']


# ---- commands of the pages ---------------------------------------------------------------------

PAGE = """Text.

```
bug_nav worlds --all   # a comment
cd elsewhere
bug_nav compare box \\
    --algorithm bug1
```

```python
print('bug_nav run box')
```

```
$ bug_nav run bux
bug_nav: unknown world 'bux'; see `bug_nav worlds`
```
"""


def test_commands_are_extracted_from_code_blocks():
    assert [(each.line, each.printed) for each in claims.commands_of('a.md', PAGE)] == [
        ('bug_nav worlds --all', ()), ('bug_nav compare box --algorithm bug1', ()),
        ('bug_nav run bux', ("bug_nav: unknown world 'bux'; see `bug_nav worlds`",))]


def test_readme_has_commands_to_run_and_a_program():
    assert sum(each.page == 'README.md' for each in RUN) > 5
    compile(claims.python_of('README.md'), 'README.md', 'exec')
    assert 'bug_nav.run(' in claims.python_of('README.md')


@pytest.mark.parametrize('pattern', claims.SKIPPED)
def test_every_pattern_of_skipped_commands_is_needed(pattern):
    assert any(re.search(pattern, command.line) for command in SKIPPED)


@pytest.mark.parametrize('printed, missing', [
    ('no world (there are box, maze); well\nnext', None), ('no world (there are box', 'all'),
    ('other', 'all')])
def test_dots_match_any_text(printed, missing):
    shown = 'no world (there are ...); well'
    assert claims.missing_line([shown], printed) == (shown if missing else None)


def test_lines_must_appear_in_order():
    assert claims.missing_line(['a', 'b'], 'a\nx\nb') is None
    assert claims.missing_line(['a', 'b'], 'b\na') == 'b'


def test_changed_line_is_updated():
    shown = ['a 1 ...', '  b 2', 'c']
    assert claims.rewritten(shown, 'wrote it\na 1 m\n  b 3\n\nd') == ('a 1 ...', '  b 3', 'c')


def test_command_with_another_exit_code_or_output_does_not_hold(tmp_path):
    workspace = claims.PageWorkspace(tmp_path)
    lines = {'echo it': ('it',), 'echo other': ('it',), 'false': ()}
    checks = [claims.run_command(workspace, number, claims.Command('a.md', line, printed))
              for number, (line, printed) in enumerate(lines.items())]
    assert [check.holds for check in checks] == [True, False, False]
    assert checks[1].measured.startswith('no "it"') and checks[2].measured.startswith('exit 1')


def test_commands_find_the_map_and_the_world_of_the_pages(tmp_path):
    workspace = claims.PageWorkspace(tmp_path)
    folder = workspace.page_work('it', 'bug_nav run my_map.yaml')
    world = find_world(str(folder / 'my_map.yaml'))
    assert world.clearance([(1.0, 2.0), (5.0, 3.5)]).min() > 0.3
    assert find_world(str(folder / 'my_hall.world')).solids


def test_commands_run_in_their_own_home_and_folder(tmp_path):
    workspace = claims.PageWorkspace(tmp_path)
    code, printed = workspace.run('echo $HOME; pwd; command -v bug_nav', workspace.work('it'))
    assert code == 0
    assert all(line.startswith(str(tmp_path)) for line in printed.splitlines())


# ---- parsers -----------------------------------------------------------------------------------

def test_figure_in_the_text_of_a_page_is_compared(monkeypatch):
    text = claims.Text('docs/campaigns.md', r"the paper's (\d+) runs", lambda workspace: 80)
    assert claims.check_text(None, text).holds
    assert claims.check_text(None, text._replace(measure=lambda workspace: 81)).holds is False
    assert claims.check_text(None, text._replace(pattern='no such (figure)')).holds is False


def test_counts_of_hostile_plugins_are_parsed():
    shown = 'ended: burger, spinning, seed 3: internal\n500 episodes, 2 contacts, 1.1 h simulated'
    data = measurements.read_hostile(shown, Path())
    assert measurements.hostile_shares(data) == {
        'episodes without a contact': (498, 500), 'episodes that lasted': (499, 500)}


def test_tables_are_parsed_by_column():
    assert results.markdown_tables('Text\n| a | b |\n|---|---|\n| 1 | 2 us |\n\n| c |\n|---|\n') \
        == [[{'a': '1', 'b': '2 us'}], []]
    assert results.number('86.5 us (target 25)') == '86.5'


def test_unknown_measurement_is_rejected(capsys):
    with pytest.raises(SystemExit, match='2'):
        claims.main(['--only', 'drfit'])
    assert "unknown measurement 'drfit'; give some of: pages, protocol" in capsys.readouterr().err
