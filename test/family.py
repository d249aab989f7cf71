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
The family of algorithms, each driven once for all property tests, and queries about episodes.

P1 to P30 number the properties. A property is a check: a function of an episode that returns the
contradictions to it, or nothing.
"""

from __future__ import annotations

from functools import lru_cache
import math
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from arena import BURGER, hits_and_leaves, QUIET, RHO, TURNS
from bug_nav.lab.ground_truth import inflate
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Event
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode, Sample
from bug_nav.simulation.generators import random_name
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import World
import numpy as np
from shapely.geometry import LineString, MultiPolygon, Point, Polygon
from subsets import one_of, subset, WHOLE

POSITION_ERROR = 0.02
"""Maximum distance of the robot from its contour, with exact odometry [m]."""
OVERLAP = 0.6
"""Maximum length of a lap beyond the perimeter, needed to detect it [m]."""

SCENES = ('box', 'u_trap', 'pole', 'touch', 'two_close', 'ring_goal', 'ring_start', 'cell',
          'goal_solid', 'narrow_door', 'demo')
BOTH_TURNS = ('u_trap',)
"""Scenes in which `make test` uses both turn directions."""
OFTEN = ('bug0', 'bug1', 'bug2', 'alg1', 'alg2', 'class1', 'rev1', 'i_bug', 'dist_bug',
         'tangent_bug', 'vis_bug_21', 'sensor_bug')
"""Algorithms that `make test` runs in the scenes of `MAIN`, and all others in one of `ONCE`."""
MAIN = ('box', 'u_trap', 'ring_goal', 'ring_start', 'touch', 'demo')
ONCE = ('u_trap', 'ring_start')
LIGHT = ('box', 'u_trap', 'pole', 'touch', 'ring_start', 'cell')
LONG = tuple(subset(('maze', 'arena_out'), 2))
HEAVY = ('c_bug', 'cautious_bug', 'insert_bug', 'k_bug', 'tangent_bug', 'vis_bug_21', 'vis_bug_22',
         'wedge_bug')
"""Slow algorithms; their own tests and the canonical scenes run them in other worlds."""
CLUTTER = tuple(subset((random_name('cluttered', seed, wish) for seed in range(300, 306)
                        for wish in (True, False)), 7))
SPIRALS = ('spiral_in', 'spiral_out', 'spiral_out_W')

WITHOUT_GOAL = ('follow_wall',)
NAMES = tuple(name for name, entry in registered().items()
              if entry.value.startswith('bug_nav.') and name not in WITHOUT_GOAL)
COMPLETE = tuple(name for name in NAMES if find(name).metadata.complete)
M_LINE = ('bug2', 'alg1', 'rev1')
WHOLE_LAPS = ('bug1', 'class3')
FALLING = (*WHOLE_LAPS, *M_LINE, 'bug_m1', 'alg2', 'rev2', 'class1', 'class2', 'com1', 'i_bug',
           'leave_bug', 'multi_bug')
"""Algorithms with decreasing distances of hit and leave points."""
BY_RANGE = ('bug1_plus', 'cautious_bug', 'dist_bug', 'one_bug')
"""Algorithms that may leave farther from the goal than the hit point, by range."""
STRAIGHT = ('bug0', *FALLING, *BY_RANGE)
"""Algorithms that move straight to the goal unless they follow an obstacle."""


class Run(NamedTuple):
    """A run: algorithm, name of the world, turn direction."""

    name: str
    world: str
    turn: str


Steps = List[Tuple[str, str]]
"""Steps with their reasons, without repetition."""


def drive(name: str, world: World, turn: str = 'left', *, lidar: LidarModel = QUIET, seed: int = 0,
          time_allowance: float = 10800.0, drift_correction: str = 'scan_matching',
          watch=None, **parameters) -> EpisodeResult:
    """Run an algorithm in a world from its start to its goal."""
    algorithm = find(name)
    return run_episode(world, Pose(*world.start), world.goal,
                       algorithm(algorithm.Parameters(**parameters)), model=BURGER, lidar=lidar,
                       settings=Settings(turn_direction=turn, drift_correction=drift_correction),
                       seed=seed, time_allowance=time_allowance, watch=watch)


def driven(name: str, world: str, turn: str) -> EpisodeResult:
    """Run an algorithm in a world, once for all tests."""
    return _driven(walks_as(name), world, turn)[0]


def reported_steps(name: str, world: str, turn: str) -> Steps:
    """Return the steps that an algorithm reported in such a run, with their reasons."""
    return _driven(walks_as(name), world, turn)[1]


@lru_cache(maxsize=None)
def _driven(name: str, world: str, turn: str) -> Tuple[EpisodeResult, Steps]:
    changes: Steps = []

    def listen(simulator, navigator, decision) -> None:
        now = decision.step, decision.reason
        if now not in changes[-1:]:
            changes.append(now)

    return drive(name, find_world(world), turn, watch=listen), changes


def turns_of(name: str, world: str) -> Sequence[str]:
    """Return the turn directions of an algorithm in a world."""
    return TURNS if world in BOTH_TURNS else one_of(TURNS, walks_as(name), world)


def meets(name: str, world: str) -> bool:
    """Return whether an algorithm is run in a scene."""
    return WHOLE or world in (MAIN if name in OFTEN else one_of(ONCE, walks_as(name)))


@lru_cache(maxsize=None)
def walks_as(name: str) -> str:
    """Return the base of an algorithm that only changes the metadata, or else the algorithm."""
    algorithm = find(name)
    while [each for each in vars(algorithm) if not each.startswith('_')] == ['metadata']:
        algorithm = algorithm.__base__
    return next(name for name in registered() if find(name) is algorithm)


Check = Callable[[EpisodeResult], List[str]]


def broken(check: Check, name: str, worlds: tuple, turns: Sequence[str] = ()) -> dict:
    """
    Return the contradictions to a property by run, empty if it holds in all of them.

    Of `SCENES`, an algorithm is run in those that it `meets`, and a `HEAVY` one only in the
    `LIGHT` ones; ``turns`` defaults to `turns_of`.
    """
    worlds = tuple(world for world in worlds if world not in SCENES or (
        meets(name, world) and (name not in HEAVY or world in LIGHT)))
    runs = [Run(name, world, turn) for world in worlds
            for turn in turns or turns_of(name, world)]
    found = {run: check(driven(*run)) for run in runs}
    return {run: complaints for run, complaints in found.items() if complaints}


def but_for_the_safe_rule(check: Check) -> Check:
    """Skip runs in which the robot left a lap at its closest point, which may be off the line."""
    return lambda episode: ([] if state_at(episode, 'return_to_leave_point')
                            else check(episode))


def changed(episode: EpisodeResult, **changes) -> EpisodeResult:
    """Return a copy of an episode with changed values."""
    return type(episode)(**{**vars(episode), **changes})


class Ring(NamedTuple):
    """A loop of the contour, and its obstacle."""

    line: LineString
    obstacle: Polygon


@lru_cache(maxsize=16)
def contours(world: World, radius: float = RHO) -> tuple:
    """Return the loops of the contour, in the order of `ground_truth.crossings`."""
    solid = inflate(world, radius)
    obstacles = solid.geoms if isinstance(solid, MultiPolygon) else [solid]
    return tuple(Ring(LineString(ring.coords), obstacle) for obstacle in obstacles
                 for ring in (obstacle.exterior, *obstacle.interiors))


def contour_of(world: World, hit: Event) -> int:
    """Return the number of the loop that was hit."""
    away = [ring.line.distance(Point(hit.pose.position)) for ring in contours(world)]
    return int(np.argmin(away))


class Following(NamedTuple):
    """A boundary that was followed: from a hit to a leave point, or to the end."""

    hit: Event
    leave: Optional[Event]
    samples: List[Sample]


def followings(episode: EpisodeResult) -> Iterator[Following]:
    """Yield the boundaries that were followed."""
    hits, leaves = hits_and_leaves(episode)
    for k, hit in enumerate(hits):
        leave = leaves[k] if k < len(leaves) else None
        end = leave.stamp if leave else math.inf
        yield Following(hit, leave, [sample for sample in episode.samples
                                     if hit.stamp <= sample.stamp <= end
                                     and 'boundary_following' in sample.state])


def abscissae(ring: Ring, samples: List[Sample]) -> np.ndarray:
    """Return the positions of samples along a contour [m], without a jump at its beginning."""
    turn = 2.0 * math.pi / ring.line.length
    along = np.array([ring.line.project(Point(sample.pose.position)) for sample in samples])
    return np.unwrap(along * turn) / turn


def length_of(samples: List[Sample]) -> float:
    """Return the length of the way through samples [m]."""
    places = [sample.pose.position for sample in samples]
    return sum(map(math.dist, places, places[1:]))


def state_at(episode: EpisodeResult, state: str) -> List[Sample]:
    """Return the samples in a state."""
    return [sample for sample in episode.samples if state in sample.state]


WALKERS = tuple(name for name in NAMES if walks_as(name) == name)
"""Algorithms that do not merely rename another one."""
