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

from bug_nav.core.geometry import IDENTITY, Pose, wrap
from bug_nav.core.parameters import Checked, parameter
from bug_nav.core.settings import RobotModel
import numpy as np

HELD = 0.1
"""Noise is drawn anew each time so long [s] has gone by, whatever the step of the simulation."""

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
    """Draws the errors that `motion.measure` adds to a step, and corrects them by a localiser."""

    def __init__(self, model: OdometryModel, noise: np.ndarray, slip: np.ndarray,
                 random: np.random.Generator):
        """Begin; normal draws go to ``noise`` (2,), exponential ones to ``slip`` (2,)."""
        self.correction = IDENTITY
        """The pose of the odometry's frame in the world's, as the localiser knows it."""
        self._model, self._noise, self._slip, self._random = model, noise, slip, random
        # Times of the next draw and, at the earliest, of the next correction [s].
        self._draw_at = math.inf if model.odometry == 'perfect' else 0.0
        self._correct_at = model.localiser_period or math.inf

    def draw(self, stamp: float) -> None:
        """Draw anew, when due, before a step that ends at ``stamp`` [s]."""
        if stamp > self._draw_at - 1e-9:
            self._draw_at = stamp + HELD
            self._random.standard_normal(out=self._noise)
            if self._model.odometry_slip_irregular:
                self._random.standard_exponential(out=self._slip)

    def correct(self, truth: Pose, odometry: Pose, stamp: float) -> None:
        """Correct the odometry frame, when due, after a step that ends at ``stamp`` [s]."""
        if not stamp > self._correct_at:
            return
        model = self._model
        self._correct_at = stamp + model.localiser_period
        x, y, theta = self._random.standard_normal(3)
        believed = Pose(truth.x + model.localiser_noise * x, truth.y + model.localiser_noise * y,
                        wrap(truth.theta + model.localiser_yaw_noise * theta))
        self.correction = believed.compose(odometry.inverse())
