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

"""Launch Gazebo 11 with a TurtleBot3 in it, the navigator and rviz2: on Humble."""

import os
from typing import Dict, List, Tuple

from bug_nav.core.distribution import distribution, is_humble
from bug_nav.ros.launching.demo import Asked, describe, removed_in_the_end, Simulator, temporary
from bug_nav.ros.launching.facts import (
    check_gazebo_is_free,
    gazebo_environment,
    gazebo_to_come,
    LaunchError,
    misjudging_its_axle,
    model_file,
    namespaced,
    package_share,
    params_file,
)
from bug_nav.ros.launching.movers import gazebo_with_movers
from bug_nav.sim.robots import find_robot
from launch import LaunchDescription
from launch.action import Action
from launch.actions import (
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return describe(Gazebo())


class Gazebo(Simulator):
    """Gazebo 11."""

    title = 'Gazebo'
    packages = ('gazebo_ros',)
    stamped = False

    def check(self) -> None:
        """Raise LaunchError where there is no Gazebo 11 to be had."""
        if package_share('gazebo_ros') is None and not is_humble():
            raise LaunchError(f'Gazebo 11 is not to be had for {distribution()}: take '
                              'gz_demo.launch.py, which is for Gazebo Sim')

    def environment(self, model: str) -> Dict[str, str]:
        """Return what Gazebo and TurtleBot3's own files need."""
        return gazebo_environment(model)

    def run(self, asked: Asked) -> List[Action]:
        """Return the server, whose end is the end of the launch, its window, and what moves."""
        check_gazebo_is_free()
        share = package_share('gazebo_ros')
        moving = gazebo_with_movers(asked.world)
        file = temporary(f'_{asked.world.name}', moving) if moving else str(asked.world)
        server = IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(share / 'launch' / 'gzserver.launch.py')),
            # Its own clock comes ten times a second, and control ticks at 20 Hz.
            launch_arguments={'world': file, 'server_required': 'true',
                              'params_file': params_file('gazebo')}.items())
        movers = [
            Node(package='bug_nav', executable='bug_movers', output='screen', emulate_tty=True,
                 parameters=[{'use_sim_time': True, 'world': str(asked.world),
                              'robots': asked.name,
                              'robot_radius': find_robot(asked.robot).model.robot_radius}]),
            removed_in_the_end(file),
        ] if moving else []
        window = [] if asked.headless else [ExecuteProcess(cmd=['gzclient'], output='log')]
        return [server, *movers, *window]

    def joined(self) -> List[Action]:
        """Return a hint where no Gazebo runs."""
        return [LogInfo(msg=hint) for hint in filter(None, [gazebo_to_come()])]

    def spawn(self, asked: Asked) -> Tuple[Node, List[Action]]:
        """Return gazebo_ros's spawner, and what removes the file that it reads."""
        sdf = model_file(asked.model).read_text(encoding='utf-8')
        if asked.namespace:
            sdf = namespaced(sdf, asked.namespace)
        if asked.axle_error:
            sdf = misjudging_its_axle(sdf, asked.axle_error)
        x, y, yaw = (f'{number:.4f}' for number in asked.pose)
        file = temporary(f'_{asked.name}.sdf', sdf)
        spawner = Node(
            package='gazebo_ros', executable='spawn_entity.py', output='screen',
            arguments=['-entity', asked.name, '-file', file, '-timeout', '120',
                       '-x', x, '-y', y, '-z', '0.01', '-Y', yaw])
        return spawner, [RegisterEventHandler(OnProcessExit(
            target_action=spawner, on_exit=lambda *_: os.unlink(file)))]
