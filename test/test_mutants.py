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

"""Tests of the tool for mutation testing."""

from __future__ import annotations

from pathlib import Path
import sys

import mutants as tool
import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
CHECKER = Path('bug_nav', 'navigation', 'proof', 'certificate.py')


@pytest.mark.skipif(not (ROOT / '.git').exists(), reason='git tells which files there are')
def test_breaking_change_is_detected_and_equivalent_one_survives():
    pytest.importorskip('xdist', reason='pytest-xdist is not installed')
    text = (ROOT / CHECKER).read_text('utf-8')
    harmless = tool.Mutant(CHECKER, 1, text + '\n# More.\n')
    broken = tool.Mutant(CHECKER, 1, text + '\nraise ZeroDivisionError\n')
    with tool.MutantRunner(sys.executable, [CHECKER], workers=1) as runner:
        assert dict(runner.judge([broken, harmless])) == {broken: True, harmless: False}
    assert (ROOT / CHECKER).read_text('utf-8') == text


def test_change_is_printed_with_its_place_and_both_lines():
    text = (ROOT / CHECKER).read_text('utf-8')
    line = next(line for line in text.splitlines() if line.startswith('def '))
    mutant = tool.Mutant(CHECKER, 7, text.replace(line, line.replace('def ', 'def not_'), 1))
    assert str(mutant).splitlines() == [
        f'{CHECKER}:7', f'  - {line}', f'  + {line.replace("def ", "def not_")}']


def test_tests_of_a_file_are_those_of_its_name_or_folder():
    assert tool.tests_of(Path('bug_nav', 'navigation', 'ledger.py')) == Path(
        'test', 'navigation', 'test_ledger.py')
    assert tool.tests_of(CHECKER) == Path('test', 'navigation', 'proof')
    assert tool.tests_of(Path('bug_nav', 'navigation', 'cspace', 'gaps.py')) == Path(
        'test', 'navigation', 'cspace')


def test_unknown_module_is_rejected_with_one_sentence():
    with pytest.raises(SystemExit, match="bug_nav has no 'spce'; give a file such as"):
        tool.main(['--modules', 'spce'])


def test_mutants_are_the_same_for_the_same_seed():
    pytest.importorskip('cosmic_ray', reason='make mutants installs it')
    mutants = tool.mutants_of(CHECKER, 3)
    assert mutants == tool.mutants_of(CHECKER, 3) != tool.mutants_of(CHECKER, 4)
    text = (ROOT / CHECKER).read_text('utf-8')
    assert all(mutant.text != text and '\n  + ' in str(mutant) for mutant in mutants)
