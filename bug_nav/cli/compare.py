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
import json
from pathlib import Path
import sys
from typing import Any, Dict, List, Optional, Sequence

from bug_nav.cli import exit_code, report_notes, report_written
from bug_nav.cli.run import (
    animation_options,
    check_shorthands,
    drive_with_progress,
    options_of,
    warn_of_solid_goal,
)
from bug_nav.files import BadInput
from bug_nav.files.paths import atomic_write, check_folder
from bug_nav.lab.compare import Comparison, set_up_all
from bug_nav.lab.run import shortest_of
from bug_nav.lab.run_setup import RunSetup
from bug_nav.visualization.playback import Playback
from bug_nav.visualization.plot_files import check_picture_file, is_animation, is_html

CROWDED = 3
"""Maximum number of paths on one map without a hint to use --side-by-side."""
BOTH = ('left', 'right')


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    setups = _set_up(arguments)
    animation = animation_options(arguments)
    is_page = bool(arguments.plot) and is_html(arguments.plot)
    if arguments.plot:
        check_picture_file(arguments.plot, animations=True)
    if arguments.side_by_side and (
            not arguments.plot or is_animation(arguments.plot) or is_page):
        raise BadInput('--side-by-side draws a still picture: add --plot FILE with the ending '
                       '.png, .svg or .pdf')
    if arguments.table:
        _check_table_file(arguments.table)
    report_notes(setups[0].world)
    warn_of_solid_goal(setups[0])
    shortest = shortest_of(setups[0])
    runs = Comparison([drive_with_progress(setup, shortest, Playback() if is_page else None)
                       for setup in setups])
    # Before the files, which may fail; the plot last, because an animation takes minutes.
    first = runs[0]
    print(json.dumps({'world': first['world'], 'shortest_path': first['shortest_path'],
                      'contour_radius': setups[0].robot.contour_radius, 'runs': runs.rows},
                     allow_nan=False) if arguments.json else runs, flush=True)
    if arguments.table:
        _write(arguments.table, runs)
        report_written(arguments.table)
    if arguments.plot and any(run['ticks'] is not None for run in runs):
        _plot(runs, arguments, animation)
    return max(exit_code(run.outcome) for run in runs)


def _plot(runs: Comparison, arguments: argparse.Namespace, animation: Dict[str, Any]) -> None:
    """Write the figure, animation or playback page of the runs."""
    runs.plot(arguments.plot, side_by_side=arguments.side_by_side, **animation)
    if (len(runs) > CROWDED and not arguments.side_by_side
            and not is_animation(arguments.plot) and not is_html(arguments.plot)):
        print(f'bug_nav: {len(runs)} paths share one map; --side-by-side draws a map for each',
              file=sys.stderr)
    report_written(arguments.plot)


def _set_up(arguments: argparse.Namespace) -> List[RunSetup]:
    """Return the runs in the order of the given algorithms; BadInput if one is invalid."""
    names = _several('--algorithm', arguments.algorithm)
    turns: Sequence[Optional[str]] = [None]
    if arguments.turn:
        turns = [side for turn in _several('--turn', arguments.turn)
                 for side in (BOTH if turn == 'both' else (turn,))]
        for side in turns:
            check_shorthands(turn=side)
    return set_up_all(options_of(arguments), names, turns)


def _several(option: str, text: str) -> List[str]:
    """Return the names of a comma-separated list without duplicates."""
    names = list(dict.fromkeys(name.strip() for name in text.split(',')))
    if not all(names):
        raise BadInput(f'{option} is {text!r}; give names separated by commas')
    return names


# ---- the table --------------------------------------------------------------------------------

def _check_table_file(path: str) -> None:
    if Path(path).suffix.lower() not in ('.csv', '.tex'):
        raise BadInput(f'the table file {path!r} must end in .csv or .tex')
    check_folder('the table file', path)


def _write(path: str, runs: Comparison) -> None:
    try:
        with atomic_write(path) as partial:
            partial.write_text(runs.table(Path(path).suffix.lower()[1:]), encoding='utf-8')
    except OSError as error:
        raise BadInput(f'the table file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None
