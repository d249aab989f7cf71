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

"""The files of a map: checked before the recording is read, written after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bug_nav.commands import BadInput, check_folder

ENDINGS = ('.yaml', '.pgm')


def check_map(name: str) -> None:
    """Raise BadInput where no map can be written, before any time is spent on it."""
    path = path_of(name)
    check_folder('the map', path)
    for file in (path.with_suffix(ending) for ending in ENDINGS):
        if file.exists():
            raise BadInput(f'the map {str(file)!r} exists already; name another one, or remove it')


def path_of(name: str) -> Path:
    """Return the yaml file of a map, which may be named with its ending or without."""
    return Path(name if name.endswith(ENDINGS[0]) else name + ENDINGS[0])


def write_map(builder: Any, name: str) -> Any:
    """Write what a `MapBuilder` has built, and return what there is to tell of it."""
    from bug_nav.recording.replay_report import Drawn
    from bug_nav.sim.map_file import save_map
    drawn = Drawn(str(path_of(name)), builder.grid())
    try:
        save_map(drawn.grid, path_of(name))
    except OSError as error:
        raise BadInput(f'the map {name!r} cannot be written: {error.strerror or error}') from None
    return drawn
