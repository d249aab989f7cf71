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


"""Without simulated time, the process ticks without the executor, and still handles events."""

import signal

from geometry_msgs.msg import Twist
import pytest
from ros_harness import moves

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', publish_clock=False, real_time_factor=1.0)
    stack.commands = stack.listen(Twist, 'cmd_vel')
    stack.start_navigator(use_sim_time=False)
    return stack


def wait_until_stopped(stack):
    stack.wait(lambda: stack.commands and not moves(stack.commands[-1]))


def test_cancelled_goal_ends(stack):
    under_way = stack.send(9.0, 0.0).under_way()
    under_way.cancel()
    assert under_way.end()[:2] == ('CANCELED', 'CANCELED')
    wait_until_stopped(stack)


def test_newer_goal_supersedes_the_current_one(stack):
    older = stack.send(9.0, 0.0).under_way()
    newer = stack.send(-9.0, 0.0)
    assert older.end()[1] == 'SUPERSEDED'
    newer.under_way().cancel()
    assert newer.end()[1] == 'CANCELED'


def test_services_respond_while_the_robot_drives(stack):
    under_way = stack.send(9.0, 0.0).under_way()
    assert stack.state() == 'active'
    assert stack.set_parameters(scan_timeout=0.6) == ''
    assert not under_way.has_ended
    assert stack.transition('deactivate')
    assert under_way.end()[:2] == ('ABORTED', 'CANCELED')
    wait_until_stopped(stack)
    assert stack.transition('activate')


def test_missing_odometry_stops_the_robot(stack):
    under_way = stack.send(9.0, 0.0).under_way()
    stack.set_parameters('/bug_sim', publish_odom=False)
    assert under_way.end()[1] == 'ODOM_STALE'
    wait_until_stopped(stack)


def test_signal_stops_the_robot_first(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', publish_clock=False, real_time_factor=1.0)
    stack.commands = stack.listen(Twist, 'cmd_vel')
    navigator = stack.start_navigator(use_sim_time=False, use_stop_process=False)
    stack.send(9.0, 0.0).under_way()
    navigator.signal(signal.SIGTERM)
    wait_until_stopped(stack)
    assert navigator.wait() == 0
