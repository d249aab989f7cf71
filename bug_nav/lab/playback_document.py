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

import shlex
from typing import Any, Dict, List, Optional

from bug_nav.lab.run_setup import algorithm_of, RunOptions, RunSetup
from bug_nav.navigation.algorithms.base import TURN_BY_ALGORITHM
from bug_nav.simulation.episode import EpisodeResult
from bug_nav.visualization.playback import Playback, world_document

VERSION = 1
"""Version of the document format."""
OMITTED = ('hit_points', 'leave_points', 'certificate', 'message', 'wall_time', 'real_time_factor')
"""Report keys that the document has elsewhere, or that differ between identical runs."""


def run_document(setup: RunSetup, episode: EpisodeResult, playback: Playback,
                 report: Dict[str, Any], command: str, bound: Optional[float]) -> Dict[str, Any]:
    """
    Return the document of one run.

    :param report: the output of ``bug_nav run --json``.
    :param command: command line that reproduces the run.
    :param bound: upper bound of the path length from the paper [m].
    """
    metadata = setup.algorithm.metadata
    return playback.document(
        episode, setup.robot.settings.xy_goal_tolerance, setup.robot.model.robot_radius,
        setup.robot.contour_radius,
        {'algorithm': setup.algorithm_name, 'title': metadata.title, 'outcome': report['outcome'],
         'message': report['message'], 'bound': bound, 'bound_text': metadata.bound,
         'report': {name: value for name, value in report.items() if name not in OMITTED},
         'command': command, 'm_line': metadata.m_line,
         'steps': [step._asdict() for step in setup.algorithm.steps]})


def playback_document(setup: RunSetup, runs: List[Dict[str, Any]]) -> Dict[str, Any]:
    """Return a document of several runs with the same world, start and goal."""
    return {'version': VERSION, 'world': world_document(setup.world), 'start': list(setup.start),
            'goal': list(setup.goal), 'runs': runs}


def equivalent_command(world: str, options: RunOptions) -> str:
    """Return the command line that reproduces the run exactly, with the text of its world."""
    words: List[str] = ['bug_nav', 'run', world, '--algorithm', options.algorithm_name]
    if options.start is not None:
        words += [f'--start={",".join(map(_exact, options.start))}']
    if options.goal is not None:
        words += [f'--goal={",".join(map(_exact, options.goal))}']
    if options.still:
        words += ['--still']
    if options.turn not in (None, 'left'):
        is_own = algorithm_of(options).metadata.turn == TURN_BY_ALGORITHM
        words += (['--set', f'turn_direction={options.turn}'] if is_own else
                  ['--turn', str(options.turn)])
    for option in ('robot', 'seed', 'time_allowance'):
        value = getattr(options, option)
        if value != getattr(RunOptions, option):
            words += [f'--{option.replace("_", "-")}',
                      _exact(value) if isinstance(value, float) else str(value)]
    given = {name: value for name, value in options.shorthands.items() if name != 'turn_direction'}
    for name, value in {**given, **options.settings}.items():
        words += ['--set', f'{name}={value}']
    return shlex.join(words)


def _exact(value: float) -> str:
    """Return a number as short text that parses to the same value."""
    return f'{value:g}' if float(f'{value:g}') == value else repr(value)
