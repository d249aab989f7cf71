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
Mount, wheels and delays of a robot, measured from a recording in which it turns and drives.

Each motion of the lidar between two scans (B) is compared with that of odometry (A). With the
mount X, A X = X B; wheels that are c times as large as odometry assumes make that linear in the
mount divided by c (Censi, Franchi, Marchionni, Oriolo: Simultaneous calibration of odometry and
sensor parameters for mobile robots, IEEE Trans. Robotics 29(2), 2013).
"""

from __future__ import annotations

import math
from typing import Callable, List, NamedTuple, Optional, Tuple

from bug_nav.recording.checks.scan_motion import scan_motion
import numpy as np

TURN, DRIVE, MAX_TIME = 0.15, 0.08, 2.0
"""Motion between two compared scans [rad, m], and maximum time [s]."""
MIN_TURN, MIN_DRIVE = 1.5, 0.3
"""Minimum motion in total from which mount and wheels are measured [rad, m]."""
MIN_PAIRS, MAX_PAIRS = 8, 250
MAX_SKEW, SKEW_STEP = 0.6, 0.02
"""Maximum skew that is tried, and its step [s]."""
MAX_DELAY = 1.5
"""Maximum delay of a command that is tried [s]."""
OUTLIER = 3.0
"""Residual of an outlier [median residuals]."""
MIN_ERROR = 0.002
"""Smallest error of an outlier [m, rad]."""
MIN_MISPLACED = 0.03
"""Smallest error of an outlier in place [m]."""
CORRELATION = 2.0
"""Factor on uncertainties, because neighbouring pairs are not independent."""
MIN_COMMAND = 0.3
"""Minimum correlation of commands and motion."""


class Value(NamedTuple):
    """A measured number and its standard deviation."""

    value: float
    sigma: float


class Calibration(NamedTuple):
    """Results of a recording; None where it does not show one."""

    turned: float
    driven: float
    """Motion of odometry in the compared pairs of scans [rad, m]."""
    is_mirrored: Optional[bool] = None
    yaw: Optional[Value] = None
    """Yaw of the lidar [rad]."""
    x: Optional[Value] = None
    y: Optional[Value] = None
    """Place of the lidar [m]."""
    scale: Optional[Value] = None
    """True distance divided by that of odometry."""
    turn_scale: Optional[Value] = None
    """True turn divided by that of odometry."""
    skew: Optional[Value] = None
    """Time by which the stamps of scans are early, compared with those of odometry [s]."""


class Track(NamedTuple):
    """Odometry or commands over time."""

    stamps: np.ndarray
    """(n,) [s], rising."""
    values: np.ndarray
    """(n, 3): x, y and continuous heading [m, m, rad]; (n, 2) forward and turning for commands."""

    def at(self, times: np.ndarray) -> np.ndarray:
        """Return the values (m, k) at times (m,) [s]."""
        return np.column_stack([np.interp(times, self.stamps, each) for each in self.values.T])


def calibrate(stamps: np.ndarray, scans: List[np.ndarray], angles: np.ndarray, odometry: Track,
              stated: Tuple[float, float, float]) -> Calibration:
    """
    Return what scans and odometry show together.

    :param stamps: middle of the sweep of each scan (n,) [s].
    :param scans: ranges [m], NaN where nothing was measured.
    :param angles: directions of the beams, as stated, in the frame of the lidar [rad].
    :param stated: mount of the lidar that is stated: x, y, yaw [m, m, rad].
    """
    pairs, motions = _pairs(stamps, scans, angles, odometry)
    if len(pairs) < MIN_PAIRS:
        return Calibration(0.0, 0.0)
    skew = _skew(stamps, pairs, motions, odometry)
    late = skew.value if skew is not None and abs(skew.value) > 3.0 * skew.sigma else 0.0
    moved = _relative(odometry, stamps[pairs] + late)
    turned, driven = np.abs(moved[:, 2]).sum(), np.hypot(*moved[:, :2].T).sum()
    found = Calibration(float(turned), float(driven), skew=skew)
    if turned > MIN_TURN:
        ratio = _ratio(moved[:, 2], motions[:, 2])
        found = found._replace(is_mirrored=ratio.value < 0.0,
                               turn_scale=Value(abs(ratio.value), ratio.sigma))
        if found.is_mirrored:
            motions = motions * (1.0, -1.0, -1.0)
    return _mount(found, moved, motions, stated)


def _pairs(stamps: np.ndarray, scans: List[np.ndarray], angles: np.ndarray, odometry: Track
           ) -> Tuple[np.ndarray, np.ndarray]:
    """Return pairs of scans (m, 2) between which the robot moves, and the motions (m, 3)."""
    poses = odometry.at(stamps)
    inside = (stamps > odometry.stamps[0]) & (stamps < odometry.stamps[-1])
    found, k = [], 0
    while k < len(stamps):
        for other in range(k + 1, len(stamps)):
            if stamps[other] - stamps[k] > MAX_TIME:
                break
            apart = poses[other] - poses[k]
            if abs(apart[2]) > TURN or math.hypot(apart[0], apart[1]) > DRIVE:
                if inside[k] and inside[other]:
                    found.append((k, other))
                k = other - 1
                break
        k += 1
    found = found[::max(1, math.ceil(len(found) / MAX_PAIRS))]
    measured = [(pair, scan_motion(scans[pair[0]], scans[pair[1]], angles)) for pair in found]
    kept = [(pair, motion) for pair, motion in measured if motion is not None]
    return (np.array([pair for pair, _ in kept]).reshape(-1, 2),
            np.array([motion for _, motion in kept]).reshape(-1, 3))


def _relative(odometry: Track, times: np.ndarray) -> np.ndarray:
    """Return the motions (m, 3) of the robot between pairs of times (m, 2)."""
    first, last = odometry.at(times[:, 0]), odometry.at(times[:, 1])
    dx, dy, turn = (last - first).T
    cos, sin = np.cos(first[:, 2]), np.sin(first[:, 2])
    return np.column_stack((cos * dx + sin * dy, cos * dy - sin * dx, turn))


def _ratio(of: np.ndarray, to: np.ndarray) -> Value:
    """Return the factor from one array (m,) to another without its outliers."""
    keep = np.ones(len(of), dtype=bool)
    for _ in range(3):
        factor = float(to[keep] @ of[keep] / (of[keep] @ of[keep]))
        error = np.abs(to - factor * of)
        keep = error <= OUTLIER * 1.5 * max(float(np.median(error)), MIN_ERROR)
    spread = float(np.sqrt(np.mean(error[keep] ** 2) / (of[keep] @ of[keep])))
    return Value(factor, CORRELATION * spread)


def _skew(stamps: np.ndarray, pairs: np.ndarray, motions: np.ndarray, odometry: Track
          ) -> Optional[Value]:
    """Return the skew with which the turns of lidar and odometry agree best."""
    def cost(late: float) -> float:
        turns = _relative(odometry, stamps[pairs] + late)[:, 2]
        if turns @ turns < 1e-6:
            return math.inf
        error = motions[:, 2] - _ratio(turns, motions[:, 2]).value * turns
        return float(np.mean(np.minimum(np.abs(error), 0.1) ** 2))
    return _minimum(cost, np.arange(-MAX_SKEW, MAX_SKEW + SKEW_STEP, SKEW_STEP), len(pairs))


def _minimum(cost: Callable[[float], float], tried: np.ndarray, count: int) -> Optional[Value]:
    """Return where a mean squared error is least, None if it has no clear minimum."""
    costs = np.array([cost(each) for each in tried])
    k = int(costs.argmin())
    if k in (0, len(tried) - 1) or not np.isfinite(costs[k - 1:k + 2]).all():
        return None
    step = tried[1] - tried[0]
    curve = (costs[k - 1] - 2.0 * costs[k] + costs[k + 1]) / step ** 2
    if curve <= 0.0:
        return None
    shift = (costs[k - 1] - costs[k + 1]) / (2.0 * step * curve)
    sigma = CORRELATION * math.sqrt(2.0 * max(costs[k], 1e-7) / (count * curve))
    return Value(float(tried[k] + shift), max(sigma, step / 4.0))


def _mount(found: Calibration, moved: np.ndarray, motions: np.ndarray,
           stated: Tuple[float, float, float]) -> Calibration:
    """Add mount and scale, by least squares over u = R(yaw) / c and t / c."""
    x, y, turn = motions.T
    cos, sin = np.cos(turn), np.sin(turn)
    rows = np.concatenate((np.column_stack((x, -y, 1.0 - cos, sin)),
                           np.column_stack((y, x, -sin, 1.0 - cos))))
    wanted = np.concatenate((moved[:, 0], moved[:, 1]))
    known = np.array([math.cos(stated[2]), math.sin(stated[2]), stated[0], stated[1]])
    drives, turns = found.driven > MIN_DRIVE, found.turned > MIN_TURN
    free = np.array([drives, drives, turns, turns])
    if not free.any():
        return found
    wanted = wanted - rows[:, ~free] @ known[~free]
    rows, keep = rows[:, free], np.ones(len(rows), dtype=bool)
    for _ in range(4):
        solution, *_ = np.linalg.lstsq(rows[keep], wanted[keep], rcond=None)
        error = np.abs(rows @ solution - wanted)
        keep = error <= max(OUTLIER * 1.5 * float(np.median(error)), MIN_MISPLACED)
    spread = CORRELATION ** 2 * float(np.mean(error[keep] ** 2))
    covariance = np.zeros((4, 4))
    covariance[np.ix_(free, free)] = spread * np.linalg.pinv(rows[keep].T @ rows[keep])
    known[free] = solution
    sigma = np.sqrt(np.diag(covariance))
    size = float(np.hypot(*known[:2]))
    if drives:
        found = found._replace(
            yaw=Value(math.atan2(known[1], known[0]), float(max(sigma[:2])) / size),
            scale=Value(1.0 / size, float(max(sigma[:2])) / size ** 2))
    if turns:
        scale = 1.0 / size if drives else 1.0
        found = found._replace(x=Value(float(known[2]) * scale, float(sigma[2])),
                               y=Value(float(known[3]) * scale, float(sigma[3])))
    return found


# ---- commands ---------------------------------------------------------------------------------

class Response(NamedTuple):
    """How a robot follows its commands, forward or turning."""

    sign: int
    """-1 if it moves in the other direction."""
    delay: Optional[Value]
    """Time from a command until odometry follows [s]."""


def response(commands: Track, odometry: Track, is_turn: bool) -> Optional[Response]:
    """Return how odometry follows the commands; None if they do not show it."""
    times = np.arange(odometry.stamps[0] + MAX_DELAY, odometry.stamps[-1] - 0.1, 0.05)
    if len(times) < 40 or len(commands.stamps) < 4:
        return None
    moved = _relative(odometry, np.column_stack((times - 0.05, times + 0.05))) / 0.1
    rate = moved[:, 2 if is_turn else 0]

    def sent(late: float) -> np.ndarray:
        # The last command holds until the next.
        last = np.searchsorted(commands.stamps, times - late, side='right') - 1
        return np.where(last >= 0, commands.values[np.maximum(last, 0), int(is_turn)], 0.0)

    def factor(late: float) -> float:
        given = sent(late)
        return float(given @ rate / max(given @ given, 1e-9))

    def cost(late: float) -> float:
        return float(np.mean((rate - factor(late) * sent(late)) ** 2))
    if np.std(rate) < 0.01 or np.std(sent(0.0)) < 0.01:
        return None
    delay = _minimum(cost, np.arange(-0.05, MAX_DELAY, 0.05), len(times))
    late = delay.value if delay is not None else 0.2
    if cost(late) > (1.0 - MIN_COMMAND) * float(np.mean(rate ** 2)):
        return None
    return Response(1 if factor(late) > 0.0 else -1, delay)


# ---- parts of the robot -----------------------------------------------------------------------

def constant_beams(scans: List[np.ndarray], reach: float) -> np.ndarray:
    """Return the median range (n,) of each beam that stays the same; NaN for the others."""
    ranges = np.array(scans)
    with np.errstate(all='ignore'):
        middle = np.array([np.median(each[np.isfinite(each)]) if np.isfinite(each).any()
                           else math.nan for each in ranges.T])
        stays = np.mean(np.abs(ranges - middle) < 0.03, axis=0) > 0.9
    return np.where(stays & (middle < reach), middle, math.nan)


def isolated(constant: np.ndarray, scans: List[np.ndarray], beside: float) -> np.ndarray:
    """
    Return those `constant_beams` (n,) that have free space on both sides; NaN for the others.

    A wall along which the robot drives stays the same as well, but not only in a few directions.
    ``beside`` [m]: free space is farther away than the beams by this.
    """
    free = np.median(np.where(np.isnan(scans), math.inf, scans), axis=0)
    ends = np.flatnonzero(np.isfinite(constant) != np.roll(np.isfinite(constant), 1))
    found = np.full(len(constant), math.nan)
    for first, end in zip(ends, np.roll(ends, -1)):
        run = np.arange(first, end if end > first else end + len(constant)) % len(constant)
        sides = free[[(first - 2) % len(constant), (end + 1) % len(constant)]]
        if np.isfinite(constant[run]).all() and sides.min() > constant[run].max() + beside:
            found[run] = constant[run]
    return found
