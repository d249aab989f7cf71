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

"""Mesh files: STL, COLLADA and OBJ, and damaged ones."""

from __future__ import annotations

import builtins
import random
import re
import struct
import subprocess
import sys

from bug_nav.simulation import meshes
from bug_nav.simulation.meshes import load_mesh
from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.world import WorldError
import numpy as np
import pytest

trimesh = pytest.importorskip('trimesh')
pytest.importorskip('collada')
pytest.importorskip('shapely')

BOX = trimesh.creation.box((2.0, 1.0, 1.0))
FORMATS = {'box.stl': ('stl', {}), 'text.stl': ('stl_ascii', {}), 'box.obj': ('obj', {}),
           'box.dae': ('dae', {}), 'BOX.DAE': ('dae', {})}


def content(name):
    kind, options = FORMATS[name]
    data = BOX.export(file_type=kind, **options)
    return data if isinstance(data, bytes) else data.encode()


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def read_world(folder, uri, more='', pose='0 0 0.5 0 0 0', shape=''):
    """Read a world with one mesh."""
    path = folder / 'w.world'
    path.write_text('<sdf version="1.6"><world name="w"><model name="m"><link name="l">'
                    f'<collision name="c"><pose>{pose}</pose><geometry>\n<mesh{shape}><uri>{uri}'
                    f'</uri>{more}</mesh></geometry></collision></link></model></world></sdf>')
    return load_sdf(path)


@pytest.mark.parametrize('name', FORMATS)
def test_triangles_are_those_of_the_mesh(name, tmp_path):
    parts = load_mesh(write(tmp_path, name, content(name)))
    triangles = np.concatenate(list(parts.values()))
    assert len(triangles) == 12
    assert triangles.reshape(-1, 3).min(axis=0) == pytest.approx((-1.0, -0.5, -0.5))
    assert triangles.reshape(-1, 3).max(axis=0) == pytest.approx((1.0, 0.5, 0.5))
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert (np.einsum('ij,ij->i', normal, triangles.mean(axis=1)) > 0.0).all()


@pytest.mark.parametrize('name', FORMATS)
@pytest.mark.parametrize('scale, size', [('', (2.0, 1.0)), ('<scale>2 3 1</scale>', (4.0, 3.0)),
                                         ('<scale>-1 1 1</scale>', (2.0, 1.0))])
def test_mesh_is_cut_at_its_pose_and_scale(name, scale, size, tmp_path):
    write(tmp_path, name, content(name))
    solid, = read_world(tmp_path, name, scale, '3 4 0.5 0 0 0').solids
    assert np.ptp(solid, axis=0) == pytest.approx(size)
    assert 0.5 * (solid.min(axis=0) + solid.max(axis=0)) == pytest.approx((3, 4))
    turned, = read_world(tmp_path, name, scale, '3 4 0.5 0 0 1.5707963267948966').solids
    assert np.ptp(turned, axis=0) == pytest.approx(size[::-1])


@pytest.mark.parametrize('uri', [
    'box.stl', 'meshes/box.stl', '../meshes/box.stl', 'model://crate/meshes/box.stl',
    'package://crate/meshes/box.stl', 'file://meshes/box.stl'])
def test_mesh_is_found_by_every_kind_of_address(uri, tmp_path):
    here = tmp_path / 'worlds'
    for folder in (here, here / 'meshes', tmp_path / 'meshes', tmp_path / 'models/crate/meshes'):
        folder.mkdir(parents=True)
    place = {'box.stl': here, 'meshes/box.stl': here / 'meshes',
             'file://meshes/box.stl': here / 'meshes'}.get(
        uri, tmp_path / 'meshes' if uri.startswith('..') else tmp_path / 'models/crate/meshes')
    write(place, 'box.stl', content('box.stl'))
    assert len(read_world(here, uri).solids) == 1


@pytest.mark.parametrize('uri', [
    'file:///home/nobody/ws/rack.stl', '/home/nobody/ws/rack.stl', 'meshes/rack.stl', 'rack.stl',
    'model://crate/meshes/rack.stl', 'meshes/BOX.stl'])
def test_missing_mesh_is_left_out_by_name_where_gazebo_cannot_find_it_either(uri, tmp_path):
    for folder in (tmp_path / 'meshes', tmp_path / 'models' / 'crate' / 'meshes'):
        folder.mkdir(parents=True)
        write(folder, 'box.stl', content('box.stl'))
    world = read_world(tmp_path, uri)
    assert world.solids == ()
    assert world.notes == (f'missing meshes are left out, as in Gazebo: {uri} (m/l/c)',)


@pytest.mark.parametrize('kind, notes', [
    ('', 0), ('convex_hull', 1), ('convex_decomposition', 0)])
def test_mesh_that_stands_for_its_convex_hull_is_named(kind, notes, tmp_path):
    write(tmp_path, 'box.stl', content('box.stl'))
    world = read_world(tmp_path, 'box.stl', shape=f' optimization="{kind}"')
    assert len(world.solids) == 1 and len(world.notes) == notes
    assert all('convex hull' in note and 'm/l/c' in note for note in world.notes)


@pytest.mark.parametrize('uri, advice', [
    ('model://rack/rack.stl', 'set GZ_SIM_RESOURCE_PATH .* to the folder that contains rack'),
    ('package://rack/rack.stl', 'set GZ_SIM_RESOURCE_PATH'),
    ('file://rack/rack.stl', 'neither beside .* nor in the folders of GZ_SIM_RESOURCE_PATH')])
def test_mesh_whose_folder_is_not_found_is_rejected_with_line_and_advice(uri, advice, tmp_path):
    with pytest.raises(WorldError, match=f"w\\.world:2: mesh of 'm/l/c': '{uri}' is not found.*"
                                         f'{advice}'):
        read_world(tmp_path, uri)


# COLLADA.

def collada(geometry, scene, unit='<unit meter="1"/>', up='<up_axis>Z_UP</up_axis>', library=''):
    return ('<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
            f'version="1.4.1"><asset>{unit}{up}</asset><library_geometries>{geometry}'
            f'</library_geometries>{library}<library_visual_scenes><visual_scene id="s">{scene}'
            '</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#s"/>'
            '</scene></COLLADA>').encode()


def geometry(indices='0 1 2', primitive='triangles', vcount='', values='0 0 0 2 0 0 2 0 1 0 0 1'):
    count = len(values.split())
    return (f'<geometry id="g"><mesh><source id="p"><float_array id="a" count="{count}">{values}'
            f'</float_array><technique_common><accessor source="#a" count="{count // 3}" '
            'stride="3"><param name="X" type="float"/><param name="Y" type="float"/>'
            '<param name="Z" type="float"/></accessor></technique_common></source>'
            '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
            f'<{primitive} count="1"><input semantic="VERTEX" source="#v" offset="0"/>{vcount}'
            f'<p>{indices}</p></{primitive}></mesh></geometry>')


NODE = '<node id="n" name="part"><instance_geometry url="#g"/></node>'


def corners(path):
    return np.concatenate(list(load_mesh(path).values())).reshape(-1, 3)


def test_unit_scales_a_collada_mesh_and_its_up_axis_has_no_effect(tmp_path):
    for unit, factor in (('', 1.0), ('<unit meter="0.01" name="centimeter"/>', 0.01)):
        for up in ('', '<up_axis>Y_UP</up_axis>'):
            path = write(tmp_path, 'a.dae', collada(geometry(), NODE, unit, up))
            assert corners(path).max(axis=0) == pytest.approx((2 * factor, 0, factor))


def test_nodes_place_their_geometry(tmp_path):
    scene = ('<node id="a"><translate>10 0 0</translate><node id="b"><scale>2 2 2</scale>'
             '<instance_geometry url="#g"/></node></node>')
    path = write(tmp_path, 'a.dae', collada(geometry(), scene))
    assert corners(path).max(axis=0) == pytest.approx((14, 0, 2))


def test_polygons_become_triangles(tmp_path):
    shape = geometry('0 1 2 3', 'polylist', '<vcount>4</vcount>')
    assert len(corners(write(tmp_path, 'a.dae', collada(shape, NODE)))) == 6


# A wall with a doorway: a concave front, and quadrilaterals all round.
DOOR = [(0, 0), (1, 0), (1, 2), (2, 2), (2, 0), (4, 0), (4, 3), (0, 3)]
WALL = ([(x, y, z) for y in (0, 0.1) for x, z in DOOR],
        [range(8), range(15, 7, -1), *((k, k + 8, (k + 1) % 8 + 8, (k + 1) % 8)
                                       for k in range(8))])


def obj(vertices, faces, shift=1):
    """Return lines of an OBJ file; a negative shift counts back from the last vertex."""
    return ''.join(['v {} {} {}\n'.format(*each) for each in vertices] + [
        f'f {" ".join(str(k + shift) for k in face)}\n' for face in faces])


@pytest.mark.parametrize('first', range(8))
@pytest.mark.parametrize('name', ['a.obj', 'a.dae'])
def test_doorway_of_a_concave_polygon_is_open(name, first, tmp_path):
    vertices, (front, *others) = WALL
    faces = [np.roll(front, first), *others]
    data = obj(vertices, faces).encode() if name == 'a.obj' else collada(geometry(
        ' '.join(str(k) for face in faces for k in face), 'polylist',
        f'<vcount>{" ".join(str(len(face)) for face in faces)}</vcount>',
        ' '.join(str(value) for each in vertices for value in each)), NODE)
    write(tmp_path, name, data)
    world = read_world(tmp_path, name, pose='0 0 0 0 0 0')
    assert sorted(np.ptp(solid[:, 0]) for solid in world.solids) == pytest.approx([1.0, 2.0])


# OBJ.

QUADS = [(3, 2, 1, 0), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


def cube(x, shift):
    return obj([(x + a, b, c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))], QUADS,
               shift)


@pytest.mark.parametrize('between', ['', 'o two\n', 'usemtl red\n'])
def test_negative_indices_of_an_obj_count_from_their_line(between, tmp_path):
    write(tmp_path, 'a.obj', f'o one\n{cube(0, -8)}{between}{cube(5, -8)}'.encode())
    assert len(read_world(tmp_path, 'a.obj', pose='0 0 0 0 0 0').solids) == 2


@pytest.mark.parametrize('tag', ['o', 'g'])
def test_submesh_of_an_obj_is_a_group(tag, tmp_path):
    write(tmp_path, 'a.obj', f'{tag} one\n{cube(0, 1)}{tag} two\n{cube(5, 9)}'.encode())
    solid, = read_world(tmp_path, 'a.obj', '<submesh><name>two</name></submesh>',
                        '0 0 0 0 0 0').solids
    assert solid[:, 0].min() == pytest.approx(5.0)


@pytest.mark.parametrize('change', [
    lambda text: text.replace(' ', '\t'), lambda text: text.replace('\n', ' # why\n  '),
    lambda text: text.replace(' 4', ' \\\n 4'), lambda text: text.replace('\n', '\r\n'),
    lambda text: re.sub(r'(f.*)', lambda line: re.sub(r'(\d)\b', r'\1/1/1', line[0]), text),
    lambda text: '\ufeff' + text, lambda text: re.sub('(v .*)', r'\1 0.5 0.5 0.5', text),
    lambda text: 'vn 0 0 1\nmtllib a.mtl\ns off\nl 1 2\n' + text])
def test_every_way_to_write_an_obj_is_read(change, tmp_path):
    triangles, = load_mesh(write(tmp_path, 'a.obj', change(cube(0, 1)).encode())).values()
    assert len(triangles) == 12


def test_submesh_is_chosen_by_name_and_centred(tmp_path):
    scene = NODE + NODE.replace('"n" name="part"', '"o" name="other"').replace(
        '><inst', '><translate>0 5 0</translate><inst')
    write(tmp_path, 'a.dae', collada(geometry(), scene))
    both = read_world(tmp_path, 'a.dae', pose='0 0 0 0 0 0')
    assert both.bounds[3] > 4.9 and len(both.solids) == 2
    only = read_world(tmp_path, 'a.dae', '<submesh><name>other</name></submesh>', '0 0 0 0 0 0')
    assert only.bounds[1] > 4.9 and len(only.solids) == 1
    centred = read_world(tmp_path, 'a.dae',
                         '<submesh><name>other</name><center>1</center></submesh>')
    assert np.reshape(centred.bounds, (2, 2)).mean(axis=0)[1] == pytest.approx(0.0, abs=1e-6)
    with pytest.raises(WorldError, match="<submesh> 'door' .* which has .*part"):
        read_world(tmp_path, 'a.dae', '<submesh><name>door</name></submesh>')


BOUND = NODE.replace('"#g"/>', '"#g"><bind_material><technique_common><instance_material '
                     'symbol="m" target="#m"/></technique_common></bind_material>'
                     '</instance_geometry>')
EFFECT = ('<library_materials><material id="m"><instance_effect url="#e"/></material>'
          '</library_materials>')


@pytest.mark.parametrize('library', [
    '', '<library_materials><material id="m"/></library_materials>', EFFECT,
    EFFECT + '<library_effects><effect id="e"><profile_COMMON/></effect></library_effects>'])
def test_shape_with_a_broken_material_is_read(library, tmp_path):
    path = write(tmp_path, 'a.dae', collada(geometry(), BOUND, library=library))
    assert len(corners(path)) == 3


@pytest.mark.parametrize('change', [
    lambda text: text.replace('<asset>', '<!-- a -- b --><asset>').encode(),
    lambda text: text.replace('<asset>', '<asset><title>Stühle</title>').encode('latin-1'),
    lambda text: ('\n' + text).encode(),
    lambda text: text.replace('1.0"?', '1.0" encoding="UTF-8"?').encode('utf-16'),
    lambda text: re.sub(' xmlns="[^"]*"', '', text).encode()])
def test_collada_is_as_tolerant_as_sdf(change, tmp_path):
    text = collada(geometry(), NODE).decode()
    assert len(corners(write(tmp_path, 'a.dae', change(text)))) == 3


# Hostile and damaged files.

def rejection(path):
    with pytest.raises(WorldError) as caught:
        load_mesh(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and '\n' not in message and len(message) < 400
    return message


def stl(count, triangles):
    return b' ' * 80 + struct.pack('<I', count) + b''.join(
        struct.pack('<12fH', *(0.0,) * 3, *np.ravel(each), 0) for each in triangles)


FLAT = ((0, 0, 0), (1, 0, 0), (0, 0, 1))


@pytest.mark.parametrize('header', [b'', b'solid'])
def test_bytes_behind_the_triangles_of_a_binary_stl_are_skipped(header, tmp_path):
    data = header + stl(2, [FLAT, FLAT])[len(header):] + b'made by hand'
    assert len(corners(write(tmp_path, 'a.stl', data))) == 6


@pytest.mark.parametrize('name, data, why', [
    ('a.fbx', b'', "the ending '.fbx'"), ('a', b'', "the ending ''"),
    ('a.stl', stl(1, [((0, 0, float('nan')), *FLAT[1:])]), 'not finite'),
    ('a.stl', stl(1, [((0, float('inf'), 0), *FLAT[1:])]), 'not finite'),
    ('a.stl', stl(4_000_000_000, [FLAT]), '4000000000 triangles are announced, 1 are there'),
    ('a.stl', bytes(random.Random(1).randrange(256) for _ in range(3000)), 'damaged'),
    ('a.obj', b'v 0 0 0\nv 1 0 0\nf 1 2 9\n', 'corner|damaged'),
    ('a.obj', b'v 0 0\nv 1 0\nv 1 1\nf 1 2 3\n', "damaged mesh .*the line 'v 0 0'"),
    ('a.obj', b'v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 -4\n', 'corner'),
    ('a.obj', b'v 0 0 nan\nv 1 0 0\nv 1 1 0\nf 1 2 3\n', 'not finite'),
    ('a.dae', b'', 'damaged'), ('a.dae', b'<COLLADA/>', 'no triangles|damaged'),
    ('a.stl', b'solid nothing\nendsolid nothing\n', 'no triangles|damaged'),
    ('a.dae', collada(geometry('0 1', 'lines'), NODE), 'no triangles'),
    ('a.dae', collada('', NODE), 'no triangles|[gG]eometry'),
    ('a.dae', collada(geometry(), NODE + '<node><instance_node url="#no"/></node>'), 'damaged'),
    ('a.dae', collada(geometry('0 1 99'), NODE), 'corner 99 of 4|damaged'),
    ('a.dae', collada(geometry('0 1 -1'), NODE), 'corner|damaged'),
    ('a.dae', collada(geometry(values='0 0 0 2 0 0 2 0 nan 0 0 1'), NODE), 'not finite'),
    ('a.dae', collada(geometry('0 1 2', 'polylist', '<vcount>2000000000</vcount>'), NODE),
     'more than 5000000 triangles'),
    ('a.dae', collada(geometry('0 1 2', 'polylist', f'<vcount>{"9" * 40}</vcount>'), NODE),
     'more than 5000000 triangles'),
    ('a.dae', collada(geometry('0 1 2', 'polylist', '<vcount>-3 3</vcount>'), NODE), 'damaged'),
    ('a.dae', b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', 'entities')])
def test_damaged_mesh_is_rejected_in_one_sentence(name, data, why, tmp_path):
    assert re.search(why, rejection(write(tmp_path, name, data)))


def test_damaged_mesh_causes_one_sentence_on_stderr_only(tmp_path):
    # Without this project's other handlers, as in the commands.
    path = write(tmp_path, 'a.stl', b'solid a\nfacet normal 0 0 x\n outer loop\n'
                 b'vertex 0 0 0\nvertex 1 0 0\nvertex 1 0 1\nendloop\nendfacet\nendsolid a\n')
    seen = subprocess.run(
        [sys.executable, '-c', 'import sys; from bug_nav.simulation.meshes import load_mesh\n'
         'from pathlib import Path; load_mesh(Path(sys.argv[1]))', str(path)],
        stderr=subprocess.PIPE, text=True, check=False)
    assert (seen.returncode, seen.stderr) == (0, '')


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('factor', [2.0, 1e38])
@pytest.mark.parametrize('scale', ['1e5 1 1', '-1e5 1e5 1'])
def test_mesh_that_extends_beyond_all_limits_is_rejected_with_line(factor, scale, tmp_path):
    write(tmp_path, 'a.stl', stl(1, [np.array(FLAT) * factor]))
    (tmp_path / 'w.world').write_text(
        '<sdf version="1.6"><world name="w"><model name="m"><static>true</static><link name="l">'
        f'<collision name="c"><geometry>\n<mesh><uri>a.stl</uri><scale>{scale}</scale></mesh>'
        '</geometry></collision></link></model></world></sdf>')
    with pytest.raises(WorldError, match="w.world:2: .*'m/l/c': it extends beyond 100 km at"):
        load_sdf(tmp_path / 'w.world')


def test_floor_of_any_size_below_the_lidar_is_no_obstacle(tmp_path):
    write(tmp_path, 'a.stl', stl(1, [((-9e6, -9e6, 0), (9e6, -9e6, 0), (0, 9e6, 0))]))
    (tmp_path / 'w.world').write_text(
        '<sdf version="1.6"><world name="w"><model name="m"><static>true</static><link name="l">'
        '<collision name="c"><geometry><mesh><uri>a.stl</uri></mesh></geometry></collision>'
        '</link></model></world></sdf>')
    assert load_sdf(tmp_path / 'w.world').solids == ()


def test_scene_that_instances_itself_exponentially_is_rejected(tmp_path):
    nodes = ''.join(f'<node id="n{k}"><instance_node url="#n{k - 1}"/><instance_node '
                    f'url="#n{k - 1}"/></node>' for k in range(1, 40))
    library = f'<library_nodes><node id="n0"/>{nodes}</library_nodes>'
    scene = '<node id="top"><instance_node url="#n39"/></node>'
    data = collada(geometry(), scene, library=library)
    assert 'more than 100000 nodes' in rejection(write(tmp_path, 'a.dae', data))


def test_triangles_of_repeated_instances_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(meshes, 'MAX_TRIANGLES', 10)
    scene = ''.join(NODE.replace('"n"', f'"n{k}"') for k in range(11))
    assert 'more than 10 triangles' in rejection(
        write(tmp_path, 'a.dae', collada(geometry(), scene)))
    assert 'more than 10 triangles' in rejection(write(tmp_path, 'a.stl', stl(11, [FLAT] * 11)))


def test_file_beyond_the_size_limit_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(meshes, 'MAX_BYTES', 1_000_000)
    assert 'larger than 1 MB' in rejection(write(tmp_path, 'a.stl', b' ' * 1_000_001))


@pytest.mark.parametrize('name', FORMATS)
def test_corrupted_mesh_is_read_or_rejected_in_one_sentence(name, tmp_path):
    rng, whole = random.Random(7), content(name)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            begin = rng.randrange(len(data))
            data[begin:begin + rng.choice((0, 1, 8, 200))] = rng.choice(
                (b'', b'\xff', b'nan', b'-1', b'9999999999', b'\0' * 8, b'<p>', b'1e308'))
        path = write(tmp_path, name, bytes(data))
        try:
            for triangles in load_mesh(path).values():
                assert triangles.shape[1:] == (3, 3) and np.isfinite(triangles).all()
        except WorldError as error:
            assert str(error).startswith(str(path)) and '\n' not in str(error)


@pytest.mark.parametrize('name, package', [
    ('text.stl', 'trimesh'), ('box.dae', 'collada'), ('box.stl', 'shapely')])
def test_missing_package_is_named_with_the_extra(name, package, tmp_path, monkeypatch):
    write(tmp_path, name, content(name))
    original = builtins.__import__

    def without(wanted, *more, **options):
        if wanted.split('.')[0] == package:
            raise ImportError(f'No module named {package!r}', name=package)
        return original(wanted, *more, **options)
    monkeypatch.setattr(builtins, '__import__', without)
    with pytest.raises(WorldError, match=r"w\.world:2: .* run pip install 'bug_nav\[mesh\]'"):
        read_world(tmp_path, name)
