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

"""Every verdict in random cluttered worlds is right; and the bench that says so can tell."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
import json
import math
import random
import shlex
import signal
import subprocess
import sys

from arena import drive_bug2
from bug_nav.bench.campaign import campaign, DENSE, Plan, Run, run_world, WorldRuns
from bug_nav.bench.ground_truth import judge
from bug_nav.bench.summary import command_of, Summary
from bug_nav.bench.verdicts import main
from bug_nav.cli import main as bug_nav
from bug_nav.sim.generators import cluttered, cluttered_name, RHO
from bug_nav.sim.world import find_world
import pytest

BATCH = 6
FIRST_SEED = 1000


def assert_all_right(plan: Plan) -> Summary:
    summary = Summary(plan)
    with ThreadPoolExecutor(1) as here:
        for world in campaign(plan, here, ahead=1):
            summary.add(world)
    for reachable in (True, False):
        row = summary.row(reachable)
        assert row['worlds'] == plan.worlds // 2
        assert row['episodes'] == row['right'] == 2 * row['worlds'], summary.table()
    # What cannot be judged is asked for soundness, an end and no contact.
    assert summary.faults == [], summary.table()
    assert all(run.contacts == 0 and run.min_clearance > 0.0 for _, run in summary.runs)
    return summary


# Ten batches, so that they can be run side by side.
@pytest.mark.parametrize('batch', range(10))
def test_every_verdict_is_right_in_sixty_cluttered_worlds(batch):
    assert_all_right(Plan(worlds=BATCH, seed=FIRST_SEED + 100 * batch))


@pytest.mark.campaign
@pytest.mark.timeout(3600)
@pytest.mark.parametrize('dense', [False, True])
def test_every_verdict_is_right_in_five_hundred_cluttered_worlds(dense):
    print(assert_all_right(Plan(worlds=500, seed=20_000, dense=dense)).table())


@pytest.mark.parametrize('batch', range(2))
def test_every_verdict_is_right_in_twelve_dense_worlds(batch):
    assert_all_right(Plan(worlds=6, seed=FIRST_SEED + 100 * batch, dense=True))


@pytest.mark.xfail(strict=True, reason='a gap that narrows inside is taken for passed when the '
                   'robot has been in its mouth, and its refusal at the throat is lost: the lap '
                   'closes round a part of the obstacle')
def test_goal_behind_a_gap_that_narrows_inside_is_reached():
    name = cluttered_name(9, **DENSE)
    world = find_world(name)
    assert judge(world, world.start, world.goal, RHO) is True
    assert drive_bug2(world, 'right').outcome == 'reached'


# Which worlds a campaign takes.

class Shuffled(Executor):
    """Runs what it is given later and in another order, as a pool does."""

    def __init__(self, work) -> None:
        self.work, self.waiting = work, []

    def submit(self, fn, *args):
        future = _Lazy(self)
        self.waiting.append((future, args))
        return future

    def run_some(self) -> None:
        random.Random(len(self.waiting)).shuffle(self.waiting)
        for future, args in self.waiting:
            future.set_result(self.work(*args))
        self.waiting = []


class _Lazy(Future):
    def __init__(self, pool: Shuffled) -> None:
        super().__init__()
        self.pool = pool

    def result(self, timeout=None):
        if not self.done():
            self.pool.run_some()
        return super().result(timeout)


def judged_only(plan: Plan, seed: int, wish: bool) -> WorldRuns:
    """Judge a world without an episode in it."""
    truth = seed % 3 != 0 if wish else False
    return WorldRuns(plan.name_of(seed, wish), seed, None if wish and seed % 5 == 0 else truth,
                     False, ())


@pytest.mark.parametrize('worlds', [1, 2, 7, 40])
def test_campaign_takes_the_same_worlds_whoever_finishes_first(worlds):
    plan = Plan(worlds=worlds, seed=7)
    taken = [list(campaign(plan, Shuffled(judged_only), ahead)) for ahead in (1, 3, 50)]
    assert taken[0] == taken[1] == taken[2]
    truths = [world.truth for world in taken[0]]
    assert truths.count(True) == worlds - worlds // 2
    assert truths.count(False) == worlds // 2
    assert (worlds < 10) or truths.count(None) > 0
    assert [world.seed for world in taken[0]] == sorted(world.seed for world in taken[0])


def test_campaign_that_is_left_early_cancels_what_is_waiting():
    executor = Shuffled(judged_only)
    worlds = campaign(Plan(worlds=40), executor, ahead=5)
    next(worlds)
    worlds.close()
    assert all(future.cancelled() for future, _ in executor.waiting)


def test_world_is_judged_and_run_with_each_turn():
    plan = Plan(worlds=1, turns=('left', 'right'))
    world = run_world(plan, 3, False)
    assert (world.truth, world.surely_reachable) == (False, False)
    assert [(run.turn, run.outcome) for run in world.runs] == [
        ('left', 'unreachable'), ('right', 'unreachable')]
    assert all(run.time > 0.0 and run.path_length > 0.0 for run in world.runs)


def test_worlds_are_worth_the_verdict():
    # Some hang on 2 cm, and many have more than twenty-five obstacles.
    worlds = [cluttered(seed) for seed in range(FIRST_SEED, FIRST_SEED + 60)]
    truths = [judge(world, world.start, world.goal, RHO) for world in worlds]
    assert truths.count(None) > 0 and truths.count(True) > 30
    assert sum(len(world.solids) > 25 for world in worlds) > 5
    dense = [find_world(Plan(1, dense=True).name_of(seed, True)) for seed in range(10)]
    assert sum(len(world.solids) > 45 for world in dense) >= 9


# What is a fault.

RIGHT = Run('left', 'reached', 'there', 9.0, 45.0, 0.1, 0, 0.09)


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
    (None, False, {'outcome': 'blocked'}, 'ended as blocked'),
    (False, False, {'outcome': 'error'}, 'ended as error'),
    (True, True, {'contacts': 1, 'outcome': 'collision'}, 'an obstacle was touched')])
def test_fault_is_told_from_what_is_right(truth, sure, changes, fault):
    run = RIGHT._replace(**changes)
    assert WorldRuns('w', 5, truth, sure, (run,)).fault(run) == fault


def summary_of(*worlds: WorldRuns) -> Summary:
    summary = Summary(Plan(worlds=len(worlds)))
    for world in worlds:
        summary.add(world)
    return summary


def test_table_counts_faults_and_repeats_them_as_commands():
    wrong = RIGHT._replace(turn='right', outcome='unreachable', message='no place to leave')
    summary = summary_of(WorldRuns(cluttered_name(5), 5, True, True, (RIGHT, wrong)),
                         WorldRuns(cluttered_name(6, False), 6, False, False, (wrong,)),
                         WorldRuns(cluttered_name(7), 7, None, False, (RIGHT,)))
    assert summary.row(True) == {'worlds': 1, 'episodes': 2, 'right': 1, 'wrong': 1}
    assert summary.row(False) == {'worlds': 1, 'episodes': 1, 'right': 1, 'wrong': 0}
    table = summary.table()
    for words in ('33.3 % of the worlds', 'contacts 0', 'clearance of the body 0.090 m',
                  'seeds 5 to 7', 'WRONG: seed 5, turning right: unreachable',
                  'no place to leave'):
        assert words in table
    assert table.count('WRONG') == 1
    assert ("bug_nav run 'random:cluttered?seed=5' --algorithm bug2 --turn right --noise 0 "
            '--seed 5') in table


def test_summary_of_nothing_is_a_table_too():
    assert 'no worlds yet' in summary_of().table()
    json.dumps(summary_of().as_dict(), allow_nan=False)


def test_command_repeats_the_episode_to_the_last_digit(capsys):
    plan = Plan(worlds=1, turns=('right',), noise=0.01)
    world = run_world(plan, 11, False)
    (run,) = world.runs
    program, *argv = shlex.split(command_of(plan, world, run))
    assert (program, argv[1]) == ('bug_nav', cluttered_name(11, False))
    assert bug_nav([*argv, '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told['outcome'], told['path_length'], told['time'], told['min_clearance']) == (
        run.outcome, run.path_length, run.time, run.min_clearance)


def test_algorithm_that_breaks_is_a_fault_with_its_traceback(monkeypatch):
    class Broken:
        def run(self, robot):
            raise KeyError('a bug')
            yield
    monkeypatch.setattr('bug_nav.bench.campaign.find', lambda name: Broken)
    world = run_world(Plan(worlds=1, turns=('left',)), 3, True)
    (run,) = world.runs
    assert run.outcome == 'error' and "KeyError: 'a bug'" in run.message
    assert world.fault(run) == 'ended as error'
    assert "KeyError: 'a bug'" in summary_of(world).table()


# The command.

COMMAND = [sys.executable, '-m', 'bug_nav.bench.verdicts']


def test_command_prints_the_table_and_writes_the_episodes(tmp_path):
    file = tmp_path / 'episodes.json'
    done = subprocess.run(
        [*COMMAND, '--worlds', '2', '--seed', '40', '--workers', '1', '--turn', 'left', '--json',
         str(file)], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, '')
    assert 'bug2, turning left, range noise 0 m, seeds 40 to ' in done.stdout
    told = json.loads(file.read_text())
    assert told['plan']['worlds'] == 2
    assert told['reachable']['right'] == told['unreachable']['right'] == 1
    assert {episode['turn'] for episode in told['episodes']} == {'left'}


@pytest.mark.parametrize('argv', [
    ['--worlds', '0'], ['--workers', '0'], ['--seed', '-1'], ['--noise', 'nan'],
    ['--noise', '-1'], ['--turn', 'up'], ['--algorithm', 'bug22'], ['--worlds', 'x']])
def test_bad_input_is_refused_with_exit_code_2(argv, capsys):
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as caught:
            main(argv)
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.code == 2
    assert argv[1] in capsys.readouterr().err or argv[1] in '0-1'


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
