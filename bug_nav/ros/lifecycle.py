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

"""Takes a lifecycle node through its states, without a lifecycle manager."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

UP = {
    State.PRIMARY_STATE_UNCONFIGURED: Transition.TRANSITION_CONFIGURE,
    State.PRIMARY_STATE_INACTIVE: Transition.TRANSITION_ACTIVATE,
}
"""The transition that leads on from a state, on the way to active."""
DOWN = {
    State.PRIMARY_STATE_UNCONFIGURED: Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
    State.PRIMARY_STATE_INACTIVE: Transition.TRANSITION_INACTIVE_SHUTDOWN,
    State.PRIMARY_STATE_ACTIVE: Transition.TRANSITION_ACTIVE_SHUTDOWN,
}
"""On the way to finalized."""


class LifecycleClient:
    """Asks a lifecycle node for its state and for transitions."""

    def __init__(self, node: Node, name: str,
                 wait: Callable[[Callable[[], bool], float], bool]):
        """``wait`` spins ``node`` until a condition holds or so many seconds have passed."""
        self._node, self._wait = node, wait
        self._states = node.create_client(GetState, f'{name}/get_state')
        self._changes = node.create_client(ChangeState, f'{name}/change_state')

    def close(self) -> None:
        """Destroy the clients."""
        self._node.destroy_client(self._states)
        self._node.destroy_client(self._changes)

    def is_active(self, timeout: float) -> bool:
        """Tell whether the node is active; ask for ``timeout`` [s] at most."""
        return self._state(timeout) == State.PRIMARY_STATE_ACTIVE

    def start_up(self, timeout: float) -> bool:
        """Configure and activate the node, ``timeout`` [s] a step; tell whether it is active."""
        return self._go(UP, timeout) == State.PRIMARY_STATE_ACTIVE

    def shut_down(self, timeout: float) -> bool:
        """Shut the node down, ``timeout`` [s] a step; tell whether it is finalized."""
        return self._go(DOWN, timeout) == State.PRIMARY_STATE_FINALIZED

    def _go(self, steps: Dict[int, int], timeout: float) -> Optional[int]:
        """Take the steps that there are from state to state; return the last of them."""
        while True:
            state = self._state(timeout)
            if state not in steps:
                return state
            request = ChangeState.Request(transition=Transition(id=steps[state]))
            answer = self._ask(self._changes, request, timeout)
            if answer is None or not answer.success:
                return state

    def _state(self, timeout: float) -> Optional[int]:
        answer = self._ask(self._states, GetState.Request(), timeout)
        return answer.current_state.id if answer is not None else None

    def _ask(self, client: Any, request: Any, timeout: float) -> Any:
        """Call a service; return its answer, None where none comes in time."""
        if not self._wait(client.service_is_ready, timeout):
            return None
        answer = client.call_async(request)
        if not self._wait(answer.done, timeout):
            client.remove_pending_request(answer)
            return None
        return answer.result()
