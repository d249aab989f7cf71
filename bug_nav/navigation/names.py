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

"""Names, values and comparisons in messages; suggestions for a mistyped name."""

from __future__ import annotations

import difflib
from typing import Any, Iterable, List, Sequence

MAX_LENGTH = 80
"""Maximum number of characters of a name in a message."""


def shortened(name: str, max_length: int = MAX_LENGTH) -> str:
    """Return a name, cut to a maximum length."""
    return name if len(name) <= max_length else f'{name[:max_length - 3]}...'


def shown(value: Any) -> str:
    """Return a value as Python writes it, cut to a maximum length."""
    try:
        return shortened(repr(value))
    except ValueError:  # an integer with thousands of digits
        return f'a {type(value).__name__}'


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a suggestion of the nearest known name, to add to a clause; '' if none is near."""
    return suggestion(nearest(name, known))


def unknown(what: str, name: str, known: Iterable[str], advice: str,
            synonyms: Sequence[str] = ()) -> str:
    """Return a message on an unknown name: suggestions (``synonyms``, if any) and ``advice``."""
    hint = suggestion(synonyms or nearest(name, known))
    advice = f'{hint} {advice[0].upper()}{advice[1:]}' if hint else f'; {advice}'
    return f'unknown {what} {shortened(name)!r}{advice}'


def nearest(name: str, known: Iterable[str]) -> List[str]:
    """Return the only known name that begins with ``name``, else the most similar one, if any."""
    names = list(known)
    near = [each for each in names if name and each.startswith(name)]
    return near if len(near) == 1 else difflib.get_close_matches(name, names, 1)


def suggestion(names: Sequence[str]) -> str:
    """Return a suggestion of names, to add to a clause; '' without one."""
    return f'; did you mean {" or ".join(map(repr, names))}?' if names else ''


def listed(names: Iterable[str], most: int = 8) -> str:
    """Return names as `a, b and c`; beyond ``most``, the number of the others."""
    names = list(names)
    if len(names) > most:
        names = [*names[:most - 1], f'{len(names) - most + 1} more']
    return ' and '.join(filter(None, (', '.join(names[:-1]), *names[-1:])))


def less(name: str, value: float, than: str, other: float, unit: str = 'm') -> str:
    """Phrase that a value is less than another, with enough decimals to show it."""
    digits = next(
        (digits for digits in range(2, 6) if round(value, digits) < round(other, digits)), 6)
    return f'{name} = {value:.{digits}f} {unit} < {than} = {other:.{digits}f} {unit}'
