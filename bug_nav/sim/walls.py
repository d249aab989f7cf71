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

"""The walls of a world, however many: those near the robot are kept at hand."""

from __future__ import annotations

import math

from bug_nav.sim import rays
import numpy as np

SKIN = 0.5
"""What is near is gathered this much [m] farther than asked, and stays good for so long a way."""


class Walls:
    """
    Wall segments, asked from places of which each is near the last.

    What lies within reach is gathered once and serves until the place has moved by `SKIN`: the
    neighbour list of L. Verlet, "Computer experiments on classical fluids", Physical Review
    159:98-103, 1967. So a question costs what is near by, whatever the size of the world.
    """

    def __init__(self, segments: np.ndarray):
        """Take all segments (m, 4) [m]: x0, y0, x1, y1."""
        self._all = np.array(segments, dtype=float)
        self._near = np.empty((0, 4))
        self._reach = 0.0
        self._x = self._y = math.inf

    def cast_rays(self, x: float, y: float, first_angle: float, step: float, count: int,
                  range_max: float) -> np.ndarray:
        """Return the ranges of a fan of rays from a place: `rays.cast_rays`."""
        self._gather(x, y, range_max)
        return rays.cast_rays(self._near, x, y, first_angle, step, count, range_max)

    def cast_each(self, origins: np.ndarray, range_max: float) -> np.ndarray:
        """Return the ranges of rays from x, y along theta of ``origins`` (n, 3), a robot's way."""
        middle = 0.5 * (origins.min(axis=0) + origins.max(axis=0))
        extent = float(np.hypot(*(origins - middle)[:, :2].T).max(initial=0.0))
        self._gather(float(middle[0]), float(middle[1]), range_max + extent)
        return rays.cast_each(self._near, origins, range_max)

    def distance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest segment [m]; inf if there is none."""
        self._gather(x, y, self._reach)
        near = rays.distance_to_segments(self._near, x, y)
        if near <= self._reach:
            return near
        return rays.distance_to_segments(self._all, x, y)

    def _gather(self, x: float, y: float, reach: float) -> None:
        """Have at hand all that is within ``reach`` [m] of a place."""
        if reach > self._reach or not math.hypot(x - self._x, y - self._y) < SKIN:
            self._x, self._y, self._reach = x, y, max(reach, self._reach)
            self._near = rays.segments_within(self._all, x, y, self._reach + SKIN)
