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

"""Tests of the distributions, installed by pip and run without a checkout."""

from __future__ import annotations

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

from bug_nav import __version__
from bug_nav.files.interrupt import INTERRUPTED
from bug_nav.navigation import kernel_cache
from bug_nav.ros import start
import pytest
import setuptools

ROOT = Path(__file__).resolve().parents[1]
PARTS = ('bug_nav', 'campaigns', 'launch', 'models', 'params', 'resource', 'rviz', 'security',
         'worlds', 'CHANGELOG.rst', 'CITATION.cff', 'CONTRIBUTING.md', 'LICENSE', 'MANIFEST.in',
         'README.md', 'package.xml', 'pyproject.toml', 'setup.cfg', 'setup.py')
"""Files and folders from which the distributions are built."""
EXECUTABLES = ('bug_navigator', 'bug_sim', 'bug_movers')
CAMPAIGN = 'name: short\nseed: 1\nworlds:\n  - {world: box}\nalgorithms: [bug2]\n'
pytestmark = [pytest.mark.xdist_group('wheel'), pytest.mark.slow]


@pytest.fixture(autouse=True)
def without_signal_handler(monkeypatch):
    """Prevent tests from installing the signal handler of a node in this process."""
    monkeypatch.setattr(start.interrupt, 'install_handler', lambda name: None)


def environment(home: Path) -> dict:
    """Return the environment of a child process, without paths to the checkout."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ('PYTHONPATH', 'AMENT_PREFIX_PATH', 'VIRTUAL_ENV')}
    cache = kernel_cache.cache_folder().parents[2]  # shares compiled kernels
    return {**kept, 'HOME': str(home), 'MPLCONFIGDIR': str(home), 'NUMBA_CACHE_DIR': str(cache)}


def run(*command, cwd: Path):
    return subprocess.run([str(word) for word in command], cwd=cwd, env=environment(cwd),
                          capture_output=True, text=True, timeout=120)


def build(what: str, source: Path, folder: Path) -> Path:
    """Build a distribution as pip does, with the setuptools of this environment."""
    code = f'from setuptools import build_meta as b; print(b.build_{what}({str(folder)!r}))'
    built = run(sys.executable, '-c', code, cwd=source)
    assert built.returncode == 0, built.stderr
    return folder / built.stdout.split()[-1]


@pytest.fixture(scope='module')
def sdist(tmp_path_factory):
    if int(setuptools.__version__.split('.')[0]) < 71:
        pytest.importorskip('wheel', reason='wheel is not installed, and this setuptools has none')
    source, folder = tmp_path_factory.mktemp('source'), tmp_path_factory.mktemp('dist')
    for name in PARTS:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copy(path, source / name)
    return build('sdist', source, folder)


@pytest.fixture(scope='module')
def wheel(sdist, tmp_path_factory):
    """Build the wheel from the contents of the sdist alone."""
    folder = tmp_path_factory.mktemp('unpacked')
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    return build('wheel', next(folder.iterdir()), sdist.parent)


@pytest.fixture(scope='module')
def scripts(wheel, tmp_path_factory):
    """Return the scripts of an environment with the wheel, and the dependencies of this one."""
    folder = tmp_path_factory.mktemp('fresh')
    subprocess.run([sys.executable, '-m', 'venv', str(folder)], check=True, timeout=120)
    installed = run(folder / 'bin' / 'python', '-m', 'pip', 'install', '--no-deps', '--no-index',
                    wheel, cwd=folder)
    assert installed.returncode == 0, installed.stderr
    site = next(folder.glob('lib/python*/site-packages'))
    # Of a Debian, also the packages of apt; but not an installation of bug_nav.
    lent = dict.fromkeys((
        *(sysconfig.get_path(name) for name in ('purelib', 'platlib')),
        *(path for path in sys.path if path.endswith('-packages')
          and not Path(path, 'bug_nav').exists())))
    (site / 'lent.pth').write_text('\n'.join(lent) + '\n')
    return folder / 'bin'


def test_sdist_has_the_sources_but_no_tests_or_docs(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition('/')[2] for name in archive.getnames()}
    assert {'README.md', 'LICENSE', 'CHANGELOG.rst', 'CITATION.cff', 'package.xml',
            'pyproject.toml', 'worlds/demo.world', 'params/burger.yaml'} <= names
    assert not any(name.startswith(('test', 'docs')) for name in names)


def test_wheel_metadata_has_dependencies_extras_and_absolute_links(wheel):
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f'bug_nav-{__version__}.dist-info/METADATA').decode()
    head, _, page = metadata.partition('\n\n')
    needed = re.findall(r'^Requires-Dist: ([\w-]+)[^;\n]*$', head, re.MULTILINE)
    assert sorted(needed) == [
        'defusedxml', 'matplotlib', 'numba', 'numpy', 'pillow', 'pyyaml', 'transforms3d']
    extras = set(re.findall(r'^Provides-Extra: (\w+)', head, re.MULTILINE))
    assert {'lab', 'campaign', 'play', 'record', 'all'} <= extras
    assert 'Description-Content-Type: text/markdown' in head and 'Project-URL: Source' in head
    assert page.startswith('# bug_nav')
    links = re.findall(r'\]\(([^)\s]+)\)', page)
    assert len(links) > 30 and all(link.startswith(('https://', '#')) for link in links)


def test_command_runs_from_an_empty_folder_without_a_checkout(scripts, tmp_path):
    where = run(scripts / 'python', '-c', 'import bug_nav; print(bug_nav.__file__)', cwd=tmp_path)
    assert where.stdout.startswith(str(scripts.parent))
    assert run(scripts / 'bug_nav', '--version', cwd=tmp_path).stdout == f'bug_nav {__version__}\n'
    worlds = run(scripts / 'bug_nav', 'worlds', cwd=tmp_path)
    assert worlds.returncode == 0 and '\nu_trap ' in worlds.stdout
    robot = run(scripts / 'bug_nav', 'robots', 'burger', '--params', cwd=tmp_path)
    assert robot.stdout == (ROOT / 'params' / 'burger.yaml').read_text('utf-8')


def test_run_command_reaches_its_goal_and_draws_a_plot(scripts, tmp_path):
    ended = run(scripts / 'bug_nav', 'run', 'demo', '--plot', 'run.png', cwd=tmp_path)
    assert ended.returncode == 0 and ended.stdout.startswith('REACHED'), ended.stderr
    assert (tmp_path / 'run.png').read_bytes().startswith(b'\x89PNG')


def test_campaign_command_writes_its_rows(scripts, tmp_path):
    pytest.importorskip('shapely', minversion='2')
    (tmp_path / 'short.yaml').write_text(CAMPAIGN)
    ended = run(scripts / 'bug_nav', 'campaign', 'short.yaml', '--out', 'out', '--format', 'csv',
                '--workers', '1', cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / 'out' / 'rows.csv').read_text().count('bug2') >= 1


@pytest.mark.parametrize('program', EXECUTABLES)
def test_node_without_ros_exits_with_one_sentence(scripts, tmp_path, program):
    if run(scripts / 'python', '-c', 'import rclpy', cwd=tmp_path).returncode == 0:
        pytest.skip('ROS 2 is installed where the environment borrows from')
    ended = run(scripts / program, cwd=tmp_path)
    assert ended.returncode == 1 and not ended.stdout
    sentence, = ended.stderr.splitlines()
    assert sentence.startswith(f'{program}: ') and f'{program} is a ROS 2 node' in sentence


@pytest.mark.parametrize('program, begin', [
    ('bug_navigator', start.navigator), ('bug_sim', start.simulator),
    ('bug_movers', start.movers)])
def test_missing_part_of_ros_is_reported(monkeypatch, program, begin):
    missing = ('rclpy', 'std_srvs', 'gazebo_msgs')
    for name in [name for name in sys.modules if name.partition('.')[0] in missing]:
        monkeypatch.delitem(sys.modules, name)
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    for name in [name for name in sys.modules if name.startswith('bug_nav.ros.')]:
        if name != start.__name__:
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SystemExit, match=rf'{program}: (rclpy|gazebo_msgs)[.\w]* is missing'):
        begin()


def test_ctrl_c_during_kernel_compilation_ends_a_node_without_a_traceback():
    done = subprocess.run(
        [sys.executable, '-c', 'import os, signal; from bug_nav.ros import start; '
         'start.importlib.import_module = lambda name: os.kill(os.getpid(), signal.SIGINT); '
         'start.navigator()'], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (INTERRUPTED, 'bug_navigator: interrupted\n')


def test_missing_module_of_bug_nav_is_not_reported_as_missing_ros():
    with pytest.raises(ModuleNotFoundError, match='no_such'):
        start._run('bug_sim', 'bug_nav.ros.no_such')
