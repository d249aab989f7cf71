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
Gradient bug: along a preferred heading, which the strength of a signal along walls sets right.

It is what one robot of the swarm gradient bug algorithm does on its way home, to a beacon at the
goal.

K. N. McGuire, C. De Wagter, K. Tuyls, H. J. Kappen and G. C. H. E. de Croon, "Minimal navigation
solution for a swarm of tiny flying robots to explore an unknown environment", Science Robotics
4(35), eaaw9710, 2019.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Optional, Tuple

from bug_nav.algorithms.base import Facts, INTENSITY, OWN, Step
from bug_nav.algorithms.blind_bug import BlindBug
from bug_nav.algorithms.blind_bug import Parameters as BlindParameters
from bug_nav.algorithms.i_bug import intensity
from bug_nav.behaviors.corner import Corner
from bug_nav.core.geometry import bearing, distance, Point, wrap
from bug_nav.core.parameters import parameter
from bug_nav.robot import Hit, Robot
import numpy as np

BINS = 8
"""The votes for where the signal comes from are counted in so many headings."""
BIN = 2.0 * math.pi / BINS
"""The angle between two of them [rad]."""
BEHIND = 1.0
"""The hit point is looped back to within this angle of straight behind it [rad]."""
AWAY = 2.0
"""So far from the hit point [contour radii] it can be told where it lies."""
AS_NEAR = 0.05
"""Walls at the sides are as near as each other to this [m]."""
BEAM = 0.02
"""The room at a side is that of a beam, no obstacle point nearer to it than this [m]."""


@dataclasses.dataclass(frozen=True)
class Parameters(BlindParameters):
    """The parameters of an algorithm that goes by the strength of a signal."""

    sample_length: float = parameter(
        1.0, 'the signal is compared with what it was so far back on a straight wall', unit='m',
        low=0.1, high=100.0)
    most_votes: int = parameter(
        5, 'once a heading has more votes than this, all lose one', low=1, high=1000)
    side_range: float = parameter(
        2.0, 'at a hit the robot turns away from the nearer wall at its sides, if one is within '
        'this', unit='m', low=0.1, high=100.0)


class SignalGradient:
    """
    Where a signal seems to come from, by the votes of metres walked straight along walls.

    Each metre votes for its own heading and against the opposite one where the signal became
    stronger, the other way round where it became weaker.
    """

    def __init__(self, heading: float, sample_length: float, most_votes: int):
        """``heading``: what is believed before the first vote [rad]; the bins begin there."""
        self.heading = heading
        """Where it comes from [rad] (odometry's frame)."""
        self._ahead = heading
        self._length, self._most = sample_length, most_votes
        self._sample: Optional[Tuple[Point, float]] = None
        self.votes = np.zeros(BINS, dtype=int)
        """Of the headings ``k`` times `BIN` from where the bins begin."""

    def forget(self) -> None:
        """Count anew; the heading stays until there is a vote."""
        self.votes[:] = 0
        self._sample = None

    def walk(self, place: Point, strength: float, is_straight: bool) -> None:
        """Take note of where the robot is, and of the signal there [dB]."""
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
        """Take the vote of a heading [rad] along which the signal changed by so much [dB]."""
        vote = int(np.sign(change))
        k = round((heading - self._ahead) / BIN)
        self.votes[k % BINS] += vote
        self.votes[(k + BINS // 2) % BINS] -= vote
        self.votes = np.maximum(self.votes, 0)
        if self.votes.max() > self._most:
            self.votes = np.maximum(self.votes - 1, 0)
        angles = BIN * np.arange(BINS)
        x, y = self.votes @ np.cos(angles), self.votes @ np.sin(angles)
        if math.hypot(x, y) > 0.5:  # headings that are opposite to each other say nothing
            self.heading = wrap(self._ahead + math.atan2(y, x))


class GradientBug(BlindBug):
    """Keep to a heading that the signal sets right, by whether it grows along walls."""

    facts = Facts(
        title='Gradient bug', source='McGuire et al. 2019', sensing=INTENSITY,
        memory='a heading, eight counters, the last hit point and turn', complete=False,
        bound='none',
        guarantee='none: without walls to walk along it learns of no other heading than the first',
        ours='the steps are those of its code, the paper was not at hand; the signal is made '
             'from the distance; the first heading is the one towards the goal, where the '
             'original has the way out turned round, and the bins begin there; at a corner the '
             'preferred heading has to be free, not the way ahead, and 5 degrees off the wall; '
             'of walls as near as each other the turn direction decides; where the robot is from '
             'the hit point counts from two contour radii on; headings that cancel out change '
             'nothing; the straight way to a goal near by, where the original lands; its three '
             'ends: three laps around an obstacle, the same places three times, and a straight '
             'way that leads astray',
        turn=OWN)
    Parameters = Parameters
    steps: ClassVar[Tuple[Step, ...]] = (
        Step('1', 'Forward: go along the preferred heading until an obstacle is in the way; where '
                  'the goal is near and the way to it free, go there (ours).'),
        Step('2', 'Wall following: turn away from the nearer wall at the sides, after a loop the '
                  'other way than last, and forget all votes. Each metre straight along the wall '
                  'votes for its heading and against the opposite one, or the other way round, as '
                  'the signal becomes stronger or weaker; the preferred heading is the mean of '
                  'all votes. Within 1 rad of straight behind the hit point it has looped.'),
        Step('3', 'Where the wall ends at a corner, and the preferred heading is up to 1.5 rad '
                  'off it and free, rotate to that heading and go on with 1.'))

    free_side = 1.5
    laps = 3

    def begin(self, robot: Robot) -> None:
        """Begin a goal: the heading is the one towards it, until the signal tells better."""
        super().begin(robot)
        parameters = self.parameters
        self.gradient = SignalGradient(
            self.heading, parameters.sample_length, parameters.most_votes)
        self.loops = False
        """Whether the last boundary has led to behind its hit point."""
        self._side = 0
        self._hit_heading = self.heading

    def side(self, robot: Robot, hit: Hit) -> Optional[int]:
        """Turn away from the nearer wall at the sides; after a loop the other way than last."""
        self.gradient.forget()
        self._hit_heading = self.heading
        if self.loops:
            self._side, self.loops = -self._side, False
        else:
            self._side = self._clearer_side(robot) or robot.side_at(hit)
        return self._side

    def _clearer_side(self, robot: Robot) -> int:
        """Return the hand that the nearer wall is on: -1 left, +1 right, 0 for neither."""
        space, pose = robot.space_in_sight, robot.pose
        left, right = (
            space.free_for(BEAM, pose.position, pose.theta + turn, self.parameters.side_range)[0]
            for turn in (0.5 * math.pi, -0.5 * math.pi))
        return int(np.sign(left - right)) if abs(left - right) > AS_NEAR else 0

    def follow(self, robot: Robot, hit: Hit, corner: Corner, walked: float) -> bool:
        """Take note of the signal where the wall is straight, and of a loop."""
        here = robot.here
        if (distance(hit.centre, here) > AWAY * robot.contour_radius
                and abs(wrap(bearing(here, hit.centre) - self._hit_heading)) < BEHIND):
            self.loops = True
        self.gradient.walk(here, intensity(robot), corner.is_straight)
        self.heading = self.gradient.heading
        return super().follow(robot, hit, corner, walked)
