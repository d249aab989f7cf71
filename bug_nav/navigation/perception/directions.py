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

"""Where among the beams of a scan a direction lies: kernels."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
import numpy as np

TURN = 2.0 * math.pi
COEFFICIENTS = (
    0.9999999996155, -0.33333323672260634, 0.19999595986399651, -0.14279049616956843,
    0.11053790690016921, -0.08796135033313308, 0.06710145829512083, -0.044274028775427174,
    0.022203699979387873, -0.007166255494914988, 0.0010845065184761592)
"""Chebyshev fit of atan(sqrt(s)) / sqrt(s) over 0 <= s <= 1, from the lowest power on."""


@kernel
def fast_atan2(y, x):
    """Return atan2 to within 3e-10 rad: without branches, several are computed at once."""
    along, across = abs(x), abs(y)
    largest, least = max(along, across), min(along, across)
    a = least / (largest if largest > 0.0 else 1.0)
    s = a * a
    c = COEFFICIENTS
    angle = a * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * (c[5] + s * (
        c[6] + s * (c[7] + s * (c[8] + s * (c[9] + s * c[10]))))))))))
    angle = 0.5 * math.pi - angle if across > along else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@kernel
def beam_width(step):
    """Return the angle from beam to beam [rad]; a turn for a single beam that has none."""
    return abs(step) if step != 0.0 else TURN


@kernel
def is_full_turn(count, width):
    """Tell whether so many beams are a full turn, the last beside the first."""
    return count > TURN / width - 1.5


@kernel
def look_up(xs, ys, x, y, first, step, at, away):
    """
    Write where among the beams of a sensor at ``x, y`` [m] places lie, and how far away [m].

    ``xs`` and ``ys`` [m] are the places. Beam 0 looks along ``first`` [rad], ``step`` [rad] from
    the next. Written are ``at`` (n,), a number of beams and a fraction from 0 up to a turn, and
    ``away`` (n,).
    """
    per_turn, sign = TURN / beam_width(step), -1.0 if step < 0.0 else 1.0
    for i in range(at.size):
        dx, dy = xs[i] - x, ys[i] - y
        away[i] = math.sqrt(dx * dx + dy * dy)
        turns = sign * (fast_atan2(dy, dx) - first) * (1.0 / TURN)
        at[i] = (turns - np.floor(turns)) * per_turn  # of a place that is not a number, too
