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

"""A process around a node: signals, spinning and an orderly end."""

from __future__ import annotations

import signal
import sys
import time
from typing import Any, Callable, Optional, Sequence

import rclpy
from rclpy.signals import SignalHandlerOptions

MESSAGES_MISSING = (
    'bug_nav: cannot import bug_nav_msgs ({}); build it with "colcon build --base-paths src '
    'src/bug_nav/bug_nav_msgs" and source the workspace, or run "make setup"')


class Interrupt:
    """Takes SIGINT and SIGTERM: after rclpy's own handlers a robot cannot be stopped."""

    def __init__(self) -> None:
        """Install the handlers."""
        self.came = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: Any) -> None:
        self.came = True


def start(args: Optional[Sequence[str]]) -> Interrupt:
    """Initialise rclpy without its signal handlers."""
    interrupt = Interrupt()
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    return interrupt


def need_messages() -> None:
    """End the process with one sentence where the messages of this package are missing."""
    try:
        # Not just the package: its sources beside this package look like one.
        from bug_nav_msgs.action import NavigateBug  # noqa: F401
    except ImportError as error:
        sys.exit(MESSAGES_MISSING.format(error))


def spin_until(executor: Any, done: Callable[[], bool], timeout: float) -> None:
    """Spin until ``done()``, for ``timeout`` [s] at most, but at least once."""
    deadline = time.monotonic() + timeout
    left = max(timeout, 0.0)
    while left >= 0.0:
        executor.spin_once(timeout_sec=min(left, 0.02))
        if done():
            return
        left = deadline - time.monotonic()
