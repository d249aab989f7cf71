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

"""Included models and meshes: found in the folders of Gazebo, and nowhere else."""

from __future__ import annotations

from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.sdf import load_sdf, MAX_MISSING
from bug_nav.simulation.sdf_resources import FUEL_CACHES, VARIABLES
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import MAX_ELEMENTS
import numpy as np
import pytest

FUEL = 'https://fuel.gazebosim.org/1.0/OpenRobotics/models'
BOX = ('<model name="{name}"><static>true</static><pose>1 0 0 0 0 0</pose>{inside}<link name="l">'
       '<collision name="c"><geometry><box><size>1 2 1</size></box></geometry></collision></link>'
       '</model>')


@pytest.fixture(autouse=True)
def no_variables(monkeypatch, tmp_path):
    for variable in (*VARIABLES, *dict(FUEL_CACHES), 'AMENT_PREFIX_PATH'):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv('HOME', str(tmp_path / 'home'))


def write_model(folder, name='crate', inside='', file='model.sdf'):
    """Write a model, and return its folder."""
    place = folder / name
    place.mkdir(parents=True)
    model = BOX.format(name='crate', inside=inside)
    (place / file).write_text(f'<sdf version="1.6">{model}</sdf>')
    return place


def world(folder, *members):
    """Write a world, and read it."""
    folder.mkdir(exist_ok=True)
    path = folder / 'w.world'
    path.write_text(f'<sdf version="1.6"><world name="w">\n{"".join(members)}</world></sdf>')
    return load_sdf(path)


def include(uri, more=''):
    return f'<include><uri>{uri}</uri>{more}</include>'


@pytest.mark.parametrize('uri', [
    f'{FUEL}/Ground Plane', f'{FUEL}/Sun', f'{FUEL}/Sun/2', f'{FUEL}/ground%20plane/tip',
    'https://fuel.ignitionrobotics.org/1.0/OpenRobotics/models/Ground Plane',
    'model://ground_plane', 'model://sun'])
def test_ground_and_sun_are_skipped_with_any_address(uri, tmp_path):
    assert world(tmp_path, include(uri)).solids == ()


@pytest.mark.parametrize('where', [
    'w/a', 'w/a/models', 'w/models', 'models', 'elsewhere', 'home/.gazebo/models',
    'w/exported', 'ros/share/robots/models', 'ros/share'])
def test_model_is_found_where_gazebo_and_repositories_keep_models(where, tmp_path, monkeypatch):
    write_model(tmp_path / where)
    monkeypatch.setenv('GAZEBO_MODEL_PATH', f'/no/such/folder:{tmp_path / "elsewhere"}')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'ros'))
    for package, folder in (('w', 'exported'), ('ros/share/robots', 'models')):
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / 'package.xml').write_text(
            f'<package><export><gazebo_ros gazebo_model_path="${{prefix}}/{folder}"/></export>'
            '</package>')
    solid, = world(tmp_path / 'w' / 'a', include('model://crate')).solids
    assert np.ptp(solid, axis=0) == pytest.approx((1.0, 2.0))
    assert solid.mean(axis=0) == pytest.approx((1.0, 0.0))


@pytest.mark.parametrize('inside', ['', 'worlds'])
def test_world_in_the_repository_of_its_model_is_found(inside, tmp_path):
    model = write_model(tmp_path)
    (model / '.git').mkdir()
    (model / 'box.stl').touch()
    assert len(world(model / inside, include('model://crate')).solids) == 1
    with pytest.raises(WorldError, match='damaged mesh|no triangles'):
        world(model / inside, MESH.format('model://crate/box.stl'))


def test_world_in_a_model_in_the_home_folder_is_found(tmp_path):
    model = write_model(tmp_path / 'home')
    assert len(world(model, include('model://crate')).solids) == 1


def test_folders_above_the_repository_are_not_searched(tmp_path):
    write_model(tmp_path)
    (tmp_path / 'repository' / '.git').mkdir(parents=True)
    with pytest.raises(WorldError, match="'model://crate' is not found; set GZ_SIM_RESOURCE_PATH"):
        world(tmp_path / 'repository' / 'worlds', include('model://crate'))


@pytest.mark.parametrize('cache', ['home/.gz/fuel', 'home/.ignition/fuel', 'given'])
@pytest.mark.parametrize('host', ['fuel.gazebosim.org', 'fuel.ignitionrobotics.org'])
@pytest.mark.parametrize('name', ['My%20Crate', 'My Crate', 'My Crate/tip', 'My Crate/10'])
def test_model_of_fuel_is_read_from_the_local_cache(cache, host, name, tmp_path, monkeypatch):
    if cache == 'given':
        monkeypatch.setenv('GZ_FUEL_CACHE_PATH', str(tmp_path / cache))
    place = tmp_path / cache / 'fuel.gazebosim.org' / 'openrobotics' / 'models' / 'my crate'
    write_model(place, '10')
    (place / '9').mkdir()
    (place / '9' / 'model.sdf').write_text('<sdf/>')
    uri = f'https://{host}/1.0/OpenRobotics/models/{name}'
    assert len(world(tmp_path, include(uri)).solids) == 1
    missing = f'https://{host}/1.0/OpenRobotics/models/No'
    with pytest.raises(WorldError, match='is not in the local cache of Fuel; fetch it with gz '
                                         f"fuel download -u '{missing}'"):
        world(tmp_path, include(missing))


@pytest.mark.parametrize('content, count', [
    ('<actor name="ann"><pose>1 2 0 0 0 0</pose></actor>', 1), ('<light name="lamp"/>', 0)])
def test_file_of_an_actor_or_a_light_can_be_included(content, count, tmp_path):
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'model.sdf').write_text(f'<sdf version="1.6">{content}</sdf>')
    assert len(world(tmp_path, include('model://other')).movers) == count


@pytest.mark.parametrize('declaration', [
    '', ' xmlns:experimental="http://sdformat.org/schemas/experimental"'])
def test_parameters_of_an_include_without_a_shape_are_ignored(declaration, tmp_path):
    write_model(tmp_path)
    params = (f'<experimental:params{declaration}><{{}} element_id="l" action="add"/>'
              '</experimental:params>')
    assert len(world(tmp_path, include('model://crate', params.format('visual'))).solids) == 1
    with pytest.raises(WorldError, match='<collision> in the parameters of an <include>'):
        world(tmp_path, include('model://crate', params.format('collision')))


def test_pose_and_name_of_the_include_are_used(tmp_path):
    write_model(tmp_path)
    seen = world(tmp_path, *(include('model://crate', f'<name>{name}</name><pose>{x} 0 0 0 0 '
                                     '1.5707963267948966</pose>')
                             for name, x in (('a', 3), ('b', 6))))
    assert [solid.mean(axis=0)[0] for solid in seen.solids] == pytest.approx([3.0, 6.0])
    assert np.ptp(seen.solids[0], axis=0) == pytest.approx((2.0, 1.0))


@pytest.mark.parametrize('plugins', [('diff_drive', 'odometry'), ('odometry', 'diff_drive')])
def test_every_plugin_of_an_include_is_added(plugins, tmp_path):
    (write_model(tmp_path) / 'model.sdf').write_text(
        '<sdf version="1.6"><model name="crate"><link name="l"/></model></sdf>')
    added = ''.join(f'<plugin name="{name}" filename="lib{name}.so"/>' for name in plugins)
    assert world(tmp_path, include('model://crate', added)).start == (0.0, 0.0, 0.0)


def test_include_within_a_model_is_relative_to_that_model(tmp_path):
    write_model(tmp_path)
    solid, = world(tmp_path, '<model name="m"><pose>0 5 0 0 0 0</pose>'
                   + include('model://crate') + '</model>').solids
    assert solid.mean(axis=0) == pytest.approx((1.0, 5.0))


def test_file_of_the_newest_version_in_the_config_is_read(tmp_path):
    place = write_model(tmp_path, file='new.sdf')
    (place / 'model.config').write_text(
        '<model><sdf version="1.10">new.sdf</sdf><sdf version="1.9">old.sdf</sdf></model>')
    assert len(world(tmp_path, include('model://crate')).solids) == 1
    (place / 'sdf').mkdir()
    (place / 'new.sdf').rename(place / 'sdf' / 'new.sdf')
    (place / 'model.config').write_text('<model><sdf version="1.6">sdf/new.sdf</sdf></model>')
    assert len(world(tmp_path, include('model://crate')).solids) == 1


@pytest.mark.parametrize('name', ['../crate/new.sdf', 'sdf/../new.sdf', '/etc/passwd', 'a//b'])
def test_config_that_names_a_file_elsewhere_is_rejected(name, tmp_path):
    place = write_model(tmp_path, file='new.sdf')
    (place / 'model.config').write_text(f'<model><sdf version="1.6">{name}</sdf></model>')
    with pytest.raises(WorldError, match='is not the name of a file in its folder'):
        world(tmp_path, include('model://crate'))


@pytest.mark.parametrize('uri', [
    'model://../crate', 'model://a/../../crate', 'model:///crate', 'model://', 'file:///crate',
    f'{FUEL}/Table', f'{FUEL}/..', 'http://example.org/crate', 'model://./crate', '/crate',
    'model://a\\..\\b', 'model://' + 'a' * 5000, '\x7f'])
def test_model_outside_the_allowed_folders_is_rejected(uri, tmp_path):
    write_model(tmp_path)
    (tmp_path / 'deep' / '.git').mkdir(parents=True)
    with pytest.raises(WorldError, match='w.world:2: <include>: .* (cannot be read|is not )'):
        world(tmp_path / 'deep', include(uri))


@pytest.mark.parametrize('name, part', [
    ('a/../crate', '..'), ('crate (2)', 'crate (2)'), ('my%20crate', 'my%20crate'), ('a//b', '//'),
    ('.crate', '.crate')])
def test_part_of_a_name_that_is_not_allowed_is_reported(name, part, tmp_path):
    with pytest.raises(WorldError) as caught:
        world(tmp_path, include(f'model://{name}'))
    assert f"cannot be read because of '{part}'; each part of a name" in str(caught.value)


@pytest.mark.parametrize('uri', [
    'crate', '../crate', '{path}', 'file://{path}', 'model://crate'])
def test_world_that_is_alone_finds_no_model_around_it(uri, tmp_path, monkeypatch):
    path = tmp_path / 'w' / 'w.world'
    uri = uri.format(path=write_model(tmp_path / 'w'))
    write_model(tmp_path)
    assert uri == '../crate' or len(world(tmp_path / 'w', include(uri)).solids) == 1
    world(tmp_path / 'w')
    path.write_text(f'<sdf version="1.6"><world name="w">{include(uri)}</world></sdf>')
    with pytest.raises(WorldError, match='a path is not read|GZ_SIM_RESOURCE_PATH'):
        load_sdf(path, is_alone=True)
    # The user has set this folder.
    monkeypatch.setenv('GZ_SIM_RESOURCE_PATH', str(tmp_path))
    path.write_text(path.read_text().replace(f'>{uri}<', '>model://crate<'))
    assert len(load_sdf(path, is_alone=True).solids) == 1


MESH = ('<model name="m"><static>true</static><link name="l"><collision name="c"><geometry><mesh>'
        '<uri>{}</uri></mesh></geometry></collision></link></model>')


@pytest.mark.parametrize('member, uri', [
    (include('model://oak'), 'model://oak'), (include(f'{FUEL}/Oak'), f'{FUEL}/Oak'),
    (include('oaks/oak'), 'oaks/oak'), (include('/no/such/oak'), '/no/such/oak'),
    (f'<model name="wood">{include("model://oak")}</model>', 'model://oak'),
    (MESH.format('model://oak/oak.dae'), 'model://oak/oak.dae (m/l/c)')])
def test_missing_model_is_left_out_by_name_on_request_only(member, uri, tmp_path):
    write_model(tmp_path)
    (tmp_path / 'w.world').write_text('<sdf version="1.6"><world name="w">\n'
                                      f'{include("model://crate")}{member * 2}</world></sdf>')
    with pytest.raises(WorldError, match='w.world:2: .* leave it out: w.world[?]missing=skip$'):
        find_world(tmp_path / 'w.world')
    found = find_world(f'{tmp_path}/w.world?missing=skip')
    assert found.name == 'w' and len(found.solids) == 1
    note, = found.notes
    assert note.endswith(f' are left out, as in Gazebo: {uri}')


def test_missing_model_of_an_included_model_is_left_out_alone(tmp_path):
    write_model(tmp_path, inside=include('model://oak'))
    world(tmp_path)
    (tmp_path / 'w.world').write_text(
        f'<sdf version="1.6"><world name="w">{include("model://crate")}</world></sdf>')
    found = load_sdf(tmp_path / 'w.world', missing='skip')
    assert len(found.solids) == 1
    assert found.notes == ('missing models are left out, as in Gazebo: model://oak',)


def test_all_missing_models_are_named_up_to_a_limit(tmp_path):
    names = [f'model://m{k:03}' for k in range(MAX_MISSING + 1)]
    for k in (0, 1):
        (tmp_path / 'w.world').write_text(
            '<sdf version="1.6"><world name="w">' + ''.join(map(include, names[k:]))
            + '</world></sdf>')
        if k:
            note, = load_sdf(tmp_path / 'w.world', missing='skip').notes
            assert all(name in note for name in names[1:])
        else:
            with pytest.raises(WorldError, match=f'more than {MAX_MISSING} models are missing'):
                load_sdf(tmp_path / 'w.world', missing='skip')


def test_damaged_model_is_rejected_even_if_missing_ones_are_left_out(tmp_path):
    (write_model(tmp_path) / 'model.sdf').write_text('<sdf version="1.6">')
    (tmp_path / 'w.world').write_text(
        f'<sdf version="1.6"><world name="w">{include("model://crate")}</world></sdf>')
    with pytest.raises(WorldError, match='not well-formed'):
        load_sdf(tmp_path / 'w.world', missing='skip')


@pytest.mark.parametrize('there', [True, False])
def test_mesh_that_a_world_alone_names_by_its_path_is_left_out_whether_it_exists(there, tmp_path):
    mesh = tmp_path / 'rack.stl'
    if there:
        mesh.write_text('not a mesh')
    path = tmp_path / 'w.world'
    path.write_text(
        '<sdf version="1.6"><world name="w"><model name="m"><static>true</static><link name="l">'
        f'<collision name="c"><geometry><mesh><uri>{mesh}</uri></mesh></geometry></collision>'
        '</link></model></world></sdf>')
    note, = load_sdf(path, is_alone=True).notes
    assert note.startswith('missing meshes are left out, as in Gazebo: /')


def test_symbolic_link_out_of_the_world_folder_is_not_followed(tmp_path, monkeypatch):
    write_model(tmp_path / 'secret')
    (tmp_path / 'a').mkdir()
    (tmp_path / 'a' / 'crate').symlink_to(tmp_path / 'secret' / 'crate')
    (tmp_path / 'a' / '.git').mkdir()
    with pytest.raises(WorldError, match='is not found'):
        world(tmp_path / 'a', include('model://crate'))
    # A workspace built with symbolic links is trusted, because the user has set the variable.
    monkeypatch.setenv('GZ_SIM_RESOURCE_PATH', str(tmp_path / 'a'))
    assert len(world(tmp_path / 'a', include('model://crate')).solids) == 1


def test_model_that_includes_itself_is_rejected(tmp_path):
    write_model(tmp_path, inside=include('model://crate'))
    with pytest.raises(WorldError, match='include each other more than 8 deep'):
        world(tmp_path, include('model://crate'))


def test_includes_with_too_many_elements_are_rejected(tmp_path):
    place = write_model(tmp_path)
    filler = '<plugin name="p" filename="f"/>' * 2000
    (place / 'model.sdf').write_text(
        f'<sdf version="1.6">{BOX.format(name="crate", inside=filler)}</sdf>')
    with pytest.raises(WorldError, match=f'more than {MAX_ELEMENTS} elements'):
        world(tmp_path, *(include('model://crate', f'<name>n{k}</name>') for k in range(60)))


def test_error_within_an_included_file_names_that_file(tmp_path):
    place = write_model(tmp_path)
    text = (place / 'model.sdf').read_text()
    (place / 'model.sdf').write_text(text.replace('<box>', '\n<mesh/><box>'))
    with pytest.raises(WorldError, match='crate/model.sdf:1: .* one shape'):
        world(tmp_path, include('model://crate'))
