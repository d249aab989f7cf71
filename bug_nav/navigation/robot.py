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
The robot as behaviors and algorithms see it.

Headings are in the odometry frame, which is continuous; stored positions (M-line, hit and leave
points, traces) are in the global frame, which a localizer may correct in jumps.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ContextManager, Dict, List, NamedTuple, Optional, Tuple

from bug_nav.navigation.control.motion import correct, update_motion
from bug_nav.navigation.control.state import limits_of, new_state
from bug_nav.navigation.cspace import kernels
from bug_nav.navigation.cspace.free_space import FreeSpace
from bug_nav.navigation.cspace.gaps import GapMemory
from bug_nav.navigation.geometry import distance, IDENTITY, Point, Pose, Segment
from bug_nav.navigation.ledger import GoalLedger
from bug_nav.navigation.names import less
from bug_nav.navigation.perception.beams import NewestScan
from bug_nav.navigation.perception.dialect import Dialects
from bug_nav.navigation.perception.perception import Perceived, Perception
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.navigation.types import Along, Event, Towards
import numpy as np

CONTACT_SPEED = 0.12
"""Maximum speed with contact sensing [m/s]."""
ENCLOSURE_MARGIN = 0.02
"""Obstacles up to rho plus this enclose the robot [m]."""
FREE_DRIVE = 0.05
"""Distance from the start beyond which a robot has had a free heading [m]."""
OPENING_RADIUS = 1.0
"""Maximum distance between points of the same opening [m]."""
LOST_CLEARANCE = 0.15
"""Clearance above which a disc no longer follows a boundary [m]."""
NEAR, IN_SIGHT, INFLATED = range(3)
"""
Points of a free space: those nearby; with the more distant ones of the newest scan; with those
inflated by the gaps between beams.
"""


class Hit(NamedTuple):
    """The place where an obstacle was hit."""

    distance: float
    """Distance of the first contact from the goal [m]."""
    centre: Point
    """
    Place of the robot at first contact: on the contour and on the way to the goal (odometry
    frame).
    """
    contact: Point
    """The obstacle point that blocked the robot (odometry frame)."""


class Robot:
    """
    The state and queries of a tick for behaviors; `Navigator` updates it.

    Attributes for authors, in the global frame where nothing else is said:

    - ``goal``, ``position``, and ``previous``, the position at the tick before or None: x, y [m]
    - ``goal_distance`` [m]; ``goal_heading``, in the odometry frame [rad]
    - ``start``: the first position, in the odometry frame [m]
    - ``pose``: x, y, theta in the odometry frame; ``stamp``: time of the tick [s]
    - ``path_length``: length of the path [m]
    - ``contour_radius``: rho, the radius of the disc that follows contours [m]
    - ``model``, ``settings``: the parameters
    - ``random``: a `numpy.random.Generator`, seeded by the episode, so that the same seed gives
      the same run; on a robot, each goal starts with the same seed

    Methods that docs/write_your_own_algorithm.md does not name are for the package and may change.
    """

    def __init__(self, model: RobotModel, settings: Settings,
                 dialects: Optional[Dialects] = None):
        """Create the robot of one goal; ``dialects`` are what earlier goals have found out."""
        self.model = model
        self.settings = settings
        self.contour_radius = contour_radius(model, settings)
        self.gaps = GapMemory(self.contour_radius)
        if settings.sensing == 'contact':
            self.model = dataclasses.replace(model, max_vel_x=min(model.max_vel_x, CONTACT_SPEED))
        self.perception = Perception(self.model, settings, self.gaps.scale, dialects)
        self.state_record, self.limits = new_state(), limits_of(self.model, settings)
        """The records that the kernels of a tick share, see `bug_nav.navigation.control.state`."""
        self.random = np.random.default_rng(0)
        self.stamp = 0.0
        self.pose = IDENTITY
        self.odom_position: Point = (0.0, 0.0)
        """The position (odometry frame)."""
        self.drift = IDENTITY
        self.correction = IDENTITY
        self.position: Point = (0.0, 0.0)
        self.previous: Optional[Point] = None
        self.goal: Point = (0.0, 0.0)
        self.goal_distance = math.inf
        self.local_goal: Point = (0.0, 0.0)
        """The goal (odometry frame)."""
        self.goal_heading = 0.0
        self.start: Optional[Point] = None
        """The first position (odometry frame)."""
        self._is_at_start = True
        self.has_driven = False
        """Whether the robot has driven freely, in this goal or before: it is not boxed in."""
        self.path: List[Point] = []
        """Earlier positions, half a contour radius apart (odometry frame)."""
        self.path_length = 0.0
        self.jumped = 0.0
        """Sum of the jumps by a localizer [m]."""
        self.turned = 0.0
        self.ledger = GoalLedger()
        self._openings: List[Point] = []
        self._counted: object = None
        """The cleared points of the newest opening."""
        self.chain: Tuple[float, List[Point]] = (math.nan, [])
        """The newest result of `proof.chain.find_chain`, and its stamp [s]."""
        self._spaces: Dict[int, Tuple[object, object, FreeSpace]] = {}

    def set_pose(self, stamp: float, pose: Pose, goal: Point, held: bool,
                 correction: Pose = IDENTITY, drift: Pose = IDENTITY) -> None:
        """
        Set the pose of the robot in the map frame.

        ``held`` is as for `set_place`, and the rest as for `set_frames`.
        """
        self.set_frames(drift, correction, goal)
        _, place = update_motion(self.state_record, self.limits, stamp, 0.0, math.nan, *pose,
                                 False, True, held, math.inf)
        self.set_place(stamp, held, place)

    def set_frames(self, drift: Pose, correction: Pose, goal: Point) -> None:
        """
        Update the frames and the goal; the robot itself has not moved.

        ``drift`` is the pose of the odometry frame in the map frame of the navigator,
        ``correction`` that of the map frame in the global one, and ``goal`` is in the global
        frame.
        """
        # Both ends of a step use the same correction, so that its jump is never a crossing.
        if drift != self.drift:
            self.drift = drift
            pose, self.position = correct(self.state_record, drift[:])
            self.pose, self.odom_position = Pose(*pose), pose[:2]
        if correction != self.correction or goal != self.goal:
            self.correction, self.goal = correction, goal
            self.local_goal = correction.inverse().apply(goal)
            position = correction.apply(self.odom_position)
            self.jumped += distance(self.position, position)
            self.position = position
            self.state_record['correction'] = correction
            self.state_record['goal'] = self.local_goal

    def set_place(self, stamp: float, held: bool, place: Tuple[Any, ...]) -> None:
        """
        Update the place of the robot: ``place``, as `control.motion.update_motion` returns it.

        ``held``: the last tick was a hold, so that this step is not a crossing.
        """
        self.ledger.begin_tick()
        (x, y, theta, global_x, global_y, self.goal_heading, self.path_length, self.turned,
         gap_is_due) = place
        self.stamp, self.pose, self.odom_position = stamp, Pose(x, y, theta), (x, y)
        self.previous = None if held else self.position
        self.position = global_x, global_y
        self.start = self.start or self.odom_position
        away = distance(self.start, self.odom_position)
        self._is_at_start = self._is_at_start and away < self.contour_radius
        self.has_driven = self.has_driven or away >= FREE_DRIVE
        # Not in the kernel, whose hypot differs from `distance` in the last bit.
        self.goal_distance = math.hypot(self.goal[0] - global_x, self.goal[1] - global_y)
        if gap_is_due:
            self._note_passage()

    def _note_passage(self) -> None:
        """Store the place, and the gap if the robot is passing a narrow one."""
        here = self.odom_position
        if not self.path or distance(self.path[-1], here) > 0.5 * self.contour_radius:
            self.path.append(here)
        jambs = self.space.gap_edges(here, self.pose.theta, self.contour_radius + self.gaps.narrow)
        if (jambs and self.gaps.is_narrow(*jambs)
                and Segment(*jambs).distance(here) < self.gaps.plug_radius):
            self.gaps.mark_passed(here)

    def restart(self) -> None:
        """Start again from here in a changed world: reset start, gaps and milestones."""
        self.start, self._is_at_start = None, True
        self.gaps = GapMemory(self.contour_radius)
        self.ledger.reset_milestones()

    @property
    def perceived(self) -> Perceived:
        """Return the surroundings since the newest scan."""
        return self.perception.perceived

    @property
    def global_pose(self) -> Pose:
        """Return the robot's pose in the global frame."""
        return self.correction.compose(self.pose)

    @property
    def odom_stamp(self) -> float:
        """Return the stamp of the newest odometry [s]."""
        return float(self.state_record['stamp'][0])

    def state(self, name: str) -> ContextManager[None]:
        """Enter a state for a context; states nest, and feedback and plots show their stack."""
        return self.ledger.state(name)

    def set_virtual_obstacles(self, points: np.ndarray) -> None:
        """
        Replace the virtual obstacle points by others, (n, 2) [m] in the global frame.

        Gaps are judged again: earlier ones may have been between an obstacle and a virtual one.
        """
        inverse = self.correction.inverse()
        self.perception.set_virtual_obstacles(np.array([inverse.apply(point) for point in points]))
        self.gaps = GapMemory(self.contour_radius)

    # ---- free space ---------------------------------------------------------------------------

    @property
    def space(self) -> FreeSpace:
        """Return the free space around the robot, from the obstacle points nearby."""
        cached = self._spaces.get(NEAR)
        if (cached is not None and cached[0] is self.perception.perceived.points
                and cached[1] is self.gaps.judgements):
            return cached[2]  # called at every tick: without another call, for speed
        return self._free_space(NEAR)

    @property
    def space_in_sight(self) -> FreeSpace:
        """Return the same with the more distant points of the newest scan."""
        return self._free_space(IN_SIGHT)

    def _free_space(self, kind: int) -> FreeSpace:
        """Return a free space, computed again if points or judgements of gaps have changed."""
        points, judgements = self.perceived.points, self.gaps.judgements
        cached = self._spaces.get(kind)
        if cached is not None and cached[0] is points and cached[1] is judgements:
            return cached[2]
        nearby = points
        if kind != NEAR:
            seen = self.newest_scan
            nearby, beam_gaps = kernels.append_far(points, seen.points, *seen.origin.position,
                                                   self.perception.reach,
                                                   abs(seen.scan.angle_increment))
        centres, radii = self.gaps.apply(nearby)
        if kind == INFLATED:
            radii[:len(nearby)] += beam_gaps
        space = FreeSpace(centres, radii, len(nearby), self.model.robot_radius)
        self._spaces[kind] = points, judgements, space
        return space

    @property
    def newest_scan(self) -> NewestScan:
        """Return the newest scan up to its full range."""
        return self.perceived.newest_scan

    def free_distance_to_goal(self) -> float:
        """Return the free distance towards the goal [m], up to the clear distance."""
        return self.space.free_distance(
            self.odom_position, self.goal_heading, self.settings.clear_distance)[0]

    def way_is_free(self) -> bool:
        """Return whether the way to the goal is free: for clear_distance, or up to the goal."""
        needed = self.goal_distance - self.settings.xy_goal_tolerance
        clear = self.settings.clear_distance
        # A goal that is near but not in line of sight is behind an obstacle.
        if needed >= clear or not self.sees_goal():
            needed = clear
        return self.free_distance_to_goal() >= needed

    def sees_goal(self) -> bool:
        """Return whether no obstacle nearby is between the robot and the goal."""
        return self.space.has_line_of_sight(self.odom_position, self.local_goal)

    def free_distance_ahead(self, reach: float) -> float:
        """
        Return the free distance towards the goal [m], up to the range of the sensor.

        Points nearby count as for every other motion. More distant points are inflated by the gap
        to the next beam, so that the view past a corner is never too optimistic.
        """
        here, seen = self.odom_position, self.newest_scan
        # Points that block the disc at its side are farther away than its centre.
        sight = seen.scan.range_max - self.contour_radius - distance(seen.origin.position, here)
        space = self._free_space(INFLATED)
        return space.free_distance(here, self.goal_heading, min(reach, max(sight, 0.0)))[0]

    def blocking_hit(self, heading: Optional[float] = None) -> Optional[Hit]:
        """Return the hit if the way to the goal, or along a ``heading`` [rad], is blocked."""
        along = self.goal_heading if heading is None else heading
        free, blocker = self.space.free_distance(
            self.odom_position, along, self.settings.hit_distance)
        to_go = self.goal_distance - self.settings.xy_goal_tolerance
        if blocker is None or heading is None and 0.0 < to_go <= free:
            return None
        centre = self.pose.x + free * math.cos(along), self.pose.y + free * math.sin(along)
        return Hit(distance(self.correction.apply(centre), self.goal), centre, blocker)

    def has_opened(self, contour: np.ndarray, since: float) -> bool:
        """
        Return whether an obstacle beside a contour (n, 2) [m] has disappeared (odometry frame).

        Changes before ``since`` [s] do not count.
        """
        stamp, gone = self.perception.cleared
        if stamp < since or not len(contour):
            return False
        near, contour = self.contour_radius + LOST_CLEARANCE, np.ascontiguousarray(contour)
        return any(kernels.nearest(contour, x, y)[0] < near for x, y in gone.tolist())

    def is_new_opening(self, contour: np.ndarray, since: float) -> bool:
        """
        Return whether a contour has opened, see `has_opened`, at a place where it has not before.

        A door that opens repeatedly counts once, or laps would never end.
        """
        cleared = self.perception.cleared
        if cleared is self._counted or not self.has_opened(contour, since):
            return False
        self._counted = cleared
        x, y = cleared[1].mean(axis=0).tolist()
        nearby = any(distance((x, y), other) < OPENING_RADIUS for other in self._openings)
        self._openings.append((x, y))
        return not nearby

    @property
    def may_be_boxed_in(self) -> bool:
        """
        Return whether a contour that closes around the robot encloses it.

        Where it has left its start, and where it has entered in this goal while nothing changed,
        only noise has closed the passage behind it.
        """
        return self._is_at_start and (self.path_length < FREE_DRIVE
                                      or self.perception.has_changed)

    def is_boxed_in(self) -> bool:
        """Return whether the robot has no free heading."""
        return self.space.is_enclosed(
            self.odom_position, self.contour_radius, self.contour_radius + ENCLOSURE_MARGIN)

    # ---- intents ------------------------------------------------------------------------------

    def along(self, heading: float, speed: float = math.inf, side: int = 0) -> Along:
        """
        Return the intent to go along a heading [rad] (odometry frame), with a maximum speed [m/s].

        ``side`` is the side of a wall: +1 for the right, -1 for the left, 0 for none.
        """
        return Along(heading, side, speed)

    def to_goal(self) -> Towards:
        """Return the intent to go straight to the goal, and to stop there."""
        return Towards(self.local_goal, room=self.goal_distance)

    # ---- record -------------------------------------------------------------------------------

    def enter_step(self, step: str, reason: str = '') -> None:
        """
        Enter a step of the algorithm, by its name in `Algorithm.steps`.

        If the algorithm declares steps, any other name ends the goal as INTERNAL. Without a
        reason, the most recent finding (`because`) is the reason.
        """
        self.ledger.at(step, reason or self.ledger.reason
                       or f'the start S, d(S) = {self.goal_distance:.2f} m')

    def because(self, reason: str) -> bool:
        """Set the reason of the next step; return True, so that a condition may end with it."""
        self.ledger.reason = reason
        return True

    def closer_than_hit(self, name: str, goal_distance: float) -> str:
        """Phrase that a distance to the goal [m] is less than that of the last hit point."""
        hits = (event for event in reversed(self.ledger.events) if event.kind == 'hit')
        hit = next(hits, None)
        return (less(name, goal_distance, f'd(H{hit.index})', hit.goal_distance) if hit
                else f'{name} = {goal_distance:.2f} m')

    def record_hit(self, hit: Hit) -> None:
        """Record the hit point H_j."""
        self.ledger.hits += 1
        name = f'H{self.ledger.hits}'
        self.because(f'an obstacle is in the way at {name}, d({name}) = {hit.distance:.2f} m')
        self._record('hit', hit.distance)
        self.pass_milestone(self.correction.apply(hit.centre))

    def record_leave(self) -> None:
        """Record the leave point L_j."""
        self._record('leave', self.goal_distance)

    def pass_milestone(self, place: Point) -> None:
        """
        Record a place (global frame) that must be closer to the goal than earlier ones.

        Ignored once a gap of about 2 rho was judged, because the contour then depends on
        millimetres.
        """
        if not self.gaps.changes:
            self.ledger.pass_milestone(place, self.goal, self.jumped)

    def _record(self, kind: str, goal_distance: float) -> None:
        self.ledger.record(Event(kind, self.ledger.hits, self.global_pose, self.stamp,
                                 goal_distance, self.path_length))
