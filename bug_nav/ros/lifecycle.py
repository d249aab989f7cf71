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

"""Changes the state of a lifecycle node without a lifecycle manager."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.node import Node

STARTUP = {
    State.PRIMARY_STATE_UNCONFIGURED: Transition.TRANSITION_CONFIGURE,
    State.PRIMARY_STATE_INACTIVE: Transition.TRANSITION_ACTIVATE,
}
"""The transition from each state towards active."""
SHUTDOWN = {
    State.PRIMARY_STATE_UNCONFIGURED: Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
    State.PRIMARY_STATE_INACTIVE: Transition.TRANSITION_INACTIVE_SHUTDOWN,
    State.PRIMARY_STATE_ACTIVE: Transition.TRANSITION_ACTIVE_SHUTDOWN,
}
"""The transition from each state to finalized."""


class LifecycleClient:
    """Queries and changes the state of a lifecycle node."""

    def __init__(self, node: Node, name: str,
                 wait: Callable[[Callable[[], bool], float], bool]):
        """``wait`` spins ``node`` until a condition holds or a timeout [s] expires."""
        self._node, self._name, self._wait = node, name, wait
        self._clients: Dict[str, Any] = {}

    def close(self) -> None:
        """Destroy the clients."""
        for client in self._clients.values():
            self._node.destroy_client(client)
        self._clients.clear()

    def is_active(self, timeout: float) -> bool:
        """Return whether the node is active; wait at most ``timeout`` [s]."""
        return self._state(timeout) == State.PRIMARY_STATE_ACTIVE

    def start_up(self, timeout: float) -> bool:
        """Configure and activate, ``timeout`` [s] per step; return whether the node is active."""
        return self._transition(STARTUP, timeout) == State.PRIMARY_STATE_ACTIVE

    def shut_down(self, timeout: float) -> bool:
        """Shut down, ``timeout`` [s] per step; return whether the node is finalized."""
        return self._transition(SHUTDOWN, timeout) == State.PRIMARY_STATE_FINALIZED

    def _transition(self, steps: Dict[int, int], timeout: float) -> Optional[int]:
        """Make the transitions of ``steps`` until there is none; return the last state."""
        while True:
            state = self._state(timeout)
            if state not in steps:
                return state
            request = ChangeState.Request(transition=Transition(id=steps[state]))
            response = self._call(ChangeState, 'change_state', request, timeout)
            if response is None or not response.success:
                return state

    def _state(self, timeout: float) -> Optional[int]:
        response = self._call(GetState, 'get_state', GetState.Request(), timeout)
        return response.current_state.id if response is not None else None

    def _call(self, kind: Any, service: str, request: Any, timeout: float) -> Any:
        """Call a service; return its response, None after a timeout."""
        # Created on demand: with SROS2, a client that sends goals may not create change_state.
        if service not in self._clients:
            self._clients[service] = self._node.create_client(kind, f'{self._name}/{service}')
        client = self._clients[service]
        if not self._wait(client.service_is_ready, timeout):
            return None
        response = client.call_async(request)
        if not self._wait(response.done, timeout):
            client.remove_pending_request(response)
            return None
        return response.result()
