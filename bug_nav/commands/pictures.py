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

import importlib
import os
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from bug_nav.commands import BadInput, CannotRun, check_folder

if TYPE_CHECKING:
    from bug_nav.viz.film import Film
    from bug_nav.viz.record import RunRecord
    from bug_nav.viz.replay_plot import ReplayRecord
    from matplotlib.figure import Figure

ENDINGS = ('.png', '.svg', '.pdf')
FILM = '.gif'
"""The ending of a moving picture."""


def check_picture_file(path: str, films: bool = False) -> None:
    """
    Raise BadInput where no picture can be written, before any time is spent on a run.

    :param films: a moving one can be had as well.
    """
    file = Path(path)
    endings = (*ENDINGS, FILM) if films else ENDINGS
    if file.suffix.lower() not in endings:
        raise BadInput(f'the plot file {path!r} must end in {", ".join(endings[:-1])} or '
                       f'{endings[-1]}')
    if file.is_dir() or (file.exists() and not os.access(file, os.W_OK)):
        raise BadInput(f'the plot file {path!r} cannot be written; name another one')
    check_folder('the plot file', path)
    try:
        importlib.import_module('matplotlib')
    except ImportError:
        raise CannotRun('a plot needs matplotlib, which is not installed; install it with pip, '
                        'or python3-matplotlib with the package manager') from None


def save_picture(record: RunRecord, path: str) -> None:
    """Write the picture of a run; BadInput where the file cannot be written after all."""
    from bug_nav.viz.episode_plot import draw
    _save(draw(record), path)


def is_film(path: str) -> bool:
    """Tell whether a picture is a moving one, by its file's ending."""
    return Path(path).suffix.lower() == FILM


def save_film(film: Film, record: RunRecord, path: str) -> None:
    """Write a moving picture, and tell how far it is; BadInput where it cannot be written."""
    terminal = sys.stderr.isatty()

    def tell(done: int, count: int) -> None:
        if terminal:
            end = '\n' if done == count else ''
            print(f'\rdrawing picture {done} of {count}', end=end, file=sys.stderr, flush=True)
    try:
        film.save(record, path, tell)
    except OSError as error:
        raise BadInput(f'the plot file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None


def save_replay(record: ReplayRecord, path: str) -> None:
    """Write the picture of a replay; BadInput where the file cannot be written after all."""
    from bug_nav.viz.replay_plot import draw_replay
    _save(draw_replay(record), path)


def _save(figure: Figure, path: str) -> None:
    from bug_nav.viz.episode_plot import save_figure
    try:
        save_figure(figure, path)
    except OSError as error:
        raise BadInput(f'the plot file {path!r} cannot be written: '
                       f'{error.strerror or error}') from None
