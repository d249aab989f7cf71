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

"""Kernel that counts hits and passes of the beams of a scan in the cells of a map."""

from __future__ import annotations

from bug_nav.navigation.compiled import kernel

STEP = 0.5
"""Step along a beam [cells]."""


@kernel
def mark(hits, passes, last, count, x, y, cosines, sines, met, cleared):
    """
    Count one scan, the ``count``-th, in ``hits`` and ``passes``.

    All lengths are in cells: sensor position ``x``, ``y``, distance of the hit of each beam
    ``met`` (0 for none), and length ``cleared``. ``last`` is the last scan that counted in a cell.
    """
    for i in range(met.size):
        if met[i] > 0.0:
            row, column = int(y + met[i] * sines[i]), int(x + met[i] * cosines[i])
            if last[row, column] != count:
                last[row, column] = count
                hits[row, column] += 1
    for i in range(cleared.size):
        k = 0
        while (k + 0.5) * STEP < cleared[i]:
            away = (k + 0.5) * STEP
            row, column = int(y + away * sines[i]), int(x + away * cosines[i])
            if last[row, column] != count:
                last[row, column] = count
                passes[row, column] += 1
            k += 1
