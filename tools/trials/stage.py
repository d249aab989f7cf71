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

"""Environment of trials: rclpy, the robot, and the node under test."""

from __future__ import annotations

import contextlib
from pathlib import Path
from random import Random
import signal
from typing import Any, Callable, Iterator, Tuple

from bug_nav.navigation.types import ARRIVED
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from trials.fault import Kind
from trials.judge import Seen
from trials.navigator import Navigator
from trials.robot import LockstepRobot
from trials.scenes import some_moment
from trials.trial import Trial


@contextlib.contextmanager
def actors(logs: Path) -> Iterator[Tuple[LockstepRobot, Navigator]]:
    """Yield a robot and its node, not yet started; stop the node in every case."""
    # Also as a background job, a signal must end the child as well.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    # The handlers of rclpy would shut down on Ctrl-C before the node is stopped.
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    node: Any = rclpy.create_node('trials')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    robot = LockstepRobot(node, executor)
    navigator = Navigator(node, robot.wait, logs)
    try:
        yield robot, navigator
    finally:
        navigator.stop()
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown()


@contextlib.contextmanager
def stage(logs: Path) -> Iterator[Callable[[Kind, Random], Seen]]:
    """Yield a function that runs a trial; a dead or lost node is restarted."""
    with actors(logs) as (robot, navigator):
        lost = False

        def run(kind: Kind, random: Random) -> Seen:
            nonlocal lost
            if lost or not navigator.alive:
                moment = some_moment(Random(0))
                robot.place(moment.world, moment.start, 0)
                navigator.start(lambda: robot.heard)
            seen = Trial(robot, navigator, kind, random).run()
            # A node that did not recover must not affect the next trial.
            lost = bool(seen.lost) or seen.contacts > 0 or seen.next_outcome not in ARRIVED
            return seen
        yield run
