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
The numerical kernels: ray casting, free distance and the tangent sweep.

They are written in the part of numpy that numba compiles. Where numba is installed they are
compiled, where it is not (or where ``BUG_NAV_NUMBA=0``) they run as they are; both ways decide
alike, which a test shows. The few that every tick asks are there twice, as a loop to be compiled
and as numpy has them (`either`).
"""

from __future__ import annotations

import functools
import math
import os

import numpy as np

try:
    if os.environ.get('BUG_NAV_NUMBA') == '0':
        raise ImportError('numba is switched off by BUG_NAV_NUMBA=0')
    import numba
    HAVE_NUMBA = True
except ImportError:
    HAVE_NUMBA = False


def kernel(function):
    """
    Compile ``function`` with numba where that is installed.

    numba keeps what it has compiled until the function's file changes: a kernel calls kernels of
    its own file only, and its constants are there too.
    """
    return numba.njit(cache=True)(function) if HAVE_NUMBA else function


def either(loop, whole):
    """Return ``loop`` compiled where numba is installed, else ``whole``, which does the same."""
    return kernel(loop) if HAVE_NUMBA else whole


@functools.lru_cache(maxsize=64)
def fan(first_angle, step, count):
    """Return the cosines and sines of angles that are ``step`` [rad] apart, (count,) each."""
    angles = first_angle + step * np.arange(count)
    return np.cos(angles), np.sin(angles)


@kernel
def valid_points(ranges, cosines, sines, range_min, farthest):
    """
    Return the points that ranges stand for, (n, 2) [m] in the sensor's frame.

    -inf, too near to measure, counts as ``range_min``; what is 0.0, NaN or beyond ``farthest`` [m]
    gives no point.
    """
    ranges = np.where(ranges == -np.inf, range_min, ranges)
    seen = np.flatnonzero((ranges > 0.0) & (ranges <= farthest))
    r = ranges[seen]
    points = np.empty((r.size, 2))
    points[:, 0] = r * cosines[seen]
    points[:, 1] = r * sines[seen]
    return points


@kernel
def transform(points, x, y, theta):
    """Take points (n, 2) of a pose's own frame into the frame that the pose is given in."""
    cos, sin = math.cos(theta), math.sin(theta)
    moved = np.empty(points.shape)
    moved[:, 0] = x + cos * points[:, 0] - sin * points[:, 1]
    moved[:, 1] = y + sin * points[:, 0] + cos * points[:, 1]
    return moved


def _nearest_loop(points, x, y):
    """Return the distance from a place to the nearest of points (n, 2) [m]; inf if none."""
    least = np.inf
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        least = min(least, dx * dx + dy * dy)
    return math.sqrt(least)


def _nearest_whole(points, x, y):
    dx, dy = points[:, 0] - x, points[:, 1] - y
    return math.sqrt(np.min(dx * dx + dy * dy, initial=np.inf))


nearest = either(_nearest_loop, _nearest_whole)


@kernel
def kept_away(points, radius, passages, reach, eased, plugs, plug_radius):
    """
    Return points (n, 2) and plugs (m, 2), and the radius that is kept from each, (n + m,) [m].

    That is ``eased`` for points within ``reach`` [m] of a passage.
    """
    count = points.shape[0]
    radii = np.full(count + plugs.shape[0], radius)
    for k in range(passages.shape[0]):
        dx, dy = points[:, 0] - passages[k, 0], points[:, 1] - passages[k, 1]
        radii[np.flatnonzero(dx * dx + dy * dy < reach * reach)] = eased
    radii[count:] = plug_radius
    return np.concatenate((points, plugs)), radii


def _nearest_beside_loop(points, x, y, heading, within):
    """
    Return the indices of the points (n, 2) nearest to a place on a heading's left and right.

    -1 where none is nearer than ``within`` [m].
    """
    cos, sin = math.cos(heading), math.sin(heading)
    left2 = right2 = within * within
    left = right = -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        r2 = dx * dx + dy * dy
        if cos * dy - sin * dx > 0.0:
            if r2 < left2:
                left, left2 = i, r2
        elif r2 < right2:
            right, right2 = i, r2
    return left, right


def _nearest_beside_whole(points, x, y, heading, within):
    if points.shape[0] == 0:
        return -1, -1
    dx, dy = points[:, 0] - x, points[:, 1] - y
    r2 = dx * dx + dy * dy
    across = math.cos(heading) * dy - math.sin(heading) * dx
    left = np.where(across > 0.0, r2, np.inf)
    right = np.where(across > 0.0, np.inf, r2)
    i, j = int(np.argmin(left)), int(np.argmin(right))
    return (i if left[i] < within * within else -1), (j if right[j] < within * within else -1)


nearest_beside = either(_nearest_beside_loop, _nearest_beside_whole)


def _free_distance_loop(points, x, y, heading, radii, reach):
    """
    Return how far a disc can go along a heading, and the index of the point that stops it.

    ``points`` (n, 2) [m] and the disc's centre ``x``, ``y`` are in one frame, ``heading`` [rad]
    too; ``radii`` [m]: of the disc, one number or one for each point; ``reach`` [m]: the answer
    where nothing stops it earlier, with the index -1. A point that the disc already covers stops
    it when it lies ahead and not when it lies behind (the swept disc: algorithms of a point robot,
    in configuration space).
    """
    cos, sin = math.cos(heading), math.sin(heading)
    radius = radii + np.zeros(points.shape[0])
    least, index = np.inf, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        along, across = dx * cos + dy * sin, dy * cos - dx * sin
        chord = radius[i] * radius[i] - across * across
        if chord > 0.0 and along > 0.0:
            travel = along - math.sqrt(chord)
            if travel < least:
                least, index = travel, i
    return (reach, -1) if least >= reach else (max(least, 0.0), index)


def _free_distance_whole(points, x, y, heading, radii, reach):
    if points.shape[0] == 0:
        return reach, -1
    cos, sin = math.cos(heading), math.sin(heading)
    dx, dy = points[:, 0] - x, points[:, 1] - y
    along = dx * cos + dy * sin
    across = dy * cos - dx * sin
    chord = radii * radii - across * across
    travel = np.where((chord > 0.0) & (along > 0.0), along - np.sqrt(np.abs(chord)), np.inf)
    i = int(np.argmin(travel))
    if travel[i] >= reach:
        return reach, -1
    return max(float(travel[i]), 0.0), i


free_distance = either(_free_distance_loop, _free_distance_whole)


def sweep(dx, dy, radii, reach, count):
    """
    Return how far a disc can go along each of ``count`` headings, and what stops it.

    ``dx``, ``dy`` (n,): points relative to the disc's centre [m], each to be kept ``radii`` (n,)
    away from it. Heading ``k`` is ``2 pi k / count``. The answer is the free distances (count,),
    up to ``reach`` [m], and the indices (count,) of the points that stop the disc, -1 for none:
    `free_distance` for all headings at once, where a point is compared only with those it stops.
    """
    step = 2.0 * math.pi / count
    return _sweep(dx, dy, radii, reach, step, *fan(0.0, step, count))


def _sweep_loop(dx, dy, radii, reach, step, cosines, sines):
    count = cosines.size
    free, stops = np.full(count, reach), np.full(count, -1)
    for j in range(dx.size):
        apart = math.sqrt(dx[j] * dx[j] + dy[j] * dy[j])
        if not 0.0 < apart < reach + radii[j]:
            continue
        radius = min(radii[j], apart)
        nearest = apart - radius
        half, towards = math.asin(radius / apart), math.atan2(dy[j], dx[j])
        for heading in range(math.ceil((towards - half) / step),
                             math.floor((towards + half) / step) + 1):
            k = heading % count
            if free[k] <= nearest:
                continue
            across = cosines[k] * dy[j] - sines[k] * dx[j]
            chord = radius * radius - across * across
            if chord > 0.0:
                travel = cosines[k] * dx[j] + sines[k] * dy[j] - math.sqrt(chord)
                if travel < free[k]:
                    free[k], stops[k] = max(travel, 0.0), j
    return free, stops


def _sweep_whole(dx, dy, radii, reach, step, cosines, sines):
    count = cosines.size
    free, stops = np.full(count, reach), np.full(count, -1)
    apart = np.sqrt(dx * dx + dy * dy)
    for j in np.flatnonzero((apart < reach + radii) & (apart > 0.0)):
        radius = min(radii[j], apart[j])
        half, towards = math.asin(radius / apart[j]), math.atan2(dy[j], dx[j])
        k = np.arange(math.ceil((towards - half) / step),
                      math.floor((towards + half) / step) + 1) % count
        across = cosines[k] * dy[j] - sines[k] * dx[j]
        chord = radius * radius - across * across
        travel = np.maximum(cosines[k] * dx[j] + sines[k] * dy[j]
                            - np.sqrt(np.maximum(chord, 0.0)), 0.0)
        nearer = np.flatnonzero((chord > 0.0) & (travel < free[k]))
        free[k[nearer]] = travel[nearer]
        stops[k[nearer]] = j
    return free, stops


_sweep = either(_sweep_loop, _sweep_whole)


def _clusters_loop(points, radii):
    """
    Return numbers (n,) of the obstacles that points (n, 2) [m] belong to.

    Two points whose discs of ``radii`` (n,) [m] overlap belong to one: there is no gap between
    them that the centre of the robot could pass.
    """
    labels = np.full(radii.size, -1)
    left = np.arange(radii.size)
    queue = np.zeros(radii.size, dtype=np.int64)
    count, begin, end = radii.size, 0, 0
    for seed in range(radii.size):
        if labels[seed] >= 0:
            continue
        labels[seed] = seed
        queue[end] = seed
        end += 1
        while begin < end:
            i = queue[begin]
            begin += 1
            x, y, radius = points[i, 0], points[i, 1], radii[i]
            kept = 0
            for n in range(count):
                j = left[n]
                if labels[j] >= 0:
                    continue
                dx, dy, reach = points[j, 0] - x, points[j, 1] - y, radii[j] + radius
                if dx * dx + dy * dy < reach * reach:
                    labels[j] = seed
                    queue[end] = j
                    end += 1
                else:
                    left[kept] = j
                    kept += 1
            count = kept
    return labels


def _clusters_whole(points, radii):
    """Do the same, an obstacle at a time."""
    labels = np.full(radii.size, -1)
    for seed in range(radii.size):
        if labels[seed] >= 0:
            continue
        labels[seed] = seed
        front = np.array([seed])
        while front.size:
            i, front = front[0], front[1:]
            dx, dy = points[:, 0] - points[i, 0], points[:, 1] - points[i, 1]
            near = np.flatnonzero((labels < 0) & (dx * dx + dy * dy < (radii + radii[i]) ** 2))
            labels[near] = seed
            front = np.concatenate((front, near))
    return labels


clusters = either(_clusters_loop, _clusters_whole)


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
