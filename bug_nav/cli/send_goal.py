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

"""``bug_nav send-goal``: send a goal to bug_navigator and follow it to its verdict."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Callable

from bug_nav.cli import CannotRun, exit_code, Interrupted
from bug_nav.cli.ros_session import (
    catch_signals,
    client,
    describe,
    follow,
    outcome_name,
    require_ros,
)
from bug_nav.cli.run import check_shorthands
from bug_nav.files import BadInput
from bug_nav.messages.ros_distribution import local_only

QUIET_TIME = 1.0
"""Time after which a wait for the action is reported [s]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    check_shorthands(turn=arguments.turn or None)  # '' is the turn direction of the node
    require_ros()
    with catch_signals() as interrupted:
        with client(interrupted, valid_namespace(arguments.namespace)) as navigator:
            _send(navigator, arguments, interrupted)
            follow(navigator, interrupted)
            outcome = outcome_name(navigator)
            if outcome == 'bad_goal':
                raise BadInput(navigator.message)
            print(describe(outcome, navigator.result))
            if outcome == 'tf_error' and arguments.frame:
                print(f'bug_nav: --frame {arguments.frame} needs a transform to the global frame '
                      'of the node; omit --frame to give the goal in that frame', file=sys.stderr)
            return exit_code(outcome)


def valid_namespace(namespace: str) -> str:
    """Return an absolute namespace; BadInput if it is invalid."""
    from bug_nav.ros.client.session import absolute_namespace  # after require_ros
    try:
        return absolute_namespace(namespace)
    except ValueError as error:
        raise BadInput(f'--namespace {namespace!r} is not a valid ROS namespace: {error}; '
                       'give one such as robot1') from None


def _wait(navigator: Any, timeout: float, interrupted: Callable[[], bool]) -> bool:
    """Wait for the action for at most ``timeout`` [s]; report a longer wait on stderr."""
    before = min(timeout, QUIET_TIME)
    if navigator.waitUntilReady(before):
        return True
    if timeout <= before or interrupted():
        return False
    print(f'bug_nav: waiting for the action {navigator.action_name} ...', file=sys.stderr)
    return bool(navigator.waitUntilReady(timeout - before))


def _send(navigator: Any, arguments: argparse.Namespace, interrupted: Callable[[], bool]) -> None:
    if not _wait(navigator, arguments.timeout, interrupted):
        if interrupted():
            raise Interrupted
        if navigator.isReady():
            raise CannotRun(f'{navigator.action_name} does not respond (waited '
                            f'{arguments.timeout:g} s); no goal was sent; check whether its '
                            'node is suspended or overloaded')
        variable, setting = local_only()
        raise CannotRun(
            f'no node serves {navigator.action_name} (waited {arguments.timeout:g} s); start one '
            'with "bug_navigator --ros-args -p autostart:=true" (with ROS sourced: "ros2 run '
            f'bug_nav bug_navigator ..."); if one is running, set the same ROS_DOMAIN_ID and '
            f'{variable} here: the demos set {variable}={setting}')
    asks_yaw = arguments.yaw is not None
    pose = navigator.makePose(arguments.x, arguments.y, arguments.yaw or 0.0, arguments.frame)
    try:
        accepted = navigator.goToPose(
            pose, arguments.algorithm, turn_direction=arguments.turn,
            time_allowance=arguments.time_allowance, xy_goal_tolerance=arguments.tolerance,
            align_yaw=asks_yaw)
    except TimeoutError as error:
        raise CannotRun(f'{navigator.action_name} does not respond; make sure that the '
                        f'robot has stopped: {error}') from None
    if not accepted:
        node = f'{navigator.get_namespace().rstrip("/")}/bug_navigator'
        raise CannotRun(f'{navigator.action_name} rejects goals because its node is not active; '
                        f'activate it with "ros2 lifecycle set {node} activate", or start it with '
                        'autostart:=true')
