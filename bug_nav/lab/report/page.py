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

"""Report of a campaign as one self-contained HTML file."""

from __future__ import annotations

from functools import lru_cache
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from bug_nav import __version__
from bug_nav.files.paths import atomic_write
from bug_nav.lab.report import charts
from bug_nav.lab.report.charts import Style, styles_of
from bug_nav.lab.report.conclusions import (
    alarm_counts,
    conclusions,
    count_text,
    fixed,
    percent,
    percents,
)
from bug_nav.lab.report.conditions import CONDITIONS, conditions, noises, verdicts
from bug_nav.lab.report.episode_selection import (
    alarm,
    alarms,
    failures,
    same_worlds,
    shortest_beside,
    varied,
    walks,
)
from bug_nav.lab.report.maps import Atlas, Map
from bug_nav.lab.report.scores import (
    BOUND_MARGIN,
    path_ratio,
    RELIABLE,
    Results,
)
from bug_nav.lab.report.statistics import DRAWS
from bug_nav.lab.rows import fault_text, is_wrong, odometry_of, Row
from bug_nav.lab.static_baseline import BaselineComparison
from bug_nav.navigation.names import listed
from bug_nav.visualization.playback_page import source_hash
from jinja2 import Environment, PackageLoader, StrictUndefined

CARDS, LISTED = 8, 200
"""Maximum number of episodes of a kind that are drawn, and that are listed."""
SAME_WORLDS = 4
"""Number of worlds in which the paths of all are drawn."""
MATRIX = 32
"""Maximum number of names for the matrix of pairs."""


class Card(NamedTuple):
    """One episode, drawn."""

    row: Row
    style: Style
    label: str
    ratio: Optional[float]
    drawing: Map
    other: Optional[Style]
    """Style of the thin path for comparison."""
    other_length: Optional[float]


def write_report(rows: Iterable[Row], title: str, path: Union[str, os.PathLike], *,
                 by: str = 'algorithm', spec: str = '') -> None:
    """
    Write the report of a campaign as one HTML file.

    The same rows give the same bytes.

    :param by: column whose values are compared, one of `scores.SERIES`.
    :param spec: specification of the campaign, shown verbatim.
    :raises ValueError: for a row with impossible numbers, in one sentence.
    :raises OSError: if the file cannot be written; an existing file stays intact.
    """
    page = render(rows, title, by=by, spec=spec)
    with atomic_write(Path(path)) as partial:
        partial.write_bytes(page.encode())


def render(rows: Iterable[Row], title: str, *, by: str = 'algorithm', spec: str = '') -> str:
    """Return the HTML that `write_report` writes."""
    rows = list(rows)
    # The static baseline is for comparison only and counts nowhere else.
    campaign = Results([row for row in rows if not row.still], by)
    templates = environment()
    script = templates.get_template('script.js').render()
    context: Dict[str, Any] = {
        'title': title, 'by': by, 'spec': spec, 'version': __version__, 'campaign': campaign,
        'script_hash': source_hash(script),
        'draws': DRAWS, 'margin': BOUND_MARGIN, 'reliable': RELIABLE}
    if campaign.rows:
        context.update(_contents(campaign),
                       static_baselines=list(BaselineComparison(rows).table_rows()))
    return templates.get_template('report.html').render(context)


@lru_cache(maxsize=None)
def environment() -> Environment:
    """Return the templates of this folder, with the filters that they use."""
    found = Environment(
        loader=PackageLoader('bug_nav.lab.report'), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=StrictUndefined)
    found.filters.update(
        fixed=fixed, percent=percent, percents=percents, count=count_text,
        fault_text=fault_text)
    found.tests['wrong'] = is_wrong
    return found


def _contents(campaign: Results) -> Dict[str, Any]:
    styles, atlas = styles_of(campaign.names), Atlas()
    alarming, failed = alarms(campaign), failures(campaign)

    def card(row: Row, label: str = '', beside: Sequence[Row] = (), compare: bool = True) -> Card:
        other = shortest_beside(campaign, row) if compare else None
        return Card(row, styles[campaign.name_of(row)], label, path_ratio(row),
                    atlas.map_of(row, other, beside),
                    styles[campaign.name_of(other)] if other else None,
                    other.path_length if other else None)

    def cards(rows: List[Row]) -> List[Card]:
        shown = varied(rows, CARDS, lambda row: (
            campaign.name_of(row), alarm(row) or row.outcome))
        return [card(row, alarm(row)) for row in shown]

    def rest(rows: List[Row], shown: List[Card]) -> List[Row]:
        drawn = {id(each.row) for each in shown}
        return [row for row in rows if id(row) not in drawn][:LISTED]

    alarm_cards, failure_cards = cards(alarming), cards(failed)
    return {
        'styles': styles, 'conclusions': conclusions(campaign), 'facts': facts(campaign),
        'size': _size(campaign),
        'alarm_counts': alarm_counts(campaign), 'alarms': alarming, 'alarm_cards': alarm_cards,
        'more_alarms': rest(alarming, alarm_cards), 'failures': failed,
        'failure_cards': failure_cards, 'more_failures': rest(failed, failure_cards),
        'profile': charts.profile(campaign, styles), 'noise': _noise_charts(campaign, styles),
        'strips': charts.strips(campaign, styles), 'scatter': charts.scatter(campaign, styles),
        'conditions': conditions(campaign, styles), 'verdicts': verdicts(campaign),
        'matrix': campaign.pairs if 1 < len(campaign.names) <= MATRIX else {},
        'walks': [(styles[each.name], [
            card(each.worst, 'worst'), card(each.typical, 'typical'), card(each.best, 'best')])
            for each in walks(campaign)],
        'same_worlds': [(each.group, each.rows[0], [
            card(row, '', each.rows, False) for row in each.rows])
            for each in same_worlds(campaign, SAME_WORLDS)],
        'outlines': atlas.outlines}


def _size(campaign: Results) -> str:
    """Return the numbers of maps, and of pairs of start and goal if it differs."""
    text = f'{count_text(campaign.maps)} world{"" if campaign.maps == 1 else "s"}'
    if campaign.maps != campaign.worlds:
        text += f', {count_text(campaign.worlds)} pairs of start and goal'
    return text


# ---- campaign ---------------------------------------------------------------------------------

def facts(campaign: Results) -> List[tuple]:
    """Return facts about the campaign, as pairs of a name and a text."""
    rows = campaign.rows
    reachable = [row.reachable for row in rows]
    found = [
        ('Episodes', f'{count_text(len(rows))}, {sum(row.time for row in rows) / 3600.0:.1f} h of '
                     'simulated time'),
        ('Worlds', f'{count_text(campaign.maps)}, ' + (
            'each with its start and goal' if campaign.maps == campaign.worlds else
            f'with {count_text(campaign.worlds)} pairs of start and goal')),
        ('Goals', f'reachable in {count_text(reachable.count(True))} episodes, unreachable in '
                  f'{count_text(reachable.count(False))}; unjudged in '
                  f'{count_text(reachable.count(None))}, where it depends on 2 cm'),
        ('Groups', listed(map(str, campaign.levels('group')), 12))]
    found += [(CONDITIONS[name] + ('s' if len(campaign.levels(name)) > 1 else ''),
               listed(campaign.levels(name), 40))
              for name in ('algorithm', 'robot', 'follower', 'turn', 'correction')]
    found += [('Variants', listed(filter(None, campaign.levels('variant')), 40))
              for _ in campaign.levels('variant')[1:2]]
    found += [('Range noise', listed(f'{level:g} m' for level in campaign.levels('range_noise'))),
              ('Odometry', listed(sorted(set(map(odometry_of, rows))), 12)),
              ('Software', f'report by bug_nav {__version__}')]
    return found


def _noise_charts(campaign: Results, styles: Dict[str, Style]) -> List[tuple]:
    """Return headings and charts of each noise with several levels."""
    return [(noise.title, charts.against(campaign, styles, noise.column, noise.odometry,
                                         noise.rows)) for noise in noises(campaign)]
