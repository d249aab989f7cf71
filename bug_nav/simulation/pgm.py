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
Portable grey maps (.pgm), plain and raw, with any maximum value.

Pillow on the platforms of ROS 2 Humble reads neither plain ones nor those whose maximum value is
not 255.

Source: https://netpbm.sourceforge.net/doc/pgm.html.
"""

from __future__ import annotations

import re
from typing import Tuple
import warnings

import numpy as np

_BLANK = rb'(?:\s|#[^\n]*\n)+'
_HEADER = re.compile(rb'P([25])' + 3 * (_BLANK + rb'(\d{1,9})'))


def is_pgm(content: bytes) -> bool:
    """Return whether a file has the signature of a pgm."""
    return content[:2] in (b'P2', b'P5')


def header_of(content: bytes) -> Tuple[int, int, int, int]:
    """
    Return columns, rows, the maximum value, and the end of the header.

    :raises ValueError: for a damaged header.
    """
    header = _HEADER.match(content)
    if not header:
        raise ValueError('its header is not one of a pgm')
    columns, rows, largest = map(int, header.groups()[1:])
    if not (columns and rows and 0 < largest < 65536):
        raise ValueError(f'{columns} x {rows} pixels up to {largest}')
    return columns, rows, largest, header.end()


def read_pgm(content: bytes) -> Tuple[np.ndarray, int]:
    """
    Return the values (rows, columns), and the maximum value of the header.

    :raises ValueError: for a damaged file.
    """
    columns, rows, largest, end = header_of(content)
    count = rows * columns
    if content[:2] == b'P2':
        values = _numbers(content[end:])
    else:
        kind = np.dtype('u1' if largest < 256 else '>u2')
        size = count * kind.itemsize
        # A single blank separates the header from the data, but Windows writes two.
        is_windows = content[end:end + 2] == b'\r\n' and len(content) == end + 2 + size
        begin = end + 1 + is_windows
        values = np.frombuffer(content[begin:begin + size], kind)
    if len(values) < count:
        raise ValueError(f'{len(values)} of {count} pixels are there')
    values = values[:count]
    if values.min() < 0 or values.max() > largest:
        raise ValueError(f'a pixel is not from 0 to {largest}')
    return values.reshape(rows, columns).astype(np.uint16), largest


def pgm_of(values: np.ndarray) -> bytes:
    """Return values up to 255, (rows, columns), as a raw pgm."""
    rows, columns = values.shape
    return f'P5\n{columns} {rows}\n255\n'.encode() + values.astype(np.uint8).tobytes()


def _numbers(text: bytes) -> np.ndarray:
    with warnings.catch_warnings():
        # Warns of words that are not numbers; the missing pixels are an error anyway.
        warnings.simplefilter('ignore', DeprecationWarning)
        return np.fromstring(re.sub(rb'#[^\n]*', b'', text).decode('latin-1'), int, sep=' ')
