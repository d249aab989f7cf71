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

"""Tests of SensorBug; P1 to P23 are properties of test/properties."""

from __future__ import annotations

from arena import drive, hits_and_leaves, QUIET, RHO
from bug_nav.lab.ground_truth import judge
from bug_nav.navigation.algorithms.sensor_bug import SensorBug
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import ARRIVED
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
import pytest
from subsets import subset

CLUTTER = tuple(f'random:cluttered?seed={seed}{wish}' for seed in (330, 331)
                for wish in ('', '&reachable=false'))


@pytest.mark.parametrize('name', subset((
    'open', 'box', 'u_trap', 'ring_goal', 'ring_start', 'goal_solid', 'cell', 'maze', 'spiral_in',
    *CLUTTER), 3))
def test_p1_p7_p23_verdict_is_right_and_hits_come_closer_without_contact(name):
    world, episode = find_world(name), drive(name, SensorBug())
    truth = judge(world, world.start, world.goal, RHO)
    assert truth is None or episode.outcome in (ARRIVED if truth else ('unreachable',))
    distances = [hit.goal_distance for hit in hits_and_leaves(episode)[0]]
    assert all(a > b for a, b in zip(distances, distances[1:])), distances
    assert episode.contacts == 0 and episode.min_clearance > 0.05


def test_scans_are_evaluated_only_a_few_times_per_vertex():
    algorithm = SensorBug()
    episode = drive('box', algorithm)
    scans = episode.time / 0.2
    assert 2 <= algorithm.views < scans / 4


def test_leave_point_is_at_a_vertex():
    world = find_world('box')
    _, leaves = hits_and_leaves(drive('box', SensorBug()))
    corners = world.solids[0]
    assert len(leaves) == 1
    x, y = leaves[0].pose.position
    assert min(((x - a) ** 2 + (y - b) ** 2) ** 0.5 for a, b in corners) < 1.5 * RHO


def test_vertices_are_found_on_the_contour_of_a_large_robot():
    world, algorithm = find_world('box'), SensorBug()
    episode = run_episode(world, Pose(*world.start), world.goal, algorithm,
                          model=RobotModel(robot_radius=0.267), lidar=QUIET,
                          settings=Settings(clearance=0.15))
    # The goal is visible at the second vertex; a robot that misses it drives all the way around.
    assert episode.outcome == 'reached' and episode.path_length < 9.0


def test_run_without_a_hit_evaluates_no_scan():
    algorithm = SensorBug()
    drive('open', algorithm)
    assert algorithm.views == 0
