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

"""Launch the navigator for a real TurtleBot3, on the robot or on another computer."""

from typing import List

from bug_nav.messages.ros_distribution import is_humble
from bug_nav.ros.launching.actions import (
    argument,
    frame_prefix_argument,
    in_enclave,
    is_true,
    model_argument,
    namespace_argument,
    navigator,
    navigator_arguments,
    rviz,
    rviz_arguments,
    security_arguments,
    value,
)
from bug_nav.ros.launching.resources import package_share, params_file, preset_of, require_packages
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import EnvironmentVariable

LIDARS = {'LDS-01': 'hls_lfcd_lds_driver', 'LDS-02': 'ld08_driver', 'LDS-03': 'coin_d4_driver'}
"""The lidars of TurtleBot3, and the packages of their drivers."""


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return LaunchDescription([
        namespace_argument(),
        model_argument(),
        argument('use_bringup', 'false', "start the robot's own drivers as well (turtlebot3_"
                 'bringup, on the robot itself); otherwise they must be running'),
        argument('lds_model', EnvironmentVariable('LDS_MODEL', default_value='LDS-02'),
                 'the lidar, with use_bringup; default: LDS_MODEL, or LDS-02', *LIDARS),
        *rviz_arguments('false', '; on the computer with a screen'),
        *navigator_arguments('false', use_velocity_smoother='true'),
        frame_prefix_argument(),
        *security_arguments(),
        OpaqueFunction(function=robot),
    ])


def robot(context: LaunchContext) -> List[Action]:
    """Return the navigator, and if requested the robot's drivers and rviz2."""
    model = value(context, 'model')
    params = params_file(preset_of(model))
    return [
        *(drivers(context, model) if is_true(context, 'use_bringup') else ()),
        # TurtleBot3 expects TwistStamped from Jazzy on (turtlebot3_bringup, param/).
        *navigator(context, params, stamped=not is_humble()),
        *(rviz(context) if is_true(context, 'use_rviz') else ()),
    ]


def drivers(context: LaunchContext, model: str) -> List[Action]:
    """Return the manufacturer's launch file, with its two required environment variables."""
    lidar = value(context, 'lds_model')
    require_packages('turtlebot3_bringup', 'turtlebot3_node', LIDARS[lidar])
    file = package_share('turtlebot3_bringup') / 'launch' / 'robot.launch.py'
    return [in_enclave('robot', [
        SetEnvironmentVariable('TURTLEBOT3_MODEL', model),
        SetEnvironmentVariable('LDS_MODEL', lidar),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(file)),
            launch_arguments={'namespace': value(context, 'namespace')}.items()),
    ])]
