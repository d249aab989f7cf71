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
Kernels for one step of a simulated robot: limits, arc, contact with walls, odometry.

A step updates a `BODY_STATE` and reads a `ROBOT`. Both are arrays of one record, (1,), of 64-bit
floats.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel, wrapped
from bug_nav.navigation.settings import RobotModel
from bug_nav.simulation.odometry import OdometryModel
import numpy as np

BODY_STATE = np.dtype((np.record, [(name, float) for name in (
    'travelled', 'min_clearance', 'contacts',   # over all steps [m], [m], number
    'x', 'y', 'theta',                          # true pose [m], [rad]
    'odom_x', 'odom_y', 'odom_theta',           # pose in the odometry frame [m], [rad]
    'v', 'w', 'u',                              # velocity [m/s], [rad/s], [m/s]
    'ahead', 'aside', 'moved', 'turned',        # chord of the step and its length [m]; turn [rad]
    'touching', 'bound',                        # 1 at a wall; lower bound of the clearance [m]
    'noise_1', 'noise_2',                       # normal draws: left and right, or travel and turn
    'slip_1', 'slip_2',                         # exponential draws: left and right, or travel
    'left', 'right',                            # measured travel of the wheels [m]
    'left_ticks', 'right_ticks')]))             # whole encoder ticks
READ, POSE, ODOMETRY, VELOCITY = slice(2, 6), slice(3, 6), slice(6, 9), slice(9, 12)
NOISE, SLIP = slice(18, 20), slice(20, 22)
"""Slices of a `BODY_STATE` viewed as floats; READ is contacts and true pose."""
RESET = slice(3, None)
"""The slice of a `BODY_STATE` that is reset when the robot is placed elsewhere."""

ROBOT = np.dtype((np.record, [(name, float) for name in (
    'robot_radius', 'max_vel_x', 'max_vel_theta', 'acc_lim_x', 'acc_lim_theta', 'max_wheel_vel',
    'wheel_separation', 'is_omni', 'is_perfect', 'has_encoders', 'odometry_noise',
    'odometry_bias', 'odometry_slip', 'odometry_slip_irregular', 'odometry_gyro_drift',
    'wheel_radius', 'encoder_resolution', 'axle_error')]))
"""Parameters of `RobotModel` and `OdometryModel`."""
MAX_SLIP = 0.9
"""Maximum share of a wheel's travel that is lost to irregular slip."""


def robot_record(model: RobotModel, odometry: OdometryModel) -> np.ndarray:
    """Return the constants of a robot as a `ROBOT`."""
    values = {**vars(model), **vars(odometry), 'is_omni': model.base == 'omni',
              'is_perfect': odometry.odometry == 'perfect',
              'has_encoders': odometry.odometry == 'encoders'}
    return np.array([tuple(values[name] for name in ROBOT.names or ())], ROBOT)


@kernel
def step(state, robot, v, w, u, dt, near, walls, reach):
    """Advance by ``dt`` [s] in a static world: `move`, then `update_odometry`."""
    move(state, robot, v, w, u, dt, near, walls, reach)
    update_odometry(state, robot)


@kernel
def move(state, robot, v, w, u, dt, near, walls, reach):
    """
    Drive an arc for ``dt`` [s] under the command ``v``, ``w``, ``u`` [m/s], [rad/s], [m/s].

    ``near`` (n, 4) [m] are the ``walls`` (m, 4) within ``reach`` [m] of the robot. A step that
    would end in a wall only rotates the robot.
    """
    s, r = state[0], robot[0]
    v_before, w_before, u_before, x, y = s.v, s.w, s.u, s.x, s.y
    change = r.acc_lim_x * dt
    w = _towards(w_before, w, r.acc_lim_theta * dt, r.max_vel_theta)
    v = _towards(v_before, v, change, r.max_vel_x)
    u = _towards(u_before, u, change, r.max_vel_x) if r.is_omni else 0.0
    limit = r.max_wheel_vel - 0.5 * r.wheel_separation * abs(w)
    excess = math.hypot(v, u) / limit if limit > 0.0 else math.inf
    if excess > 1.0:
        v, u = v / excess, u / excess
    s.v, s.w, s.u = v, w, u
    s.turned = 0.5 * (w + w_before) * dt
    chord = dt * _sinc(s.turned / 2.0)
    s.ahead, s.aside = 0.5 * (v + v_before) * chord, 0.5 * (u + u_before) * chord
    s.moved = math.hypot(s.ahead, s.aside)
    s.x, s.y, s.theta = _moved(x, y, s.theta, s.ahead, s.aside, s.turned)
    # The clearance changes by at most the distance moved. While its lower bound exceeds both
    # values, there is neither a contact nor a new minimum clearance.
    s.bound -= s.moved
    if not s.bound > max(s.min_clearance, r.robot_radius):
        update_clearance(state, robot, near, walls, reach - s.moved)
        if s.touching:
            hold_position(state, x, y)


@kernel
def update_clearance(state, robot, near, walls, reach):
    """Measure the clearance, update its minimum and count contacts; see `clearance`."""
    s, r = state[0], robot[0]
    s.bound = clearance(near, walls, reach, s.x, s.y)
    s.min_clearance = min(s.min_clearance, s.bound)
    touching = s.bound < r.robot_radius
    if touching and not s.touching:
        s.contacts += 1.0
    s.touching = touching


@kernel
def hold_position(state, x, y):
    """Hold the robot at a position because of a contact; keep its new heading."""
    s = state[0]
    s.x, s.y, s.v, s.u = x, y, 0.0, 0.0
    s.ahead, s.aside, s.moved = 0.0, 0.0, 0.0
    s.bound = -math.inf


def displace(state, x, y, ahead, aside, v):
    """Put a sliding robot at x, y, ``ahead`` and ``aside`` [m] of it; its wheels turn at ``v``."""
    s = state[0]
    s.x, s.y, s.v, s.u = x, y, v, 0.0
    s.ahead, s.aside, s.moved = ahead, aside, math.hypot(ahead, aside)
    s.bound = -math.inf


@kernel
def update_odometry(state, robot):
    """Add the step to the true path length and, with odometry errors, to the measured pose."""
    s, r = state[0], robot[0]
    s.travelled += s.moved
    if r.is_perfect:
        s.odom_x, s.odom_y, s.odom_theta = s.x, s.y, s.theta
        return
    one = 1.0 + r.odometry_noise * s.noise_1
    other = 1.0 + r.odometry_noise * s.noise_2 + r.odometry_bias
    slip = other_slip = r.odometry_slip
    if r.odometry_slip_irregular:
        slip, other_slip = _irregular(slip, s.slip_1), _irregular(slip, s.slip_2)
    if r.has_encoders:
        half = 0.5 * r.wheel_separation * s.turned
        s.left += (s.ahead - half) * (one / (1.0 - slip))
        s.right += (s.ahead + half) * (other / (1.0 - other_slip))
        # Encoders count whole ticks, as in the report by Ghimire and Erabati (see `odometry`).
        tick = 2.0 * math.pi * r.wheel_radius / r.encoder_resolution
        left_ticks, right_ticks = math.floor(s.left / tick), math.floor(s.right / tick)
        left, right = (left_ticks - s.left_ticks) * tick, (right_ticks - s.right_ticks) * tick
        s.left_ticks, s.right_ticks = left_ticks, right_ticks
        ahead, aside = 0.5 * (left + right), 0.0
        turned = (right - left) / (r.wheel_separation * (1.0 + r.axle_error))
    else:
        along = one / (1.0 - slip)
        ahead, aside, turned = s.ahead * along, s.aside * along, s.turned * other
    s.odom_x, s.odom_y, s.odom_theta = _moved(s.odom_x, s.odom_y, s.odom_theta, ahead, aside,
                                              turned + r.odometry_gyro_drift * s.moved)


@kernel
def _irregular(slip, draw):
    """
    Return the share of travel lost to slip for a standard exponential ``draw``.

    The lost travel is exponentially distributed; its mean is that of constant ``slip``.
    """
    lost = draw * (slip / (1.0 - slip))
    return min(lost / (1.0 + lost), MAX_SLIP)


@kernel
def clearance(near, walls, reach, x, y):
    """Return the distance from a place to ``walls`` (m, 4); ``near`` are those in ``reach``."""
    least = distance_to_segments(near, x, y)
    return least if least <= reach else distance_to_segments(walls, x, y)


@kernel
def distance_to_segments(segments, x, y):
    """Return the distance from a place to the nearest of ``segments`` (m, 4) [m]; inf if none."""
    least = np.inf
    for k in range(segments.shape[0]):
        ax, ay = segments[k, 0] - x, segments[k, 1] - y
        ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
        length2 = max(ex * ex + ey * ey, 1e-300)
        t = min(max(-(ax * ex + ay * ey) / length2, 0.0), 1.0)
        px, py = ax + t * ex, ay + t * ey
        least = min(least, px * px + py * py)
    return math.sqrt(least)


@kernel
def _towards(value, wanted, change, limit):
    """Return ``wanted``, clipped to ``limit`` and then to ``change`` from ``value``."""
    if wanted > limit:
        wanted = limit
    elif wanted < -limit:
        wanted = -limit
    if wanted < value - change:
        return value - change
    return value + change if wanted > value + change else wanted


@kernel
def _sinc(x):
    return math.sin(x) / x if abs(x) > 1e-9 else 1.0


@kernel
def _moved(x, y, theta, ahead, aside, turned):
    """Return x, y and theta after a step; its chord is relative to the mean heading."""
    middle = theta + 0.5 * turned
    cos, sin = math.cos(middle), math.sin(middle)
    return (x + ahead * cos - aside * sin, y + ahead * sin + aside * cos,
            wrapped(theta + turned))
