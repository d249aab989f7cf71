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

"""Argument types of the command line; each error is one sentence."""

from __future__ import annotations

from argparse import ArgumentTypeError
import math
from typing import Callable, Dict, Sequence, Tuple

from bug_nav.navigation.names import shown
from bug_nav.simulation import BadInput

MAX_SPEED_FACTOR = 100.0
"""Maximum ratio of simulated to real time that the simulator node accepts."""
MIN_LISTENING, MAX_LISTENING = 1.0, 3600.0
"""Limits of the listening time: nodes need a moment to discover each other [s]."""
MAX_QUESTIONS = 50
"""Maximum number of questions of an examination."""
MAX_EXAM_SEED = 999_999_000
"""Maximum seed of its first scene."""
MIN_CELL, MAX_CELL = 0.005, 1.0
"""Limits of the cell size: lidar precision is about 1 cm, and 1 m cells hide doors [m]."""
MAX_RANGE = 1000.0
"""Maximum range of a lidar [m]."""
MAX_DURATION = 1e9
"""Maximum duration, about 30 years [s]."""


def number(text: str) -> float:
    """Return a finite number."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f'{shown(text)} is not a number') from None
    if not math.isfinite(value):
        raise ArgumentTypeError(f'{shown(text)} is not finite; give a finite number')
    return value


def non_negative(text: str) -> float:
    """Return a finite number of at least 0."""
    value = number(text)
    if value < 0.0:
        raise ArgumentTypeError(f'{shown(text)} is negative; give 0 or more')
    return value


def positive(text: str) -> float:
    """Return a finite number above 0."""
    value = number(text)
    if value <= 0.0:
        raise ArgumentTypeError(f'{shown(text)} is not above 0; give more than 0')
    return value


def cell_size(text: str) -> float:
    """Return the side length of a cell [m]."""
    return _between(text, number(text), MIN_CELL, MAX_CELL, 'not a valid cell size', 'm')


def max_range(text: str) -> float:
    """Return the maximum range of a lidar [m]."""
    value = positive(text)
    if value > MAX_RANGE:
        raise ArgumentTypeError(f'{shown(text)} exceeds the range of a lidar; give at most '
                                f'{MAX_RANGE:g} m')
    return value


def positive_int(text: str) -> int:
    """Return a whole number of at least 1."""
    value = seed(text)
    if value < 1:
        raise ArgumentTypeError(f'{shown(text)} is not above 0; give 1 or more')
    return value


def exam_size(text: str) -> int:
    """Return the number of questions of an examination."""
    value = positive_int(text)
    if value > MAX_QUESTIONS:
        raise ArgumentTypeError(f'{shown(text)} is too many; give 1 to {MAX_QUESTIONS}')
    return value


def exam_seed(text: str) -> int:
    """Return the seed of an examination, which the diagrams take with nine digits at most."""
    value = seed(text)
    if value > MAX_EXAM_SEED:
        raise ArgumentTypeError(f'{shown(text)} is too large; give 0 to {MAX_EXAM_SEED}')
    return value


def duration(text: str) -> float:
    """Return a non-negative time that fits a ROS message [s]."""
    value = non_negative(text)
    if value > MAX_DURATION:
        raise ArgumentTypeError(f'{shown(text)} is too long; give at most {MAX_DURATION:g} s')
    return value


def listening_duration(text: str) -> float:
    """Return a listening time [s]."""
    return _between(text, positive(text), MIN_LISTENING, MAX_LISTENING, 'out of range', 's')


def _between(text: str, value: float, low: float, high: float, fault: str, unit: str) -> float:
    """Return the value if it is between ``low`` and ``high``."""
    if not low <= value <= high:
        raise ArgumentTypeError(f'{shown(text)} is {fault}; give {low:g} to {high:g} {unit}')
    return value


def speed_factor(text: str) -> float:
    """Return the ratio of simulated to real time for the simulator."""
    value = non_negative(text)
    if value > MAX_SPEED_FACTOR:
        raise ArgumentTypeError(f'{shown(text)} is too high; give at most {MAX_SPEED_FACTOR:g}, '
                                'or 0 for as fast as the node allows')
    return value


def speed_up(text: str) -> float:
    """Return the speed of an animation relative to simulated time."""
    return _between(text, number(text), 0.5, MAX_SPEED_FACTOR,
                    'not a valid speed for an animation', 'times')


def animation_size(text: str) -> int:
    """Return the longer side of the map in an animation [pixels]."""
    return round(_between(text, number(text), 200, 2000, 'not a valid size for an animation',
                          'pixels'))


def printable(text: str) -> str:
    """Return a text without control characters."""
    if not text.isprintable():
        raise ArgumentTypeError(f'{shown(text)} contains control characters; remove them')
    return text


def seed(text: str) -> int:
    """Return the seed of a random number generator."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f'{shown(text)} is not a whole number') from None
    if value < 0:
        raise ArgumentTypeError(f'{shown(text)} is negative; give a whole number of at least 0')
    return value


def port(text: str) -> int:
    """Return a port number; 0 selects a free port."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f'{shown(text)} is not a port; give a number from 0 to 65535')
    return int(text)


def _numbers(form: str, example: str) -> Callable[[str], Tuple[float, ...]]:
    """Return an argument type for finite numbers, one for each name in ``form``."""
    count = len(form.split(','))

    def read(text: str) -> Tuple[float, ...]:
        parts = text.split(',')
        if len(parts) != count:
            raise ArgumentTypeError(f'{shown(text)} has {len(parts)} value'
                                    f'{"" if len(parts) == 1 else "s"}; {count} are needed: give '
                                    f'{form}, such as {example}')
        return tuple(number(part) for part in parts)
    return read


POSE = _numbers('x,y,yaw', '1.5,-2,0.78 (metres and radians)')
"""Argument type of a pose (x, y, yaw) [m, m, rad]."""
POINT = _numbers('x,y', '1.5,-2 (metres)')
"""Argument type of a point (x, y) [m]."""


def settings_of(texts: Sequence[str]) -> Dict[str, str]:
    """Return the values of ``--set NAME=VALUE`` by name; BadInput if one has no value."""
    settings = {}
    for text in texts:
        name, equals, value = text.partition('=')
        if not equals:
            raise BadInput(f'--set {shown(text)} has no value; give NAME=VALUE, such as '
                           'robot_radius=0.11')
        settings[name.strip()] = value.strip()
    return settings
