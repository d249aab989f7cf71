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

"""Worlds of thin walls, and a table of the surfels observed in them."""

from __future__ import annotations

from bug_nav.navigation.perception.alignment import align
from bug_nav.navigation.perception.beams import beams_of
from bug_nav.navigation.perception.surfels import (
    extract,
    NOISE_BINS,
    SURFEL,
    update_surfels,
)
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np

BODY = 0.124
LOOSE = np.diag((1e-2, 1e-2, 1e-2))
"""Covariance of a first guess that is accurate to 10 cm and 0.1 rad."""


def walls(*corners):
    """Return a world of thin walls, each from a corner to another."""
    return World('walls', tuple(
        np.array([(x, y), (u, v), (u + 0.01, v + 0.02), (x + 0.01, y + 0.02)])
        for (x, y), (u, v) in corners))


ROOM = walls(((-1, -1), (2, -1)), ((-1, 1), (2, 1)), ((-1, -1), (-1, 1)), ((2, -1), (2, 1)))
CORRIDOR = walls(((-9, -1), (9, -1)), ((-9, 1), (9, 1)))


def surfels_of(world, pose, noise=0.0, seed=0):
    """Return the surfels of a scan taken at a pose in a world."""
    return surfels(Simulator(world, pose, lidar=LidarModel(scan_noise=noise), seed=seed).scan(),
                   noise=max(noise, 0.003))


def surfels(scan, body=BODY, noise=0.01, scatter=None):
    """Return the surfels of a scan whose ranges have a standard deviation ``noise`` [m]."""
    ranges = np.asarray(scan.ranges, dtype=float)
    geometry, directions = beams_of(scan, scan.mount)
    return extract(ranges, geometry[0], directions, body, np.full(NOISE_BINS, noise**2),
                   np.empty((NOISE_BINS, 2)) if scatter is None else scatter)


class Table:
    """A table of surfels in the format of the kernels."""

    def __init__(self):
        self.rows, self.heads, self.count = np.empty(4000, SURFEL), np.full(1 << 12, -1), 0

    @property
    def known(self):
        """Return a copy of the surfels."""
        return self.rows[:self.count].copy()

    def enter(self, seen, pose, onto=None, covariance=None, view=0):
        """Add the surfels of a scan."""
        onto = np.full(len(seen), -1) if onto is None else onto
        self.count = update_surfels(self.rows, self.heads, self.count, seen, onto, tuple(pose),
                                    np.zeros((3, 3)) if covariance is None else covariance, view)

    def align(self, seen, guess, covariance=LOOSE):
        """Align the surfels of a scan; return the pose, its covariance, the fit, the matches."""
        known, onto = np.empty((3, 3)), np.empty(len(seen), dtype=int)
        pose, *fit = align(self.rows, self.heads, seen, tuple(guess), covariance,
                           0.0, np.empty((3, 3)), known, onto, np.empty(2))
        return (pose, known, *fit, onto)
