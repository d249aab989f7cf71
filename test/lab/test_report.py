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

"""The report of a campaign: figures, intervals, and the content of the page."""

from __future__ import annotations

import base64
import csv
import dataclasses
import hashlib
from html.parser import HTMLParser
import math
import re

from bug_nav.cli.parser import main
from bug_nav.lab.report.charts import Axis, profile, styles_of
from bug_nav.lab.report.conclusions import conclusions
from bug_nav.lab.report.conditions import conditions, noises
from bug_nav.lab.report.episode_selection import alarm, failures, varied, walks
from bug_nav.lab.report.maps import Atlas, path_data, points_of, view_of
from bug_nav.lab.report.page import render, write_report
from bug_nav.lab.report.scores import MAX_NUMBER, Results
from bug_nav.lab.report.statistics import Bootstrap, sign_test, wilson
from bug_nav.lab.report.tables import write_tables
from bug_nav.lab.rows import COLUMN_DEFAULTS, fault_text, Row
from bug_nav.lab.summary import Summary
from bug_nav.lab.table import KINDS, write_table
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

SCRIPT = '<script>alert(1)</script>'


def make_row(algorithm='bug2', path_length=6.0, **changes) -> Row:
    """Return an episode in the world `box` that reached its goal, with changes."""
    told = {
        'world': 'box', 'group': 'boxes', 'algorithm': algorithm, 'robot': 'burger',
        'follower': 'rolling_disc', 'turn': 'left', 'range_noise': 0.0, 'odometry': 'perfect',
        'odometry_noise': 0.0, 'variant': '', 'correction': 'none', 'still': False, 'seed': 1,
        'start_x': 0.0, 'start_y': 0.0, 'start_yaw': 0.0,
        'goal_x': 5.0, 'goal_y': 1.0, 'reachable': True, 'surely_reachable': True,
        'shortest_path': 5.0, 'bound': 20.0, 'outcome': 'reached', 'message': 'all is well',
        'verdict': 'right', 'fault': '', 'success': True, 'path_length': path_length,
        'odometry_length': path_length, 'time': 40.0, 'ticks': 800, 'hits': 1, 'leaves': 1,
        'lap_length': 0.0, 'certified': None, 'contacts': 0, 'bumped': 0, 'min_clearance': 0.09,
        'mean_clearance': 0.1, 'turning': 3.0, 'oscillation': 0.5, 'goal_error': 0.0,
        'path': 'LINESTRING (0 0, 2 1.5, 5 1)',
        'command': f'bug_nav run box --algorithm {algorithm} --noise 0', 'wall_time': 0.1}
    return Row(**{**COLUMN_DEFAULTS, **told, **changes})


def failed(algorithm='bug0', **changes) -> Row:
    return make_row(algorithm, **{
        'outcome': 'loop_detected', 'verdict': 'none', 'success': False, 'bound': None,
        'message': 'round and round', **changes})


def wrong(algorithm='bug2', **changes) -> Row:
    return make_row(algorithm, **{
        'outcome': 'unreachable', 'verdict': 'wrong', 'fault': 'reachable', 'success': False,
        **changes})


def small_campaign():
    """Return rows whose scores can be computed by hand."""
    places = [{'goal_x': float(x)} for x in (4, 5, 6, 7)]
    rows = [make_row('bug1', length, **place)
            for length, place in zip((10.0, 12.0, 14.0, 20.0), places)]
    rows += [make_row('bug2', length, **place)
             for length, place in zip((5.0, 6.0, 7.0), places)]
    rows += [failed('bug2', **places[3])]
    rows += [make_row(name, 8.0, goal_x=9.0, reachable=False, surely_reachable=False,
                      shortest_path=None, outcome='unreachable', success=False)
             for name in ('bug1', 'bug2')]
    return rows


def larger_campaign():
    """Return the rows of the small campaign for twice as many goals."""
    return [dataclasses.replace(row, goal_y=y) for y in (1.0, 2.0) for row in small_campaign()]


class Page(HTMLParser):
    """Parsed page: cells of tables by class, texts of code elements, and all attributes."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.codes, self.attributes, self.sections = {}, [], [], []
        self.tags = []
        self._rows = self._row = self._text = None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes.items()]
        if tag == 'table':
            self._rows = self.tables.setdefault(attributes['class'].split()[0], [])
        elif tag == 'tr' and self._rows is not None:
            self._row = []
            self._rows.append(self._row)
        elif tag in ('td', 'th', 'code', 'h2'):
            self._text = ''
        elif tag == 'small' and self._text is not None:
            self._text += '|'

    def handle_data(self, data):
        if self._text is not None:
            self._text += data

    def handle_endtag(self, tag):
        if tag in ('td', 'th') and self._row is not None:
            self._row.append(' '.join(self._text.split()))
        elif tag == 'code':
            self.codes.append(self._text)
        elif tag == 'h2':
            self.sections.append(self._text)
        elif tag == 'table':
            self._rows = self._row = None


# ---- statistics -------------------------------------------------------------------------------

@pytest.mark.parametrize('hits, count, low, high', [
    # R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
    (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
    (1, 29, 0.0061, 0.1718)])
def test_wilson_intervals_match_the_published_ones(hits, count, low, high):
    assert wilson(hits, count) == pytest.approx((low, high), abs=5e-5)


def test_wilson_interval_of_all_hits_ends_at_one_and_of_no_cases_is_none():
    assert wilson(20, 20) == pytest.approx((1.0 - 0.1611, 1.0), abs=5e-5)
    assert wilson(20, 20).high == 1.0
    assert wilson(0, 0) is None


@pytest.mark.parametrize('wins, losses, p', [
    (8, 2, 112 / 1024), (2, 8, 112 / 1024), (10, 0, 2 / 1024), (5, 5, 1.0), (0, 0, 1.0)])
def test_sign_test_is_the_exact_binomial_test(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p)


def test_sign_test_of_thousands_of_cases_is_finite():
    assert 0.0 <= sign_test(6000, 4000) < 1e-80


def test_bootstrap_draws_worlds_not_episodes():
    values = np.random.default_rng(3).normal(2.0, 1.0, 40)
    once, = Bootstrap(40).means([(np.arange(40), values)])
    # Repeated values in every world are no new evidence.
    tenfold, = Bootstrap(40).means([(np.tile(np.arange(40), 10), np.tile(values, 10))])
    assert tenfold == pytest.approx(once, rel=1e-5)
    half = 1.96 * values.std() / math.sqrt(40)
    assert once == pytest.approx((values.mean() - half, values.mean() + half), abs=0.15 * half)


def test_bootstrap_of_few_worlds_has_no_interval():
    lengths = [1.0, 2.0, 3.0, 4.0, 5.0]
    one, none, four, five = Bootstrap(5).means([
        ([1, 1], [1.0, 2.0]), ([], []), ([0, 1, 2, 3, 3], lengths), ([0, 1, 2, 3, 4], lengths)])
    assert one is None and none is None and four is None and five is not None


# ---- numbers ----------------------------------------------------------------------------------

def test_scores_match_those_computed_by_hand():
    first, second = Results(small_campaign()).scores
    assert (first.name, second.name) == ('bug1', 'bug2')
    assert first.success == (4, 4) and second.success == (3, 4)
    assert first.verdicts == (5, 5) and second.verdicts == (4, 5)
    assert (second.wrong, second.none, second.contacts) == (0, 1, 0)
    # Paths of 10, 12, 14 and 20 m where the shortest has 5 m.
    assert first.ratio.mean == pytest.approx(2.8) and first.ratio.median == pytest.approx(2.6)
    assert first.ratio.most == pytest.approx(4.0)
    assert first.bound == pytest.approx(1.0)
    assert first.ratio.interval is None  # four goals
    first, _ = Results(larger_campaign()).scores
    assert first.ratio.interval.low < 2.8 < first.ratio.interval.high


@pytest.mark.parametrize('shortest, ratios', [
    # bug2 has passed a gap that the shortest path at rho does not: both refer to its shortest.
    ((5.0, 4.0), (1.5, 1.25)),
    # Rows of an earlier version, whose shortest path is at rho.
    ((6.0, 6.0), (1.0, 1.0))])
def test_ratio_is_at_least_1_and_refers_to_one_shortest_path(shortest, ratios):
    rows = [make_row('bug1', 6.0, shortest_path=shortest[0]),
            make_row('bug2', 5.0, shortest_path=shortest[1])]
    found = {score.name: score.ratio.mean for score in Results(rows).scores}
    assert (found['bug1'], found['bug2']) == pytest.approx(ratios)
    other = make_row('bug1', 6.0, shortest_path=5.0, robot='waffle')
    assert [row.shortest_path for row in Results([*rows, other]).rows][2] == 5.0


def test_path_length_includes_the_remaining_distance_to_the_goal():
    # A straight path that ends 0.5 m short of a goal at 5 m is not 0.9 times the shortest.
    score, = Results([make_row('bug2', 4.5, goal_error=0.5)]).scores
    assert score.ratio.median == pytest.approx(1.0)


@pytest.mark.parametrize('changes, counts', [
    ({}, True), ({'verdict': 'unjudged'}, True),
    # The robot reports the goal as reached, but is 3 m away.
    ({'verdict': 'wrong', 'success': False, 'goal_error': 3.0}, False),
    ({'outcome': 'timeout', 'verdict': 'none'}, False)])
def test_only_paths_that_truly_reached_the_goal_count(changes, counts):
    rows = [make_row('bug1'), make_row('bug2', 7.0, **changes)]
    assert bool(Results(rows).pairs) is counts
    told = Summary(['bug1', 'bug2'], rows)
    assert {row['to_best'] is not None for row in told.table_rows()} == {counts}
    score = {score.name: score for score in Results(rows).scores}['bug2']
    assert (score.ratio is not None) is counts


def test_table_shows_the_scores():
    rows = Page(render(small_campaign(), 'small')).tables['scores'][2:]
    assert [row[:2] for row in rows] == [['bug1', '5'], ['bug2', '5']]
    assert rows[1][2:9] == ['75.0 %|30.1 to 95.4 %', '3/4', '1/1', '4/5', '0', '1', '0']
    assert rows[0][9] == '2.60' and rows[0][10].strip() == '2.80'
    assert rows[1][9] == '1.20' and rows[1][12] == '0.40'
    assert rows[0][13:] == ['9.0', '10.0', '40', '0.50']
    rows = Page(render(larger_campaign(), 'larger')).tables['scores'][2:]
    assert rows[0][10].startswith('2.80 |')


def test_unreachable_goals_are_counted_separately():
    rows = [*small_campaign(), make_row('bug2', goal_x=9.0, goal_y=3.0, reachable=False,
                                        surely_reachable=False, success=False, verdict='none',
                                        outcome='timeout')]
    second = Summary(['bug1', 'bug2'], rows)
    lines = [line.split() for line in second.text('').splitlines()]
    heads = next(line for line in lines if line[:1] == ['algorithm'])
    assert 'success' not in heads and heads.index('reached') + 1 == heads.index('unreachable')
    for name, counts in (('bug1', ['4/4', '1/1']), ('bug2', ['3/4', '1/2'])):
        (cells,) = [each for each in lines if each[:1] == [name]]
        assert [cell for cell in cells if '/' in cell] == counts
    table = Page(render(rows, '')).tables['scores'][2:]
    assert [row[3:5] for row in table] == [['4/4', '1/1'], ['3/4', '1/2']]


@pytest.mark.parametrize('lengths, words', [
    ((5.0, 18.0), 'No path was longer than its published bound (the longest: 0.900 times'),
    ((5.0, 20.2), '1 of 2 paths were longer than their published bound, which is for a point '
     'robot (the longest: 1.010 times the bound); none by more than the 10\u202f% allowed for'),
    ((21.0, 24.0), '2 of 2 paths were longer than their published bound, which is for a point '
     'robot (the longest: 1.200 times the bound); 1 of them by more than the 10\u202f%')])
def test_page_compares_path_lengths_with_their_bounds(lengths, words):
    assert words in render([make_row(path_length=length) for length in lengths], '')


def test_ratio_of_a_pair_is_the_geometric_mean_of_goals_that_both_reached():
    pair = Results(small_campaign()).pairs['bug2', 'bug1']
    assert pair.cases == pair.worlds == 3
    assert pair.ratio == pytest.approx(0.5)
    assert pair.interval is None and not pair.differ
    assert 'bug2 comes next, with paths' not in render(small_campaign(), '')
    assert Results(larger_campaign()).pairs['bug2', 'bug1'].differ


def test_pairs_have_the_same_world_noise_and_turn():
    rows = [make_row('bug1'), make_row('bug2', turn='right'),
            make_row('bug2', range_noise=0.01), make_row('bug2', start_y=0.1)]
    assert not Results(rows).pairs


def test_repetitions_count_as_one_case():
    rows = [make_row('bug1', 4.0, seed=1), make_row('bug1', 9.0, seed=2),
            make_row('bug2', 6.0, seed=3)]
    pair = Results(rows).pairs['bug1', 'bug2']
    assert pair == (1, 1, pytest.approx(1.0), None)


def test_goals_that_only_one_reached_are_sign_tested():
    rows = [make_row('bug2', goal_x=float(x)) for x in range(10)]
    rows += [failed('bug0', goal_x=float(x)) for x in range(10)]
    assert Results(rows).reached_more('bug2', 'bug0') == (10, 0, pytest.approx(2 / 1024))
    assert 'of the 10 goals that only one of the two reached, bug2 reached 10 (p = 0.002)' in (
        render(rows, ''))


def test_goals_that_one_reached_in_more_runs_are_described_as_such():
    goals = [float(x) for x in range(3)]
    rows = [make_row('bug2', goal_x=x, seed=seed) for x in goals for seed in range(3)]
    rows += [make_row('bug0', goal_x=x, seed=seed) for x in goals for seed in range(2)]
    rows += [failed('bug0', goal_x=x, seed=2) for x in goals]
    text = render(rows, '')
    assert ('of the 3 goals that one of the two reached in more of its runs, bug2 is ahead in 3 '
            '(p = 0.25,') in text
    assert 'only one of the two reached' not in text


def test_robots_are_compared_on_request():
    rows = [make_row(robot='burger'), make_row(robot='waffle', path_length=9.0)]
    campaign = Results(rows, 'robot')
    assert campaign.names == ['burger', 'waffle']
    assert campaign.pairs['waffle', 'burger'].ratio == pytest.approx(1.5)


def test_kinds_of_odometry_are_compared_with_their_noise():
    rows = [make_row(), make_row(odometry='velocity', path_length=7.5),
            make_row(odometry='velocity', odometry_noise=0.1, path_length=9.0)]
    campaign = Results(rows, 'odometry')
    assert campaign.names == ['perfect', 'velocity 0', 'velocity 0.1']
    assert campaign.pairs['velocity 0.1', 'perfect'].ratio == pytest.approx(1.5)


def test_bound_applies_only_to_perfect_odometry():
    rows = [make_row(path_length=10.0), make_row(path_length=50.0, odometry='velocity')]
    score, = Results(rows).scores
    assert score.bound == pytest.approx(0.5)
    assert not any(map(alarm, rows))


def under_drift():
    """Return rows of two variants with different noise, with and without correction."""
    return [make_row(name, 5.0 + noise + (correction == 'none'), odometry='encoders',
                     odometry_noise=noise, variant=variant, correction=correction)
            for name in ('bug1', 'bug2') for variant, noise in (('little', 0.05), ('much', 0.2))
            for correction in ('none', 'scan_matching')]


def test_pairs_have_the_same_correction_and_variant():
    assert Results(under_drift()).pairs['bug1', 'bug2'].cases == 4
    by_variant = Results(under_drift(), 'variant')
    assert by_variant.names == ['little', 'much']
    assert by_variant.pairs['little', 'much'].cases == 4
    assert Results(under_drift(), 'correction').pairs['none', 'scan_matching'].cases == 4


def test_page_shows_verdicts_by_variant_and_correction():
    rows = [*under_drift(), wrong(variant='much', correction='none', odometry='encoders'),
            failed(variant='much', correction='none', odometry='encoders', outcome='undecided')]
    table = Page(render(rows, 'drift')).tables['verdicts'][1:]
    assert [row[:4] for row in table] == [
        ['little', 'none', '2', '2'], ['little', 'scan_matching', '2', '2'],
        ['much', 'none', '4', '2'], ['much', 'scan_matching', '2', '2']]
    assert table[2][4].startswith('50.0 % |') and table[2][5:] == [
        '1', '0', '1 (1 undecided)', '0']
    assert 'verdicts' not in Page(render([make_row()], 'one alone')).tables


def test_page_and_tables_show_the_consistency_of_estimates_if_there_are_any(tmp_path):
    rows = under_drift()
    assert 'NEES' not in render(rows, 'older rows')
    rows = [dataclasses.replace(row, mean_nees=2.0, within_two_sigma=0.75, max_position_error=0.04)
            if row.correction == 'scan_matching' else row for row in rows]
    table = Page(render(rows, 'drift')).tables['verdicts']
    assert table[0][-3:] == ['NEES', 'within 2 σ', 'max error']
    assert [row[-3:] for row in table[1:3]] == [['', '', ''], ['2.00', '75.0 %', '0.040 m']]
    write_tables(rows, tmp_path / 'tables.tex')
    assert r'0 & 2.00 & 75.0 \% & 0.040 m \\' in (tmp_path / 'tables.tex').read_text()


def test_noise_is_plotted_separately_for_each_correction():
    rows = [dataclasses.replace(row, variant='') for row in under_drift()]
    page = render(rows, 'drift')
    for correction in ('none', 'scan_matching'):
        assert f'Odometry noise: encoders, drift correction: {correction}' in page
    one = render([row for row in rows if row.correction == 'none'], 'one correction')
    assert 'Odometry noise: encoders' in one and 'drift correction: none' not in one


def test_own_noise_of_a_robot_is_not_under_study():
    rows = [make_row(algorithm, robot=robot, range_noise=noise, goal_x=5.0 + k)
            for algorithm in ('bug1', 'bug2') for k in range(3)
            for robot, noise in (('burger', 0.01), ('e_puck', 0.03))]
    assert not list(noises(Results(rows)))
    assert 'Noise' not in [sentence.about for sentence in conclusions(Results(rows))]
    assert 'Range noise' not in [each.title for each in conditions(
        Results(rows), styles_of(['bug1', 'bug2']))]
    assert Results(rows, 'robot').pairs['burger', 'e_puck'].cases == 6


def test_noise_that_one_robot_has_at_several_levels_is_under_study():
    rows = [make_row(robot=robot, range_noise=noise) for robot in ('burger', 'waffle_pi')
            for noise in (0.01, 0.03)]
    assert [noise.title for noise in noises(Results(rows))] == ['Range noise']
    assert Results(rows, 'robot').pairs['burger', 'waffle_pi'].cases == 2


def test_noise_is_not_compared_across_variants():
    rows = [*under_drift(), wrong(variant='much', odometry='encoders', odometry_noise=0.2)]
    page = render(rows, 'drift')
    assert 'Odometry noise' not in page and 'at odometry noise' not in page
    captions = re.findall('<caption>(.*?)</caption>', page)
    assert 'Variant' in captions and 'Odometry' not in captions


def test_conclusions_compare_the_corrections_under_drift():
    rows = [*under_drift(), make_row(), wrong(odometry='velocity')]
    page = render(rows, 'drift')
    assert ('with none 80.0\u202f% of 5 episodes have the right verdict (interval 37.6 to '
            '96.4\u202f%) and with scan_matching 100\u202f% of 4 episodes') in page
    assert 'Where odometry drifts' not in render([make_row(correction='scan_matching'),
                                                  make_row()], 'no drift')


# ---- selected episodes ------------------------------------------------------------------------

@pytest.mark.parametrize('row, kind', [
    (wrong(), 'wrong verdict'), (make_row(contacts=1), 'contact'),
    (make_row(outcome='crashed', success=False), 'software fault'),
    (make_row(path_length=22.1), 'path over 1.1 times its bound'),
    (make_row(path_length=21.9), ''),
    (make_row(reachable=None, verdict='unjudged', outcome='unreachable',
              fault='reachable at rho + 2 cm'), 'wrong verdict'),
    (make_row(reachable=None, verdict='unjudged', outcome='unreachable'), ''), (failed(), '')])
def test_alarm_has_the_most_severe_kind(row, kind):
    assert alarm(row) == kind


def test_alarms_precede_the_scores_and_their_absence_is_reported():
    red = Page(render([wrong(), make_row()], ''))
    assert red.sections[:3] == ['Conclusions', 'Wrong verdicts, contacts and faults', 'Scores']
    clean = render([make_row()], '')
    assert 'No wrong verdict, no contact, no path longer than 1.1 times its bound' in clean
    assert Page(clean).sections[:2] == ['Conclusions', 'Scores']


def test_alarms_under_noise_are_reported_with_the_noise_level():
    rows = [make_row(), make_row(range_noise=0.02), wrong(range_noise=0.05)]
    page = render(rows, '')
    assert '1 of 3 were wrong (33.3\u202f%), all at range noise 0.05 m: bug2 1.' in page
    assert '1 × wrong verdict, all at range noise 0.05 m.' in page


def test_failures_exclude_alarms_and_are_sorted_by_detour():
    short, long = failed(path_length=7.0), failed(path_length=30.0)
    owed = failed('bug1', path_length=3.0, reachable=False, shortest_path=None,
                  fault='ended as timeout')
    allowed = failed(reachable=False, shortest_path=None)
    rows = [short, make_row(), wrong(), long, allowed, owed]
    # 6 times the shortest path, 3 m without a shortest path, and 1.4 times the shortest path.
    assert failures(Results(rows)) == [long, owed, short]


def test_varied_distributes_the_selection_over_all_kinds():
    rows = [make_row('bug1', seed=k) for k in range(5)] + [make_row('bug2', seed=9)]
    assert varied(rows, 3, lambda row: row.algorithm) == [rows[0], rows[1], rows[5]]


def test_worst_typical_and_best_walks_are_selected():
    found, = walks(Results([make_row(path_length=length) for length in (9.0, 5.5, 30.0)]))
    assert [row.path_length for row in (found.worst, found.typical, found.best)] == [30, 9, 5.5]


def test_every_episode_on_the_page_has_its_complete_command():
    rows = small_campaign()
    codes = Page(render(rows, '')).codes
    assert {row.command for row in rows} <= set(codes)


def test_algorithm_has_the_same_color_everywhere():
    page = render([make_row('bug1'), make_row('bug2'), failed('bug0', goal_x=6.0)], '')
    for match in re.finditer(r'class="map c(\d)"[^>]*aria-label="(bug\d) in', page):
        assert match.group(1) == match.group(2)[-1]
    assert len(re.findall('class="map', page)) > 3


# ---- maps -------------------------------------------------------------------------------------

def test_map_is_in_centimeters_with_y_upwards():
    row = make_row()
    atlas = Atlas()
    found = atlas.map_of(row)
    assert found.path == 'M0 0l200 -150 300 50'
    assert (found.start, found.goal) == ((0, 0), (500, -100))
    assert list(atlas.outlines) == [found.world]
    x, y, width, height = map(int, found.view.box.split())
    assert x < 0 and y < -150 and x + width > 500 and y + height > 0
    assert width / height == pytest.approx(4 / 3, abs=0.01)


def test_world_is_drawn_once_for_many_maps():
    atlas = Atlas()
    maps = [atlas.map_of(make_row(path_length=float(k))) for k in range(3)]
    assert len(atlas.outlines) == 1 and len({each.world for each in maps}) == 1


def test_path_is_drawn_without_a_missing_world():
    page = render([make_row(world='/nowhere/at_all.world')], '')
    assert 'class="walk" d="M0 0l' in page and 'class="solid"' not in page


@pytest.mark.parametrize('text', ['', 'LINESTRING EMPTY', 'POINT (1 2)', 'nonsense',
                                  'LINESTRING (0 0, nan 1)', 'LINESTRING (0 0, 1e999 1)',
                                  'LINESTRING (0 0, 2e308 1)'])
def test_invalid_path_is_replaced_by_the_start(text):
    row = make_row(path=text)
    assert points_of(row).tolist() == [[0.0, 0.0]]
    assert render([row], '')


def test_path_is_simplified_to_visible_detail():
    angle = np.linspace(0.0, 2.0 * math.pi, 5000)
    circle = np.column_stack((np.cos(angle), np.sin(angle)))
    assert path_data(circle, view_of(None, [circle])).count(' ') < 200


# ---- charts -----------------------------------------------------------------------------------

@pytest.mark.parametrize('low, high, log', [
    (0.0, 1.0, False), (0.0, 0.2, False), (1.0, 13.7, False), (5.0, 5.0, False),
    (1.0, 1.4, True), (1.0, 100.0, True), (0.02, 3000.0, True)])
def test_ticks_are_on_the_axis_and_spaced(low, high, log):
    axis = Axis(low, high, 40.0, 400.0, log=log)
    places = sorted(place for place, _ in axis.ticks)
    assert places and 40.0 <= places[0] and places[-1] <= 400.0
    assert all(b - a > 30.0 for a, b in zip(places, places[1:]))


def test_labels_of_lines_with_the_same_end_are_spaced():
    rows = [make_row(f'a{k}', 6.0, goal_x=float(x)) for k in range(8) for x in range(3)]
    campaign = Results(rows)
    panel, = profile(campaign, styles_of(campaign.names))
    places = sorted(line.label[1] for line in panel.lines)
    assert all(b - a >= 14.0 for a, b in zip(places, places[1:]))
    assert places[-1] <= panel.y.start


def test_profile_includes_goals_that_were_not_reached():
    rows = [make_row('bug2', 5.5), make_row('bug2', 7.0, goal_x=6.0), failed('bug2', goal_x=7.0)]
    campaign = Results(rows)
    panel, = profile(campaign, styles_of(campaign.names))
    line, = panel.lines
    third = [panel.y(k / 3) for k in range(4)]
    assert line.places[0][1] == third[0] and line.places[-1][1] == third[2]


def test_profile_ends_at_the_longest_path():
    # 39 paths are 1.2 times as long as the shortest, and one is 300 times as long.
    rows = [make_row('bug2', 6.0, goal_x=0.1 * k) for k in range(39)]
    campaign = Results([*rows, make_row('bug2', 1500.0, goal_x=9.0)])
    panel, = profile(campaign, styles_of(campaign.names))
    assert panel.x.high == pytest.approx(300.0)
    assert panel.lines[0].places[-1][1] == panel.y(1.0) < panel.lines[0].places[-2][1]


# ---- the page ---------------------------------------------------------------------------------

def test_names_with_markup_are_escaped():
    row = make_row(SCRIPT, world=SCRIPT, group=SCRIPT, robot='"><b>', message=SCRIPT,
                   command=f'bug_nav run "{SCRIPT}"', success=False, outcome=SCRIPT)
    page = render([row, wrong(world=SCRIPT, fault=SCRIPT)], SCRIPT, spec=SCRIPT)
    assert Page(page).tags.count('script') == 1
    assert SCRIPT not in page and '"><b>' not in page
    assert page.count('&lt;script&gt;alert(1)&lt;/script&gt;') > 5


@pytest.mark.parametrize('rows', [
    [], [make_row()], [failed()], [wrong()],
    [failed('bug0'), failed('k_bug', odometry='velocity', odometry_noise=0.1)],
    [make_row(reachable=False, surely_reachable=False, shortest_path=None, success=False,
              outcome='unreachable')],
    [make_row(reachable=None, verdict='unjudged')],
    [make_row(path_length=0.0, time=0.0, goal_x=0.0, goal_y=0.0, shortest_path=0.0)],
    [make_row(outcome='crashed', path='', path_length=0.0, success=False, verdict='none',
              bound=None, min_clearance=None, mean_clearance=None, shortest_path=None)]])
def test_page_of_few_or_failed_rows_is_rendered(rows):
    page = Page(render(rows, 'few'))
    assert len(page.tables.get('scores', [])) == (2 + len({row.algorithm for row in rows})
                                                  if rows else 0)


STRANGE = {
    bool: st.booleans(), int: st.integers(-9, 10**12), float: st.floats(0.0, MAX_NUMBER),
    str: st.sampled_from(['', SCRIPT, '{{ 7 * 7 }}', 'x' * 300, 'reached', 'wrong', 'velocity',
                          'LINESTRING (0 0, 1e9 1e9)', 'LINESTRING Z (0 0 1, 2 2 2)', 'demo'])}


@settings(max_examples=20)
@given(st.lists(st.builds(dataclasses.replace, st.just(make_row()), **{
    name: st.just(getattr(make_row(), name)) | STRANGE[kind] for name, kind in KINDS.items()}),
    max_size=12))
def test_page_of_arbitrary_rows_is_rendered(rows):
    page = render(rows, '')
    assert not re.search(r'\b(nan|inf)\b', page)
    assert Page(page).tags.count('script') == any(not row.still for row in rows)


def test_page_loads_no_external_resources():
    page = render(small_campaign(), 'small')
    assert 'http:' not in page and 'https:' not in page and '@import' not in page
    assert 'url(' not in page
    for tag, name, value in Page(page).attributes:
        assert name not in ('src', 'srcset', 'background') and not name.startswith('on')
        assert name != 'href' or value.startswith('#'), f'<{tag} href={value}>'


def test_content_security_policy_allows_only_its_script():
    page = render(small_campaign(), 'small')
    script = re.search('<script>(.*?)</script>', page, re.DOTALL).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page


def test_report_does_not_depend_on_wall_times(tmp_path):
    one, other = tmp_path / 'one.html', tmp_path / 'other.html'
    write_report(small_campaign(), 'small', one)
    write_report([dataclasses.replace(row, wall_time=9.0) for row in small_campaign()], 'small',
                 other)
    assert one.read_bytes() == other.read_bytes()


def test_every_algorithm_has_its_charts():
    rows = [make_row(f'a{k:02}', 5.0 + k, goal_x=float(x), range_noise=noise)
            for k in range(12) for x in range(3) for noise in (0.0, 0.01, 0.02)]
    page = render(rows, '')
    # Per algorithm: profile, three metrics over noise, scatter plot; and one for all profiles.
    assert page.count('<svg class="chart"') == 5 * 12 + 1


@pytest.mark.slow
def test_page_of_thousands_of_rows_is_less_than_four_megabytes():
    rng = np.random.default_rng(1)
    rows = []
    for k in range(4000):
        wiggle = ', '.join(f'{x:.3f} {y:.3f}' for x, y in rng.normal(0.0, 3.0, (20, 2)))
        rows.append(make_row(f'a{k % 20}', float(rng.uniform(5.0, 30.0)), goal_x=float(k // 20),
                             path=f'LINESTRING ({wiggle})'))
    assert len(render(rows, '')) < 4e6


# ---- the command ------------------------------------------------------------------------------

def test_command_writes_the_report_next_to_the_rows(tmp_path, capsys):
    write_table(small_campaign(), tmp_path / 'rows.csv')
    assert main(['report', str(tmp_path)]) == 0
    assert capsys.readouterr().out == f'{tmp_path / "report.html"}\n'
    assert f'<title>{tmp_path.name}</title>' in (tmp_path / 'report.html').read_text()


def test_command_accepts_file_title_and_compared_column(tmp_path):
    write_table(small_campaign(), tmp_path / 'rows.csv')
    out = tmp_path / 'x.html'
    assert main(['report', str(tmp_path / 'rows.csv'), '--out', str(out), '--title', 'A & B',
                 '--by', 'turn']) == 0
    assert '<h1>A &amp; B</h1>' in out.read_text()
    assert Page(out.read_text()).tables['scores'][2][0] == 'left'


@pytest.mark.parametrize('name, value, least', [
    ('path_length', math.nan, '0'), ('goal_x', math.inf, '-1e+09'), ('time', -1.0, '0'),
    ('shortest_path', 1e300, '0')])
def test_implausible_number_is_rejected_with_row_and_column(tmp_path, capsys, name, value, least):
    write_table([make_row(), make_row(**{name: value})], tmp_path / 'rows.csv')
    assert main(['report', str(tmp_path)]) == 2
    assert f'row 2 has {name} = {value}; allowed are numbers from {least} to 1e+09' in (
        capsys.readouterr().err)
    assert not (tmp_path / 'report.html').exists()


@pytest.mark.parametrize('options, words', [
    (['--out', 'fig.pdf'], "'fig.pdf' must end in .html; --figures DIR writes figures"),
    (['--out', '.'], "'.' is a folder; give a file name that ends in .html"),
    (['--table', 'table.txt'], "'table.txt' must end in .tex or .csv"),
    (['--figures', 'rows.csv'], "'rows.csv' is a file; give another --figures"),
    (['--title', 'Mine'], 'already exists')])
def test_invalid_output_file_is_rejected_in_one_sentence(
        tmp_path, capsys, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    write_table(small_campaign(), tmp_path / 'rows.csv')
    (tmp_path / 'report.html').write_text('of the campaign')
    assert main(['report', 'rows.csv', *options]) == 2
    told = capsys.readouterr().err
    assert words in told and told.count('\n') == 1
    assert {path.name for path in tmp_path.iterdir()} == {'rows.csv', 'report.html'}
    assert (tmp_path / 'report.html').read_text() == 'of the campaign'


def test_missing_rows_are_reported(tmp_path, capsys):
    assert main(['report', str(tmp_path / 'nothing')]) == 2
    assert capsys.readouterr().err == (
        f'bug_nav: there is no file or folder {tmp_path / "nothing"}\n')


def test_failed_report_leaves_no_partial_file(tmp_path):
    (tmp_path / 'x.html').mkdir()
    with pytest.raises(OSError):
        write_report(small_campaign(), 'small', tmp_path / 'x.html')
    assert [path.name for path in tmp_path.iterdir()] == ['x.html']


def test_report_keeps_the_title_of_the_campaign(tmp_path):
    (tmp_path / 'campaign.yaml').write_text('title: Our <corridor>\nworlds: [{world: box}]\n')
    write_table(small_campaign(), tmp_path / 'rows.csv')
    assert main(['report', str(tmp_path)]) == 0
    page = (tmp_path / 'report.html').read_text()
    assert '<h1>Our &lt;corridor&gt;</h1>' in page and 'worlds: [{world: box}]' in page
    assert main(['report', str(tmp_path), '--by', 'turn']) == 0
    assert (tmp_path / 'report.html').read_text() == page
    assert '<h1>Our &lt;corridor&gt;</h1>' in (tmp_path / 'report_by_turn.html').read_text()


@pytest.mark.parametrize('lengths, words', [
    ((6.0, 6.0), '<b>bug1 and bug2</b> drove paths of the same length, a tie, in the 6 cases'),
    ((6.0, 7.0), '<b>bug1</b> drove the shortest paths in the 6 cases'),
    # 5 % longer in one world and shorter in the other.
    ((6.0, None), 'which is not significant: consider it a tie.')])
def test_tie_is_reported_as_a_tie(lengths, words):
    mine, theirs = lengths
    rows = [make_row('bug1', mine, goal_x=float(x)) for x in range(6)]
    rows += [make_row('bug2', theirs or 6.0 + (0.4 if x % 2 else -0.3), goal_x=float(x))
             for x in range(6)]
    page = render(rows, 'tie')
    assert words in page
    assert '<b>bug1 and bug2</b> reached 6 of 6' in page and 'each, a tie.' in page


def test_difference_in_few_worlds_has_no_interval():
    rows = [make_row(name, length, goal_x=float(x)) for x in range(3)
            for name, length in (('bug1', 6.0), ('bug2', 9.0))]
    assert ('bug2 comes next, with paths 50.0\u202f% longer; 3 pairs of start and goal are too '
            'few for an interval.') in render(rows, '')


@pytest.mark.parametrize('reached, words', [
    # For each algorithm, whether it reaches the goal without and with noise.
    ({'bug1': (1, 1), 'bug2': (1, 1)}, 'Both keep 100\u202f% of the goals up to range noise '
     '0.02 m.'),
    ({'bug1': (1, 0), 'bug2': (1, 0)}, 'Both reach 0\u202f% of the goals at range noise 0.02 m, '
     'a tie. bug1 loses the most: from 100\u202f% to 0\u202f%.'),
    ({'bug1': (1, 1), 'bug2': (1, 1), 'bug3': (1, 0)}, '<b>bug1 and bug2</b> reach the '
     'most goals at range noise 0.02 m: 100\u202f% each, a tie. '
     'bug3 loses the most: from 100\u202f% to 0\u202f%.'),
    ({'bug1': (1, 1), 'bug2': (1, 0)}, '<b>bug1</b> reaches the most goals at range noise 0.02 m: '
     '100\u202f%, after 100\u202f% at range noise 0 m. bug2 loses the most'),
    ({'bug1': (1, 0)}, '<b>bug1</b> reaches 0\u202f% of the goals at range noise 0.02 m, after '
     '100\u202f% at range noise 0 m.')])
def test_tie_under_noise_has_no_winner(reached, words):
    rows = [(make_row if success else failed)(name, range_noise=noise)
            for name, both in reached.items() for success, noise in zip(both, (0.0, 0.02))]
    assert words in render(rows, 'noise')


@pytest.mark.parametrize('fault, words', [
    ('reachable', 'in truth, the goal is reachable'),
    ('not reachable', 'in truth, the goal is not reachable'),
    ('reachable at rho + 2 cm', 'in truth, the goal is reachable at rho + 2 cm'),
    ('reached, but truly 0.60 m from the goal', 'reached, but truly 0.60 m from the goal'),
    ('ended as timeout', 'ended as timeout'), ('', '')])
def test_fault_names_the_ground_truth(fault, words):
    assert fault_text(make_row(fault=fault)) == words


@pytest.mark.parametrize('rows, words', [
    ([make_row(goal_x=float(x)) for x in range(3)], '1 world, 3 pairs of start and goal ·'),
    ([make_row()], '· 1 world ·'),
    ([make_row(world='box'), make_row(world='pole')], '· 2 worlds ·')])
def test_header_distinguishes_worlds_from_pairs_of_start_and_goal(rows, words):
    page = render(rows, 'size')
    assert words in page and '>Seeds<' not in page


@pytest.mark.parametrize('lengths, words', [
    # TangentBug in the world `maze`, whose path depends on the range noise.
    (([20.0, 20.1], [18.4, 48.2]), 'There bug2 drove 20.0 to 20.1\u202fm, tangent_bug 18.4 to '
     '48.2\u202fm: consider it a tie.'),
    (([20.0, 20.1], [28.4, 48.2]), 'tangent_bug 28.4 to 48.2\u202fm.'),
    (([20.0], [48.2]), 'Each was driven once in one world: another seed may reverse that.')])
def test_difference_due_to_noise_has_no_winner(lengths, words):
    rows = [make_row(name, length, seed=seed)
            for name, each in zip(('bug2', 'tangent_bug'), lengths)
            for seed, length in enumerate(each)]
    page = render(rows, 'noise')
    assert words in page
    assert ('Noise alone' in page) is (len(lengths[0]) > 1)


def test_spread_is_computed_across_seeds_only():
    rows = [make_row('bug2', 6.0, seed=1), make_row('bug2', 9.0, seed=2),
            make_row('bug2', 60.0, seed=1, turn='right'), make_row('bug2', 90.0, goal_x=9.0)]
    most, ends, world = Results(rows).spreads['bug2']
    assert (most, ends, world) == (pytest.approx(1.5), (6.0, 9.0), 'box')
    told, = Summary(['bug2'], rows).table_rows()
    assert told['spread'] == pytest.approx(1.5)
    assert '1.50' in Summary(['bug2'], rows).text('')
    assert 'spread' not in Summary(['bug2'], rows[2:]).text('')


def test_smallest_clearance_of_zero_is_kept():
    rows = [make_row('bug2', min_clearance=clearance) for clearance in (0.2, 0.0, 0.1, None)]
    assert Summary(['bug2'], rows).min_clearance == 0.0
    assert Summary(['bug2'], rows[3:]).min_clearance is None


@pytest.mark.parametrize('changes, result', [
    ({}, False), ({'odometry': 'velocity'}, False), ({'range_noise': 0.01}, False),
    ({'odometry': 'velocity', 'odometry_noise': 0.1}, True), ({'variant': 'slip'}, True),
    ({'range_noise': 0.02}, True), ({'variant': 'slip', 'contacts': 1}, False),
    ({'variant': 'slip', 'outcome': 'error'}, False)])
def test_wrong_verdict_is_a_result_if_noise_or_faults_are_studied(changes, result):
    summary = Summary(['bug2'], [wrong('bug2', **changes)], base_noise=0.01)
    assert (summary.fault_count, summary.alarming) == (1, 0 if result else 1)
    assert ('FAULT' in summary.text('')) is not result


# ---- figures and tables -----------------------------------------------------------------------

def noisy_campaign():
    return [make_row(name, 5.0 + k + x, goal_x=float(x), odometry='velocity',
                     odometry_noise=noise)
            for k, name in enumerate(('bug_1', '$bug2$')) for x in range(3)
            for noise in (0.0, 0.1)] + [failed('bug_1', goal_x=9.0)]


@pytest.mark.slow
def test_figures_are_one_column_wide_and_reproducible(tmp_path):
    pytest.importorskip('matplotlib')
    from bug_nav.lab.report.figures import write_figures
    for folder in ('one', 'other'):
        (tmp_path / folder).mkdir()
        found = write_figures(noisy_campaign(), tmp_path / folder)
    names = {path.name for path in found}
    assert {f'{name}.{ending}' for name in ('success', 'verdicts', 'paths', 'profile')
            for ending in ('pdf', 'svg')} < names
    assert 'odometry_noise_velocity_goals_reached.svg' in names
    for name in names:
        one = (tmp_path / 'one' / name).read_bytes()
        assert one == (tmp_path / 'other' / name).read_bytes(), name
        if name.endswith('svg'):
            assert b' width="252pt"' in one, name  # 3.5 in


@pytest.mark.parametrize('evil', ['../../evil', '/evil', '..'])
def test_rows_choose_no_folder_for_figures(evil, tmp_path):
    pytest.importorskip('matplotlib')
    from bug_nav.lab.report.figures import figures
    rows = [dataclasses.replace(row, algorithm=evil, world=evil, robot=evil, odometry=evil)
            for row in noisy_campaign()]
    names = [name for name, _ in figures(Results(rows))]
    assert any('odometry' in name for name in names)
    assert all(re.fullmatch(r'\w+', name) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize('rows', [
    [], [failed('bug0')], [make_row(reachable=None, verdict='unjudged')], [make_row()],
    [make_row('a'), make_row('a', 9e8)],
    [make_row(f'a{k}', 6.0 + k, goal_x=float(k % 3)) for k in range(30)]])
def test_figures_and_tables_of_few_or_many_rows_are_written(rows, tmp_path):
    pytest.importorskip('matplotlib')
    from bug_nav.lab.report.figures import write_figures
    write_figures(rows, tmp_path)
    for ending in ('tex', 'csv'):
        write_tables(rows, tmp_path / f'scores.{ending}')


def test_latex_table_has_the_scores_and_escaped_characters(tmp_path):
    write_tables(noisy_campaign(), tmp_path / 'scores.tex')
    text = (tmp_path / 'scores.tex').read_text()
    assert r'bug\_1 & 6/7 & 85.7 [48.7, 97.4] & -- & 6/7 & 0 & 0 &' in text
    assert r'\$bug2\$ & 6/6 & 100.0' in text
    assert text.count(r'\toprule') == text.count(r'\bottomrule') == text.count(
        r'\end{tabular}') == text.count(r'\begin{table}') >= 2
    for columns, body in re.findall(r'\\begin{tabular}{(\w+)}(.*?)\\end{tabular}', text, re.S):
        lines = [line for line in body.splitlines() if line.endswith(r'\\')]
        assert {line.count(' & ') + 1 for line in lines} == {len(columns)}


def test_csv_table_has_one_number_per_column(tmp_path):
    assert main_table(tmp_path / 'scores.csv')[0]['goals_reached'] == '6'
    told = main_table(tmp_path / 'scores.csv')
    assert [(line['condition'], line['level'], line['algorithm']) for line in told[:3]] == [
        ('', '', '$bug2$'), ('', '', 'bug_1'), ('Odometry', 'perfect', 'bug_1')]
    assert float(told[1]['share']) == pytest.approx(6 / 7, abs=1e-6)


def main_table(path):
    """Return the rows of the table that the command writes."""
    write_table(noisy_campaign(), path.parent / 'rows.csv')
    assert main(['report', str(path.parent), '--table', str(path)]) == 0
    assert not (path.parent / 'report.html').exists()
    with open(path, newline='') as file:
        return list(csv.DictReader(file))


def test_folder_without_rows_is_rejected_in_one_sentence(tmp_path, capsys):
    assert main(['report', str(tmp_path)]) == 2
    assert capsys.readouterr().err.count('\n') == 1


def test_report_into_a_missing_folder_is_rejected(tmp_path, capsys):
    write_table([make_row()], tmp_path / 'rows.csv')
    assert main(['report', str(tmp_path), '--out', str(tmp_path / 'no' / 'x.html')]) == 2
    assert 'does not exist; create it first' in capsys.readouterr().err


def test_static_baseline_is_compared_but_not_scored():
    rows = [make_row(time=90.0, bumped=3), make_row(time=40.0, still=True),
            make_row(time=60.0, seed=2), make_row(time=40.0, seed=2, still=True)]
    page = render(rows, 'static baselines')
    assert 'Against the static baseline' in page and '<td>1.88</td>' in page
    assert '<td>72.00</td>' in page  # 3 bumps in 150 s
    assert 'Against the static baseline' not in render(rows[::2], 'no static baselines')
    assert Page(page).tables['scores'][2][2] == Page(render(rows[::2], '')).tables['scores'][2][2]
