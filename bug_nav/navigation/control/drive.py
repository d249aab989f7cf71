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
From an intent to a command that the robot can stop from.

The control law makes a velocity of an intent, and the robot's limits clip it. The command is then
simulated as the robot will drive it: the motion that it is in goes on for a tick (or, where
odometry is late, from where the robot was seen last), then comes the command for a tick, and then
the brakes. Where the body would come too near to a remembered point on the way, the command is
slowed down; turning goes on, because a disc may turn anywhere. Since the brakes were part of every
way that was let through, they always are one.
"""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.control.forward_simulation import extrapolate, FAR, is_safe, LATENCY
from bug_nav.navigation.control.intents import Intent, Towards, TurnTo
from bug_nav.navigation.control.state import wrap
from bug_nav.navigation.cspace.kernels import nearest
from bug_nav.navigation.types import Twist
import numpy as np

TURN_ON_THE_SPOT = math.radians(20.0)
"""A larger error of the heading [rad] is turned away on the spot."""
TURN_AROUND_CORNER = math.radians(60.0)
"""The same for an error [rad] towards the wall's side: there the boundary bends away."""
HEADING_GAIN = 5.0
"""Turning rate per error of the heading [1/s]."""
REACTION = 0.3
"""Time until an obstacle at the edge of the sensor's range is known [s]."""
PAST_SOMEBODY = 0.1
"""Largest speed beside somebody who stands, so that the robot stops in time [m/s]."""

TRIES = 6
"""Number of bisections for the largest speed that is safe."""

TOWARDS, ALONG, TURN_TO, TWIST = range(4)
"""The kinds of intents, for `velocity`."""


def numbers(intent: Intent) -> Tuple[int, float, float, float, float, float]:
    """Return an intent as `velocity` takes it: its kind and five numbers."""
    if isinstance(intent, Towards):
        (x, y), side, speed, room = intent
        return TOWARDS, float(x), float(y), float(side), float(speed), float(room)
    if isinstance(intent, Twist):
        return TWIST, float(intent.v), float(intent.w), float(intent.u), 0.0, 0.0
    if isinstance(intent, TurnTo):
        return TURN_TO, float(intent.heading), 0.0, 0.0, 0.0, 0.0
    return ALONG, float(intent.heading), 0.0, float(intent.side), float(intent.speed), math.inf


@kernel
def velocity(c, kind, first, second, side, speed, room, x, y, theta):
    """
    Return the velocity ``v, w, u`` that an intent asks for at a pose, with limits ``c``.

    ``first`` and ``second`` are the place of `Towards`, the heading of `Along` and `TurnTo`, or
    forward and turning of a `Twist`, whose third component is ``side``.
    """
    if kind == TWIST:
        return first, second, side
    if kind == TURN_TO:
        return 0.0, HEADING_GAIN * wrap(first - theta), 0.0
    heading = first
    speed = min(speed, c.max_vel_x)
    if kind == TOWARDS:
        heading = math.atan2(second - y, first - x)
        speed = min(speed, math.sqrt(c.acc_lim_x * room))
    error = wrap(heading - theta)
    if c.is_omni:
        return speed * math.cos(error), HEADING_GAIN * error, speed * math.sin(error)
    limit = TURN_AROUND_CORNER if side * error < 0.0 else TURN_ON_THE_SPOT
    return speed * max(1.0 - abs(error) / limit, 0.0), HEADING_GAIN * error, 0.0


@kernel
def within_limits(s, c, v, w, u, elapsed, sight, beside_somebody, slowness):
    """
    Return a wanted velocity within the limits ``c``, ``elapsed`` [s] after the last command.

    The arguments are those of `drive`. The direction of a speed is kept.
    """
    a, alpha = c.acc_lim_x * elapsed, c.acc_lim_theta * elapsed
    now_v, now_w, now_u = s.command[0], s.command[1], s.command[2]
    fastest = min(c.max_vel_x, _stoppable(c, sight))
    if beside_somebody:
        fastest = min(fastest, PAST_SOMEBODY)
    if not c.is_omni:
        u = 0.0
    w = min(max(w, -c.max_vel_theta, now_w - alpha), c.max_vel_theta, now_w + alpha)
    speed = math.hypot(v, u)
    cos, sin = (v / speed, u / speed) if speed > 0.0 else (1.0, 0.0)
    wheel = max(c.max_wheel_vel - 0.5 * c.wheel_separation * abs(w), 0.0)
    gained = now_v * cos + now_u * sin + a
    speed = max(min(speed, fastest, wheel, gained), 0.0)
    v, u = speed * cos, speed * sin
    scale = max(slowness * (math.hypot(v, u) + c.guarded_radius * abs(w)), 1.0)
    return v / scale, w / scale, u / scale


@kernel
def _stoppable(c, sight):
    """Return the speed from which the robot stops within its sight [m/s]."""
    late = LATENCY + REACTION
    room = max(sight - c.robot_radius, 0.0)
    return c.acc_lim_x * (math.sqrt(late * late + 2.0 * room / c.acc_lim_x) - late)


@kernel
def drive(state, limits, points, ranges, sensor, kind, first, second, side, speed, room, elapsed,
          age, sight, beside_somebody, slowness):
    """
    Return whether an intent asks for a finite velocity, and the command that may be driven.

    Where it does not, there is no command. The velocity is kept in `s.wanted`. ``points`` (n, 2)
    [m] are all obstacle points, ``ranges`` and ``sensor`` what the newest scan sees (see
    `control.forward_simulation.is_in_sight`) and ``sight`` [m] how far that is. The intent,
    from ``kind`` to ``room``, is as for `velocity`. ``elapsed`` [s] is the
    time since the last command and ``age`` [s] that since odometry's pose was measured.
    ``slowness`` [s/m]: how uncertain places are for each m/s at the contour; speeds are kept
    below its inverse.
    """
    s, c = state[0], limits[0]
    extrapolate(s, c, age)
    turned = wrap(s.extrapolated[2] - s.pose[2])
    v, w, u = velocity(c, kind, first, second, side, speed, room, s.pose[0], s.pose[1],
                       s.pose[2] + turned)
    s.wanted[0], s.wanted[1], s.wanted[2] = v, w, u
    if not math.isfinite(v + w + u):
        return False, 0.0, 0.0, 0.0
    v, w, u = within_limits(s, c, v, w, u, elapsed, sight, beside_somebody, slowness)
    way = _way(s, c, v, u)
    if way > FAR or (nearest(points, s.pose[0], s.pose[1])[0]
                     < c.guarded_radius + way + age * c.max_vel_x):
        v, w, u = _slowed(s, c, points, ranges, sensor, way, v, w, u)
    s.command[0], s.command[1], s.command[2] = v, w, u
    s.is_waiting = beside_somebody  # who may go on at any moment
    return True, v, w, u


@kernel
def _way(s, c, v, u):
    """Return how far the robot may get with a command before it stands [m]."""
    speed = max(math.hypot(v, u), math.hypot(s.motion[0], s.motion[2]))
    return LATENCY * speed + speed * speed / (2.0 * c.acc_lim_x)


@kernel
def _slowed(s, c, points, ranges, sensor, way, v, w, u):
    """Return a command at the largest scale that is safe, or the brakes."""
    radius = c.guarded_radius
    near = _near_points(points, s.extrapolated[0], s.extrapolated[1], radius + way)
    # A point that is nearer than the radius already must not come nearer.
    least = np.empty(near.shape[0])
    for i in range(near.shape[0]):
        apart = math.hypot(near[i, 0] - s.extrapolated[0], near[i, 1] - s.extrapolated[1])
        least[i] = min(radius, apart * (1.0 - 1e-9)) ** 2
    if is_safe(s, c, near, least, ranges, sensor, v, w, u):
        return v, w, u
    if not is_safe(s, c, near, least, ranges, sensor, 0.0, w, 0.0):
        return 0.0, 0.0, 0.0
    safe_v = safe_u = low = 0.0
    high = 1.0
    for _ in range(TRIES):
        scale = 0.5 * (low + high)
        if is_safe(s, c, near, least, ranges, sensor, scale * v, w, scale * u):
            low, safe_v, safe_u = scale, scale * v, scale * u
        else:
            high = scale
    return safe_v, w, safe_u


@kernel
def _near_points(points, x, y, reach):
    """Return those of points (n, 2) [m] that are nearer to a place than ``reach`` [m]."""
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return points[np.flatnonzero(dx * dx + dy * dy < reach * reach)]
