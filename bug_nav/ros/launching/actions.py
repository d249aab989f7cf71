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

"""What the launch files have in common: their arguments, the navigator and rviz."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from bug_nav.core.distribution import is_humble, local_only, ON_HUMBLE
from bug_nav.core.geometry import Point, Pose
from bug_nav.core.shipped import share_dir
from bug_nav.ros.launching.facts import (
    check_params_file,
    LaunchError,
    MODELS,
    need,
    parameter_of,
    params_file,
)
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    LogInfo,
    OpaqueFunction,
    SetEnvironmentVariable,
    UnsetEnvironmentVariable,
)
from launch.launch_context import LaunchContext
from launch.substitution import Substitution
from launch.substitutions import EnvironmentVariable, LaunchConfiguration
from launch_ros.actions import Node

TF = [('/tf', 'tf'), ('/tf_static', 'tf_static')]
"""In a namespace every robot has its own transforms, as with Nav2."""
BOOLEANS = {'true': True, '1': True, 'false': False, '0': False}


def argument(name: str, default: Union[str, Substitution], description: str, *choices: str
             ) -> DeclareLaunchArgument:
    """Return the declaration of an argument."""
    return DeclareLaunchArgument(name, default_value=default, description=description,
                                 **({'choices': list(choices)} if choices else {}))


def namespace_argument() -> DeclareLaunchArgument:
    """Return the argument that is the same in all launch files."""
    return argument('namespace', '', 'namespace of the robot: its nodes, topics and action')


def model_argument() -> DeclareLaunchArgument:
    """Return the argument about which TurtleBot3 it is."""
    return argument('model', EnvironmentVariable('TURTLEBOT3_MODEL', default_value='burger'),
                    f'the TurtleBot3: {", ".join(MODELS)}; by default TURTLEBOT3_MODEL, or burger')


def places() -> List[DeclareLaunchArgument]:
    """Return the arguments about where the robot starts in a simulation."""
    return [argument(name, '', f'{text}; empty: as the world says') for name, text in (
        ('x_pose', 'where the robot starts [m]'), ('y_pose', 'where the robot starts [m]'),
        ('yaw', 'its heading there [rad]'))]


def start(context: LaunchContext, default: Sequence[float]) -> Pose:
    """Return where the robot starts in a simulation; ``default`` is what the world says."""
    return Pose(*(number(context, name, usual)
                  for name, usual in zip(('x_pose', 'y_pose', 'yaw'), default)))


def rviz_arguments(use_rviz: str = 'true', more: str = '') -> List[DeclareLaunchArgument]:
    """Return the arguments about rviz."""
    return [argument('use_rviz', use_rviz, f'show the run in rviz2{more}'),
            argument('rviz_config_file', str(share_dir() / 'rviz' / 'bug_nav.rviz'),
                     'what rviz2 shows'),
            argument('fixed_frame', 'odom', 'the frame that rviz2 shows everything in; map where '
                     'a localiser publishes it')]


def navigator_arguments(use_sim_time: str, params: str = '', guard: str = 'false'
                        ) -> List[DeclareLaunchArgument]:
    """Return the arguments about the navigator, with the defaults of a launch file."""
    return [
        argument('params_file', params, 'parameters of the navigator'
                 + ('' if params else '; empty: those of the robot')),
        argument('use_sim_time', use_sim_time, 'take the time from /clock'),
        argument('autostart', 'true',
                 'configure and activate the node; otherwise "ros2 lifecycle set" does'),
        argument('use_lifecycle_manager', 'false', 'let nav2_lifecycle_manager do that'),
        argument('navigate_to_pose', 'false', "serve Nav2's action of that name too; not beside "
                 'a Nav2 that serves it'),
        argument('algorithm', '', 'the algorithm of goals that name none, as those from rviz do; '
                 'empty: that of the parameters'),
        argument('stamped', '', 'send TwistStamped on cmd_vel instead of Twist; empty: as '
                 'params_file says, or else as the robot wants it'),
        argument('guard', guard, "put Nav2's velocity_smoother in front of the robot, which stops "
                 'it when commands stay away; it has to run on the robot, and on Humble takes '
                 'Twist only'),
        argument('guard_params_file', params_file('velocity_smoother'), 'its parameters'),
        argument('use_respawn', 'false', 'start the node again if it crashes'),
        argument('frame_prefix', '', 'where all robots share /tf, as in the multi_robot.launch.py '
                 'of turtlebot3_gazebo: how the names of the frames of this one begin, such as '
                 'TB3_1/; empty: every robot has its own tf in its namespace, as with Nav2'),
        argument('log_level', 'info', 'how much is told', 'debug', 'info', 'warn', 'error'),
    ]


def behind_keystore() -> List[Action]:
    """Return the argument about SROS2, and what puts all that follows behind it."""
    return [argument('keystore', '', 'a keystore of SROS2, to let in nobody but its enclaves (see '
                     'docs/security.md); empty: as the environment says'),
            OpaqueFunction(function=secured)]


def security(context: LaunchContext) -> Dict[str, str]:
    """Return the environment of who is behind the keystore; empty where there is none."""
    keystore = value(context, 'keystore')
    if not keystore:
        return {}
    if not (Path(keystore) / 'enclaves').is_dir():
        raise LaunchError(f'keystore is {keystore!r}, where there is none; make it with "ros2 '
                          'security generate_artifacts", as docs/security.md tells')
    return {'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
            'ROS_SECURITY_KEYSTORE': os.path.abspath(keystore)}


def secured(context: LaunchContext) -> List[Action]:
    """Return what puts all that is launched afterwards behind the keystore, if there is one."""
    return [SetEnvironmentVariable(*pair) for pair in security(context).items()]


def enclave(name: str) -> List[str]:
    """Return the ROS arguments with which a node takes part; without SROS2 they do nothing."""
    return ['--enclave', f'/bug_nav/{name}']


def in_enclave(name: str, actions: Iterable[Action]) -> GroupAction:
    """Return actions of others, which cannot be given arguments, in an enclave."""
    return GroupAction([
        SetEnvironmentVariable('ROS_SECURITY_ENCLAVE_OVERRIDE', f'/bug_nav/{name}'), *actions])


def navigator(context: LaunchContext, params: str = '', stamped: bool = False) -> List[Action]:
    """
    Return the node, and the lifecycle manager where it is wanted.

    ``params`` is the file of parameters where the argument names none, and ``stamped`` tells
    whether this robot wants TwistStamped, where neither file nor argument does.
    """
    namespace, file = value(context, 'namespace'), value(context, 'params_file') or params
    check_params_file('params_file', file, namespace, 'bug_navigator')
    stamped = is_stamped(context, params, stamped)
    sim_time, autostart = is_true(context, 'use_sim_time'), is_true(context, 'autostart')
    managed = is_true(context, 'use_lifecycle_manager')
    guarded = is_true(context, 'guard')
    asked: Dict[str, Any] = {'enable_stamped_cmd_vel': stamped}
    if value(context, 'algorithm'):
        asked['algorithm'] = value(context, 'algorithm')
    if is_true(context, 'navigate_to_pose'):  # or the file of parameters decides
        asked['navigate_to_pose'] = True
    prefix = value(context, 'frame_prefix')
    if prefix:
        asked.update(global_frame=f'{prefix}odom', robot_base_frame=f'{prefix}base_footprint')
    node = Node(
        package='bug_nav', executable='bug_navigator', name='bug_navigator', namespace=namespace,
        output='screen', emulate_tty=True,
        remappings=[*transforms(context), *([('cmd_vel', 'cmd_vel_nav')] if guarded else ())],
        respawn=is_true(context, 'use_respawn'), respawn_delay=2.0,
        parameters=[file, {'use_sim_time': sim_time, 'autostart': autostart and not managed,
                           **asked}],
        ros_arguments=[*enclave('bug_navigator'),
                       '--log-level', f'bug_navigator:={value(context, "log_level")}'])
    guards = guard(context, sim_time, stamped) if guarded else []
    if not managed:
        return [*guards, node]
    need('nav2_lifecycle_manager')
    return [*guards, node, Node(
        package='nav2_lifecycle_manager', executable='lifecycle_manager',
        name='lifecycle_manager_navigation', namespace=namespace, output='screen',
        ros_arguments=enclave('operator'),
        parameters=[params_file('nav2_lifecycle_manager'),
                    {'use_sim_time': sim_time, 'autostart': autostart}])]


def is_stamped(context: LaunchContext, params: str = '', usual: bool = False) -> bool:
    """Return whether commands are TwistStamped: by the argument, the parameters, or as usual."""
    if value(context, 'stamped'):
        return is_true(context, 'stamped')
    said = parameter_of(value(context, 'params_file') or params, value(context, 'namespace'),
                        'bug_navigator', 'enable_stamped_cmd_vel')
    return said if isinstance(said, bool) else usual


def guard(context: LaunchContext, sim_time: bool, stamped: bool) -> List[Action]:
    """
    Return what stops the robot when commands stay away, with a lifecycle manager of its own.

    The one of the navigator's may not be there, or belong to a Nav2 that runs beside it.
    """
    if value(context, 'keystore'):
        raise LaunchError("guard is true, and the keystore's policies do not know Nav2's "
                          'velocity_smoother; set guard to false')
    if stamped and is_humble():
        raise LaunchError('guard and stamped are true, and the velocity_smoother of Humble takes '
                          'Twist only; set one of them to false')
    try:
        need('nav2_velocity_smoother', 'nav2_lifecycle_manager')
    except LaunchError as error:
        raise LaunchError(f'guard is true, and {error}, or set guard to false') from None
    namespace, file = value(context, 'namespace'), value(context, 'guard_params_file')
    check_params_file('guard_params_file', file, namespace, 'velocity_smoother')
    common = {'namespace': namespace, 'output': 'screen', 'respawn': True, 'respawn_delay': 1.0}
    return [
        Node(package='nav2_velocity_smoother', executable='velocity_smoother',
             name='velocity_smoother',
             # Humble's knows nothing of it, and ignores it.
             parameters=[file, {'use_sim_time': sim_time, 'enable_stamped_cmd_vel': stamped}],
             remappings=[('cmd_vel', 'cmd_vel_nav'), ('cmd_vel_smoothed', 'cmd_vel')], **common),
        Node(package='nav2_lifecycle_manager', executable='lifecycle_manager',
             name='lifecycle_manager_guard', parameters=[{
                 'use_sim_time': sim_time, 'autostart': True,
                 'node_names': ['velocity_smoother']}], **common)]


def value(context: LaunchContext, name: str) -> str:
    """Return the value of an argument."""
    return str(LaunchConfiguration(name).perform(context))


def is_true(context: LaunchContext, name: str) -> bool:
    """Return the value of an argument that is true or false; LaunchError for anything else."""
    text = value(context, name)
    if text.lower() not in BOOLEANS:
        raise LaunchError(f'{name} is {text!r}; allowed are true and false')
    return BOOLEANS[text.lower()]


def number(context: LaunchContext, name: str, default: float) -> float:
    """Return the value of an argument, or the default where it is empty; else LaunchError."""
    text = value(context, name)
    try:
        return float(text) if text else default
    except ValueError:
        raise LaunchError(f'{name} is {text!r}; it has to be a number') from None


def transforms(context: LaunchContext) -> List[Tuple[str, str]]:
    """Return the remappings of tf."""
    return [] if value(context, 'frame_prefix') else TF


def rviz(context: LaunchContext) -> List[Action]:
    """Return rviz2."""
    need('rviz2')
    return [Node(package='rviz2', executable='rviz2', namespace=value(context, 'namespace'),
                 arguments=['-d', value(context, 'rviz_config_file'),
                            '-f', value(context, 'frame_prefix')
                            + value(context, 'fixed_frame')],
                 ros_arguments=enclave('client'),
                 parameters=[{'use_sim_time': is_true(context, 'use_sim_time')}],
                 remappings=transforms(context), output='log')]


def on_localhost() -> List[Action]:
    """Return the argument about who else may listen to a demo, and what follows from it."""
    return [argument('localhost_only', 'true', 'keep DDS on this host, for a demo is nobody '
                     f"else's business; other terminals need \"{_export()}\" then"),
            OpaqueFunction(function=localhost)]


def localhost(context: LaunchContext) -> List[Action]:
    """Return what keeps DDS on this host where that is wanted."""
    if not is_true(context, 'localhost_only'):
        return []
    # Later ones than Humble take the older variable too, but every node complains of it.
    return [UnsetEnvironmentVariable(ON_HUMBLE), SetEnvironmentVariable(*local_only())]


def _export() -> str:
    return 'export {}={}'.format(*local_only())


def proposal(context: LaunchContext, goal: Optional[Point]) -> List[Action]:
    """Return a line that tells what to type in a second terminal."""
    words = [f'{_export()};'] if is_true(context, 'localhost_only') else []
    environment = security(context)
    if environment:
        environment['ROS_SECURITY_ENCLAVE_OVERRIDE'] = '/bug_nav/client'
        words += ['export', *(f'{name}={text}' for name, text in environment.items())]
        words[-1] += ';'
    words += ['ros2 run bug_nav bug_nav send-goal', f'{goal[0]:g} {goal[1]:g}' if goal else 'X Y']
    if value(context, 'namespace'):
        words += ['--namespace', value(context, 'namespace')]
    told = f'in another terminal: {" ".join(words)}'
    return [LogInfo(msg=told if goal else f'{told}, with a goal of yours for X Y, in metres, for '
                    'this world proposes none')]
