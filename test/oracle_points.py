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
PointBug as a walk of a point robot from one tangent to the next.

Source: N. Buniyamin et al., 2011, as described in surveys. A sudden point is where a line of sight
touches a boundary, or where a boundary leaves the range `sight`. As in the navigator, the robot
goes `past` it and `aside`, and ignores points within `back` of where it comes from.
"""

from __future__ import annotations

import math
from typing import Iterator

import numpy as np
from oracle import cross, OracleRun, Scene

SIGHT = 3.5 - 0.224
PAST, ASIDE, BACK = 0.15, 0.05, math.radians(10.0)
SAME, PROGRESS, TIMES = 0.15, 0.02, 3
EDGE = 1e-4


def point_bug(obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
              sight: float = SIGHT) -> OracleRun:
    """Run PointBug with a point robot."""
    scene = Scene(obstacles, start, goal, goal_tolerance)
    run, faces, best, pairs = OracleRun(path=[scene.start]), None, math.inf, []
    while not run.verdict:
        here = run.path[-1]
        hit, away = scene.hit_from(here), scene.to_goal(here)
        if hit is None or math.dist(here, hit) >= min(sight, away - scene.reach):
            # The goal is visible, or the visible way is free: go on until it is not.
            step = away - scene.reach if hit is None else min(0.05, away - scene.reach)
            _go(run, here, math.atan2(goal[1] - here[1], goal[0] - here[0]), step)
            faces = None
            run.verdict = 'reached' if scene.to_goal(run.path[-1]) <= scene.reach + 1e-6 else ''
            continue
        heading = _first(scene, here, turn, faces, sight)
        if heading is None:
            run.verdict = 'loop'
            break
        faces, length = heading
        best = min(best, away)
        place = (here[0] + length * math.cos(faces), here[1] + length * math.sin(faces))
        pairs.append((here, place, best))
        if sum(math.dist(a, here) < SAME and math.dist(b, place) < SAME and c < best + PROGRESS
               for a, b, c in pairs) >= TIMES:
            run.verdict = 'loop'
            break
        _walk(scene, run, faces, length, sight)
    return run


def _walk(scene: Scene, run: OracleRun, heading: float, length: float, sight: float) -> None:
    """Go to a sudden point until the goal is visible, which is checked every 5 cm."""
    while length > 0.0:
        step = min(length, 0.05)
        _go(run, run.path[-1], heading, step)
        length -= step
        hit = scene.hit_from(run.path[-1])
        if hit is None or math.dist(run.path[-1], hit) >= sight:
            return


def _go(run: OracleRun, here, heading: float, step: float) -> None:
    run.length += step
    run.path.append((here[0] + step * math.cos(heading), here[1] + step * math.sin(heading)))


def _first(scene: Scene, here, turn: str, faces, sight: float):
    """Return heading and distance of the place behind the first sudden point of a turn."""
    goal = math.atan2(scene.goal[1] - here[1], scene.goal[0] - here[0])
    faces = goal if faces is None else faces
    to_goal = (goal - faces + math.pi) % (2.0 * math.pi) - math.pi
    side = math.copysign(1.0, to_goal) if abs(to_goal) > 1e-9 else 1 if turn == 'left' else -1
    found = []
    for heading, length in _sudden(scene, np.array(here), sight):
        turned = side * (heading - faces) % (2.0 * math.pi)
        if length > 0.05 and abs(turned - math.pi) > BACK:
            found.append((turned, heading, length))
    return min(found)[1:] if found else None


def _sudden(scene: Scene, here: np.ndarray, sight: float) -> Iterator[tuple[float, float]]:
    """Yield heading and distance of the places behind all sudden points."""
    for boundary in scene.boundaries:
        before, after = np.roll(boundary.a, 1, axis=0), np.roll(boundary.a, -1, axis=0)
        for a, b, c in zip(before, boundary.a, after):
            away = math.dist(here, b)
            left, right = float(cross(b - here, a - b)), float(cross(b - here, c - b))
            if away < sight and left * right >= 0.0 and left + right and _sees(scene, here, b):
                side = -math.copysign(1.0, left + right)
                length = min(away + PAST, sight)
                yield math.atan2(*(b - here)[::-1]) + side * math.atan2(ASIDE, length), length
            yield from _out_of_sight(scene, here, b, c, sight)


def _out_of_sight(scene: Scene, here: np.ndarray, b: np.ndarray, c: np.ndarray, sight: float
                  ) -> Iterator[tuple[float, float]]:
    """Yield where an edge leaves the range of sight."""
    along, gap = c - b, b - here
    roots = np.roots([along @ along, 2.0 * along @ gap, gap @ gap - sight * sight])
    for share in roots.real[np.abs(roots.imag) < 1e-12]:
        place = b + share * along
        if 0.0 <= share <= 1.0 and _sees(scene, here, place):
            grows = float((place - here) @ along) > 0.0
            side = math.copysign(1.0, float(cross(place - here, along))) * (1 if grows else -1)
            yield math.atan2(*(place - here)[::-1]) + side * math.atan2(ASIDE, sight), sight


def _sees(scene: Scene, here: np.ndarray, place: np.ndarray) -> bool:
    hit = scene.hit_from(tuple(here), tuple(place))
    return hit is None or math.dist(hit, place) < EDGE


POINTS = {'point_bug': point_bug}
