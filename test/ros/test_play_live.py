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

"""`bug_nav play --live` over real DDS: the display and the commands of a page."""

import contextlib
import json
import math
import re
import signal
import time

from bug_nav.ros.conversions import to_quaternion
from bug_nav.ros.qos import LATCHED
from command_harness import Command, wait_for
from geometry_msgs.msg import TransformStamped
import pytest
from ros_harness import NODE
from tf2_msgs.msg import TFMessage
import uvicorn  # noqa: F401
from websockets.sync.client import connect

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]
AWAY = (30.0, 0.0)
"""A goal that is far away."""


class Page:
    """An open page with the newest document of each type."""

    def __init__(self, port):
        self._open = contextlib.ExitStack()
        self._socket = self._open.enter_context(connect(
            f'ws://127.0.0.1:{port}/live', origin=f'http://127.0.0.1:{port}', max_size=None))
        self.told, self.happened = {}, []

    def say(self, **message):
        self._socket.send(json.dumps(message))

    def go(self, x, y, **words):
        self.say(**{'type': 'goal', 'x': x, 'y': y, 'yaw': None, 'algorithm': '', 'turn': '',
                    **words})

    def wait(self, condition, timeout=60.0):
        """Receive messages until a condition holds, and return its value."""
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, (self.told, self.happened)
            with contextlib.suppress(TimeoutError):
                message = json.loads(self._socket.recv(1.0))
                self.told[message['type']] = message
                if message['type'] in ('result', 'error'):
                    self.happened.append(message)
        return condition()

    def result(self):
        """Wait for the next result or error."""
        del self.happened[:]
        return self.wait(lambda: self.happened and self.happened[0])

    def is_shown(self, *names):
        """Return whether all named sources are being received."""
        ages = self.told.get('live', {}).get('ages', {})
        return all(ages.get(name) is not None and ages[name] < 2.0 for name in names)

    @property
    def state(self):
        return self.told.get('state', {'active': None, 'state': None})

    def close(self):
        self._open.close()


class Server:
    """A running `bug_nav play --live`."""

    def __init__(self, stack, folder, *options):
        self.command = Command('play', '--live', '--no-browser', '--port', '0', *options,
                               folder=folder, environment=stack.environment)
        assert self.command.prints('press Ctrl-C to stop'), self.command.output
        self._port = int(re.search(r':(\d+)/', self.command.output).group(1))
        self._pages = []

    def new_page(self):
        self._pages.append(Page(self._port))
        return self._pages[-1]

    def close(self):
        for page in self._pages:
            page.close()
        self.command.signal(signal.SIGINT)
        code = self.command.code(30.0)
        assert 'Traceback' not in self.command.output, self.command.output
        assert code == 130, self.command.output
        # Python's resource tracker of the workers exits a moment later.
        assert wait_for(lambda: not self.command.left_behind), self.command.left_behind


@pytest.fixture(scope='module')
def stack(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', real_time_factor=3.0)
    stack.navigator = stack.start_navigator()
    return stack


@pytest.fixture(scope='module')
def server(stack, tmp_path_factory):
    server = Server(stack, tmp_path_factory.mktemp('play'))
    yield server
    server.close()


@pytest.fixture
def page(server):
    page = server.new_page()
    page.wait(lambda: page.is_shown('odom', 'scan', 'node') and page.told['live']['pose'])
    yield page
    page.close()


def test_page_receives_pose_scan_state_and_diagnostics(page):
    page.wait(lambda: {'live', 'scan', 'marks', 'state', 'diagnostics'} <= page.told.keys()
              and page.told['live']['radius'])  # a parameter of the node, which is asked for
    live, scan = page.told['live'], page.told['scan']
    assert live['frame'] == 'odom' and len(live['pose']) == 3
    assert (live['radius'], live['rho']) == (0.124, 0.224)
    # The Burger's lidar is 32 mm behind its middle.
    assert math.dist(scan['origin'][:2], live['pose'][:2]) == pytest.approx(0.032, abs=0.002)
    assert len(scan['ranges']) == 360 and all(isinstance(each, int) for each in scan['ranges'])
    assert page.state['active'] is False
    assert page.wait(lambda: {item['name']: item['level'] for item in page.told[
        'diagnostics']['items']} == {'bug_navigator: navigation': 0})


def test_goal_of_a_page_is_shown_on_another_page(server, page):
    other = server.new_page()
    page.go(1.0, 0.5, algorithm='bug1', turn='right')
    page.wait(lambda: page.state['active'])
    assert page.result()['outcome'] == 'reached'
    assert other.result()['outcome'] == 'reached'
    page.wait(lambda: not page.state['active'] and page.state['state'] == 'reached')
    assert page.state['algorithm'] == 'bug1'
    assert page.state['path_length'] > 0.9
    assert page.told['marks']['goal'] == pytest.approx([1.0, 0.5], abs=0.01)
    assert page.state['goal_distance'] < 0.11
    page.wait(lambda: math.dist(page.told['live']['pose'][:2], (1.0, 0.5)) < 0.11)
    # Two poses of a path are 5 cm apart.
    page.wait(lambda: math.dist(page.told['path']['xy'][-2:], (1000, 500)) < 160)


def test_page_cancels_a_goal_of_another_client(stack, page):
    goal = stack.send(*AWAY).under_way()
    page.wait(lambda: page.state['active'])
    page.say(type='cancel')
    assert page.result()['outcome'] == 'canceled'
    assert goal.end()[:2] == ('CANCELED', 'CANCELED')


def test_cancel_without_a_goal_is_an_error(page):
    page.say(type='cancel')
    assert page.result() == {'type': 'error', 'message': 'there is no goal to be cancelled'}


def test_robot_continues_when_the_page_closes(server, page):
    page.go(*AWAY)
    page.wait(lambda: (page.state.get('path_length') or 0.0) > 0.1 and page.state['active'])
    driven = page.state['path_length']
    page.close()
    again = server.new_page()
    again.wait(lambda: again.state['active'] and again.state['path_length'] > driven + 0.5)
    again.say(type='cancel')
    assert again.result()['outcome'] == 'canceled'


def test_rejected_goal_is_reported_with_its_message(page):
    page.go(20_000.0, 0.0)
    ended = page.result()
    assert ended['outcome'] == 'bad_goal' and ended['message']


def test_inactive_node_accepts_no_goals(stack, page):
    assert stack.transition('deactivate')
    page.wait(lambda: page.state['state'] == 'inactive')
    page.go(1.0, 0.0)
    assert 'is not active' in page.result()['message']
    assert stack.transition('activate')
    page.wait(lambda: page.state['state'] != 'inactive')


@pytest.mark.slow
def test_loss_and_return_of_the_robot_are_reported(make_stack, tmp_path):
    stack = make_stack()
    sim = stack.start_sim(world='open', real_time_factor=3.0)
    navigator = stack.start_navigator()
    server = Server(stack, tmp_path)
    page = server.new_page()
    page.wait(lambda: page.is_shown('odom', 'scan', 'node'))
    page.go(*AWAY)
    page.wait(lambda: page.state['active'])
    navigator.signal(signal.SIGKILL)
    navigator.wait()
    page.wait(lambda: page.told['live']['ages']['node'] > 3.0 and page.is_shown('odom', 'scan'))
    # The middleware takes a while to detect that the node is gone.
    assert 'has gone' in page.result()['message']
    page.wait(lambda: not page.state['active'])
    page.go(1.0, 0.0)
    assert 'no node serves /navigate_bug' in page.result()['message']
    sim.signal(signal.SIGSTOP)
    page.wait(lambda: not page.is_shown('odom') and not page.is_shown('scan'))
    sim.signal(signal.SIGCONT)
    stack.start(NODE, autostart=True, use_sim_time=True)
    page.wait(lambda: page.is_shown('odom', 'scan', 'node'))
    stack.wait_until_active()
    x, y, _ = page.told['live']['pose']
    page.go(x, y)
    assert page.result()['outcome'] == 'reached'
    server.close()


@pytest.mark.slow
def test_page_follows_the_sensor_topics_of_the_node(make_stack, tmp_path):
    stack = make_stack(namespace='/one')
    stack.start_sim('-r', 'scan:=front/scan', world='open')
    stack.start_navigator(scan_topic='front/scan')
    server = Server(stack, tmp_path, '--namespace', 'one')
    page = server.new_page()
    page.wait(lambda: page.is_shown('odom', 'scan', 'node') and 'scan' in page.told)
    server.close()


@pytest.mark.slow
def test_page_receives_all_data_in_the_frame_of_a_localizer(make_stack, tmp_path):
    stack = make_stack()
    transform = TransformStamped()
    transform.header.frame_id, transform.child_frame_id = 'map', 'odom'
    transform.transform.translation.x = 5.0
    transform.transform.rotation = to_quaternion(math.pi / 2.0)
    stack.node.create_publisher(TFMessage, '/tf_static', LATCHED).publish(
        TFMessage(transforms=[transform]))
    stack.start_sim(world='open', x_pose=1.0, real_time_factor=3.0)
    stack.start_navigator(global_frame='map')
    server = Server(stack, tmp_path)
    page = server.new_page()
    page.wait(lambda: page.told.get('live', {}).get('frame') == 'map' and 'scan' in page.told)
    page.wait(lambda: page.told['live']['pose'] == pytest.approx(
        [5.0, 1.0, math.pi / 2.0], abs=0.01))
    page.wait(lambda: page.told['scan']['origin'] == pytest.approx(
        [5.0, 0.968, math.pi / 2.0], abs=0.01))
    page.go(5.0, 1.5)
    assert page.result()['outcome'] == 'reached'
    assert page.told['marks']['goal'] == pytest.approx([5.0, 1.5], abs=0.01)
    server.close()


@pytest.mark.slow
def test_invalid_namespace_is_bad_input(tmp_path):
    command = Command('play', '--live', '--no-browser', '--port', '0', '--namespace', 'a b',
                      folder=tmp_path)
    assert command.code() == 2
    assert "--namespace 'a b' is not a valid ROS namespace" in command.output
