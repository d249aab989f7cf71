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

"""Diagnostics of the node at 1 Hz, and warnings with a remedy."""

from __future__ import annotations

import time
from typing import Any, Dict, Optional

from bug_nav.messages.ros_distribution import local_only
from bug_nav.navigation.control.state import TICK
from bug_nav.ros.conversions import to_time
from bug_nav.ros.endpoints import other_publishers, publishers_mismatch, subscribers_mismatch
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.sensors import REPEAT, Sensors
from bug_nav.ros.node.watchdog import Watchdog
from bug_nav.ros.stop_process import StopProcess
from bug_nav.ros.velocity import Velocity
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import TwistStamped
import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 1.0
SILENCE_TIMEOUT = 2.0
"""Time without messages on a topic before a warning [s]."""
WARN_DELAY = 2.0
"""Minimum duration of a problem before a warning, longer than the start of a robot [s]."""
LATE_PERIOD = 3.0 * TICK
"""Time between two commands that causes a warning [s]; the robot is slower from 1.1 ticks on."""


class Health:
    """Publishes diagnostics and logs warnings, on the steady clock."""

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, velocity: Velocity,
                 watchdog: Watchdog, stop_process: Optional[StopProcess] = None):
        """Start; warnings are logged only while the node is active."""
        self._stop_process = stop_process
        self._node, self._driver, self._watchdog = node, driver, watchdog
        self._sensors, self._velocity = sensors, velocity
        self.active = False
        self.state = 'inactive'
        """State of the node or of the current goal, or the last outcome."""
        self._warned, self._warned_at, self._fine_at = '', 0.0, time.monotonic()
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self._timer = node.create_timer(
            PERIOD, self.update, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """Destroy timer and publisher."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def update(self) -> None:
        """Publish the diagnostics, and warn if needed."""
        trouble = self.trouble()
        competition, loss = self.competition(), self.loss()
        if loss:  # it never returns
            self._node.get_logger().warning(loss, once=True)
        self._warn(trouble or competition or self.lateness() if self.active else None)
        self._publisher.publish(self._message(trouble, competition or loss))

    def _warn(self, trouble: Optional[str]) -> None:
        """Warn of a lasting problem: at once of a new one, periodically of a known one."""
        now = time.monotonic()
        if not trouble:
            self._fine_at = now
        elif now - self._fine_at < WARN_DELAY:
            return
        elif trouble != self._warned or now - self._warned_at >= REPEAT:
            self._warned, self._warned_at = trouble, now
            self._node.get_logger().warning(trouble)

    def trouble(self) -> Optional[str]:
        """Return the problem that keeps the node from driving, with a remedy, or None."""
        if self._watchdog.trouble:
            return self._watchdog.trouble
        for kind, arrivals in self._arrivals().items():
            if arrivals.reason:
                return arrivals.reason
            if arrivals.age > SILENCE_TIMEOUT:
                return self._silence(kind)
            if not arrivals.count:
                return f'no message on {self._sensors.source(kind).topic} yet'
        if self._queue is not None and self._queue.problem:
            return str(self._queue.problem)
        if self._reads_range_min():
            return ('every beam of the scan reads range_min: the simulated lidar may need a GPU, '
                    'or something covers the lidar')
        if self._driver.goal is not None and self._velocity.subscriber_count == 0:
            return self._no_subscriber()
        return None

    def competition(self) -> Optional[str]:
        """Return a warning about other publishers of commands, None if there are none."""
        endpoint = self._velocity.endpoint
        others = other_publishers(self._node, endpoint) if self._driver.goal is not None else ()
        return (f'other publishers on {endpoint.topic}: {", ".join(others)}; if the robot jerks, '
                'stop them' if others else None)

    def loss(self) -> Optional[str]:
        """Return a warning that the stop process has died, None if it runs or is not used."""
        return ('the stop process has died: nothing stops the robot if the node hangs or dies; '
                'restart the node' if self._stop_process is not None
                and not self._stop_process.alive else None)

    def lateness(self) -> Optional[str]:
        """Return a warning about late commands, None if they are in time."""
        period = self._period
        return (f'up to {period * 1e3:.0f} ms between two commands instead of {TICK * 1e3:.0f} '
                'ms: the robot drives more slowly near obstacles; relieve the processor, or give '
                'the node a higher priority (chrt, nice)' if period > LATE_PERIOD else None)

    @property
    def _navigator(self) -> Any:
        """Return the navigator of the current goal, None without one."""
        return self._driver.goal.navigator if self._driver.goal is not None else None

    @property
    def _period(self) -> float:
        """Return the longest recent time between two commands [s], 0 without a goal."""
        return self._navigator.command_period if self._navigator is not None else 0.0

    @property
    def _queue(self) -> Any:
        """Return the sensor queue of the current goal, None without one."""
        return self._navigator.queue if self._navigator is not None else None

    def _arrivals(self) -> Dict:
        return {'scan': self._sensors.scan_arrivals, 'odom': self._sensors.odom_arrivals}

    def _silence(self, kind: str) -> str:
        endpoint = self._sensors.source(kind)
        if self._node.count_publishers(endpoint.topic) == 0:
            return (f'no node publishes {endpoint.topic}; check that the robot is on, the topic '
                    f'name, and that ROS_DOMAIN_ID and {local_only()[0]} are the same on both '
                    'sides')
        return publishers_mismatch(self._node, endpoint) or (
            f'no message on {endpoint.topic} for more than {SILENCE_TIMEOUT:g} s, although it has '
            'a publisher; check whether other terminals receive it '
            f'(ros2 topic hz {endpoint.topic}; ros2 topic echo --qos-reliability best_effort '
            f'{endpoint.topic})')

    def _no_subscriber(self) -> str:
        endpoint = self._velocity.endpoint
        mismatch = subscribers_mismatch(self._node, endpoint)
        if mismatch and endpoint.message_name in mismatch:
            mismatch += ('; if that is the robot, set enable_stamped_cmd_vel to '
                         f'{"false" if endpoint.message is TwistStamped else "true"}')
        if mismatch:
            return mismatch
        return (f'no node subscribes to {endpoint.topic}; check that the robot is on, or remap '
                'cmd_vel to its topic')

    def _reads_range_min(self) -> bool:
        scan = self._sensors.scan
        return scan is not None and bool(np.all(np.abs(scan.ranges - scan.range_min) < 1e-3))

    def _message(self, trouble: Optional[str], concern: Optional[str]) -> DiagnosticArray:
        driver = self._driver
        status = DiagnosticStatus(
            level=self._level(trouble, concern), name=f'{self._node.get_name()}: navigation',
            message=trouble or concern or 'ok',
            hardware_id=self._node.get_namespace().strip('/'))
        values = {'state': self.state, 'tick time [ms]': f'{driver.tick_time * 1e3:.2f}'}
        for kind, arrivals in self._arrivals().items():
            values[f'{kind} age [s]'] = f'{arrivals.age:.2f}'
            values[f'{kind} rate [Hz]'] = f'{arrivals.rate:.1f}'
        if self._queue is not None:
            queue = self._queue
            values['longest time between commands [ms]'] = f'{self._period * 1e3:.0f}'
            values['scan ahead of odometry [s]'] = f'{queue.skew:.3f}'
            values['compensated [s]'] = f'{queue.compensated:.3f}'
            values['scans placed'] = str(queue.placed)
            values['scans dropped'] = str(sum(queue.dropped.values()))
        goal = driver.goal
        target = goal.target if goal else None
        values['goal'] = f'({target.x:.2f}, {target.y:.2f})' if target else 'none'
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = to_time(driver.stamp)
        return message

    def _level(self, trouble: Optional[str], concern: Optional[str]) -> bytes:
        queue = self._queue
        bearable = queue is not None and trouble == queue.problem and queue.is_drivable
        if trouble and self._driver.goal and not bearable:
            return DiagnosticStatus.ERROR
        return DiagnosticStatus.WARN if trouble or concern else DiagnosticStatus.OK
