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

from arena import RHO
from bug_nav.lab.ground_truth import inflate
from bug_nav.navigation.behaviors.trace import OVERLAP, STEP, TOLERANCE, Trace
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.simulation.generators import cluttered
import numpy as np
import pytest
from shapely.geometry import Point, Polygon


def robot_with(drift: float = 0.0, radius: float = 0.124, clearance: float = 0.1,
               start=(0.0, 0.0)) -> Robot:
    robot = Robot(RobotModel(robot_radius=radius),
                  Settings(expected_drift=drift, clearance=clearance))
    robot.set_pose(0.0, Pose(*start, 0.0), (50.0, 0.0), held=True)
    return robot


def polyline(*corners, spacing: float = 0.005) -> list:
    """Return points along a line through corners, without the first corner."""
    places = []
    for a, b in zip(corners, corners[1:]):
        count = max(round(math.dist(a, b) / spacing), 1)
        places += [(a[0] + k / count * (b[0] - a[0]), a[1] + k / count * (b[1] - a[1]))
                   for k in range(1, count + 1)]
    return places


def circle(radius: float, turns: float, sense: int = 1, off: float = 0.0) -> list:
    """Return points around the origin from (radius, 0), ``off`` farther out after a turn."""
    places = []
    for k in range(1, round(turns * 2 * math.pi * radius / 0.005) + 1):
        angle = 0.005 / radius * k
        r = radius + off * min(angle / (2 * math.pi), 1.0)
        places.append((r * math.cos(angle), sense * r * math.sin(angle)))
    return places


def square(side: float, laps: float) -> list:
    corners = [(0, 0), (side, 0), (side, side), (0, side)]
    whole = polyline(*corners, (0, 0))
    return (whole * math.ceil(laps))[:round(laps * len(whole))]


def traced(way: list, begin=None, robot=None, side=1) -> Trace:
    """Add a path to a trace, a few points at a time, as a follower does."""
    begin = begin or way[0]
    robot = robot or robot_with(start=begin)
    trace = Trace(robot, begin, side)
    for k in range(0, len(way), 4):
        trace.add(robot, way[k:k + 4])
    return trace


@pytest.mark.parametrize('sense', [1, -1])
@pytest.mark.parametrize('radius', [0.03 + RHO, 0.05 + RHO, 0.2 + RHO, 2.0])
def test_lap_around_a_pole_is_closed_when_the_overlap_is_complete(radius, sense):
    lap = 2 * math.pi * radius
    overlap = OVERLAP * STEP
    # Marks are within the tolerance up to this distance before the places that they overlap.
    early = TOLERANCE + STEP
    assert not traced(circle(radius, (lap + overlap - early - 0.01) / lap, sense)).closed
    trace = traced(circle(radius, (lap + overlap + STEP) / lap, sense))
    assert trace.closed and trace.begin == 0
    assert trace.lap_length == pytest.approx(lap, abs=early + STEP)


@pytest.mark.parametrize('side', [0.1, 0.15, 0.3, 1.0])
def test_lap_in_a_small_cell_is_closed(side):
    trace = traced(square(side, (4 * side + OVERLAP * STEP + 2 * STEP) / (4 * side)))
    assert trace.closed
    assert trace.lap_length == pytest.approx(4 * side, abs=TOLERANCE + 2 * STEP)


def test_lap_is_not_closed_before_the_robot_is_back():
    for share in (0.5, 0.9):
        assert not traced(square(2.0, share)).closed
    assert traced(square(2.0, 0.5)).lap_length == 0.0


@pytest.mark.parametrize('thickness', [0.0, 0.01, 0.05, 0.09])
def test_other_side_of_a_thin_wall_does_not_close_the_lap(thickness):
    # A slit in the inflated obstacle: in along one side, back out along the other.
    y = thickness
    way = polyline((0, 0), (2, 0), (2, y), (0, y), (0, 1), (-1, 1), (-1, -1), (0, -1), (0, 0),
                   (0.6, 0))
    back = way.index((0, y), len(polyline((0, 0), (2, 0), (2, y))) - 1)
    assert not traced(way[:back]).closed
    whole = traced(way)
    assert whole.closed
    assert whole.lap_length == pytest.approx(2 + y + 2 + (1 - y) + 1 + 2 + 1 + 1,
                                             abs=TOLERANCE + 2 * STEP)


def test_thin_wall_does_not_close_the_lap_of_a_small_robot():
    # rho is 4 cm: the sides of a wall without thickness are 8 cm apart, less than the tolerance.
    small = robot_with(radius=0.02, clearance=0.02)
    way = polyline((0, 0), (2, 0), (2, 0.08), (0, 0.08), (0, 0.01), (0.2, 0))
    assert not traced(way, robot=small).closed


def test_crossing_the_beginning_at_an_angle_does_not_close_the_lap():
    way = polyline((0, 0), (1, 0), (1, 1), (0.2, 1), (0.2, -1), (1.5, -1))
    assert not traced(way).closed


def test_spiral_that_passes_at_a_distance_does_not_close_the_lap():
    inner = polyline((0, 0), (3, 0), (3, 3), (0, 3), (0, 0.15), (2.8, 0.15))
    assert not traced(inner).closed


@pytest.mark.parametrize('expected, off, closed', [
    (0.0, 0.06, True), (0.0, 0.15, False), (0.02, 0.15, True), (0.02, 0.21, True),
    (0.2, 0.21, True), (0.2, 0.26, False)])
def test_expected_drift_widens_the_tolerance_up_to_rho(expected, off, closed):
    way = circle(1.0, 1.15, off=off)
    trace = traced(way, begin=(1.0, 0.0), robot=robot_with(drift=expected))
    assert trace.closed is closed


def test_lap_of_a_changed_contour_is_closed_without_its_beginning():
    # The path here is not part of the closed contour: a gap was open first and closed later.
    way = polyline((-3, 0), (0, 0)) + square(1.0, 1.2)
    trace = traced(way, begin=(-3, 0), side=-1)
    assert trace.closed and trace.begin > 2.5 / STEP
    assert trace.lap_length == pytest.approx(4.0, abs=TOLERANCE + 2 * STEP)


@pytest.mark.parametrize('start, begin', [((-3.0, 0.0), (0.0, 0.0)), ((0.5, 0.5), (-3.0, 0.0))])
def test_lap_in_a_cell_that_the_robot_entered_is_not_closed(start, begin):
    # The robot started outside, or hit the contour outside: noise closed the gap behind it.
    way = polyline(begin, (0, 0)) * (begin != (0.0, 0.0)) + square(1.0, 2.2)
    robot = robot_with(start=start)
    assert not traced(way, begin=begin, robot=robot, side=1).closed
    assert traced(way, begin=begin, robot=robot_with(start=start), side=-1).closed


def test_round_in_an_entered_cell_is_omitted_from_the_lap_around_the_obstacle():
    # Around an obstacle, through a door into the room inside it, around the room, and out again.
    room = (1.1, 1.0), (3.0, 1.0), (3.0, 3.0), (1.0, 3.0), (1.0, 1.0)
    way = (polyline((0, 0), (0, 4), (4, 4), (4, 0), (1.1, 0), room[0])
           + polyline(*room, room[0]) + polyline(*room)
           + polyline(room[-1], (0.9, 1.0), (0.9, 0.0), (0.0, 0.0), (0.0, 1.0)))
    trace = traced(way, begin=(0, 0), robot=robot_with(start=(0.0, 0.0)), side=1)
    assert trace.closed and trace.begin == 0
    assert trace.lap_length == pytest.approx(16.0 + 2.0 + 7.8, abs=0.5)
    assert not trace.separates_from((2.0, 2.0)) and trace.separates_from((0.5, 2.0))


def test_marks_are_on_the_path_and_evenly_spaced():
    way = polyline((0, 0), (1, 0), (1, 1), spacing=0.007)
    trace = traced(way, begin=(0, 0))
    assert len(trace.marks) == pytest.approx(2.0 / STEP, abs=1)
    assert STEP * trace.count == pytest.approx(2.0, abs=STEP + 1e-9)
    for a, b in zip(trace.marks, trace.marks[1:]):
        assert math.dist(a.place, b.place) <= STEP + 1e-9
    assert trace.marks[10].course == pytest.approx((1, 0))
    assert trace.marks[-1].course == pytest.approx((0, 1))
    assert trace.marks[10].goal_distance == pytest.approx(50 - 11 * STEP, abs=1e-6)


def test_long_steps_get_marks_in_between():
    trace = traced([(0.5, 0.0), (1.0, 0.0)], begin=(0.0, 0.0))
    assert [mark.place[0] for mark in trace.marks] == pytest.approx(
        [STEP * (k + 1) for k in range(25)])


def test_closest_point_is_on_the_closed_lap():
    # Before the lap, the trace came nearer to the goal than the closed contour does.
    way = polyline((6, 0), (0, 0)) + [(-x, y) for x, y in square(1.0, 1.2)]
    trace = traced(way, begin=(6, 0))
    assert trace.closed
    assert trace.closest.goal_distance == min(mark.goal_distance for mark in trace.lap)
    assert trace.closest.place[0] == pytest.approx(0.0, abs=0.15)
    assert min(mark.goal_distance for mark in trace.marks) < trace.closest.goal_distance - 5


def test_marks_are_in_the_global_frame():
    robot = robot_with()
    turned = Pose(10.0, 0.0, math.pi / 2)
    robot.set_pose(0.1, Pose(0, 0, 0), (50.0, 0.0), held=False, correction=turned)
    trace = traced(polyline((0, 0), (1, 0)), begin=(0, 0), robot=robot)
    assert trace.marks[-1].place == pytest.approx((10.0, 1.0), abs=STEP + 1e-9)
    assert trace.marks[-1].course == pytest.approx((0.0, 1.0))


# Separation by a lap.

@pytest.mark.parametrize('sense', [1, -1])
@pytest.mark.parametrize('goal, inside', [
    ((0.0, 0.0), True), ((0.2, 0.1), True), ((0.4, 0.0), False), ((-9.0, 3.0), False)])
def test_lap_separates_the_robot_from_goals_on_the_side_of_the_wall(goal, inside, sense):
    # Counterclockwise with the wall on the left, the lap is around a pole: the robot is outside.
    for side in (1, -1):
        trace = traced(circle(0.03 + RHO, 1.4, sense), side=side)
        assert trace.separates_from(goal) is (inside if side == -sense else not inside)


@pytest.mark.parametrize('side', [1, -1])
@pytest.mark.parametrize('width', [0.0, 0.001, 0.01])
def test_lap_in_a_cell_as_narrow_as_the_disc_separates_all_goals(width, side):
    # Back and forth in a corridor as wide as the disc, with the wall on either side.
    way = polyline((0, 0), (1, 0), (1, width), (-1, width), (-1, 0), (0, 0), (0.5, 0))
    trace = traced(way, begin=(0, 0), side=side)
    assert trace.closed
    assert all(trace.separates_from(goal) for goal in ((0.0, 1.0), (0.5, -0.3), (-3.0, 0.0)))


@pytest.mark.parametrize('seed', range(8))
def test_lap_of_any_contour_in_clutter_separates_the_right_goals(seed):
    rng = np.random.default_rng(seed)
    inflated = inflate(cluttered(seed), RHO)
    parts = getattr(inflated, 'geoms', [inflated])
    rings = ([(part.exterior, True) for part in parts]
             + [(hole, False) for part in parts for hole in part.interiors])
    cases = set()
    for ring, around_obstacle in rings:
        sense = int(rng.choice((1, -1)))
        way = list(ring.segmentize(0.01).coords)[:-1][::sense if ring.is_ccw else -sense]
        # Counterclockwise around an obstacle, the wall is on the left.
        side = -sense if around_obstacle else sense
        trace = traced(way + way + way, side=side)
        for goal in rng.uniform(-1.0, 8.0, (40, 2)):
            if ring.distance(Point(goal)) > 0.02:
                shut = Polygon(ring).contains(Point(goal)) == around_obstacle
                assert trace.closed and trace.separates_from(tuple(goal)) is shut
                cases.add((around_obstacle, shut))
    assert {(True, True), (True, False)} <= cases
