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

"""Playground server started by browser tests and tools."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import browsing
import pytest

STARTER = """
import os, signal
import browsing
print(browsing.Served().start().pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_server_exits_when_its_parent_is_killed():
    pytest.importorskip('starlette')
    pytest.importorskip('uvicorn')
    tools = Path(browsing.__file__).parent
    found = os.pathsep.join(filter(None, (str(tools.parent), os.environ.get('PYTHONPATH'))))
    environment = {**os.environ, 'PYTHONPATH': found}
    with subprocess.Popen([sys.executable, '-c', STARTER], cwd=tools, env=environment,
                          stdout=subprocess.PIPE, text=True) as starter:
        server = int(starter.stdout.readline())
        assert starter.wait() == -signal.SIGKILL
    deadline = time.monotonic() + 60.0
    while status(server) not in 'ZX':
        if time.monotonic() > deadline:
            os.kill(server, signal.SIGTERM)
            pytest.fail(f'process {server} lives on')
        time.sleep(0.02)


SERVER = """
import signal, sys
print('bug_nav: compiling kernels 1/2', file=sys.stderr, flush=True)
print('Playground: http://127.0.0.1:8123/', file=sys.stderr, flush=True)
signal.pause()
"""


def test_server_that_compiles_kernels_first_is_waited_for(tmp_path):
    package = tmp_path / 'bug_nav'
    package.mkdir()
    (package / '__init__.py').touch()
    (package / '__main__.py').write_text(SERVER)
    with browsing.Served(folder=tmp_path) as server:
        assert (server.address, server.port) == ('http://127.0.0.1:8123/', 8123)


def status(process):
    """Return the Linux process state letter; X if the process does not exist."""
    try:
        return Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()[0]
    except FileNotFoundError:
        return 'X'
