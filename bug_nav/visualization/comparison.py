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

"""Several runs in one world on one plot or animation, each path in its own colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Sequence, Union

from bug_nav.navigation.geometry import Point
from bug_nav.visualization.animation import animation_figure, BELOW, MAX_FRAMES, SIDE
from bug_nav.visualization.arrows import draw_head, heads_along, SIZE
from bug_nav.visualization.episode_plot import (
    ABOVE,
    CONTOUR,
    draw_goal,
    draw_ground,
    draw_m_line,
    draw_robot,
    draw_scale,
    FAINT_INK,
    FLOOR,
    has_arrived,
    INK,
    is_reached,
    LEFT,
    m_line_style,
    PAPER,
    Paper,
    RIGHT,
    verdict_of,
    View,
)
from bug_nav.visualization.mover_plot import draw_movers
from bug_nav.visualization.record import RunRecord
from bug_nav.visualization.video_file import DPI, RATE, write_animation
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from matplotlib.transforms import ScaledTranslation, Transform
import numpy as np

COLOURS = ('#60249c', '#9c903c', '#60240c', '#d854d8', '#547848', '#300c30')
"""Colours of algorithms, as on the page; distinct from the colours of states."""
DASHES: Sequence[Any] = ('-', (0, (4, 1.6)), (0, (1.2, 1.4)), (0, (6, 1.2, 1.2, 1.2)),
                         (0, (9, 2)))
"""Line styles; each colour is used once per style."""
WIDTH = 1.8
"""Width of a path [points]."""
LANE, LANES, ASIDE = 2.4, 16.0, math.radians(-52.0)
"""
Shift between the lanes of runs, maximum shift of all [points], and direction of the shift [rad].

Lanes separate paths that coincide; hardly any wall runs in this direction.
"""
ROW, COLUMN, FOOT = 0.19, 2.75, 0.66
"""Height of a row of the legend, width of a column, and height of the axis above it [inch]."""


def draw_comparison(records: Sequence[RunRecord]) -> Figure:
    """Return runs with the same start and goal on one map, as a new figure."""
    first, view = records[0], View(records)
    styles = [style(k) for k in range(len(records))]
    columns = max(int((view.width + RIGHT) / COLUMN), 1)
    below = FOOT + ROW * math.ceil((len(records) + 3) / columns)
    wide, high = LEFT + view.width + RIGHT, below + view.height + ABOVE
    figure = Paper((wide, high))
    axes = figure.add_axes((LEFT / wide, below / high, view.width / wide, view.height / high))
    draw_ground(axes, first, view)
    draw_movers(axes, first.world, first.robot_radius, view.weight)
    has_m_line = next((record for record in records if record.has_m_line), None)
    if has_m_line:
        draw_m_line(axes, has_m_line, view)
    for k, record in enumerate(records):
        _draw_path(axes, record, view, styles[k], _lane(figure, axes, k, len(records)))
    draw_robot(axes, first, at_the_end=False)
    for record, each in zip(records, styles):
        _draw_end(axes, record, each['color'])
    draw_goal(axes, first, view)
    draw_scale(axes, view)
    figure.text(LEFT / wide, 1.0 - 0.36 / high, heading(records), fontsize=15, fontweight='bold',
                color=INK, va='center', gid='title')
    figure.text(LEFT / wide, 1.0 - 0.72 / high, _subtitle(records), fontsize=9.5,
                color=FAINT_INK, va='center', gid='subtitle')
    _draw_legend(figure, records, styles, columns, has_m_line is not None)
    return figure


def style(k: int) -> Dict[str, Any]:
    """Return the colour and line style of run ``k``."""
    return {'color': COLOURS[k % len(COLOURS)],
            'linestyle': DASHES[k // len(COLOURS) % len(DASHES)]}


def heading(records: Sequence[RunRecord]) -> str:
    """Return the headline: number of runs and world."""
    count = len(records)
    return f'{count} run{"s" * (count > 1)} in {records[0].world.name}'


def names(records: Sequence[RunRecord]) -> List[str]:
    """Return the name of each run, with its turn direction if an algorithm occurs twice."""
    titles = [record.algorithm for record in records]
    return [f'{title}, {record.turn}' if titles.count(title) > 1 and record.turn else title
            for title, record in zip(titles, records)]


def _subtitle(records: Sequence[RunRecord]) -> str:
    shortest, turns = records[0].shortest_path, {record.turn for record in records if record.turn}
    parts = [] if shortest is None else [f'shortest path {shortest:.2f} m']
    if len(turns) == 1:
        parts.append(f'turning {turns.pop()}')
    return '   ·   '.join([*parts, f'contour at {records[0].contour_radius:.3g} m',
                          'coinciding paths are drawn next to each other'])


def _lane(figure: Figure, axes: Axes, k: int, count: int) -> Transform:
    """Return the transform that shifts path ``k`` to its lane."""
    aside = (k - 0.5 * (count - 1)) * min(LANE, LANES / max(count - 1, 1)) / 72.0
    return axes.transData + ScaledTranslation(
        aside * math.cos(ASIDE), aside * math.sin(ASIDE), figure.dpi_scale_trans)


def _draw_path(axes: Axes, record: RunRecord, view: View, line: Dict[str, Any], lane: Transform
               ) -> None:
    path = _places(record)
    axes.plot(*np.array(path).T, linewidth=WIDTH, solid_capstyle='round', zorder=4, transform=lane,
              solid_joinstyle='round', gid=f'path: {record.algorithm}', **line)
    spacing = max(1.5, record.path_length / 12.0, view.metres(80.0))
    for k, way in heads_along(path, spacing, view.metres(4.0), (), 0.0):
        draw_head(axes, path[k], way, 0.85 * SIZE, color=line['color'], zorder=4.5, transform=lane,
                  markeredgecolor=FLOOR, markeredgewidth=0.6)


def _places(record: RunRecord) -> List[Point]:
    return [record.start.position, *(step.pose.position for step in record.steps)]


def _draw_end(axes: Axes, record: RunRecord, colour: str) -> None:
    """Draw the robot at its final position, crossed out if that is not the goal."""
    end = _places(record)[-1]
    axes.add_patch(Circle(end, record.robot_radius, facecolor='none', edgecolor=colour,
                          linewidth=1.4, zorder=5, gid='robot at the end'))
    if not has_arrived(record):
        axes.plot(*end, marker='x', markersize=8, markeredgewidth=2.2, color=colour, zorder=6,
                  gid='not arrived')


def _draw_legend(figure: Figure, records: Sequence[RunRecord], styles: Sequence[Dict[str, Any]],
                 columns: int, has_m_line: bool) -> None:
    handles = [Line2D([], [], linewidth=2.6, label=f'{name}: {end(record)}', **each)
               for name, record, each in zip(names(records), records, styles)]
    if has_m_line:
        handles.append(Line2D([], [], label='M-line', **m_line_style(1.0)))
    if records[0].world.solids:
        handles.append(Line2D([], [], color=CONTOUR, linewidth=1.2, label='contour'))
    if not all(map(has_arrived, records)):
        handles.append(Line2D([], [], color=INK, marker='x', markersize=7, markeredgewidth=2.0,
                              linestyle='', label='ends short of the goal'))
    wide, high = figure.get_size_inches()
    figure.legend(handles=handles, loc='lower left', fontsize=8.5, frameon=False, labelcolor=INK,
                  ncol=min(columns, len(handles)), handlelength=2.4, columnspacing=1.8,
                  bbox_to_anchor=(LEFT / wide, 0.06 / high), borderaxespad=0.0, borderpad=0.0)


def end(record: RunRecord) -> str:
    """Return path length and outcome of a run in a few words."""
    length = f'{record.path_length:.2f} m'
    return length if is_reached(record) else f'{verdict_of(record)[1]} after {length}'


# ---- animation --------------------------------------------------------------------------------

def save_comparison_animation(records: Sequence[RunRecord], path: Union[str, Path],
                              speed_up: float = 8.0,
                              progress: Callable[[int, int], None] = lambda done, count: None,
                              dpi: int = DPI) -> None:
    """
    Write an animation of several runs, as long as the longest of them. May raise OSError.

    :param progress: called with the number of frames drawn, and the total.
    :param dpi: pixels per inch; the longer side of the map has about 4.6 inches.
    """
    view = View(records, SIDE, 0.7, whole=True)
    rows = math.ceil(len(records) / 2)
    figure, axes, caption = animation_figure(records[0], view, heading(records),
                                             BELOW + ROW * rows, dpi)
    styles = [style(k) for k in range(len(records))]
    wide, high = figure.get_size_inches()
    trails = [axes.plot([], [], linewidth=WIDTH, zorder=4, label=f'{name}: {end(record)}',
                        transform=_lane(figure, axes, k, len(records)), **styles[k])[0]
              for k, (name, record) in enumerate(zip(names(records), records))]
    robots = [axes.add_patch(Circle(record.start.position, record.robot_radius, zorder=5,
                                    facecolor=each['color'], edgecolor=PAPER, linewidth=0.8))
              for record, each in zip(records, styles)]
    figure.legend(handles=trails, loc='lower left', fontsize=7.5, frameon=False, labelcolor=INK,
                  ncol=2, bbox_to_anchor=(0.012, BELOW / high), borderaxespad=0.0, borderpad=0.0,
                  handlelength=2.0, labelspacing=0.3)
    paths = [np.array(_places(record)) for record in records]
    last = max(record.time for record in records)
    period = max(speed_up / RATE, last / MAX_FRAMES)

    def frames() -> Iterator[None]:
        count = math.ceil(last / period) + 1
        for number in range(count):
            now = min(number * period, last)
            for record, way, trail, robot in zip(records, paths, trails, robots):
                done = round(min(now / max(record.time, 1e-9), 1.0) * (len(way) - 1))
                trail.set_data(*way[:done + 1].T)
                robot.set(center=way[done])
            caption.set_text(f'{now:6.1f} s   {period * RATE:g}x speed')
            yield
            progress(number + 1, count)

    def fewer() -> bool:
        nonlocal period
        period *= 2.0
        return period < last / 4.0
    write_animation(figure, frames, fewer, path, COLOURS)
