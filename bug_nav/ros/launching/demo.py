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
What the launch files of Gazebo have in common: a TurtleBot3 in it, the navigator and rviz2.

Gazebo 11, which Humble has, and Gazebo Sim, which Jazzy has, differ in how a world and a robot get
into them. All that is asked for is the same.
"""

from __future__ import annotations

import os
from pathlib import Path
import tempfile
from typing import Dict, List, NamedTuple, Tuple

from bug_nav.core.geometry import Pose
from bug_nav.ros.launching.actions import (
    argument,
    behind_keystore,
    in_enclave,
    is_stamped,
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
    gazebo_world,
    need,
    package_share,
    params_file,
    robot_of,
    start_and_goal,
)
from launch.action import Action
from launch.actions import OpaqueFunction, RegisterEventHandler, SetEnvironmentVariable, Shutdown
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.launch_context import LaunchContext
from launch.launch_description import LaunchDescription
from launch_ros.actions import Node


class Asked(NamedTuple):
    """What is asked for."""

    world: Path
    namespace: str
    name: str
    """Of the robot in the simulator."""
    model: str
    robot: str
    """Its preset."""
    pose: Pose
    axle_error: float
    stamped: bool
    headless: bool


class Simulator:
    """A Gazebo; each launch file has its own."""

    title: str
    packages: Tuple[str, ...]
    """What has to be installed, beside what every Gazebo needs."""
    stamped: bool
    """Whether the robot in it wants TwistStamped."""

    def check(self) -> None:
        """Raise LaunchError where this simulator is none for the distribution."""
        raise NotImplementedError

    def environment(self, model: str) -> Dict[str, str]:
        """Return the variables that it needs, as far as unset."""
        raise NotImplementedError

    def run(self, asked: Asked) -> List[Action]:
        """Return what starts it, and its window."""
        raise NotImplementedError

    def joined(self) -> List[Action]:
        """Return what is to be done where another launch has started it."""
        return []

    def spawn(self, asked: Asked) -> Tuple[Node, List[Action]]:
        """Return what puts the robot into it and ends, and what else the robot needs."""
        raise NotImplementedError


def describe(simulator: Simulator) -> LaunchDescription:
    """Describe the launch."""
    title = simulator.title
    return LaunchDescription([
        namespace_argument(),
        argument('world', 'demo', 'a world of bug_nav (`bug_nav worlds` lists them), one of '
                 'turtlebot3_gazebo such as turtlebot3_world, or a world file'),
        model_argument(),
        *places(),
        argument('axle_error', '0', 'share by which the robot takes its axle for longer than it '
                 'is; its odometry is that of its wheels then, and drifts, and begins at (0, 0). '
                 'With 0 it is the truth'),
        argument('headless', 'false', f'start neither the window of {title} nor rviz2'),
        argument('use_simulator', 'true', f'start {title}; otherwise the robot is put into the '
                 'one that runs, beside the robots that are there'),
        *rviz_arguments('', '; empty: unless headless'),
        *navigator_arguments('true'),
        *on_localhost(),
        *behind_keystore(),
        OpaqueFunction(function=simulation, args=[simulator]),
    ])


def simulation(context: LaunchContext, simulator: Simulator) -> List[Action]:
    """Return the simulator, the robot and rviz2, after a look at what is asked for."""
    simulator.check()
    need(*simulator.packages, 'turtlebot3_gazebo', 'robot_state_publisher')
    namespace, model = value(context, 'namespace'), value(context, 'model')
    robot = robot_of(model)
    headless = is_true(context, 'headless')
    wants_rviz = is_true(context, 'use_rviz') if value(context, 'use_rviz') else not headless
    world = gazebo_world(value(context, 'world'))
    usual, goal = start_and_goal(world)
    asked = Asked(
        world, namespace, namespace.strip('/').replace('/', '_') or model, model, robot,
        start(context, usual), number(context, 'axle_error', 0.0),
        is_stamped(context, params_file(robot), simulator.stamped), headless)
    return [
        *(SetEnvironmentVariable(*pair) for pair in simulator.environment(model).items()),
        in_enclave('robot', [
            *(simulator.run(asked) if is_true(context, 'use_simulator') else simulator.joined()),
            *_turtlebot3(simulator, asked),
        ]),
        *navigator(context, params_file(robot), simulator.stamped),
        *(rviz(context) if wants_rviz else ()),
        *proposal(context, goal),
    ]


def _turtlebot3(simulator: Simulator, asked: Asked) -> List[Action]:
    """Return what puts the robot into the simulator, and what publishes its frames."""
    spawner, others = simulator.spawn(asked)
    share = package_share('turtlebot3_gazebo')
    assert share is not None  # or `need` has said so
    urdf = share / 'urdf' / f'turtlebot3_{asked.model}.urdf'
    state_publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        namespace=asked.namespace, output='log', remappings=TF,
        parameters=[{'use_sim_time': True,
                     'robot_description': urdf.read_text(encoding='utf-8')}])

    def on_exit(event: object, context: LaunchContext) -> List[Action]:
        return [Shutdown(reason=f'the robot could not be put into {simulator.title}')
                ] if event.returncode else []  # type: ignore[attr-defined]
    return [spawner, *others, state_publisher,
            RegisterEventHandler(OnProcessExit(target_action=spawner, on_exit=on_exit))]


def temporary(ending: str, text: str) -> str:
    """Return the path of a new file with a text in it."""
    handle, path = tempfile.mkstemp(ending)
    with os.fdopen(handle, 'w', encoding='utf-8') as stream:
        stream.write(text)
    return path


def removed_in_the_end(path: str) -> Action:
    """Return what removes a file when all ends."""
    # Who is told to end twice shuts down twice.
    return RegisterEventHandler(OnShutdown(
        on_shutdown=lambda *_: Path(path).unlink(missing_ok=True)))
