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

"""Markers, path and diagnostics of the node, also in a namespace."""

import math

from bug_nav.ros.qos import LATCHED
from builtin_interfaces.msg import Duration
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Path
import pytest
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack(namespace='/robot1')
    stack.start_sim(world='pole', enable_stamped_cmd_vel=True)
    stack.navigator = stack.start_navigator(enable_stamped_cmd_vel=True)
    return stack


@pytest.fixture(scope='module')
def driven(stack):
    """Return the stack after a goal behind a pole, in a namespace and with stamped commands."""
    stack.commands = stack.listen(TwistStamped, 'cmd_vel')
    sent = stack.send(3.5, 0.0)
    assert sent.end()[1] == 'REACHED', sent.result.error_msg
    stack.result = sent.result
    return stack


def test_commands_are_stamped(driven):
    driven.wait(lambda: driven.commands[-1].twist == Twist())
    assert driven.commands[-1].header.frame_id == 'base_footprint'
    assert driven.commands[-1].header.stamp.sec > 10


def test_late_subscriber_receives_complete_markers(driven):
    arrays = driven.listen(MarkerArray, 'bug_navigator/markers', LATCHED)
    driven.wait(lambda: arrays and any(
        marker.text.strip() == 'reached' for marker in arrays[-1].markers))
    first, *markers = arrays[-1].markers
    assert first.action == Marker.DELETEALL
    by_name = {(marker.ns, marker.id): marker for marker in markers}
    assert len(by_name) == len(markers)
    hits, leaves = driven.result.number_of_hits, driven.result.number_of_leaves
    assert hits >= 1 and leaves >= 1
    assert set(by_name) == {
        *(('hit_points', i) for i in range(hits + 1)),
        *(('leave_points', i) for i in range(leaves + 1)),
        ('start', 0), ('m_line', 0), ('goal', 0), ('state', 0), ('robot', 0), ('robot', 1),
        ('contour_radius', 0)}
    assert by_name['leave_points', 1].text == 'L1'
    assert by_name['state', 0].text.strip() == 'reached'
    assert by_name['state', 0].header.frame_id == 'base_footprint'
    line = by_name['m_line', 0].points
    assert math.hypot(line[0].x, line[0].y) < 0.05
    assert (line[1].x, line[1].y) == pytest.approx((3.5, 0.0), abs=0.001)
    dots, point = by_name['hit_points', 0].points, driven.result.hit_points[0].pose.position
    assert (dots[0].x, dots[0].y) == pytest.approx((point.x, point.y))


def test_path_is_thinned_and_latched(driven):
    paths = driven.listen(Path, 'bug_navigator/path', LATCHED)
    driven.wait(lambda: paths)
    places = [(pose.pose.position.x, pose.pose.position.y) for pose in paths[-1].poses]
    steps = [math.dist(a, b) for a, b in zip(places, places[1:])]
    assert min(steps) >= 0.05 and max(steps) < 0.15  # a tick or two may be missed
    assert sum(steps) == pytest.approx(driven.result.path_length, rel=0.05)


def test_diagnostics_report_rates_and_problems(driven):
    heard = driven.listen(DiagnosticArray, '/diagnostics')

    def is_healthy(status):
        values = {pair.key: pair.value for pair in status.values}
        return (status.level == DiagnosticStatus.OK and values['state'] == 'reached'
                and 4.0 < float(values['scan rate [Hz]']) < 6.0
                and float(values['odom age [s]']) < 1.0)

    # Once is enough: on a busy machine, messages are late and less frequent.
    found = driven.wait(lambda: next(
        (m.status[0] for m in heard if is_healthy(m.status[0])), None))
    assert found.hardware_id == 'robot1'
    del heard[:]
    assert driven.set_parameters('/robot1/bug_sim', publish_scan=False) == ''
    trouble = driven.wait(lambda: next(
        (m.status[0] for m in heard if m.status[0].level != DiagnosticStatus.OK), None))
    assert '/robot1/scan' in trouble.message and 'best_effort' in trouble.message
    driven.wait(lambda: 'no message on /robot1/scan' in driven.navigator.output)


@pytest.mark.parametrize('algorithm, lines', [('bug1', 0), ('bug2', 1)])
def test_m_line_is_shown_only_for_algorithms_that_have_one(driven, algorithm, lines):
    arrays = driven.listen(MarkerArray, 'bug_navigator/markers', LATCHED)
    driven.wait(lambda: arrays)
    del arrays[:]
    assert driven.send(3.5, 0.1, algorithm=algorithm).end()[1] == 'REACHED'

    def shown():
        return [marker.ns for marker in arrays[-1].markers] if arrays else []

    # The result may arrive before the last markers: the first array after the goal clears them.
    driven.wait(lambda: (shown().count('start'), shown().count('m_line')) == (1, lines))


def test_certificate_is_shown_until_the_next_goal(make_stack):
    stack = make_stack()
    stack.start_sim(world='ring_goal')
    stack.start_navigator()
    arrays = stack.listen(MarkerArray, 'bug_navigator/markers', LATCHED)

    def shown():
        return [marker for marker in arrays[-1].markers if marker.ns == 'certificate']

    sent = stack.send(4.5, 0.1)
    assert sent.end()[1] == 'UNREACHABLE'
    line, dots = stack.wait(lambda: arrays and shown())
    assert line.header.frame_id == sent.result.frame_id and line.points[0] == line.points[-1]
    assert list(dots.points) == list(sent.result.certificate)
    assert sum(bool([marker for marker in array.markers if marker.ns == 'certificate'])
               for array in arrays) == 1
    assert stack.send(0.5, 0.4, time_allowance=Duration(sec=1)).end()[1] in ('REACHED', 'TIMEOUT')
    stack.wait(lambda: not shown())


@pytest.mark.slow
def test_missing_subscriber_of_cmd_vel_is_reported(make_stack):
    stack = make_stack()
    # In real time: the goal is blocked after 10 s, and a warning needs 2 s of real time.
    stack.start_sim('-r', 'cmd_vel:=elsewhere', world='open', real_time_factor=1.0)
    navigator = stack.start_navigator()
    assert stack.send(3.0, 0.0).end()[1] == 'BLOCKED'
    stack.wait(lambda: 'no node subscribes to /cmd_vel' in navigator.output)


@pytest.mark.slow
def test_missing_clock_messages_are_reported(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', publish_clock=False, real_time_factor=5.0)
    navigator = stack.start_navigator(with_sensors=False, pause_timeout=3.0)
    health = stack.listen(DiagnosticArray, '/diagnostics')

    def sensors_are_received():
        values = {pair.key: pair.value for pair in health[-1].status[0].values} if health else {}
        return values and '0.0' not in (values['scan rate [Hz]'], values['odom rate [Hz]'])
    stack.wait(sensors_are_received)
    status, outcome, message = stack.send(1.0, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'TIME_JUMPED')
    assert 'no message has arrived on /clock' in message
    stack.wait(lambda: 'no message has arrived on /clock' in navigator.output)


@pytest.mark.slow
def test_robot_drives_with_system_time(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', publish_clock=False, real_time_factor=1.0)
    stack.start_navigator(use_sim_time=False)
    sent = stack.send(0.4, 0.0)
    assert sent.end()[1] == 'REACHED'
    assert 1 <= sent.result.total_elapsed_time.sec <= 4


@pytest.mark.slow
def test_feedback_rate_limits_the_feedback(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=4.0)
    stack.start_navigator(feedback_rate=0.2)
    sent = stack.send(2.0, 0.0)
    assert sent.end()[1] == 'REACHED'
    # The goal takes more than two seconds; a change of state sends feedback at any time.
    assert 1 <= len(sent.feedback) <= 4
