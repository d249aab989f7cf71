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

"""Ray casting and distances to walls: kernels, compiled where numba is installed."""

from __future__ import annotations

import math

from bug_nav.core.compiled import either, fan, kernel
import numpy as np


def _strike_whole(ranges, cosines, sines, i, j, ex, ey, cross):
    """Shorten the rays ``i`` to ``j`` to where they meet a segment; see `cast_rays`."""
    facing = cosines[i:j] * ey - sines[i:j] * ex
    hit = cross / np.where(np.abs(facing) > 1e-12, facing, np.nan)
    ranges[i:j] = np.minimum(ranges[i:j], np.where(hit >= 0.0, hit, np.inf))


def _strike_loop(ranges, cosines, sines, i, j, ex, ey, cross):
    """Do the same ray by ray: slow as it stands, and fast compiled."""
    for k in range(i, j):
        facing = cosines[k] * ey - sines[k] * ex
        if abs(facing) > 1e-12:
            hit = cross / facing
            if 0.0 <= hit < ranges[k]:
                ranges[k] = hit


_strike = either(_strike_loop, _strike_whole)


def cast_rays(segments, x, y, first_angle, step, count, range_max):
    """
    Return the distance to the nearest segment along each of ``count`` rays, (count,) [m].

    ``segments`` (m, 4) [m]: x0, y0, x1, y1; the rays leave ``(x, y)`` at ``first_angle + i step``
    [rad] (``step`` > 0, the fan at most one turn); inf where nothing is nearer than
    ``range_max``. A segment is compared only with the rays of the sector that it spans.
    """
    return _cast(segments, x, y, first_angle, step, *fan(0.0, step, count), range_max)


@kernel
def _cast(segments, x, y, first_angle, step, fan_x, fan_y, range_max):
    turn = 2.0 * math.pi
    per_turn = turn / step
    beyond2 = (range_max * (1.0 + 1e-9)) ** 2
    count = fan_x.size
    ranges = np.full(count, np.inf)
    cos, sin = math.cos(first_angle), math.sin(first_angle)
    cosines, sines = cos * fan_x - sin * fan_y, sin * fan_x + cos * fan_y
    for k in range(segments.shape[0]):
        ax, ay = segments[k, 0] - x, segments[k, 1] - y
        ex, ey = segments[k, 2] - x - ax, segments[k, 3] - y - ay
        cross = ax * ey - ay * ex
        length2 = ex * ex + ey * ey
        if length2 == 0.0:
            continue
        t = min(max(-(ax * ex + ay * ey) / length2, 0.0), 1.0)
        if (ax + t * ex) ** 2 + (ay + t * ey) ** 2 > beyond2:
            continue
        from_a = math.atan2(ay, ax)
        sweep = math.atan2(cross, ax * (ax + ex) + ay * (ay + ey))
        low = from_a if sweep >= 0.0 else from_a + sweep
        begin = ((low - first_angle) % turn) / step
        width = abs(sweep) / step
        while begin - per_turn + width >= 0.0:
            begin -= per_turn
        while begin < count:
            i = max(int(math.ceil(begin - 1e-9)), 0)
            j = min(int(math.floor(begin + width + 1e-9)) + 1, count)
            if i < j:
                _strike(ranges, cosines, sines, i, j, ex, ey, cross)
            begin += per_turn
    return np.where(ranges <= range_max, ranges, np.inf)


def _cast_each_loop(segments, origins, range_max):
    """
    Return how far each of n rays goes, (n,) [m], from x, y along theta of ``origins`` (n, 3).

    As `cast_rays` otherwise, for rays that do not leave one place.
    """
    ranges = np.full(origins.shape[0], np.inf)
    for i in range(origins.shape[0]):
        x, y = origins[i, 0], origins[i, 1]
        cosine, sine = math.cos(origins[i, 2]), math.sin(origins[i, 2])
        nearest = range_max
        for k in range(segments.shape[0]):
            ax, ay = segments[k, 0] - x, segments[k, 1] - y
            ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
            facing = cosine * ey - sine * ex
            if abs(facing) > 1e-12:
                along = (ax * sine - ay * cosine) / facing
                if -1e-9 <= along <= 1.0 + 1e-9:
                    hit = (ax * ey - ay * ex) / facing
                    if 0.0 <= hit <= nearest:
                        nearest = ranges[i] = hit
    return ranges


def _cast_each_whole(segments, origins, range_max):
    ranges = np.full(origins.shape[0], np.inf)
    cosines, sines = np.cos(origins[:, 2]), np.sin(origins[:, 2])
    for x0, y0, x1, y1 in segments:
        ax, ay, ex, ey = x0 - origins[:, 0], y0 - origins[:, 1], x1 - x0, y1 - y0
        facing = cosines * ey - sines * ex
        facing = np.where(np.abs(facing) > 1e-12, facing, np.nan)
        along, hit = (ax * sines - ay * cosines) / facing, (ax * ey - ay * ex) / facing
        met = (along >= -1e-9) & (along <= 1.0 + 1e-9) & (hit >= 0.0) & (hit <= range_max)
        ranges = np.where(met & (hit < ranges), hit, ranges)
    return ranges


cast_each = either(_cast_each_loop, _cast_each_whole)


def _distance_to_segments_loop(segments, x, y):
    """Return the distance from a place to the nearest of ``segments`` (m, 4) [m]; inf if none."""
    least = np.inf
    for k in range(segments.shape[0]):
        ax, ay = segments[k, 0] - x, segments[k, 1] - y
        ex, ey = segments[k, 2] - segments[k, 0], segments[k, 3] - segments[k, 1]
        length2 = max(ex * ex + ey * ey, 1e-300)
        t = min(max(-(ax * ex + ay * ey) / length2, 0.0), 1.0)
        px, py = ax + t * ex, ay + t * ey
        least = min(least, px * px + py * py)
    return math.sqrt(least)


def _distance_to_segments_whole(segments, x, y):
    return math.sqrt(np.min(_apart2(segments, x, y), initial=np.inf))


@kernel
def _apart2(segments, x, y):
    ax, ay = segments[:, 0] - x, segments[:, 1] - y
    ex, ey = segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1]
    length2 = np.maximum(ex * ex + ey * ey, 1e-300)
    t = np.minimum(np.maximum(-(ax * ex + ay * ey) / length2, 0.0), 1.0)
    px, py = ax + t * ex, ay + t * ey
    return px * px + py * py


distance_to_segments = either(_distance_to_segments_loop, _distance_to_segments_whole)


@kernel
def segments_within(segments, x, y, reach):
    """Return those of ``segments`` (m, 4) [m] that come nearer to a place than ``reach`` [m]."""
    return segments[np.flatnonzero(_apart2(segments, x, y) < reach * reach)]
