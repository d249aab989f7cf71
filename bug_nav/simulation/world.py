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

"""A world: solid polygons in the plane, at the height of the lidar."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
import math
from typing import Any, Callable, Iterator, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import IDENTITY, Point, Pose
from bug_nav.navigation.names import shown
from bug_nav.navigation.settings import MAX_GOAL_DISTANCE
from bug_nav.simulation.simple_polygon import is_simple
from bug_nav.simulation.suggested_ends import suggest_ends
import numpy as np

PLAIN, GLASS, BLACK = 'plain', 'glass', 'black'
SURFACES = (PLAIN, GLASS, BLACK)
"""Surfaces of a solid: a lidar beam ends on it, passes through it, or is absorbed."""
MAX_COORDINATE = 100_000.0
"""Maximum absolute coordinate of a start, the same as in world files [m]."""
ANY_SURFACE = ''
"""Selects solids of any surface."""

# Maximum points times segments per pass of `World.clearance`: about 10 MB per temporary.
_CHUNK = 1_000_000
# Tiles per side into which `World.clearance` divides larger sets of points.
_TILES = 40


class WorldError(ValueError):
    """A world cannot be found, read or built; the message is one sentence for the user."""


@dataclass(frozen=True, eq=False)
class World:
    """
    Static solids, movers and other robots, with the start and the goal of an episode.

    :ivar name: short name for titles and file names.
    :ivar solids: simple polygons of the static obstacles, each (n, 2) float64 in metres in the
        world frame, made counter-clockwise and read-only here; they may overlap.
    :ivar start: x, y in metres and yaw in radians, or None.
    :ivar goal: x, y in metres, or None.
    :ivar unseen: names of shapes that the robot could hit but the lidar cannot see.
    :ivar surfaces: one of `SURFACES` for each solid; empty if all are plain.
    :ivar movers: dynamic obstacles (`bug_nav.simulation.movers.Mover`).
    :ivar other_robots: other robots that run bug_nav (`simulation.other_robots.OtherRobot`).
    :ivar notes: sentences about content of its file that is ignored or left out.
    :ivar cut: height at which a file of bodies was cut [m]; None for any other world.
    :raises WorldError: for an invalid polygon, or a number that is not finite.
    """

    name: str
    solids: tuple[np.ndarray, ...]
    start: Optional[tuple[float, float, float]] = None
    goal: Optional[tuple[float, float]] = None
    unseen: tuple[str, ...] = ()
    surfaces: tuple[str, ...] = ()
    movers: tuple[Any, ...] = ()
    other_robots: tuple[Any, ...] = ()
    notes: tuple[str, ...] = ()
    cut: Optional[float] = None

    def __post_init__(self) -> None:
        """Accept lists, clockwise polygons and tuples of int."""
        set_field = object.__setattr__
        set_field(self, 'solids', polygons(self.solids))
        set_field(self, 'start', _numbers('start', self.start, 3))
        set_field(self, 'goal', _numbers('goal', self.goal, 2))
        set_field(self, 'unseen', tuple(self.unseen))
        set_field(self, 'surfaces', _surfaces(self.surfaces, len(self.solids)))
        set_field(self, 'movers', tuple(self.movers))
        set_field(self, 'other_robots', tuple(self.other_robots))
        set_field(self, 'notes', tuple(self.notes))

    @classmethod
    def from_polygons(cls, polygons: Sequence[Any],
                      start: Optional[tuple[float, float, float]] = None,
                      goal: Optional[tuple[float, float]] = None, *, name: str = 'world') -> World:
        """
        Return a world of static obstacles.

        ``World.from_polygons([[(1, -1), (2, -1), (2, 1), (1, 1)]], (0, 0, 0), (4, 0))`` is a
        rectangle between the start and the goal.

        :param polygons: the corners x, y of each obstacle in order around it [m]; its outline must
            not cross or touch itself, because it has no inside then.
        :param start: x, y [m] and yaw [rad]; None if each run gives its own.
        :param goal: x, y [m]; None if each run gives its own.
        :param name: short name for titles and file names.
        :raises ValueError: for an invalid polygon, by its number, or a number that is not finite.
        """
        world = cls(name, polygons, start, goal)  # type: ignore[arg-type]
        for k, solid in enumerate(world.solids, 1):
            repeats = (solid == np.roll(solid, -1, axis=0)).all(axis=1)
            if not is_simple(solid[~repeats]):
                raise WorldError(f'polygon {k} of {len(world.solids)} crosses or touches itself; '
                                 'give its corners in order around it, or several polygons')
        return world

    @cached_property
    def segments(self) -> np.ndarray:
        """All edges as (m, 4) float64 rows x0, y0, x1, y1 [m], with the solid on the left."""
        edges = [np.hstack((solid, np.roll(solid, -1, axis=0))) for solid in self.solids]
        table = np.vstack(edges) if edges else np.zeros((0, 4))
        table.setflags(write=False)
        return table

    @cached_property
    def special_surfaces(self) -> tuple[str, ...]:
        """Return the surfaces in this world that are not plain."""
        return tuple(each for each in SURFACES if each != PLAIN and each in self.surfaces)

    def segments_of(self, surface: str) -> np.ndarray:
        """Return the edges of the solids with a surface, in the format of `segments`."""
        if not self.surfaces:
            return self.segments if surface == PLAIN else self.segments[:0]
        return self.segments[(np.array(self.surfaces) == surface)[self._owner]]

    @cached_property
    def bounds(self) -> tuple[float, float, float, float]:
        """Bounding box (x min, y min, x max, y max) [m] of solids, start and goal; else zeros."""
        points = list(self.solids)
        points += [np.array([place[:2]]) for place in (self.start, self.goal) if place]
        if not points:
            return (0.0, 0.0, 0.0, 0.0)
        every = np.vstack(points)
        low, high = every.min(axis=0), every.max(axis=0)
        return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))

    @cached_property
    def extent(self) -> tuple[float, float, float, float]:
        """Bounding box as `bounds`, with all places of movers and other robots [m]."""
        places = [mover.places for mover in self.movers]
        places += [np.array([robot.start[:2], robot.goal]) for robot in self.other_robots]
        if not places:
            return self.bounds
        if self.solids or self.start or self.goal:
            places.append(np.reshape(self.bounds, (2, 2)))
        low, high = np.vstack(places).min(axis=0), np.vstack(places).max(axis=0)
        return (float(low[0]), float(low[1]), float(high[0]), float(high[1]))

    def clearance(self, points: np.ndarray) -> np.ndarray:
        """
        Return the signed distance of each point to the nearest solid.

        Exact outside. Inside, it is minus the depth in the deepest of the overlapping solids,
        which is never more than the depth in their union.

        :param points: (k, 2) in metres, world frame.
        :return: (k,) in metres; negative inside, inf in a world without solids.
        """
        points = np.asarray(points, dtype=float).reshape(-1, 2)
        if not self.solids:
            return np.full(len(points), np.inf)
        if len(points) * len(self.segments) <= _CHUNK:
            return _clearance(points, self.segments, self._owner)
        distances = np.empty(len(points))
        for tile in _tiles(points):
            near = self._near(points[tile])
            step = max(1, _CHUNK // len(near))
            for k in range(0, len(tile), step):
                some = tile[k:k + step]
                distances[some] = _clearance(points[some], self.segments[near],
                                             self._owner[near])
        return distances

    def transformed(self, x: float, y: float, yaw: float) -> World:
        """Return this world rotated by yaw (rad) about the origin, then translated by x, y (m)."""
        turn = np.array([[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]])
        return self._mapped(lambda points: points @ turn.T + (x, y), lambda angle: angle + yaw,
                            Pose(x, y, yaw), False)

    def mirrored(self) -> World:
        """Return the mirror image of this world: y becomes -y, left becomes right."""
        return self._mapped(lambda points: points * (1.0, -1.0), lambda angle: -angle, IDENTITY,
                            True)

    @cached_property
    def settled(self) -> World:
        """
        Return the static world that remains: movers at rest as solids, all others removed.

        Ground truth and the baseline of times refer to it.
        """
        if not (self.movers or self.other_robots):
            return self
        rests = [solid for mover in self.movers for solid in mover.rests() or ()]
        surfaces = self.surfaces and (*self.surfaces, *(PLAIN for _ in rests))
        return replace(self, solids=(*self.solids, *rests), surfaces=surfaces, movers=(),
                       other_robots=())

    @cached_property
    def _owner(self) -> np.ndarray:
        """Return the index of the solid that each segment belongs to."""
        return np.repeat(np.arange(len(self.solids)), [len(solid) for solid in self.solids])

    def _near(self, points: np.ndarray) -> np.ndarray:
        """Return the segments that can determine the clearance of neighbouring points."""
        low, high = points.min(axis=0), points.max(axis=0)
        radius = 0.5 * math.dist(low, high)
        x0, y0, x1, y1 = self.segments.T
        distance = _distance(0.5 * (low + high)[None], self.segments)[0]
        first = np.searchsorted(self._owner, np.arange(len(self.solids)))
        nearest = np.minimum.reduceat(distance, first)
        # Relevant solids: the possibly nearest ones, and those that may contain a point. Of each,
        # keep the nearest segments and those that the winding number needs.
        counts = nearest <= nearest.min() + 2.0 * radius
        right = np.maximum.reduceat(np.maximum(x0, x1), first) >= low[0]
        left = np.minimum.reduceat(np.minimum(x0, x1), first) <= high[0]
        above = np.maximum.reduceat(np.maximum(y0, y1), first) >= low[1]
        below = np.minimum.reduceat(np.minimum(y0, y1), first) <= high[1]
        around = right & left & above & below
        beside = (np.minimum(y0, y1) <= high[1]) & (np.maximum(y0, y1) >= low[1])
        beside &= np.maximum(x0, x1) >= low[0]
        near = distance <= nearest[self._owner] + 2.0 * radius
        return np.flatnonzero((counts | around)[self._owner] & (near | beside))

    def _mapped(self, move: Callable, turn: Callable, pose: Pose, mirrored: bool) -> World:
        start, goal = self.start, self.goal
        if start is not None:
            x, y = move(np.array(start[:2]))
            start = (x, y, _wrapped(turn(start[2])))
        if goal is not None:
            goal = tuple(move(np.array(goal)))
        movers, other_robots = (tuple(each.transformed(pose, mirrored) for each in some)
                                for some in (self.movers, self.other_robots))
        return replace(self, solids=tuple(move(s) for s in self.solids), start=start, goal=goal,
                       movers=movers, other_robots=other_robots)


def polygons(values: Any) -> tuple[np.ndarray, ...]:
    """
    Return polygons as `counter_clockwise` does.

    :raises WorldError: for an invalid one, by its number.
    """
    try:
        values = tuple(values)
    except TypeError:
        raise WorldError(f'the polygons are {shown(values)}; give a list of polygons') from None
    return tuple(counter_clockwise(each, f'polygon {k} of {len(values)}')
                 for k, each in enumerate(values, 1))


def counter_clockwise(points: Any, what: str = 'a polygon') -> np.ndarray:
    """
    Return a polygon as read-only float64 (n, 2), counter-clockwise.

    :param points: at least three corners x, y in metres in either direction, not closed.
    :param what: what it is, for messages.
    :raises WorldError: for fewer corners, zero area, or a number that is not finite.
    """
    try:
        polygon = np.array(points, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise WorldError(f'{what} must be a list of x, y pairs of numbers') from None
    if polygon.ndim != 2 or polygon.shape[0] < 3 or polygon.shape[1] != 2:
        raise WorldError(
            f'{what} must be at least three x, y pairs, got an array of {polygon.shape}')
    if not np.isfinite(polygon).all():
        raise WorldError(f'{what} has a coordinate that is not finite')
    area = signed_area(polygon)
    if area == 0.0:
        raise WorldError(f'{what} has {len(polygon)} corners and no area')
    polygon = np.ascontiguousarray(polygon if area > 0 else polygon[::-1])
    polygon.setflags(write=False)
    return polygon


def signed_area(polygon: np.ndarray) -> float:
    """Return the area in square metres of an (n, 2) polygon; negative if clockwise."""
    # Relative to a corner, because the products lose precision far from the origin.
    x, y = (polygon - polygon[0]).T
    return 0.5 * float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def _clearance(points: np.ndarray, segments: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Return the signed distances (k,); the segments of a solid are consecutive."""
    first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
    nearest = np.minimum.reduceat(_distance(points, segments), first, axis=1)
    inside = np.add.reduceat(_winding(points, segments), first, axis=1) != 0
    return np.where(inside, -nearest, nearest).min(axis=1)


def _distance(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Return the (k, m) distances of points from segments."""
    x0, y0, x1, y1 = segments.T
    dx, dy = x1 - x0, y1 - y0
    px, py = points[:, 0:1] - x0, points[:, 1:2] - y0
    length2 = np.maximum(dx * dx + dy * dy, np.finfo(float).tiny)
    along = np.clip((px * dx + py * dy) / length2, 0.0, 1.0)
    return np.hypot(px - along * dx, py - along * dy)


def _winding(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Return the (k, m) signed crossings of the ray from each point towards +x."""
    x0, y0, x1, y1 = segments.T
    # Compare heights without differences, so that two edges agree on a shared corner.
    height = points[:, 1:2]
    side = (x1 - x0) * (height - y0) - (y1 - y0) * (points[:, 0:1] - x0)
    up = (y0 <= height) & (height < y1) & (side > 0)
    down = (y1 <= height) & (height < y0) & (side < 0)
    return up.astype(np.int32) - down.astype(np.int32)


def _tiles(points: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the indices of all points, grouped by square tile."""
    low = points.min(axis=0)
    side = max(float((points.max(axis=0) - low).max()) / _TILES, 1e-9)
    column, row = ((points - low) / side).astype(int).T
    tile = row * (_TILES + 1) + column
    order = np.argsort(tile, kind='stable')
    yield from np.split(order, np.flatnonzero(np.diff(tile[order])) + 1)


def _suggestion(world: World, start: Any, radius: float) -> str:
    """Return a part of a sentence with a start and a goal that a way connects, or ''."""
    numbers = _numbers('start', start, 3)
    given = None if numbers is None else numbers[:2]
    ends = suggest_ends(world.clearance, world.bounds, given, radius)
    if ends is None:
        return ''
    (x, y), (goal_x, goal_y) = ends
    goal = f'--goal {goal_x:g},{goal_y:g}, to which a way leads'
    return f', such as {goal}' if given else f', such as --start {x:g},{y:g},0 with {goal}'


def check_start_and_goal(world: World, start: Any, goal: Any, radius: float) -> Tuple[Pose, Point]:
    """
    Check start and goal for a robot body of a radius [m], and return them.

    :param start: x, y in metres and yaw in radians.
    :param goal: x, y in metres.
    :raises WorldError: if they are not numbers, the body does not fit at the start, or the goal
        is too far away.
    """
    if start is None or goal is None:
        missing = ('start; give one with --start X,Y,YAW (start=(x, y, yaw) in Python)'
                   if start is None else
                   'goal; give one with --goal X,Y (goal=(x, y) in Python)')
        raise WorldError(f"the world '{world.name}' has no {missing}"
                         f'{_suggestion(world, start, radius)}')
    x, y, yaw = _numbers('start', start, 3)  # type: ignore[misc]
    goal_x, goal_y = _numbers('goal', goal, 2)  # type: ignore[misc]
    if max(abs(x), abs(y)) > MAX_COORDINATE:
        raise WorldError(f'the start {x:g},{y:g} is out of this world; coordinates up '
                         f'to {MAX_COORDINATE:g} m are allowed')
    away = math.hypot(goal_x - x, goal_y - y)
    if away > MAX_GOAL_DISTANCE:
        raise WorldError(f'the goal {goal_x:g},{goal_y:g} is {away / 1000.0:.6g} km from the '
                         f'start; at most {MAX_GOAL_DISTANCE / 1000.0:g} km are allowed')
    clearance = float(world.clearance(np.array([[x, y]]))[0])
    if clearance < radius:
        where = ('inside an obstacle' if clearance <= 0.0
                 else f'{clearance:.3f} m from an obstacle')
        raise WorldError(f'the start {x:g},{y:g} is {where}; the centre of a robot of '
                         f'radius {radius:g} m needs more room than its radius')
    return Pose(x, y, yaw), (goal_x, goal_y)


def _numbers(what: str, values: Any, count: int) -> Optional[tuple]:
    if values is None:
        return None
    try:
        numbers = tuple(float(value) for value in values)
    except (TypeError, ValueError, OverflowError):
        raise WorldError(f'the {what} must be {count} numbers, got {shown(values)}') from None
    if len(numbers) != count or not all(math.isfinite(number) for number in numbers):
        raise WorldError(f'the {what} must be {count} finite numbers, got {shown(values)}')
    return numbers


def _surfaces(values: Any, count: int) -> tuple[str, ...]:
    surfaces = tuple(values)
    if surfaces and len(surfaces) != count:
        raise WorldError(f'{len(surfaces)} surfaces are given for {count} solids; give one for '
                         'each, or none')
    for surface in surfaces:
        if surface not in SURFACES:
            raise WorldError(f'a surface is {shown(surface)}; allowed are {", ".join(SURFACES)}')
    return surfaces


def _wrapped(angle: float) -> float:
    return math.atan2(math.sin(angle), math.cos(angle))
