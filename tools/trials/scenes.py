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

"""Scenes of trials: a world, an algorithm, and a state of a drive without a fault."""

from __future__ import annotations

import functools
from random import Random
from typing import List, NamedTuple

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import distance, Point, Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode, Sample
from bug_nav.simulation.world import World

SCENES = (('demo', 'bug2'), ('demo', 'tangent_bug'), ('box', 'bug2'), ('box', 'tangent_bug'),
          ('box', 'bug1'))
"""Worlds, and algorithms that reach the goal there; laps of Bug1 in `demo` take too long."""
AHEAD = 500
"""Position of the goal of a trial on the drive without a fault [ticks]."""
APART = 1.5
"""Minimum distance of the goal, which must not be reached before the fault [m]."""
NEAR = 40
"""Approximate driving time to the next goal [ticks]."""


class Moment(NamedTuple):
    """Start and goal of a trial."""

    world: World
    algorithm: str
    start: Pose
    goal: Point
    mode: str
    """'driving' or 'following', the state of the drive without a fault."""

    def near(self, place: Pose) -> Point:
        """Return a reachable goal nearby, from the driven path."""
        samples = drive(self.world.name, self.algorithm)
        nearest = min(range(len(samples)), key=lambda i: _square(samples[i].pose, place))
        ahead = nearest + NEAR
        chosen = samples[ahead if ahead < len(samples) else max(nearest - NEAR, 0)]
        # Not at the robot: a goal that is reached at once shows nothing.
        if _square(chosen.pose, place) < 0.16:
            chosen = max(samples[max(nearest - 3 * NEAR, 0):nearest + 3 * NEAR],
                         key=lambda sample: _square(sample.pose, place))
        return chosen.pose.position


@functools.lru_cache(maxsize=None)
def drive(world: str, algorithm: str) -> List[Sample]:
    """Drive once without ROS and without a fault; return the samples of all ticks."""
    scene = find_world(world)
    assert scene.start is not None and scene.goal is not None
    episode = run_episode(scene, Pose(*scene.start), scene.goal, find(algorithm)())
    if episode.outcome != 'reached':
        raise RuntimeError(f'{algorithm} does not reach the goal of {world}: {episode.outcome}')
    return episode.samples


def some_moment(random: Random) -> Moment:
    """Choose a scene, a mode and a time at random."""
    world, algorithm = random.choice(SCENES)
    samples = drive(world, algorithm)
    last = max(len(samples) - AHEAD // 2, 1)
    following = [i for i in range(last) if 'boundary_following' in samples[i].state]
    driving = [i for i in range(last) if 'boundary_following' not in samples[i].state]
    mode, of_mode = random.choice([(name, found) for name, found in (
        ('driving', driving), ('following', following)) if found])
    chosen = random.choice(of_mode)
    goal = samples[min(chosen + AHEAD, len(samples) - 1)].pose.position
    if distance(goal, samples[chosen].pose.position) < APART:  # a lap of Bug1 comes back
        goal = samples[-1].pose.position
    return Moment(find_world(world), algorithm, samples[chosen].pose, goal, mode)


def _square(one: Pose, other: Pose) -> float:
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2
