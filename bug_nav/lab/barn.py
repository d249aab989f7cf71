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
The benchmark BARN: its worlds as entries of a campaign, and its metric.

D. Perille, A. Truong, X. Xiao and P. Stone, "Benchmarking Metric Ground Navigation", SSRR 2020.
The metric, the start and the goal are those of `run.py` of Daffan/the-barn-challenge.
"""

from __future__ import annotations

from collections import defaultdict
import math
from pathlib import Path
import re
from typing import Any, Dict, Iterator, List, Optional

from bug_nav.lab.rows import Row
from bug_nav.lab.spec_values import SpecError
from bug_nav.navigation.geometry import Point
import numpy as np

SOURCE = 'jackal_helper/worlds/BARN of https://github.com/Daffan/the-barn-challenge'
"""Where the worlds come from; they are not part of bug_nav."""
START, GOAL = (-2.25, 3.0, 1.57), (-2.25, 13.0)
SPEED = 2.0
"""Speed of the optimal time OT [m/s]."""
FASTEST, SLOWEST = 2.0, 8.0
"""Limits of the travel time in the metric [OT]."""
MOTION = 0.1
"""Distance from the start at which the travel time begins [m]."""
CELL, ORIGIN = 0.15, (-4.575, 5.075)
"""Size of a cell of the stored paths, and the place of the first one in the world [m]."""
HARDEST = 5
"""Number of worlds with the lowest metric that are listed."""


def barn_entries(folder: Path, every: int = 1) -> List[Dict[str, Any]]:
    """
    Return an entry of a campaign for every Nth world of a folder, in the order of their numbers.

    The folder has files `world_N.world` and, for the reference lengths, `path_files/path_N.npy`.

    :raises SpecError: if it has no worlds, or a world has no path.
    """
    numbered = sorted((int(found[1]), path) for path in folder.glob('world_*.world')
                      for found in [re.fullmatch(r'world_(\d+)', path.stem)] if found)
    if not numbered:
        raise SpecError(f'--worlds is {str(folder)!r}, which has no files such as world_0.world; '
                        f'give the folder {SOURCE}')
    return [{'world': str(path), 'group': folder.name or 'barn', 'start': list(START),
             'goal': list(GOAL),
             'reference_length': path_length(folder / 'path_files' / f'path_{number}.npy')}
            for number, path in numbered[::every]]


def path_length(path: Path) -> float:
    """
    Return the length of a stored path (n, 2) in cells, with start and goal added [m].

    :raises SpecError: if there is no such path.
    """
    try:
        cells = np.load(path, allow_pickle=False).astype(float)
        places = np.vstack((START[:2], ORIGIN + CELL * cells.reshape(-1, 2), GOAL))
    except (OSError, ValueError, EOFError) as error:
        reason = getattr(error, 'strerror', None) or error
        raise SpecError(f'{path} is not a path of BARN ({reason}); the metric needs it: give the '
                        f'whole folder {SOURCE}') from error
    return round(float(np.hypot(*np.diff(places, axis=0).T).sum()), 4)


def barn_columns(stamps: np.ndarray, places: np.ndarray, goal: Point, radius: float,
                 reference_length: Optional[float]) -> Dict[str, Optional[float]]:
    """
    Return the columns `travel_time` and `barn_metric` of a row; {} without a reference length.

    :param stamps: times of the true positions `places` [s], (n,) and (n, 2).
    :param radius: maximum distance from the goal for success [m].
    """
    if reference_length is None:
        return {}
    arrived = np.hypot(*(places - goal).T) <= radius
    if not arrived.any():
        return {'travel_time': None, 'barn_metric': 0.0}
    moved = np.hypot(*(places - places[0]).T) >= MOTION
    time = float(stamps[arrived.argmax()] - stamps[moved.argmax()])
    optimal = reference_length / SPEED
    return {'travel_time': time,
            'barn_metric': optimal / min(max(time, FASTEST * optimal), SLOWEST * optimal)}


class BarnTable:
    """Successes, travel times and metric by algorithm, and the hardest worlds."""

    def __init__(self) -> None:
        """Start without rows."""
        self._rows: Dict[str, List[Row]] = defaultdict(list)

    def add(self, row: Row) -> None:
        """Add a row, if it has the metric."""
        if row.barn_metric is not None:
            self._rows[row.algorithm].append(row)

    def lines(self) -> Iterator[str]:
        """Yield the lines of a text table; nothing without rows."""
        if not self._rows:
            return
        named = max([15, *(len(algorithm) + 1 for algorithm in self._rows)])
        yield (f'{"BARN":<{named}}{"episodes":>9}{"success":>9}{"collisions":>12}'
               f'{"time [s] *":>12}{"metric":>8}  lowest in')
        for algorithm, rows in self._rows.items():
            times = [row.travel_time for row in rows if row.travel_time is not None]
            mean = f'{math.fsum(times) / len(times):.2f}' if times else '-'
            hardest = sorted(rows, key=lambda row: row.barn_metric or 0.0)[:HARDEST]
            yield (f'{algorithm:<{named}}{len(rows):>9}{len(times):>9}'
                   f'{sum(row.outcome == "collision" for row in rows):>12}{mean:>12}'
                   f'{math.fsum(row.barn_metric or 0.0 for row in rows) / len(rows):>8.4f}  '
                   + ', '.join(f'{Path(row.world).stem} {row.barn_metric:.3f}' for row in hardest))
        yield '* From the first 0.1 m of motion to the goal, mean over the successes.'
