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

"""Shared arguments and actions of the launch files: the navigator, security and rviz."""

from __future__ import annotations

import math
import os
from pathlib import Path
import shlex
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from bug_nav.messages.ros_distribution import is_humble, local_only, ON_HUMBLE
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.ros.launching.resources import (
    check_params_file,
    LaunchError,
    MODELS,
    parameter_of,
    params_file,
    require_packages,
)
from bug_nav.simulation.shipped import share_dir
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

TF_REMAPPINGS = [('/tf', 'tf'), ('/tf_static', 'tf_static')]
"""Remappings that give every namespaced robot its own transforms, as with Nav2."""
SHARED_FRAMES = ('map', 'earth')
"""Frames of REP-105 that belong to no robot."""
BOOLEANS = {'true': True, '1': True, 'false': False, '0': False}


def argument(name: str, default: Union[str, Substitution], description: str, *choices: str
             ) -> DeclareLaunchArgument:
    """Return the declaration of an argument."""
    return DeclareLaunchArgument(name, default_value=default, description=description,
                                 **({'choices': list(choices)} if choices else {}))


def namespace_argument() -> DeclareLaunchArgument:
    """Return the namespace argument."""
    return argument('namespace', '', 'namespace of the robot: its nodes, topics and action')


def model_argument(others: Iterable[str] = ()) -> DeclareLaunchArgument:
    """Return the argument for the TurtleBot3 model, or one of some other models."""
    more = ''.join(f', or a {name}' for name in others)
    return argument('model', EnvironmentVariable('TURTLEBOT3_MODEL', default_value='burger'),
                    f'the TurtleBot3: {", ".join(MODELS)}{more}; default: TURTLEBOT3_MODEL, or '
                    'burger')


def start_pose_arguments() -> List[DeclareLaunchArgument]:
    """Return the arguments for the robot's start pose in a simulation."""
    return [argument(name, '', f"{text}; empty: the world's default") for name, text in (
        ('x_pose', 'x of the start pose [m]'), ('y_pose', 'y of the start pose [m]'),
        ('yaw', 'heading of the start pose [rad]'))]


def start_pose(context: LaunchContext, default: Sequence[float]) -> Pose:
    """Return the start pose in a simulation; ``default`` is the world's x, y, yaw."""
    return Pose(*(number(context, name, fallback)
                  for name, fallback in zip(('x_pose', 'y_pose', 'yaw'), default)))


def rviz_arguments(use_rviz: str = 'true', more: str = '') -> List[DeclareLaunchArgument]:
    """Return the arguments for rviz."""
    return [argument('use_rviz', use_rviz, f'show the run in rviz2{more}'),
            argument('rviz_config_file', str(share_dir() / 'rviz' / 'bug_nav.rviz'),
                     'configuration of rviz2'),
            argument('fixed_frame', 'odom', 'fixed frame of rviz2; map if a localizer publishes '
                     'it')]


def navigator_arguments(use_sim_time: str, params: str = '', use_velocity_smoother: str = 'false'
                        ) -> List[DeclareLaunchArgument]:
    """Return the arguments for the navigator, with the defaults of a launch file."""
    return [
        argument('params_file', params, 'parameter file of the navigator'
                 + ('' if params else "; empty: the robot's")),
        argument('use_sim_time', use_sim_time, 'use the time on /clock'),
        argument('autostart', 'true',
                 'configure and activate the node; otherwise use "ros2 lifecycle set"'),
        argument('use_lifecycle_manager', 'false',
                 'configure and activate with nav2_lifecycle_manager'),
        argument('navigate_to_pose', 'false', "also serve Nav2's action of that name, if no Nav2 "
                 'serves it'),
        argument('algorithm', '', 'algorithm of goals without one, such as those from rviz; '
                 'empty: as in params_file'),
        argument('stamped', '', 'send TwistStamped on cmd_vel instead of Twist; empty: as in '
                 'params_file, or else as the robot expects'),
        argument('use_velocity_smoother', use_velocity_smoother,
                 "pass commands through Nav2's velocity_smoother, which stops the robot when they "
                 'stop; it must run on the robot, and on Humble supports Twist only'),
        argument('velocity_smoother_params_file', params_file('velocity_smoother'),
                 'parameter file of the velocity_smoother'),
        argument('use_respawn', 'false', 'restart the node if it crashes'),
        argument('log_level', 'info', 'minimum log level', 'debug', 'info', 'warn', 'error'),
    ]


def frame_prefix_argument() -> DeclareLaunchArgument:
    """Return the argument for frames of robots that share /tf."""
    return argument('frame_prefix', '', "prefix of this robot's frame names, such as TB3_1/, if "
                    'all robots share /tf, as in the multi_robot.launch.py of turtlebot3_gazebo; '
                    'empty: every robot has its own tf in its namespace, as with Nav2')


def security_arguments() -> List[Action]:
    """Return the SROS2 argument, and the action that secures all later actions."""
    return [argument('keystore', '', 'SROS2 keystore, to admit its enclaves only (see '
                     'docs/security.md); empty: as in the environment'),
            OpaqueFunction(function=set_security_environment)]


def security_environment(context: LaunchContext) -> Dict[str, str]:
    """Return the environment variables for the keystore, empty without one."""
    keystore = value(context, 'keystore')
    if not keystore:
        return {}
    if not (Path(keystore) / 'enclaves').is_dir():
        raise LaunchError(f'there is no keystore at {keystore!r}; create it with "ros2 security '
                          'generate_artifacts" (see docs/security.md)')
    return {'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
            'ROS_SECURITY_KEYSTORE': os.path.abspath(keystore)}


def set_security_environment(context: LaunchContext) -> List[Action]:
    """Return the actions that set the environment variables for the keystore, if any."""
    return [SetEnvironmentVariable(*pair) for pair in security_environment(context).items()]


def enclave(name: str) -> List[str]:
    """Return the ROS arguments that select an enclave, without effect unless SROS2 is enabled."""
    return ['--enclave', f'/bug_nav/{name}']


def in_enclave(name: str, actions: Iterable[Action]) -> GroupAction:
    """Return third-party actions, which take no ROS arguments, in an enclave."""
    return GroupAction([
        SetEnvironmentVariable('ROS_SECURITY_ENCLAVE_OVERRIDE', f'/bug_nav/{name}'), *actions])


def navigator(context: LaunchContext, params: str = '', stamped: bool = False) -> List[Action]:
    """
    Return the node, and if requested the velocity_smoother and the lifecycle manager.

    ``params`` is the default of params_file, and ``stamped`` whether this robot expects
    TwistStamped, unless file or argument sets it.
    """
    namespace, file = value(context, 'namespace'), value(context, 'params_file') or params
    check_params_file('params_file', file, namespace, 'bug_navigator')
    stamped = is_stamped(context, params, stamped)
    sim_time, autostart = is_true(context, 'use_sim_time'), is_true(context, 'autostart')
    managed = is_true(context, 'use_lifecycle_manager')
    if managed and is_true(context, 'use_respawn'):
        raise LaunchError('use_respawn and use_lifecycle_manager are true, and the manager does '
                          'not activate a restarted node; set one of them to false')
    smoothed = is_true(context, 'use_velocity_smoother')
    overrides: Dict[str, Any] = {'enable_stamped_cmd_vel': stamped}
    if value(context, 'algorithm'):
        overrides['algorithm'] = value(context, 'algorithm')
    if is_true(context, 'navigate_to_pose'):  # otherwise params_file decides
        overrides['navigate_to_pose'] = True
    prefix = frame_prefix(context)
    if prefix:
        overrides.update({
            name: prefixed(prefix, parameter_of(file, namespace, 'bug_navigator', name) or frame)
            for name, frame in (('global_frame', 'odom'), ('robot_base_frame', 'base_footprint'))})
    logger = '.'.join(filter(None, (*namespace.split('/'), 'bug_navigator')))
    node = Node(
        package='bug_nav', executable='bug_navigator', name='bug_navigator', namespace=namespace,
        output='screen', emulate_tty=True,
        remappings=[*transforms(context), *([('cmd_vel', 'cmd_vel_nav')] if smoothed else ())],
        respawn=is_true(context, 'use_respawn'), respawn_delay=2.0,
        parameters=[file, {'use_sim_time': sim_time, 'autostart': autostart and not managed,
                           **overrides}],
        ros_arguments=[*enclave('bug_navigator'),
                       '--log-level', f'{logger}:={value(context, "log_level")}'])
    smoothers = velocity_smoother(context, sim_time, stamped) if smoothed else []
    if not managed:
        return [*smoothers, node]
    require_packages('nav2_lifecycle_manager')
    return [*smoothers, node, Node(
        package='nav2_lifecycle_manager', executable='lifecycle_manager',
        name='lifecycle_manager_navigation', namespace=namespace, output='screen',
        ros_arguments=enclave('operator'),
        parameters=[params_file('nav2_lifecycle_manager'),
                    {'use_sim_time': sim_time, 'autostart': autostart}])]


def is_stamped(context: LaunchContext, params: str = '', default: bool = False) -> bool:
    """Return whether commands are TwistStamped: by argument, parameter file or default."""
    if value(context, 'stamped'):
        return is_true(context, 'stamped')
    setting = parameter_of(value(context, 'params_file') or params, value(context, 'namespace'),
                           'bug_navigator', 'enable_stamped_cmd_vel')
    return setting if isinstance(setting, bool) else default


def velocity_smoother(context: LaunchContext, sim_time: bool, stamped: bool) -> List[Action]:
    """
    Return Nav2's velocity_smoother, which stops the robot without commands, and its manager.

    It has its own lifecycle manager, because the navigator may have none, or share Nav2's.
    """
    if value(context, 'keystore'):
        raise LaunchError("use_velocity_smoother is true, and the keystore's policies do not "
                          "include Nav2's velocity_smoother; set use_velocity_smoother to false")
    if stamped and is_humble():
        raise LaunchError('use_velocity_smoother and stamped are true, and the velocity_smoother '
                          'of Humble supports Twist only; set one of them to false')
    try:
        require_packages('nav2_velocity_smoother', 'nav2_lifecycle_manager')
    except LaunchError as error:
        raise LaunchError(f'use_velocity_smoother is true, and {error}, or set '
                          'use_velocity_smoother to false') from None
    argument_name = 'velocity_smoother_params_file'
    namespace, file = value(context, 'namespace'), value(context, argument_name)
    check_params_file(argument_name, file, namespace, 'velocity_smoother')
    common = {'namespace': namespace, 'output': 'screen', 'respawn': True, 'respawn_delay': 1.0}
    return [
        Node(package='nav2_velocity_smoother', executable='velocity_smoother',
             name='velocity_smoother',
             # Humble's ignores the unknown parameter enable_stamped_cmd_vel.
             parameters=[file, {'use_sim_time': sim_time, 'enable_stamped_cmd_vel': stamped}],
             remappings=[('cmd_vel', 'cmd_vel_nav'), ('cmd_vel_smoothed', 'cmd_vel')], **common),
        Node(package='nav2_lifecycle_manager', executable='lifecycle_manager',
             name='lifecycle_manager_velocity_smoother', parameters=[{
                 'use_sim_time': sim_time, 'autostart': True,
                 'node_names': ['velocity_smoother']}], **common)]


def value(context: LaunchContext, name: str) -> str:
    """Return the value of an argument."""
    return str(LaunchConfiguration(name).perform(context))


def is_true(context: LaunchContext, name: str) -> bool:
    """Return the value of a boolean argument; LaunchError if it is not boolean."""
    text = value(context, name)
    if text.lower() not in BOOLEANS:
        raise LaunchError(f'{name} is {text!r}; allowed are true and false')
    return BOOLEANS[text.lower()]


def number(context: LaunchContext, name: str, default: float) -> float:
    """Return the value of a number, or the default if empty; LaunchError if it is not finite."""
    text = value(context, name)
    try:
        found = float(text) if text else default
    except ValueError:
        found = math.nan
    if not math.isfinite(found):
        raise LaunchError(f'{name} is {text!r}; it must be a finite number')
    return found


def transforms(context: LaunchContext) -> List[Tuple[str, str]]:
    """Return the remappings of tf, none if robots share /tf."""
    return [] if frame_prefix(context) else TF_REMAPPINGS


def frame_prefix(context: LaunchContext) -> str:
    """Return the prefix of the robot's frames, empty without the argument."""
    return str(LaunchConfiguration('frame_prefix', default='').perform(context))


def check_no_frame_prefix(context: LaunchContext) -> None:
    """Raise LaunchError for a prefix in a demo, whose robots do not share /tf."""
    if frame_prefix(context):
        raise LaunchError(f'frame_prefix is {frame_prefix(context)!r}, but in a demo every robot '
                          'has its own tf in its namespace; leave it out, or use '
                          'bug_nav.launch.py')


def prefixed(prefix: str, frame: str) -> str:
    """Return the name of a frame with the prefix, if it is one of the robot and has none."""
    is_complete = frame in SHARED_FRAMES or frame.startswith(prefix)
    return frame if is_complete else f'{prefix}{frame}'


def rviz(context: LaunchContext) -> List[Action]:
    """Return rviz2."""
    require_packages('rviz2')
    return [Node(package='rviz2', executable='rviz2', namespace=value(context, 'namespace'),
                 arguments=['-d', value(context, 'rviz_config_file'),
                            '-f', prefixed(frame_prefix(context),
                                           value(context, 'fixed_frame'))],
                 ros_arguments=enclave('client'),
                 parameters=[{'use_sim_time': is_true(context, 'use_sim_time')}],
                 remappings=transforms(context), output='log')]


def localhost_arguments() -> List[Action]:
    """Return the argument that restricts a demo to this host, and its action."""
    return [argument('localhost_only', 'true', 'restrict DDS to this host; other terminals then '
                     f'need "{_export()}"'),
            OpaqueFunction(function=restrict_to_localhost)]


def restrict_to_localhost(context: LaunchContext) -> List[Action]:
    """Return the actions that restrict DDS to this host, if requested."""
    if not is_true(context, 'localhost_only'):
        return []
    # Releases after Humble support the old variable too, but every node warns about it.
    return [UnsetEnvironmentVariable(ON_HUMBLE), SetEnvironmentVariable(*local_only())]


def _export() -> str:
    return 'export {}={}'.format(*local_only())


def send_goal_hint(context: LaunchContext, goal: Optional[Point]) -> List[Action]:
    """Return a log message with the command for a second terminal."""
    words = [f'{_export()};'] if is_true(context, 'localhost_only') else []
    environment = security_environment(context)
    if environment:
        environment['ROS_SECURITY_ENCLAVE_OVERRIDE'] = '/bug_nav/client'
        words += ['export', *(f'{name}={shlex.quote(text)}' for name, text in environment.items())]
        words[-1] += ';'
    place = ' '.join(f'{round(each, 3) + 0.0:g}' for each in goal) if goal else 'X Y'
    words.append(f'ros2 run bug_nav bug_nav send-goal {place}')
    if value(context, 'namespace'):
        words += ['--namespace', shlex.quote(value(context, 'namespace'))]
    hint = f'in another terminal: {" ".join(words)}'
    return [LogInfo(msg=hint if goal else f'{hint}, with your goal for X Y in metres, because '
                    'this world proposes none')]
