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

"""A sheet of worlds, each with start, goal, and the contour that a robot would follow."""

from __future__ import annotations

import math
from typing import Any, List, Sequence

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.simulation.world import World
from bug_nav.visualization.episode_plot import (
    draw_ground,
    draw_map,
    draw_robot,
    FAINT_INK,
    INK,
    Paper,
    View,
)
from bug_nav.visualization.mover_plot import draw_movers
from bug_nav.visualization.record import RunRecord
from matplotlib.figure import Figure

MAP = 2.3
"""Longer side of a map among others [inch]."""
ALONE = 8.0
"""Longer side of a single map, which has a scale [inch]."""
CAPTION, GAP, EDGE, SCALE = 0.28, 0.16, 0.14, 0.35
"""Height of a caption, gap between maps, margin of the sheet, width of a scale [inch]."""
LETTER, SIZE_TEXT = 0.08, 0.9
"""Width of a letter of a caption, and of the size in it [inch]."""
WEIGHT = 0.55
"""Line widths relative to a single plot."""


def draw_worlds(worlds: Sequence[World], columns: int = 6) -> Figure:
    """Return worlds on one sheet, row by row, with the Burger at their starts."""
    alone = len(worlds) == 1
    longest = ALONE if alone else MAP
    records = [_record(world) for world in worlds]
    views = [View([record], longest, 1.0 if alone else WEIGHT, whole=True) for record in records]
    rows = [range(k, min(k + columns, len(worlds))) for k in range(0, len(worlds), columns)]
    heights = [max(views[k].height for k in row) + CAPTION + GAP for row in rows]
    scale = SCALE if alone else 0.0
    size = (2.0 * EDGE + scale + min(columns, len(worlds)) * (longest + GAP) - GAP,
            2.0 * EDGE + scale + sum(heights) - GAP)
    figure = Paper(size)
    for row, above in zip(rows, _before(heights)):
        for column, k in enumerate(row):
            view = views[k]
            left = EDGE + scale + column * (longest + GAP) + 0.5 * (longest - view.width)
            below = size[1] - EDGE - above - CAPTION - view.height
            axes = figure.add_axes((left / size[0], below / size[1],
                                    view.width / size[0], view.height / size[1]))
            _draw_world(axes, records[k], view)
            _draw_caption(axes, worlds[k], view.width)
            if alone:
                axes.tick_params(labelbottom=True, labelleft=True, labelsize=8,
                                 labelcolor=FAINT_INK)
    return figure


def _draw_world(axes: Any, record: RunRecord, view: View) -> None:
    """Draw a world, with its start and goal if it has them."""
    world = record.world
    if world.start is not None and world.goal is not None:
        draw_map(axes, record, view)
        return
    draw_ground(axes, record, view, everywhere=world.start is None)
    draw_movers(axes, world, record.robot_radius, view.weight)
    if world.start is not None:
        draw_robot(axes, record)


def _before(heights: Sequence[float]) -> List[float]:
    return [sum(heights[:k]) for k in range(len(heights))]


def _draw_caption(axes: Any, world: World, width: float) -> None:
    """Write the name of the world, and its size if there is room in ``width`` [inch]."""
    x0, y0, x1, y1 = world.extent
    axes.annotate(world.name, (0, 1), (1, 4), 'axes fraction', 'offset points', fontsize=8.5,
                  fontweight='bold', color=INK, gid='title')
    if LETTER * len(world.name) + SIZE_TEXT > width:
        return
    axes.annotate(f'{_metres(x1 - x0)} x {_metres(y1 - y0)} m', (1, 1), (-1, 4), 'axes fraction',
                  'offset points', fontsize=7.5, ha='right', color=FAINT_INK, gid='size')


def _metres(length: float) -> str:
    return f'{math.ceil(10.0 * length - 1e-6) / 10.0:g}'


def _record(world: World) -> RunRecord:
    """Return an empty run; a missing start or goal is in the middle of the world."""
    x0, y0, x1, y1 = world.extent
    middle = (0.5 * (x0 + x1), 0.5 * (y0 + y1))
    model, settings = RobotModel(), Settings()
    start = Pose(*world.start) if world.start else Pose(*middle, 0.0)
    return RunRecord(world, '', '', start, world.goal or middle, settings.xy_goal_tolerance,
                     model.robot_radius, contour_radius(model, settings), '', '', (), (), 0.0, 0.0)
