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

"""What a command needs of rclpy around a client."""

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
    """Yield a client, with rclpy around it."""
    with rclpy_session():
        navigator = BugNavigator(interrupted=interrupted, namespace=namespace)
        try:
            yield navigator
        finally:
            navigator.destroy_node()


@contextlib.contextmanager
def rclpy_session() -> Iterator[None]:
    """Initialise rclpy, and shut it down."""
    # With rclpy's own handlers, Ctrl-C would shut down what the cancel is sent with.
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        yield
    finally:
        rclpy.try_shutdown()


def absolute_namespace(namespace: str) -> str:
    """Return a namespace with its leading slash; ValueError where ROS takes none such."""
    full = '/' + namespace.strip('/')
    try:
        validate_namespace(full)
    except InvalidNamespaceException as error:
        raise ValueError(str(error).splitlines()[0]) from None
    return full
