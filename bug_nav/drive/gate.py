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

from bug_nav.drive.ahead import FAR, follow, near_points, towards, way_is_clear
from bug_nav.geometry import Pose
from bug_nav.interface import STOP, Twist
from bug_nav.robot import RobotModel, Settings
import numpy as np

MARGIN = 0.02
"""What is kept between the body and a remembered point [m]."""
RANGERS = 0.3
"""Of the clearance, where single rangers know less well where a point is."""
TICK = 0.05
"""The next command comes no sooner than this [s]."""
TRIES = 6
"""So often the speed is halved in to the largest that is safe."""
LATEST = 0.5
"""Odometry that is older [s] is not driven on from: the robot stands soon."""
REACTION = 0.3
"""What lies at the edge of the sensor's sight is known so much later [s]."""
View = Tuple[np.ndarray, float, float, float, float]
UNSEEN: View = np.empty(0), 0.0, 0.0, 0.0, 1.0
"""The view of a robot that cannot tell what is in sight."""


class Gate:
    """Keeps account of how the robot moves, and lets no command through that it cannot stop."""

    def __init__(self, model: RobotModel, settings: Settings):
        """Begin with a robot that stands."""
        self._model = model
        margin = RANGERS * settings.clearance if settings.sensing == 'rangers' else 0.0
        self._radius = model.robot_radius + max(margin, MARGIN)
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
        self._motion = Twist(towards(now.v, wanted.v, a), towards(now.w, wanted.w, alpha),
                             towards(now.u, wanted.u, a))

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
             view: View, sight: float, slowness: float) -> Twist:
        """
        Return what may be driven of a command.

        ``points`` (n, 2) [m] are in the frame of ``pose``, the robot's so long ago (``age`` [s]);
        ``view`` is what the newest scan sees there: ranges (m,) [m], the place of the sensor, the
        direction of the first beam and the angle between two; ``sight`` [m]: what is further away
        is not seen; ``slowness`` [s/m]: by how much places are uncertain for each m/s at the
        contour; speeds are kept below its inverse.
        """
        wanted = self._within_limits(wanted, elapsed, sight, slowness)
        here, motion = self.driven_since(pose, age)
        way = self._way(wanted, motion)
        near = near_points(points, here.x, here.y, self._radius + way)
        if (near.shape[0] or way > FAR) and not self._is_safe(near, view, here, motion, wanted):
            wanted = self._slowed(near, view, here, motion, wanted)
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

    def _way(self, wanted: Twist, motion: Twist) -> float:
        """Return how far the robot may get before it stands [m]."""
        speed = max(math.hypot(wanted.v, wanted.u), math.hypot(motion.v, motion.u))
        return 2.0 * TICK * speed + speed * speed / (2.0 * self._model.acc_lim_x)

    def _is_safe(self, points: np.ndarray, view: View, pose: Pose, motion: Twist, wanted: Twist
                 ) -> bool:
        """Tell whether the robot can stop from a command, taken up now or a tick later."""
        model = self._model
        return all(way_is_clear(
            points, self._radius, *view, *pose, *motion, *self.command, *wanted, late,
            TICK, model.acc_lim_x, model.acc_lim_theta) for late in (0.0, TICK))

    def _slowed(self, points: np.ndarray, view: View, pose: Pose, motion: Twist, wanted: Twist
                ) -> Twist:
        """Return the fastest share of a command that is safe, or the brakes."""
        slow = Twist(0.0, wanted.w, 0.0)
        if not self._is_safe(points, view, pose, motion, slow):
            return STOP
        low, high = 0.0, 1.0
        for _ in range(TRIES):
            share = 0.5 * (low + high)
            tried = Twist(share * wanted.v, wanted.w, share * wanted.u)
            if self._is_safe(points, view, pose, motion, tried):
                low, slow = share, tried
            else:
                high = share
        return slow
