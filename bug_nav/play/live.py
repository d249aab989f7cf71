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
A running robot in the page: what is heard of it, over a websocket, and goals that are clicked.

A page sees what is newest. One that cannot keep up is sent less of it, and one that closes stops
nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from typing import Any, Dict, List, Optional, Protocol, Tuple

from bug_nav.commands import BadInput
from bug_nav.commands.catalogue import catalogue
from bug_nav.commands.ros_session import let_in, need_ros
from bug_nav.commands.send_goal import checked_namespace
from bug_nav.core.turn_directions import POLICIES
from bug_nav.play.spec import numbers, parse
from starlette.websockets import WebSocket, WebSocketDisconnect

Document = Dict[str, Any]

PERIOD = 0.1
"""What is new is sent as often [s]."""
PAUSE = 0.05
"""A page is heard no more often [s]: who floods the server is made to wait."""
PATIENCE = 10.0
"""A page that takes nothing for so long [s], as a phone that has lost its network, is given up."""
MOST_PAGES = 16
MOST_MESSAGE = 2000
"""Characters of a message of a page."""
KINDS = ('live', 'scan', 'path', 'marks', 'state', 'diagnostics')
"""What there is a newest of."""


class Robot(Protocol):
    """What is asked of `bug_nav.ros.client.live_robot.LiveRobot`; none of it waits."""

    @property
    def told(self) -> Dict[str, Document]:
        """Return the newest document of each type; each is replaced by another, never changed."""

    @property
    def heard(self) -> Dict[str, Optional[float]]:
        """Return for how long [s] odometry, scan and node have been silent; None: ever since."""

    def news(self, after: int) -> List[Tuple[int, Document]]:
        """Return the results and errors with a number above ``after``, the oldest first."""

    def go(self, x: float, y: float, yaw: Optional[float], algorithm: str, turn: str) -> None:
        """Send a goal."""

    def cancel(self) -> None:
        """Have the node end its goal."""

    def close(self) -> None:
        """Listen no longer."""


class Live:
    """Shows one robot to all pages that are open."""

    def __init__(self, namespace: str = '', robot: Optional[Robot] = None):
        """Listen to the node in a namespace; CannotRun without ROS, BadInput for a bad name."""
        self._robot = robot or _robot(namespace)
        names = [(entry.name, entry.facts.title) for entry in catalogue() if not entry.error]
        self._algorithms = {name for name, _ in names}
        self._options: Document = {
            'type': 'options', 'turns': list(POLICIES),
            'algorithms': [{'name': name, 'title': title} for name, title in names]}
        self._pages = 0

    def close(self) -> None:
        """Listen no longer; what the robot does goes on."""
        self._robot.close()

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it is closed."""
        if self._pages >= MOST_PAGES:
            await socket.close(1013, f'{MOST_PAGES} pages are open already')
            return
        self._pages += 1
        try:
            await socket.accept()
            await self._serve(socket)
        except asyncio.CancelledError:  # the server ends, which is nothing to complain of
            pass
        finally:
            self._pages -= 1

    async def _serve(self, socket: WebSocket) -> None:
        refused: List[str] = []
        tasks = [asyncio.ensure_future(self._listen(socket, refused)),
                 asyncio.ensure_future(self._tell(socket, refused))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ---- to the page --------------------------------------------------------------------------

    async def _tell(self, socket: WebSocket, refused: List[str]) -> None:
        """Send what is new, again and again; nothing waits for a page but what is newest then."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            await _send(socket, self._options)
            sent: Dict[str, Document] = {}
            newest = max((count for count, _ in self._robot.news(0)), default=0)
            while True:
                told = self._robot.told
                for kind in KINDS:
                    document = told.get(kind)
                    if kind == 'live' and document is not None:
                        await _send(socket, {**document, 'heard': self._robot.heard})
                    elif document is not None and document is not sent.get(kind):
                        sent[kind] = document
                        await _send(socket, document)
                for count, document in self._robot.news(newest):
                    newest = count
                    await _send(socket, document)
                while refused:
                    await _send(socket, {'type': 'error', 'message': refused.pop()})
                await asyncio.sleep(PERIOD)

    # ---- from the page ------------------------------------------------------------------------

    async def _listen(self, socket: WebSocket, refused: List[str]) -> None:
        """Hear a page until it is closed, or sends bytes; put what was wrong into ``refused``."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
            while True:
                message = await socket.receive_text()
                try:
                    self._hear(message)
                except BadInput as error:
                    refused[:] = [str(error)]
                await asyncio.sleep(PAUSE)

    def _hear(self, message: str) -> None:
        if len(message) > MOST_MESSAGE:
            raise BadInput(f'a message may have up to {MOST_MESSAGE} characters')
        said = parse(message)
        if said.get('type') == 'cancel':
            self._robot.cancel()
        elif said.get('type') == 'goal':
            self._robot.go(*self._goal(said))
        else:
            raise BadInput('the message is neither goal nor cancel')

    def _goal(self, said: Document) -> Tuple[float, float, Optional[float], str, str]:
        x, y = numbers([said.get('x'), said.get('y')], 2, 'the goal')
        yaw = said.get('yaw')
        algorithm, turn = _word(said, 'algorithm'), _word(said, 'turn')
        if algorithm and algorithm not in self._algorithms:
            raise BadInput(f'no algorithm is called {algorithm!r}')
        if turn and turn not in POLICIES:
            raise BadInput(f'no turn direction is called {turn!r}; {", ".join(POLICIES)} are')
        return x, y, None if yaw is None else numbers([yaw], 1, 'the yaw')[0], algorithm, turn


def _robot(namespace: str) -> Robot:
    """Return the robot of the node in a namespace, over ROS."""
    need_ros()
    from bug_nav.ros.client.live_robot import LiveRobot  # only after need_ros
    namespace = checked_namespace(namespace)
    with let_in():
        return LiveRobot(namespace)


def _word(said: Document, name: str) -> str:
    """Return a name that a page gives; '' where it leaves that to the node."""
    value = said.get(name, '')
    if not isinstance(value, str) or not re.fullmatch(r'\w{0,40}', value):
        raise BadInput(f'{name} is no name')
    return value


async def _send(socket: WebSocket, document: Document) -> None:
    """Send a document; TimeoutError where the page takes nothing any more."""
    text = json.dumps(document, separators=(',', ':'))
    sending = asyncio.ensure_future(socket.send_text(text))
    try:
        # Up to Python 3.11, wait_for may lose a cancel that comes as the sending ends.
        done, _ = await asyncio.wait([sending], timeout=PATIENCE)
    finally:
        sending.cancel()
    if not done:
        raise TimeoutError
    sending.result()
