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

"""Poses relative to frames."""

from __future__ import annotations

from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.world import WorldError
import numpy as np
import pytest

QUARTER = 1.5707963267948966
SHAPE = ('<collision name="c">{}<geometry><box><size>0.2 0.2 2</size></box></geometry>'
         '</collision>')


def read(folder, body):
    path = folder / 'my.sdf'
    path.write_text(f'<sdf version="1.9"><world name="w">{body}</world></sdf>')
    return load_sdf(path)


def middles(world):
    return np.round([solid.mean(axis=0) for solid in world.solids], 6).tolist()


PLAIN = SHAPE.format('')


def link(name, pose='', shape=PLAIN):
    return f'<link name="{name}">{pose}{shape}</link>'


def pose(text, frame):
    return f'<pose relative_to="{frame}">{text}</pose>'


BASE = link('base', f'<pose>1 2 0 0 0 {QUARTER}</pose>', '')


@pytest.mark.parametrize('members, where', [
    (link('side', pose('1 0 0 0 0 0', 'base')), [1, 3]),
    (link('side', '<pose frame="base">1 0 0 0 0 0</pose>'), [1, 3]),
    (link('side', shape=SHAPE.format(pose('1 0 0 0 0 0', 'base'))), [1, 3]),
    ('<frame name="f" attached_to="base"><pose>1 0 0 0 0 0</pose></frame>'
     + link('side', pose('0 1 0 0 0 0', 'f')), [0, 3]),
    (f'<frame name="f">{pose("2 0 0 0 0 0", "base")}</frame>' + link('side', pose('', 'f')),
     [1, 4]),
    ('<joint name="j" type="fixed"><pose>1 0 0 0 0 0</pose><child>base</child></joint>'
     + link('side', pose('1 0 0 0 0 0', 'j')), [1, 4]),
    ('<model name="inner"><pose>5 0 0 0 0 0</pose><link name="deep"><pose>0 1 0 0 0 0</pose>'
     '</link></model>' + link('side', pose('1 1 0 0 0 0', 'inner::deep')), [6, 2]),
    (link('side', pose('3 0 0 0 0 0', '__model__')), [3, 0]),
    (link('a::b', '<pose>0 3 0 0 0 0</pose>', '') + link('side', pose('1 0 0 0 0 0', 'a::b')),
     [1, 3]),
    ('<model name="base" merge="true"><pose>9 9 0 0 0 0</pose></model>'
     + link('side', pose('1 0 0 0 0 0', 'base')), [1, 3]),
    ('<model name="n" merge="true"><pose>5 0 0 0 0 0</pose><link name="n"><pose>0 1 0 0 0 0</pose>'
     '</link></model>' + link('side', pose('1 0 0 0 0 0', 'n')), [6, 1])])
def test_pose_is_relative_to_a_frame_of_its_model(members, where, tmp_path):
    world = read(tmp_path, f'<model name="m"><pose>10 20 0 0 0 0</pose>{BASE}{members}</model>')
    assert middles(world) == [[10 + where[0], 20 + where[1]]]


def test_model_is_placed_relative_to_a_model_or_frame_of_the_world(tmp_path):
    one = f'<model name="one"><pose>1 0 0 0 0 {QUARTER}</pose>{link("l")}</model>'
    two = f'<model name="two">{pose("2 0 0 0 0 0", "one")}{link("l")}</model>'
    three = (f'<frame name="f">{pose("0 1 0 0 0 0", "one::l")}</frame>'
             f'<model name="three">{pose("0 0 0 0 0 0", "f")}{link("l")}</model>')
    assert middles(read(tmp_path, three + two + one)) == [[0, 0], [1, 2], [1, 0]]


def test_placement_frame_is_put_at_the_pose_of_the_model(tmp_path):
    body = (f'<model name="m" placement_frame="tip"><pose>4 4 0 0 0 0</pose>{link("l")}'
            f'<frame name="tip"><pose>1 0 0 0 0 {QUARTER}</pose></frame></model>')
    assert middles(read(tmp_path, body)) == [[4, 5]]


def test_quaternion_and_degrees_turn_alike(tmp_path):
    half = 0.5**0.5
    inner = link('l', '<pose>1 0 0 0 0 0</pose>')
    for text in (f'<pose rotation_format="quat_xyzw">0 0 0 0 0 {half} {half}</pose>',
                 '<pose degrees="true">0 0 0 0 0 90</pose>', f'<pose>0 0 0 0 0 {QUARTER}</pose>'):
        assert middles(read(tmp_path, f'<model name="m">{text}{inner}</model>')) == [[0, 1]]


@pytest.mark.parametrize('members', [
    link('a', pose('', 'b')) + link('b', pose('', 'a')), link('a', pose('', 'a')),
    '<frame name="f" attached_to="f"/>' + link('a', pose('', 'f'))])
def test_frames_that_refer_to_each_other_are_rejected(members, tmp_path):
    with pytest.raises(WorldError, match='my.sdf:1: (pose relative_to|attached_to) .* to itself'):
        read(tmp_path, f'<model name="m">{members}</model>')


@pytest.mark.parametrize('members, why', [
    ('<model name="m"><pose relative_to="no"/></model>', "pose relative_to 'no' of <model> 'm'"),
    ('<frame name="f" attached_to="no"/><model name="m"><pose relative_to="f"/></model>',
     "attached_to 'no' of <frame> 'f'"),
    ('<model name="m" placement_frame="no"/>', "placement_frame 'no' of <model> 'm'"),
    ('<model name="m"><joint name="j"><child>no</child></joint>'
     f'{link("l", pose("", "j"))}</model>',
     "<child> 'no' of <joint> 'j'")])
def test_unknown_frame_is_reported_with_the_attribute_that_names_it(members, why, tmp_path):
    with pytest.raises(WorldError, match=f'my.sdf:1: {why} is not the name of a link'):
        read(tmp_path, members)
