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
Read movers from an SDF file: actors, and the extensions of bug_nav.

Within `<actor>`: attributes `bug_nav:radius`, `bug_nav:legs`, `bug_nav:manner`. Within a
`<model>` of the world, one of `<bug_nav:moves>` and `<bug_nav:door>`, and `<bug_nav:there>`.
Within `<world>`: `<bug_nav:person>` and `<bug_nav:robot>`. docs/worlds.md describes them.

The script of an actor is read as Gazebo 11 plays it (physics/Actor.cc): trajectories in the order
of their id; the first pose holds until the first time; the delay applies to each cycle. Between
waypoints an actor moves straight, not along a spline.

Source: http://sdformat.org/spec?ver=1.6&elem=actor.
"""

from __future__ import annotations

import math
from typing import Optional, Sequence

from bug_nav.navigation.algorithms.registry import find, UnknownAlgorithm
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.movers import (
    AutomaticDoor,
    Mover,
    Person,
    Script,
    Scripted,
    standing_person,
)
from bug_nav.simulation.other_robots import OtherRobot
from bug_nav.simulation.sdf_values import NAMESPACE, planar, short, Values
from bug_nav.simulation.world import WorldError
from bug_nav.simulation.xml_tree import Node
import numpy as np

ACTOR, PERSON, ROBOT = 'actor', f'{NAMESPACE}person', f'{NAMESPACE}robot'
MOVES, DOOR, THERE, WAYPOINT = (
    f'{NAMESPACE}{name}' for name in ('moves', 'door', 'there', 'waypoint'))
IN_MODEL = (MOVES, DOOR, THERE)
"""Elements that make a model a mover."""
RADIUS = 0.25
"""Default radius of a person's body [m]."""
MAX_MOVERS, MAX_OTHER_ROBOTS, MAX_WAYPOINTS = 200, 20, 1000
JUMP = 0.001
"""Duration of the jump between trajectories that are not continuous [s]."""

_IN_ACTOR = frozenset(('animation', 'frame', 'plugin', 'pose', 'script', 'skin', 'static'))
_OF_ACTOR = tuple(f'{NAMESPACE}{name}' for name in ('radius', 'legs', 'manner'))
_OF_PERSON = ('name', 'route', 'speed', 'manner', 'pause', 'radius', 'legs')


def read_actor(read: Values, node: Node) -> Mover:
    """Return the mover of an `<actor>`: scripted, or a person if it has a manner."""
    link = node.first('link')
    if link:
        raise read.error(link, f"actor '{node.name}' has a <link>, and would be a disc here; make "
                               'it a model with <bug_nav:moves>')
    read.check_known_all(node, _IN_ACTOR)
    ours = [key for key in node.attributes if key.startswith(NAMESPACE)]
    for key in ours:
        if key not in _OF_ACTOR:
            raise read.error(node, f"<actor> has no attribute '{short(key)}'; allowed are "
                                   f'{", ".join(map(short, _OF_ACTOR))}')
    radius, legs, manner = _OF_ACTOR
    size, on_legs = read.length(node, radius, RADIUS, 2.0), read.switch(node, legs, False)
    script = _script(read, node)
    if manner not in node.attributes:
        return Scripted(node.name, standing_person(size, on_legs), script)
    try:
        return Person(node.name, *_route_and_speed(script), node.attributes[manner], 0.0, size,
                      on_legs)
    except WorldError as error:
        raise read.error(node, str(error)) from None


def _route_and_speed(script: Script) -> tuple[np.ndarray, float]:
    """Return the places and the maximum speed [m/s] of a script."""
    steps = np.hypot(*np.diff(script.poses[:, :2], axis=0).T)
    route = script.poses[np.concatenate(([True], steps > 0.0)), :2]
    return route, float(np.max(steps / np.diff(script.times), initial=0.0))


def _script(read: Values, actor: Node) -> Script:
    """Return the script of an actor."""
    standing = Script(np.zeros(1), np.array([planar(read.pose(actor)[0])]))
    script = actor.first('script')
    if script is None:
        # A plugin may move it.
        return standing
    read.check_known_all(script, ('loop', 'delay_start', 'auto_start', 'trajectory'))
    trajectories = script.find_all('trajectory')
    count = sum(len(each.find_all('waypoint')) for each in trajectories)
    if count > MAX_WAYPOINTS:
        raise read.error(script, f"actor '{actor.name}' has {count} waypoints; at most "
                                 f'{MAX_WAYPOINTS} are allowed')
    if not trajectories or not read.flag(script, 'auto_start', True):
        return standing
    delay = script.first('delay_start')
    time = float(read.numbers(delay, delay.text, 1, 'delay_start')[0]) if delay else 0.0
    if time < 0.0:
        raise read.error(script, f"delay_start of actor '{actor.name}' is {time:g} s; it must be "
                                 '0 or more')
    times: list[float] = []
    poses: list[Pose] = []
    for each in sorted(trajectories, key=lambda node: read.number(node, 'id', 0.0)):
        begins = time
        for past, pose in _trajectory(read, each, actor.name):
            time = begins + past
            times.append(max(time, times[-1] + JUMP) if times else time)
            poses.append(pose)
    if not times:
        return standing
    return _checked(read, script, times, poses, read.flag(script, 'loop', True))


def _trajectory(read: Values, node: Node, actor: str) -> list[tuple[float, Pose]]:
    """Return the waypoints of a trajectory sorted by time, from time 0."""
    points: dict[float, Pose] = {}
    for waypoint in node.find_all('waypoint'):
        time = waypoint.first('time')
        if time is None or waypoint.first('pose') is None:
            raise read.error(waypoint, f"a <waypoint> of actor '{actor}' needs <time> and <pose>")
        # Of two waypoints with the same time, the last one counts, as in Gazebo 11.
        points[float(read.numbers(time, time.text, 1, 'time')[0])] = planar(read.pose(waypoint)[0])
    ordered = sorted(points.items())
    if not ordered:
        return []
    if ordered[0][0] < 0.0:
        raise read.error(node, f"a waypoint of actor '{actor}' has the time {ordered[0][0]:g} s; "
                               'it must be 0 or more')
    return ordered if ordered[0][0] == 0.0 else [(0.0, ordered[0][1]), *ordered]


def read_moving(read: Values, node: Node, pose: Pose, parts: Sequence[np.ndarray]) -> Mover:
    """
    Return the mover of a model that has one of `IN_MODEL`.

    :param pose: pose of the model in the file.
    :param parts: its outlines at that pose and the height of the lidar, in the world frame.
    """
    moves, door, there = (_only(read, node, tag) for tag in IN_MODEL)
    if not parts:
        raise read.error(node, f"model '{node.name}' moves and has nothing at the height of the "
                               'lidar')
    if door and (moves or there):
        raise read.error(door, f"model '{node.name}' has <bug_nav:door> and "
                               f'<{short(moves or there or node)}>; one of them is allowed')
    back = pose.inverse()
    own = tuple(np.array([back.apply(tuple(corner)) for corner in part]) for part in parts)
    if door:
        read.attributes(door, ('open', 'duration', 'within'))
        return AutomaticDoor(
            node.name, own, pose, Pose(*read.place(door, 'open', 3)),
            read.length(door, 'duration', AutomaticDoor.duration, 1000.0),
            read.length(door, 'within', AutomaticDoor.within, 1000.0))
    script, gives_way = (_moves(read, moves) if moves
                         else (Script(np.zeros(1), np.array([pose])), True))
    since, until = 0.0, math.inf
    if there:
        read.attributes(there, ('since', 'until'))
        since, until = (read.number(there, 'since', since), read.number(there, 'until', until))
        if not 0.0 <= since < until:
            raise read.error(there, f'<bug_nav:there> has since {since:g} and until {until:g} s; '
                                    'since must be at least 0 and less than until')
    return Scripted(node.name, own, script, since, until, gives_way)


def _only(read: Values, node: Node, tag: str) -> Optional[Node]:
    """Return the only child with a tag, or None; reject a second one."""
    found = node.find_all(tag)
    if len(found) > 1:
        raise read.error(found[1], f"a second <{short(tag)}> in model '{node.name}'")
    return found[0] if found else None


def _moves(read: Values, node: Node) -> tuple[Script, bool]:
    read.attributes(node, ('loop', 'gives_way'))
    read.check_known_all(node, (WAYPOINT,))
    if len(node.children) > MAX_WAYPOINTS:
        raise read.error(node, f'{len(node.children)} waypoints; at most {MAX_WAYPOINTS} are '
                               'allowed')
    times, poses = [], []
    for waypoint in node.children:
        read.attributes(waypoint, ('time', 'pose'))
        times.append(read.place(waypoint, 'time', 1)[0])
        poses.append(Pose(*read.place(waypoint, 'pose', 3)))
    return (_checked(read, node, times, poses, read.switch(node, 'loop', True)),
            read.switch(node, 'gives_way', True))


def _checked(read: Values, node: Node, times: Sequence[float], poses: Sequence[Pose],
             loop: bool) -> Script:
    try:
        return Script(np.array(times), np.array(poses), loop)
    except WorldError as error:
        raise read.error(node, f'<{short(node)}>: {error}') from None


def read_person(read: Values, node: Node, default_name: str) -> Person:
    """Return the person of a `<bug_nav:person>`."""
    given = read.attributes(node, _OF_PERSON)
    words = len(given.get('route', '').split())
    if words % 2 or not 4 <= words <= 2 * MAX_WAYPOINTS:
        raise read.error(node, f'the route of a person has {words} numbers; it needs x and y of '
                               f'2 to {MAX_WAYPOINTS} places')
    route = np.array(read.place(node, 'route', words)).reshape(-1, 2)
    speed, pause, radius = (read.number(node, key, default) for key, default in (
        ('speed', Person.speed), ('pause', Person.pause), ('radius', RADIUS)))
    legs = read.switch(node, 'legs', False)
    try:
        return Person(node.name or default_name, route, speed, given.get('manner', Person.manner),
                      pause, radius, legs)
    except WorldError as error:
        raise read.error(node, str(error)) from None


def read_other_robot(read: Values, node: Node) -> OtherRobot:
    """Return the robot of a `<bug_nav:robot>`."""
    algorithm = read.attributes(node, ('start', 'goal', 'algorithm')).get(
        'algorithm', OtherRobot.algorithm)
    try:
        find(algorithm)
    except UnknownAlgorithm as error:
        raise read.error(node, str(error)) from None
    return OtherRobot(read.place(node, 'start', 3), read.place(node, 'goal', 2), algorithm)
