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
Deterministic subsets of the combinations of algorithms, scenes, turns and seeds.

`make test` runs each with some of the others; `make test-all`, which sets WHOLE=1, runs all
combinations.
"""

from __future__ import annotations

import os
from typing import Iterable, List, Sequence, TypeVar
import zlib

WHOLE = bool(os.environ.get('WHOLE'))

Thing = TypeVar('Thing')


def subset(things: Iterable[Thing], share: int, first: int = 0) -> List[Thing]:
    """Return every ``share``-th element, from index ``first``."""
    return list(things) if WHOLE else list(things)[first::share]


def one_of(things: Sequence[Thing], *key: str) -> Sequence[Thing]:
    """Return one element, chosen by a hash of the key."""
    if WHOLE:
        return things
    k = zlib.crc32(' '.join(key).encode()) % len(things)
    return things[k:k + 1]
