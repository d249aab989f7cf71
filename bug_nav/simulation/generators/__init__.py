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
Random worlds, the same for the same seed on every machine.

Each kind has its own module. With ``reachable=False`` the goal is certainly unreachable; otherwise
it is usually reachable: check with `lab.ground_truth.judge`. In worlds with movers both refer to
the settled world (`World.settled`) and may differ before.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
from typing import Any, Callable, Dict, Tuple
from urllib.parse import parse_qsl

from bug_nav.navigation.names import unknown
from bug_nav.simulation.generators.aliased import corridors, enfilades, fields, rotundas
from bug_nav.simulation.generators.cells import cells
from bug_nav.simulation.generators.clutter import cluttered, TRIES
from bug_nav.simulation.generators.combs import combs
from bug_nav.simulation.generators.crowd import crowd
from bug_nav.simulation.generators.doors import doors
from bug_nav.simulation.generators.dynamic import dynamic
from bug_nav.simulation.generators.moved import moved
from bug_nav.simulation.generators.posts import PITCHES, posts
from bug_nav.simulation.generators.rings import rings
from bug_nav.simulation.generators.rooms import rooms
from bug_nav.simulation.generators.shapes import rectangle, RHO, ring
from bug_nav.simulation.generators.spirals import coils, spirals
from bug_nav.simulation.generators.traffic import traffic
from bug_nav.simulation.world import BLACK, GLASS, PLAIN, World, WorldError
import numpy as np

__all__ = ['cells', 'cluttered', 'coils', 'combs', 'corridors', 'enfilades', 'EXAMPLE', 'ALIASED',
           'crowd', 'doors', 'dynamic', 'fields', 'GENERATORS', 'moved', 'MOVING',
           'posts', 'PREFIX', 'random_name', 'random_world', 'rectangle', 'RHO', 'ring',
           'rings', 'rooms', 'rotundas', 'SPARSE', 'spirals', 'traffic']

PREFIX = 'random:'
"""Prefix of the name of a random world."""
EXAMPLE = 'random:cluttered?seed=7&reachable=false'
GENERATORS: Dict[str, Callable[..., World]] = {
    'cluttered': cluttered, 'cells': cells, 'spirals': spirals, 'rooms': rooms,
    'rings': rings, 'combs': combs, 'posts': posts, 'coils': coils, 'rotundas': rotundas,
    'corridors': corridors, 'fields': fields, 'enfilades': enfilades, 'crowd': crowd,
    'doors': doors, 'moved': moved, 'traffic': traffic, 'dynamic': dynamic}
SYNONYMS = {'maze': 'cells', 'mazes': 'cells', 'labyrinth': 'cells', 'office': 'rooms',
            'clutter': 'cluttered', 'boxes': 'cluttered', 'people': 'crowd'}
"""Common names of some generators, for suggestions."""
ALIASED = ('rotundas', 'corridors', 'fields', 'enfilades')
"""Kinds with perceptual aliasing: scans at different places are alike, or empty."""
SPARSE = ('posts', 'coils')
"""Kinds with posts or thin walls, on which a scan has few readings."""
MOVING = ('crowd', 'doors', 'moved', 'traffic', 'dynamic')
"""Kinds with movers or other robots; reachability refers to the settled world."""
_RANGES: Dict[str, Tuple[type, float, float]] = {
    'seed': (int, 0, 10**9), 'count': (int, 0, TRIES), 'size': (float, 4.0, 100.0),
    'gaps': (float, 0.0, 1.0), 'rings': (int, 1, 10), 'teeth': (int, 2, 30),
    'width': (float, 0.6, 3.0), 'rooms': (int, 2, 30), GLASS: (float, 0.0, 1.0),
    BLACK: (float, 0.0, 1.0), 'people': (int, 0, 50), 'speed': (float, 0.1, 1.5),
    'robots': (int, 2, 10), 'pitch': (float, *PITCHES)}
_YES_OR_NO = ('reachable', 'legs')


def random_world(name: str) -> World:
    """
    Return the random world of a name such as `random:cluttered?seed=7&reachable=false`.

    Arguments follow the name of the generator as in a URL query: `seed`, and optionally
    `reachable`, `glass` and `black`, the shares of solids with that surface; for `cluttered`
    also `count`, `size` and `gaps`, for `rings` `rings` and `width`, for `combs` `teeth` and
    `width`, for `posts` `pitch`, for `enfilades` `rooms`, for `crowd` `people`, `speed`, `size`
    and `legs`, for `traffic` `robots`, for `dynamic` `count` and `speed`.

    :raises WorldError: for an unknown generator or an invalid argument.
    """
    kind, _, query = name[len(PREFIX):].partition('?')
    if kind not in GENERATORS:
        raise WorldError(unknown(
            'kind of random world', kind, GENERATORS,
            f'kinds are {", ".join(GENERATORS)}; give a name such as {EXAMPLE}',
            [SYNONYMS[kind]] if kind in SYNONYMS else []))
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise WorldError(f"'{query}' has an argument without a value; give a name such as "
                         f'{EXAMPLE}') from None
    arguments: Dict[str, Any] = {}
    for argument, text in pairs:
        if argument in arguments:
            raise WorldError(f"'{argument}' is given twice in '{name}'")
        arguments[argument] = _argument(kind, argument, text)
    if 'seed' not in arguments:
        raise WorldError(f"'{name}' has no seed; give a name such as {EXAMPLE}")
    shares = [arguments.pop(surface, 0.0) for surface in (GLASS, BLACK)]
    return _surfaced(GENERATORS[kind](**arguments), arguments['seed'], *shares)


def _surfaced(world: World, seed: int, glass: float, black: float) -> World:
    """Return a world in which shares of the solids are of glass or black."""
    if glass + black == 0.0:
        return world
    if glass + black > 1.0:
        raise WorldError(f'glass is {glass:g} and black is {black:g}; give shares whose sum is at '
                         'most 1')
    # Shares do not change the solids, and a larger share only adds to a smaller one.
    draws = np.random.default_rng((seed, *GLASS.encode())).random(len(world.solids))
    surfaces = np.where(draws < glass, GLASS, np.where(draws >= 1.0 - black, BLACK, PLAIN))
    return dataclasses.replace(world, surfaces=tuple(surfaces.tolist()))


def random_name(kind: str, seed: int, reachable: bool = True, **others: float) -> str:
    """Return the name of a random world."""
    wish = '' if reachable else '&reachable=false'
    rest = ''.join(f'&{name}={value:g}' for name, value in others.items())
    return f'{PREFIX}{kind}?seed={seed}{wish}{rest}'


def _argument(kind: str, name: str, text: str) -> Any:
    known = ['reachable', *(each for each in inspect.signature(GENERATORS[kind]).parameters
                            if each in _RANGES or each == 'legs'), GLASS, BLACK]
    if name not in known:
        raise WorldError(unknown(f'argument of random:{kind}', name, known,
                                 f'arguments are {", ".join(known)}'))
    if name in _YES_OR_NO:
        if text.lower() not in ('true', 'false'):
            raise WorldError(f"{name} is '{text}'; give true or false")
        return text.lower() == 'true'
    number, low, high = _RANGES[name]
    try:
        value = number(text)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        what = 'a whole number' if number is int else 'a number'
        raise WorldError(f"{name} is '{text}'; give {what} from {low} to {high}")
    return value
