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

"""The commands of ``bug_nav``, one file each; ``main(arguments)`` returns the exit code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Union

DEFAULT_PLOT = os.path.join('out', 'demo.png')
"""Where ``bug_nav demo`` draws its picture, below the folder it is started in."""
VERDICTS = ('reached', 'unreachable', 'loop_detected')
"""The outcomes in which the algorithm did what it can: exit code 0."""


class BadInput(Exception):
    """The user's input cannot be used (exit code 2); the message is one sentence."""


class CannotRun(Exception):
    """What a command needs is not there (exit code 1); the message is one sentence."""


class Interrupted(Exception):
    """
    Ctrl-C came, and everything that was begun has been ended (exit code 130).

    The message is one sentence, '' where it was said before.
    """

    def __init__(self, message: str = 'interrupted'):
        """Take the sentence."""
        super().__init__(message)


def check_folder(what: str, path: Union[str, Path]) -> None:
    """Raise BadInput where nothing can be written beside ``path``, the path of ``what``."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise BadInput(f'the folder of {what} {str(path)!r} does not exist; make it first')
    if not os.access(folder, os.W_OK):
        raise BadInput(f'nothing can be written into the folder of {what} {str(path)!r}')


def exit_code(outcome: str) -> int:
    """Return the exit code of a run with that outcome."""
    return 0 if outcome in VERDICTS else 1


def known_to(uncertainty: float) -> str:
    """Return how well it is known where the goal is: a standard deviation [m]."""
    return f'its place is known to {uncertainty:.3f} m'


def headline(outcome: str, message: str) -> str:
    """Return how a goal ended, as one line for a person."""
    end = '' if message.endswith(('.', '?', '!')) else '.'
    return f'{outcome.upper().replace("_", " ")}: {message}{end}'
