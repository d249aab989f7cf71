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

"""The action server, with one goal at a time."""

from __future__ import annotations

import collections
from typing import Any, Callable, Deque, Dict, NamedTuple, Sequence

from bug_nav.navigation.types import ARRIVED, Outcome
from bug_nav_msgs.action import NavigateBug
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future

RESULT_TIMEOUT = 10
"""
Time after its acceptance for which an ended goal stays in the status messages [s].

Each status message lists all goals: with rclpy's default of 15 min, a rapid sequence of goals
slows the node down.
"""
KEPT_RESULTS = 100
"""Number of results kept beyond that, for late requests."""


class ServedAction(NamedTuple):
    """An action that is served, with its conversions to ``navigate_bug``."""

    kind: Any
    name: str
    to_handle: Callable[[Any], Any]
    """Adapts an accepted goal handle to one of NavigateBug."""
    to_result: Callable[[NavigateBug.Result], Any]


NAVIGATE_BUG = ServedAction(
    NavigateBug, 'navigate_bug', lambda handle: handle, lambda result: result)


class ResultKeepingServer(ActionServer):
    """
    Keeps the last results, regardless of the timeout.

    On Humble the timeout counts from a goal's acceptance: the result of a goal that took longer
    would expire at once.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        """Start without results."""
        self._expired: Deque[Any] = collections.deque()
        super().__init__(*args, result_timeout=RESULT_TIMEOUT, **kwargs)

    async def _execute_expire_goals(self, expired_goals: Sequence[Any]) -> None:
        self._expired.extend(expired_goals)
        forgotten = [self._expired.popleft() for _ in range(len(self._expired) - KEPT_RESULTS)]
        await super()._execute_expire_goals(forgotten)


class GoalServer:
    """
    Serves the action ``navigate_bug`` and equivalent ones.

    The execute callback awaits a future that the control loop completes, so that one thread is
    enough. The server exists as long as the node, because destroying it under a spinning executor
    can crash; it rejects goals unless the node is active.
    """

    def __init__(self, node: Node, accepts_goals: Callable[[], bool], begin: Callable[[Any], None],
                 actions: Sequence[ServedAction] = (NAVIGATE_BUG,)):
        """``accepts_goals`` returns whether to accept; ``begin`` gets each accepted handle."""
        self._node, self._accepts_goals, self._begin = node, accepts_goals, begin
        self._futures: Dict[bytes, Future] = {}
        self._servers = [self._serve(action) for action in actions]

    @property
    def pending(self) -> bool:
        """Return whether a result is not yet delivered."""
        return bool(self._futures)

    def finish(self, handle: Any, outcome: Outcome, result: NavigateBug.Result) -> None:
        """End a goal with the status for its outcome, and provide its result."""
        if outcome.value in ARRIVED:
            handle.succeed()
        elif outcome is Outcome.CANCELED and handle.is_cancel_requested:
            handle.canceled()  # only legal after a client's request
        else:
            handle.abort()
        self._futures[_key(handle)].set_result(result)
        if self._node.executor is not None:
            self._node.executor.wake()

    def _serve(self, action: ServedAction) -> ActionServer:
        def accept(handle: Any) -> None:
            self._futures[_key(handle)] = Future()
            handle.execute()
            self._begin(action.to_handle(handle))

        async def execute(handle: Any) -> Any:
            try:
                return action.to_result(await self._futures[_key(handle)])
            finally:
                del self._futures[_key(handle)]

        return ResultKeepingServer(
            self._node, action.kind, action.name, execute, goal_callback=self._on_goal,
            handle_accepted_callback=accept, cancel_callback=lambda _: CancelResponse.ACCEPT)

    def _on_goal(self, request: Any) -> GoalResponse:
        if self._accepts_goals():
            return GoalResponse.ACCEPT
        self._node.get_logger().warning('a goal was rejected: the node is not active')
        return GoalResponse.REJECT


def _key(handle: Any) -> bytes:
    return bytes(handle.goal_id.uuid)
