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
The rows of a campaign: one an episode, the same columns in every file that holds them.

`Row` is the schema: the files (Parquet, CSV, lines of JSON), the report and the documentation are
made from its fields.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Optional


def column(about: str, unit: str = '', earlier: Any = None) -> Any:
    """
    Return a field of `Row`: what it says, and in which unit.

    :param earlier: what holds for rows from before there was the column.
    """
    return dataclasses.field(metadata={'about': about, 'unit': unit, 'earlier': earlier})


@dataclasses.dataclass(frozen=True)
class Row:
    """One episode: what was asked for, what is true, and what happened; None is not known."""

    # What was asked for; together they name the episode.
    world: str = column('name or path by which bug_nav finds the world')
    group: str = column('the entry of the campaign that the world belongs to')
    algorithm: str = column('name of the algorithm')
    robot: str = column('name of the robot')
    follower: str = column('how boundaries were followed')
    turn: str = column('turn direction at a hit point')
    range_noise: float = column(
        'standard deviation of a range; of single rangers, as a share of it', 'm')
    odometry: str = column('how odometry was made, such as perfect')
    odometry_noise: float = column('its level; 0 for perfect odometry')
    variant: str = column('the variant of the campaign, by its name; empty without one',
                          earlier='')
    correction: str = column('how drift of the odometry was corrected', earlier='none')
    still: bool = column('whether the world was as it is in the end: the static twin of the '
                         'episode of the same seed', earlier=False)
    seed: int = column('seed of everything random in the episode')
    start_x: float = column('start, in the frame of the world', 'm')
    start_y: float = column('start', 'm')
    start_yaw: float = column('start', 'rad')
    goal_x: float = column('goal, in the frame of the world', 'm')
    goal_y: float = column('goal', 'm')

    # What is true.
    reachable: Optional[bool] = column(
        'whether the goal can be reached; null where rho - 2 cm and rho + 2 cm do not agree')
    surely_reachable: bool = column('whether it can be reached even at rho + 2 cm')
    shortest_path: Optional[float] = column('length of the shortest path; null without one', 'm')
    bound: Optional[float] = column(
        'the longest path that the theory allows the algorithm here; null where none is known',
        'm')

    # What happened.
    outcome: str = column('how the episode ended: as `bug_nav run` tells it, or crashed')
    message: str = column('a sentence about it; of an error, the traceback')
    verdict: str = column(
        'right, wrong, unjudged, or none where the episode ended without one; reached is wrong '
        'too where the robot truly is farther from the goal than the success radius')
    fault: str = column('what is wrong with the episode; empty where nothing is')
    success: bool = column(
        'reached, and truly within the success radius of the goal; or, where the campaign counts '
        'that, came within it')
    path_length: float = column('length of the true path', 'm')
    odometry_length: float = column('the same as odometry has it', 'm')
    time: float = column('simulated time', 's')
    ticks: int = column('control ticks')
    hits: int = column('hit points')
    leaves: int = column('leave points')
    lap_length: float = column('length of the closed lap that proves the verdict, else 0', 'm')
    certified: Optional[bool] = column(
        'of an unreachable goal, whether its certificate is a proof between the true pose at the '
        'end and the true goal; null for another outcome')
    contacts: int = column('obstacles that were touched')
    bumped: int = column('how often something that moves has come to the robot that stood',
                         earlier=0)
    min_clearance: Optional[float] = column(
        'smallest distance of the body from a solid; null where there is none', 'm')
    mean_clearance: Optional[float] = column(
        'mean distance of the body from the nearest solid while following a boundary', 'm')
    turning: float = column('sum of all changes of heading', 'rad')
    oscillation: float = column(
        'changes between turning left and turning right, per metre of path', '1/m')
    goal_error: float = column('true distance from the goal at the end', 'm')
    path: str = column('the true path, thinned, as WKT: LINESTRING (x y, x y, ...)', 'm')
    command: str = column('the command that repeats the episode')

    # What may differ from run to run.
    wall_time: float = column('how long the episode took to compute', 's')

    def as_dict(self) -> Dict[str, Any]:
        """Return the columns by name, in order."""
        return dataclasses.asdict(self)


EARLIER: Dict[str, Any] = {
    field.name: field.metadata['earlier'] for field in dataclasses.fields(Row)
    if field.metadata['earlier'] is not None}
"""The columns that rows of earlier versions have not, and what holds for those."""
TIMING = ('wall_time',)
"""The columns in which two runs of the same campaign may differ."""
STILL = 'static twin'
"""What an episode is called that was driven in the world as it is in the end."""
PERFECT = 'perfect'
"""The odometry that the published bounds presume."""


def odometry_of(row: Row) -> str:
    """Return how odometry was made, with its noise."""
    return row.odometry if row.odometry == PERFECT else f'{row.odometry} {row.odometry_noise:g}'


BROKEN = ('error', 'crashed', 'internal')
"""Outcomes that say something of the software, and nothing of the algorithm."""


def arrived(row: Row) -> bool:
    """Tell whether the robot says that it has reached the goal, and truly is there."""
    return row.outcome == 'reached' and row.verdict != 'wrong'


def walk(row: Row) -> float:
    """
    Return the length of the path and of the straight line that was left to the goal [m].

    The shortest path ends in the goal itself, and a robot somewhere near it: what it has spared
    itself is no shorter way.
    """
    return row.path_length + row.goal_error


def is_wrong(row: Row) -> bool:
    """Tell whether a verdict is wrong; where no world is judged, whether it is unsound."""
    return row.verdict == 'wrong' or (row.verdict == 'unjudged' and bool(row.fault))
