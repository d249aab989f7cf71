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
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, TypeVar

from bug_nav.files import BadInput
from bug_nav.navigation.names import shown

Number = TypeVar('Number', int, float)


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


def seed(text: str) -> int:
    """Return the seed of a random number generator."""
    try:
        value = int(text)
    except ValueError:
        raise ArgumentTypeError(f'{shown(text)} is not a whole number') from None
    if value < 0:
        raise ArgumentTypeError(f'{shown(text)} is negative; give a whole number of at least 0')
    return value


def positive_int(text: str) -> int:
    """Return a whole number of at least 1."""
    value = seed(text)
    if value < 1:
        raise ArgumentTypeError(f'{shown(text)} is not above 0; give 1 or more')
    return value


def _rounded(text: str) -> int:
    return round(number(text))


def _limited(read: Callable[[str], Number], low: Optional[float], high: float, unit: str = ''
             ) -> Callable[[str], Number]:
    """Return an argument type for numbers with limits; ``read`` may check the lower one."""
    span = f'{low:.9g} to {high:.9g}' if low is not None else f'at most {high:.9g}'

    def limited(text: str) -> Number:
        value = read(text)
        if value > high or low is not None and value < low:
            raise ArgumentTypeError(f'{shown(text)} is out of range; give {span}{unit}')
        return value
    return limited


cell_size = _limited(number, 0.005, 1.0, ' m')
"""Side length of a cell [m]: lidar precision is about 1 cm, and 1 m cells hide doors."""
max_range = _limited(positive, None, 1000.0, ' m')
"""Maximum range of a lidar [m]."""
duration = _limited(non_negative, None, 1e9, ' s')
"""Time that fits a ROS message, up to about 30 years [s]."""
listening_duration = _limited(positive, 1.0, 3600.0, ' s')
"""Listening time [s]: nodes need a moment to discover each other."""
speed_factor = _limited(non_negative, None, 100.0, ', or 0 for as fast as the node allows')
"""Ratio of simulated to real time that the simulator node accepts."""
speed_up = _limited(number, 0.5, 100.0, ' times')
"""Speed of an animation relative to simulated time."""
exam_size = _limited(positive_int, 1, 50)
"""Number of questions of an examination."""
exam_seed = _limited(seed, 0, 999_999_000)
"""Seed of an examination, which the diagrams take with nine digits at most."""
animation_size = _limited(_rounded, 200, 2000, ' pixels')
"""Longer side of the map in an animation [pixels]."""


def printable(text: str) -> str:
    """Return a text without control characters."""
    if not text.isprintable():
        raise ArgumentTypeError(f'{shown(text)} contains control characters; remove them')
    return text


def frame(text: str) -> str:
    """Return the name of a frame without control characters, and without the slash of ROS 1."""
    return printable(text).lstrip('/')


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


def yaml_value(text: str, option: str = '') -> Any:
    """Return a value in YAML; BadInput, which begins with ``option``, if it is none."""
    import yaml  # only some commands need it
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date such as 2026-99-99
        raise BadInput(f'{option}{shown(text)} is not a value in YAML; give one such as 0.2, '
                       'true, base_link or [0.1, 0.2]') from None
