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

"""Repair of an MCAP file without an end, which a killed recorder leaves."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import struct
from typing import BinaryIO

MAGIC = b'\x89MCAP0\r\n'
"""First and last bytes of an MCAP file."""
RECORD_HEADER = struct.Struct('<BQ')
"""Header of a record: its kind and the size of its content."""
FOOTER = RECORD_HEADER.pack(2, 20) + bytes(20)
"""Footer without a summary, so that readers scan the records."""


def has_end(path: Path) -> bool:
    """Return whether a file ends like a complete MCAP file."""
    with open(path, 'rb') as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - len(MAGIC), 0))
        return size > len(MAGIC) and file.read() == MAGIC


def complete_copy(path: Path, folder: Path) -> Path:
    """Copy the complete records of a file into a folder, and add the end."""
    copy = folder / path.name
    shutil.copyfile(path, copy)
    with open(copy, 'r+b') as file:
        file.truncate(_end_of_records(file))
        file.seek(0, os.SEEK_END)
        file.write(FOOTER + MAGIC)
    return copy


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
