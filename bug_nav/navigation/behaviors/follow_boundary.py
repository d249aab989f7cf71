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

"""Boundary following: drive along the contour of the obstacles inflated by rho."""

from __future__ import annotations

from typing import Callable, Dict, Generator, List, Optional, Protocol, Tuple

from bug_nav.navigation.behaviors.parallel_beams import ParallelBeams
from bug_nav.navigation.behaviors.pid_follower import TwoRangePid
from bug_nav.navigation.behaviors.rolling_disc import boxed_in, RollingDisc
from bug_nav.navigation.behaviors.tangent_sweep import TangentSweep
from bug_nav.navigation.behaviors.trace import Trace
from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.behaviors.vector_field import ClosestPoint
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.robot import Hit, LOST_CLEARANCE, Robot
from bug_nav.navigation.types import Intent, WorldChanged


class Rule(Protocol):
    """Condition that ends boundary following; it gives the reason to `Robot.because`."""

    def __call__(self, robot: Robot) -> bool:
        """Return whether to end here; called once per tick."""


class Follower(Protocol):
    """Follows a boundary on one side of the robot."""

    side: int
    """+1 if the boundary is on the right, -1 if on the left."""

    @property
    def centre(self) -> Point:
        """End of the known contour (odometry frame)."""

    def step(self, robot: Robot) -> Tuple[Intent, List[Point]]:
        """Return the intent of this tick, and the next points of the contour."""

    def turned_back(self) -> Follower:
        """Return a follower of the same boundary in the other direction."""


FOLLOWER_TYPES: Dict[str, Callable[[Point, Point, int], Follower]] = {
    'rolling_disc': RollingDisc, 'sweep': TangentSweep, 'pid': TwoRangePid,
    'parallel': ParallelBeams, 'vector_field': ClosestPoint}
"""Followers by the setting `follower`; arguments: contour point, contact point, side."""


def meet_boundary(robot: Robot, hit: Hit, side: Optional[int] = None) -> Follower:
    """Return a follower of the boundary that was hit; ``side`` None uses the turn direction."""
    return FOLLOWER_TYPES[robot.settings.follower](
        hit.centre, hit.contact, side_at(robot, hit) if side is None else side)


def follow_boundary(robot: Robot, follower: Follower, *rules: Rule
                    ) -> Generator[Intent, None, Trace]:
    """
    Follow a boundary until one of the rules holds or the lap is closed; return the trace.

    Raise BoxedIn if the contour closes around the robot, and WorldChanged if the followed obstacle
    disappears, or another one, such as a door, comes between it and the robot.
    """
    trace, since = Trace(robot, follower.centre, follower.side), robot.stamp
    with robot.state('boundary_following'):
        while not trace.closed:
            for rule in rules:
                if rule(robot):
                    return trace
            if robot.may_be_boxed_in and robot.is_boxed_in():
                raise boxed_in(robot)
            if robot.perception.has_changed and (
                    not robot.space.is_inside(follower.centre, -LOST_CLEARANCE)
                    or robot.is_new_opening(trace.contour, since)):
                raise WorldChanged
            if len(robot.perceived.new_points) and not robot.space.has_line_of_sight(
                    robot.odom_position, follower.centre):
                raise WorldChanged('an obstacle has come between robot and followed boundary')
            intent, way = follower.step(robot)
            trace.add(robot, way)
            yield intent
        robot.because(f'the lap is closed, {trace.lap_length:.2f} m')
        return trace
