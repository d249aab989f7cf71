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

"""Why no command of a program moved the robot, from what was seen of it in the ROS graph."""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence

from bug_nav.navigation.names import listed


def why_silent(seen: Mapping[str, Any], domains: Sequence[int] = ()) -> str:
    """
    Return the most likely reasons as sentences.

    :param seen: the result of `bug_nav.ros.sim.referee`.
    :param domains: other domains in which nodes of the program were found.
    """
    return ' '.join(_reasons(seen, domains))


def _reasons(seen: Mapping[str, Any], domains: Sequence[int]) -> Iterator[str]:
    graph = seen['graph']
    if domains:
        yield (f'Your program uses ROS domain {listed(map(str, domains))}: do not set '
               'ROS_DOMAIN_ID yourself.')
        return
    if not graph['nodes']:
        yield ('No node of your program was found: it creates none, it has not finished starting, '
               'or it uses another ROS domain (do not set ROS_DOMAIN_ID yourself).')
        return
    yield from (f'{sentence}.' for sentence in seen['unmatched'])
    topic, others = seen['command_topic'], dict(graph['commands'])
    own = others.pop(topic, [])
    if not own and others:
        yield (f'Your program publishes commands on {listed(sorted(others))}, and the robot '
               f'listens to {topic}: correct the name, or give `topics`.')
    elif not own:
        yield f'No node publishes commands on {topic}.'
    if not graph['scan']:
        yield 'No node subscribes to the scan: correct the name of the topic, or give `topics`.'
    if not graph['odom']:
        yield 'No node subscribes to odometry: correct the name of the topic, or give `topics`.'
    if 'nobody' in seen['goal'] or 'refused' in seen['goal']:
        yield f'The goal was not delivered: {seen["goal"]}.'
    elif own and not seen['unmatched'] and graph['scan']:
        yield (f'It publishes on {topic} and receives data, but sent no command; the goal was '
               f'given {seen["goal"]}: look for a wait that does not end.')
