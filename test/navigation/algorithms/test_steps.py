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
"""Every algorithm has pseudo-code, and reports its step and the reason at each tick."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from typing import List, NamedTuple, Tuple

from arena import block, play, QUIET, Scripted, Stage, TURNS, world_of
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.bug2 import Bug2, CloserOnMLine
from bug_nav.navigation.algorithms.c_bug import CBug
from bug_nav.navigation.algorithms.c_bug import Parameters as CBugParameters
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.algorithms.sgba import Heard, Sgba
from bug_nav.navigation.algorithms.sgba import Parameters as SgbaParameters
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.names import less
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Decision
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.world import World
from family import NAMES as WITH_GOAL
from family import OFTEN, reported_steps, walks_as
from hypothesis import assume, given
from hypothesis import strategies as st
import pytest
from subsets import one_of, subset, WHOLE

NAMES = tuple(name for name, entry in registered().items() if entry.value.startswith('bug_nav.'))
SCENES = ('u_trap', 'ring_goal', 'demo')
MORE = {'bug_m1': ('gallery',), 'alg1': ('gallery',), 'alg2': ('gallery',), 'rev2': ('labyrinth',),
        'rev1': ('course_5_chicane',), 'point_bug': ('ring_start',), 'vis_bug_21': ('gallery',),
        'vis_bug_22': ('gallery',), 'bug1_plus': ('gallery',), 'iba': ('gallery',)}
"""Scenes with steps that occur in no other scene."""
NEVER = {name: {'3b'} for name in ('tangent_bug', 'wedge_bug', 'insert_bug', 'sensor_bug')}
"""Steps that occur in no scene: they need a way that looks free from afar and is blocked."""


CLOSER = (r'the M-line is met at Q, d\(Q\) = (\S+) m < d\(H(\d+)\) = (\S+) m, '
          'and the way is free')
"""Why Bug2 leaves."""


class Recorded(NamedTuple):
    """An episode with the decision of each tick."""

    episode: EpisodeResult
    decisions: List[Decision]

    @property
    def changes(self) -> List[Tuple[str, str]]:
        """Return the reported steps and reasons, without repetition."""
        steps = [(decision.step, decision.reason) for decision in self.decisions]
        return [one for one, before in zip(steps, [None, *steps]) if one != before]

    def reasons(self, step: str) -> List[str]:
        """Return the reasons reported with a step."""
        return [reason for name, reason in self.changes if name == step]


def record(algorithm: Algorithm, world: World, start=None, goal=None, turn: str = 'left'
           ) -> Recorded:
    decisions: List[Decision] = []
    episode = run_episode(
        world, Pose(*(start or world.start)), goal or world.goal, algorithm, lidar=QUIET,
        settings=Settings(turn_direction=turn), time_allowance=900.0,
        watch=lambda simulator, navigator, decision: decisions.append(decision))
    return Recorded(episode, decisions)


def changes_of(name: str, world: str) -> List[Tuple[str, str]]:
    """Return the steps and reasons of an episode, which other tests may share."""
    if name in WITH_GOAL:
        return reported_steps(name, world, 'left')
    return record(find(name)(), find_world(world)).changes


def all_changes(name: str) -> List[List[Tuple[str, str]]]:
    """Return the steps and reasons of an algorithm in several scenes."""
    found = [changes_of(name, world) for world in (*SCENES, *MORE.get(name, ()))]
    if name == 'c_bug':  # the ellipse ends before the wall does
        found.append(record(CBug(CBugParameters(first_length_ratio=1.1)),
                            world_of(block(1.0, 1.2, -3.0, 3.0)), IDENTITY, (2.2, 0.0)).changes)
    if name == 'sgba':
        bug = Sgba(SgbaParameters(outbound_time=90.0, outbound_heading=0.8, robot_id=2))
        bug.heard = lambda robot: [Heard(1, 0.5 if 20.0 < robot.stamp < 40.0 else 9.0, 0.0)]
        found.append(
            record(bug, world_of(block(2.0, 3.0, -1.0, 3.5)), IDENTITY, (-3.0, 0.0)).changes)
    return found


@pytest.mark.parametrize('name', NAMES)
def test_every_algorithm_has_steps_with_unique_names(name):
    steps = find(name).steps
    names = [step.name for step in steps]
    assert steps and len(set(names)) == len(names)
    assert all(re.fullmatch(r'\d[a-d]?', name) for name in names)
    assert all(step.text[0].isupper() and step.text.endswith(('.', ')')) for step in steps)


@pytest.mark.parametrize('name', NAMES)
def test_every_step_in_the_source_is_declared(name):
    algorithm = find(name)
    source = ast.parse(inspect.getsource(sys.modules[algorithm.__module__]))
    at = [call.args[0] for call in ast.walk(source) if isinstance(call, ast.Call)
          and isinstance(call.func, ast.Attribute) and call.func.attr == 'at']
    entered = {node.value for argument in at for node in ast.walk(argument)
               if isinstance(node, ast.Constant)}
    if not any('step' in vars(kind) for kind in algorithm.__mro__):  # else they are renamed
        assert entered <= {step.name for step in algorithm.steps}


@pytest.mark.parametrize('name', [name for name in sorted(set(map(walks_as, NAMES)))
                                  if WHOLE or name in (*OFTEN[::2], 'follow_wall')])
def test_each_tick_reports_a_step_and_a_reason_and_each_step_occurs(name):
    names = {step.name for step in find(name).steps}
    entered = set()
    for changes in all_changes(name):
        assert all(reason for _, reason in changes)
        entered |= {step for step, _ in changes}
    assert entered <= names, entered - names
    assert names - entered == NEVER.get(name, set())


@pytest.mark.parametrize('name', subset(
    ['bug2', 'multi_bug', 'alg2', 'dist_bug', 'gradient_bug'], 3))
def test_reasons_are_phrased_at_findings_and_not_at_each_tick(name, monkeypatch):
    worded = []
    because = Robot.because
    monkeypatch.setattr(Robot, 'because', lambda robot, reason: (
        worded.append(reason), because(robot, reason))[1])
    drive = record(find(name)(), find_world('gallery'))
    assert len(drive.decisions) > 1000
    assert len(worded) <= 2 * len(drive.episode.events) + 5


# ---- contents of the reasons --------------------------------------------------------------------

@given(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3))
def test_printed_numbers_of_a_comparison_satisfy_it(one, other):
    low, high = sorted((one, other))
    if high - low < 1e-5:
        high = low + 1e-5
    found = re.fullmatch(r'a = (\S+) m < b = (\S+) m', less('a', low, 'b', high))
    assert float(found[1]) < float(found[2])
    assert abs(float(found[1]) - low) <= 0.005 + 1e-12  # -0.375 is printed as -0.38


def test_comparison_has_two_decimals_if_these_are_enough():
    assert less('d(Q)', 2.314, 'd(H1)', 3.1) == 'd(Q) = 2.31 m < d(H1) = 3.10 m'
    assert less('i_H', -3.1, 'i', -3.099, 'dB') == 'i_H = -3.100 dB < i = -3.099 dB'


@given(st.floats(0.5, 9.0), st.floats(0.5, 9.0), st.sampled_from([0.0, 0.03]))
def test_leave_rule_of_bug2_gives_a_true_reason(away, hit, margin):
    assume(abs(away - hit) > 1e-5)  # printed numbers would be equal
    robot = Stage(world_of(), goal=(10.0, 0.0)).robot
    robot.record_hit(Hit(hit, (10.0 - hit, 0.0), (10.2 - hit, 0.0)))
    for y in (-0.01, 0.01):
        robot.set_pose(0.0, Pose(10.0 - away, y, 0.0), (10.0, 0.0), y < 0.0)
    if CloserOnMLine((0.0, 0.0), hit - margin)(robot):
        found = re.fullmatch(CLOSER, robot.ledger.reason)
        assert float(found[1]) < float(found[3])
        assert float(found[1]) == pytest.approx(away, abs=0.005)
        assert float(found[3]) == pytest.approx(hit, abs=0.005)
    else:
        assert away >= hit - margin - 1e-6
        assert robot.ledger.reason == f'an obstacle is in the way at H1, d(H1) = {hit:.2f} m'


@pytest.mark.parametrize('name, turn', [
    (name, turn) for name in subset(['gallery', 'maze', 'u_trap', 'demo', 'spiral_in'], 3)
    for turn in one_of(TURNS, name)])
def test_reasons_of_bug2_match_its_hit_and_leave_points(name, turn):
    drive = record(Bug2(), find_world(name), turn=turn)
    hits = [event for event in drive.episode.events if event.kind == 'hit']
    leaves = [event for event in drive.episode.events if event.kind == 'leave']
    found = [re.fullmatch(
        r'an obstacle is in the way at H(\d+), d\(H\1\) = (\S+) m', reason)
        for reason in drive.reasons('2')]
    assert [int(one[1]) for one in found] == [hit.index for hit in hits] and hits
    assert [float(one[2]) for one in found] == [
        pytest.approx(hit.goal_distance, abs=0.005) for hit in hits]
    closer = [re.fullmatch(CLOSER, reason) for reason in drive.reasons('2b')]
    assert [int(one[2]) for one in closer] == [leave.index for leave in leaves]
    for one, hit, leave in zip(closer, hits, leaves):
        assert float(one[1]) < float(one[3])
        assert float(one[3]) == pytest.approx(hit.goal_distance, abs=0.005)
        assert float(one[1]) == pytest.approx(leave.goal_distance, abs=0.02)
    assert drive.reasons('1')[-1].endswith('m from the goal')


@pytest.mark.parametrize('name, turn', [
    (name, turn) for name in subset(['gallery', 'demo', 'u_trap', 'touch'], 2)
    for turn in one_of(TURNS, name)])
def test_reasons_of_bug1_match_its_laps(name, turn):
    drive = record(Bug1(), find_world(name), turn=turn)
    hits = [event for event in drive.episode.events if event.kind == 'hit']
    leaves = [event for event in drive.episode.events if event.kind == 'leave']
    laps = [found for found in (re.fullmatch(
        r'the lap is closed, (\S+) m, and closest to the goal at Q, d\(Q\) = (\S+) m', reason)
        for reason in drive.reasons('3')) if found]
    assert len(laps) == len(leaves) == len(hits) > 0
    for lap, hit, leave in zip(laps, hits, leaves):
        assert float(lap[2]) < hit.goal_distance + 0.02
        assert float(lap[2]) == pytest.approx(leave.goal_distance, abs=0.05)
        assert float(lap[1]) < leave.path_length - hit.path_length
    assert drive.changes[-2][0] == drive.changes[-1][0] == '1'


def test_verdict_is_reported_with_its_step_and_lap_length():
    for algorithm, step in ((Bug1(), '3'), (Bug2(), '2c')):
        drive = record(algorithm, find_world('ring_goal'))
        last = drive.decisions[-1]
        assert last.result is drive.episode.result and last.step == step
        length = f'{last.result.lap_length:.2f} m'
        assert last.reason.startswith(last.result.message) and length in last.reason
        closed = f'the lap is closed, {length}, and separates the robot from the goal'
        assert closed in drive.reasons(step)


def test_leave_step_is_reported_in_its_tick_and_its_reason_in_the_next_step():
    drive = record(Bug2(), find_world('u_trap'))
    k = next(k for k, decision in enumerate(drive.decisions) if decision.step == '2b')
    assert [event.kind for event in drive.decisions[k].events] == ['leave']
    after = drive.decisions[k + 1]
    assert after.step == '1' and after.reason == drive.decisions[k].reason


# ---- algorithms without steps, and own reasons --------------------------------------------------

def test_algorithm_without_steps_runs_and_reports_none():
    def script(robot):
        for _ in range(10):
            yield robot.to_goal()

    drive = record(Scripted(script), world_of(), IDENTITY, (6.0, 0.0))
    assert Scripted.steps == ()
    assert drive.changes == [('', ''), ('', 'the script has ended')]


def test_given_reason_has_priority_over_the_last_finding():
    steps = []

    def script(robot):
        robot.ledger.steps = ('1', '2', '3', '4', '5')
        robot.because('found')
        robot.enter_step('1')
        steps.append(robot.ledger.reported_step)
        yield robot.to_goal()
        robot.enter_step('2', 'of its own')
        steps.append(robot.ledger.reported_step)
        yield robot.to_goal()
        robot.enter_step('3')
        robot.enter_step('4')
        robot.enter_step('5')
        steps.append(robot.ledger.reported_step)

    play(world_of(), script)
    assert steps == [('1', 'found'), ('2', 'of its own'), ('3', 'of its own')]
