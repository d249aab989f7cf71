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
Comparison of the simulator with ir-sim, a simulator of mobile robots on numpy and shapely.

https://github.com/hanruihua/ir-sim. Both step the same world at 20 Hz with the same lidar and
cast a scan at every step, as ir-sim always does. No algorithm runs: the robot turns in place.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
from pathlib import Path
import tempfile
import time
from typing import Any, Callable, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import Twist
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np
import yaml

STEPS = 200
TURNING = 0.5
"""Angular velocity of the robot [rad/s]."""


def table(world: World, repeats: int) -> str:
    """Return the table of both simulators, or the reason why there is none."""
    try:
        version = importlib.metadata.version('ir-sim')
        with contextlib.redirect_stdout(io.StringIO()):
            theirs = _their_steps(world)
    except ImportError as error:  # PackageNotFoundError is one
        return f'ir-sim is skipped: not installed ({error}).'
    measured = {f'ir-sim {version}': _best(theirs, repeats),
                'bug_nav': _best(_our_steps(world), repeats)}
    lines = [f'Steps of {PERIOD:g} s with a scan of {LidarModel().scan_count} beams each, '
             f'{len(world.segments)} wall segments, no algorithm, no display, best of {repeats}:'
             '\n',
             '| simulator | time per step | simulated per wall time | per CPU time |',
             '|---|---|---|---|']
    for name, (wall, processor) in measured.items():
        lines.append(f'| {name} | {1e6 * wall:.4g} us | {PERIOD / wall:.4g} x | '
                     f'{PERIOD / processor:.4g} x |')
    return '\n'.join(lines)


def clocked(work: Callable[[], Any]) -> Tuple[float, float]:
    """Return the wall time and the CPU time of a call [s]."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def _best(step: Callable[[], Any], repeats: int) -> Tuple[float, float]:
    """Return the wall time and the CPU time of a step [s]."""
    def steps() -> None:
        for _ in range(STEPS):
            step()
    wall, processor = np.min([clocked(steps) for _ in range(repeats)], axis=0)
    return float(wall) / STEPS, float(processor) / STEPS


def _our_steps(world: World) -> Callable[[], Any]:
    assert world.start is not None
    simulator = Simulator(world, Pose(*world.start))

    def step() -> None:
        simulator.step(Twist(0.0, TURNING), PERIOD)
        simulator.scan()
    return step


def _their_steps(world: World) -> Callable[[], Any]:
    import irsim
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'world.yaml'
        path.write_text(yaml.safe_dump(_their_world(world)))
        env = irsim.make(str(path), display=False, disable_all_plot=True, log_level='ERROR')
    return lambda: env.step([0.0, TURNING])


def _their_world(world: World) -> dict:
    """Return the world, the robot at its start and the lidar in the format of ir-sim."""
    model, lidar = RobotModel(), LidarModel()
    low, high = np.array(world.bounds[:2]) - 2.0, np.array(world.bounds[2:]) + 2.0
    width, height = (high - low).tolist()
    return {
        'world': {'width': width, 'height': height, 'offset': low.tolist(),
                  'step_time': PERIOD, 'sample_time': PERIOD},
        'robot': [{
            'kinematics': {'name': 'diff'},
            'shape': {'name': 'circle', 'radius': model.robot_radius},
            'state': list(world.start or ()), 'goal': [*(world.goal or ()), 0.0],
            'vel_max': [model.max_vel_x, model.max_vel_theta],
            'sensors': [{
                'name': 'lidar2d', 'number': lidar.scan_count,
                'range_min': lidar.scan_range_min, 'range_max': lidar.scan_range_max,
                'angle_range': lidar.scan_angle_max - lidar.scan_angle_min,
                'noise': True, 'std': lidar.scan_noise, 'offset': list(lidar.mount)}]}],
        'obstacle': [{'shape': {'name': 'polygon', 'vertices': solid.tolist()},
                      'state': [0.0, 0.0, 0.0]} for solid in world.solids]}
