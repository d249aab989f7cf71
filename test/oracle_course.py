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
The algorithms of the course: its own model, run as JavaScript.

Verdicts and paths of this model are checked in `visualization/test_course_proofs.py` and
`visualization/test_course_simulator.py`, against the truth and the definitions of the papers.
"""

from __future__ import annotations

from functools import partial

from javascript import call
from oracle import OracleRun, Scene

COARSE = 0.003
"""Tolerance of simplified obstacles [m]: arcs of many edges have less effect than a step."""
SIGHT = 3.5
WALK = """({loops, start, goal, reach, algorithm, turn, sight}) => {
  const scene = new bugCourse.Scene(loops, start, goal, {reach});
  const {verdict, length, path, hits, leaves, laps} = bugCourse.runAlgorithm(
    scene, algorithm, turn, sight);
  return {run: {verdict, length, path, hits: hits.map(({point}) => point),
    leaves: leaves.map(({point}) => point)}, laps: laps.map(({ahead, perimeter}) => (
    Math.min(ahead, perimeter - ahead)))};
}"""


def walk(name: str, obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
         sight: float = 0.0, look_from_lap: bool = False) -> OracleRun:
    """
    Run an algorithm of the course with a point robot.

    :param sight: range of the sensor [m]; 0: contact.
    :param look_from_lap: look in passing whether the way from the closest point is free, and end
        there after the lap if not, instead of going back.
    """
    scene = Scene(obstacles.simplify(COARSE) if sight else obstacles, start, goal, goal_tolerance)
    found = call(WALK, {
        'loops': [boundary.a.tolist() for boundary in scene.boundaries], 'start': scene.start,
        'goal': scene.goal, 'reach': goal_tolerance, 'algorithm': name, 'turn': turn,
        'sight': sight})
    run = OracleRun(**found['run'])
    run.hits, run.leaves, run.path = (list(map(tuple, places)) for places in (
        run.hits, run.leaves, run.path))
    if look_from_lap and run.verdict == 'unreachable':
        run.length -= found['laps'][-1]
    return run


COURSE = {
    'bug0': partial(walk, 'bug0'),
    'bug1': partial(walk, 'bug1'),
    'class3': partial(walk, 'bug1'),
    'bug2': partial(walk, 'bug2'),
    'naive': partial(walk, 'bug2_naive'),
    **{name: partial(walk, name, sight=SIGHT) for name in (
        'tangent_bug', 'vis_bug_21', 'vis_bug_22')},
}
