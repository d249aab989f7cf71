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

"""Random scenes of the course, hard ones, and what is true in them, from shapely."""

from __future__ import annotations

import math
import random
from typing import Dict, Iterable, List

from javascript import call
from shapely.geometry import LineString, Point, Polygon
from shapely.ops import unary_union

COMPLETE = ('bug1', 'bug2', 'tangent_bug', 'vis_bug_21', 'vis_bug_22')
"""Algorithms that reach the goal or prove that it cannot be reached."""
ALL = (*COMPLETE, 'bug0', 'bug2_naive')
TOUCH = 2e-7
"""Rounding of places on walls [m]."""
FAR = 60.0

RUN = """(cases) => cases.map(({obstacles, start, goal, turn, rho, range, names}) => {
  let model;
  try {
    model = new bugCourse.Model({obstacles, start, goal}, {algorithms: names, turn, rho, range});
  } catch (error) {
    if (error instanceof RangeError || error instanceof bugCourse.GeometryError) {
      return {refused: error.message};
    }
    throw error;
  }
  const {loops, solids, runs} = model.result;
  return {loops, solids, runs: runs.map(({name, run}) => ({name, verdict: run.verdict,
    length: run.length, path: run.path, certificate: run.certificate, fault: run.fault}))};
})"""


def random_case(seed: int) -> Dict:
    """Return a scene whose start and goal are mostly at walls, at corners, or close to both."""
    draw = random.Random(seed)
    obstacles = [_shape(draw) for _ in range(draw.randint(1, 4))]
    solid = unary_union([solid_of(shape) for shape in obstacles])
    starts = (_end(draw, obstacles) for _ in range(20))
    start = next((place for place in starts if not solid.contains(Point(place))), [-3.0, -3.0])
    return {'obstacles': obstacles, 'start': start, 'goal': _end(draw, obstacles),
            'turn': draw.choice(('left', 'right')), 'rho': 0,
            'range': draw.choice((0.3, 1.0, 3.5, 8.0)), 'names': ALL, 'seed': seed}


def _shape(draw: random.Random):
    """Return a polygon, a wall, a room with a gap, or a closed room."""
    x, y, kind = draw.uniform(0, 5), draw.uniform(0, 4), draw.randrange(6)
    if kind == 0:
        w, h = draw.uniform(0.2, 2), draw.uniform(0.2, 2)
        return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]
    if kind == 1:
        count = draw.randrange(3, 9)
        return [[round(x + r * math.cos(a), 2), round(y + r * math.sin(a), 2)] for r, a in (
            (draw.uniform(0.3, 1.5), 2 * math.pi * k / count) for k in range(count))]
    if kind in (2, 3):
        return {'wall': [[round(x + draw.uniform(-2, 2), 2), round(y + draw.uniform(-2, 2), 2)]
                         for _ in range(draw.randint(2, 5))], 'width': draw.choice((0.1, 0.2))}
    w, h, gap = draw.uniform(0.8, 3), draw.uniform(0.8, 3), draw.choice((0.0, 0.02, 0.3))
    if kind == 4 or not gap:
        return {'wall': [[x, y], [x + w, y], [x + w, y + h], [x, y + h]], 'width': 0.1,
                'closed': True}
    return {'wall': [[x, y], [x + w, y], [x + w, y + h], [x, y + h], [x, y + 0.1 + gap]],
            'width': 0.1}


def _end(draw: random.Random, obstacles: List) -> List[float]:
    """Return a place: anywhere, on a corner, on a wall, or up to 15 cm from one."""
    lines = [outline(shape) for shape in obstacles]
    if draw.random() < 0.15:
        return [round(draw.uniform(-1, 7), 2), round(draw.uniform(-1, 6), 2)]
    places = draw.choice(lines)
    k = draw.randrange(len(places) - 1)
    (ax, ay), (bx, by) = places[k], places[k + 1]
    share = draw.choice((0.0, 0.5, draw.random()))
    away = draw.choice((0.0, draw.uniform(0, 0.01), draw.uniform(0, 0.04), draw.uniform(0, 0.15)))
    length = math.hypot(bx - ax, by - ay) or 1.0
    nx, ny = (by - ay) / length, (ax - bx) / length
    place = [ax + share * (bx - ax) + away * nx, ay + share * (by - ay) + away * ny]
    return [round(c, 2) for c in place] if draw.random() < 0.5 else place


def outline(shape) -> List:
    """Return the outer boundary of a shape, counter-clockwise, from shapely."""
    solid = solid_of(shape)
    if solid.is_empty:
        return [(0.0, 0.0), (1.0, 0.0)]
    parts = getattr(solid, 'geoms', [solid])
    part = max(parts, key=lambda each: each.area)
    rings = [part.exterior, *part.interiors]
    return [point for ring in rings for point in ring.coords]


def solid_of(shape):
    """Return a shape as shapely geometry."""
    if isinstance(shape, list):
        return Polygon(shape).buffer(0)
    closed = shape.get('closed')
    line = LineString([*shape['wall'], shape['wall'][0]] if closed else shape['wall'])
    if closed:
        room = Polygon(shape['wall'])
        half = shape['width'] / 2
        return room.buffer(half, join_style=2).difference(room.buffer(-half, join_style=2))
    return line.buffer(shape['width'] / 2, cap_style=2, join_style=2)


def is_reachable(loops: List, start: List[float], goal: List[float]) -> bool:
    """Return whether free space connects start and goal; walls themselves are free."""
    if not loops:
        return True
    solid = unary_union([])
    for loop in loops:
        solid = solid.symmetric_difference(Polygon(loop))
    free = Point(0, 0).buffer(FAR).difference(solid)
    ends = Point(start), Point(goal)
    return any(all(part.distance(end) < TOUCH for end in ends)
               for part in getattr(free, 'geoms', [free]))


def is_through_walls(loops: List, path: List) -> float:
    """Return the length of a path inside obstacles [m], walls themselves not included."""
    if len(path) < 2 or not loops:
        return 0.0
    solid = unary_union([])
    for loop in loops:
        solid = solid.symmetric_difference(Polygon(loop))
    inner = solid.buffer(-10 * TOUCH, join_style=2)
    if LineString(path).intersection(inner).length <= 10 * TOUCH:
        return 0.0
    # A path that retraces itself along a wall makes the library snap it to the wall's inside.
    return sum(LineString(step).intersection(inner).length for step in zip(path, path[1:]))


def faults_of(cases: Iterable[Dict]) -> List[Dict]:
    """Return the faults in cases: {seed, name, fault}; '' is a scene that was refused."""
    cases = list(cases)
    faults = []
    for case, found in zip(cases, call(RUN, cases)):
        if 'refused' in found:
            faults.append({'seed': case['seed'], 'name': '', 'fault': found['refused']})
            continue
        truth = is_reachable(found['loops'], case['start'], case['goal'])
        for run in found['runs']:
            fault = _fault(run, truth, found['loops'], case)
            if fault:
                faults.append({'seed': case['seed'], 'name': run['name'], 'fault': fault})
    return faults


def _fault(run: Dict, truth: bool, loops: List, case: Dict) -> str:
    expected = 'reached' if truth else 'unreachable'
    if run['name'] in COMPLETE and run['verdict'] != expected:
        return f"{run['verdict']}, not {expected}"
    if run['name'] not in COMPLETE and run['verdict'] not in ('loop', 'reached' if truth else ''):
        return f"{run['verdict']}, not {expected}"
    inside = is_through_walls(loops, run['path'])
    if inside > 1e-6:
        return f'through a wall for {inside:.6f} m'
    if run['verdict'] == 'reached' and math.dist(run['path'][-1], case['goal']) > 1e-6:
        return 'ends elsewhere'
    return ''
