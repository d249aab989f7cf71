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

"""Ctrl-C at any time: exit code 130, one sentence, and no leftovers."""

import contextlib
import os
from pathlib import Path
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from bug_nav.cli.parser import main
import pytest
from subsets import subset

PROGRAM = """
import os
import sys
import tempfile
from bug_nav import __main__ as program

take = program.interrupt.install_handler


def begun(name):
    take(name)
    os.write(1, b'.')


program.interrupt.install_handler = begun
sys.exit(program.main())
"""
"""The program; it prints a dot once its Ctrl-C handler is installed."""
SENTENCES = {
    'bug_nav: interrupted',
    'bug_nav: interrupted; the finished part of the run is in run.mcap',
    'interrupted: finishing the running episodes; press Ctrl-C again to stop at once',
    'stopped; the finished results are in out; continue with --resume'}
PROGRESS = re.compile(
    r'bug_nav: (wrote|compiling)|bug_nav play: http|press Ctrl-C to stop|'
    r'[0-9]+ of [0-9]+ episodes')
# Arguments and approximate CPU time [s]; the interrupt comes within that time.
COMMANDS = {
    'run': (('run', 'u_trap', '--json'), 3.0),
    'plot': (('run', 'open', '--plot', 'run.png'), 4.0),
    'film': (('run', 'open', '--plot', 'run.mp4' if shutil.which('ffmpeg') else 'run.gif'), 6.0),
    'record': (('run', 'open', '--record', 'run.mcap'), 3.0),
    'compare': (('compare', 'box', '--table', 'table.csv', '--plot', 'page.html'), 5.0),
    'campaign': (('campaign', '--world', 'random:cluttered', '--count', '1000', '--workers', '2',
                  '--out', 'out'), 3.0),
    'play': (('play', '--no-browser', '--port', '0'), 2.0),
    'replay': (('replay', 'given.mcap', '--map', 'map'), 4.0)}
LIMIT = 240.0
"""Timeout of an interrupted program [s]."""


@pytest.fixture(scope='module')
def given(tmp_path_factory):
    """Return the path of a recording."""
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    path = tmp_path_factory.mktemp('given') / 'given.mcap'
    assert main(['run', 'open', '--record', str(path)]) == 0
    return path


@pytest.fixture(scope='module', autouse=True)
def installed():
    """Skip if an optional dependency is missing."""
    for name in ('matplotlib', 'rosbags', 'shapely', 'starlette', 'uvicorn', 'websockets'):
        pytest.importorskip(name)


def processor_time(process):
    """Return the CPU time of a process [s]; 0.0 if it has exited."""
    with contextlib.suppress(OSError), open(f'/proc/{process}/schedstat', 'rb') as statistics:
        return int(statistics.read().split()[0]) * 1e-9
    return 0.0


def interrupted_after(seconds, arguments, folder, **environment):
    """Return exit code and stderr of a command, interrupted after some CPU time."""
    temporary = Path(tempfile.mkdtemp())  # short: the path of a socket has at most 107 characters
    # In a new session, so that all of its processes get the signal, as on a terminal.
    with subprocess.Popen(
            [sys.executable, '-c', PROGRAM, *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=folder, start_new_session=True, env={
                **os.environ, 'TMPDIR': str(temporary), **environment,
                'PYTHONPATH': os.pathsep.join(filter(None, (
                    str(Path(__file__).parents[2]), os.environ.get('PYTHONPATH'))))}) as process:
        try:
            assert process.stdout.read(1) == b'.', process.stderr.read()
            begun = processor_time(process.pid)
            # Also limit the wall time: an idle server uses no CPU time.
            deadline = time.monotonic() + 2.0 * seconds
            while (process.poll() is None and time.monotonic() < deadline
                   and processor_time(process.pid) - begun < seconds):
                time.sleep(0.001)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            # All processes of the program hold these pipes: EOF means that all have exited.
            _, said = process.communicate(timeout=LIMIT)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    left = list(temporary.iterdir())
    shutil.rmtree(temporary)
    assert not left
    assert not [path.name for path in folder.rglob('*.part*')]
    return process.returncode, said.decode()


def check(code, said, name):
    lines = [line for line in said.splitlines() if line.strip() and not PROGRESS.match(line)]
    if name != 'play' and code != 130:  # the command finished before the interrupt
        assert code == 0 and not lines, said
        return
    assert code == 130, said
    assert lines and set(lines) <= SENTENCES and len(lines) <= 2, said


def interrupt_somewhere(seed, folder, given):
    drawn = random.Random(seed)
    name = list(COMMANDS)[seed % len(COMMANDS)]
    arguments, duration = COMMANDS[name]
    (folder / 'given.mcap').symlink_to(given)
    # With an empty cache, kernel compilation is interrupted.
    cold = {'NUMBA_CACHE_DIR': str(folder / 'cache')} if drawn.random() < 0.15 else {}
    check(*interrupted_after(drawn.uniform(0.0, duration), arguments, folder, **cold), name)


@pytest.mark.parametrize('seed', subset(range(8), 3))
def test_interrupt_at_a_random_time_has_exit_code_130_and_one_sentence(seed, tmp_path, given):
    interrupt_somewhere(seed, tmp_path, given)


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize('seed', range(100, 200))
def test_hundred_interrupts_have_exit_code_130_and_one_sentence(seed, tmp_path, given):
    interrupt_somewhere(seed, tmp_path, given)
