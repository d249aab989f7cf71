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

"""The ledger of a goal: states, decisions without end, and the order of its milestones."""

from __future__ import annotations

import math

from arena import block, play, RHO, room, world_of
from bug_nav.navigation.geometry import IDENTITY
from bug_nav.navigation.ledger import GoalLedger, MAX_DECISIONS, ORDER_TOLERANCE
from bug_nav.navigation.perception.localization import Localization
from bug_nav.navigation.types import Concluded, Event, Outcome, STOP, Unreachable
from hypothesis import given
from hypothesis import strategies as st
import pytest

GOAL = (10.0, 0.0)


def event(kind: str, index: int = 1) -> Event:
    return Event(kind, index, IDENTITY, 0.0, 1.0, 1.0)


def ended(ledger: GoalLedger, *distances: float, goal=GOAL) -> Outcome:
    """Return how a goal ends with milestones so far from it, in a straight line; None: goes on."""
    try:
        for away in distances:
            ledger.pass_milestone((goal[0] - away, goal[1]), goal)
    except Concluded as conclusion:
        return conclusion.result.outcome
    return None


@pytest.fixture
def ledger():
    ledger = GoalLedger()
    ledger.ordered = True
    return ledger


# ---- states and events --------------------------------------------------------------------------

def test_states_nest_outermost_first(ledger):
    with ledger.state('circumnavigation'):
        with ledger.state('boundary_following'):
            assert ledger.states == ['circumnavigation', 'boundary_following']
        assert ledger.states == ['circumnavigation']
    assert ledger.states == []


def test_state_is_left_by_an_exception_too(ledger):
    with pytest.raises(ZeroDivisionError):
        with ledger.state('one'), ledger.state('two'):
            raise ZeroDivisionError
    assert ledger.states == []


def test_events_are_kept_in_their_order(ledger):
    events = [event('hit'), event('leave'), event('hit', 2)]
    for each in events:
        ledger.record(each)
    assert ledger.events == events


# ---- steps --------------------------------------------------------------------------------------

def test_first_of_the_steps_that_a_tick_has_passed_through_is_told(ledger):
    assert ledger.reported_step == ('', '')
    for step in ('1', '2', '3'):
        ledger.at(step, f'why {step}')
    assert ledger.reported_step == ('1', 'why 1') and ledger.step == '3'
    ledger.begin_tick()
    assert ledger.reported_step == ('3', 'why 3')
    ledger.at('4', 'why 4')
    assert ledger.reported_step == ('4', 'why 4')


# ---- decisions without end ----------------------------------------------------------------------

def decide(ledger: GoalLedger, count: int) -> None:
    for _ in range(count):
        with ledger.state('turning'):
            pass


def test_decisions_without_a_move_come_to_an_end(ledger):
    decide(ledger, MAX_DECISIONS - 1)
    ledger.record(event('hit'))
    with pytest.raises(Concluded) as conclusion:
        ledger.record(event('leave'))
    result = conclusion.value.result
    assert result.outcome is Outcome.INTERNAL
    assert 'hit, leave, turning' in result.message


def test_every_move_begins_the_count_anew(ledger):
    for _ in range(3):
        decide(ledger, MAX_DECISIONS)
        ledger.begin_tick()
    assert ledger.states == []


def test_algorithm_that_decides_for_ever_ends_its_goal_and_nothing_else():
    def script(robot):
        yield STOP
        while True:
            with robot.state('to_and_fro'):
                pass
    episode, _ = play(world_of(block(3.0, 4.0, -1.0, 1.0)), script)
    assert episode.outcome == 'internal' and 'to_and_fro' in episode.result.message


# ---- milestones ---------------------------------------------------------------------------------

def test_jump_of_before_both_milestones_keeps_nobody_from_comparing_them(ledger):
    assert ledger.hits == 0
    ledger.pass_milestone((GOAL[0] - 2.0, 0.0), GOAL, jumped=0.3)
    ledger.pass_milestone((GOAL[0] - 3.0, 0.0), GOAL, jumped=0.6)      # another frame
    with pytest.raises(Concluded):
        ledger.pass_milestone((GOAL[0] - 4.0, 0.0), GOAL, jumped=0.6)


def test_milestones_have_to_come_closer(ledger):
    assert ended(ledger, 5.0, 4.0, 3.9, 1.0) is None
    with pytest.raises(Concluded) as conclusion:
        ledger.pass_milestone((GOAL[0], 2.0), GOAL)
    result = conclusion.value.result
    assert result.outcome is Outcome.ODOM_CONTRADICTORY and result.certificate == ()
    assert '2.00 m from the goal' in result.message and '1.00 m' in result.message


@given(st.lists(st.floats(0.0, 20.0), min_size=1, max_size=12))
def test_each_is_asked_of_all_before_it(distances):
    ledger = GoalLedger()
    ledger.ordered = True
    nearest, expected = distances[0], None
    for away in distances:
        if abs(away - nearest - ORDER_TOLERANCE) < 1e-9:  # rounding decides
            return
        if away > nearest + ORDER_TOLERANCE:
            expected = Outcome.ODOM_CONTRADICTORY
            break
        nearest = min(nearest, away)
    assert ended(ledger, *distances) is expected


def test_what_margins_and_noise_make_of_an_order_is_allowed(ledger):
    assert ended(ledger, 3.0, 3.0 + 0.9 * ORDER_TOLERANCE, 3.0 - ORDER_TOLERANCE) is None
    # Yet it does not add up.
    assert ended(ledger, 3.0 + 0.5 * ORDER_TOLERANCE) is Outcome.ODOM_CONTRADICTORY


def test_algorithm_without_that_proof_may_go_away_from_the_goal():
    ledger = GoalLedger()
    assert ended(ledger, 3.0, 9.0, 4.0) is None


@pytest.mark.parametrize('drift', [(0.0, 5.0), (0.0, -5.0), (-3.0, 0.0), (60.0, 0.0)])
def test_goal_that_moves_is_no_contradiction_where_the_order_holds(ledger, drift):
    """Where the goal is seen elsewhere, the places before are measured from there too."""
    x, y = drift
    for step in range(10):
        ledger.pass_milestone((0.9 * step, 0.0), GOAL)
    moved = (GOAL[0] + x, GOAL[1] + y)
    ledger.pass_milestone((GOAL[0] + 0.95 * x, 0.95 * y), moved)


def test_goal_that_moves_behind_the_robot_is_a_contradiction(ledger):
    assert ended(ledger, 9.0, 5.0, 1.0) is None
    with pytest.raises(Concluded) as conclusion:  # the goal is now where the way began
        ledger.pass_milestone((GOAL[0] - 0.5, 0.0), (GOAL[0] - 9.0, 0.0))
    assert conclusion.value.result.outcome is Outcome.ODOM_CONTRADICTORY


# ---- the end of a goal --------------------------------------------------------------------------

def gives_up(robot):
    for _ in range(20):
        yield STOP
    raise Unreachable('there is no way', 7.0)


@pytest.mark.parametrize('correction, outcome, cause', [
    ('scan_matching', 'undecided', 'the sensors do not resolve the obstacles: the robot has been'),
    ('none', 'odom_contradictory', ': odometry drifts, or the sensors do not resolve')])
def test_verdict_without_a_chain_is_blamed_on_odometry_where_its_error_is_not_known_to_be_small(
        correction, outcome, cause):
    episode, _ = play(world_of(block(2.0, 3.0, -1.0, 1.0)), gives_up, drift_correction=correction)
    assert episode.outcome == outcome and episode.result.lap_length == 7.0
    assert cause in episode.result.message
    assert episode.result.certificate == episode.certificate == () and not episode.certified


@pytest.mark.parametrize('error, outcome', [
    (0.01, Outcome.UNDECIDED), (0.49 * RHO, Outcome.UNDECIDED),
    (0.51 * RHO, Outcome.ODOM_CONTRADICTORY), (math.nan, Outcome.ODOM_CONTRADICTORY)])
def test_cause_of_a_contradiction_depends_on_how_well_odometry_is_known(
        monkeypatch, error, outcome):
    def script(robot):
        yield STOP
        robot.ledger.ordered = True
        robot.pass_milestone((0.0, 0.0))
        robot.pass_milestone((-1.0, 0.0))
    monkeypatch.setattr(Localization, 'uncertainty', lambda *_: error)
    episode, _ = play(world_of(block(3.0, 4.0, -1.0, 1.0)), script)
    assert episode.result.outcome is outcome
    assert '7.00 m from the goal, where it has to be closer than 6.00' in episode.result.message


def test_verdict_with_a_chain_carries_it():
    episode, _ = play(room(1.5), gives_up)  # what is far away is not remembered
    assert (episode.outcome, episode.result.message) == ('unreachable', 'there is no way')
    assert episode.certified and len(episode.certificate) > 10
