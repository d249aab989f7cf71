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

"""The control law: the velocity for what is wanted, of a robot without obstacles."""

from __future__ import annotations

import math

from bug_nav.core.geometry import bearing, Pose, wrap
from bug_nav.core.interface import Twist
from bug_nav.core.settings import RobotModel
from bug_nav.drive.intents import Intent, Towards, TurnTo

TURN_ON_THE_SPOT = math.radians(20.0)
"""A larger error of the heading [rad] is turned away on the spot."""
TURN_AROUND_CORNER = math.radians(60.0)
"""The same for an error [rad] towards the wall's side: there the boundary bends away."""
HEADING_GAIN = 5.0
"""Turning rate per error of the heading [1/s]."""


def velocity(intent: Intent, pose: Pose, model: RobotModel) -> Twist:
    """Return the velocity that an intent asks for at a pose; the gate has the last word."""
    if isinstance(intent, Twist):
        return intent
    if isinstance(intent, TurnTo):
        return Twist(0.0, HEADING_GAIN * wrap(intent.heading - pose.theta))
    speed = min(intent.speed, model.max_vel_x)
    if isinstance(intent, Towards):
        heading = bearing(pose.position, intent.place)
        speed = min(speed, math.sqrt(model.acc_lim_x * intent.room))
    else:
        heading = intent.heading
    error = wrap(heading - pose.theta)
    if model.base == 'omni':
        return Twist(speed * math.cos(error), HEADING_GAIN * error, speed * math.sin(error))
    limit = TURN_AROUND_CORNER if intent.side * error < 0.0 else TURN_ON_THE_SPOT
    return Twist(speed * max(1.0 - abs(error) / limit, 0.0), HEADING_GAIN * error)
