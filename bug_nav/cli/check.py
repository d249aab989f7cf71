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

"""``bug_nav check``: check a robot or a recording against the navigator's requirements."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Optional, Tuple, Type

from bug_nav.cli import CannotRun, Interrupted
from bug_nav.cli.argument_types import settings_of
from bug_nav.cli.progress import PercentLine
from bug_nav.cli.recording_files import open_recording
from bug_nav.cli.ros_session import catch_signals, require_ros
from bug_nav.lab.run_setup import parameters_of
from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.recording.checks import report
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.recording.checks.finding import Level
from bug_nav.recording.checks.frames import ExpectedRobot
from bug_nav.recording.sensor_messages import Mount
from bug_nav.simulation import BadInput
from bug_nav.simulation.robots import equip
from bug_nav.simulation.sensors import LidarModel


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    demands = requirements_of(arguments)
    scan, odom = input_topics(arguments)
    evidence = Evidence(TopicTimes(scan), TopicTimes(odom), absolute(arguments.cmd_vel))
    if arguments.bag:
        _read_recording(arguments.bag, evidence)
    else:
        _listen(arguments.duration, evidence)
    source = arguments.bag or 'the running robot'
    found = report.findings(evidence, demands)
    if arguments.json:
        print(json.dumps(report.as_json(source, evidence, demands, found), allow_nan=False))
    else:
        print('\n'.join(report.table(source, evidence, demands, found)))
    return 1 if report.worst(found) is Level.ERROR else 0


def requirements_of(arguments: argparse.Namespace, algorithm: Optional[Type[Algorithm]] = None
                    ) -> ExpectedRobot:
    """Return the requirements to check against; BadInput if there is no such robot."""
    try:
        gear = equip(arguments.robot, parameters_of(
            settings_of(arguments.settings), getattr(arguments, 'algorithm', ''), algorithm)[0])
    except ValueError as error:
        raise BadInput(str(error)) from error
    if not isinstance(gear.sensor, LidarModel):
        raise BadInput(f'the robot {arguments.robot!r} has single rangers and no scan, which '
                       'this command checks; give a robot with a lidar')
    return ExpectedRobot(arguments.robot, gear.model, gear.settings, arguments.base_frame,
                         Mount(gear.sensor.mount))


def input_topics(arguments: argparse.Namespace) -> Tuple[str, str]:
    """Return the scan and odometry topics; BadInput if they are the same."""
    scan, odom = absolute(arguments.scan), absolute(arguments.odom)
    if scan == odom:
        raise BadInput(f'--scan and --odom are both {scan}; give two different topics')
    return scan, odom


def absolute(topic: str) -> str:
    """Return an absolute topic name; BadInput if it is not valid in ROS 2."""
    full = '/' + topic.lstrip('/')
    if not re.fullmatch(r'(/[A-Za-z_]\w*)+', full, re.ASCII):
        raise BadInput(f'{topic!r} is not a topic name; allowed are letters, digits and "_" '
                       'between single slashes, with no digit first; give one such as /front/scan')
    return full


def _read_recording(path: str, evidence: Evidence) -> None:
    with open_recording(path) as bag:
        from bug_nav.recording.evidence_reader import read_evidence  # needs rosbags
        line = PercentLine(sys.stderr, f'reading {path}')
        try:
            read_evidence(bag, evidence, line.show)
        finally:
            line.clear()


def _listen(duration: float, evidence: Evidence) -> None:
    require_ros(messages=False)
    from bug_nav.ros.client.listener import listen  # after require_ros
    line = PercentLine(sys.stderr, f'listening for {duration:g} s')
    with catch_signals() as interrupted:
        try:
            listen(evidence, duration, interrupted, line.show)
        except RuntimeError as error:  # from rclpy
            raise CannotRun(f'ROS 2 cannot start a node: {error}') from None
        finally:
            line.clear()
        if interrupted():
            raise Interrupted
