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
How a simulated robot knows where it is: perfect odometry, wheel encoders, noise, a localiser.

Odometry is continuous and drifts. A localiser, where there is one, corrects it: not by moving the
robot's pose in the odometry's frame, but by moving that frame in the map's, in jumps (REP-105).

Sources: P. Ghimire and G. K. Erabati, a report on Bug 0 for the e-puck, for the integration of
wheel encoders; K. N. McGuire, G. C. H. E. de Croon and K. Tuyls, "A comparative study of bug
algorithms for robot navigation", Robotics and Autonomous Systems 121, 2019, for the Gaussian
noise of the velocities.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Tuple

from bug_nav.core.geometry import IDENTITY, Pose, wrap
from bug_nav.core.parameters import Checked, parameter
from bug_nav.core.settings import RobotModel
import numpy as np

HELD = 0.1
"""Noise is drawn anew each time so long [s] has gone by, whatever the step of the simulation."""
MOST_SLIP = 0.9
"""However irregularly a wheel slips, this share of its travel is the most that is lost."""

DRIFTING = ('odometry', 'encoders', 'velocity')
"""What errors need: with perfect odometry there are none."""


@dataclasses.dataclass(frozen=True)
class OdometryModel(Checked):
    """What odometry measures and what it gets wrong; the defaults are the truth."""

    odometry: str = parameter(
        'perfect', 'what odometry is made of: the truth, two wheel encoders, or measured '
        'velocities', choices=('perfect', 'encoders', 'velocity'))
    odometry_noise: float = parameter(
        0.0, 'standard deviation of the measured velocities (or of the turning of each wheel), as '
        'a share of them; drawn anew every 0.1 s', low=0.0, high=1.0, needs=DRIFTING)
    odometry_bias: float = parameter(
        0.0, 'share by which the turning (or the travel of the right wheel) is measured too large',
        low=-0.5, high=0.5, needs=DRIFTING)
    odometry_slip: float = parameter(
        0.0, 'share of the travel of the wheels (or of the measured travel) in which they slip: '
        'measured, and not moved', low=0.0, high=0.9, needs=DRIFTING)
    odometry_slip_irregular: bool = parameter(
        False, 'odometry_slip is an average: each wheel slips by itself (or the travel is too '
        'long), now more, now less, drawn anew every 0.1 s; else always by as much',
        needs=('odometry_slip',))
    odometry_gyro_drift: float = parameter(
        0.0, 'by how much the heading is measured too far to the left, for each metre of the way; '
        'in every model but perfect', unit='rad/m', low=-1.0, high=1.0, needs=DRIFTING)
    encoder_resolution: int = parameter(
        4096, 'encoder ticks in a turn of a wheel', low=4, high=10_000_000,
        needs=('odometry', 'encoders'))
    wheel_radius: float = parameter(
        0.033, 'radius of the wheels', unit='m', low=0.001, high=1.0,
        needs=('odometry', 'encoders'))
    axle_error: float = parameter(
        0.0, 'share by which the axle is taken for longer than it is', low=-0.5, high=0.5,
        needs=('odometry', 'encoders'))
    localiser_period: float = parameter(
        0.0, 'time between two corrections by a localiser; 0 for no localiser', unit='s',
        low=0.0, high=3600.0)
    localiser_noise: float = parameter(
        0.0, 'standard deviation of its positions', unit='m', low=0.0, high=1.0,
        needs=('localiser_period',))
    localiser_yaw_noise: float = parameter(
        0.0, 'standard deviation of its headings', unit='rad', low=0.0, high=1.0,
        needs=('localiser_period',))
    goal_beacon: bool = parameter(
        False, 'the goal is a beacon, whose range and bearing are measured; odometry serves for '
        'all other places')


def check_base(robot: RobotModel, odometry: OdometryModel) -> None:
    """Raise ValueError, in one sentence, for odometry that the robot's base cannot have."""
    if odometry.odometry == 'encoders' and robot.base == 'omni':
        raise ValueError("odometry is 'encoders', of two wheels, and the base is 'omni'; allowed "
                         'are perfect and velocity')


class Odometer:
    """Keeps the pose that odometry reports, and the localiser's correction of it."""

    def __init__(self, model: OdometryModel, wheel_separation: float, start: Pose,
                 random: np.random.Generator):
        """Begin at ``start``, in the world's frame; ``random`` makes the noise."""
        self.model = model
        self.pose = start
        self.correction = IDENTITY
        """The pose of the odometry's frame in the world's, as the localiser knows it."""
        self._axle = wheel_separation
        self._random = random
        self._per_tick = 2.0 * math.pi * model.wheel_radius / model.encoder_resolution
        self._factors = (1.0, 1.0)
        self._slips = (model.odometry_slip, model.odometry_slip)
        self._draw_at = self._correct_at = 0.0
        self._left = self._right = 0.0
        self._left_ticks = self._right_ticks = 0

    def move(self, truth: Pose, ahead: float, aside: float, turned: float, stamp: float) -> None:
        """
        Take note of a step: so far ahead, to the left [m] and turned [rad].

        ``truth`` is where it has led to, and ``stamp`` [s] the time at its end.
        """
        model = self.model
        if model.odometry == 'perfect':
            self.pose = truth
        else:
            if stamp > self._draw_at - 1e-9:
                self._draw_at = stamp + HELD
                one, other = self._random.standard_normal(2).tolist()
                self._factors = (1.0 + model.odometry_noise * one,
                                 1.0 + model.odometry_noise * other)
                if model.odometry_slip_irregular:
                    self._slips = self._drawn_slips()
            measured = self._encoders if model.odometry == 'encoders' else self._velocities
            drift = model.odometry_gyro_drift * math.hypot(ahead, aside)
            ahead, aside, turned = measured(ahead, aside, turned)
            self.pose = self.pose.moved(ahead, aside, turned + drift)
        if model.localiser_period > 0.0 and stamp > self._correct_at + model.localiser_period:
            self._correct_at = stamp
            self._correct(truth)

    def _drawn_slips(self) -> Tuple[float, float]:
        """
        Return by which share each wheel slips now.

        The way that is measured and not moved is drawn from an exponential distribution: mostly
        there is little of it, and now and then much.
        """
        slip = self.model.odometry_slip
        lost = self._random.standard_exponential(2) * (slip / (1.0 - slip))
        left, right = np.minimum(lost / (1.0 + lost), MOST_SLIP).tolist()
        return left, right

    def _velocities(self, ahead: float, aside: float, turned: float) -> tuple:
        along, around = self._factors
        along /= 1.0 - self._slips[0]
        return ahead * along, aside * along, turned * (around + self.model.odometry_bias)

    def _encoders(self, ahead: float, aside: float, turned: float) -> tuple:
        """Return what whole ticks of both encoders tell, as in the e-puck's report."""
        model, per_tick, half = self.model, self._per_tick, 0.5 * self._axle * turned
        left, right = self._factors
        slip_left, slip_right = self._slips
        self._left += (ahead - half) * (left / (1.0 - slip_left))
        self._right += (ahead + half) * ((right + model.odometry_bias) / (1.0 - slip_right))
        left_ticks = math.floor(self._left / per_tick)
        right_ticks = math.floor(self._right / per_tick)
        moved_left = (left_ticks - self._left_ticks) * per_tick
        moved_right = (right_ticks - self._right_ticks) * per_tick
        self._left_ticks, self._right_ticks = left_ticks, right_ticks
        return (0.5 * (moved_left + moved_right), 0.0,
                (moved_right - moved_left) / (self._axle * (1.0 + model.axle_error)))

    def _correct(self, truth: Pose) -> None:
        model = self.model
        x, y, theta = self._random.standard_normal(3)
        believed = Pose(truth.x + model.localiser_noise * x, truth.y + model.localiser_noise * y,
                        wrap(truth.theta + model.localiser_yaw_noise * theta))
        self.correction = believed.compose(self.pose.inverse())
