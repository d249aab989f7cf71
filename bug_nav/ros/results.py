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

"""Converts events, states and results of the navigator to the action's feedback and result."""

from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence, Tuple

from bug_nav.messages.markers import state_name
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.types import ARRIVED, Event, Outcome, Result
from bug_nav.ros.conversions import to_duration, to_pose, to_time
from bug_nav.ros.short_certificate import shortened
from bug_nav_msgs.action import NavigateBug
from bug_nav_msgs.msg import BugPoint
from geometry_msgs.msg import Point as PointMsg

MAX_POINTS = 256
"""Maximum number of hit or leave points in the result; the latest are kept."""
MAX_CERTIFICATE = 1024
"""Maximum number of points of the certificate in the result."""
POINT_KINDS = {'hit': BugPoint.HIT, 'leave': BugPoint.LEAVE}
STATE_CODES = {
    'motion_to_goal': NavigateBug.Feedback.MOTION_TO_GOAL,
    'boundary_following': NavigateBug.Feedback.BOUNDARY_FOLLOWING,
    'circumnavigation': NavigateBug.Feedback.CIRCUMNAVIGATION,
    'return_to_leave_point': NavigateBug.Feedback.RETURN_TO_LEAVE_POINT,
    'turning': NavigateBug.Feedback.TURNING,
    'turning_to_goal_yaw': NavigateBug.Feedback.TURNING,
    'looking_around': NavigateBug.Feedback.TURNING,
    'transition': NavigateBug.Feedback.TRANSITION,
    'waiting_for_scan': NavigateBug.Feedback.HOLDING,
    'waiting_for_odometry': NavigateBug.Feedback.HOLDING,
    'waiting_until_level': NavigateBug.Feedback.HOLDING,
    'waiting_for_transform': NavigateBug.Feedback.HOLDING,
    'waiting_for_clock': NavigateBug.Feedback.HOLDING,
    'clocks_out_of_step': NavigateBug.Feedback.HOLDING,
    'waiting_for_passage': NavigateBug.Feedback.WAITING_FOR_PASSAGE,
}
NAV2_ERRORS = {Outcome.REACHED: 'NONE', Outcome.REACHED_UNCERTAIN: 'NONE',
               Outcome.CANCELED: 'NONE', Outcome.TF_ERROR: 'TF_ERROR', Outcome.TIMEOUT: 'TIMEOUT'}
"""Error constants of Nav2's results; UNKNOWN otherwise, and if a release lacks the constant."""


def outcome_code(outcome: Outcome) -> int:
    """Return the action's constant for an outcome, which has the same name."""
    return getattr(NavigateBug.Result, outcome.name)


def outcome_of(code: int) -> Outcome:
    """Return the outcome for a constant of the action; ValueError for any other number."""
    for outcome in Outcome:
        if outcome_code(outcome) == code:
            return outcome
    raise ValueError(f'{code} is not an outcome of NavigateBug')


def state_code(stack: Sequence[str]) -> int:
    """Return the largest constant of the states in a stack; OTHER if none has one."""
    if not stack:
        return NavigateBug.Feedback.UNKNOWN
    return max((STATE_CODES[name] for name in stack if name in STATE_CODES),
               default=NavigateBug.Feedback.OTHER)


def to_point(event: Event) -> BugPoint:
    """Return a hit or leave point as a message."""
    return BugPoint(kind=POINT_KINDS[event.kind], index=event.index, stamp=to_time(event.stamp),
                    pose=to_pose(event.pose), path_length=event.path_length)


def of_kind(events: Iterable[Event], kind: str) -> List[Event]:
    """Return the hit points or the leave points."""
    return [event for event in events if event.kind == kind]


def to_feedback(algorithm: str, stack: Sequence[str], pose: Pose, frame_id: str, stamp: float,
                elapsed: float, distance: float, path_length: float, events: Sequence[Event]
                ) -> NavigateBug.Feedback:
    """Return the feedback of a tick, of constant size."""
    feedback = NavigateBug.Feedback(
        navigation_time=to_duration(max(elapsed, 0.0)), distance_remaining=distance,
        path_length=path_length, state=state_code(stack),
        state_name=state_name(algorithm, stack),
        number_of_hits=len(of_kind(events, 'hit')),
        number_of_leaves=len(of_kind(events, 'leave')))
    feedback.current_pose.header.frame_id = frame_id
    feedback.current_pose.header.stamp = to_time(stamp)
    feedback.current_pose.pose = to_pose(pose)
    return feedback


def to_result(result: Result, frame_id: str, elapsed: float, path_length: float,
              contour_radius: float, events: Sequence[Event],
              ends: Optional[Tuple[Point, Point]] = None) -> NavigateBug.Result:
    """
    Return the action's result for a result of the navigator.

    ``ends`` are robot and goal in ``frame_id``, which the certificate separates.
    """
    code = outcome_code(result.outcome)
    hits, leaves = of_kind(events, 'hit'), of_kind(events, 'leave')
    return NavigateBug.Result(
        outcome=code, outcome_name=result.outcome.name,
        error_code=(NavigateBug.Result.NONE if result.outcome.value in ARRIVED
                    else NavigateBug.Result.ERROR_BASE + code),
        error_msg='' if result.outcome is Outcome.REACHED else result.message,
        total_elapsed_time=to_duration(max(elapsed, 0.0)), path_length=path_length,
        frame_id=frame_id,
        hit_points=[to_point(event) for event in hits[-MAX_POINTS:]],
        leave_points=[to_point(event) for event in leaves[-MAX_POINTS:]],
        number_of_hits=len(hits), number_of_leaves=len(leaves),
        contour_radius=contour_radius, lap_length=result.lap_length,
        uncertainty=result.uncertainty,
        certificate=[PointMsg(x=x, y=y) for x, y in (shortened(
            result.certificate, *ends, contour_radius, MAX_CERTIFICATE) if ends else ())])


def with_nav2_error(answer: Any, result: NavigateBug.Result) -> Any:
    """
    Set the error fields of a Nav2 result, if it has any, and return it.

    Humble has none, and later releases have more constants than earlier ones.
    """
    if hasattr(answer, 'error_code'):
        name = NAV2_ERRORS.get(outcome_of(result.outcome), 'UNKNOWN')
        answer.error_code = getattr(answer, name, answer.UNKNOWN)
    if hasattr(answer, 'error_msg') and result.outcome != NavigateBug.Result.REACHED:
        answer.error_msg = f'{result.outcome_name}: {result.error_msg}'
    return answer
