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

"""Calls of kernels that have become others: the same questions, asked of those of today."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import fan
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.perception import memory_update, scan_filters, surfels
from bug_nav.navigation.perception.beam_lookup import beam_width, is_full_turn, look_up_beams
import numpy as np


def told_apart(ranges, range_min, range_max, largest, close):
    """Classify the beams of a scan."""
    assert largest == scan_filters.MAX_FREE * range_max
    read = np.empty(ranges.size)
    return (read, *scan_filters.classify(ranges, read, range_min, range_max, close))


def alone(ranges, step):
    """Tell which readings are speckles."""
    return np.array([scan_filters.is_speckle(ranges, i, step) for i in range(ranges.size)])


def gone_through(xs, ys, past, past_x, past_y, first, step, range_min, range_max, side, beyond,
                 close, apart):
    """Write how far apart the beams of a scan are at places that they went through."""
    at, away, width = np.empty(xs.size), np.empty(xs.size), beam_width(step)
    look_up_beams(xs, ys, past_x, past_y, first, step, at, away)
    for i in np.flatnonzero((away >= range_min) & (away <= range_max
                                                   - scan_filters.RANGE_END_MARGIN)):
        behind = away[i] + (min(beyond, close) if away[i] < scan_filters.NEAR else beyond)
        if scan_filters.has_gone_through(past, at[i], away[i], behind, width,
                                         is_full_turn(past.size, width), side):
            apart[i] = min(apart[i], width * away[i])


def measure(table, count, nearby, stamp, ranges, x, y, first, step, range_min, range_max, robot_x,
            robot_y, reach, doubt, share, body, noise):
    """Measure points anew; the answer has the noise in the place of what it is learnt from."""
    states = np.zeros(1, dtype=memory_update.STATE)
    states[0] = count, nearby.size, 0, noise
    rows = np.concatenate((nearby, np.zeros(ranges.size, dtype=np.int64)))
    near = memory_update.update_memory(
        table, rows, states, np.empty((0, 2)), stamp, ranges, *fan(0.0, step, ranges.size), x, y,
        first, 0.0, step, range_min, range_max, robot_x, robot_y, reach, doubt, share, body, True,
        False)
    return int(states[0]['rows']), near, float(states[0]['noise'])


def measured(answer, arguments):
    """Return what `measure` is to answer, of what was answered."""
    count, near, met, off = answer
    noise = arguments[-1]
    learnt = memory_update.NOISE_GAIN * (memory_update.MEAN_TO_SIGMA * off / met
                                         - noise) if met else 0.0
    assert math.isfinite(learnt)
    return count, near, noise + learnt


def facets(ranges, x, y, first, step, range_min, range_max, body, extent):
    """Return the surfels that a scan sees."""
    found = surfels.extract(ranges, *surfels.directions(first, step, ranges.size), x, y, step,
                            range_min, range_max, body, extent)
    return np.column_stack([found[name] for name in ('x', 'y', 'nx', 'ny', 'beams')])


def free_distances(dx, dy, radii, reach, step, cosines, sines):
    """Return how far a disc can go along each heading, and what stops it."""
    points = np.column_stack((dx, dy))
    return kernels.free_distances(points, radii, 0, math.inf, 0.0, 0.0, reach, cosines, sines)


def reached(points, radii, obstacles, body, less, x, y, places):
    """Tell which places a disc can go to straight."""
    room = max(kernels.nearest(points[:obstacles], x, y)[0], body)
    return np.array([kernels.can_go_straight(points, radii, room, less, x, y, *place)
                     for place in places.tolist()], dtype=bool)


def as_it_was(answer, arguments):
    """Return the answer that was recorded."""
    return answer


ADAPTED = {
    'navigation.perception.beams.told_apart': (told_apart, as_it_was),
    'navigation.perception.lone.alone': (alone, as_it_was),
    'navigation.perception.motion.gone_through': (gone_through, as_it_was),
    'navigation.perception.matching.facets': (facets, as_it_was),
    'navigation.perception.measuring.measure': (measure, measured),
    'navigation.cspace.kernels._free_distances': (free_distances, as_it_was),
    'navigation.cspace.kernels.nearest': (lambda *asked: kernels.nearest(*asked)[0], as_it_was),
    'navigation.cspace.kernels.reached': (reached, as_it_was)}
"""By the name of before: a function, and what makes its answer of the recorded one."""
