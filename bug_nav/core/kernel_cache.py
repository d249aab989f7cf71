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

The compiled code of a kernel is kept in a folder that is named by a hash of all that the kernel is
compiled from: its own code, the constants that it uses, the kernels that it calls, and the
versions of numba, numpy and Python. An edit in one file therefore recompiles the callers in other
files, and nothing else; where a file lies and when it was written does not matter.

This module imports numba; `bug_nav.core.compiled` imports it only where numba can be imported.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
from pathlib import Path
import pickle
import shutil
import sys
from types import CodeType, FunctionType, ModuleType
from typing import (
    Any,
    Callable,
    Collection,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Set,
    Tuple,
)

import numba
from numba.core import caching, config
import numpy as np

MOST_FOLDERS = 1000
"""Maximum number of folders in the cache; each holds one version of a kernel."""
OPTIONS = ('OPT', 'BOUNDSCHECK', 'DEBUGINFO_DEFAULT')
"""Options of numba that change what it compiles."""
LIBRARIES = ('math', 'numba', 'numpy')
"""Modules whose constants change with their versions only."""


def cache_folder() -> Path:
    """Return the folder of the cache, which is below ``NUMBA_CACHE_DIR`` if that is set."""
    chosen = getattr(config, 'CACHE_DIR', '') or os.environ.get('XDG_CACHE_HOME')
    return Path(chosen or Path.home() / '.cache') / 'bug_nav' / 'kernels'


def fingerprint(function: Any) -> str:
    """Return a hash of all that a kernel is compiled from."""
    versions = numba.__version__, np.__version__.split('.')[:2], sys.version_info[:2]
    options = [str(getattr(config, option, None)) for option in OPTIONS]
    digest = hashlib.sha256(repr((versions, options)).encode())
    for part in _parts(function, set()):
        digest.update(part)
    return digest.hexdigest()[:32]


def _parts(function: Any, known: Set[Any]) -> Iterator[bytes]:
    """Yield the code of a function and the constants that it uses; then those of its callees."""
    if function in known:
        return
    known.add(function)
    yield f'{function.__module__}.{function.__qualname__}'.encode()
    yield pickle.dumps(function.__defaults__, 4)
    names = list(function.__code__.co_freevars)
    for code in _codes(function.__code__):
        yield code.co_code
        yield repr((code.co_names, code.co_varnames)).encode()
        yield repr([constant for constant in code.co_consts if constant != function.__doc__
                    and not isinstance(constant, CodeType)]).encode()
        names.extend(code.co_names)
    for name, value in _named(function, dict.fromkeys(names)):
        yield name.encode()
        yield from _value(value, known)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code, and that of the comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _named(function: Any, names: Collection[str]) -> Iterator[Tuple[str, Any]]:
    """Yield the values that names stand for in a function, also those of modules."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    spaces: List[Mapping[str, Any]] = [
        dict(zip(function.__code__.co_freevars, cells)), function.__globals__]
    for space in spaces:
        for name in names:
            value = space.get(name)
            if isinstance(value, ModuleType):
                if value.__name__.partition('.')[0] not in LIBRARIES and not any(
                        vars(value) is each for each in spaces):
                    spaces.append(vars(value))
            elif name in space:
                yield name, value


def _value(value: Any, known: Set[Any]) -> Iterator[bytes]:
    """Yield the content of a constant, or of a kernel that is called."""
    function = getattr(value, 'py_func', value)
    if isinstance(function, FunctionType):
        yield from _parts(function, known)
        return
    yield pickle.dumps(value, 4)
    if isinstance(value, type):  # of which pickle has no more than the name
        members: Dict[str, Any] = getattr(value, '__members__', {})
        yield repr((getattr(value, '_fields', ()),
                    [(name, member.value) for name, member in members.items()])).encode()


class _Locator:
    """Tells numba the folder of a kernel."""

    def __init__(self, function: Any, path: str):
        """Compute the hash; raise an exception where a constant has none."""
        self._py_file = path
        self._folder = cache_folder() / fingerprint(function)
        with contextlib.suppress(OSError):
            os.utime(self._folder)  # in use, so that it is not removed

    @classmethod
    def from_function(cls, function: Any, path: str) -> _Locator:
        """Return the locator of a function."""
        return cls(function, path)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return a constant: the name of the folder changes with the source."""
        return ''

    def get_disambiguator(self) -> str:
        """Return a constant: each function has a folder of its own."""
        return ''


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = [_Locator]


class _Files(caching.Cache):
    """The files of a kernel, as numba reads and writes them."""

    _impl_class: Any = _Implementation


class KernelCache(caching.NullCache):
    """
    The cache of one kernel; a fault of the disk costs the time to compile, and nothing else.

    The hash is computed when code is looked for, because a kernel may call others that are defined
    after it, and a constant may have been set anew since code was compiled for other types.
    """

    def __init__(self, function: Any, on_miss: Callable[[], None]):
        """Serve a function; call ``on_miss`` before the function is compiled."""
        self._function, self._on_miss = function, on_miss
        self._files: Optional[caching._Cache] = None

    @property
    def cache_path(self) -> Optional[str]:
        """Return the folder; None if the kernel cannot be kept."""
        return self._opened().cache_path

    @property
    def is_empty(self) -> bool:
        """Return whether there is no compiled code of the kernel."""
        folder = self.cache_path
        return folder is None or not any(Path(folder).glob('*.nbi'))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code for types of arguments; None if it has to be compiled."""
        found, self._files = None, None
        files = self._opened()
        try:
            found = files.load_overload(sig, target_context)
        except Exception:  # a damaged file may raise anything
            shutil.rmtree(files.cache_path, ignore_errors=True)
        if found is None:
            self._on_miss()
        return found

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep compiled code."""
        with contextlib.suppress(OSError):
            self._opened().save_overload(sig, cres)
            _remove_old(cache_folder())

    def _opened(self) -> caching._Cache:
        if self._files is None:
            try:
                self._files = _Files(self._function)
            except Exception:  # there is no home, or a constant cannot be hashed
                self._files = caching.NullCache()
        return self._files


@functools.lru_cache(maxsize=None)
def _remove_old(base: Path) -> None:
    """Remove the folders that were not used for the longest time; once in each process."""
    def last_use(folder: Path) -> float:
        with contextlib.suppress(OSError):  # another process may remove it meanwhile
            return folder.stat().st_mtime
        return 0.0

    for folder in sorted(base.iterdir(), key=last_use, reverse=True)[MOST_FOLDERS:]:
        shutil.rmtree(folder, ignore_errors=True)
