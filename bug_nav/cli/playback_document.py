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

"""Playback documents: runs as JSON for the playground and the playback page."""

from __future__ import annotations

import argparse
import shlex
from typing import Any, Dict, List, Optional

from bug_nav.cli.case import Case, SHORTHANDS
from bug_nav.simulation.episode import EpisodeResult
from bug_nav.visualization.playback import Playback, world_document

VERSION = 1
"""Version of the document format."""
OMITTED = ('hit_points', 'leave_points', 'certificate', 'message', 'wall_time', 'real_time_factor')
"""Report keys that the document has elsewhere, or that differ between identical runs."""
DEFAULTS = {'robot': 'burger', 'seed': 1, 'time_allowance': 3600.0}
"""Defaults of options, omitted from the command line."""


def run_document(case: Case, episode: EpisodeResult, playback: Playback, report: Dict[str, Any],
                 command: str, bound: Optional[float]) -> Dict[str, Any]:
    """
    Return the document of one run.

    :param report: the output of ``bug_nav run --json``.
    :param command: command line that reproduces the run.
    :param bound: upper bound of the path length from the paper [m].
    """
    facts = case.algorithm.facts
    return playback.document(
        episode, case.robot.settings.xy_goal_tolerance, case.robot.model.robot_radius,
        case.robot.contour_radius,
        {'algorithm': case.algorithm_name, 'title': facts.title, 'outcome': report['outcome'],
         'message': report['message'], 'bound': bound, 'bound_text': facts.bound,
         'report': {name: value for name, value in report.items() if name not in OMITTED},
         'command': command, 'm_line': facts.m_line,
         'steps': [step._asdict() for step in case.algorithm.steps]})


def playback_document(case: Case, runs: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Return a document of several runs with the same world, start and goal."""
    return {'version': VERSION, 'world': world_document(case.world), 'start': list(case.start),
            'goal': list(case.goal), 'runs': runs}


def equivalent_command(world: str, arguments: argparse.Namespace) -> str:
    """Return the command line that reproduces the run exactly."""
    words: List[str] = ['bug_nav', 'run', world, '--algorithm', arguments.algorithm]
    if arguments.start is not None:
        words += [f'--start={",".join(map(_exact, arguments.start))}']
    if arguments.goal is not None:
        words += [f'--goal={",".join(map(_exact, arguments.goal))}']
    if arguments.still:
        words += ['--still']
    if arguments.turn not in (None, 'left'):
        words += ['--turn', arguments.turn]
    for option, default in DEFAULTS.items():
        value = getattr(arguments, option)
        if value != default:
            words += [f'--{option.replace("_", "-")}',
                      _exact(value) if isinstance(value, float) else str(value)]
    given = {name: getattr(arguments, option) for option, name in SHORTHANDS.items()
             if option != 'turn' and getattr(arguments, option) is not None}
    for setting in (*(f'{name}={value}' for name, value in given.items()), *arguments.settings):
        words += ['--set', setting]
    return shlex.join(words)


def _exact(value: float) -> str:
    """Return a number as short text that parses to the same value."""
    return f'{value:g}' if float(f'{value:g}') == value else repr(value)
