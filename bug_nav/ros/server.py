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

from typing import Any, Callable, Dict, NamedTuple, Sequence

from bug_nav.interface import Outcome
from bug_nav_msgs.action import NavigateBug
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future


class Door(NamedTuple):
    """An action that goals come in by."""

    kind: Any
    name: str
    to_handle: Callable[[Any], Any]
    """Gives an accepted goal's handle the shape of one of NavigateBug."""
    to_result: Callable[[NavigateBug.Result], Any]


NAVIGATE_BUG = Door(NavigateBug, 'navigate_bug', lambda handle: handle, lambda result: result)


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

        return ActionServer(
            self._node, door.kind, door.name, execute, goal_callback=self._on_goal,
            handle_accepted_callback=accept, cancel_callback=lambda _: CancelResponse.ACCEPT)

    def _on_goal(self, request: Any) -> GoalResponse:
        if self._is_open():
            return GoalResponse.ACCEPT
        self._node.get_logger().warning('a goal was rejected: the node is not active')
        return GoalResponse.REJECT


def _key(handle: Any) -> bytes:
    return bytes(handle.goal_id.uuid)
