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
"""Kernels about the beams of a scan: how they lie, and what each of them tells."""

from __future__ import annotations

import math

from bug_nav.core.compiled import kernel
import numpy as np


@kernel
def angle_between(step):
    """Return the angle from beam to beam [rad]; a turn for a single beam that has none."""
    return abs(step) if step != 0.0 else 2.0 * math.pi


@kernel
def is_whole_turn(step, beams):
    """Return whether the beams make a whole turn, so that the last is beside the first."""
    return beams > 2.0 * math.pi / angle_between(step) - 1.5


@kernel
def told_apart(ranges, range_min, range_max, largest, close):
    """
    Return ranges (n,) in REP-117's words, and how many beams are free, near, measured and close.

    Free is +inf, or beyond ``range_max`` and not beyond ``largest`` [m]; near is -inf, or what is
    not 0 and below ``range_min``; close is what is measured below ``close`` [m]. All else is
    unknown, and NaN.
    """
    read = np.empty(ranges.size)
    free = near = measured = closer = 0
    for i in range(ranges.size):
        r = ranges[i]
        if r == math.inf or range_max < r <= largest:
            read[i] = math.inf
            free += 1
        elif r == -math.inf or 0.0 < r < range_min:
            read[i] = r
            near += 1
        elif 0.0 < r <= range_max:
            read[i] = r
            measured += 1
            closer += r < close
        else:
            read[i] = math.nan
    return read, free, near, measured, closer
