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
How far off odometry is, which is learnt as the robot drives from what scan matching puts right.

Two things are learnt. What is off always alike (one wheel larger than the other, an axle that
is taken for too long, a gyro that drifts, wheels that slip) is the bias of the heading, per metre
and per radian, and the scale of the way: once they are known they are taken out. What is off by
chance is the noise, per root of a metre: the covariance of the next pose grows by it. So good
wheels are believed and bad ones are not.
"""

from __future__ import annotations

import math
from typing import Sequence, Tuple

from bug_nav.core.geometry import Pose

ALONG = 0.02
"""The noise of the place that is thought of at first [m per root of a metre] ..."""
HEADING = 0.05
"""... and that of the heading [rad per root of a metre]."""
ARM = 0.1
"""Turning counts as this way of a wheel [m/rad]."""
AT_REST = 0.0005
"""A pose is no surer than this [m, rad]."""
AT_FIRST = 0.03
"""That share of these variances is believed at first ..."""
LEAST, MOST = 2e-4, (4.0, 64.0)
"""... and later on at least, and at most (of the place, and of the heading)."""
DOUBT = 10.0
"""It is so many times larger at once where a scan contradicts odometry ..."""
DOUBTED = 1.0
"""... but no larger than this by that."""
STRETCH = 0.5
"""The noise is judged by what is put right on a stretch of this length [m]."""
LEARNT = 0.5
"""So fast it is learnt: by so much of its logarithm with each stretch."""
SURPRISE = 5.0
"""A stretch tells no more than that odometry is off by so many variances."""
TOLD = 0.3
"""It tells nothing where matches make the variance smaller by less than this share."""
JUDGED = 4
"""Odometry is known to be better than usual after so many stretches that tell something of it."""
BIAS = 0.1
"""The bias that is thought of at first: its standard deviation [rad/m, and rad/rad]."""
SCALE = 0.05
"""The same of the way, as a share of it."""
FORGOTTEN = 0.999
"""So much of what was learnt of the bias stays with each scan."""


class OdometryError:
    """Knows by how much odometry is off."""

    def __init__(self) -> None:
        """Begin with what is usual."""
        self.bias: Tuple[float, float] = (0.0, 0.0)
        """What is added to the heading per metre driven ahead and per radian turned."""
        self.scale = 0.0
        """What is added to the way ahead, as a share of it."""
        self._share = [AT_FIRST, AT_FIRST]
        # The normal equations of the bias: their matrix (xx, xy, yy) and right side.
        self._seen = (1.0 / BIAS ** 2, 0.0, 1.0 / BIAS ** 2)
        self._sum = (0.0, 0.0)
        self._scale_seen, self._scale_sum = 1.0 / SCALE ** 2, 0.0
        self._judged = 0
        self._begin((0.0, 0.0, 0.0))

    def _begin(self, variance: Sequence[float]) -> None:
        """Begin a stretch with a pose of such variances."""
        self._way = 0.0
        self._variance = variance
        self._grown = [0.0, 0.0, 0.0]
        self._put_right = [0.0, 0.0, 0.0]

    def corrected(self, step: Pose) -> Pose:
        """Return a step as it was without the bias."""
        return step._replace(
            x=(1.0 + self.scale) * step.x,
            theta=step.theta + self.bias[0] * step.x + self.bias[1] * step.theta)

    def variances(self, step: Pose) -> Tuple[float, float]:
        """Return the variances of a step's end: of the place [m^2] and the heading [rad^2]."""
        place, heading = usual(step)
        return self._share[0] * place, self._share[1] * heading

    @property
    def share(self) -> float:
        """Return how many times the variance of usual odometry this one's is, at worst."""
        known = max(self._share)
        return known if self._judged >= JUDGED else max(known, 1.0)

    @property
    def is_believed(self) -> bool:
        """Tell whether odometry can be believed less than it is."""
        return min(self._share) < DOUBTED

    def doubt(self) -> bool:
        """Believe odometry less, at once; False where it cannot be."""
        can = self.is_believed
        self._share = [max(min(DOUBT * share, DOUBTED), share) for share in self._share]
        return can

    def learn(self, step: Pose, before: Sequence[float], after: Sequence[float],
              put_right: Sequence[float]) -> None:
        """
        Learn from a match.

        ``before`` and ``after`` are the variances of the pose without it and with it: x, y [m^2],
        heading [rad^2] and ahead [m^2]. ``put_right`` is by how much it has moved the pose: x, y
        [m], heading [rad] and ahead [m].
        """
        place, heading = self.variances(step)
        self._way += _way(step)
        for k, variance in enumerate((place, place, heading)):
            self._grown[k] += variance
            self._put_right[k] += put_right[k]
        if self._way > STRETCH:
            self._judge(after)
        # What a match knows no better than odometry tells nothing of odometry.
        told = max(1.0 - after[2] / before[2], 0.0)
        weight = told / (heading + told * before[2])
        ahead, turned = step.x, step.theta
        off = put_right[2] + self.bias[0] * ahead + self.bias[1] * turned
        xx, xy, yy = (FORGOTTEN * seen + weight * cause for seen, cause in zip(
            self._seen, (ahead * ahead, ahead * turned, turned * turned)))
        x, y = (FORGOTTEN * known + weight * cause * off for known, cause in zip(
            self._sum, (ahead, turned)))
        self._seen, self._sum = (xx, xy, yy), (x, y)
        whole = xx * yy - xy * xy
        self.bias = (yy * x - xy * y) / whole, (xx * y - xy * x) / whole
        told = max(1.0 - after[3] / before[3], 0.0)
        weight = told / (place + told * before[3])
        self._scale_seen = FORGOTTEN * self._scale_seen + weight * ahead * ahead
        self._scale_sum = FORGOTTEN * self._scale_sum + weight * ahead * (
            put_right[3] + self.scale * ahead)
        self.scale = self._scale_sum / self._scale_seen

    def _judge(self, variance: Sequence[float]) -> None:
        """Judge the noise by a stretch at whose end the pose has such variances."""
        pulls = []
        for now, then, grown, off in zip(variance, self._variance, self._grown, self._put_right):
            told = min(max(1.0 - (now - then) / grown, 0.0), 1.0)
            surprise = min(off ** 2 / (max(told, TOLD) * grown), SURPRISE)
            pulls.append(told * (surprise - 1.0) if told > TOLD else 0.0)
        self._judged += pulls[2] != 0.0
        for k, pull in enumerate((0.5 * (pulls[0] + pulls[1]), pulls[2])):
            self._share[k] = min(max(self._share[k] * math.exp(LEARNT * pull), LEAST), MOST[k])
        self._begin(variance)


def usual(step: Pose) -> Tuple[float, float]:
    """Return what `OdometryError.variances` does, for usual odometry."""
    way = _way(step)
    return ALONG ** 2 * way + AT_REST ** 2, HEADING ** 2 * way + AT_REST ** 2


def _way(step: Pose) -> float:
    """Return the way of the wheels [m]."""
    return math.hypot(step.x, step.y) + ARM * abs(step.theta)
