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

"""Tests of the kernel cache: recompilation, reuse, and unusable cache folders."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = {
    '__init__': '',
    'sizes': 'SIZE = 2.0\nSHAPE = (1.0, 3.0)\nOTHER = 5.0\n',
    'inner': '''
from bug_nav.navigation.compiled import kernel
from parts import sizes
FACTOR = 3.0


@kernel
def inner(x):
    """Multiply."""
    return _later(x) * sizes.SIZE


@kernel
def _later(x):
    return FACTOR * x
''',
    'outer': """
from bug_nav.navigation.compiled import kernel
from parts.inner import inner
from parts.sizes import SHAPE


@kernel
def outer(x):
    return inner(x) + SHAPE[1]


@kernel
def apart(x):
    return x + 1.0
"""}
PROGRAM = """
from parts.outer import apart, outer
print(outer(1.0), apart(1.0))
print(*(sum(each.stats.cache_misses.values()) for each in (outer, apart)))
"""
OWN = """
from bug_nav.navigation.control.drive import _stoppable_speed
from bug_nav.navigation.control.state import new_state
import numpy as np
limits = np.zeros(1, [('acc_lim_x', float), ('robot_radius', float)])
limits['acc_lim_x'] = 1.0
print(_stoppable_speed(new_state()[0], limits[0], 1.25))
print(sum(_stoppable_speed.stats.cache_misses.values()))
"""
"""Program with a kernel whose result decreases with a constant of another file."""


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / 'parts'
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / f'{name}.py').write_text(text)
    return folder


def run(folder, program=PROGRAM, **environment):
    """Return the results of the kernels of a package, and how often each was compiled."""
    done = subprocess.run(
        [sys.executable, '-c', program], text=True, capture_output=True, timeout=120.0,
        cwd=folder.parent, env={
            **os.environ, 'PYTHONPATH': f'{folder.parent}{os.pathsep}{ROOT}',
            'NUMBA_CACHE_DIR': str(folder.parent / 'cache'), 'PYTHONDONTWRITEBYTECODE': '1',
            **environment})
    assert done.returncode == 0, done.stderr
    answers, misses = done.stdout.splitlines()
    return tuple(map(float, answers.split())), tuple(map(int, misses.split()))


def edit(path, before, after):
    """Replace a part of a file without changing its modification time."""
    stamp, text = path.stat(), path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def folders(package):
    return set(package.parent.glob('cache/bug_nav/kernels/*'))


def test_edit_of_a_file_recompiles_callers_in_other_files(tmp_path):
    own = tmp_path / 'bug_nav'
    shutil.copytree(ROOT / 'bug_nav', own, ignore=shutil.ignore_patterns('__pycache__'))
    (before,), misses = run(own, OWN)
    assert misses == (1,) and run(own, OWN) == ((before,), (0,))
    edit(own / 'navigation' / 'control' / 'forward_simulation.py', 'return TICK +',
         'return 20.0 * TICK +')
    (after,), misses = run(own, OWN)
    assert after < before and misses == (1,) and len(folders(own)) == 2


@pytest.mark.slow
def test_second_checkout_uses_the_cache_of_the_first(tmp_path):
    cache = str(tmp_path / 'cache')
    for name, misses in (('one', 1), ('other', 0)):
        own = tmp_path / name / 'bug_nav'
        shutil.copytree(ROOT / 'bug_nav', own, copy_function=shutil.copyfile,
                        ignore=shutil.ignore_patterns('__pycache__'))
        assert run(own, OWN, NUMBA_CACHE_DIR=cache)[1] == (misses,)


@pytest.mark.slow
@pytest.mark.parametrize('name, before, after, answer', [
    ('sizes', 'SIZE = 2.0', 'SIZE = 4.0', 15.0),             # used through its module
    ('sizes', '(1.0, 3.0)', '(1.0, 7.0)', 13.0),             # imported by name
    ('inner', 'FACTOR = 3.0', 'FACTOR = 5.0', 13.0),         # constant of a called kernel
    ('inner', 'FACTOR * x', 'FACTOR * x + 1.0', 11.0),       # code, two calls away
    ('inner', '* sizes.SIZE', '+ sizes.SIZE', 8.0)])
def test_edit_of_a_dependency_recompiles_a_plug_in_kernel(package, name, before, after, answer):
    assert run(package) == ((9.0, 2.0), (1, 1))
    assert run(package) == ((9.0, 2.0), (0, 0))
    edit(package / f'{name}.py', before, after)
    assert run(package) == ((answer, 2.0), (1, 1))
    assert len(folders(package)) == 1


@pytest.mark.slow
def test_code_with_bounds_checks_is_cached_separately(package):
    run(package)
    assert run(package, NUMBA_BOUNDSCHECK='1')[1] == (1, 1)
    assert run(package)[1] == (0, 0)


@pytest.mark.slow
def test_cache_is_in_the_home_folder_unless_configured_otherwise(package, tmp_path):
    home, elsewhere = tmp_path / 'home', tmp_path / 'elsewhere'
    run(package, NUMBA_CACHE_DIR='', HOME=str(home), XDG_CACHE_HOME='')
    assert any((home / '.cache' / 'bug_nav' / 'kernels').iterdir())
    run(package, NUMBA_CACHE_DIR='', HOME=str(home), XDG_CACHE_HOME=str(elsewhere))
    assert any((elsewhere / 'bug_nav' / 'kernels').iterdir())
    assert not folders(package) and not list(package.rglob('*.nb?'))


@pytest.mark.slow
@pytest.mark.parametrize('place', ['a file', 'in a file', 'of nobody'])
def test_unusable_cache_folder_costs_only_compile_time(package, tmp_path, place):
    (tmp_path / 'full').write_text('')
    environment = {'a file': {'NUMBA_CACHE_DIR': str(tmp_path / 'full')},
                   'in a file': {'NUMBA_CACHE_DIR': str(tmp_path / 'full' / 'inside')},
                   'of nobody': {'NUMBA_CACHE_DIR': '', 'XDG_CACHE_HOME': '',
                                 'HOME': str(tmp_path / 'full')}}[place]
    for _ in range(2):
        assert run(package, **environment) == ((9.0, 2.0), (1, 1))
    assert not list(tmp_path.rglob('*.nb?'))


@pytest.mark.slow
@pytest.mark.parametrize('suffix', ['.nbi', '.nbc'])
@pytest.mark.parametrize('content', [b'', b'no pickle'])
def test_damaged_cache_file_is_recompiled(package, suffix, content):
    run(package)
    for path in package.parent.rglob(f'*{suffix}'):
        path.write_bytes(content)
    assert run(package) == ((9.0, 2.0), (1, 1))
    assert run(package) == ((9.0, 2.0), (0, 0))


@pytest.mark.slow
def test_least_recently_used_folders_are_removed(package):
    base = package.parent / 'cache' / 'bug_nav' / 'kernels'
    for age in range(5):
        (base / f'age {age}' / 'module').mkdir(parents=True)
        (base / f'age {age}' / 'module' / 'code.nbc').write_text('')
        os.utime(base / f'age {age}', (1000.0 - age, 1000.0 - age))
    run(package)
    own, = folders(package) - {base / 'age 0', base / 'age 1'}
    os.utime(own, (0.0, 0.0))
    run(package)
    assert own.stat().st_mtime > 0.0  # in use


@pytest.mark.slow
def test_function_without_a_source_file_is_compiled_each_time(package):
    program = """
from bug_nav.navigation.compiled import kernel
FACTOR = {}
@kernel
def times(x):
    return FACTOR * x
print(times(1.0))
print(sum(times.stats.cache_misses.values()))
"""
    for factor in (2.0, 3.0):
        assert run(package, program.format(factor)) == ((factor,), (1,))
    assert not folders(package)


@pytest.mark.slow
def test_user_without_a_home_folder_has_no_cache(package):
    program = f'import os\nos.path.expanduser = lambda path: path\n{PROGRAM}'
    before = sorted(package.parent.rglob('*'))
    for _ in range(2):
        assert run(package, program, NUMBA_CACHE_DIR='', XDG_CACHE_HOME='')[1] == (1, 1)
    assert sorted(package.parent.rglob('*')) == before
