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
Module search path of the Python processes of bug_nav, without the current folder.

Python puts the current folder first for ``python -m`` and ``python -c``, and so for each process
that `multiprocessing` starts. There, a file such as ``html.py`` of the user would take the place
of the standard library's module.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Iterator, List

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder that bug_nav was imported from."""
CHILD = ('import sys; sys.path[0] or sys.path.pop(0); sys.path.append({home!r}); '
         'import runpy; runpy.run_module({name!r}, run_name="__main__", alter_sys=True)')


def leave_current_folder() -> None:
    """
    Remove the current folder from the module search path of ``python -m`` or ``python -c``.

    A folder that PYTHONPATH names stays. The folder that bug_nav was imported from, such as a
    clone that is not installed, becomes the last one.
    """
    if getattr(sys.flags, 'safe_path', sys.flags.isolated) or not sys.path:
        return
    try:
        here = os.getcwd()
    except OSError:  # it has been removed, and there is nothing to be imported
        return
    if sys.path[0] in ('', here):
        del sys.path[0]
        if here == HOME and HOME not in sys.path:
            sys.path.append(HOME)


def is_run_as_module() -> bool:
    """Return whether ``python -m`` is about to run a module of bug_nav."""
    # While Python locates the module, argv[0] is '-m'; since 3.10, orig_argv has its name.
    return getattr(sys, 'argv', [])[:1] == ['-m'] and any(
        word.startswith(('bug_nav', '-mbug_nav'))
        for word in getattr(sys, 'orig_argv', ['bug_nav']))


def child_command(name: str, *arguments: str) -> List[str]:
    """Return the command that runs a module as ``python -m`` does, in this Python."""
    return [sys.executable, '-c', CHILD.format(home=HOME, name=name), *arguments]


@contextlib.contextmanager
def outside_current_folder() -> Iterator[None]:
    """Start processes of `multiprocessing`: meanwhile, the current folder is bug_nav's own."""
    try:
        here = os.getcwd()
    except OSError:
        yield
        return
    os.chdir(HOME if os.path.isdir(HOME) else os.sep)
    try:
        yield
    finally:
        os.chdir(here)
