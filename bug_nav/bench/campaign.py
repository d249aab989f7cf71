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
Campaigns over random worlds: navigate in each, and compare the verdict with the ground truth.

A campaign is written against `concurrent.futures.Executor`, so that a pool of processes serves
one machine and a cluster's executor serves many, with the same result: worlds are taken in the
order of their seeds, whoever finishes first. The truth of a world is found once, and every
algorithm drives in it.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future
import dataclasses
import itertools
import math
import traceback
from typing import Any, Deque, Dict, Generator, Iterable, Iterator, Mapping, NamedTuple, Optional

from bug_nav.algorithms.registry import find
from bug_nav.bench.ground_truth import judge, perimeters, reachable
from bug_nav.geometry import Pose
from bug_nav.robot import RobotModel, Settings
from bug_nav.sim.episode import run_episode
from bug_nav.sim.generators import GENERATORS, random_name, random_world
from bug_nav.sim.simulator import LidarModel
from bug_nav.sim.world import World

DENSE = {'count': 60, 'size': 6.0, 'gaps': 0.8}
"""What makes a cluttered world dense: most obstacles stand about 2 rho from another."""
KINDS: Dict[str, tuple[str, Mapping[str, float]]] = {
    **{kind: (kind, {}) for kind in GENERATORS}, 'dense': ('cluttered', DENSE)}
"""The kinds of worlds: their generators, and what those are asked for."""
TURNS = ('left', 'right')
GOALS = ('both', 'reachable', 'unreachable')
"""What may be asked of the goals of a campaign."""
MARGIN = 0.02
"""A world is judged when its truth is the same at rho - this and at rho + this [m]."""
# What a length bound allows, times this, is no runaway; and the bound in perimeters.
_PATIENCE, _LAPS = 5.0, 3.0


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is run in every world of a campaign."""

    worlds: int
    """How many judged worlds of each kind."""
    seed: int = 0
    """The first seed of each kind; as many follow as it takes."""
    algorithms: tuple[str, ...] = ('bug2',)
    kinds: tuple[str, ...] = ('cluttered',)
    turns: tuple[str, ...] = TURNS
    noise: float = 0.0
    """Standard deviation of a range [m]."""
    goals: str = 'both'
    """Half of the goals can be reached (both), or all of them or none (see `GOALS`)."""

    @property
    def wanted(self) -> Dict[bool, int]:
        """How many judged worlds of each kind are wanted, by what is true of the goal."""
        reachable = {'both': self.worlds - self.worlds // 2, 'reachable': self.worlds,
                     'unreachable': 0}[self.goals]
        return {True: reachable, False: self.worlds - reachable}


def name_of(kind: str, seed: int, wished_reachable: bool) -> str:
    """Return the name of a world, by which anybody finds it."""
    generator, others = KINDS[kind]
    return random_name(generator, seed, wished_reachable, **others)


class Case(NamedTuple):
    """A world and what is true of it."""

    kind: str
    seed: int
    name: str
    truth: Optional[bool]
    """Whether the goal can be reached; None where the world cannot be judged."""
    surely_reachable: bool
    """Whether it can be reached even with `MARGIN` more room around the robot."""
    time_allowance: int
    """An algorithm that takes longer is lost [s]."""


class Run(NamedTuple):
    """One episode in a world."""

    turn: str
    outcome: str
    message: str
    path_length: float
    time: float
    wall_time: float
    contacts: int
    min_clearance: Optional[float]
    """Smallest distance of the body from a solid [m]; None where there is none."""


class CaseRuns(NamedTuple):
    """The episodes of one algorithm in a world."""

    case: Case
    algorithm: str
    complete: bool
    """Whether it owes a verdict."""
    noise: float
    runs: tuple[Run, ...]

    def gave_up(self, run: Run) -> bool:
        """Tell whether a run ended without a verdict, as it may without completeness."""
        return not self.complete and run.outcome in ('loop_detected', 'timeout')

    def fault(self, run: Run) -> str:
        """
        Return what is wrong with a run, '' where nothing is.

        Where the world cannot be judged both verdicts are right, but for UNREACHABLE where there
        is more than enough room. An algorithm that is not complete may give up.
        """
        if run.contacts:
            return 'an obstacle was touched'
        if self.gave_up(run):
            return ''
        if run.outcome not in ('reached', 'unreachable'):
            return f'ended as {run.outcome}'
        reached, truth = run.outcome == 'reached', self.case.truth
        if truth is None:
            return '' if reached or not self.case.surely_reachable else 'reachable at rho + 2 cm'
        return '' if reached == truth else f'{"" if truth else "not "}reachable'

    def as_dict(self) -> Dict[str, Any]:
        """Return everything, for a line of JSON."""
        return {**self._asdict(), 'case': self.case._asdict(),
                'runs': [run._asdict() for run in self.runs]}

    @classmethod
    def from_dict(cls, told: Dict[str, Any]) -> CaseRuns:
        """Return what `as_dict` was made of."""
        return cls(**{**told, 'case': Case(**told['case']),
                      'runs': tuple(Run(**run) for run in told['runs'])})


def judge_case(kind: str, seed: int, wished_reachable: bool) -> Case:
    """Find out what is true of a world."""
    name = name_of(kind, seed, wished_reachable)
    world = random_world(name)
    start, goal = _ends(world)
    rho = RobotModel().robot_radius + Settings().clearance
    tolerance = Settings().xy_goal_tolerance
    truth = judge(world, start, goal, rho, tolerance, MARGIN)
    sure = truth if truth is not None else reachable(
        world, start, goal, rho + MARGIN, tolerance)
    bound = math.dist(start[:2], goal) + _LAPS * sum(perimeters(world, rho))
    return Case(kind, seed, name, truth, sure,
                math.ceil(_PATIENCE * bound / RobotModel().max_vel_x))


def run_case(plan: Plan, case: Case, algorithm: str) -> CaseRuns:
    """Navigate in one world, with each turn direction."""
    world = random_world(case.name)
    return CaseRuns(case, algorithm, find(algorithm).facts.complete, plan.noise,
                    tuple(_navigate(world, case, algorithm, plan.noise, turn)
                          for turn in plan.turns))


def _navigate(world: World, case: Case, algorithm: str, noise: float, turn: str) -> Run:
    """Run one episode: the same as `bug_nav run` does with that world, turn, noise and seed."""
    start, goal = _ends(world)
    try:
        episode = run_episode(
            world, Pose(*start), goal, find(algorithm)(), settings=Settings(turn_direction=turn),
            lidar=LidarModel(scan_noise=noise), seed=case.seed,
            time_allowance=case.time_allowance, keep_samples=False)
    except Exception:  # of the algorithm: one more way to be wrong, with its author's evidence
        return Run(turn, 'error', traceback.format_exc(), 0.0, 0.0, 0.0, 0, None)
    clearance = episode.min_clearance
    return Run(turn, episode.outcome, episode.result.message if episode.result else '',
               episode.path_length, episode.time, episode.wall_time, episode.contacts,
               clearance if math.isfinite(clearance) else None)


def _ends(world: World) -> tuple[tuple[float, float, float], tuple[float, float]]:
    assert world.start is not None and world.goal is not None  # as every generator gives them
    return world.start, world.goal


# ---- which worlds, and in which order ---------------------------------------------------------

Done = Mapping[tuple[str, str], CaseRuns]
"""What need not be run again, by the names of world and algorithm."""


def campaign(plan: Plan, executor: Executor, ahead: int = 8,
             done: Optional[Done] = None) -> Generator[CaseRuns, None, None]:
    """
    Yield the episodes, world by world in the order of their seeds, until enough are judged.

    Worlds that cannot be judged come in between. ``ahead``: so much work is handed to the
    executor before the first piece of it is waited for; it does not change what is yielded.
    """
    done = done or {}
    cases = itertools.chain.from_iterable(
        judged_cases(plan, kind, executor, ahead, done) for kind in plan.kinds)
    work = ((_given(done[case.name, algorithm]) if (case.name, algorithm) in done
             else executor.submit(run_case, plan, case, algorithm))
            for case in cases for algorithm in plan.algorithms)
    yield from _in_order(work, ahead)


def judged_cases(plan: Plan, kind: str, executor: Executor, ahead: int,
                 done: Done) -> Iterator[Case]:
    """Yield worlds of a kind, those that cannot be judged too, until enough are judged."""
    known = {runs.case.name: runs.case for runs in done.values()}
    wanted = plan.wanted

    def work() -> Iterator[Future]:
        for seed in itertools.count(plan.seed):
            for wish in (True, False):
                case = known.get(name_of(kind, seed, wish))
                if wanted[wish]:
                    wishes.append(wish)
                    yield (_given(case) if case else
                           executor.submit(judge_case, kind, seed, wish))
    wishes: Deque[bool] = deque()
    cases = _in_order(work(), ahead)
    while any(wanted.values()):
        case = next(cases)
        if _is_wanted(wanted, wishes.popleft(), case.truth):
            yield case
    cases.close()


def _in_order(work: Iterable[Future], ahead: int) -> Generator[Any, None, None]:
    """Yield results in the order of the work, of which so much is begun ahead."""
    pending: Deque[Future] = deque()
    try:
        for future in work:
            pending.append(future)
            if len(pending) >= ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        for future in pending:
            future.cancel()


def _given(result: Any) -> Future:
    future: Future = Future()
    future.set_result(result)
    return future


def _is_wanted(wanted: Dict[bool, int], wish: bool, truth: Optional[bool]) -> bool:
    """Tell whether a world still counts, which hangs on those before it alone; count it."""
    if not wanted[wish] or (truth is not None and not wanted[truth]):
        return False
    if truth is not None:
        wanted[truth] -= 1
    return True
