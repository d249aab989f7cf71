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

"""Files: suggestions for a mistyped name, and files that are written as a whole or not at all."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import os
from pathlib import Path
from typing import Iterator, Union

from bug_nav.files import BadInput, interrupt
from bug_nav.navigation.names import nearest, suggestion

IMAGES = ('.png', '.pgm', '.ppm', '.bmp', '.jpg', '.jpeg')
"""Suffixes of images that can be maps."""
MAX_FILES = 10_000
"""Maximum number of files of a folder that are compared with a mistyped name."""


def did_you_mean_file(path: Union[str, Path], folders: bool = False) -> str:
    """
    Return a suggestion of a file for a missing one, to add to a clause; '' if none is near.

    Each missing part of the path is replaced by the nearest name in its folder. ``folders``:
    suggest folders as well.
    """
    given, found = Path(path), Path()
    try:
        for part in given.parts:
            ahead = found / part
            found = ahead if ahead.exists() else found / _nearest_in(found, part)
    except (OSError, ValueError, LookupError):  # ValueError: a null character
        return ''
    if found == given or not (folders or found.is_file()):
        return ''
    return suggestion([str(found)])


def _nearest_in(folder: Path, name: str) -> str:
    """Return the nearest name in a folder; LookupError without one."""
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in itertools.islice(entries, MAX_FILES))
    # Compare the name without its ending first, because the same ending is no similarity.
    stem, = nearest(Path(name).stem, {Path(each).stem for each in names}) or ('',)
    alike = [each for each in names if Path(each).stem == stem]
    return difflib.get_close_matches(name, alike, 1, 0.0)[0]


def check_folder(what: str, path: Union[str, Path]) -> None:
    """Raise BadInput if the folder of ``path`` is not writable; ``what`` names the file."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise BadInput(f'the folder of {what} {str(path)!r} does not exist; create it first')
    if not os.access(folder, os.W_OK):
        raise BadInput(f'the folder of {what} {str(path)!r} is not writable; choose another one')


@contextlib.contextmanager
def atomic_write(path: Union[str, Path]) -> Iterator[Path]:
    """
    Yield a temporary file that replaces ``path`` at the end of the context.

    It is in the same folder and has the same ending. After an exception or Ctrl-C the former file
    at ``path`` stays, and the temporary file is removed.

    :raises OSError: with ``path`` as its file name, which the error of a full disk lacks.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    partial = target.with_name(f'.{target.stem}.part{target.suffix}')
    with interrupt.cleanup_on_interrupt(lambda: _remove(partial)):
        try:
            yield partial
            partial.replace(target)
        except OSError as error:
            _remove(partial)
            if error.filename not in (None, partial, str(partial)):
                raise
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        except BaseException:
            _remove(partial)
            raise


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
