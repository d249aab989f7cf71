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

"""Registry of algorithms: find, load and validate those of the entry points."""

from __future__ import annotations

import contextlib
import dataclasses
from importlib import metadata
import inspect
import sys
import traceback
from typing import Any, Dict, Type

from bug_nav.navigation.algorithms.base import Algorithm, Metadata, Step
from bug_nav.navigation.algorithms.entry_points import (
    by_name,
    conflict,
    is_shipped,
    of_distribution,
    package,
)
from bug_nav.navigation.names import listed, shown, unknown
from bug_nav.navigation.parameters import ParameterSet


class UnknownAlgorithm(ValueError):
    """No algorithm has the requested name."""


class BrokenAlgorithm(UnknownAlgorithm):
    """A plug-in cannot be loaded; the message is one sentence with the file and the line."""

    def __init__(self, name: str, reason: str):
        """Store the reason, without the name of the algorithm."""
        super().__init__(f'{name} cannot be loaded: {reason}')
        self.reason = reason


def registered() -> Dict[str, metadata.EntryPoint]:
    """
    Return the registered algorithms by name.

    An entry that an overlay lists twice counts once. Of two algorithms with one name, that of this
    package wins; see `entry_points.conflicts`.
    """
    return {name: entries[0] for name, entries in sorted(by_name().items())}


def find(name: str) -> Type[Algorithm]:
    """
    Return the algorithm called ``name``.

    :raises UnknownAlgorithm: if there is none.
    :raises BrokenAlgorithm: if it belongs to a plug-in that cannot be loaded or is not valid.
    """
    known = by_name()
    if name not in known:
        raise UnknownAlgorithm(unknown('algorithm', name, known, (
            'see `bug_nav algorithms`' if known else 'install bug_nav first')))
    entry, *others = known[name]
    if is_shipped(entry):
        found: Type[Algorithm] = entry.load()
        return found
    if others:
        raise BrokenAlgorithm(name, conflict(name, known[name]))
    if not metadata.EntryPoint.pattern.match(entry.value):
        raise BrokenAlgorithm(name, f'its entry point is {entry.value!r}; give module:class'
                                    f'{of_distribution(entry)}')
    try:
        # Standard output belongs to the command, which may write JSON there.
        with contextlib.redirect_stdout(sys.stderr):
            loaded = entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # third-party code, which may also exit
        reason = ' '.join(_reason(error).split())
        raise BrokenAlgorithm(name, f'{type(error).__name__}: {reason} ({_place(entry, error)}'
                                    f'{of_distribution(entry)})') from error
    problem = _problem(loaded)
    if problem:
        raise BrokenAlgorithm(name, f'{entry.value} {problem} ({_source(entry, loaded)}'
                                    f'{of_distribution(entry)})')
    return loaded


def _problem(loaded: Any) -> str:
    """Return why an object is not a valid algorithm; '' if it is."""
    if not (isinstance(loaded, type) and issubclass(loaded, Algorithm)):
        kind = 'another class' if isinstance(loaded, type) else (
            f'an object of type {type(loaded).__name__}')
        return f'is {kind}; give a class derived from bug_nav.Algorithm'
    if not isinstance(getattr(loaded, 'metadata', None), Metadata):
        return 'has no metadata; give it a class attribute metadata = Metadata(...)'
    if inspect.isabstract(loaded):
        return f'has no method {listed(sorted(loaded.__abstractmethods__))}; define it'
    if not (isinstance(loaded.steps, tuple)
            and all(isinstance(step, Step) for step in loaded.steps)):
        return "has steps that are no tuple of bug_nav.Step, such as (Step('1', 'Move.'),)"
    parameters = loaded.Parameters
    if not (isinstance(parameters, type) and issubclass(parameters, ParameterSet)
            and dataclasses.is_dataclass(parameters)):
        return 'has Parameters that are no dataclass derived from bug_nav.ParameterSet'
    try:
        defaults = parameters()
    except Exception as error:
        return f'has Parameters whose defaults are not valid: {error}'
    try:
        inspect.signature(loaded).bind(defaults)
    except TypeError:
        return ('has an __init__ that does not take the parameters; define __init__(self, '
                'parameters=None), and call super().__init__(parameters) there')
    return ''


def _source(entry: metadata.EntryPoint, loaded: Any) -> str:
    """Return file and line of a loaded object, else the file of its module."""
    try:
        return f'{inspect.getsourcefile(loaded)}:{inspect.getsourcelines(loaded)[1]}'
    except (TypeError, OSError):
        return _file(entry)


def _file(entry: metadata.EntryPoint) -> str:
    """Return the file of an imported module, else the entry point."""
    module = sys.modules.get(entry.value.partition(':')[0].strip())
    return getattr(module, '__file__', None) or entry.value


def _reason(error: BaseException) -> str:
    """Return the text of an error without a file, which is that of another module."""
    if isinstance(error, SyntaxError):
        return error.msg
    if isinstance(error, SystemExit):
        return f'its import ends the program with {shown(error.code)}'
    return str(error).replace(f' ({getattr(error, "path", None)})', '')


def _place(entry: metadata.EntryPoint, error: BaseException) -> str:
    """Return the newest file and line of the plug-in in a traceback, else its file."""
    if isinstance(error, SyntaxError):
        return f'{error.filename}:{error.lineno}'
    lines = [f'{frame.f_code.co_filename}:{line}'
             for frame, line in traceback.walk_tb(error.__traceback__)
             if package(frame.f_globals.get('__name__', '')) == package(entry.value)]
    return lines[-1] if lines else _file(entry)
