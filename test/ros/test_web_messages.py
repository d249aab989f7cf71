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

"""Documents for a page from the node's messages, without a node."""

import json
import math

from bug_nav.messages.markers import Body
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.types import Event, Scan
from bug_nav.ros.client import web_messages
from bug_nav.ros.node import markers
from bug_nav_msgs.action import NavigateBug
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
import numpy as np
import pytest
from visualization_msgs.msg import MarkerArray

pytestmark = pytest.mark.ros
PLACED = Pose(1.0, 2.0, math.pi / 2.0)
"""Pose of the documents' frame in the global frame after odometry drift."""


def event(kind, index):
    return Event(kind, index, Pose(float(index), 0.5, 0.0), 0.0, 1.0, 1.0)


def shown(placed=IDENTITY, count=2, certificate=()):
    events = [event(kind, index) for index in range(1, count + 1) for kind in ('hit', 'leave')]
    return markers.build('odom', Body('base', 0.1, 0.2), (0.0, 0.0), Pose(3.0, 0.0, 1.0), 0.15,
                         events, 'bug2/turning', certificate, placed)


def test_marks_match_the_markers_of_the_node():
    marks = web_messages.marks_document(shown(certificate=[(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)]))
    assert marks['start'] == [0.0, 0.0] and marks['goal'] == [3.0, 0.0]
    assert marks['tolerance'] == 0.15
    assert marks['events'] == [
        {'kind': kind, 'index': index, 'x': float(index), 'y': 0.5}
        for kind in ('hit', 'leave') for index in (1, 2)]
    assert marks['certificate'] == [(1.0, 1.0), (2.0, 1.0), (2.0, 2.0)]


def test_marks_are_transformed_as_the_markers_of_the_node():
    marks = web_messages.marks_document(shown(PLACED))
    assert marks['goal'] == pytest.approx([1.0, 5.0])
    first = marks['events'][0]
    assert (first['x'], first['y']) == pytest.approx((0.5, 3.0))
    assert marks['start'] == pytest.approx((1.0, 2.0))


def test_latest_of_many_points_keep_their_indices():
    marks = web_messages.marks_document(shown(count=300))
    hits = [each for each in marks['events'] if each['kind'] == 'hit']
    assert [each['index'] for each in hits] == list(range(45, 301))
    assert all(each['x'] == each['index'] for each in hits)


def test_robot_and_state_are_read_from_the_markers():
    assert web_messages.robot_outline(shown()) == pytest.approx((0.1, 0.2))
    assert web_messages.state_text(shown()) == 'bug2/turning'


def test_robot_without_a_goal_has_no_marks():
    marks = web_messages.marks_document(markers.build(
        'odom', Body('base', 0.1, 0.2), None, None, 0.0, (), 'ready'))
    assert marks == {'type': 'marks', 'start': None, 'goal': None, 'tolerance': None,
                     'events': [], 'certificate': []}


def test_path_without_its_non_finite_poses_keeps_x_and_y_in_pairs():
    path = Path(poses=[PoseStamped(), PoseStamped(), PoseStamped()])
    for each, (x, y) in zip(path.poses, ((1.0, 2.0), (math.nan, 3.0), (4.0, 5.0))):
        each.pose.position.x, each.pose.position.y = x, y
    assert web_messages.path_document(path)['xy'] == [1000, 2000, 4000, 5000]


def test_empty_markers_yield_empty_documents():
    assert web_messages.robot_outline(MarkerArray()) is None
    assert web_messages.state_text(MarkerArray()) == ''
    assert web_messages.marks_document(MarkerArray())['goal'] is None


@pytest.mark.parametrize('beams, stride', [(360, 1), (1000, 1), (1001, 2), (9999, 10)])
def test_scan_is_thinned_and_keeps_its_angles(beams, stride):
    ranges = np.linspace(1.0, 2.0, beams)
    document = web_messages.scan_document(
        Scan(0.0, ranges, -1.0, 0.001, 0.1, 3.5, Pose(0.5, 0.0, 0.1)),
        Pose(1.0, 0.0, math.pi / 2.0))
    assert len(document['ranges']) == -(-beams // stride) <= web_messages.MAX_BEAMS
    assert document['angle_increment'] == pytest.approx(0.001 * stride)
    assert document['origin'] == pytest.approx([1.0, 0.5, math.pi / 2.0 + 0.1], abs=1e-4)
    assert document['ranges'][0] == 100


def test_range_without_an_echo_is_zero():
    ranges = np.array([math.nan, math.inf, -math.inf, 0.0, 0.05, 4.0, 1.234])
    document = web_messages.scan_document(
        Scan(0.0, ranges, 0.0, 0.1, 0.1, 3.5, IDENTITY), IDENTITY)
    assert document['ranges'] == [0, 0, 0, 0, 0, 0, 123]
    json.dumps(document, allow_nan=False)


def test_non_finite_feedback_is_none():
    document = web_messages.driving_state(NavigateBug.Feedback(
        state_name='bug2/boundary_following/turning', distance_remaining=math.nan,
        path_length=1.23456, number_of_hits=2))
    assert (document['algorithm'], document['state']) == ('bug2', 'boundary_following/turning')
    assert document['goal_distance'] is None
    assert (document['path_length'], document['hits']) == (1.235, 2)


def array(*named):
    return DiagnosticArray(status=[
        DiagnosticStatus(name=name, level=level, message=name * 2) for name, level in named])


def test_silent_diagnostics_are_stale():
    diagnostics = web_messages.Diagnostics()
    diagnostics.add_array(array(('b', DiagnosticStatus.ERROR), ('a', DiagnosticStatus.OK)), 10.0)
    diagnostics.add_array(array(('a', DiagnosticStatus.WARN)), 16.0)
    assert diagnostics.document(16.0)['items'] == [
        {'name': 'a', 'level': 1, 'message': 'aa'}, {'name': 'b', 'level': 3, 'message': 'bb'}]


def test_worst_of_many_diagnostics_are_shown():
    diagnostics = web_messages.Diagnostics()
    for number in range(1000):
        level = DiagnosticStatus.ERROR if number == 990 else DiagnosticStatus.OK
        diagnostics.add_array(array((f'{number:04}', level)), float(number) / 1000.0)
    items = diagnostics.document(1.0)['items']
    assert len(items) == web_messages.MAX_ITEMS
    assert [item['name'] for item in items if item['level'] == 2] == ['0990']
