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
Parser of the untrusted JSON requests of a page: worlds, edits and runs.

Invalid input raises `BadInput` with one sentence. Requests never contain paths, only the names of
shipped and random worlds and the ids of uploaded files.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from pathlib import Path
import re
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from bug_nav.files import BadInput
from bug_nav.lab.run_setup import command_of, RunOptions, RunSetup, set_up
from bug_nav.navigation.names import shown
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.generators import PREFIX
from bug_nav.simulation.movers import disc
from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.simple_polygon import is_simple
from bug_nav.simulation.world import PLAIN, World, WorldError
import numpy as np

MAX_SOLIDS = 2000
MAX_CORNERS = 20_000
"""Maximum number of corners of all solids of a world."""
MAX_SHAPES = 500
"""Maximum number of added shapes."""
MAX_POINTS = 300
"""Maximum number of points of a shape."""
MAX_DISTANCE = 1000.0
"""Maximum absolute coordinate and size of a shape [m]."""
MAX_TIME_ALLOWANCE = 3600.0
"""Maximum time allowance of an episode [simulated s]."""
FILE_ID = re.compile(r'[0-9a-f]{16}')
"""Pattern of the id of an uploaded file."""
SDF_ENDINGS = ('.sdf', '.world')
SAVED_WORLD = 'playground.world'
"""File name of an edited world in the copied command."""
SEED_LIMIT = 2 ** 31


class RunRequest(NamedTuple):
    """Parsed request for one run."""

    setup: RunSetup
    command: str


class UploadedFiles:
    """Uploaded files by their ids."""

    def __init__(self, paths: Dict[str, str]):
        """Store the paths by id; the path of an image may end in its resolution."""
        self._paths = paths

    def path(self, name: Any) -> str:
        """Return the path of a file."""
        path = self._paths.get(name) if isinstance(name, str) and FILE_ID.fullmatch(name) else None
        if path is None:
            raise BadInput('the server no longer has this file; open it again')
        return path


# ---- worlds -----------------------------------------------------------------------------------

def parse_world(spec: Any, files: UploadedFiles) -> World:
    """Return the requested world with its edits."""
    spec = _parse_object(spec, 'the world')
    path = files.path(spec['file']) if 'file' in spec else ''
    return _cached_world(json.dumps(spec, sort_keys=True), path)


@functools.lru_cache(maxsize=16)
def _cached_world(text: str, path: str) -> World:
    """Return a world; repeated requests return the same object."""
    spec = json.loads(text)
    # The server stores an upload under its id; the other files are on its command line.
    world = _load(path or _world_name(spec), bool(path) and Path(path).stem == spec['file'])
    _check_size(world)
    if spec.get('edits'):
        world = _edited(world, _parse_object(spec['edits'], 'edits'))
        _check_size(world)
    return world


def is_world_name(world: str) -> bool:
    """Return whether a world is a shipped or random one, not a file."""
    return world.startswith(PREFIX) or world in shipped_worlds()


def _world_name(spec: Dict[str, Any]) -> str:
    """Return the name of a shipped or random world; '' for the empty floor."""
    name = spec.get('name')
    if spec.get('solids') == []:
        return ''
    if not isinstance(name, str) or len(name) > 200:
        raise BadInput('the world has no name')
    if not name.startswith(PREFIX) and re.search(r'\W', name):
        raise BadInput('unknown world; worlds in files must be opened')
    return name


@functools.lru_cache(maxsize=8)
def _load(name: str, is_upload: bool) -> World:
    try:
        if is_upload and Path(name).suffix in SDF_ENDINGS:
            return load_sdf(name, is_alone=True)
        return find_world(name) if name else World('drawn', ())
    except WorldError as error:
        raise BadInput(str(error)) from error


def _check_size(world: World) -> None:
    corners = sum(map(len, world.solids))
    if len(world.solids) > MAX_SOLIDS or corners > MAX_CORNERS:
        raise BadInput(f'this world has {len(world.solids)} solids with {corners} corners; the '
                       f'limit is {MAX_SOLIDS} with {MAX_CORNERS}; use `bug_nav run`, which '
                       'has no limit')


def _edited(world: World, edits: Dict[str, Any]) -> World:
    """Return a world with solids removed, moved and added."""
    solids: Dict[int, np.ndarray] = dict(enumerate(world.solids))
    moved = _parse_object(edits.get('moved', {}), 'moved')
    for key, value in moved.items():
        number = int(key) if key.isdecimal() and len(key) < 6 else -1
        if number not in solids:
            raise BadInput(f'solid {shown(key)} cannot be moved; there are {len(world.solids)}')
        dx, dy, turn = parse_numbers(value, 3, 'a move')
        solids[number] = _turned(solids[number], turn) + (dx, dy)
    for number in parse_list(edits.get('removed', []), MAX_SOLIDS, 'removed'):
        if not isinstance(number, int) or solids.pop(number, None) is None:
            raise BadInput(f'solid {shown(number)} cannot be removed; there are '
                           f'{len(world.solids)}')
    added = [polygon
             for k, shape in enumerate(parse_list(edits.get('added', []), MAX_SHAPES, 'added'), 1)
             for polygon in _polygons(_parse_object(shape, 'a shape'), k)]
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
    """Return the mean of a polygon's corners, its centre of rotation (2,) [m]."""
    return polygon.mean(axis=0)


def _rotation(angle: float) -> np.ndarray:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _polygons(shape: Dict[str, Any], number: int) -> List[np.ndarray]:
    """Return a drawn shape with a number as polygons, each (n, 2) [m]."""
    if 'b' in shape:
        x, y, width, height, yaw = parse_numbers(shape['b'], 5, 'a box')
        return [_box(x, y, _parse_length(width), _parse_length(height), yaw)]
    if 'c' in shape:
        x, y, radius = parse_numbers(shape['c'], 3, 'a circle')
        return [disc(_parse_length(radius), x, y)]
    if 'p' in shape:
        corners = _parse_points(shape['p'], 3)
        if not is_simple(corners):
            raise BadInput(f'drawn shape {number} is a polygon that crosses or touches itself; '
                           'draw it around its area')
        return [corners]
    if 'l' in shape:
        line = _parse_points(shape['l'], 2)
        width = _parse_length(*parse_numbers([shape.get('w', 0.1)], 1, 'w'))
        return [_box(*(0.5 * (a + b)).tolist(), math.dist(a, b) + width, width,
                     math.atan2(b[1] - a[1], b[0] - a[0]))  # type: ignore[call-arg]
                for a, b in zip(line, line[1:])]
    raise BadInput('a shape is not a box, circle, polygon or line')


def _box(x: float, y: float, width: float, height: float, yaw: float) -> np.ndarray:
    w, h = 0.5 * width, 0.5 * height
    corners = np.array([(w, h), (-w, h), (-w, -h), (w, -h)])
    return corners @ _rotation(yaw).T + (x, y)


def _parse_length(value: float) -> float:
    if not 0.005 <= value <= MAX_DISTANCE:
        raise BadInput(f'a shape is {value:g} m wide; 0.005 to {MAX_DISTANCE:g} m are allowed')
    return value


# ---- cases ------------------------------------------------------------------------------------

def parse_run(data: Any, algorithm: Any, files: UploadedFiles) -> RunRequest:
    """Return the requested run of one algorithm."""
    data = _parse_object(data, 'the case')
    world = parse_world(data.get('world'), files)
    start = parse_numbers(data.get('start'), 3, 'the start')
    goal = parse_numbers(data.get('goal'), 2, 'the goal')
    robot, turn = parse_name(data, 'robot', 'burger'), parse_name(data, 'turn', 'left')
    seed = data.get('seed', 1)
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < SEED_LIMIT:
        raise BadInput(f'the seed is {shown(seed)}; give a whole number from 0')
    allowance, = parse_numbers([data.get('time_allowance', MAX_TIME_ALLOWANCE)], 1,
                               'the time allowance')
    if not 1.0 <= allowance <= MAX_TIME_ALLOWANCE:
        raise BadInput(f'the time allowance is {allowance:g} s; allowed are 1 to '
                       f'{MAX_TIME_ALLOWANCE:g} s')
    settings = {name: _setting_text(name, value)
                for name, value in _parse_object(data.get('set', {}), 'set').items()}
    if not isinstance(algorithm, str):
        raise BadInput('an algorithm has no name')
    options = RunOptions(world, algorithm, start, goal, robot, turn, settings=settings, seed=seed,
                         time_allowance=allowance)
    return RunRequest(set_up(options), command_of(
        options, _world_argument(_parse_object(data.get('world'), 'the world'))))


def _world_argument(spec: Dict[str, Any]) -> str:
    """Return the WORLD argument of `bug_nav run`; an edited world must be saved first."""
    is_own = spec.get('edits') or 'file' in spec or spec.get('solids') == []
    return SAVED_WORLD if is_own else str(spec.get('name'))


# ---- values -----------------------------------------------------------------------------------

def parse_message(text: str) -> Dict[str, Any]:
    """Return the JSON object of a message; BadInput if it is invalid."""
    try:
        return _parse_object(json.loads(text, parse_constant=_reject_constant), 'the message')
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput('the message is not valid JSON') from None


def _reject_constant(name: str) -> None:
    raise BadInput(f'{name} is not allowed; give a finite number')


def _parse_object(value: Any, what: str) -> Dict[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f'{what} is not an object')
    return value


def parse_list(value: Any, most: int, what: str) -> List[Any]:
    """Return a list with at most ``most`` members."""
    if not isinstance(value, list):
        raise BadInput(f'{what} is not a list')
    if len(value) > most:
        raise BadInput(f'{what} has {len(value)} members; up to {most} are allowed')
    return value


def parse_numbers(value: Any, count: int, what: str) -> Tuple[float, ...]:
    """Return ``count`` finite numbers of limited size."""
    if (not isinstance(value, (list, tuple)) or len(value) != count
            or not all(isinstance(each, (int, float)) and not isinstance(each, bool)
                       for each in value)):
        raise BadInput(f'{what} must have {count} number{"s" * (count > 1)}')
    if not all(abs(each) <= 100.0 * MAX_DISTANCE for each in value):
        raise BadInput(f'{what} has a number beyond {100.0 * MAX_DISTANCE:g}')
    return tuple(map(float, value))


def parse_name(data: Dict[str, Any], name: str, default: str) -> str:
    """Return a name in a request, or the ``default``, which may be empty."""
    value = data.get(name, default)
    if not isinstance(value, str) or value != default and not re.fullmatch(r'\w{1,40}', value):
        raise BadInput(f'{name} is not a valid name')
    return value


def _parse_points(value: Any, least: int) -> np.ndarray:
    """Return the points of a shape (n, 2) [m]."""
    points: Sequence[Any] = parse_list(value, MAX_POINTS, 'a shape')
    if len(points) < least:
        raise BadInput(f'a shape has {len(points)} points; at least {least} are needed')
    table = np.array([parse_numbers(point, 2, 'a point') for point in points])
    if np.abs(table).max() > MAX_DISTANCE:
        raise BadInput(f'a shape lies farther than {MAX_DISTANCE:g} m away')
    return table


def _setting_text(name: str, value: Any) -> str:
    """Return a parameter value as text for `--set`."""
    if not re.fullmatch(r'[\w.]{1,80}', name):
        raise BadInput('a parameter has no valid name')
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str) and re.fullmatch(r'[\w.\- ]{0,80}', value):
        return value
    raise BadInput(f'{name} has an invalid value')


def safe_file_name(name: str, ending: str) -> str:
    """Return a file name without special characters."""
    return f'{Path(re.sub(r"[^0-9A-Za-z_]+", "_", name) or "world").name[:60]}{ending}'
