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

"""Start of the node with a parameter file, in its own process."""

from __future__ import annotations

import os
from pathlib import Path
import signal
import subprocess
import sys

from bug_nav.cli.child_processes import ChildProcess, module
from bug_nav.cli.ros_domain import confine

ACCEPTED_AFTER = 12.0
"""Time after which a running node counts as having accepted its parameters [s]."""


def start_node(path: Path, domain: int) -> int:
    """Start and stop the node; return its exit code; print its output to stderr."""
    environment = dict(os.environ, ROS_LOG_DIR=str(path.parent))
    confine(environment, domain)
    node = ChildProcess(
        'node', module('bug_nav.ros.node.main', '--ros-args', '--params-file', str(path)),
        path.with_suffix('.log'), environment)
    try:
        code = _ended(node)
    finally:
        node.end()
    text = node.output
    if 'Traceback' in text or code < 0 or code > 2:
        raise RuntimeError(f'exit code {code}: {text[-400:]}')
    if code:
        # rcl reports parse errors in several lines.
        print(' '.join(text.split())[-300:] or 'silent', file=sys.stderr)
    return code


def _ended(node: ChildProcess) -> int:
    """Return the exit code; a running node gets SIGTERM."""
    for _ in range(2):
        try:
            return node.wait(ACCEPTED_AFTER)
        except subprocess.TimeoutExpired:
            node.signal(signal.SIGTERM)
    return -99
