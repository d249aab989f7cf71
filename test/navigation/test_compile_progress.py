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

"""Tests of the progress reports while kernels compile."""

from __future__ import annotations

import io
import os
import subprocess
import sys

from bug_nav.cli.parser import main
from bug_nav.lab.run import prepare
from bug_nav.navigation import compiled, kernel_cache
from bug_nav.navigation.compile_progress import compiling
from bug_nav.simulation.episode import warm_up
import pytest

COLD = """
import bug_nav.lab.run
from bug_nav.navigation import compiled
from bug_nav.simulation.episode import warm_up
done = []
compiled.watchers.append(done.append)
warm_up()
print([each.py_func.__qualname__ for each in compiled.KERNELS if each not in done])
"""
"""Program that prints the kernels which are not compiled after `warm_up`, with an empty cache."""


@pytest.fixture
def uncached_kernels(monkeypatch, tmp_path):
    """Return eight uncached kernels."""
    monkeypatch.setattr(kernel_cache, 'cache_folder', lambda: tmp_path)
    monkeypatch.setattr(compiled, 'KERNELS', [])

    def made(number):
        def plus(x):
            return x + number
        return compiled.kernel(plus)

    return [made(number) for number in range(8)]


def test_progress_is_reported_at_the_start_and_after_each_quarter(uncached_kernels):
    lines = []
    with compiling(lines.append):
        for number, each in enumerate(uncached_kernels):
            assert each(1) == 1 + number
    assert lines[0].startswith('compiling 8 kernels, once after an installation or an update')
    assert lines[1:] == [f'compiling kernels {count}/8' for count in (2, 4, 6, 8)]


def test_progress_is_printed_as_lines_if_stderr_is_not_a_terminal(uncached_kernels, capsys):
    with compiling():
        uncached_kernels[0](1)
    assert capsys.readouterr().err.startswith('bug_nav: compiling 8 kernels')


def test_progress_overwrites_one_line_on_a_terminal_and_clears_it(uncached_kernels, monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, 'stderr', terminal)
    with compiling():
        uncached_kernels[0](1)
        uncached_kernels[0](1.0)  # the same kernel with another argument type
        uncached_kernels[1](1)
    assert terminal.getvalue() == (
        '\rbug_nav: compiling kernels 1/8\x1b[K\rbug_nav: compiling kernels 2/8\x1b[K\r\x1b[K')


def test_cached_kernels_are_not_reported(uncached_kernels):
    uncached_kernels[0](1)
    compiled.KERNELS.clear()
    again = compiled.kernel(uncached_kernels[0].py_func)
    lines = []
    with compiling(lines.append):
        assert again(1) == 1
    assert lines == [] and sum(again.stats.cache_hits.values()) == 1


def test_second_warm_up_compiles_nothing():
    warm_up()
    lines = []
    with compiling(lines.append):
        warm_up()
    assert lines == []


@pytest.mark.slow
def test_warm_up_compiles_every_kernel_that_a_driving_robot_may_need(tmp_path):
    left = subprocess.run(
        [sys.executable, '-c', COLD], env=dict(os.environ, NUMBA_CACHE_DIR=str(tmp_path)),
        capture_output=True, text=True, timeout=600, check=True).stdout
    assert left == '[]\n'


def test_run_command_reports_that_it_compiles(monkeypatch, capsys, uncached_kernels):
    prepare.cache_clear()
    monkeypatch.setattr('bug_nav.lab.run.warm_up', lambda: uncached_kernels[0](1))
    assert main(['run', 'box']) == 0
    assert capsys.readouterr().err.count('bug_nav: compiling 8 kernels') == 1
