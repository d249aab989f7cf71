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
The ledger of a goal: its states, steps, hits, leaves and laps, and what is proven of them.

A complete Bug algorithm comes closer to the goal from hit point to hit point, and from lap to lap:
that is why it ends (V. J. Lumelsky and A. A. Stepanov, Algorithmica 2:403-430, 1987, lemmas 1 and
3; I. Kamon, E. Rimon and E. Rivlin, IJRR 17(9):934-953, 1998, theorem 1). In a world that stands
still that cannot fail, so where it does the odometry does not say where the robot is, or the
sensors do not resolve the obstacles.
"""

from __future__ import annotations

import contextlib
from typing import Iterator, List, Optional, Tuple

from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.types import Concluded, Event, Outcome, Result

DECISIONS = 200
"""So many states, hits and leaves in one tick are no end of them."""
AMISS = 0.25
"""What the order of hits and laps may be amiss by [m]: margins, noise, and a little drift."""
JUMP = 0.05
"""Where a localiser has moved the robot by more [m], places of before and after do not compare."""


class Mission:
    """What has happened on the way to one goal."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.states: List[str] = []
        """The stack of states, outermost first."""
        self.step = ''
        """The step of the algorithm that is being done."""
        self.reason = ''
        """What was found last, which is why."""
        self.events: List[Event] = []
        self.hits = 0
        self.ordered = False
        """Whether the algorithm is proven to come closer from hit to hit: `Facts.ordered`."""
        self._milestones: List[Tuple[Point, float]] = []
        self._decisions: List[str] = []
        self._entered: Optional[Tuple[str, str]] = None
        self._passed: Optional[Tuple[str, str]] = None

    def begin_anew(self) -> None:
        """Forget where it has been closer to the goal: the world is another."""
        self._milestones.clear()

    def begin_tick(self) -> None:
        """Take note that the robot has moved on, or might have."""
        self._decisions.clear()
        self._entered = self._passed = None

    def at(self, step: str, reason: str) -> None:
        """Enter a step of the algorithm for a reason; it is being done until another is."""
        self._passed = self._passed or self._entered
        self._entered = step, reason
        self.step, self.reason = step, reason

    @property
    def told(self) -> Tuple[str, str]:
        """
        Return the step of this tick, and its reason.

        It is the one that is being done; in a tick that has passed through others, such as that to
        leave a boundary, the first of these: else nobody would ever hear of it.
        """
        return self._passed or (self.step, self.reason)

    @contextlib.contextmanager
    def state(self, name: str) -> Iterator[None]:
        """Be in a state; states nest."""
        self._decide(name)
        self.states.append(name)
        try:
            yield
        finally:
            self.states.pop()

    def record(self, event: Event) -> None:
        """Record a hit point or a leave point."""
        self._decide(event.kind)
        self.events.append(event)

    def pass_milestone(self, place: Point, goal: Point, jumped: float = 0.0) -> None:
        """
        Take note of a hit point, or of the closest place of a closed lap (global frame).

        Each has to be closer to the goal than all before it. That is asked of the places and the
        goal as they are known now: a goal that is seen to move, as odometry drifts, tells as much
        as places that do. Not so where a localiser has moved it meanwhile: ``jumped`` [m] in all.
        """
        away = distance(place, goal)
        for before, jumped_then in self._milestones if self.ordered else ():
            if jumped - jumped_then < JUMP and away > distance(before, goal) + AMISS:
                raise Concluded(Result(
                    Outcome.ODOM_CONTRADICTORY, f'the robot is {away:.2f} m from the goal, where '
                    f'it has to be closer than {distance(before, goal):.2f} m, as it was before'))
        self._milestones.append((place, jumped))

    def _decide(self, name: str) -> None:
        """Take note of a decision; end a goal whose algorithm decides for ever without moving."""
        self._decisions.append(name)
        if len(self._decisions) > DECISIONS:
            names = ', '.join(sorted(set(self._decisions)))
            raise Concluded(Result(Outcome.INTERNAL, f'{len(self._decisions)} decisions without '
                                   f'a move ({names}): a fault of the algorithm'))
