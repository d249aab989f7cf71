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

"""Cost of scan matching per scan, and its effect on simulation speed."""

from __future__ import annotations

import time
from typing import List, Tuple

from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.scan_matcher import ScanMatcher
from bug_nav.navigation.settings import DRIFT_CORRECTIONS, Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode, warm_up
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np

WORLD = 'maze'
SCANS = 300
TARGET_TIME = 150.0
"""Target time to match a scan of 360 beams [us]."""
TARGET_SPEED = 2500.0
"""Target of simulated time / CPU time of Bug2 with scan matching."""


def table(repeats: int) -> str:
    """Return a table of time per scan, and of Bug2's simulated / CPU time with and without it."""
    warm_up()
    mean, p50, p99 = scan_times(repeats)
    beams = LidarModel().scan_count
    lines = [f'Matching a scan of {beams} beams ({SCANS} scans in `{WORLD}`): '
             f'mean {mean:.0f} us (target {TARGET_TIME:g}), p50 {p50:.0f} us, p99 {p99:.0f} us. '
             'Bug2 there, on one core:\n',
             '| drift_correction | simulated per CPU time |', '|---|---|']
    for correction in DRIFT_CORRECTIONS:
        rate = max(_rate(correction) for _ in range(repeats))
        target = f' (target {TARGET_SPEED:g})' if correction == 'scan_matching' else ''
        lines.append(f'| {correction} | {rate:.4g} x{target} |')
    return '\n'.join(lines)


def scan_times(repeats: int) -> Tuple[float, float, float]:
    """Return mean, median and 99th percentile of the time per scan [us], best of several runs."""
    world = find_world(WORLD)
    assert world.start is not None
    seen: List[Tuple] = []

    def keep(robot: Simulator, *_: object) -> None:
        if robot.stamp >= 0.2 * len(seen):
            seen.append((robot.scan(), robot.odometry))

    run_episode(world, Pose(*world.start), world.goal or (0.0, 0.0), Bug2(), seed=1, watch=keep,
                keep_samples=False)
    times = []
    for _ in range(repeats):
        matching, taken = ScanMatcher(), []
        for scan, pose in seen[:SCANS]:
            began = time.perf_counter()
            matching.place(scan, pose)
            taken.append(time.perf_counter() - began)
        times.append(taken)
    best = 1e6 * np.min(times, axis=0)
    return float(best.mean()), float(np.percentile(best, 50)), float(np.percentile(best, 99))


def _rate(correction: str) -> float:
    world = find_world(WORLD)
    assert world.start is not None and world.goal is not None
    began = time.process_time()
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), seed=1,
                          settings=Settings(drift_correction=correction), keep_samples=False)
    return episode.time / (time.process_time() - began)
