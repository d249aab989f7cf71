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

"""The picture of a replay: the paths, what was seen on them, hit and leave points, and stops."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.core.geometry import Point
from bug_nav.viz.episode_plot import FAINT_INK, GOAL, HIT, INK, LEAVE, PAPER
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
import numpy as np

SIZE = 8.0
"""Of the picture [inch]."""
PATH, ODOMETRY, HELD = '#1f6fb4', '#d86f10', '#243078'
APART = 0.05
"""Two paths that are nowhere further apart than this [m] are one."""


class ReplayRecord(NamedTuple):
    """What is drawn; places in the frame of odometry [m]."""

    title: str
    path: Sequence[Point]
    """As odometry tells it."""
    believed: Sequence[Point]
    """As the navigator believes it, at the same times."""
    points: np.ndarray
    """Of the placed scans, (n, 2)."""
    marks: Sequence[Tuple[str, int, Point]]
    """Hit and leave points: 'hit' or 'leave', number, place."""
    stops: Sequence[Tuple[Point, str]]
    """Where the robot was held, and why."""
    goal: Optional[Point]


def draw_replay(record: ReplayRecord) -> Figure:
    """Return the picture as a figure of its own."""
    figure = Figure(figsize=(SIZE, SIZE), facecolor=PAPER)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.09, 0.07, 0.88, 0.86))
    axes.set_aspect('equal', adjustable='datalim')
    axes.set_title(record.title, fontsize=10, color=INK, loc='left')
    axes.set_xlabel('x of odometry [m]', color=FAINT_INK)
    axes.set_ylabel('y of odometry [m]', color=FAINT_INK)
    axes.tick_params(colors=FAINT_INK)
    _draw_sights(axes, record)
    _draw_marks(axes, record)
    axes.legend(loc='best', fontsize=8, frameon=False)
    return figure


def _draw_sights(axes: Axes, record: ReplayRecord) -> None:
    if len(record.points):
        axes.plot(*record.points.T, '.', color=FAINT_INK, markersize=1.0, zorder=1,
                  label='placed scan points')
    if record.path:
        _draw_paths(axes, record)
    if record.goal is not None:
        axes.plot(*record.goal, '*', color=GOAL, markersize=12, zorder=3, label='goal')


def _draw_paths(axes: Axes, record: ReplayRecord) -> None:
    """Draw the believed path, and that of odometry where it is another."""
    label = 'driven in the recording'
    apart = np.hypot(*np.subtract(record.path, record.believed).T).max()
    if apart > APART:
        axes.plot(*zip(*record.path), color=ODOMETRY, linewidth=1.0, linestyle='--', zorder=2,
                  label=f'by odometry, at most {apart:.2f} m off')
        label = 'as the navigator believes'
    axes.plot(*zip(*record.believed), color=PATH, linewidth=1.5, zorder=2, label=label)
    axes.plot(*record.believed[0], 'o', color=PATH, markersize=5, zorder=3, label='start')


def _draw_marks(axes: Axes, record: ReplayRecord) -> None:
    for kind, colour, marker, letter in (('hit', HIT, 'v', 'H'), ('leave', LEAVE, '^', 'L')):
        marks = [mark for mark in record.marks if mark[0] == kind]
        if marks:
            axes.plot(*zip(*(place for _, _, place in marks)), marker, color=colour, zorder=4,
                      linestyle='none', label=f'{kind} points')
        for _, number, place in marks:
            axes.annotate(f'{letter}{number}', place, xytext=(4, 4), fontsize=8, color=colour,
                          textcoords='offset points')
    for reason in _reasons(record):
        places = [place for place, why in record.stops if why == reason]
        axes.plot(*zip(*places), 's', color=HELD, markersize=6, fillstyle='none', zorder=3,
                  linestyle='none', label=reason.replace('_', ' '))


def _reasons(record: ReplayRecord) -> List[str]:
    return sorted({why for _, why in record.stops})
