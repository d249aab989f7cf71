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

"""Replay without a goal: every scan is placed, and no outcome ends it."""

import bags
from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.recording.bag import Bag
from bug_nav.recording.map_builder import MapBuilder
from bug_nav.recording.mapping import Mapping
from bug_nav.recording.replay_report import as_json, describe, Drawn
from bug_nav.recording.trajectory import Sources
import numpy as np
import pytest

SOURCES = Sources('/scan', '/odom', 'base_footprint', Mount(Pose(-0.03, 0.0, 0.0)))


def mapped(tmp_path, messages):
    """Return the finished mapping of messages, and the scans with their poses."""
    placed = []
    with Bag(bags.write(tmp_path / 'a', messages)) as bag:
        mapping = Mapping(bag, SOURCES, lambda: Navigator(Bug2()), lambda *each: placed.append(
            each))
        mapping.run(lambda share: None)
    return mapping, placed


def test_every_scan_is_placed_at_its_pose(tmp_path):
    mapping, placed = mapped(tmp_path, bags.drive())
    summary = mapping.summary
    assert len(placed) == summary.placed == summary.scans == 30
    for scan, pose in placed:
        assert pose.x == pytest.approx(0.2 * (scan.stamp - bags.BEGAN), abs=0.01)
    assert np.array(summary.path) == pytest.approx(np.array(summary.estimated), abs=0.01)
    assert len(summary.points) > 100


def test_scans_of_a_long_stationary_phase_are_mapped(tmp_path):
    mapping, placed = mapped(tmp_path, bags.drive(60.0, speed=0.0))
    assert len(placed) == mapping.summary.scans == 300 and not mapping.summary.ends


def test_odometry_jump_and_gap_do_not_end_the_mapping(tmp_path):
    messages = [each for each in bags.drive(8.0)
                if each[1] != '/odom' or not 3.0 < each[0] - bags.BEGAN < 5.0]
    for at, topic, message in messages:
        if topic == '/odom' and at > bags.BEGAN + 6.0:
            message.pose.pose.position.x += 5.0
    mapping, placed = mapped(tmp_path, messages)
    assert 25 < len(placed) < mapping.summary.scans == 40
    assert placed[-1][1].x > 6.0 and sum(mapping.summary.dropped.values()) == 40 - len(placed)


def test_contour_in_the_blind_zone_does_not_prevent_mapping(tmp_path):
    messages = [each if each[1] != '/scan' else (each[0], '/scan', bags.scan(
        each[0], range_min=0.3)) for each in bags.drive()]
    mapping, placed = mapped(tmp_path, messages)
    assert not mapping.summary.refusal and placed


def test_report_of_a_map_has_its_file_and_size(tmp_path):
    builder = MapBuilder()
    mapping, placed = mapped(tmp_path, bags.drive())
    for each in placed:
        builder.add(*each)
    drawn = Drawn('a.yaml', builder.grid(), builder.start)
    text = '\n'.join(describe('x', mapping.summary, (), drawn))
    rows, columns = drawn.grid.cells.shape
    assert f'a.yaml: {columns} x {rows} cells of 0.05 m' in text
    x, y, theta = placed[0][1]
    assert f'the recording starts at --start={x:.2f},{y:.2f},{theta:.2f}' in text
    assert 'goal' not in text and 'ended' not in text and 'commands' not in text
    told = as_json('x', mapping.summary, (), drawn)
    assert told['map'] == 'a.yaml' and told['goal'] is None
    assert np.isclose(drawn.grid.origin[0], -2.03, atol=0.1)
