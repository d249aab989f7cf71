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

"""Round trips of worlds through files."""

from __future__ import annotations

import dataclasses
from xml.etree import ElementTree

from bug_nav.simulation.ascii import load_ascii, world_of
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.export import CELL, world_to_drawing, world_to_sdf
from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.world import World, WorldError
import numpy as np
import pytest

STATIC = [name for name in shipped_worlds()
          if not find_world(name).movers and not find_world(name).other_robots]


@pytest.mark.parametrize('name', STATIC)
def test_shipped_world_survives_a_round_trip_through_sdf_exactly(tmp_path, name):
    world, path = find_world(name), tmp_path / 'saved.world'
    path.write_text(world_to_sdf(world), encoding='utf-8')
    again = load_sdf(path)
    assert (again.start, again.goal) == (world.start, world.goal)
    assert len(again.solids) == len(world.solids)
    assert all(map(np.array_equal, again.solids, world.solids))


@pytest.mark.parametrize('name', STATIC)
def test_shipped_world_survives_a_round_trip_through_a_drawing_to_a_cell(tmp_path, name):
    world, path = find_world(name), tmp_path / 'saved.txt'
    path.write_text(world_to_drawing(world), encoding='utf-8')
    again = load_ascii(path)
    assert (again.start is None, again.goal is None) == (world.start is None, world.goal is None)
    x, y = world.goal or world.start[:2]
    there = again.goal or again.start[:2]
    # A drawing has a different origin, so positions are relative to the goal.
    places = np.random.default_rng(1).uniform(*np.array(world.bounds).reshape(2, 2), (200, 2))
    moved = places - (x, y) + there
    before, after = world.clearance(places), again.clearance(moved)
    near = (0.0 < before) & (before < 1.0)  # start and goal are holes if they are within a solid
    assert np.abs(before - after)[near].max(initial=0.0) < 2.0 * CELL


def test_name_is_escaped(tmp_path):
    path = tmp_path / 'saved.world'
    path.write_text(world_to_sdf(World('a "b" <c> & d', ())), encoding='utf-8')
    world, = ElementTree.parse(path).getroot()
    assert world.get('name') == 'a "b" <c> & d'
    assert not load_sdf(path).solids


def test_surfaces_are_kept_in_a_drawing_and_rejected_in_sdf(tmp_path):
    world = world_of("""
        :::::
        :>.G%
        #####
        """)
    path = tmp_path / 'saved.txt'
    path.write_text(world_to_drawing(world), encoding='utf-8')
    assert set(load_ascii(path).surfaces) == set(world.surfaces)
    with pytest.raises(WorldError, match='glass and black'):
        world_to_sdf(world)


@pytest.mark.parametrize('write', [world_to_sdf, world_to_drawing])
def test_movers_are_rejected(write):
    with pytest.raises(WorldError, match='movers'):
        write(find_world('crowd'))


def test_drawing_of_a_large_world_is_rejected():
    wide = World('wide', (np.array([[0.0, 0.0], [1000.0, 0.0], [1000.0, 1.0]]),))
    with pytest.raises(WorldError, match='save it as SDF'):
        world_to_drawing(wide)


def test_heading_in_a_drawing_is_rounded_to_the_nearest_letter():
    world = dataclasses.replace(find_world('demo'), start=(1.0, 1.0, 1.4))
    assert '^' in world_to_drawing(world)
