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

"""Plot of a replay: paths, scan points, hit and leave points, and stops."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Point
from bug_nav.visualization.arrows import draw_head, heads_along
from bug_nav.visualization.arrows import SIZE as ARROW
from bug_nav.visualization.episode_plot import (
    FAINT_INK,
    FLOOR,
    GOAL,
    GRID,
    HIT,
    INK,
    LEAVE,
    PAPER,
    Paper,
    SOLID_EDGE,
)
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
import numpy as np

SIZE = 8.0
"""Side of the figure [inch]."""
PATH, ODOMETRY, HELD = '#1f6fb4', '#d86f10', '#243078'
APART = 0.05
"""Maximum distance between paths that are drawn as one [m]."""


class ReplayRecord(NamedTuple):
    """Content of the plot; places in the odometry frame [m]."""

    title: str
    path: Sequence[Point]
    """Path by odometry."""
    estimated: Sequence[Point]
    """Path as estimated by the navigator, at the same times."""
    points: np.ndarray
    """Points of the placed scans, (n, 2) [m]."""
    marks: Sequence[Tuple[str, int, Point]]
    """Hit and leave points: 'hit' or 'leave', number, place."""
    stops: Sequence[Tuple[Point, str]]
    """Places where the robot was stopped, and the reasons."""
    goal: Optional[Point]


def draw_replay(record: ReplayRecord) -> Figure:
    """Return the plot as a new figure."""
    figure = Paper((SIZE, SIZE))
    axes = figure.add_axes((0.08, 0.15, 0.88, 0.76))
    axes.set_aspect('equal', adjustable='datalim')
    axes.set_facecolor(FLOOR)
    axes.grid(True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8, labelcolor=FAINT_INK)
    for spine in axes.spines.values():
        spine.set_color(GRID)
    axes.set_title(record.title, fontsize=13, fontweight='bold', color=INK, loc='left', pad=10,
                   wrap=True)
    axes.set_xlabel('x of odometry [m]', fontsize=8, color=FAINT_INK, labelpad=2)
    axes.set_ylabel('y of odometry [m]', fontsize=8, color=FAINT_INK, labelpad=2)
    _draw_observations(axes, record)
    _draw_marks(axes, record)
    handles, _ = axes.get_legend_handles_labels()
    figure.legend(handles=handles, loc='lower left', fontsize=8.5, frameon=False, labelcolor=INK,
                  ncol=3, bbox_to_anchor=(0.08, 0.01), borderaxespad=0.0, borderpad=0.0,
                  handlelength=1.8, columnspacing=1.8)
    return figure


def _draw_observations(axes: Axes, record: ReplayRecord) -> None:
    if len(record.points):
        axes.plot(*record.points.T, '.', color=SOLID_EDGE, markersize=1.5, zorder=1,
                  label='placed scan points')
    if record.path:
        _draw_paths(axes, record)
    if record.goal is not None:
        axes.plot(*record.goal, '*', color=GOAL, markersize=15, markeredgecolor=PAPER, zorder=7,
                  label='goal')


def _draw_paths(axes: Axes, record: ReplayRecord) -> None:
    """Draw the estimated path, and the path of odometry if it differs."""
    label = 'driven in the recording'
    apart = np.hypot(*np.subtract(record.path, record.estimated).T).max()
    if apart > APART:
        axes.plot(*zip(*record.path), color=ODOMETRY, linewidth=1.2, linestyle='--', zorder=2,
                  label=f'by odometry, at most {apart:.2f} m off')
        label = 'estimated by the navigator'
    axes.plot(*zip(*record.estimated), color=PATH, linewidth=2.4, zorder=4, label=label,
              solid_capstyle='round', solid_joinstyle='round',
              path_effects=[withStroke(linewidth=4.0, foreground=FLOOR)])
    spacing = max(0.9, _length(record.estimated) / 20.0)
    for k, heading in heads_along(record.estimated, spacing, 0.1, (), 0.0):
        draw_head(axes, record.estimated[k], heading, ARROW, zorder=4.5, color=PATH,
                  markeredgecolor=FLOOR, markeredgewidth=0.7)
    axes.plot(*record.estimated[0], 'o', color=INK, markersize=9, zorder=5, label='start')


def _length(path: Sequence[Point]) -> float:
    return float(np.hypot(*np.diff(np.array(path), axis=0).T).sum())


def _draw_marks(axes: Axes, record: ReplayRecord) -> None:
    for kind, colour, marker, letter in (('hit', HIT, 'o', 'H'), ('leave', LEAVE, 's', 'L')):
        marks = [mark for mark in record.marks if mark[0] == kind]
        if marks:
            axes.plot(*zip(*(place for _, _, place in marks)), marker, color=colour, zorder=6,
                      linestyle='none', markersize=6.5, markeredgecolor=PAPER,
                      label=f'{kind} point')
        for _, number, place in marks:
            axes.annotate(f'{letter}{number}', place, xytext=(5, 5), fontsize=9.5, color=colour,
                          fontweight='bold', textcoords='offset points', zorder=8,
                          path_effects=[withStroke(linewidth=2.6, foreground=FLOOR)])
    for reason in _reasons(record):
        places = [place for place, why in record.stops if why == reason]
        axes.plot(*zip(*places), 's', color=HELD, markersize=6, fillstyle='none', zorder=5,
                  linestyle='none', label=reason.replace('_', ' '))


def _reasons(record: ReplayRecord) -> List[str]:
    return sorted({why for _, why in record.stops})
