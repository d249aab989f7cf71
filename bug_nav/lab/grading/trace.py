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

"""The trace of a trial: the true state of the robot and the commands, step by step."""

from __future__ import annotations

from typing import List, NamedTuple

from bug_nav.simulation.simulator import Simulator
import numpy as np


class Sample(NamedTuple):
    """The robot after one step of the simulation."""

    stamp: float
    """Simulated time [s]."""
    x: float
    """True position in the world [m]."""
    y: float
    theta: float
    """True heading [rad]."""
    v: float
    """True velocity [m/s]."""
    w: float
    """True angular velocity [rad/s]."""
    command_v: float
    """Newest command [m/s]."""
    command_w: float
    """Newest command [rad/s]."""
    commands: float
    """Number of commands up to now."""
    rejected: float
    """Number of commands up to now that were not finite."""
    contact: float
    """1 in contact with an obstacle, else 0."""


class Counters(NamedTuple):
    """The commands up to now."""

    v: float = 0.0
    w: float = 0.0
    received: int = 0
    rejected: int = 0


def sample_of(simulator: Simulator, counters: Counters) -> Sample:
    """Return the current state of a simulated robot."""
    pose, twist = simulator.pose, simulator.twist
    v, w, received, rejected = counters
    return Sample(simulator.stamp, *pose, twist.v, twist.w, v, w, float(received),
                  float(rejected), float(simulator.in_contact))


def as_table(samples: List[Sample]) -> np.recarray:
    """Return samples as a table with a column for each field of `Sample`."""
    columns = np.dtype([(name, float) for name in Sample._fields])
    return np.array(samples, dtype=columns).view(np.recarray)
