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
Confidence intervals of 95 %, and the sign test.

Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA
22, 1927 (shares); B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap, 1993 (means,
by percentiles, whole clusters drawn); the exact binomial sign test.
"""

from __future__ import annotations

import math
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional

import numpy as np

CONFIDENCE = 0.95
Z = 1.959963984540054
"""Quantile of the normal distribution for `CONFIDENCE`."""
DRAWS = 1000
"""Number of bootstrap samples."""
MIN_WORLDS = 5
"""Minimum number of worlds for an interval; fewer give one that is far too narrow."""
SEED = 1
# Number of values drawn at once, and cached if these are all: 40 MB.
_CHUNK = 10_000_000


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def wilson(hits: int, count: int, z: float = Z) -> Optional[Interval]:
    """
    Return Wilson's score interval of ``hits`` / ``count``; None if ``count`` is 0.

    ``z`` is the quantile of the normal distribution, by default that of 95 %.
    """
    if not count:
        return None
    share, square = hits / count, z * z / count
    middle = (share + square / 2.0) / (1.0 + square)
    half = z * math.sqrt(share * (1.0 - share) / count + square / (4.0 * count)) / (1.0 + square)
    # At the ends the formula gives 0 and 1 except for rounding.
    return Interval(0.0 if hits == 0 else middle - half, 1.0 if hits == count else middle + half)


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of wins and losses, if both are equally likely."""
    count, least = wins + losses, min(wins, losses)
    # Logarithms, because the coefficients of a thousand episodes overflow a float.
    tail = sum(math.exp(math.lgamma(count + 1) - math.lgamma(k + 1) - math.lgamma(count - k + 1)
                        - count * math.log(2.0)) for k in range(least + 1))
    return min(1.0, 2.0 * tail)


class Bootstrap:
    """
    Cluster bootstrap: intervals of means of values that belong to worlds.

    Whole worlds are resampled, because episodes in the same world are not independent. The samples
    are the same for all means, and for the same number of worlds.
    """

    def __init__(self, worlds: int):
        """Take the number of worlds."""
        self.worlds = worlds
        self._kept: Optional[List[np.ndarray]] = None

    def means(self, columns: List[Any]) -> List[Optional[Interval]]:
        """
        Return the interval of the mean of each column.

        :param columns: pairs of arrays: the world (from 0) of each value, and the values.
        :return: None if the values come from fewer than `MIN_WORLDS` worlds.
        """
        if not columns:
            return []
        counts, sums = (np.zeros((self.worlds, len(columns)), dtype=np.float32) for _ in range(2))
        for k, (worlds, values) in enumerate(columns):
            if len(values):
                counts[:, k] = np.bincount(worlds, minlength=self.worlds)
                sums[:, k] = np.bincount(worlds, values, self.worlds)
        with np.errstate(invalid='ignore'):
            drawn = np.vstack([(times @ sums) / (times @ counts) for times in self._draws()])
        enough = np.count_nonzero(counts, axis=0) >= MIN_WORLDS
        tails = 50.0 * (1.0 - CONFIDENCE)
        found: List[Optional[Interval]] = []
        for k in range(len(columns)):
            column = drawn[np.isfinite(drawn[:, k]), k]
            found.append(Interval(*map(float, np.percentile(column, [tails, 100.0 - tails])))
                         if enough[k] else None)
        return found

    def _draws(self) -> Iterable[np.ndarray]:
        """Return the counts of each world per sample, in chunks (samples, worlds)."""
        if DRAWS * self.worlds > _CHUNK:
            return self._drawn()
        if self._kept is None:
            self._kept = list(self._drawn())
        return self._kept

    def _drawn(self) -> Iterator[np.ndarray]:
        random = np.random.default_rng(SEED)
        at_once = max(1, _CHUNK // max(self.worlds, 1))
        for first in range(0, DRAWS, at_once):
            yield np.array([
                np.bincount(random.integers(self.worlds, size=self.worlds),
                            minlength=self.worlds)
                for _ in range(first, min(first + at_once, DRAWS))], dtype=np.float32)
