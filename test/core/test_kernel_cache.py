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

"""The cache of kernels: what is compiled again, what is kept, and a disk that keeps nothing."""

from __future__ import annotations

import os
from pathlib import Path
import subprocess
import sys

from bug_nav.core import kernel_cache
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = {
    '__init__': '',
    'sizes': 'SIZE = 2.0\nSHAPE = (1.0, 3.0)\nOTHER = 5.0\n',
    'inner': '''
from bug_nav.core.compiled import kernel
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
from bug_nav.core.compiled import kernel
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


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / 'parts'
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / f'{name}.py').write_text(text)
    return folder


def run(folder, **environment):
    """Return what the kernels of a package answer, and which of two were compiled."""
    done = subprocess.run(
        [sys.executable, '-c', PROGRAM], text=True, capture_output=True, timeout=120.0,
        cwd=folder.parent, env={
            **os.environ, 'PYTHONPATH': f'{folder.parent}{os.pathsep}{ROOT}',
            'NUMBA_CACHE_DIR': str(folder.parent / 'cache'), 'PYTHONDONTWRITEBYTECODE': '1',
            **environment})
    assert done.returncode == 0, done.stderr
    answers, misses = done.stdout.splitlines()
    return tuple(map(float, answers.split())), tuple(map(int, misses.split()))


def kept(folder):
    return sorted(path for path in folder.parent.glob('cache/bug_nav/kernels/*/*')
                  if path.suffix == '.nbc')


@pytest.mark.parametrize('name, before, after, answer', [
    ('sizes', 'SIZE = 2.0', 'SIZE = 4.0', 15.0),             # by the module that it is in
    ('sizes', '(1.0, 3.0)', '(1.0, 7.0)', 13.0),             # by its own name
    ('inner', 'FACTOR = 3.0', 'FACTOR = 5.0', 13.0),         # of a kernel that is called
    ('inner', 'FACTOR * x', 'FACTOR * x + 1.0', 11.0),       # code, two calls away
    ('inner', '* sizes.SIZE', '+ sizes.SIZE', 8.0)])
def test_edit_of_a_constant_or_kernel_recompiles_the_callers_in_other_files(
        package, name, before, after, answer):
    assert run(package) == ((9.0, 2.0), (1, 1))
    path = package / f'{name}.py'
    stamp = path.stat()
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # not even the date tells
    assert run(package) == ((answer, 2.0), (1, 0))


def test_edit_of_a_comment_or_an_unused_constant_recompiles_nothing(package):
    run(package)
    (package / 'sizes.py').write_text(PACKAGE['sizes'].replace('OTHER = 5.0', 'OTHER = 6.0'))
    (package / 'inner.py').write_text('# A comment.\n' + PACKAGE['inner'].replace(
        'Multiply.', 'Return a product.'))
    assert run(package) == ((9.0, 2.0), (0, 0))


def test_bounds_are_checked_by_code_of_its_own(package):
    run(package)
    assert run(package, NUMBA_BOUNDSCHECK='1')[1] == (1, 1)
    assert run(package)[1] == (0, 0)


def test_cache_is_in_the_home_of_the_user_unless_told_otherwise(package, tmp_path):
    home, elsewhere = tmp_path / 'home', tmp_path / 'elsewhere'
    run(package, NUMBA_CACHE_DIR='', HOME=str(home), XDG_CACHE_HOME='')
    assert any((home / '.cache' / 'bug_nav' / 'kernels').iterdir())
    run(package, NUMBA_CACHE_DIR='', HOME=str(home), XDG_CACHE_HOME=str(elsewhere))
    assert any((elsewhere / 'bug_nav' / 'kernels').iterdir())
    assert not kept(package) and not list(package.rglob('*.nb?'))


@pytest.mark.parametrize('place', ['a file', 'in a file', 'of nobody'])
def test_place_where_nothing_can_be_kept_costs_only_the_time_to_compile(package, tmp_path, place):
    (tmp_path / 'full').write_text('')
    environment = {'a file': {'NUMBA_CACHE_DIR': str(tmp_path / 'full')},
                   'in a file': {'NUMBA_CACHE_DIR': str(tmp_path / 'full' / 'inside')},
                   'of nobody': {'NUMBA_CACHE_DIR': '', 'XDG_CACHE_HOME': '',
                                 'HOME': str(tmp_path / 'full')}}[place]
    for _ in range(2):
        assert run(package, **environment) == ((9.0, 2.0), (1, 1))
    assert not list(tmp_path.rglob('*.nb?'))


@pytest.mark.parametrize('suffix', ['.nbi', '.nbc'])
@pytest.mark.parametrize('content', [b'', b'no pickle'])
def test_damaged_file_is_compiled_again(package, suffix, content):
    run(package)
    for path in package.parent.rglob(f'*{suffix}'):
        path.write_bytes(content)
    assert run(package) == ((9.0, 2.0), (1, 1))
    assert run(package) == ((9.0, 2.0), (0, 0))


def test_folders_that_were_not_used_for_the_longest_time_are_removed(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_cache, 'MOST_FOLDERS', 3)
    for age in range(5):
        (tmp_path / f'age {age}').mkdir()
        (tmp_path / f'age {age}' / 'code.nbc').write_text('')
        os.utime(tmp_path / f'age {age}', (1000.0 - age, 1000.0 - age))
    kernel_cache._remove_old(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {'age 0', 'age 1', 'age 2'}


def test_constant_that_cannot_be_hashed_is_compiled_each_time(monkeypatch, tmp_path):
    monkeypatch.setattr(kernel_cache, 'cache_folder', lambda: tmp_path)
    unknown = (each for each in ())

    def function():
        return unknown

    cache = kernel_cache.KernelCache(function, lambda: None)
    assert cache.cache_path is None and cache.is_empty
