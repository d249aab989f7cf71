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
The queue of scans that wait until odometry covers the time they were taken at.

Nothing arrives together. Odometry may be slower than the scans, or later, or stamped by another
clock, and messages are lost, doubled and overtaken on the way. So each scan waits, for a bounded
time, until odometry covers its whole sweep; a scan that cannot be placed is dropped, and counted
by its reason. Fresh is what was *placed*, both in the data's own time and on a steady clock.
"""

from __future__ import annotations

import collections
import math
from typing import Counter, Deque, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import IDENTITY, Pose, PoseHistory
from bug_nav.navigation.types import Scan

LARGEST_SKEW = 0.35
"""Scans further ahead of odometry, or behind, are not placed [s]; less may be mere delay."""
NOTABLE_SKEW = 0.15
"""From here on the skew is told of [s]."""
LEAP = 1.0
"""Odometry's stamps that are so far from where they should be [s] are of another time ..."""
AGREE = 3
"""... which begins where so many on end are."""
LONGEST_GAP = 0.5
"""Between two poses further apart than this [s] it is not known where a scan was taken."""
QUEUE = 64
"""So many scans wait at most ..."""
PATIENCE = 1.0
"""... for so long [s]."""
SOON = 0.04
"""A scan that is followed so soon [s] by another is not needed: no tick wants more of them."""
SAMPLES = 9
"""The skew is the median of so many scans."""
SHORTEST = 0.02
"""Maximum duration of a sweep that counts as instantaneous [s]."""
LISTENED = 9
"""Number of scans that decide whether a lidar stamps its sweeps at their end."""
EARLY = 0.02
"""Maximum difference between two clocks of one computer [s]."""

STUCK = 'the lidar says the very same, bit for bit, while the robot moves: it is stuck'
"""Why a scan is unusable that repeats the one before."""


class Placed(NamedTuple):
    """A scan and where it was taken, in the odometry's frame."""

    scan: Scan
    pose: Pose
    """At the last beam."""
    moved: Pose
    """The pose at the first beam, in the frame of the one at the last."""
    stamp: float
    """Of the last beam [s]."""


class _Waiting(NamedTuple):
    scan: Scan
    end: float
    at: float


class SensorQueue:
    """Takes odometry and scans in as they arrive, and gives out scans that are placed."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self.placed = 0
        self.dropped: Counter[str] = collections.Counter()
        """How many scans were not used, by the reason."""
        self.unusable = ''
        """Why the newest scan was unusable, '' where it was used."""
        self.skew = 0.0
        """How far the stamps of scans are ahead of odometry's [s]; 0 while it is not known."""
        self.newest: Optional[Tuple[float, Pose]] = None
        """The newest odometry that is believed: its stamp and the pose."""
        self.pose_at = self.placed_at = -math.inf
        """When odometry came last that was newer, and when a scan was placed [s on the clock]."""
        self._placed_end = -math.inf
        self._heard = -math.inf
        self._history = PoseHistory()
        self._queue: Deque[_Waiting] = collections.deque()
        self._leads: Deque[float] = collections.deque(maxlen=SAMPLES)
        self._other_time: List[Tuple[float, Pose, float]] = []

    # ---- what comes in ------------------------------------------------------------------------

    def add_pose(self, stamp: float, pose: Pose, at: float) -> None:
        """Take in odometry of ``stamp`` [s] that has arrived ``at`` [s on a steady clock]."""
        if not math.isfinite(stamp + pose.x + pose.y + pose.theta):
            return
        if self.newest is not None:
            expected = self.newest[0] + max(at - self.pose_at, 0.0)
            if abs(stamp - expected) > LEAP:
                return self._doubt(stamp, pose, at)
            self._other_time.clear()
            if stamp <= self.newest[0]:
                return  # doubled, or overtaken: the one that is newer is there already
        self._history.append(stamp, pose)
        self.newest = stamp, pose
        self.pose_at = at

    def _doubt(self, stamp: float, pose: Pose, at: float) -> None:
        """Keep odometry of another time, and believe it once enough on end agree on that time."""
        others = self._other_time
        if others and abs(stamp - others[-1][0] - (at - others[-1][2])) > LEAP:
            others.clear()
        if not others or stamp > others[-1][0]:
            others.append((stamp, pose, at))
        if len(others) < AGREE:
            return
        # A clock was set: nothing of before it can be compared with what comes after.
        self._history = PoseHistory()
        while self._queue:
            self._queue.pop()
            self._drop('from before the clock was set')
        self._leads.clear()
        self.skew = 0.0
        self._heard = self._placed_end = -math.inf
        for each in others:
            self._history.append(*each[:2])
        self.newest, self.pose_at = others[-1][:2], at
        others.clear()

    def add_scan(self, scan: Scan, at: float) -> None:
        """
        Take in a scan that has arrived ``at`` [s on a steady clock].

        A scan of one beam is what a single ranger has measured, one of many that belong together.
        """
        end = scan.stamp + scan.time_increment * (len(scan.ranges) - 1)
        if not math.isfinite(end):
            self._drop('a stamp that is no number')
            return
        if not len(scan.ranges):
            self.reject('the scan has no beams')
            return
        if self.newest is not None:
            lead = end - self.newest[0] - max(at - self.pose_at, 0.0)
            self._leads.append(lead)
            self.skew = sorted(self._leads)[len(self._leads) // 2]
            if abs(lead) > LARGEST_SKEW:
                self._drop('stamps out of step with odometry')
                return
            # Only of such: by the stamp of one from a time to come, all after it would be older.
            if len(scan.ranges) > 1:
                if end <= self._heard:
                    self._drop('older than the one before')
                    return
                self._heard = end
        if len(self._queue) == QUEUE:
            self._queue.popleft()
            self._drop('too many at once')
        self._queue.append(_Waiting(scan, end, at))

    def _drop(self, why: str) -> None:
        self.dropped[why] += 1

    # ---- what goes out ------------------------------------------------------------------------

    def ready(self, now: float) -> List[Placed]:
        """
        Return the scans that can be placed by now [s on the steady clock], oldest first.

        Of a lidar that is faster than the ticks, scans that a newer one repeats are left out. Each
        scan that is returned is to be answered with `accept` or `reject`.
        """
        if not self._queue:
            return []
        ready: List[_Waiting] = []
        waiting, self._queue = self._queue, collections.deque()
        for each in waiting:
            why = self._why_not(each, now)
            if why is None:
                self._queue.append(each)
            elif why:
                self._drop(why)
            else:
                ready.append(each)
        placed = []
        for k, each in enumerate(ready):
            for later in ready[k + 1:]:
                if _is_seen_again(each.scan, later.scan):
                    break
            else:
                placed.append(self._placed(each))
        return placed

    def _why_not(self, waiting: _Waiting, now: float) -> Optional[str]:
        """Return why a scan cannot be placed, '' where it can and None where it may yet."""
        if waiting.end > self._history.newest:
            return None if now - waiting.at <= PATIENCE else 'no odometry of their time'
        if waiting.scan.stamp < self._history.oldest:
            return 'older than all odometry'
        if self._history.gap(waiting.scan.stamp, waiting.end) > LONGEST_GAP:
            return 'a gap in the odometry of their time'
        return ''

    def _placed(self, waiting: _Waiting) -> Placed:
        scan, end = waiting.scan, waiting.end
        pose = self._history.at(end)
        assert pose is not None  # for the history reaches as far
        moved = IDENTITY
        if scan.time_increment != 0.0:
            first = self._history.at(scan.stamp)
            assert first is not None  # it is older than the last beam
            moved = pose.inverse().compose(first)
        return Placed(scan, pose, moved, end)

    def accept(self, placed: Placed, now: float) -> None:
        """Take note that a scan is used, now [s on the steady clock]."""
        self.placed += 1
        self.unusable = ''
        self.placed_at, self._placed_end = now, max(placed.stamp, self._placed_end)

    def reject(self, why: str) -> None:
        """Take note that a scan is unusable, and why."""
        self.unusable = why
        self._drop('the very same as before' if why == STUCK else 'nothing usable in them')

    # ---- how good it is -----------------------------------------------------------------------

    @property
    def lag(self) -> float:
        """Return how old the newest scan that was placed is, in the data's own time [s]."""
        return self.newest[0] - self._placed_end if self.newest is not None else math.inf

    @property
    def trouble(self) -> str:
        """Return what is wrong with the data, in one sentence; '' for nothing."""
        return self.skewed or self.unusable

    @property
    def skewed(self) -> str:
        """Return how far stamps are out of step, in one sentence; '' where not notably."""
        if abs(self.skew) <= NOTABLE_SKEW:
            return ''
        which = 'ahead of' if self.skew > 0.0 else 'behind'
        return (f'scan stamps are {abs(self.skew):.2f} s {which} odometry: are both '
                "computers' clocks in step, or is one of them late?")

    @property
    def out_of_step(self) -> bool:
        """Tell whether the stamps of scans and odometry cannot be brought together."""
        return abs(self.skew) > LARGEST_SKEW

    @property
    def is_bearable(self) -> bool:
        """Tell whether the robot drives with the trouble there is: a small skew only slows it."""
        return not (self.out_of_step or self.unusable)


def _is_seen_again(scan: Scan, later: Scan) -> bool:
    """Tell whether a later scan soon looks the same way; parts and other lidars do not."""
    return (len(scan.ranges) > 1 and len(later.ranges) > 1 and later.stamp - scan.stamp < SOON
            and (scan.mount, scan.angle_min) == (later.mount, later.angle_min))


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
