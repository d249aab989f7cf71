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
The Bug algorithms that follow a wall and measure the free way to the goal, as exact walks.

Sources: I. Kamon and E. Rivlin, IEEE T-RA 13(6), 1997 (DistBug); E. Magid and E. Rivlin, IROS 2004
(CautiousBug); J. Ng, PhD thesis, UWA 2010 (OneBug). CautiousBug and OneBug are reconstructions.

F is the free way to the goal, visible up to `sight`; d is the distance to it. All three leave
where the goal is visible (d - F <= 0) or the visible way ends at least `step` closer than the
closest place before (d - F <= d_min - step): for DistBug and CautiousBug since the hit, for OneBug
in the whole run.

A margin such as `step` may miss an exit. So a policy that has seen the whole wall without leaving
goes to its closest place if the way is free there, and otherwise gives up. This is known from the
lap, so giving up costs no way back.

IBA (M. Zohaib et al., 2013, a reconstruction) leaves where the goal is visible, or the way there
is free for `sight`, or ends at another boundary than the followed one.

CautiousBug walks `base` metres to the given side, twice as far to the other, and so on, always
from the hit, and has seen the whole wall when both ends meet.
"""

from __future__ import annotations

import numpy as np
from oracle import first_leave, Lap, OracleRun, Scene, Step, TINY
from oracle_contact import back_to, CLEAR, end_of, OTHER, plain, until_goal

SIGHT = 3.5
STEP = 0.2
BASE = 0.5


def dist_bug_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str, sight: float = SIGHT,
                    step: float = STEP, whole_run: bool = False) -> Step:
    """Leave where the goal is visible or the way ends a step closer than the closest place."""
    closest = min(map(scene.to_goal, run.path)) if whole_run else scene.to_goal(hit)
    lap = lap_in_sight(scene, hit, turn, closest, sight, step)
    leave = until_goal(lap, first_leave(*leaves_by_range(lap, closest, sight, step)))
    return _last_resort(lap) if leave is None else end_of(lap, leave)


def cautious_bug_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str,
                        sight: float = SIGHT, step: float = STEP, base: float = BASE) -> Step:
    """Leave like DistBug, but search both sides alternately, farther each time."""
    perimeter = scene.boundary_at(hit).perimeter
    seen, leg, closest = {'left': 0.0, 'right': 0.0}, base, scene.to_goal(hit)
    walked, path = 0.0, ()
    while True:
        end = min(leg, perimeter - seen[OTHER[turn]])
        lap = lap_in_sight(scene, hit, turn, closest, sight, step, (seen[turn], end))
        begin, last = lap.index_at(seen[turn]), lap.index_at(end)
        inside, at_node = leaves_by_range(lap, closest, sight, step)
        inside[:begin], inside[last:] = False, False
        at_node[:begin + 1], at_node[last + 1:] = False, False
        leave = until_goal(lap, first_leave(inside, at_node))
        there = lap.step(last if leave is None else min(leave, last))
        walked, path = walked + there.walked, path + there.path
        if leave is not None and leave <= last:
            verdict = 'reached' if lap.at_goal[leave] else None
            return Step(walked, there.point, verdict, path)
        if end + seen[OTHER[turn]] > perimeter - TINY:
            resort = _last_resort(scene.lap(there.point, turn), walk_it=False)
            return Step(walked + resort.walked, resort.point, resort.verdict, path + resort.path)
        # Back to the hit, where the next leg begins.
        walked, path = walked + there.walked, (*path, *there.path[-2::-1], hit)
        closest = min([closest, *map(scene.to_goal, there.path)])
        seen[turn], turn, leg = end, OTHER[turn], 2 * leg


def iba_policy(scene: Scene, run: OracleRun, hit: tuple, turn: str, sight: float = SIGHT,
               clear: float = CLEAR) -> Step:
    """Leave where the obstacle itself does not block the visible way."""
    lap = scene.lap(hit, turn, free_for=(clear, sight))
    free, away = lap.middle_free, lap.middle_to_goal
    ends_at = scene.first_solid(lap.middles)
    own = scene.boundaries.index(lap.boundary)
    others = (ends_at < 0) | (scene.owner[ends_at] != own)
    out_of_the_way = (free >= away - TINY) | (free >= sight) | others
    leaves = out_of_the_way & (free >= np.minimum(clear, away) - TINY)
    return end_of(lap, first_leave(leaves, np.zeros(len(lap.walked), dtype=bool)), 'loop')


def lap_in_sight(scene: Scene, hit: tuple, turn: str, closest: float, sight: float, step: float,
                 stops: tuple = ()) -> Lap:
    """Return a lap with nodes wherever `leaves_by_range` may change."""
    records = np.unique(np.minimum(closest, scene.lap(hit, turn).closest_before))
    ends = records[records > step] - step
    return scene.lap(hit, turn, stops=stops, distances=(sight, *records, *(ends + sight)),
                     free_for=(step,), way_ends_at=tuple(ends))


def leaves_by_range(lap: Lap, closest: float, sight: float,
                    step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return for stretches and nodes of a lap whether the visible way ends closer by a step."""
    record = np.minimum(closest, lap.closest_before)
    return (_ends_closer(lap.middle_to_goal, lap.middle_free, record[:-1], sight, step),
            _ends_closer(lap.to_goal, lap.free, record, sight, step))


def _ends_closer(distance: np.ndarray, free: np.ndarray, record: np.ndarray, sight: float,
                 step: float) -> np.ndarray:
    end = distance - np.minimum(free, sight)
    return (end <= TINY) | (end <= np.minimum(record, distance) - step + TINY)


def _last_resort(lap: Lap, walk_it: bool = True) -> Step:
    """Give up after a lap, unless the way is free at its closest place."""
    closest = int(np.argmin(lap.to_goal))
    whole = lap.step(len(lap.walked) - 1, 'unreachable')
    if not lap.scene.is_free(lap.points[closest]):
        return whole if walk_it else Step(0.0, whole.point, 'unreachable')
    return back_to(lap, closest, walk_it=walk_it)


RANGE = {
    'dist_bug': plain(dist_bug_policy),
    'cautious_bug': plain(cautious_bug_policy),
    'iba': plain(iba_policy),
    'one_bug': plain(lambda *args, **options: dist_bug_policy(*args, whole_run=True, **options)),
}
