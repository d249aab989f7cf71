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
Sends the goal of a trial, watches the program in the ROS graph, and asks the referee for its end.

It is the part of a graded trial that does not depend on the simulator.
"""

from __future__ import annotations

import json
from pathlib import Path
import re
import time
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from bug_nav.lab.grading.referee import Ending, Referee, TrialRules
from bug_nav.lab.grading.trace import as_table, Sample
from bug_nav.recording.checks.command_topic import STAMPED, TWIST
from bug_nav.ros.sim.goal_delivery import GoalDelivery, message_class
import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

TRIAL = 'trial.json'
"""File of `bug_nav grade` with the trial."""
RESULT, TRACE, READY = 'result.json', 'trace.npy', 'ready'
"""Files for `bug_nav grade`: the result, the trace, and one that says that it simulates."""
VERDICT, ENDED = 'verdict', 'ended'
"""Files of `bug_nav grade`: the program gave a verdict in its log; it has ended."""
POLL_PERIOD = 0.25
"""Real time between two looks at these files [s]."""


class RobotTopics(NamedTuple):
    """Resolved names of the topics of the robot."""

    scan: str
    odom: str
    cmd_vel: str


class TrialObserver:
    """Observes a trial on behalf of a node of the simulator."""

    def __init__(self, node: Node, folder: Path, topics: RobotTopics, own_nodes: Iterable[str]):
        """
        Read the trial of a folder; ValueError, in one sentence, if that fails.

        :param own_nodes: full names of nodes that are not the program's.
        """
        self._node, self._folder, self._topics = node, folder, topics
        self._own: Set[str] = set(own_nodes)
        self.trial: Dict[str, Any] = json.loads((folder / TRIAL).read_text(encoding='utf-8'))
        self._referee = Referee(TrialRules.from_dict(self.trial['rules']), self.trial['goal'])
        self.ending: Optional[Ending] = None
        self._verdicts: List[Tuple[float, str]] = []
        self.graph: Dict[str, Any] = {'nodes': [], 'commands': {}, 'scan': [], 'odom': []}
        """Nodes, topics and subscriptions of the program in the ROS graph."""
        self._delivery = GoalDelivery(node, self.trial['delivery'], self.trial['goal'],
                                      self.trial['yaw'], self.add_verdict)
        self._listen_for_verdict(self.trial.get('verdict_topic') or {})
        self._stamp = 0.0
        self._begun = time.monotonic()

    def begin(self) -> None:
        """Begin the trial: `bug_nav grade` may start the program."""
        self._begun = time.monotonic()
        self._node.create_timer(POLL_PERIOD, self._look,
                                clock=Clock(clock_type=ClockType.STEADY_TIME))
        (self._folder / READY).touch()

    def add(self, sample: Sample) -> None:
        """Add a sample of the true state of the robot."""
        self._stamp = sample.stamp
        ending = self._referee.add(sample)
        if self.ending is None:
            self.ending = ending

    def add_verdict(self, verdict: str) -> None:
        """Add a verdict of the program; the first one counts."""
        self._verdicts.append((self._stamp, verdict))
        self._referee.add_verdict(self._stamp)

    def add_own_nodes(self) -> None:
        """Count the nodes that are there now as those of the simulator."""
        self._own |= set(self._node_names())

    def write(self, unmatched: Iterable[str]) -> None:
        """Write the trace and the result; ``unmatched`` has sentences on endpoints."""
        elapsed = time.monotonic() - self._begun
        np.save(self._folder / TRACE, as_table(self._referee.samples))
        (self._folder / RESULT).write_text(json.dumps({
            'ending': (self.ending or Ending.INTERRUPTED).value, 'verdicts': self._verdicts,
            'graph': self.graph, 'unmatched': sorted(unmatched), 'goal': self._delivery.state,
            'command_topic': self._topics.cmd_vel,
            'measured_factor': self._stamp / max(elapsed, 1e-9)}), encoding='utf-8')

    def _listen_for_verdict(self, topic: Dict[str, Any]) -> None:
        if not topic:
            return
        pattern = re.compile(topic['match'], re.IGNORECASE)

        def receive(message: Any) -> None:
            if pattern.search(str(message)[:10_000]):
                self.add_verdict('unreachable')
        self._node.create_subscription(
            message_class(topic['type'], 'msg'), topic['topic'], receive,
            QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT))

    def _look(self) -> None:
        """Look at the files of `bug_nav grade` and at the ROS graph."""
        if (self._folder / VERDICT).exists() and not self._verdicts:
            self.add_verdict('unreachable')
        if (self._folder / ENDED).exists() and self.ending is None:
            self.ending = Ending.EXITED
        self._delivery.try_to_send(has_nodes=bool(self.graph['nodes']))
        self._look_at_graph()

    def _look_at_graph(self) -> None:
        for name in self._node_names():
            if name not in self._own and name not in self.graph['nodes']:
                self.graph['nodes'].append(name)
        for topic, kinds in self._node.get_topic_names_and_types():
            if any(kind in (TWIST, STAMPED) for kind in kinds):
                publishers = {end.node_name
                              for end in self._node.get_publishers_info_by_topic(topic)}
                if publishers:
                    self.graph['commands'][topic] = sorted(publishers)
        for name in ('scan', 'odom'):
            for end in self._node.get_subscriptions_info_by_topic(getattr(self._topics, name)):
                full = f'{end.node_namespace.rstrip("/")}/{end.node_name}'
                if full not in self._own and end.node_name not in self.graph[name]:
                    self.graph[name].append(end.node_name)

    def _node_names(self) -> List[str]:
        """Return the full names of the nodes in the graph, without hidden ones."""
        return [f'{namespace.rstrip("/")}/{name}'
                for name, namespace in self._node.get_node_names_and_namespaces()
                if not name.startswith('_')]
