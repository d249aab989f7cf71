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

"""A local minimum of something that is measured along the way."""

from __future__ import annotations

import math


class Valley:
    """Tells when a value that had fallen rises again."""

    def __init__(self, rise: float):
        """``rise``: smaller ups and downs than this are none."""
        self.rise = rise
        self.floor = math.inf
        """The value of the last minimum, or the least one since the last maximum."""
        self._top = -math.inf
        self._falling = False

    def passed(self, value: float) -> bool:
        """Take the next value; tell whether it says that a minimum, `floor`, has been passed."""
        if self._falling:
            self.floor = min(self.floor, value)
            if value > self.floor + self.rise:
                self._falling, self._top = False, value
                return True
        else:
            self._top = max(self._top, value)
            if value < self._top - self.rise:
                self._falling, self.floor = True, value
        return False
