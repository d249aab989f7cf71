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

import dataclasses
import functools
from importlib import metadata
import inspect
import os
import sys
import traceback
from typing import Any, Dict, List, Sequence, Tuple, Type

from bug_nav.navigation.algorithms.base import Algorithm, Metadata
from bug_nav.navigation.names import listed, shown, unknown
from bug_nav.navigation.parameters import ParameterSet

GROUP = 'bug_nav.algorithms'
PACKAGE = 'bug_nav'
"""The package whose own import errors are not errors of a plug-in."""


class UnknownAlgorithm(ValueError):
    """No algorithm has the requested name."""


class BrokenAlgorithm(UnknownAlgorithm):
    """A plug-in cannot be loaded; the message is one sentence with the file and the line."""

    def __init__(self, name: str, reason: str):
        """Store the reason, without the name of the algorithm."""
        super().__init__(f'{name} cannot be loaded: {reason}')
        self.reason = reason


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

    An entry that an overlay lists twice counts once. Of two algorithms with one name, that of this
    package wins; see `conflicts`.
    """
    return {name: entries[0] for name, entries in sorted(_by_name().items())}


def _by_name() -> Dict[str, List[metadata.EntryPoint]]:
    """Return the entries of each name with different values, that of this package first."""
    found: Dict[str, List[metadata.EntryPoint]] = {}
    for entry in sorted(_entries(), key=lambda each: _package(each.value) != PACKAGE):
        same = found.setdefault(entry.name, [])
        if all(entry.value != other.value for other in same):
            same.append(entry)
    return found


def conflicts() -> List[str]:
    """Return a sentence about each plug-in that is ignored because of its name."""
    return [_conflict(name, entries) for name, entries in sorted(_by_name().items())
            if len(entries) > 1]


def _conflict(name: str, entries: Sequence[metadata.EntryPoint]) -> str:
    first, *others = (f'{entry.value}{_distribution(entry)}' for entry in entries)
    if _package(entries[0].value) == PACKAGE:
        return (f'{name!r} is the name of an algorithm of bug_nav, so {listed(others)} is '
                'ignored; rename its entry point')
    return (f'two plug-ins are registered as {name!r}, {first} and {listed(others)}; rename the '
            'entry point of one of them, or uninstall it')


def _distribution(entry: metadata.EntryPoint) -> str:
    """Return the distribution of an entry as text; '' before Python 3.10, which omits it."""
    found = getattr(entry, 'dist', None)
    return f' of {found.metadata["Name"]} {found.version}' if found else ''


def find(name: str) -> Type[Algorithm]:
    """
    Return the algorithm called ``name``.

    :raises UnknownAlgorithm: if there is none.
    :raises BrokenAlgorithm: if it belongs to a plug-in that cannot be loaded or is not valid.
    """
    known = _by_name()
    if name not in known:
        raise UnknownAlgorithm(unknown('algorithm', name, known, (
            'see `bug_nav algorithms`' if known else 'install bug_nav first')))
    entry, *others = known[name]
    if _package(entry.value) == PACKAGE:
        found: Type[Algorithm] = entry.load()
        return found
    if others:
        raise BrokenAlgorithm(name, _conflict(name, known[name]))
    try:
        loaded = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # third-party code, which may also exit
        reason = ' '.join(_reason(error).split())
        raise BrokenAlgorithm(name, f'{type(error).__name__}: {reason} ({_place(entry, error)}'
                                    f'{_distribution(entry)})') from error
    problem = _problem(loaded)
    if problem:
        raise BrokenAlgorithm(name, f'{entry.value} {problem} ({_source(entry, loaded)}'
                                    f'{_distribution(entry)})')
    return loaded


def _problem(loaded: Any) -> str:
    """Return why an object is not a valid algorithm; '' if it is."""
    if not (isinstance(loaded, type) and issubclass(loaded, Algorithm)):
        kind = 'another class' if isinstance(loaded, type) else f'a {type(loaded).__name__}'
        return f'is {kind}; give a class derived from bug_nav.Algorithm'
    if not isinstance(getattr(loaded, 'metadata', None), Metadata):
        return 'has no metadata; give it a class attribute metadata = Metadata(...)'
    if inspect.isabstract(loaded):
        return f'has no method {listed(sorted(loaded.__abstractmethods__))}; define it'
    parameters = loaded.Parameters
    if not (isinstance(parameters, type) and issubclass(parameters, ParameterSet)
            and dataclasses.is_dataclass(parameters)):
        return 'has Parameters that are no dataclass derived from bug_nav.ParameterSet'
    try:
        parameters()
    except Exception as error:
        return f'has Parameters whose defaults are not valid: {error}'
    return ''


def _source(entry: metadata.EntryPoint, loaded: Any) -> str:
    """Return file and line of a loaded object, else the entry point."""
    try:
        return f'{inspect.getsourcefile(loaded)}:{inspect.getsourcelines(loaded)[1]}'
    except (TypeError, OSError):
        return entry.value


def _package(module: str) -> str:
    return module.partition(':')[0].partition('.')[0]


def _reason(error: BaseException) -> str:
    """Return the text of an error without a file, which is that of another module."""
    if isinstance(error, SyntaxError):
        return error.msg
    if isinstance(error, SystemExit):
        return f'its import ends the program with {shown(error.code)}'
    return str(error).replace(f' ({getattr(error, "path", None)})', '')


def _place(entry: metadata.EntryPoint, error: BaseException) -> str:
    """Return the newest file and line of the plug-in in a traceback, else the entry point."""
    if isinstance(error, SyntaxError):
        return f'{error.filename}:{error.lineno}'
    lines = [f'{frame.f_code.co_filename}:{line}'
             for frame, line in traceback.walk_tb(error.__traceback__)
             if _package(frame.f_globals.get('__name__', '')) == _package(entry.value)]
    return lines[-1] if lines else entry.value
