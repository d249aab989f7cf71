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

"""Installation of the example plug-in as a user does it, but without a network."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

EXAMPLE = Path(__file__).parent / 'plugin_example'


def install_example(folder: Path) -> Path:
    """Install test/plugin_example; return the folder to put on PYTHONPATH."""
    if not _can_build():
        pytest.skip('pip cannot build a package here: it needs wheel, or setuptools 70.1')
    sources, target = folder / 'sources', folder / 'target'
    shutil.copytree(EXAMPLE, sources)  # because pip builds in the source folder
    done = subprocess.run(
        [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps',
         '--no-build-isolation', '--target', str(target), str(sources)],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return target


def _can_build() -> bool:
    check = ('import setuptools, distutils.core as core; '
             'core.Distribution().get_command_class("bdist_wheel")')
    return subprocess.run([sys.executable, '-c', check], capture_output=True).returncode == 0


def environment_with(folder: Path) -> dict:
    """Return the environment with a folder prepended to PYTHONPATH."""
    there = os.environ.get('PYTHONPATH')
    return dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, (str(folder), there))))
