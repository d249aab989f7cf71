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

"""Names that somebody has mistyped, or that are none."""

from __future__ import annotations

import difflib
from typing import Any, Callable, Iterable

LONGEST = 80
"""A name with more characters is nobody's: what says it aloud need not say all of it."""


def shortened(name: str, longest: int = LONGEST) -> str:
    """Return a name that somebody has sent us, and of one that is far too long the beginning."""
    return name if len(name) <= longest else f'{name[:longest - 3]}...'


def shown(value: Any) -> str:
    """Return a value for a message as Python writes it, and of a long one the beginning."""
    try:
        return shortened(repr(value))
    except ValueError:  # a whole number of more than some thousand digits
        return f'a {type(value).__name__}'


def did_you_mean(name: str, known: Iterable[str], lead: str = '; ',
                 show: Callable[[str], str] = str) -> str:
    """
    Return the question for the known name that is nearest, behind ``lead``; '' if none is near.

    ``show`` makes the name what is to be printed, such as `repr`.
    """
    near = difflib.get_close_matches(name, list(known), 1)
    return f'{lead}did you mean {show(near[0])}?' if near else ''
