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

"""
Run modules in processes that have already imported them.

Importing a node and loading its kernels takes longer than most tests. Processes are therefore
forked from one that has done both; a few tests start the installed command instead.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys

from bug_nav.cli.child_processes import ChildProcess
from bug_nav.lab.orphans import end_with_parent

CONTEXT = multiprocessing.get_context('forkserver')
CONTEXT.set_forkserver_preload([
    'bug_nav.lab.forkserver_preload', 'bug_nav.playground.worker',
    'bug_nav.ros.node.navigator_node', 'bug_nav.ros.node.main', 'bug_nav.ros.sim.node'])


class Forked(ChildProcess):
    """A child process that runs a module, forked from the preloaded server."""

    def __init__(self, name, arguments, log, environment, path=()):
        self.name, self.log = name, log
        log.write_bytes(b'')
        ignored = [number for number in signal.valid_signals()
                   if signal.getsignal(number) is signal.SIG_IGN]
        self._process = _Process(name, arguments, log, dict(environment), path, ignored)


class _Process:
    """The part of `subprocess.Popen` that a `ChildProcess` needs."""

    def __init__(self, *what):
        self._process = CONTEXT.Process(target=_run, args=what, daemon=True)
        self._process.start()
        self.pid = self._process.pid

    def poll(self):
        return self._process.exitcode

    def wait(self, timeout):
        self._process.join(timeout)
        if self.poll() is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout)
        return self.poll()

    def send_signal(self, number):
        os.kill(self.pid, number)


def _run(module, arguments, log, environment, path, ignored):
    """Run the process."""
    os.setsid()
    # SIGKILL, because a stopped process ignores other signals. The fork server
    # exits with the suite, unless a process forked from it keeps its pipe open.
    end_with_parent(signal.SIGKILL, os.getppid())()
    os.closerange(3, 256)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which the server ignores
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(log, os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv[:] = [module, *arguments]
    sys.path[:0] = path
    sys.modules.pop(module, None)  # otherwise, Python warns about a second import
    runpy.run_module(module, run_name='__main__', alter_sys=True)
