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

from bug_nav.messages.frame_tree import FrameGap, FrameTree, MAX_DEPTH, MAX_FRAMES
import numpy as np
import pytest
from transforms3d.euler import euler2quat


def link(parent, child, x=0.0, y=0.0, roll=0.0, pitch=0.0, yaw=0.0, stamp=0):
    w, i, j, k = euler2quat(roll, pitch, yaw)
    header = Message(frame_id=parent, stamp=Message(sec=stamp, nanosec=0))
    return Message(header=header, child_frame_id=child, transform=Message(
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


@pytest.mark.parametrize('names', ['a', 'ab', 'abc'])
def test_cycle_of_frames_is_reported(names):
    tree = tree_of(*(link(parent, child, x=1.0) for parent, child in
                     zip(names, names[1:] + names[0])), link('a', 'laser'))
    for target, source in ((names[-1], 'laser'), ('laser', names[-1]), ('a', 'c')):
        for find in (tree.place, tree.stamp):
            with pytest.raises(FrameGap, match="the frame '[abc]' is in a cycle"):
                find(target, source)
    assert len(tree.frames) == len(names) + 1


def test_longest_chain_is_limited():
    tree = tree_of(*(link(f'f{i}', f'f{i + 1}') for i in range(2 * MAX_DEPTH)))
    assert len(tree.chain(f'f{2 * MAX_DEPTH}')) == MAX_DEPTH


def test_transform_that_is_not_finite_is_ignored():
    tree = tree_of(link('base', 'laser', x=math.nan))
    assert not tree.links and 'not finite' in tree.unusable['laser']


def test_transform_without_an_orientation_is_ignored():
    broken = link('base', 'laser')
    broken.transform.rotation.w = 0.0
    tree = tree_of(broken)
    with pytest.raises(FrameGap, match="that of 'base' to 'laser': .* of length 0; allowed is 1"):
        tree.place('base', 'laser')


def test_reason_of_an_unusable_transform_is_withdrawn_once_it_is_right():
    tree = tree_of(link('base', 'laser', x=math.nan), link('base', 'camera', x=math.nan))
    tree.add(Message(transforms=[link('base', 'laser')]))
    with pytest.raises(FrameGap, match="that of 'base' to 'camera': .* not finite"):
        tree.place('base', 'camera')
    tree.add(Message(transforms=[link('base', 'camera')]))
    with pytest.raises(FrameGap, match=r"of 'lidar' \(frames: base, camera, laser\)$"):
        tree.place('base', 'lidar')


def test_late_transform_is_ignored_but_not_that_of_a_reset_clock():
    tree = tree_of(link('map', 'odom', x=1.0, stamp=100))
    tree.add(Message(transforms=[link('map', 'odom', x=2.0, stamp=95)]))
    assert tree.pose('map', 'odom').x == 1.0
    tree.add(Message(transforms=[link('map', 'odom', x=3.0, stamp=1)]))
    assert tree.pose('map', 'odom').x == 3.0


def test_stamp_between_frames_is_that_of_the_oldest_dynamic_transform():
    tree = tree_of(link('map', 'odom', stamp=20), link('odom', 'base', stamp=30))
    tree.add(Message(transforms=[link('base', 'laser')]), is_static=True)
    assert tree.stamp('map', 'laser') == 20.0 and tree.stamp('odom', 'laser') == 30.0
    assert tree.stamp('base', 'laser') == math.inf


def test_dynamic_transform_without_a_stamp_is_valid_at_any_time_but_is_cleared():
    tree = tree_of(link('map', 'odom'), link('odom', 'base', stamp=30))
    assert tree.stamp('map', 'odom') == math.inf and tree.stamp('map', 'base') == 30.0
    tree.clear()
    assert not tree.links


def test_clearing_keeps_static_transforms():
    tree = tree_of(link('map', 'odom', stamp=20))
    tree.add(Message(transforms=[link('base', 'laser')]), is_static=True)
    tree.clear()
    assert list(tree.links) == ['laser']


def test_number_of_frames_is_limited():
    tree = tree_of(*(link('base', f'f{i}') for i in range(MAX_FRAMES + 50)))
    assert len(tree.links) == MAX_FRAMES


def test_number_of_unusable_transforms_is_limited():
    tree = tree_of(*(link('base', f'f{i}', x=math.nan) for i in range(MAX_FRAMES + 50)))
    assert len(tree.unusable) == MAX_FRAMES


def test_known_frame_is_updated_after_a_new_one_that_is_too_many():
    tree = tree_of(*(link('base', f'f{i}') for i in range(MAX_FRAMES)))
    tree.add(Message(transforms=[link('base', 'new'), link('base', 'f0', x=2.0)]))
    assert 'new' not in tree.links and tree.pose('base', 'f0').x == 2.0


@pytest.mark.parametrize('target, source', [
    ('base', 'lidar'), ('c', 'lidar'), ('base', 'd' * 5000), ('c' * 5000, 'd' * 5000)])
def test_long_names_of_frames_are_cut_in_a_sentence(target, source):
    broken = link('e' * 5000, 'f' * 5000)
    broken.transform.rotation.w = 0.0
    tree = tree_of(link('base', 'a' * 5000), link('c' * 5000, 'd'), link('d', 'c'), broken,
                   link('base' * 5000, 'd' * 5000))
    with pytest.raises(FrameGap) as raised:
        tree.place(target, source)
    assert len(str(raised.value)) < 1000


def test_moving_frame_is_reported():
    tree = tree_of(link('base', 'arm'), link('arm', 'laser'), link('odom', 'base'))
    assert np.allclose(tree.place('base', 'laser'), np.eye(4))
    for x in (0.002, 0.004):
        tree.add(Message(transforms=[link('arm', 'laser', x=x), link('odom', 'base', x=9.0)]))
    assert tree.moving('base', 'laser') == []
    tree.add(Message(transforms=[link('arm', 'laser', x=0.006)]))
    assert tree.moving('base', 'laser') == ['laser'] and tree.moving('base', 'arm') == []
