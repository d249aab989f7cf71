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

"""The preload module of the fork server."""

import os
import subprocess
import sys

import pytest

SPY = """
import signal, sys
class Spy:
    def find_spec(self, name, *where):
        if name == 'bug_nav.simulation.episode':
            sys.exit(0 if signal.getsignal(signal.SIGINT) is signal.SIG_IGN else 1)
sys.meta_path.insert(0, Spy())
import bug_nav.lab.forkserver_preload
"""

INTERRUPTED = """
import os, signal
from bug_nav.lab import workers
from bug_nav.files import interrupt
interrupt.install_handler('bug_nav')
start = workers.forkserver.ensure_running
def interrupted_start():
    start()
    os.kill(os.getpid(), signal.SIGINT)
workers.forkserver.ensure_running = interrupted_start
workers.start_forkserver('bug_nav.lab.campaign')
"""


def run(code, **environment):
    return subprocess.run([sys.executable, '-c', code], timeout=60,
                          env={**os.environ, **environment}).returncode


def test_preloading_process_ignores_ctrl_c():
    assert run(SPY) == 0


def test_ctrl_c_while_the_server_starts_leaves_no_folder(tmp_path):
    assert run(INTERRUPTED, TMPDIR=str(tmp_path)) == 130
    assert not list(tmp_path.iterdir())


# A failed preload is silent: each worker would then import everything itself.
@pytest.mark.slow
@pytest.mark.parametrize('module', ['bug_nav.lab.forkserver_preload', 'bug_nav.playground.worker'])
def test_preloaded_modules_import_without_shapely(module):
    assert run(f'import sys; sys.modules["shapely"] = None; import {module}') == 0
