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
Motion of a lidar between two of its scans, from the scans alone.

Odometry, the mount and the order of the beams are unknown here: they are what is measured with it.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Optional, Tuple

import numpy as np

MAX_TURN, TURN_STEP = 0.8, 0.02
"""Maximum turn between two scans, and step of those that are tried [rad]."""
ITERATIONS = 20
MAX_GAP = 0.15
"""Maximum distance between neighbours on one surface, as a share of the range [m/m]."""
REACH = 0.3, 0.06
"""Maximum distance of a point to its partner in the first and last iteration [m]."""
MIN_POINTS = 30
MIN_CONDITION = 0.02
"""Minimum share of the walls in the weakest direction: less is a corridor or an empty field."""
MAX_RESIDUAL = 0.03
"""Maximum mean residual of a motion [m]."""


class ScanMotion(NamedTuple):
    """Pose of the lidar at the later scan in the frame of the earlier one."""

    x: float
    y: float
    turn: float


def scan_motion(past: np.ndarray, now: np.ndarray, angles: np.ndarray) -> Optional[ScanMotion]:
    """
    Return the motion between two scans; None if the scans do not show it.

    :param past: ranges (n,) [m], NaN where nothing was measured; likewise ``now``.
    :param angles: directions of the beams (n,) in the frame of the lidar [rad].
    """
    turn = _turn(past, now, angles)
    there, normals = _surface(past, angles)
    here = _points(now, angles)[np.isfinite(now)]
    if turn is None or min(len(there), len(here)) < MIN_POINTS:
        return None
    motion = np.array([0.0, 0.0, turn])
    for reach in np.geomspace(*REACH, ITERATIONS):
        cos, sin = math.cos(motion[2]), math.sin(motion[2])
        moved = here @ np.array([[cos, sin], [-sin, cos]]) + motion[:2]
        apart = np.hypot(*(moved[:, None] - there[None]).transpose(2, 0, 1))
        partner = apart.argmin(axis=1)
        near = apart[np.arange(len(moved)), partner] < reach
        if near.sum() < MIN_POINTS:
            return None
        n, p = normals[partner[near]], moved[near]
        error = np.sum(n * (there[partner[near]] - p), axis=1)
        around = p - motion[:2]
        rows = np.column_stack((n, n[:, 1] * around[:, 0] - n[:, 0] * around[:, 1]))
        step, *_ = np.linalg.lstsq(rows, error, rcond=None)
        motion += step
    is_seen = np.linalg.eigvalsh(n.T @ n / len(n))[0] > MIN_CONDITION
    if not is_seen or np.abs(error).mean() > MAX_RESIDUAL:
        return None
    return ScanMotion(*motion.tolist())


def _turn(past: np.ndarray, now: np.ndarray, angles: np.ndarray) -> Optional[float]:
    """Return the turn with which the ranges agree best [rad]."""
    turns = np.arange(-MAX_TURN, MAX_TURN + TURN_STEP, TURN_STEP)
    order = np.argsort(angles)
    period = 2.0 * math.pi if np.ptp(angles) > 1.9 * math.pi else None
    errors = []
    for turn in turns:
        seen = np.interp(angles + turn, angles[order], past[order], math.nan, math.nan, period)
        apart = np.abs(seen - now)
        known = np.isfinite(apart)
        errors.append(np.median(apart[known]) if known.sum() >= MIN_POINTS else math.inf)
    best = int(np.argmin(errors))
    return float(turns[best]) if math.isfinite(errors[best]) else None


def _points(ranges: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return np.column_stack((ranges * np.cos(angles), ranges * np.sin(angles)))


def _surface(ranges: np.ndarray, angles: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Return the points (m, 2) whose neighbours are on the same surface, and their normals."""
    points = _points(ranges, angles)
    before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
    limit = MAX_GAP * ranges + 0.02
    with np.errstate(invalid='ignore'):
        along = after - before
        length = np.hypot(*along.T)
        good = (np.hypot(*(after - points).T) < limit) & (np.hypot(*(before - points).T) < limit)
        good &= length > 1e-6
    good[[0, -1]] = False
    normals = np.column_stack((-along[:, 1], along[:, 0]))[good] / length[good, None]
    return points[good], normals
