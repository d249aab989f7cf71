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
Draw success against odometry noise, without and with scan matching: docs/images/mcguire.png.

From the rows of the campaign mcguire_2019, with the results of McGuire et al. as far as numbers
are published. Needs bug_nav installed, and matplotlib.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
import math
from pathlib import Path
import sys
from typing import Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from bug_nav.lab.report.statistics import wilson
from bug_nav.lab.rows import Row
from bug_nav.lab.table import read_table, TableError
from bug_nav.navigation.algorithms.registry import find
from bug_nav.visualization.episode_plot import FAINT_INK, GRID, HIT, INK, OTHER, PAPER
from bug_nav.visualization.replay_plot import PATH
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import numpy as np

IMAGE = Path(__file__).resolve().parent.parent / 'docs' / 'images' / 'mcguire.png'
LINES = {'none': ('ours, without scan matching', OTHER.colour, 's'),
         'scan_matching': ('ours, with it', PATH, 'o')}
"""Label, colour and mark by correction."""
PUBLISHED_BELOW = 0.4
"""Upper limit of the published success share with noise; the paper shows bars, no numbers."""
THEIRS = ('com1', 'bug2', 'alg1', 'alg2')
"""Algorithms that the paper says this of; their Com is `bug0` here."""
COLUMNS, PANEL, DPI = 5, (2.0, 1.75), 110
"""Panels per row, size of a panel [inch], and resolution [dpi]."""
Shares = Dict[str, Dict[str, Dict[float, Tuple[int, int]]]]


def shares(rows: Iterable[Row]) -> Shares:
    """Return successes and episodes by algorithm, correction and noise, for reachable goals."""
    found: Shares = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row.reachable:
            levels = found[row.algorithm][row.correction]
            hits, count = levels.get(row.odometry_noise, (0, 0))
            levels[row.odometry_noise] = (hits + row.success, count + 1)
    return found


def draw(found: Mapping[str, Mapping[str, Mapping[float, Tuple[int, int]]]]) -> Figure:
    """Return the figure: a panel for each algorithm, in the order of the campaign."""
    rows = math.ceil(len(found) / COLUMNS)
    figure = Figure((COLUMNS * PANEL[0], rows * PANEL[1] + 0.9), dpi=DPI, facecolor=PAPER,
                    constrained_layout=True)
    FigureCanvasAgg(figure)
    panels = list(figure.subplots(rows, COLUMNS, sharex=True, sharey=True, squeeze=False).flat)
    for panel, (name, by_correction) in zip(panels, found.items()):
        _panel(panel, name, by_correction)
    for panel in panels[len(found):]:
        panel.set_visible(False)
    for panel in panels[max(len(found) - COLUMNS, 0):len(found)]:
        panel.tick_params(labelbottom=True)
    figure.supxlabel('noise of each wheel, share of its turning', fontsize=9, color=FAINT_INK)
    figure.supylabel('goals reached', fontsize=9, color=FAINT_INK)
    by_label = {line.get_label(): line for axes in figure.axes for line in axes.get_lines()
                if not str(line.get_label()).startswith('_')}
    figure.legend(by_label.values(), by_label, loc='outside upper center', ncols=len(by_label),
                  frameon=False, fontsize=9)
    return figure


def _panel(panel: Axes, name: str, by_correction: Mapping[str, Mapping[float, Tuple[int, int]]]
           ) -> None:
    for correction, levels in sorted(by_correction.items()):
        label, colour, mark = LINES[correction]
        noises = sorted(levels)
        values = np.array([levels[noise][0] / levels[noise][1] for noise in noises])
        ends = np.array([wilson(*levels[noise]) for noise in noises])
        panel.fill_between(noises, *ends.T, color=colour, alpha=0.15, linewidth=0)
        panel.plot(noises, values, color=colour, marker=mark, markersize=3.5, linewidth=1.4,
                   label=label)
    if name in THEIRS:
        panel.axhline(PUBLISHED_BELOW, color=HIT, linestyle=':', linewidth=1.2,
                      label='theirs, with noise: below this')
    panel.set_title(find(name).metadata.title, fontsize=9, color=INK, loc='left')
    panel.set_ylim(0.0, 1.02)
    panel.set_yticks([0.0, 0.5, 1.0], ['0', '50 %', '100 %'])
    panel.grid(color=GRID)
    panel.tick_params(labelsize=8, colors=FAINT_INK, length=0)
    for side in panel.spines.values():
        side.set_visible(False)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Draw; return the exit code, 2 without suitable rows."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('rows', metavar='ROWS', nargs='?', default='out/mcguire_2019',
                        help='file of rows, or folder of the campaign (default: %(default)s)')
    parser.add_argument('--out', metavar='FILE', type=Path, default=IMAGE,
                        help='default: docs/images/mcguire.png')
    given = parser.parse_args(arguments)
    try:
        found = shares(read_table(given.rows))
    except (TableError, OSError) as error:
        parser.error(str(error))
    if not found:
        parser.error(f'{given.rows} has no reachable goal; give the rows of '
                     'mcguire_2019')
    draw(found).savefig(given.out)
    print('\n'.join(_table(found)))
    return 0


def _table(found: Shares) -> List[str]:
    """Return the drawn shares as a table [%]."""
    noises = sorted({noise for each in found.values() for levels in each.values()
                     for noise in levels})
    lines = [f'| | drift correction | {" | ".join(f"{noise:g}" for noise in noises)} |',
             '|---' * (2 + len(noises)) + '|']
    for name, by_correction in found.items():
        for correction, levels in sorted(by_correction.items()):
            cells = [f'{100.0 * levels[noise][0] / levels[noise][1]:.1f}'
                     if noise in levels else '' for noise in noises]
            lines.append(f'| `{name}` | {correction} | {" | ".join(cells)} |')
    return lines


if __name__ == '__main__':
    sys.exit(main())
