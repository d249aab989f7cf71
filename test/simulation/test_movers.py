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
"""Movers of a world: scripts, doors and people."""

from __future__ import annotations

import math

from arena import block, QUIET, R, world_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.simulation.movers import (
    AutomaticDoor,
    disc,
    edges,
    Person,
    placed,
    Script,
    Scripted,
)
from bug_nav.simulation.scene import distance_to
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World, WorldError
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

LEAF = (block(-0.05, 0.05, -0.5, 0.5),)
HERE = Script([0.0], [(0.0, 0.0, 0.0)])
TO_AND_FRO = Script([0.0, 2.0, 4.0], [(0, 0, 0), (0, 2, 0), (0, 0, 0)], loop=True)
angles = st.floats(-3.0, 3.0)
places = st.tuples(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))


def stationary(mover, robot=(50.0, 0.0)) -> Simulator:
    """Return the simulator of a stationary robot in a world with one mover."""
    return Simulator(World('', (), movers=(mover,)), Pose(*robot, 0.0), lidar=QUIET)


def waited(simulator: Simulator, seconds: float, dt: float = 0.05) -> Simulator:
    for _ in range(round(seconds / dt)):
        simulator.step(STOP, dt)
    return simulator


def body(simulator: Simulator):
    (only,) = simulator.scene.bodies
    return only


# Scripts.

def test_script_interpolates_its_poses_and_stays_at_the_last_one():
    script = Script([1.0, 3.0], [(0, 0, 0), (4, 2, 1)], delay=2.0)
    assert script.at(0.0) == script.at(3.0) == Pose(0.0, 0.0, 0.0)
    assert script.at(4.0) == pytest.approx((2.0, 1.0, 0.5))
    assert script.at(5.0) == script.at(math.inf) == pytest.approx((4.0, 2.0, 1.0))


def test_looped_script_repeats():
    assert TO_AND_FRO.at(1.0) == TO_AND_FRO.at(5.0) == TO_AND_FRO.at(401.0)
    assert TO_AND_FRO.at(3.0).y == pytest.approx(1.0)


def test_script_turns_the_shorter_way():
    script = Script([0.0, 1.0], [(0, 0, 3.0), (0, 0, -3.0)])
    assert abs(script.at(0.5).theta) == pytest.approx(math.pi)


@pytest.mark.parametrize('times, poses, words', [
    ([0.0, 1.0], [(0, 0, 0)], '2 times and 1 poses'),
    ([], [], '0 times and 0 poses'),
    ([0.0, 0.0], [(0, 0, 0)] * 2, 'have to increase'),
    ([-1.0, 0.0], [(0, 0, 0)] * 2, 'have to increase, from 0 s'),
    ([0.0, math.nan], [(0, 0, 0)] * 2, 'not finite'),
    ([0.0, math.inf], [(0, 0, 0)] * 2, 'not finite'),
    ([0.0], [(0, math.nan, 0)], 'not finite')])
def test_invalid_script_is_rejected(times, poses, words):
    with pytest.raises(WorldError, match=words):
        Script(times, poses)


# Scripted movers.

def test_scripted_solid_follows_its_script():
    simulator = stationary(Scripted('box', LEAF, TO_AND_FRO))
    assert body(simulator).segments == pytest.approx(edges(LEAF))
    waited(simulator, 1.5)
    assert body(simulator).pose == pytest.approx((0.0, 1.5, 0.0))
    assert body(simulator).segments == pytest.approx(edges(LEAF) + (0, 1.5, 0, 1.5))


def test_solid_appears_and_disappears_at_its_times():
    simulator = stationary(Scripted('box', LEAF, HERE, since=1.0, until=2.0))
    assert body(simulator).pose is None and not len(body(simulator).segments)
    assert len(body(waited(simulator, 1.1)).segments) == 4
    assert not len(body(waited(simulator, 1.0)).segments)


def test_object_does_not_appear_on_a_robot_until_it_has_left():
    box = Scripted('box', LEAF, HERE, since=0.5, gives_way=True)
    simulator = waited(stationary(box, robot=(0.1, 0.2)), 3.0)
    assert body(simulator).pose is None and simulator.bumped == 0
    for _ in range(100):
        simulator.step(Twist(0.2, 0.0), 0.05)
    assert body(simulator).pose == (0.0, 0.0, 0.0) and simulator.contacts == 0


def test_yielding_door_waits_for_a_robot_and_then_resumes_its_script():
    to_the_robot = Script([0.0, 4.0], [(-2, 0, 0), (0, 0, 0)])
    door = Scripted('door', LEAF, to_the_robot, gives_way=True)
    simulator = waited(stationary(door, robot=(-0.6, 0.0)), 10.0)
    waits = body(simulator).pose
    assert -0.6 - R - 0.05 - 0.06 < waits.x < -0.6 - R - 0.05 - 0.02 + 1e-9
    assert simulator.bumped == simulator.contacts == 0
    simulator.teleport(Pose(3.0, 0.0, 0.0))
    simulator.step(STOP, 0.05)
    assert body(simulator).pose.x == pytest.approx(waits.x + 0.025, abs=1e-6)   # without a jump


def test_door_that_does_not_yield_bumps_into_the_robot():
    to_the_robot = Script([0.0, 4.0], [(-2, 0, 0), (0, 0, 0)])
    simulator = waited(stationary(Scripted('door', LEAF, to_the_robot), robot=(-0.6, 0.0)), 10.0)
    assert (simulator.bumped, simulator.contacts) == (1, 0)


# Automatic doors.

def sliding(**values) -> AutomaticDoor:
    return AutomaticDoor('door', LEAF, Pose(0, 0, 0), Pose(0, 1.1, 0), **values)


def test_automatic_door_opens_for_a_robot_nearby_and_shuts_behind_it():
    simulator = waited(stationary(sliding(duration=1.0, within=1.5), robot=(2.0, 0.0)), 3.0)
    assert body(simulator).pose == (0.0, 0.0, 0.0)
    simulator.teleport(Pose(1.2, 0.0, 0.0))
    assert body(waited(simulator, 0.5)).pose == pytest.approx((0.0, 0.55, 0.0))
    assert body(waited(simulator, 3.0)).pose == pytest.approx((0.0, 1.1, 0.0))
    simulator.teleport(Pose(-2.0, 0.0, 0.0))
    assert body(waited(simulator, 3.0)).pose == pytest.approx((0.0, 0.0, 0.0))


def test_automatic_door_does_not_shut_on_a_robot():
    door = sliding(duration=1.0, within=0.01)
    simulator = stationary(door, robot=(0.0, 0.0))    # opened by a robot in the doorway
    simulator.teleport(Pose(0.005, 0.0, 0.0))
    body(simulator)._opened = 1.0
    simulator.teleport(Pose(0.1, 0.2, 0.0))
    waited(simulator, 5.0)
    gap = distance_to(body(simulator).segments, 0.1, 0.2) - R
    assert 0.02 <= gap < 0.02 + 1.1 * 0.05 + 1e-9
    assert simulator.bumped == 0


def test_robot_close_to_a_leaf_does_not_block_its_opening():
    simulator = stationary(sliding(duration=1.0), robot=(0.05 + R + 0.005, -0.3))
    assert body(waited(simulator, 2.0)).pose == pytest.approx((0.0, 1.1, 0.0))
    assert simulator.bumped == 0


# People.

def test_person_walks_back_and_forth_with_pauses():
    person = Person('p', [(0, 0), (2, 0), (2, 1)], speed=1.0, pause=1.0)
    simulator = waited(stationary(person), 1.0)
    assert body(simulator).pose.x == pytest.approx(0.0, abs=0.06)     # the pause
    seen = []
    for _ in range(200):
        simulator.step(STOP, 0.05)
        seen.append(body(simulator).pose[:2])
    seen = np.array(seen)
    steps = np.hypot(*np.diff(seen, axis=0).T)
    assert steps.max() == pytest.approx(0.05, abs=1e-9)
    assert np.hypot(*(seen - (2, 1)).T).min() < 0.1
    assert (np.abs(seen[-1] - (0, 0)) < 2.0).all() and (steps < 1e-9).sum() > 30


@pytest.mark.parametrize('manner, nearest', [('yields', 0.5), ('stubborn', 0.0)])
def test_person_stops_at_a_robot_and_then_turns_back(manner, nearest):
    person = Person('p', [(0, 0), (4, 0)], manner=manner)
    simulator = stationary(person, robot=(2.0, 0.0))
    least, after = math.inf, []
    for _ in range(200):
        simulator.step(STOP, 0.05)
        least = min(least, 2.0 - body(simulator).pose.x)
        after.append(body(simulator).pose.x)
    assert nearest - 0.05 <= least - R - 0.25 <= nearest + 0.051
    assert min(after[100:]) < 0.2


def test_yielding_person_never_touches_a_stationary_robot():
    person = Person('p', [(0, 0), (4, 0)], speed=1.5)
    assert waited(stationary(person, robot=(2.0, 0.2)), 30.0).bumped == 0


def test_following_person_follows_the_robot_but_not_through_walls():
    follower = Person('p', [(0, 0), (1, 0)], manner='follows')
    world = World('', (block(1.5, 1.7, -3.0, 3.0),), movers=(follower,))
    simulator = Simulator(world, Pose(3.0, 0.0, 0.0))
    waited(simulator, 5.0)
    assert 1.2 < body(simulator).pose.x <= 1.25 + 1e-9
    simulator = waited(stationary(follower, robot=(6.0, 0.0)), 10.0)
    assert body(simulator).pose.x == pytest.approx(6.0 - 0.7 - R - 0.25, abs=0.051)


def test_legs_are_two_discs_that_swing():
    walker = Person('p', [(0, 0), (9, 0)], legs=True)
    simulator = stationary(walker)
    apart = []
    for _ in range(60):
        simulator.step(STOP, 0.05)
        left, right = (leg[:, :2].mean(axis=0)
                       for leg in np.split(body(simulator).segments, 2))
        assert abs(left[1] - right[1]) == pytest.approx(0.26)
        apart.append(left[0] - right[0])
    assert max(apart) == pytest.approx(0.6, abs=0.02) and min(apart) < -0.58


@pytest.mark.parametrize('values, words', [
    ({'route': [(0, 0)]}, '1 places'), ({'route': [(0, 0), (math.inf, 0)]}, 'finite'),
    ({'manner': 'rude'}, 'yields, stubborn, follows'), ({'speed': 0.0}, 'up to 10 m/s'),
    ({'speed': math.nan}, 'up to 10 m/s'), ({'pause': -1.0}, 'from 0 s'),
    ({'radius': 3.0}, 'up to 2 m')])
def test_invalid_person_is_rejected(values, words):
    with pytest.raises(WorldError, match=words):
        Person(**{'name': 'p', 'route': [(0, 0), (1, 0)], **values})


# Movers of every kind.

def of_every_kind() -> tuple:
    return (Scripted('box', LEAF, TO_AND_FRO, since=0.0, until=9.0),
            Scripted('door', LEAF, Script([0.0, 1.0], [(1, 1, 0.5), (2, 0, 1.5)]), gives_way=True),
            sliding(within=100.0),
            Person('p', [(0, 0), (2, 1)], pause=0.2))


def sorted_midpoints(segments: np.ndarray) -> np.ndarray:
    middle = 0.5 * (segments[:, :2] + segments[:, 2:])
    return middle[np.lexsort(np.round(middle, 6).T)]


@given(places, angles, st.booleans(), st.integers(0, 3), st.floats(0.0, 8.0))
def test_transformed_mover_moves_the_same_way_in_its_frame(place, yaw, mirrored, kind, seconds):
    mover, frame = of_every_kind()[kind], Pose(*place, yaw)
    flip = -1.0 if mirrored else 1.0
    here = stationary(mover, robot=(60.0, 0.0))
    there = stationary(mover.transformed(frame, mirrored), robot=frame.apply((60.0, 0.0)))
    for simulator in (here, there):
        waited(simulator, seconds, 0.1)
    expected = body(here).segments * (1.0, flip, 1.0, flip)
    found = body(there).segments
    assert sorted_midpoints(found) == pytest.approx(
        sorted_midpoints(placed(expected, frame)), abs=1e-6)
    assert not len(found) or signed_area(found) > 0.0


def signed_area(segments: np.ndarray) -> float:
    x0, y0, x1, y1 = segments.T
    return 0.5 * float((x0 * y1 - x1 * y0).sum())


def test_only_movers_with_an_ending_script_come_to_rest():
    box, door, automatic, person = of_every_kind()
    assert box.rests() == ()                                     # it disappears
    assert Scripted('box', LEAF, TO_AND_FRO).rests() is None
    assert automatic.rests() is person.rests() is None
    (leaf,) = door.rests()
    assert edges((leaf,)) == pytest.approx(placed(edges(LEAF), Pose(2.0, 0.0, 1.5)))


def test_polygon_of_a_disc_circumscribes_it():
    away = np.hypot(*(disc(0.25, 1.0, 2.0) - (1.0, 2.0)).T)
    assert (away > 0.25).all() and (away < 0.26).all()


def test_settled_world_has_only_movers_at_rest_as_solids():
    world = World('', (block(5, 6, 5, 6),), movers=of_every_kind(), surfaces=('glass',))
    end = world.settled
    assert len(end.solids) == 2 and end.surfaces == ('glass', 'plain')
    assert end.movers == end.other_robots == ()
    assert end.clearance([(2.0, 0.0)])[0] < 0.0
    still = world_of(block(5, 6, 5, 6))
    assert still.settled is still
