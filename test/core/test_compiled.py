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

"""Kernels without numba, and a first run that compiles: each is reported once on stderr."""

from __future__ import annotations

import os
import subprocess
import sys

from bug_nav.cli import main
from bug_nav.core import compiled
from bug_nav.sim.episode import warm_up
import pytest


@pytest.fixture(autouse=True)
def forgotten():
    """Nothing has been said yet, nor is it in the tests after this one."""
    compiled.tell_slow.cache_clear()
    yield
    compiled.tell_slow.cache_clear()


@pytest.mark.parametrize('have, off, lines', [
    (False, False, 1), (False, True, 0), (True, False, 0)])
def test_missing_numba_is_told_once_where_nobody_switched_it_off(
        monkeypatch, capsys, have, off, lines):
    monkeypatch.setattr(compiled, 'HAVE_NUMBA', have)
    monkeypatch.setattr(compiled, 'SWITCHED_OFF', off)
    compiled.tell_slow()
    compiled.tell_slow()
    assert capsys.readouterr().err.count('pip install numba\n') == lines


@pytest.mark.parametrize('module, told', [
    ("raise AttributeError('no numpy.long')", 'numba cannot be imported (no numpy.long): is it'),
    ("raise ImportError('Numba needs NumPy 1.21 or less')", '(Numba needs NumPy 1.21 or less)'),
    ('import nothing_of_this_name', 'numba is not installed;')])
def test_numba_that_cannot_be_imported_is_told_with_its_reason(tmp_path, module, told):
    (tmp_path / 'numba.py').write_text(module)
    code = ('from bug_nav.core import compiled; assert not compiled.HAVE_NUMBA; '
            'compiled.tell_slow()')
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run([sys.executable, '-c', code], text=True, capture_output=True,
                          timeout=60.0, env={**os.environ, 'PYTHONPATH': path,
                                             'BUG_NAV_NUMBA': '1'})
    assert done.returncode == 0, done.stderr
    assert told in done.stderr and len(done.stderr.splitlines()) == 1


FIRST_RUN = """
from bug_nav.core import compiled
import bug_nav.sim.episode
assert compiled.will_compile()
compiled.tell_compiling()
compiled.tell_compiling()
"""


@pytest.mark.skipif(not compiled.HAVE_NUMBA, reason='nothing is compiled without numba')
def test_first_run_says_once_that_it_compiles_where_stderr_is_no_terminal(tmp_path):
    done = subprocess.run([sys.executable, '-c', FIRST_RUN], text=True, capture_output=True,
                          timeout=240.0, env={**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith('bug_nav: compiling') and done.stderr.count('\n') == 1


@pytest.mark.skipif(not compiled.HAVE_NUMBA, reason='nothing is compiled without numba')
def test_run_with_kernels_in_the_cache_says_nothing():
    warm_up()
    assert not compiled.will_compile()


def test_run_command_reports_that_it_compiles(monkeypatch, capsys):
    compiled.tell_compiling.cache_clear()
    monkeypatch.setattr(compiled, 'HAVE_NUMBA', True)
    monkeypatch.setattr(compiled, 'will_compile', lambda: True)
    monkeypatch.setattr('bug_nav.commands.run.warm_up', lambda: None)
    assert main(['run', 'box']) == 0
    assert capsys.readouterr().err.count('compiling for this machine') == 1
    compiled.tell_compiling.cache_clear()
