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
Speed of the control tick and of the embedded simulator: ``python -m bug_nav.lab.timing``.

Bug2 drives a TurtleBot3 Burger (360 beams at 5 Hz, noise 1 cm, 20 Hz control) through worlds of
about 100 wall segments. Episodes are deterministic, so each figure, also that of a tick, is the
best of several repetitions, which leaves out other load of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
from typing import Dict

from bug_nav.lab import (
    timing_algorithms,
    timing_ir_sim,
    timing_people,
    timing_scaling,
    timing_scan_matching,
    timing_throughput,
    timing_workload,
)
from bug_nav.simulation.episode import warm_up
import numpy as np

TARGETS = {'mean': 25.0, 'p99': 500.0, 'wall': 1000.0}


def measure(episodes: int, repeats: int) -> Dict[str, float]:
    """Return figures of this process: tick times [us], simulated time / wall and CPU time."""
    worlds = timing_workload.worlds(episodes)
    warm_up()
    simulated = sum(timing_workload.drive(world).time for world in worlds)
    clocks = [timing_workload.clocked(lambda: [timing_workload.drive(world) for world in worlds])
              for _ in range(repeats)]
    wall, processor = np.min(clocks, axis=0)
    times = np.min([sum((timing_workload.ticks(world) for world in worlds), [])
                    for _ in range(repeats)], axis=0)
    return {'mean': float(times.mean()), 'p50': float(np.percentile(times, 50)),
            'p99': float(np.percentile(times, 99)), 'ticks': float(times.size),
            'wall': simulated / wall, 'cpu': simulated / processor}


def _line(figures: Dict[str, float]) -> str:
    def cell(key: str, unit: str) -> str:
        wanted = f' (target {TARGETS[key]:g})' if key in TARGETS else ''
        return f'{figures[key]:.4g} {unit}{wanted}'

    return (f'| {cell("mean", "us")} | {cell("p50", "us")} | {cell("p99", "us")} | '
            f'{cell("wall", "x")} | {cell("cpu", "x")} |')


def _print_ticks(episodes: int, repeats: int) -> None:
    print('The tick, observation to decision, and simulated time per time, Bug2 in the loop:\n')
    print('| tick, mean | tick, p50 | tick, p99 | per wall time | per CPU time |')
    print('|---|---|---|---|---|')
    print(_line(measure(episodes, repeats)), flush=True)


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
    _print_ticks(arguments.episodes, arguments.repeats)
    print(f'\n{timing_throughput.table(arguments.episodes, arguments.repeats)}', flush=True)
    print(f'\n{timing_algorithms.table(arguments.repeats)}', flush=True)
    print(f'\n{timing_scan_matching.table(arguments.repeats)}', flush=True)
    print(f'\n{timing_ir_sim.table(timing_workload.worlds(1)[0], arguments.repeats)}', flush=True)
    print(f'\n{timing_scaling.table(arguments.repeats)}', flush=True)
    print(f'\n{timing_people.table(arguments.repeats)}')
    print(f'\nLoad average {os.getloadavg()[0]:.1f} at the end.')


if __name__ == '__main__':
    main()
