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

"""What could be reached by a given time through doors that open and shut."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.movers import AutomaticDoor, Person, Script, Scripted
from bug_nav.simulation.world import World
import numpy as np
import pytest

pytest.importorskip('shapely', minversion='2', reason='shapely is older than 2')
from bug_nav.lab.cases import Case, Truth  # noqa: E402, I100
from bug_nav.lab.episodes import CampaignRules, Combination, Job  # noqa: E402
from bug_nav.lab.ground_truth import reachable  # noqa: E402
from bug_nav.lab.moving_truth import could_be_reached  # noqa: E402

RHO = 0.224


def box(x0, y0, x1, y1):
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=float)


# A corridor along x, closed at its ends, from the start at 0 to the goal at 6.
CORRIDOR = (box(-1.0, 1.0, 7.0, 1.1), box(-1.0, -1.1, 7.0, -1.0), box(-1.1, -1.1, -1.0, 1.1),
            box(7.0, -1.1, 7.1, 1.1))
START, GOAL = (0.0, 0.0), (6.0, 0.0)
DOOR = (box(-0.05, -1.0, 0.05, 1.0),)
AWAY = 50.0


def door(x, *changes, loop=False):
    """Return a door that fills the corridor, and is elsewhere in some spans [s]."""
    times, poses = [0.0], [(x, 0.0, 0.0)]
    for begin, end in changes:
        for stamp, y in ((begin, 0.0), (begin + 1.0, AWAY), (end - 1.0, AWAY), (end, 0.0)):
            if stamp < math.inf:
                times.append(stamp)
                poses.append((x, y, 0.0))
    return Scripted(f'door {x}', DOOR, Script(np.array(times), np.array(poses), loop))


def world(*movers):
    return World('doors', CORRIDOR, (*START, 0.0), GOAL, movers=movers)


def until(place, stamp):
    return could_be_reached(place, START, GOAL, RHO, stamp)


def test_door_counts_from_the_time_when_it_opens():
    place = world(door(3.0, (70.0, 200.0)))
    assert not until(place, 68.0) and until(place, 72.0)


def test_door_that_shut_again_could_be_passed_before():
    place = world(door(3.0, (10.0, 20.0)))
    assert not until(place, 5.0) and until(place, 300.0)
    assert not reachable(place.settled, START, GOAL, RHO)


def test_doors_that_are_never_open_together_are_passed_one_after_the_other():
    airlock = world(door(2.0, (5.0, 10.0), (25.0, 30.0)), door(4.0, (15.0, 20.0)))
    assert not until(airlock, 14.0) and until(airlock, 17.0)


def test_doors_that_open_in_the_wrong_order_are_not_passed():
    place = world(door(4.0, (5.0, 10.0)), door(2.0, (15.0, 20.0)))
    assert not until(place, 300.0)


def test_door_that_opens_again_and_again_is_judged_in_time():
    place = world(door(3.0, (10.0, 20.0), loop=True))
    assert not until(place, 9.0) and until(place, 1000.0)


def test_box_that_is_taken_away_no_longer_blocks():
    place = world(Scripted('box', DOOR, Script(np.zeros(1), np.array([(3.0, 0.0, 0.0)])),
                           until=30.0))
    assert not until(place, 29.0) and until(place, 31.0)


@pytest.mark.parametrize('mover', [
    AutomaticDoor('door', DOOR, Pose(3.0, 0.0, 0.0), Pose(3.0, AWAY, 0.0)),
    Person('person', np.array([(3.0, 0.7), (3.0, -0.7)]))])
def test_people_and_doors_that_open_for_a_robot_do_not_block(mover):
    assert until(world(mover), 1.0)


# ---- the verdict -------------------------------------------------------------------------------

def judged(monkeypatch, place, outcome, time, goal_error=3.0):
    """Return verdict and fault of an episode in a world."""
    monkeypatch.setattr('bug_nav.lab.episodes.cached_world', lambda name: place)
    finally_reachable = reachable(place.settled, START, GOAL, RHO)
    truth = Truth(finally_reachable, finally_reachable, None, 100.0, None)
    case = Case(0, 0, 'doors', (*START, 0.0), GOAL, True, {'burger': truth})
    combination = Combination('bug2', 'burger', 'rolling_disc', 'left', None, 'perfect', 0.0, 0,
                              '', {}, 'own')
    rules = CampaignRules(0, ('doors',), 1200.0, 0.5, 'verdict', {}, False)
    monkeypatch.setattr('bug_nav.lab.episodes.bound_of', lambda *arguments: None)
    row = Job(rules, case, combination).row(
        outcome, '', time=time, goal_error=goal_error,
        certified=True if outcome == 'unreachable' else None)
    assert row.reachable is finally_reachable
    return row.verdict, row.fault


OPENS = world(door(3.0, (70.0, math.inf)))
SHUTS = dataclasses.replace(OPENS, movers=(door(3.0, (5.0, 20.0)),))


@pytest.mark.parametrize('place, outcome, time, goal_error, verdict', [
    (OPENS, 'unreachable', 68.0, 3.0, 'right'), (OPENS, 'unreachable', 90.0, 3.0, 'wrong'),
    (OPENS, 'reached', 90.0, 0.1, 'right'), (SHUTS, 'unreachable', 90.0, 3.0, 'right'),
    (SHUTS, 'reached', 15.0, 0.1, 'right'), (SHUTS, 'reached', 15.0, 3.0, 'wrong')])
def test_verdict_is_judged_by_what_could_be_reached_until_then(
        monkeypatch, place, outcome, time, goal_error, verdict):
    assert judged(monkeypatch, place, outcome, time, goal_error)[0] == verdict
