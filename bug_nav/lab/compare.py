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

"""Several runs in one world: `compare` and its `Comparison`, of the public interface."""

from __future__ import annotations

import csv
import dataclasses
import io
from pathlib import Path
from typing import (
    Any,
    Dict,
    List,
    NamedTuple,
    Optional,
    overload,
    Sequence,
    Type,
    TYPE_CHECKING,
    Union,
)

from bug_nav.files import BadInput
from bug_nav.lab.playback_document import playback_document
from bug_nav.lab.run import bound_of, Episode, prepare, shortest_of, SIZE, SPEED_UP
from bug_nav.lab.run_report import less_clearance, outcome_text, path_ratio
from bug_nav.lab.run_setup import algorithm_of, drive, RunOptions, RunSetup, set_up
from bug_nav.navigation.algorithms.base import Algorithm, TURN_BY_ALGORITHM
from bug_nav.navigation.names import shown
from bug_nav.simulation.world import World
from bug_nav.visualization import plot_files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_RUNS = 30
"""Maximum number of runs: the number of distinct line styles."""
ALGORITHMS = ('bug1', 'bug2', 'tangent_bug')
"""Algorithms that are compared by default."""


class Column(NamedTuple):
    """A column of the table."""

    key: str
    """Key in `Comparison.rows`."""
    head: str
    unit: str = ''
    digits: int = 0
    """Number of decimals."""


COLUMNS = (
    Column('algorithm', 'algorithm'), Column('turn', 'turn'), Column('outcome', 'outcome'),
    Column('path_length', 'path', 'm', 2), Column('ratio', 'to the shortest', '', 2),
    Column('bound', 'bound', 'm', 1), Column('time', 'time', 's', 1), Column('hits', 'hits'),
    Column('leaves', 'leaves'))
TEXT_COLUMNS = 3
"""Number of left-aligned text columns; the others are numbers."""


def compare(world: Union[str, Path, World],
            algorithms: Union[str, Type[Algorithm],
                              Sequence[Union[str, Type[Algorithm]]]] = ALGORITHMS, *,
            turns: Union[str, Sequence[Optional[str]]] = (None,), **options: Any) -> Comparison:
    """
    Run several algorithms in one world, and return their episodes.

    :param world: a name or file as for `find_world`, or a `World`.
    :param algorithms: names of `algorithms`, or subclasses of `Algorithm`; or only one.
    :param turns: turn directions, each for every algorithm that does not choose its own; or only
        one.
    :param options: other options of `run`, for all runs.
    :raises ValueError: for invalid input, in one sentence.
    """
    for single, several in (('algorithm', 'algorithms'), ('turn', 'turns')):
        if single in options:
            raise BadInput(f'{single} is {shown(options[single])}; give {several} instead')
    options['settings'] = options.get('settings') or {}
    setups = set_up_all(RunOptions(world, **options),
                        [algorithms] if isinstance(algorithms, (str, type)) else algorithms,
                        [turns] if isinstance(turns, str) else turns)
    prepare()
    shortest = shortest_of(setups[0])
    return Comparison([Episode(setup, drive(setup), shortest) for setup in setups])


def set_up_all(options: RunOptions, algorithms: Sequence[Union[str, Type[Algorithm]]],
               turns: Sequence[Optional[str]]) -> List[RunSetup]:
    """Return the setups in the order of the algorithms; BadInput if one is invalid."""
    each = [dataclasses.replace(options, algorithm=algorithm) for algorithm in algorithms]
    names = [one.algorithm_name for one in each]
    setups = []
    for one in each:
        # Without the parameters of the other algorithms.
        settings = {name: value for name, value in options.settings.items()
                    if name.partition('.')[0] not in names
                    or name.partition('.')[0] == one.algorithm_name}
        # An algorithm that chooses its side itself would run twice.
        sides = turns[:1] if algorithm_of(one).metadata.turn == TURN_BY_ALGORITHM else turns
        setups += [set_up(dataclasses.replace(one, turn=side, settings=settings))
                   for side in sides]
    if not 1 <= len(setups) <= MAX_RUNS:
        raise BadInput(f'{len(setups)} runs cannot be compared; give 1 to {MAX_RUNS}')
    return setups


class Comparison(Sequence[Episode]):
    """
    Several episodes with the same world, start and goal.

    ``print(comparison)`` is the table of ``bug_nav compare``. A notebook shows the plot.
    """

    def __init__(self, episodes: Sequence[Episode]):
        """Store the episodes; call `compare` instead."""
        self._episodes = tuple(episodes)
        _share_shortest_path(self._episodes)

    @overload
    def __getitem__(self, index: int) -> Episode: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Episode]: ...

    def __getitem__(self, index: Any) -> Any:
        """Return one of the episodes, in the order of the runs."""
        return self._episodes[index]

    def __len__(self) -> int:
        """Return the number of episodes."""
        return len(self._episodes)

    def __repr__(self) -> str:
        """Return the table of ``bug_nav compare``."""
        return self.table()

    def _repr_png_(self) -> Optional[bytes]:
        return self.figure()._repr_png_()  # type: ignore[attr-defined]

    @property
    def rows(self) -> List[Dict[str, Any]]:
        """
        Return the runs of ``bug_nav compare --json``.

        Each is a dict with the keys of the episode, ``ratio`` (path length relative to the
        shortest path, both to the goal itself), ``bound`` (upper bound of the path length from
        the paper [m]) and ``bound_formula`` (its formula).
        """
        return [_row(episode) for episode in self]

    def table(self, form: str = 'text') -> str:
        """
        Return the table of the runs.

        :param form: ``text``, ``csv``, or ``tex`` for LaTeX with the package booktabs.
        """
        forms = {'text': _as_text, 'csv': _as_csv, 'tex': _as_tex}
        if form not in forms:
            raise BadInput(f'a table has no form {form!r}; allowed are {", ".join(forms)}')
        return forms[form](self.rows)

    def figure(self, *, side_by_side: bool = False) -> Figure:
        """Return the plot as a new matplotlib figure; ``side_by_side`` draws one map per run."""
        return plot_files.comparison_figure([one._record() for one in self._ended()], side_by_side)

    def plot(self, path: Union[str, Path], *, side_by_side: bool = False,
             speed_up: float = SPEED_UP, size: int = SIZE) -> None:
        """
        Write a plot, an animation or a playback page, depending on the file ending.

        :param side_by_side: draw one map per run (.png, .svg and .pdf only).
        :param speed_up: speed of an animation relative to simulated time.
        :param size: longer side of the map in an animation [pixels].
        :raises ValueError: if the file cannot be written, in one sentence.
        """
        path, ended = str(path), self._ended()
        plot_files.check_picture_file(path, animations=True)
        if plot_files.is_html(path):
            plot_files.save_page(playback_document(
                ended[0]._setup, [one._page_document() for one in ended]), path)
        elif plot_files.is_animation(path):
            plot_files.save_comparison_animation([one._record() for one in ended], path, speed_up,
                                                 size)
        else:
            plot_files.save(self.figure(side_by_side=side_by_side), path)

    def _ended(self) -> List[Episode]:
        """Return the episodes that no error of the software ended."""
        return [one for one in self if one['ticks'] is not None]


def _share_shortest_path(episodes: Sequence[Episode]) -> None:
    """Compare all episodes with the same path: the shortest of any of them."""
    known = [one for one in episodes if one['shortest_path'] is not None]
    if known:
        least = min(known, key=lambda one: one['shortest_path'])
        for one in known:
            one._report.update({key: least[key] for key in (
                'shortest_path', 'shortest_path_margin')})


def _row(episode: Episode) -> Dict[str, Any]:
    metadata = episode._setup.algorithm.metadata
    return {**episode, 'ratio': path_ratio(episode),
            'bound': bound_of(episode._setup), 'bound_formula': metadata.bound}


def _cell(run: Dict[str, Any], column: Column) -> str:
    value = run[column.key]
    if column.key == 'outcome':
        return outcome_text(run)
    if value is None:
        return '-'
    return f'{value:.{column.digits}f}' if column.digits else str(value)


def _heads() -> List[str]:
    return [column.head + (f' [{column.unit}]' if column.unit else '') for column in COLUMNS]


def _as_text(runs: Sequence[Dict[str, Any]]) -> str:
    """Return the table as text; all runs have the same world, robot and seed."""
    rows = [_heads(), *([_cell(run, column) for column in COLUMNS] for run in runs)]
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    lines = ['  '.join(cell.ljust(width) if k < TEXT_COLUMNS else cell.rjust(width)
                       for k, (cell, width) in enumerate(zip(row, widths))).rstrip()
             for row in rows]
    first, shortest = runs[0], runs[0]['shortest_path']
    shortest_text = '' if shortest is None else (
        f'; the shortest path{less_clearance(first)} is {shortest:.2f} m')
    return '\n'.join([f'{first["world"]}, {first["robot"]}, seed {first["seed"]}{shortest_text}',
                      *lines])


def _as_csv(runs: Sequence[Dict[str, Any]]) -> str:
    """Return the table as CSV with full precision; missing values are empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow([column.key for column in COLUMNS])
    for run in runs:
        writer.writerow(['' if run[column.key] is None else run[column.key]
                         for column in COLUMNS])
    return text.getvalue()


def _as_tex(runs: Sequence[Dict[str, Any]]) -> str:
    """Return the table for LaTeX with the package booktabs."""
    rows = [[_cell(run, column).replace('_', r'\_') for column in COLUMNS] for run in runs]
    body = [' & '.join('--' if cell == '-' else cell for cell in row) + r' \\' for row in rows]
    return '\n'.join([
        r'% \usepackage{booktabs}', rf'\begin{{tabular}}{{{"l" * TEXT_COLUMNS}'
        rf'{"r" * (len(COLUMNS) - TEXT_COLUMNS)}}}', r'\toprule', ' & '.join(_heads()) + r' \\',
        r'\midrule', *body, r'\bottomrule', r'\end{tabular}', ''])
