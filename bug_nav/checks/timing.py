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

"""When messages arrive, and which times they are stamped with: pure functions of arrays [s]."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Pace(NamedTuple):
    """How steadily messages come."""

    rate: float
    """Between the first and the last [Hz]."""
    usual: float
    """The median of the time between two [s]."""
    late: float
    """The time between two that 95 % keep to [s]."""
    longest: float


def pace(arrivals: np.ndarray) -> Pace:
    """Return the pace of messages by their times of arrival, two of them at least."""
    gaps = np.diff(np.sort(arrivals))
    span = float(gaps.sum())
    return Pace(gaps.size / span if span > 0.0 else math.inf, float(np.median(gaps)),
                float(np.percentile(gaps, 95)), float(gaps.max()))


class Spread(NamedTuple):
    """A quantity that varies."""

    middle: float
    """The median."""
    most: float
    """What 95 % stay below."""


def spread(values: np.ndarray) -> Spread:
    """Return the spread of at least one value."""
    return Spread(float(np.median(values)), float(np.percentile(values, 95)))


def backward(stamps: np.ndarray) -> int:
    """Return how many stamps are older than the one before."""
    return int(np.count_nonzero(np.diff(stamps) < 0.0))


def leads(scan_arrivals: np.ndarray, scan_ends: np.ndarray, odom_arrivals: np.ndarray,
          odom_stamps: np.ndarray) -> np.ndarray:
    """
    Return how far each scan's last beam is ahead of odometry, by their stamps [s].

    Compared with the newest odometry at the scan's arrival, and the time since that one came.
    """
    order = np.argsort(odom_arrivals, kind='stable')
    arrivals = odom_arrivals[order]
    newest = np.maximum.accumulate(odom_stamps[order])
    at = np.searchsorted(arrivals, scan_arrivals, side='right') - 1
    known = at >= 0
    return (scan_ends[known] - newest[at[known]]
            - (scan_arrivals[known] - arrivals[at[known]]))


def waits(scan_arrivals: np.ndarray, scan_ends: np.ndarray, odom_arrivals: np.ndarray,
          odom_stamps: np.ndarray) -> np.ndarray:
    """
    Return how long each scan waits until odometry tells where its last beam was measured [s].

    inf for those to which no such odometry has come.
    """
    order = np.argsort(odom_arrivals, kind='stable')
    arrivals = odom_arrivals[order]
    newest = np.maximum.accumulate(odom_stamps[order])
    first = np.searchsorted(newest, scan_ends, side='left')
    come = np.append(arrivals, math.inf)[first]
    return np.maximum(come - scan_arrivals, 0.0)
