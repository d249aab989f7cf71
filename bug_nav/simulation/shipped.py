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

"""Location of the shipped files (worlds, params, launch, rviz) on this machine."""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Iterator


def share_dir() -> Path:
    """
    Return the folder that contains the shipped folders, such as `worlds/` and `params/`.

    A clone uses its own files. The files of an installed package are found by the ament index or,
    in a shell without a sourced ROS, below the prefix that the package is installed in.

    :raises FileNotFoundError: if none of these places has the shipped files.
    """
    tried = list(_candidates())
    for folder in tried:
        if (folder / 'worlds').is_dir():
            return folder
    raise FileNotFoundError(
        'the shipped files of bug_nav are in none of: ' + ', '.join(str(f) for f in tried)
        + '; install the package again')


def _candidates() -> Iterator[Path]:
    package = Path(__file__).resolve().parents[1]
    if (package.parent / 'package.xml').is_file():
        yield package.parent
    yield from _ament_share()
    for prefix in (*package.parents, Path(sys.prefix)):
        folder = prefix / 'share' / 'bug_nav'
        if folder.is_dir() or prefix == Path(sys.prefix):
            yield folder


def _ament_share() -> Iterator[Path]:
    try:
        # Imported here, because it is missing without ROS.
        from ament_index_python.packages import get_package_share_directory
        yield Path(get_package_share_directory('bug_nav'))
    except (ImportError, LookupError, OSError):
        return
