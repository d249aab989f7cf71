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

"""The process of a node: signals, command-line arguments, spinning."""

from __future__ import annotations

import ast
import contextlib
import math
import signal
import sys
import time
from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

from bug_nav.navigation.names import unknown
import rclpy
from rclpy.exceptions import NameValidationException, ParameterException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

RCLError = rclpy_implementation.RCLError
UnknownROSArgsError = rclpy_implementation.UnknownROSArgsError
MESSAGES_MISSING = (
    'bug_nav: cannot import bug_nav_msgs ({}); build it with "colcon build --base-paths src '
    'src/bug_nav/bug_nav_msgs" and source the workspace, or run "make setup"')


USAGE = """usage: ros2 run bug_nav {program} [--ros-args [-p NAME:=VALUE ...]
                                  [--params-file FILE] [-r FROM:=TO ...]]

{about}

  -p NAME:=VALUE      set a parameter, such as -p use_sim_time:=true; docs/parameters.md
                      lists all, as do `ros2 param list` and `ros2 param describe` while
                      the node runs
  --params-file FILE  a parameter file, such as those in params/
  -r FROM:=TO         remap a topic, or set the namespace with __ns:=/robot1
  -h, --help          show this help and exit"""
"""Help text of a node."""
VALID_PARAMETERS = '; "bug_nav robots burger --params" prints a valid file'
"""Remedy for an invalid parameter file."""
NON_TERMINATING = (
    'SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU')
"""Signals that do not terminate a process."""
CRASHES = ('SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGTRAP')
"""Signals of crashes, which would recur forever if handled."""
NEVER_IGNORED = (signal.SIGINT, signal.SIGTERM)
POLL_PERIOD = 0.05


_resumed_at = -math.inf
"""Monotonic time at which this process was last resumed after a suspension [s]."""


def _on_resume(number: int, frame: Any) -> None:
    global _resumed_at
    _resumed_at = time.monotonic()


class Stopwatch:
    """Measures the time that this thread takes."""

    def __init__(self) -> None:
        """Start."""
        # In the order in which `own_time` ends: a wait between the two is never own time.
        self._wait_time, self._began = _wait_time(), time.monotonic()

    @property
    def time(self) -> float:
        """Return the time since the start [s]."""
        return time.monotonic() - self._began

    @property
    def own_time(self) -> float:
        """Return the time since the start without the waits for a processor [s]."""
        return self.time - (_wait_time() - self._wait_time)

    @property
    def was_suspended(self) -> bool:
        """Return whether the process was suspended, known with a delay in other threads."""
        return _resumed_at > self._began


def _wait_time() -> float:
    """Return the time that this thread has waited for a processor [s], 0 except on Linux."""
    try:
        with open('/proc/thread-self/schedstat', encoding='ascii') as statistics:
            return int(statistics.read().split()[1]) * 1e-9
    except OSError:
        return 0.0


class Interrupt:
    """
    Catches all signals that would terminate the process, so that it can stop the robot first.

    rclpy's own handlers would prevent that. Signals ignored at the start, as with nohup, stay
    ignored.
    """

    def __init__(self) -> None:
        """Install the handlers."""
        self.received = False
        signal.signal(signal.SIGCONT, _on_resume)
        uncaught = {getattr(signal, name, None) for name in (
            *NON_TERMINATING, *CRASHES, 'SIGKILL', 'SIGSTOP')}
        for number in signal.valid_signals() - uncaught:
            if number in NEVER_IGNORED or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: Any) -> None:
        self.received = True


def check_arguments(program: str, about: str, args: Optional[Sequence[str]] = None) -> None:
    """Exit if help is requested or an argument is unknown."""
    given = list(sys.argv if args is None else args)
    try:
        left = remove_ros_args(given)[1:]
    except UnknownROSArgsError as error:
        left = ast.literal_eval(str(error))
    except (ValueError, RCLError):
        return  # rclpy.init reports the error
    if '-h' in left or '--help' in left:
        print(USAGE.format(program=program, about=about))
        sys.exit(0)
    if left:  # as after a forgotten -p
        parameter = next((each for each in left if ':=' in each), 'NAME:=VALUE')
        sys.exit(f'{program}: unknown argument {left[0]!r}; a parameter is '
                 f'given as --ros-args -p {parameter} (see {program} --help)')


def unknown_overrides(node: Any) -> List[str]:
    """Return a warning for each parameter override that the node does not declare."""
    given = getattr(node, '_parameter_overrides', {})  # rclpy has no public access to them
    known = list(node.get_parameters_by_prefix(''))
    return [unknown('parameter', name, known, 'its value is ignored') for name in given
            if not node.has_parameter(name) and not name.startswith('qos_overrides.')]


def start(program: str, make: Callable[[], Any], args: Optional[Sequence[str]]
          ) -> Tuple[Any, Interrupt]:
    """
    Initialize rclpy without its signal handlers, and create the node.

    Exit with one sentence on an error, such as an invalid parameter.
    """
    interrupt = Interrupt()
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = make()
        for sentence in unknown_overrides(node):
            node.get_logger().warning(sentence)
        return node, interrupt
    except (ValueError, ParameterException, NameValidationException, RCLError,
            UnknownROSArgsError) as error:
        rclpy.try_shutdown()
        # Without the source location that rcl appends, and in one line.
        sentence = ' '.join(str(error).split(', at ')[0].split())
        remedy = VALID_PARAMETERS if 'params file' in sentence else ''
        sys.exit(f'{program}: {sentence}{remedy}')


@contextlib.contextmanager
def running(program: str, make: Callable[[], Any], args: Optional[Sequence[str]]
            ) -> Iterator[Tuple[Any, Interrupt]]:
    """Yield a node as `start` does, and destroy it at the end."""
    node, interrupt = start(program, make, args)
    try:
        yield node, interrupt
    finally:
        node.destroy_node()
        rclpy.try_shutdown()


def require_messages() -> None:
    """Exit with one sentence if the messages of this package are missing."""
    try:
        # Not just the package: its source folder beside this package looks like one.
        from bug_nav_msgs.action import NavigateBug  # noqa: F401
    except ImportError as error:
        sys.exit(MESSAGES_MISSING.format(error))


def spin_until(executor: Any, done: Callable[[], Any], timeout: float) -> Any:
    """
    Spin until ``done()`` returns a true value, for at most ``timeout`` [s], but at least once.

    Return that value, None after the timeout. ``done`` is called before the first spin, after
    each message and every `POLL_PERIOD` seconds without one.
    """
    deadline = time.monotonic() + timeout
    left = max(timeout, 0.0)
    while True:
        value = done()
        if value:
            return value
        if left < 0.0:
            return None
        executor.spin_once(timeout_sec=min(left, POLL_PERIOD))
        left = deadline - time.monotonic()
