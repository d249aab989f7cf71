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
Compare the boundary followers: ``python tools/compare_followers.py``.

Each drives one lap around some obstacles, and drives Bug2 through the canonical scenes and
through random cluttered worlds, turning left and right, with a range noise of 1 cm. Each verdict
is compared with the ground truth; scenes whose truth differs between rho - 2 cm and rho + 2 cm do
not count.
"""

from __future__ import annotations

import argparse
from collections import Counter
import dataclasses
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from bug_nav.lab.ground_truth import judge, MARGIN, perimeters
from bug_nav.navigation.algorithms.base import Algorithm, CONTACT, IntentGenerator, Metadata
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import contour_radius, FOLLOWERS, RobotModel, Settings, TURNS
from bug_nav.navigation.types import Outcome, Result
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.generators import random_name, random_world
from bug_nav.simulation.world import World
import numpy as np

LAPS = ('box', 'u_trap', 'pole', 'goal_solid')
"""Worlds with one obstacle, for the laps."""
LAP_GOAL = (20.0, 0.0)
"""Goal behind the obstacles, so that the robot hits them [m]."""
TIME_ALLOWANCE = 7200.0
"""Maximum duration of an episode, simulated [s]."""
SETTLING_DISTANCE = 0.5
"""Distance after the hit point before wall distances count, so that the follower settles [m]."""


class Lap(Algorithm):
    """Drive to the first obstacle and once around it."""

    metadata = Metadata('Lap', 'a measurement', CONTACT, 'the lap', False, 'none', 'none')

    def __init__(self) -> None:
        """Start without a trace."""
        super().__init__()
        self.trace: Optional[Trace] = None

    def run(self, robot: Robot) -> IntentGenerator:
        """Drive the lap and keep its trace."""
        hit = yield from move_to_goal(robot)
        self.trace = yield from follow_boundary(robot, meet_boundary(robot, hit))
        return Result(Outcome.LOOP_DETECTED, 'once around')


class LapFigures(NamedTuple):
    """Figures of a lap."""

    share: float
    """Length of the closed lap / perimeter of the inflated obstacle; NaN if no lap closed."""
    off: float
    """Mean error of the wall distance [m]."""
    worst: float
    """Largest error of the wall distance [m]."""
    contacts: int


def lap(world: World, settings: Settings, seed: int = 0) -> LapFigures:
    """Measure one lap around the obstacle of a world."""
    assert world.start is not None
    rho, algorithm = contour_radius(RobotModel(), settings), Lap()
    episode = run_episode(world, Pose(*world.start), LAP_GOAL, algorithm, settings=settings,
                          seed=seed, time_allowance=1200.0)
    way = np.array([sample.pose.position for sample in episode.samples
                    if 'boundary_following' in sample.state])
    driven = np.cumsum(np.hypot(*np.diff(way, axis=0, prepend=way[:1]).T))
    error = np.abs(world.clearance(way[driven > SETTLING_DISTANCE]) - rho)
    (outline,) = perimeters(world, rho)
    trace = algorithm.trace
    length = trace.lap_length if trace is not None and trace.closed else math.nan
    return LapFigures(length / outline, float(error.mean()), float(error.max()), episode.contacts)


class Verdicts(NamedTuple):
    """Verdicts in judged worlds."""

    right: int
    wrong: Dict[str, int]
    """Number of wrong outcomes, by outcome."""
    scenes: List[str]
    """World and turn direction of each wrong outcome."""


def verdicts(worlds: List[World], settings: Settings) -> Verdicts:
    """Drive Bug2 through worlds in both turn directions and compare with the ground truth."""
    right, scenes = 0, []
    wrong: Dict[str, int] = Counter()
    for world, truth in _judged(worlds, settings):
        for turn in TURNS:
            episode = drive(world, settings, turn)
            if episode.outcome == ('reached' if truth else 'unreachable'):
                right += 1
            else:
                wrong[episode.outcome] += 1
                scenes.append(f'{world.name} {turn}')
    return Verdicts(right, dict(wrong), scenes)


def _judged(worlds: List[World], settings: Settings) -> Iterator[Tuple[World, bool]]:
    rho = contour_radius(RobotModel(), settings)
    for world in worlds:
        assert world.start is not None and world.goal is not None
        truth = judge(world, world.start, world.goal, rho, settings.xy_goal_tolerance, MARGIN)
        if truth is not None:
            yield world, truth


def drive(world: World, settings: Settings, turn: str) -> EpisodeResult:
    """Run Bug2 from a world's start to its goal."""
    assert world.start is not None and world.goal is not None
    return run_episode(world, Pose(*world.start), world.goal, Bug2(),
                       settings=dataclasses.replace(settings, turn_direction=turn),
                       time_allowance=TIME_ALLOWANCE, keep_samples=False)


def random_worlds(count: int) -> List[World]:
    """Return cluttered worlds, half of them generated with an enclosed goal."""
    return [random_world(random_name('cluttered', seed // 2, seed % 2 == 0))
            for seed in range(count)]


# ---- the tables -------------------------------------------------------------------------------

def print_laps(kinds: List[str], sensing: str) -> None:
    """Print the table of the laps."""
    print('| follower | world | lap / contour | mean deviation from rho | largest deviation from '
          'rho | contacts |')
    print('|---|---|---|---|---|---|')
    for kind in kinds:
        for name in LAPS:
            figures = lap(find_world(name), Settings(follower=kind, sensing=sensing))
            share = 'not closed' if math.isnan(figures.share) else f'{100.0 * figures.share:.0f} %'
            print(f'| {kind} | {name} | {share} | {100.0 * figures.off:.1f} cm | '
                  f'{100.0 * figures.worst:.1f} cm | {figures.contacts} |', flush=True)


def print_verdicts(kinds: List[str], sensing: str, scenes: List[str], count: int) -> None:
    """Print the table of Bug2's verdicts."""
    groups = {'canonical': [world for world in map(find_world, scenes)
                            if world.start and world.goal],
              'random': random_worlds(count)}
    print('| follower | worlds | right | not right | scenes |')
    print('|---|---|---|---|---|')
    for kind in kinds:
        for group, worlds in groups.items():
            got = verdicts(worlds, Settings(follower=kind, sensing=sensing))
            total = got.right + sum(got.wrong.values())
            wrong = ', '.join(f'{n} {outcome}' for outcome, n in sorted(got.wrong.items()))
            print(f'| {kind} | {group} | {got.right} of {total} | {wrong} | '
                  f'{", ".join(got.scenes)} |', flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[1])
    parser.add_argument('--scenes', nargs='+', default=shipped_worlds(),
                        help='names of worlds (default: all that come with bug_nav)')
    parser.add_argument('--worlds', type=int, default=20,
                        help='number of random worlds (default: 20)')
    parser.add_argument('--followers', nargs='+', choices=FOLLOWERS, default=list(FOLLOWERS))
    parser.add_argument('--sensing', choices=('range', 'contact'), default='range')
    given = parser.parse_args()
    print_laps(given.followers, given.sensing)
    print()
    print_verdicts(given.followers, given.sensing, given.scenes, given.worlds)


if __name__ == '__main__':
    main()
