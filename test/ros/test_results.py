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

"""The action's feedback and result."""

import math

from arena import ring_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.navigation.types import Event, Outcome, Result
from bug_nav.ros import results
from bug_nav_msgs.action import NavigateBug
import pytest

pytestmark = pytest.mark.ros


def events(count):
    return [Event(kind, i, Pose(float(i), 0.0, 0.0), float(i), 1.0, float(i))
            for i in range(1, count + 1) for kind in ('hit', 'leave')]


@pytest.mark.parametrize('outcome', Outcome)
def test_outcome_code_is_converted_back(outcome):
    code = results.outcome_code(outcome)
    assert code != NavigateBug.Result.UNKNOWN
    assert results.outcome_of(code) is outcome


@pytest.mark.parametrize('outcome', Outcome)
def test_outcome_name_of_a_result_is_a_constant_of_the_action(outcome):
    result = results.to_result(Result(outcome, 'so it ended'), 'odom', 3.5, 20.0, 0.2, ())
    assert getattr(NavigateBug.Result, result.outcome_name) == result.outcome


def test_unknown_code_is_rejected_and_codes_are_unique():
    with pytest.raises(ValueError, match='99 is not an outcome'):
        results.outcome_of(99)
    assert len({results.outcome_code(outcome) for outcome in Outcome}) == len(Outcome)


@pytest.mark.parametrize('stack, code', [
    ((), 'UNKNOWN'), (('motion_to_goal',), 'MOTION_TO_GOAL'),
    (('boundary_following', 'turning'), 'TURNING'),
    (('return_to_leave_point', 'boundary_following'), 'RETURN_TO_LEAVE_POINT'),
    (('circumnavigation', 'boundary_following'), 'CIRCUMNAVIGATION'),
    (('boundary_following', 'waiting_for_scan'), 'HOLDING'),
    (('boundary_following', 'mine'), 'BOUNDARY_FOLLOWING'), (('mine',), 'OTHER')])
def test_state_code_is_the_most_specific_known_one(stack, code):
    assert results.state_code(stack) == getattr(NavigateBug.Feedback, code)


def test_length_of_feedback_is_bounded():
    feedback = results.to_feedback('bug2', ['s' * 500], Pose(1.0, 2.0, 0.0), 'odom', 5.0, -1.0,
                                   3.0, 4.0, events(1000))
    assert len(feedback.state_name) == 128
    assert feedback.number_of_hits == feedback.number_of_leaves == 1000
    assert feedback.navigation_time.sec == 0
    assert feedback.current_pose.header.frame_id == 'odom'


def test_result_keeps_the_latest_points():
    result = results.to_result(Result(Outcome.UNREACHABLE, 'shut', 12.0), 'odom', 3.5, 20.0, 0.2,
                               events(300))
    assert (len(result.hit_points), result.number_of_hits) == (256, 300)
    assert result.leave_points[-1].index == 300
    assert (result.error_code, result.error_msg) == (9102, 'shut')
    assert (result.lap_length, result.contour_radius) == (12.0, 0.2)
    assert math.isnan(result.uncertainty)


def test_result_has_the_uncertainty_of_the_goal():
    undecided = Result(Outcome.UNDECIDED, 'all around', 12.0, uncertainty=0.31)
    result = results.to_result(undecided, 'odom', 3.5, 20.0, 0.2, ())
    assert (result.outcome, result.error_code, result.uncertainty) == (16, 9116, 0.31)


@pytest.mark.parametrize('count, radius', [(20, 1.0), (1024, 30.0), (5000, 50.0)])
def test_certificate_of_any_length_remains_a_proof(count, radius):
    ends = (2.0 * radius, 0.0), (0.1, 0.2)
    result = results.to_result(
        Result(Outcome.UNREACHABLE, 'shut', 12.0, tuple(ring_of(count, radius))), 'odom', 3.5,
        20.0, 0.2, (), ends)
    told = [(place.x, place.y) for place in result.certificate]
    assert len(told) == count if count <= 1024 else 700 < len(told) <= 1024
    assert is_proof(told, *ends, result.contour_radius)
    assert all(place.z == 0.0 for place in result.certificate)


def test_other_results_have_no_certificate():
    result = results.to_result(Result(Outcome.LOOP_DETECTED, 'round'), 'odom', 3.5, 20.0, 0.2, (),
                               ((0.0, 0.0), (1.0, 0.0)))
    assert len(result.certificate) == 0


def test_success_has_no_error():
    result = results.to_result(Result(Outcome.REACHED, '0.05 m away'), 'odom', 3.5, 2.0, 0.2, ())
    assert (result.error_code, result.error_msg) == (0, '')


def test_uncertain_arrival_has_no_error_code_but_a_message():
    uncertain = Result(Outcome.REACHED_UNCERTAIN, 'only known to 0.41 m', uncertainty=0.205)
    result = results.to_result(uncertain, 'odom', 3.5, 2.0, 0.2, ())
    assert (result.outcome, result.outcome_name) == (18, 'REACHED_UNCERTAIN')
    assert (result.error_code, result.error_msg) == (0, 'only known to 0.41 m')


class HumbleResult:
    """Nav2's result on Humble."""


class JazzyResult:
    """Nav2's result on Jazzy."""

    NONE, UNKNOWN, FAILED_TO_LOAD_BEHAVIOR_TREE, TF_ERROR = 0, 9000, 9001, 9002

    def __init__(self):
        self.error_code, self.error_msg = 0, ''


class LaterResult(JazzyResult):
    """Nav2's result on later releases."""

    TIMEOUT = 9003


def result_of(outcome):
    return results.to_result(Result(outcome, 'so it ended'), 'odom', 3.5, 20.0, 0.2, ())


@pytest.mark.parametrize('outcome', Outcome)
def test_nav2_result_without_error_fields_stays_empty(outcome):
    assert vars(results.with_nav2_error(HumbleResult(), result_of(outcome))) == {}


@pytest.mark.parametrize('outcome', Outcome)
@pytest.mark.parametrize('kind', [JazzyResult, LaterResult])
def test_nav2_result_has_the_error_code_and_message(kind, outcome):
    answer = results.with_nav2_error(kind(), result_of(outcome))
    expected = {Outcome.REACHED: 0, Outcome.REACHED_UNCERTAIN: 0, Outcome.CANCELED: 0,
                Outcome.TF_ERROR: 9002}
    if kind is LaterResult:
        expected[Outcome.TIMEOUT] = 9003
    assert answer.error_code == expected.get(outcome, 9000)
    assert answer.error_msg == (
        '' if outcome is Outcome.REACHED else f'{outcome.name}: so it ended')
