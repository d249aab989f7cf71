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
Measure the control tick and the embedded simulator, and print the tables for `make bench`.

Bug2 drives a TurtleBot3 Burger (360 beams at 5 Hz, noise 1 cm, 20 Hz control) through worlds of
about 100 wall segments. Episodes are deterministic, so each figure, also that of a tick, is the
best of several repetitions, which leaves out other load of the machine.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
import dataclasses
import json
import math
import multiprocessing
from multiprocessing.synchronize import Barrier
import os
import time
from typing import Any, Dict, List, Tuple, Type

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.settings import DRIFT_CORRECTIONS, Settings
from bug_nav.navigation.types import Decision, TickInput
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode, warm_up
from bug_nav.simulation.generators import cluttered, crowd
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import compare_with_ir_sim
from compare_with_ir_sim import clocked
import numpy as np

TARGETS = {'mean': 25.0, 'p99': 500.0, 'wall': 1000.0}
"""Targets of the tick [us], and of simulated time / wall time."""
WORKLOAD_SEGMENTS = (90, 110)
"""Minimum and maximum number of wall segments of the worlds."""
WORLD = 'maze'
"""World in which algorithms and scan matching are timed."""


# ---- the workload: Bug2 in random worlds, with fixed seeds --------------------------------------

def worlds(count: int) -> List[World]:
    """Return the first cluttered worlds with a number of segments in `WORKLOAD_SEGMENTS`."""
    found: List[World] = []
    seed = 0
    while len(found) < count:
        world = cluttered(seed)
        if WORKLOAD_SEGMENTS[0] <= len(world.segments) <= WORKLOAD_SEGMENTS[1]:
            found.append(world)
        seed += 1
    return found


def drive(world: World, algorithm: Type[Algorithm] = Bug2, **options: Any) -> EpisodeResult:
    """Drive to the goal of a world."""
    assert world.start is not None and world.goal is not None
    return run_episode(world, Pose(*world.start), world.goal, algorithm(), keep_samples=False,
                       **options)


def ticks(world: World, **options: Any) -> List[float]:
    """Drive and return the time of each tick [us]."""
    times: List[float] = []

    class Timed(Navigator):

        def tick(self, tick_input: TickInput) -> Decision:
            began = time.perf_counter()
            decision = super().tick(tick_input)
            times.append(1e6 * (time.perf_counter() - began))
            return decision

    drive(world, navigator_type=Timed, **options)
    return times


# ---- the tick ---------------------------------------------------------------------------------

def measure(episodes: int, repeats: int) -> Dict[str, float]:
    """Return figures of this process: tick times [us], simulated time / wall and CPU time."""
    driven = worlds(episodes)
    warm_up()
    simulated = sum(drive(world).time for world in driven)
    clocks = [clocked(lambda: [drive(world) for world in driven])
              for _ in range(repeats)]
    wall, processor = np.min(clocks, axis=0)
    times = np.min([sum((ticks(world) for world in driven), [])
                    for _ in range(repeats)], axis=0)
    return {'mean': float(times.mean()), 'p50': float(np.percentile(times, 50)),
            'p99': float(np.percentile(times, 99)), 'ticks': float(times.size),
            'wall': simulated / wall, 'cpu': simulated / processor}


def tick_table(episodes: int, repeats: int) -> str:
    """Return a table of the figures of `measure`."""
    figures = measure(episodes, repeats)

    def cell(key: str, unit: str) -> str:
        wanted = f' (target {TARGETS[key]:g})' if key in TARGETS else ''
        return f'{figures[key]:.4g} {unit}{wanted}'

    return ('The tick, observation to decision, and simulated time per time, Bug2 in the loop:\n\n'
            '| tick, mean | tick, p50 | tick, p99 | per wall time | per CPU time |\n'
            '|---|---|---|---|---|\n'
            f'| {cell("mean", "us")} | {cell("p50", "us")} | {cell("p99", "us")} | '
            f'{cell("wall", "x")} | {cell("cpu", "x")} |')


# ---- throughput of campaigns on one and on two cores -------------------------------------------

CORES = (1, 2)
ROUNDS = 3
"""Repetitions of each episode, so that the last one of a worker has little weight."""
EFFICIENCY = 0.9
"""Target of the efficiency of two cores."""
START_TIMEOUT = 300.0
"""Maximum time until all workers have compiled kernels [s]."""

Run = Tuple[float, float, float]
"""Simulated time / wall time, simulated time / CPU time, and CPU time / wall time (cores used)."""

_worker: Dict[str, Any] = {}


def throughput_table(episodes: int, repeats: int) -> str:
    """Return a table of one and two cores, for the same episodes in a pool of processes."""
    pools = {cores: _warm_pool(cores, worlds(episodes)) for cores in CORES}
    try:
        runs: Dict[int, List[Run]] = {cores: [] for cores in CORES}
        for _ in range(repeats):
            for cores, pool in pools.items():
                runs[cores].append(_drive_all(pool, episodes))
    finally:
        for pool in pools.values():
            pool.shutdown()
    lines = [f'A campaign of {ROUNDS * episodes} episodes in a pool of processes (spawn, kernels '
             f'compiled before the clock starts), best of {repeats}. If fewer cores were used '
             'than given, the machine was busy, and the efficiency is not valid:\n',
             '| cores | simulated per wall time | per CPU time | cores used | efficiency |',
             '|---|---|---|---|---|']
    for cores in CORES:
        rate, per_cpu, had = max(runs[cores])
        share = rate / (cores * max(runs[1])[0])
        target = f' (target {EFFICIENCY:g})' if cores > 1 else ''
        lines.append(f'| {cores} | {rate:.4g} x | {per_cpu:.4g} x | {had:.2f} | '
                     f'{share:.2f}{target} |')
    return '\n'.join(lines)


def _warm_pool(cores: int, driven: List[World]) -> ProcessPoolExecutor:
    context = multiprocessing.get_context('spawn')
    pool = ProcessPoolExecutor(cores, mp_context=context, initializer=_start_worker,
                               initargs=(context.Barrier(cores), driven))
    list(pool.map(_wait_for_all, range(cores)))
    return pool


def _start_worker(barrier: Barrier, driven: List[World]) -> None:
    warm_up()
    _worker.update(barrier=barrier, worlds=driven)


def _wait_for_all(_: int) -> None:
    """Wait until all workers have started and compiled their kernels."""
    _worker['barrier'].wait(START_TIMEOUT)


def _drive_all(pool: ProcessPoolExecutor, episodes: int) -> Run:
    """Drive each episode `ROUNDS` times."""
    began = time.perf_counter()
    done = list(pool.map(_drive_in_worker, ROUNDS * list(range(episodes))))
    wall = time.perf_counter() - began
    simulated, processor = map(sum, zip(*done))
    return simulated / wall, simulated / processor, processor / wall


def _drive_in_worker(number: int) -> Tuple[float, float]:
    """Return the simulated time and the CPU time of an episode [s]."""
    began = time.process_time()
    return drive(_worker['worlds'][number]).time, time.process_time() - began


# ---- each algorithm in the same world, with range noise ---------------------------------------

MAX_DURATION = 600.0
"""Maximum duration of an episode, for algorithms that circle, simulated [s]."""
ALGORITHM_TARGET = 500.0
"""Target of simulated time / CPU time."""
ALGORITHM_TARGETS = {'bug2': 4000.0, 'tangent_bug': 1000.0, 'vis_bug_21': 1000.0}
"""Targets of algorithms that have another one."""


def algorithm_table(repeats: int) -> str:
    """Return a table of simulated time / CPU time of each algorithm, best of several episodes."""
    warm_up()
    lines = [f'Simulated time per CPU time in `{WORLD}`, range noise 1 cm, one core, best of '
             f'{repeats}:\n',
             '| algorithm | simulated | per CPU time | us per tick |', '|---|---|---|---|']
    for name in sorted(registered()):
        simulated, ticks, processor = min(
            (_drive_algorithm(name) for _ in range(repeats)), key=lambda run: run[2] / run[0])
        lines.append(f'| {name} | {simulated:.0f} s | {simulated / processor:.4g} x '
                     f'(target {ALGORITHM_TARGETS.get(name, ALGORITHM_TARGET):g}) | '
                     f'{1e6 * processor / ticks:.1f} |')
    return '\n'.join(lines)


def _drive_algorithm(name: str) -> Tuple[float, int, float]:
    """Return simulated time [s], ticks and CPU time [s] of an episode with a fixed seed."""
    world, algorithm = find_world(WORLD), find(name)
    began = time.process_time()
    episode = drive(world, algorithm, seed=1, time_allowance=MAX_DURATION)
    return episode.time, episode.ticks, time.process_time() - began


# ---- scan matching -----------------------------------------------------------------------------

SCANS = 300
MATCHING_TARGET = 150.0
"""Target time to match a scan of 360 beams [us]."""
MATCHED_TARGET = 2500.0
"""Target of simulated time / CPU time of Bug2 with scan matching."""


def scan_matching_table(repeats: int) -> str:
    """Return a table of time per scan, and of Bug2's simulated / CPU time with and without it."""
    warm_up()
    mean, p50, p99 = scan_times(repeats)
    beams = LidarModel().scan_count
    lines = [f'Matching a scan of {beams} beams ({SCANS} scans in `{WORLD}`): '
             f'mean {mean:.0f} us (target {MATCHING_TARGET:g}), p50 {p50:.0f} us, '
             f'p99 {p99:.0f} us. Bug2 there, on one core:\n',
             '| drift_correction | simulated per CPU time |', '|---|---|']
    for correction in DRIFT_CORRECTIONS:
        rate = max(_rate(correction) for _ in range(repeats))
        target = f' (target {MATCHED_TARGET:g})' if correction == 'scan_matching' else ''
        lines.append(f'| {correction} | {rate:.4g} x{target} |')
    return '\n'.join(lines)


def scan_times(repeats: int) -> Tuple[float, float, float]:
    """Return mean, median and 99th percentile of the time per scan [us], best of several runs."""
    seen: List[Tuple] = []

    def keep(robot: Simulator, *_: object) -> None:
        if robot.stamp >= 0.2 * len(seen):
            seen.append((robot.scan(), robot.odometry))

    drive(find_world(WORLD), seed=1, watch=keep)
    times = []
    for _ in range(repeats):
        localization, taken = Localization(uses_scan_matching=True), []
        for scan, pose in seen[:SCANS]:
            began = time.perf_counter()
            localization.localize(scan, pose)
            taken.append(time.perf_counter() - began)
        times.append(taken)
    best = 1e6 * np.min(times, axis=0)
    return float(best.mean()), float(np.percentile(best, 50)), float(np.percentile(best, 99))


def _rate(correction: str) -> float:
    world = find_world(WORLD)
    began = time.process_time()
    episode = drive(world, seed=1, settings=Settings(drift_correction=correction))
    return episode.time / (time.process_time() - began)


# ---- walls, beams and people -------------------------------------------------------------------

SEGMENTS = (10, 30, 100, 300, 1000, 3000, 10000)
BEAMS = (90, 180, 360, 720, 1440)
CORNERS = 4
PILLAR = 0.2
"""Radius of a pillar [m]."""
SPACING = 1.2
"""Distance between pillars [m]."""
DISTANCE = 6.0 * SPACING
"""Distance from start to goal [m]."""
PEOPLE = (0, 5, 20, 50)
MAX_PEOPLE = max(PEOPLE)
CROWD_SEED = 3
CROWD_DURATION = 60.0
"""Maximum duration of an episode, because people may block the robot, simulated [s]."""


def scaling_table(repeats: int) -> str:
    """Return a table of the cost of a tick with more and more pillars, and more beams."""
    lines = [f'A hall of pillars {SPACING:g} m apart around the same route, with more and more of '
             f'them, and with more beams in the hall of 100 segments; best of {repeats}:\n',
             '| wall segments | beams | tick, mean | simulator, per tick | '
             'simulated per wall time | per CPU time |',
             '|---|---|---|---|---|---|']
    for segments, beams in ([(segments, 360) for segments in SEGMENTS]
                            + [(100, beams) for beams in BEAMS if beams != 360]):
        world = hall(segments // CORNERS)
        lines.append(f'| {len(world.segments)} | {beams} | '
                     + _cost(world, repeats, lidar=LidarModel(scan_count=beams)))
    return '\n'.join(lines)


def hall(count: int) -> World:
    """Return a world with the ``count`` pillars of a square grid nearest to the route."""
    side = np.arange(-math.ceil(math.sqrt(count)) - 2, math.ceil(math.sqrt(count)) + 3)
    # The route starts and ends between two pillars and meets a row of them head-on.
    grid = SPACING * (np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2) + (0.5, 0.0))
    nearest = np.argsort(np.hypot(*grid.T), kind='stable')[:count]
    angles = 2.0 * math.pi * np.arange(CORNERS) / CORNERS
    corners = PILLAR * np.column_stack((np.cos(angles), np.sin(angles)))
    return World(f'hall_{count}', tuple(corners + place for place in grid[nearest]),
                 (-0.5 * DISTANCE, 0.0, 0.0), (0.5 * DISTANCE, 0.0))


def people_table(repeats: int) -> str:
    """Return a table of the cost of a tick with more and more people in the same hall."""
    crowded = crowd(CROWD_SEED, people=MAX_PEOPLE)
    lines = [f'The first people of random:crowd?seed={CROWD_SEED}&people={MAX_PEOPLE}, '
             f'{CROWD_DURATION:g} s at most, best of {repeats}:\n',
             '| people | tick, mean | simulator, per tick | simulated per wall time | '
             'per CPU time |', '|---|---|---|---|---|']
    for count in PEOPLE:
        world = dataclasses.replace(crowded, movers=crowded.movers[:count])
        lines.append(f'| {count} | ' + _cost(world, repeats, time_allowance=CROWD_DURATION))
    return '\n'.join(lines)


def _cost(world: World, repeats: int, **options: Any) -> str:
    """Return the cells of a tick and of the simulator, best of several episodes."""
    episode = drive(world, **options)
    wall, processor = np.min([clocked(lambda: drive(world, **options)) for _ in range(repeats)],
                             axis=0)
    tick = float(np.min([ticks(world, **options) for _ in range(repeats)], axis=0).mean())
    rest = 1e6 * processor / episode.ticks - tick
    return (f'{tick:.3g} us | {rest:.3g} us | {episode.time / wall:.4g} x | '
            f'{episode.time / processor:.4g} x |')


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[1])
    parser.add_argument('--episodes', type=int, default=20)
    parser.add_argument('--repeats', type=int, default=5)
    parser.add_argument('--here', action='store_true', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        print(json.dumps(measure(arguments.episodes, arguments.repeats)))
        return
    print(f'{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the start.\n')
    tables = (
        lambda: tick_table(arguments.episodes, arguments.repeats),
        lambda: throughput_table(arguments.episodes, arguments.repeats),
        lambda: algorithm_table(arguments.repeats), lambda: scan_matching_table(arguments.repeats),
        lambda: compare_with_ir_sim.table(worlds(1)[0], arguments.repeats),
        lambda: scaling_table(arguments.repeats), lambda: people_table(arguments.repeats))
    for table in tables:
        print(f'{table()}\n', flush=True)
    print(f'Load average {os.getloadavg()[0]:.1f} at the end.')


if __name__ == '__main__':
    main()
