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

"""Kernel compilation: messages without a usable numba."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

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
