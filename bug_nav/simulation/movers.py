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
Movers, the dynamic obstacles of a world: scripted solids, automatic doors and people.

A mover is a stateless description in a `World`. `begin` creates its `Body`, which has an outline
at each time and belongs to one simulator (`bug_nav.simulation.scene`).
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Optional, Protocol, Tuple

from bug_nav.navigation.geometry import bearing, Point, Pose, wrap
from bug_nav.simulation.world import polygons, WorldError
import numpy as np

NOWHERE = np.empty((0, 4))
"""The outline of an absent mover."""
SIDES = 12
"""Number of sides of the polygon that replaces a moving disc."""
APPEARANCE_MARGIN = 0.5
"""Minimum distance from a robot at which a mover may appear [m]."""
MARGIN = 0.02
"""Minimum distance that a mover that gives way keeps from a robot [m]."""


class SceneView(Protocol):
    """The surroundings that a body can query."""

    @property
    def robots(self) -> Tuple[Tuple[float, float, float], ...]:
        """Return x, y and radius of each robot [m]; the first one is the robot itself."""

    def clearance(self, x: float, y: float) -> float:
        """Return the distance from a place to the nearest static solid [m]."""

    def is_free(self, segments: np.ndarray, margin: float, now: np.ndarray) -> bool:
        """
        Return whether an outline is clear of all robots.

        It keeps ``margin`` [m] from each, or is no nearer than the present outline ``now``.
        """

    def distance_to_others(self, body: Body, place: Point) -> float:
        """Return the distance from a place to all bodies but one [m]; 0 within one."""


class Body(Protocol):
    """The present state of a mover."""

    pose: Optional[Pose]
    """Pose of its own frame; None while it is absent."""
    segments: np.ndarray
    """Its outline, (m, 4) [m] as `World.segments`; empty while it is absent."""

    def step(self, around: SceneView, stamp: float, dt: float) -> None:
        """Advance by ``dt`` [s] to the time ``stamp`` [s]."""


class Mover(Protocol):
    """Description of a moving solid."""

    @property
    def name(self) -> str:
        """Return its name."""

    @property
    def parts(self) -> Tuple[np.ndarray, ...]:
        """Polygons, each (n, 2) [m] in its own frame."""

    @property
    def places(self) -> np.ndarray:
        """Return corners of all places where it can be by itself, (k, 2) [m]."""

    def begin(self, random: np.random.Generator) -> Body:
        """Return its body at time 0."""

    def transformed(self, pose: Pose, mirrored: bool) -> Mover:
        """Return the mover, mirrored at the x axis if ``mirrored``, then moved to ``pose``."""

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return the solids of its final state, each (n, 2) [m]; None if it never rests."""


def disc(radius: float, x: float = 0.0, y: float = 0.0) -> np.ndarray:
    """Return the corners of a regular polygon circumscribed about a disc, (n, 2) [m]."""
    angles = (np.arange(SIDES) + 0.5) * (2.0 * math.pi / SIDES)
    outer = radius / math.cos(math.pi / SIDES)
    return np.column_stack((x + outer * np.cos(angles), y + outer * np.sin(angles)))


def edges(parts: Tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the edges of polygons, (m, 4) [m]."""
    if not parts:
        return NOWHERE
    return np.vstack([np.hstack((part, np.roll(part, -1, axis=0))) for part in parts])


def placed(segments: np.ndarray, pose: Pose) -> np.ndarray:
    """Transform segments (m, 4) from the frame at ``pose`` to its parent frame."""
    # Complex numbers are fast for the few edges of many movers in each step.
    turn = complex(math.cos(pose.theta), math.sin(pose.theta))
    corners = np.ascontiguousarray(segments).view(complex)
    return (corners * turn + complex(pose.x, pose.y)).view(float)


@dataclass(frozen=True, eq=False)
class Script:
    """
    Poses over time.

    :ivar times: (k,) [s], increasing, from 0.
    :ivar poses: (k, 3): x, y [m] and yaw [rad] at these times; linear in between.
    :ivar loop: whether the script restarts after the last pose; else the mover stays there.
    :ivar delay: delay before the start [s]; until then the mover is at its first pose.
    """

    times: np.ndarray
    poses: np.ndarray
    loop: bool = False
    delay: float = 0.0

    def __post_init__(self) -> None:
        """Check the values and unwrap the headings."""
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
        """Return the script in another frame."""
        flip = -1.0 if mirrored else 1.0
        poses = [pose.compose(Pose(x, flip * y, flip * theta)) for x, y, theta in self.poses]
        return Script(self.times, np.array(poses), self.loop, self.delay)


@dataclass(frozen=True, eq=False)
class Scripted:
    """
    A solid on a script: an actor, a door, a box that appears or disappears.

    :ivar parts: polygons, each (n, 2) [m] in its own frame.
    :ivar since, until: times at which it appears and disappears [s].
    :ivar gives_way: whether it stops for robots and appears only away from them; else it passes
        through robots, as the actors of Gazebo do.
    """

    name: str
    parts: Tuple[np.ndarray, ...]
    script: Script
    since: float = 0.0
    until: float = math.inf
    gives_way: bool = False

    def __post_init__(self) -> None:
        """Make the polygons counter-clockwise."""
        object.__setattr__(self, 'parts', polygons(self.parts))

    @property
    def places(self) -> np.ndarray:
        """Return its corners at each pose of the script, (k, 2) [m]."""
        return np.vstack([part for pose in self.script.poses
                          for part in _at(self.parts, Pose(*pose.tolist()))])

    def begin(self, random: np.random.Generator) -> Body:
        """Return its body at time 0."""
        return _OnScript(self)

    def transformed(self, pose: Pose, mirrored: bool) -> Scripted:
        """Return the mover in another frame."""
        return Scripted(self.name, _mirrored(self.parts, mirrored),
                        self.script.transformed(pose, mirrored), self.since, self.until,
                        self.gives_way)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return the solids of its final state; none if it disappears."""
        if self.until < math.inf:
            return ()
        if self.script.loop:
            return None
        return _at(self.parts, self.script.at(math.inf))

    def is_present(self, stamp: float) -> bool:
        """Return whether it is present at a time [s]."""
        return self.since <= stamp < self.until


class _OnScript:
    """A body on a script; its clock stops while it gives way."""

    def __init__(self, mover: Scripted):
        self._mover, self._edges = mover, edges(mover.parts)
        self._late = 0.0
        self.pose: Optional[Pose] = None
        self.segments = NOWHERE
        if mover.is_present(0.0):
            self.pose = mover.script.at(0.0)
            self.segments = placed(self._edges, self.pose)

    def step(self, around: SceneView, stamp: float, dt: float) -> None:
        mover = self._mover
        if not mover.is_present(stamp):
            self.pose, self.segments = None, NOWHERE
            return
        pose = mover.script.at(stamp - self._late)
        if pose == self.pose:
            return
        segments = placed(self._edges, pose)
        margin = MARGIN if self.pose is not None else APPEARANCE_MARGIN
        if mover.gives_way and not around.is_free(segments, margin, self.segments):
            self._late += dt if self.pose is not None else 0.0
            return
        self.pose, self.segments = pose, segments


@dataclass(frozen=True, eq=False)
class AutomaticDoor:
    """
    A door that opens when a robot approaches, and closes behind it.

    :ivar parts: polygons, each (n, 2) [m] in its own frame.
    :ivar shut, opened: poses of that frame when closed and open.
    :ivar duration: time to open or close [s].
    :ivar within: distance of a robot from ``shut`` below which the door opens [m].
    """

    name: str
    parts: Tuple[np.ndarray, ...]
    shut: Pose
    opened: Pose
    duration: float = 2.0
    within: float = 1.5

    def __post_init__(self) -> None:
        """Make the polygons counter-clockwise."""
        object.__setattr__(self, 'parts', polygons(self.parts))

    @property
    def places(self) -> np.ndarray:
        """Return its corners when closed and open, (k, 2) [m]."""
        return np.vstack([*_at(self.parts, self.shut), *_at(self.parts, self.opened)])

    def begin(self, random: np.random.Generator) -> Body:
        """Return its body, closed."""
        return _Opening(self)

    def transformed(self, pose: Pose, mirrored: bool) -> AutomaticDoor:
        """Return the door in another frame."""
        shut, opened = (Script(np.zeros(1), np.array([each])).transformed(pose, mirrored).at(0.0)
                        for each in (self.shut, self.opened))
        return AutomaticDoor(self.name, _mirrored(self.parts, mirrored), shut, opened,
                             self.duration, self.within)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return None, because the door never rests."""
        return None


class _Opening:
    """The body of an automatic door."""

    def __init__(self, door: AutomaticDoor):
        self._door, self._edges = door, edges(door.parts)
        self._script = Script(np.array([0.0, door.duration]), np.array([door.shut, door.opened]))
        self._opened = 0.0
        self.pose: Optional[Pose] = door.shut
        self.segments = placed(self._edges, door.shut)

    def step(self, around: SceneView, stamp: float, dt: float) -> None:
        door = self._door
        near = any(math.hypot(x - door.shut.x, y - door.shut.y) < door.within
                   for x, y, _ in around.robots)
        opened = min(max(self._opened + (dt if near else -dt), 0.0), door.duration)
        if opened == self._opened:
            return
        pose = self._script.at(opened)
        segments = placed(self._edges, pose)
        if around.is_free(segments, MARGIN, self.segments):
            self._opened, self.pose, self.segments = opened, pose, segments


MANNERS = ('yields', 'stubborn', 'follows')
"""Behavior of a person towards a robot: wait for it, ignore it, or follow it."""
YIELD_DISTANCE = 0.5
"""Distance from a robot at which a yielding person stops [m]."""
PATIENCE = 3.0
"""Time after which a blocked person turns back [s]."""
ACCELERATION = 1.5
"""Acceleration of people [m/s^2]."""
AVOIDANCE_TIME = 0.1
"""Time to contact with a robot below which a person sidesteps [s]."""
STATIONARY_SPEED, ARRIVAL_TOLERANCE = 0.05, 0.1
"""Speed below which a person is stationary [m/s]; distance at which a place is reached [m]."""
EMERGENCE_DISTANCE = 0.5
"""Distance from a robot within which people do not walk through other movers towards it [m]."""
FOLLOW_DISTANCE = 0.7
"""Distance that a follower keeps from the robot [m]."""
LEG, STANCE, STRIDE = 0.07, 0.13, 0.6
"""Radius of a leg, its lateral offset, and length of a step [m]."""


def standing_person(radius: float, legs: bool) -> Tuple[np.ndarray, ...]:
    """Return the outlines of a person heading along x: a disc of a radius [m], or two legs."""
    return tuple(disc(LEG, 0.0, side * STANCE) for side in (-1, 1)) if legs else (disc(radius),)


@dataclass(frozen=True, eq=False)
class Person:
    """
    A person who walks back and forth along a route.

    :ivar route: places, (k, 2) [m], k at least 2, with a free straight path between neighbours.
    :ivar speed: walking speed [m/s].
    :ivar manner: one of `MANNERS`.
    :ivar pause: waiting time at each place [s].
    :ivar legs: whether the lidar sees two legs instead of a body.
    """

    name: str
    route: np.ndarray
    speed: float = 1.0
    manner: str = 'yields'
    pause: float = 0.0
    radius: float = 0.25
    legs: bool = False

    def __post_init__(self) -> None:
        """Check the values."""
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
                             f'of {self.pause} s and a radius of {self.radius} m; allowed are a '
                             'speed up to 10 m/s, a pause from 0 s and a radius up to 2 m')

    @property
    def parts(self) -> Tuple[np.ndarray, ...]:
        """Polygons of the standing person, each (n, 2) [m] in their own frame."""
        return standing_person(self.radius, self.legs)

    @property
    def places(self) -> np.ndarray:
        """Return the corners of squares around the places of the route, (k, 2) [m]."""
        corners = self.radius * np.array(((-1.0, -1.0), (1.0, 1.0)))
        return (self.route[:, None] + corners).reshape(-1, 2)

    def begin(self, random: np.random.Generator) -> Body:
        """Return their body at the first place of the route."""
        return _Walking(self)

    def transformed(self, pose: Pose, mirrored: bool) -> Person:
        """Return the person in another frame."""
        flip = -1.0 if mirrored else 1.0
        route = np.array([pose.apply((x, flip * y)) for x, y in self.route])
        return Person(self.name, route, self.speed, self.manner, self.pause, self.radius,
                      self.legs)

    def rests(self) -> Optional[Tuple[np.ndarray, ...]]:
        """Return None, because people never rest."""
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
        self._next, self._direction = 1, 1
        self._waits, self._blocked = person.pause, 0.0
        self._walked = 0.0
        self._draw()

    def step(self, around: SceneView, stamp: float, dt: float) -> None:
        person = self._person
        if self._waits > 0.0:
            self._waits -= dt
            return
        wanted = self._wanted(around)
        before = self._velocity
        change = wanted[0] - before[0], wanted[1] - before[1]
        share = min(1.0, ACCELERATION * dt / max(math.hypot(*change), 1e-9))
        self._velocity = before[0] + share * change[0], before[1] + share * change[1]
        for velocity in (self._velocity, self._sidestep(around), (0.0, 0.0)):
            there = self._at[0] + velocity[0] * dt, self._at[1] + velocity[1] * dt
            if self._may_enter(around, there):
                break
        step = math.dist(self._at, there)
        self._velocity = velocity
        if step > 0.0:
            self._at = there
            self._walked += step
            self._draw()
        self._blocked = self._blocked + dt if step < STATIONARY_SPEED * dt else 0.0
        if person.manner == 'follows':
            return
        if math.dist(self._at, person.route[self._next]) < ARRIVAL_TOLERANCE:
            self._velocity = (0.0, 0.0) if person.pause > 0.0 else self._velocity
            self._go_on(person.pause)
        elif self._blocked > PATIENCE:
            self._direction, self._blocked = -self._direction, 0.0
            self._go_on(0.0)

    def _sidestep(self, around: SceneView) -> Point:
        """Return their velocity without the part towards a robot in their way [m/s]."""
        vx, vy = self._velocity
        for x, y, radius in around.robots:
            dx, dy = x - self._at[0], y - self._at[1]
            away = math.hypot(dx, dy)
            if 0.0 < away < radius + self._person.radius + self._person.speed * AVOIDANCE_TIME:
                into = max((vx * dx + vy * dy) / away, 0.0)
                vx, vy = vx - into * dx / away, vy - into * dy / away
        return vx, vy

    def _wanted(self, around: SceneView) -> Point:
        """Return the desired velocity [m/s]."""
        person = self._person
        x, y = person.route[self._next].tolist()
        left = math.hypot(x - self._at[0], y - self._at[1])
        # Slow down before the next place, to a quarter of the speed at least.
        speed = min(person.speed, math.sqrt(2.0 * ACCELERATION * left) + 0.25 * person.speed)
        if person.manner == 'follows':
            if not around.robots:
                return 0.0, 0.0
            x, y, body = around.robots[0]
            left = math.hypot(x - self._at[0], y - self._at[1])
            speed = math.sqrt(2.0 * ACCELERATION * max(
                left - FOLLOW_DISTANCE - body - person.radius, 0.0))
        if left < 1e-9:
            return 0.0, 0.0
        ahead = (x - self._at[0]) / left, (y - self._at[1]) / left
        self._heading = math.atan2(ahead[1], ahead[0])
        if person.manner == 'yields' and self._is_stopped_by(around, ahead):
            return 0.0, 0.0
        speed = min(speed, person.speed)
        return speed * ahead[0], speed * ahead[1]

    def _is_stopped_by(self, around: SceneView, ahead: Point) -> bool:
        """Return whether a robot ahead is within their stopping distance."""
        room = YIELD_DISTANCE + (
            self._velocity[0] ** 2 + self._velocity[1] ** 2) / (2.0 * ACCELERATION)
        for x, y, radius in around.robots:
            dx, dy = x - self._at[0], y - self._at[1]
            away = math.hypot(dx, dy)
            if (away < radius + self._person.radius + room
                    and dx * ahead[0] + dy * ahead[1] > 0.3 * away):
                return True
        return False

    def _go_on(self, pause: float) -> None:
        """Choose the next place of the route, and reverse at its ends."""
        last = len(self._person.route) - 1
        self._next += self._direction
        if not 0 <= self._next <= last:
            self._direction = -self._direction
            self._next += 2 * self._direction
        self._waits = pause

    def _may_enter(self, around: SceneView, there: Point) -> bool:
        """
        Return whether a place is free of robots and, for a follower, of walls.

        Elsewhere people walk through each other, but beside a robot nobody emerges from another,
        because no robot could have observed them.
        """
        for x, y, radius in around.robots:
            now, away = (math.hypot(place[0] - x, place[1] - y) - radius - self._person.radius
                         for place in (self._at, there))
            # A person who is already too near may move away.
            if (away < min(now, EMERGENCE_DISTANCE) and (
                    away < 0.0 or around.distance_to_others(self, there) < self._person.radius)):
                return False
        return (there == self._at or self._person.manner != 'follows'
                or around.clearance(*there) > self._person.radius)

    def _draw(self) -> None:
        """Update pose and outline."""
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
