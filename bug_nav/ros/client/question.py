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

"""Asks a service without waiting for it."""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

from bug_nav.ros.client.navigator import ANSWER_TIMEOUT
from rclpy.node import Node
from rclpy.task import Future


class Question:
    """A service that is asked one thing at a time, and not waited for."""

    def __init__(self, node: Node, kind: Any, name: str):
        self._client = node.create_client(kind, name)
        self._pending: Optional[Future] = None
        self._asked_at = 0.0
        self._late: Callable[[], None] = lambda: None

    @property
    def is_heard(self) -> bool:
        """Tell whether there is anybody to answer."""
        return bool(self._client.service_is_ready())

    def ask(self, request: Any, hear: Callable[[Any], None],
            late: Callable[[], None] = lambda: None) -> bool:
        """
        Ask, unless an answer is awaited; tell whether there is anybody to answer.

        ``late`` is called by `look` where no answer has come in time.
        """
        self.look()
        if not self.is_heard:
            return False
        if self._pending is None:
            self._asked_at, self._late = time.monotonic(), late
            self._pending = self._client.call_async(request)
            self._pending.add_done_callback(lambda done: self._on_answer(done, hear))
        return True

    def look(self) -> None:
        """Give up an answer that has not come in time."""
        if self._pending is not None and time.monotonic() - self._asked_at > ANSWER_TIMEOUT:
            self._client.remove_pending_request(self._pending)
            self._pending = None
            self._late()

    def _on_answer(self, done: Future, hear: Callable[[Any], None]) -> None:
        answer = done.result()
        if done is self._pending:
            self._pending = None
            hear(answer)
