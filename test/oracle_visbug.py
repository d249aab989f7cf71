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
VisBug-21 and VisBug-22 as walks of a point robot, in steps of a few centimetres.

Source: V. Lumelsky and T. Skewis, IEEE SMC 20(5), 1990; V. Lumelsky, Sensing, Intelligence,
Motion, 2006, section 3.6.

A virtual Bug2 runs ahead as far as it is visible to the robot C without a break; T_i is its place,
and C goes straight there. Visibility is sampled every `grain` metres along M-line and boundary
(and at every node of a lap), so lengths are accurate to a few centimetres only. If C is at T_i, it
follows the boundary (step S2): T_i advances by one node.

When the virtual Bug2 is back at H, the goal is proven unreachable, but the robot reports this only
when it is at H itself.

The main semiplane of VisBug-21 is the side of the M-line to which the local direction turns.
"""

from __future__ import annotations

from functools import partial
import math
from typing import Optional

import numpy as np
from oracle import Lap, leading, offset, OracleRun, Scene, TINY

SIGHT = 3.5
GRAIN = 0.05
COARSE = 0.003
MAX_STEPS = 100_000
# Number of places whose visibility is checked at once.
LOOK = 16


class VisBug:
    """One run; the numbers in comments are the steps of the procedure Compute T_i."""

    def __init__(self, scene: Scene, turn: str, main_semiplane_only: bool, sight: float,
                 grain: float) -> None:
        self.scene, self.turn, self.sight, self.grain = scene, turn, sight, grain
        self.main_semiplane_only = main_semiplane_only
        self.run = OracleRun(path=[scene.start])
        self.here = self.aim = scene.start          # C and T_i
        self.lap: Optional[Lap] = None              # the boundary that T_i is on; None: the M-line
        self.node = 0
        self.best = scene.start                     # X

    def go(self) -> OracleRun:
        for _ in range(MAX_STEPS):
            verdict = self.compute()
            if verdict:
                self.run.verdict = verdict
                return self.run
            left = math.dist(self.here, self.aim)
            share = min(1.0, self.grain / max(left, TINY))
            self.here = tuple(np.add(self.here, share * np.subtract(self.aim, self.here)))
            self.run.length += share * left
            self.run.path.append(self.here)
        self.run.verdict = 'loop'
        return self.run

    def compute(self) -> str:
        """Move T_i ahead as far as it is visible; return the verdict if there is one."""
        scene = self.scene
        if self.in_sight(scene.goal):                                               # 1
            self.run.length += max(scene.to_goal(self.here) - scene.reach, 0.0)
            self.run.path.append(scene.goal)
            return 'reached'
        while True:
            if self.lap is None and not self.along_the_m_line():                    # 2
                pass
            elif self.along_the_boundary():                                         # 3
                if self.node == len(self.lap.walked) - 1:
                    # Back at H. The robot goes there before it reports that.
                    return 'unreachable' if math.dist(self.here, self.aim) < TINY else ''
            else:
                continue
            if not self.shortcut():                                                 # 4
                return ''

    def along_the_m_line(self) -> bool:
        """Advance T_i along the M-line; return whether it met an obstacle."""
        hit = self.scene.hit_from(self.aim)
        for point in self.samples(self.aim, hit or self.scene.goal):
            if not self.in_sight(point):
                return False
            self.aim = point
        if hit is None:
            return False
        self.lap, self.node, self.best = self.scene.lap(hit, self.turn), 0, hit
        stops = np.arange(self.grain, self.lap.boundary.perimeter, self.grain)
        self.lap = self.scene.lap(hit, self.turn, stops=stops)
        self.run.hits.append(hit)
        return True

    def along_the_boundary(self) -> bool:
        """Advance T_i along the boundary; return whether it is still there, not on the M-line."""
        lap, scene = self.lap, self.scene
        seen = 0
        while self.node < len(lap.walked) - 1:
            seen = seen or self.seen_ahead(lap.points[self.node + 1:self.node + 1 + LOOK])
            if not seen and math.dist(self.here, self.aim) > TINY:
                break
            # The robot itself at T_i follows the boundary (S2).
            seen = max(seen, 1)
            seen -= 1
            self.node += 1
            self.aim = tuple(lap.points[self.node])
            if lap.on_m_line[self.node] and lap.to_goal[self.node] < lap.to_goal[0] - TINY:
                if lap.to_goal[self.node] < scene.to_goal(self.best):
                    self.best = self.aim
                if scene.is_free(self.aim):
                    self.leave(self.aim)
                    return False
        return True

    def seen_ahead(self, points: np.ndarray) -> int:
        """Return the number of visible places before the first that is not."""
        points = points[:leading(np.hypot(*(points - self.here).T) <= self.sight + TINY)]
        return leading(self.scene.sees(self.here, points))

    def shortcut(self) -> bool:
        """Move T_i to a visible place of the M-line that is closer than Bug2 has come, if any."""
        scene = self.scene
        side = offset(np.array([self.here]), scene.start, scene.goal)[0]
        if self.main_semiplane_only and (side if self.turn == 'left' else -side) < -TINY:
            return False
        reference = self.aim if self.lap is None else (
            self.best if self.main_semiplane_only else self.lap.points[0])
        places = np.array(list(self.samples(scene.goal, reference)))
        # Not the reference itself.
        places = places[scene.to_goal(reference) > np.hypot(*(places - scene.goal).T) + TINY]
        places = places[np.hypot(*(places - self.here).T) <= self.sight]
        seen = places[scene.sees(self.here, places)]
        if len(seen):
            self.leave(tuple(seen[0]))
        return len(seen) > 0

    def leave(self, place: tuple) -> None:
        if self.lap is not None:
            self.run.leaves.append(place)
        self.aim, self.lap = place, None

    def in_sight(self, point) -> bool:
        return (math.dist(self.here, point) <= self.sight + TINY
                and self.scene.sees(self.here, np.array([point]))[0])

    def samples(self, begin, end) -> list[tuple]:
        """Return places on the way from begin (not itself) to end, at most a grain apart."""
        count = math.ceil(math.dist(begin, end) / self.grain)
        shares = np.arange(1, count + 1)[:, None] / max(count, 1)
        return [tuple(place) for place in np.array(begin) + shares * np.subtract(end, begin)]


def vis_bug(obstacles, start, goal, turn: str = 'left', goal_tolerance: float = 0.0,
            sight: float = SIGHT, grain: float = GRAIN, main_semiplane_only: bool = True
            ) -> OracleRun:
    """Run VisBug-21, or VisBug-22 if the other semiplane counts, too."""
    # Arcs of many edges would take far longer, with less effect than a grain.
    scene = Scene(obstacles.simplify(COARSE), start, goal, goal_tolerance)
    return VisBug(scene, turn, main_semiplane_only, sight, grain).go()


VISBUG = {'vis_bug_21': vis_bug, 'vis_bug_22': partial(vis_bug, main_semiplane_only=False)}
