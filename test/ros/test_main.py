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

"""Startup of the node's process."""

import os
import subprocess
import sys

from bug_nav.navigation import compiled, kernel_cache, warm_up
from bug_nav.ros.node import main
import pytest

pytestmark = pytest.mark.ros


class Logger:
    """A logger that keeps its messages."""

    def __init__(self):
        self.lines = []

    def info(self, line):
        self.lines.append(line)


@pytest.fixture
def cold(monkeypatch, tmp_path):
    """Return a kernel that is not cached."""
    monkeypatch.setattr(kernel_cache, 'cache_folder', lambda: tmp_path)
    monkeypatch.setattr(compiled, 'KERNELS', [])
    return compiled.kernel(lambda x: 2 * x)


def test_compiling_is_logged(monkeypatch, cold):
    logger = Logger()
    monkeypatch.setattr(warm_up, 'warm_up', lambda: cold(1))
    main._warm_up(logger, lambda: False)
    line, = logger.lines
    assert line.startswith('compiling 1 kernel, once after an installation or an update')


def test_cached_kernels_are_not_logged(monkeypatch, cold):
    logger = Logger()
    cold(1)
    monkeypatch.setattr(warm_up, 'warm_up', lambda: cold(1))
    main._warm_up(logger, lambda: False)
    assert logger.lines == []


def test_signal_ends_the_compilation_before_the_next_kernel(monkeypatch, cold):
    second, received = compiled.kernel(lambda x: 3 * x), []

    def compile_both():
        cold(1)
        received.append(True)
        second(1)
        raise AssertionError('another kernel was compiled')
    monkeypatch.setattr(warm_up, 'warm_up', compile_both)
    main._warm_up(Logger(), lambda: bool(received))
    assert cold.signatures and not second.signatures


def test_signal_ends_the_compilation_within_a_kernel_that_calls_another(monkeypatch, cold):
    caller, asked = compiled.kernel(lambda x: cold(x)), []
    monkeypatch.setattr(warm_up, 'warm_up', lambda: caller(1))
    main._warm_up(Logger(), lambda: asked.append(True) or len(asked) > 1)
    assert len(asked) == 2 and not caller.signatures


@pytest.mark.parametrize('program', ['navigator', 'simulator'])
def test_unusable_numba_is_reported_in_one_sentence(tmp_path, program):
    (tmp_path / 'numba.py').write_text("raise AttributeError('no numpy.long')")
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, '-c', f'from bug_nav.ros import start; start.{program}()'], text=True,
        capture_output=True, timeout=60.0, env={**os.environ, 'PYTHONPATH': path})
    assert done.returncode == 1 and done.stderr.count('\n') == 1
    assert ': numba cannot be imported (no numpy.long)' in done.stderr
