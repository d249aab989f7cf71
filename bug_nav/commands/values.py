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

"""Readers of what is typed on the command line; each error is one sentence."""

from __future__ import annotations

from argparse import ArgumentTypeError
import math
from typing import Callable, Tuple

from bug_nav.core.names import shown

FASTEST = 100.0
"""The largest factor that the simulator's node takes."""
SHORTEST, LONGEST_LISTENING = 1.0, 3600.0
"""To find each other takes nodes a moment; an hour tells no more than a minute [s]."""
FINEST, COARSEST = 0.005, 1.0
"""A lidar measures to a centimetre, and in cells of a metre there is no door [m]."""
LONGEST_SIGHT = 1000.0
"""No lidar sees farther [m]."""
LONGEST = 1e9
"""The longest time [s]: 30 years."""


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f'{shown(text)} is not a number') from None
    if not math.isfinite(value):
        raise ArgumentTypeError(f'{shown(text)} is not finite; give a finite number')
    return value


def at_least_zero(text: str) -> float:
    """Return a finite number that is not negative."""
    value = number(text)
    if value < 0.0:
        raise ArgumentTypeError(f'{shown(text)} is negative; give 0 or more')
    return value


def above_zero(text: str) -> float:
    """Return a finite number above zero."""
    value = number(text)
    if value <= 0.0:
        raise ArgumentTypeError(f'{shown(text)} is not above 0; give more than 0')
    return value


def cell(text: str) -> float:
    """Return the side of a cell [m]."""
    return _between(text, number(text), FINEST, COARSEST, 'no side of a cell', 'm')


def sight(text: str) -> float:
    """Return how far a lidar sees [m]."""
    value = above_zero(text)
    if value > LONGEST_SIGHT:
        raise ArgumentTypeError(f'{shown(text)} is farther than a lidar sees; give at most '
                                f'{LONGEST_SIGHT:g} m')
    return value


def above_zero_whole(text: str) -> int:
    """Return a whole number from 1."""
    value = seed(text)
    if value < 1:
        raise ArgumentTypeError(f'{shown(text)} is not above 0; give 1 or more')
    return value


def duration(text: str) -> float:
    """Return a time in seconds, not negative, that a ROS message can hold."""
    value = at_least_zero(text)
    if value > LONGEST:
        raise ArgumentTypeError(f'{shown(text)} is too long; give at most {LONGEST:g} s')
    return value


def listening_time(text: str) -> float:
    """Return for how long to listen [s]."""
    return _between(text, above_zero(text), SHORTEST, LONGEST_LISTENING, 'out of bounds', 's')


def _between(text: str, value: float, low: float, high: float, fault: str, unit: str) -> float:
    """Return a number that is between two others."""
    if not low <= value <= high:
        raise ArgumentTypeError(f'{shown(text)} is {fault}; give {low:g} to {high:g} {unit}')
    return value


def speed(text: str) -> float:
    """Return a factor between simulated and real time that the simulator takes."""
    value = at_least_zero(text)
    if value > FASTEST:
        raise ArgumentTypeError(f'{shown(text)} is too much; give at most {FASTEST:g}, or 0 for '
                                'as fast as the node can drive')
    return value


def speed_up(text: str) -> float:
    """Return how much faster than simulated time a moving picture goes."""
    return _between(text, number(text), 0.5, FASTEST, 'no factor for a moving picture', 'times')


def picture_size(text: str) -> int:
    """Return the longer side of a moving picture's map [pixels]."""
    return round(_between(text, number(text), 200, 2000, 'no size for a moving picture',
                          'pixels'))


def word(text: str) -> str:
    """Return a name."""
    if not text.isprintable():
        raise ArgumentTypeError(f'{shown(text)} has characters that no name has')
    return text


def seed(text: str) -> int:
    """Return the seed of a generator of random numbers."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f'{shown(text)} is not a whole number') from None
    if value < 0:
        raise ArgumentTypeError(f'{shown(text)} is negative; give a whole number from 0')
    return value


def port(text: str) -> int:
    """Return the port of a server; 0 for any that is free."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f'{shown(text)} is no port; give a whole number from 0 to 65535')
    return int(text)


def _numbers(form: str, example: str) -> Callable[[str], Tuple[float, ...]]:
    """Return a reader of as many finite numbers as there are names in ``form``."""
    count = len(form.split(','))

    def read(text: str) -> Tuple[float, ...]:
        parts = text.split(',')
        if len(parts) != count:
            raise ArgumentTypeError(f'{shown(text)} has {len(parts)} of {count} values; '
                                    f'give {form}, such as {example}')
        return tuple(number(part) for part in parts)
    return read


POSE = _numbers('x,y,yaw', '1.5,-2,0.78 (metres and radians)')
"""Reads a pose."""
POINT = _numbers('x,y', '1.5,-2 (metres)')
"""Reads a point."""
