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

"""Cancel requests at random times: none is lost, and each stops the robot."""

import functools
import random
from types import SimpleNamespace

from bug_nav.navigation.types import Outcome
from bug_nav.ros.node.driver import Driver
from geometry_msgs.msg import Twist
import pytest
from rclpy.clock import Clock
from ros_harness import is_due, moves

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


@pytest.mark.parametrize('outcome', Outcome)
def test_cancel_request_takes_precedence_over_every_outcome(outcome):
    done = []
    driver = Driver(
        SimpleNamespace(get_clock=Clock), 'odom', SimpleNamespace(), None,
        SimpleNamespace(stop=lambda: done.append('stopped')), None, None,
        lambda goal, result, stamp: done.append(result.outcome))
    driver.goal = SimpleNamespace(
        handle=SimpleNamespace(is_cancel_requested=True), navigator=None)
    driver.end(outcome, 'whatever it was')
    assert done == ['stopped', Outcome.CANCELED] and driver.goal is None


@pytest.mark.slow
def test_hundred_cancels_at_random_times_all_stop_the_robot(make_stack):
    stack = make_stack()
    stack.start_sim(world='open')
    navigator = stack.start_navigator()
    commands = stack.listen(Twist, 'cmd_vel')
    moments = random.Random(1)
    ends = []
    for i in range(100):
        del commands[:]
        # Farther than a simulator at full speed drives before the cancel request.
        sent = stack.send(*((100.0, 0.0) if i % 2 else (-100.0, 0.0)))
        stack.wait(functools.partial(is_due, sent, commands, moments.randrange(60)))
        sent.cancel()
        ends.append(sent.end())
        stack.wait(lambda: commands and not moves(commands[-1]))
    assert [end for end in ends if end[:2] != ('CANCELED', 'CANCELED')] == []
    assert 'Traceback' not in navigator.output
