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

"""Tests of the judgement of a trial, from made-up traces."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.lab.grading.judgement import Facts, judge, Judgement, Trial, Truth, truth_of
from bug_nav.lab.grading.referee import Ending, Referee, TrialRules
from bug_nav.lab.grading.trace import as_table, Sample
from bug_nav.navigation.settings import RobotModel
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.world import World
from hypothesis import given
from hypothesis import strategies as st
import pytest

EMPTY = World('empty', ())
PERIOD = 0.05
KNOWN, RULES = Truth(True, 2.0), TrialRules()


def trace_of(places, speed=0.2, *, commands=True, contact=lambda k: False, rejected=0.0):
    """Return the samples of a robot that drives through places at a speed [m/s]."""
    samples, stamp, (x, y) = [], 0.0, places[0]
    for ahead in places[1:]:
        steps = max(round(math.dist((x, y), ahead) / (speed * PERIOD)), 1)
        dx, dy = (ahead[0] - x) / steps, (ahead[1] - y) / steps
        for _ in range(steps):
            stamp, x, y = stamp + PERIOD, x + dx, y + dy
            samples.append(Sample(stamp, x, y, math.atan2(dy, dx), math.hypot(dx, dy) / PERIOD,
                                  0.0, speed, 0.0, commands * (len(samples) + 1.0), rejected,
                                  float(contact(len(samples)))))
    return samples


def standing(samples, seconds):
    """Return samples followed by a stand."""
    last = samples[-1]
    return [*samples, *(last._replace(stamp=last.stamp + k * PERIOD, v=0.0, command_v=0.0,
                                      commands=last.commands + k, contact=0.0)
                        for k in range(1, round(seconds / PERIOD) + 1))]


def judged(samples, *, goal=(2.0, 0.0), truth=KNOWN, ending=Ending.TIME, verdicts=(),
           world=EMPTY, reason=''):
    trial = Trial('it', world, (0.0, 0.0, 0.0), goal, RobotModel(), TrialRules(), truth)
    return judge(trial, as_table(samples), Facts(ending, tuple(verdicts), reason))


def test_robot_that_stands_at_the_goal_has_reached_it():
    found = judged(standing(trace_of([(0, 0), (1.9, 0)]), 2.0), ending=Ending.STOPPED)
    assert (found.arrival, found.reached, found.solved) == ('stopped', True, True)
    assert found.ratio == pytest.approx(1.0, abs=0.01)
    assert found.time == pytest.approx(9.5, abs=0.2)


def test_robot_that_drives_through_the_goal_has_only_passed_it():
    found = judged(trace_of([(0, 0), (4, 0)]))
    assert (found.arrival, found.reached, found.solved) == ('passed', False, False)
    assert any('drove on' in remark for remark in found.remarks)


def test_robot_that_stands_beside_the_goal_has_not_reached_it():
    found = judged(standing(trace_of([(0, 0), (1.7, 0)]), 30.0))
    assert (found.arrival, found.ratio) == ('no', None)
    assert found.standstill == pytest.approx(30.0, abs=0.2)
    assert found.nearest == pytest.approx(0.3, abs=0.01)


def test_start_at_the_goal_without_a_command_is_no_success():
    sample = Sample(0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    found = judged(standing([sample], 5.0), goal=(0.0, 0.0), ending=Ending.SILENT)
    # `standing` counts commands, which this program never sent.
    silent = judged([sample._replace(stamp=k * PERIOD) for k in range(1, 100)], goal=(0.0, 0.0),
                    ending=Ending.SILENT)
    assert found.commands > 0 and silent.commands == 0
    assert silent.arrival == 'no' and silent.time is None


def test_contacts_that_follow_each_other_closely_are_one_episode():
    def touches(k):
        return 20 <= k < 30 or 35 <= k < 45 or 100 <= k < 110
    found = judged(trace_of([(0, 0), (4, 0)], contact=touches))
    assert found.contacts == 2  # 0.25 s apart, and 2.75 s later
    assert found.contact_time == pytest.approx(1.5)


@pytest.mark.parametrize('verdict, reachable, arrives, right', [
    ('unreachable', False, False, True), ('unreachable', True, False, False),
    ('unreachable', None, False, None), ('reached', True, True, True),
    ('reached', True, False, False), ('', False, False, None)])
def test_verdict_is_compared_with_the_truth(verdict, reachable, arrives, right):
    far = 1.9 if arrives else 1.0
    found = judged(standing(trace_of([(0, 0), (far, 0)]), 2.0), truth=Truth(reachable, None),
                   verdicts=[(1.0, verdict)] if verdict else [])
    assert found.verdict_right is right


def test_goal_that_was_truly_called_unreachable_is_solved():
    found = judged(trace_of([(0, 0), (1, 0)]), truth=Truth(False, None),
                   verdicts=[(1.0, 'unreachable')])
    assert found.solved and not found.reached


def test_unreachable_goal_without_a_verdict_gives_advice():
    found = judged(trace_of([(0, 0), (1, 0)]), truth=Truth(False, None))
    assert any('cannot be reached, and you did not say so' in remark for remark in found.remarks)


def test_repeated_laps_are_counted_as_loops():
    lap = [(0, 0), (1, 0), (1, 1), (0, 1)]
    found = judged(trace_of(lap * 5))
    assert found.loops == 4 and any('same place' in remark for remark in found.remarks)


def turning(samples, turns):
    """Return samples followed by turns on the spot."""
    last = samples[-1]
    return [*samples, *(last._replace(
        stamp=last.stamp + k * PERIOD, v=0.0, w=1.0, theta=math.remainder(k * PERIOD, math.tau))
        for k in range(1, round(math.tau * turns / PERIOD) + 1))]


def test_turns_far_from_obstacles_are_a_matter_of_angles():
    found = judged(turning(trace_of([(0, 0), (1, 0)]), 6))
    assert found.loops >= 3 and found.hits == 0
    assert any('wrap the error of your heading' in remark for remark in found.remarks)


def test_laps_around_an_obstacle_are_a_matter_of_the_hit_point():
    world = World('box', ([(1, -0.3), (1.6, -0.3), (1.6, 0.3), (1, 0.3)],))
    lap = [(0.8, 0), (0.8, 0.5), (1.8, 0.5), (1.8, -0.5), (0.8, -0.5)]
    found = judged(trace_of([(0, 0), *lap * 5]), goal=(5.0, 0.0), world=world)
    assert found.loops >= 3 and found.hits
    assert any('store the hit point' in remark for remark in found.remarks)


def test_circles_after_the_goal_was_passed_are_no_loops():
    around = [(2.0, 0), (2.6, 0), (2.6, 0.6), (2.0, 0.6)] * 4
    found = judged(trace_of([(0, 0), *around]))
    assert (found.arrival, found.loops, found.hits) == ('passed', 0, 0)


def test_straight_drive_has_no_loops():
    assert judged(trace_of([(0, 0), (4, 0)])).loops == 0


def test_command_rate_is_the_largest_number_in_a_second():
    assert judged(trace_of([(0, 0), (1, 0)])).command_rate == pytest.approx(20.0)
    slow = [sample._replace(commands=float(k // 10 + 1)) for k, sample in enumerate(
        trace_of([(0, 0), (1, 0)]))]
    found = judged(slow)
    assert found.command_rate == pytest.approx(2.0, abs=1.0)
    assert any('commands arrived in a simulated second' in remark for remark in found.remarks)


def test_commands_that_are_too_fast_or_not_finite_are_reported():
    found = judged(trace_of([(0, 0), (1, 0)], speed=0.5, rejected=3.0))
    assert found.too_fast and found.rejected == 3
    assert any('0.50 m/s' in remark for remark in found.remarks)
    assert any('NaN' in remark for remark in found.remarks)


def test_leaving_farther_from_the_goal_than_the_hit_point_is_named():
    world = find_world('u_trap')
    # Into the pocket, out along its arm away from the goal, and towards the goal again too early.
    path = [(0, 0), (3.0, 0), (3.0, 0.9), (1.4, 0.9), (1.4, 1.9), (5.0, 0.5)]
    found = judged(trace_of(path), goal=world.goal, world=world)
    assert any('d(L1)' in remark and '> d(H1)' in remark for remark in found.remarks)


def test_judgement_survives_json():
    found = judged(trace_of([(0, 0), (1, 0)], rejected=2.0))
    assert Judgement.from_dict(found.as_dict()) == found


def test_trial_without_a_sample_can_be_judged():
    found = judged([], ending=Ending.CRASHED, reason='it could not start')
    assert (found.arrival, found.time, found.commands) == ('no', None, 0)
    assert found.final_distance == 2.0


@pytest.mark.parametrize('world, reachable', [
    ('u_trap', True), ('ring_goal', False), ('goal_solid', False), ('maze', True)])
def test_truth_is_that_of_any_controller(world, reachable):
    found = find_world(world)
    assert truth_of(found, found.start, found.goal, RobotModel(), 0.2).reachable is reachable


def test_gap_of_the_size_of_the_body_is_not_judged():
    found = find_world('narrow_door')  # 0.17 m, less than a body of 0.21 m
    assert truth_of(found, found.start, found.goal, RobotModel(), 0.2).reachable is False
    middle = find_world('door_050')  # wide enough for the body, without much clearance
    assert truth_of(middle, middle.start, middle.goal,
                    dataclasses.replace(RobotModel(), robot_radius=0.24), 0.2).reachable is None


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(-3, 3)), min_size=2, max_size=6),
       st.floats(0.05, 0.5))
def test_judgement_is_consistent_for_any_path(places, speed):
    found = judged(standing(trace_of(places, speed), 1.5))
    assert found.reached <= (found.final_distance <= 0.2 + 1e-9 or found.nearest <= 0.2)
    assert found.nearest <= found.final_distance + 1e-9
    assert (found.ratio is None) == (found.arrival == 'no')
    assert found.leaves_on_m_line <= found.leaves <= found.hits


# ---- the referee -------------------------------------------------------------------------------

def ended(samples, rules=RULES, goal=(2.0, 0.0), verdict=None):
    referee = Referee(rules, goal)
    for sample in samples:
        if verdict is not None and sample.stamp >= verdict:
            referee.add_verdict(sample.stamp)
            verdict = None
        ending = referee.add(sample)
        if ending is not None:
            return ending, sample.stamp
    return None, samples[-1].stamp


def test_trial_ends_when_the_robot_has_stopped_at_the_goal():
    ending, stamp = ended(standing(trace_of([(0, 0), (1.9, 0)]), 5.0))
    assert ending is Ending.STOPPED and stamp == pytest.approx(10.5, abs=0.1)


def test_referee_and_judgement_agree_on_a_stop():
    samples = standing(trace_of([(0, 0), (1.9, 0)]), 5.0)
    referee = Referee(TrialRules(), (2.0, 0.0))
    assert any(referee.add(sample) for sample in samples[:212])
    assert judged(referee.samples[:len(referee.samples)]).reached


def test_passed_goal_leaves_time_to_come_back():
    assert ended(trace_of([(0, 0), (4, 0)]))[0] is None
    ending, _ = ended(trace_of([(0, 0), (8, 0)]))
    assert ending is Ending.PASSED


@pytest.mark.parametrize('rules, samples, expected', [
    (TrialRules(contact='end'), trace_of([(0, 0), (1, 0)], contact=lambda k: k == 40),
     Ending.CONTACT),
    (TrialRules(silence=5.0), trace_of([(0, 0), (4, 0)], commands=False), Ending.SILENT),
    (TrialRules(standstill=10.0), standing(trace_of([(0, 0), (1, 0)]), 12.0), Ending.STANDSTILL),
    (TrialRules(time_allowance=10.0), trace_of([(0, 3), (4, 3)]), Ending.TIME)])
def test_rules_end_a_trial(rules, samples, expected):
    assert ended(samples, rules)[0] is expected


def test_contact_does_not_end_a_trial_that_slides():
    assert ended(trace_of([(0, 0), (1, 0)], contact=lambda k: k > 40))[0] is None


def test_verdict_ends_a_trial_a_moment_later():
    ending, stamp = ended(trace_of([(0, 3), (4, 3)]), verdict=2.0)
    assert ending is Ending.VERDICT and stamp == pytest.approx(5.0, abs=0.1)
