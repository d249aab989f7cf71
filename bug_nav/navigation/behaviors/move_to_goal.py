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

"""Motion to goal: drive straight to the goal until an obstacle is hit."""

from __future__ import annotations

from typing import Generator

from bug_nav.navigation.robot import Hit, Robot
from bug_nav.navigation.types import Intent


def move_to_goal(robot: Robot) -> Generator[Intent, None, Hit]:
    """
    Drive straight to the goal; return the hit when an obstacle is in the way.

    The navigator tests for arrival before each step.
    """
    with robot.state('motion_to_goal'):
        while True:
            hit = robot.blocking_hit()
            if hit:
                robot.record_hit(hit)
                return hit
            yield robot.to_goal()
