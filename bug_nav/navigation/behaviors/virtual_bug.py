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
The virtual Bug2 that runs ahead of the robot as far as it is visible: the idea of VisBug.

V. Lumelsky and T. Skewis, "Incorporating range sensing in the robot navigation function", IEEE
Transactions on Systems, Man, and Cybernetics 20(5), 1990; V. Lumelsky, "Sensing, Intelligence,
Motion", 2006, section 3.6. C is the robot, T_i the position of the virtual Bug2, X the closest
crossing of the M-line since the hit point H.
"""

from __future__ import annotations

import math
from typing import Generator, List, NamedTuple, Optional

from bug_nav.navigation.behaviors.lookahead_disc import (
    CONTOUR_SLACK,
    look,
    LookaheadDisc,
    SPACING,
    Visibility,
)
from bug_nav.navigation.behaviors.rolling_disc import boxed_in, LEAD, MAX_OVERLAP
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.geometry import bearing, distance, Point, Segment
from bug_nav.navigation.names import less
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent, Towards
import numpy as np

M_LINE_STEP = 0.05
"""Step length of T_i along the M-line [m]."""
BOUNDARY_SLACK = 0.01
"""Reduction of the disc for a free way from a boundary [m]."""
MAX_UNSEEN_SCANS = 3
"""Number of consecutive scans without a visible way after which T_i is lost."""
ARRIVAL_DISTANCE = 0.03
"""Distance at which the robot is at a point [m]."""
MAX_PASSED_POINTS = 50
"""Number of stored points of T_i's path behind the robot's target."""
CONTACT_DISTANCE = 1.0
"""Distance that T_i moves by contact after a loss, unless it leaves before [m]."""
MAX_LOSSES = 10
"""Number of losses after which T_i always moves by contact, as Bug2, which terminates."""
M_LINE_TOLERANCE = 0.02
"""Maximum offset of a robot on the M-line [m]."""


class PathPoint(NamedTuple):
    """A point of the path of T_i (odometry frame)."""

    place: Point
    contact: Optional[Point]
    """Contact of the disc; None on the M-line."""
    side: int
    hit: Optional[Hit]
    marks: int
    """Number of marks of the trace."""


class VirtualBug:
    """The virtual Bug2, with the steps of the paper's procedure Compute T_i."""

    def __init__(self, robot: Robot, leave_margin: float, main_semiplane_only: bool):
        """Start at the robot's position."""
        self.start = robot.position
        self.place = robot.odom_position
        """T_i (odometry frame)."""
        self.hit: Optional[Hit] = None
        self.wall: Optional[LookaheadDisc] = None
        """The boundary followed by T_i; None on the M-line."""
        self._side = 0
        self.trace = Trace(robot, self.place, self._side)
        self._margin = leave_margin
        self._main_semiplane_only = main_semiplane_only
        self._crossing = math.inf
        self._losses = 0
        self._touched = 0.0
        self._newest: object = None
        self._correction: object = None
        self._unseen = 0
        self._unseen_in: object = None
        self._m_line = Segment(self.place, self.place)
        self._path: List[PathPoint] = [PathPoint(self.place, None, 0, None, 0)]
        self._sight: Optional[Visibility] = None

    def advance(self, robot: Robot) -> None:
        """Move T_i as far as its path is visible, and at least a little."""
        if self._m_line.b != robot.local_goal or self._correction is not robot.correction:
            self._correction = robot.correction
            self._m_line = Segment(self._correction.inverse().apply(self.start), robot.local_goal)
        sight = self._sight = look(robot, self._sight)
        newest = robot.newest_scan
        new, self._newest = newest is not self._newest, newest
        far = sight if new and self._may_run_ahead() else None
        if far and sight.sees(self._m_line.b, CONTOUR_SLACK):
            if self.place != self._m_line.b:
                robot.enter_step('1', f'the goal is visible, d(C) = {robot.goal_distance:.2f} m')
            self._jump(robot, self._m_line.b)
        while not self.trace.closed:
            if self.wall is None and not self._go_on_m_line(robot, sight, far is not None):
                pass
            elif self._go_on_boundary(robot, sight, far):
                continue
            if self.trace.closed or not far or not self._shortcut(robot, sight):
                return

    def approach(self, robot: Robot) -> Towards:
        """Return the intent that moves the robot to T_i, straight or along its path."""
        sight = self._sight = look(robot, self._sight)  # a gap may have been judged meanwhile
        here, aim = robot.odom_position, self.place
        # New points have pushed the disc away from T_i: they show a gap that is narrower than it
        # appeared from afar, and the disc must not pass it without a judgement.
        pushed = (self.wall is not None and distance(self.wall.centre, aim)
                  > 0.5 * LEAD * robot.contour_radius)
        if pushed or not self._leads_ahead(robot, sight):
            # If none is reachable any more, the robot came here from the newest.
            overlap = MAX_OVERLAP if pushed else math.inf
            k = next((k for k in reversed(range(len(self._path)))
                      if sight.leads_to(self._path[k].place)
                      and not sight.space.is_inside(self._path[k].place, overlap)),
                     len(self._path) - 1)
            del self._path[:max(k - MAX_PASSED_POINTS, 0)]
            k = min(k, MAX_PASSED_POINTS)
            aim = self._path[k].place
            after = self._path[k + 1].place if k + 1 < len(self._path) else self.place
            # The path is interrupted where T_i took a shortcut.
            if distance(here, aim) < ARRIVAL_DISTANCE or distance(aim, after) > 2.0 * M_LINE_STEP:
                self._go_back(robot, k)
                aim = self.place
        beside = distance(here, aim) < 2.0 * LEAD * robot.contour_radius
        side = self.wall.side if self.wall is not None and beside else 0
        return Towards(aim, side, room=robot.goal_distance)

    def _leads_ahead(self, robot: Robot, sight: Visibility) -> bool:
        """Return whether to move to T_i: until it is not visible for `MAX_UNSEEN_SCANS` scans."""
        newest = robot.newest_scan
        if sight.leads_to(self.place) or sight.leads_to(self._path[-1].place):
            self._unseen = 0
        elif newest is not self._unseen_in or self._unseen == 0:
            self._unseen, self._unseen_in = self._unseen + 1, newest
        return self._unseen < MAX_UNSEEN_SCANS

    # ---- the steps ----------------------------------------------------------------------------

    def _go_on_m_line(self, robot: Robot, sight: Visibility, far: bool) -> bool:
        """Move T_i along the M-line; return whether it hit an obstacle."""
        goal = self._m_line.b
        while True:
            left = distance(self.place, goal)
            if left < CONTOUR_SLACK:
                return False
            heading, step = bearing(self.place, goal), min(M_LINE_STEP, left)
            free, blocker = sight.free(self.place, heading, step)
            to_go = left - robot.settings.xy_goal_tolerance
            place = (self.place[0] + free * math.cos(heading),
                     self.place[1] + free * math.sin(heading))
            if not (sight.is_near(place) or (far and sight.sees(place))):
                return False
            arrives = 0.0 < to_go <= free or self._at_goal(robot, sight, self.place)
            if blocker is not None and not arrives:
                self._meet(robot, Hit(left - free, place, blocker))
                return True
            self._move(place)
            if blocker is not None:
                return False

    def _go_on_boundary(self, robot: Robot, sight: Visibility, far: Optional[Visibility]) -> bool:
        """Move T_i along the boundary; return whether it left it."""
        assert self.wall is not None and self.hit is not None
        for place in self.wall.roll_on(robot, far):
            before = self.place
            if (distance(place, self._m_line.b) > distance(before, self._m_line.b)
                    and self._at_goal(robot, sight, before)):
                robot.enter_step('2', 'T_i is at the goal')
                self._leave(robot, before)
                return True
            self.trace.add(robot, [place])
            self._move(place)
            crossing = self._m_line.crossing(before, place)
            if crossing is not None:
                closer = distance(crossing, self._m_line.b)
                if closer < self.hit.distance - self._margin:
                    self._crossing = min(self._crossing, closer)
                    if self._way_is_free(robot, sight, crossing, closer):
                        robot.enter_step('2', 'T_i meets the M-line at Q, '
                                              f'{robot.closer_than_hit("d(Q)", closer)}, and the '
                                              'way is free')
                        self._leave(robot, crossing)
                        return True
            if self.trace.closed:
                break
        return False

    def _shortcut(self, robot: Robot, sight: Visibility) -> bool:
        """Move T_i to a visible, closer point of the M-line; return whether there is one."""
        side = self._m_line.offset(sight.position)
        if self._main_semiplane_only and self._side * side < -M_LINE_TOLERANCE:
            return False
        goal = self._m_line.b
        if self.wall is None:
            reference = distance(self.place, goal)
        else:
            assert self.hit is not None
            reference = self._crossing if self._main_semiplane_only else self.hit.distance
        reference -= max(self._margin, M_LINE_STEP)
        heading = bearing(goal, self._m_line.a)
        away = np.arange(0.0, min(reference, self._m_line.length), M_LINE_STEP)
        places = np.empty((away.size, 2))
        places[:, 0] = goal[0] + away * math.cos(heading)
        places[:, 1] = goal[1] + away * math.sin(heading)
        for k in sight.sees_which(places, CONTOUR_SLACK).nonzero()[0]:
            place = float(places[k, 0]), float(places[k, 1])
            if self._way_is_free(robot, sight, place, float(away[k])):
                if self.wall is not None:
                    robot.enter_step('4', 'a point Q of the M-line is visible, '
                                          f'{less("d(Q)", float(away[k]), "d_least", reference)}')
                self._jump(robot, place)
                return True
        return False

    def _way_is_free(self, robot: Robot, sight: Visibility, place: Point, left: float) -> bool:
        needed = min(left - robot.settings.xy_goal_tolerance, robot.settings.clear_distance)
        free, _ = sight.free(place, bearing(place, self._m_line.b), max(needed, 0.0),
                             BOUNDARY_SLACK)
        return free >= needed

    def _at_goal(self, robot: Robot, sight: Visibility, place: Point) -> bool:
        """Return whether the goal is reached at a point."""
        goal = self._m_line.b
        return (distance(place, goal) < robot.settings.xy_goal_tolerance
                and sight.space.has_line_of_sight(place, goal))

    def _may_run_ahead(self) -> bool:
        """Return whether T_i may run farther ahead than by contact: not just after a loss."""
        return not self._losses or (self._losses < MAX_LOSSES and self._touched > CONTACT_DISTANCE)

    # ---- state changes ------------------------------------------------------------------------

    def _meet(self, robot: Robot, hit: Hit) -> None:
        robot.record_hit(hit)
        robot.enter_step('3')
        self._side = side_at(robot, hit)
        self._follow(robot, hit, hit.centre, hit.contact)

    def _follow(self, robot: Robot, hit: Hit, place: Point, contact: Point) -> None:
        self.hit, self._crossing = hit, hit.distance
        self.wall = LookaheadDisc(place, contact, self._side)
        self.trace = Trace(robot, place, self._side)
        self._move(place)

    def _jump(self, robot: Robot, place: Point) -> None:
        """Continue T_i from a visible point on the M-line."""
        if self.wall is not None:
            self._leave(robot, place)
        else:
            self._move(place)

    def _leave(self, robot: Robot, place: Point) -> None:
        robot.record_leave()
        self.wall = None
        self._move(place)
        self._touched = math.inf

    def _move(self, place: Point) -> None:
        self._touched += distance(self.place, place)
        self.place = place
        if distance(place, self._path[-1].place) > SPACING:
            contact, hit = (self.wall.contact, self.hit) if self.wall else (None, None)
            self._path.append(PathPoint(place, contact, self._side, hit, self.trace.count))

    def _go_back(self, robot: Robot, k: int) -> None:
        """Continue T_i by contact from a point of its path, because the rest does not exist."""
        step, hit, trace = self._path[k], self.hit, self.trace
        del self._path[k + 1:]
        self._losses += 1
        self._touched = 0.0
        self.wall, self.place = None, step.place
        robot.enter_step('3' if step.contact is not None else '2', 'T_i is lost: the way to it is '
                         'blocked, and it moves back on its path, d(T_i) = '
                         f'{distance(step.place, self._m_line.b):.2f} m')
        if step.contact is not None and step.hit is not None:
            self._side = step.side
            self._follow(robot, step.hit, step.place, step.contact)
            if step.hit is hit:
                inverse = robot.correction.inverse()
                first, *others = [inverse.apply(mark.place) for mark in trace.marks[:step.marks]
                                  ] + [step.place]
                self.trace = Trace(robot, first, self._side)
                self.trace.add(robot, others)


def follow_virtual_bug(robot: Robot, bug: VirtualBug) -> Generator[Intent, None, None]:
    """Follow the virtual Bug2 until it closes a lap."""
    bug.advance(robot)
    while not bug.trace.closed:
        on_m_line = bug.wall is None
        with robot.state('motion_to_goal' if on_m_line else 'boundary_following'):
            while not bug.trace.closed and (bug.wall is None) == on_m_line:
                if robot.may_be_boxed_in and robot.is_boxed_in():
                    raise boxed_in(robot)
                yield bug.approach(robot)
                bug.advance(robot)
    robot.because(f'H is met again: the lap is closed, {bug.trace.lap_length:.2f} m')
