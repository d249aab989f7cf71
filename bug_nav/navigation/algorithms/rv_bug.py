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
RV-Bug: a Bug algorithm with a potential field of relative velocities, for dynamic obstacles.

Reconstructed from the abstract, which contains no steps: the field is based on the relative
velocity, and the cumulative changes of the internal and external angles along a wall decide when
to leave it, not positions, which drift.

doi:10.1177/17298806231169186, International Journal of Advanced Robotic Systems, 2023. The field's
two directions are those of S. S. Ge and Y. J. Cui, "Dynamic motion planning for mobile robots
using potential field method", Autonomous Robots 13:207-222, 2002; the sum of angles is known from
the Pledge algorithm (H. Abelson and A. A. diSessa, "Turtle Geometry", MIT Press, 1981).
"""

from __future__ import annotations

import dataclasses
import math
from typing import Generator

from bug_nav.navigation.algorithms.base import Algorithm, IntentGenerator, Metadata, RANGE, Step
from bug_nav.navigation.behaviors.follow_boundary import follow_boundary, meet_boundary
from bug_nav.navigation.behaviors.loop_monitor import LoopMonitor
from bug_nav.navigation.geometry import wrap
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent, LoopDetected
import numpy as np

LAPS = 2
"""Number of closed laps around an obstacle that count as a loop."""
NEAREST = 0.05
"""Lower bound of the distances in the field [m]."""


@dataclasses.dataclass(frozen=True)
class Parameters(ParameterSet):
    """Parameters of the field."""

    influence: float = parameter(
        2.0, 'range of the repulsion by moving points', unit='m', low=0.1, high=100.0)
    gain: float = parameter(
        0.5, "repulsion at half that range and at the robot's maximum speed, relative to the "
        'attraction of the goal', low=0.0, high=100.0)


def moving(robot: Robot) -> np.ndarray:
    """Return the moving points, (n, 4) x, y [m], vx, vy [m/s] (odometry frame)."""
    found = [np.column_stack((obstacle.points,
                              np.tile(obstacle.velocity, (len(obstacle.points), 1))))
             for obstacle in robot.perceived.dynamic_obstacles]
    return np.concatenate(found) if found else np.empty((0, 4))


def field_heading(robot: Robot, points: np.ndarray, parameters: Parameters) -> float:
    """Return the heading [rad] of the field of the goal and the moving ``points`` (n, 4)."""
    to_goal = np.array([math.cos(robot.goal_heading), math.sin(robot.goal_heading)])
    speed = robot.model.max_vel_x
    away = points[:, :2] - robot.odom_position
    distances = np.maximum(np.hypot(away[:, 0], away[:, 1]), NEAREST)
    towards = away / distances[:, None]
    # Velocity of the robot relative to the points if it moved straight to the goal.
    coming = speed * to_goal - points[:, 2:]
    closing = np.sum(coming * towards, axis=1)
    gap = np.maximum(distances - robot.contour_radius, NEAREST)
    push = parameters.gain * closing / speed * (parameters.influence / gap - 1.0)
    if not len(push) or push.max() <= 0.0:
        return robot.goal_heading
    # One obstacle has many points: only the one with the largest repulsion counts.
    k = int(np.argmax(push))
    x, y = towards[k]
    side = 1.0 if x * coming[k, 1] - y * coming[k, 0] >= 0.0 else -1.0
    force = to_goal + push[k] * np.array([-x - side * y, -y + side * x])
    return math.atan2(force[1], force[0])


def move_along_field(robot: Robot, parameters: Parameters) -> Generator[Intent, None, Hit]:
    """Move along the field; return the hit when an obstacle is in the way."""
    with robot.state('motion_to_goal'):
        while True:
            heading = field_heading(robot, moving(robot), parameters)
            is_pushed = heading != robot.goal_heading
            hit = robot.blocking_hit(heading if is_pushed else None)
            if hit:
                robot.record_hit(hit)
                return hit
            yield robot.along(heading) if is_pushed else robot.to_goal()


class AngleSumZero:
    """Leave condition: the sum of angles is back at zero, and the way to the goal is free."""

    def __init__(self, robot: Robot, side: int):
        """Start at a hit; ``side`` +1 keeps the wall on the right."""
        self.side = side
        self.turned = wrap(robot.pose.theta - robot.goal_heading)
        """Angle from the direction of the goal to the heading, with whole turns [rad]."""
        self._last = robot.pose.theta, robot.goal_heading

    def __call__(self, robot: Robot) -> bool:
        """Return whether to leave."""
        now = robot.pose.theta, robot.goal_heading
        self.turned += wrap(now[0] - self._last[0]) - wrap(now[1] - self._last[1])
        self._last = now
        return self.side * self.turned <= 0.0 and robot.way_is_free() and robot.because(
            f'the sum of angles is back at zero, {self.side * self.turned:.2f} rad, and the way '
            'is free')


class RvBug(Algorithm):
    """Avoid dynamic obstacles, and leave a wall once the sum of its angles is zero."""

    metadata = Metadata(
        title='RV-Bug', source='doi:10.1177/17298806231169186, 2023', sensing=RANGE,
        memory='the sum of angles along the wall', complete=False, bound='none',
        guarantee='none: it escapes from many pockets but may loop, and reports that',
        differences='only the abstract was available, which has no steps: the field is that of '
                    'Ge and Cui for the point with the largest repulsion, and the sum of angles '
                    'that of the Pledge algorithm relative to the direction of the goal; the '
                    'reset point in the abstract is not reconstructed; static obstacles do not '
                    'repel but are hit; two conditions are a loop: two laps without a leave '
                    'point, and the same points three times without coming closer',
        reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Move along the field until an obstacle is hit. The goal attracts. Approaching '
                  'points repel the robot backwards, and to the side on which they would miss it, '
                  'more strongly the faster and nearer they are.'),
        Step('2', 'Follow the boundary and add up the angles of its corners: internal corners '
                  'turn the robot away from the goal, external ones turn it back. Add the changes '
                  "of the goal's direction. Two laps are a loop (ours)."),
        Step('3', 'If the sum is back at zero or beyond, and the way to the goal is free, leave '
                  'and continue with 1. The same hit and leave points three times are a loop '
                  '(ours).'))

    def run(self, robot: Robot) -> IntentGenerator:
        """Run the steps; the loop monitor ends an endless run."""
        monitor = LoopMonitor('the obstacle was hit and left at the same places')
        while True:
            robot.enter_step('1')
            hit = yield from move_along_field(robot, self.parameters)
            robot.enter_step('2')
            follower = meet_boundary(robot, hit)
            rule = AngleSumZero(robot, follower.side)
            for _ in range(LAPS):
                trace = yield from follow_boundary(robot, follower, rule)
                if not trace.closed:
                    break
            else:
                raise LoopDetected(f'lap {LAPS} around the obstacle is closed, and the sum of its '
                                   'angles never came back to zero where the way was free',
                                   trace.lap_length)
            robot.enter_step('3')
            robot.record_leave()
            monitor.note(robot.correction.apply(hit.centre), robot.position,
                         min(hit.distance, robot.goal_distance))
