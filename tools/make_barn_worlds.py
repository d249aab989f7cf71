#!/usr/bin/env python3
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
Write new worlds like those of BARN, for `bug_nav campaign barn --worlds FOLDER`.

A cellular automaton draws posts on a grid of 30 x 30 cells between two walls of posts, as in
D. Perille, A. Truong, X. Xiao and P. Stone, "Benchmarking Metric Ground Navigation", SSRR 2020,
with the parameters of dperille/jackal-map-creation. As there, only fields are kept that a square
of `SQUARE` cells can cross. Run `python tools/make_barn_worlds.py FOLDER --seed N --count 300`.

With `--mirror BARN --every 10`, every tenth world of a folder is mirrored about the way to the
goal, and shifted by up to `MAX_SHIFT` relative to start and goal.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import math
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from bug_nav.lab.barn import barn_entries, CELL, GOAL, ORIGIN, START
from bug_nav.simulation.catalogue import find_world
import numpy as np

CELLS = 30
"""Number of cells along each side of the field."""
FIRST = -4.425, 5.075
"""Centre of the first cell of the field [m]."""
POST = 0.075
"""Radius of a post [m]."""
FILLED, ROUNDS = (0.15, 0.20, 0.25, 0.30), (2, 3, 4)
"""Initial shares of filled cells, and numbers of rounds."""
BIRTH, DEATH = 5, 1
"""Filled neighbours from which on a cell is filled, and up to which it is cleared."""
SQUARE = 5
"""Width of the robot in cells, when the authors look for a way through a field."""
RADIUS = 0.353
"""Radius of the disc whose path is stored [m]; it passes wherever that square does."""
MAX_SHIFT = 0.15
"""Maximum shift of a mirrored world along each axis [m]."""
STEP = 0.05
"""Spacing of the grid on which the path is searched [m]."""
AROUND = tuple(each for each in itertools.product((-1, 0, 1), repeat=2) if any(each))
Node = Tuple[int, int]


def field(rng: np.random.Generator, share: float, rounds: int) -> np.ndarray:
    """Return which cells (row, column) have a post; the outer columns are walls."""
    filled = rng.random((CELLS, CELLS)) < share
    filled[:, [0, -1]] = True
    for _ in range(rounds):
        padded = np.pad(filled.astype(int), 1)
        padded[:, [0, -1]] = 1  # beyond the walls
        count = sum(padded[1 + i:1 + i + CELLS, 1 + j:1 + j + CELLS] for i, j in AROUND)
        filled = (filled & (count > DEATH)) | (count >= BIRTH)
    return filled


def can_be_crossed(filled: np.ndarray) -> bool:
    """Return whether a square of `SQUARE` cells can go from the first row to the last one."""
    half = SQUARE // 2
    padded = np.pad(filled, half)
    free = ~np.any([padded[i:i + CELLS, j:j + CELLS]
                    for i, j in itertools.product(range(SQUARE), repeat=2)], axis=0)
    reached = np.zeros_like(free)
    reached[0], count = free[0], 0
    while reached.sum() > count:
        count = reached.sum()
        around = np.pad(reached, 1)
        reached = free & (reached | around[:-2, 1:-1] | around[2:, 1:-1] | around[1:-1, :-2]
                          | around[1:-1, 2:])
    return bool(reached[-1].any())


def posts_of(filled: np.ndarray) -> np.ndarray:
    """Return the posts (n, 2) of a field [m], and of the walls before it, which begin at y = 0."""
    rows, columns = np.nonzero(filled)
    before = np.arange(-int(FIRST[1] / CELL), 0)
    rows = np.concatenate((rows, before, before))
    columns = np.concatenate((columns, np.zeros_like(before), np.full_like(before, CELLS - 1)))
    return np.array(FIRST) + CELL * np.column_stack((columns, rows))


def path_of(posts: np.ndarray) -> Optional[np.ndarray]:
    """Return a shortest path (n, 2) of the disc on the grid [m]; None if there is none."""
    xs = np.arange(FIRST[0], FIRST[0] + CELLS * CELL, STEP)
    ys = np.arange(START[1], GOAL[1] + STEP, STEP)
    places = np.stack(np.meshgrid(xs, ys, indexing='ij'), axis=-1)
    near = np.min([np.hypot(*np.moveaxis(places - post, -1, 0)) for post in posts], axis=0)
    # At this distance from a post, the disc also passes it between two neighbours of the grid.
    free = near >= math.hypot(POST + RADIUS, math.sqrt(0.5) * STEP)
    start, goal = ((int(round((x - FIRST[0]) / STEP)), int(round((y - START[1]) / STEP)))
                   for x, y in (START[:2], GOAL))
    cost: Dict[Node, float] = {start: 0.0}
    came: Dict[Node, Node] = {}
    queue: List[Tuple[float, Node]] = [(0.0, start)]
    while queue:
        until, node = heapq.heappop(queue)
        if node == goal:
            way = [node]
            while way[-1] != start:
                way.append(came[way[-1]])
            return np.array([places[each] for each in reversed(way)])
        for i, j in AROUND:
            other = node[0] + i, node[1] + j
            length = until + STEP * math.hypot(i, j)
            if (0 <= other[0] < len(xs) and 0 <= other[1] < len(ys) and free[other]
                    and length < cost.get(other, math.inf)):
                cost[other], came[other] = length, node
                heapq.heappush(queue, (length, other))
    return None


def sdf(posts: np.ndarray) -> str:
    """Return a world of posts as SDF."""
    collisions = '\n'.join(
        f'<collision name="post_{k}"><pose>{x:.4f} {y:.4f} 0.5 0 0 0</pose><geometry><cylinder>'
        f'<radius>{POST}</radius><length>1</length></cylinder></geometry></collision>'
        for k, (x, y) in enumerate(posts.tolist()))
    return ('<sdf version="1.6"><world name="default"><model name="posts"><static>1</static>'
            f'<link name="link">\n{collisions}\n</link></model></world></sdf>\n')


def write(folder: Path, number: int, seed: int) -> None:
    """Write world number N and its path; the seed draws until the field can be crossed."""
    share, rounds = tuple(itertools.product(FILLED, ROUNDS))[number % 12]
    rng, path = np.random.default_rng((seed, number)), None
    while path is None:
        filled = field(rng, share, rounds)
        if can_be_crossed(filled):
            posts = posts_of(filled)
            path = path_of(posts)
    _write(folder, f'{number}', posts, path)


def write_mirrored(folder: Path, world: Path, rng: np.random.Generator) -> None:
    """Write the mirror image of a world and its path, shifted relative to start and goal."""
    number, shift = world.stem[len('world_'):], rng.uniform(-MAX_SHIFT, MAX_SHIFT, 2)
    posts = np.array([solid.mean(axis=0) for solid in find_world(world).solids])
    cells = np.load(world.parent / 'path_files' / f'path_{number}.npy').astype(float)
    _write(folder, number, *(
        np.array((2.0 * START[0], 0.0)) + places * (-1.0, 1.0) + shift
        for places in (posts, ORIGIN + CELL * cells)))


def _write(folder: Path, number: str, posts: np.ndarray, path: np.ndarray) -> None:
    (folder / 'path_files').mkdir(parents=True, exist_ok=True)
    (folder / f'world_{number}.world').write_text(sdf(posts))
    np.save(folder / 'path_files' / f'path_{number}.npy', (path - np.array(ORIGIN)) / CELL)


def main() -> None:
    """Write the worlds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--mirror', type=Path, metavar='BARN',
                        help='mirror the worlds of this folder instead of drawing new ones')
    parser.add_argument('--every', type=int, default=1, help='of them, mirror every Nth')
    options = parser.parse_args()
    if options.mirror:
        rng = np.random.default_rng(options.seed)
        for entry in barn_entries(options.mirror, options.every):
            write_mirrored(options.folder, Path(entry['world']), rng)
        return
    for number in range(options.count):
        write(options.folder, number, options.seed)
        print(f'\r{number + 1} of {options.count} worlds', end='', flush=True)
    print()


if __name__ == '__main__':
    main()
