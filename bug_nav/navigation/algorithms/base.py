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

"""The interface of an algorithm."""

from __future__ import annotations

import abc
import dataclasses
from typing import Any, ClassVar, Generator, NamedTuple, Optional, Tuple, Type

from bug_nav.navigation.names import shown
from bug_nav.navigation.parameters import ParameterSet
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Intent, Result

SAFE_RULE = ('by the safe rule, a closed lap is a proof only if it separates the robot from the '
             'goal; otherwise the robot leaves at its closest point')
"""The difference from the papers that most algorithms share; see docs/algorithms.md."""
CLOSED_LAP = ('If the lap is closed, report the goal as unreachable if the lap separates it from '
              'the robot; otherwise leave at the point of the lap closest to the goal (the safe '
              'rule, ours).')
"""The safe rule as the text of a step."""
CONTACT, RANGE, INTENSITY = 'contact', 'range', 'intensity of the goal'
SENSING = (CONTACT, RANGE, INTENSITY)
TURN_BY_USER, TURN_FIRST_BY_USER, TURN_BY_ALGORITHM = 'free', 'first', 'own'
TURNS = (TURN_BY_USER, TURN_FIRST_BY_USER, TURN_BY_ALGORITHM)


@dataclasses.dataclass(frozen=True)
class Metadata:
    """The properties of an algorithm that a user compares before choosing one."""

    title: str
    source: str
    """Authors and year."""
    sensing: str
    """Required sensing: `CONTACT`, `RANGE` or `INTENSITY`."""
    memory: str
    """State kept between ticks."""
    complete: bool
    """Whether it reaches every reachable goal and proves that any other is unreachable."""
    bound: str
    """
    Upper bound of the path length; D start to goal, p_i the perimeters, n_i the crossings.

    Marked '(of the original)' if it is not proven for this version.
    """
    guarantee: str
    """One sentence for the user."""
    differences: str = ''
    """Differences from the publication and the source of the steps; '' if none."""
    turn: str = TURN_BY_USER
    """Source of the turn direction: the user (the default), the user at the first hit and then the
    algorithm (`TURN_FIRST_BY_USER`), or the algorithm (`TURN_BY_ALGORITHM`)."""
    reconstructed: bool = False
    """Whether steps had to be guessed because no available source has them all."""
    ordered: bool = False
    """Whether each hit point is closer to the goal than all earlier ones, which proves that the
    run ends. In a static world this always holds; the navigator checks it."""
    m_line: bool = False
    """Whether it leaves at the M-line, the straight line from start to goal."""

    def __post_init__(self) -> None:
        """Check the fields with a fixed set of values."""
        for field, allowed in (('sensing', SENSING), ('turn', TURNS)):
            value = getattr(self, field)
            if value not in allowed:
                raise ValueError(f'{field} of {self.title} is {shown(value)}; allowed are '
                                 f'{", ".join(map(repr, allowed))}')


@dataclasses.dataclass(frozen=True)
class NoParameters(ParameterSet):
    """Parameters of an algorithm without any."""


class Step(NamedTuple):
    """One step of an algorithm's pseudo-code."""

    name: str
    """As in the paper: '1', '2', '2a', ..."""
    text: str
    """The action, in one sentence."""


MOVE_TO_GOAL = Step('1', 'Move straight towards the goal until it is reached or an obstacle is '
                         'hit at H_i.')
"""The first step of most algorithms."""
IntentGenerator = Generator[Intent, None, Result]


class Algorithm(abc.ABC):
    """
    Decides where the robot goes, tick by tick.

    Other packages add algorithms through the entry point group ``bug_nav.algorithms``: the name of
    the entry point is the name of the algorithm. `bug_nav.run` also accepts the class itself.
    """

    metadata: ClassVar[Metadata]
    Parameters: ClassVar[Type[ParameterSet]] = NoParameters
    steps: ClassVar[Tuple[Step, ...]] = ()
    """The pseudo-code; `run` reports the current step through `Robot.enter_step`."""

    def __init__(self, parameters: Optional[ParameterSet] = None):
        """Set the parameters of the algorithm, by default those of `Parameters()`."""
        # An instance of the subclass's `Parameters`, which cannot be typed here.
        self.parameters: Any = parameters if parameters is not None else self.Parameters()

    @property
    def passes_goal(self) -> bool:
        """Whether the robot passes the goal for now instead of stopping there, as on a way out."""
        return False

    @abc.abstractmethod
    def run(self, robot: Robot) -> IntentGenerator:
        """
        Yield one intent (`bug_nav.navigation.types`) per control tick.

        Return the verdict as a `Result`, or raise it as `Unreachable` or `LoopDetected`.

        The navigator handles arrival, timeouts, stale data and collisions. Cancelling closes the
        generator, so it must not yield in a ``finally``.
        """


def check_turn(algorithm: Type[Algorithm], turn: str) -> None:
    """Raise ValueError if a turn direction is requested of an algorithm that chooses it."""
    if turn and algorithm.metadata.turn == TURN_BY_ALGORITHM:
        raise ValueError(f'the turn direction {turn} has no effect: {algorithm.metadata.title} '
                         'chooses it itself; leave it out, or choose another algorithm')


def check_sensing(algorithm: Type[Algorithm], settings: Settings) -> None:
    """Raise ValueError if an algorithm needs more than the configured sensing."""
    if settings.sensing != 'range' and algorithm.metadata.sensing == RANGE:
        raise ValueError(f'sensing is {settings.sensing!r}, and {algorithm.metadata.title} needs '
                         'a scan; choose an algorithm that does not need ranges, such as bug2, '
                         'or, with a lidar, sensing range')
