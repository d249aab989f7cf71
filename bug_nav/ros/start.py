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

"""Entry points of the nodes; without ROS 2 or numba, each exits with one sentence."""

from __future__ import annotations

import importlib
import sys

from bug_nav.files import interrupt

NEEDS_ROS = (
    '{program}: {missing} is missing, and {program} is a ROS 2 node: source the setup file of '
    'ROS 2, such as /opt/ros/humble/setup.bash, or run "make setup" in a clone of bug_nav; '
    '"bug_nav run" works without ROS')
FROM_PIP = ('transforms3d',)
"""Modules that are no part of ROS 2, and for which Debian 11 has no package."""
NEEDS_PIP = '{program}: {missing} is missing: run "pip install --no-deps {missing}"'


def navigator() -> int:
    """Run the node bug_navigator."""
    return _run('bug_navigator', 'bug_nav.ros.node.main')


def simulator() -> int:
    """Run the node bug_sim."""
    return _run('bug_sim', 'bug_nav.ros.sim.node')


def movers() -> int:
    """Run the node bug_movers."""
    return _run('bug_movers', 'bug_nav.ros.sim.gazebo_movers')


def _run(program: str, module: str) -> int:
    interrupt.install_handler(program)  # because the first start waits for the compiler
    try:
        try:
            main = importlib.import_module(module).main
        except ModuleNotFoundError as error:
            if (error.name or '').startswith('bug_nav.') or error.name in FROM_PIP:
                raise
            sys.exit(NEEDS_ROS.format(program=program, missing=error.name))
        return main()
    except ImportError as error:  # bug_nav.navigation.compiled explains the problem with numba
        if error.name in FROM_PIP:
            sys.exit(NEEDS_PIP.format(program=program, missing=error.name))
        if error.name != 'numba':
            raise
        sys.exit(f'{program}: {" ".join(str(error).split())}')
