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
Rows of a campaign, one per episode.

`Row` is the schema: the files (Parquet, CSV, lines of JSON), the report and the documentation are
generated from its fields.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Optional

from bug_nav.navigation.types import ARRIVED


def column(about: str, unit: str = '', earlier: Any = dataclasses.MISSING) -> Any:
    """
    Return a field of `Row` with its description and unit.

    :param earlier: value for rows that predate the column.
    """
    return dataclasses.field(metadata={'about': about, 'unit': unit, 'earlier': earlier})


@dataclasses.dataclass(frozen=True)
class Row:
    """One episode: its request, the ground truth and its result; None is unknown."""

    # Request; these columns identify the episode.
    world: str = column('name or path of the world')
    group: str = column('entry of the campaign that the world belongs to')
    algorithm: str = column('name of the algorithm')
    robot: str = column('name of the robot')
    follower: str = column('boundary follower')
    turn: str = column('turn direction at a hit point')
    range_noise: float = column(
        'standard deviation of a range; for single rangers, as a share of the range', 'm')
    odometry: str = column('odometry model, such as perfect')
    odometry_noise: float = column('noise level of the odometry; 0 for perfect odometry')
    variant: str = column('name of the variant of the campaign; empty without one',
                          earlier='')
    correction: str = column('correction of odometry drift', earlier='none')
    still: bool = column('whether this is the static baseline of the episode with the same seed: '
                         'nothing moves, and the world has its final state', earlier=False)
    seed: int = column('seed of all random numbers in the episode')
    start_x: float = column('start, in the frame of the world', 'm')
    start_y: float = column('start', 'm')
    start_yaw: float = column('start', 'rad')
    goal_x: float = column('goal, in the frame of the world', 'm')
    goal_y: float = column('goal', 'm')

    # Ground truth.
    reachable: Optional[bool] = column(
        'whether the goal is reachable; null if rho - 2 cm and rho + 2 cm disagree')
    surely_reachable: bool = column('whether the goal is reachable at rho + 2 cm as well')
    shortest_path: Optional[float] = column(
        'length of the shortest path; at rho - 2 cm if the driven path is shorter than that at '
        'rho; null without one', 'm')
    bound: Optional[float] = column(
        'upper bound of the path length by the theory of the algorithm; null if unknown', 'm')

    # Result.
    outcome: str = column('how the episode ended: an outcome of `bug_nav run`, or crashed')
    message: str = column('one sentence; for an exception in an algorithm, the traceback')
    verdict: str = column(
        'right, wrong, unjudged, or none if the episode ended without a verdict; reached is also '
        'wrong if the true pose is farther from the goal than the success radius')
    fault: str = column('what is wrong with the episode; empty if nothing is')
    success: bool = column(
        'reached or reached_uncertain, with the true pose within the success radius of the goal; '
        'or, with `success: pass` in the campaign, came within it')
    path_length: float = column('length of the true path', 'm')
    odometry_length: float = column('length of the path by odometry', 'm')
    time: float = column('simulated time', 's')
    ticks: int = column('control ticks')
    hits: int = column('hit points')
    leaves: int = column('leave points')
    lap_length: float = column(
        'length of the closed lap that led to the verdict; 0 without one', 'm')
    certified: Optional[bool] = column(
        'for outcome unreachable, whether the certificate separates the final true pose from the '
        'true goal; null for another outcome')
    contacts: int = column(
        'number of contacts of the robot, or of another robot that runs bug_nav, with obstacles')
    bumped: int = column(
        'number of times a dynamic obstacle ran into the robot, which did not move towards it',
        earlier=0)
    min_clearance: Optional[float] = column(
        'smallest distance between body and solids; null without solids', 'm')
    mean_clearance: Optional[float] = column(
        'mean distance between body and nearest solid during boundary following', 'm')
    turning: float = column('sum of absolute heading changes', 'rad')
    oscillation: float = column(
        'changes between left and right turns, per metre of path', '1/m')
    goal_error: float = column('true distance to the goal at the end', 'm')
    uncertainty: Optional[float] = column(
        "standard deviation of the goal's position that the robot reports; null if drift is not "
        'estimated', 'm', earlier=None)
    mean_nees: Optional[float] = column(
        'normalized estimation error squared of the pose (x, y, heading) per degree of freedom, '
        'mean over the scans: about 1 if its covariance is right, more if it is too small; null '
        'if drift is not estimated, as in the next two', earlier=None)
    within_two_sigma: Optional[float] = column(
        'share of the scans at which the error of the estimated position is at most two standard '
        'deviations (in the direction in which they are largest) and 1 mm', earlier=None)
    max_position_error: Optional[float] = column(
        'largest distance between the estimated and the true position at a scan', 'm',
        earlier=None)
    travel_time: Optional[float] = column(
        'time from the first 0.1 m of motion until the robot comes within the success radius of '
        'the goal; null without that or without a reference length', 's', earlier=None)
    barn_metric: Optional[float] = column(
        'metric of BARN: OT / clip(travel_time, 2 OT, 8 OT), with OT the reference length at '
        '2 m/s; 0 without success, null without a reference length', earlier=None)
    path: str = column('true path, simplified, as WKT: LINESTRING (x y, x y, ...)', 'm')
    command: str = column('command that repeats the episode')

    # Not reproducible.
    wall_time: float = column('computing time of the episode', 's')

    def as_dict(self) -> Dict[str, Any]:
        """Return the values by column, in order."""
        return dataclasses.asdict(self)


COLUMN_DEFAULTS: Dict[str, Any] = {
    field.name: field.metadata['earlier'] for field in dataclasses.fields(Row)
    if field.metadata['earlier'] is not dataclasses.MISSING}
"""Columns that rows of earlier versions lack, and their values there."""
STATIC_BASELINE = 'static baseline'
"""Label of an episode in the final, static state of its world."""
PERFECT = 'perfect'
"""Odometry model that the published bounds assume."""


def odometry_of(row: Row) -> str:
    """Return the odometry model with its noise level."""
    return row.odometry if row.odometry == PERFECT else f'{row.odometry} {row.odometry_noise:g}'


SOFTWARE_FAULTS = ('error', 'crashed', 'internal')
"""Outcomes caused by a software fault, not by the algorithm."""


def arrived(row: Row) -> bool:
    """Return whether the robot is at the goal by its own estimate and in truth."""
    return row.outcome in ARRIVED and row.verdict not in ('wrong', 'none')


def length_to_goal(row: Row) -> float:
    """
    Return path length plus the remaining distance to the goal [m].

    The shortest path ends at the goal itself, a robot within the tolerance of it.
    """
    return row.path_length + row.goal_error


def fault_text(row: Row) -> str:
    """Return the fault as text; a bare 'reachable' would read as the outcome."""
    is_truth = row.fault.startswith(('reachable', 'not reachable'))
    return f'in truth, the goal is {row.fault}' if is_truth else row.fault


def is_wrong(row: Row) -> bool:
    """Return whether a verdict is wrong or, in an unjudged world, unsound."""
    return row.verdict == 'wrong' or (row.verdict == 'unjudged' and bool(row.fault))
