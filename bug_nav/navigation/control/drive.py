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
From an intent to a command from which the robot can stop.

The control law converts an intent into a velocity, which is clipped to the limits of the robot.
The command is then simulated: the current motion continues for a tick (or, if odometry is delayed,
from the last known pose), then the command is active for as long as the next one may take, and
then the robot brakes. If the body would come too near to an obstacle point on the way, the command
is slowed down; turning continues, because a disc may turn anywhere. Braking is part of every
simulated motion, so it is always a safe command.
"""

from __future__ import annotations

import math
from typing import Tuple

from bug_nav.navigation.compiled import kernel, wrapped
from bug_nav.navigation.control.forward_simulation import (
    extrapolate,
    is_safe,
    latency,
    SIGHT_DISTANCE,
)
from bug_nav.navigation.cspace.kernels import nearest
from bug_nav.navigation.names import shown
from bug_nav.navigation.types import Intent, InvalidAlgorithm, Towards, TurnTo, Twist
import numpy as np

MAX_HEADING_ERROR = math.radians(20.0)
"""Heading error above which the robot turns on the spot [rad]."""
MAX_CORNER_ERROR = math.radians(60.0)
"""
Heading error towards the side of the wall, where the boundary bends away, above which the robot
turns on the spot [rad].
"""
MIN_ABREAST, PASSING = math.radians(45.0), math.radians(92.0)
"""
Minimum angle between the heading and a point within the guarded radius, from which on the robot
passes it, and the angle at which it does, so that it does not come nearer [rad].
"""
HEADING_GAIN = 5.0
"""Turning rate per heading error [1/s]."""
DETECTION_TIME = 0.3
"""Time until an obstacle at the sensor's maximum range is detected [s]."""
SPEED_NEAR_PERSON = 0.1
"""Maximum speed near a new obstacle that has stopped, so that the robot stops in time [m/s]."""
SKEW_LEVER = 0.3
"""Distance of the points whose shift by clock skew during a turn is limited [m]."""

BISECTIONS = 6
"""Number of bisections for the maximum safe speed."""

TOWARDS, ALONG, TURN_TO, TWIST = range(4)
"""The kinds of intents, for `velocity`."""


def intent_fields(intent: Intent) -> Tuple[int, float, float, float, float, float]:
    """
    Return an intent as arguments of `velocity`: its kind and five numbers.

    :raises InvalidAlgorithm: if it is not an intent.
    """
    if isinstance(intent, Towards):
        (x, y), side, speed, room = intent
        return TOWARDS, float(x), float(y), float(side), float(speed), float(room)
    if isinstance(intent, Twist):
        return TWIST, float(intent.v), float(intent.w), float(intent.u), 0.0, 0.0
    if isinstance(intent, TurnTo):
        return TURN_TO, float(intent.heading), 0.0, 0.0, 0.0, 0.0
    try:
        return ALONG, float(intent.heading), 0.0, float(intent.side), float(intent.speed), math.inf
    except AttributeError:  # an error of an algorithm; a test of the type would cost time
        raise InvalidAlgorithm(f'yielded {shown(intent)}') from None


@kernel
def velocity(limits, kind, first, second, side, speed, room, x, y, theta, abreast):
    """
    Return the velocity ``v, w, u`` that an intent requests at a pose, within the ``limits``.

    ``first`` and ``second`` are the place of `Towards`, the heading of `Along` and `TurnTo`, or
    forward and turning of a `Twist`, whose third component is ``side``. ``abreast`` is the bearing
    [rad] of a point within the guarded radius, which must not come nearer; NaN for none.
    """
    if kind == TWIST:
        return first, second, side
    if kind == TURN_TO:
        return 0.0, HEADING_GAIN * wrapped(first - theta), 0.0
    heading = first
    speed = min(speed, limits.max_vel_x)
    if kind == TOWARDS:
        heading = math.atan2(second - y, first - x)
        speed = min(speed, math.sqrt(limits.acc_lim_x * room))
    off = wrapped(heading - abreast)
    if MIN_ABREAST < abs(off) < PASSING:
        heading = abreast + math.copysign(PASSING, off)
    error = wrapped(heading - theta)
    if limits.is_omni:
        return speed * math.cos(error), HEADING_GAIN * error, speed * math.sin(error)
    limit = MAX_CORNER_ERROR if side * error < 0.0 else MAX_HEADING_ERROR
    return speed * max(1.0 - abs(error) / limit, 0.0), HEADING_GAIN * error, 0.0


@kernel
def limit_velocity(state, limits, v, w, u, elapsed, sensing_range, near_person, slowness):
    """
    Limit a velocity to the ``limits``, ``elapsed`` [s] after the last command.

    The arguments are those of `drive`. The direction of the speed is kept.
    """
    a, alpha = limits.acc_lim_x * elapsed, limits.acc_lim_theta * elapsed
    last_v, last_w, last_u = state.command[0], state.command[1], state.command[2]
    fastest = min(limits.max_vel_x, _stoppable_speed(state, limits, sensing_range))
    if near_person:
        fastest = min(fastest, SPEED_NEAR_PERSON)
    if not limits.is_omni:
        u = 0.0
    w = min(max(w, -limits.max_vel_theta, last_w - alpha), limits.max_vel_theta, last_w + alpha)
    speed = math.hypot(v, u)
    cos, sin = (v / speed, u / speed) if speed > 0.0 else (1.0, 0.0)
    wheel = max(limits.max_wheel_vel - 0.5 * limits.wheel_separation * abs(w), 0.0)
    reachable = last_v * cos + last_u * sin + a
    speed = max(min(speed, fastest, wheel, reachable), 0.0)
    v, u = speed * cos, speed * sin
    scale = max(slowness * (math.hypot(v, u) + SKEW_LEVER * abs(w)), 1.0)
    return v / scale, w / scale, u / scale


@kernel
def _stoppable_speed(state, limits, sensing_range):
    """Return the speed from which the robot stops within its sensing range [m/s]."""
    delay = latency(state) + DETECTION_TIME
    room = max(sensing_range - limits.robot_radius, 0.0)
    return limits.acc_lim_x * (math.sqrt(delay * delay + 2.0 * room / limits.acc_lim_x) - delay)


@kernel
def drive(state, limits, points, ranges, sensor, kind, first, second, side, speed, room, elapsed,
          age, sensing_range, near_person, slowness):
    """
    Return whether the velocity of an intent is finite, and the safe command.

    If it is not finite, there is no command. The velocity is kept in `state.wanted`. ``points``
    (n, 2) [m] are all obstacle points, ``ranges`` and ``sensor`` the view of the newest scan (see
    `control.forward_simulation.is_in_sight`) and ``sensing_range`` [m] its range. The intent, from
    ``kind`` to ``room``, is as for `velocity`. ``elapsed`` [s] is the time since the last command
    and ``age`` [s] the age of the odometry pose. ``slowness`` [s/m]: uncertainty of places per m/s
    at the contour; speeds are kept below its inverse.
    """
    state, limits = state[0], limits[0]
    extrapolate(state, limits, age)
    turned = wrapped(state.extrapolated[2] - state.pose[2])
    x, y, abreast = state.pose[0], state.pose[1], math.nan
    gap, k = nearest(points, x, y)
    if gap < limits.guarded_radius:
        abreast = math.atan2(points[k, 1] - y, points[k, 0] - x)
    v, w, u = velocity(limits, kind, first, second, side, speed, room, x, y,
                       state.pose[2] + turned, abreast)
    state.wanted[0], state.wanted[1], state.wanted[2] = v, w, u
    if not math.isfinite(v + w + u):
        return False, 0.0, 0.0, 0.0
    v, w, u = limit_velocity(state, limits, v, w, u, elapsed, sensing_range, near_person, slowness)
    stopping_distance = _stopping_distance(state, limits, v, u)
    if stopping_distance > SIGHT_DISTANCE or (
            gap < limits.guarded_radius + stopping_distance + age * limits.max_vel_x):
        v, w, u = _scale_to_safe(state, limits, points, ranges, sensor, stopping_distance, v, w, u)
    state.command[0], state.command[1], state.command[2] = v, w, u
    state.is_waiting = near_person  # the person may move at any time
    return True, v, w, u


@kernel
def _stopping_distance(state, limits, v, u):
    """Return how far the robot may move with a command before it stands [m]."""
    speed = max(math.hypot(v, u), math.hypot(state.motion[0], state.motion[2]))
    return latency(state) * speed + speed * speed / (2.0 * limits.acc_lim_x)


@kernel
def _scale_to_safe(state, limits, points, ranges, sensor, stopping_distance, v, w, u):
    """Return a command at the largest safe scale, or a stop."""
    radius = limits.guarded_radius
    x, y = state.extrapolated[0], state.extrapolated[1]
    nearby = _near_points(points, x, y, radius + stopping_distance)
    # A point that is already within the radius must not come nearer.
    min_squares = np.empty(nearby.shape[0])
    for i in range(nearby.shape[0]):
        distance = math.hypot(nearby[i, 0] - x, nearby[i, 1] - y)
        min_squares[i] = min(radius, distance * (1.0 - 1e-9)) ** 2
    if is_safe(state, limits, nearby, min_squares, ranges, sensor, v, w, u):
        return v, w, u
    if not is_safe(state, limits, nearby, min_squares, ranges, sensor, 0.0, w, 0.0):
        return 0.0, 0.0, 0.0
    safe_v = safe_u = safe_scale = 0.0
    unsafe_scale = 1.0
    for _ in range(BISECTIONS):
        scale = 0.5 * (safe_scale + unsafe_scale)
        if is_safe(state, limits, nearby, min_squares, ranges, sensor, scale * v, w, scale * u):
            safe_scale, safe_v, safe_u = scale, scale * v, scale * u
        else:
            unsafe_scale = scale
    return safe_v, w, safe_u


@kernel
def _near_points(points, x, y, reach):
    """Return those of points (n, 2) [m] within ``reach`` [m] of a place."""
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return points[np.flatnonzero(dx * dx + dy * dy < reach * reach)]
