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
The judgement of a trial from the true motion of the robot, for any kind of program.

It uses the true positions of the simulator and the ground truth of the world, never the
program's own opinion.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from bug_nav.lab.grading.boundary_phases import boundary_phases, laps, Phase, resemblance
from bug_nav.lab.grading.referee import (
    Ending,
    STOPPED_SPEED,
    STOPPED_TIME,
    STOPPED_TURN,
    TrialRules,
)
from bug_nav.lab.ground_truth import MARGIN, reachable, shortest_path
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.simulation.world import World
import numpy as np

EPISODE_GAP = 1.0
"""Contacts with a shorter gap are one episode [s]."""
CELL, SECTOR = 0.25, math.pi / 4.0
"""Size of a place [m] and of a heading [rad] that a robot can return to."""
REVISIT_TIME = 5.0
"""Minimum time away before a return counts [s]."""
PRESSES = 10.0
"""Time in contact after which a program seems not to see obstacles [s]."""
UNREACHABLE, REACHED = 'unreachable', 'reached'
"""Verdicts of a program."""


class Truth(NamedTuple):
    """Ground truth of a world for any controller of a robot."""

    reachable: Optional[bool]
    """
    True: reachable with the clearance of bug_nav and 2 cm more. False: not even for a body that is
    2 cm smaller. None in between; then neither verdict is wrong.
    """
    shortest: Optional[float]
    """Length of the shortest path of the body [m]."""


def truth_of(world: World, start: Tuple[float, ...], goal: Point, model: RobotModel,
             tolerance: float) -> Truth:
    """Return the ground truth for the settled world."""
    still, radius = world.settled, model.robot_radius
    rho = contour_radius(model, Settings())
    if reachable(still, start, goal, rho + MARGIN, tolerance):
        known: Optional[bool] = True
    else:
        known = None if reachable(still, start, goal, radius - MARGIN, tolerance) else False
    return Truth(known, shortest_path(still, start, goal, radius, tolerance))


class Facts(NamedTuple):
    """Facts of a trial besides its trace."""

    ending: Ending
    verdicts: Tuple[Tuple[float, str], ...] = ()
    """Time [s] and content of each verdict of the program."""
    reason: str = ''
    """Why a program crashed or was silent, in one sentence."""
    factor: str = ''
    """Simulated time per real time, as text."""
    notes: Tuple[str, ...] = ()
    """Further sentences for the author of the program."""


@dataclasses.dataclass(frozen=True)
class Judgement:
    """The result of a trial."""

    world: str
    reachable: Optional[bool]
    """Whether the goal can be reached; None if it depends on 2 cm."""
    ending: str
    reason: str
    arrival: str
    """stopped: it stood at the goal; passed: it was there and left; no."""
    time: Optional[float]
    """Time from the first command to the arrival, or to the end [s]."""
    path_length: float
    """Length of the true path until then [m]."""
    shortest: Optional[float]
    ratio: Optional[float]
    """Path length with the rest of the way, per shortest path; None without an arrival."""
    nearest: float
    """Smallest distance from the goal [m]."""
    final_distance: float
    """Distance from the goal at the end [m]."""
    contacts: int
    """Number of episodes of contact with an obstacle."""
    contact_time: float
    """Time in contact [s]."""
    commands: int
    rejected: int
    """Number of commands that were not finite."""
    command_rate: float
    """Largest number of commands within one second [Hz]."""
    fastest: float
    """Largest commanded speed [m/s]."""
    too_fast: bool
    """Whether a command exceeded the robot's maximum speed, which was then clipped."""
    verdict: str
    """First verdict of the program; '' without one."""
    verdict_right: Optional[bool]
    """None without a verdict, or where none can be wrong."""
    standstill: float
    """Longest time that the robot stood away from the goal [s]."""
    loops: int
    """How often the robot came back to the same place with the same heading, at most."""
    hits: int
    leaves: int
    leaves_on_m_line: int
    laps: int
    """Number of complete laps around an obstacle."""
    resembles: str
    """The algorithm that its path resembles, and why; '' without a hit point."""
    remarks: Tuple[str, ...]
    """Sentences that help the author."""
    factor: str

    @property
    def reached(self) -> bool:
        """Return whether the robot stopped at the goal."""
        return self.arrival == 'stopped'

    @property
    def solved(self) -> bool:
        """Return whether the goal was reached, or truly called unreachable."""
        return self.reached or (self.verdict == UNREACHABLE and self.verdict_right is True)

    def as_dict(self) -> Dict[str, Any]:
        """Return all fields, for JSON."""
        return {**dataclasses.asdict(self), 'remarks': list(self.remarks)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Judgement:
        """Return the judgement of a dictionary made by `as_dict`."""
        return cls(**{**values, 'remarks': tuple(values['remarks'])})


class Trial(NamedTuple):
    """A finished trial before its judgement."""

    name: str
    """Name of the world."""
    world: World
    start: Sequence[float]
    goal: Point
    model: RobotModel
    rules: TrialRules
    truth: Truth


def judge(trial: Trial, trace: np.recarray, facts: Facts) -> Judgement:
    """Return the judgement of a trial from its trace and what else is known."""
    away = np.hypot(trace.x - trial.goal[0], trace.y - trial.goal[1])
    begun = _first(trace.commands > 0)
    arrival, at = _arrival(trial.rules, trace, away)
    end = len(trace) - 1 if at is None else at
    lengths = np.concatenate(([0.0], np.hypot(np.diff(trace.x), np.diff(trace.y)).cumsum()))
    driven = float(lengths[end]) if len(trace) else 0.0
    shortest = trial.truth.shortest
    ratio = (driven + float(away[end])) / shortest if arrival != 'no' and shortest else None
    contact_time, contacts = _contacts(trace)
    # After an arrival, hits, leaves and loops mean nothing.
    way = trace[:end + 1].view(np.recarray)
    phases = boundary_phases(trial.world, trial.goal, way, trial.model.robot_radius)
    m_line = ((trial.start[0], trial.start[1]), trial.goal)
    on_line = sum(phase.leaves_on(m_line) for phase in phases)
    verdict = facts.verdicts[0][1] if facts.verdicts else ''
    fastest = float(np.abs(trace.command_v).max()) if len(trace) else 0.0
    judgement = Judgement(
        world=trial.name, reachable=trial.truth.reachable, ending=facts.ending.value,
        reason=facts.reason, arrival=arrival,
        time=None if begun is None else float(trace.stamp[end] - trace.stamp[begun]),
        path_length=driven, shortest=shortest, ratio=ratio,
        nearest=float(away.min()) if len(trace) else math.dist(trial.start[:2], trial.goal),
        final_distance=(float(away[-1]) if len(trace)
                        else math.dist(trial.start[:2], trial.goal)),
        contacts=contacts, contact_time=contact_time,
        commands=int(trace.commands[-1]) if len(trace) else 0,
        rejected=int(trace.rejected[-1]) if len(trace) else 0,
        command_rate=_largest_rate(trace), fastest=fastest,
        too_fast=fastest > trial.model.max_vel_x + 1e-6, verdict=verdict,
        verdict_right=_is_right(verdict, trial.truth.reachable, arrival),
        standstill=_standstill(trial.rules, trace, away), loops=_loops(way),
        hits=len(phases), leaves=sum(phase.left for phase in phases), leaves_on_m_line=on_line,
        laps=laps(phases), resembles=resemblance(phases, on_line), remarks=facts.notes,
        factor=facts.factor)
    return dataclasses.replace(judgement, remarks=(
        *facts.notes, *_remarks(judgement, phases, trial)))


def _first(holds: np.ndarray) -> Optional[int]:
    found = np.flatnonzero(holds)
    return int(found[0]) if len(found) else None


def _runs(holds: np.ndarray) -> List[Tuple[int, int]]:
    """Return first and last index of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], holds.astype(int), [0]))))
    return [(int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2])]


def _standing(trace: np.recarray) -> np.ndarray:
    return (np.abs(trace.v) < STOPPED_SPEED) & (np.abs(trace.w) < STOPPED_TURN)


def _arrival(rules: TrialRules, trace: np.recarray, away: np.ndarray) -> Tuple[str, Optional[int]]:
    """Return the kind of arrival, and the index of the sample at which the robot arrived."""
    inside = (away <= rules.tolerance) & (trace.commands > 0)
    for first, last in _runs(inside & _standing(trace)):
        # It stands since the end of the step before; 1 ms for the rounding of stamps.
        since = trace.stamp[max(first - 1, 0)]
        if trace.stamp[last] - since >= STOPPED_TIME - 0.001:
            return 'stopped', first
    passed = _first(inside)
    return ('no', None) if passed is None else ('passed', passed)


def _contacts(trace: np.recarray) -> Tuple[float, int]:
    """Return the time in contact [s] and the number of episodes."""
    if not len(trace):
        return 0.0, 0
    steps = np.diff(trace.stamp, prepend=0.0)
    runs = _runs(trace.contact > 0)
    episodes = sum(
        k == 0 or trace.stamp[first] - trace.stamp[runs[k - 1][1]] > EPISODE_GAP
        for k, (first, _) in enumerate(runs))
    return float(steps[trace.contact > 0].sum()), int(episodes)


def _largest_rate(trace: np.recarray) -> float:
    """Return the largest number of commands within a second [Hz]."""
    if not len(trace):
        return 0.0
    before = np.searchsorted(trace.stamp, trace.stamp - 1.0 + 1e-6)
    return float((trace.commands - np.where(
        before > 0, trace.commands[np.maximum(before - 1, 0)], 0.0)).max())


def _standstill(rules: TrialRules, trace: np.recarray, away: np.ndarray) -> float:
    still = _standing(trace) & (away > rules.tolerance) & (trace.commands > 0)
    return max((float(trace.stamp[last] - trace.stamp[first])
                for first, last in _runs(still)), default=0.0)


def _loops(trace: np.recarray) -> int:
    """Return how often the robot came back to a place with the same heading, at most."""
    cells = np.stack((trace.x // CELL, trace.y // CELL, trace.theta // SECTOR), axis=1)
    last_seen: Dict[Tuple[float, ...], float] = {}
    returns: Dict[Tuple[float, ...], int] = {}
    for stamp, cell in zip(trace.stamp.tolist(), map(tuple, cells.tolist())):
        if stamp - last_seen.get(cell, stamp) > REVISIT_TIME:
            returns[cell] = returns.get(cell, 0) + 1
        last_seen[cell] = stamp
    return max(returns.values(), default=0)


def _is_right(verdict: str, can_be_reached: Optional[bool], arrival: str) -> Optional[bool]:
    if verdict == REACHED:
        return arrival != 'no'
    if verdict == UNREACHABLE:
        return None if can_be_reached is None else not can_be_reached
    return None


def _remarks(found: Judgement, phases: List[Phase], trial: Trial) -> Iterator[str]:
    """Yield sentences that help the author of a program."""
    yield from _remarks_on_commands(found, trial)
    yield from _remarks_on_contacts(found)
    yield from _remarks_on_leave_points(phases)
    yield from _remarks_on_the_end(found, trial)


def _remarks_on_commands(found: Judgement, trial: Trial) -> Iterator[str]:
    if found.rejected:
        yield (f'{found.rejected} commands were not finite (NaN or infinite), and were ignored: a '
               'reading without a return is inf, and inf - inf is NaN.')
    if found.too_fast:
        yield (f'You commanded {found.fastest:.2f} m/s; this robot drives '
               f'{trial.model.max_vel_x:g} m/s at most, so that its turns are tighter than you '
               'expect.')
    if 0.0 < found.command_rate < 5.0:
        yield (f'At most {found.command_rate:.0f} commands arrived in a simulated second; decide '
               'at least as often as a scan arrives (5 Hz).')


def _remarks_on_contacts(found: Judgement) -> Iterator[str]:
    if found.contacts:
        times = 'once' if found.contacts == 1 else f'{found.contacts} times'
        yield (f'The robot touched an obstacle {times}, for {found.contact_time:.1f} s in total.')
    if found.contact_time >= PRESSES:
        yield ('It pressed against obstacles for long: make sure that you look ahead. Beam k '
               'points along angle_min + k * angle_increment, and on a TurtleBot3 ranges[0] is '
               'ahead.')


def _remarks_on_leave_points(phases: List[Phase]) -> Iterator[str]:
    for k, phase in enumerate(phases, 1):
        if phase.left and phase.leave_distance > phase.hit_distance + 0.1:
            yield (f'You left the wall at L{k} ({phase.leave[0]:.2f}, {phase.leave[1]:.2f}) '
                   f'although d(L{k}) = {phase.leave_distance:.2f} m > d(H{k}) = '
                   f'{phase.hit_distance:.2f} m: the goal was farther than at the hit point.')


def _remarks_on_the_end(found: Judgement, trial: Trial) -> Iterator[str]:
    if found.arrival == 'passed':
        yield ('You were at the goal and drove on: stop when the distance to the goal is at most '
               f'{trial.rules.tolerance:g} m.')
    if found.loops >= 3 and not found.solved:
        advice = ('store the hit point, and stop circling when you meet it again' if found.hits
                  else 'no obstacle was followed; wrap the error of your heading to -pi to pi')
        yield (f'You came back to the same place with the same heading {found.loops} times: '
               f'{advice}.')
    if found.standstill >= 20.0 and not found.solved:
        yield f'The robot stood still for {found.standstill:.0f} s away from the goal.'
    if found.verdict_right is False:
        yield f'You reported {found.verdict!r}, which is not true.'
    if found.reachable is False and not found.verdict:
        yield ('The goal cannot be reached, and you did not say so: after a complete lap around '
               'the obstacle without a better point to leave, report it.')
