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
MultiBug, reconstructed: Class1 that does not leave twice from the same stretch of a boundary.

It is a recombination: all of it is Class1's but the memory of the stretches.

J. Ng, "An analysis of mobile robot navigation algorithms in unknown environments", PhD thesis,
University of Western Australia, 2010.
"""

from __future__ import annotations

from typing import List

from bug_nav.algorithms.base import Algorithm, CLOSED, CONTACT, Facts, GO, Run, SAFE_RULE, Step
from bug_nav.algorithms.class1 import Closer, Parameters
from bug_nav.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.behaviors.leave_at_closest import leave_at_closest
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.core.geometry import distance, Point
from bug_nav.robot import Robot

NEAR = 0.10
"""A place that was walked by within this distance [m] is on a walked stretch."""


class CloserOnNewGround(Closer):
    """Class1's rule, on stretches of boundary that have not been walked before."""

    def __init__(self, closer_than: float, walked: List[Point]):
        """Take the places that were walked by so far (global frame)."""
        super().__init__(closer_than)
        self.walked = walked

    def __call__(self, robot: Robot) -> bool:
        """Tell whether the rule holds on new ground."""
        return (robot.goal_distance < self.closer_than
                and not any(distance(robot.position, place) < NEAR for place in self.walked)
                and super().__call__(robot))


class MultiBug(Algorithm):
    """Leave closer to the goal, and never from a stretch that was walked before."""

    facts = Facts(
        title='MultiBug-R', source='Ng 2010', sensing=CONTACT,
        memory='all stretches of boundary that were walked', bound='none known',
        complete=True, ordered=True,
        guarantee='reaches the goal, or proves that it cannot be reached',
        ours="the thesis' own definition was not at hand: a recombination, Class1's rule outside "
             f'of the stretches that were walked before; {SAFE_RULE}, on such a '
             'stretch, too',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        GO,
        Step('2', 'Follow the boundary, until the goal is reached or 2b or 2c holds.'),
        Step('2b', 'Where the boundary has not been walked before, d(x) < d(H_i), and the way '
                   'from x to the goal is free, leave and go on with 1.'),
        Step('2c', CLOSED))

    def run(self, robot: Robot) -> Run:
        """Go, go round, and leave on new ground; a lap ends with a look from its closest place."""
        walked: List[Point] = []
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            closer = CloserOnNewGround(hit.distance - self.parameters.leave_margin, walked)
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, closer)
            robot.at('2c' if lap.closed else '2b')
            if lap.closed:
                yield from leave_at_closest(robot, lap, wall)
            robot.record_leave()
            walked += [mark.place for mark in lap.marks]
