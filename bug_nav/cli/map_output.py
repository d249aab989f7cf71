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

"""Map files: checked before the recording is read, written afterwards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bug_nav.files import BadInput
from bug_nav.files.paths import check_folder
from bug_nav.recording import RecordingError

ENDINGS = ('.yaml', '.pgm')


def check_map(name: str) -> None:
    """Raise BadInput if the map cannot be written."""
    path = yaml_path(name)
    check_folder('the map', path)
    for file in (path.with_suffix(ending) for ending in ENDINGS):
        if file.exists():
            raise BadInput(f'the map {str(file)!r} already exists; choose another name, or '
                           'remove it')


def yaml_path(name: str) -> Path:
    """Return the YAML file of a map; the name may omit the ending."""
    return Path(name if name.endswith(ENDINGS[0]) else name + ENDINGS[0])


def write_map(builder: Any, name: str) -> Any:
    """Write the map of a `MapBuilder` and return its `Drawn` report."""
    from bug_nav.recording.replay_report import Drawn
    from bug_nav.simulation.map_file import save_map
    try:
        map_file = Drawn(str(yaml_path(name)), builder.grid(), builder.start)
        save_map(map_file.grid, yaml_path(name))
    except RecordingError as error:  # an empty map
        raise BadInput(str(error)) from None
    except OSError as error:
        raise BadInput(f'the map {name!r} cannot be written: {error.strerror or error}') from None
    return map_file
