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

"""``bug_nav robot init``: write a robot file from a recording or from a running robot."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Tuple

from bug_nav.cli import report_written
from bug_nav.cli.argument_types import settings_of, yaml_value
from bug_nav.cli.evidence import (
    absolute,
    check_duration,
    evidence_of,
    listen_to,
    read_recording,
    survey_of,
)
from bug_nav.cli.recording_files import open_recording
from bug_nav.cli.robot_file import check_given
from bug_nav.files import BadInput
from bug_nav.files.paths import check_folder
from bug_nav.navigation.names import listed
from bug_nav.recording.checks.sensor_topics import LASER_SCAN, ODOMETRY
from bug_nav.recording.robot_description import marked, only_topic, robot_file, TODO


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    file = Path(arguments.out)
    if file.exists():
        raise BadInput(f'{str(file)!r} already exists; give another --out, or remove it')
    check_duration(arguments)
    check_folder('the robot file', arguments.out)
    given = {name: yaml_value(text, f'--set {name}: ')
             for name, text in settings_of(arguments.settings).items()}
    check_given(given)
    evidence = evidence_of(*_topics(arguments), arguments)
    if arguments.bag:
        read_recording(arguments.bag, evidence)
    else:
        listen_to(arguments.duration, evidence)
    for what, track in (('laser scan', evidence.scan), ('odometry', evidence.odom)):
        if not len(track):
            raise BadInput(f'there is no {what} on {track.topic}; its topics are '
                           f'{listed(sorted(evidence.topics)[:20]) or "none"}')
    lines = robot_file(evidence, arguments.base_frame or '', given,
                       arguments.bag or 'a running robot')
    file.write_text('\n'.join(lines) + '\n', encoding='utf-8')
    report_written(arguments.out)
    unknown = marked(lines)
    if unknown:
        print(f'bug_nav: not shown by any message, marked with {TODO}: {listed(unknown)}; set '
              'them in the file, or give --set NAME=VALUE', file=sys.stderr)
    return 0


def _topics(arguments: argparse.Namespace) -> Tuple[str, str]:
    """Return the topics of scans and odometry, by default the only ones."""
    space = arguments.namespace.strip('/')
    if arguments.bag:
        with open_recording(arguments.bag) as bag:
            there = dict(bag.topics)
    else:
        there = survey_of(space).topics
    inside = {name: kind for name, kind in there.items()
              if not space or name.startswith(f'/{space}/')}
    usual = {LASER_SCAN: 'scan', ODOMETRY: 'odom'}
    given = {LASER_SCAN: arguments.scan, ODOMETRY: arguments.odom}
    try:
        scan, odom = (absolute(given[kind], space) if given[kind] else
                      only_topic(inside, kind, absolute(usual[kind], space)) for kind in usual)
    except ValueError as error:
        raise BadInput(f'{arguments.bag or "the running robot"}: {error}') from None
    return scan, odom
