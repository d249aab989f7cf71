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

"""Context managers for commands that use rclpy."""

from __future__ import annotations

import contextlib
from typing import Callable, Iterator

from bug_nav.ros.client.navigator import BugNavigator
import rclpy
from rclpy.exceptions import InvalidNamespaceException
from rclpy.signals import SignalHandlerOptions
from rclpy.validate_namespace import validate_namespace


@contextlib.contextmanager
def client_session(interrupted: Callable[[], bool], namespace: str = '') -> Iterator[BugNavigator]:
    """Yield a client, with rclpy initialized."""
    with rclpy_session():
        navigator = BugNavigator(interrupted=interrupted, namespace=namespace)
        try:
            yield navigator
        finally:
            navigator.destroy_node()


@contextlib.contextmanager
def rclpy_session() -> Iterator[None]:
    """Initialize rclpy, and shut it down at the end."""
    # rclpy's own handlers would shut down the client on Ctrl-C before it sends the cancel.
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()


def absolute_namespace(namespace: str) -> str:
    """Return a namespace with a leading slash; ValueError if it is invalid."""
    full = '/' + namespace.strip('/')
    try:
        validate_namespace(full)
    except InvalidNamespaceException as error:
        # Without the two lines that mark the position.
        raise ValueError(str(error).splitlines()[0].rstrip(':')) from None
    return full
