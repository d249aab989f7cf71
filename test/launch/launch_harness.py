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

"""Run a launch file of this package in its own DDS domain."""

from geometry_msgs.msg import Twist
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, SetEnvironmentVariable
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare
from launch_testing.actions import ReadyToTest
from launch_testing.asserts import assertExitCodes
from ros_harness import moves, Stack

STARTS = 180.0
"""Maximum time until a node is active, whose first start compiles for minutes if busy [s]."""


def launch(file, namespace='', **arguments):
    """
    Return the result of generate_test_description for an installed launch file.

    Tests receive the `stack`, a client in the same domain and namespace, and must close it. They
    are ready at once and wait for conditions, because launch_testing allows 15 s to become ready.
    """
    stack = Stack(None, namespace=f'/{namespace}' if namespace else '')
    stack.gazebo = f'http://127.0.0.1:{11500 + stack.domain}'
    variables = {'ROS_DOMAIN_ID': str(stack.domain), 'GAZEBO_MASTER_URI': stack.gazebo}
    source = PythonLaunchDescriptionSource(
        PathJoinSubstitution([FindPackageShare('bug_nav'), 'launch', file]))
    return LaunchDescription([
        *(SetEnvironmentVariable(name, value) for name, value in variables.items()),
        IncludeLaunchDescription(
            source, launch_arguments={'namespace': namespace, **arguments}.items()),
        ReadyToTest(),
    ]), {'stack': stack}


def assert_cancel_stops(stack, x, y):
    """Cancel an active goal; assert its outcome and that the robot stops."""
    commands = stack.listen(Twist, 'cmd_vel')
    sent = stack.send(x, y).under_way()
    stack.wait(lambda: any(map(moves, commands)))
    sent.cancel()
    assert sent.end()[:2] == ('CANCELED', 'CANCELED')
    stack.wait(lambda: not moves(commands[-1]))


def text_of(proc_output):
    """Return the output of all processes."""
    return ''.join(said.text.decode() for said in proc_output)


def assert_clean_end(proc_info, proc_output, processes):
    """Assert that the expected number of processes has exited cleanly."""
    assert len(proc_info.process_names()) == processes, proc_info.process_names()
    assertExitCodes(proc_info)
    assert 'Traceback' not in text_of(proc_output)
