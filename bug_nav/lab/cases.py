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
Cases of a campaign: a world with a start and a goal, and the ground truth.

A case depends only on the seed of the campaign, its entry and its number, so that any worker can
find it at any time.
"""

from __future__ import annotations

from functools import lru_cache
import hashlib
import itertools
import json
import math
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from bug_nav.lab.bounds import loop_sums, LoopSums
from bug_nav.lab.ground_truth import inflate, judge, MARGIN, perimeters, reachable, shortest_path
from bug_nav.lab.spec import equip_robot, Spec, Worlds
from bug_nav.lab.spec_values import SpecError
from bug_nav.navigation.geometry import Point
from bug_nav.navigation.settings import clearance
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.world import World
import numpy as np
from shapely.geometry import Point as Place
from shapely.geometry import Polygon
from shapely.ops import unary_union
from shapely.prepared import prep

# Time allowance as a multiple of the length bound; the bound in perimeters.
_PATIENCE, _LAPS = 5.0, 3.0
# Maximum number of places to try for a pair; and of pairs that are not judged as wanted.
_PLACES, _PAIRS = 20_000, 100
# Maximum number of consecutive random worlds that do not count.
_WORLDS = 300


def stable_hash(*parts: Any) -> int:
    """Return a 64-bit hash of the parts: numbers and texts, in lists and mappings."""
    text = json.dumps(parts, sort_keys=True, allow_nan=False)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), 'big')


class RobotGeometry(NamedTuple):
    """Properties of a robot that the ground truth depends on."""

    rho: float
    """Contour radius [m]."""
    tolerance: float
    """Goal tolerance [m]."""
    room: float
    """Minimum distance of a start from obstacles [m]."""


class Truth(NamedTuple):
    """Ground truth of a start and a goal for a robot, in `World.settled`."""

    reachable: Optional[bool]
    """None if rho - 2 cm and rho + 2 cm disagree."""
    surely: bool
    """Whether the goal is reachable at rho + 2 cm as well."""
    shortest: Optional[float]
    """Length of the shortest path [m]; None without one."""
    longest: float
    """Path length after which an episode is a timeout [m]."""
    sums: LoopSums
    """Terms of the published bounds."""


class Case(NamedTuple):
    """A start and a goal in a world, with the ground truth for each robot."""

    entry: int
    """Index in `Spec.worlds`."""
    number: int
    """Number of the candidate within the entry."""
    world: str
    start: Tuple[float, float, float]
    goal: Point
    own: bool
    """Whether start and goal are the world's own."""
    truths: Mapping[str, Truth]
    """By name of the robot."""

    @property
    def reachable(self) -> Optional[bool]:
        """Whether the goal is reachable; None if unjudged for any robot, or if robots differ."""
        found = {truth.reachable for truth in self.truths.values()}
        return found.pop() if len(found) == 1 else None

    def as_dict(self) -> Dict[str, Any]:
        """Return all fields, for a line of JSON."""
        truths = {robot: {**truth._asdict(), 'sums': truth.sums._asdict()}
                  for robot, truth in self.truths.items()}
        return {**self._asdict(), 'truths': truths}

    @classmethod
    def from_dict(cls, data: Dict[str, Any]) -> Case:
        """Return the case of a dictionary made by `as_dict`."""
        truths = {robot: Truth(**{**truth, 'sums': LoopSums(**truth['sums'])})
                  for robot, truth in data['truths'].items()}
        return cls(**{**data, 'start': tuple(data['start']), 'goal': tuple(data['goal']),
                      'truths': truths})


class Candidate(NamedTuple):
    """A case before its start, goal and ground truth are known."""

    entry: int
    number: int
    worlds: Worlds
    want_reachable: Optional[bool]
    """Whether its goal must be reachable; None for either."""
    seed: int
    """Seed of the random world and of drawn places."""
    geometries: Mapping[str, RobotGeometry]
    """By name of the robot."""


def robot_geometries(spec: Spec) -> Dict[str, RobotGeometry]:
    """Return the properties of each robot that the ground truth depends on."""
    found = {}
    for robot in spec.robots:
        equipment = equip_robot(spec, robot)
        room = equipment.contour_radius - 0.5 * clearance(equipment.model, equipment.settings)
        found[robot] = RobotGeometry(equipment.contour_radius,
                                     equipment.settings.xy_goal_tolerance, room)
    return found


def candidates(spec: Spec, entry: int, wanted: Mapping[bool, int]) -> Iterator[Candidate]:
    """Yield the candidates of an entry, alternating reachable and unreachable while wanted."""
    worlds, geometries = spec.worlds[entry], robot_geometries(spec)
    first = spec.seed if worlds.first_seed is None else worlds.first_seed
    if worlds.is_single:
        yield Candidate(entry, 0, worlds, None, first, geometries)
        return
    wanted_reachability = (None,) if worlds.goals == 'any' else (True, False)
    for number in itertools.count():
        pair, which = divmod(number, len(wanted_reachability))
        want_reachable = wanted_reachability[which]
        if want_reachable is not None and not wanted[want_reachable]:
            continue
        # Reachable and unreachable goals of random worlds use the same consecutive seeds.
        seed = first + (number // worlds.per_world if worlds.places == 'drawn' else pair)
        yield Candidate(entry, number, worlds, want_reachable, seed, geometries)


def find_case(candidate: Candidate, seed: int) -> Optional[Case]:
    """
    Return a case, or None if it is unjudged and the entry skips unjudged ones.

    None also if the start of a random world has no room for one of the robots.

    :param seed: seed of the campaign.
    :raises SpecError: if no start and goal as specified are found.
    """
    worlds = candidate.worlds
    if worlds.places == 'drawn':
        return _drawn(candidate, seed)
    name = worlds.name(candidate.seed, candidate.want_reachable is not False)
    world = cached_world(name)
    start, goal = worlds.start or world.start, worlds.goal or world.goal
    assert start is not None and goal is not None  # checked with the specification
    return _judged(candidate, name, start, goal, own=(start, goal) == (world.start, world.goal))


def _judged(candidate: Candidate, name: str, start: Tuple[float, float, float], goal: Point,
            own: bool) -> Optional[Case]:
    world = cached_world(name).settled
    room = max(body.room for body in candidate.geometries.values())
    if not candidate.worlds.is_single and world.clearance(np.array([start[:2]]))[0] < room:
        return None
    judgements = {geometry: _judgement(world, start, goal, geometry)
                  for geometry in candidate.geometries.values()}
    judged = {truth for truth, _ in judgements.values()} in ({True}, {False})
    if not judged and candidate.worlds.unjudged == 'skip' and not candidate.worlds.is_single:
        return None
    truths = {geometry: _truth(world, start, goal, geometry, *judgement)
              for geometry, judgement in judgements.items()}
    return Case(candidate.entry, candidate.number, name, start, goal, own,
                {robot: truths[body] for robot, body in candidate.geometries.items()})


def _judgement(world: World, start: tuple, goal: Point, body: RobotGeometry
               ) -> Tuple[Optional[bool], bool]:
    """Return `judge`, and whether the goal is reachable at rho + `MARGIN`."""
    truth = judge(world, start, goal, body.rho, body.tolerance, MARGIN)
    sure = truth if truth is not None else reachable(
        world, start, goal, body.rho + MARGIN, body.tolerance)
    return truth, sure


def _truth(world: World, start: tuple, goal: Point, body: RobotGeometry, truth: Optional[bool],
           sure: bool) -> Truth:
    direct = math.dist(start[:2], goal)
    return Truth(truth, sure, shortest_path(world, start, goal, body.rho, body.tolerance),
                 _PATIENCE * (direct + _LAPS * sum(perimeters(world, body.rho))),
                 loop_sums(world, start, goal, body.rho))


@lru_cache(maxsize=16)
def cached_world(name: str) -> World:
    """Return a world, cached for its many episodes."""
    return find_world(name)


# ---- drawn pairs of start and goal ------------------------------------------------------------

def _drawn(candidate: Candidate, campaign_seed: int) -> Case:
    worlds = candidate.worlds
    name = worlds.name(candidate.seed)
    rng = np.random.default_rng(
        stable_hash('places', campaign_seed, worlds.group, name, candidate.number))
    for _ in range(_PAIRS):
        start, goal = _pair(rng, candidate, cached_world(name).settled, name)
        case = _judged(candidate, name, start, goal, own=False)
        if case is not None and candidate.want_reachable in (None, case.reachable):
            return case
    raise _no_places_error(candidate, name)


def _pair(rng: np.random.Generator, candidate: Candidate, world: World, name: str
          ) -> Tuple[Tuple[float, float, float], Point]:
    """Return a start and a goal that seem to fit; they are judged later."""
    worlds = candidate.worlds
    rho = max(body.rho for body in candidate.geometries.values())
    low, high = np.reshape(world.bounds, (2, 2))
    regions = _regions(world, rho)
    start: Optional[Point] = None
    for k in range(_PLACES):
        if k % (_PLACES // 20) == 0:  # no goal fits this start; draw another
            start = _start(rng, world, low, high, rho + worlds.clearance)
        x, y = np.round(rng.uniform(low, high), 3)
        goal = float(x), float(y)
        if (start is not None
                and worlds.min_distance <= math.dist(start, goal) <= worlds.max_distance
                and regions.fits(start, goal, candidate.want_reachable, world,
                                 rho + worlds.clearance)):
            yaw = float(np.round(rng.uniform(-math.pi, math.pi), 3))
            return (*start, yaw), goal
    raise _no_places_error(candidate, name)


def _start(rng: np.random.Generator, world: World, low: np.ndarray, high: np.ndarray,
           room: float) -> Optional[Point]:
    for _ in range(_PLACES // 20):
        place = np.round(rng.uniform(low, high), 3)
        if world.clearance(place)[0] >= room:
            return float(place[0]), float(place[1])
    return None


class _Regions:
    """Connected parts of the free space, and the solids."""

    def __init__(self, world: World, rho: float) -> None:
        self._solid = prep(unary_union([Polygon(solid) for solid in world.solids]))
        blocked = inflate(world, rho)
        low, high = np.reshape(world.bounds, (2, 2))
        frame = Place(*(0.5 * (low + high))).buffer(math.dist(low, high) + 2.0 * rho)
        free = frame.difference(blocked)
        self._parts = [prep(part) for part in getattr(free, 'geoms', [free])]

    def part(self, place: Point) -> Optional[int]:
        """Return the number of the free part that contains a place."""
        here = Place(place)
        return next((k for k, part in enumerate(self._parts) if part.contains(here)), None)

    def fits(self, start: Point, goal: Point, want_reachable: Optional[bool], world: World,
             room: float) -> bool:
        """
        Return whether a goal seems to be as wanted.

        A reachable goal has the clearance of a start. An unreachable one is in another part of
        the free space or in a solid, not merely close to a wall.
        """
        if want_reachable is False:
            return self._solid.contains(Place(goal)) or self.part(goal) not in (
                None, self.part(start))
        if world.clearance(np.array([goal]))[0] < room:
            return False
        return want_reachable is None or self.part(goal) == self.part(start)


@lru_cache(maxsize=8)
def _regions(world: World, rho: float) -> _Regions:
    return _Regions(world, rho)


def _no_places_error(candidate: Candidate, name: str) -> SpecError:
    worlds = candidate.worlds
    kind = {True: ', reachable', False: ', unreachable', None: ''}[candidate.want_reachable]
    return SpecError(
        f'worlds[{candidate.entry}]: no start and goal{kind} and {worlds.min_distance:g} to '
        f"{worlds.max_distance:g} m apart were found in '{name}'; give other goals or "
        'distances')


# ---- selection of candidates ------------------------------------------------------------------

class Selection:
    """Selects the cases of an entry, in the order of their candidates, until there are enough."""

    def __init__(self, spec: Spec, entry: int) -> None:
        """Start without cases."""
        self.entry = entry
        worlds = spec.worlds[entry]
        self._goals = worlds.goals
        count = worlds.count
        self._left = {True: {'reachable': count, 'both': count - count // 2}.get(self._goals, 0),
                      False: {'unreachable': count, 'both': count // 2}.get(self._goals, 0)}
        self._any = count if self._goals == 'any' else 0
        self._single = worlds.is_single
        # Candidates may not count, so a few more are searched in advance.
        self._spare = 0 if worlds.places == 'drawn' or self._single else 4
        self._candidates = candidates(spec, entry, self._left)
        self._open: List[Candidate] = []
        self._results: Dict[int, Optional[Case]] = {}
        self._world, self._in_vain = worlds.world, 0

    @property
    def finished(self) -> bool:
        """Whether there are enough cases."""
        return not (self._any or any(self._left.values()))

    def next_candidate(self) -> Optional[Candidate]:
        """Return the next candidate to search; None if there is none or none is needed now."""
        if self.finished or len(self._open) >= (
                self._any + sum(self._left.values()) + self._spare):
            return None
        candidate = next(self._candidates, None)
        if candidate is not None:
            self._open.append(candidate)
        return candidate

    def take(self, candidate: Candidate, case: Optional[Case]) -> List[Case]:
        """
        Add the result of a candidate and return the cases that now count.

        :raises SpecError: if too many consecutive candidates do not count.
        """
        self._results[candidate.number] = case
        found = []
        while self._open and self._open[0].number in self._results and not self.finished:
            first = self._open.pop(0)
            result = self._results.pop(first.number)
            if result is not None and self._take(first.want_reachable, result.reachable):
                found.append(result)
                self._in_vain = 0
                continue
            self._in_vain += 1
            if self._in_vain >= _WORLDS and not self.finished:
                raise SpecError(
                    f"worlds[{self.entry}]: the last {_WORLDS} worlds of '{self._world}' have no "
                    'start with room for the robot and a goal as specified; give other goals, '
                    'worlds or robots')
        return found

    def _take(self, want_reachable: Optional[bool], truth: Optional[bool]) -> bool:
        """Return whether a case counts, which depends only on earlier ones, and count it."""
        if self._goals == 'any':
            self._any -= truth is not None or self._single
            return True
        if want_reachable is None or not self._left[want_reachable] or (
                truth is not None and not self._left[truth]):
            return False
        if truth is not None:
            self._left[truth] -= 1
        return True
