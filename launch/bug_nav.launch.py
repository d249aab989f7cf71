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

"""Launch the navigator, configured and activated."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

ARGUMENTS = {
    'namespace': ('', 'namespace of the node, its topics and its action'),
    'params_file': (PathJoinSubstitution([FindPackageShare('bug_nav'), 'params', 'bug_nav.yaml']),
                    'parameters of the node'),
    'use_sim_time': ('false', 'take the time from /clock'),
    'autostart': ('true', 'configure and activate the node; otherwise a lifecycle manager does'),
    'log_level': ('info', 'debug, info, warn or error'),
}


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    value = {name: LaunchConfiguration(name) for name in ARGUMENTS}
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        Node(
            package='bug_nav', executable='bug_navigator', name='bug_navigator',
            namespace=value['namespace'], output='screen', emulate_tty=True,
            parameters=[value['params_file'],
                        {'use_sim_time': value['use_sim_time'], 'autostart': value['autostart']}],
            remappings=[('/tf', 'tf'), ('/tf_static', 'tf_static')],
            arguments=['--ros-args', '--log-level', value['log_level']]),
    ])
