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
Write the tables of docs/campaigns.md and docs/robots.md: keys, columns, presets.

They come from the code that they are about. Run without arguments to write, with `--check` to
compare with what is there (exit code 1 where they differ). Needs bug_nav installed.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
import re
import sys
from typing import Any, Dict, Optional, Sequence, Type

from bug_nav.bench.rows import Row
from bug_nav.bench.spec import AUTO, Odometry, OWN, Spec, Worlds
from bug_nav.bench.table import KINDS
from bug_nav.commands.robots import sensor_of
from bug_nav.robot import contour_radius
from bug_nav.sim.robots import ROBOTS

DOCS = Path(__file__).resolve().parent.parent / 'docs'
KEYS: Dict[str, Type] = {'campaign': Spec, 'worlds': Worlds, 'odometry': Odometry}
"""The tables of keys, by the name of their markers."""


def table_of_keys(kind: Type) -> str:
    """Return the table of the keys of one class."""
    lines = ['| key | default | allowed | |', '|---|---|---|---|']
    for field in dataclasses.fields(kind):
        meta = field.metadata
        default = '*required*' if meta['required'] else _default(field)
        unit = f' [{meta["unit"]}]' if meta['unit'] else ''
        cells = (f'`{field.name}`', default, meta['reader'].form + unit, meta['doc'])
        lines.append(f'| {" | ".join(cell.replace("|", "/") for cell in cells)} |')
    return '\n'.join(lines)


def _default(field: dataclasses.Field) -> str:
    """Return the default of a key as one types it."""
    value: Any = field.default
    if field.name in ('odometry', 'settings') or value in (None, ''):
        return f'`{AUTO}`' if field.name == 'time_allowance' else ''
    if isinstance(value, tuple):
        (value,) = value
    if value is None:
        return f'`{OWN}`'
    return f'`{str(value).lower() if isinstance(value, bool) else _plain(value)}`'


def _plain(value: Any) -> str:
    return f'{value:g}' if isinstance(value, float) else str(value)


def table_of_columns() -> str:
    """Return the table of the columns of a row."""
    names = {bool: 'boolean', int: 'integer', float: 'number', str: 'text'}
    lines = ['| column | type | unit | |', '|---|---|---|---|']
    for field in dataclasses.fields(Row):
        meta = field.metadata
        lines.append(f'| `{field.name}` | {names[KINDS[field.name]]} | {meta["unit"]} | '
                     f'{meta["about"]} |')
    return '\n'.join(lines)


def table_of_robots() -> str:
    """Return the table of the presets."""
    lines = ['| robot | R | rho | at most | sensor | |', '|---|---|---|---|---|---|']
    for name, preset in ROBOTS.items():
        model = preset.model
        base = ', omnidirectional' if model.base == 'omni' else ''
        cells = (f'`{name}`', f'{model.robot_radius:g} m',
                 f'{contour_radius(model, preset.settings):g} m',
                 f'{model.max_vel_x:g} m/s, {model.max_vel_theta:g} rad/s', sensor_of(preset),
                 preset.title + base)
        lines.append(f'| {" | ".join(cells)} |')
    return '\n'.join(lines)


def pages() -> Dict[str, Dict[str, str]]:
    """Return the tables of each page, by the names of their markers."""
    return {'campaigns.md': {**{name: table_of_keys(kind) for name, kind in KEYS.items()},
                             'columns': table_of_columns()},
            'robots.md': {'robots': table_of_robots()}}


def with_tables(page: str, text: str, tables: Dict[str, str]) -> str:
    """Return the text of a page with its tables as they should be."""
    for name, table in tables.items():
        pattern = re.compile(f'(<!-- {name}: [^\n]*-->\n).*?(<!-- {name}: end -->)', re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f'{page} has no <!-- {name}: ... --> and <!-- {name}: end -->')
        text = pattern.sub(lambda found, table=table: f'{found[1]}{table}\n{found[2]}', text)
    return text


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare the pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    check = parser.parse_args(arguments).check
    differing = False
    for page, tables in pages().items():
        before = (DOCS / page).read_text(encoding='utf-8')
        after = with_tables(page, before, tables)
        if not check:
            (DOCS / page).write_text(after, encoding='utf-8')
        elif after != before:
            print(f'docs/{page} is not what the code says; run `make tables`', file=sys.stderr)
            differing = True
    return 1 if differing else 0


if __name__ == '__main__':
    sys.exit(main())
