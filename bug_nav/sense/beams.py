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
The beams of a scan, told apart: compiled where numba is installed, else as numpy has it.

All that the kernels call is in this file, for numba keeps what it has compiled until the file
changes.
"""

from __future__ import annotations

import math

from bug_nav.core.compiled import either
import numpy as np


def _told_apart_loop(ranges, range_min, range_max, largest, close):
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


def _told_apart_whole(ranges, range_min, range_max, largest, close):
    free = (ranges == math.inf) | ((ranges > range_max) & (ranges <= largest))
    near = (ranges == -math.inf) | ((ranges > 0.0) & (ranges < range_min))
    measured = (ranges >= range_min) & (ranges <= range_max) & (ranges > 0.0)
    read = np.where(free, math.inf, np.where(near | measured, ranges, math.nan))
    count = np.count_nonzero
    return read, count(free), count(near), count(measured), count(measured & (ranges < close))


told_apart = either(_told_apart_loop, _told_apart_whole)
