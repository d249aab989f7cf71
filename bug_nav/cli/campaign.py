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

"""``bug_nav campaign``: run many episodes in the embedded simulator and judge them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import re
import sys
from typing import Any, Iterator, Tuple

from bug_nav.cli import CannotRun, make_folder
from bug_nav.cli.argument_types import yaml_value
from bug_nav.cli.parser import check_alone
from bug_nav.files import BadInput
from bug_nav.files.interrupt import INTERRUPTED
from bug_nav.files.paths import atomic_write
from bug_nav.lab.barn import barn_entries, SOURCE
from bug_nav.lab.campaign import Campaign
from bug_nav.lab.journal import Journal, JournalError
from bug_nav.lab.progress import run_with_progress
from bug_nav.lab.spec import (
    change_of,
    FEW_CASES,
    load_spec,
    make_spec,
    multiplied,
    read_document,
    shipped_campaigns,
    Spec,
)
from bug_nav.lab.spec_values import SpecError
from bug_nav.lab.summary import Summary
from bug_nav.lab.table import check_format, default_format, FORMATS, TableError, write_table
from bug_nav.lab.workers import Dask, Pool, Workers, WorkersError
from bug_nav.lab.world_digests import world_digests
import yaml

JOURNAL, SPEC, ROWS, REPORT = 'journal.jsonl', 'campaign.yaml', 'rows', 'report.html'
WORLDS = 'worlds.json'
"""Files in a campaign folder."""
MAX_REPORTED = 200_000
"""Maximum number of rows with an automatic report, which holds them all in memory."""
LIST_KEYS = {'algorithm': 'algorithms', 'robot': 'robots', 'follower': 'followers',
             'turn': 'turns', 'noise': 'range_noise'}
"""Specification keys of the options with lists."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.list:
        check_alone(arguments, 'list')
        return _list()
    try:
        check_format(arguments.format or default_format())
        spec = _spec(arguments)
        folder = Path(arguments.out or Path('out') / spec.name)
        if arguments.resume:
            check_same_campaign(folder, spec)
        journal = journal_of(folder, arguments.resume)
    except SpecError as error:
        raise BadInput(str(error)) from error
    except TableError as error:
        raise CannotRun(str(error)) from error
    try:
        return _run(spec, journal, folder, arguments)
    except SpecError as error:
        raise BadInput(str(error)) from error
    except (WorkersError, TableError, JournalError) as error:
        raise CannotRun(str(error)) from error
    finally:
        journal.close()


def _run(spec: Spec, journal: Journal, folder: Path, arguments: argparse.Namespace) -> int:
    if spec.repetitions is None and spec.repeated > 1:
        print(f'{spec.size_text} (automatic, because results depend on the seed and there are '
              f'fewer than {FEW_CASES} pairs of start and goal; --set repetitions=1 drives each '
              'once)',
              file=sys.stderr)
    workers = workers_of(arguments)
    try:
        campaign, rows = drive(spec, journal, folder, workers,
                               arguments.format or default_format())
    finally:
        workers.close()
    if campaign.stopped:
        print(f'stopped; the finished results are in {folder}; continue with --resume',
              file=sys.stderr)
        return INTERRUPTED
    summary = Summary(spec.algorithms, campaign.rows(), spec.base_noise)
    count = f'{summary.episodes} episode{"" if summary.episodes == 1 else "s"}'
    print(summary.text(f'{spec.title or spec.name}: {count}'))
    print(f'\n{rows}')
    if summary.episodes <= MAX_REPORTED:
        _report(spec, campaign, folder)
    return 1 if summary.alarming else 0


def drive(spec: Spec, journal: Journal, folder: Path, workers: Workers, ending: str
          ) -> Tuple[Campaign, Path]:
    """
    Drive a campaign, and write its specification and, if it was not stopped, its rows.

    Return the campaign and the file of rows.
    """
    with atomic_write(folder / SPEC) as partial:
        partial.write_text(_spec_yaml(spec), encoding='utf-8')
    digests = world_digests(spec)
    if digests:
        with atomic_write(folder / WORLDS) as partial:
            partial.write_text(json.dumps(digests, indent=1), encoding='utf-8')
    campaign = run_with_progress(spec, journal, workers)
    rows = folder / f'{ROWS}.{ending}'
    if not campaign.stopped:
        write_table(campaign.rows(), rows)
        for other in FORMATS:
            if other != ending:  # rows of before, which a report would read
                (folder / f'{ROWS}.{other}').unlink(missing_ok=True)
    return campaign, rows


def _report(spec: Spec, campaign: Campaign, folder: Path) -> None:
    """Write the report if its dependencies are installed."""
    try:
        from bug_nav.lab.report.page import write_report
    except ImportError as missing:
        print(f'bug_nav: the report needs {missing.name}; pip install {missing.name}',
              file=sys.stderr)
        return
    write_report(campaign.rows(), spec.title or spec.name, folder / REPORT, spec=_spec_yaml(spec))
    print(folder / REPORT)


def _spec_yaml(spec: Spec) -> str:
    """Return the specification as YAML."""
    return str(yaml.safe_dump(spec.as_dict(), sort_keys=False, allow_unicode=True,
                              default_flow_style=None))


def _list() -> int:
    try:
        for path in shipped_campaigns():
            spec = load_spec(path.stem)
            count = f'{spec.total:>7} episodes' if spec.worlds else f'{"needs --worlds":>16}'
            print(f'{path.stem:<18}{count}  {spec.title}')
    except SpecError as error:
        raise CannotRun(str(error)) from error
    return 0


# ---- arguments --------------------------------------------------------------------------------

def _spec(arguments: argparse.Namespace) -> Spec:
    try:
        return _made(arguments)
    except SpecError as error:
        raise SpecError(_with_options(str(error), arguments)) from error


def _with_options(message: str, arguments: argparse.Namespace) -> str:
    """Return an error with the option that was typed instead of the key that it sets."""
    places = {**LIST_KEYS, 'odometry_noise': 'odometry[0].noise'}
    for option, place in places.items():
        if getattr(arguments, option):
            message = re.sub(rf'^(command line: |\S+: )?{re.escape(place)}(\[\d+\])?(?=:? )',
                             f'--{option.replace("_", "-")}', message)
    if arguments.world:
        message = message.replace('places: drawn', '--places drawn')
    return message


def _made(arguments: argparse.Namespace) -> Spec:
    changes = [*_files(arguments), *_overrides(arguments)]
    if arguments.campaign and arguments.world:
        raise BadInput('give a campaign or --world, not both; --set worlds.0.world=NAME changes '
                       'the first world of a campaign')
    if arguments.campaign:
        spec = load_spec(arguments.campaign, changes)
    elif arguments.world:
        entries = [{'world': world, **dict(_world_options(arguments))} for text in arguments.world
                   for world in ([text] if Path(text).exists() else text.split(','))]
        spec = make_spec({'worlds': entries}, 'command line', changes)
    else:
        raise BadInput('give a campaign by its file or its name (see --list), or --world')
    if not spec.worlds:
        raise BadInput(f'the campaign {spec.name} has no worlds of its own; give --worlds FOLDER, '
                       f'such as {SOURCE}')
    return multiplied(spec, arguments.multiply)


def _files(arguments: argparse.Namespace) -> Iterator[Tuple[str, Any]]:
    """Yield the worlds of a folder instead of those of the campaign."""
    if arguments.worlds:
        yield 'worlds', barn_entries(Path(arguments.worlds), arguments.every)
    elif arguments.every > 1:
        raise BadInput(f'--every {arguments.every} has no effect without --worlds; give both')


def _world_options(arguments: argparse.Namespace) -> Iterator[Tuple[str, Any]]:
    """Yield the options that apply to every world."""
    for name in ('count', 'goals', 'places'):
        value = getattr(arguments, name)
        if value is not None:
            yield name, value


def _overrides(arguments: argparse.Namespace) -> Iterator[Tuple[str, Any]]:
    for option, place in LIST_KEYS.items():
        given = getattr(arguments, option)
        if given:
            yield place, [yaml_value(each) for text in given for each in text.split(',')]
    if arguments.odometry_noise:
        levels = [yaml_value(each) for each in arguments.odometry_noise.split(',')]
        yield 'odometry', [{'model': 'velocity', 'noise': levels}]
    if arguments.seed is not None:
        yield 'seed', arguments.seed
    if arguments.time_allowance is not None:
        yield 'time_allowance', arguments.time_allowance
    for setting in arguments.settings:
        place, equals, text = setting.partition('=')
        if not equals:
            raise BadInput(f'--set {setting!r} has no value; give KEY=VALUE, such as '
                           'worlds.0.count=5')
        yield place.strip(), yaml_value(text)


def check_same_campaign(folder: Path, spec: Spec) -> None:
    """Raise BadInput if the folder holds a campaign that the given one does not continue."""
    try:
        stored = read_document(folder / SPEC)
    except SpecError:
        return  # nothing to compare with
    change = change_of(stored, spec.as_dict()) if isinstance(stored, dict) else ''
    if change:
        raise BadInput(f'{folder} holds another campaign, {change}; resume that one, or give '
                       'another --out')
    _check_same_worlds(folder, spec)


def _check_same_worlds(folder: Path, spec: Spec) -> None:
    """Raise BadInput if a file of a world has changed, because rows of both would be mixed."""
    try:
        stored = json.loads((folder / WORLDS).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return  # no world is a file, or the campaign predates the digests
    for name, digest in world_digests(spec).items():
        if stored.get(name, digest) != digest:
            raise BadInput(f'the world {name!r} has changed since its episodes in {folder}; undo '
                           'the change, or give another --out')


def journal_of(folder: Path, resume: bool) -> Journal:
    """Open the journal of a folder; BadInput if it must not be continued, or cannot be."""
    make_folder('the output folder', folder, '--out')
    try:
        return Journal(str(folder / JOURNAL), resume)
    except FileExistsError:
        raise BadInput(f'{folder} already holds a campaign; give --resume to continue it, or '
                       'another --out') from None
    except JournalError as error:
        raise BadInput(str(error)) from error


def workers_of(arguments: argparse.Namespace) -> Workers:
    """Return the workers that the options ask for."""
    if arguments.scheduler:
        return Dask(arguments.scheduler, arguments.workers)
    return Pool(arguments.workers)
