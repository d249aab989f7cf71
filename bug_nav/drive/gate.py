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
The safety gate: the last word on every command, whoever asked for it.

A command is clipped to the robot's limits, and then driven in advance as the robot will drive it:
the motion that it is in goes on for a tick (or, where odometry is late, from where the robot was
seen last), then comes the command for a tick, and then the brakes. Where the body would come too
near to a remembered point on the way, the command is slowed down; turning goes on, for a disc may
turn anywhere. Since the brakes were part of every way that was let through, they always are one.
"""

from __future__ import annotations

import collections
import math
from typing import Deque, Tuple

from bug_nav.geometry import Pose
from bug_nav.interface import STOP, Twist
from bug_nav.kernels import kernel
from bug_nav.robot import RobotModel
import numpy as np

MARGIN = 0.02
"""What is kept between the body and a remembered point [m]."""
TICK = 0.05
"""The next command comes no sooner than this [s]."""
TRIES = 6
"""So often the speed is halved in to the largest that is safe."""
LATEST = 0.5
"""Odometry that is older [s] is not driven on from: the robot stands soon."""
STRIDE = 0.02
"""The way is looked at so densely [m]."""
REACTION = 0.3
"""What lies at the edge of the sensor's sight is known so much later [s]."""


class Gate:
    """Keeps account of how the robot moves, and lets no command through that it cannot stop."""

    def __init__(self, model: RobotModel):
        """Begin with a robot that stands."""
        self._model = model
        self._radius = model.robot_radius + MARGIN
        self.command = STOP
        """The newest command."""
        self._motion = STOP
        self._past: Deque[Tuple[float, Twist, Twist]] = collections.deque(maxlen=64)

    def advance(self, elapsed: float) -> None:
        """Take note that so much time has gone by with the newest command [s]."""
        if elapsed <= 0.0:
            return
        self._past.append((elapsed, self.command, self._motion))
        a, alpha = self._model.acc_lim_x * elapsed, self._model.acc_lim_theta * elapsed
        now, wanted = self._motion, self.command
        self._motion = Twist(_towards(now.v, wanted.v, a), _towards(now.w, wanted.w, alpha),
                             _towards(now.u, wanted.u, a))

    def driven_since(self, pose: Pose, age: float) -> Tuple[Pose, Twist]:
        """Return where a robot is that was at ``pose`` so long ago [s], and how it moves."""
        motion, missing = self._motion, min(age, LATEST)
        steps = []
        for elapsed, command, before in reversed(self._past):
            if missing <= 1e-6:
                break
            steps.append((min(elapsed, missing), command))
            motion, missing = before, missing - elapsed
        model = self._model
        for elapsed, command in reversed(steps):
            x, y, theta, v, w, u = follow(
                *pose, *motion, *command, elapsed, model.acc_lim_x, model.acc_lim_theta)
            pose, motion = Pose(x, y, theta), Twist(v, w, u)
        return pose, motion

    def stop(self) -> Twist:
        """Let the robot stand, which is always safe."""
        self.command = STOP
        return STOP

    def clip(self, wanted: Twist, elapsed: float, points: np.ndarray, pose: Pose, age: float,
             sight: float, slowness: float) -> Twist:
        """
        Return what may be driven of a command.

        ``points`` (n, 2) [m] are in the frame of ``pose``, the robot's so long ago (``age`` [s]);
        ``sight`` [m]: what is further away may not be seen; ``slowness`` [s/m]: by how much places
        are uncertain for each m/s at the contour; speeds are kept below its inverse.
        """
        wanted = self._within_limits(wanted, elapsed, sight, slowness)
        here, motion = self.driven_since(pose, age)
        model = self._model
        near = near_points(points, here.x, here.y, self._reach(wanted, motion))
        if near.shape[0] and not self._is_safe(near, here, motion, wanted):
            wanted = self._slowed(near, here, motion, wanted)
        self.command = wanted
        return wanted

    def _within_limits(self, wanted: Twist, elapsed: float, sight: float, slowness: float
                       ) -> Twist:
        model, last = self._model, self.command
        limit, change = model.max_vel_theta, model.acc_lim_theta * elapsed
        w = min(max(wanted.w, -limit), limit)
        w = min(max(w, last.w - change), last.w + change)
        wheel = model.max_wheel_vel - 0.5 * model.wheel_separation * abs(w)
        u = wanted.u if model.base == 'omni' else 0.0
        speed, way = math.hypot(wanted.v, u), math.atan2(u, wanted.v)
        cos, sin = math.cos(way), math.sin(way)
        gained = last.v * cos + last.u * sin + model.acc_lim_x * elapsed
        a, late = model.acc_lim_x, 2.0 * TICK + REACTION
        brakes = a * (math.sqrt(late * late + 2.0 * max(sight, 0.0) / a) - late)
        allowed = max(min(speed, model.max_vel_x, max(wheel, 0.0), gained, brakes), 0.0)
        share = slowness * (allowed + self._radius * abs(w))
        if share > 1.0:
            allowed, w = allowed / share, w / share
        return Twist(allowed * cos, w, allowed * sin if u else 0.0)

    def _reach(self, wanted: Twist, motion: Twist) -> float:
        """Return how far around obstacles matter [m]."""
        speed = max(math.hypot(wanted.v, wanted.u), math.hypot(motion.v, motion.u))
        return self._radius + 2.0 * TICK * speed + speed * speed / (2.0 * self._model.acc_lim_x)

    def _is_safe(self, points: np.ndarray, pose: Pose, motion: Twist, wanted: Twist) -> bool:
        """Tell whether the robot can stop from a command, taken up now or a tick later."""
        model = self._model
        return all(way_is_clear(
            points, self._radius, *pose, *motion, *self.command, *wanted, late,
            TICK, model.acc_lim_x, model.acc_lim_theta) for late in (0.0, TICK))

    def _slowed(self, points: np.ndarray, pose: Pose, motion: Twist, wanted: Twist) -> Twist:
        """Return the fastest share of a command that is safe, or the brakes."""
        slow = Twist(0.0, wanted.w, 0.0)
        if not self._is_safe(points, pose, motion, slow):
            return STOP
        low, high = 0.0, 1.0
        for _ in range(TRIES):
            share = 0.5 * (low + high)
            tried = Twist(share * wanted.v, wanted.w, share * wanted.u)
            if self._is_safe(points, pose, motion, tried):
                low, slow = share, tried
            else:
                high = share
        return slow


@kernel
def near_points(points, x, y, reach):
    """Return those of points (n, 2) [m] that are nearer to a place than ``reach`` [m]."""
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return points[np.flatnonzero(dx * dx + dy * dy < reach * reach)]


@kernel
def _towards(value, wanted, change):
    return min(max(wanted, value - change), value + change)


@kernel
def follow(x, y, theta, v, w, u, to_v, to_w, to_u, dt, a, alpha):
    """
    Return pose and velocity after ``dt`` [s] of a robot that takes up a command.

    It was at ``x, y, theta`` with the velocity ``v, w, u``, and ``to_v, to_w, to_u`` is asked for;
    ``a`` [m/s^2] and ``alpha`` [rad/s^2] are the largest accelerations. The motion is an arc.
    """
    v1, w1 = _towards(v, to_v, a * dt), _towards(w, to_w, alpha * dt)
    u1 = _towards(u, to_u, a * dt)
    turned = 0.5 * (w + w1) * dt
    ahead, aside = 0.5 * (v + v1) * dt, 0.5 * (u + u1) * dt
    cos, sin = math.cos(theta + 0.5 * turned), math.sin(theta + 0.5 * turned)
    return (x + ahead * cos - aside * sin, y + ahead * sin + aside * cos, theta + turned,
            v1, w1, u1)


@kernel
def way_is_clear(points, radius, x, y, theta, v, w, u, now_v, now_w, now_u,
                 to_v, to_w, to_u, late, tick, a, alpha):
    """
    Tell whether a disc that takes up a command and then brakes stays clear of points (n, 2).

    The pose and the velocity are as `follow` has them. For ``late`` [s] the robot goes on with
    the command that it has (``now_*``), for a ``tick`` [s] with the new one (``to_*``), and then
    it stops. A point that is nearer than ``radius`` [m] already must not come nearer.
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
    return True
