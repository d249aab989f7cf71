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

"""Launch the embedded simulator, the navigator and rviz2."""

from typing import List

from bug_nav.ros.launching.actions import (
    argument,
    check_no_frame_prefix,
    enclave,
    is_stamped,
    is_true,
    localhost_arguments,
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
    check_params_file,
    LaunchError,
    parameter_of,
    params_file,
)
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import check_sensor, find_robot
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import OpaqueFunction
from launch_ros.actions import Node


def generate_launch_description() -> LaunchDescription:
    """Describe the launch."""
    return LaunchDescription([
        namespace_argument(),
        argument('world', 'demo', 'a shipped world (`bug_nav worlds` lists them), a world file, '
                 'the map of a map_server, or a random world such as random:cluttered?seed=7'),
        argument('robot', 'burger', 'a robot that `bug_nav robots` lists'),
        argument('sim_params_file', '', 'parameter file of the simulator, for noise, drift or a '
                 'localizer; empty: none'),
        *start_pose_arguments(),
        argument('real_time_factor', '1.0',
                 'simulated time per real time; 0: as fast as the navigator can drive'),
        *rviz_arguments(),
        *navigator_arguments('true'),
        *localhost_arguments(),
        *security_arguments(),
        OpaqueFunction(function=simulation),
    ])


def simulation(context: LaunchContext) -> List[Action]:
    """Check the arguments; return the simulator, the navigator and rviz2."""
    check_no_frame_prefix(context)
    namespace, robot = value(context, 'namespace'), value(context, 'robot')
    try:
        world = find_world(value(context, 'world'))
        preset = find_robot(robot)
        check_sensor(preset.sensor, preset.model, preset.settings, robot)
    except ValueError as error:
        raise LaunchError(str(error)) from None
    noise = value(context, 'sim_params_file')
    if noise:
        check_params_file('sim_params_file', noise, namespace, 'bug_sim')
    place = start_pose(context, world.start or (0.0, 0.0, 0.0))
    frame = parameter_of(value(context, 'params_file') or params_file(robot), namespace,
                         'bug_navigator', 'robot_base_frame')
    return [
        Node(package='bug_nav', executable='bug_sim', name='bug_sim', namespace=namespace,
             output='screen', emulate_tty=True, remappings=TF_REMAPPINGS,
             ros_arguments=enclave('bug_sim'),
             parameters=[*([noise] if noise else ()),
                         {'world': value(context, 'world'), 'robot': robot,
                          'base_frame_id': frame or 'base_footprint',
                          'x_pose': place.x, 'y_pose': place.y, 'yaw': place.theta,
                          'real_time_factor': number(context, 'real_time_factor', 1.0),
                          'enable_stamped_cmd_vel': is_stamped(context, params_file(robot))}]),
        *navigator(context, params_file(robot)),
        *(rviz(context) if is_true(context, 'use_rviz') else ()),
        *send_goal_hint(context, world.goal),
    ]
