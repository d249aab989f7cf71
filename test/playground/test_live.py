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

"""Websocket of the live view, with a fake robot."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json

from bug_nav.cli import CannotRun, play
from bug_nav.cli.parser import make_parser
from bug_nav.cli.ros_session import require_ros
from bug_nav.navigation.settings import TURN_DIRECTIONS
from bug_nav.playground import live
from bug_nav.playground.live import LiveView, MAX_MESSAGE, MAX_PAGES
from bug_nav.playground.origin_check import LOCAL_HOSTS
from bug_nav.playground.server import Server, with_origin_check
from bug_nav.playground.worker_pool import WorkerPool
from hypothesis import given
from hypothesis import strategies as st
import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

pytestmark = [pytest.mark.xdist_group('playground'), pytest.mark.timeout(60)]
GOAL = {'type': 'goal', 'x': 1.0, 'y': -2.0, 'yaw': None, 'algorithm': '', 'turn': ''}
POSE = {'type': 'live', 'frame': 'odom', 'pose': [0.0, 0.0, 0.0], 'radius': 0.1, 'rho': 0.2}
AGES = {'odom': 0.1, 'scan': None, 'node': 7.0}


class FakeRobot:
    """A robot whose state is set by a test."""

    def __init__(self):
        self.documents, self.ages, self.said = {'live': POSE}, AGES, []
        self.asked, self.is_closed = [], False

    def news(self, after):
        return [each for each in self.said if each[0] > after]

    def go(self, *goal):
        self.asked.append(goal)

    def cancel(self):
        self.asked.append('cancel')

    def close(self):
        self.is_closed = True


class Page:
    """Server side of a websocket; the test acts as the page."""

    def __init__(self):
        self.got, self.came = [], asyncio.Condition()
        self.said = asyncio.Queue()
        self.reads = asyncio.Event()
        self.reads.set()

    async def accept(self):
        pass

    async def close(self, code, reason):
        self.got.append({'type': 'closed', 'code': code, 'reason': reason})

    async def receive_text(self):
        text = await self.said.get()
        if text is None:
            raise WebSocketDisconnect
        return text

    async def send_text(self, text):
        await self.reads.wait()
        async with self.came:
            self.got.append(json.loads(text))
            self.came.notify_all()

    def say(self, message):
        self.said.put_nowait(message if isinstance(message, str) else json.dumps(message))

    async def wait(self, condition):
        """Wait until a condition on the received messages is truthy, and return its value."""
        async with self.came:
            await self.came.wait_for(lambda: condition(self.got))
        return condition(self.got)

    async def next_of(self, kind):
        """Wait for the next message of a type."""
        after = len(self.got)
        found = await self.wait(
            lambda got: [each for each in got[after:] if each['type'] == kind])
        return found[0]


@pytest.fixture
def robot():
    return FakeRobot()


@pytest.fixture(autouse=True)
def fast_updates(monkeypatch):
    monkeypatch.setattr(live, 'PERIOD', 0.001)
    monkeypatch.setattr(live, 'RECEIVE_PAUSE', 0.0)


def with_pages(robot, test, count=1):
    """Run a test with open pages, then close them."""
    async def run():
        shown = LiveView(robot)
        pages = [Page() for _ in range(count)]
        serving = [asyncio.ensure_future(shown.serve(page)) for page in pages]
        for page in pages:
            await page.wait(lambda got: got)
        await test(*pages)
        for page in pages:
            page.reads.set()
            page.said.put_nowait(None)
        await asyncio.wait_for(asyncio.gather(*serving), 60.0)
        # Nothing is sent to a closed page.
        sent = [len(page.got) for page in pages]
        await asyncio.sleep(0.02)
        assert sent == [len(page.got) for page in pages]
    asyncio.run(run())


# ---- to the page ------------------------------------------------------------------------------

def test_page_first_receives_the_options(robot):
    async def look(page):
        options = page.got[0]
        assert options['type'] == 'options' and options['turns'] == list(TURN_DIRECTIONS)
        assert {'name': 'bug2', 'title': 'Bug2'} in options['algorithms']
    with_pages(robot, look)


def test_page_receives_pose_and_data_ages(robot):
    async def look(page):
        assert await page.next_of('live') == {**POSE, 'ages': AGES}
        robot.ages = {**AGES, 'odom': 5.1}
        await page.wait(lambda got: got[-1].get('ages', {}).get('odom') == 5.1)
    with_pages(robot, look)


def test_unchanged_document_is_sent_once(robot):
    robot.documents = {'live': POSE, 'path': {'type': 'path', 'xy': [0, 0]},
                       'marks': {'type': 'marks', 'events': []}}

    async def look(page):
        await page.wait(lambda got: len(got) > 20)
        assert [each['type'] for each in page.got].count('path') == 1
        assert [each['type'] for each in page.got].count('marks') == 1
        robot.documents = {**robot.documents, 'path': {'type': 'path', 'xy': [0, 0, 5, 0]}}
        assert (await page.next_of('path'))['xy'] == [0, 0, 5, 0]
    with_pages(robot, look)


def test_late_page_receives_the_state_but_no_past_results(robot):
    robot.documents['state'] = {'type': 'state', 'state': 'reached', 'active': False}
    robot.said = [(1, {'type': 'result', 'outcome': 'reached', 'message': ''})]

    async def look(page):
        await page.wait(lambda got: any(each['type'] == 'state' for each in got))
        robot.said = [*robot.said, (2, {'type': 'result', 'outcome': 'timeout', 'message': ''})]
        assert (await page.next_of('result'))['outcome'] == 'timeout'
        assert [each['type'] for each in page.got].count('result') == 1
    with_pages(robot, look)


def test_slow_page_receives_the_newest_document_without_a_queue(robot):
    async def look(page):
        page.reads.clear()
        for number in range(200):
            robot.documents = {**robot.documents, 'scan': {'type': 'scan', 'ranges': [number]}}
            await asyncio.sleep(0.001)
        page.reads.set()
        await page.wait(lambda got: any(each.get('ranges') == [199] for each in got))
        assert sum(each['type'] == 'scan' for each in page.got) <= 3
    with_pages(robot, look)


def test_blocked_page_does_not_block_another(robot):
    async def look(blocked, page):
        blocked.reads.clear()
        had = len(blocked.got)
        await page.next_of('live')
        page.say(GOAL)
        robot.documents = {**robot.documents, 'state': {'type': 'state', 'state': 'turning'}}
        await page.next_of('state')
        assert len(blocked.got) <= had + 1
        blocked.say({'type': 'cancel'})  # and its messages are handled
        while 'cancel' not in robot.asked:
            await asyncio.sleep(0.001)
    with_pages(robot, look, 2)


def test_page_that_stops_receiving_is_closed(robot, monkeypatch):
    monkeypatch.setattr(live, 'SEND_TIMEOUT', 0.05)

    async def run():
        shown, page = LiveView(robot), Page()
        serving = asyncio.ensure_future(shown.serve(page))
        await page.next_of('live')
        page.reads.clear()
        await asyncio.wait_for(serving, 60.0)
        assert shown._pages == 0 and not robot.is_closed
    asyncio.run(run())


def test_server_shutdown_closes_its_pages_cleanly(robot):
    async def run():
        shown, page = LiveView(robot), Page()
        serving = asyncio.ensure_future(shown.serve(page))
        await page.next_of('live')
        serving.cancel()
        await asyncio.wait_for(serving, 60.0)
        assert shown._pages == 0
    asyncio.run(run())


# ---- from the page ----------------------------------------------------------------------------

def test_goal_and_cancel_reach_the_robot(robot):
    async def look(page):
        page.say(GOAL)
        page.say({**GOAL, 'yaw': 1.5, 'algorithm': 'bug1', 'turn': 'right'})
        page.say({'type': 'goal', 'x': 3, 'y': 4})
        page.say({'type': 'cancel'})
        while len(robot.asked) < 4:
            await asyncio.sleep(0.001)
    with_pages(robot, look)
    assert robot.asked == [(1.0, -2.0, None, '', ''), (1.0, -2.0, 1.5, 'bug1', 'right'),
                           (3.0, 4.0, None, '', ''), 'cancel']


def test_closing_a_page_does_not_stop_the_robot(robot):
    async def look(page):
        page.say(GOAL)
        while not robot.asked:
            await asyncio.sleep(0.001)
    with_pages(robot, look)
    assert robot.asked == [(1.0, -2.0, None, '', '')] and not robot.is_closed


@pytest.mark.parametrize('message, sentence', [
    ('', 'not valid JSON'), ('{', 'not valid JSON'), ('[' * 900, 'not valid JSON'),
    ('[]', 'not an object'), ('7', 'not an object'), ('{}', "must be 'goal' or 'cancel'"),
    ('{"type":["goal"]}', "must be 'goal' or 'cancel'"),
    ('{"type":"goal","x":NaN,"y":0}', 'NaN is not allowed'),
    ('{"type":"goal","x":0,"y":Infinity}', 'Infinity is not allowed'),
    ('{"type":"goal","x":1e999,"y":0}', 'beyond 100000'),
    ('{"type":"goal","x":1' + 300 * '0' + ',"y":0}', 'beyond 100000'),
    ({**GOAL, 'x': '1'}, 'must have 2 numbers'), ({**GOAL, 'x': True}, 'must have 2 numbers'),
    ({**GOAL, 'y': None}, 'must have 2 numbers'), ({'type': 'goal'}, 'must have 2 numbers'),
    ({**GOAL, 'y': [0]}, 'must have 2 numbers'), ({**GOAL, 'yaw': 'north'}, 'the yaw'),
    ({**GOAL, 'yaw': 1e9}, 'beyond 100000'),
    ({**GOAL, 'algorithm': 'bug3'}, "unknown algorithm 'bug3'"),
    ({**GOAL, 'algorithm': None}, 'algorithm is not a valid name'),
    ({**GOAL, 'algorithm': '../../etc/passwd'}, 'algorithm is not a valid name'),
    ({**GOAL, 'algorithm': 'b' * 50}, 'algorithm is not a valid name'),
    ({**GOAL, 'turn': 'up'}, "unknown turn direction 'up'"),
    ({**GOAL, 'turn': {}}, 'turn is not a valid name'),
    (json.dumps({**GOAL, 'more': 'x' * MAX_MESSAGE}), f'at most {MAX_MESSAGE} characters')])
def test_hostile_message_is_rejected_with_one_sentence(robot, message, sentence):
    async def look(page):
        page.say(message)
        assert sentence in (await page.next_of('error'))['message']
        page.say({'type': 'cancel'})  # and the page still works
        while not robot.asked:
            await asyncio.sleep(0.001)
    with_pages(robot, look)
    assert robot.asked == ['cancel']


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(['type', 'x', 'y', 'yaw', 'algorithm', 'turn', 'a']), inner, max_size=7),
    max_leaves=12)


@functools.lru_cache()
def live_page():
    return LiveView(FakeRobot())


@given(said=JSON | st.fixed_dictionaries({
    'type': st.just('goal'), 'x': JSON, 'y': st.floats(), 'yaw': JSON, 'algorithm': JSON}))
def test_robot_receives_only_finite_numbers_and_known_names(said):
    shown = live_page()
    shown._robot = robot = FakeRobot()
    with contextlib.suppress(live.BadInput):
        shown._handle(json.dumps(said))
    for asked in robot.asked:
        if asked != 'cancel':
            x, y, yaw, algorithm, turn = asked
            assert all(abs(each) <= 1e5 for each in (x, y, yaw or 0.0))
            assert algorithm == '' or algorithm in shown._algorithms
            assert turn in ('', *TURN_DIRECTIONS)


# ---- the server -------------------------------------------------------------------------------

@pytest.fixture
def client(robot, tmp_path):
    pool = WorkerPool(1)
    server = Server(tmp_path, 'demo', pool, LiveView(robot))
    with TestClient(with_origin_check(server.app, LOCAL_HOSTS, ''), base_url='http://localhost',
                    headers={'origin': 'http://localhost'}) as client:
        yield client
    pool.close()


def test_server_shows_the_live_page_and_serves_its_socket(client, robot):
    assert 'live.js' in client.get('/').text
    with client.websocket_connect('ws://localhost/live') as socket:
        assert json.loads(socket.receive_text())['type'] == 'options'
        assert json.loads(socket.receive_text())['ages'] == AGES
        socket.send_text(json.dumps({'type': 'cancel'}))
        socket.send_text('nonsense')
        while json.loads(socket.receive_text())['type'] != 'error':
            pass
    assert robot.asked == ['cancel']


def test_another_site_cannot_control_the_robot(client, robot):
    with pytest.raises(WebSocketDisconnect):
        with client.websocket_connect('ws://localhost/live',
                                      headers={'origin': 'http://evil.example'}) as socket:
            socket.send_text(json.dumps(GOAL))
    assert not robot.asked


def test_binary_message_closes_only_its_page(client, robot):
    with client.websocket_connect('ws://localhost/live') as socket:
        socket.send_bytes(b'\x00\xff')
    with client.websocket_connect('ws://localhost/live') as socket:
        assert json.loads(socket.receive_text())['type'] == 'options'
    assert not robot.asked


def test_too_many_pages_are_rejected(robot):
    async def look(*pages):
        shown = LiveView(robot)
        shown._pages = MAX_PAGES
        late = Page()
        await shown.serve(late)
        assert late.got == [{'type': 'closed', 'code': 1013,
                             'reason': f'{MAX_PAGES} pages are already open'}]
        assert shown._pages == MAX_PAGES
    with_pages(robot, look)


def test_missing_ros_is_reported_before_serving():
    with contextlib.suppress(CannotRun):
        require_ros()
        pytest.skip('ROS 2 is installed')
    with pytest.raises(CannotRun, match='rclpy|bug_nav_msgs'):
        play.main(make_parser().parse_args(['play', '--live']))


def test_close_closes_the_robot(robot):
    LiveView(robot).close()
    assert robot.is_closed
