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

"""``bug_nav compare``: run several algorithms in one world; one figure and one table."""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from bug_nav.cli import BadInput, check_folder, exit_code
from bug_nav.cli.case import Case, make_case
from bug_nav.cli.playback_document import playback_document
from bug_nav.cli.plot_files import (
    check_picture_file,
    is_animation,
    is_html,
    report_written,
    save_comparison,
    save_page,
)
from bug_nav.cli.reference_lengths import path_length_bound, shortest_path_length
from bug_nav.cli.run import (
    drive,
    make_playback,
    make_report,
    plot_record,
    run_for_page,
    warn_of_invisible_obstacles,
)
from bug_nav.navigation.algorithms.base import OWN
from bug_nav.navigation.algorithms.registry import find
from bug_nav.simulation.files import whole

CROWDED = 3
"""Maximum number of paths on one map without a hint to use --side-by-side."""
MAX_RUNS = 30
"""Maximum number of runs: the number of distinct line styles."""
BOTH = ('left', 'right')


class Column(NamedTuple):
    """A column of the table."""

    key: str
    """Key in the ``--json`` document of a run."""
    head: str
    unit: str = ''
    digits: int = 0
    """Number of decimals."""


COLUMNS = (
    Column('algorithm', 'algorithm'), Column('turn', 'turn'), Column('outcome', 'outcome'),
    Column('path_length', 'path', 'm', 2), Column('ratio', 'to the shortest', '', 2),
    Column('bound', 'bound', 'm', 1), Column('time', 'time', 's', 1), Column('hits', 'hits'),
    Column('leaves', 'leaves'))


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    cases = make_cases(arguments)
    if arguments.plot:
        check_picture_file(arguments.plot, animations=True)
    if arguments.side_by_side and (not arguments.plot or is_animation(arguments.plot)
                                   or is_html(arguments.plot)):
        raise BadInput('--side-by-side draws a still picture: add --plot FILE with the ending '
                       '.png, .svg or .pdf')
    if arguments.table:
        _check_table_file(arguments.table)
    warn_of_invisible_obstacles(cases[0])
    one = cases[0]
    world = one.world.settled
    shortest = shortest_path_length(world, one.start, one.goal, one.robot.contour_radius,
                                one.robot.settings.xy_goal_tolerance)
    runs, pictures = [], []
    for case in cases:
        playback = make_playback(arguments.plot)
        episode, fault = drive(case, arguments, playback.watch if playback else None)
        report = make_report(case, arguments.seed, episode, shortest, fault)
        runs.append(_with_ratio_and_bound(case, report,
                          path_length_bound(case.algorithm_name, world, case.start, case.goal,
                                    case.robot.contour_radius)))
        if arguments.plot and episode is not None:
            pictures.append(plot_record(case, episode, shortest) if playback is None else
                            run_for_page(case, _arguments_of(case, arguments), episode, playback,
                                       report))
    if pictures:
        _draw(one, pictures, arguments)
    if arguments.table:
        _write(arguments.table, runs)
        report_written(arguments.table)
    if arguments.json:
        print(json.dumps({'world': one.world.name, 'shortest_path': runs[0]['shortest_path'],
                          'contour_radius': one.robot.contour_radius, 'runs': runs},
                         allow_nan=False))
    else:
        print(describe(one, runs, arguments.seed))
    return max(exit_code(run['outcome']) for run in runs)


def _draw(case: Case, pictures: List[Any], arguments: argparse.Namespace) -> None:
    """Write the figure, animation or playback page of the runs."""
    if is_html(arguments.plot):
        save_page(playback_document(case, pictures), arguments.plot)
    else:
        save_comparison(pictures, arguments.plot, arguments.speed_up, arguments.size,
                        arguments.side_by_side)
        if (len(pictures) > CROWDED and not arguments.side_by_side
                and not is_animation(arguments.plot)):
            print(f'bug_nav: {len(pictures)} paths share one map; --side-by-side draws a map for '
                  'each', file=sys.stderr)
    report_written(arguments.plot)


# ---- arguments --------------------------------------------------------------------------------

def make_cases(arguments: argparse.Namespace) -> List[Case]:
    """Return the runs in the order of the given algorithms; BadInput if one is invalid."""
    names = _several('--algorithm', arguments.algorithm)
    turns: Sequence[Optional[str]] = [None]
    if arguments.turn:
        turns = [side for turn in _several('--turn', arguments.turn)
                 for side in (BOTH if turn == 'both' else (turn,))]
    cases = []
    for name in names:
        try:
            # An algorithm that chooses its side itself would run twice.
            sides = turns[:1] if find(name).facts.turn == OWN else turns
        except ValueError as error:
            raise BadInput(str(error)) from error
        cases += [make_case(argparse.Namespace(**{
            **vars(arguments), 'algorithm': name, 'turn': side,
            'settings': _settings_for(name, names, arguments.settings)})) for side in sides]
    if len(cases) > MAX_RUNS:
        raise BadInput(f'{len(cases)} runs are too many for one picture; give at most '
                       f'{MAX_RUNS}')
    return cases


def _several(option: str, text: str) -> List[str]:
    """Return the names of a comma-separated list without duplicates."""
    names = list(dict.fromkeys(name.strip() for name in text.split(',')))
    if not all(names):
        raise BadInput(f'{option} is {text!r}; give names separated by commas')
    return names


def _settings_for(name: str, names: Sequence[str], settings: Sequence[str]) -> List[str]:
    """Return the settings without the parameters of the other compared algorithms."""
    return [setting for setting in settings
            if setting.partition('.')[0].strip() not in names
            or setting.partition('.')[0].strip() == name]


def _arguments_of(case: Case, arguments: argparse.Namespace) -> argparse.Namespace:
    """Return the arguments of `bug_nav run` for one of the runs."""
    names = _several('--algorithm', arguments.algorithm)
    return argparse.Namespace(**{
        **vars(arguments), 'algorithm': case.algorithm_name,
        'turn': case.robot.settings.turn_direction,
        'settings': _settings_for(case.algorithm_name, names, arguments.settings)})


# ---- output -----------------------------------------------------------------------------------

def _with_ratio_and_bound(case: Case, report: Dict[str, Any], bound: Optional[float]
                          ) -> Dict[str, Any]:
    """Return the report of a run with its turn, path ratio and bound."""
    length, shortest = report['path_length'], report['shortest_path']
    arrived = report['outcome'] == 'reached' and not report['missed']
    facts = case.algorithm.facts
    return {**report, 'turn': 'own' if facts.turn == OWN else report['turn'],
            'ratio': length / shortest if arrived and shortest else None, 'bound': bound,
            'bound_of_the_paper': facts.bound}


def _cell(run: Dict[str, Any], column: Column) -> str:
    value = run[column.key]
    if column.key == 'outcome':
        return value.replace('_', ' ') + (' by odometry alone' if run['missed'] else '')
    if value is None:
        return '-'
    return f'{value:.{column.digits}f}' if column.digits else str(value)


def describe(case: Case, runs: Sequence[Dict[str, Any]], seed: int) -> str:
    """Return the table as text; all runs have the same noise ``seed``."""
    heads = [column.head + (f' [{column.unit}]' if column.unit else '') for column in COLUMNS]
    rows = [heads, *([_cell(run, column) for column in COLUMNS] for run in runs)]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    lines = ['  '.join(_aligned(cell, width, k) for k, (cell, width) in enumerate(
        zip(row, widths))).rstrip() for row in rows]
    shortest = runs[0]['shortest_path']
    shortest_text = '' if shortest is None else f'; the shortest path is {shortest:.2f} m'
    return '\n'.join([f'{case.world.name}, {case.robot_name}, seed {seed}{shortest_text}', *lines])


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column < _TEXT_COLUMNS else cell.rjust(width)


_TEXT_COLUMNS = 3
"""Number of left-aligned text columns; the others are numbers."""


def _check_table_file(path: str) -> None:
    if Path(path).suffix.lower() not in ('.csv', '.tex'):
        raise BadInput(f'the table file {path!r} must end in .csv or .tex')
    check_folder('the table file', path)


def _write(path: str, runs: Sequence[Dict[str, Any]]) -> None:
    text = as_tex(runs) if Path(path).suffix.lower() == '.tex' else as_csv(runs)
    try:
        with whole(path) as partial:
            partial.write_text(text, encoding='utf-8')
    except OSError as error:
        raise BadInput(f'the table file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None


def as_csv(runs: Sequence[Dict[str, Any]]) -> str:
    """Return the table as CSV with full precision; missing values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow([column.key for column in COLUMNS])
    for run in runs:
        writer.writerow(['' if run[column.key] is None else run[column.key]
                         for column in COLUMNS])
    return text.getvalue()


def as_tex(runs: Sequence[Dict[str, Any]]) -> str:
    """Return the table for LaTeX with the package booktabs."""
    heads = [column.head + (f' [{column.unit}]' if column.unit else '') for column in COLUMNS]
    rows = [[_cell(run, column).replace('_', r'\_') for column in COLUMNS] for run in runs]
    body = [' & '.join('--' if cell == '-' else cell for cell in row) + r' \\' for row in rows]
    return '\n'.join([
        r'% \usepackage{booktabs}', rf'\begin{{tabular}}{{{"l" * _TEXT_COLUMNS}'
        rf'{"r" * (len(COLUMNS) - _TEXT_COLUMNS)}}}', r'\toprule', ' & '.join(heads) + r' \\',
        r'\midrule', *body, r'\bottomrule', r'\end{tabular}', ''])
