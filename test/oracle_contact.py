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
The contact algorithms that the course lacks, as exact walks of a point robot.

Every policy below decides one episode of boundary following from the lap that begins at the hit.
Sources: V. Lumelsky, Sensing, Intelligence, Motion, 2006 (BugM1); A. Sankaranarayanan and
M. Vidyasagar, ICRA 1990 (Alg1, Alg2); H. Noborio, 1990 (Class1, Class2); Y. Horiuchi and
H. Noborio, ICRA 2001 (Rev1, Rev2); J. Ng, PhD thesis, UWA 2010 (LeaveBug, MultiBug, Bug1+);
doi:10.1177/17298806231169186, 2023 (RV-Bug, without what moves). BugM1, Ng's and RV-Bug are
reconstructions.

Choices where a paper leaves something open:

- The way to the goal is free if it is free for `clear` metres or up to the goal: rules that may
  leave anywhere (Class1, Alg2, Rev2, MultiBug) would otherwise leave an inner corner of the
  wall in infinitely many, infinitely small steps. A rule with `closer` leaves at the limit, where
  the distance begins to be less.
- A way that runs along a wall, or only touches a corner, is free.
- Class2 leaves at a local minimum of the distance along the wall: a corner, or a foot of a
  perpendicular.
- Alg1 and Rev1 compare a crossing with the hit, which is the closest visited place on the M-line;
  Alg2 and Rev2 with all visited places, also on walls. Old points are those of earlier episodes.
  After the only reversal, old points do not count any more, and the lap is a complete one.
- Rev1 and Rev2 begin with the given side and change it at every hit; a hit at a stored hit takes
  the side opposite to the one stored there.
- The M-line of BugM1 begins at the last leave point. A crossing of it that is not closer than the
  hit is the sign of a cycle, after which BugM1 continues like Bug1.
- MultiBug returns to a skipped leave place by the shorter way.
- RV-Bug leaves where the way is free and the sum of rotations off the direction of the goal is
  back at zero; after two laps without such a place, it is in a loop.
- Bug1+ ends its lap where the goal is visible within `sight` metres.
"""

from __future__ import annotations

from functools import partial
import math
from typing import Callable, Optional

import numpy as np
from oracle import explore, first_leave, Lap, OracleRun, Scene, Step, TINY

CLEAR = 1e-3
"""Minimum free way at a leave point [m]."""

OTHER = {'left': 'right', 'right': 'left'}
Rule = Callable[[Lap], Optional[int]]


def class1_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                  clear: float = CLEAR) -> Step:
    """Leave where the way is free and the goal closer than from the hit."""
    lap = scene.lap(hit, turn, distances=(scene.to_goal(hit),), free_for=(clear,))
    return end_of(lap, first_leave(*_closer_than_hit(lap, clear)))


def class2_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str) -> Step:
    """Leave at a local minimum of the distance, closer than the hit, where the way is free."""
    lap = scene.lap(hit, turn)
    lowest = np.zeros(len(lap.walked), dtype=bool)
    here, middle = lap.to_goal[1:-1], lap.middle_to_goal
    lowest[1:-1] = (middle[:-1] > here) & (here < middle[1:]) & (here < lap.to_goal[0] - TINY)
    return end_of(lap, _first_free(lap, lowest))


def alg1_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str) -> Step:
    """Leave like Bug2, but turn back once at an earlier hit or leave point."""
    return _with_memory(scene, run, hit, turn, {}, _bug2_rule)


def alg2_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                clear: float = CLEAR) -> Step:
    """Leave where the way is free and the goal closer than ever; turn back once like Alg1."""
    return _with_memory(scene, run, hit, turn, {'free_for': (clear,)},
                        partial(_closest_ever, clear=clear))


def rev_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str, alg: Callable) -> Step:
    """Follow `alg` with the local direction changed at every hit."""
    same = [old for old, place in zip(run.turns, run.hits) if math.dist(place, hit) < TINY]
    last = same or run.turns
    run.turns.append(OTHER[last[-1]] if last else turn)
    return alg(scene, run, hit, run.turns[-1])


def bug_m1_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                  look_from_lap: bool = False) -> Step:
    """Leave like Bug2 unless the M-line was crossed farther away before; else end like Bug1."""
    lap = scene.lap(hit, turn, m_line_from=run.leaves[-1] if run.leaves else scene.start)
    crossings = lap.on_m_line & (np.arange(len(lap.walked)) > 0)
    farther = crossings & (lap.to_goal >= lap.to_goal[0] - TINY)
    cycle = np.logical_or.accumulate(farther)
    leave = _first_free(lap, crossings & ~cycle)
    if leave is None and not lap.at_goal.any():
        return _to_closest(lap, look_from_lap)
    return end_of(lap, leave)


def multi_bug_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str, memory: list,
                     clear: float = CLEAR) -> Step:
    """Leave like Class1 where the wall was not walked before; after a lap, also where it was."""
    boundary = scene.boundary_at(hit)
    ends = [end for old, *ends in memory if old is boundary for end in ends]
    lap = scene.lap(hit, turn, distances=(scene.to_goal(hit),), free_for=(clear,), marks=ends)
    inside, at_node = _closer_than_hit(lap, clear)
    new = ~np.any([_walked_before(lap, *ends) for old, *ends in memory if old is boundary]
                  + [np.zeros(len(inside), dtype=bool)], axis=0)
    leave = first_leave(inside & new, at_node & (np.append(new, True) | np.insert(new, 0, True)))
    if leave is None and not lap.at_goal.any():
        leave = first_leave(inside, at_node)
        return end_of(lap, None) if leave is None else back_to(lap, leave)
    step = end_of(lap, leave)
    first, last = (hit, step.point) if turn == 'right' else (step.point, hit)
    memory.append((boundary, first, last))
    return step


def bug1_plus_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                     sight: float = 3.5, look_from_lap: bool = False) -> Step:
    """End like Bug1, unless the goal becomes visible before the lap is closed."""
    lap = scene.lap(hit, turn, distances=(sight,), free_for=(CLEAR,))
    inside = (lap.middle_free >= lap.middle_to_goal - TINY) & (lap.middle_to_goal <= sight)
    at_node = (lap.free >= lap.to_goal - TINY) & (lap.to_goal <= sight)
    leave = first_leave(inside, at_node)
    if leave is None and not lap.at_goal.any():
        return _to_closest(lap, look_from_lap)
    return end_of(lap, leave)


def rv_bug_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                  clear: float = CLEAR) -> Step:
    """Leave where the way is free and the sum of angles since the hit is back at zero."""
    lap = scene.lap(hit, turn, free_for=(clear,))
    side = 1.0 if turn == 'left' else -1.0
    course = np.tile(np.arctan2(*np.diff(lap.points, axis=0).T[::-1]), 2)
    to_goal = np.tile(np.arctan2(*(scene.goal - lap.middles).T[::-1]), 2)
    first = side * (course[0] - to_goal[0]) % (2.0 * np.pi)
    changes = _wrapped(np.diff(course)) - _wrapped(np.diff(to_goal))
    back = first + np.concatenate(([0.0], np.cumsum(side * changes))) <= TINY
    nowhere, count = np.zeros(len(lap.walked), dtype=bool), len(lap.middles)
    free, _ = _free(lap, clear)
    leave = until_goal(lap, first_leave(back[:count] & free, nowhere))
    if leave is not None:
        return end_of(lap, leave)
    again = end_of(lap, first_leave(back[count:] & free, nowhere), 'loop')
    return Step(lap.boundary.perimeter + again.walked, again.point, again.verdict,
                lap.step(count).path + again.path)


def _wrapped(angles: np.ndarray) -> np.ndarray:
    return np.mod(angles + np.pi, 2.0 * np.pi) - np.pi


def _with_memory(scene: Scene, run: OracleRun, hit: tuple, turn: str, needs: dict,
                 rule: Callable) -> Step:
    """Walk a lap until a rule holds; at an old point before that, walk the other way."""
    old = [place for place in (*run.hits[:-1], *run.leaves)
           if scene.boundary_at(place) is scene.boundary_at(hit)
           and scene.boundary_at(hit).distance_to(place) < TINY]
    closest = min(scene.to_goal(place) for place in run.path)
    lap = scene.lap(hit, turn, marks=old, **_at_records(scene, hit, turn, closest, needs))
    met = [node for node in map(lap.index_of, old)
           if node is not None and node < len(lap.walked) - 1]
    leave = until_goal(lap, rule(lap, closest))
    if not met or (leave is not None and leave <= min(met)):
        return end_of(lap, leave)
    there = lap.step(min(met))
    closest = min([closest, *map(scene.to_goal, there.path)])
    back = (*there.path[-2::-1], hit)
    lap = scene.lap(hit, OTHER[turn],
                    **_at_records(scene, hit, OTHER[turn], closest, needs))
    step = end_of(lap, rule(lap, closest))
    return Step(2 * there.walked + step.walked, step.point, step.verdict,
                (*there.path, *back, *step.path))


def _at_records(scene: Scene, hit: tuple, turn: str, closest: float, needs: dict) -> dict:
    """Return options for nodes where the goal is as close as at the closest place before."""
    if not needs:
        return {}
    before = np.minimum(closest, scene.lap(hit, turn).closest_before)
    return {**needs, 'distances': tuple(np.unique(before))}


def _bug2_rule(lap: Lap, closest: float) -> Optional[int]:
    return _first_free(lap, _crossings(lap) & (lap.to_goal < lap.to_goal[0] - TINY))


def _closest_ever(lap: Lap, closest: float, clear: float) -> Optional[int]:
    inside, at_node = _free(lap, clear)
    before = np.minimum(closest, lap.closest_before[:-1])
    inside &= lap.middle_to_goal < before - TINY
    at_node[1:] &= lap.to_goal[1:] < before - TINY
    return first_leave(inside, at_node)


def _closer_than_hit(lap: Lap, clear: float) -> tuple[np.ndarray, np.ndarray]:
    inside, at_node = _free(lap, clear)
    closer = lap.to_goal[0] - TINY
    return inside & (lap.middle_to_goal < closer), at_node & (lap.to_goal < closer)


def _free(lap: Lap, clear: float) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the way to the goal is free, for the stretches and nodes of a lap."""
    return (lap.middle_free >= np.minimum(clear, lap.middle_to_goal) - TINY,
            lap.free >= np.minimum(clear, lap.to_goal) - TINY)


def _crossings(lap: Lap) -> np.ndarray:
    return lap.on_m_line & (np.arange(len(lap.walked)) > 0)


def _first_free(lap: Lap, candidates: np.ndarray) -> Optional[int]:
    free = (int(i) for i in np.nonzero(candidates)[0] if lap.scene.is_free(lap.points[i]))
    return next(free, None)


def _walked_before(lap: Lap, first: tuple, last: tuple) -> np.ndarray:
    """Return which stretches of a lap lie between two places, in the direction of the loop."""
    boundary = lap.boundary
    begin = boundary.place(first)
    length = (boundary.place(last) - begin) % boundary.perimeter or boundary.perimeter
    places = np.array([boundary.place(middle) for middle in lap.middles])
    return np.mod(places - begin, boundary.perimeter) < length


def until_goal(lap: Lap, leave: Optional[int]) -> Optional[int]:
    goal = np.nonzero(lap.at_goal[1:])[0]
    nodes = [int(goal[0]) + 1] if len(goal) else []
    return min(nodes + ([] if leave is None else [leave]), default=None)


def end_of(lap: Lap, leave: Optional[int], otherwise: str = 'unreachable') -> Step:
    """Walk until a rule holds or the goal is within reach, or else the whole lap."""
    node = until_goal(lap, leave)
    if node is None:
        return lap.step(len(lap.walked) - 1, otherwise)
    return lap.step(node, 'reached' if lap.at_goal[node] else None)


def _to_closest(lap: Lap, look_from_lap: bool) -> Step:
    """
    Walk the lap and then to its closest place, to leave or to give up there.

    With `look_from_lap`, the way from there is checked in passing, as the paper allows, and the
    robot gives up at the end of the lap.
    """
    closest = int(np.argmin(lap.to_goal))
    free = lap.scene.is_free(lap.points[closest])
    if look_from_lap and not free:
        return lap.step(len(lap.walked) - 1, 'unreachable')
    return back_to(lap, closest, None if free else 'unreachable')


def back_to(lap: Lap, node: int, verdict: Optional[str] = None, walk_it: bool = True) -> Step:
    """Walk the lap, if not walked already, and then by the shorter way to one of its nodes."""
    whole, there = lap.step(len(lap.walked) - 1), lap.step(node)
    done, path = (whole.walked, whole.path) if walk_it else (0.0, ())
    if there.walked <= whole.walked - there.walked:
        return Step(done + there.walked, there.point, verdict, path + there.path)
    back = tuple(reversed(whole.path[node - 1:-1]))
    return Step(done + whole.walked - there.walked, there.point, verdict, path + back)


def runner(make: Callable) -> Callable:
    """Return a whole algorithm; `make` returns a new policy, which may remember its run."""
    def run(obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
            **options) -> OracleRun:
        scene = Scene(obstacles, start, goal, goal_tolerance)
        return explore(scene, turn, make(**options))
    return run


def plain(policy: Callable) -> Callable:
    return runner(lambda **options: partial(policy, **options))


CONTACT = {
    'bug_m1': plain(bug_m1_policy),
    'alg1': plain(alg1_policy),
    'alg2': plain(alg2_policy),
    'class1': plain(class1_policy),
    'class2': plain(class2_policy),
    'rev1': plain(partial(rev_policy, alg=alg1_policy)),
    'rev2': runner(lambda **options: partial(
        rev_policy, alg=partial(alg2_policy, **options))),
    'leave_bug': plain(class2_policy),
    'rv_bug': plain(rv_bug_policy),
    'bug1_plus': plain(bug1_plus_policy),
    'multi_bug': runner(lambda **options: partial(multi_bug_policy, memory=[], **options)),
}
