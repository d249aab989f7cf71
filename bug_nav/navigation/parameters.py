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

"""Typed parameters: dataclass fields with a unit, a range and a description."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Sequence, Tuple

from bug_nav.navigation.names import shown

KIND_NAMES = {bool: 'true or false', int: 'a whole number', float: 'a number', str: 'a text'}
"""Names of the types of parameters in messages."""


def parameter(default: Any, doc: str, *, unit: str = '', low: Optional[float] = None,
              high: Optional[float] = None, choices: Optional[Sequence[str]] = None,
              needs: Optional[Tuple[str, ...]] = None) -> Any:
    """
    Declare a dataclass field as a parameter with values from ``low`` to ``high``.

    :param needs: another parameter that enables this one, and its values that do; without values,
        any above 0.
    """
    return dataclasses.field(default=default, metadata={
        'doc': doc, 'unit': unit, 'low': low, 'high': high,
        'choices': tuple(choices) if choices else None, 'needs': needs})


def typed(value: Any, kind: type) -> Any:
    """Return a value as the type of its parameter, an int as float; or raise TypeError."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            raise TypeError(f'{shown(value)} is too large for a number') from None
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        raise TypeError(f'{shown(value)} is not {KIND_NAMES[kind]}')
    return value


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def check(name: str, value: Any, field: dataclasses.Field) -> None:
    """Raise ValueError, in one sentence, if ``value`` is not allowed for ``field``."""
    meta = field.metadata
    if meta.get('choices') and value not in meta['choices']:
        raise ValueError(f'{name} is {shown(value)}; allowed are {", ".join(meta["choices"])}')
    low, high = meta.get('low'), meta.get('high')
    if low is None and high is None:
        return
    unit = f' {meta["unit"]}' if meta.get('unit') else ''
    if not _is_finite(value):
        raise ValueError(f'{name} is {shown(value)}; give a finite number{unit and " in"}{unit}')
    if (low is not None and value < low) or (high is not None and value > high):
        allowed = (f'{low} to {high}' if low is not None and high is not None
                   else f'at least {low}' if low is not None else f'at most {high}')
        raise ValueError(f'{name} is {shown(value)}{unit}; allowed is {allowed}{unit}')


class ParameterSet:
    """A mix-in for dataclasses of parameters that checks every value."""

    def __post_init__(self) -> None:
        """Check every field against its range."""
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            check(field.name, getattr(self, field.name), field)
