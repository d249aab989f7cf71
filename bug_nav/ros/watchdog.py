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

"""A watch on the steady clock, for when the node's own clock does not tick."""

from __future__ import annotations

from typing import Tuple

from bug_nav.interface import Outcome
from bug_nav.ros.driver import Driver
from bug_nav.ros.sensors import Sensors
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 0.1
"""How often it looks [s]; a signal to the process is noticed as fast."""


class Watchdog:
    """
    Stops the robot when ticks stay away, and ends the goal when they do not come back.

    Ticks follow the node's clock, and simulated time stands still when a simulation is paused,
    has died, or was never there.
    """

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, period: float):
        """Begin to watch ticks that are ``period`` [s] apart."""
        self._node, self._driver, self._sensors = node, driver, sensors
        self._period = period
        self._timer = node.create_timer(
            PERIOD, self.look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Stop watching."""
        self._node.destroy_timer(self._timer)

    def look(self) -> None:
        """Look once."""
        driver, goal = self._driver, self._driver.goal
        silence = driver.silence  # also without a goal: the running time has to be looked at
        if goal is None:
            return
        if silence < max(goal.settings.scan_timeout, 3.0 * self._period):
            return
        driver.stop()
        if not driver.is_over(goal) and silence > goal.settings.give_up_timeout:
            driver.end(*self._diagnosis(goal.settings.give_up_timeout))

    def _diagnosis(self, limit: float) -> Tuple[Outcome, str]:
        """Return the outcome and the sentence for a clock that stands still."""
        stamp = self._driver.stamp
        message = f'the clock stands still at {stamp:.3f} s'
        if stamp == 0.0:
            message += ': use_sim_time is set, and nothing comes on /clock'
        if self._sensors.odom_arrivals.missing > limit:
            return Outcome.ODOM_STALE, f'no odometry comes, and {message}'
        if self._sensors.scan_arrivals.missing > limit:
            return Outcome.SCAN_STALE, f'no scan comes, and {message}'
        return Outcome.TIME_JUMPED, message
