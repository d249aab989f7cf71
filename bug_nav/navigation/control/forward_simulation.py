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
Forward simulation of a robot that executes a command and then brakes.

A motion is an array (6,): x, y [m], heading [rad], and the velocity forward [m/s], turning [rad/s]
and to the left [m/s]. ``state`` and ``limits`` are elements of `MOTION_STATE` and `LIMITS`.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.control.state import COMMANDS, TICK
import numpy as np

LATE = 1.1 * TICK
"""Time after the last command from which on a command is late [s]."""
WINDOW = 10.0
"""Minimum time for which the robot expects further commands to be as late [s]."""
MAX_PERIOD = 0.5
"""Maximum time until the next command that the robot expects [s]: the stop process stops it."""
MAX_AGE = 0.5
"""Maximum age of odometry that is extrapolated [s]: the robot stops soon after."""
STRIDE = 0.02
"""Maximum distance between two simulated poses [m]."""
SIGHT_DISTANCE = 0.10
"""
Distance from the lidar beyond which places must be in sight, because a corner may hide an obstacle
[m].
"""


@kernel
def step_towards(value, wanted, change):
    """Return a value moved towards another by at most a change."""
    return min(max(wanted, value - change), value + change)


@kernel
def integrate(motion, v, w, u, dt, a, alpha):
    """
    Integrate a motion for ``dt`` [s] with a command ``v, w, u``, along an arc.

    ``a`` [m/s^2] and ``alpha`` [rad/s^2] are the maximum accelerations.
    """
    theta, v0, w0, u0 = motion[2], motion[3], motion[4], motion[5]
    v1, w1, u1 = step_towards(v0, v, a * dt), step_towards(w0, w, alpha * dt), step_towards(u0, u,
                                                                                            a * dt)
    rotation = 0.5 * (w0 + w1) * dt
    ahead, aside = 0.5 * (v0 + v1) * dt, 0.5 * (u0 + u1) * dt
    cos, sin = math.cos(theta + 0.5 * rotation), math.sin(theta + 0.5 * rotation)
    motion[0] = motion[0] + ahead * cos - aside * sin
    motion[1] = motion[1] + ahead * sin + aside * cos
    motion[2], motion[3], motion[4], motion[5] = theta + rotation, v1, w1, u1


@kernel
def advance(state, limits, elapsed):
    """Record that ``elapsed`` [s] have passed with the newest command."""
    if elapsed <= 0.0:
        return
    _expect(state, elapsed)
    past = state.past[state.past_count % COMMANDS]
    state.past_count += 1
    past[0] = elapsed
    for k in range(3):
        past[1 + k], past[4 + k] = state.command[k], state.motion[k]
        change = (limits.acc_lim_theta if k == 1 else limits.acc_lim_x) * elapsed
        state.motion[k] = step_towards(state.motion[k], state.command[k], change)


@kernel
def _expect(state, elapsed):
    """Expect the next command as late as the latest of this and the last time window."""
    state.window += elapsed
    if state.window > WINDOW:
        state.window, state.longest[1], state.longest[0] = 0.0, state.longest[0], 0.0
    # A robot that stands may take its time, as for a certificate.
    if elapsed > LATE and (state.command[0] != 0.0 or state.command[2] != 0.0):
        state.longest[0] = max(state.longest[0], min(elapsed, MAX_PERIOD))
    state.period = max(TICK, state.longest[0], state.longest[1])


@kernel
def latency(state):
    """Return the maximum time at full speed before the robot brakes [s]."""
    return TICK + state.period


@kernel
def extrapolate(state, limits, age):
    """Extrapolate a pose of ``age`` [s] to the current time, in `state.extrapolated`."""
    missing, steps, last = min(age, MAX_AGE), 0, 0.0
    for k in range(3):
        state.extrapolated[k], state.extrapolated[3 + k] = state.pose[k], state.motion[k]
    while missing > 1e-6 and steps < min(state.past_count, COMMANDS):
        steps += 1
        past = state.past[(state.past_count - steps) % COMMANDS]
        last = min(past[0], missing)
        missing -= past[0]
        for k in range(3):
            state.extrapolated[3 + k] = past[4 + k]
    for step in range(steps, 0, -1):
        past = state.past[(state.past_count - step) % COMMANDS]
        integrate(state.extrapolated, past[1], past[2], past[3],
                  last if step == steps else past[0], limits.acc_lim_x, limits.acc_lim_theta)


@kernel
def is_in_sight(ranges, sensor, x, y, radius):
    """
    Return whether every beam towards a disc at a place [m] reaches the disc.

    ``sensor`` (4,) is the position of the sensor, the direction of the first beam and the angle
    between two [m, rad]. A beam without a range (NaN) hides nothing.
    """
    dx, dy, step = x - sensor[0], y - sensor[1], sensor[3]
    distance = math.hypot(dx, dy)
    if distance <= SIGHT_DISTANCE:
        return True
    turn = 2.0 * math.pi
    half = math.asin(radius / distance) if distance > radius else 0.5 * math.pi
    bearing = math.copysign(1.0, step) * (math.atan2(dy, dx) - sensor[2])
    width = abs(step)
    for k in range(int(math.ceil((bearing - half) / width)),
                   int(math.floor((bearing + half) / width)) + 1):
        beam = int(round((k * width) % turn / width))
        if beam >= ranges.size:
            continue  # the seam of a full turn, or out of view: see `perception.observed_area`
        offset = k * width - bearing
        across = distance * math.sin(offset)
        if ranges[beam] < distance * math.cos(offset) - math.sqrt(
                max(radius * radius - across * across, 0.0)):
            return False
    return True


@kernel
def is_safe(state, limits, points, min_squares, ranges, sensor, v, w, u):
    """
    Return whether the robot can stop from a command that takes effect now or a tick later.

    The simulation starts at `state.extrapolated`. No point of ``points`` (n, 2) [m] may come
    nearer than the root of ``min_squares`` (n,) [m^2], and the whole way must be in sight of a
    scan (`is_in_sight`).
    """
    return (_is_clear(state, limits, points, min_squares, ranges, sensor, v, w, u, 0.0)
            and _is_clear(state, limits, points, min_squares, ranges, sensor, v, w, u, TICK))


@kernel
def _is_clear(state, limits, points, min_squares, ranges, sensor, v, w, u, delay):
    """Return the same for a command that takes effect after ``delay`` [s]."""
    motion = state.extrapolated.copy()
    for phase in range(3):
        if phase == 0:
            duration, command = delay, state.command
            to_v, to_w, to_u = command[0], command[1], command[2]
        elif phase == 1:
            duration, to_v, to_w, to_u = state.period, v, w, u
        else:
            duration, to_v, to_w, to_u = math.hypot(motion[3],
                                                    motion[5]) / limits.acc_lim_x, 0.0, 0.0, 0.0
        fastest = max(math.hypot(motion[3], motion[5]), math.hypot(to_v, to_u))
        count = max(int(math.ceil(duration * fastest / STRIDE)), int(math.ceil(duration / TICK)))
        for _ in range(count):
            integrate(motion, to_v, to_w, to_u, duration / count, limits.acc_lim_x,
                      limits.acc_lim_theta)
            for i in range(points.shape[0]):
                dx, dy = points[i, 0] - motion[0], points[i, 1] - motion[1]
                if dx * dx + dy * dy < min_squares[i]:
                    return False
            if ranges.size and not is_in_sight(
                    ranges, sensor, motion[0], motion[1], limits.guarded_radius):
                return False
    return True


@kernel
def simulate_poses(state, limits, last_v, last_w, last_u, v, w, u):
    """
    Return the poses (n, 3) of a robot that takes a command in a tick from now and then brakes.

    They are a tick apart. Until then the command ``last_*`` continues.
    """
    state, limits = state[0], limits[0]
    ticks = int(math.ceil(state.period / TICK - 1e-9))
    stop = (math.hypot(v, u) + limits.acc_lim_x * TICK) / limits.acc_lim_x
    poses = np.empty((1 + ticks + int(math.ceil(stop / TICK)), 3))
    motion = state.extrapolated.copy()
    for k in range(poses.shape[0]):
        integrate(motion, last_v, last_w, last_u, TICK, limits.acc_lim_x, limits.acc_lim_theta)
        for i in range(3):
            poses[k, i] = motion[i]
        last_v, last_w, last_u = (v, w, u) if k < ticks else (0.0, 0.0, 0.0)
    return poses
