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

"""No command and no worker imports a file of the current folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys
import urllib.request

from bug_nav.files.module_path import child_command
import pytest

ROOT = Path(__file__).resolve().parents[2]
TRAPS = ('html', 'numpy', 'numba', 'yaml')
"""Modules that bug_nav imports, from the standard library and from other packages."""
ENTRY = ('import sys\nfrom bug_nav.cli.parser import main\n'
         'if __name__ == "__main__":\n    sys.exit(main())\n')
"""Script that pip generates for the entry point."""


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a file for each trap, which records its import."""
    place = tmp_path / 'work'
    place.mkdir()
    for name in TRAPS:
        (place / f'{name}.py').write_text('open(__file__ + ".imported", "w").close()\n')
    return place


@pytest.fixture
def entry(tmp_path):
    (tmp_path / 'bin').mkdir()
    script = tmp_path / 'bin' / 'bug_nav'
    script.write_text(ENTRY)
    return [sys.executable, str(script)]


def imported(folder):
    return [path.name for path in folder.glob('*.imported')]


def run(command, folder, **more):
    # A workspace of ROS 2 has its packages in this variable, bug_nav with its entry points.
    found = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=240,
                          env={**os.environ, 'PYTHONPATH': found, **more})
    assert imported(folder) == []
    assert done.returncode == 0, done.stderr
    return done


def test_command_imports_nothing_from_the_current_folder(folder, entry):
    run([*entry, 'run', 'box', '--json'], folder)


@pytest.mark.slow
def test_module_imports_nothing_from_the_current_folder(folder):
    run([sys.executable, '-m', 'bug_nav', 'run', 'box', '--json'], folder)


@pytest.mark.slow
def test_workers_of_a_campaign_import_nothing_from_the_current_folder(folder, entry, tmp_path):
    pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
    spec = tmp_path / 'small.yaml'
    spec.write_text(json.dumps({'name': 'small', 'seed': 1, 'repetitions': 2, 'algorithms':
                                ['bug2'], 'turns': ['left'], 'worlds': [{'world': 'box'}]}))
    run([*entry, 'campaign', str(spec), '--out', str(tmp_path / 'out'), '--workers', '2',
         '--format', 'csv'], folder)


@pytest.mark.slow
def test_workers_of_the_playground_import_nothing_from_the_current_folder(folder):
    pytest.importorskip('starlette')
    from browsing import Served
    with Served(folder=folder) as server:
        # The response comes from a worker, forked from the process with all imports.
        answer = urllib.request.urlopen(urllib.request.Request(
            f'{server.address}api/world', b'{"name": "demo"}',
            {'Origin': server.address.rstrip('/')}), timeout=120)
        assert json.loads(answer.read())['solids']
    assert imported(folder) == []


@pytest.mark.slow
def test_child_process_imports_nothing_from_the_current_folder(folder):
    run(child_command('bug_nav', 'run', 'box', '--json'), folder)


@pytest.mark.slow
def test_clone_runs_from_its_folder_without_pythonpath(tmp_path):
    listed = subprocess.run(
        [sys.executable, '-c', 'from importlib import metadata; metadata.version("bug_nav")'],
        env={**os.environ, 'PYTHONPATH': ''}, cwd=tmp_path, capture_output=True, timeout=60)
    if listed.returncode:
        pytest.skip('bug_nav is not installed without PYTHONPATH, so it has no entry points')
    (tmp_path / 'bug_nav').symlink_to(ROOT / 'bug_nav')
    (tmp_path / 'worlds').symlink_to(ROOT / 'worlds')
    (tmp_path / 'html.py').write_text('open(__file__ + ".imported", "w").close()\n')
    run([sys.executable, '-m', 'bug_nav', 'run', 'box', '--json'], tmp_path, PYTHONPATH='')


def test_folder_in_pythonpath_is_kept(tmp_path):
    (tmp_path / 'html.py').write_text('open(__file__ + ".imported", "w").close()\n')
    code = ('import sys; sys.argv = ["-c"]; from bug_nav.files import module_path as m; '
            'm.leave_current_folder(); import html; print(html.__file__)')
    done = subprocess.run([sys.executable, '-c', code], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60, env={
                              **os.environ, 'PYTHONPATH': f'{tmp_path}{os.pathsep}{ROOT}'})
    assert done.stdout.strip() == str(tmp_path / 'html.py')
