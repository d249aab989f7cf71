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

"""Untrusted files: bounded reads, and text made printable."""

from __future__ import annotations

from pathlib import Path
from typing import Type

LFS_POINTER = b'version https://git-lfs.github.com/spec/'
"""Beginning of the file that Git LFS leaves in place of one that was not fetched."""
NOT_FETCHED = 'a pointer of Git LFS, not the file itself; run `git lfs pull` in its repository'


def printable(text: str, limit: int = 250) -> str:
    """Return untrusted text for a message: one line, printable, at most ``limit`` characters."""
    shown = text if len(text) <= limit else text[:limit - 3] + '...'
    return ''.join(letter if letter.isprintable() else '?' for letter in shown)


def read_bytes(path: Path, limit: int, error: Type[ValueError] = ValueError) -> bytes:
    """
    Return the content of a file.

    :param path: a regular file of at most ``limit`` bytes.
    :raises ValueError: an ``error`` with the name of the file.
    """
    try:
        # A pipe or a device might never end.
        is_regular = path.is_file() or not path.exists()
        if is_regular:
            with open(path, 'rb') as stream:
                content = stream.read(limit + 1)
    except (OSError, ValueError) as reason:
        raise error(f'{path}: {getattr(reason, "strerror", None) or reason}') from None
    if not is_regular:
        raise error(f'{path}: not a regular file'
                    + ('; it is a folder: name a file in it' if path.is_dir() else ''))
    if len(content) > limit:
        raise error(f'{path}: larger than {_size(limit)}')
    if content.startswith(LFS_POINTER):
        raise error(f'{path}: {NOT_FETCHED}')
    return content


def looks_like_xml(path: Path) -> bool:
    """Return whether a file begins like XML, or cannot be read."""
    try:
        with open(path, 'rb') as stream:
            return stream.read(256).lstrip(b'\xef\xbb\xbf \t\r\n').startswith(b'<')
    except OSError:
        return True


def _size(count: int) -> str:
    return f'{count // 1_000_000} MB' if count >= 1_000_000 else f'{count // 1000} kB'
