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

"""Simulated time that is slow, stopped, not yet started, or switched on and off."""

import signal

from bug_nav_msgs.action import NavigateBug
from diagnostic_msgs.msg import DiagnosticArray
import pytest
from ros_harness import NODE
from rosgraph_msgs.msg import Clock

pytestmark = pytest.mark.ros


@pytest.mark.slow
def test_goal_in_a_slow_simulation_is_reached(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=0.08)  # one scan per 2.5 s of real time
    stack.start_navigator()
    assert stack.send(0.2, 0.0).end()[1] == 'REACHED', stack.output


@pytest.fixture(scope='module')
def paused(make_stack):
    """Return a stack with a simulation that a test pauses and resumes."""
    stack = make_stack()
    stack.sim = stack.start_sim(world='open', real_time_factor=1.0)
    stack.start_navigator()
    yield stack
    stack.sim.signal(signal.SIGCONT)


def is_waiting(sent, times):
    """Return whether at least ``times`` feedback messages report waiting for the clock."""
    return sum(feedback.state_name.endswith('waiting_for_clock')
               and feedback.state == NavigateBug.Feedback.HOLDING
               for feedback in sent.feedback) >= times


def test_goal_continues_after_a_pause_of_the_simulation(paused):
    assert paused.set_parameters(give_up_timeout=0.5) == ''
    sent = paused.send(0.6, 0.0).under_way()
    paused.sim.signal(signal.SIGSTOP)
    paused.wait(lambda: is_waiting(sent, 30))
    assert not sent.has_ended
    paused.sim.signal(signal.SIGCONT)
    assert sent.end()[1] == 'REACHED', paused.output


def test_goal_can_be_cancelled_while_the_simulation_is_paused(paused):
    sent = paused.send(2.0, 0.0).under_way()
    paused.sim.signal(signal.SIGSTOP)
    paused.wait(lambda: is_waiting(sent, 1))
    sent.cancel()
    assert sent.end()[:2] == ('CANCELED', 'CANCELED')
    paused.sim.signal(signal.SIGCONT)


def test_pause_longer_than_the_timeout_ends_the_goal(paused):
    assert paused.set_parameters(pause_timeout=2.0) == ''
    sent = paused.send(2.0, 0.0).under_way()
    paused.sim.signal(signal.SIGSTOP)
    status, outcome, message = sent.end()
    assert (status, outcome) == ('ABORTED', 'TIME_JUMPED')
    assert 'is the simulation paused?' in message
    paused.sim.signal(signal.SIGCONT)


def test_use_sim_time_cannot_change_during_a_goal(paused):
    sent = paused.send(0.3, 0.0)
    reason = paused.set_parameters(use_sim_time=False)
    assert 'use_sim_time cannot change' in reason
    assert sent.end()[1] == 'REACHED'
    for simulated in (False, True):
        assert paused.set_parameters(use_sim_time=simulated) == ''
    assert paused.send(0.0, 0.0).end()[1] == 'REACHED'


def test_goal_waits_while_only_the_clock_fails(make_stack):
    stack = make_stack()
    stack.start_sim('-r', '/clock:=/true_clock', world='open', real_time_factor=1.0)
    forward = stack.node.create_publisher(Clock, '/clock', 1)
    fails = []
    stack.node.create_subscription(
        Clock, '/true_clock', lambda clock: fails or forward.publish(clock), 1)
    stack.start_navigator()
    health = stack.listen(DiagnosticArray, '/diagnostics')
    sent = stack.send(1.5, 0.0).under_way()
    fails.append(True)
    stack.wait(lambda: is_waiting(sent, 1) and any(
        'odometry stamps have advanced' in each.status[0].message for each in health))
    fails.clear()
    assert sent.end()[1] == 'REACHED', stack.output


@pytest.mark.slow
def test_goal_waits_for_a_simulation_that_starts_later(make_stack):
    stack = make_stack()
    stack.start(NODE, use_sim_time=True, autostart=True, give_up_timeout=0.5)
    stack.node.create_publisher(Clock, '/clock', 1)
    stack.wait_until_active(with_sensors=False)
    health = stack.listen(DiagnosticArray, '/diagnostics')
    sent = stack.send(0.5, 0.0)
    stack.wait(lambda: len(health) > 7)
    assert not sent.has_ended
    stack.start_sim(world='open', real_time_factor=1.0)
    assert sent.end()[1] == 'REACHED', stack.output
    assert sent.result.total_elapsed_time.sec < 30


def test_goal_without_clock_messages_ends_as_time_jumped(make_stack):
    stack = make_stack()
    stack.start(NODE, use_sim_time=True, autostart=True, give_up_timeout=0.5)
    stack.wait_until_active(with_sensors=False)
    status, outcome, message = stack.send(0.5, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'TIME_JUMPED')
    assert 'no message has arrived on /clock' in message
