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
The drive of `bug_nav check --drive`: a turn on the spot and half a metre, without ROS.

Nothing about the robot is known to be right, so that no step relies on the mount of its lidar: the
robot drives only where it would touch nothing in any direction, and never longer than planned. It
stands while data are late, as they are now and then on a busy machine.
"""

from __future__ import annotations

import math
from typing import Generator, NamedTuple, Optional

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import STOP, Twist
from bug_nav.recording.checks.calibration import MIN_DRIVE

TURN_RATE, SPEED, SHARE = 0.6, 0.15, 0.6
"""Maximum speeds [rad/s, m/s], and as a share of those of the robot."""
RAMP, REST = 0.5, 1.2
"""Time to reach the speed, and time between two motions [s]."""
FULL_TURN, TURN_BACK, DISTANCE = 2.0 * math.pi + 0.3, -0.5 * math.pi, 0.5
"""Motions [rad, rad, m]."""
MIN_DISTANCE = MIN_DRIVE + 0.05
"""Minimum distance, of which scans may show a little less than wheels and yaw need [m]."""
OBEY_TIME = 3.0
"""Time within which a robot must begin to move [s]."""
TURNED, MOVED = 0.1, 0.03
"""Motion that counts as begun [rad, m]."""
MAX_EXCESS = 1.15
"""Maximum way ahead by the commands, because odometry may report less [wanted way]."""
MARGIN, BRAKING = 0.05, 0.6
"""Margin beyond the robot [m], and time to stop [s]."""
MAX_WAITING = 5.0
"""Maximum time of a drive that the robot stands because data are late [s]."""


class Seen(NamedTuple):
    """Knowledge at a tick."""

    now: float
    pose: Optional[Pose]
    """Newest odometry."""
    pose_age: float
    nearest: float
    """Distance of the nearest obstacle from the centre of the robot; nan if none is seen [m]."""
    scan_age: float


class DriveEnded(Exception):
    """The drive ends early; the message is one sentence."""


class NotObeyed(DriveEnded):
    """The robot does not move as commanded."""


class MeasuringDrive:
    """Commands of the drive, tick by tick; `ended` is not None at the end."""

    def __init__(self, model: RobotModel, settings: Settings):
        """Plan the drive of a robot."""
        self._radius = model.robot_radius
        self._rate = min(TURN_RATE, SHARE * model.max_vel_theta)
        self._speed = min(SPEED, SHARE * model.max_vel_x)
        self._timeouts = settings.odom_timeout, settings.scan_timeout
        self._room = math.inf
        """Distance of the nearest obstacle in all directions [m]."""
        self._is_reversed = False
        self.done = 0.0
        """Share of the drive that is done."""
        self.ended: Optional[str] = None
        """Reason of the end; '' if the drive was complete."""
        self.is_disobeyed = False
        """Whether it ended because the robot does not move as commanded."""
        self.waits, self.waited = 0, 0.0
        """Number of times that the robot stood because data were late, and their duration [s]."""
        self._is_waiting = False
        self._time, self._ramped_from, self._last = 0.0, 0.0, math.nan
        """Time without the waiting; that of the last start; time of the last tick [s]."""
        self._steps = self._drive()
        next(self._steps)

    @property
    def duration(self) -> float:
        """Return the planned time [s]."""
        return ((FULL_TURN - TURN_BACK) / self._rate + DISTANCE / self._speed
                + 3.0 * RAMP + 4.0 * REST)

    def command(self, seen: Seen) -> Twist:
        """Return the command at a tick, zero after the end."""
        if self.ended is not None:
            return STOP
        try:
            self._check(seen)
            if self._waits(seen):
                return STOP
            return self._steps.send(seen._replace(now=self._time))
        except StopIteration:
            self.ended = ''
        except DriveEnded as reason:
            self.ended, self.is_disobeyed = str(reason), isinstance(reason, NotObeyed)
        return STOP

    def _check(self, seen: Seen) -> None:
        """Raise DriveEnded if the robot must not be where it is."""
        if math.isnan(seen.nearest):
            raise DriveEnded('the lidar sees nothing; put the robot where it sees walls')
        self._room = min(self._room, seen.nearest)
        if seen.nearest < self._radius + MARGIN:
            raise DriveEnded(
                f'something is {seen.nearest:.2f} m from the centre of the robot, which needs '
                f'{self._radius + MARGIN:.2f} m (robot_radius + {MARGIN:g} m) on all sides; put '
                'the robot elsewhere, or, if that is a part of the robot, set self_radius')

    def _waits(self, seen: Seen) -> bool:
        """Return whether the robot must stand because data are late; count the time."""
        passed = seen.now - self._last if math.isfinite(self._last) else 0.0
        self._last = seen.now
        ages = math.inf if seen.pose is None else seen.pose_age, seen.scan_age
        late = [f'{what} for {age:.1f} s' for age, most, what in zip(
            ages, self._timeouts, ('odometry', 'scan')) if age > most]
        if self._is_waiting:
            self.waited += passed
        else:
            self._time += passed
        if late:
            self.waits += not self._is_waiting
            if self.waited > MAX_WAITING:
                raise DriveEnded(f'no {" and no ".join(late)}; in all, the robot waited '
                                 f'{self.waited:.1f} s for late data')
        elif self._is_waiting:
            self._ramped_from = self._time
        self._is_waiting = bool(late)
        return self._is_waiting

    def _drive(self) -> Generator[Twist, Seen, None]:
        seen = yield STOP
        seen = yield from self._rest(seen)
        seen = yield from self._turn(seen, FULL_TURN)
        self.done = 0.6
        seen = yield from self._rest(seen)
        seen = yield from self._turn(seen, TURN_BACK)
        self.done = 0.75
        seen = yield from self._rest(seen)
        seen = yield from self._straight(seen)
        self.done = 0.95
        yield from self._rest(seen)

    def _rest(self, seen: Seen) -> Generator[Twist, Seen, Seen]:
        until = seen.now + REST
        while seen.now < until:
            seen = yield STOP
        return seen

    def _ramp(self, seen: Seen, began: float) -> float:
        """Return the share of the speed, which rises from the beginning and after each wait."""
        return min((seen.now - max(began, self._ramped_from)) / RAMP + 0.1, 1.0)

    def _turn(self, seen: Seen, angle: float) -> Generator[Twist, Seen, Seen]:
        """Turn on the spot, in whichever direction the robot turns."""
        began, turned = seen.now, 0.0
        longest = 1.5 * abs(angle) / self._rate + OBEY_TIME
        while abs(turned) < abs(angle):
            spent = seen.now - began
            if spent > OBEY_TIME and abs(turned) < TURNED or spent > longest:
                raise NotObeyed(
                    f'the robot has turned {math.degrees(abs(turned)):.0f} of '
                    f'{math.degrees(abs(angle)):.0f} degrees in {spent:.1f} s by its odometry; '
                    'check that it obeys commands of this type and that its odometry turns; a '
                    'base that cannot turn on the spot, such as a car, is not supported')
            before = _heading(seen)
            rate = math.copysign(self._rate * self._ramp(seen, began), angle)
            seen = yield Twist(0.0, rate)
            turned += math.remainder(_heading(seen) - before, 2.0 * math.pi)
        self._is_reversed |= turned * angle < 0.0
        return seen

    def _straight(self, seen: Seen) -> Generator[Twist, Seen, Seen]:
        """Drive ahead as far as there is room in every direction."""
        if self._is_reversed:
            raise NotObeyed('the robot turns against its commands, so it did not drive ahead')
        room = self._room - self._radius - MARGIN - self._speed * BRAKING
        wanted = min(DISTANCE, room)
        if wanted < MIN_DISTANCE:
            raise DriveEnded(
                f'the nearest obstacle is {self._room:.2f} m from the centre of the robot: there '
                f'is no room to drive {MIN_DISTANCE:.2f} m; the yaw of the lidar and the wheels '
                'are not measured')
        began, start = seen.now, seen.pose
        moved = commanded = 0.0
        while moved < wanted and commanded < MAX_EXCESS * wanted:
            spent = seen.now - began
            if moved < -MOVED:
                raise NotObeyed('the robot drives back when it is to drive ahead')
            if spent > OBEY_TIME and moved < MOVED:
                raise NotObeyed(f'the robot has driven {moved:.2f} of {wanted:.2f} m in '
                                f'{spent:.1f} s by its odometry')
            if seen.nearest < self._radius + MARGIN + self._speed * BRAKING:
                raise DriveEnded(f'something is {seen.nearest:.2f} m from the centre of the robot')
            before, speed = seen.now, self._speed * self._ramp(seen, began)
            seen = yield Twist(speed, 0.0)
            commanded += speed * (seen.now - before)
            if start is not None and seen.pose is not None:
                moved = start.inverse().compose(seen.pose).x
        if moved < 0.5 * wanted:
            raise NotObeyed(f'the robot has driven {moved:.2f} m by its odometry, where '
                            f'{commanded:.2f} m were commanded')
        return seen


def _heading(seen: Seen) -> float:
    return seen.pose.theta if seen.pose is not None else math.nan
