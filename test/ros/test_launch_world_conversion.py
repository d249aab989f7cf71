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
"""Conversion of worlds with movers for Gazebo."""

from bug_nav.ros.launching.world_conversion import convert_world
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.shipped import share_dir
from defusedxml import ElementTree
import numpy as np
import pytest

pytestmark = pytest.mark.ros


def given(name):
    return share_dir() / 'worlds' / f'{name}.world'


def converted(path, tmp_path):
    """Return the converted world as a tree of elements, and as loaded by bug_nav."""
    text = convert_world(path)
    file = tmp_path / 'for_gazebo.world'
    file.write_text(text, encoding='utf-8')
    return ElementTree.fromstring(text).find('world'), load_sdf(file)


def test_actors_become_cylinders_at_their_start_positions(tmp_path):
    tree, world = converted(given('crowd'), tmp_path)
    people = find_world('crowd').movers
    assert tree.findall('actor') == [] and world.movers == ()
    assert len(world.solids) == len(find_world('crowd').solids) + 8     # two of six have legs
    names = {model.get('name') for model in tree.findall('model')}
    assert names >= {person.name for person in people}
    for person in people:
        where = person.begin(np.random.default_rng(0)).pose
        assert world.clearance([where.position])[0] < 0.14


def test_person_keeps_the_radius_and_is_visible_to_the_lidar(tmp_path):
    file = tmp_path / 'my.world'
    file.write_text('<sdf version="1.6" xmlns:bug_nav="urn:bug_nav"><world name="w">'
                    '<bug_nav:person name="a &lt; b" route="1 2 3 2" radius="0.4"/>'
                    '</world></sdf>')
    tree, world = converted(file, tmp_path)
    (model,) = tree.findall('model')
    assert model.get('name') == 'a < b' and world.unseen == ()
    (body,) = world.solids
    assert np.hypot(*(body - (1.0, 2.0)).T).min() == pytest.approx(0.4, rel=0.003)


def test_doors_remain_models(tmp_path):
    before = ElementTree.fromstring(given('doors').read_bytes()).find('world')
    tree, world = converted(given('doors'), tmp_path)
    assert len(tree.findall('model')) == len(before.findall('model'))
    assert {mover.name for mover in world.movers} == {'swinging', 'sliding'}


def test_plugin_that_moves_models_is_added_once(tmp_path):
    tree, _ = converted(given('crowd'), tmp_path)
    (plugin,) = tree.findall('plugin')
    assert plugin.get('filename') == 'libgazebo_ros_state.so'
    assert plugin.find('ros/namespace').text == '/gazebo'


def test_world_that_is_static_or_only_gazebo_reads_is_not_converted(tmp_path):
    assert convert_world(given('box')) == ''
    file = tmp_path / 'meshes.world'
    file.write_text('<sdf version="1.6"><world name="w"><include><uri>model://x</uri></include>'
                    '</world></sdf>')
    assert convert_world(file) == ''
