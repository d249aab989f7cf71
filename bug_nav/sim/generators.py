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

"""Random worlds, the same ones for the same seed on every machine."""

from __future__ import annotations

import difflib
import math
from typing import Any, Callable, Dict, Optional, Tuple
from urllib.parse import parse_qsl

from bug_nav.sim.world import World, WorldError
import numpy as np

PREFIX = 'random:'
"""What the name of a random world begins with."""
EXAMPLE = 'random:cluttered?seed=7&reachable=false'

# The Burger's contour radius.
RHO = 0.224
# What the start has to spare beyond the contour radius.
_SPARE = 0.02
# How far a gap made on purpose is from the width that a robot can just pass, at most.
_GAP_JITTER = 0.06
_TRIES = 200


def cluttered(seed: int, *, reachable: bool = True, count: Optional[int] = None,
              size: float = 7.0, rho: float = RHO, gaps: float = 0.3) -> World:
    """
    Return a square of random obstacles with a start and a goal.

    Bars, rectangles, L and U shapes and poles at any angle, overlapping as they fall. Of the
    worlds wished reachable, one in seven has a room around start or goal whose door is near the
    width that a robot can pass; that door, or chance, can still shut the goal off: ask
    `bench.ground_truth.judge`. A goal that is wished unreachable is so for certain: behind the
    walls of a closed ring around it or around the start, or inside an obstacle.

    :param seed: any integer from 0; two wishes with one seed have nothing in common.
    :param count: number of obstacles; by default 6 to 30, drawn too.
    :param size: side of the square in metres; start and goal are at least half of it apart.
    :param rho: contour radius in metres; the start is rho + 0.02 m clear of everything, and so is
        the goal in four of five worlds wished reachable; in the others it may be close to a wall.
    :param gaps: share of obstacles that are put parallel beside another one, at a distance within
        0.06 m of 2 rho: the width that a robot judges now shut, now open.
    """
    rng = np.random.default_rng((seed, int(reachable)))
    while True:
        world = _attempt(rng, reachable, count, size, rho, gaps)
        if world is not None:
            return World(f'cluttered_{seed}{"" if reachable else "_shut"}', world.solids,
                         world.start, world.goal)


def random_world(name: str) -> World:
    """
    Return the random world of a name such as `random:cluttered?seed=7&reachable=false`.

    After the generator's name come its arguments, as in a web address: `seed`, and where wanted
    `reachable`, `count`, `size` and `gaps`.

    :raises WorldError: if there is no such generator, or an argument is not what it takes.
    """
    generator, _, query = name[len(PREFIX):].partition('?')
    if generator not in GENERATORS:
        raise WorldError(f"no generator of random worlds is called '{generator}' (there is "
                         f"{', '.join(GENERATORS)}); give a name such as {EXAMPLE}")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise WorldError(f"'{query}' has an argument without a value; give a name such as "
                         f'{EXAMPLE}') from None
    arguments: Dict[str, Any] = {}
    for argument, text in pairs:
        if argument in arguments:
            raise WorldError(f"'{argument}' is given twice in '{name}'")
        arguments[argument] = _argument(argument, text)
    if 'seed' not in arguments:
        raise WorldError(f"'{name}' has no seed; give a name such as {EXAMPLE}")
    return GENERATORS[generator](**arguments)


def cluttered_name(seed: int, reachable: bool = True, **others: float) -> str:
    """Return the name by which `random_world` gives that world of `cluttered`."""
    wish = '' if reachable else '&reachable=false'
    rest = ''.join(f'&{name}={value:g}' for name, value in others.items())
    return f'{PREFIX}cluttered?seed={seed}{wish}{rest}'


GENERATORS: Dict[str, Callable[..., World]] = {'cluttered': cluttered}
_RANGES: Dict[str, Tuple[type, float, float]] = {
    'seed': (int, 0, 10**9), 'count': (int, 0, _TRIES), 'size': (float, 4.0, 100.0),
    'gaps': (float, 0.0, 1.0)}


def _argument(name: str, text: str) -> Any:
    if name == 'reachable':
        if text.lower() not in ('true', 'false'):
            raise WorldError(f"reachable is '{text}'; give true or false")
        return text.lower() == 'true'
    if name not in _RANGES:
        known = ['reachable', *_RANGES]
        close = difflib.get_close_matches(name, known, n=1)
        hint = f'; did you mean {close[0]}?' if close else ''
        raise WorldError(
            f"a random world takes no argument '{name}' (it takes {', '.join(known)}){hint}")
    kind, low, high = _RANGES[name]
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        what = 'a whole number' if kind is int else 'a number'
        raise WorldError(f"{name} is '{text}'; give {what} from {low} to {high}")
    return value


def _attempt(rng: np.random.Generator, reachable: bool, count: Optional[int], size: float,
             rho: float, gaps: float) -> Optional[World]:
    start, goal = _ends(rng, size)
    keep_clear = [(start, rho + _SPARE)]
    if reachable:
        keep_clear.append((goal, rho + _SPARE if rng.random() < 0.8 else 0.04))
        solids = _room(rng, start, goal, 2 * rho) if rng.random() < 0.15 else []
    else:
        solids = _shut(rng, start, goal)
    if solids and not _clear(solids, keep_clear):
        return None
    solids += _clutter(rng, int(rng.integers(6, 31)) if count is None else count, size,
                       gaps, 2 * rho, keep_clear)
    yaw = float(rng.uniform(-math.pi, math.pi))
    return World('', tuple(solids), (*start, yaw), goal)


def _ends(rng: np.random.Generator, size: float) -> tuple[tuple, tuple]:
    while True:
        ends = rng.uniform(0.0, size, (2, 2))
        if math.dist(*ends) >= 0.5 * size:
            start, goal = ends.tolist()
            return tuple(start), tuple(goal)


def _clutter(rng: np.random.Generator, count: int, size: float, gaps: float, width: float,
             keep_clear: list) -> list[np.ndarray]:
    solids: list[np.ndarray] = []
    blocks: list[tuple] = []
    for _ in range(_TRIES):
        if len(solids) >= count:
            break
        block: Optional[tuple]
        if blocks and rng.random() < gaps:
            block = _beside(rng, blocks[rng.integers(len(blocks))], width)
            solid = rectangle(*block)
        else:
            block, solid = _one(rng, size)
        if _clear([solid], keep_clear):
            solids.append(solid)
            blocks += [block] if block else []
    return solids


def _one(rng: np.random.Generator, size: float) -> tuple[Optional[tuple], np.ndarray]:
    x, y = rng.uniform(-0.05 * size, 1.05 * size, 2)
    yaw = rng.uniform(-math.pi, math.pi)
    kind = rng.choice(['rectangle', 'bar', 'l', 'u', 'pole'], p=[0.4, 0.2, 0.15, 0.15, 0.1])
    if kind == 'rectangle':
        block = (x, y, *rng.uniform(0.2, 1.2, 2), yaw)
        return block, rectangle(*block)
    if kind == 'bar':
        block = (x, y, rng.uniform(1.0, 2.4), rng.uniform(0.06, 0.2), yaw)
        return block, rectangle(*block)
    shape: Callable = {'l': _l_shape, 'u': _u_shape, 'pole': _pole}[kind]
    return None, _placed(shape(rng), x, y, yaw)


def _beside(rng: np.random.Generator, block: tuple, width: float) -> tuple:
    """Return a block parallel to another one, with about the critical width between them."""
    x, y, length, depth, yaw = block
    new_length, new_depth = rng.uniform(0.3, 1.5), rng.uniform(0.1, 0.8)
    across = 0.5 * (depth + new_depth) + width + rng.uniform(-_GAP_JITTER, _GAP_JITTER)
    across *= rng.choice((-1.0, 1.0))
    along = rng.uniform(-0.5, 0.5) * (length + new_length)
    cos, sin = math.cos(yaw), math.sin(yaw)
    return (x + cos * along - sin * across, y + sin * along + cos * across,
            new_length, new_depth, yaw)


def _shut(rng: np.random.Generator, start: tuple, goal: tuple) -> list[np.ndarray]:
    choice = rng.random()
    if choice < 0.1:
        x, y = np.add(goal, rng.uniform(-0.1, 0.1, 2))
        length, width = rng.uniform(0.4, 1.5, 2)
        return [rectangle(x, y, length, width, rng.uniform(-math.pi, math.pi))]
    return ring(rng, start if choice < 0.5 else goal)


def _room(rng: np.random.Generator, start: tuple, goal: tuple, width: float) -> list[np.ndarray]:
    door = width + rng.uniform(-2 * _GAP_JITTER, 4 * _GAP_JITTER)
    return ring(rng, start if rng.random() < 0.5 else goal, door)


def ring(rng: np.random.Generator, centre: tuple, door: float = 0.0) -> list[np.ndarray]:
    """
    Return the overlapping walls of an irregular ring 0.6 to 1.3 m around a place.

    :param door: width in metres of an opening in the middle of the longest wall, if that is long
        enough; 0 closes the ring.
    """
    count = int(rng.integers(4, 10))
    angles = (np.arange(count) + rng.uniform(-0.3, 0.3, count)) * 2 * math.pi / count
    radii = rng.uniform(0.6, 1.3, count)
    corners = np.add(centre, np.column_stack((radii * np.cos(angles), radii * np.sin(angles))))
    wall = rng.uniform(0.08, 0.2)
    walls = []
    lengths = np.hypot(*(np.roll(corners, -1, axis=0) - corners).T)
    for k, (a, b) in enumerate(zip(corners, np.roll(corners, -1, axis=0))):
        along = (b - a) / lengths[k]
        # Beyond both corners by half its width, so that neighbours overlap at any angle.
        ends = [a - 0.5 * wall * along, b + 0.5 * wall * along]
        if k == np.argmax(lengths) and 0 < door < lengths[k]:
            middle = 0.5 * (a + b)
            ends[1:1] = [middle - 0.5 * door * along, middle + 0.5 * door * along]
        walls += [_wall(*pair, wall) for pair in zip(ends[::2], ends[1::2])]
    return walls


def _wall(a: np.ndarray, b: np.ndarray, width: float) -> np.ndarray:
    (x, y), (dx, dy) = 0.5 * (a + b), b - a
    return rectangle(x, y, math.hypot(dx, dy), width, math.atan2(dy, dx))


def rectangle(x: float, y: float, length: float, width: float, yaw: float) -> np.ndarray:
    """Return the corners (4, 2) in metres of a rectangle with its centre and yaw (rad)."""
    half = 0.5 * np.array([(length, width), (-length, width), (-length, -width), (length, -width)])
    return _placed(half, x, y, yaw)


def _l_shape(rng: np.random.Generator) -> np.ndarray:
    a, b = rng.uniform(0.5, 1.6, 2)
    wall = rng.uniform(0.08, 0.3)
    return np.array([(0, 0), (a, 0), (a, wall), (wall, wall), (wall, b), (0, b)])


def _u_shape(rng: np.random.Generator) -> np.ndarray:
    inner, left, right = rng.uniform(0.3, 1.3, 3)
    wall = rng.uniform(0.08, 0.2)
    outer = inner + 2 * wall
    return np.array([(0, 0), (outer, 0), (outer, wall + right), (outer - wall, wall + right),
                     (outer - wall, wall), (wall, wall), (wall, wall + left), (0, wall + left)])


def _pole(rng: np.random.Generator) -> np.ndarray:
    angles = np.arange(16) * math.pi / 8
    return rng.uniform(0.03, 0.25) * np.column_stack((np.cos(angles), np.sin(angles)))


def _placed(points: np.ndarray, x: float, y: float, yaw: float) -> np.ndarray:
    cos, sin = math.cos(yaw), math.sin(yaw)
    return points @ np.array([(cos, sin), (-sin, cos)]) + (x, y)


def _clear(solids: list[np.ndarray], keep_clear: list) -> bool:
    world = World('', tuple(solids))
    return all(world.clearance(np.array([place]))[0] >= least for place, least in keep_clear)
