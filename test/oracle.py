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
Exact walks of a point robot along polygons: what the navigator is measured against.

Written from the papers, not from the navigator: it knows the obstacles as geometry and has no
scan, no time and no tolerance. A disc of radius r is a point among obstacles inflated by r.

`explore` holds what all Bug algorithms share (straight to the goal until a hit, then a lap along
the boundary); an algorithm is one policy that says where on that lap to leave. A policy sees the
lap as nodes: every corner, every crossing of the M-line, every place nearest to the goal on an
edge, so that no step width decides anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
import math
from typing import Callable, Iterator, Optional

import numpy as np
from shapely.geometry.polygon import orient

# Rounding of coordinates, in metres.
TINY = 1e-9
# A way that is free for less than this is blocked; one that is solid for less is grazed.
SHORT = 1e-6
MAX_HITS = 400


@dataclass(frozen=True)
class Node:
    """A place on a lap: how far it was walked since the hit, and what it is."""

    walked: float
    point: tuple
    on_m_line: bool = False
    at_goal: bool = False


@dataclass(frozen=True)
class Step:
    """What a policy decides on a lap: walk so far, to there, and then leave or stop."""

    walked: float
    point: tuple
    verdict: Optional[str] = None
    path: tuple = ()


@dataclass
class OracleRun:
    """A run: its verdict (reached, unreachable, loop), its length in metres, hits and leaves."""

    verdict: str = ''
    length: float = 0.0
    hits: list = field(default_factory=list)
    leaves: list = field(default_factory=list)
    path: list = field(default_factory=list)


class Scene:
    """Obstacles as closed loops with the solid on their left, a start, a goal and the M-line."""

    def __init__(self, obstacles, start, goal, goal_tolerance: float = 0.0) -> None:
        self.start, self.goal = _pair(start), _pair(goal)
        self.reach = max(goal_tolerance, TINY)
        self.loops = list(_loops(obstacles))
        ends = [np.roll(loop, -1, axis=0) for loop in self.loops]
        self.a = np.vstack(self.loops) if self.loops else np.zeros((0, 2))
        self.b = np.vstack(ends) if ends else np.zeros((0, 2))
        self.owner = np.repeat(np.arange(len(self.loops)), [len(loop) for loop in self.loops])
        if self._solid(np.array([self.start]))[0]:
            raise ValueError(f'the start {self.start} is inside an obstacle')

    def to_goal(self, point) -> float:
        return math.dist(point, self.goal)

    def hit_from(self, point) -> Optional[tuple]:
        """Return where the straight way to the goal enters a solid, or None if it is free."""
        origin, along = np.array(point), np.subtract(self.goal, point)
        length = self.to_goal(point)
        cuts = np.unique(np.concatenate(([0.0, 1.0], self._cuts(origin, along))))
        middle = 0.5 * (cuts[:-1] + cuts[1:])
        solid = self._solid(origin + middle[:, None] * along) & (np.diff(cuts) * length > SHORT)
        if not solid.any():
            return None
        return tuple(origin + cuts[np.argmax(solid)] * along)

    def is_free(self, point) -> bool:
        """Tell whether the way to the goal is free at this place on a boundary."""
        hit = self.hit_from(point)
        return hit is None or math.dist(hit, point) > SHORT

    def lap(self, point, turn: str) -> Iterator[Node]:
        """
        Yield the nodes of one lap around the loop that a point lies on, the point itself last.

        Turning left keeps the obstacle on the right hand, against the loop's own sense.
        """
        loop, index, share = self._locate(point)
        corners = self._corners_of_lap(loop, index, share, backwards=turn == 'left')
        walked = 0.0
        for a, b in zip(corners[:-1], corners[1:]):
            length = math.dist(a, b)
            if length > 0:
                yield from self._nodes(a, b, length, walked)
            walked += length

    def _nodes(self, a, b, length: float, walked: float) -> Iterator[Node]:
        places = [(1.0, self._on_m_line(b), False)]
        crossing = self._m_line_crossing(a, b)
        if crossing is not None:
            places.append((crossing, True, False))
        places += [(share, False, True) for share in self._goal_shares(a, b, length)]
        places.append((self._foot(a, b, length), False, False))
        for share, on_m_line, at_goal in sorted(places):
            point = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
            yield Node(walked + share * length, point, on_m_line, at_goal)

    def _corners_of_lap(self, loop: np.ndarray, index: int, share: float,
                        backwards: bool) -> list[tuple]:
        count = len(loop)
        here = tuple(loop[index] + share * (loop[(index + 1) % count] - loop[index]))
        if backwards:
            between = [tuple(loop[(index - k) % count]) for k in range(count)]
        else:
            between = [tuple(loop[(index + 1 + k) % count]) for k in range(count)]
        return [here, *between, here]

    def _locate(self, point) -> tuple[np.ndarray, int, float]:
        step = self.b - self.a
        length2 = np.maximum((step**2).sum(axis=1), TINY**2)
        share = np.clip(((point - self.a) * step).sum(axis=1) / length2, 0.0, 1.0)
        distance = np.hypot(*(self.a + share[:, None] * step - point).T)
        best = int(np.argmin(distance))
        owner = int(self.owner[best])
        index = best - int(np.argmax(self.owner == owner))
        return self.loops[owner], index, float(share[best])

    def _offset(self, point) -> float:
        """Return the signed distance of a point from the line through start and goal."""
        (sx, sy), (gx, gy) = self.start, self.goal
        offset = (gx - sx) * (point[1] - sy) - (gy - sy) * (point[0] - sx)
        offset /= math.dist(self.start, self.goal)
        return 0.0 if abs(offset) < TINY else offset

    def _between_ends(self, point) -> bool:
        along = np.subtract(self.goal, self.start)
        abscissa = np.dot(np.subtract(point, self.start), along)
        return -TINY <= abscissa <= along @ along + TINY

    def _on_m_line(self, point) -> bool:
        return self._offset(point) == 0.0 and self._between_ends(point)

    def _m_line_crossing(self, a, b) -> Optional[float]:
        before, after = self._offset(a), self._offset(b)
        if before * after >= 0:
            return None
        share = before / (before - after)
        point = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
        return share if self._between_ends(point) else None

    def _foot(self, a, b, length: float) -> float:
        along = np.subtract(b, a)
        return min(max(float(np.dot(np.subtract(self.goal, a), along)) / length**2, 0.0), 1.0)

    def _goal_shares(self, a, b, length: float) -> list[float]:
        """Return where an edge first comes within reach of the goal, if it does."""
        foot = np.dot(np.subtract(self.goal, a), np.subtract(b, a)) / length
        across2 = max(self.to_goal(a)**2 - foot**2, 0.0)
        if across2 > self.reach**2:
            return []
        half = math.sqrt(self.reach**2 - across2)
        first = max(foot - half, 0.0)
        return [first / length] if first <= min(foot + half, length) else []

    def _cuts(self, origin: np.ndarray, along: np.ndarray) -> np.ndarray:
        """Return the shares of a segment at which edges, or corners on it, meet it."""
        edge = self.b - self.a
        across = along[0] * edge[:, 1] - along[1] * edge[:, 0]
        gap = self.a - origin
        safe = np.where(across == 0, 1.0, across)
        share = (gap[:, 0] * edge[:, 1] - gap[:, 1] * edge[:, 0]) / safe
        on_edge = (gap[:, 0] * along[1] - gap[:, 1] * along[0]) / safe
        meets = (across != 0) & (on_edge >= -TINY) & (on_edge <= 1 + TINY)
        # An edge that runs along the segment has no crossing of its own: its ends are cuts.
        corners = gap @ along / max(along @ along, TINY**2)
        aside = np.hypot(*(gap - corners[:, None] * along).T)
        found = np.concatenate((share[meets], corners[aside < TINY]))
        return found[(found > 0) & (found < 1)]

    def _solid(self, points: np.ndarray) -> np.ndarray:
        """Tell which of (k, 2) points are inside an obstacle and not on its boundary."""
        if not self.loops:
            return np.zeros(len(points), dtype=bool)
        p = points[:, None, :]
        edge, gap = self.b - self.a, p - self.a
        left = edge[:, 0] * gap[..., 1] - edge[:, 1] * gap[..., 0]
        up = (self.a[:, 1] <= p[..., 1]) & (self.b[:, 1] > p[..., 1]) & (left > 0)
        down = (self.a[:, 1] > p[..., 1]) & (self.b[:, 1] <= p[..., 1]) & (left < 0)
        winding = up.sum(axis=1) - down.sum(axis=1)
        length2 = np.maximum((edge**2).sum(axis=1), TINY**2)
        share = np.clip((gap * edge).sum(axis=2) / length2, 0.0, 1.0)
        distance = np.linalg.norm(gap - share[..., None] * edge, axis=2).min(axis=1)
        return (winding > 0) & (distance > TINY)


Policy = Callable[[Scene, OracleRun, tuple, str], Step]


def explore(scene: Scene, turn: str, policy: Policy) -> OracleRun:
    """Run one algorithm: straight to the goal until a hit, then what its policy says."""
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


def bug2(obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0) -> OracleRun:
    """
    Run Bug2 (Lumelsky and Stepanov 1987) with a point robot.

    :param obstacles: shapely geometry; only its polygons count, which must not overlap.
    :param start: x, y in metres, not inside an obstacle.
    :param goal: x, y in metres.
    :param turn: 'left' keeps obstacles on the right hand, 'right' on the left.
    :param goal_tolerance: the goal counts as reached at this distance in metres.
    :raises ValueError: for a start inside an obstacle, or another turn.
    """
    return explore(Scene(obstacles, start, goal, goal_tolerance), turn, bug2_policy)


def bug2_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str) -> Step:
    """Leave where the M-line is crossed closer to the goal than the hit and the way is free."""
    path = []
    node = None
    for node in scene.lap(hit, turn):
        path.append(node.point)
        if node.at_goal:
            return Step(node.walked, node.point, 'reached', tuple(path))
        closer = scene.to_goal(node.point) < scene.to_goal(hit) - TINY
        if node.on_m_line and closer and scene.is_free(node.point):
            return Step(node.walked, node.point, path=tuple(path))
    return Step(node.walked, node.point, 'unreachable', tuple(path))


def _arrives(scene: Scene, run: OracleRun, here: tuple, hit: Optional[tuple]) -> bool:
    """Go straight to within reach of the goal, if no hit comes before that."""
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


def _pair(point) -> tuple[float, float]:
    return (float(point[0]), float(point[1]))
