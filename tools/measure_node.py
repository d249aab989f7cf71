#!/usr/bin/env python3
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
Measure the CPU load of the node, idle and driving, in real time.

The robot is simulated: a TurtleBot3, and one with a large, fast lidar. Prints a table; needs ROS 2
and Linux.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import statistics
import sys
import tempfile
import time
from typing import Any, Dict, List, Optional, Sequence

from bug_nav.cli.child_processes import ChildProcess, module
from bug_nav.cli.ros_domain import confine, reserved_domain
from trials.usage import usage_of

ROBOTS: Dict[str, Dict[str, Any]] = {
    '360 beams at 5 Hz, odometry at 20 Hz': {},
    '1440 beams at 40 Hz, odometry at 200 Hz': {
        'update_duration': 0.005, 'scan_count': 1440, 'scan_publish_dur': 0.025,
        'scan_angle_increment': 0.004366},
}
START = 60.0
"""Maximum time until the node is active [s]."""
SETTLING = 3.0
"""Time before a measurement, because start-up costs more [s]."""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the program."""
    parser = argparse.ArgumentParser(prog='make cost', description=__doc__)
    parser.add_argument('--seconds', type=float, default=20.0,
                        help='duration of each measurement [s] (20)')
    parser.add_argument('--rounds', type=int, default=1,
                        help='number of measurements, of which the median counts (1)')
    arguments = parser.parse_args(argv)
    with reserved_domain() as domain, tempfile.TemporaryDirectory(prefix='bug_nav_cost_') as logs:
        confine(os.environ, domain)
        os.environ['ROS_LOG_DIR'] = logs
        print('| robot | idle [% of a core] | driving [% of a core] |\n|---|---|---|')
        for name, robot in ROBOTS.items():
            rounds = [_measure(robot, arguments.seconds, Path(logs))
                      for _ in range(arguments.rounds)]
            idle, driving = (statistics.median(each) for each in zip(*rounds))
            print(f'| {name} | {idle:.1f} | {driving:.1f} |', flush=True)
    return 0


def _measure(robot: Dict[str, Any], seconds: float, logs: Path) -> List[float]:
    """Return the CPU load of the node without and with a goal [% of a core]."""
    from bug_nav.ros.client.navigator import BugNavigator  # must run in its own domain
    from geometry_msgs.msg import PoseStamped
    import rclpy
    goal = PoseStamped()
    goal.header.frame_id, goal.pose.position.x, goal.pose.orientation.w = 'odom', 5.0, 1.0
    sim = _start('bug_nav.ros.sim.node', logs, world='box', publish_clock=False, **robot)
    node = _start('bug_nav.ros.node.main', logs, autostart=True)
    client = None
    rclpy.init()
    try:
        client = BugNavigator()
        if not client.waitUntilActive(START):
            raise RuntimeError(node.output)
        idle = _share(node, seconds)
        if not client.goToPose(goal, algorithm='follow_wall'):
            raise RuntimeError(node.output)
        return [idle, _share(node, seconds)]
    finally:
        if client is not None:
            client.destroy_node()
        rclpy.try_shutdown()
        node.end()
        sim.end()


def _start(program: str, logs: Path, **parameters: Any) -> ChildProcess:
    words = ['--ros-args']
    for name, value in parameters.items():
        words += ['-p', f'{name}:={str(value).lower() if isinstance(value, bool) else value}']
    return ChildProcess(program, module(program, *words), logs / f'{program}.log', os.environ)


def _share(node: ChildProcess, seconds: float) -> float:
    time.sleep(SETTLING)
    begun, before = time.monotonic(), usage_of(node.pid, 0.0, 0).cpu
    time.sleep(seconds)
    return 100.0 * (usage_of(node.pid, 0.0, 0).cpu - before) / (time.monotonic() - begun)


if __name__ == '__main__':
    sys.exit(main())
