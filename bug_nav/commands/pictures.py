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
from typing import TYPE_CHECKING

from bug_nav.commands import BadInput, CannotRun, check_folder

if TYPE_CHECKING:
    from bug_nav.viz.record import RunRecord
    from bug_nav.viz.replay_plot import ReplayRecord
    from matplotlib.figure import Figure

ENDINGS = ('.png', '.svg', '.pdf')


def check_picture_file(path: str) -> None:
    """Raise BadInput where no picture can be written, before any time is spent on a run."""
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise BadInput(f'the plot file {path!r} must end in {", ".join(ENDINGS[:-1])} or '
                       f'{ENDINGS[-1]}')
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
