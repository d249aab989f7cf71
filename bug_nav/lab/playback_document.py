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

from typing import Any, Dict, List, Optional

from bug_nav.lab.run_setup import RunSetup
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
