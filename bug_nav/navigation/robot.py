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
The robot as behaviours and algorithms see it.

Headings are in the odometry's frame, which is continuous; positions that are kept (M-line, hit
and leave points, traces) are in the global frame, which a localiser may correct in jumps.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ContextManager, Dict, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.navigation.certificate import is_proof
from bug_nav.navigation.control.intents import Along, Towards
from bug_nav.navigation.control.observe import correct, observe
from bug_nav.navigation.control.state import limits_of, new_state
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.cspace.enclosure import enclosing_chain, is_closed, winding
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.cspace.gaps import GapMemory
from bug_nav.navigation.geometry import bearing, distance, IDENTITY, Point, Pose, Segment, wrap
from bug_nav.navigation.ledger import Mission
from bug_nav.navigation.perception.perception import Perception
from bug_nav.navigation.perception.points import NewestScan
from bug_nav.navigation.reasons import less
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.turn_directions import Encounter, POLICIES
from bug_nav.navigation.types import Event
import numpy as np

FELT = 1.5
"""With contact sensing so much around the centre of rotation is felt [radii R]."""
TOUCH_SPEED = 0.12
"""The robot is no faster then [m/s]."""
ELBOW_ROOM = 0.02
"""An obstacle is in the way of a start that is boxed in up to rho and this [m]."""
OPENING = 1.0
"""What has gone no farther away than this [m] was a part of the same."""
LOST = 0.15
"""A disc that is so much clear of all obstacles [m] follows none any more."""


class Hit(NamedTuple):
    """Where an obstacle was hit."""

    distance: float
    """Distance from the goal of the place of first contact [m]."""
    centre: Point
    """That place: on the contour and on the way to the goal (odometry's frame)."""
    contact: Point
    """The obstacle point that stopped the robot (odometry's frame)."""


class Robot:
    """What a behaviour may know and ask at a tick; `Navigator` keeps it up to date."""

    def __init__(self, model: RobotModel, settings: Settings):
        """Make the robot for one goal."""
        self.model = model
        self.settings = settings
        self.contour_radius = contour_radius(model, settings)
        self.gaps = GapMemory(self.contour_radius)
        touch, lidar = settings.sensing == 'contact', settings.sensing == 'range'
        if touch:
            self.model = dataclasses.replace(model, max_vel_x=min(model.max_vel_x, TOUCH_SPEED))
        self.perception = Perception(settings.memory, self._reach(), self.gaps.share,
                                     FELT * model.robot_radius if touch else math.inf,
                                     model.robot_radius,
                                     settings.passage_timeout if lidar else 0.0, lidar)
        self.state_record, self.limits = new_state(), limits_of(self.model, settings)
        """The numbers that the kernels of a tick share, see `bug_nav.navigation.control.state`."""
        self.stamp = 0.0
        self.pose = IDENTITY
        self.here: Point = (0.0, 0.0)
        """Its place (odometry's frame)."""
        self.drift = IDENTITY
        self.correction = IDENTITY
        self.position: Point = (0.0, 0.0)
        self.previous: Optional[Point] = None
        self.goal: Point = (0.0, 0.0)
        self.goal_distance = math.inf
        self.local_goal: Point = (0.0, 0.0)
        """The goal in the odometry's frame."""
        self.goal_heading = 0.0
        self.start: Optional[Point] = None
        """Where it was at first (odometry's frame)."""
        self.is_at_start = True
        """Whether it is still there."""
        self._path: List[Point] = []
        self.path_length = 0.0
        self.jumped = 0.0
        """How far a localiser has moved it [m]."""
        self.turned = 0.0
        self.mission = Mission()
        self._openings: List[Point] = []
        self._proof: Tuple[float, List[Point]] = (math.nan, [])
        self._spaces: Dict[str, Tuple[object, object, FreeSpace]] = {}

    def put(self, stamp: float, pose: Pose, goal: Point, held: bool, correction: Pose = IDENTITY,
            drift: Pose = IDENTITY) -> None:
        """
        Put the robot at a pose in the core's frame.

        ``held`` is as for `arrive`, and the rest as for `set_frames`.
        """
        self.set_frames(drift, correction, goal)
        self.arrive(stamp, held, observe(self.state_record, self.limits, stamp, 0.0, math.nan,
                                         *pose, False, True, held, math.inf)[1])

    def set_frames(self, drift: Pose, correction: Pose, goal: Point) -> None:
        """
        Take in where the frames and the goal are now; the robot itself has not moved.

        ``drift`` is the pose of odometry's frame in that of the core, ``correction`` that of the
        core's frame in the global one, and ``goal`` is in the global frame.
        """
        # Both ends of a step are placed with the same correction: its jump is never a crossing.
        if drift != self.drift:
            self.drift = drift
            pose, self.position = correct(self.state_record, drift[:])
            self.pose, self.here = Pose(*pose), pose[:2]
        if correction != self.correction or goal != self.goal:
            self.correction, self.goal = correction, goal
            self.local_goal = correction.inverse().apply(goal)
            position = correction.apply(self.here)
            self.jumped += distance(self.position, position)
            self.position = position
            self.state_record['correction'] = correction
            self.state_record['goal'] = self.local_goal

    def arrive(self, stamp: float, held: bool, place: Tuple[Any, ...]) -> None:
        """
        Take in where the robot is: ``place``, as `control.observe.observe` returns it.

        ``held``: the last tick was a hold, so that this step must not be taken for a crossing.
        """
        self.mission.begin_tick()
        (x, y, theta, global_x, global_y, self.goal_heading, self.path_length, self.turned,
         gap_is_due) = place
        self.stamp, self.pose, self.here = stamp, Pose(x, y, theta), (x, y)
        self.previous = None if held else self.position
        self.position = global_x, global_y
        self.start = self.start or self.here
        self.is_at_start = distance(self.start, self.here) < self.contour_radius
        # Not in the kernel, whose hypot is another in the last bit than that of `distance`.
        self.goal_distance = math.hypot(self.goal[0] - global_x, self.goal[1] - global_y)
        if gap_is_due:
            self._note_passage()

    def _note_passage(self) -> None:
        """Remember the place, and the gap where the robot is passing a narrow one."""
        here = self.here
        if not self._path or distance(self._path[-1], here) > self.contour_radius:
            self._path.append(here)
        jambs = self.space.jambs(here, self.pose.theta, self.contour_radius + self.gaps.narrow)
        if (jambs and self.gaps.is_narrow(*jambs)
                and Segment(*jambs).distance(here) < self.gaps.plug_radius):
            self.gaps.passing(here)

    def meet_anew(self) -> None:
        """Begin again from here, for the world is another: only what is remembered stays."""
        self.start, self.is_at_start = None, True
        self.gaps = GapMemory(self.contour_radius)
        self.mission.begin_anew()

    def _reach(self) -> float:
        """Return how far points matter [m]: for rolling through gaps, for looking and braking."""
        model = self.model
        return (3.0 * self.contour_radius + max(self.settings.clear_distance,
                                                self.settings.xy_goal_tolerance)
                + 0.5 * model.max_vel_x + 0.5 * model.max_vel_x ** 2 / model.acc_lim_x)

    @property
    def global_pose(self) -> Pose:
        """Return the robot's pose in the global frame."""
        return self.correction.compose(self.pose)

    def side_at(self, hit: Hit) -> int:
        """Choose where to keep the boundary at the newest hit: +1 right hand, -1 left hand."""
        scan, sensor = self.perception.seen.scan, self.perception.seen.origin
        return POLICIES[self.settings.turn_direction](Encounter(
            self.mission.hits, self.settings.turn_seed,
            wrap(bearing(hit.centre, hit.contact) - self.goal_heading), scan,
            self.goal_heading - sensor.theta))

    def state(self, name: str) -> ContextManager[None]:
        """Be in a state; states nest, and their stack is what feedback and plots show."""
        return self.mission.state(name)

    def set_fence(self, points: np.ndarray) -> None:
        """
        Make virtual obstacle points, (n, 2) [m] in the global frame, instead of those before.

        Gaps are judged anew: the last ones may have been between an obstacle and the fence.
        """
        inverse = self.correction.inverse()
        self.perception.set_fence(np.array([inverse.apply(point) for point in points]))
        self.gaps = GapMemory(self.contour_radius)

    # ---- what is free -------------------------------------------------------------------------

    @property
    def space(self) -> FreeSpace:
        """Return where the disc can go, for what is near by and remembered."""
        made = self._spaces.get('near')
        if (made is not None and made[0] is self.perception.points
                and made[1] is self.gaps.judgements):
            return made[2]  # at every tick, so without another call
        return self._free_space('near')

    @property
    def space_in_sight(self) -> FreeSpace:
        """Return the same with what the newest scan sees beyond."""
        return self._free_space('in sight')

    def _all_space(self) -> FreeSpace:
        """Return the same for all that is remembered of this goal."""
        points = self.perception.remembered
        return FreeSpace(*self.gaps.apply(points), len(points), self.model.robot_radius)

    def _free_space(self, kind: str) -> FreeSpace:
        """Return a free space, which is made anew when points or judgements of gaps are new."""
        points, judgements = self.perception.points, self.gaps.judgements
        made = self._spaces.get(kind)
        if made is not None and made[0] is points and made[1] is judgements:
            return made[2]
        known = points
        if kind != 'near':
            seen = self.perception.seen
            known, between = kernels.with_far(points, seen.points, *seen.origin.position,
                                              self.perception.reach,
                                              abs(seen.scan.angle_increment))
        kept_from, radii = self.gaps.apply(known)
        if kind == 'on the safe side':
            radii[:len(known)] += between
        space = FreeSpace(kept_from, radii, len(known), self.model.robot_radius)
        self._spaces[kind] = points, judgements, space
        return space

    @property
    def view(self) -> NewestScan:
        """Return what the sensor sees now, as far as it reaches."""
        return self.perception.seen

    def free_distance_to_goal(self) -> float:
        """Return how far the disc can go towards the goal [m], up to the clear distance."""
        return self.space.free(
            self.here, self.goal_heading, self.settings.clear_distance)[0]

    def way_is_free(self) -> bool:
        """Tell whether the way to the goal is free: for clear_distance, or up to the goal."""
        needed = self.goal_distance - self.settings.xy_goal_tolerance
        clear = self.settings.clear_distance
        # A goal that is near and out of sight is not reached: what is in the way has to end first.
        if needed >= clear or not self.sees_goal():
            needed = clear
        return self.free_distance_to_goal() >= needed

    def sees_goal(self) -> bool:
        """Tell whether nothing near by lies between the robot and the goal."""
        return self.space.sees(self.here, self.local_goal)

    def free_distance_ahead(self, reach: float) -> float:
        """
        Return how far the disc can go towards the goal [m], as far as the sensor sees.

        What is near by decides as for every other move. What is farther away counts for as wide
        as the gap to the next beam, so that a look past a corner is never too good to be true.
        """
        here, seen = self.here, self.perception.seen
        # What could stop the disc at its side lies farther away than its centre ever comes.
        sight = seen.reach - self.contour_radius - distance(seen.origin.position, here)
        space = self._free_space('on the safe side')
        return space.free(here, self.goal_heading, min(reach, max(sight, 0.0)))[0]

    def blocking_hit(self) -> Optional[Hit]:
        """Return the hit, where the way to the goal is blocked; the robot is still before it."""
        free, blocker = self.space.free(
            self.here, self.goal_heading, self.settings.hit_distance)
        to_go = self.goal_distance - self.settings.xy_goal_tolerance
        if blocker is None or 0.0 < to_go <= free:
            return None
        centre = (self.pose.x + free * math.cos(self.goal_heading),
                  self.pose.y + free * math.sin(self.goal_heading))
        return Hit(distance(self.correction.apply(centre), self.goal), centre, blocker)

    def certificate(self) -> List[Point]:
        """
        Return the closed chain of obstacle points that shuts the goal off (odometry's frame).

        [] where there is none; then gaps that have turned out wider than they were judged, which
        no chain can be closed across, are open.
        """
        if self._proof[0] != self.stamp:
            self._proof = self.stamp, self._find_certificate()
        return self._proof[1]

    def _find_certificate(self) -> List[Point]:
        here, rho = self.here, self.contour_radius
        chain = enclosing_chain(self._all_space(), rho, here, self.local_goal) or []
        # A chain between the robot and a place where it was before is not closed, unless a door
        # has closed meanwhile.
        path = [] if self.perception.has_changed else self._path
        if self.is_certain(chain) and all(winding(chain, place) == winding(chain, here)
                                          for place in (self.start or here, *path)):
            return chain
        for one, other in zip(chain, chain[1:] + chain[:1]):
            if distance(one, other) >= 2.0 * rho:
                self.gaps.reopen((0.5 * (one[0] + other[0]), 0.5 * (one[1] + other[1])))
        return []

    def is_certain(self, chain: List[Point], off: float = 0.0) -> bool:
        """Tell whether a chain shuts the goal off, even where it is so far off [m]."""
        return is_proof(chain, self.here, self.local_goal, self.contour_radius,
                        self.settings.xy_goal_tolerance + off)

    def is_doubtful(self, certificate: Sequence[Point], share: float = 1.0) -> bool:
        """
        Tell whether a certificate has a gap that single rangers may measure too narrow.

        That is by up to a ``share`` of the width of a cone at the contour.
        """
        cone = self.perception.cone
        if cone == 0.0:
            return False
        narrow = (2.0 - share * cone) * self.contour_radius
        inverse = self.correction.inverse()
        chain = [inverse.apply(place) for place in certificate]
        here = self.here
        return not is_closed(chain, self._all_space(), narrow,
                             (here, self.local_goal, self.start or here))

    def has_lost(self, place: Point) -> bool:
        """Tell whether the boundary that a place is on is not there: it moved, or was taken."""
        return not self.space.is_covered(place, -LOST)

    def has_opened(self, contour: np.ndarray, since: float) -> bool:
        """
        Tell whether something is gone that a contour (n, 2) [m] ran along (odometry's frame).

        What went before ``since`` [s] does not count.
        """
        stamp, gone = self.perception.gone
        if stamp < since or not len(contour):
            return False
        dx, dy = (contour[:, np.newaxis] - gone).transpose(2, 0, 1)
        return bool(np.min(dx * dx + dy * dy) < (self.contour_radius + LOST) ** 2)

    def meets_opening(self, contour: np.ndarray, since: float) -> bool:
        """
        Tell whether a contour has opened, see `has_opened`, where none has before.

        A door that opens again and again is no news: laps would never come to an end.
        """
        if not self.has_opened(contour, since):
            return False
        place = self.perception.gone[1].mean(axis=0)
        known = any(distance(place, other) < OPENING for other in self._openings)
        self._openings.append((float(place[0]), float(place[1])))
        return not known

    def is_boxed_in(self) -> bool:
        """Tell whether the robot has no free heading."""
        return self.space.encloses(
            self.here, self.contour_radius, self.contour_radius + ELBOW_ROOM)

    # ---- what to do ---------------------------------------------------------------------------

    def drive(self, heading: float, speed: float = math.inf, side: int = 0) -> Along:
        """
        Return the intent to go along a heading [rad] (odometry's frame), at most so fast [m/s].

        ``side`` tells where a wall is: +1 on the right hand, -1 on the left, 0 for none.
        """
        return Along(heading, side, speed)

    def to_goal(self) -> Towards:
        """Return the intent to go straight to the goal, and to stop there."""
        return Towards(self.local_goal, room=self.goal_distance)

    # ---- what has happened --------------------------------------------------------------------

    def at(self, step: str, reason: str = '') -> None:
        """
        Enter a step of the algorithm, by its name in `Algorithm.steps`.

        It is entered for a reason, where none is given for what was found last (`because`).
        """
        self.mission.at(step, reason or self.mission.reason
                        or f'the start S, d(S) = {self.goal_distance:.2f} m')

    def because(self, reason: str) -> bool:
        """Tell why what comes next is done; True, so that a rule that holds may end with it."""
        self.mission.reason = reason
        return True

    def closer_than_hit(self, name: str, away: float) -> str:
        """Say that a distance to the goal [m] is less than that of the last hit point."""
        hits = (event for event in reversed(self.mission.events) if event.kind == 'hit')
        hit = next(hits, None)
        return (less(name, away, f'd(H{hit.index})', hit.goal_distance) if hit
                else f'{name} = {away:.2f} m')

    def record_hit(self, hit: Hit) -> None:
        """Record the hit point H_j."""
        self.mission.hits += 1
        name = f'H{self.mission.hits}'
        self.because(f'an obstacle is in the way at {name}, d({name}) = {hit.distance:.2f} m')
        self._record('hit', hit.distance)
        self.pass_milestone(self.correction.apply(hit.centre))

    def record_leave(self) -> None:
        """Record the leave point L_j."""
        self._record('leave', self.goal_distance)

    def pass_milestone(self, place: Point) -> None:
        """
        Take note of a place (global frame) that has to be closer to the goal than before.

        Not so once a gap of about 2 rho was judged: what is a contour hangs on millimetres there.
        """
        if not self.gaps.changes:
            self.mission.pass_milestone(place, self.goal, self.jumped)

    def _record(self, kind: str, goal_distance: float) -> None:
        self.mission.record(Event(kind, self.mission.hits, self.global_pose, self.stamp,
                                  goal_distance, self.path_length))
