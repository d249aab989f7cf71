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

"""A watch on the steady clock, for when the simulated one does not tick."""

from __future__ import annotations

import math
from typing import Optional

from bug_nav.core.interface import Outcome
from bug_nav.ros.node.arrivals import DISCOVERY
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.goal import Goal
from bug_nav.ros.node.running_time import RunningTime
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.velocity import Velocity
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 0.1
"""How often it looks while there is a goal [s], and no tick has had it look ..."""
IDLE = 0.2
"""... and how often else; a signal to the process is noticed as fast."""
STILL = 1.0
"""A simulated clock that has not moved for so long [s] stands still."""
LEFT_BEHIND = 0.25
"""Or while odometry has gone on by so long [s]: then it is the clock that fails, not the world."""
CLOCK = '/clock'


class Watchdog:
    """
    Stops the robot while simulated time stands still, and ends the goal when that does not end.

    Ticks follow simulated time, which stands still when a simulation is paused, has died, or was
    never there. A paused one goes on at some time, and the goal with it.
    """

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, velocity: Velocity,
                 running: RunningTime):
        """Begin to watch; what has come is taken in as well, which has to be done often."""
        self._node, self._driver = node, driver
        self._sensors, self._velocity = sensors, velocity
        self._running = running
        self._stamp, self._moved_at = 0.0, running.awake
        self._odometry_then = math.inf
        self._goal: Optional[Goal] = None
        self._begun_at = 0.0
        self._timer = node.create_timer(
            IDLE, self.look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Stop watching."""
        self._node.destroy_timer(self._timer)

    @property
    def trouble(self) -> str:
        """Return that simulated time stands still, and what may help; empty where it does not."""
        went_on = self._odometry - self._odometry_then
        if went_on > LEFT_BEHIND:
            return (f'the clock stands still at {self._stamp:.3f} s, while the stamps of odometry '
                    f'have gone on by {went_on:.2f} s: what publishes {CLOCK}?')
        if self._running.awake - self._moved_at < STILL:
            return ''
        if self._stamp == 0.0:
            return ('use_sim_time is set and nothing has come on /clock; start the simulation, '
                    'or set use_sim_time to false')
        return (f'the clock stands still at {self._stamp:.3f} s: ' + (
            'is the simulation paused?' if self._is_fed else 'nobody publishes /clock any more'))

    def rest(self) -> None:
        """Hold off, for a tick has taken in what has come, and each look wakes the executor."""
        self._see()
        self._timer.reset()

    def look(self) -> None:
        """Look once."""
        self._sensors.take_in()
        self._velocity.beat()
        self._velocity.greet()
        now, goal = self._see(), self._driver.goal
        if goal is None or not self.trouble:
            return
        self._driver.wait('waiting_for_clock')
        limit = goal.pause_timeout if self._is_fed else (
            goal.settings.give_up_timeout + (DISCOVERY if self._stamp == 0.0 else 0.0))
        if now - max(self._moved_at, self._begun_at) > limit:
            self._driver.end(Outcome.TIME_JUMPED, self.trouble)

    def _see(self) -> float:
        """Note whether time goes on, and which goal there is; return the time."""
        now, stamp = self._running.awake, self._driver.stamp
        if stamp != self._stamp or not self._node.get_clock().ros_time_is_active:
            self._stamp, self._moved_at, self._odometry_then = stamp, now, self._odometry
        goal = self._driver.goal
        if goal is not self._goal:
            self._goal, self._begun_at = goal, now
            self._timer.timer_period_ns = round((IDLE if goal is None else PERIOD) * 1e9)
        return now

    @property
    def _odometry(self) -> float:
        """Return the stamp of the newest odometry [s], -inf before the first."""
        return self._sensors.poses[-1][0] if self._sensors.poses else -math.inf

    @property
    def _is_fed(self) -> bool:
        return self._node.count_publishers(CLOCK) > 0
