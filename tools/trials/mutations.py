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

"""Mutations of files."""

from __future__ import annotations

from random import Random
import re
from typing import Callable, List

NUMBER = re.compile(rb'-?\d+\.?\d*(?:[eE][-+]?\d+)?')
NUMBERS = (b'nan', b'inf', b'-inf', b'1e308', b'-1e308', b'1e-320', b'-1', b'0', b'-0.0', b'1e9',
           b'99999999999999999999999', b'1' * 5000, b'0x10', b'1_000', b'1e', b'.', b'', b'1,5',
           b'true', b'0.1', b'3', b'1000000', b'2147483648', b'1:30', b'2001-99-99')
TOKEN = re.compile(rb'[A-Za-z_]+|\d+|[^\sA-Za-z_\d]')
WORDS = (b'\0', b'\xff\xfe', b'\xef\xbb\xbf', b'<', b'>', b'</', b'&amp;', b'&x;', b'"', b"'",
         b'\n', b'\t', b': ', b'- ', b'[', b']', b'{', b'}', b'*a', b'&a ', b'<<: *a', b'|', b'%',
         b'!!python/name:os.system ', b'!!binary |', b'\r', '\u202e'.encode(),
         '\U0001f916'.encode(), b'null', b'~', b'yes', b'? ', b'---\n', b'<![CDATA[',
         b'<!DOCTYPE a [<!ENTITY b "c">]>')
DEEP = (100, 1000, 20_000)
Mutation = Callable[[bytes, Random, bytes], bytes]
"""Changes a file; the third argument is another file of the kind."""


def mutated(content: bytes, random: Random, other: bytes) -> bytes:
    """Return a file with one to four mutations."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content = random.choice(MUTATIONS)(content, random, other)
    return content


def _place(content: bytes, random: Random) -> int:
    return random.randint(0, len(content))


def _chunk(content: bytes, random: Random) -> slice:
    start = _place(content, random)
    return slice(start, start + random.choice((1, 2, 10, 100, 1000)))


def _flipped(content: bytes, random: Random, other: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 3, 20))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _deleted(content: bytes, random: Random, other: bytes) -> bytes:
    gone = _chunk(content, random)
    return content[:gone.start] + content[gone.stop:]


def _doubled(content: bytes, random: Random, other: bytes) -> bytes:
    chunk = _chunk(content, random)
    return content[:chunk.stop] + content[chunk] * random.choice((1, 2, 50)) + content[chunk.stop:]


def _swapped(content: bytes, random: Random, other: bytes) -> bytes:
    tokens = list(TOKEN.finditer(content))
    if len(tokens) < 2:
        return content
    one, two = sorted(random.sample(tokens, 2), key=lambda token: token.start())
    return (content[:one.start()] + two[0] + content[one.end():two.start()] + one[0]
            + content[two.end():])


def _renumbered(content: bytes, random: Random, other: bytes) -> bytes:
    numbers = list(NUMBER.finditer(content))
    if not numbers:
        return content
    number = random.choice(numbers)
    return content[:number.start()] + random.choice(NUMBERS) + content[number.end():]


def _inserted(content: bytes, random: Random, other: bytes) -> bytes:
    place = _place(content, random)
    return content[:place] + random.choice(WORDS) + content[place:]


def _line(content: bytes, random: Random, other: bytes) -> bytes:
    """Delete, repeat or move a line."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randint(0, len(lines)), line)
    return b''.join(lines)


def _nested(content: bytes, random: Random, other: bytes) -> bytes:
    """Insert deeply nested brackets or tags."""
    tags = re.findall(rb'<[a-z]+[^<>/]{0,40}>', content)
    opening = random.choice([b'[', b'{a: ', b'- ', *tags[:20]])
    closing = {b'[': b']', b'{a: ': b'}', b'- ': b''}
    end = closing[opening] if opening in closing else b'</' + re.findall(
        rb'[a-z]+', opening)[0] + b'>'
    place, depth = _place(content, random), random.choice(DEEP)
    return content[:place] + opening * depth + end * depth + content[place:]


def _truncated(content: bytes, random: Random, other: bytes) -> bytes:
    return content[:_place(content, random)]


def _spliced(content: bytes, random: Random, other: bytes) -> bytes:
    return content[:_place(content, random)] + other[_place(other, random):]


MUTATIONS: List[Mutation] = [
    _flipped, _deleted, _doubled, _swapped, _renumbered, _renumbered, _renumbered, _inserted,
    _line, _nested, _truncated, _spliced]
