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

"""Tests of WedgeBug; P1 to P23 are properties of test/properties."""

from __future__ import annotations

import math

from arena import drive, RHO, way_of
from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.algorithms.wedge_bug import WedgeBug
from bug_nav.navigation.behaviors.field_of_view import Wedge
from bug_nav.navigation.behaviors.tangent_graph import heading_index, HEADINGS
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
import numpy as np
import pytest
from subsets import subset

CLUTTER = tuple(f'random:cluttered?seed={seed}{wish}' for seed in (310, 311)
                for wish in ('', '&reachable=false'))


@pytest.mark.parametrize('name', subset((
    'box', 'u_trap', 'ring_goal', 'ring_start', 'goal_solid', 'cell', 'maze', 'spiral_in',
    *CLUTTER), 3))
def test_p1_p23_verdict_is_right_without_contact(name):
    world, episode = find_world(name), drive(name, WedgeBug())
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is None or episode.outcome == ('reached' if truth else 'unreachable')
    assert episode.contacts == 0 and episode.min_clearance > 0.05


@pytest.mark.parametrize('name', subset(('box', 'u_trap', 'ring_start', 'demo', CLUTTER[0]), 3))
def test_p20_camera_that_sees_all_around_gives_the_path_of_tangent_bug(name):
    all_around = drive(name, WedgeBug(WedgeBug.Parameters(half_angle=math.pi)))
    assert np.array_equal(way_of(all_around), way_of(drive(name, TangentBug())))


def test_free_way_needs_only_views_of_the_goal():
    wedge, all_around = WedgeBug(), WedgeBug(WedgeBug.Parameters(half_angle=math.pi))
    drive('open', wedge), drive('open', all_around)
    assert wedge.camera.views == all_around.camera.views > 0


class Somewhere:
    """A robot with the attributes that a field of view needs."""

    pose = Pose(0.0, 0.0, 0.0)
    odom_position = pose.position
    goal_heading = math.pi / 2.0
    goal_distance = 5.0


def test_camera_views_the_goal_first_and_pans_until_all_is_observed():
    looks = list(Wedge(math.pi / 6.0).towards_goal(Somewhere()))
    assert len(looks) == 6
    assert looks[0][heading_index(math.pi / 2.0)] and looks[0].sum() == HEADINGS // 6 + 1
    assert all((a <= b).all() and b.sum() > a.sum() for a, b in zip(looks, looks[1:]))
    assert looks[-1].all()


def test_camera_on_a_boundary_views_the_goal_when_it_comes_nearer():
    camera, robot = Wedge(math.pi / 6.0), Somewhere()
    ahead = heading_index(robot.goal_heading)
    assert camera.along_wall(robot, (1.0, 0.0))[[0, ahead]].all()
    assert camera.along_wall(robot, (1.0, 0.0))[[0, ahead]].tolist() == [True, False]
    assert camera.views == 3
