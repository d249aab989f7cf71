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

"""Kernels about discs and points: distances, free ways, clusters."""

from __future__ import annotations

import math

from bug_nav.core.compiled import fan, kernel
import numpy as np


@kernel
def nearest(points, x, y):
    """Return the distance from a place to the nearest of points (n, 2) [m]; inf if none."""
    least = np.inf
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        least = min(least, dx * dx + dy * dy)
    return math.sqrt(least)


@kernel
def kept_away(points, radius, passages, reach, eased, plugs, plug_radius):
    """
    Return points (n, 2) and plugs (m, 2), and the radius that is kept from each, (n + m,) [m].

    That is ``eased`` for points within ``reach`` [m] of a passage.
    """
    count = points.shape[0]
    kept, radii = np.empty((count + plugs.shape[0], 2)), np.full(count + plugs.shape[0], radius)
    for i in range(count):
        kept[i, 0], kept[i, 1] = points[i, 0], points[i, 1]
        for k in range(passages.shape[0]):
            dx, dy = points[i, 0] - passages[k, 0], points[i, 1] - passages[k, 1]
            if dx * dx + dy * dy < reach * reach:
                radii[i] = eased
    for i in range(plugs.shape[0]):
        kept[count + i, 0], kept[count + i, 1] = plugs[i, 0], plugs[i, 1]
        radii[count + i] = plug_radius
    return kept, radii


@kernel
def nearest_beside(points, x, y, heading, within):
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


@kernel
def free_distance(points, radii, obstacles, body, less, x, y, heading, reach):
    """
    Return how far a disc can go along a heading, and the index of the point that stops it.

    ``points`` (n, 2) [m] and the disc's centre ``x``, ``y`` are in one frame, ``heading`` [rad]
    too; ``radii`` (n,) [m], smaller by ``less`` [m], are kept from each, and no more than there
    is room to the nearest of the first ``obstacles`` points, but ``body`` [m] at least. ``reach``
    [m] is the answer where nothing stops it earlier, with the index -1. A point that the disc
    already covers stops it when it lies ahead and not when it lies behind (the swept disc:
    algorithms of a point robot, in configuration space).
    """
    room = max(nearest(points[:obstacles], x, y), body)
    cos, sin = math.cos(heading), math.sin(heading)
    least, index = np.inf, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        along, across = dx * cos + dy * sin, dy * cos - dx * sin
        radius = min(radii[i] - less, room)
        chord = radius * radius - across * across
        if chord > 0.0 and along > 0.0:
            travel = along - math.sqrt(chord)
            if travel < least:
                least, index = travel, i
    return (reach, -1) if least >= reach else (max(least, 0.0), index)


def free_distances(dx, dy, radii, reach, count):
    """
    Return how far a disc can go along each of ``count`` headings, and what stops it.

    ``dx``, ``dy`` (n,): points relative to the disc's centre [m], each to be kept ``radii`` (n,)
    away from it. Heading ``k`` is ``2 pi k / count``. The answer is the free distances (count,),
    up to ``reach`` [m], and the indices (count,) of the points that stop the disc, -1 for none:
    `free_distance` for all headings at once, where a point is compared only with those it stops.
    """
    step = 2.0 * math.pi / count
    return _free_distances(dx, dy, radii, reach, step, *fan(0.0, step, count))


@kernel
def _free_distances(dx, dy, radii, reach, step, cosines, sines):
    count = cosines.size
    free, stops = np.full(count, reach), np.full(count, -1)
    for j in range(dx.size):
        apart = math.sqrt(dx[j] * dx[j] + dy[j] * dy[j])
        if not 0.0 < apart < reach + radii[j]:
            continue
        radius = min(radii[j], apart)
        nearest = apart - radius
        half, towards = math.asin(radius / apart), math.atan2(dy[j], dx[j])
        begin = math.ceil((towards - half) / step)
        k = begin % count - 1
        for _ in range(begin, math.floor((towards + half) / step) + 1):
            k = k + 1 if k + 1 < count else 0
            if free[k] <= nearest:
                continue
            across = cosines[k] * dy[j] - sines[k] * dx[j]
            chord = radius * radius - across * across
            if chord > 0.0:
                travel = cosines[k] * dx[j] + sines[k] * dy[j] - math.sqrt(chord)
                if travel < free[k]:
                    free[k], stops[k] = max(travel, 0.0), j
    return free, stops


@kernel
def reached(points, radii, obstacles, body, less, x, y, places):
    """
    Tell which of ``places`` (m, 2) [m] a disc can go to straight, (m,) bool.

    The rest is as for `free_distance`.
    """
    found = np.empty(places.shape[0], dtype=np.bool_)
    room = max(nearest(points[:obstacles], x, y), body)
    for j in range(places.shape[0]):
        to_x, to_y = places[j, 0] - x, places[j, 1] - y
        away = math.sqrt(to_x * to_x + to_y * to_y)
        cos, sin = (to_x / away, to_y / away) if away > 0.0 else (1.0, 0.0)
        found[j] = True
        for i in range(points.shape[0]):
            dx, dy = points[i, 0] - x, points[i, 1] - y
            along, across = dx * cos + dy * sin, dy * cos - dx * sin
            radius = min(radii[i] - less, room)
            chord = radius * radius - across * across
            if chord > 0.0 and along > 0.0 and along - math.sqrt(chord) < away:
                found[j] = False
                break
    return found


@kernel
def clusters(points, radii):
    """
    Return numbers (n,) of the obstacles that points (n, 2) [m] belong to.

    Two points whose discs of ``radii`` (n,) [m] overlap belong to one: there is no gap between
    them that the centre of the robot could pass.
    """
    labels = np.full(radii.size, -1)
    left = np.arange(radii.size)
    stack = np.zeros(radii.size, dtype=np.int64)
    count = radii.size
    for seed in range(radii.size):
        if labels[seed] >= 0:
            continue
        labels[seed] = seed
        stack[0], top = seed, 1
        while top > 0:
            # The newest first, which is far from those before: few of them find all of a wall.
            top -= 1
            i = stack[top]
            x, y, radius = points[i, 0], points[i, 1], radii[i]
            kept = 0
            for n in range(count):
                j = left[n]
                if labels[j] >= 0:
                    continue
                dx, dy, reach = points[j, 0] - x, points[j, 1] - y, radii[j] + radius
                if dx * dx + dy * dy < reach * reach:
                    labels[j] = seed
                    stack[top] = j
                    top += 1
                else:
                    left[kept] = j
                    kept += 1
            count = kept
    return labels
