#!/usr/bin/env python3
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
Measure the results that README.md and docs/ show, and store them as data.

results/NAME/ gets the rows of the episodes and a manifest: command, seed, commit, machine,
versions, date, duration, and a digest of the code that the result depends on. The tables of the
pages are then written from there. An interrupted measurement continues, with its seed, as long as
this code is the same. Exit code: 0, 1 if a measurement has no figures, 2 for bad input.

With `--status`: list which results are older than the code that they depend on. With `--same`:
compare episodes with those of the commit that measured them (`compare_commits`) instead of
measuring again.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
from pathlib import Path
import shutil
import subprocess
import sys
import time
from typing import Any, Dict, Iterator, List, Optional, Sequence

from bug_nav.files.paths import atomic_write
from bug_nav.lab.rows import Row
from bug_nav.lab.table import read_table, TableError, write_table
from bug_nav.navigation.names import listed
from compare_commits import repeated
import make_doc_tables
import make_tables
from measurements import MEASUREMENTS
from provenance import commit, digests, fresh_seed, machine, versions
import results
from results import Data, ROOT
from workspace import NO_FIGURES, say, Workspace

BEGUN = ROOT / 'out' / 'results'
"""Folder of measurements that are under way."""
STATE_FILE = 'state.json'
"""File there with the finished parts."""
OLDER = 'older'
"""In place of names: all results that do not exist or are older than their code."""
MAX_LISTED = 3
"""Maximum number of listed changes."""
DIGITS, TIME_DIGITS = 4, 3
"""Digits of stored lengths [m], angles [rad] and times [s], and of computing times [s]."""


def store(name: str, seed: int, is_long: bool = True, **where: Any) -> None:
    """
    Measure, or continue an interrupted measurement, and write results/NAME/.

    :param where: where campaigns run, as for `Workspace`.
    """
    folder = BEGUN / name
    state = _begun(name, folder, seed, is_long)
    workspace, began = Workspace(folder, **where), time.monotonic()
    try:
        for label, part in MEASUREMENTS[name].parts.items():
            if label in state['parts']:
                continue
            say(f'{name}, {label}')
            command = part.typed(state['seed'], is_long)
            printed, out = workspace.measure(label, command)
            rows = folder / f'{label}.csv'
            if _has_rows(out):
                write_table(shortened(read_table(out)), rows)
                state['rows'].append(label)
            state['parts'][label] = {
                'command': command.partition(';')[0],
                'data': part.read(printed, rows if rows.exists() else out)}
    finally:
        state['seconds'] += round(time.monotonic() - began)
        _write(folder / STATE_FILE, state)
    kept = results.RESULTS / name
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    for label in state.pop('rows'):
        write_table(read_table(folder / f'{label}.csv'), kept / f'{label}.csv.gz')
    del state['is_long']
    _write(kept / results.MANIFEST, state)
    shutil.rmtree(folder)


def _begun(name: str, folder: Path, seed: int, is_long: bool) -> Data:
    """Return the state of a measurement in a folder, from before if it is the same."""
    code = digests(MEASUREMENTS[name].depends)
    if (folder / STATE_FILE).exists():
        state: Data = json.loads((folder / STATE_FILE).read_text('utf-8'))
        if (state['code'], state['is_long']) == (code, is_long):
            say(f'{name} continues, with seed {state["seed"]}')
            return state
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    state = {'name': name, 'seed': seed, 'commit': commit(),
             'date': datetime.date.today().isoformat(), 'machine': machine(),
             'versions': versions(), 'load': round(os.getloadavg()[0], 1), 'seconds': 0,
             'code': code, 'is_long': is_long, 'parts': {}, 'rows': []}
    _write(folder / STATE_FILE, state)
    return state


def _write(path: Path, data: Data) -> None:
    with atomic_write(path) as partial:
        partial.write_text(json.dumps(data, indent=1, allow_nan=False) + '\n', encoding='utf-8')


def _has_rows(out: Path) -> bool:
    try:
        next(read_table(out), None)
    except TableError:
        return False
    return True


def shortened(rows: Iterator[Row]) -> Iterator[Row]:
    """Yield rows without their paths, and with numbers of a few digits."""
    for row in rows:
        short: Dict[str, Any] = {
            name: round(value, DIGITS) for name, value in row.as_dict().items()
            if isinstance(value, float)}
        yield dataclasses.replace(row, **{**short, 'path': '',
                                          'wall_time': round(row.wall_time, TIME_DIGITS)})


# ---- status ------------------------------------------------------------------------------------

def changed(name: str) -> Optional[List[str]]:
    """Return the code that has changed since a result was measured; None without a result."""
    try:
        kept = results.load(name).get('code', {})
    except results.NotMeasured:
        return None
    now = digests(MEASUREMENTS[name].depends)
    return [path for path in now if kept.get(path) != now[path]]


def status() -> str:
    """Return a table of all results: when they were measured, and whether they are current."""
    rows = [('result', 'commit', 'date', 'state')]
    for name in MEASUREMENTS:
        since = changed(name)
        if since is None:
            rows.append((name, '', '', 'not measured'))
            continue
        kept = results.load(name)
        again = kept.get('repeated')
        rows.append((name, kept['commit'], kept['date'],
                     f'older than {listed(since, MAX_LISTED)}' if since else 'current' + (
                         f', {results.of(again["rows"], again["of"])} episodes the same in '
                         f'{again["commit"]}' if again else '')))
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    return '\n'.join('  '.join((*map(str.ljust, row[:3], widths), row[3])) for row in rows)


# ---- the command -------------------------------------------------------------------------------

def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='make results', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('names', nargs='?', default='', metavar='NAME[,NAME...]',
                        help=f'{", ".join(MEASUREMENTS)}; or {OLDER}: all that are not current')
    parser.add_argument('--status', action='store_true', help='list all results')
    parser.add_argument('--seed', type=int, help='seed (default: derived from the commit)')
    parser.add_argument('--short', action='store_true', help='measure the short versions')
    parser.add_argument('--same', action='store_true',
                        help='show by a sample of episodes that results have not changed')
    parser.add_argument('--base', default='', metavar='COMMIT',
                        help='for --same: a commit with the measured code (default: the one that '
                        'measured or last repeated it)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='number of processes (default: %(default)s)')
    parser.add_argument('--scheduler', default='', metavar='ADDRESS',
                        help='run campaigns on the Dask cluster of this scheduler')
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    if given.status:
        print(status())
        return 0
    names = [name for name in given.names.split(',') if name]
    if names == [OLDER]:
        names = [name for name in MEASUREMENTS if changed(name) != []]
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown or not given.names:
        what = f'unknown result {unknown[0]!r}' if unknown else 'no result is named'
        parser.error(f'{what}; give NAME= with some of: {OLDER}, {", ".join(MEASUREMENTS)}')
    failed = 0
    for name in names:
        seed = fresh_seed() if given.seed is None else given.seed
        try:
            if given.same:
                kept = results.load(name)
                base = given.base or kept.get('repeated', kept)['commit']
                manifest = repeated(name, base, seed, given.workers)
                _write(results.RESULTS / name / results.MANIFEST, manifest)
                say(f'{name}: {json.dumps(manifest["repeated"])}')
            else:
                store(name, seed, not given.short, workers=given.workers,
                      scheduler=given.scheduler)
        except (*NO_FIGURES, results.NotMeasured, subprocess.CalledProcessError) as error:
            say(f'{name} has no figures: {type(error).__name__}: {error}')
            failed += 1
    return 1 if failed else (make_doc_tables.main([]) or make_tables.main([]))


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
