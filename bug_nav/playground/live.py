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
Live view of a running robot: its state over a websocket, and goals from the page.

A page receives the newest state only; a slow page skips updates. Closing a page does not stop the
robot.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, Dict, List, Optional, Protocol, Tuple

from bug_nav.files import BadInput
from bug_nav.lab.algorithm_catalogue import catalogue
from bug_nav.navigation.settings import TURN_DIRECTIONS
from bug_nav.playground.request_parser import parse_message, parse_name, parse_numbers
from starlette.websockets import WebSocket, WebSocketDisconnect

Document = Dict[str, Any]

PERIOD = 0.1
"""Period of the updates [s]."""
RECEIVE_PAUSE = 0.05
"""Minimum time between two messages of a page, which limits its rate [s]."""
SEND_TIMEOUT = 10.0
"""Time after which a page that receives nothing is closed [s]."""
MAX_PAGES = 16
MAX_MESSAGE = 2000
"""Maximum length of a message of a page [characters]."""
KINDS = ('live', 'scan', 'path', 'marks', 'state', 'diagnostics')
"""Types of the documents that are sent when they change."""


class Robot(Protocol):
    """Interface of `bug_nav.ros.client.live_robot.LiveRobot`; no method blocks."""

    @property
    def documents(self) -> Dict[str, Document]:
        """Newest document of each type; documents are replaced, never modified."""

    @property
    def ages(self) -> Dict[str, Optional[float]]:
        """Age of the last odometry, scan and node message [s]; None if there was none."""

    def news(self, after: int) -> List[Tuple[int, Document]]:
        """Return the results and errors numbered above ``after``, oldest first."""

    def go(self, x: float, y: float, yaw: Optional[float], algorithm: str, turn: str) -> None:
        """Send a goal."""

    def cancel(self) -> None:
        """Cancel the goal of the node."""

    def close(self) -> None:
        """Close the ROS connection."""


class LiveView:
    """Shows one robot on all open pages."""

    def __init__(self, robot: Robot):
        """Show a robot; `close` closes its connection."""
        self._robot = robot
        names = [(entry.name, entry.metadata.title) for entry in catalogue() if not entry.error]
        self._algorithms = {name for name, _ in names}
        self._options: Document = {
            'type': 'options', 'turns': list(TURN_DIRECTIONS),
            'algorithms': [{'name': name, 'title': title} for name, title in names]}
        self._pages = 0

    def close(self) -> None:
        """Close the ROS connection; the robot continues."""
        self._robot.close()

    async def serve(self, socket: WebSocket) -> None:
        """Serve a page until it is closed."""
        if self._pages >= MAX_PAGES:
            await socket.close(1013, f'{MAX_PAGES} pages are already open')
            return
        self._pages += 1
        try:
            await socket.accept()
            await self._serve(socket)
        except asyncio.CancelledError:  # the server shuts down
            pass
        finally:
            self._pages -= 1

    async def _serve(self, socket: WebSocket) -> None:
        errors: List[str] = []
        tasks = [asyncio.ensure_future(self._receive(socket, errors)),
                 asyncio.ensure_future(self._send_updates(socket, errors))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # ---- to the page --------------------------------------------------------------------------

    async def _send_updates(self, socket: WebSocket, errors: List[str]) -> None:
        """Send changed documents periodically; nothing is queued for a slow page."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            await _send(socket, self._options)
            sent: Dict[str, Document] = {}
            newest = max((count for count, _ in self._robot.news(0)), default=0)
            while True:
                documents = self._robot.documents
                for kind in KINDS:
                    document = documents.get(kind)
                    if kind == 'live' and document is not None:
                        await _send(socket, {**document, 'ages': self._robot.ages})
                    elif document is not None and document is not sent.get(kind):
                        sent[kind] = document
                        await _send(socket, document)
                for count, document in self._robot.news(newest):
                    newest = count
                    await _send(socket, document)
                while errors:
                    await _send(socket, {'type': 'error', 'message': errors.pop()})
                await asyncio.sleep(PERIOD)

    # ---- from the page ------------------------------------------------------------------------

    async def _receive(self, socket: WebSocket, errors: List[str]) -> None:
        """Handle messages until the page closes or sends bytes; collect ``errors``."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, KeyError):
            while True:
                message = await socket.receive_text()
                try:
                    self._handle(message)
                except BadInput as error:
                    errors[:] = [str(error)]
                await asyncio.sleep(RECEIVE_PAUSE)

    def _handle(self, message: str) -> None:
        if len(message) > MAX_MESSAGE:
            raise BadInput(f'a message may have at most {MAX_MESSAGE} characters')
        request = parse_message(message)
        if request.get('type') == 'cancel':
            self._robot.cancel()
        elif request.get('type') == 'goal':
            self._robot.go(*self._goal(request))
        else:
            raise BadInput("the message type must be 'goal' or 'cancel'")

    def _goal(self, request: Document) -> Tuple[float, float, Optional[float], str, str]:
        x, y = parse_numbers([request.get('x'), request.get('y')], 2, 'the goal')
        yaw = request.get('yaw')
        algorithm, turn = parse_name(request, 'algorithm', ''), parse_name(request, 'turn', '')
        if algorithm and algorithm not in self._algorithms:
            raise BadInput(f'unknown algorithm {algorithm!r}')
        if turn and turn not in TURN_DIRECTIONS:
            raise BadInput(f'unknown turn direction {turn!r}; allowed are '
                           f'{", ".join(TURN_DIRECTIONS)}')
        yaw = None if yaw is None else parse_numbers([yaw], 1, 'the yaw')[0]
        return x, y, yaw, algorithm, turn


async def _send(socket: WebSocket, document: Document) -> None:
    """Send a document; TimeoutError if the page no longer receives."""
    text = json.dumps(document, separators=(',', ':'))
    sending = asyncio.ensure_future(socket.send_text(text))
    try:
        # Up to Python 3.11, wait_for may lose a cancellation at the end of the send.
        done, _ = await asyncio.wait([sending], timeout=SEND_TIMEOUT)
    finally:
        sending.cancel()
    if not done:
        raise TimeoutError
    sending.result()
