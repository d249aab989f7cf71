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

What moves is a point like any other where it is. Besides, the robot stands before it could be
reached by it: from a command that is let through it has braked by then.
"""

from __future__ import annotations

import collections
import math
from typing import Deque, NamedTuple, Optional, Sequence, Tuple

from bug_nav.core.geometry import IDENTITY, Pose, wrap
from bug_nav.core.interface import STOP, Twist
from bug_nav.core.settings import RobotModel, Settings
from bug_nav.drive.ahead import (
    FAR,
    follow,
    near_points,
    towards,
    way_ahead,
    way_is_clear,
    within_limits,
)
from bug_nav.sense.observed import ObservedArea
from bug_nav.sense.perception import UNSEEN, View
from bug_nav.sense.tracker import DynamicObstacle
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
HASTE = 1.5
"""People set out, stop and turn with this acceleration [m/s^2] ..."""
MEASURED = 0.1
"""... and are as fast as they were so long before the scan that sees them [s]."""
PAST_SOMEBODY = 0.1
"""Beside somebody who stands the robot is no faster than this [m/s], to stop in time."""
LOOK_SPEED = 1.0
"""The robot turns with this rate to look [rad/s], or as fast as it can."""
LOOKED = 0.3
"""A place that a look has left unobserved is looked at again from this far away [body radii]."""
UNOBSERVED_SPEED = 0.25
"""Largest speed into what a look has left unobserved, as a share of the robot's largest."""


class Known(NamedTuple):
    """What is known of the obstacles around the robot, in the frame of its pose."""

    points: np.ndarray
    """Remembered points, (n, 2) [m]."""
    nearest: float
    """The distance to the nearest of them [m]."""
    view: View = UNSEEN
    """What the newest scan sees: ranges (m,) [m], the sensor's place, the direction of the first
    beam and the angle between two."""
    sight: float = math.inf
    """What is further from the robot's centre [m] is not seen."""
    passing: Sequence[DynamicObstacle] = ()
    """What moves."""
    seen_ago: float = 0.0
    """How old the scan is that it was seen in [s]."""
    beside_somebody: bool = False
    """Something near by has come to stand there, and may go on at any moment."""
    observed: Optional[ObservedArea] = None
    """Where a robot with single rangers may drive; None for one with a lidar."""


class Look(NamedTuple):
    """What a robot with single rangers has still to turn where it looks around."""

    pose: Pose = IDENTITY
    """Where it was last, while it looked from this place."""
    left: float = math.inf
    """The angle that it has still to turn [rad]; infinite before the first look."""
    side: float = 1.0
    """It turns to the left (1) or to the right (-1)."""


class Gate:
    """Keeps account of how the robot moves, and lets no command through that it cannot stop."""

    def __init__(self, model: RobotModel, settings: Settings):
        """Begin with a robot that stands."""
        self._model = model
        margin = RANGERS * settings.clearance if settings.sensing == 'rangers' else 0.0
        self._radius = model.robot_radius + max(margin, MARGIN)
        self.command = STOP
        """The newest command."""
        self.looks = False
        """The robot turns to look, instead of driving where no ranger has looked."""
        self._motion = STOP
        self._look = Look()
        self._past: Deque[Tuple[float, Twist, Twist]] = collections.deque(maxlen=64)

    def advance(self, elapsed: float) -> None:
        """Take note that so much time has gone by with the newest command [s]."""
        if elapsed <= 0.0:
            return
        now, wanted = self._motion, self.command
        self._past.append((elapsed, wanted, now))
        if now == wanted:
            return
        a, alpha = self._model.acc_lim_x * elapsed, self._model.acc_lim_theta * elapsed
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

    def turned_since(self, pose: Pose, age: float) -> float:
        """Return by how much a robot has turned that was at ``pose`` so long ago [rad]."""
        if age <= 1e-6:
            return 0.0
        return wrap(self.driven_since(pose, age)[0].theta - pose.theta)

    def stop(self) -> None:
        """Let the robot stand, which is always safe."""
        self.command = STOP
        self.looks = False  # whatever it stands for now

    def clip(self, wanted: Twist, elapsed: float, known: Known, pose: Pose, age: float,
             slowness: float) -> Twist:
        """
        Return what may be driven of a command.

        The robot was at ``pose`` so long ago (``age`` [s]). ``slowness`` [s/m]: by how much places
        are uncertain for each m/s at the contour; speeds are kept below its inverse.
        """
        fastest = min(self._model.max_vel_x, self._stoppable(known.sight),
                      PAST_SOMEBODY if known.beside_somebody else math.inf)
        wanted = self._within_limits(wanted, elapsed, fastest, slowness)
        way = self._way(wanted, self._motion)
        if known.nearest < self._radius + way + age * self._model.max_vel_x or way > FAR:
            here, motion = self.driven_since(pose, age)
            near = near_points(known.points, here.x, here.y, self._radius + way)
            if not self._is_safe(near, known.view, here, motion, wanted):
                wanted = self._slowed(near, known.view, here, motion, wanted)
        if known.observed is not None:
            wanted = self._observed(known.observed, pose, age, wanted, elapsed)
        self.command = wanted
        return wanted

    def _observed(self, area: ObservedArea, pose: Pose, age: float, wanted: Twist, elapsed: float
                  ) -> Twist:
        """
        Return what may be driven where obstacles may be between the cones of single rangers.

        The robot turns on the spot to look, until a cone has swept the way, or all of it that the
        cones can reach from here. What is unobserved then is close to an obstacle: it goes on
        slowly.
        """
        self.looks = False
        if not (wanted.v or wanted.u):
            return wanted
        model = self._model
        here, motion = self.driven_since(pose, age)
        poses = way_ahead(*here, *motion, *self.command, *wanted, TICK, model.acc_lim_x,
                          model.acc_lim_theta)
        if area.covers(poses, model.robot_radius):
            return wanted
        before, left, side = self._look
        if (left > area.gap
                or math.hypot(here.x - before.x, here.y - before.y) > LOOKED * model.robot_radius):
            left, side = area.gap, -side
        else:
            left -= abs(wrap(here.theta - before.theta))
        if left > 0.0:
            self._look, self.looks = Look(here, left, side), True
            rate = side * min(LOOK_SPEED, model.max_vel_theta)
            w = towards(self.command.w, rate, model.acc_lim_theta * elapsed)
            return Twist(0.0, w, 0.0)
        self._look = Look(before._replace(theta=here.theta), 0.0, side)
        speed = UNOBSERVED_SPEED * model.max_vel_x
        slower = min(speed / math.hypot(wanted.v, wanted.u), 1.0)
        return Twist(slower * wanted.v, wanted.w, slower * wanted.u)

    def lets_pass(self, known: Known, pose: Pose, age: float) -> bool:
        """Tell whether the robot has to stand, or what moves might reach it while it brakes."""
        if not known.passing:
            return False
        here, _ = self.driven_since(pose, age)
        # At its largest speed: else it would set out and stop again and again.
        time = known.seen_ago + 2.0 * TICK + self._model.max_vel_x / self._model.acc_lim_x
        for thing in known.passing:
            dx, dy = here.x - thing.points[:, 0], here.y - thing.points[:, 1]
            away = np.hypot(dx, dy)
            k = int(np.argmin(away))
            vx, vy = thing.velocity
            nearer = (vx * dx[k] + vy * dy[k]) / away[k] if thing.is_followed else thing.speed
            nearer = max(nearer + HASTE * MEASURED, 0.0)
            if away[k] < self._radius + nearer * time + 0.5 * HASTE * time * time:
                return True
        return False

    def is_near(self, passing: Sequence[DynamicObstacle], pose: Pose) -> bool:
        """Tell whether something that moves is where the robot may want to go next."""
        reach = self._radius + 2.0 * MARGIN + self._way(Twist(self._model.max_vel_x, 0.0), STOP)
        return any(np.hypot(*(thing.points - pose.position).T).min() < reach
                   for thing in passing)

    def _within_limits(self, wanted: Twist, elapsed: float, fastest: float, slowness: float
                       ) -> Twist:
        model = self._model
        v, w, u = within_limits(
            wanted.v, wanted.w, wanted.u if model.base == 'omni' else 0.0, *self.command,
            fastest, model.max_vel_theta,
            model.acc_lim_x * elapsed, model.acc_lim_theta * elapsed,
            model.max_wheel_vel, model.wheel_separation)
        uncertain = slowness * (math.hypot(v, u) + self._radius * abs(w))
        return Twist(*(each / max(uncertain, 1.0) for each in (v, w, u)))

    def _stoppable(self, sight: float) -> float:
        """Return the speed from which the robot stops within its sight [m/s]."""
        a, late = self._model.acc_lim_x, 2.0 * TICK + REACTION
        room = max(sight - self._model.robot_radius, 0.0)
        return a * (math.sqrt(late * late + 2.0 * room / a) - late)

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
