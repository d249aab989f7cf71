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
The ledger of a goal: its states, steps, hits, leaves and laps, and the proven order of these.

A complete Bug algorithm comes closer to the goal from hit point to hit point, and from lap to lap,
which is why it terminates (V. J. Lumelsky and A. A. Stepanov, Algorithmica 2:403-430, 1987, lemmas
1 and 3; I. Kamon, E. Rimon and E. Rivlin, IJRR 17(9):934-953, 1998, theorem 1). In a static world
this cannot fail. If it does, odometry is wrong or the sensors do not resolve the obstacles.
"""

from __future__ import annotations

import contextlib
from typing import Iterator, List, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import distance, Point
from bug_nav.navigation.names import listed, unknown
from bug_nav.navigation.types import Concluded, Event, InvalidAlgorithm, Outcome, Result

MAX_DECISIONS = 200
"""Maximum number of states, hits and leaves in one tick."""
ORDER_TOLERANCE = 0.25
"""Tolerance of the order of hits and laps [m]: margins, noise, and a little drift."""
MAX_LOCALIZER_JUMP = 0.05
"""Maximum jump by a localizer after which places are still comparable [m]."""


class GoalLedger:
    """The record of one goal."""

    def __init__(self) -> None:
        """Start empty."""
        self.states: List[str] = []
        """The stack of states, outermost first."""
        self.steps: Sequence[str] = ()
        """The names of the steps that the algorithm declares; empty for any."""
        self.step = ''
        """The current step of the algorithm."""
        self.reason = ''
        """The most recent finding, which is the reason."""
        self.events: List[Event] = []
        self.hits = 0
        self.ordered = False
        """Whether the algorithm provably comes closer from hit to hit: `Metadata.ordered`."""
        self._milestones: List[Tuple[Point, float]] = []
        self._decisions: List[str] = []
        self._entered: Optional[Tuple[str, str]] = None
        self._first_left: Optional[Tuple[str, str]] = None

    def reset_milestones(self) -> None:
        """Delete the milestones, because the world has changed."""
        self._milestones.clear()

    def begin_tick(self) -> None:
        """Start a tick, in which the robot may have moved."""
        self._decisions.clear()
        self._entered = self._first_left = None

    def at(self, step: str, reason: str) -> None:
        """
        Enter a step of the algorithm for a reason; it lasts until the next one.

        :raises InvalidAlgorithm: if the algorithm declares steps, but not this one.
        """
        if self.steps and step not in self.steps:
            declared = listed(map(repr, self.steps), len(self.steps))
            raise InvalidAlgorithm(unknown('step', step, self.steps,
                                           f'`Algorithm.steps` declares {declared}'))
        self._first_left = self._first_left or self._entered
        self._entered = step, reason
        self.step, self.reason = step, reason

    @property
    def reported_step(self) -> Tuple[str, str]:
        """
        Return the step of this tick, and its reason.

        It is the current step; or, in a tick with several steps, the first one that was entered
        and left, which would never be reported otherwise.
        """
        return self._first_left or (self.step, self.reason)

    @contextlib.contextmanager
    def state(self, name: str) -> Iterator[None]:
        """Enter a state for a context; states nest."""
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
        Record a hit point, or the closest place of a closed lap (global frame).

        Each must be closer to the goal than all earlier ones. All are compared with the current
        goal, so that a drift of the goal counts as much as a drift of the places.
        Places before a jump of the localizer are not compared: ``jumped`` [m] is the sum of all
        jumps.
        """
        now = distance(place, goal)
        for earlier, jumped_before in self._milestones if self.ordered else ():
            if (jumped - jumped_before < MAX_LOCALIZER_JUMP
                    and now > distance(earlier, goal) + ORDER_TOLERANCE):
                raise Concluded(Result(
                    Outcome.ODOM_CONTRADICTORY, f'the robot is {now:.2f} m from the goal, but '
                    f'must be closer than {distance(earlier, goal):.2f} m, the distance of an '
                    'earlier hit or lap'))
        self._milestones.append((place, jumped))

    def _decide(self, name: str) -> None:
        """Count a decision; end a goal whose algorithm decides forever without a move."""
        self._decisions.append(name)
        if len(self._decisions) > MAX_DECISIONS:
            names = ', '.join(sorted(set(self._decisions)))
            raise Concluded(Result(Outcome.INTERNAL, f'{len(self._decisions)} decisions without '
                                   f'a move ({names}): a fault of the algorithm'))
