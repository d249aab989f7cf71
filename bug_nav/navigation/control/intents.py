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
Intents of a behavior: where to go, without wheel speeds.

`control.drive` converts an intent into a velocity. Headings and places are in the odometry frame;
``side`` is the side of a wall: +1 for the right, -1 for the left, 0 for none.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Union

from bug_nav.navigation.geometry import Point
from bug_nav.navigation.types import Twist


class Towards(NamedTuple):
    """Go straight to a place."""

    place: Point
    side: int = 0
    speed: float = math.inf
    """Maximum speed [m/s]."""
    room: float = math.inf
    """Distance within which the robot must be able to stop [m]."""


class Along(NamedTuple):
    """Go along a heading [rad]."""

    heading: float
    side: int = 0
    speed: float = math.inf
    """Maximum speed [m/s]."""


class TurnTo(NamedTuple):
    """Turn on the spot to a heading [rad]."""

    heading: float


Intent = Union[Towards, Along, TurnTo, Twist]
"""
A `Twist` is for behaviors with a control law of their own, such as the wall followers of the
literature.
"""
