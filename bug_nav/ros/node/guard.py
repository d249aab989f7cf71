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
A process beside the node's that stops the robot when the node cannot.

A control loop that hangs, be it in compiled code that never lets go of Python, and a node that is
suspended or killed send no zero, and many robots go on with the last command for ever. So the node
has a child that hears its heart beat in a pipe. Where that stops while the robot is driven, the
child sends zeros. While it is not, somebody else may drive, and the child keeps still.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import traceback
from typing import Any, List, Optional, Sequence

from bug_nav.ros.endpoints import SUFFIX
from rclpy.node import Node

SILENCE = 0.5
"""A heart that has not beaten for so long [s] stands still; usually it beats every 0.1 s."""
REPEAT = 0.1
"""Zeros are sent as often [s] ..."""
LAST = 1.0
"""... and for so long [s] after the node's death."""
MOVES, STANDS = b'+', b'-'


class Guard:
    """The node's end of the pipe."""

    def __init__(self, args: Optional[Sequence[str]] = None):
        """
        Fork the child; to be called before there are any threads.

        ``args``: the arguments of the program, of which the child takes the enclave.
        """
        end, self._pipe = os.pipe()
        if os.fork() == 0:
            os.close(self._pipe)
            _run(end, _enclave(sys.argv if args is None else args))
        os.close(end)
        os.set_blocking(self._pipe, False)

    def watch(self, node: Node, topic: str, stamped: bool, frame_id: str) -> None:
        """Have the child publish on ``topic``, the resolved name, when it has to."""
        self._write(json.dumps({
            'name': node.get_name() + SUFFIX, 'namespace': node.get_namespace(),
            'topic': topic, 'stamped': stamped, 'frame_id': frame_id}).encode())

    def beat(self, moving: bool) -> None:
        """Tell that the node is well, and whether its last command moves the robot."""
        self._write(MOVES if moving else STANDS)

    def close(self) -> None:
        """Let the child end."""
        if self._pipe >= 0:
            os.close(self._pipe)
        self._pipe = -1

    @property
    def alive(self) -> bool:
        """Tell whether the child is there."""
        return self._pipe >= 0

    def _write(self, data: bytes) -> None:
        try:
            if self._pipe >= 0:
                os.write(self._pipe, data + b'\n')
        except BlockingIOError:  # the child is suspended: there is nothing more to tell it
            pass
        except OSError:
            self.close()


# ---- the child --------------------------------------------------------------------------------

def _enclave(arguments: Sequence[str]) -> List[str]:
    """Return the arguments of ROS about SROS2 alone: the child has a name of its own."""
    for flag, name in zip(arguments, arguments[1:]):
        if flag in ('--enclave', '-e'):
            return ['--ros-args', '--enclave', name]
    return []


def _run(pipe: int, arguments: List[str]) -> None:
    """Be the child, which ends when the pipe does; never return."""
    code = 1
    try:
        # A session of its own: what a terminal sends to all is the node's business.
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        _listen(pipe, arguments)
        code = 0
    except BaseException:  # os._exit would not say a word
        traceback.print_exc()
    finally:
        os._exit(code)


def _listen(pipe: int, arguments: List[str]) -> None:
    """Hear the heart beat, and stop the robot where it does not."""
    velocity: Any = None
    moving = told = False
    rest = b''
    while True:
        heard = select.select([pipe], [], [], REPEAT if told else SILENCE)[0]
        data = os.read(pipe, 4096) if heard else b''
        if heard and not data:
            break
        *lines, rest = (rest + data).split(b'\n')
        for line in lines:
            if line in (MOVES, STANDS):
                moving, told = line == MOVES, False
            else:
                velocity = _publisher(json.loads(line), arguments)
        if not heard and moving and velocity is not None:
            if not told:
                print('bug_navigator does not answer while the robot moves: its guard stops the '
                      'robot', file=sys.stderr, flush=True)
            told = True
            velocity.stop()
    if moving and velocity is not None:
        print('bug_navigator has died while the robot moved: its guard stops the robot',
              file=sys.stderr, flush=True)
        deadline = time.monotonic() + LAST
        while time.monotonic() < deadline:
            velocity.stop()
            time.sleep(REPEAT)


def _publisher(what: Any, arguments: List[str]) -> Any:
    """Return what sends the zeros; without services, for it answers nobody."""
    from bug_nav.ros.node.velocity import Velocity
    import rclpy
    from rclpy.signals import SignalHandlerOptions
    if not rclpy.ok():
        rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node(
        what['name'], namespace=what['namespace'], use_global_arguments=False,
        enable_rosout=False, start_parameter_services=False)
    return Velocity(node, what['stamped'], what['frame_id'], what['topic'])
