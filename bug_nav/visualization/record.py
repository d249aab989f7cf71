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

"""The record of a run, from simulation or from the node, for plots."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, Optional, Tuple

from bug_nav.navigation.geometry import distance, Point, Pose, Segment
from bug_nav.simulation.episode import EpisodeResult
from bug_nav.simulation.world import World


class Step(NamedTuple):
    """The robot at one tick."""

    pose: Pose
    state: str
    """The stack of states, outermost first, joined by '/'."""


class Mark(NamedTuple):
    """A hit point or a leave point."""

    kind: str
    """'hit' or 'leave'."""
    number: int
    """Number from 1 within its kind."""
    place: Point


@dataclasses.dataclass(frozen=True)
class RunRecord:
    """
    A complete run: an `EpisodeResult` of the library, or one recorded by a client of the node.

    Lengths in metres, times in seconds, places in the world frame: true ones of an episode, or
    those reported by the node.
    """

    world: World
    algorithm: str
    turn: str
    """'left' or 'right'; empty if unknown."""
    start: Pose
    goal: Point
    goal_tolerance: float
    robot_radius: float
    contour_radius: float
    outcome: str
    message: str
    steps: Tuple[Step, ...]
    marks: Tuple[Mark, ...]
    path_length: float
    time: float
    shortest_path: Optional[float] = None
    """None if there is none, or if it is unknown."""
    certificate: Tuple[Point, ...] = ()
    """For an unreachable goal, the closed chain of obstacle points between robot and goal."""
    has_m_line: bool = True
    """Whether the algorithm uses the M-line."""
    goal_missed: bool = False
    """Whether the goal is reached by the robot's estimate only."""

    @property
    def m_line(self) -> Segment:
        """Return the straight line from the start to the goal."""
        return Segment(self.start.position, self.goal)

    @property
    def goal_error(self) -> float:
        """Return the final distance of the robot from the goal [m]."""
        end = self.steps[-1].pose if self.steps else self.start
        return distance(end.position, self.goal)

    def count(self, kind: str) -> int:
        """Return the number of marks of a kind."""
        return sum(mark.kind == kind for mark in self.marks)


def record_of(episode: EpisodeResult, algorithm: str, turn: str, *, goal_tolerance: float,
              robot_radius: float, contour_radius: float,
              shortest_path: Optional[float] = None, has_m_line: bool = True) -> RunRecord:
    """Return the record of an episode that kept its samples."""
    return RunRecord(
        episode.world, algorithm, turn, episode.start, episode.goal, goal_tolerance, robot_radius,
        contour_radius, episode.outcome, episode.result.message if episode.result else '',
        tuple(Step(sample.pose, '/'.join(sample.state)) for sample in episode.samples),
        tuple(Mark(event.kind, event.index, event.pose.position) for event in episode.events),
        episode.path_length, episode.time, shortest_path, episode.certificate,
        has_m_line, episode.goal_missed)
