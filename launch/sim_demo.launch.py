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

"""Launch the embedded simulator and the navigator; send goals to it, or publish goal_pose."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

ARGUMENTS = {
    'namespace': ('', 'namespace of both nodes'),
    'world': ('demo', 'a shipped world (`bug_nav worlds` lists them) or a world file'),
    'real_time_factor': ('1.0', 'simulated time per time'),
}


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    value = {name: LaunchConfiguration(name) for name in ARGUMENTS}
    navigator = PathJoinSubstitution(
        [FindPackageShare('bug_nav'), 'launch', 'bug_nav.launch.py'])
    return LaunchDescription([
        *(DeclareLaunchArgument(name, default_value=default, description=text)
          for name, (default, text) in ARGUMENTS.items()),
        # A demo is nobody else's business: DDS stays on this host.
        SetEnvironmentVariable('ROS_LOCALHOST_ONLY', '1'),
        Node(
            package='bug_nav', executable='bug_sim', name='bug_sim',
            namespace=value['namespace'], output='screen', emulate_tty=True,
            parameters=[{'world': value['world'], 'real_time_factor': value['real_time_factor']}],
            remappings=[('/tf', 'tf'), ('/tf_static', 'tf_static')]),
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(navigator),
            launch_arguments={'namespace': value['namespace'], 'use_sim_time': 'true'}.items()),
    ])
