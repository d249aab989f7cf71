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
Journal of a campaign: one line of JSON per result, so that a campaign can be resumed.

Lines are only appended; a partial line, left by a killed campaign, is cut off. Of each row, only
the key and the position in the file are kept in memory.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from typing import Any, Dict, Iterable, Iterator, Optional

from bug_nav.lab.rows import COLUMN_DEFAULTS, Row

SYNC_PERIOD = 2.0
"""Maximum time until an added line is synced to the disk [s]."""
_HEAD = b'{"key": "'


class JournalError(ValueError):
    """The file is not a journal, or another campaign is writing it."""


class Journal:
    """
    Finished rows and cases by their keys, on disk.

    A key is a 64-bit hash of everything that the row or the case depends on.
    """

    def __init__(self, path: str, resume: bool = False) -> None:
        """
        Open the file.

        :param resume: continue an existing file; otherwise it must not exist.
        :raises JournalError: if a line is not valid, or another campaign is writing the file.
        :raises FileExistsError: if the file exists and ``resume`` is false.
        """
        self._places: Dict[int, int] = {}
        self._remedy = 'repeat the command' if resume else 'continue with --resume'
        begun = os.path.exists(path) and (resume or os.path.getsize(path) == 0)
        self._file = open(path, 'r+b' if begun else 'x+b')
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise JournalError(f'another campaign is writing {path}; wait for it, or give another '
                               'file') from None
        self._end = self._read()
        self._file.seek(self._end)
        self._file.truncate()
        self._safe = time.monotonic()

    def _read(self) -> int:
        """Index the lines and return the end of the last complete one [byte]."""
        end = 0
        for number, line in enumerate(self._file, 1):
            if not line.endswith(b'\n'):
                break
            try:
                if not line.startswith(_HEAD):
                    raise ValueError
                self._places[int(line[len(_HEAD):len(_HEAD) + 16], 16)] = end
            except ValueError:
                self._file.close()
                raise JournalError(f'line {number} of {self._file.name} is not from a campaign; '
                                   'give another file') from None
            end += len(line)
        return end

    def __contains__(self, key: int) -> bool:
        """Return whether a key is in the journal."""
        return key in self._places

    def add(self, key: int, value: Any) -> None:
        """Append the value of a key, unless it exists."""
        if key in self:
            return
        line = b'%s%016x", "value": %s}\n' % (_HEAD, key, json.dumps(
            value, allow_nan=False).encode())
        try:
            self._append(line)
        except OSError as error:
            with contextlib.suppress(OSError):  # the next campaign drops the partial line
                os.ftruncate(self._file.fileno(), self._end)
            raise JournalError(f'{self._file.name} cannot be written: {error.strerror}; free '
                               f'some space, then {self._remedy}') from None
        self._places[key] = self._end
        self._end += len(line)

    def _append(self, line: bytes) -> None:
        # Bypass the buffer, which closing the file would write again.
        done = 0
        while done < len(line):
            done += os.pwrite(self._file.fileno(), line[done:], self._end + done)
        if time.monotonic() - self._safe > SYNC_PERIOD:
            os.fsync(self._file.fileno())
            self._safe = time.monotonic()

    def get(self, key: int) -> Any:
        """Return the value of a key; JournalError if the line is damaged."""
        self._file.seek(self._places[key])
        try:
            document = json.loads(self._file.readline())
            return document['value'] if 'value' in document else document['told']  # of bug_nav 0.1
        except (ValueError, KeyError, TypeError):
            raise JournalError(f'the line at byte {self._places[key]} of {self._file.name} is '
                               f'damaged; remove it, then {self._remedy}') from None

    def row(self, key: int) -> Optional[Row]:
        """Return a row by its key; None if it does not exist."""
        return row_of(self.get(key), self._file.name) if key in self else None

    def rows(self, keys: Iterable[int]) -> Iterator[Row]:
        """Yield the existing rows, in the order of the keys."""
        for key in keys:
            row = self.row(key)
            if row is not None:
                yield row

    def close(self) -> None:
        """Sync to the disk and close the file."""
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()


def row_of(value: Any, name: str) -> Row:
    """Return the row of a journal value."""
    try:
        return Row(**{**COLUMN_DEFAULTS, **value})
    except TypeError:
        raise JournalError(f'{name} has rows of another version of bug_nav, with other columns; '
                           'start with another file') from None
