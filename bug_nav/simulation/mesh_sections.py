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
Cross-section of a triangle mesh, as simple polygons.

In Gazebo, the surface of a mesh is the obstacle. Here a surface that encloses material, by the
direction of its triangles, becomes a filled polygon; any other surface becomes a wall with a
thickness of SKIN. So a room modelled as one closed surface seen from within is free inside, a
solid crate is not, and meshes with holes or with triangles that face the wrong way still block.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, List, Sequence

from bug_nav.simulation.cross_sections import crossing, Section
from bug_nav.simulation.world import MAX_COORDINATE, WorldError
import numpy as np

SKIN = 0.002
"""Thickness of a surface that encloses nothing [m]."""
GRID = 1e-5
"""Corners of triangles nearer than this are one corner [m]."""
DETAIL = 0.0005
"""Maximum offset of the outlines from the section [m]."""
MAX_SEGMENTS = 200_000
"""Maximum number of triangles of one mesh at the height of the lidar."""

_TOO_LARGE = (f'it extends beyond {MAX_COORDINATE / 1000:g} km at the height of the lidar; check '
              'its scale and its unit')
_OVERLAP = 0.0005
_LEVELS = 3
"""Number of heights below the lidar at which the mesh is compared with the section."""
_OVERHANG = 0.01
"""Minimum overhang below the lidar for a warning; meshes have chamfers and feet [m]."""
_AT_ONCE = 2_000_000
"""Maximum number of pairs of places and segments that are tested at once."""


def section_of_triangles(triangles: np.ndarray, height: float) -> Section:
    """
    Cut a mesh at a height [m].

    :param triangles: (n, 3, 3) [m] in the world frame, counter-clockwise seen from outside.
    :raises WorldError: if shapely is missing, or for too many segments; without file and line.
    """
    if not len(triangles):
        return Section((), 0.0, 0.0)
    if not np.isfinite(triangles).all():
        raise WorldError(_TOO_LARGE)
    heights = triangles[..., 2]
    return _section(partial(segments_at, triangles), heights.min(), heights.max(), height)


def section_of_faces(faces: Sequence[Sequence[np.ndarray]], height: float) -> Section:
    """
    Cut a body with flat faces at a height [m].

    :param faces: the outlines of each face and of its holes, each (n, 3) [m] in the world frame,
        with the face on the left seen from outside.
    :raises WorldError: if shapely is missing; without file and line.
    """
    heights = np.concatenate([ring for face in faces for ring in face])[:, 2]
    return _section(partial(_segments_of_faces, faces), heights.min(), heights.max(), height)


def _section(segments: Callable[[float], np.ndarray], bottom: float, top: float,
             height: float) -> Section:
    cut = _solid(segments(height))
    if cut is None:
        return Section((), float(bottom), float(top))
    # From just above what counts as floor.
    levels = np.linspace(0.02, height, _LEVELS, endpoint=False)
    around = cut.buffer(_OVERHANG)
    below = (_solid(segments(level)) for level in levels)
    hidden = any(solid is not None and not around.covers(solid) for solid in below)
    return Section(simple_polygons(cut), float(bottom), float(top), hidden)


def segments_at(triangles: np.ndarray, height: float) -> np.ndarray:
    """
    Return where triangles cross a height, (m, 2, 2) [m], with the material on the left.

    A corner at the height counts as below it, so that each triangle has one segment or none, and
    neighbouring triangles share their ends to the last bit.
    """
    above = triangles[..., 2] > height
    count = above.sum(axis=1)
    crosses = (count == 1) | (count == 2)
    triangles, above, count = triangles[crosses], above[crosses], count[crosses]
    # The corner that is alone on its side comes first.
    alone = np.argmax(above == (count == 1)[:, None], axis=1)
    order = (alone[:, None] + np.arange(3)) % 3
    first, second, third = np.take_along_axis(triangles, order[:, :, None], 1).transpose(1, 0, 2)
    ends = np.stack([crossing(first, other, height) for other in (second, third)], axis=1)
    # Seen from outside, the first edge is left of the second if the upper corner is alone.
    return np.where((count == 2)[:, None, None], ends[:, ::-1], ends)


def _segments_of_faces(faces: Sequence[Sequence[np.ndarray]], height: float) -> np.ndarray:
    """Return where flat faces cross a height, as `segments_at`."""
    found = []
    for face in faces:
        edges = [np.stack((ring, np.roll(ring, -1, axis=0)), axis=1) for ring in face]
        begin, end = np.concatenate(edges).transpose(1, 0, 2)
        crosses = (begin[:, 2] > height) != (end[:, 2] > height)
        places = crossing(begin[crosses], end[crosses], height)
        # The plane enters and leaves the face in turn along their line.
        normal = np.cross(begin, end).sum(axis=0)
        order = np.argsort(places @ (-normal[1], normal[0]))
        found.append(places[order].reshape(-1, 2, 2))
    return np.concatenate(found)


def _solid(segments: np.ndarray) -> Any:
    """Return the section with these segments as a shapely geometry, or None for none."""
    if not (np.abs(segments) <= MAX_COORDINATE).all():
        raise WorldError(_TOO_LARGE)
    segments = np.round(segments / GRID) * GRID
    segments = segments[(segments[:, 0] != segments[:, 1]).any(axis=1)]
    if not len(segments):
        return None
    if len(segments) > MAX_SEGMENTS:
        raise WorldError(f'the mesh has {len(segments)} triangles at the height of the lidar; up '
                         f'to {MAX_SEGMENTS} are allowed')
    try:
        import shapely
    except ImportError as error:
        from bug_nav.simulation.meshes import MISSING
        raise WorldError(f'{MISSING} ({error})') from None
    # Each segment once: coincident walls are common.
    lines = shapely.unary_union(shapely.linestrings(segments))
    pieces = shapely.get_parts(lines)
    faces = shapely.get_parts(shapely.polygonize(pieces))
    places = shapely.get_coordinates(shapely.point_on_surface(faces))
    material = shapely.unary_union(faces[winding_number(places, segments) > 0])
    middles = shapely.line_interpolate_point(pieces, 0.5, normalized=True)
    shapely.prepare(material)
    bare = pieces[~shapely.dwithin(material, middles, GRID)]
    if not len(bare):
        return material
    skin = shapely.buffer(shapely.unary_union(bare), 0.5 * SKIN, cap_style='square',
                          join_style='mitre')
    return shapely.union(material, skin)


def winding_number(places: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Return how often segments (m, 2, 2) turn about places (k, 2), counter-clockwise, (k,)."""
    (x0, y0), (x1, y1) = segments[:, 0].T, segments[:, 1].T
    result = np.zeros(len(places), dtype=int)
    step = max(1, _AT_ONCE // len(segments))
    for begin in range(0, len(places), step):
        x, y = places[begin:begin + step, :, None].transpose(1, 0, 2)
        side = (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)
        up = (y0 <= y) & (y < y1) & (side > 0)
        down = (y1 <= y) & (y < y0) & (side < 0)
        result[begin:begin + step] = up.sum(axis=1) - down.sum(axis=1)
    return result


def simple_polygons(solid: Any) -> List[np.ndarray]:
    """Return polygons without holes, each (n, 2) [m], whose union is a shapely geometry."""
    import shapely
    todo = list(shapely.get_parts(shapely.simplify(solid, DETAIL)))
    found = []
    while todo:
        polygon = todo.pop()
        if polygon.geom_type != 'Polygon':
            todo += shapely.get_parts(polygon).tolist() if polygon.geom_type in (
                'MultiPolygon', 'GeometryCollection') else []
            continue
        polygon = _without_slits(polygon)
        if not polygon.interiors:
            if polygon.area > GRID**2:
                found.append(np.array(polygon.exterior.coords)[:-1])
        else:
            todo += _halves(polygon)
    return found


def _without_slits(polygon: Any) -> Any:
    """Return a polygon without the holes that would lie in the overlap of its halves."""
    import shapely
    wide = [hole for hole in polygon.interiors
            if hole.bounds[2] - hole.bounds[0] > 3.0 * _OVERLAP]
    return shapely.Polygon(polygon.exterior, wide) if polygon.interiors else polygon


def _halves(polygon: Any) -> list:
    """Return a polygon with holes in two parts, which overlap so that there is no seam."""
    import shapely
    x0, y0, x1, y1 = polygon.bounds
    # In the middle of a hole: of several, of the middle one, to halve their number.
    middles = sorted(hole.bounds[0] + hole.bounds[2] for hole in polygon.interiors)
    middle = 0.5 * middles[len(middles) // 2]
    return [polygon.intersection(shapely.box(x0, y0, middle + _OVERLAP, y1)),
            polygon.intersection(shapely.box(middle - _OVERLAP, y0, x1, y1))]
