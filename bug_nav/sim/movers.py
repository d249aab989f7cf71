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
What moves in a world: solids on a script, doors that open for the robot, boxes that come and go.

A mover is a description, a part of a `World`, and knows nothing of time. `begin` makes a `Body`
of it, which has an outline at each moment and belongs to one simulator (`bug_nav.sim.scene`).
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Optional, Protocol, Tuple

from bug_nav.core.geometry import bearing, Point, Pose, wrap
from bug_nav.sim.world import counter_clockwise, WorldError
import numpy as np

NOWHERE = np.empty((0, 4))
"""The outline of what is not there."""
SIDES = 12
"""A disc that moves is a polygon of so many sides."""
AT_FEET = 0.5
"""Nobody puts something down nearer to a robot than this [m]."""
ROOM = 0.02
"""What gives way keeps so much from a robot [m]."""


class Around(Protocol):
    """What a body may know of what is around it."""

    @property
    def robots(self) -> Tuple[Tuple[float, float, float], ...]:
        """Return x, y and radius of each robot [m]; the first one is the robot itself."""

    def clearance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest solid that stands still [m]."""

    def free(self, segments: np.ndarray, room: float, now: np.ndarray) -> bool:
        """
        Tell whether an outline comes near no robot.

        It keeps ``room`` [m] from each, or as much at least as the outline ``now`` does.
        """


class Body(Protocol):
    """A mover in a world, now."""

    pose: Optional[Pose]
    """Where its own frame is; None while it is not there."""
    segments: np.ndarray
    """Its outline, (m, 4) [m] as `World.segments`; none while it is not there."""

    def step(self, around: Around, stamp: float, dt: float) -> None:
        """Go on by ``dt`` [s], to the time ``stamp`` [s]."""


class Mover(Protocol):
    """A solid that moves, as a world describes it."""

    @property
    def name(self) -> str:
        """Return what it is called."""

    @property
    def parts(self) -> Tuple[np.ndarray, ...]:
        """Polygons, each (n, 2) [m] in its own frame."""

    def begin(self, random: np.random.Generator) -> Body:
        """Return the body of it at time 0."""

    def transformed(self, pose: Pose, mirrored: bool) -> Mover:
        """Return it mirrored at the x axis, where that is wanted, and then moved."""

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return the solids that it ends as, each (n, 2) [m]; None where it never rests."""


def disc(radius: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """Return the corners of the regular polygon around a disc, (n, 2) [m]."""
    angles = (np.arange(SIDES) + 0.5) * (2.0 * math.pi / SIDES)
    outer = radius / math.cos(math.pi / SIDES)
    return np.column_stack((x + outer * np.cos(angles), y + outer * np.sin(angles)))


def edges(parts: Tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the edges of polygons, (m, 4) [m]."""
    if not parts:
        return NOWHERE
    return np.vstack([np.hstack((part, np.roll(part, -1, axis=0))) for part in parts])


def placed(segments: np.ndarray, pose: Pose) -> np.ndarray:
    """Return segments (m, 4) of a pose's own frame in the frame that the pose is given in."""
    # As complex numbers, for every step moves many a few edges.
    turn = complex(math.cos(pose.theta), math.sin(pose.theta))
    corners = np.ascontiguousarray(segments).view(complex)
    return (corners * turn + complex(pose.x, pose.y)).view(float)


@dataclass(frozen=True, eq=False)
class Script:
    """
    Where something is at what time.

    :ivar times: (k,) [s], increasing, from 0.
    :ivar poses: (k, 3): x, y [m] and yaw [rad] at these times; straight on in between.
    :ivar loop: it begins anew after the last one; else it stays there.
    :ivar delay: [s] before it begins; until then it is at its first pose.
    """

    times: np.ndarray
    poses: np.ndarray
    loop: bool = False
    delay: float = 0.0

    def __post_init__(self) -> None:
        """Check it; headings are made continuous, by the shorter way."""
        times = np.array(self.times, dtype=float).reshape(-1)
        poses = np.array(self.poses, dtype=float).reshape(-1, 3)
        if len(times) != len(poses) or not len(times):
            raise WorldError(f'a script has {len(times)} times and {len(poses)} poses; give one '
                             'pose for each time, and one at least')
        if (np.diff(times) <= 0.0).any() or times[0] < 0.0:
            raise WorldError('the times of a script have to increase, from 0 s')
        if not (np.isfinite(times).all() and np.isfinite(poses).all()
                and math.isfinite(self.delay)):
            raise WorldError('a script has a number that is not finite')
        poses[:, 2] = np.unwrap(poses[:, 2])
        object.__setattr__(self, 'times', times)
        object.__setattr__(self, 'poses', poses)

    def at(self, stamp: float) -> Pose:
        """Return the pose at a time [s]."""
        past = max(stamp - self.delay, 0.0)
        if self.loop and self.times[-1] > 0.0:
            past %= float(self.times[-1])
        after = int(self.times.searchsorted(past, side='right'))
        if after == 0 or after == len(self.times):
            x, y, theta = self.poses[max(after - 1, 0)].tolist()
            return Pose(x, y, wrap(theta))
        (begin, end), (one, other) = (each[after - 1:after + 1].tolist()
                                      for each in (self.times, self.poses))
        share = (past - begin) / (end - begin)
        x, y, theta = (a + share * (b - a) for a, b in zip(one, other))
        return Pose(x, y, wrap(theta))

    def transformed(self, pose: Pose, mirrored: bool) -> Script:
        """Return it in another frame."""
        flip = -1.0 if mirrored else 1.0
        poses = [pose.compose(Pose(x, flip * y, flip * theta)) for x, y, theta in self.poses]
        return Script(self.times, np.array(poses), self.loop, self.delay)


@dataclass(frozen=True, eq=False)
class Scripted:
    """
    A solid that moves by the clock: an actor, a door, a box that is put down or taken away.

    :ivar parts: polygons, each (n, 2) [m] in its own frame.
    :ivar since, until: it is there between these times [s].
    :ivar gives_way: it stops before a robot, and comes only where none is, as doors and people
        with boxes do; else it goes through, as the actors of Gazebo do.
    """

    name: str
    parts: Tuple[np.ndarray, ...]
    script: Script
    since: float = 0.0
    until: float = math.inf
    gives_way: bool = False

    def __post_init__(self) -> None:
        """Make the polygons counter-clockwise."""
        object.__setattr__(self, 'parts', tuple(map(counter_clockwise, self.parts)))

    def begin(self, random: np.random.Generator) -> Body:
        """Return the body of it at time 0."""
        return _OnScript(self)

    def transformed(self, pose: Pose, mirrored: bool) -> Scripted:
        """Return it in another frame."""
        return Scripted(self.name, _mirrored(self.parts, mirrored),
                        self.script.transformed(pose, mirrored), self.since, self.until,
                        self.gives_way)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return the solids that it ends as; none where it is taken away."""
        if self.until < math.inf:
            return ()
        if self.script.loop:
            return None
        return _at(self.parts, self.script.at(math.inf))

    def there(self, stamp: float) -> bool:
        """Tell whether it is there at a time [s]."""
        return self.since <= stamp < self.until


class _OnScript:
    """A body on a script; where it gives way, its own clock stands still meanwhile."""

    def __init__(self, mover: Scripted):
        self._mover, self._edges = mover, edges(mover.parts)
        self._late = 0.0
        self.pose: Optional[Pose] = None
        self.segments = NOWHERE
        if mover.there(0.0):
            self.pose = mover.script.at(0.0)
            self.segments = placed(self._edges, self.pose)

    def step(self, around: Around, stamp: float, dt: float) -> None:
        mover = self._mover
        if not mover.there(stamp):
            self.pose, self.segments = None, NOWHERE
            return
        pose = mover.script.at(stamp - self._late)
        if pose == self.pose:
            return
        segments = placed(self._edges, pose)
        room = ROOM if self.pose is not None else AT_FEET
        if mover.gives_way and not around.free(segments, room, self.segments):
            self._late += dt if self.pose is not None else 0.0
            return
        self.pose, self.segments = pose, segments


@dataclass(frozen=True, eq=False)
class AutomaticDoor:
    """
    A door that opens when a robot comes near, and shuts behind it.

    :ivar parts: polygons, each (n, 2) [m] in its own frame.
    :ivar shut, opened: where that frame is, shut and open.
    :ivar duration: how long it takes from one to the other [s].
    :ivar within: it is open for robots that are nearer to ``shut`` than this [m].
    """

    name: str
    parts: Tuple[np.ndarray, ...]
    shut: Pose
    opened: Pose
    duration: float = 2.0
    within: float = 1.5

    def __post_init__(self) -> None:
        """Make the polygons counter-clockwise."""
        object.__setattr__(self, 'parts', tuple(map(counter_clockwise, self.parts)))

    def begin(self, random: np.random.Generator) -> Body:
        """Return the body of it, shut."""
        return _Opening(self)

    def transformed(self, pose: Pose, mirrored: bool) -> AutomaticDoor:
        """Return it in another frame."""
        shut, opened = (Script(np.zeros(1), np.array([each])).transformed(pose, mirrored).at(0.0)
                        for each in (self.shut, self.opened))
        return AutomaticDoor(self.name, _mirrored(self.parts, mirrored), shut, opened,
                             self.duration, self.within)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return None: it is open for whoever comes."""
        return None


class _Opening:
    """The body of an automatic door."""

    def __init__(self, door: AutomaticDoor):
        self._door, self._edges = door, edges(door.parts)
        self._script = Script(np.array([0.0, door.duration]), np.array([door.shut, door.opened]))
        self._opened = 0.0
        self.pose: Optional[Pose] = door.shut
        self.segments = placed(self._edges, door.shut)

    def step(self, around: Around, stamp: float, dt: float) -> None:
        door = self._door
        near = any(math.hypot(x - door.shut.x, y - door.shut.y) < door.within
                   for x, y, _ in around.robots)
        opened = min(max(self._opened + (dt if near else -dt), 0.0), door.duration)
        if opened == self._opened:
            return
        pose = self._script.at(opened)
        segments = placed(self._edges, pose)
        if around.free(segments, ROOM, self.segments):
            self._opened, self.pose, self.segments = opened, pose, segments


MANNERS = ('yields', 'stubborn', 'follows')
"""What a person does about a robot: waits before it, walks on, or goes after it."""
YIELD = 0.5
"""Who yields stops so far before a robot [m] ..."""
IMPATIENCE = 3.0
"""... and turns back after so long [s]."""
HASTE = 1.5
"""People set out, stop and turn with this acceleration [m/s^2]."""
AHEAD = 0.1
"""Who would walk into a robot within this [s] sidles past it."""
SLOW, ARRIVED = 0.05, 0.1
"""Who is slower than this stands [m/s], and who is so near to a place is there [m]."""
BEHIND = 0.7
"""Who follows stays so far from the robot [m]."""
LEG, STANCE, STRIDE = 0.07, 0.13, 0.6
"""The radius of a leg, how far it is beside the middle, and the length of a step [m]."""


def standing(radius: float, legs: bool) -> Tuple[np.ndarray, ...]:
    """Return a person who stands: a disc of that radius [m], or two legs, heading along x."""
    return tuple(disc(LEG, 0.0, side * STANCE) for side in (-1, 1)) if legs else (disc(radius),)


@dataclass(frozen=True, eq=False)
class Person:
    """
    A person with goals of their own.

    :ivar route: the places that they walk to and fro between, (k, 2) [m], k at least 2, with a
        free way from each to the next.
    :ivar speed: [m/s].
    :ivar manner: one of `MANNERS`.
    :ivar pause: how long they stay at each place [s].
    :ivar legs: what there is of them at the height of a lidar: two legs, or a body.
    """

    name: str
    route: np.ndarray
    speed: float = 1.0
    manner: str = 'yields'
    pause: float = 0.0
    radius: float = 0.25
    legs: bool = False

    def __post_init__(self) -> None:
        """Check it."""
        route = np.array(self.route, dtype=float).reshape(-1, 2)
        object.__setattr__(self, 'route', route)
        if len(route) < 2 or not np.isfinite(route).all():
            raise WorldError(f"the route of '{self.name}' has {len(route)} places; give two at "
                             'least, finite')
        if self.manner not in MANNERS:
            raise WorldError(f"the manner of '{self.name}' is {self.manner!r}; allowed are "
                             f'{", ".join(MANNERS)}')
        if not (0.0 < self.speed <= 10.0 and self.pause >= 0.0 and 0.0 < self.radius <= 2.0):
            raise WorldError(f"the person '{self.name}' has a speed of {self.speed} m/s, a pause "
                             f'of {self.pause} s and a radius of {self.radius} m; allowed are up '
                             'to 10 m/s, from 0 s and up to 2 m')

    @property
    def parts(self) -> Tuple[np.ndarray, ...]:
        """Polygons of somebody who stands, each (n, 2) [m] in their own frame."""
        return standing(self.radius, self.legs)

    def begin(self, random: np.random.Generator) -> Body:
        """Return the body of them, at the first place of the route."""
        return _Walking(self)

    def transformed(self, pose: Pose, mirrored: bool) -> Person:
        """Return them in another frame."""
        flip = -1.0 if mirrored else 1.0
        route = np.array([pose.apply((x, flip * y)) for x, y in self.route])
        return Person(self.name, route, self.speed, self.manner, self.pause, self.radius,
                      self.legs)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return None: people never rest."""
        return None


class _Walking:
    """The body of a person."""

    def __init__(self, person: Person):
        self._person = person
        self._whole = edges((disc(person.radius),))
        self._leg = edges((disc(LEG),))
        self._at: Point = tuple(person.route[0].tolist())
        self._velocity = 0.0, 0.0
        self._heading = bearing(self._at, tuple(person.route[1].tolist()))
        self._next, self._way = 1, 1
        self._waits, self._stands = person.pause, 0.0
        self._walked = 0.0
        self._draw()

    def step(self, around: Around, stamp: float, dt: float) -> None:
        person = self._person
        if self._waits > 0.0:
            self._waits -= dt
            return
        wanted = self._wanted(around)
        before = self._velocity
        change = wanted[0] - before[0], wanted[1] - before[1]
        share = min(1.0, HASTE * dt / max(math.hypot(*change), 1e-9))
        self._velocity = before[0] + share * change[0], before[1] + share * change[1]
        for velocity in (self._velocity, self._sidling(around), (0.0, 0.0)):
            there = self._at[0] + velocity[0] * dt, self._at[1] + velocity[1] * dt
            if self._may(around, there):
                break
        step = math.dist(self._at, there)
        self._velocity = velocity
        if step > 0.0:
            self._at = there
            self._walked += step
            self._draw()
        self._stands = self._stands + dt if step < SLOW * dt else 0.0
        if person.manner == 'follows':
            return
        if math.dist(self._at, person.route[self._next]) < ARRIVED:
            self._velocity = (0.0, 0.0) if person.pause > 0.0 else self._velocity
            self._go_on(person.pause)
        elif self._stands > IMPATIENCE:
            self._way, self._stands = -self._way, 0.0
            self._go_on(0.0)

    def _sidling(self, around: Around) -> Point:
        """Return what is left of their velocity beside the robot that they walk into [m/s]."""
        vx, vy = self._velocity
        for x, y, radius in around.robots:
            dx, dy = x - self._at[0], y - self._at[1]
            away = math.hypot(dx, dy)
            if 0.0 < away < radius + self._person.radius + self._person.speed * AHEAD:
                into = max((vx * dx + vy * dy) / away, 0.0)
                vx, vy = vx - into * dx / away, vy - into * dy / away
        return vx, vy

    def _wanted(self, around: Around) -> Point:
        """Return the velocity that they would like to have [m/s]."""
        person = self._person
        x, y = person.route[self._next].tolist()
        left = math.hypot(x - self._at[0], y - self._at[1])
        # They slow down before they turn or stay, to a quarter at least.
        speed = min(person.speed, math.sqrt(2.0 * HASTE * left) + 0.25 * person.speed)
        if person.manner == 'follows':
            if not around.robots:
                return 0.0, 0.0
            x, y, body = around.robots[0]
            left = math.hypot(x - self._at[0], y - self._at[1])
            speed = math.sqrt(2.0 * HASTE * max(left - BEHIND - body - person.radius, 0.0))
        if left < 1e-9:
            return 0.0, 0.0
        ahead = (x - self._at[0]) / left, (y - self._at[1]) / left
        self._heading = math.atan2(ahead[1], ahead[0])
        if person.manner == 'yields' and self._is_stopped_by(around, ahead):
            return 0.0, 0.0
        speed = min(speed, person.speed)
        return speed * ahead[0], speed * ahead[1]

    def _is_stopped_by(self, around: Around, ahead: Point) -> bool:
        """Tell whether a robot is before them, no farther than they need to stop."""
        room = YIELD + (self._velocity[0] ** 2 + self._velocity[1] ** 2) / (2.0 * HASTE)
        for x, y, radius in around.robots:
            dx, dy = x - self._at[0], y - self._at[1]
            away = math.hypot(dx, dy)
            if (away < radius + self._person.radius + room
                    and dx * ahead[0] + dy * ahead[1] > 0.3 * away):
                return True
        return False

    def _go_on(self, pause: float) -> None:
        """Choose the next place of the route: to and fro."""
        last = len(self._person.route) - 1
        self._next += self._way
        if not 0 <= self._next <= last:
            self._way = -self._way
            self._next += 2 * self._way
        self._waits = pause

    def _may(self, around: Around, there: Point) -> bool:
        """Tell whether they can go there: not into a robot, nor, where they follow, a wall."""
        for x, y, radius in around.robots:
            # Who is too near already may go away.
            away = math.hypot(there[0] - x, there[1] - y)
            if (away < radius + self._person.radius
                    and away < math.hypot(self._at[0] - x, self._at[1] - y)):
                return False
        return (there == self._at or self._person.manner != 'follows'
                or around.clearance(*there) > self._person.radius)

    def _draw(self) -> None:
        """Make pose and outline."""
        self.pose: Optional[Pose] = Pose(*self._at, self._heading)
        if not self._person.legs:
            self.segments = placed(self._whole, self.pose)
            return
        swing = 0.5 * STRIDE * math.sin(math.pi * self._walked / STRIDE)
        feet = [self.pose.compose(Pose(side * swing, side * STANCE, 0.0)) for side in (-1.0, 1.0)]
        self.segments = np.vstack([placed(self._leg, foot) for foot in feet])


def _mirrored(parts: Tuple[np.ndarray, ...], mirrored: bool) -> Tuple[np.ndarray, ...]:
    return tuple(part * (1.0, -1.0) for part in parts) if mirrored else parts


def _at(parts: Tuple[np.ndarray, ...], pose: Pose) -> Tuple[np.ndarray, ...]:
    return tuple(np.array([pose.apply(tuple(corner)) for corner in part]) for part in parts)
