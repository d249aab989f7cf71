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
Compile or load the kernels of navigation before time counts, by short drives past a box.

Otherwise a kernel would compile for seconds while a robot drives without control. The cache of an
earlier process may hold only a part of them.
"""

from __future__ import annotations

import contextlib
import gc
import math
from typing import Iterator, Sequence

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.algorithms.vis_bug_21 import VisBug21
from bug_nav.navigation.cspace import disc_rolling
from bug_nav.navigation.cspace.kernels import free_places
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Scan, TickInput
import numpy as np

PERIOD, SCAN_TICKS = 0.05, 4
"""Time between two ticks [s], and number of ticks between two scans."""
BOX, WALKER = (0.7, 0.0, 0.1, 0.2), (-1.6, -2.0, 0.2, 0.45)
"""A box: its centre and half its sides [m]; a disc: its start, radius and speed along y [m/s]."""
OUTLINE = np.linspace(-1.0, 1.0, 101)


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Collect no garbage: the compiler makes many objects and few cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def warm_up() -> None:
    """Compile or load all kernels of navigation."""
    lidar = scan_of(360, 0.0, math.radians(1.0))
    rangers = [scan_of(1, 0.0, 0.26, Pose(0.1 * math.cos(a), 0.1 * math.sin(a), a))
               for a in np.radians(np.arange(-90.0, 91.0, 30.0)).tolist()]
    with without_collection():
        _drive(VisBug21(), Settings(), [lidar], 1.8, 60.0)
        _drive(TangentBug(), Settings(), [lidar._replace(time_increment=0.1 / 360)], 0.7, 60.0)
        _drive(Bug2(), Settings(), [scan_of(115, -1.0, math.radians(1.0))], 0.7, 8.0)
        _drive(Bug2(), Settings(sensing='rangers'), rangers, 2.4, 8.0)
        # These drives never reach the kernels that merge a waiting disc, and that keep the way
        # through a narrow passage free.
        point, radius = np.array([[1.0, 0.0]]), np.array([0.2])
        disc_rolling.resolve_penetration(point, radius, (0.0, 0.0, 1.0, 0.0, 0.2))
        free_places(point, radius, point, 0.0)


def scan_of(count: int, first: float, step: float, mount: Pose = IDENTITY) -> Scan:
    """Return a scan without readings."""
    return Scan(0.0, np.full(count, np.inf), first, step, 0.12, 3.5, mount)


def _drive(algorithm: Algorithm, settings: Settings, sensors: Sequence[Scan], far: float,
           duration: float) -> None:
    """Drive ahead to a goal, past the box and the walker; at most for ``duration`` [s]."""
    navigator, pose = Navigator(algorithm, settings=settings), Pose(-0.6, 0.0, 0.0)
    for tick in range(round(duration / PERIOD)):
        stamp = tick * PERIOD
        navigator.queue.add_pose(stamp, pose, stamp)
        if tick % SCAN_TICKS == 0:
            for sensor in sensors:
                navigator.queue.add_scan(_measured(sensor, pose, stamp), stamp)
        decision = navigator.tick(TickInput(stamp, (far, 0.0)))
        if decision.result is not None:
            return
        pose = pose.compose(Pose(decision.twist.v * PERIOD, 0.0, decision.twist.w * PERIOD))


def _measured(sensor: Scan, pose: Pose, stamp: float) -> Scan:
    """Return a scan with the readings of a sensor."""
    at = pose.compose(sensor.mount)
    away = _outlines(stamp) - at.position
    turn = np.arctan2(away[:, 1], away[:, 0]) - at.theta - sensor.angle_min
    step, ranges = sensor.angle_increment, sensor.ranges.copy()
    beams = ((turn + 0.5 * step) % (2.0 * math.pi) // step).astype(int)
    hit = beams < ranges.size
    np.minimum.at(ranges, beams[hit], np.hypot(*away[hit].T))
    ranges[ranges > sensor.range_max] = math.inf
    ranges[int(stamp / PERIOD) % ranges.size::33] = math.nan if ranges.size > 1 else ranges[0]
    return sensor._replace(stamp=stamp, ranges=ranges)


def _outlines(stamp: float) -> np.ndarray:
    """Return points of the box and of the walker (n, 2) [m]."""
    x, y, a, b = BOX
    east, north, radius, speed = WALKER
    turns, edge = math.pi * OUTLINE, np.ones_like(OUTLINE)
    return np.concatenate([
        *((np.array((x + sx * a, y + sy * b)).T) for sx, sy in (
            (OUTLINE, edge), (OUTLINE, -edge), (edge, OUTLINE), (-edge, OUTLINE))),
        np.array((east + radius * np.cos(turns), north + speed * stamp
                  + radius * np.sin(turns))).T])
