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

"""The action server: takes goals in and gives results out, one goal at a time."""

from __future__ import annotations

import collections
from typing import Any, Callable, Deque, Dict, NamedTuple, Sequence

from bug_nav.core.interface import Outcome
from bug_nav_msgs.action import NavigateBug
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future

RESULT_TIMEOUT = 10
"""
The status of a goal is told for so long [s] after it was accepted, or while it is under way.

Every change of any goal's status tells that of all: with rclpy's quarter of an hour, who sends one
goal after the other slows the node down.
"""
KEPT = 100
"""So many results are kept beyond that, for who has not asked for them before."""


class Door(NamedTuple):
    """An action that goals come in by."""

    kind: Any
    name: str
    to_handle: Callable[[Any], Any]
    """Gives an accepted goal's handle the shape of one of NavigateBug."""
    to_result: Callable[[NavigateBug.Result], Any]


NAVIGATE_BUG = Door(NavigateBug, 'navigate_bug', lambda handle: handle, lambda result: result)


class KeepingServer(ActionServer):
    """
    Keeps the last results, whatever the time.

    On Humble the time counts from a goal's acceptance: the result of a goal that took longer was
    gone when it came.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        """Begin with none."""
        self._expired: Deque[Any] = collections.deque()
        super().__init__(*args, result_timeout=RESULT_TIMEOUT, **kwargs)

    async def _execute_expire_goals(self, expired_goals: Sequence[Any]) -> None:
        self._expired.extend(expired_goals)
        forgotten = [self._expired.popleft() for _ in range(len(self._expired) - KEPT)]
        await super()._execute_expire_goals(forgotten)


class GoalServer:
    """
    Serves the action ``navigate_bug``, and others that lead to the same place.

    The execute callback awaits a future that the control loop completes, so that one thread
    serves everything. The server lives as long as the node: to destroy it under a spinning
    executor can crash, so that the active state is what lets goals in.
    """

    def __init__(self, node: Node, is_open: Callable[[], bool], begin: Callable[[Any], None],
                 doors: Sequence[Door] = (NAVIGATE_BUG,)):
        """``is_open`` tells whether goals are accepted; ``begin`` gets each accepted handle."""
        self._node, self._is_open, self._begin = node, is_open, begin
        self._futures: Dict[bytes, Future] = {}
        self._servers = [self._serve(door) for door in doors]

    @property
    def pending(self) -> bool:
        """Tell whether a result has yet to be given out."""
        return bool(self._futures)

    def finish(self, handle: Any, outcome: Outcome, result: NavigateBug.Result) -> None:
        """End a goal: the status by its outcome, and the result to whoever asks for it."""
        if outcome is Outcome.REACHED:
            handle.succeed()
        elif outcome is Outcome.CANCELED and handle.is_cancel_requested:
            handle.canceled()  # only legal after a client's request
        else:
            handle.abort()
        self._futures[_key(handle)].set_result(result)
        if self._node.executor is not None:
            self._node.executor.wake()

    def _serve(self, door: Door) -> ActionServer:
        def accept(handle: Any) -> None:
            self._futures[_key(handle)] = Future()
            handle.execute()
            self._begin(door.to_handle(handle))

        async def execute(handle: Any) -> Any:
            try:
                return door.to_result(await self._futures[_key(handle)])
            finally:
                del self._futures[_key(handle)]

        return KeepingServer(
            self._node, door.kind, door.name, execute, goal_callback=self._on_goal,
            handle_accepted_callback=accept, cancel_callback=lambda _: CancelResponse.ACCEPT)

    def _on_goal(self, request: Any) -> GoalResponse:
        if self._is_open():
            return GoalResponse.ACCEPT
        self._node.get_logger().warning('a goal was rejected: the node is not active')
        return GoalResponse.REJECT


def _key(handle: Any) -> bytes:
    return bytes(handle.goal_id.uuid)
