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
Surfels: short straight pieces of a wall, and posts, as observed in a scan and as stored.

A surfel is the line through the ends of neighbouring beams: its middle and its normal, which
points towards the sensor. A post is too narrow for one: it is the centre of a few beams with free
space on both sides, whatever the shape of the post, and each of its two observed rows has the
direction in which the row measures it as its normal. A stored surfel is the mean of its first
readings and then stays fixed. If several match a place, the oldest one is used, so that a robot
that returns is matched with its first observations, and laps close.

A hash table finds surfels by place: ``heads`` has the oldest surfel of each cell, and each surfel
the next newer one (``newer``), -1 for none.
"""

from __future__ import annotations

import math

from bug_nav.navigation.compiled import kernel
import numpy as np

SPACING = 0.04
"""Minimum distance between the surfels of a scan [m]."""
EXTENT = 0.09
"""Minimum distance from the middle to the end of a surfel [m]."""
EXTENT_STEPS = 2.2
"""The same as a number of beam spacings; the larger distance counts."""
MAX_BEAM_GAP = 0.4
"""Maximum distance between beam ends on the same wall [m]."""
MIN_BEAMS = 3
"""Minimum number of beams of a surfel."""
MAX_ROUGHNESS = 0.04
"""Maximum roughness of a surfel (standard deviation across it) [m]."""
MIN_ELONGATION = 6.0
"""Minimum ratio of the variances of a surfel along and across: a corner has 4."""
MIN_SPREAD, MIN_SPREAD_SIGMAS = 0.03, 2.0
"""
Minimum standard deviation of beam ends along a surfel [m, standard deviations of a range]. Below
it the direction is undefined: where noise exceeds the beam spacing, it is that of the beam.
"""
MAX_DIRECTION_VARIANCE = 0.03
"""Maximum variance of the direction of a surfel [rad^2]."""
EXTENT_SIGMAS = 5.0
"""Minimum distance from the middle to the end of a surfel [standard deviations of a range]."""
NOISE_BINS = 4
"""Number of intervals of the range, each with a noise of its own."""
MIN_SCATTER_BEAMS, MIN_SCATTER_INCIDENCE = 5, 0.5
"""Minimum beams and sine of the incidence of a surfel whose scatter measures the noise."""
WALL_ROUGHNESS = 0.002
"""Roughness of a smooth wall (standard deviation across it) [m]."""
MAX_SMOOTH = 2.0
"""Scatter of the beam ends above which a wall is textured [expected variances]."""
MIN_INCIDENCE = 0.2
"""Minimum sine of the angle between a beam and the wall that it measures."""
GATE = 0.15
"""Maximum distance between a surfel and its match across the wall [m]."""
MAX_ALONG = 0.05
"""Maximum distance between a surfel and its match along the wall [m]."""
MIN_COSINE = 0.8
"""Minimum cosine of the angle between the normals of a surfel and its match."""
NEW_DISTANCE = 0.05
"""Minimum distance across the wall from all known surfels to that of another wall [m]."""
READINGS = 16.0
"""Number of readings of which a surfel is the mean, after which it stays fixed."""
MAX_BEAM_WEIGHT = 4.0
"""Maximum number of measurements that a surfel counts as, however many beams it has."""
MAX_POST_WIDTH = 0.25
"""Maximum width of a post, as seen from the sensor [m]."""
MAX_POST_DEPTH = 0.6
"""Maximum depth of the readings of a post [widths]; those of a square have up to 0.5."""
MIN_POST_BEAMS, MAX_POST_BEAM_WIDTH = 2, 0.1
"""Minimum number of beams that end on a post, and maximum distance between them [m]."""
POST_CENTRE, POST_SHAPE = 0.39, 0.08
"""
Distance from the mean reading of a round post to its centre, and standard deviation of this for
other shapes [widths]; that of a square is 0.25 to 0.5, by its direction.
"""
POST_CLEARANCE = 0.3
"""Minimum distance from a post to what the beams beside it hit behind it [m]."""
MIN_POST_GATE, MAX_POST_GATE = 0.05, 1.0
"""
Limits of the gate of a post [m]: half the distance from the next one, within which the pose must
be certain before they match, so that a post cannot match the next one.
"""
RANGE_END_MARGIN = 0.1
"""
Distance from the maximum range within which readings are ignored, because noise makes them too
short on average [m].
"""

OBSERVED = np.dtype((np.record, [
    # In the robot's frame [m]; how many beams it has that no surfel before it has.
    ('x', 'f8'), ('y', 'f8'), ('nx', 'f8'), ('ny', 'f8'), ('beams', 'f8'),
    # The variances of its middle along the normal, due to noise and due to texture [m^2], and of
    # its direction [rad^2].
    ('variance', 'f8'), ('texture', 'f8'), ('direction', 'f8'),
    # How far it moves along the normal per metre of an error that all ranges have alike; half the
    # distance from a post to the next [m], 0 on a wall.
    ('shift', 'f8'), ('gate', 'f8')]))
SURFEL = np.dtype((np.record, [
    ('x', 'f8'), ('y', 'f8'), ('nx', 'f8'), ('ny', 'f8'), ('readings', 'f8'),
    # The variances of its direction [rad^2] and of its place along the normal [m^2], the keyframe
    # (`KEYFRAME`) of its first observation, and the next newer surfel of its cell.
    ('direction', 'f8'), ('variance', 'f8'), ('first_keyframe', 'i8'), ('newer', 'i8'),
    ('shift', 'f8'), ('gate', 'f8')]))  # the mean of its readings; that of a post [m], 0 on a wall


# ---- scan --------------------------------------------------------------------------------------

@kernel
def extract(ranges, beams, directions, body, variances, scatter):
    """
    Return the surfels (n,) of a scan, in the frame of the robot.

    ``variances`` (`NOISE_BINS`,) [m^2] are those of the ranges in each interval up to the maximum
    range; ``scatter`` (`NOISE_BINS`, 2) is set to the sum and the number of those measured here.

    ``ranges`` (m,) [m] are in the convention of REP-117, and the beams (`beams_of`) are in that
    frame. Beams that end within ``body`` [m] of the centre of the robot hit the robot itself.
    """
    ends, is_wall = _ends(ranges, beams, directions, body)
    found = np.empty(ranges.size, OBSERVED)
    count, last = _extract_posts(ranges, beams, ends, is_wall, variances, found), -1
    scatter[:] = 0.0
    for i in range(ranges.size):
        if not is_wall[i] or (last >= 0 and (ends[i, 0] - ends[last, 0]) ** 2 + (
                ends[i, 1] - ends[last, 1]) ** 2 < SPACING * SPACING):
            continue
        interval = min(int(NOISE_BINS * ranges[i] / beams.range_max), NOISE_BINS - 1)
        noise = variances[interval]
        n, sx, sy, sxx, sxy, syy = _sums_around(
            ends, is_wall, i, max(EXTENT, EXTENT_SIGMAS * math.sqrt(noise),
                                  EXTENT_STEPS * beams.width * ranges[i]), beams.is_whole)
        if n < MIN_BEAMS:
            continue
        own, last = float(i - last if last >= 0 else 1), i
        sx, sy = sx / n, sy / n
        sxx, sxy, syy = sxx / n - sx * sx, sxy / n - sx * sy, syy / n - sy * sy
        half = 0.5 * (sxx - syy)
        root = math.sqrt(half * half + sxy * sxy)
        roughness = max(0.5 * (sxx + syy) - root, 0.0)
        spread = roughness + 2.0 * root
        if (roughness > max(MAX_ROUGHNESS * MAX_ROUGHNESS, 4.0 * noise)
            or roughness * (MIN_ELONGATION - 1.0) > 2.0 * root
                or spread < max(MIN_SPREAD * MIN_SPREAD,
                                MIN_SPREAD_SIGMAS * MIN_SPREAD_SIGMAS * noise)):
            continue
        nx, ny = _minor_axis(half / root, sxy / root)
        cx, cy = ends[i, 0] + sx, ends[i, 1] + sy
        to_x, to_y = beams.x - cx, beams.y - cy
        towards = nx * to_x + ny * to_y
        incidence = towards * towards / (to_x * to_x + to_y * to_y)
        across = noise * incidence + WALL_ROUGHNESS * WALL_ROUGHNESS
        if (incidence < MIN_INCIDENCE * MIN_INCIDENCE
                or across > MAX_DIRECTION_VARIANCE * n * spread):
            continue
        scattered = roughness * n / max(n - 2, 1)
        if n >= MIN_SCATTER_BEAMS and incidence > MIN_SCATTER_INCIDENCE * MIN_SCATTER_INCIDENCE:
            scatter[interval, 0] += scattered / incidence
            scatter[interval, 1] += 1.0
        surfel = found[count]
        surfel.x, surfel.y = cx, cy
        surfel.nx, surfel.ny = (nx, ny) if towards > 0.0 else (-nx, -ny)
        surfel.beams = min(own, MAX_BEAM_WEIGHT)
        surfel.variance = across / surfel.beams
        surfel.texture = max(scattered - MAX_SMOOTH * across, 0.0)
        surfel.direction = (across / n + surfel.texture) / spread
        surfel.shift, surfel.gate = -math.sqrt(incidence), 0.0
        count += 1
    return found[:count]


@kernel
def _extract_posts(ranges, beams, ends, is_wall, variances, found):
    """
    Write the posts of a scan to ``found``, two rows each; return the number of rows.

    Their beams are no longer those of a wall.
    """
    count, size = 0, ranges.size
    for i in range(size):
        if not is_wall[i] or not _is_behind(ranges, i - 1, i, beams.is_whole):
            continue
        j, n = i, 1
        while n < size:
            k = j + 1 if j + 1 < size or not beams.is_whole else 0
            if k == size or not is_wall[k] or abs(ranges[k] - ranges[j]) > MAX_POST_WIDTH:
                break
            j, n = k, n + 1
        if n < MIN_POST_BEAMS or not _is_behind(ranges, j + 1, j, beams.is_whole):
            continue
        mx, my = 0.5 * (ends[i, 0] + ends[j, 0]), 0.5 * (ends[i, 1] + ends[j, 1])
        away = math.hypot(mx - beams.x, my - beams.y)
        ux, uy, spacing = (mx - beams.x) / away, (my - beams.y) / away, beams.width * away
        width = abs(ux * (ends[j, 1] - ends[i, 1]) - uy * (ends[j, 0] - ends[i, 0])) + spacing
        if width > MAX_POST_WIDTH or spacing > MAX_POST_BEAM_WIDTH:
            continue
        noise = variances[min(int(NOISE_BINS * away / beams.range_max), NOISE_BINS - 1)]
        depth, spread = _depth(ends, i, n, (mx, my), (ux, uy))
        if spread > MAX_POST_DEPTH * width + MIN_SPREAD_SIGMAS * math.sqrt(noise):
            continue
        for m in range(i, i + n):
            is_wall[m % size] = False
        depth += POST_CENTRE * width
        edges = spacing * spacing / 12.0 + WALL_ROUGHNESS ** 2
        for row in range(2):
            post = found[count]
            post.x, post.y = mx + depth * ux, my + depth * uy
            post.nx, post.ny = (-uy, ux) if row == 0 else (-ux, -uy)
            post.beams, post.direction, post.gate = float(n), 0.0, MAX_POST_GATE
            post.shift = 0.0
            post.variance = edges if row == 0 else edges + noise / n
            post.texture = 0.0 if row == 0 else (POST_SHAPE * width) ** 2
            count += 1
    return _remove_ambiguous(found, count)


@kernel
def _depth(ends, first, n, middle, direction):
    """Return the mean and the spread of n ends along a direction, from a middle [m]."""
    total, nearest, farthest = 0.0, math.inf, -math.inf
    for m in range(first, first + n):
        k = m % ends.shape[0]
        depth = direction[0] * (ends[k, 0] - middle[0]) + direction[1] * (ends[k, 1] - middle[1])
        total += depth
        nearest, farthest = min(nearest, depth), max(farthest, depth)
    return total / n, farthest - nearest


@kernel
def _is_behind(ranges, k, i, is_whole):
    """Return whether beam k, beside beam i, has seen that there is nothing near its end."""
    if not 0 <= k < ranges.size:
        if not is_whole:
            return False
        k -= ranges.size if k > 0 else -ranges.size
    return ranges[k] > ranges[i] + POST_CLEARANCE


@kernel
def _remove_ambiguous(found, count):
    """Write the gates of posts, and remove those that stand too close; return the rows left."""
    kept = 0
    for i in range(0, count, 2):
        gate = MAX_POST_GATE
        for j in range(0, count, 2):
            if j != i:
                gate = min(gate, 0.5 * math.hypot(found[i].x - found[j].x,
                                                  found[i].y - found[j].y))
        found[i].gate = found[i + 1].gate = gate
    for i in range(count):
        if found[i].gate >= MIN_POST_GATE:
            found[kept] = found[i]
            kept += 1
    return kept


@kernel
def _minor_axis(cos, sin):
    """Return the unit vector across an axis from the cosine and sine of twice its direction."""
    if cos >= 0.0:
        y = math.sqrt(0.5 * (1.0 + cos))
        return -0.5 * sin / y, y
    x = math.copysign(math.sqrt(0.5 * (1.0 - cos)), sin)
    return -x, 0.5 * sin / x


@kernel
def _ends(ranges, beams, directions, body):
    """Return the ends (m, 2) of the beams [m], and which of them are on a wall (m,)."""
    ends = np.empty((ranges.size, 2))
    is_wall = np.zeros(ranges.size, dtype=np.bool_)
    for i in range(ranges.size):
        if beams.range_min < ranges[i] < beams.range_max - RANGE_END_MARGIN:
            ends[i, 0] = beams.x + ranges[i] * directions[0, i]
            ends[i, 1] = beams.y + ranges[i] * directions[1, i]
            is_wall[i] = ends[i, 0] ** 2 + ends[i, 1] ** 2 > body * body
    return ends, is_wall


@kernel
def _sums_around(ends, is_wall, i, extent, is_whole):
    """Return the number of ends around the i-th on its wall, and sums of their offsets from it."""
    beams = is_wall.size
    n, sx, sy, sxx, sxy, syy = 1, 0.0, 0.0, 0.0, 0.0, 0.0
    for side in (-1, 1):
        before = j = i
        for _ in range(1, beams // 2):
            j += side
            if not 0 <= j < beams:
                if not is_whole:
                    break
                j -= side * beams
            if not is_wall[j]:
                continue
            dx, dy = ends[j, 0] - ends[i, 0], ends[j, 1] - ends[i, 1]
            if (dx * dx + dy * dy > extent * extent
                    or (ends[j, 0] - ends[before, 0]) ** 2
                    + (ends[j, 1] - ends[before, 1]) ** 2 > MAX_BEAM_GAP * MAX_BEAM_GAP):
                break
            n, sx, sy = n + 1, sx + dx, sy + dy
            sxx, sxy, syy = sxx + dx * dx, sxy + dx * dy, syy + dy * dy
            before = j
    return n, sx, sy, sxx, sxy, syy


# ---- memory -----------------------------------------------------------------------------------

@kernel
def _cell(x, y):
    return int(math.floor(x / GATE)), int(math.floor(y / GATE))


@kernel
def _slot(column, row, slots):
    """Return the slot of a cell in a hash table of this many slots (a power of two)."""
    return (column * 73856093 ^ row * 19349663) & (slots - 1)


@kernel
def _fits(surfel, x, y, nx, ny, gate, post_gate):
    """Return whether a place [m] with a normal may be on a stored surfel."""
    dx, dy = x - surfel.x, y - surfel.y
    if surfel.gate > 0.0 or post_gate > 0.0:
        near = min(surfel.gate, post_gate, GATE)
        return dx * dx + dy * dy < near * near
    return (abs(dx * surfel.ny - dy * surfel.nx) < MAX_ALONG
            and abs(dx * surfel.nx + dy * surfel.ny) < gate
            and nx * surfel.nx + ny * surfel.ny > MIN_COSINE)


@kernel
def oldest_match(surfels, heads, x, y, nx, ny, gate, post_gate):
    """
    Return the oldest surfel that fits a place [m] and a normal; -1 for none.

    ``gate`` [m] is that of a wall, ``post_gate`` [m] that of a post, or 0.
    """
    column, row = _cell(x, y)
    best = surfels.size
    # From the middle, where the oldest one probably is: the later cells end at their first newer.
    for c in (column, column - 1, column + 1):
        for r in (row, row - 1, row + 1):
            k = heads[_slot(c, r, heads.size)]
            while 0 <= k < best:
                if _fits(surfels[k], x, y, nx, ny, gate, post_gate):
                    best = k
                k = surfels[k].newer
    return best if best < surfels.size else -1


@kernel
def update_surfels(surfels, heads, count, observed, matches, pose, covariance, keyframe):
    """
    Average the surfels that a scan was matched with, and add the new ones.

    ``matches`` (n,) are those of the observed ones, -1 for none; ``covariance`` (3, 3) is that of
    the pose of the scan and ``keyframe`` its number. Return the new number of surfels.
    """
    x, y, theta = pose
    cos, sin = math.cos(theta), math.sin(theta)
    for i in range(observed.size):
        seen = observed[i]
        ax, ay = cos * seen.x - sin * seen.y, sin * seen.x + cos * seen.y
        nx, ny = cos * seen.nx - sin * seen.ny, sin * seen.nx + cos * seen.ny
        if matches[i] >= 0:
            surfel = surfels[matches[i]]
            _average(surfel, x + ax, y + ay, nx, ny, seen)
            if _fits(surfel, x + ax, y + ay, nx, ny, NEW_DISTANCE, seen.gate):
                continue
        if oldest_match(surfels, heads, x + ax, y + ay, nx, ny, NEW_DISTANCE, seen.gate) < 0:
            new = surfels[count]
            new.x, new.y, new.nx, new.ny, new.readings = x + ax, y + ay, nx, ny, 1.0
            new.direction, new.shift, new.gate = seen.direction, seen.shift, seen.gate
            new.variance = variance_along(covariance, nx, ny, ny * ax - nx * ay)
            new.first_keyframe, new.newer = keyframe, -1
            _append(surfels, heads, count)
            count += 1
    return count


@kernel
def _append(surfels, heads, new):
    """Append a surfel to those of its cell."""
    column, row = _cell(surfels[new].x, surfels[new].y)
    slot = _slot(column, row, heads.size)
    k = heads[slot]
    if k < 0:
        heads[slot] = new
        return
    while surfels[k].newer >= 0:
        k = surfels[k].newer
    surfels[k].newer = new


@kernel
def _average(surfel, x, y, nx, ny, seen):
    """Average a reading into a surfel that is not fixed yet."""
    if seen.gate > 0.0:
        surfel.nx, surfel.ny, surfel.gate = nx, ny, min(surfel.gate, seen.gate)
    off = surfel.nx * (x - surfel.x) + surfel.ny * (y - surfel.y)
    if surfel.readings < READINGS and abs(off) < NEW_DISTANCE:
        surfel.readings += 1.0
        share = 1.0 / surfel.readings
        surfel.direction = ((1.0 - share) ** 2 * surfel.direction
                            + share ** 2 * seen.direction)
        surfel.shift += share * (seen.shift - surfel.shift)
        surfel.x += off * surfel.nx / surfel.readings
        surfel.y += off * surfel.ny / surfel.readings
        mx = surfel.nx + (nx - surfel.nx) / surfel.readings
        my = surfel.ny + (ny - surfel.ny) / surfel.readings
        surfel.nx, surfel.ny = mx / math.hypot(mx, my), my / math.hypot(mx, my)


@kernel
def variance_along(covariance, nx, ny, lever):
    """Return the variance along a normal of a place [m^2] that is observed from a pose."""
    return (nx * nx * covariance[0, 0] + ny * ny * covariance[1, 1]
            + lever * lever * covariance[2, 2]
            + 2.0 * (nx * ny * covariance[0, 1] + nx * lever * covariance[0, 2]
                     + ny * lever * covariance[1, 2]))
