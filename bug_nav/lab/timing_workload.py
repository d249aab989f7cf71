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

"""Workload of the timings: Bug2 in worlds of about 100 wall segments, with fixed seeds."""

from __future__ import annotations

import time
from typing import Any, Callable, List, Tuple

from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Decision, Observation
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.generators import cluttered
from bug_nav.simulation.world import World

SEGMENTS = (90, 110)
"""Minimum and maximum number of wall segments of the worlds."""


def worlds(count: int) -> List[World]:
    """Return the first cluttered worlds with a number of segments in `SEGMENTS`."""
    found: List[World] = []
    seed = 0
    while len(found) < count:
        world = cluttered(seed)
        if SEGMENTS[0] <= len(world.segments) <= SEGMENTS[1]:
            found.append(world)
        seed += 1
    return found


def drive(world: World, **options: Any) -> EpisodeResult:
    """Drive Bug2 to the goal of a world."""
    assert world.start is not None and world.goal is not None
    return run_episode(world, Pose(*world.start), world.goal, Bug2(), keep_samples=False,
                       **options)


def ticks(world: World, **options: Any) -> List[float]:
    """Drive and return the time of each tick [us]."""
    times: List[float] = []

    class Timed(Navigator):

        def tick(self, observation: Observation) -> Decision:
            began = time.perf_counter()
            decision = super().tick(observation)
            times.append(1e6 * (time.perf_counter() - began))
            return decision

    drive(world, navigator_type=Timed, **options)
    return times


def clocked(work: Callable[[], Any]) -> Tuple[float, float]:
    """Return the wall time and the CPU time of a call [s]."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor
