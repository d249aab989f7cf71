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
InsertBug, reconstructed from its description.

A recombination of TangentBug with nodes that are moved off their obstacles.

Q. Xu and G. Tang, "Vectorization path planning for autonomous mobile agent in unknown
environment", Neural Computing and Applications 23:2129-2135, 2013.
"""

from __future__ import annotations

import dataclasses
from typing import List, Optional

from bug_nav.navigation.algorithms.base import Metadata, RANGE, Step, TURN_BY_ALGORITHM
from bug_nav.navigation.algorithms.tangent_bug import Parameters as TangentParameters
from bug_nav.navigation.algorithms.tangent_bug import TangentBug
from bug_nav.navigation.behaviors.field_of_view import FieldOfView
from bug_nav.navigation.behaviors.move_along_graph import Aim, offset_from_obstacle
from bug_nav.navigation.behaviors.tangent_graph import TangentGraph
from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.parameters import parameter
from bug_nav.navigation.robot import Robot

SAME = 0.30
"""Maximum distance between two observations of one waypoint [m]."""


@dataclasses.dataclass(frozen=True)
class Parameters(TangentParameters):
    """Parameters of an algorithm that inserts waypoints."""

    safe_distance: float = parameter(
        0.10, 'distance of a waypoint from a vertex beyond the contour radius', unit='m',
        low=0.0, high=1.0)


class InsertBug(TangentBug):
    """Drive as TangentBug, by waypoints at a safe distance from the vertices."""

    metadata = Metadata(
        title='InsertBug', source='Xu and Tang 2013', sensing=RANGE,
        memory='d_followed of the boundary, and the waypoints',
        complete=True, bound='none published',
        guarantee='reaches the goal, or proves that it cannot be reached',
        differences='known only from a survey: a recombination of TangentBug as implemented here '
                    'with nodes moved off the obstacles',
        turn=TURN_BY_ALGORITHM, reconstructed=True)
    Parameters = Parameters
    steps = (
        Step('1', 'Move to the goal if the visible way there is free, otherwise to a waypoint '
                  'inserted at the safe distance from the vertex O_i with the shortest path to '
                  'the goal; at a local minimum of d, straight on until blocked.'),
        *TangentBug.steps[1:])

    def field_of_view(self) -> FieldOfView:
        """Return the field of view, and clear the waypoints at the start of a goal."""
        self.way_points: List[Point] = []
        self._last: Optional[Point] = None
        return super().field_of_view()

    def refine(self, robot: Robot, graph: TangentGraph, aim: Aim) -> Aim:
        """Move a node off its obstacle while the way is free and leads closer to the goal."""
        assert aim.node is not None
        place = offset_from_obstacle(graph, aim.node, distance(graph.origin, aim.place),
                                     self.parameters.safe_distance, robot.local_goal)
        kept = robot.correction.apply(place)
        if self._last is None or distance(kept, self._last) > SAME:
            self.way_points.append(kept)
        self._last = kept
        return aim._replace(place=place)
