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

"""Launch Gazebo Sim with a TurtleBot3, the navigator and rviz2, on Jazzy and later."""

import shlex
from typing import Dict, List, Tuple

from bug_nav.ros.launching.demo import (
    DemoOptions,
    describe,
    remove_at_shutdown,
    Simulator,
    temporary_file,
)
from bug_nav.ros.launching.gz import (
    check_not_humble,
    check_static,
    CLOCK_BRIDGE,
    gz_environment,
    gz_model,
    twist_bridge,
)
from bug_nav.ros.launching.resources import package_share, params_file
from launch import LaunchDescription
from launch.action import Action
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return describe(GazeboSim())


class GazeboSim(Simulator):
    """Gazebo Sim, formerly Ignition."""

    title = 'Gazebo Sim'
    packages = ('ros_gz_sim', 'ros_gz_bridge')
    stamped = True

    def check(self) -> None:
        """Raise LaunchError on Humble."""
        check_not_humble()

    def environment(self, model: str) -> Dict[str, str]:
        """Return the environment variables for Gazebo Sim and TurtleBot3's model."""
        return gz_environment(model)

    def run(self, options: DemoOptions) -> List[Action]:
        """Return the server, whose exit ends the launch, the clock bridge and the window."""
        check_static(options.world)
        flags = '-r -s -v 2' + (' --headless-rendering' if options.headless else '')
        file = package_share('ros_gz_sim') / 'launch' / 'gz_sim.launch.py'
        server = IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(file)),
            # gz_args is passed to a shell.
            launch_arguments={'gz_args': f'{flags} {shlex.quote(str(options.world))}',
                              'on_exit_shutdown': 'true'}.items())
        clock = Node(package='ros_gz_bridge', executable='parameter_bridge',
                     name='gz_clock_bridge', output='screen', arguments=[CLOCK_BRIDGE])
        window = [] if options.headless else [
            ExecuteProcess(cmd=['gz', 'sim', '-g', '-v', '2'], output='log')]
        return [server, clock, *window]

    def spawn(self, options: DemoOptions) -> Tuple[Node, List[Action]]:
        """Return ros_gz_sim's spawner, and the bridge of the robot's topics."""
        x, y, yaw = (f'{number:.4f}' for number in options.pose)
        spawner = Node(
            package='ros_gz_sim', executable='create', output='screen',
            # As text: `create` may exit before Gazebo has read a file.
            arguments=['-name', options.name, '-x', x, '-y', y, '-z', '0.01', '-Y', yaw,
                       '-string', gz_model(options.model, options.namespace, options.axle_error)])
        file = (params_file('gz_bridge') if options.stamped
                else temporary_file('_gz_bridge.yaml', twist_bridge()))
        bridge = Node(
            package='ros_gz_bridge', executable='parameter_bridge', name='gz_bridge',
            namespace=options.namespace, output='screen',
            parameters=[{'config_file': file, 'expand_gz_topic_names': True}])
        return spawner, [bridge, *([] if options.stamped else [remove_at_shutdown(file)])]
