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

"""Files from strangers: read within bounds, and quoted so that they can be printed."""

from __future__ import annotations

from pathlib import Path

from bug_nav.sim.world import WorldError


def plain(text: str, limit: int = 250) -> str:
    """Return text from a stranger for a message: one line, printable, not too long."""
    shown = text if len(text) <= limit else text[:limit - 3] + '...'
    return ''.join(letter if letter.isprintable() else '?' for letter in shown)


def read_bytes(path: Path, limit: int) -> bytes:
    """
    Return what is in a file.

    :param path: a regular file of at most ``limit`` bytes.
    :raises WorldError: one sentence that names the file.
    """
    try:
        # A pipe or a device would never end.
        if path.exists() and not path.is_file():
            raise WorldError(f'{path}: not a regular file')
        with open(path, 'rb') as stream:
            content = stream.read(limit + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, WorldError):
            raise
        raise WorldError(f'{path}: {getattr(error, "strerror", None) or error}') from None
    if len(content) > limit:
        raise WorldError(f'{path}: larger than {_size(limit)}')
    return content


def looks_like_xml(path: Path) -> bool:
    """Tell whether a file begins as XML does; one that cannot be read might."""
    try:
        with open(path, 'rb') as stream:
            return stream.read(256).lstrip(b'\xef\xbb\xbf \t\r\n').startswith(b'<')
    except OSError:
        return True


def _size(count: int) -> str:
    return f'{count // 1_000_000} MB' if count >= 1_000_000 else f'{count // 1000} kB'
