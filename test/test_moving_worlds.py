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
"""Tests of goals in worlds with dynamic obstacles: waiting, verdicts, and reasons."""

import itertools
import math

from bug_nav.lab.run_setup import drive as drive_options
from bug_nav.lab.run_setup import RunOptions, set_up
from bug_nav.navigation import navigator as navigator_module
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.control.drive import SPEED_NEAR_PERSON
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.proof import policy
from bug_nav.navigation.settings import Settings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import rectangle
from bug_nav.simulation.movers import disc, Person, Script, Scripted
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.world import World
import numpy as np
import pytest
from subsets import subset

ALGORITHMS = ('bug1', 'bug2', 'dist_bug', 'tangent_bug', 'vis_bug_21', 'sensor_bug')
ROOM = (rectangle(0, 2.1, 8.2, 0.2, 0), rectangle(0, -2.1, 8.2, 0.2, 0),
        rectangle(4.1, 0, 0.2, 4.4, 0), rectangle(-4.1, 0, 0.2, 4.4, 0))
DIVIDED = (*ROOM, rectangle(0, 1.25, 0.15, 1.5, 0), rectangle(0, -1.25, 0.15, 1.5, 0))
LEAF = (rectangle(0, 0, 0.1, 1.0, 0),)
START, GOAL = Pose(-3.0, 0.0, 0.0), (3.0, 0.0)


def door(begins, ends, y0, y1):
    """Return a sliding door that moves from y0 to y1 between two times."""
    script = Script([0.0, begins, ends], [(0, y0, 0), (0, y0, 0), (0, y1, 0)])
    return Scripted('door', LEAF, script, gives_way=True)


SHUTS, OPENS = door(8, 11, 1.3, 0.0), door(60, 63, 0.0, 1.3)


def drive(algorithm, solids, *movers, settings=Settings(), seed=3, **others):
    states = set()
    episode = run_episode(
        World('room', solids, movers=movers, **others), START, GOAL, find(algorithm)(),
        settings=settings, seed=seed, time_allowance=1200.0, keep_samples=False,
        watch=lambda simulator, navigator, decision: states.update(decision.state))
    assert episode.contacts == 0
    return episode, states


@pytest.mark.parametrize('algorithm', subset(ALGORITHMS, 3, 0))
def test_goal_is_unreachable_once_a_door_has_been_closed_for_the_settled_timeout(algorithm):
    episode, _ = drive(algorithm, DIVIDED, SHUTS)
    assert episode.outcome == 'unreachable' and episode.certified
    assert episode.time > 11.0 + Settings().settled_timeout


@pytest.mark.parametrize('algorithm', subset(ALGORITHMS, 3, 1))
def test_robot_drives_through_a_door_that_opens_later(algorithm):
    episode, _ = drive(algorithm, DIVIDED, OPENS)
    assert episode.outcome == 'reached' and episode.time > 60.0


@pytest.mark.parametrize('algorithm', subset(ALGORITHMS, 3, 2))
def test_goal_is_reached_after_a_box_in_the_door_is_removed(algorithm):
    box = Scripted('box', LEAF, Script([0.0], [(0, 0, 0)]), since=5.0, until=60.0)
    assert drive(algorithm, DIVIDED, box)[0].outcome == 'reached'


@pytest.mark.parametrize('algorithm', subset(ALGORITHMS, 3, 0))
def test_goal_is_reached_after_a_person_leaves_the_only_door(algorithm):
    person = Scripted('p', (disc(0.25),), Script(
        [0.0, 20.0, 23.0], [(0, 0, 0), (0, 0, 0), (3, 1.5, 0)]))
    assert drive(algorithm, DIVIDED, person)[0].outcome == 'reached'


@pytest.mark.parametrize('algorithm', subset(ALGORITHMS, 3, 1))
def test_robot_waits_until_a_person_leaves_the_goal(algorithm):
    comes = Scripted('p', (disc(0.25),), Script(
        [0.0, 10.0, 11.5, 50.0, 52.0],
        [(3, 1.7, 0), (3, 1.7, 0), (3, 0, 0), (3, 0, 0), (3, 1.7, 0)]))
    episode, _ = drive(algorithm, ROOM, comes)
    assert episode.outcome == 'reached' and episode.time > 50.0


def test_robot_waits_for_a_crossing_person_without_a_hit():
    crosses = Person('p', [(-1.5, -1.5), (-1.5, 1.5)], speed=0.7)
    episode, states = drive('bug2', ROOM, crosses)
    assert episode.outcome == 'reached' and 'waiting_for_passage' in states
    assert episode.events == []


@pytest.mark.parametrize('algorithm', ALGORITHMS)
@pytest.mark.parametrize('begins', [12.0, 13.0, 14.0])
def test_robot_drives_out_of_the_reach_of_a_door_that_follows_it(algorithm, begins):
    # Its hinge is at the left jamb; open, it stands on the side from which the robot comes.
    leaf = rectangle(0.5, 0, 0.98, 0.04, 0)
    shuts = Scripted('door', (leaf,), Script(
        [0.0, begins, begins + 2.5],
        [(0, 0.5, math.pi), (0, 0.5, math.pi), (0, 0.5, 1.5 * math.pi)]), gives_way=True)
    episode, _ = drive(algorithm, DIVIDED, shuts)
    assert episode.outcome == 'reached' and episode.time < 50.0


@pytest.mark.parametrize('comes', [True, False])
def test_person_who_has_stopped_beside_the_way_is_passed_slowly_and_a_pillar_is_not(comes):
    # Half a metre from the middle of the way: the body passes at 0.13 m.
    stands = Scripted('p', (disc(0.25),), Script(
        [0.0, 1.0, 3.0], [(0, 1.6 if comes else 0.5, 0)] * 2 + [(0, 0.5, 0)]))
    speeds = []

    def note(simulator, navigator, decision) -> None:
        if math.dist(simulator.pose.position, (0.0, 0.5)) < 0.6:
            speeds.append(decision.twist.v)
    episode = run_episode(World('room', ROOM, movers=(stands,)), START, GOAL, find('bug2')(),
                          settings=Settings(clearance=0.02), seed=3, watch=note)
    assert episode.outcome == 'reached' and episode.contacts == 0
    assert (max(speeds) <= SPEED_NEAR_PERSON
            + 1e-9) is comes and max(speeds) >= SPEED_NEAR_PERSON - 1e-9


def test_world_that_keeps_changing_ends_as_world_changed(monkeypatch):
    monkeypatch.setattr(policy, 'MAX_RESTARTS', 0)
    episode, _ = drive('bug1', DIVIDED, Scripted(
        'box', LEAF, Script([0.0], [(0, 0, 0)]), since=5.0, until=60.0))
    assert episode.outcome == 'world_changed'
    assert episode.result.message.startswith('the world kept changing: ')


def test_goal_closed_off_among_swinging_doors_is_unreachable_without_a_closed_lap():
    world = find_world('random:doors?seed=771&reachable=false')
    episode = run_episode(world, world.start, world.goal, find('tangent_bug')(), seed=771,
                          time_allowance=2400.0, keep_samples=False)
    assert episode.outcome == 'unreachable' and episode.certified
    assert 'static obstacles' in episode.result.message


def test_goal_behind_a_door_that_has_opened_unobserved_is_not_unreachable():
    world = find_world('random:doors?seed=230803004')
    episode = run_episode(world, world.start, world.goal, find('bug2')(), seed=526226792,
                          time_allowance=400.0, keep_samples=False)
    assert episode.outcome == 'reached'


@pytest.mark.parametrize('lidar, seed, algorithm, noise_seed', [
    ('own', 4426, 'bug2', 1515945852),  # shut again at the place where it was before
    ('own', 7720, 'tangent_bug', 812193553),  # shut for a minute
    # To the outside, where nothing is in range, which these lidars report as 0.0, as errors.
    ('lds_01', 7741, 'bug1', 10178165), ('lds_01', 7749, 'bug1', 1403919248),
    ('lds_01', 7734, 'tangent_bug', 674955172)])
def test_doors_that_keep_opening_prove_nothing(lidar, seed, algorithm, noise_seed):
    episode = drive_options(set_up(RunOptions(
        f'random:doors?seed={seed}', algorithm, turn='left', seed=noise_seed,
        time_allowance=800.0, settings={'lidar': lidar})))
    assert episode.outcome in ('reached', 'timeout', 'blocked', 'world_changed')


def test_door_that_touches_the_robot_is_not_taken_for_a_part_of_it():
    episode = drive_options(set_up(RunOptions(
        'random:doors?seed=7723', 'bug2', turn='left', seed=1289512640, time_allowance=250.0,
        settings={'lidar': 'lds_01'})))
    assert episode.outcome in ('timeout', 'world_changed'), episode.result  # and not undecided


@pytest.mark.parametrize('algorithm', ['bug1', 'bug2'])
def test_door_that_opens_before_the_robot_is_not_taken_for_a_rotated_lidar(algorithm):
    world = find_world('random:doors?seed=105')
    episode = run_episode(world, world.start, world.goal, find(algorithm)(), seed=105,
                          time_allowance=2400.0, keep_samples=False)
    # Bug1 may find the door shut each time that it comes by, in up to five further rounds.
    also = ('world_changed',) if algorithm == 'bug1' else ()
    assert episode.outcome in ('reached', 'timeout', *also)


@pytest.mark.parametrize('seed, goals, algorithm, noise_seed', [
    (322, 'true', 'bug1', 322), (322, 'true', 'bug1', 2), (777, 'false', 'bug2', 777),
    *((seed, 'false', 'bug2', seed) for seed in subset(range(904, 916, 2), 2))])
def test_door_beside_the_robot_does_not_move_its_estimated_pose(seed, goals, algorithm,
                                                                noise_seed):
    world, errors = find_world(f'random:doors?seed={seed}&reachable={goals}'), []

    def note(simulator, navigator, decision) -> None:
        errors.append(math.dist(navigator.robot.pose.position, simulator.pose.position))
    run_episode(world, world.start, world.goal, find(algorithm)(), seed=noise_seed,
                time_allowance=300.0, keep_samples=False, watch=note)
    assert max(errors[20:]) < 0.1


def test_robot_waits_for_a_limited_time_for_a_moving_obstacle_in_its_way(monkeypatch):
    monkeypatch.setattr(navigator_module, 'MAX_YIELD_TIME', 15.0)
    # A person walks back and forth in a corridor that is too narrow for both.
    walls = (rectangle(0, 0.5, 8, 0.2, 0), rectangle(0, -0.5, 8, 0.2, 0))
    walks = Scripted('p', (disc(0.25),), Script(
        [0.0, 1.0, 2.0], [(-1.6, 0, 0), (-1.2, 0, 0), (-1.6, 0, 0)], loop=True))
    episode, _ = drive('bug2', walls, walks)
    assert episode.outcome == 'blocked' and 'a moving obstacle' in episode.result.message


@pytest.mark.parametrize('algorithm, width', subset(
    itertools.product(ALGORITHMS, [1.6, 2.2]), 5))
def test_two_robots_that_meet_head_on_in_a_corridor_pass_each_other(algorithm, width):
    walls = (rectangle(0, width / 2 + 0.1, 10, 0.2, 0), rectangle(0, -width / 2 - 0.1, 10, 0.2, 0))
    other = OtherRobot((3.0, 0.0, math.pi), (-3.0, 0.0), algorithm)
    episode, _ = drive(algorithm, walls, other_robots=(other,))
    assert episode.outcome == 'reached' and episode.time < 200.0


@pytest.mark.parametrize('seed, algorithm', [(5, 'bug2'), *subset(
    itertools.product((3, 4, 6, 7), ALGORITHMS), 12)])
def test_robot_crosses_a_crowd_without_contact_or_a_shift_of_its_estimated_pose(seed, algorithm):
    world, errors = find_world('crowd'), []

    def note(simulator, navigator, decision) -> None:
        errors.append(math.dist(navigator.robot.pose.position, simulator.pose.position))
    episode = run_episode(world, Pose(*world.start), world.goal, find(algorithm)(), seed=seed,
                          keep_samples=False, watch=note)
    assert episode.outcome == 'reached' and episode.contacts == 0
    assert max(errors) < 0.05


def test_zero_settled_timeout_gives_the_verdict_at_once():
    post = disc(0.25, 3.0, 0.0)
    waited = {timeout: run_episode(
        World('post', (*ROOM, post)), START, GOAL, find('bug1')(),
        settings=Settings(settled_timeout=timeout), keep_samples=False)
              for timeout in (0.0, 200.0)}
    assert [each.outcome for each in waited.values()] == ['unreachable'] * 2
    assert waited[0.0].time < 70.0 < 200.0 < waited[200.0].time
    assert waited[0.0].path_length == pytest.approx(waited[200.0].path_length, abs=0.01)


def reported(solids, *movers):
    """Return the steps and reasons that Bug2 reports, without repetition."""
    reasons = {}
    run_episode(World('room', solids, movers=movers), START, GOAL, find('bug2')(), seed=3,
                time_allowance=1200.0, keep_samples=False,
                watch=lambda simulator, navigator, decision: reasons.setdefault(
                    (decision.step, decision.reason)))
    return list(reasons)


def test_dynamic_obstacles_are_reported_as_reasons():
    passing = reported(ROOM, Person('p', [(-1.5, -1.5), (-1.5, 1.5)], speed=0.7))
    assert ('1', 'a moving obstacle is in the way') in passing
    held_back = reported((*ROOM, disc(0.25, 3.0, 0.0)))
    assert ('2c', 'possibly dynamic obstacles enclose the goal: they must be stationary for '
            f'{Settings().settled_timeout:g} s') in held_back
    gone = [reason for step, reason in reported(DIVIDED, OPENS) if 'restarts here' in reason]
    assert gone


def test_settled_world_has_no_movers():
    world = World('room', DIVIDED, movers=(SHUTS,))
    assert len(world.settled.solids) == len(DIVIDED) + 1 and world.settled.movers == ()
    assert np.allclose(world.settled.solids[-1].mean(axis=0), (0.0, 0.0))
