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

"""gazebo_demo.launch.py end to end: a TurtleBot3 in Gazebo, from the goal to the verdict."""

import os
from pathlib import Path
import signal
import time
import unittest

from bug_nav.ros.launching.resources import package_share
from launch_harness import assert_cancel_stops, launch, STARTS, text_of
import launch_testing
from launch_testing.asserts import assertExitCodes
import pytest

MISSING = [name for name in ('gazebo_ros', 'turtlebot3_gazebo') if package_share(name) is None]
ENDS = 10.0
"""Maximum time for which a process may outlive its launch [s]."""


@pytest.mark.launch_test
@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.gazebo
@pytest.mark.skipif(bool(MISSING), reason=f'not installed: {", ".join(MISSING)}')
def generate_test_description():
    return launch('gazebo_demo.launch.py', world='pole', model='burger', x_pose='1.0',
                  y_pose='0.0', headless='true')


class TestGoals(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)

    def test_gazebo_has_its_own_address(self, stack):
        assert processes_of(stack.gazebo)

    def test_goal_behind_the_pole_is_reached(self, stack):
        assert stack.send(1.0, 0.0).end(timeout=120.0)[1] == 'REACHED'
        sent = stack.send(3.0, 0.0)
        assert sent.end(timeout=120.0)[:2] == ('SUCCEEDED', 'REACHED')
        assert sent.result.number_of_hits == 1

    def test_goal_in_the_pole_is_proven_unreachable(self, stack):
        sent = stack.send(2.0, 0.02)
        assert sent.end(timeout=120.0)[:2] == ('ABORTED', 'UNREACHABLE')
        # Once around the square of 0.1 m, inflated by the contour radius of 0.224 m.
        assert 1.6 < sent.result.lap_length < 2.4

    def test_canceled_goal_stops_the_robot(self, stack):
        assert_cancel_stops(stack, 1.0, 10.0)


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    @classmethod
    def tearDownClass(cls, stack):
        # Not earlier, because the domain and the address of Gazebo stay reserved until then.
        stack.close()

    def test_navigator_exits_cleanly(self, proc_info, proc_output):
        assertExitCodes(proc_info, process='bug_navigator')
        assert 'Traceback' not in text_of(proc_output)

    def test_no_processes_are_left_behind(self, stack):
        deadline = time.monotonic() + ENDS
        while processes_of(stack.gazebo) and time.monotonic() < deadline:
            pass
        left = processes_of(stack.gazebo)
        for process in left:  # a test ends its processes even if it fails
            os.kill(process, signal.SIGKILL)
        assert not left


def processes_of(gazebo):
    """Return the IDs of the processes that use the Gazebo at an address."""
    setting = f'GAZEBO_MASTER_URI={gazebo}'.encode()
    found = []
    for environment in Path('/proc').glob('[0-9]*/environ'):
        try:
            if setting in environment.read_bytes().split(b'\0'):
                found.append(int(environment.parent.name))
        except OSError:  # it has exited, or belongs to another user
            continue
    return [process for process in found if process != os.getpid()]
