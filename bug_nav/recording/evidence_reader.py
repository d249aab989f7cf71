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

"""Evidence for `bug_nav check` from a recording."""

from __future__ import annotations

from typing import Callable, Collection

from bug_nav.messages.frame_tree import FrameTree, TF_STATIC
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.recorded import Recorded, Recording

SCAN, ODOM, TRANSFORMS = ('sensor_msgs/msg/LaserScan', 'nav_msgs/msg/Odometry',
                          'tf2_msgs/msg/TFMessage')


def read_evidence(bag: Recording, evidence: Evidence, watch: Callable[[float], None]) -> None:
    """Add a recording to the evidence; ``watch`` gets the progress (0 to 1)."""
    evidence.topics = dict(bag.topics)
    evidence.began, evidence.ended = bag.began, bag.ended
    topics = (evidence.scan.topic, evidence.odom.topic, evidence.cmd_vel, *evidence.transforms)
    for each in bag.messages(topics):
        _take(evidence, each)
        watch((each.at - bag.began) / max(bag.ended - bag.began, 1e-9))


def transforms_of(bag: Recording, topics: Collection[str]) -> FrameTree:
    """Return the frame tree at the end of a recording, from its topics of transforms."""
    tree = FrameTree()
    for each in bag.messages(topics):
        if each.kind == TRANSFORMS:
            tree.add(each.message, is_static=_is_static(each.topic))
    return tree


def _is_static(topic: str) -> bool:
    return topic.endswith(TF_STATIC[1:])


def _take(evidence: Evidence, each: Recorded) -> None:
    if each.topic in evidence.transforms:
        if each.kind == TRANSFORMS:
            evidence.tree.add(each.message, is_static=_is_static(each.topic))
    elif each.topic == evidence.scan.topic:
        if each.kind == SCAN:
            evidence.add_scan(each.message, each.at)
    elif each.topic == evidence.odom.topic:
        if each.kind == ODOM:
            evidence.add_odometry(each.message, each.at)
    elif each.topic == evidence.cmd_vel:
        evidence.add_command(each.kind, each.message, each.at)
