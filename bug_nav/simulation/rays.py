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

"""Kernels of the simulator: ray casting and distances to walls."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import fan, kernel
import numpy as np


def cast_rays(segments, x, y, first_angle, step, count, range_max):
    """
    Return the distance to the nearest segment along each of ``count`` rays, (count,) [m].

    ``segments`` (m, 4) [m]: x0, y0, x1, y1. Rays start at ``(x, y)`` at ``first_angle + i step``
    [rad]; ``step`` > 0, the fan spans at most one turn. Ranges above ``range_max`` are inf. A
    segment is tested only against the rays of the sector that it spans.
    """
    return _cast(segments, x, y, first_angle, step, *fan(0.0, step, count), range_max)


@kernel
def _cast(segments, x, y, first_angle, step, fan_x, fan_y, range_max):
    """Cast rays segment by segment; ``fan_x``, ``fan_y`` (count,): ray directions from angle 0."""
    turn = 2.0 * math.pi
    per_turn, per_rad = turn / step, 1.0 / step
    first = first_angle % turn
    beyond2 = (range_max * (1.0 + 1e-9)) ** 2
    count = fan_x.size
    ranges = np.full(count, np.inf)
    cos, sin = math.cos(first_angle), math.sin(first_angle)
    cosines, sines = cos * fan_x - sin * fan_y, sin * fan_x + cos * fan_y
    last_x = last_y = np.nan
    from_last = 0.0
    for k in range(segments.shape[0]):
        ax, ay = segments[k, 0] - x, segments[k, 1] - y
        bx, by = segments[k, 2] - x, segments[k, 3] - y
        ex, ey = bx - ax, by - ay
        cross = ax * ey - ay * ex
        if _out_of_reach(ax, ay, bx, by, cross, beyond2):
            continue
        # Consecutive walls of a solid share a corner.
        from_a = from_last if ax == last_x and ay == last_y else math.atan2(ay, ax)
        from_b = math.atan2(by, bx)
        last_x, last_y, from_last = bx, by, from_b
        low, width = _sector(from_a, from_b, ax * bx + ay * by, cross)
        while low < first:
            low += turn
        begin, width = (low - first) * per_rad, width * per_rad
        if begin - per_turn + width >= 0.0:
            begin -= per_turn
        while begin < count:
            i = max(int(math.ceil(begin - 1e-9)), 0)
            j = min(int(math.floor(begin + width + 1e-9)) + 1, count)
            if i < j:
                _shorten(ranges, cosines, sines, i, j, ex, ey, cross)
            begin += per_turn
    for i in range(count):
        ranges[i] = ranges[i] if ranges[i] <= range_max else np.inf
    return ranges


@kernel
def _shorten(ranges, cosines, sines, i, j, ex, ey, cross):
    """Shorten the rays ``i`` to ``j`` to their intersection with a segment; see `cast_rays`."""
    # Slices, and a selection instead of a branch, let the compiler vectorize.
    ranges, cosines, sines = ranges[i:j], cosines[i:j], sines[i:j]
    for k in range(ranges.size):
        facing = cosines[k] * ey - sines[k] * ex
        hit = cross / (facing if abs(facing) > 1e-12 else np.nan)
        ranges[k] = hit if (hit >= 0.0) & (hit < ranges[k]) else ranges[k]


@kernel
def _out_of_reach(ax, ay, bx, by, cross, reach2):
    """Return whether a segment from a to b, relative to the sensor, is out of reach."""
    ex, ey = bx - ax, by - ay
    length2, along = ex * ex + ey * ey, -(ax * ex + ay * ey)
    if along <= 0.0:
        return ax * ax + ay * ay > reach2 or length2 == 0.0
    if along >= length2:
        return bx * bx + by * by > reach2
    return cross * cross > reach2 * length2


@kernel
def _sector(from_a, from_b, dot, cross):
    """Return the start and the width of the sector between two directions [rad], at most pi."""
    if cross == 0.0:    # the sensor is in line with the segment
        sweep = math.atan2(cross, dot)
        return from_a if sweep >= 0.0 else from_a + sweep, abs(sweep)
    width = abs(from_b - from_a)
    return from_a if cross > 0.0 else from_b, min(width, 2.0 * math.pi - width)


@kernel
def cast_each(segments, origins, range_max):
    """
    Return the range of each of n rays, (n,) [m], from x, y along theta of ``origins`` (n, 3).

    Like `cast_rays`, for rays with different origins.
    """
    x, y = np.ascontiguousarray(origins[:, 0]), np.ascontiguousarray(origins[:, 1])
    cosines, sines = np.cos(origins[:, 2]), np.sin(origins[:, 2])
    ranges = np.full(x.size, np.inf)
    for k in range(segments.shape[0]):
        x0, y0 = segments[k, 0], segments[k, 1]
        ex, ey = segments[k, 2] - x0, segments[k, 3] - y0
        # Ray by ray within a segment, and without branches, as in `_shorten`.
        for i in range(x.size):
            ax, ay = x0 - x[i], y0 - y[i]
            facing = cosines[i] * ey - sines[i] * ex
            facing = facing if abs(facing) > 1e-12 else np.nan
            along, hit = (ax * sines[i] - ay * cosines[i]) / facing, (ax * ey - ay * ex) / facing
            met = (along >= -1e-9) & (along <= 1.0 + 1e-9) & (hit >= 0.0) & (hit <= range_max)
            ranges[i] = hit if met & (hit < ranges[i]) else ranges[i]
    return ranges


@kernel
def _squared_distance(segments, k, x, y):
    """Return the squared distance from a place to the ``k``-th segment [m^2]."""
    ax, ay = segments[k, 0] - x, segments[k, 1] - y
    ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
    length2 = max(ex * ex + ey * ey, 1e-300)
    t = min(max(-(ax * ex + ay * ey) / length2, 0.0), 1.0)
    px, py = ax + t * ex, ay + t * ey
    return px * px + py * py


@kernel
def is_within(segments, x, y):
    """Return whether a place is within outlines ``segments`` (m, 4), interior on the left."""
    up, down = segments[:, 1] <= y, segments[:, 3] <= y
    side = ((segments[:, 2] - segments[:, 0]) * (y - segments[:, 1])
            - (segments[:, 3] - segments[:, 1]) * (x - segments[:, 0]))
    return np.sum(up & ~down & (side > 0.0)) > np.sum(~up & down & (side < 0.0))


@kernel
def segments_within(segments, x, y, reach):
    """Return the ``segments`` (m, 4) [m] within ``reach`` [m] of a place."""
    near, count = np.empty(segments.shape), 0
    for k in range(segments.shape[0]):
        if _squared_distance(segments, k, x, y) < reach * reach:
            for j in range(segments.shape[1]):
                near[count, j] = segments[k, j]
            count += 1
    return near[:count].copy()
