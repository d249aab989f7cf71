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
Cut the shapes of SDF at the height of the lidar.

Upright prisms, spheres and ellipsoids are cut in closed form, tilted convex shapes by their edges,
and tilted polylines and meshes by their triangles. Sizes that are missing are SDFormat's defaults.

Source: http://sdformat.org/spec (geometry); BoxShape.cc, CylinderShape.cc and SphereShape.cc of
gazebosim/gazebo-classic for the scale of a `<state>`.
"""

from __future__ import annotations

from typing import Callable, Optional, Sequence

from bug_nav.files.untrusted import printable
from bug_nav.simulation.cross_sections import (
    box,
    capsule,
    disc,
    rings,
    Section,
    section_of_ellipsoid,
    section_of_rings,
)
from bug_nav.simulation.mesh_sections import (
    section_of_faces,
    section_of_triangles,
    winding_number,
)
from bug_nav.simulation.meshes import load_mesh
from bug_nav.simulation.sdf_resources import MissingFile, Resources
from bug_nav.simulation.sdf_values import UPRIGHT, Values
from bug_nav.simulation.simple_polygon import is_simple
from bug_nav.simulation.world import counter_clockwise, WorldError
from bug_nav.simulation.xml_tree import Node
import numpy as np

FLOOR = 0.01
"""Height up to which a body is part of the floor, because wheels roll over it [m]."""
MAX_CORNERS = 1000
MAX_MESH_TRIANGLES = 20_000_000
"""Maximum number of triangles of all meshes of a world, each as often as it is used."""


class Shapes:
    """
    Cuts shapes.

    :param read: reads their values.
    :param resources: finds their meshes.
    :param height: height of the lidar above the ground [m].
    """

    def __init__(self, read: Values, resources: Resources, height: float) -> None:
        self.read = read
        self.resources = resources
        self.height = height
        self.meshes: dict = {}
        self.triangles = 0
        self.lost: dict[str, str] = {}
        """Missing meshes, which Gazebo does not find either, and the first shape of each."""
        self.hulls: list[str] = []
        """Meshes that stand for their convex hull."""

    def section(self, shapes: Sequence[Node], pose: np.ndarray, scale: np.ndarray,
                where: str) -> Optional[Section]:
        """
        Return the section of a shape in the world frame, or None for nothing to hit.

        :param shapes: the shape; of polylines, several that bound one area.
        :param pose: of the shape in the world, 4x4.
        :param scale: factors for x, y and z.
        :param where: name of the shape, for messages.
        :raises WorldError: for a shape that cannot be cut, with file and line.
        """
        shape = shapes[0]
        reader, known = _SHAPES.get(shape.tag, (None, ()))
        if reader is None:
            raise self.read.error(shape, f"<{shape.tag}> of '{where}' cannot be cut at the height "
                                         f'of the lidar; use {", ".join(_SHAPES)}')
        for each in shapes:
            self.read.check_known_all(each, known)
        try:
            if len(shapes) > 1:
                return self._area(shapes, pose, scale, where)
            return reader(self, shape, pose, scale, where)
        except WorldError as error:
            if str(error).startswith(str(shape.file)):
                raise
            raise self.read.error(shape, f"{shape.tag} of '{where}': {error}") from None

    def _box(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        body = box(scale * self._lengths(node, 'size', (1.0, 1.0, 1.0), where))
        return self._prism(body, pose)

    def _cylinder(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        radius, length = self._round(node, (1.0, 1.0), scale, where)
        return self._prism(rings([disc(radius)] * 2, (-0.5 * length, 0.5 * length)), pose)

    def _capsule(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        radius, length = self._round(node, (0.5, 1.0), scale, where)
        return section_of_rings(_placed(capsule(radius, length), pose), self.height)

    def _cone(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        radius, length = self._round(node, (0.5, 1.0), scale, where)
        body = rings([disc(radius), disc(0.0)], (-0.5 * length, 0.5 * length))
        return section_of_rings(_placed(body, pose), self.height)

    def _round(self, node: Node, default: tuple, scale: np.ndarray, where: str) -> tuple:
        """Return the radius and the length of a body around z."""
        radius, = self._lengths(node, 'radius', default[:1], where)
        length, = self._lengths(node, 'length', default[1:], where)
        return max(scale[0], scale[1]) * radius, scale[2] * length

    def _sphere(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        radius, = self._lengths(node, 'radius', (1.0,), where)
        return section_of_ellipsoid(max(scale) * radius * np.eye(3), pose[:3, 3], self.height)

    def _ellipsoid(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        radii = scale * self._lengths(node, 'radii', (1.0, 1.0, 1.0), where)
        return section_of_ellipsoid(pose[:3, :3] * radii, pose[:3, 3], self.height)

    def _polyline(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> Section:
        body = self._extruded(node, scale, where)
        if abs(pose[2, 2]) < UPRIGHT:
            return section_of_faces(_faces([body], pose), self.height)
        return self._prism(body, pose)

    def _area(self, nodes: Sequence[Node], pose: np.ndarray, scale: np.ndarray,
              where: str) -> Section:
        """Return the section of polylines of one geometry: one inside another bounds a hole."""
        bodies = [self._extruded(node, scale, where) for node in nodes]
        outlines = [body[0, :, :2] for body in bodies]
        for k, outline in enumerate(outlines):
            around = [np.stack((other, np.roll(other, -1, 0)), axis=1)
                      for j, other in enumerate(outlines) if j != k]
            if sum(winding_number(outline[:1], edges)[0] for edges in around) % 2:
                bodies[k] = bodies[k][:, ::-1]
        return section_of_faces(_faces(bodies, pose), self.height)

    def _extruded(self, node: Node, scale: np.ndarray, where: str) -> np.ndarray:
        """Return the two rings of a polyline, (2, n, 3)."""
        points = node.find_all('point')
        if not 3 <= len(points) <= MAX_CORNERS:
            raise self.read.error(node, f"polyline of '{where}' has {len(points)} points; 3 to "
                                        f'{MAX_CORNERS} are allowed')
        corners = np.array([self.read.numbers(p, p.text, 2, 'point') for p in points])
        corners = corners[(corners != np.roll(corners, -1, axis=0)).any(axis=1)]
        if len(corners) < 3 or not is_simple(corners):
            raise self.read.error(node, f"polyline of '{where}' crosses or touches itself")
        top, = self._lengths(node, 'height', (1.0,), where)
        return rings([counter_clockwise(scale[:2] * corners)] * 2, (0.0, scale[2] * top))

    def _plane(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> None:
        normal = node.first('normal')
        up = (self.read.numbers(normal, normal.text, 3, 'normal') if normal
              else np.array((0., 0., 1.)))
        tilt = pose[2, :3] @ up / max(np.linalg.norm(up), 1e-12)
        if tilt < UPRIGHT or pose[2, 3] > FLOOR:
            raise self.read.error(node, f"plane '{where}' is not the ground (level, at height 0 "
                                        'or below)')

    def _mesh(self, node: Node, pose: np.ndarray, scale: np.ndarray,
              where: str) -> Optional[Section]:
        uri = node.first('uri') or node.first('filename')
        if uri is None:
            raise self.read.error(node, f"<mesh> of '{where}' has no <uri>")
        try:
            path = self.resources.file(uri.text, node.file)
        except MissingFile:
            self.lost.setdefault(printable(uri.text, 80), where)
            return None
        if path not in self.meshes:
            self.meshes[path] = load_mesh(path)
        triangles = self._part(node, self.meshes[path], where)
        self.triangles += len(triangles)
        if self.triangles > MAX_MESH_TRIANGLES:
            raise self.read.error(node, f'the meshes have more than {MAX_MESH_TRIANGLES} '
                                        'triangles')
        if node.attributes.get('optimization', '').strip() == 'convex_hull':
            self.hulls.append(where)
        own = node.first('scale')
        if own:
            scale = scale * self.read.numbers(own, own.text, 3, 'scale')
        if np.prod(scale) < 0.0:
            # A mirrored mesh is inside out.
            triangles = triangles[:, ::-1]
        # Numbers that overflow are rejected.
        with np.errstate(all='ignore'):
            return section_of_triangles(_placed(scale * triangles, pose), self.height)

    def _part(self, node: Node, parts: dict, where: str) -> np.ndarray:
        """Return the triangles of a mesh, or of its `<submesh>`."""
        part = node.first('submesh')
        if part is None:
            return np.concatenate([np.empty((0, 3, 3)), *parts.values()])
        named = part.first('name')
        name = named.text if named else ''
        if name not in parts:
            known = ', '.join(printable(each, 40) for each in list(parts)[:10])
            raise self.read.error(part, f"<submesh> '{printable(name, 60)}' of '{where}' is not "
                                        f'in the mesh, which has {known or "no parts"}')
        triangles = parts[name]
        if self.read.flag(part, 'center') and len(triangles):
            corners = triangles.reshape(-1, 3)
            return triangles - 0.5 * (corners.min(axis=0) + corners.max(axis=0))
        return triangles

    def _empty(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> None:
        return None

    def _prism(self, body: np.ndarray, pose: np.ndarray) -> Section:
        """Return the section of a prism of two rings."""
        if abs(pose[2, 2]) < UPRIGHT:
            return section_of_rings(_placed(body, pose), self.height)
        outline = counter_clockwise(body[0, :, :2] @ pose[:2, :2].T + pose[:2, 3])
        bottom, top = sorted(pose[2, 3] + pose[2, 2] * body[:, 0, 2])
        return Section((outline,) if bottom <= self.height <= top else (), bottom, top)

    def _lengths(self, node: Node, tag: str, default: tuple, where: str) -> np.ndarray:
        child = node.first(tag)
        if child is None:
            return np.array(default)
        values = self.read.numbers(child, child.text, len(default), tag)
        if (values <= 0).any():
            raise self.read.error(child, f"<{tag}> of '{where}' must be above 0, "
                                         f"got '{printable(child.text, 60)}'")
        return values


_SHAPES: dict[str, tuple[Callable, frozenset[str]]] = {
    tag: (reader, frozenset(known.split())) for tag, reader, known in (
        ('box', Shapes._box, 'size'), ('capsule', Shapes._capsule, 'radius length'),
        ('cone', Shapes._cone, 'radius length'),
        ('cylinder', Shapes._cylinder, 'radius length'),
        ('ellipsoid', Shapes._ellipsoid, 'radii'),
        ('mesh', Shapes._mesh, 'convex_decomposition filename scale submesh uri'),
        ('plane', Shapes._plane, 'normal size'),
        ('polyline', Shapes._polyline, 'height point'), ('sphere', Shapes._sphere, 'radius'),
        ('empty', Shapes._empty, ''))}
"""Reader of each shape, and the elements that it may contain."""
IN_GEOMETRY = frozenset((*_SHAPES, 'heightmap', 'image'))
"""Shapes that SDFormat defines."""


def _faces(bodies: Sequence[np.ndarray], pose: np.ndarray) -> list[list[np.ndarray]]:
    """Return the faces of prisms of two rings, in the world; the bases of all are one face."""
    placed = [_placed(body, pose) for body in bodies]
    sides = [[side] for below, above in placed for side in np.stack((
        below, np.roll(below, -1, 0), np.roll(above, -1, 0), above), axis=1)]
    return [*sides, [above for _, above in placed], [below[::-1] for below, _ in placed]]


def _placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Transform points (..., 3) by a 4x4 pose."""
    return points @ pose[:3, :3].T + pose[:3, 3]
