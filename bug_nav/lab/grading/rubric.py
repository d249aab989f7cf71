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

"""Points of a submission: the criteria of a rubric, each a number from 0 to 1 per trial."""

from __future__ import annotations

import dataclasses
import math
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.lab.grading.judgement import Judgement, UNREACHABLE
from bug_nav.lab.spec_values import choice, key, number, SpecError, text

LONG_CONTACT = 5.0
"""Time in contact that counts as much as an episode [s]."""


def _reached(found: Judgement, _: Criterion) -> Optional[float]:
    if found.reachable is False:
        return None
    return {'stopped': 1.0, 'passed': 0.5}.get(found.arrival, 0.0)


def _verdict(found: Judgement, _: Criterion) -> Optional[float]:
    if found.reachable is not False:
        return None
    return float(found.verdict == UNREACHABLE)


def _truthful(found: Judgement, _: Criterion) -> float:
    return float(found.verdict_right is not False and _has_driven(found))


def _no_contact(found: Judgement, criterion: Criterion) -> float:
    # A robot that never leaves its start touches nothing, which deserves no points.
    episodes = max(found.contacts, found.contact_time / LONG_CONTACT)
    share = 1.0 - episodes / max(criterion.worst, 1.0)
    return max(share, 0.0) if _has_driven(found) else 0.0


def _path(found: Judgement, criterion: Criterion) -> Optional[float]:
    if found.reachable is False:
        return None
    return _linear(found.ratio, criterion) if found.reached else 0.0


def _time(found: Judgement, criterion: Criterion) -> Optional[float]:
    if found.reachable is False:
        return None
    return _linear(found.time, criterion) if found.reached else 0.0


def _command_rate(found: Judgement, criterion: Criterion) -> float:
    return min(found.command_rate / max(criterion.best, 1e-9), 1.0)


def _runs(found: Judgement, _: Criterion) -> float:
    return float(_has_driven(found) and not found.reason)


def _has_driven(found: Judgement) -> bool:
    return found.path_length > 0.1 or found.solved


def _linear(value: Optional[float], criterion: Criterion) -> float:
    """Return 1 at ``best`` or below, 0 at ``worst`` or above."""
    if value is None:
        return 0.0
    share = (criterion.worst - value) / (criterion.worst - criterion.best)
    return min(max(share, 0.0), 1.0)


class Kind(NamedTuple):
    """A kind of criterion."""

    score: Callable[[Judgement, Criterion], Optional[float]]
    """Share of the points for a trial; None if it does not apply there."""
    best: float
    worst: float
    about: str
    limits: Tuple[str, ...] = ()
    """Those of best and worst that it uses."""


BOTH = ('best', 'worst')
KINDS: Dict[str, Kind] = {
    'runs': Kind(_runs, 0, 1, 'the program starts, drives, and neither crashes nor is silent'),
    'reached': Kind(_reached, 0, 1, 'reachable goals: stopped there; half for passing'),
    'verdict': Kind(_verdict, 0, 1, 'unreachable goals: reported as unreachable'),
    'truthful': Kind(_truthful, 0, 1, 'no verdict is wrong'),
    'no_contact': Kind(_no_contact, 0, 4, 'no contact; no points from `worst` episodes, or 5 s '
                       'of contact for each', ('worst',)),
    'path': Kind(_path, 1.5, 5, 'reached goals: path per shortest path, from `best` to `worst`',
                 BOTH),
    'time': Kind(_time, 60, 300, 'reached goals: seconds, from `best` to `worst`', BOTH),
    'command_rate': Kind(_command_rate, 5, 0, 'commands per second, up to `best`', ('best',)),
}
"""The criteria, by name."""


@dataclasses.dataclass(frozen=True)
class Criterion:
    """One line of a rubric."""

    criterion: str = key(choice(*KINDS), 'what is judged', required=True)
    points: float = key(number(0.0, 1000.0), 'points for a full score', required=True)
    best: float = key(number(0.0, 1e6), 'value for all points (default: by criterion)',
                      default=math.nan)
    worst: float = key(number(0.0, 1e6), 'value for no points (default: by criterion)',
                       default=math.nan)
    title: str = key(text, 'name in tables (default: the criterion)', default='')

    def __post_init__(self) -> None:
        """Set defaults, and check the order of best and worst."""
        kind = KINDS[self.criterion]
        for name in BOTH:
            given, usual = getattr(self, name), getattr(kind, name)
            if math.isnan(given):
                object.__setattr__(self, name, usual)
            elif name not in kind.limits and given != usual:
                raise SpecError(f'rubric: {name} of {self.criterion} is {given:g}, which has no '
                                'effect; leave it out')
        if kind.limits == BOTH and self.best >= self.worst:
            raise SpecError(f'rubric: best of {self.criterion} is {self.best:g}; give less than '
                            f'worst, {self.worst:g}')
        if not self.title:
            object.__setattr__(self, 'title', self.criterion.replace('_', ' '))


DEFAULT = tuple(Criterion(name, points) for name, points in (
    ('runs', 10.0), ('reached', 40.0), ('no_contact', 20.0), ('path', 10.0), ('verdict', 10.0),
    ('truthful', 10.0)))
"""The rubric if none is given."""


class Mark(NamedTuple):
    """The points of a submission for a criterion."""

    criterion: Criterion
    points: float
    applies: bool
    """False if no trial has anything to judge by it; the points are then not counted."""


def marks(rubric: Sequence[Criterion], trials: Sequence[Judgement]) -> List[Mark]:
    """Return the points for each criterion: the mean over the trials to which it applies."""
    found = []
    for criterion in rubric:
        scores = [score for score in (
            KINDS[criterion.criterion].score(trial, criterion) for trial in trials)
            if score is not None]
        mean = sum(scores) / len(scores) if scores else 0.0
        found.append(Mark(criterion, criterion.points * mean, bool(scores)))
    return found


def total(found: Sequence[Mark]) -> Tuple[float, float]:
    """Return the points and the maximum number of points."""
    return (sum(mark.points for mark in found),
            sum(mark.criterion.points for mark in found if mark.applies))
