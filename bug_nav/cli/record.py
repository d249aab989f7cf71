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
"""``bug_nav record``: record the topics of a running robot, without ``ros2 bag``."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Callable, Mapping

from bug_nav.cli import CannotRun
from bug_nav.cli.evidence import absolute
from bug_nav.cli.progress import PercentLine
from bug_nav.cli.recording_files import check_recording_file, recording_file
from bug_nav.cli.ros_session import catch_signals, report_ros_errors, require_ros
from bug_nav.files import BadInput
from bug_nav.messages.frame_tree import TF, TF_STATIC
from bug_nav.navigation.names import shortened

MEGABYTE = 1e6


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    check_recording_file(arguments.file)
    wanted = _wanted(arguments)
    require_ros(messages=False)
    from bug_nav.ros.client.robot_recording import record  # after require_ros
    line = PercentLine(sys.stderr, f'recording for at most {arguments.duration:g} s')
    try:
        with catch_signals() as stop, recording_file(arguments.file) as file:
            with report_ros_errors():
                done = record(file, wanted, arguments.duration, arguments.size * MEGABYTE, stop,
                              line.show)
    finally:
        line.clear()
    if done.left_out:
        print(f'bug_nav: {len(done.left_out)} topics more than {len(done.topics)} were not '
              f'recorded, such as {shortened(min(done.left_out))}; give --topic or --namespace',
              file=sys.stderr)
    return _report(arguments.file, done.duration, done.topics, done.counts)


def _wanted(arguments: argparse.Namespace) -> Callable[[str], bool]:
    """Return whether a topic is to be recorded, by its name."""
    given = {absolute(topic) for topic in arguments.topic}
    if given and arguments.namespace:
        raise BadInput('--topic and --namespace exclude each other; give full names of topics')
    if given:
        return lambda name: name in given or name in (TF, TF_STATIC)
    space = arguments.namespace.strip('/')
    inside = absolute(space) + '/' if space else '/'
    return lambda name: name.startswith(inside) or name in (TF, TF_STATIC)


def _report(path: str, seconds: float, topics: Mapping[str, str], counts: Mapping[str, int]
            ) -> int:
    """Print what was recorded; CannotRun if nothing was."""
    if not any(counts.values()):
        Path(path).unlink()
        raise CannotRun('no message of scans, odometry, transforms or commands arrived in '
                        f'{seconds:.1f} s, so that nothing was recorded; start the robot, and set '
                        'the same ROS_DOMAIN_ID here')
    print(f'{path}: {seconds:.1f} s, {Path(path).stat().st_size / MEGABYTE:.1f} MB')
    width = max(map(len, topics))
    for name in sorted(topics):
        print(f'  {name:<{width}}  {counts[name]:>6} {topics[name]}')
    for what, kind in (('laser scan', 'LaserScan'), ('odometry', 'Odometry')):
        if not any(counts[name] for name, each in topics.items() if each.endswith('/' + kind)):
            print(f'bug_nav: no {what} was recorded, which check and replay need',
                  file=sys.stderr)
    return 0
