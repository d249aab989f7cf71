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
Common part of the Gazebo launch files: a TurtleBot3, the navigator and rviz2.

Gazebo 11 (Humble) and Gazebo Sim (Jazzy) differ in how they load a world and a robot. All launch
arguments are the same.
"""

from __future__ import annotations

import abc
import os
from pathlib import Path
import tempfile
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.ros.launching.actions import (
    argument,
    check_no_frame_prefix,
    in_enclave,
    is_stamped,
    is_true,
    localhost_arguments,
    model_argument,
    namespace_argument,
    navigator,
    navigator_arguments,
    number,
    rviz,
    rviz_arguments,
    security_arguments,
    send_goal_hint,
    start_pose,
    start_pose_arguments,
    TF_REMAPPINGS,
    value,
)
from bug_nav.ros.launching.resources import (
    gazebo_world,
    goal_in_odom,
    model_file,
    MODELS,
    params_file,
    preset_of,
    require_packages,
    start_and_goal,
)
from launch.action import Action
from launch.actions import OpaqueFunction, RegisterEventHandler, SetEnvironmentVariable, Shutdown
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.launch_context import LaunchContext
from launch.launch_description import LaunchDescription
from launch_ros.actions import Node


class DemoOptions(NamedTuple):
    """Options of a demo, from the launch arguments."""

    world: Path
    namespace: str
    name: str
    """Name of the robot in the simulator."""
    model: str
    robot: str
    """Preset of the robot."""
    pose: Pose
    axle_error: float
    stamped: bool
    headless: bool


class Simulator(abc.ABC):
    """A version of Gazebo; each launch file implements its own."""

    title: str
    packages: Tuple[str, ...]
    """Required packages, besides those that every Gazebo needs."""
    stamped: bool
    """Whether the robot in it expects TwistStamped."""
    own_models: Mapping[str, str] = {}
    """The models of bug_nav that it supports, besides the TurtleBot3s, with their presets."""

    @abc.abstractmethod
    def check(self) -> None:
        """Raise LaunchError if the distribution does not support this simulator."""

    @abc.abstractmethod
    def environment(self, model: str) -> Dict[str, str]:
        """Return the environment variables that it needs, without those already set."""

    @abc.abstractmethod
    def run(self, options: DemoOptions) -> List[Action]:
        """Return the actions that start it and its window."""

    def attach(self) -> List[Action]:
        """Return the actions if another launch has started it."""
        return []

    @abc.abstractmethod
    def spawn(self, options: DemoOptions) -> Tuple[Node, List[Action]]:
        """Return the spawner of the robot, which exits, and further actions for the robot."""


def describe(simulator: Simulator) -> LaunchDescription:
    """Describe the launch."""
    title = simulator.title
    return LaunchDescription([
        namespace_argument(),
        argument('world', 'demo', 'a world of bug_nav (`bug_nav worlds` lists them), one of '
                 'turtlebot3_gazebo such as turtlebot3_world, or a world file'),
        model_argument(simulator.own_models),
        *start_pose_arguments(),
        argument('axle_error', '0', "relative error of the robot's wheel separation, for wheel "
                 'odometry that drifts and starts at (0, 0). With 0, odometry is the ground '
                 'truth'),
        argument('headless', 'false', f'start neither the window of {title} nor rviz2'),
        argument('use_simulator', 'true', f'start {title}; otherwise the robot is spawned in the '
                 'running one, besides any other robots'),
        *rviz_arguments('', '; empty: unless headless'),
        argument('use_navigator', 'true', 'start the navigator; otherwise another program drives '
                 'the robot'),
        *navigator_arguments('true'),
        *localhost_arguments(),
        *security_arguments(),
        OpaqueFunction(function=simulation, args=[simulator]),
    ])


def simulation(context: LaunchContext, simulator: Simulator) -> List[Action]:
    """Check the arguments; return the simulator, the robot, the navigator and rviz2."""
    simulator.check()
    check_no_frame_prefix(context)
    namespace, model = value(context, 'namespace'), value(context, 'model')
    own = simulator.own_models
    require_packages(*simulator.packages, *([] if model in own else ['turtlebot3_gazebo']),
                     'robot_state_publisher')
    robot = preset_of(model, {**MODELS, **own} if own else MODELS)
    headless = is_true(context, 'headless')
    wants_rviz = is_true(context, 'use_rviz') if value(context, 'use_rviz') else not headless
    world = gazebo_world(value(context, 'world'))
    default, goal = start_and_goal(world)
    options = DemoOptions(
        world, namespace, namespace.strip('/').replace('/', '_') or model, model, robot,
        start_pose(context, default), number(context, 'axle_error', 0.0),
        is_stamped(context, params_file(robot), simulator.stamped), headless)
    return [
        *(SetEnvironmentVariable(*pair) for pair in simulator.environment(model).items()),
        in_enclave('robot', [
            *(simulator.run(options) if is_true(context, 'use_simulator') else simulator.attach()),
            *_robot(simulator, options),
        ]),
        *(_navigator(context, simulator, options, goal)
          if is_true(context, 'use_navigator') else ()),
        *(rviz(context) if wants_rviz else ()),
    ]


def _navigator(context: LaunchContext, simulator: Simulator, options: DemoOptions,
               goal: Optional[Point]) -> List[Action]:
    """Return the navigator, and a hint how to send it a goal."""
    return [*navigator(context, params_file(options.robot), simulator.stamped),
            *send_goal_hint(context, goal_in_odom(goal, options.pose, options.axle_error))]


def _robot(simulator: Simulator, options: DemoOptions) -> List[Action]:
    """Return the spawner of the robot and its robot_state_publisher."""
    spawner, others = simulator.spawn(options)
    urdf = model_file(options.model, 'urdf')
    state_publisher = Node(
        package='robot_state_publisher', executable='robot_state_publisher',
        namespace=options.namespace, output='log', remappings=TF_REMAPPINGS,
        parameters=[{'use_sim_time': True,
                     'robot_description': urdf.read_text(encoding='utf-8')}])

    def on_exit(event: object, context: LaunchContext) -> List[Action]:
        return [Shutdown(reason=f'the robot could not be spawned in {simulator.title}')
                ] if event.returncode else []  # type: ignore[attr-defined]
    return [spawner, *others, state_publisher,
            RegisterEventHandler(OnProcessExit(target_action=spawner, on_exit=on_exit))]


def temporary_file(ending: str, text: str) -> str:
    """Write a text to a new temporary file, and return its path."""
    handle, path = tempfile.mkstemp(ending)
    with os.fdopen(handle, 'w', encoding='utf-8') as stream:
        stream.write(text)
    return path


def remove_at_shutdown(path: str) -> Action:
    """Return the action that removes a file at shutdown."""
    # missing_ok because a second signal causes a second shutdown event.
    return RegisterEventHandler(OnShutdown(
        on_shutdown=lambda *_: Path(path).unlink(missing_ok=True)))
