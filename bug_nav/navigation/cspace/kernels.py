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

from bug_nav.navigation.compiled import kernel
import numpy as np


@kernel
def nearest(points, x, y):
    """Return how far the nearest of points (n, 2) is from a place [m], and its index: inf, -1."""
    least, index = np.inf, -1
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        r2 = dx * dx + dy * dy
        if r2 < least:
            least, index = r2, i
    return math.sqrt(least), index


@kernel
def with_far(points, seen, x, y, reach, angle):
    """
    Return points (n, 2), and those of ``seen`` that are farther than ``reach`` from a place [m].

    And how far each of the latter is from the next beam, ``angle`` [rad] beside its own, in which
    gap a corner is not seen: (n + m,) [m], 0 for the former.
    """
    count = points.shape[0]
    both, between = np.empty((count + seen.shape[0], 2)), np.zeros(count + seen.shape[0])
    for i in range(count):
        both[i, 0], both[i, 1] = points[i, 0], points[i, 1]
    for i in range(seen.shape[0]):
        away = math.hypot(seen[i, 0] - x, seen[i, 1] - y)
        if away > reach:
            both[count, 0], both[count, 1] = seen[i, 0], seen[i, 1]
            between[count] = angle * away
            count += 1
    return both[:count], between[:count]


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
    room = max(nearest(points[:obstacles], x, y)[0], body)
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


@kernel
def free_distances(points, radii, obstacles, body, x, y, reach, cosines, sines):
    """
    Return how far a disc can go along each of many headings, and what stops it.

    Heading ``k`` is ``2 pi k / count``, with ``cosines`` and ``sines`` (count,). The answer is
    the free distances (count,), up to ``reach`` [m], and the indices (count,) of the points that
    stop the disc, -1 for none: `free_distance` for all headings at once, where a point is
    compared only with those it stops.
    """
    count = cosines.size
    step = 2.0 * math.pi / count
    room = max(nearest(points[:obstacles], x, y)[0], body)
    free, stops = np.full(count, reach), np.full(count, -1)
    for i in range(points.shape[0]):
        dx, dy, radius = points[i, 0] - x, points[i, 1] - y, min(radii[i], room)
        apart = math.sqrt(dx * dx + dy * dy)
        if not 0.0 < apart < reach + radius:
            continue
        radius = min(radius, apart)
        half, towards = math.asin(radius / apart), math.atan2(dy, dx)
        first = math.ceil((towards - half) / step)
        size, first = math.floor((towards + half) / step) + 1 - first, first % count
        end = min(first + size, count)
        over = first + size - end  # so many headings after the last one are the first ones again
        _stop(free[first:end], stops[first:end], cosines[first:end], sines[first:end], dx, dy,
              radius, apart - radius, i)
        _stop(free[:over], stops[:over], cosines[:over], sines[:over], dx, dy, radius,
              apart - radius, i)
    return free, stops


@kernel
def _stop(free, stops, cosines, sines, dx, dy, radius, closest, i):
    """
    Shorten free distances of headings in a row where point ``i`` stops the disc earlier.

    It is ``dx``, ``dy`` away, and stops the disc after ``closest`` [m] where that goes straight to
    it. Without a branch, so that several headings are compared at once.
    """
    for k in range(free.size):
        across = cosines[k] * dy - sines[k] * dx
        chord = radius * radius - across * across
        travel = cosines[k] * dx + sines[k] * dy - math.sqrt(max(chord, 0.0))
        earlier = (chord > 0.0) & (travel < free[k]) & (closest < free[k])
        free[k] = max(travel, 0.0) if earlier else free[k]
        stops[k] = i if earlier else stops[k]


@kernel
def ends_closest(free, courses, which, x, y, goal_x, goal_y):
    """
    Return the heading whose free way ends closest to a goal, and how close [m]; -1, inf for none.

    ``free`` (n,) [m] are the ways from ``x``, ``y`` along ``courses`` (n, 2), and those in
    ``which`` (n,) bool are compared.
    """
    index, least = -1, np.inf
    for k in range(free.size):
        if which[k]:
            away = math.hypot(x + free[k] * courses[k, 0] - goal_x,
                              y + free[k] * courses[k, 1] - goal_y)
            if away < least:
                index, least = k, away
    return index, least


@kernel
def reaches(points, radii, room, less, x, y, to_x, to_y):
    """
    Tell whether a disc can go straight from ``x``, ``y`` to a place.

    ``radii`` are kept from points as for `free_distance`, but no more than ``room`` [m].
    """
    to_x, to_y = to_x - x, to_y - y
    away = math.sqrt(to_x * to_x + to_y * to_y)
    cos, sin = (to_x / away, to_y / away) if away > 0.0 else (1.0, 0.0)
    for i in range(points.shape[0]):
        dx, dy = points[i, 0] - x, points[i, 1] - y
        along, across = dx * cos + dy * sin, dy * cos - dx * sin
        radius = min(radii[i] - less, room)
        chord = radius * radius - across * across
        if chord > 0.0 and along > 0.0 and along - math.sqrt(chord) < away:
            return False
    return True


@kernel
def clusters(points, radii):
    """
    Return numbers (n,) of the obstacles that points (n, 2) [m] belong to.

    Two points whose discs of ``radii`` (n,) [m] overlap belong to one: there is no gap between
    them that the centre of the robot could pass. Each is looked for in the cells around the other,
    which are as wide as two discs, and in no cell any more once its number is known.
    """
    n = radii.size
    size = 2.001 * radii.max() if n > 0 else 1.0
    slots = 64
    while slots < n:
        slots *= 2
    heads, after = np.full(slots, -1), np.empty(n, dtype=np.int64)
    for i in range(n):
        slot = _slot(points[i], 0, 0, size, slots)
        after[i], heads[slot] = heads[slot], i
    labels, stack = np.full(n, -1), np.empty(n, dtype=np.int64)
    for seed in range(n):
        if labels[seed] >= 0:
            continue
        labels[seed], stack[0], top = seed, seed, 1
        while top > 0:
            top -= 1
            i = stack[top]
            for column in range(-1, 2):
                for row in range(-1, 2):
                    top = _take(points, radii, i, heads, after, labels, stack, top,
                                _slot(points[i], column, row, size, slots))
    return labels


@kernel
def _slot(point, column, row, size, slots):
    """Return where a table of ``slots``, a power of two, has a cell so far from a point's own."""
    column += math.floor(point[0] / size)
    row += math.floor(point[1] / size)
    return (column * 73856093 ^ row * 19349663) & (slots - 1)


@kernel
def _take(points, radii, i, heads, after, labels, stack, top, slot):
    """Take points that overlap with point ``i`` out of a cell, onto a stack; return its top."""
    last = -1
    j = heads[slot]
    while j >= 0:
        if labels[j] < 0:
            dx, dy = points[j, 0] - points[i, 0], points[j, 1] - points[i, 1]
            both = radii[j] + radii[i]
            if dx * dx + dy * dy < both * both:
                labels[j], stack[top] = labels[i], j
                top += 1
        if labels[j] < 0:
            last = j
        elif last < 0:
            heads[slot] = after[j]
        else:
            after[last] = after[j]
        j = after[j]
    return top
