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

"""``bug_nav check --drive``: let a robot turn and drive half a metre, and measure it."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
import sys
from typing import Any, List, Tuple

from bug_nav.cli import Interrupted
from bug_nav.cli.evidence import listen_to, prepare
from bug_nav.cli.progress import PercentLine
from bug_nav.cli.ros_session import catch_signals, report_ros_errors, require_ros
from bug_nav.files import BadInput
from bug_nav.messages.sensor_messages import Mount
from bug_nav.recording.checks import report
from bug_nav.recording.checks.command_topic import other_drivers, STAMPED, TWIST
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.recording.checks.finding import error, Finding, Level, ok, warning
from bug_nav.recording.checks.frames import ExpectedRobot, stated_mount
from bug_nav.recording.checks.measuring_drive import DISTANCE, MARGIN, MeasuringDrive
from bug_nav.recording.robot_description import marked, TODO

RADIUS = 'robot_radius'
DRIVES = 'running'
"""State of a navigator with a goal, in its diagnostics."""
SELF_SHARE = 0.9
"""Readings nearer than this share of the radius are parts of the robot, as for the node."""


def driven(arguments: argparse.Namespace) -> Tuple[Evidence, ExpectedRobot, List[Finding]]:
    """Return the findings on a robot that was driven, or why it was not."""
    if arguments.bag:
        raise BadInput('--drive and --bag exclude each other; a recording cannot be driven')
    if not (arguments.yes or sys.stdin.isatty()):
        raise BadInput('--drive asks before the robot moves, and there is no terminal to answer; '
                       'give --yes if somebody watches the robot')
    require_ros(messages=False)
    from bug_nav.ros.stop_process import StopProcess  # after require_ros
    stop_process = StopProcess([])  # before any thread is started
    try:
        evidence, demands = prepare(arguments)
        _require_radius(arguments)
        listen_to(arguments.duration, evidence)
        found = report.findings(evidence, demands)
        reason = _obstacle(evidence, found)
        if reason:
            found.append(warning('drive', f'the robot was not driven: {reason}',
                                 'correct that and try again'))
            return evidence, demands, found
        plan = MeasuringDrive(demands.model, demands.settings)
        _ask(arguments, demands, plan)
        mount, evidence = stated_mount(evidence, demands), _again(evidence)
        stands = _drive(evidence, demands, plan, mount, stop_process)
        return evidence, demands, [*report.findings(evidence, demands), _end(plan, stands)]
    finally:
        stop_process.close()


def _require_radius(arguments: argparse.Namespace) -> None:
    """Raise BadInput if the radius of the robot would be a guess."""
    known = [each for each in arguments.settings if each.partition('=')[0] == RADIUS]
    if arguments.robot is None and not known:
        raise BadInput('--drive needs to know which robot it drives, because its radius says '
                       'where it has room; give --params FILE (`bug_nav robot init` writes it) or '
                       '--robot NAME (`bug_nav robots` lists them)')
    if arguments.params and len(known) == 1 and RADIUS in _marked_in(arguments.params):
        raise BadInput(f'{RADIUS} in {arguments.params!r} is marked with {TODO}, and says where '
                       'the robot has room; measure it, write it there and remove the mark')


def _marked_in(path: str) -> List[str]:
    """Return the parameters that a robot file marks as unknown."""
    file = Path(path)
    return marked(file.read_text(encoding='utf-8').splitlines()) if file.is_file() else []


def _obstacle(evidence: Evidence, found: List[Finding]) -> str:
    """Return why the robot must not be driven; '' if it may be."""
    errors = [each.subject for each in found if each.level is Level.ERROR]
    if errors:
        return f'there are errors: {", ".join(dict.fromkeys(errors))}'
    if evidence.navigator is not None and evidence.navigator.state == DRIVES:
        return 'bug_navigator drives to a goal'
    if len(evidence.scan.frames) > 1:
        return 'scans of several frames arrive; give the topic of one lidar with --scan'
    drivers = evidence.graph.drivers if evidence.graph is not None else ()
    others = other_drivers(evidence.graph) if evidence.graph is not None else []
    if evidence.navigator is None and len(drivers) > len(others):
        return 'the state of bug_navigator is unknown; give --namespace'
    if others:
        return f'{others[0][0]} can publish commands on {evidence.cmd_vel}, too'
    return ''


def _ask(arguments: argparse.Namespace, demands: ExpectedRobot, plan: MeasuringDrive) -> None:
    """Ask whether the robot may move; Interrupted if not."""
    free = demands.model.robot_radius + MARGIN + DISTANCE + 0.1
    print(f'bug_nav: the robot ({demands.robot}, radius {demands.model.robot_radius:g} m) will '
          f'turn on the spot and drive {DISTANCE:g} m ahead, in about '
          f'{plan.duration:.0f} s. Around its centre, {free:.1f} m must be free on all sides, '
          'with walls beyond that the lidar sees, and no step or edge. Watch it; Ctrl-C stops it.',
          file=sys.stderr)
    if arguments.yes:
        return
    print('bug_nav: may it move? [y/N] ', end='', file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in ('y', 'yes'):
        raise Interrupted('the robot was not moved')


def _again(evidence: Evidence) -> Evidence:
    """Return empty evidence of the same robot, with its connections and transforms."""
    return dataclasses.replace(
        Evidence(TopicTimes(evidence.scan.topic), TopicTimes(evidence.odom.topic),
                 evidence.cmd_vel),
        namespace=evidence.namespace, base_frame=evidence.base_frame,
        transforms=evidence.transforms, mount=evidence.mount,
        navigator=evidence.navigator, tree=evidence.tree, topics=evidence.topics,
        graph=evidence.graph)


def _drive(evidence: Evidence, demands: ExpectedRobot, plan: MeasuringDrive, mount: Mount,
           stop_process: Any) -> bool:
    """Let the robot drive; return whether odometry shows that it stands at the end."""
    from bug_nav.ros.client.robot_drive import drive
    kinds = {kind for _, kind in evidence.graph.listeners} if evidence.graph else set()
    radius = demands.model.self_radius or SELF_SHARE * demands.model.robot_radius
    line = PercentLine(sys.stderr, 'driving')
    with catch_signals() as interrupted:
        try:
            with report_ros_errors('check'):
                stands = drive(evidence, plan, mount, radius,
                               STAMPED in kinds and TWIST not in kinds, stop_process,
                               interrupted, line.show)
        finally:
            line.clear()
        if interrupted():
            raise Interrupted(f'interrupted; {_standing(stands)}')
    return stands


def _standing(stands: bool) -> str:
    """Return what is known about the robot after the last command."""
    if stands:
        return 'the robot stands by its odometry'
    return ('zero velocities were sent, but odometry does not show that the robot stands; make '
            'sure that it has stopped')


def _end(plan: MeasuringDrive, stands: bool) -> Finding:
    waits = (f'; data were late {plan.waits} times, for {plan.waited:.1f} s in all, in which the '
             'robot stood') if plan.waits else ''
    if plan.ended:
        level = error if plan.is_disobeyed else warning
        return level('drive', f'the drive ended early: {plan.ended}; {_standing(stands)}',
                     'what was not driven was not measured')
    if not stands:
        return warning('drive', f'the drive was complete, and {_standing(stands)}{waits}',
                       'check how the base handles a zero velocity')
    return ok('drive', f'the drive was complete, and {_standing(stands)}{waits}')
