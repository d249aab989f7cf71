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

"""Leaderboard of the benchmark as one self-contained HTML page."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav import __version__
from bug_nav.files.paths import atomic_write
from bug_nav.lab.algorithm_catalogue import catalogue, Entry
from bug_nav.lab.benchmark import BASELINE, mean_share, ranked, Score, SUITES, VERSION
from bug_nav.lab.report.page import environment
from bug_nav.visualization.playback_page import source_hash

WIDTH, HEIGHT = 260.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 8.0, 10.0, 30.0
"""Size of a chart, and its margins [px]."""
MAX_RATIO = 6.0
"""Path / shortest path at the right end of a chart; longer paths are drawn there."""


class Place(NamedTuple):
    """An algorithm in the leaderboard."""

    rank: int
    name: str
    title: str
    source: str
    sensing: str
    is_complete: bool
    is_own: bool
    """Whether it belongs to a plug-in."""
    mean: float
    """Mean share of right verdicts over the suites."""
    scores: Dict[str, Score]
    """By the name of the suite's folder."""


class Dot(NamedTuple):
    """An algorithm in a chart."""

    place: Place
    x: float
    y: float
    low: float
    """Ends of the interval of the share of right verdicts."""
    high: float
    text: str


class Panel(NamedTuple):
    """A suite: its table and its chart."""

    name: str
    title: str
    dots: List[Dot]
    lowest: float
    """Share of right verdicts at the bottom of the chart."""
    command: str
    has_links: bool
    """Whether the playground can show its episodes: not those of a baseline."""


def write_leaderboard(scores: Sequence[Score], path: Path, source: str = '') -> None:
    """
    Write the leaderboard; the same scores give the same bytes.

    :param source: where the scores come from, in one sentence.
    """
    page = render(scores, source)
    with atomic_write(path) as partial:
        partial.write_bytes(page.encode())


def render(scores: Sequence[Score], source: str = '') -> str:
    """Return the HTML that `write_leaderboard` writes."""
    places = list(_places(scores))
    baselines = sum(score.episodes for score in scores if score.suite == BASELINE.folder)
    script = environment().get_template('script.js').render() + environment().get_template(
        'leaderboard.js').render()
    return str(environment().get_template('leaderboard.html').render(
        places=places, panels=list(_panels(places)), source=source, version=__version__,
        bench=VERSION, script=script, script_hash=source_hash(script), width=WIDTH, height=HEIGHT,
        left=LEFT, right=WIDTH - RIGHT, top=TOP, bottom=HEIGHT - BOTTOM, x_of=_x,
        ratios=(1, 1.5, 2, 3, 5),
        episodes=sum(score.episodes for score in scores) - baselines, baselines=baselines))


def _places(scores: Sequence[Score]) -> Iterator[Place]:
    entries = {entry.name: entry for entry in catalogue()}
    for rank, (name, found) in enumerate(ranked(scores), 1):
        entry: Optional[Entry] = entries.get(name)
        metadata: Any = None
        if entry is not None and entry.algorithm is not None:
            metadata = entry.metadata
        mark = ' *' if metadata and metadata.reconstructed else ''
        yield Place(rank, name, metadata.title + mark if metadata else name,
                    metadata.source if metadata else '',
                    metadata.sensing if metadata else '', bool(metadata and metadata.complete),
                    entry is not None and not entry.is_shipped, mean_share(found),
                    {score.suite: score for score in found})


def _panels(places: Sequence[Place]) -> Iterator[Panel]:
    for suite in (*SUITES, BASELINE):
        there = sorted((place for place in places if suite.folder in place.scores),
                       key=lambda place: _order(place.scores[suite.folder]))
        if not there:
            continue
        shares = [place.scores[suite.folder].interval.low for place in there]
        lowest = min(0.9, int(10.0 * min(shares)) / 10.0)
        driven = next(each.folder for each in SUITES
                      if (each.campaign, each.robot) == (suite.campaign, suite.robot))
        yield Panel(suite.folder, suite.title, [_dot(place, suite.folder, lowest)
                                                for place in there], lowest,
                    f'bug_nav bench --suite {driven}', not suite.is_baseline)


def _order(score: Score) -> Tuple[float, float]:
    """Return the key by which the algorithms of a suite are sorted."""
    return -score.share, score.ratio if score.ratio is not None else math.inf


def _dot(place: Place, suite: str, lowest: float) -> Dot:
    score = place.scores[suite]
    ratio = 'no path' if score.ratio is None else f'path {score.ratio:.2f}'
    text = f'{place.title}: {score.right} of {score.episodes} right, {ratio}'
    y, low, high = (_y(share, lowest) for share in (score.share, *score.interval))
    return Dot(place, _x(score.ratio if score.ratio is not None else MAX_RATIO), y, low, high,
               text)


def _x(ratio: float) -> float:
    """Return the place of a ratio of paths on a scale of its inverse."""
    share = (1.0 - 1.0 / min(max(ratio, 1.0), MAX_RATIO)) / (1.0 - 1.0 / MAX_RATIO)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _y(share: float, lowest: float) -> float:
    return round(HEIGHT - BOTTOM - (share - lowest) / (1.0 - lowest) * (HEIGHT - TOP - BOTTOM), 1)
