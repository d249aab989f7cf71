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

"""Repair of an MCAP file without an end, which a killed recorder leaves, or without a profile."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import struct
from typing import BinaryIO, Iterator, List, Tuple

MAGIC = b'\x89MCAP0\r\n'
"""First and last bytes of an MCAP file."""
RECORD_HEADER = struct.Struct('<BQ')
"""Header of a record: its kind and the size of its content."""
SCHEMA, CHANNEL = 3, 4
"""Kinds of records."""
MAX_RECORD = 1 << 20
"""Maximum size of a schema or channel [byte]."""
ENCODINGS = (b'ros2msg', b'ros2idl', b'omgidl', b'')
"""Encodings of the schemas of ROS 2."""
PROFILE = b'ros2'
LIBRARY = len(MAGIC) + RECORD_HEADER.size + 8
"""Position of the name of the recorder if there is no profile: after two lengths [byte]."""
FOOTER = RECORD_HEADER.pack(2, 20) + bytes(20)
"""Footer without a summary, so that readers scan the records."""


def has_end(path: Path) -> bool:
    """Return whether a file ends like a complete MCAP file."""
    with open(path, 'rb') as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - len(MAGIC), 0))
        return size > len(MAGIC) and file.read() == MAGIC


def has_profile(path: Path) -> bool:
    """Return whether a file names the system of its messages, which some recorders omit."""
    with open(path, 'rb') as file:
        start = file.read(LIBRARY + len(PROFILE))
    return len(start) < LIBRARY or any(start[LIBRARY - 8:LIBRARY - 4]) or (
        int.from_bytes(start[LIBRARY - 4:LIBRARY], 'little') < len(PROFILE))


def complete_copy(path: Path, folder: Path) -> Path:
    """Copy the complete records of a file into a folder, and add the end and the profile."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    with open(copy, 'r+b') as file:
        if not has_end(path):
            file.truncate(_end_of_records(file))
            file.seek(0, os.SEEK_END)
            file.write(FOOTER + MAGIC)
        if not has_profile(path):
            _add_profile(file)
    return copy


def _add_profile(file: BinaryIO) -> None:
    """Write the profile over the end of the recorder's name, so that no record moves."""
    file.seek(LIBRARY - 4)
    size = int.from_bytes(file.read(4), 'little')
    library = file.read(size)[:-len(PROFILE)]
    file.seek(LIBRARY - 8)
    file.write(_text(PROFILE) + _text(library))


def _text(value: bytes) -> bytes:
    return len(value).to_bytes(4, 'little') + value


def topics_of_other_systems(path: Path) -> List[str]:
    """Return the topics whose messages are not of ROS 2, as far as an index names them."""
    other, topics = set(), []
    with open(path, 'rb') as file:
        for kind, content in _index(file):
            number, rest = content[:2], content[2:]
            if kind == SCHEMA:
                name, rest = _split(rest)
                if _split(rest)[0] not in ENCODINGS:
                    other.add(number)
            elif content[2:4] in other:
                topics.append(_split(content[4:])[0].decode(errors='replace'))
    return sorted(set(topics))


def _split(content: bytes) -> Tuple[bytes, bytes]:
    """Return the first text, and what follows it."""
    end = 4 + int.from_bytes(content[:4], 'little')
    return content[4:end], content[end:]


def _index(file: BinaryIO) -> Iterator[Tuple[int, bytes]]:
    """Yield the kind and content of the schemas and channels outside of chunks."""
    size, end = file.seek(0, os.SEEK_END), len(MAGIC)
    while end + RECORD_HEADER.size <= size:
        file.seek(end)
        kind, length = RECORD_HEADER.unpack(file.read(RECORD_HEADER.size))
        if kind in (SCHEMA, CHANNEL):
            yield kind, file.read(min(length, MAX_RECORD))
        end += RECORD_HEADER.size + length


def _end_of_records(file: BinaryIO) -> int:
    """Return the position after the last complete record [byte]."""
    size, end = file.seek(0, os.SEEK_END), len(MAGIC)
    following = end
    while following <= size:
        end = following
        file.seek(end)
        header = file.read(RECORD_HEADER.size)
        if len(header) < RECORD_HEADER.size:
            break
        following = end + RECORD_HEADER.size + RECORD_HEADER.unpack(header)[1]
    return end
