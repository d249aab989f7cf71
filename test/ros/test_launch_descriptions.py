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

"""Actions of the launch files, without executing them."""

import asyncio
import importlib.util
from pathlib import Path
import shlex
import tempfile

from bug_nav.ros.launching import actions, demo, gz, resources
from bug_nav.simulation.shipped import share_dir
import launch
from launch.actions import (
    ExecuteProcess,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
)
import launch_ros.actions
import pytest
import yaml

pytestmark = pytest.mark.ros


@pytest.fixture(autouse=True)
def event_loop_of_launch():
    """Give this thread an event loop, which asyncio.run of another test removes."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
    asyncio.set_event_loop(asyncio.new_event_loop())  # launch needs one in later tests


MODEL = """<sdf version="1.8"><model name="turtlebot3_burger">
<plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">
<wheel_separation>0.160</wheel_separation><topic>cmd_vel</topic><odom_topic>odom</odom_topic>
<tf_topic>/tf</tf_topic></plugin></model></sdf>"""


class Node(launch_ros.actions.Node):
    """A node action that keeps its constructor arguments."""

    def __init__(self, **asked):
        super().__init__(**asked)
        self.asked = asked

    @property
    def called(self):
        return self.asked.get('name') or self.asked['executable']

    @property
    def parameters(self):
        return {name: value for each in self.asked['parameters'] if isinstance(each, dict)
                for name, value in each.items()}


class Launched:
    """The actions of a launch file."""

    def __init__(self, module, given):
        self.context = launch.LaunchContext()
        self.nodes, self.environment = {}, {}
        self.included, self.processes, self.told = [], [], []
        self.context.launch_configurations.update(given)
        self._visit(module.generate_launch_description().entities)

    def _text(self, substitutions):
        return ''.join(each.perform(self.context) for each in substitutions)

    def _visit(self, entities):
        for entity in entities or ():
            if isinstance(entity, Node):
                self.nodes[entity.called] = entity
            elif isinstance(entity, IncludeLaunchDescription):
                self.included.append(dict(entity.launch_arguments))
            elif isinstance(entity, ExecuteProcess):
                self.processes.append([self._text(each) for each in entity.cmd])
            elif isinstance(entity, LogInfo):
                self.told.append(self._text(entity.msg))
            elif isinstance(entity, SetEnvironmentVariable):
                self.environment[self._text(entity.name)] = self._text(entity.value)
            elif isinstance(entity, (OpaqueFunction, GroupAction, launch.actions.
                                     DeclareLaunchArgument)):
                self._visit(entity.visit(self.context))


@pytest.fixture(params=['humble', 'jazzy'])
def distro(request, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', request.param)
    return request.param


@pytest.fixture
def launched(tmp_path, monkeypatch):
    """Return a function that evaluates a launch file with all packages installed."""
    for folder, name, text in (('models/turtlebot3_burger', 'model.sdf', MODEL),
                               ('urdf', 'turtlebot3_burger.urdf', '<robot name="r"/>')):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / name).write_text(text)
    for module in (resources, gz):
        monkeypatch.setattr(module, 'package_share', lambda name: tmp_path)
    monkeypatch.setenv('GAZEBO_MASTER_URI', 'http://127.0.0.1:9')  # no server is listening
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))
    monkeypatch.delenv('TURTLEBOT3_MODEL', raising=False)
    for module in (actions, demo):
        monkeypatch.setattr(module, 'Node', Node)

    def run(name, **given):
        path = share_dir() / 'launch' / f'{name}.launch.py'
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for stands_in, thing in (('Node', Node), ('package_share', lambda name: tmp_path)):
            if hasattr(module, stands_in):
                monkeypatch.setattr(module, stands_in, thing)
        return Launched(module, given)
    return run


def is_stamped(launched):
    return launched.nodes['bug_navigator'].parameters['enable_stamped_cmd_vel']


def test_turtlebot3_receives_the_command_type_of_its_distribution(launched, distro):
    sent = launched('turtlebot3')
    assert is_stamped(sent) == (distro == 'jazzy')
    smoother = sent.nodes['velocity_smoother'].parameters
    assert smoother['enable_stamped_cmd_vel'] == (distro == 'jazzy')


@pytest.mark.parametrize('name', ['bug_nav', 'sim_demo'])
def test_other_robots_receive_twist_unless_stamped_is_true(launched, distro, name):
    assert not is_stamped(launched(name))
    asked = launched(name, stamped='true')
    assert is_stamped(asked)
    if name == 'sim_demo':
        assert asked.nodes['bug_sim'].parameters['enable_stamped_cmd_vel'] is True


@pytest.mark.parametrize('given, frame', [
    ({}, 'base_footprint'), ({'robot': 'turtlebot4'}, 'base_link'),
    ({'params_file': 'mine.yaml'}, 'chassis')])
def test_simulator_has_the_base_frame_of_the_navigator(
        launched, tmp_path, monkeypatch, given, frame):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'mine.yaml').write_text(yaml.safe_dump({'/**': {'bug_navigator': {
        'ros__parameters': {'robot_base_frame': 'chassis'}}}}))
    simulator = launched('sim_demo', **given).nodes['bug_sim'].parameters
    assert simulator['base_frame_id'] == frame


@pytest.mark.parametrize('said', [True, False])
def test_parameter_file_overrides_the_default_of_the_robot(launched, distro, tmp_path, said):
    file = tmp_path / 'mine.yaml'
    file.write_text(yaml.safe_dump({'/**': {'bug_navigator': {'ros__parameters': {
        'enable_stamped_cmd_vel': said}}}}))
    sent = launched('turtlebot3', params_file=str(file), use_velocity_smoother='false')
    assert is_stamped(sent) == said
    other = launched('turtlebot3', params_file=str(file), use_velocity_smoother='false',
                     stamped=str(not said).lower())
    assert is_stamped(other) != said


def test_stamped_is_rejected_with_the_velocity_smoother_of_humble(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    with pytest.raises(resources.LaunchError, match='use_velocity_smoother and stamped '):
        launched('turtlebot3', stamped='true')


@pytest.mark.parametrize('text', ['nan', 'inf', 'far'])
def test_start_pose_must_be_finite(launched, text):
    with pytest.raises(resources.LaunchError, match=f"x_pose is '{text}'; it must be a finite"):
        launched('sim_demo', x_pose=text)


def test_demo_stays_on_this_host_by_the_variable_of_the_distribution(launched, distro):
    found = launched('sim_demo')
    variable, setting = {'humble': ('ROS_LOCALHOST_ONLY', '1'), 'jazzy': (
        'ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')}[distro]
    assert found.environment == {variable: setting}
    assert f'export {variable}={setting}; ros2 run bug_nav' in found.told[0]
    opened = launched('sim_demo', localhost_only='false')
    assert opened.environment == {} and 'export' not in opened.told[0]


def test_command_for_another_terminal_is_quoted(launched, tmp_path):
    (tmp_path / 'my keys' / 'enclaves').mkdir(parents=True)
    keystore = str(tmp_path / 'my keys')
    words = shlex.split(launched('sim_demo', keystore=keystore, namespace='a b').told[0])
    assert f'ROS_SECURITY_KEYSTORE={keystore}' in words
    assert words[-2:] == ['--namespace', 'a b']


def test_both_gazebo_launch_files_have_the_same_arguments(launched):
    described = {}
    for name in ('gazebo_demo', 'gz_demo'):
        path = share_dir() / 'launch' / f'{name}.launch.py'
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        description = module.generate_launch_description()
        described[name] = [each.name for each in description.get_launch_arguments()]
    assert described['gz_demo'] == described['gazebo_demo']
    assert {'world', 'model', 'headless', 'use_simulator', 'stamped'} <= set(described['gz_demo'])


def test_each_distribution_accepts_only_its_gazebo(launched, distro, monkeypatch):
    if distro == 'humble':
        assert not is_stamped(launched('gazebo_demo', headless='true'))
        with pytest.raises(resources.LaunchError, match='use gazebo_demo.launch.py$'):
            launched('gz_demo')
        return
    assert is_stamped(launched('gz_demo', headless='true'))
    run = launched
    monkeypatch.setattr(resources, 'package_share', lambda name: None)
    with pytest.raises(resources.LaunchError,
                       match='apt install ros-jazzy-ros-gz-sim ros-jazzy-ros-'):
        run('gz_demo')


def test_jackal_for_gazebo_11_needs_no_turtlebot3(launched, monkeypatch, tmp_path):
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    monkeypatch.setattr(resources, 'package_share',
                        lambda name: None if name == 'turtlebot3_gazebo' else tmp_path)
    found = launched('gazebo_demo', model='jackal', headless='true', x_pose='-2.25')
    assert '<robot name="jackal">' in (
        found.nodes['robot_state_publisher'].parameters['robot_description'])
    asked = found.nodes['spawn_entity.py'].asked['arguments']
    options = dict(zip(asked[::2], asked[1::2]))
    assert (options['-entity'], options['-x']) == ('jackal', '-2.2500')
    assert 'name="jackal_contacts"' in Path(options['-file']).read_text()
    assert found.nodes['bug_navigator'].asked['parameters'][0] == resources.params_file('jackal')
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.setattr(resources, 'package_share', lambda name: tmp_path)
    with pytest.raises(resources.LaunchError, match="unknown model 'jackal'"):
        launched('gz_demo', model='jackal', headless='true')


def test_gazebo_sim_starts_with_world_systems_robot_and_bridges(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.delenv('GZ_SIM_SERVER_CONFIG_PATH', raising=False)
    found = launched('gz_demo', world='convex', headless='true', namespace='robot1')
    (server,) = found.included
    world = share_dir() / 'worlds' / 'convex.world'
    assert shlex.split(server['gz_args']) == [
        '-r', '-s', '-v', '2', '--headless-rendering', str(world)]
    assert server['on_exit_shutdown'] == 'true' and found.processes == []
    assert Path(found.environment['GZ_SIM_SERVER_CONFIG_PATH']).name == 'gz_server.config'
    asked = found.nodes['create'].asked['arguments']
    options = dict(zip(asked[::2], asked[1::2]))
    assert (options['-name'], options['-x'], options['-y'], options['-Y']) == (
        'robot1', '-3.3000', '-3.3000', '0.8000')
    assert '<odom_topic>robot1/odom</odom_topic>' in options['-string']
    assert found.nodes['gz_clock_bridge'].asked['arguments'] == [gz.CLOCK_BRIDGE]
    bridge = found.nodes['gz_bridge']
    assert bridge.asked['namespace'] == 'robot1'
    assert bridge.parameters == {'config_file': resources.params_file('gz_bridge'),
                                 'expand_gz_topic_names': True}
    assert 'robot_state_publisher' in found.nodes and 'rviz2' not in found.nodes


def test_gazebo_sim_opens_its_window_and_rviz_unless_headless(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    found = launched('gz_demo')
    assert found.processes == [['gz', 'sim', '-g', '-v', '2']] and 'rviz2' in found.nodes
    assert '--headless-rendering' not in found.included[0]['gz_args']


def test_second_robot_starts_neither_server_nor_clock_bridge(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    found = launched('gz_demo', use_simulator='false', headless='true', namespace='robot2')
    assert found.included == [] and 'gz_clock_bridge' not in found.nodes
    assert {'create', 'gz_bridge', 'bug_navigator'} <= set(found.nodes)


def test_another_program_can_drive_instead_of_the_navigator(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    found = launched('gz_demo', use_navigator='false', headless='true')
    assert 'create' in found.nodes and 'bug_navigator' not in found.nodes
    assert not any('send-goal' in text for text in found.told)


def test_twist_in_gazebo_sim_uses_its_own_bridge(launched, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    found = launched('gz_demo', stamped='false', headless='true')
    file = Path(found.nodes['gz_bridge'].parameters['config_file'])
    assert not is_stamped(found)
    assert file.read_text() == gz.twist_bridge()


def write_frames(path, **frames):
    path.write_text(yaml.safe_dump({'/**': {'bug_navigator': {'ros__parameters': frames}}}))
    return str(path)


@pytest.mark.parametrize('frames, expected', [
    ({}, ('tb1/odom', 'tb1/base_footprint')),
    ({'global_frame': 'map', 'robot_base_frame': 'base_link'}, ('map', 'tb1/base_link')),
    ({'robot_base_frame': 'tb1/chassis'}, ('tb1/odom', 'tb1/chassis'))])
def test_frame_prefix_applies_to_the_frames_of_the_robot_in_the_file(
        launched, tmp_path, frames, expected):
    file = write_frames(tmp_path / 'mine.yaml', use_sim_time=False, **frames)
    found = launched('bug_nav', frame_prefix='tb1/', params_file=file)
    parameters = found.nodes['bug_navigator'].parameters
    assert (parameters['global_frame'], parameters['robot_base_frame']) == expected


@pytest.mark.parametrize('frame, expected', [('odom', 'tb1/odom'), ('map', 'map')])
def test_rviz_shows_the_shared_map_without_a_prefix(launched, distro, frame, expected):
    found = launched('turtlebot3', frame_prefix='tb1/', fixed_frame=frame, use_rviz='true')
    assert found.nodes['rviz2'].asked['arguments'][-1] == expected


def test_demo_rejects_a_frame_prefix(launched):
    with pytest.raises(resources.LaunchError, match="frame_prefix is 'tb1/', but in a demo every"):
        launched('sim_demo', frame_prefix='tb1/')


@pytest.mark.parametrize('namespace, logger', [
    ('', 'bug_navigator'), ('robot1', 'robot1.bug_navigator'), ('/a/b/', 'a.b.bug_navigator')])
def test_log_level_is_that_of_the_node_in_its_namespace(launched, namespace, logger):
    found = launched('bug_nav', namespace=namespace, log_level='debug')
    assert found.nodes['bug_navigator'].asked['ros_arguments'][-1] == f'{logger}:=debug'


def test_respawn_is_rejected_with_the_lifecycle_manager_that_would_not_activate_the_node(launched):
    with pytest.raises(resources.LaunchError, match='use_respawn and use_lifecycle_manager are '):
        launched('bug_nav', use_respawn='true', use_lifecycle_manager='true')


def test_keystore_works_on_the_robot_without_the_velocity_smoother(launched, distro, tmp_path):
    (tmp_path / 'keys' / 'enclaves').mkdir(parents=True)
    found = launched('turtlebot3', keystore=str(tmp_path / 'keys'), use_bringup='true',
                     use_velocity_smoother='false')
    assert 'bug_navigator' in found.nodes and 'velocity_smoother' not in found.nodes
