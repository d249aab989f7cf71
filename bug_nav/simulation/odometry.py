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
Simulated odometry and localization: perfect odometry, wheel encoders, noise, a localizer.

Odometry is continuous and drifts. An optional localizer corrects the pose of the odometry frame
in the map frame, in jumps (REP-105).

Sources: P. Ghimire and G. K. Erabati, a report on Bug 0 for the e-puck, for the integration of
wheel encoders; K. N. McGuire, G. C. H. E. de Croon and K. Tuyls, "A comparative study of bug
algorithms for robot navigation", Robotics and Autonomous Systems 121, 2019, for the Gaussian
noise of the velocities.
"""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.geometry import IDENTITY, Pose, wrap
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.settings import RobotModel
import numpy as np

NOISE_PERIOD = 0.1
"""Interval between two draws of noise, independent of the simulation step [s]."""

INEXACT = ('odometry', 'encoders', 'velocity')
"""Requirement of error parameters: perfect odometry has no errors."""


@dataclasses.dataclass(frozen=True)
class OdometryModel(ParameterSet):
    """Errors of odometry and of a localizer; the defaults have none."""

    odometry: str = parameter(
        'perfect', 'source of odometry: the true pose, two wheel encoders, or measured '
        'velocities', choices=('perfect', 'encoders', 'velocity'))
    odometry_noise: float = parameter(
        0.0, 'standard deviation of the measured velocities (with encoders, of the rotation of '
        'each wheel), as a share of them; redrawn every 0.1 s', low=0.0, high=1.0, needs=INEXACT)
    odometry_bias: float = parameter(
        0.0, 'share by which the measured rotation (with encoders, the travel of the right wheel) '
        'is too large', low=-0.5, high=0.5, needs=INEXACT)
    odometry_slip: float = parameter(
        0.0, 'share of the measured travel that is wheel slip: measured, but not moved', low=0.0,
        high=0.9, needs=INEXACT)
    odometry_slip_irregular: bool = parameter(
        False, 'whether odometry_slip is the mean of a random slip, independent for each wheel '
        'and redrawn every 0.1 s; else slip is constant',
        needs=('odometry_slip',))
    odometry_gyro_drift: float = parameter(
        0.0, 'drift of the measured heading to the left per metre of travel; in every model but '
        'perfect', unit='rad/m', low=-1.0, high=1.0, needs=INEXACT)
    encoder_resolution: int = parameter(
        4096, 'encoder ticks per wheel revolution', low=4, high=10_000_000,
        needs=('odometry', 'encoders'))
    wheel_radius: float = parameter(
        0.033, 'radius of the wheels', unit='m', low=0.001, high=1.0,
        needs=('odometry', 'encoders'))
    axle_error: float = parameter(
        0.0, 'share by which the assumed wheel separation is too large', low=-0.5, high=0.5,
        needs=('odometry', 'encoders'))
    localizer_period: float = parameter(
        0.0, 'time between two corrections by a localizer; 0 for no localizer', unit='s',
        low=0.0, high=3600.0)
    localizer_noise: float = parameter(
        0.0, 'standard deviation of its positions', unit='m', low=0.0, high=1.0,
        needs=('localizer_period',))
    localizer_yaw_noise: float = parameter(
        0.0, 'standard deviation of its headings', unit='rad', low=0.0, high=1.0,
        needs=('localizer_period',))
    goal_beacon: bool = parameter(
        False, 'whether the goal is a beacon with measured range and bearing; odometry serves for '
        'all other places')


def check_base(robot: RobotModel, odometry: OdometryModel) -> None:
    """Raise ValueError if the robot's base cannot have this odometry."""
    if odometry.odometry == 'encoders' and robot.base == 'omni':
        raise ValueError("odometry is 'encoders', of two wheels, and the base is 'omni'; allowed "
                         'are perfect and velocity')


class Odometer:
    """Draws the errors that `kinematics.update_odometry` adds; simulates the localizer."""

    def __init__(self, model: OdometryModel, noise: np.ndarray, slip: np.ndarray,
                 random: np.random.Generator):
        """Write normal draws to ``noise`` (2,), exponential ones to ``slip`` (2,)."""
        self.correction = IDENTITY
        """The pose of the odometry frame in the world frame, as the localizer estimates it."""
        self._model, self._noise, self._slip, self._random = model, noise, slip, random
        # Times of the next draw and, at the earliest, of the next correction [s].
        self._draw_at = math.inf if model.odometry == 'perfect' else 0.0
        self._correct_at = model.localizer_period or math.inf

    def draw(self, stamp: float) -> None:
        """Draw errors, if due, before a step that ends at ``stamp`` [s]."""
        if stamp > self._draw_at - 1e-9:
            self._draw_at = stamp + NOISE_PERIOD
            self._random.standard_normal(out=self._noise)
            if self._model.odometry_slip_irregular:
                self._random.standard_exponential(out=self._slip)

    def correct(self, truth: Pose, odometry: Pose, stamp: float) -> None:
        """Correct the odometry frame, if due, after a step that ends at ``stamp`` [s]."""
        if not stamp > self._correct_at:
            return
        model = self._model
        self._correct_at = stamp + model.localizer_period
        x, y, theta = self._random.standard_normal(3)
        estimate = Pose(truth.x + model.localizer_noise * x, truth.y + model.localizer_noise * y,
                        wrap(truth.theta + model.localizer_yaw_noise * theta))
        self.correction = estimate.compose(odometry.inverse())
