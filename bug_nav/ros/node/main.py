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

import contextlib
import sys
import traceback
from typing import Any, Callable, Optional, Sequence

from bug_nav.files.parameter_file import parameters_for
from bug_nav.ros import process
from bug_nav.ros.node.steady_timer import spin_ready
from bug_nav.ros.stop_process import StopProcess
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn

SPIN_TIMEOUT = 0.3
"""
Maximum wait for an event, and delay in noticing a signal [s].

Longer than the watchdog's period, so that no wait ends without an event.
"""
FLUSH_TIMEOUT = 1.0
"""Maximum time to deliver the result and the last command [s]."""


def main(args: Optional[Sequence[str]] = None) -> int:
    """Run the node until SIGINT or SIGTERM, and stop the robot at any kind of end."""
    process.check_arguments('bug_navigator', 'Drives a robot to the goals of the action '
                            'navigate_bug with a Bug algorithm.', args)
    stop_process = StopProcess(args)
    process.require_messages()
    # Only now: it takes 1 s, for which --help need not wait, and the stop process is smaller
    # without it.
    from bug_nav.ros.node.navigator_node import BugNavigatorNode

    def make() -> Any:
        node = BugNavigatorNode(stop_process=stop_process, self_timed=True)
        check_params_files(args, node.get_fully_qualified_name())
        return node
    node, interrupt = process.start('bug_navigator', make, args)
    _warm_up(node.get_logger(), lambda: interrupt.received)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        started = interrupt.received or _autostart(node)
        while started and not interrupt.received:
            _spin(node, executor)
    finally:
        _end(node, executor)
    return 0 if started else 1


def check_params_files(args: Optional[Sequence[str]], node: str) -> None:
    """
    Raise BadInput if a ``--params-file`` has no parameters for the node.

    ROS silently ignores a file for another name or namespace, and the defaults would drive.
    """
    given = sys.argv[1:] if args is None else list(args)
    for option, path in zip(given, given[1:]):
        if option == '--params-file':
            parameters_for(path, node)


def _warm_up(logger: Any, is_interrupted: Callable[[], bool]) -> None:
    """Compile the kernels before the first goal, and log the progress; end early on a signal."""
    from bug_nav.navigation.compile_progress import compiling
    from bug_nav.navigation.warm_up import warm_up
    with contextlib.suppress(KeyboardInterrupt), compiling(logger.info, is_interrupted):
        warm_up()


def _autostart(node: Any) -> bool:
    """Configure and activate the node with `autostart`; return whether it may run."""
    if not node.parameters.node.autostart:
        node.get_logger().info('unconfigured: configure and activate it, or set autostart')
        return True
    configured = node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    if configured:
        node.trigger_activate()  # an unsuitable lidar or parameter may be corrected later
    return configured


def _spin(node: Any, executor: SingleThreadedExecutor) -> None:
    """Tick or spin once; an exception stops the robot and ends the goal but not the node."""
    timer = node.steady_timer
    try:
        if timer is None or not timer.is_running:
            executor.spin_once(timeout_sec=SPIN_TIMEOUT)
        else:
            timer.wait()
            spin_ready(executor, lambda: timer.is_due)
    except Exception:
        node.fault(traceback.format_exc())


def _end(node: Any, executor: SingleThreadedExecutor) -> None:
    """Stop the robot, then deliver the command and the result."""
    node.stop_accepting_goals('the node was shut down')
    node.flush(FLUSH_TIMEOUT)
    process.spin_until(executor, lambda: not node.pending, FLUSH_TIMEOUT)
    process.spin_until(executor, lambda: False, 0.1)  # send the result to the client
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    sys.exit(main())
