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
The simulator of a trial: `bug_sim` with a referee, who sends the goal and records the truth.

It is started by `bug_nav grade`, with the folder of the trial as its argument, simulates until the
trial ends, and writes its result into that folder.
"""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Any, Optional, Sequence

from bug_nav.lab.grading.trace import Counters, sample_of
from bug_nav.ros import process
from bug_nav.ros.sim.node import BugSim, run
from bug_nav.ros.sim.trial_observer import RobotTopics, TrialObserver

OWN_NODES = ('/bug_sim', '/bug_nav_goal')


class RefereedSim(BugSim):
    """The simulator of a trial."""

    def __init__(self, folder: Path):
        """Start the simulation; ValueError, in one sentence, if that fails."""
        super().__init__()
        robot = self._robots[0]
        scan, odom = robot.output.topics[:2]
        self.observer = TrialObserver(
            self, folder, RobotTopics(scan, odom, robot.command_topic), OWN_NODES)

    def step(self) -> None:
        """Advance by one step, and record it."""
        super().step()
        robot = self._robots[0]
        command = robot.last_command
        self.observer.add(sample_of(robot.simulator, Counters(
            command.v, command.w, robot.received, robot.rejected)))


def main(args: Optional[Sequence[str]] = None) -> int:
    """Simulate a trial until it ends, or until SIGINT or SIGTERM."""
    folder = Path((sys.argv if args is None else list(args))[1])

    def make(*_: Any, **__: Any) -> RefereedSim:
        return RefereedSim(folder)
    with process.running('bug_sim', make, args) as (node, interrupt):
        node.get_logger().info(node.description)
        node.observer.begin()
        run(node, lambda: interrupt.received or node.observer.ending is not None)
        node.observer.write(node.unmatched)
    return 0


if __name__ == '__main__':
    sys.exit(main())
