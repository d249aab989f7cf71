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

The reader takes the collision geometry of a world as Gazebo does, with the models that it includes
(`simulation.sdf_resources`), at poses in any frame (`simulation.sdf_frames`). A geometry that
cannot be cut (`simulation.sdf_shapes`) or a pose that cannot be resolved is rejected by name and
line, because a missing obstacle would invalidate every verdict. `World.notes` names everything
else that is left out.

Choices where SDFormat leaves room:

- Visuals do not count: a lidar that ray-casts images (gpu_ray) sees them, one that ray-casts
  bodies (ray) does not, and a robot does not touch them.
- A model that is not static stands at its initial pose, whether it has joints or not.
- A robot, that is a movable model that a plugin drives or that has sensors and joints, is left
  out; the pose of the first one is the start if the world has none. No part of it is static or
  fixed to the world.
- A `<state>` saved by the Gazebo window overrides the poses of models and links, and scales their
  shapes, as in Gazebo.

Start and goal are `<bug_nav:episode start="x y yaw" goal="x y"/>` in `<world>`, with
`xmlns:bug_nav="urn:bug_nav"` on `<sdf>`; SDFormat ignores such elements. `simulation.sdf_movers`
reads movers.

Source: http://sdformat.org/spec?ver=1.6, http://sdformat.org/tutorials (pose semantics);
Model.cc of gazebosim/gazebo-classic (states).
"""

from __future__ import annotations

from dataclasses import replace
import math
from pathlib import Path
import re
from typing import Iterator, NamedTuple, Optional, Union

from bug_nav.files.untrusted import printable
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.names import listed
from bug_nav.simulation.movers import Mover
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.sdf_frames import Frames
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
from bug_nav.simulation.sdf_resources import (
    CONTENTS,
    is_ground_or_sun,
    MAX_DEPTH,
    MissingFile,
    Resources,
)
from bug_nav.simulation.sdf_shapes import FLOOR, IN_GEOMETRY, Shapes
from bug_nav.simulation.sdf_values import MAX_NUMBER, NAMESPACE, planar, UPRIGHT, Values
from bug_nav.simulation.world import World, WorldError
from bug_nav.simulation.xml_tree import MAX_ELEMENTS, Node, read_xml
import numpy as np

LIDAR_HEIGHT = 0.18
"""Height in metres of the TurtleBot3 Burger's lidar above the ground."""
MISSING = ('refuse', 'skip')
MAX_MISSING = 100
"""Maximum number of missing models that are left out, and of missing meshes that are named."""

EPISODE = f'{NAMESPACE}episode'

_IN_WORLD = frozenset((
    'atmosphere', 'audio', 'frame', 'gravity', 'gui', 'joint', 'light', 'magnetic_field',
    'physics', 'plugin', 'road', 'scene', 'spherical_coordinates', 'state', 'wind', EPISODE,
    PERSON, ROBOT))
_IN_MODEL = frozenset((
    'allow_auto_disable', 'enable_wind', 'frame', 'gripper', 'joint', 'plugin', 'pose',
    'self_collide', 'static', *IN_MODEL))
_IN_INCLUDE = frozenset(('name', 'placement_frame', 'plugin', 'pose', 'static', 'uri'))
_IN_LINK = frozenset((
    'audio_sink', 'audio_source', 'battery', 'collision', 'enable_wind', 'gravity', 'inertial',
    'kinematic', 'light', 'must_be_base_link', 'particle_emitter', 'plugin', 'pose', 'projector',
    'self_collide', 'sensor', 'velocity_decay', 'visual'))
_IN_COLLISION = frozenset((
    'auto_inertia_params', 'density', 'enable_wind', 'frame', 'geometry', 'laser_retro',
    'max_contacts', 'pose', 'surface'))
_PARAMS = ('{experimental}params', '{http://sdformat.org/schemas/experimental}params')
_WITHOUT_SHAPE = frozenset(('gui', 'light', 'plugin', 'projector', 'sensor', 'visual'))
"""Elements that parameters of an `<include>` may change without an effect on what is read."""
# Plugins that drive a robot, by the names of their libraries.
_DRIVES = re.compile(
    'diff[_-]?drive|differential|skid|ackermann|mecanum|omni(?!verse)|planar_?move|tricycle'
    '|track-?(ed|contr)|velocity-control|multicopter|motor-?model|thruster|hydrodynamics'
    '|ros2?_control|vehicleplugin|carplugin', re.IGNORECASE)


class _Place(NamedTuple):
    """Where a model is read: its frame and what it inherits from the element around it."""

    pose: np.ndarray
    frames: Frames
    scope: str = ''
    static: bool = False


def load_sdf(path: Union[str, Path], height: float = LIDAR_HEIGHT, is_alone: bool = False,
             missing: str = 'refuse') -> World:
    """
    Read an SDF world file.

    :param path: a file with one `<world>`.
    :param height: height of the lidar above the ground, above 0 [m].
    :param is_alone: read no file that the world names by its path, as for a file of a stranger.
    :param missing: treatment of models and meshes that are not on this computer, one of MISSING.
    :return: the cross-section, named after the file. Bodies below the lidar are listed in
        `unseen`; those above it or in the ground are left out; `notes` lists what is ignored.
    :raises WorldError: with file, line and element.
    """
    if not (math.isfinite(height) and height > 0):
        raise WorldError(f'the height of the lidar must be above 0 m, got {height}')
    if missing not in MISSING:
        raise WorldError(f"{path}: missing is '{printable(missing, 60)}'; give "
                         f'{" or ".join(MISSING)}')
    return _Reader(Path(path), height, is_alone, missing == 'skip').world()


def _count(node: Node) -> int:
    return 1 + sum(map(_count, node.children))


def _all(node: Node, tag: str) -> Iterator[Node]:
    """Yield the elements with a tag within an element, at any depth."""
    for child in node.children:
        if child.tag == tag:
            yield child
        yield from _all(child, tag)


class _Reader(Values):
    """Walks the tree once, with the pose of the enclosing element, and collects outlines."""

    def __init__(self, path: Path, height: float, is_alone: bool, skips_missing: bool) -> None:
        super().__init__()
        self.path = path
        self.height = height
        self.resources = Resources(path, is_alone, skips_missing)
        self.shapes = Shapes(self, self.resources, height)
        self.solids: list[np.ndarray] = []
        self.movers: list[Mover] = []
        self.other_robots: list[OtherRobot] = []
        self.unseen: list[str] = []
        self.bare: list[str] = []
        self.jointed: list[str] = []
        self.far: list[str] = []
        self.buried: list[str] = []
        self.floating: list[str] = []
        self.bottoms: list[float] = []
        self.missing: dict[tuple[str, Path], str] = {}
        self.robots: list[tuple[str, Pose]] = []
        self.outside: list[str] = []
        self.elements = 0

    def world(self) -> World:
        root = read_xml(self.path)
        if root.tag != 'sdf':
            raise self.error(root, f'the root element is <{root.tag}>, not <sdf>' + (
                '; this is a robot in URDF: run `gz sdf -p FILE > model.sdf`, and include that in '
                'a world' if root.tag == 'robot' else ''))
        worlds = root.find_all('world')
        if not worlds:
            raise self.error(root, 'no <world> in <sdf>; ' + (
                'to open a model, include it in a world' if root.first('model') else
                'give a file with one'))
        if len(worlds) > 1:
            names = listed([f"'{each.name}'" for each in worlds])
            raise self.error(worlds[1], f'{len(worlds)} worlds in one file, {names}; keep one of '
                                        'them')
        self.outside = [child.name or child.tag for child in root.children
                        if child.tag in (*CONTENTS, 'include')]
        start, goal = self.episode(worlds[0])
        world = self.with_models(worlds[0], 0)
        states = {child.name: child for state in world.find_all('state')[:1]
                  for child in state.find_all('model')}
        place = _Place(np.eye(4), Frames(self, world))
        for child in world.children:
            self.member(child, place, states)
        if start is None and self.robots:
            start = tuple(self.robots[0][1])
        return World(self.path.stem, tuple(self.solids), start, goal, tuple(self.unseen),
                     movers=tuple(self.movers), other_robots=tuple(self.other_robots),
                     notes=tuple(self.notes()), cut=self.height)

    def notes(self) -> Iterator[str]:
        """Yield one sentence for each kind of thing that is not in the world as Gazebo has it."""
        for k, (name, (x, y, yaw)) in enumerate(self.robots):
            where = f'x {x:.4g}, y {y:.4g}, yaw {yaw:.4g}'
            yield (f"the robot '{name}' is left out; it stands at {where}"
                   + (', which is the start unless one is given' if not k else ''))
        for names, what in ((self.jointed, 'models with joints stand as at time zero'),
                            (self.bare, 'links without a collision are left out, as are all '
                             'visuals'),
                            (self.shapes.hulls, 'meshes are cut as they are, without the '
                             'convex hull that gz-sim puts around them'),
                            (self.outside, 'models beside <world> are left out, as in Gazebo'),
                            (self.far, 'bodies farther than 100 km away are left out'),
                            (self.buried, 'bodies below the ground, which is at height 0, are '
                             'left out'),
                            (self.floating, 'movable models above the lidar are left out, and may '
                             'fall in Gazebo'),
                            (list(self.ignored), 'unknown elements are ignored, as in Gazebo')):
            if names:
                yield f'{what}: {listed(names)}'
        lost = [f'{uri} ({where})' for uri, where in self.shapes.lost.items()]
        for names, what in ((lost, 'meshes'), (list(dict.fromkeys(self.missing.values())),
                                               'models')):
            if names:
                # All of them, because each may be an obstacle.
                yield f'missing {what} are left out, as in Gazebo: {listed(names, MAX_MISSING)}'

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

    def with_models(self, node: Node, depth: int) -> Node:
        """Return a world or model with the content of files in place of each `<include>`."""
        # Models that were inserted in the Gazebo window are in the state only.
        inserted = [child for state in node.find_all('state')[:1]
                    for each in state.find_all('insertions') for child in each.children]
        children = []
        for child in (*node.children, *inserted):
            if child.tag == 'include':
                children += self.included(child, depth)
            else:
                children.append(
                    self.with_models(child, depth) if child.tag == 'model' else child)
        return replace(node, children=children)

    def included(self, node: Node, depth: int) -> list[Node]:
        """Return the model or actor of a file, with what the include overrides."""
        uri = node.first('uri')
        if uri is None:
            raise self.error(node, 'an <include> has no <uri>; give model://NAME, an address of '
                                   'Fuel or a path')
        text = uri.text
        if is_ground_or_sun(text):
            return []
        self.check_known_all(node, _IN_INCLUDE)
        for child in node.children:
            shaping = [each for each in child.children if each.tag not in _WITHOUT_SHAPE]
            if child.tag in _PARAMS and shaping:
                raise self.error(child, f'<{shaping[0].tag}> in the parameters of an <include> '
                                        'cannot be applied; write the model into the world')
        if depth >= MAX_DEPTH:
            raise self.error(node, f'models include each other more than {MAX_DEPTH} deep')
        content = self.content(node, text)
        if content is None:
            return []
        self.elements += _count(content)
        if self.elements > MAX_ELEMENTS:
            raise self.error(node, f'more than {MAX_ELEMENTS} elements in what is included')
        given = [child for child in node.children if child.tag in ('pose', 'static', 'plugin')]
        replaced = {child.tag for child in given} - {'plugin'}
        kept = [child for child in content.children if child.tag not in replaced]
        attributes = {**content.attributes, 'merge': node.attributes.get('merge', '')}
        for key in ('name', 'placement_frame'):
            named = node.first(key)
            if named:
                attributes[key] = named.text
        merged = replace(content, attributes=attributes, children=[*given, *kept])
        return [self.with_models(merged, depth + 1)]

    def content(self, node: Node, uri: str) -> Optional[Node]:
        """Return the element of an included file, or None for one that is left out."""
        if (uri, node.file) in self.missing:
            return None
        try:
            return self.resources.content(uri, node.file)
        except MissingFile:
            self.missing[uri, node.file] = printable(uri, 80)
        except WorldError as error:
            raise self.error(node, f'<include>: {error}') from None
        if len(self.missing) > MAX_MISSING:
            raise self.error(node, f'more than {MAX_MISSING} models are missing')
        return None

    def member(self, node: Node, place: _Place, states: dict[str, Node]) -> None:
        """Read a child of `<world>`."""
        if node.tag == 'model':
            self.model(node, place, states.get(node.name))
        elif node.tag == ACTOR:
            self.add_mover(node, read_actor(self, node))
        elif node.tag == PERSON:
            self.add_mover(node, read_person(self, node, f'person_{len(self.movers) + 1}'))
        elif node.tag == ROBOT:
            self.other_robots.append(read_other_robot(self, node))
            if len(self.other_robots) > MAX_OTHER_ROBOTS:
                raise self.error(node, f'more than {MAX_OTHER_ROBOTS} robots')
        elif node.tag == 'population':
            raise self.error(node, f"<population> '{node.name}' cannot be read; write its models "
                                   'into the world')
        else:
            self.check_known(node, _IN_WORLD)

    def model(self, node: Node, place: _Place, state: Optional[Node]) -> None:
        where = f'{place.scope}{node.name}'
        static = place.static or self.flag(node, 'static')
        pose = place.pose @ place.frames.pose(node)
        # Poses of a state are in the world.
        if state is not None:
            pose = self.pose(state)[0]
        if not static and self.is_robot(node):
            self.robots.append((where, planar(pose)))
            return
        if not static and any(_is_movable(joint) for joint in node.find_all('joint')):
            self.jointed.append(where)
        moving = [child for child in node.children if child.tag in IN_MODEL]
        if moving and (place.scope or pose[2, 2] < UPRIGHT):
            raise self.error(moving[0], f"model '{where}' moves; it has to stand upright in the "
                                        'world, and in no other model')
        first, first_bottom = len(self.solids), len(self.bottoms)
        here = _Place(pose, Frames(self, node), f'{where}/', static)
        saved = {} if state is None else {(child.tag, child.name): child
                                          for child in state.children}
        for child in node.children:
            if child.tag == 'model':
                self.model(child, here, saved.get(('model', child.name)))
            elif child.tag == 'link':
                self.link(child, here, saved.get(('link', child.name)), self.scale(state))
            else:
                self.check_known(child, _IN_MODEL)
        if moving:
            parts = self.solids[first:]
            del self.solids[first:]
            self.add_mover(node, read_moving(self, node, planar(pose), parts))
        # A joint may hold a model in another one.
        if (not (static or place.scope or _is_fixed(node))
                and min(self.bottoms[first_bottom:], default=0.0) > self.height):
            self.floating.append(where)

    def is_robot(self, model: Node) -> bool:
        """Return whether a plugin drives a movable model, or sensors watch its joints move."""
        # A building may contain robots, which are models in it.
        if any(self.flag(each, 'static') or _is_fixed(each)
               for each in (model, *_all(model, 'model'))):
            return False
        if any(_DRIVES.search(plugin.attributes.get(key, ''))
               for plugin in _all(model, 'plugin') for key in ('filename', 'name')):
            return True
        return (any(map(_is_movable, _all(model, 'joint')))
                and next(_all(model, 'sensor'), None) is not None)

    def scale(self, state: Optional[Node]) -> np.ndarray:
        scale = state.first('scale') if state else None
        return self.numbers(scale, scale.text, 3, 'scale') if scale else np.ones(3)

    def add_mover(self, node: Node, mover: Mover) -> None:
        """Add a mover with a unique name."""
        if any(other.name == mover.name for other in self.movers):
            raise self.error(node, f"a second mover is called '{mover.name}'")
        self.movers.append(mover)
        if len(self.movers) > MAX_MOVERS:
            raise self.error(node, f'more than {MAX_MOVERS} movers')

    def link(self, node: Node, model: _Place, state: Optional[Node], scale: np.ndarray) -> None:
        where = f'{model.scope}{node.name}'
        self.check_known_all(node, _IN_LINK)
        collisions = node.find_all('collision')
        if node.find_all('visual') and not collisions:
            self.bare.append(where)
        for child in collisions:
            in_model = model.frames.pose_in(node, child)
            pose = model.pose @ in_model
            if state is not None:
                pose = self.pose(state)[0] @ np.linalg.inv(model.frames.pose(node)) @ in_model
            self.body(child, pose, scale, f'{where}/{child.name}')

    def body(self, node: Node, pose: np.ndarray, scale: np.ndarray, where: str) -> None:
        self.check_known_all(node, _IN_COLLISION)
        geometries = node.find_all('geometry')
        for each in geometries:
            self.check_known_all(each, IN_GEOMETRY)
        found = geometries[0].children if len(geometries) == 1 else []
        shapes = [child for child in found if child.tag in IN_GEOMETRY] or found[:1]
        # Only the outlines of a polyline may be several.
        if not shapes or len(shapes) > 1 and {each.tag for each in shapes} != {'polyline'}:
            raise self.error(node, f"{node.tag} '{where}' needs one <geometry> with one shape")
        if np.abs(pose[:3, 3]).max() > MAX_NUMBER:
            self.far.append(where)
            return
        section = self.shapes.section(shapes, pose, scale, where)
        if section is None:
            return
        self.bottoms.append(section.bottom)
        self.solids += section.outlines
        if section.top < -FLOOR:
            self.buried.append(where)
        if section.hidden or (not section.outlines and FLOOR < section.top
                              and section.bottom < self.height):
            self.unseen.append(where)


def _is_fixed(model: Node) -> bool:
    """Return whether a fixed joint holds a model in the world."""
    return any(end.text == 'world' for joint in model.find_all('joint') if not _is_movable(joint)
               for end in joint.children if end.tag in ('parent', 'child'))


def _is_movable(joint: Node) -> bool:
    return joint.attributes.get('type', '') != 'fixed'
