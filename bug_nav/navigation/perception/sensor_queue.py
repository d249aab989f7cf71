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
The queue of scans that wait for odometry at their own time.

Messages do not arrive together. Odometry may be slower than the scans, delayed, or stamped by
another clock, and messages may be lost, duplicated or reordered. Therefore each scan waits, for a
bounded time, until odometry covers its whole sweep. A scan that cannot be placed is dropped, and
counted by its reason. Freshness is that of *placed* scans, in the time of the data and on a steady
clock.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from typing import Counter, Deque, Dict, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import Pose, PoseHistory, wrap
from bug_nav.navigation.types import Scan
import numpy as np

MAX_SKEW = 0.35
"""Maximum offset between the stamps of scans and odometry [s]; less may be mere delay."""
REPORTED_SKEW = 0.15
"""Offset above which the skew is reported [s]."""
CLOCK_JUMP = 1.0
"""Minimum error of odometry stamps that indicates that a clock was set [s]."""
CLOCK_JUMP_POSES = 3
"""Number of consecutive stamps that must agree on this."""
MAX_GAP = 0.5
"""Maximum time between two poses between which a scan is placed [s]."""
QUEUE = 64
"""Maximum number of waiting scans."""
MAX_WAIT = 1.0
"""Maximum waiting time of a scan [s]."""
REPEAT_PERIOD = 0.04
"""
Maximum time to the next scan for which a scan is skipped, because a tick needs only one [s].
"""
PERIOD_WINDOW = 9
"""Number of scans whose mean period is the time of a turn."""
COUNT_WINDOW, MIN_COUNT = 5, 0.9
"""
Number of scans whose median is the usual number of beams, and minimum share of it in a complete
one.
"""
SKEW_WINDOW = 9
"""Number of scans whose median is the skew."""
INSTANT_SWEEP = 0.02
"""Maximum duration of a sweep that counts as instantaneous [s]."""
MAX_SWEEP = 0.5
"""Maximum duration of a sweep that is assumed [s]."""
RATE_SPAN = 0.05
"""Minimum time over which the turning rate is measured [s]."""
END_STAMP_WINDOW = 9
"""Number of scans that decide whether a lidar stamps its sweeps at their end."""
CLOCK_TOLERANCE = 0.02
"""Maximum difference between two clocks of one computer [s]."""

NO_SWEEP = np.empty((0, 4))
"""The poses of a sweep that takes no time."""
STUCK = ('the lidar repeats the same scan while the robot moves by odometry: the lidar is stuck, '
         'or the robot is held, or its wheels slip')
"""Reason to reject a scan that repeats the one before."""


class UnusableScan(Exception):
    """A scan that cannot be used, with the reason."""


class Placed(NamedTuple):
    """A scan and the odometry poses at which it was taken."""

    scan: Scan
    pose: Pose
    """Pose at the last beam."""
    stamp: float
    """Stamp of the last beam [s]."""
    rate: float = 0.0
    """Turning rate at the last beam [rad/s]."""
    sweep: np.ndarray = NO_SWEEP
    """Stamps [s] and poses that enclose the sweep, (n, 4), oldest first; none without a sweep."""
    began: float = math.nan
    """Stamp of the oldest beam [s]."""
    is_assumed: bool = False
    """Whether the message gives no times of the beams; they are then since the scan before."""


class _Waiting(NamedTuple):
    scan: Scan
    end: float
    at: float
    period: float  # of the scans of its sensor [s]


@dataclasses.dataclass
class _Sensor:
    """The scans of one sensor; ends are stamps of the last beam [s]."""

    unusable: str = ''  # why the newest scan was rejected; empty if it was used
    used_at: float = -math.inf  # when a scan was last used [s on the steady clock]
    used_end: float = -math.inf  # of the newest scan that was used
    last_end: float = -math.inf  # of the newest scan
    counts: Deque[int] = dataclasses.field(  # numbers of beams of the newest scans
        default_factory=lambda: collections.deque(maxlen=COUNT_WINDOW))
    periods: Deque[float] = dataclasses.field(  # times between the newest scans, used or not [s]
        default_factory=lambda: collections.deque(maxlen=PERIOD_WINDOW))

    def mean_period(self, newest: float) -> float:
        """
        Return the time of a turn with the ``newest`` period [s].

        A lidar turns at a constant rate, and stamps scatter: by the period of a scheduler, or
        where a scan was lost on its way, whose period is left out.
        """
        if math.isinf(newest):  # of the first scan
            return newest
        self.periods.append(newest)
        longest = 1.5 * sorted(self.periods)[len(self.periods) // 2]
        usual = [period for period in self.periods if period <= longest]
        return sum(usual) / len(usual)

    def is_incomplete(self, scan: Scan) -> bool:
        """
        Return whether its newest scan has far fewer beams than most.

        Some drivers stretch the readings of an incomplete turn over the full circle.
        """
        self.counts.append(len(scan.ranges))
        return len(scan.ranges) < MIN_COUNT * sorted(self.counts)[len(self.counts) // 2]


class SensorQueue:
    """Accepts odometry and scans as they arrive, and returns placed scans."""

    def __init__(self) -> None:
        """Start empty."""
        self.placed = 0
        self.dropped: Counter[str] = collections.Counter()
        """Number of dropped scans by reason."""
        self.skew = 0.0
        """Offset of the stamps of scans from those of odometry [s]; 0 while unknown."""
        self.compensated = 0.0
        """Part of it that scan matching has measured, and that is removed from the stamps [s]."""
        self.newest: Optional[Tuple[float, Pose]] = None
        """Stamp and pose of the newest accepted odometry."""
        self.pose_at = -math.inf
        """When newer odometry last arrived [s on the steady clock]."""
        self._sensors: Dict[Pose, _Sensor] = collections.defaultdict(_Sensor)
        """The sensors, by their mounts."""
        self._history = PoseHistory()
        self._queue: Deque[_Waiting] = collections.deque()
        self._skews: Deque[float] = collections.deque(maxlen=SKEW_WINDOW)
        self._jumped_poses: List[Tuple[float, Pose, float]] = []

    # ---- input --------------------------------------------------------------------------------

    def add_pose(self, stamp: float, pose: Pose, at: Optional[float] = None) -> None:
        """
        Add odometry of ``stamp`` [s] when it arrives.

        ``at`` [s] is the time of arrival on the steady clock of the observations; by default the
        stamp.
        """
        at = stamp if at is None else at
        if not math.isfinite(stamp + pose.x + pose.y + pose.theta):
            return
        if self.newest is not None:
            expected = self.newest[0] + max(at - self.pose_at, 0.0)
            if abs(stamp - expected) > CLOCK_JUMP:
                return self._check_clock_jump(stamp, pose, at)
            self._jumped_poses.clear()
            if stamp <= self.newest[0]:
                return  # duplicate or reordered
        self._history.append(stamp, pose)
        self.newest = stamp, pose
        self.pose_at = at

    def _check_clock_jump(self, stamp: float, pose: Pose, at: float) -> None:
        """Store odometry with stamps of another clock, and switch to it if several agree."""
        others = self._jumped_poses
        if others and abs(stamp - others[-1][0] - (at - others[-1][2])) > CLOCK_JUMP:
            others.clear()
        if not others or stamp > others[-1][0]:
            others.append((stamp, pose, at))
        if len(others) < CLOCK_JUMP_POSES:
            return
        # A clock was set: data from before cannot be compared with later data.
        self._history = PoseHistory()
        self.drop_waiting('received before a clock was set')
        self._skews.clear()
        self.skew = 0.0
        for sensor in self._sensors.values():
            sensor.last_end = sensor.used_end = -math.inf
        for each in others:
            self._history.append(*each[:2])
        self.newest, self.pose_at = others[-1][:2], at
        others.clear()

    def add_scan(self, scan: Scan, at: Optional[float] = None) -> None:
        """
        Add a scan when it arrives; ``at`` is as for `add_pose`.

        A scan of one beam is the reading of a single ranger.
        """
        at = scan.stamp if at is None else at
        if self.compensated:
            scan = scan._replace(stamp=scan.stamp - self.compensated)
        end = scan.stamp + scan.time_increment * (len(scan.ranges) - 1)
        sensor = self._sensors[scan.mount]
        period = end - sensor.last_end
        if not math.isfinite(end):
            self._drop('stamp is not a number')
            return
        if not len(scan.ranges):
            self.reject(scan, 'the scan has no beams')
            return
        if self.newest is not None:
            skew_now = end + self.compensated - self.newest[0] - max(at - self.pose_at, 0.0)
            self._skews.append(skew_now)
            self.skew = sorted(self._skews)[len(self._skews) // 2]
            if abs(skew_now) > MAX_SKEW:
                self._drop('stamp too far from odometry')
                return
            # A clock was set. The scans are used again once their median has followed, before
            # which the robot has stopped: a scan taken in a turn would rotate the map.
            if len(self._skews) == SKEW_WINDOW and abs(skew_now - self.skew) > REPORTED_SKEW:
                self._drop('offset from odometry has just changed')
                return
            # Only now: a stamp in the future would make all later scans older.
            if period <= 0.0:
                self._drop('older than the previous scan')
                return
            sensor.last_end = end
        if sensor.is_incomplete(scan):
            self._drop('fewer beams than usual: an incomplete sweep')
            return
        if len(self._queue) == QUEUE:
            self._queue.popleft()
            self._drop('queue is full')
        self._queue.append(_Waiting(scan, end, at, sensor.mean_period(period)))

    def compensate(self, skew: float) -> None:
        """Remove a clock skew ahead of odometry [s] from the stamps of waiting and later scans."""
        later = self.compensated - skew
        self._queue = collections.deque(
            each._replace(scan=each.scan._replace(stamp=each.scan.stamp + later),
                          end=each.end + later) for each in self._queue)
        for sensor in self._sensors.values():
            sensor.last_end += later
            sensor.used_end += later
        self.compensated = skew

    def drop_waiting(self, reason: str) -> None:
        """Drop the scans that are not placed yet, with the reason."""
        while self._queue:
            self._queue.pop()
            self._drop(reason)

    def _drop(self, reason: str) -> None:
        self.dropped[reason] += 1

    # ---- output -------------------------------------------------------------------------------

    def ready(self, now: float) -> List[Placed]:
        """
        Return the scans that can be placed now [s on the steady clock], oldest first.

        Scans that are superseded by a newer one within the same tick are skipped. Call `accept` or
        `reject` for each scan that is returned.
        """
        if not self._queue:
            return []
        ready: List[_Waiting] = []
        waiting, self._queue = self._queue, collections.deque()
        for each in waiting:
            reason = self._drop_reason(each, now)
            if reason is None:
                self._queue.append(each)
            elif reason:
                self._drop(reason)
            else:
                ready.append(each)
        placed = []
        for k, each in enumerate(ready):
            for later in ready[k + 1:]:
                if _is_superseded(each.scan, later.scan):
                    break
            else:
                placed.append(self._placed(each))
        return placed

    def _drop_reason(self, waiting: _Waiting, now: float) -> Optional[str]:
        """Return why a scan cannot be placed: empty if it can, None if it must wait."""
        if waiting.end > self._history.newest:
            return None if now - waiting.at <= MAX_WAIT else 'no odometry for the sweep'
        if waiting.scan.stamp < self._history.oldest:
            return 'older than all odometry'
        if self._history.gap(waiting.scan.stamp, waiting.end) > MAX_GAP:
            return 'gap in the odometry'
        return ''

    def _placed(self, waiting: _Waiting) -> Placed:
        scan, end = waiting.scan, waiting.end
        pose = self._history.at(end)
        assert pose is not None  # the history covers it
        began, sweep = scan.stamp, NO_SWEEP
        is_assumed = scan.time_increment == 0.0
        if (is_assumed and waiting.period < MAX_SWEEP
                and waiting.period <= end - self._history.oldest
                and abs(self.remaining_skew) <= REPORTED_SKEW):
            began -= waiting.period
        if began < end:
            sweep = np.array(self._history.between(began, end))
        return Placed(scan, pose, end, self._rate(end, pose), sweep, began, is_assumed)

    def _rate(self, end: float, pose: Pose) -> float:
        """Return the turning rate between a time [s] and that of the skew before [rad/s]."""
        span = self.remaining_skew
        if abs(span) < RATE_SPAN:
            span = RATE_SPAN
        other = self._history.at(min(end - span, self._history.newest))
        return wrap(pose.theta - other.theta) / span if other is not None else 0.0

    def accept(self, placed: Placed, now: float) -> None:
        """Record that a scan was used, now [s on the steady clock]."""
        self.placed += 1
        sensor = self._sensors[placed.scan.mount]
        sensor.unusable, sensor.used_at = '', now
        sensor.used_end = max(placed.stamp, sensor.used_end)

    def reject(self, scan: Scan, reason: str) -> None:
        """Record that a scan is unusable, with the reason."""
        self._sensors[scan.mount].unusable = reason
        self._drop('identical to the previous scan' if reason == STUCK else 'unusable')

    # ---- quality ------------------------------------------------------------------------------

    # The robot is partly blind if one of its sensors fails: the worst one counts.

    @property
    def placed_at(self) -> float:
        """Return when the sensor that is silent longest had a placed scan [s, steady clock]."""
        return min((each.used_at for each in self._sensors.values()), default=-math.inf)

    @property
    def lag(self) -> float:
        """Return the age of its newest placed scan in the time of the data [s]."""
        end = min((each.used_end for each in self._sensors.values()), default=-math.inf)
        return self.newest[0] - end if self.newest is not None else math.inf

    @property
    def unusable(self) -> str:
        """Return why the newest scan of a sensor was rejected; empty if all were used."""
        return next((each.unusable for each in self._sensors.values() if each.unusable), '')

    def silent(self, since: float) -> List[Pose]:
        """
        Return the mounts of the sensors without a placed scan since then.

        ``since`` is on the steady clock [s]. Empty if that applies to all sensors.
        """
        found = [mount for mount, each in self._sensors.items() if each.used_at < since]
        return found if len(found) < len(self._sensors) else []

    @property
    def problem(self) -> str:
        """Return the problem with the data in one sentence; empty for none."""
        if self.is_skewed:  # no scan is placed
            return self.skew_message or self.unusable
        return self.unusable or self.skew_message

    @property
    def skew_message(self) -> str:
        """Return the clock skew in one sentence; empty if it is small."""
        offset = self.remaining_skew
        if abs(offset) <= REPORTED_SKEW:
            return ''
        which, late = ('ahead of', 'odometry') if offset > 0.0 else ('behind', 'the scans')
        return (f'scan stamps are {abs(offset):.2f} s {which} odometry: synchronize the '
                f'clocks, or reduce the delay of {late}')

    @property
    def remaining_skew(self) -> float:
        """Return the offset of the stamps that is not compensated [s]."""
        return self.skew - self.compensated

    @property
    def is_skewed(self) -> bool:
        """Return whether the skew is too large to place scans."""
        return abs(self.skew) > MAX_SKEW

    @property
    def is_drivable(self) -> bool:
        """Return whether the robot can drive in spite of a problem: a small skew only slows it."""
        return not (self.is_skewed or self.unusable)


def _is_superseded(scan: Scan, later: Scan) -> bool:
    """Return whether a later scan of the same lidar and sector follows within `REPEAT_PERIOD`."""
    return (later.stamp - scan.stamp < REPEAT_PERIOD
            and (scan.mount, scan.angle_min) == (later.mount, later.angle_min))


class EndStampDetector:
    """
    Detects a lidar that stamps its sweeps at their end instead of their beginning.

    Many drivers use the time of publication. Such a scan arrives sooner after its stamp than its
    sweep takes, which is impossible for one that is stamped with its first beam.
    """

    def __init__(self) -> None:
        """Start without scans."""
        self._delays: Dict[Pose, Deque[float]] = collections.defaultdict(
            lambda: collections.deque(maxlen=END_STAMP_WINDOW))
        """Those of the newest scans of each lidar, by its mount [s]."""

    def corrected(self, scan: Scan, arrived: float) -> Scan:
        """
        Return a scan with the stamp of its first beam.

        ``arrived`` [s]: time of arrival on the clock of the stamps. An arrival on another clock
        differs by far more and has no effect.
        """
        sweep = scan.time_increment * (len(scan.ranges) - 1)
        delays = self._delays[scan.mount]
        delays.append(arrived - scan.stamp)
        delay = sorted(delays)[len(delays) // 2]
        return scan._replace(stamp=scan.stamp - sweep) if stamped_at_end(delay, sweep) else scan


def stamped_at_end(delay: float, sweep: float) -> bool:
    """Return whether a sweep [s] with this delay after its stamp [s] was stamped at its end."""
    return sweep >= INSTANT_SWEEP and -CLOCK_TOLERANCE < delay < 0.5 * sweep
