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

"""The benchmark: its suites, its scores and its leaderboard."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser
import json
from pathlib import Path

from bug_nav.lab import benchmark
from bug_nav.lab.benchmark import (
    BASELINE,
    contestants,
    mean_share,
    ranked,
    Score,
    scores_of,
    spec_of,
    SUITES,
    suites_of,
)
from bug_nav.lab.cases import Case, find_case, Selection
from bug_nav.lab.episodes import combinations, rules_of, seed_of
from bug_nav.lab.spec import make_spec, Spec
from campaign_helpers import rows_of
import pytest

STATIC, MOVING = SUITES[0], next(suite for suite in SUITES if suite.name == 'moving')
SCORE = Score('static', 'bug2', 10, 9, 5, 5, 1, 0, 0, 0, 1.5, 3.0, 60.0, 1.2, 100.0)


@pytest.fixture(scope='module')
def rows():
    return rows_of(make_spec({'worlds': [{'world': 'box'}, {'world': 'ring_goal'}],
                              'algorithms': ['bug1', 'bug2'], 'repetitions': 1}))


# ---- suites ------------------------------------------------------------------------------------

@pytest.mark.parametrize('suite', SUITES, ids=lambda suite: suite.folder)
def test_suite_is_a_campaign_of_version_1_for_every_algorithm_that_can_run(suite):
    spec = spec_of(suite, contestants())
    assert spec.title.startswith(f'bench {benchmark.VERSION}') and spec.seed == benchmark.VERSION
    assert len(spec.algorithms) == (18 if suite.robot == 'pioneer' else 32)
    assert all(entry.goals == 'both' and entry.is_random for entry in spec.worlds)
    assert spec_of(suite, ['bug2'], 10).total == 10 * spec_of(suite, ['bug2']).total


def test_algorithm_that_needs_a_lidar_is_left_out_of_a_ring_of_sonars():
    sonars = next(suite for suite in SUITES if suite.robot == 'pioneer')
    assert spec_of(sonars, ['bug2', 'tangent_bug']).algorithms == ('bug2',)
    assert spec_of(sonars, ['tangent_bug']) is None


def test_suites_have_unique_folders():
    folders = [suite.folder for suite in (*SUITES, BASELINE)]
    assert len(set(folders)) == len(folders)


def cases_of(spec: Spec) -> list[Case]:
    found = []
    for entry in range(len(spec.worlds)):
        selection = Selection(spec, entry)
        while not selection.finished:
            candidate = selection.next_candidate()
            found += selection.take(candidate, find_case(candidate, spec.seed))
    return found


@pytest.mark.slow
@pytest.mark.parametrize('suite', SUITES, ids=lambda suite: suite.folder)
def test_worlds_starts_goals_and_seeds_of_bench_1_are_frozen(suite):
    # If this fails, the old scores cannot be compared any more: change it back, or make bench 2.
    frozen = json.loads((Path(__file__).parent / 'bench_1.json').read_text(encoding='utf-8'))
    spec = spec_of(suite, ['bug1'])
    rules, combination = rules_of(spec), combinations(spec)[0]
    cases = {case.world: case for case in cases_of(spec)}
    assert len(cases) == len(frozen[suite.folder])
    for world, places, is_reachable, seed in frozen[suite.folder]:
        case = cases[world]
        assert [*case.start, *case.goal] == pytest.approx(places, abs=1e-4)
        assert (case.reachable, seed_of(rules, case, combination)) == (is_reachable, seed)


def test_suites_are_found_by_name():
    assert suites_of([]) == list(SUITES)
    assert [suite.folder for suite in suites_of(['robots', 'late'])] == [
        'late', 'robots_waffle_pi', 'robots_turtlebot4', 'robots_pioneer']
    assert [suite.robot for suite in suites_of(['robots_pioneer'])] == ['pioneer']
    with pytest.raises(ValueError, match=r"unknown suite 'statc'; did you mean 'static'\?"):
        suites_of(['statc'])


# ---- scores ------------------------------------------------------------------------------------

def test_score_counts_verdicts_and_compares_paths(rows):
    (bug1, bug2) = scores_of(STATIC, rows)
    assert (bug1.algorithm, bug1.suite) == ('bug1', 'static')
    assert (bug2.episodes, bug2.right, bug2.reachable, bug2.reached) == (2, 2, 1, 1)
    assert bug2.share == 1.0 and bug2.interval.low < 0.5
    assert bug1.ratio == bug1.ratio_p90 > bug2.ratio >= 1.0
    assert bug2.tick > 0.0 and bug2.link.startswith('http://127.0.0.1:8770/#1')


def test_wrong_verdicts_are_counted_by_kind(rows):
    reachable = next(row for row in rows if row.reachable)
    wrong = [dataclasses.replace(reachable, outcome='unreachable', verdict='wrong'),
             dataclasses.replace(reachable, verdict='wrong'),
             dataclasses.replace(reachable, outcome='timeout', verdict='none', contacts=2)]
    (score,) = scores_of(STATIC, wrong)
    assert (score.episodes, score.right, score.reached, score.ratio) == (3, 0, 0, None)
    assert (score.false_unreachable, score.false_reached, score.no_verdict, score.contacts) == (
        1, 1, 1, 1)


def test_static_baseline_counts_in_its_suite_alone(rows):
    static_baselines = [*rows, *(dataclasses.replace(row, still=True) for row in rows[:1])]
    assert sum(score.episodes for score in scores_of(MOVING, static_baselines)) == len(rows)
    (score,) = scores_of(BASELINE, static_baselines)
    assert score.episodes == 1


def test_link_has_the_parameters_of_the_episode(rows):
    row = dataclasses.replace(rows[0], command='bug_nav run box --set scan_noise=0.02 '
                              '--set lidar=lds_01 --set scan_zeros=true')
    assert benchmark._settings_of(row.command) == {
        'scan_noise': 0.02, 'lidar': 'lds_01', 'scan_zeros': True}


def test_suites_have_the_same_weight_and_robots_are_one():
    def score(suite, right):
        return dataclasses.replace(SCORE, suite=suite, right=right)

    some = [score('static', 10), score('robots_waffle_pi', 4), score('robots_pioneer', 8),
            score('moving_baseline', 0)]
    assert mean_share(some) == pytest.approx((1.0 + 0.6) / 2.0)
    assert mean_share([]) == 0.0
    other = dataclasses.replace(SCORE, algorithm='bug1', right=10)
    assert [name for name, _ in ranked([SCORE, other])] == ['bug1', 'bug2']


def test_stored_scores_are_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmark, 'REFERENCE', tmp_path / 'bench_1.json')
    assert benchmark.reference() == ([], '')
    stored = benchmark.Reference([SCORE, SCORE], 'commit 1234567')
    benchmark.REFERENCE.write_text(benchmark.as_json(stored))
    assert benchmark.reference() == stored


# ---- leaderboard -------------------------------------------------------------------------------

class Page(HTMLParser):
    """The rows of the tables, and the number of dots."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.dots, self.cells = [], 0, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == 'tr':
            self.rows.append([])
        self.cells = self.rows[-1] if tag in ('th', 'td') else self.cells
        if tag in ('th', 'td'):
            self.rows[-1].append('')
        self.dots += tag == 'circle'

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip() + ' '


def test_page_ranks_algorithms_and_shows_their_episodes():
    pytest.importorskip('jinja2')
    from bug_nav.lab.report import leaderboard
    best = dataclasses.replace(SCORE, algorithm='bug1', right=10, link='http://127.0.0.1/#1x')
    moving = dataclasses.replace(best, suite='moving')
    text = leaderboard.render([SCORE, best, moving], 'A source.')
    page = Page(text)
    assert 'A source.' in text and 'href="http://127.0.0.1/#1x"' in text
    # All suites, then each.
    head, first, second, *_ = page.rows
    assert [cell.strip() for cell in head] == ['algorithm', 'mean', 'static', 'moving']
    assert first[0].split() == ['Bug1', 'bug1'] and second[0].split() == ['Bug2', 'bug2']
    assert second[3].split()[0] == '\u2013'
    assert page.dots == 3
    assert leaderboard.render([SCORE, best, moving], 'A source.') == text


def test_each_table_names_the_command_that_drives_its_suite():
    pytest.importorskip('jinja2')
    from bug_nav.lab.report import leaderboard
    suites = (*SUITES, BASELINE)
    scores = [dataclasses.replace(SCORE, suite=suite.folder) for suite in suites]
    panels = list(leaderboard._panels(list(leaderboard._places(scores))))
    assert len(panels) == len(suites)
    for suite, panel in zip(suites, panels):
        (driven,) = suites_of([panel.command.split()[-1]])
        assert (driven.campaign, driven.robot) == (suite.campaign, suite.robot)
        # The playground has no static baselines.
        assert panel.has_links is not suite.is_baseline


def test_unknown_algorithm_and_markup_are_shown_as_text():
    pytest.importorskip('jinja2')
    from bug_nav.lab.report import leaderboard
    text = leaderboard.render([dataclasses.replace(SCORE, algorithm='<b>mine</b>')])
    assert '&lt;b&gt;mine&lt;/b&gt;' in text and '<b>mine</b>' not in text


@pytest.mark.parametrize('ratio, place', [
    (1.0, 34.0), (None, 252.0), (100.0, 252.0)])
def test_path_is_drawn_within_its_chart(ratio, place):
    pytest.importorskip('jinja2')
    from bug_nav.lab.report import leaderboard
    (panel,) = leaderboard._panels(list(leaderboard._places([
        dataclasses.replace(SCORE, ratio=ratio)])))
    assert panel.dots[0].x == place
    assert leaderboard.TOP <= panel.dots[0].high < panel.dots[0].low <= (
        leaderboard.HEIGHT - leaderboard.BOTTOM)
