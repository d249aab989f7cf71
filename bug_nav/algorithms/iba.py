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

from bug_nav.algorithms.base import Algorithm, Facts, GO, RANGE, Run, Step
from bug_nav.algorithms.tangent_bug import Parameters
from bug_nav.behaviors.follow_boundary import follow_boundary, Follower, meet_boundary
from bug_nav.behaviors.loop_monitor import LoopMonitor
from bug_nav.behaviors.move_to_goal import move_to_goal
from bug_nav.behaviors.tangent_graph import heading_index, TangentSight
from bug_nav.core.geometry import bearing
from bug_nav.core.interface import LoopDetected
from bug_nav.robot import Robot


class OtherInTheWay:
    """The rule to leave: the goal is in sight, or at most another obstacle is in the way to it."""

    def __init__(self, sight: TangentSight, wall: Follower):
        """Take what sees, and what follows the obstacle."""
        self.sight, self.wall = sight, wall

    def __call__(self, robot: Robot) -> bool:
        """Tell whether what is followed is out of the way, as far as is seen."""
        if not robot.way_is_free():
            return False
        graph = self.sight.look(robot)
        needed = robot.goal_distance - robot.settings.xy_goal_tolerance
        free = graph.free_distance(robot.here, robot.goal_heading)
        if free >= needed:
            return robot.because(f'the goal is in sight, {needed:.2f} m are free')
        ahead = heading_index(bearing(graph.origin, robot.local_goal))
        return not graph.ends_at(self.wall.centre)[ahead] and robot.because(
            f'the obstacle is out of the way to the goal, {free:.2f} m are free')


class Iba(Algorithm):
    """Follow an obstacle until the goal is in sight, or another obstacle in its direction."""

    facts = Facts(
        title='IBA', source='Zohaib et al. 2013', sensing=RANGE, memory='none', complete=False,
        bound='none',
        guarantee='none: it looks ahead but remembers nothing, loops, and says so',
        ours='the steps are taken from descriptions, which leave open how obstacles are told '
             'apart: here what is seen to be less than 2 rho apart is one, and parts whose '
             'connection is out of sight are two; where nothing is in sight in the direction of '
             'the goal it leaves, too, and only where the way is free; its two ends in a loop: a '
             'whole lap without a place to leave, and the same places three times without coming '
             'closer',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        GO,
        Step('2', 'Follow the obstacle, and look towards the goal all the time; a whole lap is a '
                  'loop (ours).'),
        Step('3', 'Where the goal is in sight, or what is in its direction is another obstacle, '
                  'leave and go on with 1; the same places three times are a loop (ours).'))

    def run(self, robot: Robot) -> Run:
        """Follow the steps; the monitor ends what would go on for ever."""
        sight = TangentSight(self.parameters.sensor_range)
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        while True:
            robot.at('1')
            hit = yield from move_to_goal(robot)
            robot.at('2')
            wall = meet_boundary(robot, hit)
            lap = yield from follow_boundary(robot, wall, OtherInTheWay(sight, wall))
            if lap.closed:
                raise LoopDetected('a closed lap around the obstacle, and from everywhere it is '
                                   'itself in the way; IBA would go round for ever',
                                   lap.lap_length)
            robot.at('3')
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))
