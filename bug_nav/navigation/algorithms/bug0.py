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
Bug0, also known as Com: the common-sense algorithm without memory.

H. Choset et al., "Principles of Robot Motion", MIT Press 2005, chapter 2; "Com" in K. N. McGuire,
G. de Croon and K. Tuyls, "A comparative study of bug algorithms for robot navigation", Robotics
and Autonomous Systems 121, 2019.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    CONTACT,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    Step,
)
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import LoopDetected


def way_is_free(robot: Robot) -> bool:
    """Return whether the way to the goal is free, the leave condition."""
    return robot.way_is_free() and robot.because(
        f'the way to the goal is free for {robot.free_distance_to_goal():.2f} m')


class Bug0(Algorithm):
    """Move towards the goal wherever the way is free, else follow the obstacle."""

    metadata = Metadata(
        title='Bug0', source='folklore; Choset et al. 2005', sensing=CONTACT,
        memory='none', complete=False, bound='none',
        guarantee='none: it loops in pockets, and reports that',
        differences='two conditions are a loop: a whole lap without a free way, and the same '
                    'points three times without coming closer')
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the boundary until the goal is reached or 3 applies; a whole lap is a '
                  'loop (ours).'),
        Step('3', 'If the way to the goal is free, leave and continue with 1; the same points '
                  'three times are a loop (ours).'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps; the loop monitor ends an endless run."""
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            trace = yield from follow_boundary(robot, follower, way_is_free)
            if trace.closed:
                raise LoopDetected('a closed lap around the obstacle without a free way to the '
                                   'goal; Bug0 would circle forever', trace.lap_length)
            robot.enter_step('3')
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))
