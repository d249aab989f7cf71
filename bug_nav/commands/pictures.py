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
import importlib
import math
import os
from pathlib import Path
import shutil
import sys
from typing import Any, Dict, Iterator, Sequence, TYPE_CHECKING

from bug_nav.commands import BadInput, CannotRun, check_folder
from bug_nav.core.files import whole

if TYPE_CHECKING:
    from bug_nav.viz.animation import Animation
    from bug_nav.viz.record import RunRecord
    from bug_nav.viz.replay_plot import ReplayRecord
    from matplotlib.figure import Figure

ENDINGS = ('.png', '.svg', '.pdf')
FILMS = ('.gif', '.mp4')
"""The endings of moving pictures."""
COLUMNS = 4
"""Maximum number of maps side by side."""
PAGE = '.html'
"""The ending of a page that plays a run."""


def check_picture_file(path: str, films: bool = False) -> None:
    """
    Raise BadInput where no picture can be written, before any time is spent on a run.

    :param films: a moving one, and a page that plays the run, can be had as well.
    """
    file = Path(path)
    endings = (*ENDINGS, *FILMS, PAGE) if films else ENDINGS
    if file.suffix.lower() not in endings:
        raise BadInput(f'the plot file {path!r} must end in {", ".join(endings[:-1])} or '
                       f'{endings[-1]}')
    if file.is_dir() or (file.exists() and not os.access(file, os.W_OK)):
        raise BadInput(f'the plot file {path!r} cannot be written; name another one')
    check_folder('the plot file', path)
    if is_page(path):
        return
    try:
        importlib.import_module('matplotlib')
    except ImportError:
        raise CannotRun('a plot needs matplotlib, which is not installed; install it with pip, '
                        'or python3-matplotlib with the package manager') from None
    if file.suffix.lower() == '.mp4' and shutil.which('ffmpeg') is None:
        raise CannotRun('an .mp4 needs ffmpeg, which is not on the PATH; install it (on Ubuntu: '
                        'sudo apt install ffmpeg), or name a .gif file, which needs nothing')


def save_picture(record: RunRecord, path: str) -> None:
    """Write the picture of a run; BadInput where the file cannot be written after all."""
    from bug_nav.viz.episode_plot import draw
    _save(draw(record), path)


def is_film(path: str) -> bool:
    """Tell whether a picture is a moving one, by its file's ending."""
    return Path(path).suffix.lower() in FILMS


def is_page(path: str) -> bool:
    """Tell whether a picture is a page that plays the run, by its file's ending."""
    return Path(path).suffix.lower() == PAGE


def save_page(document: Dict[str, Any], path: str) -> None:
    """Write a page that plays runs; BadInput where the file cannot be written."""
    from bug_nav.viz.playback_page import render_page
    with _writing(path), whole(path) as partial:
        partial.write_text(render_page(document), encoding='utf-8')


def save_animation(animation: Animation, record: RunRecord, path: str, size: int) -> None:
    """
    Write a moving picture and report its progress; BadInput where it cannot be written.

    :param size: longer side of its map [pixels].
    """
    from bug_nav.viz.animation import SIDE
    with _writing(path):
        animation.save(record, path, _tell_progress, round(size / SIDE))


def save_comparison(records: Sequence[RunRecord], path: str, speed_up: float, size: int,
                    side_by_side: bool) -> None:
    """
    Write one picture of several runs, still or moving, by its file's ending; as above.

    :param side_by_side: draw one map for each run, in a still picture.
    """
    from bug_nav.viz.animation import SIDE
    from bug_nav.viz.comparison import draw_comparison, save_comparison_animation
    from bug_nav.viz.sheet import draw_sheet
    if is_film(path):
        with _writing(path):
            save_comparison_animation(records, path, speed_up, _tell_progress, round(size / SIDE))
    else:
        rows = math.ceil(len(records) / COLUMNS)
        _save(draw_sheet(records, math.ceil(len(records) / rows)) if side_by_side
              else draw_comparison(records), path)


def tell_written(path: str) -> None:
    """Tell on stderr where a picture is."""
    print(f'bug_nav: wrote {path}', file=sys.stderr)


def _tell_progress(done: int, count: int) -> None:
    if sys.stderr.isatty():
        end = '\n' if done == count else ''
        print(f'\rdrawing picture {done} of {count}', end=end, file=sys.stderr, flush=True)


def save_replay(record: ReplayRecord, path: str) -> None:
    """Write the picture of a replay; BadInput where the file cannot be written after all."""
    from bug_nav.viz.replay_plot import draw_replay
    _save(draw_replay(record), path)


def _save(figure: Figure, path: str) -> None:
    from bug_nav.viz.episode_plot import save_figure
    with _writing(path):
        save_figure(figure, path)


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BadInput(f'the plot file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None
