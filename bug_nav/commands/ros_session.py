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

"""What the commands that use ROS 2 have in common: is it there, Ctrl-C, a goal to its end."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import signal
import sys
import time
from typing import Any, Callable, Dict, Iterator, Optional

from bug_nav.commands import CannotRun, headline, Interrupted, known_to
from bug_nav.commands.progress import ProgressLine

CANCEL_TIMEOUT = 5.0
"""How long to wait until the node confirms that it has stopped [s]."""
VANISHED = 5.0
"""A node that has been gone for so long [s] does not come back."""


def need_ros(messages: bool = True) -> None:
    """Raise CannotRun where ROS 2 or, if they are needed, this package's messages are missing."""
    needs = (
            ('rclpy', 'source a ROS 2, or run "make setup" and use .venv/bin/bug_nav; '
             '"bug_nav run" needs none'),
            ('bug_nav_msgs.action', 'build it with "colcon build --base-paths src '
             'src/bug_nav/bug_nav_msgs" and source the workspace, or run "make setup"'))
    for module, remedy in needs if messages else needs[:1]:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise CannotRun(f'{module.split(".")[0]} cannot be imported ({error}): {remedy}'
                            ) from None


@contextlib.contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """
    Take SIGINT, SIGTERM and SIGHUP; yield a function that tells whether one came.

    No exception is thrown into whatever runs at that moment, so that every step of an orderly
    end is taken, however often somebody presses Ctrl-C.
    """
    came = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, lambda *_: came.append(True)) for number in numbers}
    try:
        yield lambda: bool(came)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def client(interrupted: Callable[[], bool], namespace: str = '') -> Iterator[Any]:
    """Yield a BugNavigator, with rclpy around it; CannotRun where SROS2 does not let it start."""
    from bug_nav.ros.client.session import client_session  # only after need_ros
    with contextlib.ExitStack() as stack:
        with let_in():
            navigator = stack.enter_context(client_session(interrupted, namespace))
        yield navigator


@contextlib.contextmanager
def let_in() -> Iterator[None]:
    """Raise CannotRun where SROS2 does not let a client start."""
    try:
        yield
    except RuntimeError as error:  # of rclpy
        if os.environ.get('ROS_SECURITY_ENABLE') != 'true':
            raise
        raise CannotRun(
            f'ROS_SECURITY_ENABLE is true, and ROS 2 lets no client start: {error}; a client '
            'needs ROS_SECURITY_KEYSTORE and ROS_SECURITY_ENCLAVE_OVERRIDE=/bug_nav/client, '
            'see docs/security.md') from None


def follow(navigator: Any, interrupted: Callable[[], bool],
           watch: Callable[[], None] = lambda: None) -> None:
    """
    Show the progress of a goal until it has ended; call ``watch`` after each look.

    Raises Interrupted after Ctrl-C, when the goal is cancelled; CannotRun where the node is gone.
    """
    line = ProgressLine(sys.stderr)
    gone: Optional[float] = None
    try:
        while not navigator.isTaskComplete():
            if interrupted():
                raise Interrupted('')  # `cancel` says it
            _show(line, navigator.getFeedback())
            watch()
            gone = _gone_since(navigator, gone)
    except BaseException as reason:
        line.clear()
        if not isinstance(reason, CannotRun):  # then there is nobody to cancel it
            cancel(navigator)
        raise
    line.clear()


def cancel(navigator: Any) -> None:
    """Cancel the goal and say what came of it."""
    print('bug_nav: cancelling ...', file=sys.stderr)
    if navigator.cancelTask(CANCEL_TIMEOUT):
        print('bug_nav: cancelled, the robot stands', file=sys.stderr)
    else:
        print(f'bug_nav: the node has not confirmed the cancel within {CANCEL_TIMEOUT:g} s; '
              'make sure that the robot stands', file=sys.stderr)


def _gone_since(navigator: Any, gone: Optional[float]) -> Optional[float]:
    """Return since when the node has been gone, None while it is there."""
    if navigator.isReady():
        return None
    if gone is not None and time.monotonic() - gone > VANISHED:
        raise CannotRun(f'the node that serves {navigator.action_name} has gone; '
                        'make sure that the robot stands')
    return gone or time.monotonic()


def _show(line: ProgressLine, feedback: Any) -> None:
    if feedback is not None:
        line.show(feedback.distance_remaining, feedback.state_name.partition('/')[2],
                  feedback.number_of_hits, feedback.number_of_leaves, feedback.path_length,
                  seconds(feedback.navigation_time))


def seconds(duration: Any) -> float:
    """Return a Duration message in seconds."""
    return duration.sec + duration.nanosec * 1e-9


def outcome_name(navigator: Any) -> str:
    """Return the outcome's name as ``bug_nav run`` has it."""
    if navigator.outcome is None:
        return 'error'
    name = str(navigator.outcome.value)
    return 'error' if name == 'internal' else name


def describe(outcome: str, result: Any) -> str:
    """Return a result as a short text for a person."""
    message = result.error_msg or 'the robot stands within the tolerance of the goal'
    rows: Dict[str, str] = {
        'path': f'{result.path_length:.2f} m',
        'time': f'{seconds(result.total_elapsed_time):.1f} s',
        'points': f'{result.number_of_hits} hit, {result.number_of_leaves} left',
    }
    if math.isfinite(result.uncertainty):
        rows['goal'] = known_to(result.uncertainty)
    if outcome == 'unreachable':
        rows['proof'] = (f'a closed lap of {result.lap_length:.2f} m' if result.lap_length
                         else 'no heading is free')
        rows['proof'] += f' for a disc of radius {result.contour_radius:.3f} m'
    if result.certificate:
        rows['certificate'] = (f'{len(result.certificate)} obstacle points, each nearer to the '
                               f'next than {2.0 * result.contour_radius:.3f} m')
    return '\n'.join([headline(outcome, message),
                      *(f'  {name:<11} {text}' for name, text in rows.items())])
