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

"""``bug_nav worlds``: list the shipped worlds, or draw any worlds."""

from __future__ import annotations

import argparse
import re
from typing import Sequence

from bug_nav.cli import notes_of, RANDOM_WORLDS, report_notes, report_written
from bug_nav.files import BadInput
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import World, WorldError
from bug_nav.visualization.plot_files import check_picture_file

_ABOUT = re.compile(r'<!--\s*(.*?)\s*(?:Written by .*?)?\s*-->', re.DOTALL)
_DPI = 100


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    try:
        if arguments.plot:
            _plot(arguments.worlds, arguments.plot)
        else:
            _list(arguments.worlds)
    except WorldError as error:
        raise BadInput(str(error)) from error
    return 0


def _list(names: Sequence[str]) -> None:
    shipped = shipped_worlds()
    width = max(map(len, names or shipped), default=0)
    for name in names or shipped:
        if name in shipped:
            print(f'{name:<{width}}  {description(name)}'.rstrip())
        else:
            _describe(name, width)
    if not names:
        print(RANDOM_WORLDS)


def _describe(name: str, width: int) -> None:
    """Print the measurements of a world, and below them what its file has and the world lacks."""
    world = find_world(name)
    print(f'{name:<{width}}  {measurements(world)}')
    cut = [] if world.cut is None else [f'cut at the height of the lidar, {world.cut:g} m']
    for note in (*cut, *notes_of(world)):
        print(f'  {note}')


def _plot(names: Sequence[str], path: str) -> None:
    check_picture_file(path)
    worlds = [find_world(name) for name in names or shipped_worlds()]
    for world in worlds:
        report_notes(world)
    from bug_nav.visualization.episode_plot import save_figure
    from bug_nav.visualization.world_sheet import draw_worlds
    try:
        save_figure(draw_worlds(worlds), path, _DPI)
    except OSError as error:
        raise BadInput(f'the plot file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None
    report_written(path)


def measurements(world: World) -> str:
    """Return size, counts, start and goal of a world as text."""
    x0, y0, x1, y1 = world.extent
    ends = ', '.join(f'{what} {",".join(f"{value:.4g}" for value in place)}'
                     for what, place in (('start', world.start), ('goal', world.goal)) if place)
    moving = ''.join(f', {len(some)} {what}{"s" * (len(some) > 1)}' for what, some in (
        ('mover', world.movers), ('other robot', world.other_robots)) if some)
    return (f'x {x0:.4g} to {x1:.4g} m, y {y0:.4g} to {y1:.4g} m, {len(world.solids)} solids, '
            f'{len(world.segments)} segments{moving}; {ends or "no start, no goal"}')


def description(name: str) -> str:
    """Return the purpose of a shipped world: the first comment in its file."""
    head = (share_dir() / 'worlds' / f'{name}.world').read_text(encoding='utf-8')[:2000]
    found = _ABOUT.search(head)
    return ' '.join(found.group(1).split()) if found else ''
