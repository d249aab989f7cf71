#!/usr/bin/env python3
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
Write the shipped worlds, `worlds/*.world`.

The coordinates of the canonical scenes live here and nowhere else. Run without arguments to write
the files, with `--check` to compare them with what is committed (exit code 1 if they differ).
Needs only the standard library.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
import math
from pathlib import Path
import sys
from typing import Union

FOLDER = Path(__file__).resolve().parent.parent / 'worlds'
WALL_HEIGHT = 0.5
# The Burger's contour radius: R = 0.124 m plus 0.10 m of clearance.
RHO = 0.224
TURN = 0.5
"""Time that an actor takes to turn at a corner [s]."""

GREY, BLUE, GREEN, ORANGE, RED, VIOLET = (
    '0.62 0.65 0.69 1', '0.27 0.47 0.72 1', '0.36 0.62 0.42 1', '0.90 0.60 0.25 1',
    '0.78 0.34 0.30 1', '0.55 0.43 0.66 1')

Point = tuple


@dataclass(frozen=True)
class Box:
    """A box: centre, size [m] and yaw [rad]."""

    x: float
    y: float
    length: float
    width: float
    yaw: float = 0.0

    def pose(self) -> tuple:
        return (self.x, self.y, 0.5 * WALL_HEIGHT, 0.0, 0.0, self.yaw)

    def geometry(self) -> str:
        return f'<box><size>{_text(self.length, self.width, WALL_HEIGHT)}</size></box>'


@dataclass(frozen=True)
class Cylinder:
    """An upright cylinder [m]."""

    x: float
    y: float
    radius: float

    def pose(self) -> tuple:
        return (self.x, self.y, 0.5 * WALL_HEIGHT, 0.0, 0.0, 0.0)

    def geometry(self) -> str:
        return (f'<cylinder><radius>{_text(self.radius)}</radius>'
                f'<length>{_text(WALL_HEIGHT)}</length></cylinder>')


@dataclass(frozen=True)
class Polygon:
    """
    A prism over a simple polygon [m].

    Its points are written relative to its middle, because Gazebo 11 cannot triangulate some
    polygons farther from the origin and drops them with only a line in its log.
    """

    points: tuple

    def pose(self) -> tuple:
        return (*self.middle(), 0.0, 0.0, 0.0, 0.0)

    def middle(self) -> Point:
        # Round, so that no digit of the points is lost.
        x, y = (round(0.5 * (min(axis) + max(axis)), 1) for axis in zip(*self.points))
        return (x, y)

    def geometry(self) -> str:
        x0, y0 = self.middle()
        points = ''.join(f'\n              <point>{_text(x - x0, y - y0)}</point>'
                         for x, y in self.points)
        return (f'<polyline>{points}\n              <height>{_text(WALL_HEIGHT)}</height>'
                '\n            </polyline>')


@dataclass(frozen=True)
class Moves:
    """Motion of a model: waypoints of time [s], x, y [m] and yaw [rad], repeated."""

    waypoints: tuple

    def text(self) -> str:
        lines = (f'        <bug_nav:waypoint time="{_text(time)}" pose="{_text(*pose)}"/>\n'
                 for time, *pose in self.waypoints)
        return f'      <bug_nav:moves>\n{"".join(lines)}      </bug_nav:moves>\n'


@dataclass(frozen=True)
class Door:
    """An automatic door, which opens to x, y [m] and yaw [rad] when a robot is near."""

    opened: tuple

    def text(self) -> str:
        return f'      <bug_nav:door open="{_text(*self.opened)}" duration="2" within="1.5"/>\n'


@dataclass(frozen=True)
class Obstacle:
    """A model: name, shapes (one link each), colour, pose and motion."""

    name: str
    shapes: tuple
    colour: str = GREY
    pose: tuple = ()
    moves: Union[Moves, Door, None] = None


@dataclass(frozen=True)
class Walker:
    """An actor that walks along a closed polyline at a speed [m/s]."""

    name: str
    corners: tuple
    speed: float
    legs: bool = False

    def text(self) -> str:
        return ACTOR.format(name=self.name, legs=' bug_nav:legs="true"' if self.legs else '',
                            waypoints=''.join(WAYPOINT.format(time=_text(round(time, 2)),
                                                              pose=_text(x, y, 0, 0, 0, yaw))
                                              for time, x, y, yaw in self.waypoints()))

    def waypoints(self) -> list:
        corners = (*self.corners, self.corners[0])
        legs = list(zip(corners, corners[1:]))
        yaws = [math.atan2(y1 - y0, x1 - x0) for (x0, y0), (x1, y1) in legs]
        time, found = 0.0, []
        for (begin, end), yaw in zip(legs, yaws):
            found.append((time, *begin, yaw))
            time += math.dist(begin, end) / self.speed
            found.append((time, *end, yaw))
            time += TURN
        return [*found, (time, *self.corners[0], yaws[0])]


@dataclass(frozen=True)
class Robot:
    """Another robot that runs bug_nav."""

    start: tuple
    goal: tuple

    def text(self) -> str:
        return f'    <bug_nav:robot start="{_text(*self.start)}" goal="{_text(*self.goal)}"/>\n'


@dataclass(frozen=True)
class Scene:
    """One world file."""

    name: str
    about: str
    start: tuple
    goal: tuple
    obstacles: tuple
    others: tuple = ()


def rectangle(x0: float, x1: float, y0: float, y1: float) -> Box:
    """Return the box [x0, x1] x [y0, y1]."""
    return Box(0.5 * (x0 + x1), 0.5 * (y0 + y1), x1 - x0, y1 - y0)


def frame(x0: float, x1: float, y0: float, y1: float, wall: float) -> tuple:
    """Return four walls around the room [x0, x1] x [y0, y1]; the first two include the corners."""
    return (rectangle(x0 - wall, x1 + wall, y0 - wall, y0),
            rectangle(x0 - wall, x1 + wall, y1, y1 + wall),
            rectangle(x0 - wall, x0, y0 - wall, y1 + wall),
            rectangle(x1, x1 + wall, y0 - wall, y1 + wall))


def thick(*line: Point, half: float = 0.1) -> Polygon:
    """Return a polyline thickened by `half` on each side: mitred corners, flat ends."""
    left = _offset(line, half)
    right = _offset(line, -half)
    return Polygon(tuple(right + left[::-1]))


def _offset(line: tuple, by: float) -> list:
    """Return the polyline offset to its left by `by`."""
    directions = []
    for (x0, y0), (x1, y1) in zip(line, line[1:]):
        length = math.hypot(x1 - x0, y1 - y0)
        directions.append(((x1 - x0) / length, (y1 - y0) / length))
    moved = []
    for k, (x, y) in enumerate(line):
        (ax, ay), (bx, by_) = directions[max(k - 1, 0)], directions[min(k, len(directions) - 1)]
        scale = by / (1.0 + ax * bx + ay * by_)
        moved.append((x - scale * (ay + by_), y + scale * (ax + bx)))
    return moved


def regular(x: float, y: float, radius: float, sides: int) -> Polygon:
    """Return a regular polygon inscribed in a circle."""
    angles = [2 * math.pi * k / sides for k in range(sides)]
    return Polygon(tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles))


def room_with_door(low: float, high: float) -> Polygon:
    """Return the room [3, 6] x [-1.5, 1.5] with walls of 0.2 m and a door in its left wall."""
    return Polygon((
        (3, -1.5), (6, -1.5), (6, 1.5), (3, 1.5), (3, high), (3.2, high), (3.2, 1.3),
        (5.8, 1.3), (5.8, -1.3), (3.2, -1.3), (3.2, low), (3, low)))


SPIRAL = thick((0, 0), (7, 0), (7, 7), (0, 7), (0, 1.8), (5.2, 1.8), (5.2, 5.2), (1.8, 5.2),
               (1.8, 3.5))
SPIRAL_12 = thick((0, 0), (1.8, 0), (1.8, 1.8), (-1.8, 1.8), (-1.8, -1.8), (3.6, -1.8), (3.6, 3.6),
                  (-3.6, 3.6), (-3.6, -3.6), (5.4, -3.6), (5.4, 5.4), (-5.4, 5.4), (-5.4, -5.4))


def single(*shapes, colour: str = BLUE) -> tuple:
    """Return the only obstacle of a scene."""
    return (Obstacle('obstacle', shapes, colour),)


def _spiral(name: str, about: str, start: Point, goal: Point, wall: Polygon = SPIRAL) -> Scene:
    return Scene(name, about, (*start, 0), goal, single(wall, colour=VIOLET))


def canonical() -> tuple:
    """Return the scenes of the literature, each made for one property of the algorithms."""
    return (
        Scene('open', 'Nothing in the way.', (0, 0, 0), (5, 0), ()),
        Scene('box', 'Longer on the left than on the right: checks the turn directions.',
              (0, 0, 0), (6, 0), single(rectangle(2.5, 3.5, -0.8, 1.6))),
        Scene('u_trap', 'A pocket that opens towards the start: Bug0 never leaves it.',
              (0, 0.2, 0), (6, 0.2), single(thick((2, 1.4), (4, 1.4), (4, -1.4), (2, -1.4)))),
        _spiral('spiral_in', 'The goal is inside a spiral.', (-2, 3.2), (3.4, 3.4)),
        _spiral('spiral_out', 'The start is inside a spiral; the M-line crosses it four times.',
                (3.4, 3.4), (10, 3)),
        _spiral('spiral_out_W', 'Like spiral_out, to the other side.', (3.4, 3.4), (-3, 3.9)),
        _spiral('sp12_E', 'Out of a spiral with many windings.', (0.9, 0.9), (7.4, 1), SPIRAL_12),
        _spiral('sp12_in', 'Into a spiral with many windings: Bug1 can beat Bug2.',
                (7.4, 1), (0.9, 0.9), SPIRAL_12),
        Scene('ring_goal', 'The goal is in a closed room: unreachable.', (0, 0.3, 0), (4.5, 0.1),
              single(*frame(3.2, 5.8, -1.3, 1.3, 0.2), colour=RED)),
        Scene('ring_start', 'The start is in a closed room: unreachable.', (0, 0.2, 0), (5, 0.1),
              single(*frame(-1.3, 1.3, -1.3, 1.3, 0.2), colour=RED)),
        Scene('arena_out', 'The goal is outside the arena that the start is in: unreachable.',
              (1, 1, 0), (7, 5), single(*frame(0, 4, 0, 6, 0.2), colour=RED)),
        Scene('goal_solid', 'The goal is inside an obstacle: unreachable.', (0, 0.2, 0), (4, 0.1),
              single(rectangle(3, 5, -1, 1), colour=RED)),
        Scene('narrow_door', 'A door of 0.17 m: open for a point, shut for a robot.',
              (0, 0.3, 0), (4.5, 0.1), single(room_with_door(0.08, 0.25), colour=ORANGE)),
        Scene('door_050', 'A door of 0.50 m, little more than the Burger with its clearance.',
              (0, 0.3, 0), (4.5, 0.1), single(room_with_door(-0.15, 0.35), colour=ORANGE)),
        Scene('graze', 'A wall exactly on the M-line of a point.', (0, 0, 0), (5, 0),
              single(rectangle(2, 3, 0, 1))),
        Scene('touch', 'The wall begins 2 cm beyond the contour radius: a hit at the start.',
              (1 - RHO - 0.02, 0, 0), (4, 0), single(rectangle(1, 2, -1, 1.5))),
        Scene('pole', 'The shortest possible lap.', (0, 0, 0), (4, 0),
              single(regular(2, 0.02, 0.05, 16), colour=ORANGE)),
        Scene('two_close', 'A gap of 0.2 m: two obstacles for a point, one for a robot.',
              (0, -0.3, 0), (5, -0.31),
              (Obstacle('lower', (rectangle(2, 3, -1, 0),), BLUE),
               Obstacle('upper', (rectangle(2, 3, 0.2, 1.2),), GREEN))),
        _maze(),
        Scene('gap_step', 'Between two slabs there is 10 cm more than a robot needs.',
              (0, 0, 0), (6, 0.05),
              (Obstacle('near', (rectangle(2, 3, -2, 2),), BLUE),
               Obstacle('far', (rectangle(3.1 + 2 * RHO, 4 + 2 * RHO, -2.5, 2.5),), GREEN))),
        Scene('cell', 'A closed room in which the robot can just turn: unreachable.',
              (0, 0, 0), (3, 0),
              single(*frame(*(-RHO - 0.05, RHO + 0.05) * 2, 0.1), colour=RED)))


def _maze() -> Scene:
    # The walls overlap those of the arena by 0.1 m, so that all are one contour.
    walls = (rectangle(1.4, 1.6, -0.1, 4.5), rectangle(2.9, 3.1, 1.5, 6.1),
             rectangle(4.4, 4.6, -0.1, 4.5))
    return Scene('maze', 'A serpentine whose walls and arena are one contour.',
                 (0.7, 0.7, 0), (5.3, 0.75),
                 (Obstacle('arena', frame(0, 6, 0, 6, 0.2), GREY), Obstacle('walls', walls, BLUE)))


LABYRINTH = """
+--+--+--+--+--+--+--+--+
|                       |
+--+--+--+  +  +--+--+  +
|  |     |  |        |  |
+  +  +  +  +  +--+  +  +
|     |     |  |     |  |
+  +--+--+--+  +  +--+  +
|  |     |  |  |     |  |
+  +  +  +--+  +--+  +--+
|  |  |  |        |     |
+  +  +  +  +--+--+--+  +
|     |  |  |        |  |
+--+--+  +--+  +--+  +  +
|     |  |     |     |  |
+  +--+  +  +--+  +--+  +
|                       |
+--+--+--+--+--+--+--+--+
"""


def walls_of(drawing: str, cell: float, wall: float) -> tuple:
    """Return the walls of a maze of square cells, one box per straight wall."""
    lines = drawing.strip().splitlines()
    rows, columns = len(lines) // 2, len(lines[0]) // 3
    found = []
    for i in range(rows + 1):
        sides = [lines[2 * i][3 * j + 1] == '-' for j in range(columns)]
        y = (rows - i) * cell
        found += [rectangle(a * cell - wall / 2, b * cell + wall / 2, y - wall / 2, y + wall / 2)
                  for a, b in _stretches(sides)]
    for j in range(columns + 1):
        sides = [lines[2 * i + 1][3 * j] == '|' for i in range(rows)][::-1]
        x = j * cell
        found += [rectangle(x - wall / 2, x + wall / 2, a * cell - wall / 2, b * cell + wall / 2)
                  for a, b in _stretches(sides)]
    return tuple(found)


def _stretches(marks: list) -> list:
    """Return begin and end of each run of set marks."""
    begins = [k for k, mark in enumerate(marks) if mark and not (k and marks[k - 1])]
    ends = [k + 1 for k, mark in enumerate(marks) if mark and not any(marks[k + 1:k + 2])]
    return list(zip(begins, ends))


def paper() -> tuple:
    """
    Return an arena of convex obstacles and a maze, each with a closed room.

    After the kinds of environments in which Bug1 and Bug2 drove a TurtleBot3 in Gazebo: I.
    Spektor, A. Zagirov, R. Safin and E. Magid, Proc. ICAROB 2024.
    """
    obstacles = (
        Obstacle('arena', frame(-4, 4, -4, 4, 0.1), GREY),
        Obstacle('crates', (Box(-1.9, -1.7, 0.9, 0.6, 0.5), Box(1.5, 1.6, 0.8, 0.8, 0.7)), ORANGE),
        Obstacle('slab', (Box(-0.2, 0.1, 1.8, 0.5, -0.7),), BLUE),
        Obstacle('drums', (Cylinder(-2.3, 1.2, 0.45), Cylinder(1.2, -1.0, 0.3)), GREEN),
        Obstacle('hexagon', (regular(-0.6, 2.5, 0.55, 6),), VIOLET),
        Obstacle('triangle', (Polygon(((2.2, -0.5), (3.3, 0.1), (2.3, 0.6))),), RED),
        Obstacle('pentagon', (regular(-0.5, -2.7, 0.5, 5),), BLUE),
        Obstacle('locked_room', frame(1.9, 3.1, -3.1, -1.9, 0.1), GREY))
    cell = 1.1
    return (
        Scene('convex', 'Convex obstacles in an arena. Another goal, 2.5,-2.5 in the locked room, '
              'is unreachable.', (-3.3, -3.3, 0.8), (3.1, 3.2), obstacles),
        Scene('labyrinth', 'A maze with islands. Another goal, 3.85,4.95 in the locked cell, is '
              'unreachable.', (0.55, 0.55, 0), (7.5 * cell, 4.5 * cell),
              (Obstacle('walls', walls_of(LABYRINTH, cell, 0.1), BLUE),)))


def course() -> tuple:
    """
    Return seven environments for a first course, in order; each teaches one thing.

    Own designs, inspired by course projects that show TangentBug in seven environments.
    """
    def scene(name: str, about: str, start: tuple, goal: Point, *obstacles: Obstacle,
              size: tuple = (8, 6)) -> Scene:
        arena = Obstacle('arena', frame(0, size[0], 0, size[1], 0.1), GREY)
        return Scene(f'course_{name}', about, start, goal, (arena, *obstacles))

    return (
        scene('1_wall', 'One wall, two ways round it: the side matters.',
              (1, 2.8, 0), (7, 2.8),
              Obstacle('wall', (rectangle(3.9, 4.1, 1.6, 3.9),), BLUE)),
        scene('2_scatter', 'Convex obstacles, scattered: one after the other.',
              (0.7, 0.7, 0.6), (7.3, 5.3),
              Obstacle('drums', (Cylinder(2.0, 1.5, 0.4), Cylinder(3.6, 3.4, 0.5),
                                 Cylinder(6.6, 3.9, 0.35)), GREEN),
              Obstacle('crates', (Box(4.0, 1.4, 0.8, 0.5, 0.5), Box(1.6, 3.6, 0.6, 1.0, -0.3),
                                  Box(5.6, 2.5, 0.5, 0.9, 0.9)), ORANGE),
              Obstacle('blocks', (regular(5.3, 4.7, 0.45, 6), regular(6.7, 1.2, 0.5, 3),
                                  regular(2.9, 5.0, 0.4, 5)), VIOLET)),
        scene('3_pocket', 'A pocket that opens towards the start: first away from the goal, then '
              'to it.', (1, 3.2, 0), (7, 3),
              Obstacle('pocket', (thick((2.8, 4.5), (4.9, 4.5), (4.9, 1.6), (2.8, 1.6)),), BLUE)),
        scene('4_horizon', 'A wall longer than the lidar range: the part beyond it matters.',
              (1.5, 5.5, 0), (10.5, 5.5),
              Obstacle('wall', (rectangle(5.9, 6.1, 1.2, 11),), BLUE), size=(12, 12)),
        scene('5_chicane', 'Alternating walls from both sides: tests the leave condition.',
              (0.8, 0.8, 0.7), (9.2, 0.8),
              Obstacle('from_below', (rectangle(2, 2.2, -0.05, 2.7),
                                      rectangle(6.2, 6.4, -0.05, 2.7)), BLUE),
              Obstacle('from_above', (rectangle(4.1, 4.3, 1.3, 4.05),
                                      rectangle(8.2, 8.4, 1.3, 4.05)), VIOLET), size=(10, 4)),
        scene('6_courtyard', 'The start is in a courtyard whose gate is on the far side: out '
              'backwards.', (4.6, 2.4, 0), (7.3, 3.2),
              Obstacle('court', (thick((2.2, 3.4), (2.2, 1.2), (5.8, 1.2), (5.8, 4.8), (2.2, 4.8),
                                       (2.2, 4.3)),), ORANGE),
              Obstacle('well', (Cylinder(3.6, 3.2, 0.4),), GREEN)),
        scene('7_locked', 'The goal is behind a closed fence: unreachable, to be proved.',
              (0.8, 1, 0.5), (5.6, 3.2),
              Obstacle('fence', _fence(5.6, 3.2, 1.3, 6, 0.12), RED),
              Obstacle('crate', (Box(2.6, 1.9, 0.9, 0.6, 0.3),), ORANGE),
              Obstacle('drum', (Cylinder(2.2, 4.3, 0.45),), GREEN)))


def _fence(x: float, y: float, radius: float, sides: int, wall: float) -> tuple:
    """Return the walls of a closed regular polygon; they overlap at its corners."""
    apothem, side = radius * math.cos(math.pi / sides), 2 * radius * math.sin(math.pi / sides)
    angles = [math.pi * (2 * k + 1) / sides for k in range(sides)]
    return tuple(Box(x + apothem * math.cos(a), y + apothem * math.sin(a), side + wall, wall,
                     a + 0.5 * math.pi) for a in angles)


def demo() -> Scene:
    """Return the world of `make demo`."""
    return Scene(
        'demo', 'A mix of obstacles for a first run.', (0.7, 0.8, 0.6), (7.3, 5.2),
        (Obstacle('arena', frame(0, 8, 0, 6, 0.1), GREY),
         Obstacle('crate', (Box(1.95, 1.55, 0.7, 0.5, 0.2),), ORANGE),
         Obstacle('pocket', (thick((2.75, 3.05), (3.55, 3.6), (4.4, 2.4), (3.6, 1.85)),), BLUE),
         Obstacle('pillar', (Cylinder(5.15, 3.8, 0.28),), GREEN),
         Obstacle('corner', (thick((6.25, 5.0), (6.8, 4.35), (6.3, 3.2)),), VIOLET),
         Obstacle('block', (Box(5.3, 1.3, 0.8, 0.5, -0.4),), RED),
         Obstacle('drum', (Cylinder(1.4, 4.4, 0.35),), GREEN)))


def gallery() -> Scene:
    """Return the world of `make gallery`."""
    # Tilted, so that the far end of the slab is farther from the goal than its hit point;
    # and inside the shell the M-line crosses one wall after the other.
    return Scene(
        'gallery', 'A slab and the shell of a snail: every algorithm goes its own way.',
        (0.5, 2.3, 0), (7.5, 2.1),
        (Obstacle('slab', (Box(2.35, 2.4, 0.35, 2.6, 0.6),), ORANGE),
         Obstacle('shell', (thick((7.5, 4.5), (4.6, 4.5), (4.6, 0.5), (8.7, 0.5), (8.7, 3.3),
                                  (6.1, 3.3), (6.1, 1.8)),), VIOLET)))


def scenes() -> tuple:
    """Return all shipped scenes."""
    return (*canonical(), *paper(), *course(), demo(), gallery(), *moving())


def moving() -> tuple:
    """Return the worlds with dynamic obstacles."""
    wall, half_turn = 0.1, math.pi
    people = (Walker('ann', ((2, 1), (2, 7)), 0.6),
              Walker('ben', ((5, 7.3), (5, 0.7)), 1.0, legs=True),
              Walker('cleo', ((8, 1.2), (8, 6.8)), 0.8),
              Walker('dan', ((8.2, 4.5), (1.8, 3.6)), 0.9, legs=True),
              Walker('eve', ((1.5, 1), (8.5, 1), (8.5, 7), (1.5, 7)), 1.5),
              Walker('finn', ((4, 7), (6, 1)), 1.2))
    inner = (rectangle(3 - wall / 2, 3 + wall / 2, 0, 1.5),
             rectangle(3 - wall / 2, 3 + wall / 2, 2.5, 4),
             rectangle(6 - wall / 2, 6 + wall / 2, 0, 1.5),
             rectangle(6 - wall / 2, 6 + wall / 2, 2.5, 4))
    # The leaf is placed in the frame of its model, beside its hinge or in its groove.
    swings = Moves(((0, 3, 1.5, 0), (6, 3, 1.5, 0), (8, 3, 1.5, -half_turn / 2),
                    (20, 3, 1.5, -half_turn / 2), (22, 3, 1.5, 0)))
    return (
        Scene('crowd', 'Six people who walk through a hall and do not yield.', (0.8, 4, 0),
              (9.3, 4),
              (Obstacle('hall', frame(0, 10, 0, 8, wall), GREY),
               Obstacle('pillars', tuple(Cylinder(x, y, 0.3) for x in (3.2, 6.8)
                                         for y in (2.4, 5.6)), GREEN)), people),
        Scene('doors', 'A door that swings open periodically, and an automatic door.',
              (1, 2.2, 0), (8, 1.8),
              (Obstacle('rooms', (*frame(0, 9, 0, 4, wall), *inner), GREY),
               Obstacle('swinging', (Box(0, 0.5, 0.05, 0.98),), ORANGE, (3, 1.5, 0), swings),
               Obstacle('sliding', (Box(0, 0, 0.05, 1.02),), BLUE, (6, 2, 0),
                        Door((6, 0.98, 0))))),
        Scene('crossing', 'A corridor of 2 m with an oncoming robot.',
              (1, 1, 0), (11, 1),
              (Obstacle('corridor', frame(0, 12, 0, 2, wall), GREY),),
              (Robot((10.5, 1, half_turn), (1.5, 1)),)))


HEAD = """<?xml version="1.0"?>
<!-- {about} Written by tools/make_worlds.py. -->
<sdf version="1.6" xmlns:bug_nav="urn:bug_nav">
  <world name="{name}">
    <bug_nav:episode start="{start}" goal="{goal}"/>
    <gravity>0 0 -9.81</gravity>
    <physics type="ode">
      <max_step_size>0.001</max_step_size>
      <real_time_factor>1</real_time_factor>
      <real_time_update_rate>1000</real_time_update_rate>
    </physics>
    <scene>
      <ambient>0.5 0.5 0.5 1</ambient>
      <background>0.85 0.89 0.93 1</background>
      <shadows>false</shadows>
    </scene>
    <gui>
      <camera name="user_camera">
        <pose>{camera}</pose>
      </camera>
    </gui>
    <light name="sun" type="directional">
      <cast_shadows>false</cast_shadows>
      <pose>0 0 10 0 0 0</pose>
      <diffuse>0.8 0.8 0.8 1</diffuse>
      <specular>0.1 0.1 0.1 1</specular>
      <direction>-0.4 0.3 -0.9</direction>
    </light>
    <model name="ground_plane">
      <static>true</static>
      <link name="link">
        <collision name="collision">
          <geometry>
            <plane>
              <normal>0 0 1</normal>
              <size>100 100</size>
            </plane>
          </geometry>
          <surface>
            <friction>
              <ode>
                <mu>100</mu>
                <mu2>50</mu2>
              </ode>
            </friction>
          </surface>
        </collision>
        <visual name="visual">
          <cast_shadows>false</cast_shadows>
          <geometry>
            <plane>
              <normal>0 0 1</normal>
              <size>100 100</size>
            </plane>
          </geometry>
          <material>
            <ambient>0.95 0.95 0.93 1</ambient>
            <diffuse>0.95 0.95 0.93 1</diffuse>
          </material>
        </visual>
      </link>
    </model>
"""

MODEL = """    <model name="{name}">
      <static>true</static>
{pose}{moves}{links}    </model>
"""

ACTOR = """    <actor name="{name}" bug_nav:manner="yields"{legs}>
      <skin>
        <filename>walk.dae</filename>
      </skin>
      <animation name="walk">
        <filename>walk.dae</filename>
        <interpolate_x>true</interpolate_x>
      </animation>
      <script>
        <trajectory id="0" type="walk" tension="1">
{waypoints}        </trajectory>
      </script>
    </actor>
"""

WAYPOINT = """          <waypoint>
            <time>{time}</time>
            <pose>{pose}</pose>
          </waypoint>
"""

LINK = """      <link name="{name}">
        <pose>{pose}</pose>
        <collision name="collision">
          <geometry>
            {geometry}
          </geometry>
        </collision>
        <visual name="visual">
          <geometry>
            {geometry}
          </geometry>
          <material>
            <ambient>{colour}</ambient>
            <diffuse>{colour}</diffuse>
          </material>
        </visual>
      </link>
"""

TAIL = """  </world>
</sdf>
"""


def render(scene: Scene) -> str:
    """Return the text of a scene's world file."""
    head = HEAD.format(name=scene.name, about=scene.about, start=_text(*scene.start),
                       goal=_text(*scene.goal), camera=_text(*_camera(scene)))
    return ''.join((head, *map(_model, scene.obstacles),
                    *(other.text() for other in scene.others), TAIL))


def _model(obstacle: Obstacle) -> str:
    links = ''.join(
        LINK.format(name=f'part_{k}', pose=_text(*shape.pose()), geometry=shape.geometry(),
                    colour=obstacle.colour)
        for k, shape in enumerate(obstacle.shapes, 1))
    x, y, yaw = obstacle.pose or (0, 0, 0)
    pose = f'      <pose>{_text(x, y, 0, 0, 0, yaw)}</pose>\n' if obstacle.pose else ''
    return MODEL.format(name=obstacle.name, pose=pose, links=links,
                        moves=obstacle.moves.text() if obstacle.moves else '')


def _camera(scene: Scene) -> tuple:
    """Return a camera pose south of start, goal and obstacles, steep enough to see into rooms."""
    points = [scene.start[:2], scene.goal]
    for obstacle in scene.obstacles:
        for shape in obstacle.shapes:
            points += shape.points if isinstance(shape, Polygon) else [(shape.x, shape.y)]
    xs, ys = zip(*points)
    middle_x, middle_y = 0.5 * (min(xs) + max(xs)), 0.5 * (min(ys) + max(ys))
    distance = 3.0 + 1.1 * max(max(xs) - min(xs), max(ys) - min(ys))
    pitch = 1.1
    return (round(middle_x, 2), round(middle_y - distance * math.cos(pitch), 2),
            round(distance * math.sin(pitch), 2), 0, pitch, 1.5708)


def _text(*values: float) -> str:
    # Adding 0.0 turns -0.0 into 0.0.
    return ' '.join(f'{round(value, 6) + 0.0:.10g}' for value in values)


def main(arguments: Union[list, None] = None) -> int:
    """Write or compare the files; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    check = parser.parse_args(arguments).check
    files = {f'{scene.name}.world': render(scene) for scene in scenes()}
    if check:
        return _compare(files)
    FOLDER.mkdir(exist_ok=True)
    for name, text in files.items():
        (FOLDER / name).write_text(text, encoding='utf-8')
    return 0


def _compare(files: dict) -> int:
    differing = [
        name for name, text in files.items()
        if not (FOLDER / name).is_file() or (FOLDER / name).read_text(encoding='utf-8') != text]
    for name in differing:
        print(f'worlds/{name} differs; run tools/make_worlds.py', file=sys.stderr)
    return 1 if differing else 0


if __name__ == '__main__':
    sys.exit(main())
