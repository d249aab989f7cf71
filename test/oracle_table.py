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
Scenes of the literature, and path lengths of a point robot in them from another simulator.

That simulator uses steps of 2 to 10 cm and prints 0.1 m. Lengths are those for turning left and
right, in metres; U: unreachable; -: endless loop.
"""

from __future__ import annotations

import math
import random
from typing import Iterator, Optional

from shapely.geometry import box, LineString, Polygon
from shapely.ops import unary_union

TURNS = ('left', 'right')


def _thick(*corners):
    return LineString(corners).buffer(0.1, cap_style=2, join_style=2)


def _ring(solid):
    return solid.difference(solid.buffer(-0.2, join_style=2))


_NOTHING = unary_union([])
_SPIRAL = _thick((0, 0), (7, 0), (7, 7), (0, 7), (0, 1.8), (5.2, 1.8), (5.2, 5.2), (1.8, 5.2),
                 (1.8, 3.5))
_SP12 = _thick((0, 0), (1.8, 0), (1.8, 1.8), (-1.8, 1.8), (-1.8, -1.8), (3.6, -1.8), (3.6, 3.6),
               (-3.6, 3.6), (-3.6, -3.6), (5.4, -3.6), (5.4, 5.4), (-5.4, 5.4), (-5.4, -5.4))
_MAZE = unary_union([
    box(-1, -1, 7, 7).difference(box(0, 0, 6, 6)),
    _thick((1.5, 0), (1.5, 4.5)), _thick((3, 6), (3, 1.5)), _thick((4.5, 0), (4.5, 4.5))])
_POLE = Polygon([(2 + 0.05 * math.cos(k * math.pi / 8), 0.02 + 0.05 * math.sin(k * math.pi / 8))
                 for k in range(16)])

SCENES = {
    'open': (_NOTHING, (0, 0), (5, 0)),
    'box': (box(2.5, -0.8, 3.5, 1.6), (0, 0), (6, 0)),
    'u_trap': (_thick((2, 1.4), (4, 1.4), (4, -1.4), (2, -1.4)), (0, 0.2), (6, 0.2)),
    'spiral_in': (_SPIRAL, (-2, 3.2), (3.4, 3.4)),
    'spiral_out': (_SPIRAL, (3.4, 3.4), (10, 3)),
    'spiral_out_W': (_SPIRAL, (3.4, 3.4), (-3, 3.9)),
    'ring_goal': (_ring(box(3, -1.5, 6, 1.5)), (0, 0.3), (4.5, 0.1)),
    'ring_start': (_ring(box(-1.5, -1.5, 1.5, 1.5)), (0, 0.2), (5, 0.1)),
    'sp12_E': (_SP12, (0.9, 0.9), (7.4, 1)),
    'sp12_in': (_SP12, (7.4, 1), (0.9, 0.9)),
    'arena_out': (box(-9, -9, 13, 15).difference(box(0, 0, 4, 6)), (1, 1), (7, 5)),
    'goal_solid': (box(3, -1, 5, 1), (0, 0.2), (4, 0.1)),
    'graze': (box(2, 0, 3, 1), (0, 0), (5, 0)),
    'touch': (box(1, -1, 2, 1.5), (0.999, 0), (4, 0)),
    'maze': (_MAZE, (0.7, 0.7), (5.3, 0.75)),
    'pole': (_POLE, (0, 0), (4, 0)),
    'two_close': (unary_union([box(2, -1, 3, 0), box(2, 0.2, 3, 1.2)]), (0, -0.3), (5, -0.31)),
    'gap_step': (unary_union([box(2, -2, 3, 2), box(3.1, -2.5, 4, 2.5)]), (0, 0), (6, 0.05)),
}
"""Obstacles, start and goal, for a point robot; coordinates in metres."""

_BLOCKS = (
    """
                 bug0    bug1        bug2        naive     alg1
    open         5.0/5.0 5.0/5.0     5.0/5.0     5.0/5.0   5.0/5.0
    box          8.1/6.9 14.4/14.4   9.2/7.6     9.2/7.6   9.2/7.6
    u_trap       -/-     26.4/26.4   12.4/13.2   12.4/13.2 12.4/13.2
    spiral_in    -/19.6  109.5/109.5 54.9/35.8   -/26.2    54.9/35.8
    spiral_out   -/-     122.7/122.7 80.1/47.1   -/-       84.8/47.1
    spiral_out_W -/-     101.4/101.4 37.6/68.0   21.0/-    84.6/68.0
    ring_goal    -/-     U17.8/U17.8 U15.0/U15.0 -/-       U15.0/U15.0
    ring_start   -/-     U11.8/U11.8 U11.7/U11.7 -/-       U11.7/U11.7
    sp12_E       -/-     208.4/208.4 100.2/148.9 -/-       100.2/122.9
    sp12_in      54.7/-  206.8/210.0 56.8/317.7  56.8/-    56.8/142.1
    arena_out    -/-     U25.6/U25.6 U23.6/U23.6 -/-       U23.6/U23.6
    goal_solid   -/-     U12.9/U12.9 U11.0/U11.0 -/-       U11.0/U11.0
    graze        6.2/5.0 9.0/9.0     7.0/5.0     7.0/5.0   7.0/5.0
    touch        5.0/4.2 12.0/12.0   6.0/5.0     6.0/5.0   6.0/5.0
    maze         -/-     72.1/75.0   19.7/32.7   19.7/-    19.7/32.7
    pole         4.1/4.0 4.4/4.4     4.1/4.0     -/-       4.1/4.0
    two_close    5.3/5.8 9.6/9.6     5.6/6.4     5.6/6.4   5.6/6.4
    """,
    """
                 alg2        class1      class2      rev1        rev2
    open         5.0/5.0     5.0/5.0     5.0/5.0     5.0/5.0     5.0/5.0
    box          8.1/6.9     8.1/6.9     9.2/7.6     9.2/7.6     8.1/6.9
    u_trap       11.7/12.5   11.7/12.5   12.4/13.2   12.4/13.2   11.7/12.5
    spiral_in    53.5/19.6   91.0/19.6   93.3/19.6   54.9/35.8   44.6/19.6
    spiral_out   81.9/46.0   77.3/45.2   80.7/46.9   41.0/47.1   39.6/46.0
    spiral_out_W 83.4/66.4   36.9/66.0   38.4/44.8   55.1/68.0   54.0/70.4
    ring_goal    U15.0/U15.0 U15.0/U15.0 U15.0/U15.0 U15.0/U15.0 U15.0/U15.0
    ring_start   U11.7/U11.7 U11.7/U11.7 U11.7/U11.7 U11.7/U11.7 U11.7/U11.7
    sp12_E       99.0/120.4  98.3/144.4  100.2/149.2 100.2/92.0  102.5/91.0
    sp12_in      54.8/123.6  54.7/290.4  55.2/294.6  56.8/79.2   54.8/73.6
    arena_out    U23.6/U46.4 U26.6/U40.6 U23.6/U23.6 U23.6/U23.6 U23.6/U41.8
    goal_solid   U11.0/U11.0 U11.0/U11.0 U11.0/U11.0 U11.0/U11.0 U11.0/U11.0
    graze        6.2/5.0     6.2/5.0     7.0/5.0     7.0/5.0     6.2/5.0
    touch        5.0/4.2     5.0/4.2     6.0/5.0     6.0/5.0     5.0/4.2
    maze         48.8/50.2   43.7/58.8   19.6/59.2   28.2/32.7   17.9/25.5
    pole         4.1/4.0     4.1/4.0     4.1/4.0     4.1/4.0     4.1/4.0
    two_close    5.3/5.8     5.3/5.8     5.6/6.4     5.6/6.4     5.3/5.8
    """,
    """
                 dist_bug    cautious_bug vis_bug_21  vis_bug_22
    open         5.0/5.0     5.0/5.0      5.0/5.0     5.0/5.0
    box          8.1/6.9     13.9/9.9     6.9/6.3     6.9/6.3
    u_trap       11.5/12.1   26.5/27.1    6.9/7.4     6.9/7.4
    spiral_in    183.8/19.6  50.4/82.3    43.3/18.8   43.3/18.6
    spiral_out   110.9/43.5  201.0/132.4  45.8/28.5   45.8/28.5
    spiral_out_W 36.3/41.2   99.2/95.2    20.5/42.9   20.5/42.9
    ring_goal    U15.0/U15.0 U25.9/U25.9  U13.9/U13.8 U13.9/U13.8
    ring_start   U11.7/U11.7 U22.6/U22.6  U1.3/U1.3   U1.3/U1.3
    sp12_E       95.6/275.4  436.5/357.0  70.3/93.5   70.3/93.5
    sp12_in      54.7/1702.2 309.1/181.3  53.2/256.0  53.2/256.0
    arena_out    U23.6/U40.6 U46.6/U46.6  U5.7/U5.7   U5.7/U5.7
    goal_solid   U11.0/U11.0 U21.9/U21.9  U10.2/U10.1 U10.2/U10.1
    graze        6.2/5.0     6.0/8.0      5.5/5.0     5.5/5.0
    touch        5.0/4.2     11.2/7.2     5.0/4.2     5.0/4.2
    maze         123.3/57.0  54.1/34.2    14.9/15.2   14.9/24.8
    pole         4.1/4.0     4.0/4.0      4.0/4.0     4.0/4.0
    two_close    5.3/5.8     8.3/8.8      5.0/5.2     5.0/5.2
    """,
)


def maze_of_cells(seed: int) -> tuple:
    """Return obstacles, start and goal of a random maze, and whether a flood fill reaches it."""
    draw = random.Random(seed)
    size = draw.randint(6, 9)
    grid = [(i, j) for i in range(size) for j in range(size)]
    blocked = {cell for cell in grid if draw.random() < 0.38}
    # With cells that touch only at a corner, it would be ambiguous whether a point can pass.
    while True:
        touching = {(i, j) if (i, j) not in blocked else (i + 1, j) for i, j in grid
                    if ((i, j) in blocked) == ((i + 1, j + 1) in blocked)
                    != ((i + 1, j) in blocked) == ((i, j + 1) in blocked)}
        if not touching:
            break
        blocked |= touching
    start, goal = draw.sample([cell for cell in grid if cell not in blocked], 2)
    seen, todo = {start}, [start]
    while todo:
        i, j = todo.pop()
        near = {(i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)} - blocked - seen
        near = {(x, y) for x, y in near if -1 <= x <= size and -1 <= y <= size}
        seen |= near
        todo += near
    ends = [tuple(c + 0.5 + draw.uniform(-0.3, 0.3) for c in cell) for cell in (start, goal)]
    return unary_union([box(i, j, i + 1, j + 1) for i, j in blocked]), *ends, goal in seen


def cells() -> Iterator[tuple[str, str, str, str, Optional[float]]]:
    """Yield scene, algorithm, turn, and the verdict and length expected there."""
    for block in _BLOCKS:
        names, *rows = [line.split() for line in block.strip().splitlines()]
        for scene, *pairs in rows:
            for name, pair in zip(names, pairs):
                for turn, cell in zip(TURNS, pair.split('/')):
                    yield (scene, name, turn, *_expected(cell))


def _expected(cell: str) -> tuple[str, Optional[float]]:
    if cell == '-':
        return 'loop', None
    verdict = 'unreachable' if cell.startswith('U') else 'reached'
    return verdict, float(cell.lstrip('U'))
