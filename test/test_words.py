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

"""Tests of the check for wording that is hard to read."""

from pathlib import Path
import re

import pytest

TOOLS = Path(__file__).resolve().parents[1] / 'tools'
pytestmark = pytest.mark.skipif(not TOOLS.exists(), reason='this is no clone')


def lines(tmp_path, name, content):
    """Return the line numbers of the findings in a file."""
    from check_words import findings
    path = tmp_path / name
    path.write_text(content)
    return sorted(line for line, _ in findings(path))


@pytest.mark.parametrize('name, content, expected', [
    ('a.py', '"""Wait for so long [s]."""\n', [1]),
    ('a.py', 'A = 1\n"""\nFirst.\n\nWhat is far away\nis not measured. Rest.\n"""\n', [5]),
    ('a.py', "print('so far')  # for whoever\n# asks; a comment\n", [1]),
    ('a.py', "print('What is printed.')\n", []),
    ('a.md', '# What a page is about\n\nWhat is 1.5 m? It is told so.\n\n```\nso far\n```\n', [3]),
    ('a.md', 'The robot drives. Who stands there is seen.\n', [1]),
    ('a.yaml', 'so_far: 1  # Somebody asks\n', [1])])
def test_wording_is_reported_with_its_line(tmp_path, name, content, expected):
    assert lines(tmp_path, name, content) == expected


REPLACED = re.compile(
    r'nothing seen|an echo\b|no echo|path by (shortest|bound)|the wider, the more|ends by time'
    r'|unless odometry drifts|\bno way that the rangers|last time there|the other way than last'
    r'|distance from which Bug1|must not misplace|longest bound|findings or decisions'
    r'|guard process|guard:=|\b(use_)?guard_p|during each lap|five further ones'
    r'|only into space that a ranger|(near|beside|to) a standing person', re.IGNORECASE)
"""Wording that a reader had to decode, or that the code contradicts."""


def test_replaced_wording_does_not_return():
    root = TOOLS.parent
    files = [root / 'README.md', *(path for folder in (
        'bug_nav', 'bug_nav_msgs', 'docs', 'launch', 'params') for path in
        sorted((root / folder).rglob('*')) if '_build' not in path.parts)]
    found = [f'{path.relative_to(root)}: {match[0]}' for path in files
             if path.suffix in ('.md', '.py', '.js', '.yaml', '.action', '.html', '.ipynb')
             for match in REPLACED.finditer(' '.join(path.read_text(encoding='utf-8').split()))]
    assert found == []


def test_project_has_no_such_wording(capsys):
    from check_words import main
    assert main([]) == 0, capsys.readouterr().out
