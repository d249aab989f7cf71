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
Entry points of the group ``bug_nav.algorithms``: names, distributions and conflicts.

Nothing is loaded here, so that a command reports conflicts without the import of numba.
"""

from __future__ import annotations

import functools
from importlib import metadata
import os
import sys
from typing import Dict, List, Sequence, Tuple

from bug_nav.navigation.names import listed

GROUP = 'bug_nav.algorithms'
PACKAGE = 'bug_nav'
"""The package whose own import errors are not errors of a plug-in."""


def installed() -> List[metadata.EntryPoint]:
    """Return all entry points of the group."""
    # Cached, because reading the installed packages takes a while.
    return _on_path(tuple((path, _modified(path)) for path in sys.path))


def _modified(path: str) -> float:
    try:
        return os.stat(path or os.curdir).st_mtime
    except OSError:
        return 0.0


@functools.lru_cache(maxsize=1)
def _on_path(paths: Tuple[Tuple[str, float], ...]) -> List[metadata.EntryPoint]:
    """Return the entry points on ``paths``, `sys.path` with modification times (the cache key)."""
    found = metadata.entry_points()
    if hasattr(found, 'select'):
        return list(found.select(group=GROUP))
    return list(found.get(GROUP, ()))  # Python 3.9


def by_name() -> Dict[str, List[metadata.EntryPoint]]:
    """Return the entries of each name with different values, that of this package first."""
    found: Dict[str, List[metadata.EntryPoint]] = {}
    for entry in sorted(installed(), key=lambda each: not is_shipped(each)):
        same = found.setdefault(entry.name, [])
        if all(entry.value != other.value for other in same):
            same.append(entry)
    return found


def conflicts() -> List[str]:
    """Return a sentence about each plug-in that is ignored because of its name."""
    return [conflict(name, entries) for name, entries in sorted(by_name().items())
            if len(entries) > 1]


def conflict(name: str, entries: Sequence[metadata.EntryPoint]) -> str:
    """Return a sentence about different entries with one name."""
    first, *others = (f'{entry.value}{of_distribution(entry)}' for entry in entries)
    if is_shipped(entries[0]):
        return (f'{name!r} is the name of an algorithm of bug_nav, so {listed(others)} is '
                'ignored; rename its entry point')
    return (f'two plug-ins are registered as {name!r}, {first} and {listed(others)}; rename the '
            'entry point of one of them, or uninstall it')


def of_distribution(entry: metadata.EntryPoint) -> str:
    """Return the distribution of an entry as text; '' before Python 3.10, which omits it."""
    found = getattr(entry, 'dist', None)
    return f' of {found.metadata["Name"]} {found.version}' if found else ''


def is_shipped(entry: metadata.EntryPoint) -> bool:
    """Return whether an entry belongs to this package."""
    return package(entry.value) == PACKAGE


def package(module: str) -> str:
    """Return the package of a module or of the value of an entry point."""
    return module.partition(':')[0].partition('.')[0]
