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

"""Every verdict in random worlds is right; and the bench that says so can tell."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
import dataclasses
from functools import lru_cache
import itertools
import json
import math
import random
import shlex
import signal
import subprocess
import sys
from typing import Optional

from arena import drive_bug2
from bug_nav.algorithms.base import Facts
from bug_nav.algorithms.registry import find, registered
from bug_nav.bench.campaign import (
    campaign,
    Case,
    CaseRuns,
    judge_case,
    KINDS,
    name_of,
    Plan,
    Run,
    run_case,
)
from bug_nav.bench.ground_truth import judge
from bug_nav.bench.journal import Journal, JournalError
from bug_nav.bench.summary import command_of, Summary
from bug_nav.bench.verdicts import main
from bug_nav.cli import main as bug_nav
from bug_nav.sim.generators import cluttered, RHO
from bug_nav.sim.world import find_world
import pytest

BATCH = 6
FIRST_SEED = 1000
FAMILY_SEED = 3
FAMILY_WORLDS = 1
"""Worlds of each kind and wish in which `make test` drives every complete algorithm."""
COMPLETE = [name for name in registered() if find(name).facts.complete]


def assert_all_right(plan: Plan) -> Summary:
    summary = Summary(plan)
    with ThreadPoolExecutor(1) as here:
        for runs in campaign(plan, here, ahead=1):
            summary.add(runs)
    # What cannot be judged is asked for soundness, an end and no contact.
    assert summary.faults == [], summary.table()
    for row in summary.scores():
        assert row['episodes'] == row['right'] == len(plan.turns) * plan.worlds, summary.table()
        assert row['contacts'] == 0
    assert all(run.min_clearance > 0.0 for _, run in summary.runs())
    return summary


# Ten batches, so that they can be run side by side.
@pytest.mark.parametrize('batch', range(10))
def test_every_verdict_is_right_in_sixty_cluttered_worlds(batch):
    assert_all_right(Plan(worlds=BATCH, seed=FIRST_SEED + 100 * batch))


@pytest.mark.parametrize('batch', range(2))
def test_every_verdict_is_right_in_twelve_dense_worlds(batch):
    assert_all_right(Plan(worlds=BATCH, seed=FIRST_SEED + 100 * batch, kinds=('dense',)))


@lru_cache(maxsize=None)
def judged(kind: str, wish: bool) -> tuple[Case, ...]:
    """Return worlds as wished, the truth of which is found once for all algorithms."""
    cases = (judge_case(kind, seed, wish) for seed in itertools.count(FAMILY_SEED))
    return tuple(itertools.islice((case for case in cases if case.truth is wish), FAMILY_WORLDS))


# In dense clutter Bug2 is driven above.
@pytest.mark.parametrize('kind', [kind for kind in KINDS if kind != 'dense'])
@pytest.mark.parametrize('algorithm', COMPLETE)
def test_verdicts_of_every_complete_algorithm_are_right_in_every_kind_of_worlds(algorithm, kind):
    plan = Plan(FAMILY_WORLDS, algorithms=(algorithm,), kinds=(kind,))
    summary = Summary(plan)
    # One turn each, for there are twenty algorithms: a campaign has both in all worlds.
    for wish, turn in ((True, 'left'), (False, 'right')):
        for case in judged(kind, wish):
            summary.add(run_case(dataclasses.replace(plan, turns=(turn,)), case, algorithm))
    assert summary.faults == [], summary.table()
    assert summary.score(kind, algorithm)['right'] == 2 * FAMILY_WORLDS


@pytest.mark.campaign
@pytest.mark.timeout(7200)
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('algorithm', COMPLETE)
def test_every_verdict_is_right_in_five_hundred_worlds(algorithm, kind):
    print(assert_all_right(Plan(500, 20_000, (algorithm,), (kind,))).table())


def test_goal_behind_a_gap_that_narrows_inside_is_reached():
    world = find_world(name_of('dense', 9, True))
    assert judge(world, world.start, world.goal, RHO) is True
    # Its refusal at the throat must not be lost on a robot that has been in the mouth.
    assert drive_bug2(world, 'right').outcome == 'reached'


# Which worlds a campaign takes.

class Shuffled(Executor):
    """Runs what it is given later and in another order, as a pool does."""

    def __init__(self) -> None:
        self.waiting: list = []
        self.begun: list = []

    def submit(self, fn, *args):
        future = _Lazy(self)
        self.waiting.append((future, (fn, *args)))
        self.begun.append((fn, *args))
        return future

    def run_some(self) -> None:
        random.Random(len(self.waiting)).shuffle(self.waiting)
        for future, args in self.waiting:
            if not future.cancelled():
                future.set_result(not_driven(*args))
        self.waiting = []


class _Lazy(Future):
    def __init__(self, pool: Shuffled) -> None:
        super().__init__()
        self.pool = pool

    def result(self, timeout=None):
        if not self.done():
            self.pool.run_some()
        return super().result(timeout)


def case_of(seed: int, truth: Optional[bool], sure: bool = False, kind: str = 'cluttered',
            wish: bool = True) -> Case:
    return Case(kind, seed, name_of(kind, seed, wish), truth, sure, 100)


def not_driven(work, *args):
    """Do the work of a campaign without an episode, and judge without a world."""
    if work is judge_case:
        kind, seed, wish = args
        truth = seed % 3 != 0 if wish else False
        return case_of(seed, None if wish and seed % 5 == 0 else truth, False, kind, wish)
    plan, case, algorithm = args
    return CaseRuns(case, algorithm, True, plan.noise, ())


@pytest.mark.parametrize('worlds', [1, 2, 7, 40])
def test_campaign_takes_the_same_worlds_whoever_finishes_first(worlds):
    plan = Plan(worlds, 7, ('bug2', 'bug1'), ('cells', 'rooms'))
    taken = [list(campaign(plan, Shuffled(), ahead)) for ahead in (1, 3, 50)]
    assert taken[0] == taken[1] == taken[2]
    for kind in plan.kinds:
        for algorithm in plan.algorithms:
            cases = [runs.case for runs in taken[0]
                     if (runs.case.kind, runs.algorithm) == (kind, algorithm)]
            truths = [case.truth for case in cases]
            assert truths.count(True) == worlds - worlds // 2
            assert truths.count(False) == worlds // 2
            assert (worlds < 10) or truths.count(None) > 0
            assert [case.seed for case in cases] == sorted(case.seed for case in cases)


@pytest.mark.parametrize('goals, truth', [('reachable', True), ('unreachable', False)])
def test_goals_may_all_be_reachable_or_none_of_them(goals, truth):
    runs = list(campaign(Plan(6, 0, kinds=('rooms',), goals=goals), Shuffled(), ahead=4))
    truths = [run.case.truth for run in runs]
    assert truths.count(truth) == 6 and truths.count(not truth) == 0


def test_truth_is_found_once_for_all_algorithms():
    executor = Shuffled()
    runs = list(campaign(Plan(6, 0, ('bug2', 'bug1', 'alg1')), executor, ahead=4))
    asked = [args for work, *args in executor.begun if work is judge_case]
    assert len(asked) == len(set(map(tuple, asked))) < len(runs)


def test_campaign_that_is_left_early_cancels_what_is_waiting():
    executor = Shuffled()
    episodes = campaign(Plan(worlds=40), executor, ahead=5)
    next(episodes), next(episodes)
    episodes.close()
    assert executor.waiting
    assert all(future.cancelled() for future, _ in executor.waiting)


def test_world_is_judged_and_run_with_each_turn():
    plan = Plan(worlds=1, turns=('left', 'right'))
    runs = run_case(plan, judge_case('cluttered', 3, False), 'bug2')
    assert (runs.case.truth, runs.case.surely_reachable, runs.complete) == (False, False, True)
    assert [(run.turn, run.outcome) for run in runs.runs] == [
        ('left', 'unreachable'), ('right', 'unreachable')]
    assert all(run.time > 0.0 and run.path_length > 0.0 for run in runs.runs)


def test_runaway_ends_when_its_time_is_over():
    case = judge_case('cluttered', 3, True)
    assert case.time_allowance > 600
    (run,) = run_case(Plan(1, turns=('left',)), case._replace(time_allowance=2), 'bug2').runs
    assert run.outcome == 'timeout' and run.time < 3.0


def test_worlds_are_worth_the_verdict():
    # Some hang on 2 cm, and many have more than twenty-five obstacles.
    worlds = [cluttered(seed) for seed in range(FIRST_SEED, FIRST_SEED + 60)]
    truths = [judge(world, world.start, world.goal, RHO) for world in worlds]
    assert truths.count(None) > 0 and truths.count(True) > 30
    assert sum(len(world.solids) > 25 for world in worlds) > 5
    dense = [find_world(name_of('dense', seed, True)) for seed in range(10)]
    assert sum(len(world.solids) > 45 for world in dense) >= 9


# What is a fault.

RIGHT = Run('left', 'reached', 'there', 9.0, 45.0, 0.1, 0, 0.09)


def runs_of(case: Case, *runs: Run, algorithm: str = 'bug2', complete: bool = True) -> CaseRuns:
    return CaseRuns(case, algorithm, complete, 0.0, runs)


@pytest.mark.parametrize('truth, sure, changes, fault', [
    (True, True, {}, ''),
    (True, True, {'outcome': 'unreachable'}, 'reachable'),
    (False, False, {'outcome': 'unreachable'}, ''),
    (False, False, {}, 'not reachable'),
    (None, False, {}, ''),
    (None, False, {'outcome': 'unreachable'}, ''),
    (None, True, {'outcome': 'unreachable'}, 'reachable at rho + 2 cm'),
    (None, True, {}, ''),
    (True, True, {'outcome': 'timeout'}, 'ended as timeout'),
    (False, False, {'outcome': 'timeout'}, 'ended as timeout'),
    (False, False, {'outcome': 'loop_detected'}, 'ended as loop_detected'),
    (None, False, {'outcome': 'blocked'}, 'ended as blocked'),
    (False, False, {'outcome': 'error'}, 'ended as error'),
    (True, True, {'contacts': 1, 'outcome': 'collision'}, 'an obstacle was touched')])
def test_fault_is_told_from_what_is_right(truth, sure, changes, fault):
    run = RIGHT._replace(**changes)
    assert runs_of(case_of(5, truth, sure), run).fault(run) == fault


@pytest.mark.parametrize('truth, outcome, fault', [
    (True, 'reached', ''),
    (True, 'loop_detected', ''),
    (False, 'timeout', ''),
    (True, 'unreachable', 'reachable'),
    (False, 'reached', 'not reachable'),
    (True, 'blocked', 'ended as blocked'),
    (True, 'error', 'ended as error')])
def test_algorithm_that_is_not_complete_owes_soundness_alone(truth, outcome, fault):
    run = RIGHT._replace(outcome=outcome)
    runs = runs_of(case_of(5, truth, truth), run, complete=False)
    assert runs.fault(run) == fault
    touched = run._replace(contacts=1)
    assert runs.fault(touched) == 'an obstacle was touched'
    assert runs.gave_up(run) == (outcome in ('loop_detected', 'timeout'))


def summary_of(*all_runs: CaseRuns, **plan) -> Summary:
    summary = Summary(Plan(worlds=len(all_runs), **plan))
    for runs in all_runs:
        summary.add(runs)
    return summary


def test_table_counts_faults_and_repeats_them_as_commands():
    wrong = RIGHT._replace(turn='right', outcome='unreachable', message='no place to leave')
    summary = summary_of(runs_of(case_of(5, True, True), RIGHT, wrong),
                         runs_of(case_of(6, False, wish=False), wrong),
                         runs_of(case_of(7, None), RIGHT))
    assert summary.score('cluttered', 'bug2') == {
        'algorithm': 'bug2', 'kind': 'cluttered', 'episodes': 3, 'right': 2, 'wrong': 1,
        'gave_up': 0, 'contacts': 0, 'path': 9.0}
    assert summary.worlds('cluttered') == {
        'kind': 'cluttered', 'reachable': 1, 'unreachable': 1, 'not_judged': 1,
        'share': pytest.approx(1 / 3), 'episodes': 1, 'wrong': 0}
    table = summary.table()
    for words in ('33.3 %', 'contacts 0', 'clearance of the body 0.090 m', 'seeds 5 to 7',
                  'WRONG: bug2 in cluttered, seed 5, turning right: unreachable',
                  'no place to leave'):
        assert words in table
    assert table.count('WRONG') == 1
    assert ("bug_nav run 'random:cluttered?seed=5' --algorithm bug2 --turn right --noise 0 "
            '--seed 5 --time-allowance 100') in table


def test_lengths_are_compared_where_every_algorithm_reached_the_goal():
    lost = RIGHT._replace(outcome='loop_detected', path_length=500.0)
    longer = RIGHT._replace(path_length=12.0)
    summary = summary_of(
        runs_of(case_of(5, True), RIGHT, RIGHT._replace(turn='right')),
        runs_of(case_of(5, True), longer, lost._replace(turn='right'), algorithm='bug0',
                complete=False),
        algorithms=('bug2', 'bug0'))
    rows = {row['algorithm']: row for row in summary.scores()}
    assert (rows['bug2']['path'], rows['bug2']['to_best']) == (9.0, 1.0)
    assert (rows['bug0']['path'], rows['bug0']['to_best']) == (12.0, pytest.approx(12 / 9))
    assert (rows['bug0']['right'], rows['bug0']['gave_up'], rows['bug0']['wrong']) == (1, 1, 0)
    assert summary.judged == 1


def test_summary_of_nothing_is_a_table_too():
    assert 'no worlds yet' in summary_of().table()
    json.dumps(summary_of().as_dict(), allow_nan=False)


def test_command_repeats_the_episode_to_the_last_digit(capsys):
    plan = Plan(worlds=1, turns=('right',), noise=0.01)
    runs = run_case(plan, judge_case('spirals', 11, False), 'bug2')
    (run,) = runs.runs
    program, *argv = shlex.split(command_of(runs, run))
    assert (program, argv[1]) == ('bug_nav', name_of('spirals', 11, False))
    assert bug_nav([*argv, '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told['outcome'], told['path_length'], told['time'], told['min_clearance']) == (
        run.outcome, run.path_length, run.time, run.min_clearance)


def test_algorithm_that_breaks_is_a_fault_with_its_traceback(monkeypatch):
    class Broken:
        facts = Facts('Broken', 'a test', 'any', 'any', True, 'none', 'none')

        def run(self, robot):
            raise KeyError('a bug')
            yield
    monkeypatch.setattr('bug_nav.bench.campaign.find', lambda name: Broken)
    runs = run_case(Plan(worlds=1, turns=('left',)), case_of(3, True), 'broken')
    (run,) = runs.runs
    assert run.outcome == 'error' and "KeyError: 'a bug'" in run.message
    assert runs.fault(run) == 'ended as error'
    assert "KeyError: 'a bug'" in summary_of(runs).table()


# The file by which a campaign goes on.

def test_campaign_that_goes_on_begins_where_the_file_ends(tmp_path):
    plan = Plan(8, 0, ('bug2', 'bug1'), ('cells', 'rooms'), ())
    whole = list(campaign(plan, Shuffled()))
    first = Journal(str(tmp_path / 'runs'), plan, resume=False)
    for runs in whole[:11]:
        first.add(runs)
    first.close()
    with open(tmp_path / 'runs', 'ab') as file:
        file.write(b'{"half a')
    second, executor = Journal(str(tmp_path / 'runs'), plan, resume=True), Shuffled()
    assert list(second.done.values()) == whole[:11]
    again = list(campaign(plan, executor, done=second.done))
    assert again == whole
    assert sum(work is run_case for work, *_ in executor.begun) == len(whole) - 11
    for runs in again:
        second.add(runs)
    second.close()
    third = Journal(str(tmp_path / 'runs'), plan, resume=True)
    assert list(third.done.values()) == whole
    third.close()


def test_episodes_with_other_noise_or_turns_are_run_again(tmp_path):
    path = str(tmp_path / 'runs')
    journal = Journal(path, Plan(1, turns=('left',)), resume=True)
    journal.add(runs_of(case_of(5, True), RIGHT))
    journal.close()
    for changes, known in (({}, 1), ({'noise': 0.01}, 0), ({'turns': ('left', 'right')}, 0)):
        plan = Plan(**{'worlds': 1, 'turns': ('left',), **changes})
        journal = Journal(path, plan, resume=True)
        assert len(journal.done) == known
        journal.close()


def test_file_of_something_else_is_left_alone(tmp_path):
    (tmp_path / 'notes').write_text('{"dear": "diary"}\n')
    with pytest.raises(FileExistsError):
        Journal(str(tmp_path / 'notes'), Plan(1), resume=False)
    with pytest.raises(JournalError, match='line 1 of'):
        Journal(str(tmp_path / 'notes'), Plan(1), resume=True)
    assert (tmp_path / 'notes').read_text() == '{"dear": "diary"}\n'


# The command.

COMMAND = [sys.executable, '-m', 'bug_nav.bench.verdicts']


def test_command_prints_the_table_and_writes_the_episodes(tmp_path):
    file, out = tmp_path / 'episodes.json', tmp_path / 'runs.jsonl'
    done = subprocess.run(
        [*COMMAND, '--worlds', '2', '--seed', '40', '--workers', '1', '--turn', 'left', '--kind',
         'spirals', '--json', str(file), '--out', str(out)],
        capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, '')
    assert 'turning left, range noise 0 m, seeds 40 to ' in done.stdout
    told = json.loads(file.read_text())
    assert told['plan']['worlds'] == 2
    assert [(row['kind'], row['right']) for row in told['scores']] == [('spirals', 2)]
    assert len(out.read_text().splitlines()) == len(told['episodes'])
    assert {episode['turn'] for episode in told['episodes']} == {'left'}


@pytest.mark.parametrize('argv', [
    ['--worlds', '0'], ['--workers', '0'], ['--seed', '-1'], ['--noise', 'nan'],
    ['--noise', '-1'], ['--turn', 'up'], ['--algorithm', 'bug22'], ['--worlds', 'x'],
    ['--algorithm', 'bug2,bug22'], ['--kind', 'cellars'], ['--resume', '--worlds', '1'],
    ['--out', __file__]])
def test_bad_input_is_refused_with_exit_code_2(argv, capsys):
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as caught:
            main(argv)
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.code == 2
    assert argv[1].split(',')[-1] in capsys.readouterr().err or argv[1] in '0-1'


def test_ctrl_c_even_twice_prints_what_has_been_done_and_leaves_no_process():
    campaign = subprocess.Popen(
        [*COMMAND, '--worlds', '100000', '--workers', '1'], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        # The first line of progress comes after ten seconds.
        assert 'judged worlds, 0 wrong' in campaign.stderr.readline()
        campaign.send_signal(signal.SIGINT)
        assert 'interrupted' in campaign.stderr.readline() + campaign.stderr.readline()
        campaign.send_signal(signal.SIGINT)
        # All that hold these pipes have to end.
        out, errors = campaign.communicate(timeout=120)
    finally:
        campaign.kill()
    assert campaign.returncode == 130 and errors == ''
    assert 'seeds 0 to' in out and 'WRONG' not in out
    assert math.isfinite(float(out.split('body ')[1].split(' m')[0]))
