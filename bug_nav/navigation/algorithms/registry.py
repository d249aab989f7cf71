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

"""Registry of algorithms: the entry point group ``bug_nav.algorithms``."""

from __future__ import annotations

import functools
from importlib import metadata
import os
import sys
import traceback
from typing import Dict, List, Tuple, Type

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.names import unknown

GROUP = 'bug_nav.algorithms'
PACKAGE = 'bug_nav'
"""The package whose own import errors are not errors of a plug-in."""


class UnknownAlgorithm(ValueError):
    """No algorithm has the requested name."""


class BrokenAlgorithm(UnknownAlgorithm):
    """A plug-in cannot be loaded; the message is one sentence with the file and the line."""


def _entries() -> List[metadata.EntryPoint]:
    # Cached, because reading the installed packages takes a while.
    return _installed(tuple((path, _modified(path)) for path in sys.path))


def _modified(path: str) -> float:
    try:
        return os.stat(path or os.curdir).st_mtime
    except OSError:
        return 0.0


@functools.lru_cache(maxsize=1)
def _installed(paths: Tuple[Tuple[str, float], ...]) -> List[metadata.EntryPoint]:
    """Return the entry points on ``paths``, `sys.path` with modification times (the cache key)."""
    found = metadata.entry_points()
    if hasattr(found, 'select'):
        return list(found.select(group=GROUP))
    return list(found.get(GROUP, ()))  # Python 3.9


def registered() -> Dict[str, metadata.EntryPoint]:
    """
    Return the registered algorithms by name.

    An entry that an overlay lists twice counts once. Raise ValueError if a name is registered with
    two values.
    """
    algorithms: Dict[str, metadata.EntryPoint] = {}
    for entry in _entries():
        first = algorithms.setdefault(entry.name, entry)
        if first.value != entry.value:
            raise ValueError(f'two algorithms are registered as {entry.name!r}: {first.value} and '
                             f'{entry.value}; rename one of them')
    return dict(sorted(algorithms.items()))


def find(name: str) -> Type[Algorithm]:
    """
    Return the algorithm called ``name``.

    :raises UnknownAlgorithm: if there is none.
    :raises BrokenAlgorithm: if it belongs to a plug-in that cannot be loaded.
    """
    known = registered()
    if name not in known:
        raise UnknownAlgorithm(unknown('algorithm', name, known, (
            'see `bug_nav algorithms`' if known else 'install bug_nav first')))
    entry = known[name]
    try:
        return entry.load()
    except Exception as error:  # third-party code
        if _package(entry.value) == PACKAGE:
            raise
        reason = ' '.join(_reason(error).split())
        raise BrokenAlgorithm(f'{name} cannot be loaded: {type(error).__name__}: {reason} '
                              f'({_place(entry, error)})') from error


def _package(module: str) -> str:
    return module.partition(':')[0].partition('.')[0]


def _reason(error: Exception) -> str:
    """Return the text of an error without a file, which is that of another module."""
    if isinstance(error, SyntaxError):
        return error.msg
    return str(error).replace(f' ({getattr(error, "path", None)})', '')


def _place(entry: metadata.EntryPoint, error: Exception) -> str:
    """Return the newest file and line of the plug-in in a traceback, else the entry point."""
    if isinstance(error, SyntaxError):
        return f'{error.filename}:{error.lineno}'
    lines = [f'{frame.f_code.co_filename}:{line}'
             for frame, line in traceback.walk_tb(error.__traceback__)
             if _package(frame.f_globals.get('__name__', '')) == _package(entry.value)]
    return lines[-1] if lines else entry.value
