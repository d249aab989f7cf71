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
Cross-sections of solids by a horizontal plane, in closed form or from their edges.

Discs and ellipses become circumscribed polygons of DISC_SIDES sides, at most 0.22 % of the radius
too large. `simulation.mesh_sections` cuts triangle meshes.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence, Tuple

from bug_nav.simulation.world import signed_area
import numpy as np

DISC_SIDES = 48
_CIRCUMSCRIBED = 1.0 / math.cos(math.pi / DISC_SIDES)
_CAPSULE_RINGS = 12
"""Number of circles for each half sphere of a capsule."""
_OVERHANG = 0.001
"""Minimum length by which a body is wider below the lidar for a warning [m]."""


class Section(NamedTuple):
    """A body at the height of the lidar, in the world frame."""

    outlines: Sequence[np.ndarray]
    """Simple polygons, each (n, 2) [m]; none if the body does not reach that height."""
    bottom: float
    """Lowest point [m]."""
    top: float
    """Highest point [m]."""
    hidden: bool = False
    """Whether the body is wider between the ground and the lidar than at its height."""


def disc(radius: float) -> np.ndarray:
    """Return the circumscribed regular polygon of a disc [m], symmetric in both axes."""
    angles = (np.arange(DISC_SIDES) + 0.5) * (2 * math.pi / DISC_SIDES)
    return radius * _CIRCUMSCRIBED * np.column_stack((np.cos(angles), np.sin(angles)))


def box(size: np.ndarray) -> np.ndarray:
    """Return the rings of a box with three sides [m]."""
    x, y, z = 0.5 * size
    return rings([np.array([(x, y), (-x, y), (-x, -y), (x, -y)])] * 2, (-z, z))


def capsule(radius: float, length: float) -> np.ndarray:
    """Return the rings of a capsule along z; ``length`` is that of its cylinder [m]."""
    # Circumscribed along the axis too, at most 0.9 % of the radius too large.
    outer = radius / math.cos(0.25 * math.pi / _CAPSULE_RINGS)
    angles = np.linspace(0.0, 0.5 * math.pi, _CAPSULE_RINGS + 1)
    upper = [(outer * math.cos(angle), 0.5 * length + outer * math.sin(angle))
             for angle in angles]
    profile = [(r, -z) for r, z in reversed(upper)] + upper
    return rings([disc(r) for r, _ in profile], [z for _, z in profile])


def rings(outlines: Sequence[np.ndarray], heights: Sequence[float]) -> np.ndarray:
    """Return the rings of a body as `section_of_rings` takes them, (k, n, 3)."""
    return np.array([np.column_stack((outline, np.full(len(outline), height)))
                     for outline, height in zip(outlines, heights)])


def section_of_rings(body: np.ndarray, height: float) -> Section:
    """
    Cut a convex body.

    :param body: corners in the world frame, (k, n, 3) [m]: k rings of n corners each, and each
        edge of the body joins neighbours in a ring, or the same corner of neighbouring rings.
    :param height: height of the plane [m].
    """
    edges = np.concatenate((
        np.stack((body, np.roll(body, -1, axis=1)), axis=2).reshape(-1, 2, 3),
        np.stack((body[:-1], body[1:]), axis=2).reshape(-1, 2, 3)))
    bottom, top = float(body[..., 2].min()), float(body[..., 2].max())
    cut = convex_hull(_crossings(edges, height))
    if len(cut) < 3:
        return Section((), bottom, top)
    low = body.reshape(-1, 3)
    low = low[(low[:, 2] >= 0.0) & (low[:, 2] <= height)][:, :2]
    return Section((cut,), bottom, top,
                   _sticks_out(np.concatenate((low, _crossings(edges, 0.0))), cut))


def section_of_ellipsoid(axes: np.ndarray, centre: np.ndarray, height: float) -> Section:
    """
    Cut an ellipsoid.

    :param axes: its half axes as columns, (3, 3) [m], in the world frame.
    :param centre: (3,) [m].
    """
    reach = float(np.linalg.norm(axes[2]))
    cut = _ellipse(axes, centre, height)
    # Below the lidar, it is widest at its centre, at the ground, or at the lidar.
    widest = _ellipse(axes, centre, min(max(float(centre[2]), 0.0), height))
    bottom, top = float(centre[2]) - reach, float(centre[2]) + reach
    if not len(cut):
        return Section((), bottom, top)
    return Section((cut,), bottom, top, _sticks_out(widest, cut))


def _ellipse(axes: np.ndarray, centre: np.ndarray, height: float) -> np.ndarray:
    """Return the polygon around an ellipsoid's section, (DISC_SIDES, 2) or (0, 2) [m]."""
    # The plane, in the frame in which the ellipsoid is the unit sphere.
    normal = axes[2]
    reach = float(np.linalg.norm(normal))
    if abs(height - float(centre[2])) >= reach:
        return np.empty((0, 2))
    distance = (height - float(centre[2])) / reach
    normal = normal / reach
    other = np.array((0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (0.0, 0.0, 1.0))
    u = np.cross(other, normal)
    u /= np.linalg.norm(u)
    circle = disc(math.sqrt(1.0 - distance**2)) @ np.array((u, np.cross(normal, u)))
    return (circle + distance * normal) @ axes[:2].T + centre[:2]


def _crossings(edges: np.ndarray, height: float) -> np.ndarray:
    """Return x and y where edges (n, 2, 3) cross a height, (m, 2) [m]."""
    above = edges[..., 2] > height
    crosses = edges[above[:, 0] != above[:, 1]]
    return crossing(crosses[:, 0], crosses[:, 1], height)


def crossing(one: np.ndarray, other: np.ndarray, height: float) -> np.ndarray:
    """
    Return x and y at a height on edges that cross it, between corners (n, 3) [m].

    Both directions of an edge give the same place to the last bit.
    """
    upward = (one[:, 2] <= other[:, 2])[:, None]
    low, high = np.where(upward, one, other), np.where(upward, other, one)
    share = (height - low[:, 2:]) / (high[:, 2:] - low[:, 2:])
    return (low + share * (high - low))[:, :2]


def convex_hull(points: np.ndarray) -> np.ndarray:
    """Return the corners of the hull of points (n, 2), counter-clockwise; (0, 2) if flat."""
    order = sorted(set(map(tuple, points.tolist())))
    if not order:
        return np.empty((0, 2))
    # Coordinates far from the origin are rounded.
    extent = float(np.ptp(points, axis=0).max())
    least = extent * (1e-12 * extent + 1e-15 * float(np.abs(points).max()))
    hull = _half_hull(order, least)[:-1] + _half_hull(order[::-1], least)[:-1]
    corners = np.array(hull).reshape(-1, 2)
    return corners if len(corners) > 2 and signed_area(corners) > 0.0 else np.empty((0, 2))


def _half_hull(points: Sequence[Tuple[float, float]], least: float) -> list:
    """Return the right half of a hull (A. M. Andrew, monotone chain, 1979)."""
    chain: list = []
    for x, y in points:
        while len(chain) > 1 and ((chain[-1][0] - chain[-2][0]) * (y - chain[-2][1])
                                  - (chain[-1][1] - chain[-2][1]) * (x - chain[-2][0])) <= least:
            chain.pop()
        chain.append((x, y))
    return chain


def _sticks_out(points: np.ndarray, hull: np.ndarray) -> bool:
    """Return whether a point (n, 2) is outside a convex polygon by more than _OVERHANG."""
    ahead = np.roll(hull, -1, axis=0) - hull
    # Corners of a tiny body are at one place.
    is_edge = ahead.any(axis=1)
    ahead, hull = ahead[is_edge], hull[is_edge]
    x, y = (points[:, None] - hull).transpose(2, 0, 1)
    outside = (ahead[:, 1] * x - ahead[:, 0] * y) / np.hypot(*ahead.T)
    return bool((outside > _OVERHANG).any())
