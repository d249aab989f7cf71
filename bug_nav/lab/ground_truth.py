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
Ground truth of a world: reachability, shortest path, perimeters.

All of it is for the centre of a disc: obstacles are inflated by its radius. Arcs are inscribed
polygons of 64 sides, so that a radius of 0.224 m is at most 0.3 mm too small.

Sources: design of the package (judged worlds); T. Lozano-Perez and M. A. Wesley, An
Algorithm for Planning Collision-Free Paths Among Polyhedral Obstacles, CACM 22(10), 1979
(visibility graph); V. Lumelsky and A. Stepanov, Algorithmica 2, 1987 (path bounds).
"""

from __future__ import annotations

from functools import cached_property, lru_cache
import heapq
import math
from typing import Iterator, NamedTuple, Optional, Union

from bug_nav.simulation.world import World
import numpy as np
import shapely
from shapely.geometry import box, LineString, Point, Polygon
from shapely.geometry.base import BaseGeometry
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

if int(shapely.__version__.partition('.')[0]) < 2:  # such as apt of Ubuntu 22.04
    raise ModuleNotFoundError('shapely is older than 2', name='shapely>=2')

MARGIN = 0.02
"""A world is judged if its truth is the same at rho - MARGIN and rho + MARGIN [m]."""
GOAL_SIGHT = 0.02
"""Minimum distance of solids from the line of sight between robot and goal [m]."""

_QUARTER = 16
# Margin of free space around everything, enough to pass on the outside [m].
_FRAME = 1.0
# Spacing of points that sample a boundary [m]; far below the judged margin.
_STEP = 0.005
# Depth by which a line of sight may graze a corner [m].
_GRAZE = 1e-4
# Maximum number of segments of a world that is searched as a whole at first.
_MANY = 2000
# Number of lines of sight that are tested at once.
_AT_ONCE = 256
# Maximum number of boundary points where a shortest path may start or end.
_ENDS = 40


class Comparable(NamedTuple):
    """The shortest path that a driven path is compared with."""

    length: float
    margin: float
    """Difference between rho and the radius that the path is computed for [m]."""


class Loop(NamedTuple):
    """A boundary loop of the inflated obstacles and its crossings with the segment start-goal."""

    perimeter: float
    crossings: int


@lru_cache(maxsize=8)
def inflate(world: World, radius: float) -> BaseGeometry:
    """
    Return the obstacles inflated by a radius [m].

    The free space is the complement; the outline itself, which wall following traces, is free.
    """
    solids = [Polygon(solid) for solid in world.solids]
    return unary_union(shapely.buffer(solids, radius, quad_segs=_QUARTER) if radius else solids)


def reachable(world: World, start: tuple, goal: tuple, radius: float,
              tolerance: float = 0.10) -> bool:
    """
    Return whether a disc can get from start to within the tolerance and in sight of the goal.

    :param start: x, y [m]; further values, such as a yaw, are ignored.
    :param goal: x, y [m]; unreachable if inside an obstacle.
    :param radius: radius of the disc [m]. A start nearer to a wall is moved along the shortest
        straight line out; without one, the disc is boxed in.
    :param tolerance: distance at which the goal counts as reached [m].
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
    Return `reachable`, or None if it differs between rho - margin and rho + margin.

    Such a world depends on a gap that no real robot can measure, so `reachable` does not make a
    verdict wrong there.
    """
    low, high = (reachable(world, start, goal, rho + by, tolerance) for by in (-margin, margin))
    return low if low == high else None


def shortest_path(world: World, start: tuple, goal: tuple, radius: float,
                  tolerance: float = 0.10) -> Optional[float]:
    """
    Return the length of the shortest path of a disc's centre [m], or None without one.

    Arguments as for `reachable`. The path ends at the goal itself: if the goal is nearer to a wall
    than the radius, the last leg is a straight line from within the tolerance; a start nearer to
    a wall than the radius begins with a straight line as well. Too short by at most 0.2 % of the
    arcs around corners; too long by at most 2 cm if such a straight line is involved.
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


def comparable_path(world: World, start: tuple, goal: tuple, radius: float, shortest: float,
                    driven: float, tolerance: float = 0.10) -> Comparable:
    """
    Return the shortest path that a driven path is compared with.

    A robot may pass a gap that is some millimetres narrower than 2 rho. If the driven path is
    shorter than the shortest path at rho, it is compared with the one at rho - MARGIN.

    :param shortest: `shortest_path` at this radius [m].
    :param driven: length of the driven path plus the remaining distance to the goal [m].
    """
    if driven >= shortest:
        return Comparable(shortest, 0.0)
    margin = min(MARGIN, radius)
    narrower = _shortest_at(world, (float(start[0]), float(start[1])),
                            (float(goal[0]), float(goal[1])), radius - margin, tolerance)
    if narrower is None or narrower >= shortest:
        return Comparable(shortest, 0.0)
    return Comparable(narrower, margin)


@lru_cache(maxsize=8)
def _shortest_at(world: World, start: tuple, goal: tuple, radius: float, tolerance: float
                 ) -> Optional[float]:
    """Return `shortest_path`, cached for the repetitions of an episode."""
    return shortest_path(world, start, goal, radius, tolerance)


def perimeters(world: World, radius: float) -> list[float]:
    """Return the lengths of all boundary loops of the inflated obstacles [m]."""
    return [ring.length for ring in _rings(inflate(world, radius))]


def crossings(world: World, radius: float, start: tuple, goal: tuple) -> list[Loop]:
    """
    Return perimeter p_i [m] and number n_i of crossings with the segment start-goal, per loop.

    A loop that the segment only touches has 0 or 2 crossings, depending on the side.
    """
    ends = np.array([start[:2], goal[:2]], dtype=float)
    return [Loop(ring.length, _count_crossings(np.array(ring.coords), *ends))
            for ring in _rings(inflate(world, radius))]


def bug2_bound(world: World, radius: float, start: tuple, goal: tuple) -> float:
    """
    Return D + sum of ceil(n_i / 2) p_i [m], which no run of Bug2 exceeds.

    The published n_i / 2 is rounded up, because n_i is odd if the goal is enclosed.
    """
    loops = crossings(world, radius, start, goal)
    direct = math.dist(start[:2], goal[:2])
    return direct + sum(math.ceil(loop.crossings / 2) * loop.perimeter for loop in loops)


class _Part(NamedTuple):
    """The solids of a world that meet a square, or the whole world."""

    world: World
    square: Optional[Polygon]
    longest: float
    """Maximum length of a path in the square that is shortest in the world, too [m]."""


def _parts(world: World, start: tuple, goal: tuple, radius: float) -> Iterator[_Part]:
    """
    Yield growing parts of a large world around start and goal, then the whole.

    A goal that is reachable in a part is reachable in the world. A path that leaves the square is
    longer than its side, because it passes a point farther than half a side from the middle of
    start and goal.
    """
    ends = np.array([start[:2], goal[:2]], dtype=float)
    middle, side = ends.mean(axis=0), 1.25 * math.dist(*ends) + 4.0
    # For a start nearer to a wall than the radius, the way out depends on the whole world.
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
    """Return the bounding box of each solid as x_min, y_min, x_max, y_max, (n, 4) [m]."""
    return np.array([(*solid.min(axis=0), *solid.max(axis=0)) for solid in world.solids])


class _Query:
    """A start, goal and radius in a world, with the free component of the start."""

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
            frame = frame_of(world, self.start, self.goal, radius + tolerance)
        self.component, self.departures = self._component(frame)

    @cached_property
    def grazed(self) -> BaseGeometry:
        """Return the region that no leg of a path may meet."""
        grazed = self.blocked.buffer(-_GRAZE, join_style=2)
        shapely.prepare(grazed)
        return grazed

    def there_already(self) -> bool:
        """Return whether the start is within the tolerance and in sight of the goal."""
        return (math.dist(self.start, self.goal) <= self.tolerance
                and _sees(self.solids, self.start, self.goal))

    def arrivals(self) -> list[tuple]:
        """Return points of the component near and in sight of the goal, or the goal itself."""
        if self.component is None:
            return []
        return arrivals(self.component, self.solids, self.goal, self.tolerance)

    def _component(self, frame: Polygon) -> tuple[Optional[Polygon], list[tuple]]:
        """Return the free part of the start, and the points where a path may start."""
        parts = list(polygons_of(frame.difference(self.blocked)))
        here = Point(self.start)
        for part in parts:
            if part.intersects(here):
                return part, [self.start]
        return self._way_out(parts)

    def _way_out(self, parts: list[Polygon]) -> tuple[Optional[Polygon], list[tuple]]:
        """Return the part at the end of the shortest straight line out, and points on its edge."""
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
        """Return the index of the first point in sight of the start."""
        for k in range(0, len(points), _AT_ONCE):
            seen = np.nonzero(self._in_sight(points[k:k + _AT_ONCE]))[0]
            if len(seen):
                return k + int(seen[0])
        return None

    def _in_sight(self, points: np.ndarray) -> np.ndarray:
        """Return which points are in line of sight of the start."""
        return ~shapely.intersects(self.solids, _lines(self.start, points))


def frame_of(world: World, start: tuple, goal: tuple, margin: float) -> Polygon:
    """Return a frame around everything, with enough room to pass on the outside."""
    corners = np.vstack((start, goal, world.segments[:, :2]))
    return box(*corners.min(axis=0), *corners.max(axis=0)).buffer(margin + _FRAME)


def arrivals(free: Polygon, solids: BaseGeometry, goal: tuple, tolerance: float) -> list[tuple]:
    """
    Return points of a free part within the tolerance and in sight of the goal, or the goal itself.

    Empty if the goal cannot be reached in this part.
    """
    if free.intersects(Point(goal)):
        return [goal]
    near = free.intersection(Point(goal).buffer(tolerance, _QUARTER))
    # The region in sight of the goal is star-shaped around it: if it contains a point of the part,
    # it contains one on its edge.
    points, _ = _edge_points(near, goal)
    return [point for point in points if _sees(solids, point, goal)]


def _sees(solids: BaseGeometry, point: tuple, goal: tuple) -> bool:
    """Return whether the goal is in sight of a point."""
    if solids.is_empty:
        return True
    # Old shapely has no distance to a line of two equal points.
    apart = math.dist(point, goal) > 0
    return solids.distance(LineString((point, goal)) if apart else Point(goal)) > GOAL_SIGHT


def _shortest(query: _Query, arrivals: list[tuple]) -> Optional[float]:
    """
    Return the length of the shortest path in the visibility graph, by A*.

    Edges are computed only at the nodes that the search expands; in the map of a building, that
    is a small part of all pairs.
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
    """Visibility graph: the end points of paths, then the corners where they can bend."""

    def __init__(self, query: _Query, ends: list[tuple]) -> None:
        self.grazed = query.grazed
        self.count = len(ends)
        corners, self.before, self.after = _convex_corners(query.component)
        self.places = np.vstack((np.array(ends).reshape(-1, 2), corners))

    def seen_from(self, here: int, so_far: float, lengths: np.ndarray) -> np.ndarray:
        """Return the nodes in sight of one whose path through it is shorter than ``lengths``."""
        one = self.places[here]
        others = np.arange(len(self.places))
        if here >= self.count:
            # Of all nodes, only the few that are tangent to this corner remain.
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
    """Return the straight lines from one point to others (n, 2)."""
    return shapely.linestrings(np.stack((np.broadcast_to(one, others.shape), others), axis=1))


def _convex_corners(free: Polygon) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the corners (n, 2) where a shortest path can bend, and their neighbours."""
    found = []
    # Oriented: free space is to the left of every edge, so a right turn rounds an obstacle.
    for ring in _rings(orient(free)):
        corner = np.array(ring.coords)[:-1, :2]
        before, after = np.roll(corner, 1, axis=0), np.roll(corner, -1, axis=0)
        right = _cross(corner - before, after - corner) < 0
        found.append(np.hstack((corner, before, after))[right])
    table = np.vstack(found)
    return table[:, :2], table[:, 2:4], table[:, 4:]


def _tangent(corner: np.ndarray, before: np.ndarray, after: np.ndarray,
             point: np.ndarray) -> np.ndarray:
    """Return whether the line from corner to point has both edges on the same side."""
    along = point - corner
    sides = _cross(along, before - corner) * _cross(along, after - corner)
    # Along an edge the product is 0 except for rounding.
    return sides >= -1e-12


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _count_crossings(ring: np.ndarray, start: np.ndarray, goal: np.ndarray) -> int:
    """Count the crossings of a closed ring (n, 2) with the segment from start to goal."""
    along = goal - start
    side = _cross(along, ring[:, :2] - start)
    # Half-open: a corner on the line counts as left of it, so that no crossing counts twice.
    change = np.nonzero((side[:-1] >= 0) != (side[1:] >= 0))[0]
    share = (side[change] / (side[change] - side[change + 1]))[:, None]
    where = ring[change, :2] + share * (ring[change + 1, :2] - ring[change, :2])
    abscissa = (where - start) @ along
    return int(((abscissa >= 0) & (abscissa <= along @ along)).sum())


def _edge_points(geometry: BaseGeometry, near: tuple) -> tuple[np.ndarray, np.ndarray]:
    """Return edge points (n, 2), at most _STEP apart, nearest first, and their distances."""
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
    """Return at most _ENDS of the points, evenly, with the first."""
    stride = max(1, math.ceil(len(points) / _ENDS))
    return [(float(point[0]), float(point[1])) for point in points[::stride]]


def polygons_of(geometry: BaseGeometry) -> Iterator[Polygon]:
    for part in getattr(geometry, 'geoms', [geometry]):
        if isinstance(part, Polygon) and not part.is_empty:
            yield part


def _rings(geometry: BaseGeometry) -> Iterator:
    for polygon in polygons_of(geometry):
        yield polygon.exterior
        yield from polygon.interiors
