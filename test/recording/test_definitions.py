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

"""Message definitions in the format of MCAP readers."""

from __future__ import annotations

import re

from bug_nav.recording import definitions, topics
from bug_nav.recording.checks.command_topic import STAMPED
from bug_nav.recording.definitions import definition
import pytest

TYPES = sorted({topic.datatype for topic in vars(topics).values()
                if isinstance(topic, topics.Topic)} | {topics.ranger('front').datatype, STAMPED})
BASIC = {'bool', 'byte', 'char', 'float32', 'float64', 'int8', 'uint8', 'int16', 'uint16', 'int32',
         'uint32', 'int64', 'uint64', 'string'}


def sections(datatype: str) -> dict:
    """Return the definitions by message name; the first one has no header line."""
    first, *others = definition(datatype).split('=' * 80 + '\n')
    named = [re.fullmatch(r'MSG: (\w+/\w+)\n(.*)', other, re.DOTALL).groups() for other in others]
    assert len(dict(named)) == len(named), 'a message twice'
    return {datatype.replace('/msg/', '/'): first, **dict(named)}


@pytest.mark.parametrize('datatype', TYPES)
def test_every_nested_message_is_defined(datatype):
    parts = sections(datatype)
    used = set()
    for name, text in parts.items():
        for line in text.splitlines():
            kind = re.sub(r'\[\d*\]$', '', line.split()[0])
            if kind not in BASIC:
                used.add(kind if '/' in kind else f'{name.partition("/")[0]}/{kind}')
    assert used == set(parts) - {datatype.replace('/msg/', '/')}


def test_definition_of_markers_includes_all_nested_messages():
    assert set(sections('visualization_msgs/msg/MarkerArray')) == {
        'visualization_msgs/MarkerArray', 'visualization_msgs/Marker', 'std_msgs/Header',
        'builtin_interfaces/Time', 'geometry_msgs/Pose', 'geometry_msgs/Point',
        'geometry_msgs/Quaternion', 'geometry_msgs/Vector3', 'std_msgs/ColorRGBA',
        'builtin_interfaces/Duration', 'sensor_msgs/CompressedImage',
        'visualization_msgs/UVCoordinate', 'visualization_msgs/MeshFile'}


def test_unknown_message_is_an_error():
    with pytest.raises(KeyError):
        definition('std_msgs/msg/Empty')


def test_every_definition_is_used():
    needed = set().union(*map(sections, TYPES))
    assert needed == set(definitions._TEXTS)
