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
Test the collision monitor with hostile algorithms: ``python tools/hostile.py``.

Four hostile plug-ins drive every robot preset, and faster variants, through random clutter: at
random, spinning at full speed, jerking between the limits, and at the nearest obstacle. Only the
collision monitor prevents contacts. Exit code: 0 without a contact, 1 with one or another early
end, 2 for bad input.
"""

from __future__ import annotations

import argparse
from concurrent.futures import as_completed, ProcessPoolExecutor
import math
import multiprocessing
import os
import sys
import time
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.files.interrupt import INTERRUPTED
from bug_nav.navigation.algorithms.base import Algorithm, CONTACT, IntentGenerator, Metadata
from bug_nav.navigation.geometry import bearing, distance, Pose, wrap
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import Twist
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import cluttered
from bug_nav.simulation.robots import equip, ROBOTS
import numpy as np

FAST = {'max_vel_x': 2.0, 'max_wheel_vel': 2.5, 'max_vel_theta': 3.0}
ROBOT_VARIANTS: Dict[str, Tuple[str, Dict[str, Any]]] = {
    **{name: (name, {}) for name in ROBOTS if name != 'crazyflie'},  # too few rangers
    'burger at 2 m/s': ('burger', {**FAST, 'acc_lim_x': 2.0}),
    'burger that hardly brakes': ('burger', {
        'max_vel_x': 0.5, 'max_wheel_vel': 1.0, 'acc_lim_x': 0.5, 'max_vel_theta': 2.84}),
    'turtlebot4 at 2 m/s': ('turtlebot4', {**FAST, 'acc_lim_x': 1.0}),
    'omnidirectional at 1 m/s': ('burger', {
        **FAST, 'max_vel_x': 1.0, 'acc_lim_x': 1.0, 'base': 'omni'})}
"""Robots: a preset and its changed parameters."""
GOAL = (99.0, 0.0)
"""Goal that no robot reaches [m]."""


def at_random(robot: Robot, rng: np.random.Generator, limit: Twist
              ) -> Generator[Twist, None, None]:
    """Command a random velocity for some ticks."""
    share = rng.uniform(-1.0, 1.0, 3)
    wanted = Twist(*(float(k * most) for k, most in zip(share, limit)))
    for _ in range(int(rng.integers(1, 60))):
        yield wanted


def spinning(robot: Robot, rng: np.random.Generator, limit: Twist
             ) -> Generator[Twist, None, None]:
    """Drive the tightest arc at full speed, to a random side."""
    turn = float(rng.choice((-1.0, 1.0))) * limit.w
    for _ in range(int(rng.integers(1, 60))):
        yield Twist(limit.v, turn)


def jerking(robot: Robot, rng: np.random.Generator, limit: Twist
            ) -> Generator[Twist, None, None]:
    """Jump between the velocity limits at every tick."""
    signs = rng.choice((-1.0, 1.0), 3)
    yield Twist(*(float(sign * most) for sign, most in zip(signs, limit)))


def at_the_wall(robot: Robot, rng: np.random.Generator, limit: Twist
                ) -> Generator[Twist, None, None]:
    """Drive at the nearest obstacle, with random swerves."""
    points = robot.perceived.points
    error = 0.0
    if points.shape[0]:
        place = min(map(tuple, points), key=lambda point: distance(point, robot.odom_position))
        error = wrap(bearing(robot.odom_position, place) - robot.pose.theta)
    swerve = float(rng.uniform(-1.0, 1.0)) * limit.w if rng.random() < 0.2 else 3.0 * error
    yield Twist(limit.v, swerve, limit.u * math.sin(error))


BEHAVIORS: Dict[str, Callable[..., Generator[Twist, None, None]]] = {
    'at random': at_random, 'spinning': spinning, 'jerking': jerking, 'at the wall': at_the_wall}
"""Behaviors of the hostile plug-ins."""


class Hostile(Algorithm):
    """Command up to twice the limits of the robot, without end."""

    metadata = Metadata(title='Hostile', source='nobody', sensing=CONTACT, memory='none',
                        complete=False, bound='none', guarantee='none')

    def __init__(self, behavior: str, seed: int):
        """``behavior``: one of `BEHAVIORS`."""
        super().__init__()
        self._behavior, self._rng = BEHAVIORS[behavior], np.random.default_rng(seed)

    def run(self, robot: Robot) -> IntentGenerator:
        """Yield commands without end."""
        model = robot.model
        limit = Twist(2.0 * model.max_vel_x, 2.0 * model.max_vel_theta, 2.0 * model.max_vel_x)
        while True:
            yield from self._behavior(robot, self._rng, limit)


class HostileEpisode(NamedTuple):
    """One episode and its result."""

    variant: str
    behavior: str
    seed: int
    contacts: int
    clearance: float
    """Smallest distance between body and obstacles [m]."""
    travelled: float
    time: float
    """Simulated time [s]."""
    ended: str
    """Outcome, if the episode ended early; else empty."""


def drive(variant: str, behavior: str, seed: int, seconds: float) -> HostileEpisode:
    """Drive one episode; deterministic."""
    preset, changes = ROBOT_VARIANTS[variant]
    robot = equip(preset, {**changes, 'movement_time_allowance': 600.0})
    world = cluttered(seed, rho=robot.contour_radius)
    assert world.start is not None
    episode = run_episode(
        world, Pose(*world.start), GOAL, Hostile(behavior, seed), model=robot.model,
        settings=robot.settings, lidar=robot.sensor, seed=seed,
        time_allowance=seconds, keep_samples=False)
    ended = '' if episode.outcome in ('timeout', 'collision') else episode.outcome
    return HostileEpisode(variant, behavior, seed, episode.contacts, episode.min_clearance,
                          episode.path_length, episode.time, ended)


def _drive_all(episodes: Sequence[tuple]) -> List[HostileEpisode]:
    return [drive(*each) for each in episodes]


def table(episodes: Sequence[HostileEpisode]) -> str:
    """Return a table of the episodes, preceded by contacts and early ends."""
    lines = [f'CONTACT: {each.variant}, {each.behavior}, seed {each.seed}, at {each.time:.2f} s'
             for each in episodes if each.contacts]
    lines += [f'ended: {each.variant}, {each.behavior}, seed {each.seed}: {each.ended}'
              for each in episodes if each.ended]
    lines.append(f'{"robot":26} {"plug-in":12} {"episodes":>8} {"contacts":>8} '
                 f'{"least clearance":>15} {"mean speed":>10}')
    for variant in ROBOT_VARIANTS:
        for behavior in BEHAVIORS:
            some = [each for each in episodes
                    if (each.variant, each.behavior) == (variant, behavior)]
            if some:
                speed = sum(each.travelled for each in some) / sum(each.time for each in some)
                lines.append(f'{variant:26} {behavior:12} {len(some):8} '
                             f'{sum(each.contacts for each in some):8} '
                             f'{min(each.clearance for each in some):13.3f} m '
                             f'{speed:6.2f} m/s')
    lines.append(f'{len(episodes)} episodes, {sum(each.contacts for each in episodes)} contacts, '
                 f'{sum(each.time for each in episodes) / 3600.0:.1f} h simulated')
    return '\n'.join(lines)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        description='Let hostile plug-ins try to drive every robot into a wall.')
    parser.add_argument('--episodes', type=int, default=1000, metavar='N',
                        help='number of episodes (default: 1000)')
    parser.add_argument('--seconds', type=float, default=20.0, metavar='S',
                        help='simulated time of each episode [s] (default: 20)')
    parser.add_argument('--seed', type=int, default=0, metavar='S', help='first seed (default: 0)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='number of processes (default: %(default)s)')
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    if given.episodes < 1 or given.workers < 1 or given.seed < 0 or not 0.0 < given.seconds < 1e4:
        parser.error('give at least 1 episode, 1 worker and seed 0, and 0 to 10000 seconds')
    pairs = [(variant, behavior) for variant in ROBOT_VARIANTS for behavior in BEHAVIORS]
    jobs = [(*pairs[k % len(pairs)], given.seed + k // len(pairs), given.seconds)
            for k in range(given.episodes)]
    chunks = [jobs[k:k + len(pairs)] for k in range(0, len(jobs), len(pairs))]
    done: List[HostileEpisode] = []
    reported, code = time.monotonic(), 0
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context('spawn')) as pool:
        try:
            for finished in as_completed([pool.submit(_drive_all, chunk) for chunk in chunks]):
                done += finished.result()
                if time.monotonic() - reported > 10.0:
                    reported = time.monotonic()
                    print(f'{len(done)} of {len(jobs)} episodes, '
                          f'{sum(each.contacts for each in done)} contacts', file=sys.stderr,
                          flush=True)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            code = INTERRUPTED
    done.sort(key=lambda each: (each.seed, each.variant, each.behavior))
    print(table(done))
    return 1 if any(each.contacts or each.ended for each in done) else code


if __name__ == '__main__':
    sys.exit(main())
