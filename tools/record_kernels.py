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
Record calls of kernels from short episodes, for replay in test/kernels.

Run `python tools/record_kernels.py FOLDER [NAME ...]`, where NAME is a part of a kernel's name.
For each kernel that Python calls, a few calls of different sizes are stored in a file: arguments,
answer, and the changed arrays.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from pathlib import Path
import random
import sys
from typing import Any, Dict, Iterator, List

from bug_nav.navigation import compiled
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Scan
from bug_nav.recording.map_builder import MapBuilder
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode, warm_up
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.rays import cast_rays
from bug_nav.simulation.robots import find_robot
import numpy as np

KEPT_POSITIONS = (0.7, 0.0, 0.35)
"""Calls of each kernel that are kept, as positions in the order of size."""
DRAWN = 200
"""Number of calls to choose from."""
LARGEST = 16_000
"""Maximum size of the stored calls of a kernel [byte]."""
DRIFT = OdometryModel(odometry='encoders', odometry_noise=0.05, odometry_bias=0.01)
EPISODES = (
    ('maze', 'bug2', 'burger', 25.0, OdometryModel()), ('u_trap', 'bug1', 'burger', 40.0, DRIFT),
    ('demo', 'tangent_bug', 'burger', 20.0, DRIFT), ('maze', 'vis_bug_21', 'burger', 20.0, DRIFT),
    ('crowd', 'bug2', 'burger', 25.0, OdometryModel()),
    ('random:cluttered?seed=90', 'bug2', 'pioneer', 30.0, DRIFT),
    ('random:doors?seed=1', 'dist_bug', 'burger', 20.0, OdometryModel()),
    ('random:cluttered?seed=94', 'bug2', 'crazyflie', 20.0, OdometryModel()),
    ('random:cluttered?seed=92', 'bug1', 'e_puck', 20.0, OdometryModel()))
"""World, algorithm, robot, simulated time [s] and odometry."""


class Recorder:
    """Wrapper of a kernel that keeps some of its calls."""

    def __init__(self, kernel: Any, name: str):
        """Take the kernel and its name in its module."""
        self.kernel, self.name = kernel, name
        self.calls: List[Dict[str, Any]] = []
        self._count = 0
        self._random = random.Random(name)

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        self._count += 1
        place = self._random.randrange(self._count)
        if ((self._count > DRAWN and place >= DRAWN) or size(arguments) > LARGEST
                # A record is a place in an array that is not among the arguments.
                or any(isinstance(each, np.void) for each in arguments)):
            return self.kernel(*arguments)
        before = copied(arguments)
        answer = self.kernel(*arguments)
        call = {'arguments': before, 'answer': copied(answer), 'changed': changed(
            before, arguments)}
        if len(self.calls) < DRAWN:
            self.calls.append(call)
        else:
            self.calls[place] = call
        return answer

    def chosen(self) -> List[Dict[str, Any]]:
        """Return calls of different sizes."""
        by_size = sorted(self.calls, key=lambda call: size(call['arguments']))
        found: List[Dict[str, Any]] = []
        for place in KEPT_POSITIONS:
            call = by_size[int(place * len(by_size))]
            if sum(size(each['arguments']) for each in [*found, call]) <= LARGEST:
                found.append(call)
        return found


def copied(value: Any) -> Any:
    """Return a copy of an argument or an answer, also within tuples."""
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def size(value: Any) -> int:
    """Return the approximate size of the arrays of an argument in a file [byte]."""
    if isinstance(value, tuple):
        return sum(map(size, value))
    if not isinstance(value, np.ndarray):
        return 0
    return int(np.count_nonzero(value[1:] != value[:-1])) * value.itemsize


def changed(before: Any, after: Any) -> Dict[str, Any]:
    """Return the indices and values that a call changed, by number of the argument."""
    found = {}
    for number, (was, now) in enumerate(zip(before, after)):
        if isinstance(now, np.ndarray):
            differ = was != now
            if not now.dtype.names:  # NaN of a record is one field of many
                differ &= ~((was != was) & (now != now))
            places = np.flatnonzero(differ)
            if places.size:
                found[str(number)] = [places.astype(np.int32), now.ravel()[places]]
    return found


def stored(value: Any, arrays: List[np.ndarray]) -> Any:
    """Return a value for JSON; its arrays are appended to ``arrays``."""
    if isinstance(value, np.ndarray):
        for i, array in enumerate(arrays):
            if (array.dtype, array.shape, array.tobytes()) == (
                    value.dtype, value.shape, value.tobytes()):
                return {'array': i}
        arrays.append(value)
        return {'array': len(arrays) - 1}
    if isinstance(value, dict):
        return {name: stored(each, arrays) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [stored(each, arrays) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def write(path: Path, calls: List[Dict[str, Any]]) -> None:
    """Write calls to a file that numpy reads without pickle."""
    arrays: List[np.ndarray] = []
    text = json.dumps(stored(calls, arrays))
    np.savez_compressed(path, calls=np.frombuffer(text.encode(), dtype=np.uint8),
                        **{str(i): array for i, array in enumerate(arrays)})


def drive() -> None:
    """Drive the episodes; the first call compiles all kernels."""
    builder = MapBuilder()
    for number, (name, algorithm, robot, allowance, odometry) in enumerate(EPISODES):
        world, preset = find_world(name), find_robot(robot)
        sensor = preset.sensor
        if algorithm == 'dist_bug':
            sensor = dataclasses.replace(sensor, scan_sweep_time=0.18)
        if odometry is DRIFT and robot == 'burger':
            sensor = dataclasses.replace(
                sensor, scan_short=0.025, scan_long=0.02, scan_mixed=0.3, scan_dropout=0.03)
        run_episode(world, Pose(*world.start), world.goal, find(algorithm)(), model=preset.model,
                    settings=preset.settings, lidar=sensor, odometry=odometry, seed=number,
                    time_allowance=allowance, keep_samples=False)
    step = 2.0 * math.pi / 120
    for x in (0.0, 0.2):
        ranges = cast_rays(find_world('maze').segments, x, 0.1, 0.0, step, 120, 3.5)
        builder.add(Scan(0.0, ranges, 0.0, step, 0.12, 3.5), Pose(x, 0.1, 0.0))


def recorders() -> Iterator[Recorder]:
    """Replace each kernel by a recorder in all modules of bug_nav."""
    for kernel in compiled.KERNELS:
        own = vars(sys.modules[kernel.py_func.__module__])
        recorder = Recorder(kernel, next(name for name, value in own.items() if value is kernel))
        for name, module in list(sys.modules.items()):
            if name.partition('.')[0] == 'bug_nav':
                for attribute, value in list(vars(module).items()):
                    if value is kernel:
                        setattr(module, attribute, recorder)
        yield recorder


def main() -> None:
    """Record the calls."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('folder', type=Path)
    parser.add_argument('names', nargs='*', metavar='NAME')
    arguments = parser.parse_args()
    warm_up()
    drive()
    recording = list(recorders())
    drive()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for recorder in recording:
        module = recorder.kernel.py_func.__module__
        name = f'{module}.{recorder.name}'
        if recorder.calls and (not arguments.names
                               or any(part in name for part in arguments.names)):
            write(arguments.folder / f'{name.removeprefix("bug_nav.")}.npz', recorder.chosen())


if __name__ == '__main__':
    main()
