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
Plots, animations and playbacks of runs, and markers for rviz.

It may import `navigation` and `simulation`.

To draw your own runs, use `run_record`, `draw`, `compare` and `save`. They import matplotlib when
called, so that the node can publish markers without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Optional, Sequence, TYPE_CHECKING, Union

from bug_nav.navigation.settings import contour_radius, RobotModel, Settings

if TYPE_CHECKING:
    from bug_nav.navigation.algorithms.base import Algorithm
    from bug_nav.simulation.episode import EpisodeResult
    from bug_nav.visualization.record import RunRecord

__all__ = ['compare', 'draw', 'run_record', 'save']


def run_record(episode: EpisodeResult, algorithm: Algorithm, *, model: RobotModel = RobotModel(),
               settings: Settings = Settings(), shortest_path: Optional[float] = None
               ) -> RunRecord:
    """
    Return the record of an episode that kept its samples, for `draw` and `compare`.

    :param model: the robot of `run_episode`.
    :param settings: the settings of `run_episode`.
    :param shortest_path: length of the shortest path, if known, for the subtitle [m].
    """
    from bug_nav.navigation.algorithms.base import (
        OWN,  # imports kernels, which markers do not need
    )
    from bug_nav.visualization.record import record_of
    facts = algorithm.facts
    return record_of(episode, facts.title, '' if facts.turn == OWN else settings.turn_direction,
                     goal_tolerance=settings.xy_goal_tolerance, robot_radius=model.robot_radius,
                     contour_radius=contour_radius(model, settings), shortest_path=shortest_path,
                     has_m_line=facts.m_line)


def draw(record: RunRecord) -> Any:
    """Return the plot of a run as a matplotlib figure."""
    from bug_nav.visualization.episode_plot import draw as drawn
    return drawn(record)


def compare(records: Sequence[RunRecord]) -> Any:
    """Return one plot of several runs with the same start and goal as a matplotlib figure."""
    from bug_nav.visualization.comparison import draw_comparison
    return draw_comparison(records)


def save(figure: Any, path: Union[str, Path], dpi: int = 130) -> None:
    """Write a figure to a .png, .svg or .pdf file; the same run gives the same file."""
    from bug_nav.visualization.episode_plot import save_figure
    save_figure(figure, path, dpi)
