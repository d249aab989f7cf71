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

"""Launch Gazebo with a TurtleBot3 in it, the navigator and rviz2."""

import os
from pathlib import Path
import tempfile
from typing import List

from bug_nav.core.geometry import Pose
from bug_nav.ros.launching.actions import (
    argument,
    behind_keystore,
    in_enclave,
    is_true,
    model_argument,
    namespace_argument,
    navigator,
    navigator_arguments,
    number,
    on_localhost,
    places,
    proposal,
    rviz,
    rviz_arguments,
    start,
    TF,
    value,
)
from bug_nav.ros.launching.facts import (
    check_gazebo_is_free,
    gazebo_environment,
    gazebo_to_come,
    gazebo_world,
    misjudging_its_axle,
    model_file,
    namespaced,
    need,
    package_share,
    params_file,
    robot_of,
    start_and_goal,
)
from bug_nav.ros.launching.movers import gazebo_with_movers
from bug_nav.sim.robots import find_robot
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
    Shutdown,
)
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return LaunchDescription([
        namespace_argument(),
        argument('world', 'demo', 'a world of bug_nav (`bug_nav worlds` lists them), one of '
                 'turtlebot3_gazebo such as turtlebot3_world, or a world file'),
        model_argument(),
        *places(),
        argument('axle_error', '0', 'share by which the robot takes its axle for longer than it '
                 'is; its odometry is that of its wheels then, and drifts, and begins at (0, 0). '
                 'With 0 it is the truth'),
        argument('headless', 'false', 'start neither the window of Gazebo nor rviz2'),
        argument('use_simulator', 'true', 'start Gazebo; otherwise the robot is put into the one '
                 'that runs, beside the robots that are there'),
        *rviz_arguments('', '; empty: unless headless'),
        *navigator_arguments('true'),
        *on_localhost(),
        *behind_keystore(),
        OpaqueFunction(function=simulation),
    ])


def simulation(context: LaunchContext) -> List[Action]:
    """Return Gazebo, the robot and rviz2, after a look at what is asked for."""
    need('gazebo_ros', 'turtlebot3_gazebo', 'robot_state_publisher')
    namespace, model = value(context, 'namespace'), value(context, 'model')
    robot = robot_of(model)
    headless = is_true(context, 'headless')
    wants_rviz = is_true(context, 'use_rviz') if value(context, 'use_rviz') else not headless
    world = gazebo_world(value(context, 'world'))
    usual, goal = start_and_goal(world)
    name = namespace.strip('/').replace('/', '_') or model
    return [
        *(SetEnvironmentVariable(*pair) for pair in gazebo_environment(model).items()),
        in_enclave('robot', [
            *(gazebo(world, headless, name, robot) if is_true(context, 'use_simulator') else
              [LogInfo(msg=hint) for hint in filter(None, [gazebo_to_come()])]),
            *turtlebot3(namespace, name, model, start(context, usual),
                        number(context, 'axle_error', 0.0)),
        ]),
        *navigator(context, params_file(robot)),
        *(rviz(context) if wants_rviz else ()),
        *proposal(context, goal),
    ]


def gazebo(world: Path, headless: bool, name: str, robot: str) -> List[Action]:
    """Return Gazebo's server, whose end is the end of the launch, its window, and what moves."""
    check_gazebo_is_free()
    share = package_share('gazebo_ros')
    moving = gazebo_with_movers(world)
    file = _temporary(f'_{world.name}', moving) if moving else str(world)
    server = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share / 'launch' / 'gzserver.launch.py')),
        # Its own clock comes ten times a second, and control ticks at 20 Hz.
        launch_arguments={'world': file, 'server_required': 'true',
                          'params_file': params_file('gazebo')}.items())
    movers = [
        Node(package='bug_nav', executable='bug_movers', output='screen', emulate_tty=True,
             parameters=[{'use_sim_time': True, 'world': str(world), 'robots': name,
                          'robot_radius': find_robot(robot).model.robot_radius}]),
        # Who is told to end twice shuts down twice.
        RegisterEventHandler(OnShutdown(
            on_shutdown=lambda *_: Path(file).unlink(missing_ok=True))),
    ] if moving else []
    window = [] if headless else [ExecuteProcess(cmd=['gzclient'], output='log')]
    return [server, *movers, *window]


def _temporary(ending: str, text: str) -> str:
    """Return the path of a new file with a text in it."""
    handle, path = tempfile.mkstemp(ending)
    with open(handle, 'w', encoding='utf-8') as stream:
        stream.write(text)
    return path


def turtlebot3(namespace: str, name: str, model: str, pose: Pose, axle_error: float
               ) -> List[Action]:
    """Return what puts the robot into Gazebo, and what publishes its frames."""
    sdf = model_file(model).read_text(encoding='utf-8')
    if namespace:
        sdf = namespaced(sdf, namespace)
    if axle_error:
        sdf = misjudging_its_axle(sdf, axle_error)
    x, y, yaw = (f'{number:.4f}' for number in pose)
    file = _temporary(f'_{name}.sdf', sdf)
    spawner = Node(
        package='gazebo_ros', executable='spawn_entity.py', output='screen',
        arguments=['-entity', name, '-file', file, '-timeout', '120',
                   '-x', x, '-y', y, '-z', '0.01', '-Y', yaw])
    urdf = package_share('turtlebot3_gazebo') / 'urdf' / f'turtlebot3_{model}.urdf'
    state_publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher', namespace=namespace,
        output='log', remappings=TF,
        parameters=[{'use_sim_time': True,
                     'robot_description': urdf.read_text(encoding='utf-8')}])

    def on_exit(event: object, context: LaunchContext) -> List[Action]:
        os.unlink(file)
        code = event.returncode
        return [Shutdown(reason='the robot could not be put into Gazebo')] if code else []
    return [spawner, state_publisher,
            RegisterEventHandler(OnProcessExit(target_action=spawner, on_exit=on_exit))]
