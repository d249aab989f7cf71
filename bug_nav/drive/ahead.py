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
"""Driving in advance: where a robot gets that takes up a command and then brakes."""

from __future__ import annotations

import math

from bug_nav.core.compiled import kernel
import numpy as np

STRIDE = 0.02
"""The way is looked at so densely [m]."""
FAR = 0.10
"""What the body comes to beyond this [m] has to be in sight: a corner may hide something."""


@kernel
def near_points(points, x, y, reach):
    """Return those of points (n, 2) [m] that are nearer to a place than ``reach`` [m]."""
    near, count = np.empty(points.shape), 0
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        if dx * dx + dy * dy < reach * reach:
            near[count, 0], near[count, 1] = points[i, 0], points[i, 1]
            count += 1
    return near[:count].copy()


@kernel
def towards(value, wanted, change):
    """Return a value that has gone towards another, by so much at most."""
    return min(max(wanted, value - change), value + change)


@kernel
def within_limits(v, w, u, now_v, now_w, now_u, fastest, max_w, a, alpha, wheels, separation):
    """
    Return a wanted velocity ``v, w, u`` within the limits of the robot.

    ``now_*`` is the command before, ``fastest`` [m/s] and ``max_w`` [rad/s] the largest speeds,
    ``a`` [m/s] and ``alpha`` [rad/s] the largest changes; no wheel, ``separation`` [m] apart, goes
    faster than ``wheels`` [m/s]. The direction of a speed is kept.
    """
    w = min(max(w, -max_w, now_w - alpha), max_w, now_w + alpha)
    speed = math.hypot(v, u)
    cos, sin = (v / speed, u / speed) if speed > 0.0 else (1.0, 0.0)
    wheel = max(wheels - 0.5 * separation * abs(w), 0.0)
    gained = now_v * cos + now_u * sin + a
    speed = max(min(speed, fastest, wheel, gained), 0.0)
    return speed * cos, w, speed * sin


@kernel
def follow(x, y, theta, v, w, u, to_v, to_w, to_u, dt, a, alpha):
    """
    Return pose and velocity after ``dt`` [s] of a robot that takes up a command.

    It was at ``x, y, theta`` with the velocity ``v, w, u``, and ``to_v, to_w, to_u`` is asked for;
    ``a`` [m/s^2] and ``alpha`` [rad/s^2] are the largest accelerations. The motion is an arc.
    """
    v1, w1 = towards(v, to_v, a * dt), towards(w, to_w, alpha * dt)
    u1 = towards(u, to_u, a * dt)
    turned = 0.5 * (w + w1) * dt
    ahead, aside = 0.5 * (v + v1) * dt, 0.5 * (u + u1) * dt
    cos, sin = math.cos(theta + 0.5 * turned), math.sin(theta + 0.5 * turned)
    return (x + ahead * cos - aside * sin, y + ahead * sin + aside * cos, theta + turned,
            v1, w1, u1)


@kernel
def is_in_sight(ranges, sensor_x, sensor_y, first, step, x, y, radius):
    """
    Tell whether a scan sees the whole of a disc, or what it runs into.

    The scan is that of the sensor's place, its beams ``step`` [rad] apart from ``first`` on. A
    beam that has no range (NaN) hides nothing.
    """
    dx, dy = x - sensor_x, y - sensor_y
    apart = math.hypot(dx, dy)
    if apart <= FAR:
        return True
    turn = 2.0 * math.pi
    half = math.asin(radius / apart) if apart > radius else 0.5 * math.pi
    towards = math.copysign(1.0, step) * (math.atan2(dy, dx) - first)
    width = abs(step)
    for k in range(int(math.ceil((towards - half) / width)),
                   int(math.floor((towards + half) / width)) + 1):
        beam = int(round((k * width) % turn / width))
        if beam >= ranges.size:
            if beam * width > turn - 1.5 * width:  # the seam of a full turn
                continue
            return False
        off = k * width - towards
        across = apart * math.sin(off)
        if ranges[beam] < apart * math.cos(off) - math.sqrt(
                max(radius * radius - across * across, 0.0)):
            return False
    return True


@kernel
def way_is_clear(points, radius, ranges, sensor_x, sensor_y, first, step, x, y, theta, v, w, u,
                 now_v, now_w, now_u, to_v, to_w, to_u, late, tick, a, alpha):
    """
    Tell whether a disc that takes up a command and then brakes stays clear of points (n, 2).

    The pose and the velocity are as `follow` has them. For ``late`` [s] the robot goes on with
    the command that it has (``now_*``), for a ``tick`` [s] with the new one (``to_*``), and then
    it stops. A point that is nearer than ``radius`` [m] already must not come nearer, and all of
    the way has to be in sight of a scan (see `is_in_sight`).
    """
    least = np.empty(points.shape[0])
    for i in range(points.shape[0]):
        apart = math.hypot(points[i, 0] - x, points[i, 1] - y)
        least[i] = min(radius, apart * (1.0 - 1e-9)) ** 2
    for phase in range(3):
        if phase == 0:
            left, aim_v, aim_w, aim_u = late, now_v, now_w, now_u
        elif phase == 1:
            left, aim_v, aim_w, aim_u = tick, to_v, to_w, to_u
        else:
            left, aim_v, aim_w, aim_u = math.hypot(v, u) / a, 0.0, 0.0, 0.0
        fastest = max(math.hypot(v, u), math.hypot(aim_v, aim_u))
        count = max(int(math.ceil(left * fastest / STRIDE)), int(math.ceil(left / tick)))
        for _ in range(count):
            x, y, theta, v, w, u = follow(
                x, y, theta, v, w, u, aim_v, aim_w, aim_u, left / count, a, alpha)
            for i in range(points.shape[0]):
                dx, dy = points[i, 0] - x, points[i, 1] - y
                if dx * dx + dy * dy < least[i]:
                    return False
            if ranges.size and not is_in_sight(
                    ranges, sensor_x, sensor_y, first, step, x, y, radius):
                return False
    return True


@kernel
def way_ahead(x, y, theta, v, w, u, now_v, now_w, now_u, to_v, to_w, to_u, tick, a, alpha):
    """
    Return the poses (n, 3) of a robot that takes up a command a tick from now and then brakes.

    The arguments are those of `way_is_clear`.
    """
    stop = (math.hypot(to_v, to_u) + a * tick) / a
    count = 2 + int(math.ceil(stop / tick))
    poses = np.empty((count, 3))
    for k in range(count):
        if k == 0:
            aim_v, aim_w, aim_u = now_v, now_w, now_u
        elif k == 1:
            aim_v, aim_w, aim_u = to_v, to_w, to_u
        else:
            aim_v, aim_w, aim_u = 0.0, 0.0, 0.0
        x, y, theta, v, w, u = follow(
            x, y, theta, v, w, u, aim_v, aim_w, aim_u, tick, a, alpha)
        poses[k, 0], poses[k, 1], poses[k, 2] = x, y, theta
    return poses
