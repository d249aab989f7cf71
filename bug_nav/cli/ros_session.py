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

"""Shared parts of the ROS 2 commands: availability, signals, following a goal."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, Iterator, Optional

from bug_nav.cli import CannotRun, Interrupted
from bug_nav.cli.progress import ProgressLine
from bug_nav.lab.run_report import headline, uncertainty_text
from bug_nav.messages.sensor_messages import seconds

CANCEL_TIMEOUT = 5.0
"""Maximum time until the node confirms a cancel [s]."""
NODE_LOSS_TIMEOUT = 5.0
"""Time after which a missing node counts as lost [s]."""


def require_ros(messages: bool = True) -> None:
    """Raise CannotRun if ROS 2, tf2_msgs or, with ``messages``, bug_nav_msgs is missing."""
    needs = (
            ('rclpy', 'source ROS 2, or run "make setup" and use .venv/bin/bug_nav; '
             '"bug_nav run" works without ROS'),
            ('tf2_msgs.msg', 'install the package tf2_msgs of your ROS 2, such as '
             'ros-humble-tf2-msgs, or run "make setup", which builds it'),
            ('bug_nav_msgs.action', 'build it with "colcon build --base-paths src '
             'src/bug_nav/bug_nav_msgs" and source the workspace, or run "make setup"'))
    for module, remedy in needs if messages else needs[:2]:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise CannotRun(f'{module.split(".")[0]} cannot be imported ({error}): {remedy}'
                            ) from None


@contextlib.contextmanager
def catch_signals(then: Callable[[], None] = lambda: None) -> Iterator[Callable[[], bool]]:
    """
    Catch SIGINT, SIGTERM and SIGHUP; yield a function that returns whether one was received.

    Call ``then`` at each of them. An ignored SIGHUP stays ignored, as after ``nohup``.

    Unlike KeyboardInterrupt, this does not interrupt running code, so that the shutdown is
    complete even after repeated Ctrl-C.
    """
    received = []

    def receive(*_: Any) -> None:
        received.append(True)
        then()
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def client(interrupted: Callable[[], bool], namespace: str = '') -> Iterator[Any]:
    """Yield a BugNavigator within an rclpy context; CannotRun if ROS 2 cannot start it."""
    from bug_nav.ros.client.session import client_session  # after require_ros
    with contextlib.ExitStack() as stack:
        with report_ros_errors():
            navigator = stack.enter_context(client_session(interrupted, namespace))
        yield navigator


@contextlib.contextmanager
def report_ros_errors(enclave: str = 'client') -> Iterator[None]:
    """Raise CannotRun if ROS 2 fails, or SROS2 denies the command; name the enclave."""
    try:
        yield
    except RuntimeError as error:  # from rclpy
        if os.environ.get('ROS_SECURITY_ENABLE') != 'true':
            raise CannotRun(f'ROS 2 has failed: {error}') from None
        raise CannotRun(
            f'ROS_SECURITY_ENABLE is true, and ROS 2 denies this command: {error}; it needs '
            f'ROS_SECURITY_KEYSTORE and ROS_SECURITY_ENCLAVE_OVERRIDE=/bug_nav/{enclave}, '
            'see docs/security.md') from None


def follow(navigator: Any, interrupted: Callable[[], bool],
           watch: Callable[[], None] = lambda: None) -> None:
    """
    Show the progress of a goal until it ends; call ``watch`` after each update.

    Raises Interrupted after Ctrl-C, when the goal is cancelled; CannotRun if the node is lost.
    """
    line = ProgressLine(sys.stderr)
    missing_since: Optional[float] = None
    try:
        while not navigator.isTaskComplete():
            if interrupted():
                raise Interrupted('')  # `cancel` reports it
            _show(line, navigator.getFeedback())
            watch()
            missing_since = _missing_since(navigator, missing_since)
    except BaseException as reason:
        with contextlib.suppress(OSError):  # the terminal is closed
            line.clear()
        if not isinstance(reason, CannotRun):  # else no node is left to cancel it
            cancel(navigator)
        raise
    line.clear()
    if navigator.getResult().name == 'UNKNOWN':  # of a node that was restarted
        raise _lost(navigator)


def cancel(navigator: Any) -> None:
    """Cancel the goal and report the result."""
    _report('cancelling ...')
    if navigator.cancelTask(CANCEL_TIMEOUT):
        _report('cancelled; the robot has stopped')
    else:
        _report(f'the node did not confirm the cancel within {CANCEL_TIMEOUT:g} s; '
                'make sure that the robot has stopped')


def _report(message: str) -> None:
    """Print a message on stderr, unless the terminal is closed."""
    with contextlib.suppress(OSError):
        print(f'bug_nav: {message}', file=sys.stderr)


def _missing_since(navigator: Any, missing_since: Optional[float]) -> Optional[float]:
    """Return the time since which the node is missing; None while it is available."""
    if navigator.isReady():
        return None
    if missing_since is not None and time.monotonic() - missing_since > NODE_LOSS_TIMEOUT:
        raise _lost(navigator)
    return missing_since or time.monotonic()


def _lost(navigator: Any) -> CannotRun:
    return CannotRun(f'the node that serves {navigator.action_name} is lost; '
                     'make sure that the robot has stopped')


def _show(line: ProgressLine, feedback: Any) -> None:
    if feedback is not None:
        line.show(feedback.distance_remaining, feedback.state_name.partition('/')[2],
                  feedback.number_of_hits, feedback.number_of_leaves, feedback.path_length,
                  seconds(feedback.navigation_time))


def outcome_name(navigator: Any) -> str:
    """Return the outcome by its name in the action, in lower case; error if it is unknown."""
    return 'error' if navigator.outcome is None else str(navigator.outcome.value)


def describe(outcome: str, result: Any) -> str:
    """Return a result as text."""
    message = result.error_msg or 'the robot stands within the tolerance of the goal'
    rows: Dict[str, str] = {
        'path': f'{result.path_length:.2f} m',
        'time': f'{seconds(result.total_elapsed_time):.1f} s',
        'points': f'{result.number_of_hits} hit, {result.number_of_leaves} left',
    }
    if math.isfinite(result.uncertainty):
        rows['goal'] = uncertainty_text(result.uncertainty)
    if outcome == 'unreachable':
        rows['proof'] = (f'a closed lap of {result.lap_length:.2f} m' if result.lap_length
                         else 'no heading is free')
        rows['proof'] += f' for a disc of radius {result.contour_radius:.3f} m'
    if result.certificate:
        rows['certificate'] = (f'{len(result.certificate)} obstacle points, each nearer to the '
                               f'next than {2.0 * result.contour_radius:.3f} m')
    return '\n'.join([headline(outcome, message),
                      *(f'  {name:<11} {text}' for name, text in rows.items())])
