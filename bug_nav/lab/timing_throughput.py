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

"""Throughput of campaigns on one and on two cores."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
import multiprocessing
from multiprocessing.synchronize import Barrier
import time
from typing import Any, Dict, List, Tuple

from bug_nav.lab import timing_workload
from bug_nav.simulation.episode import warm_up
from bug_nav.simulation.world import World

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


def table(episodes: int, repeats: int) -> str:
    """Return a table of one and two cores, for the same episodes in a pool of processes."""
    worlds = timing_workload.worlds(episodes)
    pools = {cores: _warm_pool(cores, worlds) for cores in CORES}
    try:
        runs: Dict[int, List[Run]] = {cores: [] for cores in CORES}
        for _ in range(repeats):
            for cores, pool in pools.items():
                runs[cores].append(_measure(pool, episodes))
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


def _warm_pool(cores: int, worlds: List[World]) -> ProcessPoolExecutor:
    context = multiprocessing.get_context('spawn')
    pool = ProcessPoolExecutor(cores, mp_context=context, initializer=_begin,
                               initargs=(context.Barrier(cores), worlds))
    list(pool.map(_wait_for_all, range(cores)))
    return pool


def _begin(barrier: Barrier, worlds: List[World]) -> None:
    warm_up()
    _worker.update(barrier=barrier, worlds=worlds)


def _wait_for_all(_: int) -> None:
    """Wait until all workers have started and compiled their kernels."""
    _worker['barrier'].wait(START_TIMEOUT)


def _measure(pool: ProcessPoolExecutor, episodes: int) -> Run:
    """Drive each episode `ROUNDS` times."""
    began = time.perf_counter()
    done = list(pool.map(_episode, ROUNDS * list(range(episodes))))
    wall = time.perf_counter() - began
    simulated, processor = map(sum, zip(*done))
    return simulated / wall, simulated / processor, processor / wall


def _episode(number: int) -> Tuple[float, float]:
    """Return the simulated time and the CPU time of an episode [s]."""
    began = time.process_time()
    return timing_workload.drive(_worker['worlds'][number]).time, time.process_time() - began
