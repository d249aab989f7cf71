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
The command line: the parser, and one file for each command, whose ``main`` returns the exit code.

Printed text, exit codes and option checks belong here; computations belong in the other packages.
It may import all of them.
"""

from __future__ import annotations

import os
from pathlib import Path
import sys
from typing import List, TYPE_CHECKING

from bug_nav.files import BadInput
from bug_nav.navigation.names import listed

if TYPE_CHECKING:
    from bug_nav.simulation.world import World

DEFAULT_PLOT = os.path.join('out', 'demo.png')
"""Default plot file of ``bug_nav demo``, relative to the working directory."""
DEFAULT_ROBOT = 'burger'
"""Default robot preset."""
DEFAULT_BASE_FRAME = 'base_footprint'
"""Default base frame of the robot in a recording."""
SUCCESSES = ('reached', 'reached_uncertain', 'unreachable', 'loop_detected')
"""
Outcomes with exit code 0: the robot is at the goal by its own estimate, or there is a verdict.

REACHED_UNCERTAIN is among them because the action succeeds, too.
"""
RANDOM_WORLDS = ('random worlds: random:cluttered?seed=7, random:cells?seed=7, ... '
                 '(docs/worlds.md lists them)')
"""The last line of a list of the shipped worlds."""


class CannotRun(Exception):
    """A requirement of the command is missing (exit code 1); the message is one sentence."""


class Interrupted(Exception):
    """
    Ctrl-C was pressed and the command has shut down cleanly (exit code 130).

    The message is one sentence, or '' if it was printed before.
    """

    def __init__(self, message: str = 'interrupted'):
        """Store the message."""
        super().__init__(message)


def exit_code(outcome: str) -> int:
    """Return the exit code for an outcome."""
    return 0 if outcome in SUCCESSES else 1


def notes_of(world: World) -> List[str]:
    """Return sentences about what a world lacks of its file, and what its lidar cannot see."""
    unseen = ['the lidar cannot see these obstacles, which the robot could hit: '
              f'{listed(world.unseen)}'] if world.unseen else []
    return [*world.notes, *unseen]


def report_notes(world: World) -> None:
    """Print the notes of a world on stderr."""
    for note in notes_of(world):
        print(f'bug_nav: {note}', file=sys.stderr)


def report_written(path: str) -> None:
    """Report a written file on stderr."""
    print(f'bug_nav: wrote {Path(path)}', file=sys.stderr)  # without a trailing slash


def make_folder(what: str, folder: Path, option: str) -> None:
    """Create a folder; if that fails, raise BadInput that asks for another ``option``."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        file = next((each for each in (folder, *folder.parents) if each.is_file()), None)
        reason = 'is a file' if file else f'cannot be created: {error.strerror}'
        raise BadInput(f'{what} {str(file or folder)!r} {reason}; give another {option}') from None
