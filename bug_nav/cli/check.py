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
from typing import List, Tuple

from bug_nav.cli import check_drive
from bug_nav.cli.evidence import check_duration, listen_to, prepare, read_recording
from bug_nav.files import BadInput
from bug_nav.recording.checks import report
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.finding import Finding, Level
from bug_nav.recording.checks.frames import ExpectedRobot


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.yes and not arguments.drive:
        raise BadInput('--yes answers the question of --drive; give both, or leave it out')
    check_duration(arguments)
    evidence, demands, found = (check_drive.driven if arguments.drive else _checked)(arguments)
    source = arguments.bag or 'the running robot'
    if arguments.json:
        print(json.dumps(report.as_json(source, evidence, demands, found), allow_nan=False))
    else:
        print('\n'.join(report.table(source, evidence, demands, found)))
    return 1 if report.worst(found) is Level.ERROR else 0


def _checked(arguments: argparse.Namespace) -> Tuple[Evidence, ExpectedRobot, List[Finding]]:
    """Return the findings on a recording, or on a running robot without a drive."""
    evidence, demands = prepare(arguments)
    if arguments.bag:
        read_recording(arguments.bag, evidence)
    else:
        listen_to(arguments.duration, evidence)
        if evidence.navigator is not None and not getattr(arguments, 'robot_file', {}):
            # It was started meanwhile.
            evidence, demands = prepare(arguments)
            listen_to(arguments.duration, evidence)
    return evidence, demands, report.findings(evidence, demands)
