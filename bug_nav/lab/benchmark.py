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
The benchmark of Bug navigation: frozen suites of episodes, and the scores of an algorithm.

A suite is a campaign (`campaigns/bench_*.yaml`) with fixed worlds and seeds. They belong to a
`VERSION`. Scores can be compared if one commit drove all: the algorithms share a navigator.
"""

from __future__ import annotations

from collections import defaultdict
import dataclasses
import json
import logging
from pathlib import Path
import shlex
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.lab.algorithm_catalogue import catalogue
from bug_nav.lab.equipment import equipment_of
from bug_nav.lab.report.scores import MIN_LENGTH, path_ratio
from bug_nav.lab.report.statistics import Interval, wilson
from bug_nav.lab.rows import arrived, Row
from bug_nav.lab.spec import load_spec, multiplied, Spec
from bug_nav.lab.verdict_counts import VerdictCounts
from bug_nav.navigation.algorithms.base import check_sensing
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.names import listed, unknown
from bug_nav.visualization.address import playground_link
import numpy as np
import yaml

VERSION = 1
"""Version of the worlds and seeds."""
FULL = 10
"""Factor from the pairs of start and goal of the quick benchmark to those of the full one."""
REFERENCE = Path(__file__).with_name(f'bench_{VERSION}.json')
"""File of the stored scores."""


class Suite(NamedTuple):
    """A campaign with one robot."""

    name: str
    title: str
    campaign: str
    robot: str = ''
    """Robot, if it is not that of the campaign."""
    is_baseline: bool = False
    """Whether it is the static baseline of a suite with moving obstacles."""

    @property
    def folder(self) -> str:
        """Return the name of its folder of results."""
        return f'{self.name}_{self.robot}' if self.robot else self.name


SUITES = (
    Suite('static', 'nine kinds of worlds', 'bench_static'),
    Suite('noise', 'a worse lidar', 'bench_noise'),
    Suite('drift', 'inaccurate odometry', 'bench_drift'),
    Suite('moving', 'people, doors, boxes, robots', 'bench_moving'),
    Suite('late', 'late, rare and skewed data', 'bench_late'),
    *(Suite('robots', robot, 'bench_robots', robot) for robot in (
        'waffle_pi', 'turtlebot4', 'pioneer')))
BASELINE = Suite('moving_baseline', 'static baseline of moving', 'bench_moving', is_baseline=True)
"""The suite that the rows of `moving` contain as well."""


def suites_of(names: Sequence[str]) -> List[Suite]:
    """
    Return the suites of some names or folders, all for none.

    :raises ValueError: for an unknown name.
    """
    known = list(dict.fromkeys(each for suite in SUITES for each in (suite.name, suite.folder)))
    for name in names:
        if name not in known:
            raise ValueError(unknown('suite', name, known,
                                     f'suites are {listed(known, len(known))}'))
    return [suite for suite in SUITES
            if not names or suite.name in names or suite.folder in names]


def contestants() -> List[str]:
    """Return the names of all algorithms that can be loaded and that search for the goal."""
    entries = catalogue()
    for entry in entries:
        if entry.error:
            logging.getLogger(__name__).warning(
                'bug_nav: %s cannot be loaded: %s; it is left out', entry.name, entry.error)
    return [entry.name for entry in entries
            if entry.algorithm is not None and entry.name != 'follow_wall']


def spec_of(suite: Suite, algorithms: Sequence[str], factor: int = 1) -> Optional[Spec]:
    """
    Return the campaign of a suite, with ``factor`` times its pairs of start and goal.

    Algorithms that need more than the sensors of its robot are left out; None without any.
    """
    robot = suite.robot or 'burger'
    able = [name for name in algorithms if _can_run(name, robot)]
    if not able:
        return None
    changes: List[Tuple[str, Any]] = [('algorithms', able)]
    if suite.robot:
        changes.append(('robots', [robot]))
    return multiplied(load_spec(suite.campaign, changes), factor)


def _can_run(name: str, robot: str) -> bool:
    algorithm = find(name)
    try:
        check_sensing(algorithm, equipment_of(robot).settings)
    except ValueError:
        return False
    return True


# ---- scores ------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Score:
    """Score of an algorithm in a suite. Judged worlds alone count, except for contacts."""

    suite: str
    """Name of the folder of the suite."""
    algorithm: str
    episodes: int
    right: int
    """Right verdicts."""
    reachable: int
    """Reachable goals."""
    reached: int
    """Those that were truly reached."""
    false_unreachable: int
    false_reached: int
    no_verdict: int
    """Episodes without a verdict."""
    contacts: int
    """Episodes with a contact."""
    ratio: Optional[float]
    """Median of path / shortest path where the robot truly arrived, as the next three."""
    ratio_p90: Optional[float]
    time: Optional[float]
    """Median time [s]."""
    turning: Optional[float]
    """Median of the heading change per metre of path [rad/m]."""
    tick: float
    """Mean computing time of a control tick with its simulation [us]."""
    link: str = ''
    """Address of the episode with the median path in the playground of this host."""

    @property
    def share(self) -> float:
        """Return the share of right verdicts."""
        return self.right / self.episodes if self.episodes else 0.0

    @property
    def interval(self) -> Interval:
        """Return the 95 % interval of that share."""
        return wilson(self.right, self.episodes) or Interval(0.0, 1.0)


def scores_of(suite: Suite, rows: Iterable[Row]) -> List[Score]:
    """Return the score of each algorithm, in the order of the first rows."""
    by_algorithm: Dict[str, List[Row]] = defaultdict(list)
    for row in rows:
        if row.still == suite.is_baseline:
            by_algorithm[row.algorithm].append(row)
    return [_score(suite, name, found) for name, found in by_algorithm.items()]


def _score(suite: Suite, algorithm: str, rows: List[Row]) -> Score:
    verdicts = VerdictCounts()
    for row in rows:
        verdicts.add(row)
    reachable = [row for row in rows if row.reachable]
    solved = sorted((ratio, k) for k, row in enumerate(reachable)
                    for ratio in (path_ratio(row),) if ratio is not None)
    ratios, arrivals = [ratio for ratio, _ in solved], [reachable[k] for _, k in solved]
    ticks = sum(row.ticks for row in rows)
    return Score(
        suite.folder, algorithm, verdicts.episodes, verdicts.right, len(reachable),
        sum(map(arrived, reachable)), verdicts.false_unreachable, verdicts.false_reached,
        sum(verdicts.no_verdict.values()), verdicts.contacts, percentile(ratios, 50.0),
        percentile(ratios, 90.0), percentile([row.time for row in arrivals], 50.0),
        percentile([row.turning / max(row.path_length, MIN_LENGTH) for row in arrivals], 50.0),
        round(1e6 * sum(row.wall_time for row in rows) / max(ticks, 1), 1),
        _link(arrivals[len(arrivals) // 2]) if arrivals else '')


def percentile(values: Sequence[float], share: float) -> Optional[float]:
    """Return a percentile as stored in scores; None of no values."""
    return round(float(np.percentile(values, share)), 3) if values else None


def _link(row: Row) -> str:
    return playground_link(
        row.world, (row.start_x, row.start_y, row.start_yaw), (row.goal_x, row.goal_y),
        algorithms=[row.algorithm], robot=row.robot, turn=row.turn, seed=row.seed,
        settings=_settings_of(row.command))


def _settings_of(command: str) -> Dict[str, Any]:
    """Return the parameters that a `bug_nav run` command sets."""
    words = shlex.split(command)
    pairs = (words[k + 1].split('=', 1) for k, word in enumerate(words) if word == '--set')
    return {name: yaml.safe_load(value) for name, value in pairs}


def ranked(scores: Iterable[Score]) -> Iterator[Tuple[str, List[Score]]]:
    """Yield each algorithm with its scores, the largest share of right verdicts first."""
    by_algorithm: Dict[str, List[Score]] = defaultdict(list)
    for score in scores:
        by_algorithm[score.algorithm].append(score)
    yield from sorted(by_algorithm.items(), key=lambda pair: (-mean_share(pair[1]), pair[0]))


def mean_share(scores: Sequence[Score]) -> float:
    """
    Return the mean share of right verdicts over the suites, each with the same weight.

    The robots together are one suite, and a baseline counts nowhere.
    """
    shares: Dict[str, List[float]] = defaultdict(list)
    for suite in SUITES:
        shares[suite.name] += [score.share for score in scores
                               if score.suite == suite.folder and score.episodes]
    means = [sum(each) / len(each) for each in shares.values() if each]
    return sum(means) / len(means) if means else 0.0


# ---- reference ---------------------------------------------------------------------------------

class Reference(NamedTuple):
    """The stored scores of the shipped algorithms."""

    scores: List[Score]
    source: str
    """When, where and with which commit they were measured, in one sentence."""


def reference() -> Reference:
    """Return the stored scores; none if they were not measured yet."""
    try:
        stored = json.loads(REFERENCE.read_text(encoding='utf-8'))
    except OSError:
        return Reference([], '')
    return Reference([Score(**each) for each in stored['scores']], stored['source'])


def as_json(stored: Reference) -> str:
    """Return the text of the file of stored scores, with a line for each."""
    lines = ',\n'.join(json.dumps(dataclasses.asdict(score)) for score in stored.scores)
    return f'{{"source": {json.dumps(stored.source)},\n"scores": [\n{lines}\n]}}\n'
