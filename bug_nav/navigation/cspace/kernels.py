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

"""Kernels about discs and points: distances and free distances."""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
from bug_nav.navigation.perception.beams import fast_atan2, look_up_beams
import numpy as np


@kernel
def nearest(points, x, y):
    """Return the distance [m] and index of the point (n, 2) nearest to a place."""
    least, index = np.inf, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        r2 = dx * dx + dy * dy
        if r2 < least:
            least, index = r2, i
    return math.sqrt(least), index


@kernel
def append_far(points, seen, x, y, reach, angle):
    """
    Return points (n, 2), and those of ``seen`` that are beyond ``reach`` of a place [m].

    Also return the distance of each of the latter from the next beam, ``angle`` [rad] beside its
    own, where a corner may be hidden: (n + m,) [m], 0 for the former.
    """
    count = points.shape[0]
    all_points, between = np.empty((count + seen.shape[0], 2)), np.zeros(count + seen.shape[0])
    for i in range(count):
        all_points[i, 0], all_points[i, 1] = points[i, 0], points[i, 1]
    for i in range(seen.shape[0]):
        distance = math.hypot(seen[i, 0] - x, seen[i, 1] - y)
        if distance > reach:
            all_points[count, 0], all_points[count, 1] = seen[i, 0], seen[i, 1]
            between[count] = angle * distance
            count += 1
    return all_points[:count], between[:count]


@kernel
def inflate(points, radius, passages, reach, eased_radius, plugs, plug_radius):
    """
    Return points (n, 2) and plugs (m, 2), and the inflation radius of each, (n + m,) [m].

    It is ``eased_radius`` for points within ``reach`` [m] of a passage.
    """
    count = points.shape[0]
    centres, radii = np.empty((count + plugs.shape[0], 2)), np.full(count + plugs.shape[0], radius)
    for i in range(count):
        centres[i, 0], centres[i, 1] = points[i, 0], points[i, 1]
        for k in range(passages.shape[0]):
            dx, dy = points[i, 0] - passages[k, 0], points[i, 1] - passages[k, 1]
            if dx * dx + dy * dy < reach * reach:
                radii[i] = eased_radius
    for i in range(plugs.shape[0]):
        centres[count + i, 0], centres[count + i, 1] = plugs[i, 0], plugs[i, 1]
        radii[count + i] = plug_radius
    return centres, radii


@kernel
def free_places(points, radii, places, slack):
    """Reduce the radii (n,) of points (n, 2) to their distance from places (m, 2) - slack [m]."""
    for i in range(points.shape[0]):
        for k in range(places.shape[0]):
            away = math.hypot(points[i, 0] - places[k, 0], points[i, 1] - places[k, 1]) - slack
            radii[i] = min(radii[i], max(away, 0.0))


@kernel
def nearest_on_sides(points, x, y, heading, within):
    """
    Return the indices of the nearest points (n, 2) on the left and right of a heading.

    -1 if none is within ``within`` [m].
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


@kernel
def free_distance(points, radii, obstacles, body, reduction, x, y, heading, reach):
    """
    Return the free distance of a disc along a heading, and the index of the point that blocks it.

    ``points`` (n, 2) [m], the centre ``x``, ``y`` of the disc and ``heading`` [rad] are in one
    frame; the inflation radii are ``radii`` (n,) [m], smaller by ``reduction`` [m], and at most
    the clearance from the first ``obstacles`` points, but at least ``body`` [m]. The result is
    ``reach`` [m] with index -1 if nothing blocks the disc earlier. A point that the disc already
    overlaps blocks it if it is ahead but not if it is behind (the swept disc: algorithms of a
    point robot, in configuration space).
    """
    clearance = max(nearest(points[:obstacles], x, y)[0], body)
    cos, sin = math.cos(heading), math.sin(heading)
    least, index = np.inf, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        along, across = dx * cos + dy * sin, dy * cos - dx * sin
        radius = min(radii[i] - reduction, clearance)
        chord = radius * radius - across * across
        if chord > 0.0 and along > 0.0:
            travel = along - math.sqrt(chord)
            if travel < least:
                least, index = travel, i
    return (reach, -1) if least >= reach else (max(least, 0.0), index)


@kernel
def free_distances(points, radii, obstacles, body, x, y, reach, cosines, sines):
    """
    Return the free distances of a disc along many headings, and what blocks it.

    Heading ``k`` is ``2 pi k / count``, with ``cosines`` and ``sines`` (count,). Return the free
    distances (count,), up to ``reach`` [m], and the indices (count,) of the points that block the
    disc, -1 for none: `free_distance` for all headings at once, where a point is compared only
    with those that it blocks.
    """
    count, total = cosines.size, points.shape[0]
    step = 2.0 * math.pi / count
    clearance = max(nearest(points[:obstacles], x, y)[0], body)
    free, blockers = np.full(count, reach), np.full(count, -1)
    towards, distances, half = np.empty(total), np.empty(total), np.empty(total)
    look_up_beams(points[:, 0], points[:, 1], x, y, 0.0, step, towards, distances)
    for i in range(total):  # in a loop of its own, which the compiler vectorizes
        radius = min(radii[i], clearance, distances[i])
        half[i] = fast_atan2(radius, math.sqrt(distances[i] * distances[i]
                                               - radius * radius)) / step
    for i in range(total):
        distance, radius = distances[i], min(radii[i], clearance)
        if not 0.0 < distance < reach + radius:
            continue
        radius = min(radius, distance)
        dx, dy, closest = points[i, 0] - x, points[i, 1] - y, distance - radius
        first, last = math.ceil(towards[i] - half[i]), math.floor(towards[i] + half[i])
        # Headings that wrap around are those at the other end.
        for begin, end in ((first, last + 1), (first + count, count), (0, last + 1 - count)):
            if max(begin, 0) < min(end, count):
                begin, end = max(begin, 0), min(end, count)
                _shorten(free[begin:end], blockers[begin:end], cosines[begin:end],
                         sines[begin:end], dx, dy, radius, closest, i)
    return free, blockers


@kernel
def _shorten(free, blockers, cosines, sines, dx, dy, radius, closest, i):
    """
    Shorten free distances of consecutive headings where point ``i`` blocks the disc earlier.

    It is at ``dx``, ``dy``, and blocks a disc that goes straight to it after ``closest`` [m].
    Without branches, so that several headings are compared at once.
    """
    for k in range(free.size):
        across = cosines[k] * dy - sines[k] * dx
        chord = radius * radius - across * across
        travel = cosines[k] * dx + sines[k] * dy - math.sqrt(max(chord, 0.0))
        earlier = (chord > 0.0) & (travel < free[k]) & (closest < free[k])
        free[k] = max(travel, 0.0) if earlier else free[k]
        blockers[k] = i if earlier else blockers[k]
