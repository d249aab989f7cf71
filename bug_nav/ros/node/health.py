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
from typing import Any, Dict, Optional

from bug_nav.core.distribution import local_only
from bug_nav.ros.conversions import to_time
from bug_nav.ros.endpoints import publishers_mismatch, rivals, subscribers_mismatch
from bug_nav.ros.node.driver import Driver
from bug_nav.ros.node.sensors import REPEAT, Sensors
from bug_nav.ros.node.velocity import Velocity
from bug_nav.ros.node.watchdog import Watchdog
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import TwistStamped
import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PERIOD = 1.0
SILENT = 2.0
"""A topic on which nothing has come for so long [s] is warned about."""
LASTING = 2.0
"""What is over sooner [s], as while robot and node start together, is not worth a warning."""


class Health:
    """Publishes on /diagnostics and warns, on the steady clock."""

    def __init__(self, node: Node, driver: Driver, sensors: Sensors, velocity: Velocity,
                 watchdog: Watchdog):
        """Begin; the warnings are given while the node is active."""
        self._node, self._driver, self._watchdog = node, driver, watchdog
        self._sensors, self._velocity = sensors, velocity
        self.active = False
        self.state = 'inactive'
        """Of the node, or of the goal there is, or how the last one ended."""
        self._warned, self._warned_at, self._fine_at = '', 0.0, time.monotonic()
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
        rivalry = self.rivalry()
        self._warn(trouble or rivalry if self.active else None)
        self._publisher.publish(self._message(trouble, rivalry))

    def _warn(self, trouble: Optional[str]) -> None:
        """Warn of what lasts: at once of what is new in it, and now and then of what goes on."""
        now = time.monotonic()
        if not trouble:
            self._fine_at = now
        elif now - self._fine_at < LASTING:
            return
        elif trouble != self._warned or now - self._warned_at >= REPEAT:
            self._warned, self._warned_at = trouble, now
            self._node.get_logger().warning(trouble)

    def trouble(self) -> Optional[str]:
        """Return what keeps the node from driving and what may help, None where nothing does."""
        if self._watchdog.trouble:
            return self._watchdog.trouble
        for kind, arrivals in self._arrivals().items():
            if arrivals.reason:
                return arrivals.reason
            if arrivals.age > SILENT:
                return self._silence(kind)
        if self._intake is not None and self._intake.trouble:
            return str(self._intake.trouble)
        if self._blind():
            return ('every beam of the scan reads range_min: the simulated lidar may need a GPU, '
                    'or something covers the lidar')
        if self._driver.goal is not None and self._velocity.listeners == 0:
            return self._unheard()
        return None

    def rivalry(self) -> Optional[str]:
        """Return who else drives the robot, None where nobody does."""
        mine = self._velocity.endpoint
        others = rivals(self._node, mine) if self._driver.goal is not None else ()
        return (f'{", ".join(others)} can send commands on {mine.topic} as well: if the robot '
                'jerks, let only one of them drive' if others else None)

    @property
    def _intake(self) -> Any:
        """Return what the goal there is knows of its data, None without one."""
        goal = self._driver.goal
        return goal.navigator.queue if goal is not None and goal.navigator is not None else None

    def _arrivals(self) -> Dict:
        return {'scan': self._sensors.scan_arrivals, 'odom': self._sensors.odom_arrivals}

    def _silence(self, kind: str) -> str:
        mine = self._sensors.source(kind)
        if self._node.count_publishers(mine.topic) == 0:
            return (f'nobody publishes {mine.topic}: is the robot on, is the topic remapped, and '
                    f'are ROS_DOMAIN_ID and {local_only()[0]} the same there and here?')
        return publishers_mismatch(self._node, mine) or (
            f'nothing has come on {mine.topic} for more than {SILENT:g} s, though it is '
            'published: does it come elsewhere '
            f'(ros2 topic hz {mine.topic}; ros2 topic echo --qos-reliability best_effort '
            f'{mine.topic})?')

    def _unheard(self) -> str:
        mine = self._velocity.endpoint
        mismatch = subscribers_mismatch(self._node, mine)
        if mismatch and mine.message_name in mismatch:
            mismatch += ('; if that is the robot, set enable_stamped_cmd_vel to '
                         f'{"false" if mine.message is TwistStamped else "true"}')
        if mismatch:
            return mismatch
        return (f'nobody listens on {mine.topic}: is the robot on, and has its topic another name '
                '(remap cmd_vel)?')

    def _blind(self) -> bool:
        scan = self._sensors.scan
        return scan is not None and bool(np.all(np.abs(scan.ranges - scan.range_min) < 1e-3))

    def _message(self, trouble: Optional[str], rivalry: Optional[str]) -> DiagnosticArray:
        driver = self._driver
        status = DiagnosticStatus(
            level=self._level(trouble, rivalry), name=f'{self._node.get_name()}: navigation',
            message=trouble or rivalry or 'ok', hardware_id=self._node.get_namespace().strip('/'))
        values = {'state': self.state, 'tick time [ms]': f'{driver.tick_time * 1e3:.2f}'}
        for kind, arrivals in self._arrivals().items():
            values[f'{kind} age [s]'] = f'{arrivals.age:.2f}'
            values[f'{kind} rate [Hz]'] = f'{arrivals.rate:.1f}'
        if self._intake is not None:
            intake = self._intake
            values['scan ahead of odometry [s]'] = f'{intake.skew:.3f}'
            values['scans placed'] = str(intake.placed)
            values['scans dropped'] = str(sum(intake.dropped.values()))
        goal = driver.goal
        target = goal.target if goal else None
        values['goal'] = f'({target.x:.2f}, {target.y:.2f})' if target else 'none'
        status.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        message = DiagnosticArray(status=[status])
        message.header.stamp = to_time(driver.stamp)
        return message

    def _level(self, trouble: Optional[str], rivalry: Optional[str]) -> bytes:
        intake = self._intake
        bearable = intake is not None and trouble == intake.trouble and intake.is_bearable
        if trouble and self._driver.goal and not bearable:
            return DiagnosticStatus.ERROR
        return DiagnosticStatus.WARN if trouble or rivalry else DiagnosticStatus.OK
