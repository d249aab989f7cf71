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
Whether a lidar stamps its sweeps when they begin or when they end.

The motion of the robot during a sweep is taken back by `bug_nav.sense.sweep.undistort`.
"""

from __future__ import annotations

import collections
from typing import Deque

from bug_nav.core.interface import Scan

SHORTEST = 0.02
"""A sweep that takes less [s] is as good as a moment."""
LISTENED = 9
"""So many scans are listened to."""
EARLY = 0.02
"""Two clocks of one computer may be so far apart [s]."""


class EndStamps:
    """
    Hears whether a lidar stamps its sweeps when they end, and not, as it should, at the beginning.

    Many drivers take the time at which they publish. Such a scan arrives sooner after its stamp
    than its sweep takes, which none can that is stamped with its first beam.
    """

    def __init__(self) -> None:
        """Begin to listen."""
        self._late: Deque[float] = collections.deque(maxlen=LISTENED)

    def corrected(self, scan: Scan, arrived: float) -> Scan:
        """
        Return a scan with the stamp of its first beam.

        ``arrived`` [s]: when it came, on the clock of the stamps; one of another clock is far off,
        and tells nothing.
        """
        sweep = scan.time_increment * (len(scan.ranges) - 1)
        self._late.append(arrived - scan.stamp)
        late = sorted(self._late)[len(self._late) // 2]
        return scan._replace(stamp=scan.stamp - sweep) if stamped_at_end(late, sweep) else scan


def stamped_at_end(late: float, sweep: float) -> bool:
    """Tell whether a sweep [s] that arrives so late after its stamp [s] was stamped at its end."""
    return sweep >= SHORTEST and -EARLY < late < 0.5 * sweep
