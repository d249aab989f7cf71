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

"""Walls of a world, with a neighbour list of those near the robot."""

from __future__ import annotations

import math

from bug_nav.simulation import kinematics, rays
import numpy as np

SKIN = 0.5
"""Additional radius of the neighbour list; it is valid for motion up to this distance [m]."""


class Walls:
    """
    Wall segments, queried at consecutive places that are close together.

    The segments within reach are collected once and reused until the place has moved by `SKIN`:
    the neighbour list of L. Verlet, "Computer experiments on classical fluids", Physical Review
    159:98-103, 1967. The cost of a query depends on the nearby walls, not on the world's size.
    """

    def __init__(self, segments: np.ndarray):
        """Store all segments (m, 4) [m]: x0, y0, x1, y1."""
        self.segments = np.array(segments, dtype=float)
        self.reach = 0.0
        """Distance [m] from the last place within which `near` is complete."""
        self._near = np.empty((0, 4))
        self._x = self._y = math.inf

    def near(self, x: float, y: float, reach: float = 0.0) -> np.ndarray:
        """Return all segments within the larger of ``reach`` and `self.reach` [m], (n, 4)."""
        if reach > self.reach or not math.hypot(x - self._x, y - self._y) < SKIN:
            self._x, self._y, self.reach = x, y, max(reach, self.reach)
            self._near = rays.segments_within(self.segments, x, y, self.reach + SKIN)
        return self._near

    def distance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest segment [m]; inf if there is none."""
        return kinematics.clearance(self.near(x, y), self.segments, self.reach, x, y)

    def cast_rays(self, x: float, y: float, first_angle: float, step: float, count: int,
                  range_max: float) -> np.ndarray:
        """Return the ranges of a fan of rays from a place; see `rays.cast_rays`."""
        return rays.cast_rays(self.near(x, y, range_max), x, y, first_angle, step, count,
                              range_max)

    def cast_each(self, origins: np.ndarray, range_max: float) -> np.ndarray:
        """Return the ranges of rays from x, y along theta of neighbouring ``origins`` (n, 3)."""
        x0, y0, _ = origins.min(axis=0).tolist()
        x1, y1, _ = origins.max(axis=0).tolist()
        extent = 0.5 * math.hypot(x1 - x0, y1 - y0)
        near = self.near(0.5 * (x0 + x1), 0.5 * (y0 + y1), range_max + extent)
        return rays.cast_each(near, origins, range_max)
