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

"""Detection of a local minimum of a measured value."""

from __future__ import annotations

import math


class LocalMinimumDetector:
    """Detects that a falling value has started to rise."""

    def __init__(self, rise: float):
        """Ignore changes smaller than ``rise``."""
        self.rise = rise
        self.minimum = math.inf
        """The last minimum, or the least value since the last maximum."""
        self._top = -math.inf
        self._falling = False

    def passed(self, value: float) -> bool:
        """Add a value; return whether it shows that a minimum has been passed."""
        if self._falling:
            self.minimum = min(self.minimum, value)
            if value > self.minimum + self.rise:
                self._falling, self._top = False, value
                return True
        else:
            self._top = max(self._top, value)
            if value < self._top - self.rise:
                self._falling, self.minimum = True, value
        return False
