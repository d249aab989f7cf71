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

"""
Inputs of Gazebo Sim, compared with those of its developers and of the robot's manufacturer.

Sources (branch jazzy of each; commits of 2024-10 to 2026-07):

- turtlebot3_simulations 0f833fca, turtlebot3_gazebo: params/turtlebot3_burger_bridge.yaml,
  models/turtlebot3_burger/model.sdf, worlds/turtlebot3_world.world
- nav2_minimal_turtlebot_simulation b9d523ad, nav2_minimal_tb3_sim:
  configs/turtlebot3_waffle_bridge.yaml, worlds/tb3_sandbox.sdf.xacro
- ros_gz 739cb42a, ros_gz_bridge: README.md (types), src/bridge_config.cpp (keys)
- gz-sim, branch gz-sim8: include/gz/sim/server.config (the default), src/SimulationRunner.cc (used
  for a world without systems)
"""

from bug_nav.ros.launching import gz, resources
from bug_nav.ros.launching.gz import (
    check_not_humble,
    check_static,
    CLOCK_BRIDGE,
    gz_environment,
    gz_model,
    twist_bridge,
)
from bug_nav.ros.launching.resources import LaunchError, params_file
from bug_nav.simulation.shipped import share_dir
from defusedxml import ElementTree
import pytest
import yaml

pytestmark = pytest.mark.ros

SCAN = ('scan', 'sensor_msgs/msg/LaserScan', 'gz.msgs.LaserScan', 'GZ_TO_ROS')
ODOM = ('odom', 'nav_msgs/msg/Odometry', 'gz.msgs.Odometry', 'GZ_TO_ROS')
FRAMES = ('tf', 'tf2_msgs/msg/TFMessage', 'gz.msgs.Pose_V', 'GZ_TO_ROS')
JOINTS = ('joint_states', 'sensor_msgs/msg/JointState', 'gz.msgs.Model', 'GZ_TO_ROS')
TURTLEBOT3 = {SCAN, ODOM, FRAMES, JOINTS,
              ('cmd_vel', 'geometry_msgs/msg/TwistStamped', 'gz.msgs.Twist', 'ROS_TO_GZ'),
              ('imu', 'sensor_msgs/msg/Imu', 'gz.msgs.IMU', 'GZ_TO_ROS')}
NAV2 = {SCAN, ODOM, FRAMES, JOINTS,
        ('cmd_vel', 'geometry_msgs/msg/Twist', 'gz.msgs.Twist', 'ROS_TO_GZ'),
        ('imu', 'sensor_msgs/msg/Imu', 'gz.msgs.IMU', 'GZ_TO_ROS')}
"""Bridges of both: topic, types and direction; their common bridge of the clock is below."""
REFERENCE_CLOCK = ('clock', 'rosgraph_msgs/msg/Clock', 'gz.msgs.Clock')
UNUSED = {'imu'}
KEYS = {'topic_name', 'ros_topic_name', 'gz_topic_name', 'ros_type_name', 'gz_type_name',
        'direction', 'publisher_queue', 'subscriber_queue', 'lazy'}
SYSTEMS = {'gz-sim-physics-system': 'gz::sim::systems::Physics',
           'gz-sim-user-commands-system': 'gz::sim::systems::UserCommands',
           'gz-sim-scene-broadcaster-system': 'gz::sim::systems::SceneBroadcaster',
           'gz-sim-sensors-system': 'gz::sim::systems::Sensors'}
"""Systems in the worlds of both, besides Imu; the first three are Gazebo Sim's default."""
BURGER = """<sdf version="1.8"><model name="turtlebot3_burger">
<link name="base_footprint"/><link name="base_scan"><sensor name="lds" type="gpu_lidar">
<topic>scan</topic></sensor></link>
<plugin filename="gz-sim-diff-drive-system" name="gz::sim::systems::DiffDrive">
<wheel_separation>0.160</wheel_separation><topic>cmd_vel</topic><odom_topic>odom</odom_topic>
<frame_id>odom</frame_id><child_frame_id>base_footprint</child_frame_id><tf_topic>/tf</tf_topic>
</plugin>
<plugin filename="gz-sim-joint-state-publisher-system"
name="gz::sim::systems::JointStatePublisher"><topic>joint_states</topic></plugin>
</model></sdf>"""
"""A model with the topics, frames, plug-ins and tags of TurtleBot3's model."""


@pytest.fixture
def turtlebot3_gazebo(tmp_path, monkeypatch):
    """Stand in for the package's share folder, as on Jazzy."""
    folder = tmp_path / 'models' / 'turtlebot3_burger'
    folder.mkdir(parents=True)
    (folder / 'model.sdf').write_text(BURGER)
    for module in (resources, gz):
        monkeypatch.setattr(module, 'package_share',
                            lambda name: tmp_path if name == 'turtlebot3_gazebo' else None)
    return tmp_path


def plugins(sdf):
    return {each.get('name').rpartition('::')[2]: each
            for each in ElementTree.fromstring(sdf).iter('plugin')}


def bridges(text):
    return {(each['ros_topic_name'], each['ros_type_name'], each['gz_type_name'],
             each['direction']) for each in yaml.safe_load(text)}


def shipped_bridges():
    with open(params_file('gz_bridge'), encoding='utf-8') as stream:
        return stream.read()


def test_bridge_has_the_topics_of_turtlebot3s_bridge():
    assert bridges(shipped_bridges()) == {each for each in TURTLEBOT3 if each[0] not in UNUSED}
    for each in yaml.safe_load(shipped_bridges()):
        assert set(each) <= KEYS and each['gz_topic_name'] == each['ros_topic_name']


def test_bridge_for_twist_has_the_topics_of_nav2s_bridge():
    assert bridges(twist_bridge()) == {each for each in NAV2 if each[0] not in UNUSED}


def test_clock_bridge_matches_the_references_and_is_shared_by_all_robots():
    topic, ros, sim = REFERENCE_CLOCK
    assert CLOCK_BRIDGE == f'/{topic}@{ros}[{sim}'
    assert topic not in shipped_bridges().split()


def test_server_loads_the_systems_of_the_reference_worlds():
    root = ElementTree.parse(share_dir() / 'params' / 'gz_server.config').getroot()
    assert root.tag == 'server_config'
    entries = root.findall('plugins/plugin')
    assert {each.get('filename'): each.get('name') for each in entries} == SYSTEMS
    assert {(each.get('entity_name'), each.get('entity_type')) for each in entries} == {
        ('*', 'world')}
    assert [each.text for each in root.iter('render_engine')] == ['ogre2']


@pytest.mark.parametrize('world', sorted((share_dir() / 'worlds').glob('*.world')),
                         ids=lambda path: path.stem)
def test_shipped_world_has_no_plugins(world):
    assert not list(ElementTree.parse(world).getroot().iter('plugin'))


@pytest.mark.parametrize('namespace, prefix', [('', ''), ('/robot1/', 'robot1/'), ('a/b', 'a/b/')])
def test_ground_truth_replaces_wheel_odometry(turtlebot3_gazebo, namespace, prefix):
    found = plugins(gz_model('burger', namespace, 0.0))
    truth, drive = found['OdometryPublisher'], found['DiffDrive']
    assert truth.get('filename') == 'gz-sim-odometry-publisher-system'
    assert truth.findtext('odom_topic') == f'{prefix}odom'
    assert truth.findtext('tf_topic') == f'{prefix}tf'
    assert truth.findtext('odom_frame') == 'odom'
    assert truth.findtext('robot_base_frame') == 'base_footprint'
    assert drive.findtext('odom_topic') == f'{prefix}wheel_odom'
    assert drive.findtext('tf_topic') == f'{prefix}wheel_tf'
    assert drive.findtext('wheel_separation') == '0.160'


@pytest.mark.parametrize('axle_error', [0.0, 0.05])
def test_topics_of_the_model_match_the_bridge_in_the_namespace(turtlebot3_gazebo, axle_error):
    root = ElementTree.fromstring(gz_model('burger', 'robot1', axle_error))
    named = {each.text for tag in ('topic', 'odom_topic', 'tf_topic') for each in root.iter(tag)}
    assert named >= {f'robot1/{topic}' for topic, *_ in bridges(shipped_bridges())}
    assert all(topic.startswith('robot1/') for topic in named)


def test_axle_error_selects_wheel_odometry(turtlebot3_gazebo):
    found = plugins(gz_model('burger', '', 0.05))
    assert 'OdometryPublisher' not in found
    drive = found['DiffDrive']
    assert float(drive.findtext('wheel_separation')) == pytest.approx(0.168)
    assert (drive.findtext('odom_topic'), drive.findtext('tf_topic')) == ('odom', 'tf')
    with pytest.raises(LaunchError, match='axle_error is 2; allowed are -0.5 to 0.5'):
        gz_model('burger', '', 2.0)


def test_model_of_gazebo_11_is_rejected(turtlebot3_gazebo):
    file = turtlebot3_gazebo / 'models' / 'turtlebot3_burger' / 'model.sdf'
    file.write_text('<sdf version="1.5"><model name="m"><plugin name="turtlebot3_diff_drive" '
                    'filename="libgazebo_ros_diff_drive.so"/></model></sdf>')
    with pytest.raises(LaunchError, match='the burger of turtlebot3_gazebo has no gz::sim::sys'):
        gz_model('burger', '', 0.0)


def test_error_on_humble_names_the_other_launch_file(monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    check_not_humble()
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    with pytest.raises(LaunchError, match='use gazebo_demo.launch.py$'):
        check_not_humble()


def test_world_with_moving_objects_is_rejected():
    worlds = share_dir() / 'worlds'
    for name in ('crowd', 'doors'):
        with pytest.raises(LaunchError, match=f"world is '{name}', whose moving objects are not"):
            check_static(worlds / f'{name}.world')
    check_static(worlds / 'convex.world')


def test_environment_of_the_user_is_kept(turtlebot3_gazebo, monkeypatch):
    monkeypatch.delenv('GZ_SIM_SERVER_CONFIG_PATH', raising=False)
    monkeypatch.setenv('GZ_SIM_RESOURCE_PATH', '/mine')
    variables = gz_environment('burger')
    assert variables['GZ_SIM_RESOURCE_PATH'] == f'/mine:{turtlebot3_gazebo / "models"}'
    assert variables['GZ_SIM_SERVER_CONFIG_PATH'] == str(
        share_dir() / 'params' / 'gz_server.config')
    assert variables['TURTLEBOT3_MODEL'] == 'burger'
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert gz_environment('burger') == variables
    monkeypatch.setenv('GZ_SIM_SERVER_CONFIG_PATH', '/my.config')
    assert gz_environment('burger')['GZ_SIM_SERVER_CONFIG_PATH'] == '/my.config'
