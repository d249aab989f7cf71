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

"""``bug_nav algorithms``: list the registered algorithms or describe one."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import os
import textwrap
from typing import Any, Dict, Iterator, List, Sequence, TYPE_CHECKING

from bug_nav.cli import CannotRun
from bug_nav.files import BadInput

if TYPE_CHECKING:
    from bug_nav.lab.algorithm_catalogue import Entry

WIDTH = 99
"""Maximum width of the output [characters]."""
TURNS = {'free': "the user's choice", 'own': "the algorithm's choice",
         'first': "the user's choice at the first hit point, then the algorithm's"}
"""Source of the turn direction as text, by `Metadata.turn`."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    with _without_numba():
        from bug_nav.lab.algorithm_catalogue import catalogue
        entries = catalogue()
        chosen = [_chosen(arguments.name, entries)] if arguments.name else entries
    if arguments.json:
        document = [as_dict(entry) for entry in chosen]
        print(json.dumps(document[0] if arguments.name else document, allow_nan=False))
    else:
        print(describe(chosen[0]) if arguments.name else table(entries))
    return 0


@contextlib.contextmanager
def _without_numba() -> Iterator[None]:
    """Disable numba while importing: its import dominates the run time, and no kernel runs."""
    before = os.environ.get('NUMBA_DISABLE_JIT')
    os.environ['NUMBA_DISABLE_JIT'] = '1'
    try:
        yield
    finally:
        if before is None:
            del os.environ['NUMBA_DISABLE_JIT']
        else:
            os.environ['NUMBA_DISABLE_JIT'] = before


def _chosen(name: str, entries: Sequence[Entry]) -> Entry:
    for entry in entries:
        names = (entry.name, *entry.aliases)
        if name in names:
            if entry.error:
                raise CannotRun(f'the algorithm {name!r} ({entry.value}) cannot be loaded: '
                                f'{entry.error}')
            # Under the requested name, which is also the prefix of its parameters.
            return dataclasses.replace(entry, name=name, aliases=tuple(
                other for other in names if other != name))
    from bug_nav.navigation.algorithms.registry import find, UnknownAlgorithm
    try:
        find(name)
    except UnknownAlgorithm as error:
        raise BadInput(str(error)) from error
    raise AssertionError(f'{name!r} is registered, but not in the catalogue')


# ---- output -----------------------------------------------------------------------------------

def as_dict(entry: Entry) -> Dict[str, Any]:
    """Return the ``--json`` document of an algorithm, or its error if it cannot be loaded."""
    document: Dict[str, Any] = {'name': entry.name, 'aliases': list(entry.aliases),
                                'value': entry.value, 'error': entry.error or None}
    if not entry.error:
        document.update(dataclasses.asdict(entry.metadata), idea=entry.idea)
        document['steps'] = [{'name': name, 'text': text} for name, text in entry.steps]
        document['parameters'] = [
            {'name': f'{entry.name}.{field.name}', 'default': field.default, **field.metadata}
            for field in entry.parameters]
    return document


def allowed_values(field: dataclasses.Field) -> str:
    """Return the allowed values of a parameter, such as '0 to 0.03'; '' for any."""
    meta = field.metadata
    low, high = meta.get('low'), meta.get('high')
    if meta.get('choices'):
        return ', '.join(meta['choices'])
    if low is not None and high is not None:
        return f'{low:g} to {high:g}'
    if low is not None:
        return f'at least {low:g}'
    return f'at most {high:g}' if high is not None else ''


def with_unit(field: dataclasses.Field) -> str:
    """Return the default of a parameter with its unit."""
    value = field.default
    text = str(value).lower() if isinstance(value, bool) else (
        f'{value:g}' if isinstance(value, float) else str(value))
    return f'{text} {field.metadata.get("unit", "")}'.strip()


# ---- the table --------------------------------------------------------------------------------

NOTES = ('complete: reaches every reachable goal and proves the others unreachable.',
         'D: distance from start to goal; p_i: perimeter of an obstacle; n_i: number of crossings',
         'of the straight line from start to goal with it. `bug_nav algorithms NAME` describes an',
         'algorithm and its differences from the paper.')
HEAD = ('algorithm', 'paper', 'senses', 'complete', 'path at most')


def table(entries: Sequence[Entry]) -> str:
    """Return the table of all algorithms; long cells are wrapped."""
    rows = [_row(entry) for entry in entries if not entry.error]
    widths = _widths([HEAD, *rows])
    lines = [_line(HEAD, widths), _line(['-' * width for width in widths], widths)]
    lines += [_line(row, widths) for row in rows]
    for entry in entries:
        if entry.error:
            lines += textwrap.wrap(f'{entry.name}: cannot be loaded: {entry.error}', WIDTH,
                                   subsequent_indent='  ')
    notes = ['', *NOTES]
    if any(not entry.error and entry.metadata.reconstructed for entry in entries):
        notes.append('* reconstructed: no available source has all of its steps.')
    return '\n'.join(lines + notes)


def _row(entry: Entry) -> List[str]:
    metadata = entry.metadata
    star = ' *' if metadata.reconstructed else ''
    return [', '.join((entry.name, *entry.aliases)) + star, metadata.source,
            metadata.sensing.partition(' ')[0], 'yes' if metadata.complete else 'no',
            metadata.bound]


def _widths(rows: Sequence[Sequence[str]]) -> List[int]:
    """Return the column widths, narrowing the widest until all fit."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    while sum(widths) + 2 * (len(widths) - 1) > WIDTH:
        widths[widths.index(max(widths))] -= 1
    return widths


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    wrapped = [textwrap.wrap(cell, width) or [''] for cell, width in zip(cells, widths)]
    height = max(map(len, wrapped))
    return '\n'.join(
        '  '.join((cell[k] if k < len(cell) else '').ljust(width)
                  for cell, width in zip(wrapped, widths)).rstrip()
        for k in range(height))


# ---- one algorithm ----------------------------------------------------------------------------

def describe(entry: Entry) -> str:
    """Return the full description of an algorithm."""
    metadata = entry.metadata
    also = f' (also {", ".join(entry.aliases)})' if entry.aliases else ''
    rows = [('paper', metadata.source), ('senses', metadata.sensing),
            ('remembers', metadata.memory), ('complete', 'yes' if metadata.complete else 'no'),
            ('path at most', metadata.bound),
            ('guarantee', metadata.guarantee), ('turn', TURNS.get(metadata.turn, metadata.turn)),
            ('differences', metadata.differences or 'none'), ('from', entry.value)]
    lines = [f'{entry.name}{also}: {metadata.title}', *textwrap.wrap(entry.idea, WIDTH)]
    for name, text in rows:
        lines += textwrap.wrap(text, WIDTH, initial_indent=f'  {name:<13} ',
                               subsequent_indent=' ' * 16)
    lines += ['', *_step_lines(entry)]
    lines += _parameter_lines(entry) or ['It has no parameters of its own.']
    return '\n'.join(lines)


def _step_lines(entry: Entry) -> List[str]:
    lines = []
    for name, text in entry.steps:
        lines += textwrap.wrap(text, WIDTH, initial_indent=f'  {name:<3} ',
                               subsequent_indent=' ' * 6)
    return ['steps:', *lines, ''] if lines else []


def _parameter_lines(entry: Entry) -> List[str]:
    lines = []
    for field in entry.parameters:
        limits = allowed_values(field)
        lines.append(f'  {entry.name}.{field.name} = {with_unit(field)}'
                     + (f' ({limits})' if limits else ''))
        lines += textwrap.wrap(field.metadata.get('doc', ''), WIDTH, initial_indent=' ' * 6,
                               subsequent_indent=' ' * 6)
    return ['parameters, for --set and for the node:', *lines] if lines else []
