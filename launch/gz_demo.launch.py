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

"""Launch Gazebo Sim with a TurtleBot3 in it, the navigator and rviz2: on Jazzy and later."""

import shlex
from typing import Dict, List, Tuple

from bug_nav.ros.launching.demo import Asked, describe, removed_in_the_end, Simulator, temporary
from bug_nav.ros.launching.facts import package_share
from bug_nav.ros.launching.gz import (
    bridge_of_twist,
    check_gz_is_meant,
    check_stands_still,
    CLOCK,
    gz_bridge,
    gz_environment,
    gz_model,
)
from launch import LaunchDescription
from launch.action import Action
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return describe(GazeboSim())


class GazeboSim(Simulator):
    """Gazebo Sim, which was called Ignition."""

    title = 'Gazebo Sim'
    packages = ('ros_gz_sim', 'ros_gz_bridge')
    stamped = True

    def check(self) -> None:
        """Raise LaunchError on Humble."""
        check_gz_is_meant()

    def environment(self, model: str) -> Dict[str, str]:
        """Return what Gazebo Sim and TurtleBot3's model need."""
        return gz_environment(model)

    def run(self, asked: Asked) -> List[Action]:
        """Return the server, whose end is the end of the launch, the time, and the window."""
        check_stands_still(asked.world)
        options = '-r -s -v 2' + (' --headless-rendering' if asked.headless else '')
        file = package_share('ros_gz_sim') / 'launch' / 'gz_sim.launch.py'
        server = IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(file)),
            # It goes through a shell.
            launch_arguments={'gz_args': f'{options} {shlex.quote(str(asked.world))}',
                              'on_exit_shutdown': 'true'}.items())
        clock = Node(package='ros_gz_bridge', executable='parameter_bridge',
                     name='gz_clock_bridge', output='screen', arguments=[CLOCK])
        window = [] if asked.headless else [
            ExecuteProcess(cmd=['gz', 'sim', '-g', '-v', '2'], output='log')]
        return [server, clock, *window]

    def spawn(self, asked: Asked) -> Tuple[Node, List[Action]]:
        """Return ros_gz_sim's spawner, and the bridge of the robot's topics."""
        x, y, yaw = (f'{number:.4f}' for number in asked.pose)
        spawner = Node(
            package='ros_gz_sim', executable='create', output='screen',
            # As text: whoever puts in a file says so before the file has been read.
            arguments=['-name', asked.name, '-x', x, '-y', y, '-z', '0.01', '-Y', yaw,
                       '-string', gz_model(asked.model, asked.namespace, asked.axle_error)])
        file = gz_bridge() if asked.stamped else temporary('_gz_bridge.yaml', bridge_of_twist())
        bridge = Node(
            package='ros_gz_bridge', executable='parameter_bridge', name='gz_bridge',
            namespace=asked.namespace, output='screen',
            parameters=[{'config_file': file, 'expand_gz_topic_names': True}])
        return spawner, [bridge, *([] if asked.stamped else [removed_in_the_end(file)])]
