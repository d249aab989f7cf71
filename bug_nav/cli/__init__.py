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

Printed text, exit codes and option checks belong here; what a command computes belongs in the room
that computes it. It may import every room but `playground`, which it starts by its name.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

DEFAULT_PLOT = os.path.join('out', 'demo.png')
"""Default plot file of ``bug_nav demo``, relative to the working directory."""
VERDICTS = ('reached', 'unreachable', 'loop_detected')
"""Outcomes with exit code 0: the algorithm reached a conclusion."""


class BadInput(Exception):
    """Invalid user input (exit code 2); the message is one sentence."""


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


def check_folder(what: str, path: Union[str, Path]) -> None:
    """Raise BadInput if the folder of ``path`` is not writable; ``what`` names the file."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise BadInput(f'the folder of {what} {str(path)!r} does not exist; create it first')
    if not os.access(folder, os.W_OK):
        raise BadInput(f'the folder of {what} {str(path)!r} is not writable; choose another one')


def exit_code(outcome: str) -> int:
    """Return the exit code for an outcome."""
    return 0 if outcome in VERDICTS else 1


def uncertainty_text(uncertainty: float) -> str:
    """Return the uncertainty of the goal position as text; a standard deviation [m]."""
    return f'position known to {uncertainty:.3f} m'


def headline(outcome: str, message: str) -> str:
    """Return outcome and message as one line of text."""
    end = '' if message.endswith(('.', '?', '!')) else '.'
    return f'{outcome.upper().replace("_", " ")}: {message}{end}'
