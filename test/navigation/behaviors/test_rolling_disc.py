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

from arena import block, RHO, room, Stage, world_of
from bug_nav.navigation.behaviors.rolling_disc import BoxedIn, RollingDisc
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.memory import LATERAL_TOLERANCE
from bug_nav.navigation.types import Concluded
from bug_nav.simulation.world import World
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
from shapely.geometry import LineString, Point, Polygon

LEAD = 0.08
BOX = world_of(block(1.0, 2.0, -0.5, 0.5))


def rolling_from(stage: Stage, contact, side: int) -> RollingDisc:
    """Return a disc at the robot that touches the observed point nearest to ``contact``."""
    points = stage.robot.perceived.points
    x, y = min(points.tolist(), key=lambda point: math.dist(point, contact))
    rx, ry = stage.robot.pose.position
    scale = RHO / math.dist((rx, ry), (x, y))
    return RollingDisc((x + scale * (rx - x), y + scale * (ry - y)), (x, y), side)


def rolled(stage: Stage, disc: RollingDisc, length: float) -> list:
    """Roll the disc, with the robot following behind it; return its path."""
    ways = []
    while sum(map(math.dist, ways, ways[1:])) < length:
        ahead, way = disc.lead(stage.robot, LEAD)
        ways += way
        here = stage.robot.pose
        course = math.atan2(ahead[1] - here.y, ahead[0] - here.x)
        stage.put(Pose(here.x + 0.03 * math.cos(course), here.y + 0.03 * math.sin(course), course))
    return ways


def at_box(contact, side: int = 1) -> tuple:
    """Return a stage in front of the box, and a disc with the wall on the given side."""
    stage = Stage(BOX, Pose(1.0 - RHO, contact, math.pi / 2))
    return stage, rolling_from(stage, (1.0, contact), side)


@pytest.mark.parametrize('side', [1, -1])
def test_centre_stays_rho_away_from_the_outline_of_a_box(side):
    stage, disc = at_box(0.1, side)
    outline = Polygon(BOX.solids[0])
    perimeter = 4.0 + 2 * math.pi * RHO
    way = rolled(stage, disc, perimeter)
    for place in way:
        apart = outline.distance(Point(place))
        # Readings within LATERAL_TOLERANCE of a point belong to it, so a corner may be missed by
        # as much; between two points, the disc sinks by less than a millimetre.
        assert RHO - LATERAL_TOLERANCE - 0.001 < apart < RHO + 0.01
    assert math.dist(way[0], way[-1]) < 0.15        # once around
    assert max(y for _, y in way) > 0.5 + RHO - 0.01
    assert min(y for _, y in way) < -0.5 - RHO + 0.01


def test_side_decides_the_rolling_direction():
    for side in (1, -1):
        stage, disc = at_box(0.0, side)
        way = rolled(stage, disc, 0.4)
        assert side * way[-1][1] > 0.3


def test_disc_leads_the_robot_by_the_given_distance():
    stage, disc = at_box(0.0)
    for by in (0.05, 0.08, 0.15):
        target, way = disc.lead(stage.robot, by)
        assert math.dist(target, stage.robot.pose.position) >= by
        assert target == disc.centre and (not way or way[-1] == target)
        # At most one stride farther.
        assert math.dist(target, stage.robot.pose.position) <= by + 0.021


def test_disc_that_is_already_ahead_stays():
    stage, disc = at_box(0.0)
    ahead, _ = disc.lead(stage.robot, 0.15)
    again, way = disc.lead(stage.robot, 0.08)
    assert again == ahead and way == []


def test_concave_corner_gives_a_cusp():
    corner = world_of(block(1.0, 1.2, -2.0, 1.2), block(-2.0, 1.2, 1.0, 1.2))
    stage = Stage(corner, Pose(1.0 - RHO, 0.0, math.pi / 2))
    way = rolled(stage, rolling_from(stage, (1.0, 0.0), 1), 1.3)
    cusp = max(way, key=lambda place: place[0] + place[1])
    assert cusp == pytest.approx((1.0 - RHO, 1.0 - RHO), abs=0.005)
    assert way[-1] == pytest.approx((0.2, 1.0 - RHO), abs=0.15)


# Gaps.

def wall_with_gap(width: float) -> World:
    """Return a wall of two halves along x = 1 to 1.3, with a gap around y = 0."""
    return world_of(block(1.0, 1.3, 0.5 * width, 2.0), block(1.0, 1.3, -2.0, -0.5 * width))


def at_gap(width: float, side: int = 1) -> Stage:
    """Return a stage with a robot beside one half of the wall."""
    return Stage(wall_with_gap(width), Pose(1.0 - RHO, -side * 0.8, side * math.pi / 2))


def roll_along_wall(stage: Stage, side: int = 1) -> list:
    """Roll the disc past or into the gap; return its path."""
    return rolled(stage, rolling_from(stage, (1.0, -side * 0.8), side), 1.6)


def deepest(way: list) -> float:
    """Return the largest x of a path; the wall is between 1.0 and 1.3."""
    return max(x for x, _ in way)


@pytest.mark.parametrize('side', [1, -1])
@pytest.mark.parametrize('short', [0.30, 0.10, 0.07])
def test_disc_rolls_past_a_gap_narrower_than_itself(short, side):
    way = roll_along_wall(at_gap(2 * RHO - short, side), side)
    assert deepest(way) < 1.0 + 1e-3
    assert side * way[-1][1] > 0.4
    assert max(x for x, y in way if abs(y) < 0.02) < 1.0        # it dips in between the jambs


@pytest.mark.parametrize('side', [1, -1])
@pytest.mark.parametrize('spare', [-0.01, 0.03, 0.07, 0.30])
def test_disc_enters_a_gap_wide_enough_up_to_noise(spare, side):
    way = roll_along_wall(at_gap(2 * RHO + spare, side), side)
    assert deepest(way) > 1.2


def test_disc_that_touches_both_jambs_of_a_narrow_gap_plugs_it():
    stage = at_gap(2 * RHO - 0.03)
    roll_along_wall(stage)
    assert len(stage.robot.gaps.plugs) == 1
    assert stage.robot.gaps.plugs[0][1] == pytest.approx(0.0, abs=0.03)
    wide = at_gap(2 * RHO - 0.10)
    roll_along_wall(wide)
    assert wide.robot.gaps.plugs == []      # clearly too narrow


def put_back(stage: Stage, world: World) -> Stage:
    """Put the robot back to its start in another world, after its memory has faded."""
    stage.world = world
    stage.stamp += 20.0
    stage.put(Pose(1.0 - RHO, -0.8, math.pi / 2), held=True)
    return stage


@pytest.mark.parametrize('wider', [0.01, 0.02, 0.03])
def test_closed_gap_stays_closed_when_it_looks_wider_later(wider):
    stage = at_gap(2 * RHO - 0.03)
    roll_along_wall(stage)
    way = roll_along_wall(put_back(stage, wall_with_gap(2 * RHO + wider)))
    assert deepest(way) < 1.03 and way[-1][1] > 0.4
    # A robot that has not seen the gap closed enters it.
    fresh = at_gap(2 * RHO + wider)
    assert deepest(roll_along_wall(fresh)) > 1.2


@pytest.mark.parametrize('narrower', [0.005, 0.01, 0.02])
def test_passed_gap_stays_open_when_it_looks_narrower_later(narrower):
    stage = at_gap(2 * RHO + 0.02)
    assert deepest(roll_along_wall(stage)) > 1.2
    assert stage.robot.gaps.passages
    way = roll_along_wall(put_back(stage, wall_with_gap(2 * RHO - narrower)))
    assert deepest(way) > 1.2


@pytest.mark.parametrize('side', [1, -1])
@pytest.mark.parametrize('narrower', [0.002, 0.005, 0.02])
def test_disc_at_a_plug_rolls_on_when_the_jambs_appear_nearer(narrower, side):
    # The disc was in the mouth, at the plug; the jambs appear nearer now and cover it.
    stage = Stage(wall_with_gap(2 * RHO - narrower), Pose(0.91, 0.0, 0.0))
    stage.robot.gaps.mark_closed((0.99, 0.0), (1.0, 0.0))
    plug, = stage.robot.gaps.plugs
    way = rolled(stage, RollingDisc((0.99, 0.0), plug, side), 0.6)
    assert side * way[-1][1] > 0.3
    assert deepest(way[1:]) < 1.0


@pytest.mark.parametrize('x, refused', [(0.90, True), (1.20, False)])
def test_gap_that_the_disc_came_through_is_not_closed(x, refused):
    # Noise may cage the disc in a passage: it touches both jambs in both directions.
    half = RHO - 0.016
    thin = world_of(block(1.0, 1.01, half, 2.0), block(1.0, 1.01, -2.0, -half))
    stage = Stage(thin, Pose(x, 0.0, 0.0))
    jamb = min(stage.robot.perceived.points.tolist(),
               key=lambda point: math.dist(point, (1.0, -half)))
    leaning = math.radians(105.0)
    centre = (jamb[0] + RHO * math.cos(leaning), jamb[1] + RHO * math.sin(leaning))
    disc = RollingDisc(centre, tuple(jamb), 1)
    disc.lead(stage.robot, math.dist(centre, (x, 0.0)) + 0.04)
    assert disc.contact[1] > 0.0
    assert bool(stage.robot.gaps.plugs) is refused


# Rooms and cells.

def test_room_with_space_to_drive_does_not_box_in_the_robot():
    stage = Stage(room(2 * RHO + 0.4), Pose(0.19, 0.0, math.pi / 2))
    way = rolled(stage, rolling_from(stage, (RHO + 0.2, 0.0), 1), 1.6)
    square = LineString([(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2)])
    assert all(square.distance(Point(place)) < 0.004 for place in way)


def test_contour_without_extent_boxes_in_the_robot_only_at_its_start():
    stage = Stage(room(2 * RHO + 0.005), Pose(0.0, 0.0, 0.0))
    with pytest.raises(BoxedIn):
        rolling_from(stage, (RHO, 0.0), 1).lead(stage.robot, LEAD)
    # A passage that the robot entered is an open gap.
    stage.robot.start = (-5.0, 0.0)
    stage.put(stage.robot.pose)
    disc = rolling_from(stage, (RHO, 0.0), 1)
    centre, _ = disc.lead(stage.robot, LEAD)
    assert math.hypot(*centre) < 0.03
    _, way = disc.lead(stage.robot, LEAD)
    assert way == [] and stage.robot.gaps.passages == [(0.0, 0.0)]


@pytest.mark.parametrize('side', [1, -1])
def test_passage_that_noise_closes_around_the_robot_is_eased_until_the_disc_leaves_it(side):
    # The robot rolled on the spot in a pocket of 6 cm, until the goal ended as blocked.
    stage = Stage(world_of(), Pose(0.0, 0.0, 0.0))
    stage.robot.start = (-5.0, 0.0)
    stage.put(stage.robot.pose)
    x = np.arange(-0.4, 0.41, 0.02)
    walls = [(x, edge * np.where(np.abs(x) < 0.05, RHO + 0.01, RHO - 0.017)) for edge in (1, -1)]
    points = np.hstack(walls).T
    stage.robot.set_virtual_obstacles(points)
    for place in x:
        stage.robot.gaps.mark_passed((place, 0.0))
    centre = 0.0, RHO + 0.01 - stage.robot.space.radii.min()
    disc = RollingDisc(centre, (0.0, RHO + 0.01), side)
    ahead, _ = disc.lead(stage.robot, LEAD)
    assert math.hypot(*ahead) >= LEAD


def test_wall_that_comes_nearer_pushes_the_disc_out():
    # Later scans see the wall 1 cm nearer.
    stage, disc = at_box(0.0)
    disc.lead(stage.robot, LEAD)
    stage.world = world_of(block(0.99, 2.0, -0.5, 0.5))
    for _ in range(100):
        stage.put(stage.robot.pose)
    way = rolled(stage, disc, 0.3)
    assert all(place[0] < 0.99 - RHO + 0.002 for place in way[2:])


def test_mirrored_obstacle_gives_the_mirrored_path():
    shape = [(1.0, -0.6), (1.8, -0.2), (1.4, 0.7), (1.0, 0.2)]
    ways = {}
    for side in (1, -1):
        world = world_of([(x, side * y) for x, y in shape])
        stage = Stage(world, Pose(1.0 - RHO, 0.0, side * math.pi / 2))
        ways[side] = LineString(rolled(stage, rolling_from(stage, (1.0, 0.0), side), 2.0))
    mirrored = LineString([(x, -y) for x, y in ways[-1].coords])
    # The beams are not symmetric: 360 beams over 6.28 rad begin ahead and end before a full turn.
    assert ways[1].hausdorff_distance(mirrored) < 0.03


def test_waiting_disc_moves_out_of_a_wall_that_came_nearer():
    # Noise made the wall appear farther away, so the disc is 3 cm too near to it. The collision
    # monitor keeps the robot away from there: robot and disc would wait for each other.
    stage, disc = at_box(0.0)
    stuck = RollingDisc((disc.centre[0] + 0.03, disc.centre[1] + LEAD), disc.contact, disc.side)
    target, way = stuck.lead(stage.robot, 0.5 * LEAD)
    assert way == []
    assert target[0] == pytest.approx(1.0 - RHO, abs=0.001)
    assert target == stuck.centre


# Jams: the disc touches three points, and cannot move between them.

def in_pocket(here, side: int) -> tuple:
    """Return a stage with a pocket of three points, the disc in its middle, and the points."""
    stage = Stage(world_of(), Pose(*here, 0.0))
    points = RHO * np.array([(math.cos(angle), math.sin(angle)) for angle in (0.5, 2.6, 4.7)])
    stage.robot.set_virtual_obstacles(points)
    return stage, RollingDisc((0.0, 0.0), tuple(points[0]), side), points


@pytest.mark.parametrize('side', [1, -1])
@pytest.mark.parametrize('here', [(0.0, 0.0), (-0.05, 0.0), (0.03, -0.03)])
def test_jammed_disc_keeps_rho_from_the_points_and_marks_the_gap_as_open(here, side):
    stage, disc, points = in_pocket(here, side)
    judged = stage.robot.gaps.changes
    centre, _ = disc.lead(stage.robot, LEAD)
    assert np.hypot(*(points - centre).T).min() == pytest.approx(RHO, abs=1e-3)
    assert stage.robot.gaps.changes > judged
    assert any(math.dist(passage, here) < RHO for passage in stage.robot.gaps.passages)


def test_disc_that_cannot_be_freed_stays():
    stage, disc, _ = in_pocket((0.0, 0.05), 1)
    judged = stage.robot.gaps.changes
    centre, way = disc.lead(stage.robot, LEAD)
    assert math.hypot(*centre) < 0.01 and np.hypot(*np.array(way).T).max() < 0.02
    assert stage.robot.gaps.changes > judged


@given(st.tuples(*3 * [st.tuples(st.floats(-0.4, 0.4), st.just(0.0) | st.floats(-0.03, 0.03))]),
       st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1)), st.sampled_from([1, -1]))
def test_pocket_with_noise_raises_no_error_other_than_boxed_in(shape, here, side):
    stage = Stage(world_of(), Pose(*here, 0.0))
    points = np.array([((RHO + off) * math.cos(k * math.pi / 1.5 + turned),
                        (RHO + off) * math.sin(k * math.pi / 1.5 + turned))
                       for k, (turned, off) in enumerate(shape)])
    stage.robot.set_virtual_obstacles(points)
    disc = RollingDisc((0.0, 0.0), tuple(points[0]), side)
    try:
        for _ in range(5):
            assert math.hypot(*disc.lead(stage.robot, LEAD)[0]) < 1.0
    except Concluded as end:  # single points are narrow
        assert isinstance(end, BoxedIn) or 'may be of the robot itself' in str(end)


def test_jammed_disc_restarts_at_the_first_contact_from_the_robot():
    # It restarts where the robot would be stopped on the straight way to the disc.
    stage, disc, _ = in_pocket((-0.6, 0.0), 1)
    nearest = disc.contact
    assert disc._meet_again(stage.robot) and disc.contact != nearest
    assert math.dist(disc.centre, disc.contact) == pytest.approx(RHO)
    assert -0.6 < disc.centre[0] < 0.0 and disc.centre[1] == pytest.approx(0.0)
