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

"""What an algorithm is."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, ClassVar, Generator, NamedTuple, Optional, Tuple, Type

from bug_nav.core.interface import Result
from bug_nav.core.parameters import Checked
from bug_nav.core.settings import Settings
from bug_nav.drive.intents import Intent
from bug_nav.robot import Robot

SAFE_RULE = ('by the safe rule a closed lap is a proof only where it shuts the goal off, and else '
             'it is left at its closest place')
"""What is ours in nearly all; docs/algorithms.md tells why."""
CLOSED = ('Where the lap is closed, end if it shuts the goal off, which cannot be reached then; '
          'else leave where the lap is closest to the goal (the safe rule, ours).')
"""The same as the text of a step."""
CONTACT, RANGE, INTENSITY = 'contact', 'range', 'intensity of the goal'
FREE, FIRST, OWN = 'free', 'first', 'own'


@dataclasses.dataclass(frozen=True)
class Facts:
    """What there is to know about an algorithm before using it."""

    title: str
    source: str
    """Authors and year."""
    sensing: str
    """What it needs: `CONTACT`, `RANGE` or `INTENSITY`."""
    memory: str
    """What it keeps of the way so far."""
    complete: bool
    """Whether it reaches every goal that can be reached, and proves of the others that not."""
    bound: str
    """
    Upper bound of the path length; D start to goal, p_i the perimeters, n_i the crossings.

    It says '(of the original)' where it is not proven for what is ours.
    """
    guarantee: str
    """One sentence for the user."""
    ours: str = ''
    """What is not the publication's: other steps, and how it was known; '' for nothing."""
    turn: str = FREE
    """Whether the turn direction is the user's choice: `FREE`, `FIRST` (at the first hit, the
    algorithm goes on from there) or `OWN` (the algorithm's)."""
    reconstructed: bool = False
    """Whether steps had to be guessed, for no source at hand has them all."""
    ordered: bool = False
    """Whether each hit point is closer to the goal than all before it, which ends the walk: in a
    world that stands still that cannot fail, and the ledger of a goal checks it."""
    m_line: bool = False
    """Whether it knows the straight line from start to goal, and leaves where it meets that."""


@dataclasses.dataclass(frozen=True)
class NoParameters(Checked):
    """The parameters of an algorithm that has none."""


class Step(NamedTuple):
    """One step of an algorithm's pseudo-code."""

    name: str
    """As in the paper: '1', '2', '2a', ..."""
    text: str
    """What is done, in one sentence."""


GO = Step('1', 'Go straight to the goal, until it is reached or an obstacle is in the way at H_i.')
"""The first step of most."""
Run = Generator[Intent, None, Result]


class Algorithm(abc.ABC):
    """
    Decides, tick by tick, where the robot goes.

    A third party adds one by the entry point group ``bug_nav.algorithms``: the name of the entry
    point is the name of the algorithm.
    """

    facts: ClassVar[Facts]
    Parameters: ClassVar[Type[Checked]] = NoParameters
    steps: ClassVar[Tuple[Step, ...]] = ()
    """The pseudo-code; `run` tells by `Robot.at` which step it has come to."""

    def __init__(self, parameters: Optional[Checked] = None):
        """Take the algorithm's own parameters, the defaults where none are given."""
        # Of the class `Parameters` of each algorithm, which no type here can say.
        self.parameters: Any = parameters if parameters is not None else self.Parameters()

    @property
    def passes_goal(self) -> bool:
        """Tell whether the goal is gone past for now, as on a way out that leads back to it."""
        return False

    @abc.abstractmethod
    def run(self, robot: Robot) -> Run:
        """
        Navigate: yield one intent per control tick, of `bug_nav.drive.intents`.

        When there is a verdict it is returned, or raised as `core.interface.Concluded`.

        Whether the goal is reached, time, stale data and the safety of the command are the
        navigator's business. Cancelling closes the generator: it must not yield in a ``finally``.
        """


def check_sensing(algorithm: Type[Algorithm], settings: Settings) -> None:
    """Raise ValueError where an algorithm needs more than the robot is to sense."""
    if settings.sensing != 'range' and algorithm.facts.sensing == RANGE:
        raise ValueError(f'sensing is {settings.sensing!r}, and {algorithm.facts.title} needs a '
                         'scan; choose an algorithm of contact sensing such as bug2, or, with a '
                         'lidar, sensing range')
