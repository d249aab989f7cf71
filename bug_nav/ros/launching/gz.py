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
Prepares worlds, models and bridges for Gazebo Sim, as of Jazzy (gz-sim 8).

This module does not need the package `launch`. Errors are a LaunchError with one sentence.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Dict

from bug_nav.messages.ros_distribution import is_humble
from bug_nav.ros.launching.resources import (
    check_axle_error,
    LaunchError,
    model_file,
    package_share,
    params_file,
)
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import WorldError
from defusedxml import ElementTree
import yaml

DRIVE_PLUGIN = 'gz::sim::systems::DiffDrive'
GROUND_TRUTH_PLUGIN = """
<plugin filename="gz-sim-odometry-publisher-system" name="gz::sim::systems::OdometryPublisher">
  <odom_frame>{frame}</odom_frame>
  <robot_base_frame>{base}</robot_base_frame>
  <odom_topic>odom</odom_topic>
  <tf_topic>tf</tf_topic>
  <dimensions>2</dimensions>
  <odom_publish_frequency>50</odom_publish_frequency>
</plugin>"""
"""Plug-in that publishes the true pose of a robot."""
CLOCK_BRIDGE = '/clock@rosgraph_msgs/msg/Clock[gz.msgs.Clock'
"""Bridge of the clock, which all robots share."""


def check_not_humble() -> None:
    """Raise LaunchError on Humble, whose TurtleBot3 is for Gazebo 11."""
    if is_humble():
        raise LaunchError('turtlebot3_gazebo is for Gazebo 11 on Humble; use '
                          'gazebo_demo.launch.py')


def check_static(world: Path) -> None:
    """Raise LaunchError for a world with movers, which Gazebo Sim would not move."""
    try:
        movers = find_world(world).movers
    except WorldError:  # with meshes or other elements that only Gazebo can read
        return
    if movers:
        raise LaunchError(f'world is {world.stem!r}, whose moving objects are not supported in '
                          'Gazebo Sim yet; use sim_demo.launch.py, or another world')


def gz_environment(model: str) -> Dict[str, str]:
    """Return the environment variables for Gazebo Sim and TurtleBot3, without those set."""
    share = package_share('turtlebot3_gazebo')
    assert share is not None  # checked by `require_packages`
    models, folders = 'GZ_SIM_RESOURCE_PATH', str(share / 'models')
    there = list(filter(None, os.environ.get(models, '').split(os.pathsep)))
    config = 'GZ_SIM_SERVER_CONFIG_PATH'
    return {'TURTLEBOT3_MODEL': model,
            models: os.pathsep.join([*there, *([folders] if folders not in there else ())]),
            # For worlds without systems, such as ours: the default systems lack sensors.
            config: os.environ.get(config) or str(share_dir() / 'params' / 'gz_server.config')}


def gz_model(model: str, namespace: str, axle_error: float) -> str:
    """
    Return the SDF of a TurtleBot3 with its topics in a namespace.

    Its own odometry starts at zero. The ground truth replaces it, so that a goal is in world
    coordinates, as in Gazebo 11; unless there is a relative error of the wheel separation.
    """
    root = ElementTree.fromstring(model_file(model).read_text(encoding='utf-8'))
    drive = next((plugin for plugin in root.iter('plugin')
                  if plugin.get('name') == DRIVE_PLUGIN), None)
    if drive is None:
        raise LaunchError(f'the {model} of turtlebot3_gazebo has no {DRIVE_PLUGIN}, so it is not '
                          'for Gazebo Sim')
    if axle_error:
        check_axle_error(axle_error)
        axle = drive.find('wheel_separation')
        axle.text = f'{(1.0 + axle_error) * float(axle.text):.6f}'
    else:
        owner = next(body for body in root.iter('model') if drive in list(body))
        owner.append(ElementTree.fromstring(GROUND_TRUTH_PLUGIN.format(
            frame=drive.findtext('frame_id', 'odom'),
            base=drive.findtext('child_frame_id', 'base_footprint'))))
        for tag in ('odom_topic', 'tf_topic'):
            topic = drive.find(tag)
            topic.text = f'wheel_{topic.text.strip("/")}'
    for tag in ('topic', 'odom_topic', 'tf_topic'):
        for topic in root.iter(tag):
            topic.text = '/'.join(filter(None, (namespace.strip('/'), topic.text.strip('/'))))
    return str(ElementTree.tostring(root, encoding='unicode'))


def twist_bridge() -> str:
    """Return the configuration of a robot's bridge with Twist commands, not TwistStamped ones."""
    with open(params_file('gz_bridge'), encoding='utf-8') as stream:
        bridges = yaml.safe_load(stream)
    for bridge in bridges:
        if bridge['ros_type_name'] == 'geometry_msgs/msg/TwistStamped':
            bridge['ros_type_name'] = 'geometry_msgs/msg/Twist'
    return str(yaml.safe_dump(bridges))
