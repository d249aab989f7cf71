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
order of their seeds, whoever finishes first.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future
import dataclasses
import itertools
import traceback
from typing import Deque, Dict, Iterator, NamedTuple, Optional, Tuple

from bug_nav.algorithms.registry import find
from bug_nav.bench.ground_truth import judge, reachable
from bug_nav.geometry import Point, Pose
from bug_nav.robot import RobotModel, Settings, TURNS
from bug_nav.sim.episode import run_episode
from bug_nav.sim.generators import cluttered_name, random_world
from bug_nav.sim.simulator import LidarModel
from bug_nav.sim.world import World

DENSE = {'count': 60, 'size': 6.0, 'gaps': 0.8}
"""What makes a cluttered world dense: most obstacles stand about 2 rho from another."""
MARGIN = 0.02
"""A world is judged when its truth is the same at rho - this and at rho + this [m]."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """What every world of a campaign is run with."""

    worlds: int
    """How many judged worlds, half of them with a goal that cannot be reached."""
    seed: int = 0
    """The first seed; as many follow as it takes."""
    algorithm: str = 'bug2'
    turns: Tuple[str, ...] = TURNS
    noise: float = 0.0
    """Standard deviation of a range [m]."""
    dense: bool = False

    def name_of(self, seed: int, wished_reachable: bool) -> str:
        """Return the name of a world, by which anybody finds it."""
        return cluttered_name(seed, wished_reachable, **(DENSE if self.dense else {}))


class Run(NamedTuple):
    """One episode in a world."""

    turn: str
    outcome: str
    message: str
    path_length: float
    time: float
    wall_time: float
    contacts: int
    min_clearance: float
    """Smallest distance of the body from a solid [m]."""


class WorldRuns(NamedTuple):
    """A world, what is true of it, and its episodes."""

    name: str
    seed: int
    truth: Optional[bool]
    """Whether the goal can be reached; None where the world cannot be judged."""
    surely_reachable: bool
    """Whether it can be reached even with `MARGIN` more room around the robot."""
    runs: Tuple[Run, ...]

    def fault(self, run: Run) -> str:
        """
        Return what is wrong with a run, '' where nothing is.

        Where the world cannot be judged both verdicts are right, but for UNREACHABLE where there
        is more than enough room.
        """
        if run.contacts:
            return 'an obstacle was touched'
        if run.outcome not in ('reached', 'unreachable'):
            return f'ended as {run.outcome}'
        reached = run.outcome == 'reached'
        if self.truth is None:
            return '' if reached or not self.surely_reachable else 'reachable at rho + 2 cm'
        return '' if reached == self.truth else f'{"" if self.truth else "not "}reachable'


def run_world(plan: Plan, seed: int, wished_reachable: bool) -> WorldRuns:
    """Judge one world and navigate in it, with each turn direction."""
    name = plan.name_of(seed, wished_reachable)
    world = random_world(name)
    assert world.start is not None and world.goal is not None  # as every generator gives them
    start, goal = world.start, world.goal
    rho = RobotModel().robot_radius + Settings().clearance
    tolerance = Settings().xy_goal_tolerance
    truth = judge(world, start, goal, rho, tolerance, MARGIN)
    sure = truth if truth is not None else reachable(
        world, start, goal, rho + MARGIN, tolerance)
    return WorldRuns(name, seed, truth, sure,
                     tuple(_navigate(world, Pose(*start), goal, plan, seed, turn)
                           for turn in plan.turns))


def _navigate(world: World, start: Pose, goal: Point, plan: Plan, seed: int, turn: str) -> Run:
    """Run one episode: the same as `bug_nav run` does with that world, turn, noise and seed."""
    try:
        episode = run_episode(
            world, start, goal, find(plan.algorithm)(), settings=Settings(turn_direction=turn),
            lidar=LidarModel(scan_noise=plan.noise), seed=seed, keep_samples=False)
    except Exception:  # of the algorithm: one more way to be wrong, with its author's evidence
        return Run(turn, 'error', traceback.format_exc(), 0.0, 0.0, 0.0, 0, float('inf'))
    return Run(turn, episode.outcome, episode.result.message if episode.result else '',
               episode.path_length, episode.time, episode.wall_time, episode.contacts,
               episode.min_clearance)


def campaign(plan: Plan, executor: Executor, ahead: int = 8) -> Iterator[WorldRuns]:
    """
    Yield worlds in the order of their seeds until enough of them are judged.

    Worlds that cannot be judged come in between. ``ahead``: so many worlds are handed to the
    executor before the first of them is waited for; it does not change what is yielded.
    """
    wanted = {True: plan.worlds - plan.worlds // 2, False: plan.worlds // 2}
    pending: Deque[Tuple[bool, Future]] = deque()
    wishes = ((seed, wish) for seed in itertools.count(plan.seed) for wish in (True, False))
    try:
        while any(wanted.values()):
            while len(pending) < ahead:
                seed, wish = next(wishes)
                if wanted[wish]:
                    pending.append((wish, executor.submit(run_world, plan, seed, wish)))
            wish, future = pending.popleft()
            world = future.result()
            if _is_wanted(wanted, wish, world.truth):
                yield world
    finally:
        for _, future in pending:
            future.cancel()


def _is_wanted(wanted: Dict[bool, int], wish: bool, truth: Optional[bool]) -> bool:
    """Tell whether a world still counts, which hangs on those before it alone; count it."""
    if not wanted[wish] or (truth is not None and not wanted[truth]):
        return False
    if truth is not None:
        wanted[truth] -= 1
    return True
