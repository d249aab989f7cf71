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
Consistency of the estimated pose: its error compared with its covariance.

Source: Y. Bar-Shalom, X. R. Li and T. Kirubarajan, "Estimation with Applications to Tracking and
Navigation", Wiley 2001, section 5.4, for the normalized estimation error squared (NEES).
"""

from __future__ import annotations

import math
from typing import Dict, List, Optional

from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Decision
from bug_nav.simulation.simulator import Simulator
import numpy as np

FREEDOM = 3
"""Degrees of freedom of a pose: x, y and heading."""
RESOLUTION = 1e-6
"""Standard deviation of an error that keeps each covariance regular [m, rad]."""
TOLERANCE = 0.001
"""Position error that always counts as within two sigma [m]."""


class Consistency:
    """Compares the estimated pose with the true pose once per processed scan."""

    def __init__(self) -> None:
        """Start without poses."""
        self._placed_at = -math.inf
        self._errors: List[List[float]] = []
        self._covariances: List[np.ndarray] = []

    def watch(self, simulator: Simulator, navigator: Navigator, decision: Decision) -> None:
        """
        Add the pose after a tick that has processed a scan; `run_episode` calls it at each tick.

        The odometry frame must have started as the world frame.
        """
        if navigator.queue.placed_at == self._placed_at:
            return
        self._placed_at = navigator.queue.placed_at
        localization = navigator.localization
        self.add(localization.drift.compose(simulator.odometry), simulator.pose,
                 localization.covariance)

    def add(self, estimate: Pose, truth: Pose, covariance: Optional[np.ndarray]) -> None:
        """
        Add an estimated pose and the true pose at the same time.

        A pose without a covariance (3, 3) is left out, and so is one whose covariance is zero: at
        the first scan, the pose is exact by definition.
        """
        if covariance is None or not covariance.any():
            return
        self._errors.append([estimate.x - truth.x, estimate.y - truth.y,
                             wrap(estimate.theta - truth.theta)])
        self._covariances.append(covariance.copy())

    def columns(self) -> Dict[str, float]:
        """Return the columns of a row; nothing if drift was not estimated."""
        if not self._errors:
            return {}
        errors = np.array(self._errors)
        covariances = np.array(self._covariances) + RESOLUTION**2 * np.eye(FREEDOM)
        squared = (errors * np.linalg.solve(covariances, errors[..., None])[..., 0]).sum(axis=1)
        away = np.hypot(errors[:, 0], errors[:, 1])
        sigmas = np.sqrt(np.linalg.eigvalsh(covariances[:, :2, :2])[:, -1])
        return {'mean_nees': float(squared.mean()) / FREEDOM,
                'within_two_sigma': float((away <= 2.0 * sigmas + TOLERANCE).mean()),
                'max_position_error': float(away.max())}
