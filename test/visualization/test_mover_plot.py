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

"""Movers and other robots in a plot."""

from bug_nav.simulation.catalogue import find_world
from bug_nav.visualization.mover_plot import draw_movers
from matplotlib.figure import Figure
import numpy as np
import pytest

RADIUS = 0.2


def drawn(name):
    """Return a world, and the artists of its movers by name."""
    world, axes = find_world(name), Figure().add_subplot()
    draw_movers(axes, world, RADIUS, 1.0)
    return world, {artist.get_gid(): artist for artist in (*axes.collections, *axes.texts)}


def corners(artist):
    return [path.vertices for path in artist.get_paths()]


def test_people_and_their_routes_are_drawn():
    world, shown = drawn('crowd')
    ways = corners(shown['routes of movers'])
    assert len(ways) == 6
    for way, person in zip(ways, world.movers):
        assert way == pytest.approx(person.route)
    assert len(corners(shown['movers'])) == sum(len(person.parts) for person in world.movers)


def test_doors_are_drawn_shut_with_their_open_positions():
    world, shown = drawn('doors')
    swinging, _ = world.movers
    hinge, *opened = corners(shown['routes of movers'])
    shut = corners(shown['movers'])
    assert len(hinge) == len(swinging.script.poses) and len(opened) == len(shut) == 2
    for there, here in zip(opened, shut):
        assert there[0] == pytest.approx(there[-1])
        assert np.abs(there[:4] - here[:4]).max() > 0.5


def test_other_robot_is_drawn_with_a_line_to_its_goal():
    world, shown = drawn('crossing')
    (robot,), (body,) = world.other_robots, corners(shown['other robots'])
    assert shown['route of another robot'].xy == robot.goal
    # Each of the twelve corners is slightly outside of the disc.
    assert np.hypot(*(body - robot.start[:2]).T) == pytest.approx(RADIUS / np.cos(np.pi / 12))
