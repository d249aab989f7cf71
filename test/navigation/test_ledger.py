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

"""Tests of the ledger of a goal: states, endless decisions, and the order of milestones."""

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


def outcome_after(ledger: GoalLedger, *distances: float, goal=GOAL) -> Outcome:
    """Return the outcome after milestones at distances from the goal [m]; None if it continues."""
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


def test_exception_leaves_the_states(ledger):
    with pytest.raises(ZeroDivisionError):
        with ledger.state('one'), ledger.state('two'):
            raise ZeroDivisionError
    assert ledger.states == []


def test_events_are_recorded_in_order(ledger):
    events = [event('hit'), event('leave'), event('hit', 2)]
    for each in events:
        ledger.record(each)
    assert ledger.events == events


# ---- steps --------------------------------------------------------------------------------------

def test_first_step_that_is_left_in_a_tick_is_reported(ledger):
    assert ledger.reported_step == ('', '')
    for step in ('1', '2', '3'):
        ledger.at(step, f'why {step}')
    assert ledger.reported_step == ('1', 'why 1') and ledger.step == '3'
    ledger.begin_tick()
    assert ledger.reported_step == ('3', 'why 3')
    ledger.at('4', 'why 4')
    assert ledger.reported_step == ('4', 'why 4')


# ---- endless decisions --------------------------------------------------------------------------

def decide(ledger: GoalLedger, count: int) -> None:
    for _ in range(count):
        with ledger.state('turning'):
            pass


def test_too_many_decisions_in_a_tick_are_an_internal_error(ledger):
    decide(ledger, MAX_DECISIONS - 1)
    ledger.record(event('hit'))
    with pytest.raises(Concluded) as conclusion:
        ledger.record(event('leave'))
    result = conclusion.value.result
    assert result.outcome is Outcome.INTERNAL
    assert 'hit, leave, turning' in result.message


def test_each_tick_resets_the_count_of_decisions(ledger):
    for _ in range(3):
        decide(ledger, MAX_DECISIONS)
        ledger.begin_tick()
    assert ledger.states == []


def test_algorithm_with_endless_decisions_ends_with_an_internal_error():
    def script(robot):
        yield STOP
        while True:
            with robot.state('to_and_fro'):
                pass
    episode, _ = play(world_of(block(3.0, 4.0, -1.0, 1.0)), script)
    assert episode.outcome == 'internal' and 'to_and_fro' in episode.result.message


# ---- milestones ---------------------------------------------------------------------------------

def test_milestones_are_compared_unless_a_jump_is_between_them(ledger):
    assert ledger.hits == 0
    ledger.pass_milestone((GOAL[0] - 2.0, 0.0), GOAL, jumped=0.3)
    ledger.pass_milestone((GOAL[0] - 3.0, 0.0), GOAL, jumped=0.6)      # another frame
    with pytest.raises(Concluded):
        ledger.pass_milestone((GOAL[0] - 4.0, 0.0), GOAL, jumped=0.6)


def test_milestone_farther_from_the_goal_is_a_contradiction(ledger):
    assert outcome_after(ledger, 5.0, 4.0, 3.9, 1.0) is None
    with pytest.raises(Concluded) as conclusion:
        ledger.pass_milestone((GOAL[0], 2.0), GOAL)
    result = conclusion.value.result
    assert result.outcome is Outcome.ODOM_CONTRADICTORY and result.certificate == ()
    assert '2.00 m from the goal' in result.message and '1.00 m' in result.message


@given(st.lists(st.floats(0.0, 20.0), min_size=1, max_size=12))
def test_milestone_must_be_closer_than_all_earlier_ones(distances):
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
    assert outcome_after(ledger, *distances) is expected


def test_order_of_milestones_has_a_tolerance_that_does_not_add_up(ledger):
    assert outcome_after(ledger, 3.0, 3.0 + 0.9 * ORDER_TOLERANCE, 3.0 - ORDER_TOLERANCE) is None
    # The tolerance does not add up.
    assert outcome_after(ledger, 3.0 + 0.5 * ORDER_TOLERANCE) is Outcome.ODOM_CONTRADICTORY


def test_milestones_of_an_unordered_algorithm_may_be_farther_away():
    ledger = GoalLedger()
    assert outcome_after(ledger, 3.0, 9.0, 4.0) is None


@pytest.mark.parametrize('drift', [(0.0, 5.0), (0.0, -5.0), (-3.0, 0.0), (60.0, 0.0)])
def test_moving_goal_is_no_contradiction_if_the_order_holds(ledger, drift):
    """Measure earlier milestones from the current goal too."""
    x, y = drift
    for step in range(10):
        ledger.pass_milestone((0.9 * step, 0.0), GOAL)
    moved = (GOAL[0] + x, GOAL[1] + y)
    ledger.pass_milestone((GOAL[0] + 0.95 * x, 0.95 * y), moved)


def test_goal_that_moves_behind_the_robot_is_a_contradiction(ledger):
    assert outcome_after(ledger, 9.0, 5.0, 1.0) is None
    with pytest.raises(Concluded) as conclusion:  # the goal is now where the path began
        ledger.pass_milestone((GOAL[0] - 0.5, 0.0), (GOAL[0] - 9.0, 0.0))
    assert conclusion.value.result.outcome is Outcome.ODOM_CONTRADICTORY


# ---- the result of a goal -----------------------------------------------------------------------

def gives_up(robot):
    for _ in range(20):
        yield STOP
    raise Unreachable('there is no way', 7.0)


@pytest.mark.parametrize('correction, outcome, cause', [
    ('scan_matching', 'undecided', 'the sensors do not resolve the obstacles: the algorithm'),
    ('none', 'odom_contradictory', ': odometry drifts, or the sensors do not resolve')])
def test_verdict_without_a_chain_is_attributed_to_odometry_unless_its_error_is_small(
        correction, outcome, cause):
    episode, _ = play(world_of(block(2.0, 3.0, -1.0, 1.0)), gives_up, drift_correction=correction)
    assert episode.outcome == outcome and episode.result.lap_length == 7.0
    assert cause in episode.result.message
    assert episode.result.certificate == episode.certificate == () and not episode.certified


@pytest.mark.parametrize('error, outcome', [
    (0.01, Outcome.UNDECIDED), (0.49 * RHO, Outcome.UNDECIDED),
    (0.51 * RHO, Outcome.ODOM_CONTRADICTORY), (math.nan, Outcome.ODOM_CONTRADICTORY)])
def test_cause_of_a_contradiction_depends_on_the_odometry_uncertainty(
        monkeypatch, error, outcome):
    def script(robot):
        yield STOP
        robot.ledger.ordered = True
        robot.pass_milestone((0.0, 0.0))
        robot.pass_milestone((-1.0, 0.0))
    monkeypatch.setattr(Localization, 'uncertainty', lambda *_: error)
    episode, _ = play(world_of(block(3.0, 4.0, -1.0, 1.0)), script)
    assert episode.result.outcome is outcome
    assert '7.00 m from the goal, but must be closer than 6.00' in episode.result.message


def test_unreachable_verdict_includes_its_chain():
    episode, _ = play(room(1.5), gives_up)  # small, because distant points are not stored
    assert (episode.outcome, episode.result.message) == ('unreachable', 'there is no way')
    assert episode.certified and len(episode.certificate) > 10
