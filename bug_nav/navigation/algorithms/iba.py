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
IBA, the intelligent bug algorithm, reconstructed from its description.

M. Zohaib, S. M. Pasha, N. Javaid and J. Iqbal, "Intelligent bug algorithm (IBA): a novel strategy
to navigate mobile robots autonomously", 2013, arXiv:1312.4552.
"""

from __future__ import annotations

from bug_nav.navigation.algorithms.base import (
    Algorithm,
    IntentGenerator,
    Metadata,
    MOVE_TO_GOAL,
    RANGE,
    Step,
)
from bug_nav.navigation.algorithms.tangent_bug import Parameters
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.behaviors.tangent_graph import heading_index, TangentSight
from bug_nav.navigation.geometry import bearing
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.types import LoopDetected


class ObstacleClear:
    """Leave condition: the followed obstacle does not block the visible way to the goal."""

    def __init__(self, sight: TangentSight, follower: Follower):
        """Set the sensor and the follower of the obstacle."""
        self.sight, self.follower = sight, follower

    def __call__(self, robot: Robot) -> bool:
        """Return whether the followed obstacle is visibly clear of the way."""
        if not robot.way_is_free():
            return False
        graph = self.sight.look(robot)
        needed = robot.goal_distance - robot.settings.xy_goal_tolerance
        free = graph.free_distance(robot.odom_position, robot.goal_heading)
        if free >= needed:
            return robot.because(f'the goal is visible, {needed:.2f} m are free')
        ahead = heading_index(bearing(graph.origin, robot.local_goal))
        return not graph.ends_at(self.follower.centre)[ahead] and robot.because(
            f'the obstacle does not block the way to the goal, {free:.2f} m are free')


class Iba(Algorithm):
    """Follow an obstacle until it no longer hides the goal."""

    metadata = Metadata(
        title='IBA', source='Zohaib et al. 2013', sensing=RANGE, memory='none', complete=False,
        bound='none',
        guarantee='none: it looks ahead but remembers nothing, loops, and reports that',
        differences='the steps are taken from descriptions, which do not define how obstacles '
                    'are distinguished: here points that appear less than 2 rho apart belong to '
                    'one obstacle, and parts with a hidden connection are two; if nothing is '
                    'visible in the direction of the goal, the robot also leaves, but only where '
                    'the way is free; two conditions are a loop: a whole lap without a leave '
                    'point, and the same points three times without coming closer',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        MOVE_TO_GOAL,
        Step('2', 'Follow the obstacle, and observe the direction of the goal; a whole lap is a '
                  'loop (ours).'),
        Step('3', 'If the goal is visible, or another obstacle is in its direction, leave and '
                  'continue with 1; the same points three times are a loop (ours).'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps; the loop monitor ends an endless run."""
        sight = TangentSight(self.parameters.sensor_range)
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        while True:
            robot.enter_step('1')
            hit = yield from move_to_goal(robot)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            trace = yield from follow_boundary(robot, follower, ObstacleClear(sight, follower))
            if trace.closed:
                raise LoopDetected('a closed lap around the obstacle, which hides the goal '
                                   'everywhere; IBA would circle forever',
                                   trace.lap_length)
            robot.enter_step('3')
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))
