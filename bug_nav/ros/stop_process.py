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
The stop process: a child process that stops the robot when the node cannot.

A node that hangs, even in compiled code that holds the GIL, or is suspended or killed sends no
zero velocity, and many robots execute the last command forever. The node therefore sends a
heartbeat to a child process through a pipe. If it stops while the robot moves, the child sends
zero velocities, the sooner the faster the robot is. Otherwise it sends nothing, because another
node may drive the robot.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
import traceback
from typing import Any, List, Optional, Sequence

from bug_nav.messages import STOP_PROCESS_SUFFIX
from rclpy.node import Node

MAX_PATIENCE, MIN_PATIENCE = 0.5, 0.12
"""Limits of the maximum time between heartbeats [s]."""
MAX_ADVANCE = 0.3
"""Distance that the robot may drive between heartbeats, within these limits [m]."""
STOP_PERIOD = 0.1
"""Period of the zero velocities [s]."""
STOP_DURATION = 1.0
"""Duration of the zero velocities, from the connection of the last subscriber [s]."""
CONNECTION_TIMEOUT = 5.0
"""Maximum time until all are, as discovery may take seconds on a busy machine [s]."""
MOVING, STANDING = b'+', b'-'


def patience(speed: float) -> float:
    """Return the maximum time between heartbeats of a robot at a speed [m/s]."""
    return min(max(MAX_ADVANCE / max(speed, 0.01), MIN_PATIENCE), MAX_PATIENCE)


class StopProcess:
    """The node's side of the stop process."""

    def __init__(self, args: Optional[Sequence[str]] = None):
        """
        Fork the child, before any thread is started.

        The child uses the SROS2 enclave in ``args``, the arguments of the program.
        """
        end, self._pipe = os.pipe()
        if os.fork() == 0:
            os.close(self._pipe)
            _run(end, _enclave(sys.argv if args is None else args))
        os.close(end)
        os.set_blocking(self._pipe, False)

    def configure(self, node: Node, topic: str, stamped: bool, frame_id: str) -> None:
        """Set the resolved ``topic`` and the message type that the child publishes."""
        self._write(json.dumps({
            'name': node.get_name() + STOP_PROCESS_SUFFIX, 'namespace': node.get_namespace(),
            'topic': topic, 'stamped': stamped, 'frame_id': frame_id}).encode())

    def beat(self, moving: bool, speed: float, subscribers: int) -> None:
        """
        Send a heartbeat: whether the last command moves the robot, and its speed [m/s].

        ``subscribers`` is how many nodes receive the commands.
        """
        self._write((MOVING if moving else STANDING) + f'{speed} {subscribers}'.encode())

    def close(self) -> None:
        """End the child."""
        if self._pipe >= 0:
            os.close(self._pipe)
        self._pipe = -1

    @property
    def alive(self) -> bool:
        """Return whether the child is running."""
        return self._pipe >= 0

    def _write(self, data: bytes) -> None:
        try:
            if self._pipe >= 0:
                os.write(self._pipe, data + b'\n')
        except BlockingIOError:  # the child is suspended and the pipe is full
            pass
        except OSError:
            self.close()


# ---- the child --------------------------------------------------------------------------------

def _enclave(arguments: Sequence[str]) -> List[str]:
    """Return only the SROS2 arguments, because the child has its own node name."""
    for flag, name in zip(arguments, arguments[1:]):
        if flag in ('--enclave', '-e'):
            return ['--ros-args', '--enclave', name]
    return []


def _run(pipe: int, arguments: List[str]) -> None:
    """Run the child until the pipe closes; never return."""
    code = 1
    try:
        # Its own session, so that signals from the terminal reach the node alone.
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _listen(pipe, arguments)
        code = 0
    except BaseException:  # os._exit would print nothing
        traceback.print_exc()
    finally:
        os._exit(code)


def _listen(pipe: int, arguments: List[str]) -> None:
    """Receive heartbeats, and stop the robot when they stop."""
    velocity: Any = None
    options = b''
    moving = reported = False
    limit, subscribers, rest = MAX_PATIENCE, 1, b''
    heard_at = time.monotonic()
    while True:
        is_ready = select.select([pipe], [], [], STOP_PERIOD if reported else limit)[0]
        data = os.read(pipe, 4096) if is_ready else b''
        if is_ready and not data:
            break
        *lines, rest = (rest + data).split(b'\n')
        for line in lines:
            if line.startswith((MOVING, STANDING)):
                moving, reported = line.startswith(MOVING), False
                speed, count = line[len(MOVING):].split()
                limit, subscribers = patience(float(speed)), max(int(count), 1)
                heard_at = time.monotonic()
            elif line != options:
                options, velocity = line, _replaced(velocity, line, arguments)
        if not is_ready and moving and velocity is not None:
            velocity.stop()
            if not reported:
                _say('WARN', options, 'has not responded for '
                     f'{time.monotonic() - heard_at:.1f} s while the robot moves')
            reported = True
    if moving and velocity is not None:
        velocity.stop()
        _say('ERROR', options, 'has died while the robot moved')
        _stop_at_last(velocity, subscribers)


def _stop_at_last(velocity: Any, subscribers: int) -> None:
    """
    Send zero velocities to all who received the node's commands.

    Discovery may not have found all of them yet, and it may find a recorder before the robot.
    """
    began = until = time.monotonic()
    connected, now = 0, began
    while now < until or connected < subscribers and now - began < CONNECTION_TIMEOUT:
        before, connected = connected, velocity.subscriber_count
        if connected > before:
            until = now + STOP_DURATION
        if now < until:
            velocity.stop()
        time.sleep(STOP_PERIOD)
        now = time.monotonic()


def _say(level: str, options: bytes, what: str) -> None:
    """
    Report on stderr as ROS does, with the time and the full name of the node.

    It may have no reader: what ended the node may have ended it too.
    """
    given = json.loads(options)
    name = given.get('name', '')
    parts = f"{given.get('namespace', '')}/{name}".split('/')
    with contextlib.suppress(OSError):
        print(f'[{level}] [{time.time():.9f}] [{".".join(filter(None, parts))}]: '
              f'{name.replace(STOP_PROCESS_SUFFIX, "")} {what}: the stop process stops the robot',
              file=sys.stderr, flush=True)


def _replaced(velocity: Any, line: bytes, arguments: List[str]) -> Any:
    """Return a publisher with other options, on a node that never meets the one before it."""
    if velocity is not None:
        velocity.destroy()
    return _publisher(json.loads(line), arguments)


def _publisher(options: Any, arguments: List[str]) -> Any:
    """Return the publisher of the zero velocities, on a node without services."""
    from bug_nav.ros.velocity import Velocity
    import rclpy
    from rclpy.signals import SignalHandlerOptions
    if not rclpy.ok():
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(
        options['name'], namespace=options['namespace'], use_global_arguments=False,
        enable_rosout=False, start_parameter_services=False)
    return Velocity(node, options['stamped'], options['frame_id'], options['topic'])
