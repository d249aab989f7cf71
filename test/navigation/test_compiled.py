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

"""Kernel compilation: messages without a usable numba, and reports of progress."""

from __future__ import annotations

import io
import os
from pathlib import Path
import subprocess
import sys

from bug_nav.cli.parser import main
from bug_nav.lab.run import prepare
from bug_nav.navigation import compiled, kernel_cache
from bug_nav.simulation.episode import warm_up
import pytest

ROOT = Path(__file__).resolve().parents[2]
FAKES = {
    'missing': ("raise ModuleNotFoundError(\"No module named 'numba'\", name='numba')",
                'numba is not installed: run "pip install numba"', 'apt install python3-numba'),
    'part missing': ('import nothing_of_this_name',
                     "numba cannot be imported (No module named 'nothing_of_this_name')", ''),
    'too old': ("raise AttributeError('no numpy.long')",
                'numba cannot be imported (no numpy.long), it may be too old or too new for numpy',
                'pip install --upgrade numba'),
    'too new': ("raise ImportError('Numba needs NumPy 1.21 or less,\\n got 2.4')",
                '(Numba needs NumPy 1.21 or less, got 2.4)', 'pip uninstall numpy')}
"""Contents of fake numba modules, and parts of the message that each one must cause."""


def run_with_fake_numba(folder, module, *command):
    """Run a command that imports a fake numba module; return the completed process."""
    (folder / 'numba.py').write_text(module)
    environment = {name: value for name, value in os.environ.items()
                   if name != 'NUMBA_DISABLE_JIT'}
    return subprocess.run(
        [sys.executable, *command], text=True, capture_output=True, timeout=60.0, cwd=folder,
        env={**environment, 'PYTHONPATH': os.pathsep.join([str(folder), str(ROOT)])})


@pytest.mark.parametrize('module, words, action', FAKES.values(), ids=FAKES)
def test_command_without_a_usable_numba_exits_with_one_sentence(tmp_path, module, words, action):
    done = run_with_fake_numba(tmp_path, module, '-m', 'bug_nav', 'run', 'box')
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith('bug_nav: numba ') and done.stderr.count('\n') == 1
    assert words in done.stderr and action in done.stderr


@pytest.mark.parametrize('begin', ['import bug_nav.navigation.compiled\ndef main():\n    return 0',
                                   'def main():\n    import bug_nav.navigation.compiled'])
@pytest.mark.parametrize('name', ['missing', 'too old'])
def test_node_without_a_usable_numba_exits_with_one_sentence(tmp_path, name, begin):
    (tmp_path / 'some_node.py').write_text(begin)
    module, words, _ = FAKES[name]
    done = run_with_fake_numba(tmp_path, module, '-c',
                               "from bug_nav.ros import start; start._run('bug_sim', 'some_node')")
    assert (done.returncode, done.stdout) == (1, '')
    assert done.stderr.startswith(f'bug_sim: {words}') and done.stderr.count('\n') == 1


def test_help_and_version_work_without_numba(tmp_path):
    for argument in ('--help', '--version'):
        done = run_with_fake_numba(tmp_path, FAKES['missing'][0], '-m', 'bug_nav', argument)
        assert (done.returncode, done.stderr) == (0, '')


# Progress.

@pytest.fixture
def uncached_kernels(monkeypatch, tmp_path):
    """Return eight uncached kernels."""
    monkeypatch.setattr(kernel_cache, 'cache_folder', lambda: tmp_path)
    monkeypatch.setattr(compiled, '_KERNELS', [])

    def made(number):
        def plus(x):
            return x + number
        return compiled.kernel(plus)

    return [made(number) for number in range(8)]


def test_progress_is_reported_at_the_start_and_after_each_quarter(uncached_kernels):
    lines = []
    with compiled.compiling(lines.append):
        for number, each in enumerate(uncached_kernels):
            assert each(1) == 1 + number
    assert lines[0].startswith('compiling 8 kernels, once after an installation or an update')
    assert lines[1:] == [f'compiling kernels {count}/8' for count in (2, 4, 6, 8)]


def test_progress_is_printed_as_lines_if_stderr_is_not_a_terminal(uncached_kernels, capsys):
    with compiled.compiling():
        uncached_kernels[0](1)
    assert capsys.readouterr().err.startswith('bug_nav: compiling 8 kernels')


def test_progress_overwrites_one_line_on_a_terminal_and_clears_it(uncached_kernels, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, 'stderr', terminal)
    with compiled.compiling():
        uncached_kernels[0](1)
        uncached_kernels[0](1.0)  # the same kernel with another argument type
        uncached_kernels[1](1)
    assert terminal.getvalue() == (
        '\rbug_nav: compiling kernels 1/8\x1b[K\rbug_nav: compiling kernels 2/8\x1b[K\r\x1b[K')


def test_cached_kernels_are_not_reported(uncached_kernels):
    uncached_kernels[0](1)
    compiled._KERNELS.clear()
    again = compiled.kernel(uncached_kernels[0].py_func)
    lines = []
    with compiled.compiling(lines.append):
        assert again(1) == 1
    assert lines == [] and sum(again.stats.cache_hits.values()) == 1


def test_second_warm_up_compiles_nothing():
    warm_up()
    lines = []
    with compiled.compiling(lines.append):
        warm_up()
    assert lines == []


def test_run_command_reports_that_it_compiles(monkeypatch, capsys, uncached_kernels):
    prepare.cache_clear()
    monkeypatch.setattr('bug_nav.lab.run.warm_up', lambda: uncached_kernels[0](1))
    assert main(['run', 'box']) == 0
    assert capsys.readouterr().err.count('bug_nav: compiling 8 kernels') == 1
