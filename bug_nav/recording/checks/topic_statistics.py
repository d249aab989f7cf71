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

"""Statistics of times of arrival and stamps: pure functions of arrays [s]."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np


class Intervals(NamedTuple):
    """Rate and intervals of messages."""

    rate: float
    """Mean rate between the first and the last message [Hz]."""
    usual: float
    """Median interval [s]."""
    late: float
    """95th percentile of the intervals [s]."""
    longest: float


def intervals_of(arrivals: np.ndarray) -> Intervals:
    """Return rate and intervals for at least two times of arrival."""
    gaps = np.diff(np.sort(arrivals))
    span = float(gaps.sum())
    return Intervals(gaps.size / span if span > 0.0 else math.inf, float(np.median(gaps)),
                     float(np.percentile(gaps, 95)), float(gaps.max()))


class Spread(NamedTuple):
    """Distribution of a quantity."""

    middle: float
    """Median."""
    most: float
    """95th percentile."""


def spread(values: np.ndarray) -> Spread:
    """Return the distribution of at least one value."""
    return Spread(float(np.median(values)), float(np.percentile(values, 95)))


def backward(stamps: np.ndarray) -> int:
    """Return the number of stamps that are older than the previous one."""
    return int(np.count_nonzero(np.diff(stamps) < 0.0))


def repeated(stamps: np.ndarray) -> int:
    """Return the number of stamps that are equal to the previous one."""
    return int(np.count_nonzero(np.diff(stamps) == 0.0))


def leads(scan_arrivals: np.ndarray, scan_ends: np.ndarray, odom_arrivals: np.ndarray,
          odom_stamps: np.ndarray) -> np.ndarray:
    """
    Return the skew of the last beam of each scan ahead of odometry, by their stamps [s].

    Compared with the newest odometry at the arrival of the scan, plus its age then.
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
    Return how long each scan waits for odometry not older than its last beam [s].

    inf if no such odometry arrives.
    """
    order = np.argsort(odom_arrivals, kind='stable')
    arrivals = odom_arrivals[order]
    newest = np.maximum.accumulate(odom_stamps[order])
    first = np.searchsorted(newest, scan_ends, side='left')
    come = np.append(arrivals, math.inf)[first]
    return np.maximum(come - scan_arrivals, 0.0)
