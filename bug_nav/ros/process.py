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

"""A process around a node: signals, spinning and an orderly end."""

from __future__ import annotations

import ast
import math
import signal
import sys
import time
from typing import Any, Callable, List, Optional, Sequence, Tuple

from bug_nav.core.names import did_you_mean, shortened
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

  -p NAME:=VALUE      a parameter, such as -p use_sim_time:=true; once the node runs,
                      `ros2 param list` and `ros2 param describe` tell of all, and so
                      does docs/parameters.md
  --params-file FILE  a file of parameters, such as those in params/
  -r FROM:=TO         another name for a topic, or __ns:=/robot1 for a namespace
  -h, --help          show this help and exit"""
"""What a node prints that is asked for help."""
HARMLESS = ('SIGCHLD', 'SIGCLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU')
"""These end no process."""
FAULTS = ('SIGSEGV', 'SIGBUS', 'SIGFPE', 'SIGILL', 'SIGTRAP')
"""A process that goes on after one of these runs into it again, for ever."""
ALWAYS = (signal.SIGINT, signal.SIGTERM)
LOOK = 0.05


_resumed_at = -math.inf
"""When this process went on after it had been suspended, if ever [s, monotonic]."""


def _on_resume(number: int, frame: Any) -> None:
    global _resumed_at
    _resumed_at = time.monotonic()


class Stopwatch:
    """Measures how long this thread takes for something."""

    def __init__(self) -> None:
        """Begin."""
        self._began, self._waited = time.monotonic(), _waited()

    @property
    def time(self) -> float:
        """Return how long ago it began [s]."""
        return time.monotonic() - self._began

    @property
    def own_time(self) -> float:
        """Return the same without what is the machine's doing [s]."""
        return self.time - (_waited() - self._waited)

    @property
    def was_suspended(self) -> bool:
        """Tell whether the process was suspended; another thread may tell of it a moment late."""
        return _resumed_at > self._began


def _waited() -> float:
    """Return for how long this thread could have run and did not [s]; only Linux tells."""
    try:
        with open('/proc/thread-self/schedstat', encoding='ascii') as statistics:
            return int(statistics.read().split()[1]) * 1e-9
    except OSError:
        return 0.0


class Interrupt:
    """
    Takes whatever signal would end the process: a robot has to be stopped first.

    After rclpy's own handlers it cannot be. What whoever starts the process lets it ignore, as
    nohup does, stays ignored.
    """

    def __init__(self) -> None:
        """Install the handlers."""
        self.came = False
        signal.signal(signal.SIGCONT, _on_resume)
        uncaught = {getattr(signal, name, None) for name in (
            *HARMLESS, *FAULTS, 'SIGKILL', 'SIGSTOP')}
        for number in signal.valid_signals() - uncaught:
            if number in ALWAYS or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, frame: Any) -> None:
        self.came = True


def check_arguments(program: str, about: str, args: Optional[Sequence[str]] = None) -> None:
    """End the process where help is wanted, or where arguments are none that a node takes."""
    given = list(sys.argv if args is None else args)
    try:
        left = remove_ros_args(given)[1:]
    except UnknownROSArgsError as error:
        left = ast.literal_eval(str(error))
    except (ValueError, RCLError):
        return  # what is wrong with them rclpy tells in a moment, in a sentence of its own
    if '-h' in left or '--help' in left:
        print(USAGE.format(program=program, about=about))
        sys.exit(0)
    if left:  # as after a forgotten -p
        parameter = next((each for each in left if ':=' in each), 'NAME:=VALUE')
        sys.exit(f'{program}: the argument {left[0]!r} is none that a node takes; a parameter is '
                 f'given as --ros-args -p {parameter} (see {program} --help)')


def unknown_overrides(node: Any) -> List[str]:
    """Return a sentence for each parameter that the node was started with and does not have."""
    given = getattr(node, '_parameter_overrides', {})  # rclpy tells of them nowhere else
    known = list(node.get_parameters_by_prefix(''))
    return [f'there is no parameter {shortened(name)!r}, and its value is not used'
            f'{did_you_mean(name, known)}' for name in given
            if not node.has_parameter(name) and not name.startswith('qos_overrides.')]


def start(program: str, make: Callable[[], Any], args: Optional[Sequence[str]]
          ) -> Tuple[Any, Interrupt]:
    """
    Initialise rclpy without its signal handlers, and make the node.

    Where that cannot be, such as for a parameter, the process ends with one sentence.
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
        # rcl adds where in its sources that was, and Python where the type of a value is.
        sys.exit(f'{program}: {" ".join(str(error).split(", at ")[0].split())}')


def need_messages() -> None:
    """End the process with one sentence where the messages of this package are missing."""
    try:
        # Not just the package: its sources beside this package look like one.
        from bug_nav_msgs.action import NavigateBug  # noqa: F401
    except ImportError as error:
        sys.exit(MESSAGES_MISSING.format(error))


def spin_until(executor: Any, done: Callable[[], Any], timeout: float) -> Any:
    """
    Spin until ``done()``, for ``timeout`` [s] at most, but once at least.

    Return what it says then, None where it never does. It is asked before the first spin, after
    each message, and every `LOOK` seconds where none comes.
    """
    deadline = time.monotonic() + timeout
    left = max(timeout, 0.0)
    while True:
        value = done()
        if value:
            return value
        if left < 0.0:
            return None
        executor.spin_once(timeout_sec=min(left, LOOK))
        left = deadline - time.monotonic()
