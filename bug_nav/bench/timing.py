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
How fast the control tick and the embedded simulator are: ``python -m bug_nav.bench.timing``.

Bug2 drives a TurtleBot3 Burger (360 beams at 5 Hz, noise 1 cm, 20 Hz control) through worlds of
about 100 wall segments, once with the kernels compiled by numba and once with numpy alone, each
in a process of its own. An episode is the same each time, so that each figure is the best of
several repetitions, a tick's too: what else the machine does is not measured.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from typing import Dict

from bug_nav.bench import by_algorithm, ir_sim, matching, moving, scaling, throughput, workload
from bug_nav.core import compiled
from bug_nav.core.module_path import child_command
from bug_nav.sim.episode import warm_up
import numpy as np

TARGETS = {'numba': {'mean': 25.0, 'p99': 500.0, 'wall': 1000.0},
           'numpy': {'p50': 100.0, 'p99': 500.0}}


def measure(episodes: int, repeats: int) -> Dict[str, float]:
    """Return the figures of this process: tick times [us], simulated per wall and CPU time."""
    worlds = workload.worlds(episodes)
    warm_up()
    simulated = sum(workload.drive(world).time for world in worlds)
    clocks = [workload.clocked(lambda: [workload.drive(world) for world in worlds])
              for _ in range(repeats)]
    wall, processor = np.min(clocks, axis=0)
    times = np.min([sum((workload.ticks(world) for world in worlds), [])
                    for _ in range(repeats)], axis=0)
    return {'mean': float(times.mean()), 'p50': float(np.percentile(times, 50)),
            'p99': float(np.percentile(times, 99)), 'ticks': float(times.size),
            'wall': simulated / wall, 'cpu': simulated / processor}


def _measure_apart(numba: bool, episodes: int, repeats: int) -> Dict[str, float]:
    """Measure in a process of its own, for the kernels are compiled, or not, on import."""
    environment = dict(os.environ, BUG_NAV_NUMBA='1' if numba else '0')
    done = subprocess.run(
        child_command('bug_nav.bench.timing', '--here', '--episodes', str(episodes),
                      '--repeats', str(repeats)),
        env=environment, check=True, stdout=subprocess.PIPE, universal_newlines=True)
    return json.loads(done.stdout)


def _line(name: str, figures: Dict[str, float]) -> str:
    targets = TARGETS[name]

    def cell(key: str, unit: str) -> str:
        wanted = f' (target {targets[key]:g})' if key in targets else ''
        return f'{figures[key]:.4g} {unit}{wanted}'

    return (f'| {name} | {cell("mean", "us")} | {cell("p50", "us")} | {cell("p99", "us")} | '
            f'{cell("wall", "x")} | {cell("cpu", "x")} |')


def _print_ticks(episodes: int, repeats: int) -> None:
    print('The tick, observation to decision, and simulated time per time, Bug2 in the loop:\n')
    print('| kernels | tick, mean | tick, p50 | tick, p99 | per wall time | per CPU time |')
    print('|---|---|---|---|---|---|')
    for name in ('numba', 'numpy'):
        if name == 'numpy' or compiled.HAVE_NUMBA:
            figures = _measure_apart(name == 'numba', episodes, repeats)
            print(_line(name, figures), flush=True)
        else:
            print('| numba | not installed | | | | |')


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
    print(f'{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the beginning.\n')
    _print_ticks(arguments.episodes, arguments.repeats)
    print(f'\n{throughput.table(arguments.episodes, arguments.repeats)}', flush=True)
    print(f'\n{by_algorithm.table(arguments.repeats)}', flush=True)
    print(f'\n{matching.table(arguments.repeats)}', flush=True)
    print(f'\n{ir_sim.table(workload.worlds(1)[0], arguments.repeats)}', flush=True)
    print(f'\n{scaling.table(arguments.repeats)}', flush=True)
    print(f'\n{moving.table(arguments.repeats)}')
    print(f'\nLoad average {os.getloadavg()[0]:.1f} at the end.')


if __name__ == '__main__':
    main()
