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


def test_project_has_no_such_wording(capsys):
    from check_words import main
    assert main([]) == 0, capsys.readouterr().out
