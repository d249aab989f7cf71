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

"""Resources of the launch files; test/launch runs the launch files."""

import math
import socket
from xml.etree import ElementTree

from bug_nav.navigation.geometry import Pose
from bug_nav.ros.launching import resources
from bug_nav.ros.launching.resources import (
    check_gazebo_is_free,
    check_params_file,
    gazebo_environment,
    gazebo_world,
    goal_in_odom,
    LaunchError,
    missing_gazebo_hint,
    model_file,
    MODELS,
    OWN_MODELS,
    parameter_of,
    params_file,
    preset_of,
    require_packages,
    start_and_goal,
    with_axle_error,
    with_namespace,
)
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.shipped import share_dir
import pytest

pytestmark = pytest.mark.ros

SDF = """<sdf version="1.6"><model name="m">
<link name="l"><sensor name="s"><plugin name="scan"><ros><remapping>~/out:=scan</remapping></ros>
</plugin></sensor></link><plugin name="drive"><ros/></plugin><plugin name="silent"/></model></sdf>
"""


def check(path, namespace):
    check_params_file('params_file', path, namespace, 'bug_navigator')


@pytest.fixture
def turtlebot3_gazebo(tmp_path, monkeypatch):
    """Stand in for the package's share folder."""
    for name in ('turtlebot3_world', 'empty_world'):
        (tmp_path / 'worlds').mkdir(exist_ok=True)
        (tmp_path / 'worlds' / f'{name}.world').write_text('<sdf/>')
    monkeypatch.setattr(resources, 'package_share',
                        lambda name: tmp_path if name == 'turtlebot3_gazebo' else None)
    return tmp_path


@pytest.mark.parametrize('distro', ['humble', 'jazzy'])
def test_missing_packages_are_reported_with_the_install_command(monkeypatch, distro):
    monkeypatch.setenv('ROS_DISTRO', distro)
    monkeypatch.setattr(resources, 'package_share',
                        lambda name: '/share' if name == 'rclpy' else None)
    require_packages('rclpy')
    with pytest.raises(LaunchError, match='not installed: no_such_package, nor_this; install '
                       f'with: sudo apt install ros-{distro}-no-such-package '
                       f'ros-{distro}-nor-this'):
        require_packages('rclpy', 'no_such_package', 'nor_this')


def test_misspelt_model_is_rejected_with_a_suggestion():
    assert preset_of('waffle') == preset_of('waffle_pi') == 'waffle_pi'
    with pytest.raises(LaunchError, match="'wafle'; did you mean 'waffle"):
        preset_of('wafle')


@pytest.mark.parametrize('model', ['burger', 'waffle', 'waffle_pi', 'burger_cam', 'jackal'])
def test_every_model_has_parameters_of_the_node(model):
    robot = preset_of(model, {**MODELS, **OWN_MODELS})
    check(params_file(robot), '')
    check(params_file(robot), '/robot1')


def test_jackal_has_the_body_the_lidar_and_the_wheels_of_its_preset():
    preset, root = find_robot('jackal'), ElementTree.parse(model_file('jackal'))
    length, width, _ = map(float, root.findtext(".//collision[@name='body']/.//size").split())
    assert math.hypot(length, width) / 2.0 == pytest.approx(preset.model.robot_radius, abs=1e-3)
    lidar = root.find(".//sensor[@name='lidar']")
    mount = float(lidar.findtext('pose').split()[0])
    assert mount == preset.sensor.scan_offset_x
    assert [float(lidar.findtext(f'.//{name}')) for name in (
        'samples', 'min_angle', 'max_angle', 'min', 'max')] == [
        preset.sensor.scan_count, preset.sensor.scan_angle_min, preset.sensor.scan_angle_max,
        preset.sensor.scan_range_min, preset.sensor.scan_range_max]
    wheels = [float(each.text) for each in root.iter('wheel_diameter')]
    assert wheels == [2.0 * preset.odometry.wheel_radius] * 2
    frames = ElementTree.parse(model_file('jackal', 'urdf'))
    origin = frames.find(".//joint[@name='lidar']/origin").get('xyz').split()
    assert float(origin[0]) == mount
    assert frames.find('.//child').get('link') == lidar.findtext('.//frame_name')


@pytest.mark.parametrize('names, namespace', [
    ('bug_navigator', ''), ('/**', 'a'), ('/**/bug_navigator', 'a/b'), ('a/bug_navigator', '/a/'),
    ('/*/bug_navigator', 'a'), ('/**', ''), ('/a/b/bug_navigator', 'a/b')])
def test_parameters_for_the_node_are_accepted(tmp_path, names, namespace):
    file = tmp_path / 'params.yaml'
    file.write_text(f'other: {{ros__parameters: {{a: 1}}}}\n{names}:\n  ros__parameters:\n'
                    '    algorithm: bug1\n')
    check(str(file), namespace)


@pytest.mark.parametrize('content', [
    'bug_navigator: {ros__parameters: {a: 1}}', 'robot2: {bug_navigator: {ros__parameters: {}}}',
    '/*/*/bug_navigator: {ros__parameters: {}}', '', '- 1', 'algorithm: bug1'])
def test_parameters_for_another_node_are_rejected(tmp_path, content):
    file = tmp_path / 'params.yaml'
    file.write_text(content)
    with pytest.raises(LaunchError, match=r'no parameters for /robot1/bug_navigator; begin it'):
        check(str(file), 'robot1')


@pytest.mark.parametrize('content, said', [
    ('/**: {bug_navigator: {ros__parameters: {algorithm: bug1}}}', 'bug1'),
    ('/**: {ros__parameters: {algorithm: bug1}}\na/bug_navigator: {ros__parameters: '
     '{algorithm: bug0}}', 'bug0'),
    ('/b/bug_navigator: {ros__parameters: {algorithm: bug1}}', None),
    ('/**: {ros__parameters: {other: 1}}', None), ('', None)])
def test_parameter_of_a_node_is_read_from_a_file(tmp_path, content, said):
    file = tmp_path / 'params.yaml'
    file.write_text(content)
    assert parameter_of(str(file), 'a', 'bug_navigator', 'algorithm') == said


@pytest.mark.parametrize('content', [
    '/**: {ros__parameters: [1]}', '/**: {ros__parameters: }', '/**: {ros__parameters: a 1}'])
def test_file_without_parameters_below_their_key_is_rejected(tmp_path, content):
    file = tmp_path / 'params.yaml'
    file.write_text(content)
    with pytest.raises(LaunchError, match='has "ros__parameters:" without parameters for /a/bug'):
        parameter_of(str(file), 'a', 'bug_navigator', 'algorithm')


@pytest.mark.parametrize('content', [
    b'a: [1\nb: {', None, b'\xff\xfe\xff', b'a: 2001-99-99', b'[' * 20_000],
    ids=['brackets', 'missing', 'binary', 'date', 'deep'])
def test_invalid_yaml_file_is_rejected_in_one_line(tmp_path, content):
    file = tmp_path / 'params.yaml'
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(LaunchError, match='cannot be read') as error:
        check(str(file), '')
    assert '\n' not in str(error.value)


def test_mistyped_file_is_rejected_with_a_suggestion(tmp_path):
    for name in ('params.yaml', 'house.world'):
        (tmp_path / name).touch()
    with pytest.raises(LaunchError, match="cannot be read: .*; did you mean '.*/params.yaml'"):
        check(str(tmp_path / 'parms.yaml'), '')
    with pytest.raises(LaunchError, match="no such file; did you mean '.*/house.world'"):
        gazebo_world(str(tmp_path / 'hous.world'))


def test_world_is_found_as_a_file_or_by_name(turtlebot3_gazebo, tmp_path):
    ours = share_dir() / 'worlds' / 'convex.world'
    assert gazebo_world('convex') == gazebo_world(str(ours)) == ours
    theirs = gazebo_world('turtlebot3_world')
    assert theirs == turtlebot3_gazebo / 'worlds' / 'turtlebot3_world.world'
    assert start_and_goal(ours) == ((-3.3, -3.3, 0.8), (3.1, 3.2))
    assert start_and_goal(theirs) == ((-2.0, -0.5, 0.0), None)
    assert start_and_goal(gazebo_world('empty_world')) == ((0.0, 0.0, 0.0), None)
    with pytest.raises(LaunchError, match="'convx'; did you mean 'convex'.*turtlebot3_world"):
        gazebo_world('convx')
    for path in ('no/such/folder/house', 'house.world', '/house'):
        with pytest.raises(LaunchError, match=f"world is '{path}', and there is no such file$"):
            gazebo_world(path)


def test_robot_starts_at_the_origin_of_a_world_that_only_gazebo_reads(tmp_path):
    file = tmp_path / 'meshes.world'
    file.write_text('<sdf version="1.6"><world name="w"><model name="m"><link name="l">'
                    '<collision name="c"><geometry><mesh><uri>a.dae</uri></mesh></geometry>'
                    '</collision></link></model></world></sdf>')
    assert start_and_goal(gazebo_world(str(file))) == ((0.0, 0.0, 0.0), None)


def test_environment_of_the_user_is_kept(turtlebot3_gazebo, monkeypatch):
    monkeypatch.setenv('GAZEBO_MODEL_PATH', '/mine:/also')
    monkeypatch.setenv('GAZEBO_MODEL_DATABASE_URI', 'http://localhost')
    variables = gazebo_environment('burger')
    assert variables['GAZEBO_MODEL_PATH'].startswith('/mine:/also')
    assert variables['GAZEBO_MODEL_DATABASE_URI'] == 'http://localhost'
    assert variables['TURTLEBOT3_MODEL'] == 'burger'
    monkeypatch.delenv('GAZEBO_MODEL_DATABASE_URI')
    assert gazebo_environment('burger')['GAZEBO_MODEL_DATABASE_URI'] == ''
    monkeypatch.setattr(resources, 'package_share', lambda name: None)
    assert gazebo_environment('jackal')['GAZEBO_MODEL_PATH'].startswith('/mine:/also')


def test_running_gazebo_is_detected(monkeypatch):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        port = taken.getsockname()[1]
        monkeypatch.setenv('GAZEBO_MASTER_URI', f'http://127.0.0.1:{port}')
        check_gazebo_is_free()
        assert missing_gazebo_hint().startswith(
            f'no Gazebo is running at http://127.0.0.1:{port};')
        taken.listen()
        assert missing_gazebo_hint() == ''
        with pytest.raises(LaunchError, match=f'is already running at http://127.0.0.1:{port}.*'
                           f'GAZEBO_MASTER_URI=http://127.0.0.1:{port + 1}'):
            check_gazebo_is_free()


def test_gazebo_address_needs_no_scheme(monkeypatch):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setenv('GAZEBO_MASTER_URI', f'127.0.0.1:{port}')
        assert missing_gazebo_hint() == ''
        with pytest.raises(LaunchError, match=f'GAZEBO_MASTER_URI=http://127.0.0.1:{port + 1}'):
            check_gazebo_is_free()


@pytest.mark.parametrize('uri', ['http://h:abc', 'h:99999', 'http://[::1'])
def test_malformed_gazebo_address_is_reported(uri, monkeypatch):
    monkeypatch.setenv('GAZEBO_MASTER_URI', uri)
    for check in (missing_gazebo_hint, check_gazebo_is_free):
        with pytest.raises(LaunchError, match='it must be an address such as http://localhost'):
            check()


def test_plugins_use_the_namespace_of_the_robot():
    root = ElementTree.fromstring(with_namespace(SDF, 'robot1/'))
    of_ros = root.findall('.//ros')
    assert [ros.findtext('namespace') for ros in of_ros] == ['/robot1'] * 2
    assert [[each.text for each in ros.findall('remapping')] for ros in of_ros] == [
        ['~/out:=scan', '/tf:=tf'], ['/tf:=tf']]
    assert root.find(".//plugin[@name='silent']/ros") is None


@pytest.mark.parametrize('told', ['', '<odometry_source>1</odometry_source>'])
def test_axle_error_selects_wheel_odometry(told):
    drive = f'<plugin><wheel_separation>0.160</wheel_separation>{told}</plugin>'
    root = ElementTree.fromstring(with_axle_error(f'<sdf>{drive}<plugin/></sdf>', 0.05))
    plugin, other = root.iter('plugin')
    assert float(plugin.findtext('wheel_separation')) == pytest.approx(0.168)
    assert [source.text for source in plugin.iter('odometry_source')] == ['0']
    assert len(other) == 0


def test_axle_error_applies_to_every_pair_of_wheels():
    root = ElementTree.fromstring(with_axle_error(model_file('jackal').read_text(), 0.1))
    separations = [float(each.text) for each in root.iter('wheel_separation')]
    before = [float(each.text) for each in
              ElementTree.parse(model_file('jackal')).iter('wheel_separation')]
    assert separations == pytest.approx([1.1 * each for each in before]) and len(before) == 2


@pytest.mark.parametrize('goal, axle_error, expected', [
    ((3.0, 2.0), 0.05, (1.0, -2.0)), ((3.0, 2.0), 0.0, (3.0, 2.0)), (None, 0.05, None)])
def test_proposed_goal_is_in_the_frame_that_wheel_odometry_begins(goal, axle_error, expected):
    start = Pose(1.0, 1.0, math.pi / 2.0)
    assert goal_in_odom(goal, start, axle_error) == (expected and pytest.approx(expected))


def test_unrealistic_axle_error_is_rejected():
    with pytest.raises(LaunchError, match='axle_error is 2.*allowed are -0.5 to 0.5'):
        with_axle_error('<sdf/>', 2.0)
