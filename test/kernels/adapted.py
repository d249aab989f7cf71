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

"""Adapters that answer calls recorded from former kernels with their current replacements."""

from __future__ import annotations

import math

from bug_nav.navigation.behaviors.visibility import can_go_straight
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception import (
    beams,
    classification,
    memory,
    observed_area,
    scan_filters,
    surfels,
)
from bug_nav.navigation.perception.beams import (
    beam_width,
    beams_of,
    is_full_turn,
    look_up_beams,
)
from bug_nav.navigation.types import Scan
import numpy as np


def classify_ranges(ranges, range_min, range_max, largest, close):
    """Classify the ranges of a scan."""
    assert largest == classification.MAX_FREE * range_max
    read = np.empty(ranges.size)
    return (read, *classification.classify(ranges, read, range_min, range_max, close))


def find_speckles(ranges, step):
    """Return which readings are speckles."""
    return np.array([scan_filters.is_speckle(ranges, i, step) for i in range(ranges.size)])


def seen_through(xs, ys, past, past_x, past_y, first, step, range_min, range_max, side, beyond,
                 close, apart):
    """Store the beam spacing at those places that a scan has seen through."""
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
    """Update the memory of points; return the row count, the near points, and the noise."""
    states = np.array([(count, nearby.size, noise, doubt, reach, share, body, False)],
                      dtype=memory.STATE)
    rows = np.concatenate((nearby, np.zeros(ranges.size, dtype=np.int64)))
    near, _, used, learnt = memory.update_memory(
        table, rows, states, stamp, ranges,
        *beams_of(Scan(0.0, ranges, 0.0, step, range_min, range_max)),
        (x, y, first), (robot_x, robot_y, 0.0), False, 0.0, True)
    assert (used, learnt) == (states[0]['rows'], states[0]['noise'])
    return used, near, learnt


def expected_measure(answer, arguments):
    """Return the expected result of `measure`, from the recorded one."""
    count, near, met, off = answer
    noise = arguments[-1]
    learnt = memory.NOISE_GAIN * (memory.MEAN_TO_SIGMA * off / met - noise) if met else 0.0
    assert math.isfinite(learnt)
    return count, near, noise + learnt


def extract_surfels(ranges, x, y, first, step, range_min, range_max, body, extent):
    """Return the surfels of a scan."""
    scan = Scan(0.0, ranges, first, step, range_min, range_max)
    geometry, directions = beams_of(scan, Pose(x, y, 0.0))
    found = surfels.extract(ranges, geometry[0], directions, body,
                            np.full(surfels.NOISE_BINS, 1e-4), np.empty((surfels.NOISE_BINS, 2)))
    return np.column_stack([found[name] for name in ('x', 'y', 'nx', 'ny', 'beams')])


def valid_points(ranges, cosines, sines, range_min, farthest):
    """Return the obstacle points of ranges in the frame of the sensor."""
    geometry, _ = beams_of(Scan(0.0, ranges, 0.0, 0.0, range_min, farthest))
    return beams.points_at(ranges, geometry, np.array((cosines, sines)), (0.0, 0.0, 0.0))


def transform(points, x, y, theta):
    """Transform points from the frame of a pose: each is the end of a beam."""
    ranges = np.hypot(*points.T)
    directions = np.ascontiguousarray(points.T / np.where(ranges > 0.0, ranges, 1.0))
    return beams.beam_ends(ranges, directions, (x, y, theta), 0.0)


def free_distances(dx, dy, radii, reach, step, cosines, sines):
    """Return the free distance of a disc along each heading, and what blocks it."""
    points = np.column_stack((dx, dy))
    return kernels.free_distances(points, radii, 0, math.inf, 0.0, 0.0, reach, cosines, sines)


def can_reach(points, radii, obstacles, body, less, x, y, places):
    """Return which places a disc can reach in a straight line."""
    room = max(kernels.nearest(points[:obstacles], x, y)[0], body)
    return np.array([can_go_straight(points, radii, room, less, x, y, *place)
                     for place in places.tolist()], dtype=bool)


def is_covered(free, column, row, cell, poses, radius):
    """Return whether discs are in free cells, with a grid of what is free alone."""
    states = np.where(free, observed_area.FREE, observed_area.UNOBSERVED).astype(np.uint8)
    return observed_area._is_covered(states, column, row, cell, poses, *observed_area.NOWHERE,
                                     radius, 0.0)


def unchanged(answer, arguments):
    """Return the recorded result."""
    return answer


ADAPTED = {
    'navigation.perception.beams.told_apart': (classify_ranges, unchanged),
    'navigation.perception.lone.alone': (find_speckles, unchanged),
    'navigation.perception.motion.gone_through': (seen_through, unchanged),
    'navigation.perception.matching.facets': (extract_surfels, unchanged),
    'navigation.perception.measuring.measure': (measure, expected_measure),
    'navigation.perception.observed_area._is_covered': (is_covered, unchanged),
    'navigation.perception.points.valid_points': (valid_points, unchanged),
    'navigation.perception.points.transform': (transform, unchanged),
    'navigation.cspace.kernels._free_distances': (free_distances, unchanged),
    'navigation.cspace.kernels.nearest': (lambda *asked: kernels.nearest(*asked)[0], unchanged),
    'navigation.cspace.kernels.reached': (can_reach, unchanged)}
"""By the former name: an adapter, and a function that converts the recorded result."""
