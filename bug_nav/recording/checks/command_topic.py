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

"""Findings on velocity commands: subscribers, other publishers, and stop processes."""

from __future__ import annotations

from typing import Collection, Iterable, List, Optional

from bug_nav.messages import STOP_PROCESS_SUFFIX
from bug_nav.recording.checks.evidence import End, Evidence, Graph
from bug_nav.recording.checks.finding import error, Finding, ok, warning

TWIST, STAMPED = 'geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped'
OWN = ('bug_navigator',)
"""Names of nodes that may publish commands."""
STOPPING_NODES = ('velocity_smoother', 'collision_monitor', 'guard')
"""Parts of the names of nodes that can stop the robot when commands cease."""


def findings(evidence: Evidence, is_stamped: Optional[bool] = None) -> List[Finding]:
    """Return the findings on the command topic; ``is_stamped``: what the node sends, if known."""
    if evidence.graph is None:
        return [_recorded(evidence, is_stamped)]
    graph, topic = evidence.graph, evidence.cmd_vel
    found = [_listeners(graph, topic, is_stamped), _publishers(graph, topic)]
    if graph.listeners:
        found.append(_stop(graph, topic))
    return found


def _recorded(evidence: Evidence, is_stamped: Optional[bool]) -> Finding:
    kind = evidence.topics.get(evidence.cmd_vel)
    if kind is None:
        alike = sorted(name for name, each in evidence.topics.items() if each in (TWIST, STAMPED))
        hint = f'; topics of that type are {", ".join(alike[:8])}' if alike else ''
        return warning('cmd_vel', f'{evidence.cmd_vel} is not in the recording{hint}',
                       'whether the robot expects Twist or TwistStamped is unknown: run '
                       f'"ros2 topic info -v {evidence.cmd_vel}" on the robot')
    count = evidence.commands.get(kind, 0)
    return _type(f'{evidence.cmd_vel}: {count} of {kind}', [kind], is_stamped)


def _type(found: str, kinds: Collection[str], is_stamped: Optional[bool]) -> Finding:
    """Return the finding on the command type that the robot expects."""
    sent, other = (STAMPED, TWIST) if is_stamped else (TWIST, STAMPED)
    if is_stamped is not None and other in kinds and sent not in kinds:
        return error('cmd_vel', f'{found}, and enable_stamped_cmd_vel is '
                     f'{str(is_stamped).lower()}: the robot ignores every command',
                     f'set enable_stamped_cmd_vel to {str(not is_stamped).lower()}')
    if is_stamped and STAMPED in kinds or TWIST in kinds:
        return ok('cmd_vel', found)
    if STAMPED in kinds:
        return warning('cmd_vel', found, 'set enable_stamped_cmd_vel to true, or the robot '
                       'silently ignores the commands')
    return error('cmd_vel', found, 'that is not a velocity: give --cmd-vel NAME here, and remap '
                 'cmd_vel of the node')


def _listeners(graph: Graph, topic: str, is_stamped: Optional[bool]) -> Finding:
    if not graph.listeners:
        return _no_listener(graph, topic)
    if topic in graph.mismatches:
        return error('cmd_vel', graph.mismatches[topic], 'give the subscriber the same quality '
                     'of service')
    return _type(f'{topic}: {_names(graph.listeners)} subscribes', {
        kind for _, kind in graph.listeners}, is_stamped)


def _no_listener(graph: Graph, topic: str) -> Finding:
    names = sorted({name for name, _ in graph.others})
    if len(names) == 1:
        ends = [end for _, end in graph.others]
        return error('cmd_vel', f'no node subscribes to {topic}; {_names(ends)} subscribes to '
                     f'{names[0]}', f'if that is the robot, give --cmd-vel {names[0]} here, and '
                     f'remap cmd_vel of the node: -r cmd_vel:={names[0]}')
    elsewhere = f'; there are subscribers to {", ".join(names[:8])}' if names else ''
    return error('cmd_vel', f'no node subscribes to {topic}{elsewhere}', 'check that the '
                 'robot is on; if its topic has another name, give --cmd-vel NAME here, and '
                 'remap cmd_vel of the node')


def other_drivers(graph: Graph) -> List[End]:
    """Return the publishers of commands that are not the navigator's."""
    return [end for end in graph.drivers if not any(own in end[0] for own in OWN)]


def _publishers(graph: Graph, topic: str) -> Finding:
    others = other_drivers(graph)
    if others:
        return warning('publishers', f'{_names(others)} can publish commands on {topic}',
                       'let only one node drive, or the robot jerks')
    return ok('publishers', f'no other node publishes commands on {topic}')


def _stop(graph: Graph, topic: str) -> Finding:
    between = [name for name, _ in graph.listeners if any(word in name for word in STOPPING_NODES)]
    if between:
        return ok('stop', f'{", ".join(between)} is between {topic} and the robot; make sure '
                  'that it stops the robot when commands cease')
    beside = [name for name, _ in graph.drivers
              if name.endswith(STOP_PROCESS_SUFFIX) and any(own in name for own in OWN)]
    if beside:
        return ok('stop', f'{", ".join(beside)} stops the robot if the navigator dies; if its '
                  'computer or the network fails, only the robot itself can stop')
    return warning('stop', f'if the navigator dies, only the robot itself can stop: '
                   f'{_names(graph.listeners)} subscribes to {topic} directly',
                   'see docs/your_robot.md, "Before it drives alone"')


def _names(ends: Iterable[End]) -> str:
    return ', '.join(f'{name} ({kind.rpartition("/")[2]})' for name, kind in ends)
