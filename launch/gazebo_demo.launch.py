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

"""Launch Gazebo 11 with a TurtleBot3, the navigator and rviz2, on Humble."""

import os
from typing import Dict, List, Tuple

from bug_nav.messages.ros_distribution import distribution, is_humble
from bug_nav.ros.launching.demo import (
    DemoOptions,
    describe,
    remove_at_shutdown,
    Simulator,
    temporary_file,
)
from bug_nav.ros.launching.resources import (
    check_gazebo_is_free,
    gazebo_environment,
    LaunchError,
    missing_gazebo_hint,
    model_file,
    OWN_MODELS,
    package_share,
    params_file,
    with_axle_error,
    with_namespace,
)
from bug_nav.ros.launching.world_conversion import convert_world
from bug_nav.simulation.robots import find_robot
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
    own_models = OWN_MODELS

    def check(self) -> None:
        """Raise LaunchError if Gazebo 11 is unavailable."""
        if package_share('gazebo_ros') is None and not is_humble():
            raise LaunchError(f'Gazebo 11 is not available for {distribution()}; use '
                              'gz_demo.launch.py, which is for Gazebo Sim')

    def environment(self, model: str) -> Dict[str, str]:
        """Return the environment variables for Gazebo and TurtleBot3's files."""
        return gazebo_environment(model)

    def run(self, options: DemoOptions) -> List[Action]:
        """Return the server, whose exit ends the launch, the movers and the window."""
        check_gazebo_is_free()
        share = package_share('gazebo_ros')
        converted = convert_world(options.world)
        file = (temporary_file(f'_{options.world.name}', converted) if converted
                else str(options.world))
        server = IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(share / 'launch' / 'gzserver.launch.py')),
            # Its default clock rate is 10 Hz, too slow for a control loop of 20 Hz.
            launch_arguments={'world': file, 'server_required': 'true',
                              'params_file': params_file('gazebo')}.items())
        movers = [
            Node(package='bug_nav', executable='bug_movers', output='screen', emulate_tty=True,
                 parameters=[{'use_sim_time': True, 'world': str(options.world),
                              'robots': options.name,
                              'robot_radius': find_robot(options.robot).model.robot_radius}]),
            remove_at_shutdown(file),
        ] if converted else []
        window = [] if options.headless else [ExecuteProcess(cmd=['gzclient'], output='log')]
        return [server, *movers, *window]

    def attach(self) -> List[Action]:
        """Return a hint if no Gazebo is running."""
        return [LogInfo(msg=hint) for hint in filter(None, [missing_gazebo_hint()])]

    def spawn(self, options: DemoOptions) -> Tuple[Node, List[Action]]:
        """Return gazebo_ros's spawner, and the removal of its input file."""
        sdf = model_file(options.model).read_text(encoding='utf-8')
        if options.namespace:
            sdf = with_namespace(sdf, options.namespace)
        if options.axle_error:
            sdf = with_axle_error(sdf, options.axle_error)
        x, y, yaw = (f'{number:.4f}' for number in options.pose)
        file = temporary_file(f'_{options.name}.sdf', sdf)
        spawner = Node(
            package='gazebo_ros', executable='spawn_entity.py', output='screen',
            arguments=['-entity', options.name, '-file', file, '-timeout', '120',
                       '-x', x, '-y', y, '-z', '0.01', '-Y', yaw])
        return spawner, [RegisterEventHandler(OnProcessExit(
            target_action=spawner, on_exit=lambda *_: os.unlink(file)))]
