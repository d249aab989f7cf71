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

"""Starts the node with a file of parameters, in a process of its own."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from bug_nav.commands.domain import confine

UP = 12.0
"""A node that has not refused its parameters after so long [s] has taken them."""


def start_node(path: Path, domain: int) -> int:
    """Start it and end it; return its exit code; what it has said goes to stderr."""
    log = path.with_suffix('.log')
    environment = dict(os.environ, ROS_LOG_DIR=str(path.parent))
    confine(environment, domain)
    with open(log, 'wb') as stream:
        process = subprocess.Popen(
            [sys.executable, '-m', 'bug_nav.ros.node.main', '--ros-args',
             '--params-file', str(path)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream,
            env=environment)
    try:
        code = _ended(process)
    finally:
        process.kill()
        process.wait()
    text = log.read_text(encoding='utf-8', errors='replace')
    if 'Traceback' in text or code < 0 or code > 2:
        raise RuntimeError(f'exit code {code}: {text[-400:]}')
    if code:
        # rcl itself explains in several lines what it cannot read.
        print(' '.join(text.split())[-300:] or 'silent', file=sys.stderr)
    return code


def _ended(process: subprocess.Popen) -> int:
    """Return the exit code; a node that goes on is ended in good order."""
    try:
        return process.wait(UP)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + UP
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    return process.returncode if process.returncode is not None else -99
