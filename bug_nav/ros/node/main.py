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

"""The executable ``bug_navigator``."""

from __future__ import annotations

import sys
import traceback
from typing import Any, Optional, Sequence

from bug_nav.ros import process
from bug_nav.ros.node.guard import Guard
from bug_nav.ros.node.pace import spin_ready
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn

SPIN = 0.3
"""
The longest wait for anything [s], before a signal to the process is noticed.

Longer than the watchdog's, so that none ends for nothing.
"""
GOODBYE = 1.0
"""The longest time [s] for a result and for the last command to go out."""


def main(args: Optional[Sequence[str]] = None) -> int:
    """Run the node until SIGINT or SIGTERM; however it ends, the robot gets a zero velocity."""
    process.check_arguments('bug_navigator', 'Drives a robot to the goals of the action '
                            'navigate_bug with a Bug algorithm.', args)
    guard = Guard(args)
    process.need_messages()
    # Only now: it takes a second, which who asks for help need not wait for, and the guard is
    # smaller without it.
    from bug_nav.ros.node.navigator_node import BugNavigatorNode
    node, interrupt = process.start(
        'bug_navigator', lambda: BugNavigatorNode(guard=guard, paced=True), args)
    _warm_up(node.get_logger())
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        started = _autostart(node)
        while started and not interrupt.came:
            _spin(node, executor)
    finally:
        _end(node, executor)
    return 0 if started else 1


def _warm_up(logger: Any) -> None:
    """Have the kernels compiled before the first wall is met, and log the progress."""
    from bug_nav.core.compiled import compiling
    from bug_nav.sim.episode import warm_up
    with compiling(logger.info):
        warm_up()


def _autostart(node: Any) -> bool:
    """Return whether the node could be configured, if it was to do that by itself."""
    if not node.parameters.node.autostart:
        return True
    configured = node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    if configured:
        node.trigger_activate()  # where a lidar sees too little, that may still be mended
    return configured


def _spin(node: Any, executor: SingleThreadedExecutor) -> None:
    """Tick or spin once; an exception stops the robot and ends the goal, but not the node."""
    pace = node.pace
    try:
        if pace is None or not pace.runs:
            executor.spin_once(timeout_sec=SPIN)
        else:
            pace.wait()
            spin_ready(executor, lambda: pace.is_due)
    except Exception:
        node.fault(traceback.format_exc())


def _end(node: Any, executor: SingleThreadedExecutor) -> None:
    """Stop the robot first; then give out the result, and let both arrive."""
    node.close_to_goals('the node was shut down')
    node.flush(GOODBYE)
    process.spin_until(executor, lambda: not node.pending, GOODBYE)
    process.spin_until(executor, lambda: False, 0.1)  # the answer to who waits for the result
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
