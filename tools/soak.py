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
Soak test: send thousands of short goals to one node and check its use of resources.

Then one goal lasts for a simulated hour, along a very long wall. The robot is simulated here, in
lockstep with the node. Prints failures at the end; exit code 1 if there are any. Needs ROS 2 and
Linux.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from random import Random
import sys
import tempfile
import time
from typing import Any, List, Optional, Sequence

from bug_nav.cli.ros_domain import confine, reserved_domain
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.world import World
import numpy as np
from trials.usage import growth, PER_GOAL, PER_MINUTE, report, Usage, usage_of

ENDLESS = {'follow_wall': ('follow_wall.distance', 1e5)}
"""Parameters, with values, that make an algorithm continue for the whole span."""
LEAST = 1500
BLOCK = 200.0
"""Side of the block, around which a lap takes more than an hour [m]."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the program."""
    arguments = _parser().parse_args(argv)
    with reserved_domain() as domain, tempfile.TemporaryDirectory(prefix='bug_nav_soak_') as logs:
        confine(os.environ, domain)
        os.environ['ROS_LOG_DIR'] = logs
        # The node returns the memory of each freed table, so that its RSS is what it uses.
        os.environ['MALLOC_MMAP_THRESHOLD_'] = '65536'
        from trials.stage import actors  # must run in its own domain
        wrong: List[str] = []
        with actors(Path(logs)) as (robot, navigator):
            wrong += _many_goals(robot, navigator, arguments)
        for algorithm in filter(None, arguments.long.split(',')):
            with actors(Path(logs)) as (robot, navigator):
                wrong += _one_goal(robot, navigator, algorithm, arguments.span)
    for each in wrong:
        print(f'NOT RIGHT: {each}')
    print('no growth, and every goal ended as expected' if not wrong else
          f'{len(wrong)} failures')
    return 1 if wrong else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='make soak', description=__doc__)
    parser.add_argument('--goals', type=int, default=3000, help='number of short goals (3000)')
    parser.add_argument('--minutes', type=float, default=60.0,
                        help='send no further short goal after this time [min] (60)')
    parser.add_argument('--long', default='follow_wall,bug1',
                        help='algorithms of the long goals (follow_wall,bug1)')
    parser.add_argument('--span', type=float, default=3600.0,
                        help='simulated time of a long goal [s] (3600)')
    parser.add_argument('--seed', type=int, default=0, help='seed of the mix (0)')
    return parser


def _many_goals(robot: Any, navigator: Any, arguments: argparse.Namespace) -> List[str]:
    from trials.short_goals import ShortGoals
    goals = ShortGoals(robot, navigator, Random(arguments.seed))
    navigator.start(lambda: robot.heard)
    measured: List[Usage] = []
    deadline = time.monotonic() + 60.0 * arguments.minutes
    every = max(arguments.goals // 10, 1)
    while goals.count < arguments.goals and time.monotonic() < deadline and navigator.alive:
        goals.run_one()
        if goals.count in (100, arguments.goals) or goals.count % every == 0:
            measured.append(_measure(robot, navigator, goals.count))
            print(report(measured[-1:], 'goals') if len(measured) == 1 else
                  report(measured[-2:], 'goals').splitlines()[-1], flush=True)
    if not navigator.alive:
        return [f'the node died after {goals.count} goals']
    if not measured or measured[-1].at < goals.count:
        measured.append(_measure(robot, navigator, goals.count))
    print(', '.join(f'{number} {name}' for name, number in goals.ended.most_common()))
    # Caches fill for some 700 goals, so that growth is only judged in long runs.
    grown = growth(measured, PER_GOAL) if goals.count >= LEAST else []
    return ([f'{number} goals ended as {did} instead of {had_to}'
             for (had_to, did), number in goals.wrong.most_common()]
            + [f'{goals.count} goals: {each}' for each in grown])


def _one_goal(robot: Any, navigator: Any, algorithm: str, span: float) -> List[str]:
    from trials.navigator import ANSWER
    block = World('block', (np.array([[0.0, 0.0], [BLOCK, 0.0], [BLOCK, BLOCK], [0.0, BLOCK]]),))
    robot.place(block, Pose(-1.0, 1.0, 0.0), 0)
    navigator.start(lambda: robot.heard)
    if algorithm in ENDLESS:
        robot.wait(navigator.set_parameter(*ENDLESS[algorithm]).done, ANSWER)
    goal = navigator.send(BLOCK + 5.0, 1.0, algorithm, allowance=span)
    if goal is None:
        return [f'{algorithm}: the goal was rejected']
    measured: List[Usage] = []
    begun = robot.stamp
    minutes = max(span / 60.0 / 20.0, 0.1)
    while not goal.ended and navigator.alive and robot.stamp - begun < span + 10.0:
        if robot.stamp - begun >= len(measured) * 60.0 * minutes:
            measured.append(_measure(robot, navigator, (robot.stamp - begun) / 60.0))
            print(f'{algorithm}: {report(measured[-2:], "minutes").splitlines()[-1]}', flush=True)
        robot.step(lambda: goal.ended)
    print(f'{algorithm}, {span:g} s simulated: {goal.outcome or "no outcome"}\n'
          + report(measured, 'minutes'), flush=True)
    wrong = [] if goal.outcome == 'timeout' else [
        f'{algorithm}: {goal.outcome or "no outcome"} instead of timeout: {goal.message}']
    if robot.sim.contacts:
        wrong.append(f'{algorithm}: contact')
    return wrong + [f'{algorithm} for {span:g} s: {each}'
                    for each in growth(measured, PER_MINUTE)]


def _measure(robot: Any, navigator: Any, at: float) -> Usage:
    return usage_of(navigator.pid, at, robot.ticks, navigator.endpoints())


if __name__ == '__main__':
    sys.exit(main())
