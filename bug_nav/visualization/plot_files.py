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

"""The file of a picture: checked before the run, written after it."""

from __future__ import annotations

import contextlib
import errno
import importlib
import math
import os
from pathlib import Path
import shutil
import sys
from typing import Any, Dict, Iterator, Sequence, TYPE_CHECKING

from bug_nav.files import BadInput
from bug_nav.files.paths import atomic_write, check_folder

if TYPE_CHECKING:
    from bug_nav.visualization.animation import Animation
    from bug_nav.visualization.record import RunRecord
    from bug_nav.visualization.replay_plot import ReplayRecord
    from matplotlib.figure import Figure

PICTURE_ENDINGS = ('.png', '.svg', '.pdf')
ANIMATION_ENDINGS = ('.gif', '.mp4')
"""File endings of animations."""
MAX_COLUMNS = 4
"""Maximum number of maps side by side."""
PAGE_ENDING = '.html'
"""File ending of a playback page."""


def check_picture_file(path: str, animations: bool = False) -> None:
    """
    Raise BadInput if the plot file cannot be written.

    :param animations: allow animations and playback pages.
    :raises ModuleNotFoundError: without matplotlib.
    :raises FileNotFoundError: without ffmpeg, which writes .mp4 files.
    """
    file = Path(path)
    endings = PICTURE_ENDINGS + (ANIMATION_ENDINGS + (PAGE_ENDING,) if animations else ())
    if file.suffix.lower() not in endings:
        raise BadInput(f'the plot file {path!r} must end in {", ".join(endings[:-1])} or '
                       f'{endings[-1]}')
    if file.is_dir():
        raise BadInput(f'the plot file {path!r} is a folder; choose another name')
    if file.exists() and not os.access(file, os.W_OK):
        raise BadInput(f'the plot file {path!r} cannot be written; choose another one')
    check_folder('the plot file', path)
    if is_html(path):
        return
    importlib.import_module('matplotlib')
    if file.suffix.lower() == '.mp4' and shutil.which('ffmpeg') is None:
        raise FileNotFoundError(
            errno.ENOENT, 'an .mp4 needs this program, which is not on the PATH; install it (on '
            'Ubuntu: sudo apt install ffmpeg), or choose a .gif file', 'ffmpeg')


def save_picture(record: RunRecord, path: str) -> None:
    """Write the picture of a run; BadInput if the file cannot be written."""
    from bug_nav.visualization.episode_plot import draw
    save(draw(record), path)


def is_animation(path: str) -> bool:
    """Return whether the file ending is that of an animation."""
    return Path(path).suffix.lower() in ANIMATION_ENDINGS


def is_html(path: str) -> bool:
    """Return whether the file ending is that of a playback page."""
    return Path(path).suffix.lower() == PAGE_ENDING


def save_page(document: Dict[str, Any], path: str) -> None:
    """Write a playback page; BadInput if the file cannot be written."""
    from bug_nav.visualization.playback_page import render_page
    with _writing(path), atomic_write(path) as partial:
        partial.write_text(render_page(document), encoding='utf-8')


def save_animation(animation: Animation, record: RunRecord, path: str, size: int) -> None:
    """
    Write an animation and show its progress; BadInput if the file cannot be written.

    :param size: longer side of the map [pixels].
    """
    from bug_nav.visualization.animation import SIDE
    with _writing(path):
        animation.save(record, path, _show_progress, round(size / SIDE))


def save_comparison_animation(records: Sequence[RunRecord], path: str, speed_up: float, size: int
                              ) -> None:
    """Write an animation of several runs; otherwise like `save_animation`."""
    from bug_nav.visualization import comparison
    from bug_nav.visualization.animation import SIDE
    with _writing(path):
        comparison.save_comparison_animation(records, path, speed_up, _show_progress,
                                             round(size / SIDE))


def comparison_figure(records: Sequence[RunRecord], side_by_side: bool) -> Figure:
    """Return the figure of several runs: one map for all, or one per run."""
    if not side_by_side:
        from bug_nav.visualization.comparison import draw_comparison
        return draw_comparison(records)
    from bug_nav.visualization.sheet import draw_sheet
    rows = math.ceil(len(records) / MAX_COLUMNS)
    return draw_sheet(records, math.ceil(len(records) / rows))


def _show_progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        end = '\n' if done == count else ''
        print(f'\rdrawing frame {done} of {count}', end=end, file=sys.stderr, flush=True)


def save_replay(record: ReplayRecord, path: str) -> None:
    """Write the picture of a replay; BadInput if the file cannot be written."""
    from bug_nav.visualization.replay_plot import draw_replay
    save(draw_replay(record), path)


def save(figure: Figure, path: str) -> None:
    """Write a figure; BadInput if the file cannot be written."""
    from bug_nav.visualization.episode_plot import save_figure
    with _writing(path):
        save_figure(figure, path)


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(f'the plot file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None
