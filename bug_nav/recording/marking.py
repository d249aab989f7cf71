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

"""The kernel that counts in the cells of a map what the beams of a scan tell of them."""

from __future__ import annotations

from bug_nav.core.compiled import kernel

STEP = 0.5
"""A beam is followed in steps of so much of a cell."""


@kernel
def mark(hits, passes, last, count, x, y, cosines, sines, met, cleared):
    """
    Count one scan, the ``count``-th, in ``hits`` and ``passes``.

    All is in cells: the sensor at ``x``, ``y``, how far away each beam has ``met`` something, 0
    where it has not, and how much of its way is ``cleared``. ``last`` holds which scan told of a
    cell last.
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
