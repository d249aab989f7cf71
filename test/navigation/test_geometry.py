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

from __future__ import annotations

import math
import subprocess
import sys

from bug_nav.navigation.geometry import (
    bearing,
    distance,
    IDENTITY,
    Pose,
    PoseHistory,
    Segment,
    wrap,
)
from hypothesis import assume, given
from hypothesis import strategies as st
import pytest

coordinates = st.floats(-50.0, 50.0)
angles = st.floats(-20.0, 20.0)
points = st.tuples(coordinates, coordinates)
poses = st.builds(Pose, coordinates, coordinates, angles)


# Angles.

@pytest.mark.parametrize('angle, wrapped', [
    (0.0, 0.0), (math.pi, -math.pi), (-math.pi, -math.pi), (3.0, 3.0), (-3.0, -3.0),
    (4.0, 4.0 - 2.0 * math.pi), (-4.0, 2.0 * math.pi - 4.0), (7.0 * math.pi, -math.pi)])
def test_angle_is_wrapped_into_the_half_open_interval(angle, wrapped):
    assert wrap(angle) == pytest.approx(wrapped)


@given(angles)
def test_wrapped_angle_has_the_same_direction(angle):
    assert -math.pi <= wrap(angle) <= math.pi
    assert math.cos(wrap(angle) - angle) == pytest.approx(1.0)


@pytest.mark.parametrize('target, direction', [
    ((1, 0), 0.0), ((0, 1), math.pi / 2), ((-1, 0), math.pi), ((0, -2), -math.pi / 2)])
def test_bearing_is_counterclockwise_from_the_x_axis(target, direction):
    assert bearing((0.0, 0.0), target) == pytest.approx(direction)
    assert bearing((3.0, 4.0), (3 + target[0], 4 + target[1])) == pytest.approx(direction)


# Poses.

def test_pose_transforms_points_out_of_its_frame():
    pose = Pose(1.0, 2.0, math.pi / 2)
    assert pose.apply((1.0, 0.0)) == pytest.approx((1.0, 3.0))      # its x axis is y outside
    assert pose.apply((0.0, 1.0)) == pytest.approx((0.0, 2.0))      # its y axis is -x outside
    assert pose.compose(Pose(1.0, 0.0, 0.5)) == pytest.approx((1.0, 3.0, math.pi / 2 + 0.5))


@given(poses, points)
def test_inverse_undoes_a_pose(pose, point):
    assert pose.inverse().apply(pose.apply(point)) == pytest.approx(point, abs=1e-9)
    back = pose.compose(pose.inverse())
    assert back.position == pytest.approx((0.0, 0.0), abs=1e-9)
    assert math.cos(back.theta) == pytest.approx(1.0)


@given(poses, poses, points)
def test_composed_poses_apply_in_sequence(first, second, point):
    assert first.compose(second).apply(point) == pytest.approx(
        first.apply(second.apply(point)), abs=1e-9)
    assert IDENTITY.compose(first).apply(point) == pytest.approx(first.apply(point), abs=1e-9)


# Segments.

@pytest.mark.parametrize('a, b', [((0, 0), (4, 0)), ((0, 0), (0, 4)), ((4, 4), (0, 4)),
                                  ((1, 5), (1, -5)), ((0, 0), (3, 4))])
def test_offset_is_positive_on_the_left_for_any_direction(a, b):
    segment = Segment(a, b)
    along = ((b[0] - a[0]) / segment.length, (b[1] - a[1]) / segment.length)
    left = (a[0] + along[0] - 2 * along[1], a[1] + along[1] + 2 * along[0])
    assert segment.offset(left) == pytest.approx(2.0)
    assert segment.abscissa(left) == pytest.approx(1.0)
    assert Segment(b, a).offset(left) == pytest.approx(-2.0)


@pytest.mark.parametrize('point, apart', [
    ((2, 3), 3), ((-3, 4), 5), ((7, -4), 5), ((1, 0), 0), ((4, 0), 0)])
def test_distance_from_a_segment_is_to_its_nearest_point(point, apart):
    assert Segment((0, 0), (4, 0)).distance(point) == pytest.approx(apart)
    upright = Segment((0, 0), (0, 4))
    assert upright.distance(point[::-1]) == pytest.approx(apart)


def test_segment_of_zero_length_is_a_point():
    dot = Segment((1.0, 1.0), (1.0, 1.0))
    assert dot.length == 0.0 and dot.abscissa((5.0, 5.0)) == 0.0
    assert dot.distance((4.0, 5.0)) == pytest.approx(5.0)
    assert dot.offset((4.0, 5.0)) == pytest.approx(5.0)
    assert dot.crossing((0.0, 0.0), (2.0, 2.0)) is None


@pytest.mark.parametrize('before, after, place', [
    ((1, -1), (1, 1), (1, 0)),          # upwards
    ((1, 1), (1, -1), (1, 0)),          # downwards
    ((0, -1), (2, 3), (0.5, 0)),        # diagonally
    ((1, -1), (1, 0), (1, 0)),          # ends on the line
    ((1, 0), (1, 1), None),             # begins on the line
    ((1, 0), (2, 0), None),             # runs along the line
    ((1, 1), (2, 2), None),             # stays on one side
    ((-1, -1), (-1, 1), None),          # crosses the line before the segment
    ((5, -1), (5, 1), None),            # crosses the line behind the segment
    ((0, -1), (0, 1), (0, 0)),          # through its first end
    ((4, -1), (4, 1), (4, 0))])         # through its last end
def test_step_has_a_crossing_only_if_it_crosses_the_segment(before, after, place):
    for turn in (0.0, math.pi / 2, 1.0, -2.5):      # rotated, too
        pose = Pose(0.0, 0.0, turn)
        segment = Segment(pose.apply((0, 0)), pose.apply((4, 0)))
        if turn and (place is None or before[1] == 0 or after[1] == 0 or place[0] in (0, 4)):
            continue    # rounding decides unless coordinates are exact
        crossing = segment.crossing(pose.apply(before), pose.apply(after))
        assert crossing == pytest.approx(pose.apply(place)) if place else crossing is None


def test_vertical_segment_is_crossed_like_any_other():
    upright = Segment((2.0, -3.0), (2.0, 3.0))
    assert upright.crossing((1.0, 0.5), (3.0, 0.5)) == pytest.approx((2.0, 0.5))
    assert upright.crossing((1.0, 4.0), (3.0, 4.0)) is None
    assert upright.crossing((2.0, 0.0), (2.0, 1.0)) is None


@given(st.lists(points, min_size=2, max_size=12), points, points)
def test_each_change_of_sides_is_exactly_one_crossing(walk, a, b):
    segment = Segment(a, b)
    assume(segment.length > 0.1)
    far = Segment((a[0] - 1e4 * (b[0] - a[0]), a[1] - 1e4 * (b[1] - a[1])),
                  (b[0] + 1e4 * (b[0] - a[0]), b[1] + 1e4 * (b[1] - a[1])))
    offsets = [far.offset(place) for place in walk]
    assume(all(abs(offset) > 1e-6 for offset in offsets))
    changes = sum((e0 > 0) != (e1 > 0) for e0, e1 in zip(offsets, offsets[1:]))
    crossings = [far.crossing(p, q) for p, q in zip(walk, walk[1:])]
    assert sum(place is not None for place in crossings) == changes
    assert all(abs(far.offset(place)) < 1e-6 for place in crossings if place)


def test_walk_that_stops_on_the_line_crosses_it_once():
    segment = Segment((0.0, 0.0), (4.0, 0.0))
    walk = [(1.0, -1.0), (1.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    crossings = [segment.crossing(p, q) for p, q in zip(walk, walk[1:])]
    assert [place is not None for place in crossings] == [True, False, False]


# Pose history.

def test_pose_is_interpolated_along_the_shorter_rotation():
    history = PoseHistory()
    history.append(1.0, Pose(0.0, 0.0, 3.0))
    history.append(2.0, Pose(1.0, -2.0, -3.0))
    between = history.at(1.25)
    assert between.position == pytest.approx((0.25, -0.5))
    assert between.theta == pytest.approx(3.0 + 0.25 * (2.0 * math.pi - 6.0))
    assert history.at(2.0) == Pose(1.0, -2.0, -3.0)


def test_future_pose_is_none_and_forgotten_pose_is_the_oldest_known():
    history = PoseHistory()
    assert history.at(0.0) is None
    history.append(1.0, Pose(1.0, 0.0, 0.0))
    assert history.at(1.0001) is None
    assert history.at(0.5) == Pose(1.0, 0.0, 0.0)


def test_pose_that_is_not_newer_is_ignored():
    history = PoseHistory()
    history.append(1.0, Pose(1.0, 0.0, 0.0))
    history.append(1.0, Pose(9.0, 0.0, 0.0))
    history.append(0.5, Pose(9.0, 0.0, 0.0))
    assert history.newest == 1.0 and history.at(1.0).x == 1.0


def test_history_keeps_its_span_and_at_most_twice_as_much():
    history = PoseHistory(span=2.0)
    for k in range(1000):
        history.append(0.05 * k, Pose(float(k), 0.0, 0.0))
        assert len(history._poses) <= 4.0 / 0.05 + 2
    assert history.at(history.newest - 2.0).x == pytest.approx(999 - 40)


@given(st.lists(st.tuples(st.floats(0.01, 1.0), points), min_size=2, max_size=30),
       st.floats(0.0, 1.0))
def test_interpolated_position_lies_between_two_poses_in_proportion_to_time(steps, share):
    history, stamp, known = PoseHistory(span=1e6), 0.0, []
    for gap, (x, y) in steps:
        stamp += gap
        known.append((stamp, (x, y)))
        history.append(stamp, Pose(x, y, 0.0))
    asked = known[0][0] + share * (known[-1][0] - known[0][0])
    place = history.at(asked).position
    k = max(i for i, (then, _) in enumerate(known) if then <= asked)
    (t0, a), (t1, b) = known[k], known[min(k + 1, len(known) - 1)]
    walked = distance(a, place) + distance(place, b)
    assert walked == pytest.approx(distance(a, b), abs=1e-6)
    if t1 > t0:
        assert distance(a, place) == pytest.approx(
            distance(a, b) * (asked - t0) / (t1 - t0), abs=1e-6)


def test_import_loads_no_numba():
    # Commands that only talk to a node would start later.
    code = 'import sys, bug_nav.navigation.types; print("numba" in sys.modules)'
    done = subprocess.run([sys.executable, '-c', code], text=True, capture_output=True, check=True,
                          timeout=60.0)
    assert done.stdout == 'False\n'
