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
Exact walks of a point robot along polygons, the reference for the navigator.

They are written from the papers, not from the navigator: obstacles are known as geometry, and
there are no scans, no time and no tolerances. A disc of radius r is a point among obstacles
inflated by r.

`explore` has the common part of all contact algorithms (straight to the goal until a hit, then
along the boundary); the policy of an algorithm decides where on a lap to leave. A lap is a
sequence of nodes: all corners, crossings of the M-line, places nearest to the goal on an edge, and
other places on request, so that no step width matters. No condition changes between two nodes, so
the middle of a stretch represents all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
import math
from typing import Callable, Iterator, Optional, Sequence

import numpy as np
from shapely.geometry.polygon import orient

# Rounding of coordinates, in metres.
TINY = 1e-9
# A way that is free for less than this is blocked; one that is solid for less is grazed.
SHORT = 1e-6
MAX_HITS = 400
# Number of hits of one place that count as a loop.
SAME_HITS = 3
# Maximum number of elements of a matrix of places by edges.
CHUNK = 500_000


@dataclass(frozen=True)
class Step:
    """Decision of a policy on a lap: walk a distance to a place, then leave or stop."""

    walked: float
    point: tuple
    verdict: Optional[str] = None
    path: tuple = ()


@dataclass
class OracleRun:
    """
    A run: its verdict (reached, unreachable, loop), its length in metres, hits and leaves.

    `turns` are the local directions in which the boundary was first followed at each hit, if the
    algorithm chooses them itself.
    """

    verdict: str = ''
    length: float = 0.0
    hits: list = field(default_factory=list)
    leaves: list = field(default_factory=list)
    path: list = field(default_factory=list)
    turns: list = field(default_factory=list)


class Scene:
    """Obstacles as closed loops with the solid on their left, a start, a goal and the M-line."""

    def __init__(self, obstacles, start, goal, goal_tolerance: float = 0.0) -> None:
        self.start, self.goal = _pair(start), _pair(goal)
        self.reach = max(goal_tolerance, TINY)
        loops = list(_loops(obstacles))
        ends = [np.roll(loop, -1, axis=0) for loop in loops]
        self.a = np.vstack(loops) if loops else np.zeros((0, 2))
        self.b = np.vstack(ends) if ends else np.zeros((0, 2))
        self.owner = np.repeat(np.arange(len(loops)), [len(loop) for loop in loops])
        self.boundaries = [Boundary(self, loop) for loop in loops]
        if self.is_solid(self.start):
            raise ValueError(f'the start {self.start} is inside an obstacle')

    def to_goal(self, point) -> float:
        return math.dist(point, self.goal)

    def hit_from(self, point, target=None) -> Optional[tuple]:
        """Return where the straight way to the goal, or target, enters a solid, or None."""
        target = self.goal if target is None else target
        origin, along = np.array(point), np.subtract(target, point)
        cuts = np.unique(np.concatenate(([0.0, 1.0], self._cuts(origin, along))))
        middle = 0.5 * (cuts[:-1] + cuts[1:])
        long = np.diff(cuts) * math.dist(point, target) > SHORT
        solid = self._solid(origin + middle[:, None] * along) & long
        if not solid.any():
            return None
        return _pair(origin + cuts[np.argmax(solid)] * along)

    def is_free(self, point) -> bool:
        """Return whether the way to the goal is free at this place on a boundary."""
        hit = self.hit_from(point)
        return hit is None or math.dist(hit, point) > SHORT

    def is_solid(self, point) -> bool:
        """Return whether a place is inside an obstacle and not on its boundary."""
        return bool(self._solid(np.array([point]))[0])

    def lap(self, point, turn: str, **also) -> Lap:
        """
        Return one lap around the loop that a point lies on, from the point back to it.

        Turning left keeps the obstacle on the right hand, against the loop's own sense.
        """
        return Lap(self.boundary_at(point), point, turn, **also)

    def boundary_at(self, point) -> Boundary:
        """Return the loop through a point."""
        step = self.b - self.a
        length2 = np.maximum((step**2).sum(axis=1), TINY**2)
        share = np.clip(((point - self.a) * step).sum(axis=1) / length2, 0.0, 1.0)
        distance = np.hypot(*(self.a + share[:, None] * step - point).T)
        return self.boundaries[self.owner[np.argmin(distance)]]

    def first_solid(self, points: np.ndarray) -> np.ndarray:
        """
        Return the first edge (-1: none) on the ray from each point to the goal.

        The rays must not pass through corners; edges through the point itself do not count.
        """
        rows = max(1, CHUNK // max(len(self.a), 1))
        parts = [self._first_solid(points[i:i + rows]) for i in range(0, len(points), rows)]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=int)

    def _first_solid(self, points: np.ndarray) -> np.ndarray:
        along = (np.array(self.goal) - points)[:, None, :]
        edge, gap = self.b - self.a, self.a - points[:, None, :]
        across = cross(along, edge)
        safe = np.where(across == 0, 1.0, across)
        share, on_edge = cross(gap, edge) / safe, cross(gap, along) / safe
        length = np.hypot(*np.moveaxis(along, 2, 0))
        meets = (across != 0) & (on_edge >= -TINY) & (on_edge <= 1 + TINY)
        meets &= (share * length > TINY) & ((1 - share) * length > TINY)
        share = np.where(meets, share, np.inf)
        return np.where(meets.any(axis=1), share.argmin(axis=1), -1)

    def _cuts(self, origin: np.ndarray, along: np.ndarray) -> np.ndarray:
        """Return the shares of a segment at which edges, or corners on it, meet it."""
        edge = self.b - self.a
        across = cross(along, edge)
        gap = self.a - origin
        safe = np.where(across == 0, 1.0, across)
        share, on_edge = cross(gap, edge) / safe, cross(gap, along) / safe
        meets = (across != 0) & (on_edge >= -TINY) & (on_edge <= 1 + TINY)
        # An edge that runs along the segment has no crossing of its own: its ends are cuts.
        corners = gap @ along / max(along @ along, TINY**2)
        aside = np.hypot(*(gap - corners[:, None] * along).T)
        found = np.concatenate((share[meets], corners[aside < TINY]))
        return found[(found > 0) & (found < 1)]

    def _solid(self, points: np.ndarray) -> np.ndarray:
        """Return which of (k, 2) points are inside an obstacle and not on its boundary."""
        if not len(self.a):
            return np.zeros(len(points), dtype=bool)
        p = points[:, None, :]
        edge, gap = self.b - self.a, p - self.a
        left = cross(edge, gap)
        up = (self.a[:, 1] <= p[..., 1]) & (self.b[:, 1] > p[..., 1]) & (left > 0)
        down = (self.a[:, 1] > p[..., 1]) & (self.b[:, 1] <= p[..., 1]) & (left < 0)
        inside = up.sum(axis=1) > down.sum(axis=1)
        gap = gap[inside]
        length2 = np.maximum((edge**2).sum(axis=1), TINY**2)
        share = np.clip((gap * edge).sum(axis=2) / length2, 0.0, 1.0)
        distance = np.linalg.norm(gap - share[..., None] * edge, axis=2).min(axis=1)
        inside[inside] = distance > TINY
        return inside


@dataclass(frozen=True)
class View:
    """
    The edge that ends the way towards the goal, for each stretch of a boundary.

    A stretch that faces away from the goal (`faces` is False) has no free way; if the goal is
    visible, the line goes through the goal.
    """

    begin: np.ndarray
    end: np.ndarray
    edge: np.ndarray
    faces: np.ndarray
    line: np.ndarray
    normal: np.ndarray


class Boundary:
    """One closed loop of a scene, the solid on its left; places on it are abscissae [m]."""

    def __init__(self, scene: Scene, corners: np.ndarray) -> None:
        self.scene, self.a = scene, corners
        step = np.roll(corners, -1, axis=0) - corners
        self.lengths = np.hypot(*step.T)
        self.along = step / self.lengths[:, None]
        self.outward = np.column_stack((self.along[:, 1], -self.along[:, 0]))
        self.at = np.concatenate(([0.0], np.cumsum(self.lengths)))
        self.perimeter = float(self.at[-1])
        gap = np.array(scene.goal) - corners
        # For the line of each edge: its place nearest to the goal, and their outward distance.
        self.foot = (gap * self.along).sum(axis=1)
        self.height = (gap * self.outward).sum(axis=1)

    def edge_at(self, abscissa: np.ndarray) -> np.ndarray:
        edge = np.searchsorted(self.at, abscissa, side='right') - 1
        return np.clip(edge, 0, len(self.a) - 1)

    def points(self, abscissa: np.ndarray) -> np.ndarray:
        edge = self.edge_at(abscissa)
        return self.a[edge] + (abscissa - self.at[edge])[:, None] * self.along[edge]

    def place(self, point) -> float:
        """Return the abscissa of a place on this loop."""
        share = np.clip(((point - self.a) * self.along).sum(axis=1), 0.0, self.lengths)
        distance = np.hypot(*(self.a + share[:, None] * self.along - point).T)
        best = int(np.argmin(distance))
        return float(self.at[best] + share[best])

    def distance_to(self, point) -> float:
        return math.dist(self.points(np.array([self.place(point)]))[0], point)

    def corners_and_feet(self) -> np.ndarray:
        return np.concatenate((self.at[:-1], self._on_edges(self.foot)))

    def at_distance(self, distance: float) -> np.ndarray:
        """Return the places at this distance from the goal."""
        half = np.sqrt(np.maximum(distance**2 - self.height**2, 0.0))
        half[np.abs(self.height) > distance] = np.inf
        return np.concatenate((self._on_edges(self.foot - half), self._on_edges(self.foot + half)))

    def across(self, begin) -> np.ndarray:
        """Return where the line through a place and the goal is crossed."""
        side = offset(self.a, begin, self.scene.goal)
        side[np.abs(side) < TINY] = 0.0
        after = np.roll(side, -1)
        share = side / np.where(side == after, 1.0, side - after)
        return (self.at[:-1] + share * self.lengths)[side * after < 0]

    @cached_property
    def view(self) -> View:
        """Return the view to the goal from each stretch between corners and tangent places."""
        begin = np.unique(np.concatenate((self.at[:-1], self._tangent_places())))
        begin = begin[np.diff(begin, prepend=-1.0) > TINY]
        end = np.append(begin[1:], self.perimeter)
        middle = 0.5 * (begin + end)
        edge, points = self.edge_at(middle), self.points(middle)
        goal = np.array(self.scene.goal)
        line, normal = np.tile(goal, (len(points), 1)), goal - points
        faces = self.height[edge] > TINY
        solid = np.full(len(points), -1)
        solid[faces] = self.scene.first_solid(points[faces])
        hidden = solid >= 0
        line[hidden] = self.scene.a[solid[hidden]]
        step = (self.scene.b - self.scene.a)[solid[hidden]]
        normal[hidden] = np.column_stack((step[:, 1], -step[:, 0]))
        faces |= np.abs(self.height[edge]) <= TINY
        for i in np.nonzero(np.abs(self.height[edge]) <= TINY)[0]:
            # The way to the goal runs along the edge.
            hit = self.scene.hit_from(points[i])
            if hit is not None:
                line[i] = hit
        normal /= np.maximum(np.hypot(*normal.T), TINY)[:, None]
        return View(begin, end, edge, faces, line, normal)

    def free_for(self, length: float) -> np.ndarray:
        """Return the places where the free way to the goal becomes longer or shorter than this."""
        view = self.view
        first, last = self.points(view.begin), self.points(view.end)
        near = np.minimum(*(np.abs(((p - view.line) * view.normal).sum(axis=1))
                            for p in (first, last)))
        found = [self._roots(i, length) for i in np.nonzero(view.faces & (near <= length))[0]]
        return np.concatenate([*found, np.zeros(0)])

    def way_ends_at(self, distance: float) -> np.ndarray:
        """Return the places from where the free way ends at this distance from the goal."""
        view, goal = self.view, np.array(self.scene.goal)
        height = ((view.line - goal) * view.normal).sum(axis=1)
        sight = view.faces & (np.abs(height) > TINY) & (np.abs(height) < distance)
        half = np.sqrt(np.maximum(distance**2 - height**2, 0.0))
        found = []
        for sign in (-1.0, 1.0):
            tangent = np.column_stack((-view.normal[:, 1], view.normal[:, 0]))
            ray = height[:, None] * view.normal + sign * half[:, None] * tangent
            fall = (ray * self.outward[view.edge]).sum(axis=1)
            ray *= (-self.height[view.edge] / np.where(fall < 0, fall, -np.inf))[:, None]
            place = ((goal + ray - self.a[view.edge]) * self.along[view.edge]).sum(axis=1)
            place += self.at[view.edge]
            found.append(place[sight & (fall < 0) & (place > view.begin) & (place < view.end)])
        return np.concatenate(found)

    def _roots(self, i: int, length: float) -> np.ndarray:
        """Solve d(x) (A s + B) / (C s + D) = length for the abscissa s on one stretch."""
        view, edge = self.view, self.view.edge[i]
        origin, along, normal = self.a[edge], self.along[edge], view.normal[i]
        top = np.array([along @ normal, (origin - view.line[i]) @ normal])
        bottom = np.array([along @ normal, (origin - self.scene.goal) @ normal])
        d2 = np.array([1.0, -2 * self.foot[edge], self.foot[edge]**2 + self.height[edge]**2])
        equation = np.polysub(np.polymul(np.polymul(top, top), d2),
                              length**2 * np.polymul(bottom, bottom))
        roots = np.roots(equation)
        roots = roots.real[np.abs(roots.imag) < SHORT] + self.at[edge]
        return roots[(roots > view.begin[i]) & (roots < view.end[i])]

    def _tangent_places(self) -> np.ndarray:
        """Return the places where rays from the goal through corners arrive."""
        faces = np.nonzero(self.height > TINY)[0]
        rays = self.scene.a - self.scene.goal
        rows = max(1, CHUNK // max(len(rays), 1))
        found = []
        for part in (faces[i:i + rows] for i in range(0, len(faces), rows)):
            fall = self.outward[part] @ rays.T
            reach = -self.height[part, None] / np.where(fall < 0, fall, -np.inf)
            place = reach * (self.along[part] @ rays.T) + self.foot[part, None]
            inner = (place > TINY) & (place < self.lengths[part, None] - TINY) & (reach > 1 + TINY)
            found.append((place + self.at[part, None])[inner])
        return np.concatenate([*found, np.zeros(0)])

    def _on_edges(self, share: np.ndarray) -> np.ndarray:
        return (self.at[:-1] + share)[(share > 0) & (share < self.lengths)]


class Lap:
    """
    One lap of a boundary: arrays over its nodes, and over the stretches between them.

    :ivar walked: (k + 1,) metres since the point where the lap begins; the last is the perimeter.
    :ivar points: (k + 1, 2) the nodes.
    :ivar to_goal: (k + 1,) their distances to the goal; `middle_to_goal` (k,) of the stretches.
    """

    def __init__(self, boundary: Boundary, point, turn: str, m_line_from=None,
                 marks: Sequence = (), stops: Sequence = (), distances: Sequence = (),
                 free_for: Sequence = (), way_ends_at: Sequence = ()) -> None:
        self.boundary, self.scene = boundary, boundary.scene
        self.m_line_from = self.scene.start if m_line_from is None else m_line_from
        cuts = [boundary.corners_and_feet(), boundary.across(self.m_line_from),
                np.array([boundary.place(mark) for mark in marks])]
        cuts += [boundary.at_distance(distance) for distance in (self.scene.reach, *distances)]
        cuts += [boundary.free_for(length) for length in free_for]
        cuts += [boundary.way_ends_at(distance) for distance in way_ends_at]
        if free_for or way_ends_at:
            cuts.append(boundary.view.begin)
        self._sense, self._begin = (-1 if turn == 'left' else 1), boundary.place(point)
        walked = np.sort(np.concatenate((self.walked_to(np.concatenate(cuts)), stops)))
        inner = (walked > TINY) & (walked < boundary.perimeter - TINY)
        walked = walked[inner & (np.diff(walked, prepend=0.0) > TINY)]
        self.walked = np.concatenate(([0.0], walked, [boundary.perimeter]))
        self.points = boundary.points(self._abscissa(self.walked))
        self.points[[0, -1]] = point
        self.to_goal = np.hypot(*(self.points - self.scene.goal).T)
        self._middle = self._abscissa(0.5 * (self.walked[:-1] + self.walked[1:]))
        self.middles = boundary.points(self._middle)
        self.middle_to_goal = np.hypot(*(self.middles - self.scene.goal).T)

    @cached_property
    def on_line(self) -> np.ndarray:
        """Return which nodes are on the infinite line through the M-line."""
        aside = offset(self.points, self.m_line_from, self.scene.goal)
        return np.abs(aside) < 10 * TINY

    @cached_property
    def on_m_line(self) -> np.ndarray:
        """Return which nodes are on the M-line, the segment to the goal."""
        begin, goal = np.array(self.m_line_from), np.array(self.scene.goal)
        abscissa = (self.points - begin) @ (goal - begin)
        inner = (abscissa >= -TINY) & (abscissa <= (goal - begin) @ (goal - begin) + TINY)
        return self.on_line & inner

    @property
    def at_goal(self) -> np.ndarray:
        return self.to_goal <= self.scene.reach + TINY

    @cached_property
    def middle_free(self) -> np.ndarray:
        """Return the free way to the goal from the middle of every stretch (k,)."""
        return self._free(self.middles)

    @cached_property
    def free(self) -> np.ndarray:
        """
        Return the free way to the goal from every node (k + 1,), the longer one at a tangent.

        A ray that only touches a corner passes it, so the longer way of both sides counts.
        """
        before, after = self._free(self.points[1:]), self._free(self.points[:-1])
        return np.maximum(np.append(after, before[-1]), np.insert(before, 0, after[0]))

    @cached_property
    def closest_before(self) -> np.ndarray:
        """Return the distance to the goal of the closest place on the lap up to every node."""
        return np.minimum.accumulate(self.to_goal)

    def index_at(self, walked: float) -> int:
        """Return the node nearest to a distance walked."""
        return int(np.argmin(np.abs(self.walked - walked)))

    def index_of(self, point) -> Optional[int]:
        """Return the first node after the beginning at this point, or None."""
        same = np.hypot(*(self.points[1:] - point).T) < SHORT
        return int(np.argmax(same)) + 1 if same.any() else None

    def step(self, node: int, verdict: Optional[str] = None) -> Step:
        path = tuple(_pair(point) for point in self.points[1:node + 1])
        return Step(float(self.walked[node]), _pair(self.points[node]), verdict, path)

    def _free(self, points: np.ndarray) -> np.ndarray:
        view = self.boundary.view
        row = np.searchsorted(view.begin, self._middle, side='right') - 1
        normal, goal = view.normal[row], np.array(self.scene.goal)
        whole = ((goal - points) * normal).sum(axis=1)
        way = ((view.line[row] - points) * normal).sum(axis=1)
        share = np.clip(way / np.where(whole == 0, 1.0, whole), 0.0, 1.0)
        return np.where(view.faces[row], share * np.hypot(*(goal - points).T), 0.0)

    def walked_to(self, abscissa):
        """Return the distances along the lap at which it reaches places of the loop."""
        return np.mod(self._sense * (abscissa - self._begin), self.boundary.perimeter)

    def _abscissa(self, walked):
        return np.mod(self._begin + self._sense * walked, self.boundary.perimeter)


def first_leave(inside: np.ndarray, at_node: np.ndarray) -> Optional[int]:
    """
    Return the first node at which, or directly after which, a rule is true.

    :param inside: (k,) its truth on the stretches of a lap.
    :param at_node: (k + 1,) its truth at the nodes; the first, where the lap begins, is ignored.
    """
    begins = np.append(inside, False)
    found = begins | np.insert(at_node[1:], 0, False)
    return int(np.argmax(found)) if found.any() else None


Policy = Callable[[Scene, OracleRun, tuple, str], Step]


def explore(scene: Scene, turn: str, policy: Policy) -> OracleRun:
    """Run one algorithm: straight to the goal until a hit, then by its policy."""
    if turn not in ('left', 'right'):
        raise ValueError(f"turn must be 'left' or 'right', got {turn!r}")
    run = OracleRun(path=[scene.start])
    here = scene.start
    while len(run.hits) < MAX_HITS:
        hit = scene.hit_from(here)
        if _arrives(scene, run, here, hit):
            run.verdict = 'reached'
            return run
        run.length += math.dist(here, hit)
        run.hits.append(hit)
        run.path.append(hit)
        if sum(math.dist(hit, other) < SHORT for other in run.hits) >= SAME_HITS:
            break
        step = policy(scene, run, hit, turn)
        run.length += step.walked
        run.path += step.path
        if step.verdict:
            run.verdict = step.verdict
            return run
        run.leaves.append(step.point)
        here = step.point
    run.verdict = 'loop'
    return run


def _arrives(scene: Scene, run: OracleRun, here: tuple, hit: Optional[tuple]) -> bool:
    """Go straight to the goal and return True, unless there is a hit first."""
    distance = scene.to_goal(here)
    way = max(distance - scene.reach, 0.0)
    if hit is not None and math.dist(here, hit) < way:
        return False
    if distance > 0:
        run.path.append(tuple(np.add(here, np.subtract(scene.goal, here) * (way / distance))))
    run.length += way
    return True


def _loops(obstacles) -> Iterator[np.ndarray]:
    for part in getattr(obstacles, 'geoms', [obstacles]):
        if part.geom_type == 'Polygon' and not part.is_empty:
            # Outer boundaries counter-clockwise, holes clockwise: solid on the left.
            solid = orient(part)
            for ring in (solid.exterior, *solid.interiors):
                yield np.array(ring.coords)[:-1, :2]


def offset(points: np.ndarray, begin, end) -> np.ndarray:
    """Return the signed distances of (k, 2) points from the line through two places."""
    along = np.subtract(end, begin)
    return cross(along, points - np.array(begin)) / max(float(np.hypot(*along)), TINY)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _pair(point) -> tuple[float, float]:
    return (float(point[0]), float(point[1]))
