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
World files in SDFormat, cut at the height of the lidar.

Boxes, cylinders, spheres and polylines at poses nested in models and links are read; what counts
is the collision geometry. The ground plane and lights are skipped, and models are included as
`bug_nav.sim.sdf_include` finds them. Whatever else a lidar could
see, or a pose that this reader cannot resolve, is refused by name and line: an obstacle that is
silently missing would make every verdict worthless.

Choices where SDFormat leaves room:

- Shapes must stand upright (no roll or pitch, or upside down); a tilted sphere is a sphere.
- A model that is not static is read where it stands, unless it has joints.
- A `<state>` that the Gazebo window saved overrides the poses of models, as it does in Gazebo.
- A link with visuals and no collision is a ghost: a lidar that ray-casts pictures (gpu_ray) sees
  it and one that ray-casts bodies (ray) does not. It is refused if it reaches the lidar.
- Discs become regular polygons of 48 sides around them, at most 0.22 % of the radius too large.

Start and goal are `<bug_nav:episode start="x y yaw" goal="x y"/>` in `<world>`, with
`xmlns:bug_nav="urn:bug_nav"` on `<sdf>`; SDFormat lets such elements pass. What moves is read by
`bug_nav.sim.sdf_movers`.

Source: http://sdformat.org/spec?ver=1.6, http://sdformat.org/tutorials (pose semantics).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
import math
from pathlib import Path
from typing import Callable, Optional, Union

from bug_nav.sim.bounded_files import plain
from bug_nav.sim.movers import Mover
from bug_nav.sim.rivals import Rival
from bug_nav.sim.sdf_include import included_model, is_unseen, MAX_DEPTH
from bug_nav.sim.sdf_movers import (
    ACTOR,
    IN_MODEL,
    MAX_MOVERS,
    MAX_RIVALS,
    PERSON,
    read_actor,
    read_moving,
    read_person,
    read_rival,
    ROBOT,
)
from bug_nav.sim.sdf_values import OURS, planar, UPRIGHT, Values
from bug_nav.sim.world import counter_clockwise, World, WorldError
from bug_nav.sim.xml_tree import MAX_ELEMENTS, Node, read_xml
import numpy as np

LIDAR_HEIGHT = 0.18
"""Height in metres of the TurtleBot3 Burger's lidar above the ground."""

EPISODE = f'{OURS}episode'
MAX_CORNERS = 1000
DISC_SIDES = 48
# A body no higher than this is part of the floor: wheels roll over it.
_FLOOR = 0.01

_IN_WORLD = frozenset((
    'atmosphere', 'audio', 'frame', 'gravity', 'gui', 'light', 'magnetic_field', 'physics',
    'plugin', 'scene', 'spherical_coordinates', 'state', 'wind', EPISODE))
_IN_MODEL = frozenset((
    'allow_auto_disable', 'enable_wind', 'frame', 'gripper', 'joint', 'plugin', 'pose',
    'self_collide', 'static', *IN_MODEL))
_IN_INCLUDE = frozenset(('name', 'plugin', 'pose', 'static', 'uri'))
_IN_LINK = frozenset((
    'audio_sink', 'audio_source', 'battery', 'collision', 'enable_wind', 'gravity', 'inertial',
    'kinematic', 'light', 'must_be_base_link', 'plugin', 'pose', 'projector', 'self_collide',
    'sensor', 'velocity_decay', 'visual'))


@dataclass(frozen=True)
class _Slab:
    """An upright prism: its outline (n, 2) in the world frame, between two heights, in metres."""

    outline: np.ndarray
    bottom: float
    top: float
    hidden: bool = False
    """Part of the body below the lidar is wider than what the lidar sees of it."""


def load_sdf(path: Union[str, Path], height: float = LIDAR_HEIGHT) -> World:
    """
    Read an SDF world file.

    :param path: a file with one `<world>`.
    :param height: of the lidar above the ground, in metres, above 0; the world is cut there.
    :return: the world; its name is the file's. Bodies that stay below the lidar are named in
        `unseen`, those above it or in the ground are left out.
    :raises WorldError: one sentence that names file, line and element.
    """
    if not (math.isfinite(height) and height > 0):
        raise WorldError(f'the height of the lidar must be above 0 m, got {height}')
    return _Reader(Path(path), height).world()


def _told_anew(model: Node, include: Node) -> Node:
    """Return an included model with what is told of it where it is included."""
    told = {child.tag: child for child in include.children if child.tag in ('pose', 'static')}
    name = include.first('name')
    return replace(
        model, attributes={**model.attributes, **({'name': name.text} if name else {})},
        children=[*told.values(), *(child for child in model.children if child.tag not in told)])


def _count(node: Node) -> int:
    return 1 + sum(map(_count, node.children))


class _Reader(Values):
    """Walks the tree once, with the pose of the enclosing element, and collects slices."""

    def __init__(self, path: Path, height: float) -> None:
        super().__init__(path)
        self.height = height
        self.solids: list[np.ndarray] = []
        self.movers: list[Mover] = []
        self.rivals: list[Rival] = []
        self.unseen: list[str] = []
        self.state: dict[str, Node] = {}
        self.of_world = path
        self.included: dict[str, tuple[Path, Node]] = {}
        self.depth = self.elements = 0

    def world(self) -> World:
        root = read_xml(self.path)
        if root.tag != 'sdf':
            raise self.error(root, f'the root element is <{root.tag}>, not <sdf>')
        worlds = root.find_all('world')
        if len(worlds) != 1:
            raise self.error(root, f'one <world> is needed, there are {len(worlds)}')
        start, goal = self.episode(worlds[0])
        self.state = self.saved_state(worlds[0])
        for child in worlds[0].children:
            self.member(child)
        return World(self.path.stem, tuple(self.solids), start, goal, tuple(self.unseen),
                     movers=tuple(self.movers), rivals=tuple(self.rivals))

    # Elements, from the outside in.

    def episode(self, world: Node) -> tuple[Optional[tuple], Optional[tuple]]:
        nodes = world.find_all(EPISODE)
        if len(nodes) > 1:
            raise self.error(nodes[1], 'a second <episode>; one world has one start and goal')
        if not nodes:
            return None, None
        given = self.attributes(nodes[0], ('start', 'goal'))
        start, goal = (
            tuple(self.numbers(nodes[0], given[key], count, key)) if key in given else None
            for key, count in (('start', 3), ('goal', 2)))
        return start, goal

    def member(self, node: Node) -> None:
        """Read one of those that are in the world."""
        if node.tag == 'model':
            self.model(node, np.eye(4), '')
        elif node.tag == 'include':
            self.include(node, np.eye(4), '')
        elif node.tag == ACTOR:
            self.join(node, read_actor(self, node))
        elif node.tag == PERSON:
            self.join(node, read_person(self, node, f'person_{len(self.movers) + 1}'))
        elif node.tag == ROBOT:
            self.rivals.append(read_rival(self, node))
            if len(self.rivals) > MAX_RIVALS:
                raise self.error(node, f'more than {MAX_RIVALS} robots')
        else:
            self.check_known(node, _IN_WORLD)

    def saved_state(self, world: Node) -> dict[str, Node]:
        moved = {}
        for state in world.find_all('state')[:1]:
            for child in state.children:
                if child.tag == 'insertions' and child.children:
                    raise self.error(child, '<insertions> in <state> cannot be read; '
                                            'put the models into <world>')
                if child.tag == 'model':
                    self.check_scale(child)
                    moved[child.name] = child
        return moved

    def include(self, node: Node, parent: np.ndarray, scope: str, static: bool = False) -> None:
        """Read a model of another file; its name, pose and static may be told anew."""
        uri = node.first('uri')
        text = uri.text if uri else ''
        if is_unseen(text):
            return
        self.check_known_all(node, _IN_INCLUDE)
        before, self.depth = self.path, self.depth + 1
        if self.depth > MAX_DEPTH:
            raise self.error(node, f'models include each other more than {MAX_DEPTH} deep')
        try:
            if text not in self.included:
                self.included[text] = included_model(text, self.of_world)
            self.path, model = self.included[text]
        except WorldError as error:
            raise self.error(node, str(error)) from None
        self.elements += _count(model)
        if self.elements > MAX_ELEMENTS:
            raise self.error(node, f'more than {MAX_ELEMENTS} elements in what is included')
        self.model(_told_anew(model, node), parent, scope, static)
        self.path, self.depth = before, self.depth - 1

    def model(self, node: Node, parent: np.ndarray, scope: str, static: bool = False) -> None:
        where = f'{scope}{node.name}'
        static = static or self.flag(node, 'static')
        joints = node.find_all('joint')
        if joints and not static:
            raise self.error(joints[0], f"model '{where}' has a joint, so it can move; make it "
                                        'static or take it out')
        if 'placement_frame' in node.attributes:
            raise self.error(node, f"placement_frame of model '{where}' cannot be resolved")
        holder = node if scope else self.state.get(node.name, node)
        pose = parent @ self.pose(holder, '__model__' if scope else 'world')
        moving = [child for child in node.children if child.tag in IN_MODEL]
        if moving and (scope or pose[2, 2] < UPRIGHT):
            raise self.error(moving[0], f"model '{where}' moves; it has to stand upright in the "
                                        'world, and in no other model')
        first = len(self.solids)
        for child in node.children:
            if child.tag == 'model':
                self.model(child, pose, f'{where}/', static)
            elif child.tag == 'include':
                self.include(child, pose, f'{where}/', static)
            elif child.tag == 'link':
                self.link(child, pose, where)
            else:
                self.check_known(child, _IN_MODEL)
        if moving:
            parts = self.solids[first:]
            del self.solids[first:]
            self.join(node, read_moving(self, node, planar(pose), parts))

    def join(self, node: Node, mover: Mover) -> None:
        """Have something in the world that moves."""
        if any(other.name == mover.name for other in self.movers):
            raise self.error(node, f"a second one that moves is called '{mover.name}'")
        self.movers.append(mover)
        if len(self.movers) > MAX_MOVERS:
            raise self.error(node, f'more than {MAX_MOVERS} movers')

    def link(self, node: Node, parent: np.ndarray, scope: str) -> None:
        where = f'{scope}/{node.name}'
        pose = parent @ self.pose(node, '__model__')
        for child in node.children:
            self.check_known(child, _IN_LINK)
        collisions = node.find_all('collision')
        for child in collisions:
            self.body(child, pose, where, self.keep)
        if not collisions:
            for child in node.find_all('visual'):
                self.body(child, pose, where, self.refuse_ghost)

    def body(self, node: Node, parent: np.ndarray, scope: str, use: Callable) -> None:
        where = f'{scope}/{node.name}'
        geometries = node.find_all('geometry')
        if len(geometries) != 1 or len(geometries[0].children) != 1:
            raise self.error(node, f"{node.tag} '{where}' needs one <geometry> with one shape")
        pose = parent @ self.pose(node, scope.rsplit('/', 1)[-1])
        shape = geometries[0].children[0]
        reader = _SHAPES.get(shape.tag)
        if reader is None:
            raise self.error(shape, f"<{shape.tag}> of '{where}' cannot be cut at the height of "
                                    'the lidar; use box, cylinder, sphere or polyline')
        slab = reader(self, shape, pose, where)
        if slab is not None:
            use(node, where, slab)

    def keep(self, node: Node, where: str, slab: _Slab) -> None:
        seen = slab.bottom <= self.height <= slab.top
        if seen:
            self.solids.append(slab.outline)
        if slab.hidden or (not seen and _FLOOR < slab.top and slab.bottom < self.height):
            self.unseen.append(where)

    def refuse_ghost(self, node: Node, where: str, slab: _Slab) -> None:
        if slab.bottom <= self.height <= slab.top:
            raise self.error(node, f"visual '{where}' reaches the lidar but its link has no "
                                   'collision; add one, or take it out')

    # Shapes: each returns a slab in the world frame, or None for nothing.

    def box(self, node: Node, pose: np.ndarray, where: str) -> _Slab:
        x, y, z = 0.5 * self.lengths(node, 'size', 3, where)
        corners = np.array([(x, y), (-x, y), (-x, -y), (x, -y)])
        return self.prism(node, pose, where, corners, -z, z)

    def cylinder(self, node: Node, pose: np.ndarray, where: str) -> _Slab:
        radius = self.lengths(node, 'radius', 1, where)[0]
        half = 0.5 * self.lengths(node, 'length', 1, where)[0]
        return self.prism(node, pose, where, _disc(radius), -half, half)

    def polyline(self, node: Node, pose: np.ndarray, where: str) -> _Slab:
        points = node.find_all('point')
        if not 3 <= len(points) <= MAX_CORNERS:
            raise self.error(node, f"polyline of '{where}' has {len(points)} points; 3 to "
                                   f'{MAX_CORNERS} are allowed')
        corners = np.array([self.numbers(p, p.text, 2, 'point') for p in points])
        if np.array_equal(corners[0], corners[-1]):
            corners = corners[:-1]
        if not is_simple(corners):
            raise self.error(node, f"polyline of '{where}' crosses or touches itself")
        top = self.lengths(node, 'height', 1, where)[0]
        return self.prism(node, pose, where, corners, 0.0, top)

    def sphere(self, node: Node, pose: np.ndarray, where: str) -> Optional[_Slab]:
        radius = self.lengths(node, 'radius', 1, where)[0]
        centre = pose[:3, 3]
        cut = math.sqrt(max(radius**2 - (self.height - centre[2])**2, 0.0))
        # Where the sphere is widest between the ground and the lidar, the robot meets it first.
        level = min(max(centre[2], 0.0), self.height)
        widest = math.sqrt(max(radius**2 - (level - centre[2])**2, 0.0))
        outline = _disc(cut if cut > 0 else radius) + centre[:2]
        hidden = cut > 0 and widest > cut + 0.001
        return _Slab(outline, centre[2] - radius, centre[2] + radius, hidden)

    def plane(self, node: Node, pose: np.ndarray, where: str) -> None:
        normal = node.first('normal')
        up = self.numbers(normal, normal.text, 3, 'normal') if normal else np.array((0., 0., 1.))
        tilt = pose[2, :3] @ up / max(np.linalg.norm(up), 1e-12)
        if tilt < UPRIGHT or abs(pose[2, 3]) > _FLOOR:
            raise self.error(node, f"plane '{where}' is not the ground (level, at height 0)")

    def empty(self, node: Node, pose: np.ndarray, where: str) -> None:
        return None

    def prism(self, node: Node, pose: np.ndarray, where: str, corners: np.ndarray,
              bottom: float, top: float) -> _Slab:
        if abs(pose[2, 2]) < UPRIGHT:
            raise self.error(node, f"{node.tag} of '{where}' has roll or pitch; only upright "
                                   'shapes can be cut')
        try:
            outline = counter_clockwise(corners @ pose[:2, :2].T + pose[:2, 3])
        except WorldError as error:
            raise self.error(node, f"{node.tag} of '{where}': {error}") from None
        heights = sorted(pose[2, 3] + pose[2, 2] * z for z in (bottom, top))
        return _Slab(outline, heights[0], heights[1])

    # Values.

    def lengths(self, node: Node, tag: str, count: int, where: str) -> np.ndarray:
        child = node.first(tag)
        if child is None:
            raise self.error(node, f"<{node.tag}> of '{where}' has no <{tag}>")
        values = self.numbers(child, child.text, count, tag)
        if (values <= 0).any():
            raise self.error(child, f"<{tag}> of '{where}' must be above 0, "
                                    f"got '{plain(child.text, 60)}'")
        return values

    def check_scale(self, node: Node) -> None:
        scale = node.first('scale')
        if scale and (self.numbers(scale, scale.text, 3, 'scale') != 1).any():
            raise self.error(scale, f"<scale> of '{node.name}' in <state> cannot be read")


_SHAPES: dict[str, Callable] = {
    'box': _Reader.box, 'cylinder': _Reader.cylinder, 'polyline': _Reader.polyline,
    'sphere': _Reader.sphere, 'plane': _Reader.plane, 'empty': _Reader.empty}


def is_simple(polygon: np.ndarray) -> bool:
    """
    Tell whether no two edges of an (n, 2) polygon meet, but neighbours in their common corner.

    Exact up to the rounding of float64; every pair is tested.
    """
    a, b = polygon, np.roll(polygon, -1, axis=0)
    if (a == b).all(axis=1).any():
        return False
    side_a, side_b = _side(a, b, a), _side(a, b, b)
    crossing = (side_a * side_b <= 0) & (side_a * side_b <= 0).T & _boxes_meet(a, b)
    count = len(polygon)
    i = np.arange(count)
    for step in (-1, 0, 1):
        crossing[i, (i + step) % count] = False
    return not crossing.any() and not _folds_back(a, b)


def _folds_back(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether some edge runs back along the one before it."""
    (x0, y0), (x1, y1) = (b - a).T, np.roll(b - a, -1, axis=0).T
    return bool(((x0 * y1 == y0 * x1) & (x0 * x1 + y0 * y1 < 0)).any())


def _side(a: np.ndarray, b: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return, for each edge a-b (row) and point (column), the side that the point lies on."""
    d = b - a
    x = points[:, 0] - a[:, 0:1]
    y = points[:, 1] - a[:, 1:2]
    return np.sign(d[:, 0:1] * y - d[:, 1:2] * x)


def _boxes_meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    low, high = np.minimum(a, b), np.maximum(a, b)
    meet = (low[:, None] <= high[None]) & (low[None] <= high[:, None])
    return meet.all(axis=2)


def _disc(radius: float) -> np.ndarray:
    """Return the regular polygon around a disc, symmetric in both axes."""
    angles = (np.arange(DISC_SIDES) + 0.5) * (2 * math.pi / DISC_SIDES)
    outer = radius / math.cos(math.pi / DISC_SIDES)
    return outer * np.column_stack((np.cos(angles), np.sin(angles)))
