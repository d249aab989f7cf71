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

"""Small multiples on one sheet: runs of many algorithms in the same world, side by side."""

from __future__ import annotations

import math
from typing import Any, List, Sequence

from bug_nav.visualization.episode_plot import (
    certificate_style,
    draw_map,
    FAINT_INK,
    HIT,
    INK,
    is_reached,
    LEAVE,
    line_of,
    MIN_VISIBLE,
    OTHER,
    Paper,
    PHASES,
    verdict_of,
    View,
    visible_phases,
)
from bug_nav.visualization.record import RunRecord
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

MAP = 2.75
"""Longer side of a map [inch]."""
CAPTION, GAP, EDGE, LEGEND = 0.30, 0.14, 0.12, 0.36
"""Height of a caption, gap between maps, margin of the sheet, height of the legend [inch]."""
ENTRY, ROW = 1.7, 0.19
"""Width of an entry of the legend, and height of an additional row [inch]."""
BEYOND = 0.5
"""Distance beyond the world above which a run has its own scale, as for CBUG's ellipse [m]."""
WEIGHT = 0.62
"""Line widths relative to a single plot."""


def draw_sheet(records: Sequence[RunRecord], columns: int = 4) -> Figure:
    """Return runs in one world on one sheet, row by row."""
    view = View(records, MAP, WEIGHT, BEYOND)
    rows = math.ceil(len(records) / columns)
    step = (view.width + GAP, view.height + CAPTION + GAP)
    handles = _handles(records, view.scale)
    wide = 2.0 * EDGE + columns * step[0] - GAP
    across = min(max(int(wide / ENTRY), 1), len(handles))
    size = (wide, EDGE + LEGEND + ROW * (math.ceil(len(handles) / across) - 1) + rows * step[1])
    figure = Paper(size)
    for k, record in enumerate(records):
        row, column = divmod(k, columns)
        left, below = EDGE + column * step[0], size[1] - EDGE - (row + 1) * step[1] + GAP
        axes = figure.add_axes((left / size[0], below / size[1],
                                view.width / size[0], view.height / size[1]))
        own = view.widened(record)
        draw_map(axes, record, own)
        _draw_caption(axes, record, own.scale / view.scale)
    figure.legend(handles=handles, loc='lower center', fontsize=8.5, frameon=False,
                  labelcolor=INK, ncol=across, handlelength=1.8, columnspacing=1.8,
                  bbox_to_anchor=(0.5, 0.06 / size[1]), borderaxespad=0.0, borderpad=0.0)
    return figure


def _draw_caption(axes: Any, record: RunRecord, scale: float) -> None:
    """Write algorithm, path length or verdict, and scale."""
    colour, verdict = verdict_of(record)
    reached = is_reached(record)
    if scale < 1.0:
        axes.annotate(f'scale {scale:.2f}', (0, 0), (4, 4), 'axes fraction', 'offset points',
                      fontsize=7.5, color=FAINT_INK, gid='scale', zorder=8)
    axes.annotate(record.algorithm, (0, 1), (1, 4), 'axes fraction', 'offset points',
                  fontsize=9.5, fontweight='bold', color=INK, gid='title')
    axes.annotate(f'{record.path_length:.1f} m' if reached else verdict, (1, 1), (-1, 4),
                  'axes fraction', 'offset points', fontsize=8.5, ha='right',
                  color=FAINT_INK if reached else colour, gid='verdict')


def _handles(records: Sequence[RunRecord], scale: float) -> List[Line2D]:
    """Return the legend entries of everything visible at a scale [inches/m]."""
    least = MIN_VISIBLE / 72.0 / scale
    driven = {phase for record in records for phase in visible_phases(record, least)}
    handles: List[Line2D] = [Line2D([], [], color=phase.colour, linewidth=2.0, label=phase.label,
                                    linestyle=line_of(phase))
                             for phase in (*reversed(PHASES), OTHER) if phase in driven]
    handles += [Line2D([], [], color=colour, marker=marker, markersize=5, linestyle='',
                       label=f'{kind} point')
                for kind, colour, marker in (('hit', HIT, 'o'), ('leave', LEAVE, 's'))
                if any(record.count(kind) for record in records)]
    if any(record.certificate for record in records):
        handles.append(Line2D([], [], label='certificate', **certificate_style(0.9)))
    return handles
