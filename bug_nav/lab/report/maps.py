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

"""Small maps of a world and a path, as SVG path data in centimetres."""

from __future__ import annotations

from functools import lru_cache
import math
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.lab.rows import Row
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.world import World, WorldError
import numpy as np
from shapely import wkt
from shapely.errors import ShapelyError
from shapely.geometry import LinearRing, LineString

ASPECT = 4.0 / 3.0
"""Width / height of a map."""
MIN_DETAIL = 1.0 / 400.0
"""Smallest detail that is drawn, as a share of the width of a map."""
ARROWS = (0.2, 0.5, 0.8)
"""Positions of the direction arrows, as shares of the path length."""
MAX_COORDINATE = 1e6
"""Maximum coordinate that is drawn; farther points are clipped [m]."""
_SCALES = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


class View(NamedTuple):
    """The part of the world that a map shows [m]."""

    x: float
    y: float
    width: float
    height: float

    @property
    def box(self) -> str:
        """Return the viewBox: y points down in SVG."""
        return ' '.join(str(round(100.0 * value)) for value in (
            self.x, -self.y - self.height, self.width, self.height))

    @property
    def unit(self) -> float:
        """Return a hundredth of the width [cm]."""
        return self.width


class Map(NamedTuple):
    """Drawing of an episode."""

    view: View
    world: Optional[str]
    """Id of the outline of the world; None if the world is not found."""
    path: str
    other: str
    """A path to compare with; may be empty."""
    arrows: List[str]
    start: Tuple[int, int]
    goal: Tuple[int, int]
    end: Tuple[int, int]
    scale: float
    """Length of the scale bar [m]."""


class Atlas:
    """Outlines of the drawn worlds, each stored once for all maps."""

    def __init__(self) -> None:
        """Start without outlines."""
        self.outlines: Dict[str, str] = {}
        """SVG path data by id."""
        self._ids: Dict[str, Optional[str]] = {}

    def map_of(self, row: Row, other: Optional[Row] = None, beside: Sequence[Row] = ()) -> Map:
        """
        Return the map of an episode.

        :param other: another episode in the same world, for comparison.
        :param beside: further episodes that the view must contain.
        """
        rows = [row, *([other] if other else []), *beside]
        view = view_of(_found(row.world), [
            *map(points_of, rows), np.array([(row.start_x, row.start_y),
                                             (row.goal_x, row.goal_y)])])
        line = points_of(row)
        scale = max((scale for scale in _SCALES if scale <= 0.3 * view.width), default=0.1)
        return Map(view, self._outline(row.world), path_data(line, view),
                   path_data(points_of(other), view) if other else '', arrows(line, view),
                   _cm((row.start_x, row.start_y)), _cm((row.goal_x, row.goal_y)), _cm(line[-1]),
                   scale)

    def _outline(self, name: str) -> Optional[str]:
        if name not in self._ids:
            world = _found(name)
            self._ids[name] = f'w{len(self.outlines)}' if world else None
            if world:
                self.outlines[f'w{len(self.outlines)}'] = outline_data(world)
        return self._ids[name]


def points_of(row: Row) -> np.ndarray:
    """Return the path (n, 2) [m]; only the start without a path."""
    try:
        with np.errstate(invalid='ignore', over='ignore'):  # nan, 1e999
            line = wkt.loads(row.path)
        drawn = isinstance(line, LineString) and not line.is_empty
        points = np.array(line.coords)[:, :2] if drawn else np.zeros((0, 2))
    except (ShapelyError, TypeError):
        points = np.zeros((0, 2))
    if not len(points) or not np.isfinite(points).all():
        return np.array([[row.start_x, row.start_y]])
    return np.clip(points, -MAX_COORDINATE, MAX_COORDINATE)


def view_of(world: Optional[World], lines: Sequence[np.ndarray]) -> View:
    """Return a view that contains the lines and the parts of the world near them."""
    run = np.vstack(lines)
    low, high = run.min(axis=0), run.max(axis=0)
    extent = max(float((high - low).max()), 1.0)
    if world is not None:
        x0, y0, x1, y1 = world.bounds
        low = np.minimum(low, np.maximum(low - 0.5 * extent, (x0, y0)))
        high = np.maximum(high, np.minimum(high + 0.5 * extent, (x1, y1)))
    size = high - low + 0.08 * max(float((high - low).max()), 1.0)
    size = np.maximum(size, (size[1] * ASPECT, size[0] / ASPECT))
    corner = 0.5 * (low + high - size)
    return View(*map(float, (*corner, *size)))


def path_data(points: np.ndarray, view: View) -> str:
    """Return SVG path data of a line, simplified to the visible detail."""
    if len(points) < 2:
        return ''
    line = LineString(points).simplify(MIN_DETAIL * view.width)
    return _data(np.array(line.coords))


def outline_data(world: World) -> str:
    """Return SVG path data of the solids."""
    x0, y0, x1, y1 = world.bounds
    finest = MIN_DETAIL * min(0.2 * max(x1 - x0, y1 - y0), 10.0)
    return ''.join(_data(np.array(LinearRing(solid).simplify(finest).coords)[:-1]) + 'z'
                   for solid in world.solids)


def arrows(points: np.ndarray, view: View) -> List[str]:
    """Return SVG transforms of the direction arrows on a line."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    along = np.concatenate(([0.0], np.cumsum(steps)))
    if along[-1] < 0.2 * view.width:
        return []
    found = []
    for share in ARROWS:
        k = min(int(np.searchsorted(along, share * along[-1], 'right')), len(points) - 1)
        (x0, y0), (x1, y1) = points[k - 1], points[k]
        part = (share * along[-1] - along[k - 1]) / max(along[k] - along[k - 1], 1e-9)
        x, y = _cm((x0 + part * (x1 - x0), y0 + part * (y1 - y0)))
        turn = round(math.degrees(math.atan2(y0 - y1, x1 - x0)))
        found.append(f'translate({x} {y}) rotate({turn})')
    return found


def _data(points: np.ndarray) -> str:
    """Return a line as relative steps in whole centimetres, without accumulated error."""
    cm = np.rint(points * (100.0, -100.0)).astype(int)
    steps = np.diff(cm, axis=0)
    return f'M{cm[0][0]} {cm[0][1]}l' + ' '.join(f'{dx} {dy}' for dx, dy in steps.tolist())


def _cm(point: Sequence[float]) -> Tuple[int, int]:
    return round(100.0 * float(point[0])), round(-100.0 * float(point[1]))


@lru_cache(maxsize=256)
def _found(name: str) -> Optional[World]:
    try:
        return find_world(name)
    except (WorldError, OSError, ValueError):  # its file may be on another machine
        return None
