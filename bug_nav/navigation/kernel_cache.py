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
The cache of compiled kernels.

numba stores them in a folder whose name is a hash of the Python files of `FOLDERS` and of the
versions of numba, numpy and Python: an edit in one file recompiles the callers in others. An edit
of a file in the folder of a kernel, such as that of a plug-in, recompiles that kernel as well.

This module imports numba; `compiled` imports it only if numba can be imported.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from pathlib import Path
import shutil
import sys
from types import SimpleNamespace
from typing import Any, Callable

import numba
from numba.core import caching, config
import numpy as np

FOLDERS = ('navigation', 'navigation/control', 'navigation/cspace', 'navigation/perception',
           'simulation')
"""Folders of bug_nav with kernels or constants that kernels of other folders use."""
MAX_FOLDERS = 3
"""Maximum number of folders in the cache; each holds all kernels."""


@functools.lru_cache(maxsize=None)
def cache_folder() -> Path:
    """Return the folder of the cache, below ``NUMBA_CACHE_DIR`` if that is set."""
    contents = [_content(Path(__file__).parents[1] / name) for name in FOLDERS]
    versions = numba.__version__, np.__version__.split('.')[:2], sys.version_info[:2]
    options = [getattr(config, name) for name in ('OPT', 'BOUNDSCHECK', 'DEBUGINFO_DEFAULT')]
    key = hashlib.sha256(f'{contents} {versions} {options}'.encode()).hexdigest()[:32]
    base = (getattr(config, 'CACHE_DIR', '') or os.environ.get('XDG_CACHE_HOME')
            or os.path.expanduser('~/.cache'))
    folder = Path(base, 'bug_nav', 'kernels', key)
    with contextlib.suppress(OSError):
        os.utime(folder)  # in use, so that it is not removed
    return folder


@functools.lru_cache(maxsize=None)
def _content(folder: Path) -> str:
    """Return a hash of the Python files of a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob('*.py')):
        with contextlib.suppress(OSError):  # such as the lock of an editor
            digest.update(os.fsencode(path.name) + path.read_bytes())
    return digest.hexdigest()


def _locator(function: Any, path: str) -> SimpleNamespace:
    """Return the cache location of a function, and the stamp of its source."""
    folder = str(cache_folder() / function.__module__)
    return SimpleNamespace(
        _py_file=path,
        ensure_cache_path=lambda: os.makedirs(folder, exist_ok=True),
        get_cache_path=lambda: folder,
        get_disambiguator=lambda: str(function.__code__.co_firstlineno),
        get_source_stamp=lambda: _content(Path(path).parent))


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes: Any = [SimpleNamespace(from_function=_locator)]


class KernelCache(caching.FunctionCache):
    """The cache of one kernel; a disk error costs only the time to compile."""

    _impl_class = _Implementation

    def __init__(self, function: Any, on_miss: Callable[[], None]):
        """Serve a function; call ``on_miss`` before the function is compiled."""
        super().__init__(function)
        self._on_miss = on_miss
        if self.cache_path[0] == '~' or not os.path.exists(function.__code__.co_filename):
            self.disable()  # no home folder, or no source file

    @property
    def is_empty(self) -> bool:
        """Return whether there is no compiled code of the kernel."""
        return not os.path.exists(self._cache_file._index_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for types of arguments; None if it has to be compiled."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a damaged file may raise any exception
            found = None
            with contextlib.suppress(OSError):
                self.flush()
        if found is None:
            self._on_miss()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store compiled code; remove the least recently used folders."""
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)
            folders = sorted(cache_folder().parent.iterdir(), key=os.path.getmtime)
            for folder in folders[:-MAX_FOLDERS]:
                shutil.rmtree(folder, ignore_errors=True)
