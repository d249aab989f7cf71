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

"""Kernels that find the beam of a scan in the direction of a place."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
import numpy as np

TURN = 2.0 * math.pi
COEFFICIENTS = (
    0.9999999996155, -0.33333323672260634, 0.19999595986399651, -0.14279049616956843,
    0.11053790690016921, -0.08796135033313308, 0.06710145829512083, -0.044274028775427174,
    0.022203699979387873, -0.007166255494914988, 0.0010845065184761592)
"""Chebyshev fit of atan(sqrt(s)) / sqrt(s) over 0 <= s <= 1, lowest power first."""


@kernel
def fast_atan2(y, x):
    """Return atan2 to within 3e-10 rad, without branches so that the compiler vectorizes it."""
    abs_x, abs_y = abs(x), abs(y)
    largest, least = max(abs_x, abs_y), min(abs_x, abs_y)
    a = least / (largest if largest > 0.0 else 1.0)
    s = a * a
    c = COEFFICIENTS
    angle = a * (c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * (c[5] + s * (
        c[6] + s * (c[7] + s * (c[8] + s * (c[9] + s * c[10]))))))))))
    angle = 0.5 * math.pi - angle if abs_y > abs_x else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@kernel
def beam_width(step):
    """Return the angle between two beams [rad]; a full turn for a single beam without one."""
    return abs(step) if step != 0.0 else TURN


@kernel
def is_full_turn(count, width):
    """Return whether ``count`` beams cover a full turn, so that the last is beside the first."""
    return count > TURN / width - 1.5


@kernel
def look_up_beams(xs, ys, x, y, first, step, beam, distance):
    """
    Write the beam index and the distance of places as seen from a sensor at ``x, y`` [m].

    ``xs`` and ``ys`` [m] are the places. Beam 0 points along ``first`` [rad] and the next one is
    ``step`` [rad] further. The results are ``beam`` (n,), a fractional index from 0 to a full
    turn, and ``distance`` (n,) [m].
    """
    per_turn, sign = TURN / beam_width(step), -1.0 if step < 0.0 else 1.0
    for i in range(beam.size):
        dx, dy = xs[i] - x, ys[i] - y
        distance[i] = math.sqrt(dx * dx + dy * dy)
        turns = sign * (fast_atan2(dy, dx) - first) * (1.0 / TURN)
        beam[i] = (turns - np.floor(turns)) * per_turn  # NaN stays NaN
