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

"""A watchdog on the steady clock, for a simulated clock that stops."""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.navigation.types import Outcome
from bug_nav.ros.node.arrivals import DISCOVERY_TIME
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.uptime_clock import UptimeClock
from bug_nav.ros.velocity import Velocity
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 0.1
"""Period of the check while there is a goal but no tick [s]."""
IDLE_PERIOD = 0.2
"""Period of the check without a goal, and delay in noticing a signal [s]."""
STOPPED_AFTER = 1.0
"""Time without progress after which a simulated clock counts as stopped [s]."""
ODOMETRY_LEAD = 0.25
"""Progress of odometry's stamps after which the clock alone counts as stopped [s]."""
CLOCK = '/clock'


class Watchdog:
    """
    Stops the robot while simulated time stands still, and ends the goal if that lasts.

    Ticks follow simulated time, which stands still if a simulation is paused, has died or never
    started. The goal continues when a paused simulation does.
    """

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, velocity: Velocity,
                 uptime: UptimeClock):
        """Start; each check polls the sensors too, which must happen often."""
        self._node, self._driver = node, driver
        self._sensors, self._velocity = sensors, velocity
        self._uptime = uptime
        self._stamp, self._moved_at = 0.0, uptime.real_time
        self._odometry_then = math.inf
        self._goal: Optional[Goal] = None
        self._begun_at = 0.0
        self._timer = node.create_timer(
            IDLE_PERIOD, self.check, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Stop watching."""
        self._node.destroy_timer(self._timer)

    @property
    def trouble(self) -> str:
        """Return a message that simulated time stands still, with a remedy, else empty."""
        lead = self._odometry - self._odometry_then
        if lead > ODOMETRY_LEAD:
            return (f'the clock has stopped at {self._stamp:.3f} s, but odometry stamps have '
                    f'advanced by {lead:.2f} s; check the publishers of {CLOCK}')
        if self._uptime.real_time - self._moved_at < STOPPED_AFTER:
            return ''
        if self._stamp == 0.0:
            return ('use_sim_time is true, but no message has arrived on /clock; start the '
                    'simulation, or set use_sim_time to false')
        return (f'the clock has stopped at {self._stamp:.3f} s: ' + (
            'is the simulation paused?' if self._has_publisher else
            'no node publishes /clock any more'))

    def postpone(self) -> None:
        """Postpone the next check after a tick, because each check wakes the executor."""
        self._update()
        self._timer.reset()

    def check(self) -> None:
        """Poll the sensors, and hold or end the goal if time stands still."""
        self._sensors.poll()
        self._velocity.beat()
        self._velocity.stop_once_connected()
        now, goal = self._update(), self._driver.goal
        if goal is None or not self.trouble:
            return
        self._driver.wait('waiting_for_clock')
        limit = goal.pause_timeout if self._has_publisher else (
            goal.settings.give_up_timeout + (DISCOVERY_TIME if self._stamp == 0.0 else 0.0))
        if now - max(self._moved_at, self._begun_at) > limit:
            self._driver.end(Outcome.TIME_JUMPED, self.trouble)

    def _update(self) -> float:
        """Update the progress of the clock and the current goal; return the time [s]."""
        now, stamp = self._uptime.real_time, self._driver.stamp
        if stamp != self._stamp or not self._node.get_clock().ros_time_is_active:
            self._stamp, self._moved_at, self._odometry_then = stamp, now, self._odometry
        goal = self._driver.goal
        if goal is not self._goal:
            self._goal, self._begun_at = goal, now
            self._timer.timer_period_ns = round((IDLE_PERIOD if goal is None else PERIOD) * 1e9)
        return now

    @property
    def _odometry(self) -> float:
        """Return the stamp of the newest odometry [s], -inf before the first."""
        return self._sensors.poses[-1][0] if self._sensors.poses else -math.inf

    @property
    def _has_publisher(self) -> bool:
        return self._node.count_publishers(CLOCK) > 0
