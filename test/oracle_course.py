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
The algorithms with a range sensor that the course walks: its own model, run as JavaScript.

Obstacles are simplified, because arcs of many edges would take far longer with less effect than a
step. Verdicts and paths of this model are checked in `visualization/test_course_proofs.py`.
"""

from __future__ import annotations

from functools import partial

from javascript import call
from oracle import OracleRun, Scene

COARSE = 0.003
SIGHT = 3.5
WALK = """({loops, start, goal, reach, algorithm, turn, sight}) => {
  const scene = new bugCourse.Scene(loops, start, goal, {reach});
  const {verdict, length, path, hits, leaves} = bugCourse.runAlgorithm(
    scene, algorithm, turn, sight);
  return {verdict, length, path, hits: hits.map(({point}) => point),
    leaves: leaves.map(({point}) => point)};
}"""


def walk(name: str, obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
         sight: float = SIGHT) -> OracleRun:
    """Run an algorithm with a range sensor that sees `sight` metres to all sides."""
    scene = Scene(obstacles.simplify(COARSE), start, goal, goal_tolerance)
    return OracleRun(**call(WALK, {
        'loops': [boundary.a.tolist() for boundary in scene.boundaries], 'start': scene.start,
        'goal': scene.goal, 'reach': goal_tolerance, 'algorithm': name, 'turn': turn,
        'sight': sight}))


SEEING = {name: partial(walk, name) for name in ('tangent_bug', 'vis_bug_21', 'vis_bug_22')}
