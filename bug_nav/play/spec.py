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
What the page asks for, read as by strangers: worlds, edits and cases, made of JSON.

Whatever is not as it should be raises `BadInput` with one sentence. Paths are never taken from
the page: it names shipped worlds, random ones, and files that were given to the server before.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import math
from pathlib import Path
import re
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from bug_nav.commands import BadInput
from bug_nav.commands.case import Case, make_case
from bug_nav.commands.playbacks import command_of
from bug_nav.core.names import shown
from bug_nav.sim.catalogue import find_world, shipped_worlds
from bug_nav.sim.generators import PREFIX
from bug_nav.sim.movers import disc
from bug_nav.sim.sdf import is_simple
from bug_nav.sim.world import PLAIN, World, WorldError
import numpy as np

MOST_SOLIDS = 2000
MOST_CORNERS = 20_000
"""A world has no more, all of its solids together."""
MOST_SHAPES = 500
"""So many solids can be added by hand."""
MOST_POINTS = 300
"""Of a shape."""
FARTHEST = 1000.0
"""What is drawn lies no farther from the origin [m]."""
LONGEST = 3600.0
"""An episode takes no longer [simulated s]."""
FILE = re.compile(r'[0-9a-f]{16}')
"""What a file is called that was given to the server."""
SAVED = 'playground.world'
"""The file that a command names for a world that was drawn."""
SEED = 2 ** 31


class Asked(NamedTuple):
    """A run that was asked for."""

    case: Case
    seed: int
    time_allowance: float
    command: str


class Files:
    """The files that were given to the server, by what they are called."""

    def __init__(self, paths: Dict[str, str]):
        """Take the paths; a picture's may be followed by its resolution."""
        self._paths = paths

    def path(self, name: Any) -> str:
        """Return the path of a file."""
        path = self._paths.get(name) if isinstance(name, str) and FILE.fullmatch(name) else None
        if path is None:
            raise BadInput('the server does not have this file any more; open it again')
        return path


# ---- worlds -----------------------------------------------------------------------------------

def world_of(spec: Any, files: Files) -> World:
    """Return the world that a page asks for, with what was changed in it."""
    spec = _object(spec, 'the world')
    path = files.path(spec['file']) if 'file' in spec else ''
    return _world_of(json.dumps(spec, sort_keys=True), path)


@functools.lru_cache(maxsize=16)
def _world_of(text: str, path: str) -> World:
    """Return a world, which is the same object again while it is asked for again."""
    spec = json.loads(text)
    world = _load(path or _named(spec))
    _check_size(world)
    if spec.get('edits'):
        world = _edited(world, _object(spec['edits'], 'edits'))
        _check_size(world)
    return world


def is_named(world: str) -> bool:
    """Tell whether a world is known by its name; all others are files."""
    return world.startswith(PREFIX) or world in shipped_worlds()


def _named(spec: Dict[str, Any]) -> str:
    """Return the name of a world that needs no file; '' for the empty floor."""
    name = spec.get('name')
    if spec.get('solids') == []:
        return ''
    if not isinstance(name, str) or len(name) > 200:
        raise BadInput('the world has no name')
    if not name.startswith(PREFIX) and re.search(r'\W', name):
        raise BadInput('no world is called so; files are opened, not named')
    return name


@functools.lru_cache(maxsize=8)
def _load(name: str) -> World:
    try:
        return find_world(name) if name else World('drawn', ())
    except WorldError as error:
        raise BadInput(str(error)) from error


def _check_size(world: World) -> None:
    corners = sum(map(len, world.solids))
    if len(world.solids) > MOST_SOLIDS or corners > MOST_CORNERS:
        raise BadInput(f'this world has {len(world.solids)} solids with {corners} corners; up to '
                       f'{MOST_SOLIDS} with {MOST_CORNERS} are drawn here, and `bug_nav run` '
                       'takes more')


def _edited(world: World, edits: Dict[str, Any]) -> World:
    """Return a world without what was removed, with what was moved, and what was added."""
    solids: Dict[int, np.ndarray] = dict(enumerate(world.solids))
    moved = _object(edits.get('moved', {}), 'moved')
    for key, value in moved.items():
        number = int(key) if key.isdecimal() and len(key) < 6 else -1
        if number not in solids:
            raise BadInput(f'solid {shown(key)} cannot be moved; there are {len(world.solids)}')
        dx, dy, turn = numbers(value, 3, 'a move')
        solids[number] = _turned(solids[number], turn) + (dx, dy)
    for number in as_list(edits.get('removed', []), MOST_SOLIDS, 'removed'):
        if not isinstance(number, int) or solids.pop(number, None) is None:
            raise BadInput(f'solid {shown(number)} cannot be removed; there are '
                           f'{len(world.solids)}')
    added = [polygon for shape in as_list(edits.get('added', []), MOST_SHAPES, 'added')
             for polygon in _polygons(_object(shape, 'a shape'))]
    surfaces: Tuple[str, ...] = ()
    if world.special_surfaces:
        surfaces = (*(world.surfaces[number] for number in solids), *(PLAIN for _ in added))
    try:
        return dataclasses.replace(world, name=f'{world.name}_edited', surfaces=surfaces,
                                   solids=(*solids.values(), *added))
    except WorldError as error:
        raise BadInput(str(error)) from error


def _turned(solid: np.ndarray, turn: float) -> np.ndarray:
    if turn == 0.0:
        return solid
    middle = centroid(solid)
    return (solid - middle) @ _rotation(turn).T + middle


def centroid(polygon: np.ndarray) -> np.ndarray:
    """Return the mean of a polygon's corners, about which it is turned (2,) [m]."""
    return polygon.mean(axis=0)


def _rotation(angle: float) -> np.ndarray:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _polygons(shape: Dict[str, Any]) -> List[np.ndarray]:
    """Return a shape that was drawn as polygons, each (n, 2) [m]."""
    if 'b' in shape:
        x, y, width, height, yaw = numbers(shape['b'], 5, 'a box')
        return [_box(x, y, _length(width), _length(height), yaw)]
    if 'c' in shape:
        x, y, radius = numbers(shape['c'], 3, 'a circle')
        return [disc(_length(radius), x, y)]
    if 'p' in shape:
        corners = _points(shape['p'], 3)
        if not is_simple(corners):
            raise BadInput('a polygon crosses itself; draw it around its area')
        return [corners]
    if 'l' in shape:
        line, width = _points(shape['l'], 2), _length(*numbers([shape.get('w', 0.1)], 1, 'w'))
        return [_box(*(0.5 * (a + b)).tolist(), math.dist(a, b) + width, width,
                     math.atan2(b[1] - a[1], b[0] - a[0]))  # type: ignore[call-arg]
                for a, b in zip(line, line[1:])]
    raise BadInput('a shape is none of box, circle, polygon and line')


def _box(x: float, y: float, width: float, height: float, yaw: float) -> np.ndarray:
    w, h = 0.5 * width, 0.5 * height
    corners = np.array([(w, h), (-w, h), (-w, -h), (w, -h)])
    return corners @ _rotation(yaw).T + (x, y)


def _length(value: float) -> float:
    if not 0.005 <= value <= FARTHEST:
        raise BadInput(f'a shape is {value:g} m wide; 0.005 to {FARTHEST:g} m are allowed')
    return value


# ---- cases ------------------------------------------------------------------------------------

def asked(data: Any, algorithm: Any, files: Files) -> Asked:
    """Return the run of one algorithm that a page asks for."""
    data = _object(data, 'the case')
    world = world_of(data.get('world'), files)
    start = numbers(data.get('start'), 3, 'the start')
    goal = numbers(data.get('goal'), 2, 'the goal')
    robot, turn = _text(data, 'robot', 'burger'), _text(data, 'turn', 'left')
    seed = data.get('seed', 1)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < SEED:
        raise BadInput(f'the seed is {shown(seed)}; give a whole number from 0')
    allowance, = numbers([data.get('time_allowance', LONGEST)], 1, 'the time allowance')
    if not 1.0 <= allowance <= LONGEST:
        raise BadInput(f'the time allowance is {allowance:g} s; 1 to {LONGEST:g} s are allowed')
    settings = [f'{name}={_value(name, value)}'
                for name, value in _object(data.get('set', {}), 'set').items()]
    if not isinstance(algorithm, str):
        raise BadInput('an algorithm has no name')
    arguments = argparse.Namespace(
        world=world, still=False, algorithm=algorithm, settings=settings, start=start, goal=goal,
        robot=robot, turn=turn, noise=None, clearance=None, seed=seed, time_allowance=allowance)
    return Asked(make_case(arguments), seed, allowance, command_of(
        _file_of(_object(data.get('world'), 'the world')), arguments))


def _file_of(spec: Dict[str, Any]) -> str:
    """Return what `bug_nav run` calls the world; one that was drawn has to be saved for that."""
    is_own = spec.get('edits') or 'file' in spec or spec.get('solids') == []
    return SAVED if is_own else str(spec.get('name'))


# ---- values -----------------------------------------------------------------------------------

def parse(text: str) -> Dict[str, Any]:
    """Return what a message says; BadInput where it is none."""
    try:
        return _object(json.loads(text, parse_constant=_no_number), 'the message')
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput('the message is no JSON') from None


def _no_number(name: str) -> None:
    raise BadInput(f'{name} is no number')


def _object(value: Any, what: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f'{what} is no object')
    return value


def as_list(value: Any, most: int, what: str) -> List[Any]:
    """Return a list that is not too long."""
    if not isinstance(value, list):
        raise BadInput(f'{what} is no list')
    if len(value) > most:
        raise BadInput(f'{what} has {len(value)} members; up to {most} are allowed')
    return value


def numbers(value: Any, count: int, what: str) -> Tuple[float, ...]:
    """Return finite numbers of a usual size."""
    if (not isinstance(value, (list, tuple)) or len(value) != count
            or not all(isinstance(each, (int, float)) and not isinstance(each, bool)
                       for each in value)):
        raise BadInput(f'{what} is not made of {count} number{"s" * (count > 1)}')
    if not all(abs(each) <= 100.0 * FARTHEST for each in value):
        raise BadInput(f'{what} has a number that is out of this world')
    return tuple(map(float, value))


def _points(value: Any, least: int) -> np.ndarray:
    """Return points (n, 2) [m]."""
    points: Sequence[Any] = as_list(value, MOST_POINTS, 'a shape')
    if len(points) < least:
        raise BadInput(f'a shape has {len(points)} points; at least {least} are needed')
    table = np.array([numbers(point, 2, 'a point') for point in points])
    if np.abs(table).max() > FARTHEST:
        raise BadInput(f'a shape lies farther than {FARTHEST:g} m away')
    return table


def _text(data: Dict[str, Any], name: str, usual: str) -> str:
    value = data.get(name, usual)
    if not isinstance(value, str) or not re.fullmatch(r'\w{1,40}', value):
        raise BadInput(f'{name} is no name')
    return value


def _value(name: str, value: Any) -> str:
    """Return a parameter's value as it is typed after `--set`."""
    if not re.fullmatch(r'[\w.]{1,80}', name):
        raise BadInput('a parameter has no name')
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str) and re.fullmatch(r'[\w.\- ]{0,80}', value):
        return value
    raise BadInput(f'{name} has a value that no parameter has')


def saved_name(name: str, ending: str) -> str:
    """Return a name for a file that is saved."""
    return f'{Path(re.sub(r"[^0-9A-Za-z_]+", "_", name) or "world").name[:60]}{ending}'
