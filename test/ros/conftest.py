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

"""Fixtures of the ROS suite: message packages, and an isolated DDS domain."""

import contextlib
import os

from bug_nav.messages.ros_distribution import confine
import pytest

MISSING = []
try:
    import rclpy  # noqa: F401
except ImportError:
    MISSING.append('rclpy')
try:
    from bug_nav_msgs.action import NavigateBug  # noqa: F401
except ImportError:
    MISSING.append('bug_nav_msgs')
collect_ignore_glob = ['test_*.py'] if MISSING else []


def pytest_report_header(config):
    if MISSING:
        return f'test/ros: not collected, for want of {" and ".join(MISSING)}'
    return None


if not MISSING:
    confine(os.environ)  # before the first context is made
    from nav_msgs.msg import Odometry
    from rclpy.signals import uninstall_signal_handlers
    from ros_harness import Stack

    LIVE_STACKS = []
    """The live stacks, in order of creation."""

    def close_from(first):
        with contextlib.ExitStack() as closing:
            for stack in LIVE_STACKS[first:]:
                closing.callback(stack.close)
            del LIVE_STACKS[first:]

    @pytest.fixture(scope='module')
    def make_stack(tmp_path_factory):
        """
        Return a function that creates stacks; they end with the test, even if it fails.

        Stacks of a module's fixture end with the module.
        """
        first = len(LIVE_STACKS)

        def make(**kwargs):
            LIVE_STACKS.append(Stack(tmp_path_factory.mktemp('log'), **kwargs))
            return LIVE_STACKS[-1]
        yield make
        close_from(first)

    @pytest.fixture(autouse=True)
    def isolated_stacks():
        """Close the stacks of a test, and restore those of its module."""
        shared = list(LIVE_STACKS)
        for stack in shared:
            stack.begin_test()
        yield
        # try_shutdown() leaves rclpy's handlers installed, and SIGINT would not end the suite.
        uninstall_signal_handlers()
        close_from(len(shared))
        for stack in shared:
            stack.end_test()

    @pytest.fixture(scope='module')
    def robot(make_stack):
        """Return a simulated robot with space around it, without a navigator."""
        stack = make_stack()
        stack.start_sim(world='demo', real_time_factor=1.0, x_pose=1.5, y_pose=3.0)
        heard = stack.listen(Odometry, 'odom')
        stack.wait(lambda: len(heard) > 20)
        return stack

    @pytest.fixture(scope='module')
    def stack(make_stack):
        """Return a stack with an active node in the open world; a module may override it."""
        stack = make_stack()
        stack.start_sim(world='open')
        stack.navigator = stack.start_navigator()
        return stack
