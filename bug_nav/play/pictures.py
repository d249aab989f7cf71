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

"""Pictures and films of the runs that a page shows, drawn as `bug_nav run --plot` draws them."""

from __future__ import annotations

import dataclasses
from pathlib import Path
import tempfile
from typing import Any, Dict, Optional, TYPE_CHECKING

from bug_nav.commands import BadInput
from bug_nav.commands.run import record_from
from bug_nav.play.spec import as_list, Asked, asked, Files, saved_name
from bug_nav.sim.episode import run_episode

if TYPE_CHECKING:
    from bug_nav.viz.animation import Animation
    from bug_nav.viz.record import RunRecord

MEDIA = {'.png': 'image/png', '.svg': 'image/svg+xml', '.gif': 'image/gif'}
"""What a page can have, by the ending of its file."""
MOST_RUNS = 8
PNG_WIDTH = 1920
"""Pixels: enough for a slide."""
GIF_DPI = 190
"""About 880 pixels wide."""
COLUMNS = 3
"""Largest number of maps side by side."""


def picture(data: Dict[str, Any], files: Files, ending: str) -> bytes:
    """
    Return the content of a file with the runs that a page asks for.

    :param data: ``case`` and ``algorithms`` as for a run; ``side``: whether each run has a map of
        its own; ``title``: what an opened file is called.
    :param ending: one of MEDIA.
    :raises BadInput: where that makes no sense.
    """
    names = as_list(data.get('algorithms'), MOST_RUNS, 'algorithms')
    if not names:
        raise BadInput('no algorithm is chosen; choose one to draw its run')
    animation = _animation() if ending == '.gif' and len(names) == 1 else None
    runs = [asked(data.get('case'), name, files) for name in names]
    records = [_titled(_record(run, animation), data.get('title')) for run in runs]
    with tempfile.TemporaryDirectory(prefix='bug_nav_picture_') as folder:
        path = Path(folder) / f'picture{ending}'
        if animation is not None:
            animation.save(records[0], path, dpi=GIF_DPI)
        elif ending == '.gif':
            from bug_nav.viz.comparison import save_comparison_animation
            save_comparison_animation(records, path, dpi=GIF_DPI)
        else:
            from bug_nav.viz.episode_plot import save_figure
            figure = _figure(records, data.get('side') is True)
            save_figure(figure, path, round(PNG_WIDTH / figure.get_figwidth()))
        return path.read_bytes()


def _animation() -> Animation:
    from bug_nav.viz.animation import Animation
    return Animation()


def _figure(records: Any, is_side: bool) -> Any:
    if len(records) == 1:
        from bug_nav.viz.episode_plot import draw
        return draw(records[0])
    if is_side:
        from bug_nav.viz.sheet import draw_sheet
        return draw_sheet(records, min(len(records), COLUMNS))
    from bug_nav.viz.comparison import draw_comparison
    return draw_comparison(records)


def _record(run: Asked, animation: Optional[Animation]) -> RunRecord:
    case = run.case
    episode = run_episode(
        case.world, case.start, case.goal, case.algorithm, model=case.robot.model,
        settings=case.robot.settings, lidar=case.robot.sensor, odometry=case.robot.odometry,
        timing=case.robot.timing, seed=run.seed, time_allowance=run.time_allowance,
        keep_samples=True, watch=animation.watch if animation else None)
    return record_from(case, episode, None)


def _titled(record: RunRecord, title: Any) -> RunRecord:
    """Return a record of a world that is called by the name of its file."""
    if not isinstance(title, str) or not title:
        return record
    world = dataclasses.replace(record.world, name=saved_name(Path(title).stem, ''))
    return dataclasses.replace(record, world=world)
