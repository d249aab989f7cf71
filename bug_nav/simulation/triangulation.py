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
Triangles of polygons in space: fans of convex ones, ears of all others.

Source: G. H. Meisters, Polygons have ears, 1975.
"""

from __future__ import annotations

from bug_nav.navigation.compiled import kernel
import numpy as np

MAX_PAIRS = 10_000_000
"""Maximum number of pairs of corners in the polygons that are not convex: some seconds of work."""


def triangulated(corners: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """
    Return the triangles of flat polygons, (m, 3, 3), on the side of their polygon.

    :param corners: the corners of all polygons in a row, (n, 3).
    :param counts: number of corners of each polygon; less than three give no triangle.
    :raises ValueError: for too many corners of polygons that are not convex.
    """
    begins = np.cumsum(counts) - counts
    found, pairs = [np.empty((0, 3, 3))], 0
    for count in np.unique(counts[counts > 2]):
        polygons = corners[begins[counts == count][:, None] + np.arange(count)]
        fans = np.stack((np.repeat(polygons[:, :1], count - 2, axis=1), polygons[:, 1:-1],
                         polygons[:, 2:]), axis=2)
        for k in np.flatnonzero(~_are_convex(polygons)) if count > 3 else ():
            pairs += int(count) ** 2
            if pairs > MAX_PAIRS:
                raise ValueError('the polygons that are not convex have too many corners (one of '
                                 f'them {count}); triangulate them before')
            fans[k] = polygons[k][_ears(_flat(polygons[k]))]
        found.append(fans.reshape(-1, 3, 3))
    return np.concatenate(found)


def _normals(polygons: np.ndarray) -> np.ndarray:
    """Return the normals of polygons (k, n, 3), twice as long as their area, (k, 3)."""
    arms = polygons[:, 1:] - polygons[:, :1]
    return np.cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)


def _are_convex(polygons: np.ndarray) -> np.ndarray:
    """Return which polygons (k, n, 3) turn to one side only."""
    edges = np.roll(polygons, -1, axis=1) - polygons
    turns = np.cross(edges, np.roll(edges, -1, axis=1))
    return (np.einsum('kni,ki->kn', turns, _normals(polygons)) >= 0.0).all(axis=1)


def _flat(polygon: np.ndarray) -> np.ndarray:
    """Return a polygon (n, 3) seen along an axis from the side of its normal, (n, 2)."""
    normal = _normals(polygon[None])[0]
    axis = int(np.argmax(np.abs(normal)))
    flat = polygon[:, [(axis + 1) % 3, (axis + 2) % 3]]
    return np.ascontiguousarray(flat if normal[axis] > 0.0 else flat[:, ::-1])


@kernel
def _ears(flat):
    """Return the triangles of a counter-clockwise polygon (n, 2), as indices (n - 2, 3)."""
    left = np.arange(len(flat))
    found = np.empty((len(flat) - 2, 3), np.int64)
    ear = 0
    for k in range(len(flat) - 2):
        size = len(flat) - k
        # From the last ear on, because the corners before it were none. A polygon that crosses
        # itself may have no ear.
        tried = 0
        while tried < size and not _is_ear(flat, left[:size], ear % size):
            ear, tried = ear + 1, tried + 1
        ear %= size
        found[k] = left[ear - 1 if ear else size - 1], left[ear], left[(ear + 1) % size]
        for j in range(ear, size - 1):
            left[j] = left[j + 1]
    return found


@kernel
def _is_ear(flat, left, ear):
    """Return whether the triangle at a corner contains no other corner of a polygon."""
    a, b, c = flat[left[ear - 1]], flat[left[ear]], flat[left[(ear + 1) % len(left)]]
    if _side(a, b, c) < 0.0:
        return False
    for k in left:
        p = flat[k]
        # A slit joins a hole to the outline, and has its corners twice.
        if ((p == a).all() or (p == b).all() or (p == c).all()):
            continue
        if _side(a, b, p) >= 0.0 and _side(b, c, p) >= 0.0 and _side(c, a, p) >= 0.0:
            return False
    return True


@kernel
def _side(a, b, p):
    """Return twice the area of a triangle, above 0 if p is on the left of a to b."""
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])
