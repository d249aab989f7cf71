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

"""Every verdict in random worlds is right, and the campaign detects wrong ones."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
import itertools

from arena import drive_bug2
from bug_nav.lab.cases import candidates, Case, find_case
from bug_nav.lab.episodes import combinations, drive_episode, judge_episode, rules_of
from bug_nav.lab.ground_truth import judge
from bug_nav.lab.spec import load_spec, make_spec, Spec
from bug_nav.lab.summary import Summary
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation.settings import TURNS
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.generators import cluttered, RHO
from campaign_helpers import rows_of
import pytest
from subsets import subset

BATCH = 6
FIRST_SEED = 1000
FAMILY_SEED = 3
FAMILY_WORLDS = 1
"""Number of worlds of each kind and reachability in which `make test` runs algorithms."""
KINDS = {entry.group: entry.world for entry in load_spec('verdicts').worlds}
COMPLETE = [name for name in registered() if find(name).metadata.complete]


def verdicts_spec(worlds: int, seed: int = 0, algorithms=('bug2',), kind: str = 'cluttered',
                  turns=TURNS, noise: float = 0.0) -> Spec:
    """Return a campaign of verdicts in worlds of one kind."""
    return make_spec({
        'seed': seed, 'algorithms': list(algorithms), 'turns': list(turns),
        'range_noise': [noise], 'repetitions': 1,
        'worlds': [{'world': KINDS[kind], 'group': kind, 'count': worlds, 'goals': 'both',
                    'unjudged': 'keep'}]})


def dense(seed: int) -> str:
    kind, others = KINDS['dense'].split('?')
    return f'{kind}?seed={seed}&{others}'


def assert_all_right(spec: Spec) -> Summary:
    rows = rows_of(spec)
    summary = Summary(spec.algorithms, rows)
    # Unjudged episodes must be sound, end, and have no contact.
    assert summary.fault_count == 0, summary.text('')
    for score in summary.scores.values():
        assert score.episodes == score.right == len(spec.turns) * spec.worlds[0].count
        assert score.contacts == 0
    assert all(row.min_clearance > 0.0 for row in rows)
    return summary


# Ten batches, so that they can be run side by side.
@pytest.mark.parametrize('batch', subset(range(10), 10))
def test_every_verdict_is_right_in_batches_of_cluttered_worlds(batch):
    assert_all_right(verdicts_spec(BATCH, FIRST_SEED + 100 * batch))


@pytest.mark.slow
@pytest.mark.parametrize('batch', subset(range(2), 2))
def test_every_verdict_is_right_in_batches_of_dense_worlds(batch):
    assert_all_right(verdicts_spec(BATCH, FIRST_SEED + 100 * batch, kind='dense'))


@lru_cache(maxsize=None)
def judged(kind: str, wish: bool) -> tuple:
    """Return cases of a reachability; the ground truth is computed once for all algorithms."""
    spec = verdicts_spec(FAMILY_WORLDS, FAMILY_SEED, kind=kind)
    cases = (find_case(candidate, spec.seed)
             for candidate in candidates(spec, 0, {wish: 1, not wish: 0}))
    return tuple(itertools.islice((case for case in cases if case.reachable is wish),
                                  FAMILY_WORLDS))


def drive_one(case: Case, algorithm: str, turn: str, noise: float = 0.0):
    spec = verdicts_spec(1, algorithms=(algorithm,), turns=(turn,), noise=noise)
    (combination,) = combinations(spec)
    return drive_episode(rules_of(spec), case, combination)


# Bug2 is tested in dense worlds above. The campaigns use both turns in all worlds.
@pytest.mark.parametrize('algorithm, kind, wish', subset(itertools.product(
    COMPLETE, [kind for kind in KINDS if kind != 'dense'], (True, False)), 19))
def test_verdict_of_a_complete_algorithm_is_right_in_every_kind_of_world(
        algorithm, kind, wish):
    for case in judged(kind, wish):
        row = drive_one(case, algorithm, 'left' if wish else 'right')
        assert (row.verdict, row.fault) == ('right', ''), (row.fault, row.command)


@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('algorithm', COMPLETE)
def test_every_verdict_is_right_in_five_hundred_worlds(algorithm, kind):
    spec = verdicts_spec(500, 20_000, (algorithm,), kind)
    print(assert_all_right(spec).text(algorithm))


def test_goal_behind_a_gap_that_narrows_inside_is_reached():
    world = find_world(dense(9))
    assert judge(world, world.start, world.goal, RHO) is True
    # A robot in the mouth of the gap must still detect that the throat is too narrow.
    assert drive_bug2(world, 'right').outcome == 'reached'


def test_generated_worlds_are_challenging():
    # Some verdicts depend on 2 cm, and many worlds have more than 25 obstacles.
    worlds = [cluttered(seed) for seed in range(FIRST_SEED, FIRST_SEED + 60)]
    truths = [judge(world, world.start, world.goal, RHO) for world in worlds]
    assert truths.count(None) > 0 and truths.count(True) > 30
    assert sum(len(world.solids) > 25 for world in worlds) > 5
    crowded = [find_world(dense(seed)) for seed in range(10)]
    assert sum(len(world.solids) > 45 for world in crowded) >= 9


# The table.

@lru_cache(maxsize=None)
def some_rows() -> tuple:
    """Return Bug1 and Bug2 with both turn directions, in a world with a reachable goal."""
    return tuple(rows_of(verdicts_spec(1, 5, ('bug2', 'bug1'))))


def test_table_counts_faults_and_prints_their_commands():
    right, *_ = some_rows()
    wrong = dataclasses.replace(right, turn='right', outcome='unreachable', verdict='wrong',
                                fault='reachable', message='no place to leave')
    shut = dataclasses.replace(wrong, world='random:cluttered?seed=6&reachable=false', fault='',
                               reachable=False, verdict='right')
    proven = dataclasses.replace(shut, turn='right', certified=True)
    shut = dataclasses.replace(shut, certified=False)
    hangs = dataclasses.replace(right, world='random:cluttered?seed=7', reachable=None,
                                verdict='unjudged')
    summary = Summary(['bug2'], [right, wrong, shut, proven, hangs])
    (score,) = summary.table_rows()
    assert (score['episodes'], score['right'], score['faults']) == (4, 3, 1)
    assert (score['unreachable'], score['certified']) == (2, 1)
    (worlds,) = summary.worlds.values()
    assert (worlds['reachable'], worlds['unreachable'], worlds['not_judged'],
            worlds['episodes'], worlds['faults']) == (1, 1, 1, 1, 0)
    table = summary.text('Verdicts')
    for words in ('33.3 %', '1 of 2', 'contacts 0',
                  f'clearance of the body {right.min_clearance:.3f} m',
                  'FAULT: bug2 in random:cluttered?seed=5, turning right: '
                  'unreachable', 'no place to leave', wrong.command):
        assert words in table
    assert table.count('FAULT') == 1


@pytest.mark.parametrize('truth, surely, outcome, unproven, expected', [
    (False, False, 'unreachable', False, ('right', '')),
    (False, False, 'unreachable', True, ('wrong', 'its certificate does not hold')),
    (None, False, 'unreachable', True, ('wrong', 'its certificate does not hold')),
    (None, False, 'unreachable', False, ('unjudged', '')),
    (True, True, 'unreachable', True, ('wrong', 'reachable')),
    (False, False, 'odom_contradictory', False, ('none', 'ended as odom_contradictory'))])
def test_verdict_without_a_valid_certificate_is_wrong(
        truth, surely, outcome, unproven, expected):
    rules = rules_of(verdicts_spec(1))
    assert judge_episode(rules, 'bug2', truth, surely, outcome, 0, 1.0, unproven) == expected


@pytest.mark.parametrize('certificate, odometry, verdict', [
    (True, 'perfect', 'right'), (False, 'perfect', 'wrong'), (False, 'velocity', 'right')])
def test_row_has_the_result_of_the_certificate(certificate, odometry, verdict, monkeypatch):
    """Certificates under drift need to hold only in the odometry frame."""
    def episode_of(*args, **kwargs):
        episode = run_episode(*args, **kwargs)
        assert episode.outcome == 'unreachable'
        return dataclasses.replace(episode, certified=certificate)
    monkeypatch.setattr('bug_nav.lab.run_setup.run_episode', episode_of)
    spec = make_spec({'worlds': [{'world': 'ring_goal'}], 'repetitions': 1,
                      'odometry': [{'model': odometry}]})
    (row,) = rows_of(spec)
    assert (row.certified, row.verdict) == (certificate, verdict)


def test_path_lengths_are_compared_only_for_goals_that_all_reached():
    row, *_ = some_rows()
    bug2 = [dataclasses.replace(row, path_length=9.0, turn=turn) for turn in ('left', 'right')]
    bug0 = [dataclasses.replace(bug2[0], algorithm='bug0', path_length=12.0),
            dataclasses.replace(bug2[1], algorithm='bug0', path_length=500.0, verdict='none',
                                outcome='loop_detected')]
    scores = {score['algorithm']: score
              for score in Summary(['bug2', 'bug0'], [*bug2, *bug0]).table_rows()}
    assert (scores['bug2']['path'], scores['bug2']['to_best']) == (9.0, 1.0)
    assert (scores['bug0']['path'], scores['bug0']['to_best']) == (12.0, pytest.approx(12 / 9))
    assert (scores['bug0']['right'], scores['bug0']['gave_up'], scores['bug0']['faults']) == (
        1, 1, 0)


def test_summary_without_rows_is_a_table():
    assert 'smallest clearance of the body none' in Summary(['bug2'], []).text('')
