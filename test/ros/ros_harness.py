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
Processes and a client for tests over real DDS.

It replaces launch_testing, which is not on PyPI. A test waits for conditions and never sleeps. Its
processes are ended by process ID, or by Linux if the tests die.
"""

import contextlib
import os
import signal

from action_msgs.msg import GoalStatus
from bug_nav.cli.child_processes import ChildProcess
from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.ros.process import spin_until
from bug_nav.ros.results import outcome_of
from bug_nav_msgs.action import NavigateBug
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from forked import Forked
from geometry_msgs.msg import Twist
from lifecycle_msgs.srv import ChangeState, GetState
from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.srv import GetParameters, SetParametersAtomically
import rclpy
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Empty
from unique_identifier_msgs.msg import UUID

NODE, SIM = 'bug_nav.ros.node.main', 'bug_nav.ros.sim.node'
TIMEOUT = 30.0
STATUS = {GoalStatus.STATUS_SUCCEEDED: 'SUCCEEDED', GoalStatus.STATUS_CANCELED: 'CANCELED',
          GoalStatus.STATUS_ABORTED: 'ABORTED'}


class Stack:
    """
    Processes in their own DDS domain, and a client node in this process.

    ``domain`` is one that the caller has reserved.
    """

    def __init__(self, folder, namespace='', name='bug_navigator', domain=None, args=None,
                 **client):
        self.folder, self.namespace, self.name = folder, namespace, f'{namespace}/{name}'
        self.processes, self._outpaces_time = [], False
        self._answers = False
        """Whether the action server has answered since it may have been created."""
        self.context = Context()
        # Cleanup runs in reverse order, and each step runs even if another one fails.
        self._closing = contextlib.ExitStack()
        self.domain = domain or self._closing.enter_context(reserved_domain())
        rclpy.init(args=args, context=self.context, domain_id=self.domain)
        self._closing.callback(rclpy.try_shutdown, context=self.context)
        self.node = rclpy.create_node(
            'test_client', namespace=namespace, context=self.context, **client)
        self._closing.callback(self.node.destroy_node)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self._closing.callback(self.executor.shutdown)
        self._client = ActionClient(self.node, NavigateBug, 'navigate_bug')
        self._services = {}
        self._clock = None
        self.begin_test()

    def close(self):
        self._closing.callback(self._end_processes, 0)
        self._closing.close()

    def _end_processes(self, first):
        """Stop the processes, in order of their start."""
        with contextlib.ExitStack() as ending:
            for process in self.processes[first:]:
                process.interrupt()  # all of them, so that they end at the same time
                ending.callback(process.end)
            del self.processes[first:]

    # ---- changes of a test that must not affect the next one ------------------------------------

    def begin_test(self):
        """Save the current state, which every test starts with."""
        self._started, self._sent, self._before = len(self.processes), [], {}

    def end_test(self):
        """Stop the processes and restore the settings of a test, because the stack outlives it."""
        sent, before = self._sent, self._before
        self._end_processes(self._started)
        self.begin_test()
        for process in self.processes:
            process.signal(signal.SIGCONT)  # if the test has stopped it
        # Processes that ended during the test cannot be queried.
        running = {process.name for process in self.processes if not process.ended}
        for goal in sent:
            if NODE in running and goal.accepted and not goal.has_ended:
                goal.cancel()
                goal.end()
        for node, values in before.items():
            if (SIM if node.endswith('/bug_sim') else NODE) in running:
                reason = self._set(node, list(values.values()))
                assert not reason, reason

    # ---- processes ----------------------------------------------------------------------------

    def start(self, program, *arguments, path='', **parameters):
        """Start a node, a module or an absolute path; ``path`` is prepended to its module path."""
        self._answers = False
        if program == NODE and self._outpaces_time:
            # On a busy machine, a message may be later than the default of 2 s of simulated time.
            parameters.setdefault('give_up_timeout', 10.0)
        arguments = ['--ros-args', *arguments]
        if self.namespace:
            arguments += ['-r', f'__ns:={self.namespace}']
        for name, value in parameters.items():
            text = str(value).lower() if isinstance(value, bool) else value
            arguments += ['-p', f'{name}:={text}']
        return self.run(program, arguments, self.environment, [str(path)] if path else [])

    @property
    def environment(self):
        """Return the environment of a process in the domain."""
        return dict(os.environ, ROS_DOMAIN_ID=str(self.domain))

    def run(self, program, arguments, environment, path=()):
        log = self.folder / f'{len(self.processes)}.log'
        self.processes.append(
            ChildProcess(program, [program, *arguments], log, environment, orphaned=signal.SIGKILL)
            if os.path.isabs(program) else Forked(program, arguments, log, environment, path))
        return self.processes[-1]

    def start_sim(self, *arguments, **parameters):
        factor = parameters.setdefault('real_time_factor', 0.0)
        self._outpaces_time = factor == 0.0
        return self.start(SIM, *arguments, **parameters)

    def start_navigator(self, *arguments, with_sensors=True, **parameters):
        """Start an active node, and wait until it receives sensor data."""
        parameters.setdefault('use_sim_time', True)
        process = self.start(NODE, *arguments, autostart=True, **parameters)
        self.wait_until_active(with_sensors)
        return process

    def wait_until_active(self, with_sensors=True, timeout=TIMEOUT):
        """Wait until the node is active and receives sensor data."""
        assert self._client.wait_for_server(timeout), self.output
        health = self.listen(DiagnosticArray, '/diagnostics')
        if with_sensors:
            self.wait(lambda: health and health[-1].status[0].level == DiagnosticStatus.OK,
                      timeout)
        self.wait(lambda: self.state() == 'active')

    @property
    def output(self):
        """Return the latest output of the processes."""
        return '\n'.join(process.output[-2000:] for process in self.processes)

    # ---- waiting ------------------------------------------------------------------------------

    def wait(self, condition, timeout=TIMEOUT):
        """Spin until a condition holds, and return its value."""
        value = spin_until(self.executor, condition, timeout)
        assert value, f'waited too long\n{self.output}'
        return value

    def wait_for(self, future, timeout=TIMEOUT):
        self.wait(future.done, timeout)
        return future.result()

    def wait_for_answers(self, client):
        """
        Ask for the result of an unknown goal until an answer arrives.

        A server that was just discovered may not have discovered the client yet. Its answers are
        then lost, even that to a goal that it has accepted.
        """
        if self._answers:
            return
        unknown = ClientGoalHandle(
            client, UUID(), client._action_type.Impl.SendGoalService.Response())
        for _ in range(int(TIMEOUT)):
            answer = unknown.get_result_async()
            self._answers = spin_until(self.executor, answer.done, 1.0)
            if self._answers:
                return
        raise AssertionError(f'the action server does not answer\n{self.output}')

    def call(self, kind, name, request, timeout=TIMEOUT):
        if name not in self._services:
            self._services[name] = self.node.create_client(kind, name)
        assert self._services[name].wait_for_service(TIMEOUT), name
        return self.wait_for(self._services[name].call_async(request), timeout)

    def listen(self, kind, topic, qos=100):
        """Return the list to which the messages of a topic are appended."""
        heard = []
        self.node.create_subscription(kind, topic, heard.append, qos)
        return heard

    def publisher(self, kind, topic):
        """Return a publisher with a subscriber."""
        publisher = self.node.create_publisher(kind, topic, 10)
        self.wait(lambda: publisher.get_subscription_count() > 0)
        return publisher

    # ---- the navigator ------------------------------------------------------------------------

    def state(self):
        """Query the node's state; repeat it if DDS loses a response while connecting."""
        name = f'{self.name}/get_state'
        for _ in range(15):
            try:
                return self.call(GetState, name, GetState.Request(), 2.0).current_state.label
            except AssertionError as late:
                lost = late
        raise lost

    def transition(self, label):
        self._answers = self._answers and label != 'configure'
        request = ChangeState.Request()
        request.transition.label = label
        success = self.call(ChangeState, f'{self.name}/change_state', request).success
        if success and label == 'activate' and self._outpaces_time:
            # Without the transforms, a goal would end within half a second.
            self.wait_until_active()
        return success

    def set_parameters(self, node=None, **values):
        """Set parameters of a node atomically; return the reason if rejected."""
        node = node or self.name
        asked = GetParameters.Request(names=list(values))
        found = self.call(GetParameters, f'{node}/get_parameters', asked).values
        reason = self._set(node, [Parameter(name, value=value).to_parameter_msg()
                                  for name, value in values.items()])
        if not reason:
            before = self._before.setdefault(node, {})
            for name, value in zip(values, found):
                before.setdefault(name, ParameterMessage(name=name, value=value))
        return reason

    def _set(self, node, parameters):
        request = SetParametersAtomically.Request(parameters=parameters)
        result = self.call(
            SetParametersAtomically, f'{node}/set_parameters_atomically', request).result
        return '' if result.successful else result.reason

    def reset_sim(self):
        """Reset the simulation, and wait until all nodes have noticed."""
        if self._clock is None:
            self._clock = self.listen(Clock, '/clock')
        self.wait(lambda: self._clock)
        before = self._clock[-1].clock.sec
        self.call(Empty, f'{self.namespace}/bug_sim/reset', Empty.Request())
        del self._clock[:]
        # Messages in transit from before the reset arrive first, and the clock may run fast.
        self.wait(lambda: len(self._clock) > 5 and self._clock[-1].clock.sec < max(before, 5))
        if any(process.name == NODE for process in self.processes):
            # The node handles these requests after the five clock messages; at the first it may
            # still be handling earlier events.
            self.state()
            self.state()

    def send(self, x=0.0, y=0.0, frame='', **fields):
        """Send a goal, and record its feedback."""
        goal = NavigateBug.Goal(**fields)
        goal.pose.header.frame_id = frame
        goal.pose.pose.position.x, goal.pose.pose.position.y = float(x), float(y)
        return self.send_goal(goal)

    def send_goal(self, goal):
        self._sent.append(SentGoal(self, self._client, goal))
        return self._sent[-1]


class SentGoal:
    """A goal that was sent, with its feedback and its result."""

    def __init__(self, stack, client, goal):
        self._stack = stack
        self.feedback = []
        assert client.wait_for_server(TIMEOUT), stack.output
        stack.wait_for_answers(client)
        self.handle = stack.wait_for(client.send_goal_async(
            goal, feedback_callback=lambda message: self.feedback.append(message.feedback)))
        self.accepted = self.handle.accepted
        self._result = self.handle.get_result_async() if self.accepted else None

    def under_way(self, path_length=0.05):
        """
        Wait until the robot has driven ``path_length`` [m].

        The goal must be far away: feedback is sent at 10 Hz, and a simulation without a
        real_time_factor may reach a near goal before the second feedback.
        """
        self._stack.wait(lambda: self.has_ended or (
            self.feedback and self.feedback[-1].path_length > path_length))
        assert not self.has_ended, f'the goal has ended: {self.end()}\n{self._stack.output}'
        return self

    @property
    def has_ended(self):
        return self._result.done()

    def cancel(self):
        return self._stack.wait_for(self.handle.cancel_goal_async())

    def end(self, timeout=60.0):
        """Wait for the result; return (status, outcome, message)."""
        self.wrapped = self._stack.wait_for(self._result, timeout)
        self.result = self.wrapped.result
        return (STATUS[self.wrapped.status], outcome_of(self.result.outcome).name,
                self.result.error_msg)


def lines_of(output):
    """Return the lines of an output without those of the middleware."""
    return [line for line in output.splitlines()
            if '[rcl]' not in line and 'is not multicast-capable' not in line]


def moves(twist: Twist):
    return twist.linear.x != 0.0 or twist.angular.z != 0.0


def is_due(sent, commands, ticks):
    """Return whether a goal had some commands, or has ended."""
    return len(commands) >= ticks or sent.has_ended


def write_plugin(folder, name, code, entry_points):
    """Write an installed third-party package with entry points."""
    (folder / f'{name}_plugin.py').write_text(code)
    info = folder / f'{name}_plugin-1.0.dist-info'
    info.mkdir()
    (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}-plugin\nVersion: 1.0\n')
    (info / 'entry_points.txt').write_text(entry_points)
