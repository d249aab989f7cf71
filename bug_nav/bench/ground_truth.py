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
What is true of a world, whatever a robot finds out: reachability, shortest path, perimeters.

All of it holds for the centre of a disc: obstacles are inflated by its radius. Arcs are inscribed
polygons of 64 sides, so that a radius of 0.224 m is at most 0.3 mm too small.

Source: design of the package (worlds that can be judged); T. Lozano-Perez and M. A. Wesley, An
Algorithm for Planning Collision-Free Paths Among Polyhedral Obstacles, CACM 22(10), 1979
(visibility graph); V. Lumelsky and A. Stepanov, Algorithmica 2, 1987 (path bounds).
"""

from __future__ import annotations

from functools import cached_property, lru_cache
import heapq
import math
from typing import Iterator, NamedTuple, Optional, Union

from bug_nav.sim.world import World
import numpy as np
import shapely
from shapely.geometry import box, LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

if int(shapely.__version__.partition('.')[0]) < 2:  # as package managers of 2022 have it
    raise ModuleNotFoundError('shapely is older than 2', name='shapely>=2')

MARGIN = 0.02
"""A world is judged when its truth is the same at rho - this and at rho + this [m]."""
GOAL_SIGHT = 0.02
"""Nothing solid may lie within this many metres of the segment between robot and goal."""

_QUARTER = 16
# Free space goes on for ever; this much of it around everything is enough to walk round.
_FRAME = 1.0
# Spacing of the points that stand for a boundary, in metres: far below the judged margin.
_STEP = 0.005
# A sight line may graze a corner by this much, in metres.
_GRAZE = 1e-4
# A world of more segments than this is looked at part by part.
_MANY = 2000
# So many lines of sight are looked along at once.
_AT_ONCE = 256
# So many places on the edge are enough to begin or end a shortest path with.
_ENDS = 40


class Loop(NamedTuple):
    """A boundary loop of the inflated obstacles, and how the segment start-goal meets it."""

    perimeter: float
    crossings: int


@lru_cache(maxsize=8)
def inflate(world: World, radius: float) -> BaseGeometry:
    """
    Return the obstacles that the centre of a disc of this radius (m) sees.

    The free space is the complement. Touching the outline is free: it is the contour that wall
    following walks.
    """
    solids = [Polygon(solid) for solid in world.solids]
    return unary_union(shapely.buffer(solids, radius, quad_segs=_QUARTER) if radius else solids)


def reachable(world: World, start: tuple, goal: tuple, radius: float,
              tolerance: float = 0.10) -> bool:
    """
    Tell whether a disc can get from start to within the tolerance of the goal, in sight of it.

    :param start: x, y in metres; what follows, such as a yaw, is ignored.
    :param goal: x, y in metres; may lie inside an obstacle, which makes it unreachable.
    :param radius: of the disc, in metres. A start nearer to a wall than that counts as the place
        that the shortest straight way out leads to; without one, the disc is boxed in.
    :param tolerance: distance in metres at which the goal counts as reached.
    :raises ValueError: if the start is inside an obstacle.
    """
    for part in _parts(world, start, goal, radius):
        query = _Query(part.world, start, goal, radius, tolerance, part.square)
        if query.there_already() or query.arrivals():
            return True
    return False


def judge(world: World, start: tuple, goal: tuple, rho: float, tolerance: float = 0.10,
          margin: float = MARGIN) -> Optional[bool]:
    """
    Return `reachable`, or None where it differs between rho - margin and rho + margin.

    Such a world hangs on a gap that no real robot can measure, so that no verdict is wrong there.
    """
    low, high = (reachable(world, start, goal, rho + by, tolerance) for by in (-margin, margin))
    return low if low == high else None


def shortest_path(world: World, start: tuple, goal: tuple, radius: float,
                  tolerance: float = 0.10) -> Optional[float]:
    """
    Return the length in metres of the shortest path of a disc's centre, or None without one.

    Arguments as for `reachable`. The path ends in the goal itself: where that is nearer to a wall
    than the radius, the last leg is the straight line from within the tolerance, and a start
    nearer to a wall than that begins with a straight line as well. Too short by at most 0.2 % of
    the arcs round corners; too long by at most 2 cm, where such a straight line is involved.
    """
    for part in _parts(world, start, goal, radius):
        query = _Query(part.world, start, goal, radius, tolerance, part.square)
        if query.there_already():
            return math.dist(query.start, query.goal)
        arrivals = query.arrivals()
        length = _shortest(query, arrivals) if arrivals else None
        if length is not None and length <= part.longest:
            return length
    return None


def perimeters(world: World, radius: float) -> list[float]:
    """Return the lengths in metres of all boundary loops of the inflated obstacles."""
    return [ring.length for ring in _rings(inflate(world, radius))]


def crossings(world: World, radius: float, start: tuple, goal: tuple) -> list[Loop]:
    """
    Return perimeter p_i and number n_i of crossings of the segment start-goal, for every loop.

    A loop that the segment only touches counts 0 or 2, depending on the side.
    """
    ends = np.array([start[:2], goal[:2]], dtype=float)
    return [Loop(ring.length, _count_crossings(np.array(ring.coords), *ends))
            for ring in _rings(inflate(world, radius))]


def bug2_bound(world: World, radius: float, start: tuple, goal: tuple) -> float:
    """
    Return D + sum of ceil(n_i / 2) p_i in metres, which no run of Bug2 exceeds.

    The published n_i / 2 is rounded up, because n_i is odd where the goal is enclosed.
    """
    loops = crossings(world, radius, start, goal)
    direct = math.dist(start[:2], goal[:2])
    return direct + sum(math.ceil(loop.crossings / 2) * loop.perimeter for loop in loops)


class _Part(NamedTuple):
    """What there is of a world in a square, or the whole of it."""

    world: World
    square: Optional[Polygon]
    longest: float
    """A shortest path in the square is one of the world, if it is no longer than this [m]."""


def _parts(world: World, start: tuple, goal: tuple, radius: float) -> Iterator[_Part]:
    """
    Yield parts of a large world around start and goal, larger and larger, and then the whole.

    What is reachable in a part is so in the world. A path that leaves the square is longer than
    its side, for it goes from one end to the other by way of a place that is further from their
    middle than half a side.
    """
    ends = np.array([start[:2], goal[:2]], dtype=float)
    middle, side = ends.mean(axis=0), 1.25 * math.dist(*ends) + 4.0
    # For a start that is nearer to a wall than the radius, the whole decides which way is out.
    large = len(world.segments) > _MANY and world.clearance(ends[:1])[0] > radius
    around = _corners_of(world) if large else np.zeros((0, 4))
    while large:
        low, high = middle - 0.5 * side, middle + 0.5 * side
        near = np.flatnonzero((around[:, :2] <= high + radius).all(axis=1)
                              & (around[:, 2:] >= low - radius).all(axis=1))
        if 2 * len(near) > len(around):
            break
        yield _Part(World('', tuple(world.solids[k] for k in near)), box(*low, *high), side)
        side *= 2.0
    yield _Part(world, None, math.inf)


def _corners_of(world: World) -> np.ndarray:
    """Return the lower left and the upper right corner around each solid, (n, 4)."""
    return np.array([(*solid.min(axis=0), *solid.max(axis=0)) for solid in world.solids])


class _Query:
    """One start, goal and radius in a world: the component of the start, its ways in and out."""

    def __init__(self, world: World, start: tuple, goal: tuple, radius: float,
                 tolerance: float, frame: Optional[Polygon] = None) -> None:
        self.start = (float(start[0]), float(start[1]))
        self.goal = (float(goal[0]), float(goal[1]))
        self.tolerance = tolerance
        self.solids = inflate(world, 0.0)
        shapely.prepare(self.solids)
        if world.clearance(np.array([self.start]))[0] <= 0:
            raise ValueError(f'the start {self.start} is inside an obstacle')
        self.blocked = inflate(world, radius)
        if frame is None:
            corners = np.vstack((self.start, self.goal, world.segments[:, :2]))
            frame = box(*corners.min(axis=0), *corners.max(axis=0))
            frame = frame.buffer(radius + self.tolerance + _FRAME)
        self.component, self.departures = self._component(frame)

    @cached_property
    def grazed(self) -> BaseGeometry:
        """Return what no leg of a path may meet."""
        grazed = self.blocked.buffer(-_GRAZE, join_style=2)
        shapely.prepare(grazed)
        return grazed

    def there_already(self) -> bool:
        """Tell whether the start itself is close to the goal and in sight of it."""
        return math.dist(self.start, self.goal) <= self.tolerance and self._goal_seen(self.start)

    def arrivals(self) -> list[tuple]:
        """Return places of the component, near and in sight of the goal; the goal if it is one."""
        if self.component is None:
            return []
        if self.component.intersects(Point(self.goal)):
            return [self.goal]
        near = self.component.intersection(Point(self.goal).buffer(self.tolerance, _QUARTER))
        # What is seen of the goal is star-shaped around it: if it holds any place of the
        # component, it holds one on the component's edge.
        points, _ = _edge_points(near, self.goal)
        return [point for point in points if self._goal_seen(point)]

    def _component(self, frame: Polygon) -> tuple[Optional[Polygon], list[tuple]]:
        """Return the free part that the start belongs to, and the places where a path begins."""
        parts = list(_polygons(frame.difference(self.blocked)))
        here = Point(self.start)
        for part in parts:
            if part.intersects(here):
                return part, [self.start]
        return self._way_out(parts)

    def _way_out(self, parts: list[Polygon]) -> tuple[Optional[Polygon], list[tuple]]:
        """Return the part that the shortest straight way leads to, and places on its edge."""
        nearest, found = math.inf, None
        for part in parts:
            points, distances = _edge_points(part, self.start)
            first = self._first_seen(points[distances < nearest])
            if first is not None:
                nearest = distances[first]
                found = part, points[distances <= 2 * nearest]
        if found is None:
            return None, []
        part, points = found
        return part, list(points[self._in_sight(points)])

    def _first_seen(self, points: np.ndarray) -> Optional[int]:
        """Return the index of the first point that is in sight of the start."""
        for k in range(0, len(points), _AT_ONCE):
            seen = np.nonzero(self._in_sight(points[k:k + _AT_ONCE]))[0]
            if len(seen):
                return k + int(seen[0])
        return None

    def _in_sight(self, points: np.ndarray) -> np.ndarray:
        """Tell which points nothing solid hides from the start."""
        return ~shapely.intersects(self.solids, _lines(self.start, points))

    def _goal_seen(self, point: tuple) -> bool:
        if self.solids.is_empty:
            return True
        # A line of two equal points has no distance in old shapely.
        apart = math.dist(point, self.goal) > 0
        line = LineString((point, self.goal)) if apart else Point(self.goal)
        return self.solids.distance(line) > GOAL_SIGHT


def _shortest(query: _Query, arrivals: list[tuple]) -> Optional[float]:
    """
    Return the length of the shortest way through the visibility graph.

    By A*: who sees whom is found out only for the places that the search comes to. In the map of a
    building that is a small part of all pairs.
    """
    departures, arrivals = _thinned(query.departures), _thinned(arrivals)
    graph = _Graph(query, departures + arrivals)
    first, last = len(departures), len(departures) + len(arrivals)
    left = np.hypot(*(graph.places - query.goal).T)
    length = np.full(len(left), math.inf)
    length[:first] = np.hypot(*(graph.places[:first] - query.start).T)
    done = np.zeros(len(left), dtype=bool)
    waiting = [(length[k] + left[k], k) for k in range(first)]
    heapq.heapify(waiting)
    while waiting:
        total, here = heapq.heappop(waiting)
        if first <= here < last:
            return float(total)  # the last leg is straight, as the estimate is
        if done[here]:
            continue
        done[here] = True
        for other in graph.seen_from(here, length[here], length).tolist():
            length[other] = length[here] + math.dist(graph.places[here], graph.places[other])
            heapq.heappush(waiting, (length[other] + left[other], other))
    return None


class _Graph:
    """Who sees whom: the ends of paths, and after them the corners where they can bend."""

    def __init__(self, query: _Query, ends: list[tuple]) -> None:
        self.grazed = query.grazed
        self.count = len(ends)
        corners, self.before, self.after = _convex_corners(query.component)
        self.places = np.vstack((np.array(ends).reshape(-1, 2), corners))

    def seen_from(self, here: int, so_far: float, lengths: np.ndarray) -> np.ndarray:
        """Return which others are in sight of a place, and nearer through it than ``lengths``."""
        one = self.places[here]
        others = np.arange(len(self.places))
        if here >= self.count:
            # This leaves a few of all corners, those straight ahead and straight behind.
            k = here - self.count
            others = others[_tangent(one, self.before[k], self.after[k], self.places)]
        apart = self.places[others] - one
        further = so_far + np.hypot(apart[:, 0], apart[:, 1])
        others = others[(further < lengths[others]) & (further > so_far)]
        corner = others[others >= self.count]
        k = corner - self.count
        bend = _tangent(self.places[corner], self.before[k], self.after[k], one)
        others = np.concatenate((others[others < self.count], corner[bend]))
        return others[~shapely.intersects(self.grazed, _lines(one, self.places[others]))]


def _lines(one: Union[tuple, np.ndarray], others: np.ndarray) -> np.ndarray:
    """Return the straight lines from one place to others (n, 2)."""
    return shapely.linestrings(np.stack((np.broadcast_to(one, others.shape), others), axis=1))


def _convex_corners(free: Polygon) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners (n, 2) where a shortest path can bend, and their neighbours."""
    found = []
    # Oriented, the free space is on the left of every edge: a right turn rounds an obstacle.
    for ring in _rings(orient(free)):
        corner = np.array(ring.coords)[:-1, :2]
        before, after = np.roll(corner, 1, axis=0), np.roll(corner, -1, axis=0)
        right = _cross(corner - before, after - corner) < 0
        found.append(np.hstack((corner, before, after))[right])
    table = np.vstack(found)
    return table[:, :2], table[:, 2:4], table[:, 4:]


def _tangent(corner: np.ndarray, before: np.ndarray, after: np.ndarray,
             point: np.ndarray) -> np.ndarray:
    """Tell whether the line from corner to point leaves both edges of the corner on one side."""
    along = point - corner
    sides = _cross(along, before - corner) * _cross(along, after - corner)
    # Along an edge the product is 0 but for rounding.
    return sides >= -1e-12


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _count_crossings(ring: np.ndarray, start: np.ndarray, goal: np.ndarray) -> int:
    """Count how often a closed ring (n, 2) passes through the segment from start to goal."""
    along = goal - start
    side = _cross(along, ring[:, :2] - start)
    # Half-open: a corner on the line belongs to its left, so that no passage counts twice.
    change = np.nonzero((side[:-1] >= 0) != (side[1:] >= 0))[0]
    share = (side[change] / (side[change] - side[change + 1]))[:, None]
    where = ring[change, :2] + share * (ring[change + 1, :2] - ring[change, :2])
    abscissa = (where - start) @ along
    return int(((abscissa >= 0) & (abscissa <= along @ along)).sum())


def _edge_points(geometry: BaseGeometry, near: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 2) on the edge, at most _STEP apart, nearest first, and how far."""
    rings = [_along(np.array(ring.coords)[:, :2], np.array(near)) for ring in _rings(geometry)]
    points = np.vstack(rings) if rings else np.zeros((0, 2))
    distances = np.hypot(*(points - near).T)
    order = np.argsort(distances, kind='stable')
    return points[order], distances[order]


def _along(ring: np.ndarray, near: np.ndarray) -> np.ndarray:
    a, step = ring[:-1], np.diff(ring, axis=0)
    length2 = np.maximum((step**2).sum(axis=1), 1e-300)
    counts = np.maximum(1, np.ceil(np.sqrt(length2) / _STEP)).astype(int)
    edge = np.repeat(np.arange(len(a)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    share = (np.arange(len(edge)) - first) / counts[edge]
    foot = np.clip(((near - a) * step).sum(axis=1) / length2, 0.0, 1.0)
    return np.vstack((a[edge] + step[edge] * share[:, None], a + step * foot[:, None]))


def _thinned(points: list) -> list[tuple]:
    """Return at most _ENDS of the points, the first among them."""
    stride = max(1, math.ceil(len(points) / _ENDS))
    return [(float(point[0]), float(point[1])) for point in points[::stride]]


def _polygons(geometry: BaseGeometry) -> Iterator[Polygon]:
    for part in getattr(geometry, 'geoms', [geometry]):
        if isinstance(part, Polygon) and not part.is_empty:
            yield part


def _rings(geometry: BaseGeometry) -> Iterator:
    for polygon in _polygons(geometry):
        yield polygon.exterior
        yield from polygon.interiors
