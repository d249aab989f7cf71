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

"""``bug_nav send-goal``: a goal for the node bug_navigator, from sending it to its verdict."""

from __future__ import annotations

import argparse
from typing import Any, Callable

from bug_nav.commands import BadInput, CannotRun, exit_code, Interrupted
from bug_nav.commands.ros_session import (
    client,
    describe,
    follow,
    interrupts,
    need_ros,
    outcome_name,
)
from bug_nav.core.distribution import local_only


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    need_ros()
    with interrupts() as interrupted:
        with client(interrupted, checked_namespace(arguments.namespace)) as navigator:
            _send(navigator, arguments, interrupted)
            follow(navigator, interrupted)
            outcome = outcome_name(navigator)
            if outcome == 'bad_goal':
                raise BadInput(navigator.message)
            print(describe(outcome, navigator.result))
            return exit_code(outcome)


def checked_namespace(namespace: str) -> str:
    """Return a namespace that ROS takes; BadInput where it is none."""
    from bug_nav.ros.client.session import absolute_namespace  # only after need_ros
    try:
        return absolute_namespace(namespace)
    except ValueError as error:
        raise BadInput(f'--namespace {namespace!r} is none that ROS takes: {error}') from None


def _send(navigator: Any, arguments: argparse.Namespace, interrupted: Callable[[], bool]) -> None:
    if not navigator.waitUntilReady(arguments.timeout):
        if interrupted():
            raise Interrupted
        if navigator.isReady():
            raise CannotRun(f'{navigator.action_name} is there but silent (waited '
                            f'{arguments.timeout:g} s), and no goal was sent; see whether its '
                            'node is suspended or very busy')
        variable, setting = local_only()
        raise CannotRun(
            f'no node serves {navigator.action_name} (waited {arguments.timeout:g} s); start one '
            'with "bug_navigator --ros-args -p autostart:=true", in a sourced ROS with "ros2 run '
            f'bug_nav" before it; if one runs, ROS_DOMAIN_ID and {variable} have to be the same '
            f'here: the demos set {variable}={setting}')
    asks_yaw = arguments.yaw is not None
    pose = navigator.makePose(arguments.x, arguments.y, arguments.yaw or 0.0, arguments.frame)
    try:
        accepted = navigator.goToPose(
            pose, arguments.algorithm, turn_direction=arguments.turn,
            time_allowance=arguments.time_allowance, xy_goal_tolerance=arguments.tolerance,
            align_yaw=asks_yaw)
    except TimeoutError as error:
        raise CannotRun(f'{navigator.action_name} is there but silent, so make sure that the '
                        f'robot stands: {error}') from None
    if not accepted:
        raise CannotRun(f'{navigator.action_name} takes no goals, for its node is not active; '
                        'activate it with "ros2 lifecycle set /bug_navigator activate", or start '
                        'it with autostart:=true')
