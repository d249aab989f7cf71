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

"""Pictures and animations of the runs on a page, drawn as by `bug_nav run --plot`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
import tempfile
from typing import Any, Dict, Optional, TYPE_CHECKING

from bug_nav.files import BadInput
from bug_nav.lab.run import plot_record
from bug_nav.lab.run_setup import drive
from bug_nav.playground.request_parser import (
    parse_list,
    parse_run,
    RunRequest,
    safe_file_name,
    UploadedFiles,
)

if TYPE_CHECKING:
    from bug_nav.visualization.animation import Animation
    from bug_nav.visualization.record import RunRecord

PICTURE_TYPES = {'.png': 'image/png', '.svg': 'image/svg+xml', '.gif': 'image/gif'}
"""Media types of the output formats, by file ending."""
MAX_RUNS = 8
PNG_WIDTH = 1920
"""Width of a PNG file, enough for a slide [pixels]."""
GIF_DPI = 190
"""Resolution of a GIF, about 880 pixels wide [dots/inch]."""
MAX_COLUMNS = 3
"""Maximum number of maps side by side."""


def render(data: Dict[str, Any], files: UploadedFiles, ending: str) -> bytes:
    """
    Return the content of a picture file with the requested runs.

    :param data: ``case`` and ``algorithms`` as for a run; ``side``: whether each run has its own
        map; ``title``: name of an uploaded file.
    :param ending: one of PICTURE_TYPES.
    :raises BadInput: if the request is invalid.
    """
    names = parse_list(data.get('algorithms'), MAX_RUNS, 'algorithms')
    if not names:
        raise BadInput('no algorithm is selected; select one to draw its run')
    animation = _make_animation() if ending == '.gif' and len(names) == 1 else None
    runs = [parse_run(data.get('case'), name, files) for name in names]
    records = [_titled(_record(run, animation), data.get('title')) for run in runs]
    with tempfile.TemporaryDirectory(prefix='bug_nav_picture_') as folder:
        path = Path(folder) / f'picture{ending}'
        if animation is not None:
            animation.save(records[0], path, dpi=GIF_DPI)
        elif ending == '.gif':
            from bug_nav.visualization.comparison import save_comparison_animation
            save_comparison_animation(records, path, dpi=GIF_DPI)
        else:
            from bug_nav.visualization.episode_plot import save_figure
            figure = _figure(records, data.get('side') is True)
            save_figure(figure, path, round(PNG_WIDTH / figure.get_figwidth()))
        return path.read_bytes()


def _make_animation() -> Animation:
    from bug_nav.visualization.animation import Animation
    return Animation()


def _figure(records: Any, is_side: bool) -> Any:
    if len(records) == 1:
        from bug_nav.visualization.episode_plot import draw
        return draw(records[0])
    if is_side:
        from bug_nav.visualization.sheet import draw_sheet
        return draw_sheet(records, min(len(records), MAX_COLUMNS))
    from bug_nav.visualization.comparison import draw_comparison
    return draw_comparison(records)


def _record(run: RunRequest, animation: Optional[Animation]) -> RunRecord:
    episode = drive(run.setup, animation.watch if animation else None)
    return plot_record(run.setup, episode, None)


def _titled(record: RunRecord, title: Any) -> RunRecord:
    """Return the record with the world named after its uploaded file."""
    if not isinstance(title, str) or not title:
        return record
    world = dataclasses.replace(record.world, name=safe_file_name(Path(title).stem, ''))
    return dataclasses.replace(record, world=world)
