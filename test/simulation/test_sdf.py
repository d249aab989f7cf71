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

import cmath
import math
import operator
import os
from pathlib import Path
import random

from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.simple_polygon import is_simple
from bug_nav.simulation.world import World, WorldError
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest
from sdf_files import HEAD, read, rejection, TAIL
from shapely.geometry import LinearRing

BOX = '<box><size>2 1 0.5</size></box>'
ROOT = Path(__file__).resolve().parents[2]


def body_of(geometry: str, pose: str = '0 0 0.25 0 0 0', kind: str = 'collision') -> str:
    """Return a model with its shape on line 5 of the file."""
    return (f'<model name="m"><static>1</static><link name="l">\n<{kind} name="c"><pose>{pose}'
            f'</pose><geometry>{geometry}</geometry></{kind}></link></model>')


def same_corners(polygon: np.ndarray, expected) -> bool:
    expected = np.asarray(expected, dtype=float)
    return len(polygon) == len(expected) and all(
        np.hypot(*(expected - corner).T).min() < 1e-9 for corner in polygon)


# Valid elements.

def test_box_becomes_its_outline(tmp_path):
    world = read(tmp_path, body_of(BOX, '3 4 0.25 0 0 0'))
    assert world.name == 'my'
    assert world.bounds == (2, 3.5, 4, 4.5)
    assert world.segments.shape == (4, 4)


def test_cylinder_becomes_a_polygon_around_it(tmp_path):
    shape = '<cylinder><radius>0.5</radius><length>1</length></cylinder>'
    solid = read(tmp_path, body_of(shape, '1 2 0.5 0 0 0')).solids[0]
    distance = np.hypot(*(solid - (1, 2)).T)
    assert (distance > 0.5).all() and (distance < 0.5 * 1.0022).all()
    middle = 0.5 * (solid + np.roll(solid, -1, axis=0))
    assert np.hypot(*(middle - (1, 2)).T) == pytest.approx(np.full(48, 0.5))


def test_polyline_extrudes_upwards_from_its_pose(tmp_path):
    points = ''.join(f'<point>{x} {y}</point>' for x, y in ((0, 0), (0, 1), (2, 0)))
    shape = f'<polyline>{points}<height>0.3</height></polyline>'
    assert same_corners(read(tmp_path, body_of(shape, '1 0 0 0 0 0')).solids[0],
                        [(1, 0), (1, 1), (3, 0)])
    assert read(tmp_path, body_of(shape, '0 0 0.2 0 0 0')).solids == ()
    # A box of this height around the same pose would not reach the lidar.
    assert len(read(tmp_path, body_of(shape, '0 0 -0.1 0 0 0')).solids) == 1


@pytest.mark.parametrize('corners', [
    ((0, 0), (1, 0), (0, 1), (0, 0)), ((0, 0), (1, 0), (1, 0), (1, 0), (0, 1))])
def test_repeated_point_of_a_polyline_is_ignored(tmp_path, corners):
    points = ''.join(f'<point>{x} {y}</point>' for x, y in corners)
    shape = f'<polyline>{points}<height>1</height></polyline>'
    assert read(tmp_path, body_of(shape, '0 0 0 0 0 0')).segments.shape == (3, 4)


def test_sphere_is_cut_at_the_lidar_and_reported_if_wider_below(tmp_path):
    shape = '<sphere><radius>0.5</radius></sphere>'
    low = read(tmp_path, body_of(shape, '0 0 0 0.3 0.2 0'))
    assert np.hypot(*low.solids[0].T).min() == pytest.approx(math.sqrt(0.25 - 0.18**2), rel=3e-3)
    assert low.unseen == ('m/l/c',)
    high = read(tmp_path, body_of(shape, '0 0 0.5 0 0 0'))
    assert len(high.solids) == 1 and high.unseen == ()


def test_nested_poses_are_composed(tmp_path):
    poses = [(1.0, 2.0, 0.7), (-0.5, 0.25, -1.9), (0.3, 0.1, 2.2), (0.2, -0.4, 0.4)]
    texts = [f'<pose>{x} {y} 0.05 0 0 {yaw}</pose>' for x, y, yaw in poses]
    world = read(tmp_path, f"""
        <model name="a"><static>1</static>{texts[0]}
          <model name="b">{texts[1]}
            <link name="l">{texts[2]}
              <collision name="c">{texts[3]}<geometry>{BOX}</geometry></collision>
            </link></model></model>""")
    expected = []
    for corner in (1 + 0.5j, -1 + 0.5j, -1 - 0.5j, 1 - 0.5j):
        for x, y, yaw in reversed(poses):
            corner = complex(x, y) + cmath.exp(1j * yaw) * corner
        expected.append((corner.real, corner.imag))
    assert same_corners(world.solids[0], expected)


def test_tilts_that_cancel_leave_an_upright_shape(tmp_path):
    world = read(tmp_path, f"""
        <model name="a"><static>1</static><pose>0 0 0.2 1.5707963267948966 0 0</pose>
          <link name="l"><pose>0 0 -3 -1.5707963267948966 0 0</pose>
            <collision name="c"><geometry>{BOX}</geometry></collision></link></model>""")
    # Rolled by a quarter, the link's z axis points along -y of the world.
    assert world.bounds == pytest.approx((-1, 2.5, 1, 3.5))


def test_upside_down_polyline_extends_downwards_and_is_mirrored(tmp_path):
    points = ''.join(f'<point>{x} {y}</point>' for x, y in ((0, 0), (2, 0), (0, 1)))
    shape = f'<polyline>{points}<height>0.3</height></polyline>'
    world = read(tmp_path, body_of(shape, f'0 0 0.4 {math.pi} 0 0'))
    assert same_corners(world.solids[0], [(0, 0), (2, 0), (0, -1)])
    assert read(tmp_path, body_of(shape, f'0 0 0.1 {math.pi} 0 0')).solids == ()


@pytest.mark.parametrize('true', ['true', 'True', 'TRUE', '1', ' true '])
def test_pose_in_degrees_is_read(tmp_path, true):
    body = body_of(BOX).replace('<pose>0 0 0.25 0 0 0', f'<pose degrees="{true}">0 0 0.25 0 0 90')
    assert read(tmp_path, body).bounds == pytest.approx((-0.5, -1, 0.5, 1))


@pytest.mark.parametrize('z, solids, unseen', [
    (0.25, 1, ()),              # from the ground to above the lidar
    (0.43, 1, ()),              # begins at the height of the lidar
    (0.44, 0, ()),              # a table above the lidar
    (-0.15, 0, ('m/l/c',)),     # 0.10 m high: the robot hits it, the lidar does not see it
    (-0.241, 0, ()),            # 9 mm high: part of the floor
    (-3, 0, ())])
def test_shape_is_cut_at_the_height_of_the_lidar(tmp_path, z, solids, unseen):
    world = read(tmp_path, body_of(BOX, f'0 0 {z} 0 0 0'))
    assert (len(world.solids), world.unseen) == (solids, unseen)


def test_solids_depend_on_the_height_of_the_lidar(tmp_path):
    body = body_of(BOX, '0 0 0.25 0 0 0')
    assert len(read(tmp_path, body, height=0.4).solids) == 1
    assert len(read(tmp_path, body, height=0.6).solids) == 0
    for height in (0, -1, math.nan, math.inf):
        with pytest.raises(WorldError, match='height of the lidar'):
            read(tmp_path, body, height=height)


def test_ground_sun_and_invisible_elements_are_skipped(tmp_path):
    plane = '<plane><normal>0 0 1</normal><size>9 9</size></plane>'
    world = read(tmp_path, f"""
        <include><uri>model://ground_plane</uri></include>
        <include><uri>model://sun</uri></include>
        <light name="l" type="point"><pose>0 0 1 0 0 0</pose></light>
        <gravity>0 0 -9.8</gravity><physics type="ode"/><scene/><gui/><plugin name="p"/>
        <vendor:thing xmlns:vendor="urn:other"><model name="not ours"/></vendor:thing>
        {body_of(plane, '0 0 0 0 0 0')}{body_of('<empty/>')}""")
    assert world.solids == () and world.unseen == ()


def test_visual_of_a_collision_and_floor_marks_are_skipped(tmp_path):
    mark = '<box><size>1 1 0.001</size></box>'
    both = body_of(BOX).replace('</link>', '<visual name="v"><geometry><mesh/></geometry>'
                                           '</visual></link>')
    world = read(tmp_path, both + body_of(mark, '0 0 0 0 0 0', kind='visual'))
    assert len(world.solids) == 1


def test_episode_element_sets_start_and_goal(tmp_path):
    world = read(tmp_path, '<bug_nav:episode start="1 2 0.5" goal="-3 4e0"/>')
    assert (world.start, world.goal) == ((1, 2, 0.5), (-3, 4))
    only = read(tmp_path, '<bug_nav:episode goal="1 1"/>')
    assert (only.start, only.goal) == (None, (1, 1))
    assert read(tmp_path, '').goal is None


def test_saved_state_overrides_the_pose_of_a_model(tmp_path):
    state = '<state world_name="w"><model name="m"><pose>5 0 0 0 0 0</pose></model></state>'
    assert read(tmp_path, state + body_of(BOX)).bounds == (4, -0.5, 6, 0.5)


def test_non_static_model_is_a_solid(tmp_path):
    world = read(tmp_path, body_of(BOX).replace('<static>1</static>', ''))
    assert len(world.solids) == 1


def test_joint_in_a_static_model_is_ignored(tmp_path):
    body = body_of(BOX).replace('</model>', '<joint name="j"/></model>')
    assert len(read(tmp_path, body).solids) == 1


# Invalid elements, reported with name and line.

@pytest.mark.parametrize('geometry, parts', [
    ('<mesh><uri>model://x/x.dae</uri></mesh>', ("'model://x/x.dae' is not found", 'm/l/c')),
    ('<mesh/>', ('no <uri>', 'm/l/c')),
    ('<heightmap/>', ('<heightmap>', 'm/l/c')),
    ('<image/>', ('<image>', 'm/l/c')),
    ('<torus/>', ('<torus>', 'm/l/c', 'capsule, cone')),
    ('<box><size/></box>', ('size must be 3',)),
    ('<box><size>1 1</size></box>', ('size must be 3', "'1 1'")),
    ('<box><size>1 1 nan</size></box>', ('size must be 3 finite',)),
    ('<box><size>1 inf 1</size></box>', ('size must be 3 finite',)),
    ('<box><size>1 1e300 1</size></box>', ('size must be 3 finite',)),
    ('<box><size>1 1_0 1</size></box>', ('size must be 3 finite',)),
    ('<box><size>1 -1 1</size></box>', ('above 0', 'm/l/c')),
    ('<box><size>1e-200 1e-200 1</size></box>', ('no area', 'm/l/c')),
    ('<cylinder><radius>0</radius><length>1</length></cylinder>', ('above 0',)),
    ('<polyline><point>0 0</point><height>1</height></polyline>', ('1 points',)),
    ('', ('one <geometry> with one shape', 'm/l/c')),
    (BOX + BOX, ('one <geometry> with one shape',)),
    ('<plane><normal>1 0 0</normal></plane>', ('not the ground',)),
    ('<plane><normal>0 0 0</normal></plane>', ('not the ground',)),
    ('<plane/>', ('not the ground',))])     # its pose raises it by 0.25 m
def test_unsupported_geometry_is_rejected_with_name_and_line(tmp_path, geometry, parts):
    message = rejection(tmp_path, body_of(geometry))
    assert message.startswith(':5: ')
    assert all(part in message for part in parts)


@pytest.mark.parametrize('points, why', [
    ([(0, 0), (2, 2), (2, 0), (0, 2)], 'crosses'),
    ([(0, 0), (2, 0), (1, 0), (1, 1)], 'crosses'),
    ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], 'crosses'),
    ([(0, 0), (1, 0), (2, 0)], 'crosses'),
    ([(0, 0), (0, 0), (1, 1)], 'crosses'),
    ([(0, 0), (0, 0), (0, 0)], 'crosses'),
    ([(k, k * k) for k in range(1001)], '1001 points')])
def test_polyline_that_is_not_simple_is_rejected(tmp_path, points, why):
    text = ''.join(f'<point>{x} {y}</point>' for x, y in points)
    assert why in rejection(tmp_path, body_of(f'<polyline>{text}<height>1</height></polyline>'))


@pytest.mark.parametrize('body, line, parts', [
    ('\n<include><uri>model://house</uri></include>', 5, ('model://house',)),
    ('<include/>', 4, ('an <include> has no <uri>; give model://NAME',)),
    ('<population name="p"/>', 4, ('<population>',)),
    ('<model name="m">\n<include><uri>model://no</uri></include></model>', 5, ('<include>',)),
    ('<model name="m" placement_frame="f"/>', 4, ("'f'", "'m'")),
    ('<model name="m">\n<pose relative_to="other">0 0 0 0 0 0</pose></model>', 5,
     ("relative_to 'other'", "'m'")),
    ('<model name="m"><pose frame="other">0 0 0 0 0 0</pose></model>', 4, ("'other'", "'m'")),
    ('<model name="m"><pose>0 0 0</pose></model>', 4, ('pose must be 6',)),
    ('<model name="m"><pose>0 0 0 0 0 nan</pose></model>', 4, ('pose must be 6',)),
    ('<model name="m"><pose rotation_format="matrix">0 0 0 0 0 0 1</pose></model>', 4,
     ('rotation_format', "'matrix'", 'quat_xyzw')),
    ('<model name="m"><pose rotation_format="quat_xyzw">0 0 0 0 0 1</pose></model>', 4,
     ('pose must be 7',)),
    ('<model name="m"><pose/>\n<pose/></model>', 5, ('second <pose>',)),
    ('<model name="x"><link name="l"/></model><state><model name="x">\n<scale>1 2</scale></model>'
     '</state>', 5, ('scale must be 3',)),
    ('<bug_nav:episode start="0 0"/>', 4, ('start must be 3',)),
    ('<bug_nav:episode goal="0 0 0"/>', 4, ('goal must be 2',)),
    ('<bug_nav:episode goal="0 x"/>', 4, ('goal must be 2',)),
    ('<bug_nav:episode goal="0 NaN"/>', 4, ('goal must be 2',)),
    ('<bug_nav:episode finish="0 0"/>', 4, ("'finish'",)),
    ('<bug_nav:episode/>\n<bug_nav:episode/>', 5, ('second <episode>',)),
    ('<episode goal="0 0"/>', 4, ('write <bug_nav:episode>',)),
    ('<person route="0 0 1 1"/>', 4, ('write <bug_nav:person>',)),
    ('<robot start="0 0 0"/>', 4, ('write <bug_nav:robot>',))])
def test_unsupported_element_is_rejected_with_name_and_line(tmp_path, body, line, parts):
    message = rejection(tmp_path, body)
    assert message.startswith(f':{line}: ')
    assert all(part in message for part in parts)


@pytest.mark.parametrize('frame', ['', 'world'])
def test_pose_relative_to_its_own_parent_is_resolved(tmp_path, frame):
    body = (f'<model name="m"><pose relative_to="{frame}">7 0 0.25 0 0 0</pose><link name="l">'
            f'<pose relative_to="__model__"/><collision name="c"><pose relative_to="l"/>'
            f'<geometry>{BOX}</geometry></collision></link></model>')
    assert read(tmp_path, body).bounds == (6, -0.5, 8, 0.5)


@pytest.mark.parametrize('geometry', [BOX, '<mesh><uri>x</uri></mesh>'])
def test_visual_without_a_collision_is_left_out_by_name(tmp_path, geometry):
    world = read(tmp_path, body_of(geometry, kind='visual'))
    assert world.solids == () and world.unseen == ()
    assert world.notes == ('links without a collision are left out, as are all visuals: m/l',)


def test_unknown_elements_are_ignored_and_named_once(tmp_path):
    body = ('<modle name="typo"/><road name="r"/>' + body_of(BOX + '<gz:x/><mtl/>').replace(
        '<link name="l">', '<link name="l"><static>1</static><static>1</static>').replace(
        '<size>', '<hight>2</hight><size>').replace('<geometry>', '<mass>1</mass><geometry>'))
    world = read(tmp_path, body)
    assert len(world.solids) == 1
    assert world.notes == ('unknown elements are ignored, as in Gazebo: <modle>, <static>, '
                           '<mass>, <mtl> and <hight>',)


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('size', ['1e-320 1 1', '1 1e-320 1', '1 1 1e-320', '1e-99 1e-99 1e-99'])
@pytest.mark.parametrize('tilt', [0, 0.5])
@pytest.mark.parametrize('shape, tag', [('ellipsoid', 'radii'), ('box', 'size')])
def test_body_without_an_area_is_left_out_or_rejected(size, tilt, shape, tag, tmp_path):
    path = tmp_path / 'w.world'
    path.write_text(
        '<sdf version="1.9"><world name="w"><model name="m"><static>true</static>'
        f'<pose>3 1 0.18 {tilt} 0 1</pose><link name="l"><collision name="c"><geometry><{shape}>'
        f'<{tag}>{size}</{tag}></{shape}></geometry></collision></link></model></world></sdf>')
    try:
        assert all(map(is_simple, load_sdf(path).solids))
    except WorldError as error:
        assert '\n' not in str(error)


@pytest.mark.parametrize('shape, size', [
    ('<box/>', (1, 1)), ('<cylinder/>', (2, 2)), ('<sphere/>', (2, 2)), ('<capsule/>', (1, 1)),
    ('<ellipsoid/>', (2, 2)), ('<cone/>', (0.5, 0.5)), ('<box><size>1 1 1</size></box>', (1, 1)),
    ('<cylinder><length>1</length></cylinder>', (2, 2))])
def test_missing_size_is_the_default_of_sdformat(tmp_path, shape, size):
    solid, = read(tmp_path, body_of(shape, f'3 4 {0.18} 0 0 0')).solids
    assert np.ptp(solid, axis=0) == pytest.approx(size, rel=0.01)
    assert 0.5 * (solid.min(axis=0) + solid.max(axis=0)) == pytest.approx((3, 4))


TILTED = [
    (BOX, lambda p: (np.abs(p) <= (1.0, 0.5, 0.25)).all(axis=1)),
    ('<cylinder><radius>0.4</radius><length>1.2</length></cylinder>',
     lambda p: (np.hypot(p[:, 0], p[:, 1]) <= 0.4) & (np.abs(p[:, 2]) <= 0.6)),
    ('<cone><radius>0.5</radius><length>1</length></cone>',
     lambda p: (np.abs(p[:, 2]) <= 0.5) & (np.hypot(p[:, 0], p[:, 1]) <= 0.5 * (0.5 - p[:, 2]))),
    ('<capsule><radius>0.3</radius><length>0.8</length></capsule>',
     lambda p: np.linalg.norm(p - np.clip(p, (0, 0, -0.4), (0, 0, 0.4)), axis=1) <= 0.3),
    ('<ellipsoid><radii>0.8 0.3 0.5</radii></ellipsoid>',
     lambda p: ((p / (0.8, 0.3, 0.5))**2).sum(axis=1) <= 1.0),
    ('<polyline><point>-0.5 -0.5</point><point>0.5 -0.5</point><point>0 0</point>'
     '<point>0.5 0.5</point><point>-0.5 0.5</point><height>0.7</height></polyline>',
     lambda p: (np.abs(p[:, :2]) <= 0.5).all(axis=1) & (p[:, 0] <= np.abs(p[:, 1]))
     & (p[:, 2] >= 0.0) & (p[:, 2] <= 0.7))]


@pytest.mark.parametrize('shape, contains', TILTED, ids=[shape[1:6] for shape, _ in TILTED])
@pytest.mark.parametrize('angles', ['0.3 0 0', '0 -0.7 0.4', '1.5707963 0 1', '3.0 0.6 -2'])
def test_tilted_shape_is_cut_where_a_point_of_the_plane_is_inside(tmp_path, shape, contains,
                                                                  angles):
    from shapely import contains_xy
    from shapely.geometry import Polygon
    from shapely.ops import unary_union
    height = 0.18
    solids = read(tmp_path, body_of(shape, f'0.1 -0.2 0.25 {angles}')).solids
    cut = unary_union([Polygon(solid) for solid in solids])
    x, y = np.random.default_rng(3).uniform(-1.6, 1.6, (2, 20_000))
    roll, pitch, yaw = map(float, angles.split())
    turn = rotation('z', yaw) @ rotation('y', pitch) @ rotation('x', roll)
    # Into the frame of the shape.
    inside = contains(np.column_stack((x - 0.1, y + 0.2, np.full(len(x), height - 0.25))) @ turn)
    # Discs become polygons around them, up to 0.9 % of the radius too large.
    assert not (inside & ~contains_xy(cut.buffer(1e-6), x, y)).any()
    assert not (contains_xy(cut.buffer(-0.006), x, y) & ~inside).any()
    assert inside.any() and not inside.all()


def rotation(axis: str, angle: float) -> np.ndarray:
    one, other = ((k + 1) % 3 if step else (k + 2) % 3 for k in ('xyz'.index(axis),)
                  for step in (1, 0))
    matrix = np.eye(3)
    matrix[one, one] = matrix[other, other] = math.cos(angle)
    matrix[other, one], matrix[one, other] = math.sin(angle), -math.sin(angle)
    return matrix


@pytest.mark.parametrize('x', [0, 2e4, 9e4])
@pytest.mark.parametrize('shape', [
    '<cylinder><radius>0.05</radius><length>2</length></cylinder>',
    '<box><size>0.1 0.1 2</size></box>'])
def test_tilted_shape_is_cut_alike_far_from_the_origin(tmp_path, x, shape):
    solid, = read(tmp_path, body_of(shape, f'{x} {x} 0.2 0 0.3 0')).solids
    assert np.ptp(solid, axis=0) == pytest.approx((0.1 / math.cos(0.3), 0.1), rel=0.01)
    assert solid.mean(axis=0) - x == pytest.approx((0.0, 0.0), abs=0.01)


def test_shape_that_leans_out_below_the_lidar_is_named(tmp_path):
    wall = '<box><size>0.1 1 1</size></box>'
    assert read(tmp_path, body_of(wall, '0 0 0.3 0 0.5 0')).unseen == ('m/l/c',)
    assert read(tmp_path, body_of(wall, '0 0 0.5 0 0 0')).unseen == ()


def test_polyline_within_another_of_one_geometry_is_a_hole(tmp_path):
    def square(half):
        return '<polyline>' + ''.join(f'<point>{half * x} {half * y}</point>' for x, y in (
            (-1, -1), (1, -1), (1, 1), (-1, 1))) + '<height>1</height></polyline>'
    world = read(tmp_path, body_of(square(0.5) + square(2), '0 0 0 0 0 0'))
    assert world.bounds == pytest.approx((-2, -2, 2, 2), abs=1e-4)
    depth = world.clearance([(0, 0), (1.2, 0), (0, -1.2), (1.9, 1.9)])
    assert depth[0] == pytest.approx(0.5, abs=1e-3) and (depth[1:] < 0).all()
    assert 'one shape' in rejection(tmp_path, body_of(square(1) + BOX))


@pytest.mark.parametrize('z', ['-7.5e8', '3e9'])
def test_model_that_fell_out_of_the_world_is_left_out_by_name(tmp_path, z):
    world = read(tmp_path, body_of(BOX) + body_of(BOX, f'1 1 {z} 0 0 0').replace('"m"', '"fell"'))
    assert len(world.solids) == 1
    assert world.notes == ('bodies farther than 100 km away are left out: fell/l/c',)


# States.

def test_state_moves_links_and_scales_shapes(tmp_path):
    shapes = {'box': BOX, 'ball': '<sphere><radius>0.5</radius></sphere>',
              'can': '<cylinder><radius>0.5</radius><length>1</length></cylinder>'}
    links = ''.join(f'<link name="{name}"><collision name="c"><geometry>{shape}</geometry>'
                    '</collision></link>' for name, shape in shapes.items())
    states = ''.join(f'<link name="{name}"><pose>{10 * k} 5 0.18 0 0 0</pose></link>'
                     for k, name in enumerate(shapes))
    world = read(tmp_path, f'<model name="m">{links}</model><state><model name="m">'
                           f'<pose>7 7 0 0 0 0</pose><scale>2 3 1</scale>{states}</model></state>')
    middles = np.array([solid.mean(axis=0) for solid in world.solids])
    assert middles == pytest.approx(np.array([(0, 5), (10, 5), (20, 5)]))
    # As in Gazebo: spheres and cylinders stay round, with the largest factor.
    assert [np.ptp(solid, axis=0).tolist() for solid in world.solids] == [
        pytest.approx([4, 3]), pytest.approx([3, 3], rel=0.01), pytest.approx([3, 3], rel=0.01)]


def test_model_inserted_in_the_gazebo_window_is_read(tmp_path):
    world = read(tmp_path, f'<state><insertions>{body_of(BOX)}</insertions></state>')
    assert len(world.solids) == 1


# Joints and robots.

WHEEL = ('<link name="w"><pose>0 0.5 0.2 0 0 0</pose><collision name="c"><geometry><sphere/>'
         '</geometry></collision></link><joint name="j" type="{}"><parent>l</parent>'
         '<child>w</child></joint>')


@pytest.mark.parametrize('kind, notes', [
    ('fixed', ()), ('revolute', ('models with joints stand as at time zero: m',))])
def test_model_with_joints_stands_as_at_time_zero(tmp_path, kind, notes):
    body = body_of(BOX).replace('<static>1</static>', '').replace(
        '</model>', WHEEL.format(kind) + '</model>')
    world = read(tmp_path, body)
    assert len(world.solids) == 2 and world.notes == notes


@pytest.mark.parametrize('inside', [
    '<plugin name="drive" filename="libgazebo_ros_diff_drive.so"/>',
    '<plugin name="gz::sim::systems::DiffDrive" filename="gz-sim-diff-drive-system"/>',
    '<plugin name="p" filename="gz-sim-ackermann-steering-system"/>',
    WHEEL.format('continuous') + '<link name="s"><sensor name="lidar" type="ray"/></link>'])
def test_robot_is_left_out_and_its_pose_is_the_start(tmp_path, inside):
    robot = (f'<model name="tb3"><pose>-2 -0.5 0 0 0 1.5</pose>{inside}<link name="l">'
             f'<collision name="c"><geometry>{BOX}</geometry></collision></link></model>')
    world = read(tmp_path, body_of(BOX) + robot)
    assert len(world.solids) == 1
    assert world.start == pytest.approx((-2, -0.5, 1.5)) and world.goal is None
    assert world.notes == ("the robot 'tb3' is left out; it stands at x -2, y -0.5, yaw 1.5, "
                           'which is the start unless one is given',)
    given = read(tmp_path, '<bug_nav:episode start="1 1 0"/>' + robot)
    assert given.start == (1, 1, 0) and given.notes


DRIVE = '<plugin name="drive" filename="libdiff_drive.so"/>'
FIXED = '<joint name="f" type="fixed"><parent>world</parent><child>l</child></joint>'


@pytest.mark.parametrize('inside', [
    f'<model name="wall"><static>1</static>{{}}</model><model name="bot">{DRIVE}</model>',
    f'{FIXED}{{}}<model name="bot">{DRIVE}</model>',
    f'<model name="wall">{FIXED}{{}}</model><model name="bot">{DRIVE}</model>'])
def test_robot_within_a_building_is_left_out_alone(tmp_path, inside):
    wall = f'<link name="l"><collision name="c"><geometry>{BOX}</geometry></collision></link>'
    world = read(tmp_path, f'<model name="hall">{inside.format(wall)}</model>')
    assert len(world.solids) == 1
    assert world.notes[0].startswith("the robot 'hall/bot' is left out")


@pytest.mark.parametrize('inside', [
    FIXED + WHEEL.format('revolute') + '<link name="s"><sensor name="s" type="camera"/></link>',
    '<plugin name="omniverse_label" filename="libomniverse.so"/>'])
def test_building_with_a_door_and_a_camera_is_no_robot(tmp_path, inside):
    body = body_of(BOX).replace('<static>1</static>', inside)
    world = read(tmp_path, body)
    assert world.solids and world.start is None


def test_static_model_with_a_drive_is_an_obstacle(tmp_path):
    body = body_of(BOX).replace('</model>', '<plugin filename="diff_drive" name="d"/></model>')
    world = read(tmp_path, body)
    assert len(world.solids) == 1 and world.start is None and world.notes == ()


def test_ground_below_the_floor_is_accepted(tmp_path):
    assert read(tmp_path, body_of('<plane/>', '0 0 -97 0 0 0')).solids == ()


@pytest.mark.parametrize('z, movable, notes', [
    (-0.25, False, 0), (-0.5, False, 1), (-97, True, 1), (0.5, True, 1), (0.4, True, 0),
    (0.5, False, 0)])
def test_body_in_the_ground_or_in_the_air_is_left_out_by_name(tmp_path, z, movable, notes):
    body = body_of(BOX, f'0 0 {z} 0 0 0')
    world = read(tmp_path, body.replace('<static>1</static>', '') if movable else body)
    assert len(world.notes) == notes and all('left out' in note for note in world.notes)


def test_model_that_is_fixed_to_the_world_does_not_fall(tmp_path):
    body = body_of(BOX, '0 0 0.5 0 0 0').replace('<static>1</static>', FIXED)
    assert read(tmp_path, body).notes == ()


def test_model_beside_the_world_is_left_out_by_name(tmp_path):
    path = write(tmp_path, '<sdf><model name="rack"/><include/><world/></sdf>')
    assert load_sdf(path).notes == (
        'models beside <world> are left out, as in Gazebo: rack and include',)


# Hostile and broken files.

def write(folder: Path, text: str) -> Path:
    path = folder / 'my.world'
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize('text, why', [
    ('', 'not well-formed'),
    ('<sdf><world>', 'not well-formed'),
    ('<sdf><world name="a" name="b"/></sdf>', 'not well-formed'),
    ('<sdf>&nothing;</sdf>', 'no <world> in <sdf>'),
    ('<sdf><!-- ', 'not well-formed'),
    ('<sdf><!-- -- -- ><world/></sdf>', 'not well-formed'),
    ('{"sdf": 1}', 'not well-formed'),
    ('<sdf>\0</sdf>', 'not well-formed'),
    ('<world/>', 'not <sdf>'),
    ('<robot name="r"/>', 'URDF: run `gz sdf -p FILE > model.sdf`'),
    ('<sdf/>', 'no <world> in <sdf>; give a file with one'),
    ('<sdf><model/></sdf>', 'to open a model, include it in a world'),
    ('<sdf><world><xacro:wall x="1"/></world></sdf>', 'run `xacro my.world > expanded.world`'),
    ('<sdf xmlns:x="http://www.ros.org/wiki/xacro"><world><x:if value="1"/></world></sdf>',
     '<x:if> is to be expanded first'),
    ('<sdf><world name="a"/><world name="b"/></sdf>', "2 worlds in one file, 'a' and 'b'; keep"),
    ('<sdf>' + '<a>' * 100 + '</a>' * 100 + '</sdf>', 'nested more than')])
def test_file_without_a_world_is_rejected_in_one_line(tmp_path, text, why):
    with pytest.raises(WorldError) as caught:
        load_sdf(write(tmp_path, text))
    assert why in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path)) and '\n' not in str(caught.value)


LAUGHS = '<!DOCTYPE sdf [\n<!ENTITY a0 "ha">\n' + ''.join(
    f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">\n' for k in range(1, 10)) + ']>\n<sdf>&a9;</sdf>'


@pytest.mark.parametrize('text', [
    LAUGHS,
    '<!DOCTYPE sdf [<!ENTITY x SYSTEM "file:///etc/passwd">]><sdf>&x;</sdf>',
    '<!DOCTYPE sdf [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><sdf/>',
    '<!DOCTYPE sdf SYSTEM "http://localhost:9/x.dtd"><sdf/>',
    '<!DOCTYPE sdf><sdf><world/></sdf>'])
def test_document_type_and_entities_are_rejected(tmp_path, text):
    with pytest.raises(WorldError, match=r'my\.world:1: a document type'):
        load_sdf(write(tmp_path, text))


def test_file_beyond_the_size_limit_is_rejected(tmp_path):
    path = write(tmp_path, '')
    os.truncate(path, 10_000_001)
    with pytest.raises(WorldError, match='larger than 10 MB'):
        load_sdf(path)


def test_too_many_elements_are_rejected(tmp_path):
    with pytest.raises(WorldError, match='more than 100000 elements'):
        load_sdf(write(tmp_path, HEAD + '<gui/>' * 100_000 + TAIL))


def test_pipe_is_rejected_without_waiting(tmp_path):
    os.mkfifo(tmp_path / 'my.world')
    with pytest.raises(WorldError, match='not a regular file'):
        load_sdf(tmp_path / 'my.world')


def test_long_invalid_value_is_shortened_in_the_message(tmp_path):
    message = rejection(tmp_path, body_of(f'<box><size>{"9" * 5000} 1 1</size></box>'))
    assert len(message) < 200


def test_name_in_a_message_is_shortened_and_printable(tmp_path):
    name = 'a&#10;b&#x9b;31m' + 'c' * 5000
    message = rejection(tmp_path, body_of('<mesh/>').replace('name="c"', f'name="{name}"'))
    assert 'm/l/a?b?31mccc' in message and len(message) < 300
    low = body_of(BOX, '0 0 -0.15 0 0 0').replace('name="c"', f'name="{name}"')
    (unseen,) = read(tmp_path, low).unseen
    assert unseen.isprintable() and len(unseen) < 100


def test_damaged_file_is_read_or_rejected_in_one_line(tmp_path):
    rng = random.Random(5)
    whole = (ROOT / 'worlds' / 'demo.world').read_bytes()
    words = (b'nan', b'1e308', b'-1', b'<pose>', b'</link>', b'\0', b'\xff', b'&a;', b'<box/>',
             b'<!DOCTYPE a>', b'<geometry/>', b'0 0 0', b'')
    outcomes = set()
    for _ in range(300):
        text = bytearray(whole)
        for _ in range(rng.randint(1, 3)):
            begin = rng.randrange(len(text))
            text[begin:begin + rng.choice((0, 1, 8, 40))] = rng.choice(words)
        (tmp_path / 'my.world').write_bytes(text)
        try:
            outcomes.add(type(load_sdf(tmp_path / 'my.world')))
        except WorldError as error:
            outcomes.add(type(error))
            assert '\n' not in str(error)
    assert outcomes == {World, WorldError}


@pytest.mark.parametrize('polygon, simple', [
    ([(0, 0), (1, 0), (1, 1), (0, 1)], True),
    ([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2)], True),
    ([(0, 0), (1, 0), (2, 0), (2, 2)], True),           # a corner on a straight edge
    ([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], False),  # a corner touches an edge
    ([(0, 0), (2, 0), (1, 0), (1, 1)], False),          # an edge runs backwards
    ([(0, 0), (1, 1), (1, 0), (0, 1)], False)])
def test_simple_polygons_are_recognized(polygon, simple):
    for shift in range(len(polygon)):
        assert is_simple(np.roll(np.array(polygon, float), shift, axis=0)) is simple


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12))
def test_polygon_is_simple_if_shapely_says_so(corners):
    assume(all(map(operator.ne, corners, corners[1:] + corners[:1])))
    for stretch in ((1.0, 1.0), (1.0, 100.0), (100.0, 1.0)):
        assert is_simple(np.array(corners) * stretch) is LinearRing(corners).is_simple


def test_crossing_of_a_large_polygon_is_found_in_any_part():
    angles = np.linspace(0.0, 2.0 * np.pi, 3000, endpoint=False)
    polygon = np.column_stack((np.cos(angles), np.sin(angles)))
    assert is_simple(polygon)
    for k in (0, 1499, 2998):
        crossed = polygon.copy()
        crossed[[k, k + 1]] = crossed[[k + 1, k]]
        assert not is_simple(crossed)
