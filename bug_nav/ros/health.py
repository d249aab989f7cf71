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

"""How the node is: diagnostics once a second, and warnings that help."""

from __future__ import annotations

import time
from typing import Dict, Optional

from bug_nav.ros.conversions import to_time
from bug_nav.ros.driver import Driver
from bug_nav.ros.sensors import REPEAT, Sensors
from bug_nav.ros.velocity import Velocity
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 1.0
SILENT = 2.0
"""A topic on which nothing has come for so long [s] is warned about."""


class Health:
    """Publishes on /diagnostics and warns, on the steady clock."""

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, velocity: Velocity):
        """Begin; the warnings are given while the node is active."""
        self._node, self._driver = node, driver
        self._sensors, self._velocity = sensors, velocity
        self.active = False
        self.state = 'inactive'
        """The state of the goal there is, or how the last one ended."""
        self._warned, self._warned_at = '', 0.0
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self._timer = node.create_timer(
            PERIOD, self.look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """End."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def look(self) -> None:
        """Look at everything once."""
        trouble = self.trouble()
        if self.active and trouble:
            self._warn(trouble)
        self._publisher.publish(self._message(trouble))

    def _warn(self, trouble: str) -> None:
        """Warn at once of what is new, and now and then of what goes on."""
        now = time.monotonic()
        if trouble != self._warned or now - self._warned_at >= REPEAT:
            self._warned, self._warned_at = trouble, now
            self._node.get_logger().warning(trouble)

    def trouble(self) -> Optional[str]:
        """Return what is wrong and what may help, None where nothing is."""
        clock = self._node.get_clock()
        if clock.ros_time_is_active and clock.now().nanoseconds == 0:
            return ('use_sim_time is set and nothing has come on /clock; start the simulation, '
                    'or set use_sim_time to false')
        if self._sensors.frame_error:
            return self._sensors.frame_error
        for kind, arrivals in self._arrivals().items():
            if arrivals.age > SILENT:
                return self._silence(kind)
        if self._blind():
            return ('every beam of the scan reads range_min: the simulated lidar may need a GPU, '
                    'or something covers the lidar')
        if self._driver.goal is not None and self._velocity.listeners == 0:
            return (f'nobody listens on {self._velocity.topic}: the robot may want TwistStamped '
                    '(enable_stamped_cmd_vel) or another topic (remap cmd_vel)')
        return None

    def _arrivals(self) -> Dict:
        return {'scan': self._sensors.scan_arrivals, 'odom': self._sensors.odom_arrivals}

    def _silence(self, kind: str) -> str:
        topic, publishers = self._sensors.source(kind)
        if publishers == 0:
            return f'nobody publishes {topic}: is the robot on, and is the topic remapped?'
        return (f'nothing has come on {topic} for more than {SILENT:g} s, though it is '
                'published: is the robot in the same network and domain '
                f'(ros2 topic echo --qos-reliability best_effort {topic})?')

    def _blind(self) -> bool:
        scan = self._sensors.scan
        return scan is not None and bool(np.all(np.abs(scan.ranges - scan.range_min) < 1e-3))

    def _message(self, trouble: Optional[str]) -> DiagnosticArray:
        driver = self._driver
        status = DiagnosticStatus(
            level=self._level(trouble), name=f'{self._node.get_name()}: navigation',
            message=trouble or 'ok', hardware_id=self._node.get_namespace().strip('/'))
        values = {'state': self.state, 'tick time [ms]': f'{driver.tick_time * 1e3:.2f}'}
        for kind, arrivals in self._arrivals().items():
            values[f'{kind} age [s]'] = f'{arrivals.age:.2f}'
            values[f'{kind} rate [Hz]'] = f'{arrivals.rate:.1f}'
        goal = driver.goal
        target = goal.target if goal else None
        values['goal'] = f'({target.x:.2f}, {target.y:.2f})' if target else 'none'
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = to_time(driver.stamp)
        return message

    def _level(self, trouble: Optional[str]) -> bytes:
        if not trouble:
            return DiagnosticStatus.OK
        return DiagnosticStatus.ERROR if self._driver.goal else DiagnosticStatus.WARN
