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

"""Findings on the commands: who takes them, who else sends them, who stops the robot."""

from __future__ import annotations

from typing import Iterable, List

from bug_nav.checks.evidence import End, Evidence, Graph
from bug_nav.checks.finding import error, Finding, ok, warning

TWIST, STAMPED = 'geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped'
OWN = ('bug_navigator',)
"""Nodes that are meant to send commands."""
OWN_GUARD = '_guard'
"""So ends the name of the process beside the navigator that stops the robot when that dies."""
BETWEEN = ('velocity_smoother', 'twist_mux', 'collision_monitor', 'guard')
"""A node with one of these in its name stops the robot when commands cease, or can be made to."""


def findings(evidence: Evidence) -> List[Finding]:
    """Return the findings on the topic of the commands."""
    if evidence.graph is None:
        return [_recorded(evidence)]
    graph, topic = evidence.graph, evidence.cmd_vel
    found = [_listeners(graph, topic), _rivals(graph, topic)]
    if graph.listeners:
        found.append(_guard(graph, topic))
    return found


def _recorded(evidence: Evidence) -> Finding:
    kind = evidence.topics.get(evidence.cmd_vel)
    if kind is None:
        alike = sorted(name for name, each in evidence.topics.items() if each in (TWIST, STAMPED))
        hint = f'; of their type there are {", ".join(alike[:8])}' if alike else ''
        return warning('cmd_vel', f'{evidence.cmd_vel} is not in the recording{hint}',
                       'what the robot takes, Twist or TwistStamped, is not known from it: '
                       f'"ros2 topic info -v {evidence.cmd_vel}" on the robot tells')
    count = evidence.commands.get(kind, 0)
    return _type(f'{evidence.cmd_vel}: {count} of {kind}', [kind])


def _type(found: str, kinds: Iterable[str]) -> Finding:
    """Return the finding on what the robot wants."""
    if TWIST in kinds:
        return ok('cmd_vel', found)
    if STAMPED in kinds:
        return warning('cmd_vel', found, 'set enable_stamped_cmd_vel to true, or the robot '
                       'ignores the commands without a word')
    return error('cmd_vel', found, 'that is no velocity: give --cmd-vel NAME here, and remap '
                 'cmd_vel of the node')


def _listeners(graph: Graph, topic: str) -> Finding:
    if not graph.listeners:
        return _no_listener(graph, topic)
    if topic in graph.mismatches:
        return error('cmd_vel', graph.mismatches[topic], 'give the listener the same quality of '
                     'service')
    return _type(f'{topic}: {_names(graph.listeners)} listens', {kind for _, kind
                                                                 in graph.listeners})


def _no_listener(graph: Graph, topic: str) -> Finding:
    names = sorted({name for name, _ in graph.others})
    if len(names) == 1:
        ends = [end for _, end in graph.others]
        return error('cmd_vel', f'nobody listens on {topic}; {_names(ends)} listens on {names[0]}',
                     f'if that is the robot, give --cmd-vel {names[0]} here, and remap cmd_vel of '
                     f'the node: -r cmd_vel:={names[0]}')
    elsewhere = f'; there are listeners on {", ".join(names[:8])}' if names else ''
    return error('cmd_vel', f'nobody listens on {topic}{elsewhere}', 'is the robot on, and has '
                 'its topic another name? Give --cmd-vel NAME here, and remap cmd_vel of the node')


def _rivals(graph: Graph, topic: str) -> Finding:
    rivals = [end for end in graph.drivers if not any(own in end[0] for own in OWN)]
    if rivals:
        return warning('rivals', f'{_names(rivals)} can send commands on {topic}', 'let only one '
                       'of them drive, or the robot jerks')
    return ok('rivals', f'nobody else sends commands on {topic}')


def _guard(graph: Graph, topic: str) -> Finding:
    between = [name for name, _ in graph.listeners if any(word in name for word in BETWEEN)]
    if between:
        return ok('guard', f'{", ".join(between)} stands between {topic} and the robot; see to it '
                  'that it stops the robot when commands cease')
    beside = [name for name, _ in graph.drivers
              if name.endswith(OWN_GUARD) and any(own in name for own in OWN)]
    if beside:
        return ok('guard', f'{", ".join(beside)} stops the robot if the navigator dies; if its '
                  'computer dies or the network is gone, nobody does but the robot itself')
    return warning('guard', f'if the navigator dies, nobody stops the robot but the robot itself: '
                   f'{_names(graph.listeners)} takes {topic} directly',
                   'see docs/your_robot.md, "Before it drives alone"')


def _names(ends: Iterable[End]) -> str:
    return ', '.join(f'{name} ({kind.rpartition("/")[2]})' for name, kind in ends)
