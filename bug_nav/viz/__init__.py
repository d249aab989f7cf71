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

"""
Pictures of runs, and what markers show.

To draw runs of your own: `run_record`, `draw`, `compare`, `save`. They need matplotlib, which is
imported when it is needed: the node has markers without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Sequence, TYPE_CHECKING, Union

from bug_nav.core.settings import contour_radius, RobotModel, Settings

if TYPE_CHECKING:
    from bug_nav.algorithms.base import Algorithm
    from bug_nav.sim.episode import Episode
    from bug_nav.viz.record import RunRecord

__all__ = ['compare', 'draw', 'run_record', 'save']


def run_record(episode: Episode, algorithm: Algorithm, *, model: RobotModel = RobotModel(),
               settings: Settings = Settings(), shortest_path: Optional[float] = None
               ) -> RunRecord:
    """
    Return what pictures are made of: an episode that kept its samples, and what drove in it.

    :param model: the robot, as `run_episode` was given it; so the settings.
    :param shortest_path: its length [m], where it is known, for the subtitle.
    """
    from bug_nav.algorithms.base import OWN  # kernels come with it; who shows markers needs none
    from bug_nav.viz.record import record_of
    facts = algorithm.facts
    return record_of(episode, facts.title, '' if facts.turn == OWN else settings.turn_direction,
                     goal_tolerance=settings.xy_goal_tolerance, robot_radius=model.robot_radius,
                     contour_radius=contour_radius(model, settings), shortest_path=shortest_path,
                     has_m_line=facts.m_line)


def draw(record: RunRecord) -> Any:
    """Return the picture of a run, a figure of matplotlib."""
    from bug_nav.viz.episode_plot import draw as drawn
    return drawn(record)


def compare(records: Sequence[RunRecord]) -> Any:
    """Return one picture of several runs from one start to one goal, a figure of matplotlib."""
    from bug_nav.viz.comparison import draw_comparison
    return draw_comparison(records)


def save(figure: Any, path: Union[str, Path], dpi: int = 130) -> None:
    """Write a figure into a .png, .svg or .pdf file; the same run gives the same file."""
    from bug_nav.viz.episode_plot import save_figure
    save_figure(figure, path, dpi)
