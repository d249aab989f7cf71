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

"""Frames without tf2: chains, gaps, cycles, and malformed messages."""

import math
from types import SimpleNamespace as Message

from bug_nav.recording.checks.frame_tree import FrameGap, FrameTree, MAX_DEPTH, MAX_FRAMES
import numpy as np
import pytest
from transforms3d.euler import euler2quat


def link(parent, child, x=0.0, y=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    w, i, j, k = euler2quat(roll, pitch, yaw)
    return Message(header=Message(frame_id=parent), child_frame_id=child, transform=Message(
        translation=Message(x=x, y=y, z=0.0), rotation=Message(w=w, x=i, y=j, z=k)))


def tree_of(*links):
    tree = FrameTree()
    tree.add(Message(transforms=links))
    return tree


def test_mount_is_composed_across_several_frames():
    tree = tree_of(link('base_link', 'base_footprint', x=0.1), link('base_link', 'shell', x=0.2),
                   link('shell', 'laser', yaw=math.pi / 2), link('odom', 'base_link', x=5.0))
    mount = tree.mount('base_footprint', 'laser')
    assert mount.pose == pytest.approx((0.1, 0.0, math.pi / 2)) and not mount.upside_down
    assert tree.pose('laser', 'base_footprint').position == pytest.approx((0.0, 0.1))


def test_upside_down_lidar_is_distinguished_from_a_tilted_one():
    assert tree_of(link('base', 'laser', roll=math.pi)).mount('base', 'laser').upside_down
    with pytest.raises(ValueError, match='tilted by 30 degrees'):
        tree_of(link('base', 'laser', pitch=math.radians(30))).mount('base', 'laser')


def test_unknown_frame_is_reported_with_the_known_frames():
    with pytest.raises(FrameGap, match="of 'lidar' \\(frames: base, laser\\)"):
        tree_of(link('base', 'laser')).place('base', 'lidar')
    with pytest.raises(FrameGap, match='there are no transforms'):
        FrameTree().place('base', 'laser')


def test_two_unconnected_trees_are_reported():
    with pytest.raises(FrameGap, match='two unconnected trees'):
        tree_of(link('a', 'b'), link('c', 'd')).place('b', 'd')


def test_cycle_of_frames_is_detected():
    tree = tree_of(link('a', 'b'), link('b', 'a'))
    assert len(tree.chain('a')) == MAX_DEPTH
    with pytest.raises(FrameGap):
        tree.place('a', 'c')


def test_transform_that_is_not_finite_is_ignored():
    tree = tree_of(link('base', 'laser', x=math.nan))
    assert not tree.links and 'not finite' in tree.unusable


def test_number_of_frames_is_limited():
    tree = tree_of(*(link('base', f'f{i}') for i in range(MAX_FRAMES + 50)))
    assert len(tree.links) == MAX_FRAMES


def test_moving_frame_is_reported():
    tree = tree_of(link('base', 'arm'), link('arm', 'laser'), link('odom', 'base'))
    assert np.allclose(tree.place('base', 'laser'), np.eye(4))
    for x in (0.002, 0.004):
        tree.add(Message(transforms=[link('arm', 'laser', x=x), link('odom', 'base', x=9.0)]))
    assert tree.moving('base', 'laser') == []
    tree.add(Message(transforms=[link('arm', 'laser', x=0.006)]))
    assert tree.moving('base', 'laser') == ['laser'] and tree.moving('base', 'arm') == []
