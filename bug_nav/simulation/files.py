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

"""Files that are written as a whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Iterator, Union

from bug_nav.simulation import BadInput, interrupt


def check_folder(what: str, path: Union[str, Path]) -> None:
    """Raise BadInput if the folder of ``path`` is not writable; ``what`` names the file."""
    folder = Path(path).parent
    if not folder.is_dir():
        raise BadInput(f'the folder of {what} {str(path)!r} does not exist; create it first')
    if not os.access(folder, os.W_OK):
        raise BadInput(f'the folder of {what} {str(path)!r} is not writable; choose another one')


@contextlib.contextmanager
def whole(path: Union[str, Path]) -> Iterator[Path]:
    """
    Yield a temporary file that replaces ``path`` at the end of the context.

    It is in the same folder and has the same ending. After an exception or Ctrl-C the former file
    at ``path`` stays, and the temporary file is removed.

    :raises OSError: with ``path`` as its file name, which the error of a full disk lacks.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    partial = target.with_name(f'.{target.stem}.part{target.suffix}')
    with interrupt.undoing(lambda: _remove(partial)):
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
