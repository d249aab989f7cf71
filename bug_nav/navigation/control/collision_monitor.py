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
The collision monitor: the last word on every command, whoever asked for it.

`control.drive` lets no command through that the robot cannot stop from. Here is what is
rare. The robot stands before a moving obstacle could reach it: from a command that is let through
it has braked by then. With single rangers it looks before it drives where none has looked.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Sequence

from bug_nav.navigation.control.drive import drive, numbers
from bug_nav.navigation.control.forward_simulation import LATENCY, poses_ahead, towards
from bug_nav.navigation.control.intents import Intent
from bug_nav.navigation.control.state import MARGIN
from bug_nav.navigation.geometry import distance, IDENTITY, Pose, wrap
from bug_nav.navigation.perception.observed import ObservedArea
from bug_nav.navigation.perception.perception import UNSEEN, View
from bug_nav.navigation.perception.tracker import DynamicObstacle
from bug_nav.navigation.settings import RobotModel
from bug_nav.navigation.types import STOP, Twist
import numpy as np

HASTE = 1.5
"""Acceleration with which people set out, stop and turn [m/s^2]."""
MEASURED = 0.1
"""Velocity estimates of moving obstacles lag the scan by this time [s]."""
LOOK_SPEED = 1.0
"""Turning rate while the robot looks around, where its largest is not lower [rad/s]."""
LOOKED = 0.3
"""Distance from which a place that a look has left unobserved is looked at again [body radii]."""
UNOBSERVED_SPEED = 0.25
"""Largest speed into what a look has left unobserved, as a share of the robot's largest."""


class Look(NamedTuple):
    """What a robot with single rangers has still to turn where it looks around."""

    pose: Pose = IDENTITY
    """Where it was last, while it looked from this place."""
    left: float = math.inf
    """The angle that it has still to turn [rad]; infinite before the first look."""
    side: float = 1.0
    """It turns to the left (1) or to the right (-1)."""


class CollisionMonitor:
    """Lets no command through that the robot cannot stop from."""

    def __init__(self, model: RobotModel, state: np.ndarray, limits: np.ndarray):
        """Begin with a robot that stands; ``state`` and ``limits``: `control.state`."""
        self._model, self._state, self._limits = model, state, limits
        self._radius = float(limits['guarded_radius'][0])
        self.command = STOP
        """The newest command."""
        self._look = Look()

    @property
    def looks(self) -> bool:
        """Tell whether the robot turns to look, instead of driving where no ranger has looked."""
        return bool(self._state['is_looking'][0])

    @property
    def wanted(self) -> Twist:
        """Return the velocity that the newest intent has asked for."""
        return Twist(*self._state['wanted'][0].tolist())

    def stop(self) -> None:
        """Let the robot stand, which is always safe."""
        self._set(STOP, looks=False)  # whatever it stands for now

    def _set(self, command: Twist, looks: bool) -> None:
        self.command = command
        self._state['command'], self._state['is_looking'] = command, looks

    def clip(self, intent: Intent, elapsed: float, points: np.ndarray, view: View = UNSEEN,
             sight: float = math.inf, age: float = 0.0, slowness: float = 0.0,
             beside_somebody: bool = False, observed: Optional[ObservedArea] = None
             ) -> Optional[Twist]:
        """
        Return what may be driven of an intent; None where it asks for no finite velocity.

        ``observed``: where a robot with single rangers may drive; None for one with a lidar. The
        rest is as for `bug_nav.navigation.control.drive.drive`.
        """
        is_finite, v, w, u = drive(self._state, self._limits, points, *view, *numbers(intent),
                                   elapsed, age, sight, beside_somebody, slowness)
        if not is_finite:
            return None
        before, self.command = self.command, Twist(v, w, u)
        if observed is not None:
            self._observed(observed, before, elapsed)
        return self.command

    def _observed(self, area: ObservedArea, before: Twist, elapsed: float) -> None:
        """
        Clip the command where obstacles may be between the cones of single rangers.

        The robot turns on the spot to look, until a cone has swept the way, or all of it that the
        cones can reach from here. What is unobserved then is close to an obstacle: it goes on
        slowly. ``before`` is the command until now.
        """
        wanted, model = self.command, self._model
        here = Pose(*self._state['extrapolated'][0, :3].tolist())
        if not (wanted.v or wanted.u) or area.covers(
                poses_ahead(self._state, self._limits, *before, *wanted), model.robot_radius):
            return self._set(wanted, looks=False)
        last, left, side = self._look
        if left > area.gap or distance(last.position, here.position) > LOOKED * model.robot_radius:
            left, side = area.gap, -side
        else:
            left -= abs(wrap(here.theta - last.theta))
        if left > 0.0:
            self._look = Look(here, left, side)
            rate = side * min(LOOK_SPEED, model.max_vel_theta)
            w = towards(before.w, rate, model.acc_lim_theta * elapsed)
            return self._set(Twist(0.0, w, 0.0), looks=True)
        self._look = Look(last._replace(theta=here.theta), 0.0, side)
        scale = min(UNOBSERVED_SPEED * model.max_vel_x / math.hypot(wanted.v, wanted.u), 1.0)
        self._set(Twist(scale * wanted.v, wanted.w, scale * wanted.u), looks=False)

    def must_yield(self, passing: Sequence[DynamicObstacle], seen_ago: float) -> bool:
        """
        Tell whether the robot must stand, because a moving obstacle might reach it as it brakes.

        Or because one stops it where it may want to go next. ``seen_ago`` [s] is the age of the
        scan that they were seen in. To be asked after `clip`.
        """
        if not passing:
            return False
        wanted, command = self.wanted, self.command
        if (wanted.v or wanted.u) and not (command.v or command.u) and self._is_near(passing):
            return True
        x, y = self._state['extrapolated'][0, :2].tolist()
        # At its largest speed: else it would set out and stop again and again.
        time = seen_ago + LATENCY + self._model.max_vel_x / self._model.acc_lim_x
        for thing in passing:
            dx, dy = x - thing.points[:, 0], y - thing.points[:, 1]
            away = np.hypot(dx, dy)
            k = int(np.argmin(away))
            vx, vy = thing.velocity
            nearer = (vx * dx[k] + vy * dy[k]) / away[k] if thing.is_followed else thing.speed
            nearer = max(nearer + HASTE * MEASURED, 0.0)
            if away[k] < self._radius + nearer * time + 0.5 * HASTE * time * time:
                return True
        return False

    def _is_near(self, passing: Sequence[DynamicObstacle]) -> bool:
        """Tell whether a moving obstacle is where the robot may want to go next."""
        speed = self._model.max_vel_x
        way = LATENCY * speed + speed * speed / (2.0 * self._model.acc_lim_x)
        reach = self._radius + 2.0 * MARGIN + way
        return any(np.hypot(*(thing.points - self._state['pose'][0, :2]).T).min() < reach
                   for thing in passing)
