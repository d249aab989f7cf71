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

"""Kernels for the faults of lidar beams: noise, outliers, mixed pixels, dropout."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
import numpy as np

FAULTS = np.dtype((np.record, [(name, float) for name in (
    'near', 'nothing', 'lost', 'scan_range_min', 'scan_range_max', 'scan_bias', 'scan_scale_error',
    'scan_noise', 'scan_noise_share', 'scan_mixed', 'scan_short', 'scan_long', 'scan_dropout',
    'scan_dropout_run')]))
"""Parameters of `LidarModel`; values reported for too near, no return and dropout [m]."""
NONE, NO_PAIRS = np.empty(0), np.empty((2, 0))
"""Empty draws for a fault that the lidar does not have."""
EDGE = 0.2
"""Minimum difference between the ranges of neighbouring beams at an edge [m]."""
LONG = 0.5
"""Minimum error of a long range [m]."""


@kernel
def apply_faults(ranges, noise, mixed, short, long, lost, faults):
    """
    Replace true ``ranges`` (n,) [m] by the ranges that a lidar with ``faults`` (1,) reports.

    Each fault has its own draws, or none if the lidar does not have it: ``noise`` (n,) is normal;
    ``mixed`` (2, n - 1), ``short`` (2, n), ``long`` (2, n) and ``lost`` (n,) are uniform in 0 to
    1. In a pair, the first draw decides whether the fault occurs, the second its size.
    """
    f = faults[0]
    is_lost = burst_dropout(lost, f.scan_dropout, f.scan_dropout_run)
    for k in range(ranges.size):
        true = seen = ranges[k]
        if k < mixed.shape[1] and mixed[0, k] < f.scan_mixed:
            # Without a return beyond the edge, there is nothing to mix in.
            beside = ranges[k + 1]
            if max(true, beside) < math.inf and abs(beside - true) > EDGE:
                seen += mixed[1, k] * (beside - true)
        if short.size and short[0, k] < f.scan_short:
            seen = short[1, k] * min(seen, f.scan_range_max)
        if long.size and long[0, k] < f.scan_long:
            # The error may take the range beyond the maximum: no return.
            seen += LONG
            seen += long[1, k] * max(f.scan_range_max - seen, 0.0)
        seen += f.scan_bias + f.scan_scale_error * min(seen, f.scan_range_max)
        if noise.size:
            # The range of a beam without return is infinite; its noise must stay finite.
            share = f.scan_noise_share * min(true, f.scan_range_max)
            seen += noise[k] * (math.hypot(f.scan_noise, share) if share else f.scan_noise)
        if is_lost.size and is_lost[k]:
            ranges[k] = f.lost
        elif seen < f.scan_range_min:
            ranges[k] = f.near
        else:
            ranges[k] = seen if seen <= f.scan_range_max else f.nothing


@kernel
def burst_dropout(draws, share, run):
    """
    Return which of n beams are lost, a ``share`` of them in runs of mean length ``run``, (n,).

    A Markov chain of two states (E. N. Gilbert, "Capacity of a burst-noise channel", Bell System
    Technical Journal 39, 1960): the probability of loss depends on whether the previous beam is
    lost. For the shortest runs both probabilities are equal, and losses are independent.

    :param draws: (n,) uniform in 0 to 1.
    """
    stay = max(1.0 - 1.0 / run, share)
    begin = share if stay == share else share * (1.0 - stay) / (1.0 - share)
    lost = draws < begin
    for k in range(draws.size):
        if k == 0:
            lost[k] = draws[k] < share
        elif begin <= draws[k] < stay:
            lost[k] = lost[k - 1]
    return lost
