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

"""Markers and path, without a node."""

import math

from bug_nav.messages.markers import Body
from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Event
from bug_nav.ros.client.web_messages import marks_document
from bug_nav.ros.node import markers
from bug_nav.ros.node.path import PublishedPath
import pytest
from visualization_msgs.msg import Marker

pytestmark = pytest.mark.ros


def hit(i):
    return Event('hit', i, Pose(float(i), 1.0, 0.0), 0.0, 1.0, 1.0)


BODY = Body('base', 0.124, 0.224)
GOAL = Pose(3.0, 0.0, 0.0)
ROBOT = ['robot', 'robot', 'contour_radius']


def build(events=(), start=(0.0, 0.0), goal=GOAL, state='bug2/motion_to_goal', certificate=(),
          has_m_line=True):
    return markers.build('odom', BODY, start, goal, 0.1, events, state, certificate, IDENTITY,
                         has_m_line).markers


def test_marker_array_begins_with_deleteall():
    first, *others = build()
    assert first.action == Marker.DELETEALL
    assert [marker.ns for marker in others] == [*ROBOT, 'goal', 'start', 'm_line', 'state']
    assert all(marker.action == Marker.ADD for marker in others)


def test_start_and_goal_are_shown_only_if_they_exist():
    assert [marker.ns for marker in build(start=None, goal=None)[1:]] == [*ROBOT, 'state']
    assert [marker.ns for marker in build(start=None)[1:]] == [*ROBOT, 'goal', 'state']


def test_m_line_is_not_shown_for_an_algorithm_without_one():
    shown = build(start=(0.5, 0.2), has_m_line=False)[1:]
    assert [marker.ns for marker in shown] == [*ROBOT, 'goal', 'start', 'state']
    start = next(marker for marker in shown if marker.ns == 'start')
    assert planar(start.pose) == (0.5, 0.2, 0.0)


def test_live_page_receives_the_start_of_every_algorithm():
    moved = markers.build('odom', BODY, (0.5, 0.2), GOAL, 0.1, (), 'bug1', (),
                          Pose(1.0, 0.0, 0.0), False)
    assert marks_document(moved)['start'] == [1.5, 0.2]
    assert marks_document(markers.build('odom', BODY, None, None, 0.1, (), ''))['start'] is None


def test_robot_is_drawn_to_scale_and_moves_with_its_frame():
    body, _, ring = build()[1:4]
    assert (body.scale.x, body.scale.y) == (0.248, 0.248)
    assert [math.hypot(point.x, point.y) for point in ring.points] == pytest.approx(
        [0.224] * len(ring.points))
    assert all(marker.frame_locked and marker.header.frame_id == 'base'
               for marker in (body, ring))


def test_ids_are_stable_and_points_are_numbered():
    few, many = build([hit(1)]), build([hit(1), hit(2)])
    label = next(m for m in few if m.text == 'H1')
    assert (label.ns, label.id) == ('hit_points', 1)
    assert label in many
    assert len(next(m for m in many if m.type == Marker.SPHERE_LIST).points) == 2


def test_certificate_is_a_closed_line_with_its_points():
    square = ((1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0))
    line, dots = (marker for marker in build(certificate=square) if marker.ns == 'certificate')
    assert (line.type, dots.type) == (Marker.LINE_STRIP, Marker.SPHERE_LIST)
    assert line.id != dots.id and line.header.frame_id == dots.header.frame_id == 'odom'
    assert [(place.x, place.y) for place in line.points] == [*square, square[0]]
    assert [(place.x, place.y) for place in dots.points] == [*square]
    # The next goal's array begins with DELETEALL, and has no certificate.
    assert not any(marker.ns == 'certificate' for marker in build())


def test_state_moves_with_the_robot():
    state = build()[-1]
    assert (state.header.frame_id, state.frame_locked) == ('base', True)
    assert (state.header.stamp.sec, state.text.strip()) == (0, 'bug2/motion_to_goal')


def test_all_markers_except_the_robot_move_with_their_frame():
    moved = Pose(0.3, -0.1, 0.2)
    told = markers.build('odom', BODY, (0.0, 0.0), GOAL, 0.1, [hit(1)], 'bug2', ((1.0, 1.0),)
                         ).markers[1:]
    shown = markers.build('odom', BODY, (0.0, 0.0), GOAL, 0.1, [hit(1)], 'bug2', ((1.0, 1.0),),
                          moved).markers[1:]
    for before, after in zip(told, shown):
        assert before.points == after.points
        here = planar(before.pose)
        assert planar(after.pose) == pytest.approx(
            here if before.header.frame_id == 'base' else moved.compose(here))


def test_number_of_markers_is_bounded():
    assert len(build([hit(i) for i in range(1, 1000)])) < 300


def test_path_points_are_spaced():
    path = PublishedPath()
    for i in range(100):
        path.add(i * 0.05, Pose(i * 0.011, 0.0, 0.0))
    message = path.message('odom', 5.0)
    assert len(message.poses) == 20
    assert not path.changed
    assert message.poses[0].header.frame_id == message.header.frame_id == 'odom'


def test_path_moves_with_its_frame():
    path, moved = PublishedPath(), Pose(0.3, -0.1, 0.2)
    assert path.is_new(IDENTITY)
    for x in (0.0, 1.0):
        path.add(x, Pose(x, 0.0, 0.0))
    assert planar(path.message('odom', 5.0).poses[1].pose) == pytest.approx((1.0, 0.0, 0.0))
    assert path.is_new(moved) and not path.is_new(IDENTITY)
    shown = path.message('odom', 6.0, moved).poses[1].pose
    assert planar(shown) == pytest.approx(moved.compose(Pose(1.0, 0.0, 0.0)))


def test_path_is_bounded_and_keeps_its_shape():
    path = PublishedPath(limit=100)
    for i in range(10_000):
        path.add(i * 0.05, Pose(math.cos(i / 100.0), math.sin(i / 100.0), 0.0))
    poses = path.message('odom', 0.0).poses
    assert 50 <= len(poses) <= 101
    assert (poses[0].pose.position.x, poses[0].pose.position.y) == (1.0, 0.0)
