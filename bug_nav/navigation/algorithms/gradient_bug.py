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
Gradient bug: follow a preferred heading, corrected by the strength of a signal along walls.

The homing of one robot of the swarm gradient bug algorithm, to a beacon at the goal.

K. N. McGuire, C. De Wagter, K. Tuyls, H. J. Kappen and G. C. H. E. de Croon, "Minimal navigation
solution for a swarm of tiny flying robots to explore an unknown environment", Science Robotics
4(35), eaaw9710, 2019.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Optional, Tuple

from bug_nav.navigation.algorithms.base import INTENSITY, Metadata, Step, TURN_BY_ALGORITHM
from bug_nav.navigation.algorithms.blind_bug import BlindBug
from bug_nav.navigation.algorithms.blind_bug import Parameters as BlindParameters
from bug_nav.navigation.algorithms.i_bug import intensity
from bug_nav.navigation.behaviors.corner import Corner
from bug_nav.navigation.behaviors.turn_directions import side_at
from bug_nav.navigation.geometry import bearing, distance, Point, wrap
from bug_nav.navigation.parameters import parameter
from bug_nav.navigation.robot import Hit, Robot
import numpy as np

BINS = 8
"""Number of headings among which the votes for the signal direction are counted."""
BIN = 2.0 * math.pi / BINS
"""Angle between two of these headings [rad]."""
BEHIND = 1.0
"""Maximum angle from straight behind the hit point that counts as a loop [rad]."""
AWAY = 2.0
"""Minimum distance from the hit point at which its direction is used [contour radii]."""
AS_NEAR = 0.05
"""Maximum difference between the distances of two walls that count as equal [m]."""
BEAM = 0.02
"""Half the width of the beam that measures the clearance at a side [m]."""


@dataclasses.dataclass(frozen=True)
class Parameters(BlindParameters):
    """Parameters of an algorithm that uses the strength of a signal."""

    sample_length: float = parameter(
        1.0, 'distance along a straight wall over which the signal is compared', unit='m',
        low=0.1, high=100.0)
    max_votes: int = parameter(
        5, 'maximum number of votes of a heading; beyond it, all headings lose '
           'one', low=1, high=1000)
    side_range: float = parameter(
        2.0, 'range within which the robot turns away from the nearer wall at its sides after a '
             'hit', unit='m', low=0.1, high=100.0)


class SignalGradient:
    """
    Estimates the direction of a signal by votes of straight stretches along walls.

    A stretch votes for its heading and against the opposite one if the signal became stronger, and
    the other way round if it became weaker.
    """

    def __init__(self, heading: float, sample_length: float, max_votes: int):
        """Start with an estimate [rad], where the bins begin."""
        self.heading = heading
        """Estimated direction of the signal [rad] (odometry frame)."""
        self._ahead = heading
        self._length, self._most = sample_length, max_votes
        self._sample: Optional[Tuple[Point, float]] = None
        self.votes = np.zeros(BINS, dtype=int)
        """Votes for the headings ``k`` times `BIN` from the first bin."""

    def forget(self) -> None:
        """Clear the votes; the heading stays until the next vote."""
        self.votes[:] = 0
        self._sample = None

    def walk(self, place: Point, strength: float, is_straight: bool) -> None:
        """Add the position of the robot and the signal there [dB]."""
        if not is_straight:
            self._sample = None
            return
        if self._sample is None:
            self._sample = place, strength
        begin, weaker = self._sample
        if distance(begin, place) >= self._length:
            self.vote(bearing(begin, place), strength - weaker)
            self._sample = None

    def vote(self, heading: float, change: float) -> None:
        """Add the vote of a heading [rad] along which the signal changed by ``change`` [dB]."""
        vote = int(np.sign(change))
        k = round((heading - self._ahead) / BIN)
        self.votes[k % BINS] += vote
        self.votes[(k + BINS // 2) % BINS] -= vote
        self.votes = np.maximum(self.votes, 0)
        if self.votes.max() > self._most:
            self.votes = np.maximum(self.votes - 1, 0)
        angles = BIN * np.arange(BINS)
        x, y = self.votes @ np.cos(angles), self.votes @ np.sin(angles)
        if math.hypot(x, y) > 0.5:  # opposite headings cancel
            self.heading = wrap(self._ahead + math.atan2(y, x))


class GradientBug(BlindBug):
    """Keep to a preferred heading, corrected by the change of the signal along walls."""

    metadata = Metadata(
        title='Gradient bug', source='McGuire et al. 2019', sensing=INTENSITY,
        memory='a heading, eight counters, the last hit point and turn', complete=False,
        bound='none',
        guarantee='none: without walls to follow, it keeps the initial heading',
        differences='the steps are those of its code, because the paper was not available; the '
                    'signal is computed from the distance; the initial heading is the direction '
                    'of the goal, where the original has the reversed way out, and the bins '
                    'begin there; at a corner the preferred heading instead of the way ahead '
                    'must be free, and at least 5 degrees away from the wall; between equally '
                    'near walls the turn direction decides; the direction of the hit point is '
                    'used beyond two contour radii from it; headings that cancel out change '
                    'nothing; the robot goes straight to a nearby goal, where the original '
                    'lands; three conditions end the goal: three laps around an obstacle, the '
                    'same points three times, and a straight way that leads away from the goal',
        turn=TURN_BY_ALGORITHM)
    Parameters = Parameters
    steps: ClassVar[Tuple[Step, ...]] = (
        Step('1', 'Forward: move along the preferred heading until an obstacle is hit; if the '
                  'goal is near and the way to it free, go there (ours).'),
        Step('2', 'Wall following: turn away from the nearer wall at the sides; after a loop, '
                  'turn to the side opposite to that of the last hit. Clear all votes. After each '
                  'metre along a straight wall, vote for its heading and against the opposite one '
                  'if the signal has become stronger, and the other way round if it has become '
                  'weaker; the preferred heading is the mean of all votes. If the robot comes to '
                  'within 1 rad of straight behind the hit point, it has looped.'),
        Step('3', 'If the wall ends at a corner, and the preferred heading is up to 1.5 rad off '
                  'it and free, rotate to that heading and continue with 1.'))

    free_side = 1.5
    laps = 3

    def begin(self, robot: Robot) -> None:
        """Reset the memory at the start of a goal, and head towards it."""
        super().begin(robot)
        parameters = self.parameters
        self.gradient = SignalGradient(
            self.heading, parameters.sample_length, parameters.max_votes)
        self.loops = False
        """Whether the last boundary led behind its hit point."""
        self._side = 0
        self._hit_heading = self.heading

    def side(self, robot: Robot, hit: Hit) -> Optional[int]:
        """Turn away from the nearer wall; after a loop, to the side opposite to the last."""
        self.gradient.forget()
        self._hit_heading = self.heading
        if self.loops:
            self._side, self.loops = -self._side, False
        else:
            self._side = self._side_of_nearer_wall(robot) or side_at(robot, hit)
        return self._side

    def _side_of_nearer_wall(self, robot: Robot) -> int:
        """Return the side of the nearer wall: -1 left, +1 right, 0 for neither."""
        space, pose = robot.space_in_sight, robot.pose
        left, right = (
            space.free_distance_of(BEAM, pose.position, pose.theta + turn,
                                   self.parameters.side_range)[0]
            for turn in (0.5 * math.pi, -0.5 * math.pi))
        return int(np.sign(left - right)) if abs(left - right) > AS_NEAR else 0

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """Sample the signal where the wall is straight, and detect a loop."""
        here = robot.odom_position
        if (distance(hit.centre, here) > AWAY * robot.contour_radius
                and abs(wrap(bearing(here, hit.centre) - self._hit_heading)) < BEHIND):
            self.loops = True
        self.gradient.walk(here, intensity(robot), corner.is_straight)
        self.heading = self.gradient.heading
        return super().follow(robot, hit, corner, walked)
