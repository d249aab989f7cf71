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
"""Movers and robots in one scene: contacts, bumps and visibility."""

from __future__ import annotations

import math

from arena import block, QUIET, R
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.simulation import rays
from bug_nav.simulation.movers import disc, edges, Person, Script, Scripted
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.scene import distance_to
from bug_nav.simulation.sensors import LidarModel, RangerRing
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

BODY = (disc(0.25),)
TOWARDS = Script([0.0, 2.0, 5.0], [(2, 0, 0), (2, 0, 0), (-1, 0, 0)])
"""Waits for 2 s two meters ahead of the robot, and then approaches at 1 m/s."""


def simulated(*movers, solids=(), lidar=QUIET, start=(0.0, 0.0, 0.0)) -> Simulator:
    return Simulator(World('', solids, movers=movers), Pose(*start), lidar=lidar)


def driven(simulator: Simulator, v: float, seconds: float) -> Simulator:
    for _ in range(round(seconds / 0.05)):
        simulator.step(Twist(v, 0.0), 0.05)
    return simulator


# Contacts and bumps.

def test_mover_that_reaches_a_stationary_robot_bumps_into_it_once():
    simulator = driven(simulated(Scripted('p', BODY, TOWARDS)), 0.0, 6.0)
    assert (simulator.bumped, simulator.contacts) == (1, 0)
    assert simulator.pose == (0.0, 0.0, 0.0)      # it is not pushed


def test_robot_that_drives_into_a_mover_stops_with_a_contact():
    simulator = driven(simulated(Scripted('p', BODY, Script([0.0], [(1, 0, 0)]))), 0.2, 8.0)
    assert simulator.contacts >= 1 and simulator.bumped == 0
    assert simulator.pose.x <= 1.0 - 0.25 - R
    assert simulator.travelled == pytest.approx(simulator.pose.x, abs=1e-6)


def test_moving_robot_that_a_mover_reaches_has_a_contact():
    simulator = driven(simulated(Scripted('p', BODY, TOWARDS)), 0.1, 6.0)
    assert simulator.contacts == 1 and simulator.bumped == 0


def test_mover_that_overtakes_a_robot_from_behind_bumps_into_it():
    chases = Script([0.0, 2.0, 6.0], [(-2, 0, 0), (-2, 0, 0), (2, 0, 0)])
    simulator = driven(simulated(Scripted('p', BODY, chases)), 0.1, 4.5)
    assert (simulator.bumped, simulator.contacts) == (1, 0)


def test_robot_that_drives_into_a_mover_after_a_bump_has_a_contact():
    stays = Script([0.0, 1.0], [(2, 0, 0), (0.3, 0, 0)])
    simulator = driven(simulated(Scripted('p', BODY, stays)), 0.0, 2.0)
    assert (simulator.bumped, simulator.contacts) == (1, 0)
    driven(simulator, 0.2, 1.0)
    assert (simulator.bumped, simulator.contacts) == (1, 1)
    assert simulator.pose.x == 0.0


def test_robot_can_leave_a_mover_after_a_bump():
    stays = Script([0.0, 1.0], [(2, 0, 0), (0.3, 0, 0)])
    simulator = driven(driven(simulated(Scripted('p', BODY, stays)), 0.0, 2.0), -0.2, 3.0)
    assert simulator.pose.x < -0.4
    assert (simulator.bumped, simulator.contacts) == (1, 0)


def test_robot_inside_a_mover_can_leave_it():
    simulator = simulated(Scripted('big', (block(-1, 1, -1, 1),), Script([0.0], [(0, 0, 0)])))
    assert driven(simulator, 0.2, 8.0).pose.x > 1.0 + R
    assert (simulator.bumped, simulator.contacts) == (1, 0)


def test_robot_that_drives_into_another_robot_stops_with_a_contact():
    first = simulated()
    other = Simulator(first.world, Pose(1.0, 0.0, 0.0), scene=first.scene)
    for _ in range(120):
        first.step(Twist(0.2, 0.0), 0.05)
        other.step(STOP, 0.05)
    assert first.contacts >= 1 and first.pose.x <= 1.0 - 2.0 * R
    assert (other.contacts, other.pose.x) == (0, 1.0)


def test_teleport_resets_the_robot_but_not_the_scene():
    walker = Scripted('p', BODY, Script([0.0, 10.0], [(0, 5, 0), (10, 5, 0)]))
    simulator = driven(simulated(walker), 0.1, 2.0)
    assert simulator.touches((2.0, 5.3)) and not simulator.touches((0.0, 5.0))
    simulator.teleport(Pose(3.0, 1.0, 0.5))
    assert simulator.pose == simulator.odometry == (3.0, 1.0, 0.5)
    assert simulator.twist == STOP and simulator.stamp == pytest.approx(2.0)
    assert simulator.scene.bodies[0].pose.x == pytest.approx(2.0)


@pytest.mark.parametrize('away, passes', [(0.1, False), (1.5, True)])
def test_nobody_emerges_from_another_person_beside_a_robot(away, passes):
    y = away + R + 0.25
    simulator = driven(simulated(
        Scripted('stands', BODY, Script([0.0], [(0, y, 0)])),
        Person('walks', [(0, y + 3), (0, y - 0.8)], manner='stubborn')), 0.0, 3.6)
    walker = simulator.scene.bodies[1]
    assert (walker.pose.y < y) is passes and simulator.bumped == 0


# Visibility.

def test_lidar_sees_a_mover_at_its_position():
    simulator = simulated(Scripted('p', BODY, TOWARDS), solids=(block(3, 4, -1, 1),))
    assert simulator.scan().ranges[0] == pytest.approx(1.75 + 0.032)
    driven(simulator, 0.0, 3.0)
    assert simulator.scan().ranges[0] == pytest.approx(0.75 + 0.032, abs=1e-6)


def test_sweeping_lidar_sees_a_mover():
    lidar = LidarModel(scan_noise=0.0, scan_sweep_time=0.2)
    simulator = driven(simulated(Scripted('p', BODY, TOWARDS), lidar=lidar), 0.0, 3.0)
    assert simulator.scan().ranges[0] == pytest.approx(0.75 + 0.032, abs=1e-6)


def test_rangers_see_a_mover():
    ring = find_robot('e_puck').sensor
    assert isinstance(ring, RangerRing)
    simulator = simulated(Scripted('p', BODY, TOWARDS), lidar=ring)
    assert not any(np.isfinite(scan.ranges[0]) for scan in simulator.sense())
    driven(simulator, 0.0, 3.7)
    assert any(np.isfinite(scan.ranges[0]) for scan in simulator.sense())


def test_mover_is_visible_through_glass():
    world = World('', (block(1.0, 1.1, -1, 1),), surfaces=('glass',),
                  movers=(Scripted('p', BODY, Script([0.0], [(2, 0, 0)])),))
    simulator = Simulator(world, Pose(0, 0, 0), lidar=QUIET)
    assert simulator.scan().ranges[0] == pytest.approx(1.75 + 0.032)


def test_robots_see_each_other_but_not_themselves():
    first = simulated()
    assert (first.scan().ranges == math.inf).all()
    other = Simulator(first.world, Pose(1.0, 0.0, math.pi), lidar=QUIET, scene=first.scene)
    for robot in (first, other):
        assert np.nanmin(robot.scan().ranges) == pytest.approx(1.0 - R + 0.032, abs=0.005)


def test_scene_is_static_without_movers_and_other_robots():
    first = simulated()
    assert first.scene.is_static
    Simulator(first.world, Pose(1.0, 0.0, 0.0), scene=first.scene)
    assert not first.scene.is_static
    assert not simulated(Scripted('p', BODY, TOWARDS)).scene.is_static


def test_simulation_with_people_is_repeatable():
    def way():
        simulator = simulated(Person('p', [(0.5, -2), (0.5, 2)], pause=0.3), Person(
            'q', [(-2, 1), (2, 1)], manner='stubborn', legs=True), lidar=LidarModel())
        seen = []
        for _ in range(200):
            simulator.step(Twist(0.1, 0.2), 0.05)
            seen.append((*simulator.pose, *simulator.scene.segments.ravel()))
        return np.array(seen)
    assert np.array_equal(way(), way())


# Points inside outlines.

WITHIN = [rays.is_within, getattr(rays.is_within, 'py_func', rays.is_within)]


@pytest.mark.parametrize('is_within', WITHIN)
def test_point_is_inside_any_of_several_outlines_or_outside(is_within):
    two = edges((block(0, 2, 0, 1), block(1, 3, 0, 1), block(5, 6, 0, 1)))
    for x, inside in ((-1.0, False), (0.5, True), (1.5, True), (2.5, True), (4.0, False),
                      (5.5, True), (7.0, False)):
        assert bool(is_within(two, x, 0.5)) is inside
        assert not is_within(two, x, 1.5) and not is_within(two, x, -0.5)
    assert not is_within(np.empty((0, 4)), 0.0, 0.0)


@given(st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8), st.floats(0.2, 2.0)),
                max_size=5), st.floats(-9.7, 9.7), st.floats(-9.7, 9.7))
def test_point_inside_an_outline_has_negative_clearance_in_the_world(discs, x, y):
    solids = tuple(disc(radius, *place) for *place, radius in discs)
    clearance = float(World('', solids).clearance([(x, y)])[0])
    if abs(clearance) < 1e-9:
        return
    for is_within in WITHIN:
        assert bool(is_within(edges(solids), x, y)) is (clearance < 0.0)
    assert distance_to(edges(solids), x, y) == pytest.approx(max(clearance, 0.0), abs=1e-9)
