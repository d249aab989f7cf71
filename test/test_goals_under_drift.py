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

"""Goals under drift: what is reached, what is proven, and what is left undecided."""

from __future__ import annotations

import math

from arena import block, RHO, room, world_of
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.odometry import OdometryModel
import pytest

FAULTS = {'one wheel 1 %': {'odometry_bias': 0.01}, 'noise 10 %': {'odometry_noise': 0.1},
          'both': {'odometry_noise': 0.05, 'odometry_bias': 0.01}}


def drive(world, algorithm=Bug2, watch=None, odometry=OdometryModel(), seed=1, goal=None,
          **settings):
    return run_episode(world, Pose(*world.start) if world.start else IDENTITY,
                       goal or world.goal, algorithm(), settings=Settings(**settings),
                       odometry=odometry, seed=seed, watch=watch, time_allowance=1500.0)


@pytest.mark.parametrize('fault', FAULTS.values(), ids=FAULTS)
def test_goal_is_truly_reached_however_odometry_drifts(fault):
    episode = drive(find_world('maze'), Bug1, odometry=OdometryModel('encoders', **fault))
    assert episode.outcome == 'reached' and episode.contacts == 0
    assert episode.goal_error < 0.15 and 0.0 < episode.result.uncertainty < 0.1


def test_without_matching_it_is_not():
    episode = drive(find_world('maze'), Bug1, drift_correction='none',
                    odometry=OdometryModel('encoders', odometry_bias=0.01))
    assert episode.outcome != 'reached' or episode.goal_error > 0.3
    assert math.isnan(episode.result.uncertainty)


@pytest.mark.parametrize('fault', FAULTS.values(), ids=FAULTS)
def test_unreachable_goal_is_proven_however_odometry_drifts(fault):
    episode = drive(find_world('ring_goal'), Bug1, odometry=OdometryModel('encoders', **fault))
    assert episode.outcome == 'unreachable' and episode.certified


def test_corrections_are_no_part_of_the_path():
    episode = drive(find_world('maze'), Bug1)
    assert episode.odometry_length == pytest.approx(episode.path_length, rel=1e-3)


# What is not known well enough is no verdict.

@pytest.fixture
def known(monkeypatch):
    """Have places known only so well [m]: the robot's, and the goal's."""
    def make(robot, goal):
        places = iter((goal, robot))
        monkeypatch.setattr(Localization, 'uncertainty', lambda self, place: next(places, goal))
    return make


SHUT = room(4.0)
"""The goal is outside, 1.9 m behind the wall."""


@pytest.mark.parametrize('robot, goal, outcome', [
    (0.01, 0.02, 'unreachable'), (0.5 * RHO + 0.01, 0.02, 'undecided'),
    (0.01, 1.5, 'undecided'), (math.nan, math.nan, 'unreachable')])
def test_verdict_holds_for_what_is_known_of_places(known, robot, goal, outcome):
    known(robot, goal)
    episode = drive(SHUT, goal=(4.0, 0.0))
    assert episode.outcome == outcome
    assert bool(episode.result.certificate) == (outcome == 'unreachable')
    if outcome == 'undecided':
        assert f'{2.0 * goal:.2f} m' in episode.result.message
        assert episode.result.lap_length > 0.0


# Who is believed.

def test_localiser_is_preferred():
    seen = []
    episode = drive(find_world('maze'), odometry=OdometryModel(
        'encoders', odometry_bias=0.01, localiser_period=2.0),
        watch=lambda simulator, navigator, decision: seen.append(
            (navigator.robot.global_pose, simulator.pose)))
    assert episode.outcome == 'reached' and episode.goal_error < 0.3
    assert math.isnan(episode.result.uncertainty)
    assert max(math.dist(believed.position, true.position)
               for believed, true in seen[200:]) < 0.15


def test_goal_that_is_a_beacon_is_where_it_is_seen():
    world = world_of(block(1.5, 2.0, -0.6, 0.6))
    episode = drive(world, goal=(4.0, 0.0), odometry=OdometryModel(
        'encoders', odometry_noise=0.1, goal_beacon=True))
    assert episode.outcome == 'reached' and episode.goal_error < 0.12


@pytest.mark.parametrize('sensing, clearance', [('contact', 0.1)])
def test_sense_of_touch_matches_no_scans(sensing, clearance):
    episode = drive(world_of(block(0.8, 1.0, -0.4, 0.4)), goal=(2.0, 0.0), sensing=sensing,
                    clearance=clearance)
    assert episode.outcome == 'reached' and math.isnan(episode.result.uncertainty)


def test_correction_of_drift_is_never_a_crossing():
    robot = Robot(RobotModel(), Settings())
    robot.put(0.0, Pose(1.0, 0.0, 0.0), (9.0, 0.0), held=True)
    drift = Pose(0.0, 0.2, 0.0)
    robot.put(0.0, Pose(1.01, 0.2, 0.0), (9.0, 0.0), held=False, drift=drift)
    assert robot.position == (1.01, 0.2) and robot.previous == pytest.approx((1.0, 0.2))
    assert robot.path_length == pytest.approx(0.01) and robot.jumped == 0.0
