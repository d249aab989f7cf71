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

"""A service client that does not block."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

from bug_nav.ros.client.navigator import ANSWER_TIMEOUT
from rclpy.node import Node
from rclpy.task import Future


class ServiceCall:
    """Calls a service without blocking, one request at a time."""

    def __init__(self, node: Node, kind: Any, name: str):
        self._client = node.create_client(kind, name)
        self._pending: Optional[Future] = None
        self._called_at = 0.0
        self._on_timeout: Callable[[], None] = lambda: None

    @property
    def is_available(self) -> bool:
        """Return whether a server is available."""
        return bool(self._client.service_is_ready())

    def call(self, request: Any, on_response: Callable[[Any], None],
             on_timeout: Callable[[], None] = lambda: None) -> bool:
        """
        Call unless a request is pending; return whether a server is available.

        `expire` calls ``on_timeout`` if no response arrives in time.
        """
        self.expire()
        if not self.is_available:
            return False
        if self._pending is None:
            self._called_at, self._on_timeout = time.monotonic(), on_timeout
            self._pending = self._client.call_async(request)
            self._pending.add_done_callback(lambda done: self._on_done(done, on_response))
        return True

    def expire(self) -> None:
        """Drop a request that timed out."""
        if self._pending is not None and time.monotonic() - self._called_at > ANSWER_TIMEOUT:
            self._client.remove_pending_request(self._pending)
            self._pending = None
            self._on_timeout()

    def _on_done(self, done: Future, on_response: Callable[[Any], None]) -> None:
        response = done.result()
        if done is self._pending:
            self._pending = None
            on_response(response)
