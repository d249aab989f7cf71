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

"""Tables that grow with the number of beams, points or surfels."""

from __future__ import annotations

import numpy as np


def enlarged(table: np.ndarray, more: int, axis: int = 0) -> np.ndarray:
    """Return a copy of a table with ``more`` rows along an axis."""
    size = table.shape[axis]
    result = np.empty((*table.shape[:axis], size + more, *table.shape[axis + 1:]), table.dtype)
    result[(slice(None),) * axis + (slice(size),)] = table  # memory of unused rows is not needed
    return result
