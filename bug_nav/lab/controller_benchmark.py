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
Score of a Python controller, ``step(scan, pose, goal) -> (v, w)``, in a suite of the benchmark.

It drives the same worlds, starts and goals as the algorithms, with the same robot, noise, time and
seeds, and an episode ends at a contact as theirs do. It has no navigator beneath it: no map, no
proof and no collision monitor.
"""

from __future__ import annotations

from pathlib import Path
import time
from typing import Callable, Iterator, List, NamedTuple

from bug_nav.files import BadInput
from bug_nav.lab.benchmark import percentile, Score, Suite
from bug_nav.lab.cases import cached_world, Case, find_case, Selection
from bug_nav.lab.episodes import combinations, Job, rules_of
from bug_nav.lab.grading.judgement import Judgement, REACHED, Trial, Truth, UNREACHABLE
from bug_nav.lab.grading.python_trial import python_trial
from bug_nav.lab.grading.referee import Ending, TrialRules
from bug_nav.lab.grading.submission_process import Limits
from bug_nav.lab.report.scores import MIN_LENGTH
from bug_nav.lab.spec import Spec
from bug_nav.navigation.geometry import wrap
import numpy as np

CONTROLLER_SUITES = ('static', 'noise')
"""Names of the suites that a controller can drive: those without movers, drift and delays."""
CPU_TIME = 3600
"""Maximum processor time of a controller in an episode [s]."""


class Driven(NamedTuple):
    """An episode of a controller."""

    judgement: Judgement
    turning: float
    """Sum of the absolute heading changes [rad]."""
    ticks: int
    seconds: float
    """Real time [s]."""


def score_of_controller(suite: Suite, spec: Spec, file: Path, function: str,
                        progress: Callable[[int], None] = lambda count: None,
                        report: Callable[[str], None] = lambda reason: None) -> Score:
    """
    Return the score of a controller; BadInput if it crashed in every episode.

    ``progress`` gets the number of finished episodes, ``report`` the reason of the first crash.
    """
    episodes: List[Driven] = []
    reasons: List[str] = []
    for case in _cases(spec):
        for driven in _drive(spec, case, file, function):
            episodes.append(driven)
            progress(len(episodes))
            if driven.judgement.ending == Ending.CRASHED.value:
                reasons.append(driven.judgement.reason)
                if len(reasons) == 1:
                    report(reasons[0])
    if episodes and len(reasons) == len(episodes):
        raise BadInput(f'{file.name} crashed in all {len(episodes)} episodes: {reasons[0]}')
    return _score(suite, f'{file.name}:{function}', episodes)


def _cases(spec: Spec) -> Iterator[Case]:
    """Yield the cases of a campaign."""
    for entry in range(len(spec.worlds)):
        selection = Selection(spec, entry)
        while not selection.finished:
            candidate = selection.next_candidate()
            if candidate is None:
                break
            yield from selection.take(candidate, find_case(candidate, spec.seed))


def _drive(spec: Spec, case: Case, file: Path, function: str) -> Iterator[Driven]:
    """Yield an episode for each combination of the campaign, which has one algorithm."""
    rules = rules_of(spec)
    for combination in combinations(spec):
        job = Job(rules, case, combination)
        trial = Trial(
            case.world, cached_world(case.world), case.start, case.goal, job.equipment.model,
            TrialRules(tolerance=rules.success_radius, time_allowance=job.time_allowance,
                       contact='end'),
            Truth(job.truth.reachable, job.truth.shortest))
        began = time.monotonic()
        found = python_trial(trial, job.equipment, file, function, Limits(cpu_time=CPU_TIME),
                             job.seed)
        turning = sum(abs(wrap(turn)) for turn in np.diff(found.trace.theta).tolist())
        yield Driven(found.judgement, turning, len(found.trace), time.monotonic() - began)


def _score(suite: Suite, name: str, episodes: List[Driven]) -> Score:
    """Return the score of judged episodes; a controller has arrived where it stopped."""
    judged = [each for each in episodes if each.judgement.reachable is not None]
    right = [each for each in judged if each.judgement.solved and not each.judgement.contacts
             and each.judgement.verdict_right is not False]
    arrived = [each for each in right if each.judgement.reached]
    said = [each.judgement for each in judged if each.judgement.verdict_right is False]
    ticks = sum(each.ticks for each in episodes)
    ratios = [each.judgement.ratio for each in arrived if each.judgement.ratio]
    false_unreachable = sum(each.verdict == UNREACHABLE for each in said)
    false_reached = sum(each.verdict == REACHED for each in said)
    return Score(
        suite.folder, name, len(judged), len(right),
        sum(each.judgement.reachable is True for each in judged), len(arrived),
        false_unreachable, false_reached,
        len(judged) - len(right) - false_unreachable - false_reached,
        sum(each.judgement.contacts > 0 for each in episodes),
        percentile(ratios, 50.0), percentile(ratios, 90.0),
        percentile([each.judgement.time for each in arrived if each.judgement.time], 50.0),
        percentile([each.turning / max(each.judgement.path_length, MIN_LENGTH)
                    for each in arrived], 50.0),
        round(1e6 * sum(each.seconds for each in episodes) / max(ticks, 1), 1))
