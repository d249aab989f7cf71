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
Read world files in SDFormat, as a cross-section at the height of the lidar.

The reader supports the collision geometry of boxes, cylinders, spheres and polylines, with poses
nested in models and links. It skips the ground plane and lights, and `simulation.sdf_include`
finds included models. Any other geometry that a lidar could see, or a pose that cannot be
resolved, is rejected by name and line, because a missing obstacle would invalidate every verdict.

Choices where SDFormat leaves room:

- Shapes must be upright or upside down (no roll or pitch); a tilted sphere is a sphere.
- A model that is not static is read at its initial pose, unless it has joints.
- A `<state>` saved by the Gazebo window overrides the poses of models, as in Gazebo.
- A link with visuals and no collision is a ghost: a lidar that ray-casts images (gpu_ray) sees
  it, one that ray-casts bodies (ray) does not. It is rejected if it reaches the lidar.
- Discs become circumscribed regular polygons of 48 sides, at most 0.22 % of the radius too large.

Start and goal are `<bug_nav:episode start="x y yaw" goal="x y"/>` in `<world>`, with
`xmlns:bug_nav="urn:bug_nav"` on `<sdf>`; SDFormat ignores such elements. `simulation.sdf_movers`
reads movers.

Source: http://sdformat.org/spec?ver=1.6, http://sdformat.org/tutorials (pose semantics).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
import math
from pathlib import Path
from typing import Callable, Optional, Union

from bug_nav.simulation.movers import Mover
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.sdf_include import included_model, is_ground_or_sun, MAX_DEPTH
from bug_nav.simulation.sdf_movers import (
    ACTOR,
    IN_MODEL,
    MAX_MOVERS,
    MAX_OTHER_ROBOTS,
    PERSON,
    read_actor,
    read_moving,
    read_other_robot,
    read_person,
    ROBOT,
)
from bug_nav.simulation.sdf_values import NAMESPACE, planar, UPRIGHT, Values
from bug_nav.simulation.simple_polygon import is_simple
from bug_nav.simulation.untrusted_files import printable
from bug_nav.simulation.world import counter_clockwise, World, WorldError
from bug_nav.simulation.xml_tree import MAX_ELEMENTS, Node, read_xml
import numpy as np

LIDAR_HEIGHT = 0.18
"""Height in metres of the TurtleBot3 Burger's lidar above the ground."""

EPISODE = f'{NAMESPACE}episode'
MAX_CORNERS = 1000
DISC_SIDES = 48
# Height up to which a body is part of the floor, because wheels roll over it [m].
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
    """An upright prism: outline (n, 2) in the world frame, between two heights [m]."""

    outline: np.ndarray
    bottom: float
    top: float
    hidden: bool = False
    """Whether the body is wider below the lidar than at its height."""


def load_sdf(path: Union[str, Path], height: float = LIDAR_HEIGHT) -> World:
    """
    Read an SDF world file.

    :param path: a file with one `<world>`.
    :param height: height of the lidar above the ground, above 0 [m].
    :return: the cross-section, named after the file. Bodies below the lidar are listed in
        `unseen`; those above it or in the ground are left out.
    :raises WorldError: with file, line and element.
    """
    if not (math.isfinite(height) and height > 0):
        raise WorldError(f'the height of the lidar must be above 0 m, got {height}')
    return _Reader(Path(path), height).world()


def _with_overrides(model: Node, include: Node) -> Node:
    """Return an included model with the name, pose and static flag of its `<include>`."""
    given = {child.tag: child for child in include.children if child.tag in ('pose', 'static')}
    name = include.first('name')
    return replace(
        model, attributes={**model.attributes, **({'name': name.text} if name else {})},
        children=[*given.values(), *(child for child in model.children if child.tag not in given)])


def _count(node: Node) -> int:
    return 1 + sum(map(_count, node.children))


class _Reader(Values):
    """Walks the tree once, with the pose of the enclosing element, and collects outlines."""

    def __init__(self, path: Path, height: float) -> None:
        super().__init__(path)
        self.height = height
        self.solids: list[np.ndarray] = []
        self.movers: list[Mover] = []
        self.other_robots: list[OtherRobot] = []
        self.unseen: list[str] = []
        self.state: dict[str, Node] = {}
        self.world_path = path
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
                     movers=tuple(self.movers), other_robots=tuple(self.other_robots))

    # Elements, outermost first.

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
        """Read a child of `<world>`."""
        if node.tag == 'model':
            self.model(node, np.eye(4), '')
        elif node.tag == 'include':
            self.include(node, np.eye(4), '')
        elif node.tag == ACTOR:
            self.add_mover(node, read_actor(self, node))
        elif node.tag == PERSON:
            self.add_mover(node, read_person(self, node, f'person_{len(self.movers) + 1}'))
        elif node.tag == ROBOT:
            self.other_robots.append(read_other_robot(self, node))
            if len(self.other_robots) > MAX_OTHER_ROBOTS:
                raise self.error(node, f'more than {MAX_OTHER_ROBOTS} robots')
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
        """Read a model of another file; the include may override name, pose and static flag."""
        uri = node.first('uri')
        text = uri.text if uri else ''
        if is_ground_or_sun(text):
            return
        self.check_known_all(node, _IN_INCLUDE)
        before, self.depth = self.path, self.depth + 1
        if self.depth > MAX_DEPTH:
            raise self.error(node, f'models include each other more than {MAX_DEPTH} deep')
        try:
            if text not in self.included:
                self.included[text] = included_model(text, self.world_path)
            self.path, model = self.included[text]
        except WorldError as error:
            raise self.error(node, str(error)) from None
        self.elements += _count(model)
        if self.elements > MAX_ELEMENTS:
            raise self.error(node, f'more than {MAX_ELEMENTS} elements in what is included')
        self.model(_with_overrides(model, node), parent, scope, static)
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
            self.add_mover(node, read_moving(self, node, planar(pose), parts))

    def add_mover(self, node: Node, mover: Mover) -> None:
        """Add a mover with a unique name."""
        if any(other.name == mover.name for other in self.movers):
            raise self.error(node, f"a second mover is called '{mover.name}'")
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
            self.body(child, pose, where, self.add)
        if not collisions:
            for child in node.find_all('visual'):
                self.body(child, pose, where, self.reject_ghost)

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

    def add(self, node: Node, where: str, slab: _Slab) -> None:
        seen = slab.bottom <= self.height <= slab.top
        if seen:
            self.solids.append(slab.outline)
        if slab.hidden or (not seen and _FLOOR < slab.top and slab.bottom < self.height):
            self.unseen.append(where)

    def reject_ghost(self, node: Node, where: str, slab: _Slab) -> None:
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
        # The robot touches the sphere first where it is widest below the lidar.
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
                                    f"got '{printable(child.text, 60)}'")
        return values

    def check_scale(self, node: Node) -> None:
        scale = node.first('scale')
        if scale and (self.numbers(scale, scale.text, 3, 'scale') != 1).any():
            raise self.error(scale, f"<scale> of '{node.name}' in <state> cannot be read")


_SHAPES: dict[str, Callable] = {
    'box': _Reader.box, 'cylinder': _Reader.cylinder, 'polyline': _Reader.polyline,
    'sphere': _Reader.sphere, 'plane': _Reader.plane, 'empty': _Reader.empty}


def _disc(radius: float) -> np.ndarray:
    """Return the circumscribed regular polygon of a disc, symmetric in both axes."""
    angles = (np.arange(DISC_SIDES) + 0.5) * (2 * math.pi / DISC_SIDES)
    outer = radius / math.cos(math.pi / DISC_SIDES)
    return outer * np.column_stack((np.cos(angles), np.sin(angles)))
