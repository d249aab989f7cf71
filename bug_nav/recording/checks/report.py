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

"""All findings on a robot, and their report."""

from __future__ import annotations

import textwrap
from typing import Any, Dict, List, Sequence

from bug_nav.files.untrusted import printable
from bug_nav.navigation.settings import contour_radius
from bug_nav.recording.checks import command_topic, frames, motion, sensor_topics, stamps
from bug_nav.recording.checks.evidence import Evidence
from bug_nav.recording.checks.finding import error, Finding, Level, ok, warning
from bug_nav.recording.checks.frames import ExpectedRobot

WIDTH = 99
INDENT = 20


def findings(evidence: Evidence, expected: ExpectedRobot) -> List[Finding]:
    """Return all findings that the received messages allow."""
    settings = expected.settings
    found = sensor_topics.findings(evidence, settings.scan_timeout, settings.odom_timeout)
    if len(evidence.scan) and len(evidence.odom):
        found += stamps.findings(evidence)
    return [*found, *stamps.simulated_time(evidence, expected.use_sim_time),
            *_navigator(evidence), *frames.findings(evidence, expected),
            *command_topic.findings(evidence, expected.is_stamped),
            *motion.findings(evidence, expected)]


def _navigator(evidence: Evidence) -> List[Finding]:
    """Return what a running navigator reports about itself."""
    status = evidence.navigator
    if status is None:
        return []
    told = f'bug_navigator runs ({status.state})'
    if not status.trouble:
        return [ok('navigator', f'{told} and reports no problem')]
    level = error if status.is_error else warning
    return [level('navigator', f'{told} and reports: {status.trouble}',
                  'see docs/troubleshooting.md')]


def worst(found: Sequence[Finding]) -> Level:
    """Return the highest level."""
    return max((each.level for each in found), default=Level.OK)


def table(source: str, evidence: Evidence, expected: ExpectedRobot, found: Sequence[Finding]
          ) -> List[str]:
    """Return the report as lines of plain text."""
    rho = contour_radius(expected.model, expected.settings)
    lines = [f'{source}, {evidence.duration:.1f} s, as {expected.robot} (rho {rho:.3f} m)', '']
    for each in found:
        head = f'{each.level.word:<8} {each.subject:<10} '
        lines += wrapped(head, each.found)
        if each.remedy:
            lines += wrapped(' ' * len(head) + '-> ', each.remedy)
    return [*lines, '', summary(found)]


def summary(found: Sequence[Finding]) -> str:
    """Return the report in one line."""
    errors, warnings = (sum(each.level is level for each in found)
                        for level in (Level.ERROR, Level.WARNING))
    counts = f'{_count(errors, "error")}, {_count(warnings, "warning")}'
    if errors:
        return f'{counts}: fix the errors first, from the top; each may hide others.'
    return f'{counts}: nothing here prevents the robot from driving.'


def as_json(source: str, evidence: Evidence, expected: ExpectedRobot, found: Sequence[Finding]
            ) -> Dict[str, Any]:
    """Return the output of ``--json``."""
    return {
        'source': source, 'duration': evidence.duration, 'robot': expected.robot,
        'contour_radius': contour_radius(expected.model, expected.settings),
        'level': worst(found).word,
        'findings': [{'level': each.level.word, 'subject': each.subject, 'found': each.found,
                      'remedy': each.remedy} for each in found]}


def wrapped(head: str, text: str) -> List[str]:
    """Return a text after a head, wrapped and indented."""
    # Names of topics are not trusted.
    return textwrap.wrap(printable(text, len(text)), WIDTH, initial_indent=head,
                         subsequent_indent=' ' * INDENT, break_on_hyphens=False,
                         break_long_words=False)


def _count(number: int, what: str) -> str:
    return f'{number} {what}{"" if number == 1 else "s"}'
