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

"""The same specification yields the same rows with any workers and any crashes."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
import dataclasses
import itertools
import json
import multiprocessing
import os
from pathlib import Path
import shlex
import signal
import subprocess
import sys
import threading
import time
from typing import List
from unittest.mock import Mock

from bug_nav.cli.parser import main as bug_nav
from bug_nav.lab.campaign import Campaign
from bug_nav.lab.episodes import combinations, CRASHED, judge_episode, rules_of
from bug_nav.lab.journal import Journal
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import make_spec, Spec
from bug_nav.lab.table import read_table
from bug_nav.lab.workers import Dask, Pool, WorkDropped, Workers, WorkersError
from bug_nav.navigation.algorithms.base import Metadata, NoParameters
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from campaign_helpers import await_episode, OneThread, rows_of, timeless
import pytest

pytestmark = pytest.mark.xdist_group('campaign')  # these tests share their episodes

HUNG = 60.0
"""Time after which work counts as lost [s]."""
SPEC = make_spec({
    'name': 'small', 'seed': 11, 'repetitions': 1, 'algorithms': ['bug2', 'class1'],
    'turns': ['left', 'right'],
    'range_noise': [0.01], 'worlds': [
        {'world': 'random:cluttered?count=3&size=4', 'count': 2, 'goals': 'both'},
        {'world': 'box', 'places': 'drawn', 'count': 3, 'goals': 'reachable'},
        {'world': 'box'}]})


@pytest.fixture(scope='module')
def rows() -> List[Row]:
    """Return the rows of a single thread."""
    return timeless(rows_of(SPEC))


def driven(spec: Spec, workers: Workers, path: Path, watch=lambda row, is_new: None) -> List[Row]:
    journal = Journal(str(path), resume=True)
    try:
        campaign = Campaign(spec, journal, workers, watch)
        assert campaign.run()
        return timeless(campaign.rows())
    finally:
        workers.close()
        journal.close()


def test_rows_are_in_the_order_of_the_specification(rows):
    assert len(rows) == SPEC.total == 24
    assert [row.group for row in rows[::4]] == [
        'cluttered', 'cluttered', 'box', 'box', 'box', 'box']
    assert [(row.algorithm, row.turn) for row in rows[:4]] == [
        ('bug2', 'left'), ('bug2', 'right'), ('class1', 'left'), ('class1', 'right')]
    assert len({row.seed for row in rows}) == 24
    assert {row.verdict for row in rows} == {'right'}
    assert [row.reachable for row in rows[:8:4]] == [True, False]


@pytest.mark.slow
def test_another_seed_yields_other_rows(rows):
    others = rows_of(dataclasses.replace(SPEC, seed=12))
    assert len(others) == len(rows)
    assert not {(row.world, row.start_x, row.seed) for row in others} & {
        (row.world, row.start_x, row.seed) for row in rows}


class LossyWorkers(OneThread):
    """Three threads that sometimes lose their work, as if a process had crashed."""

    count = 3

    def __init__(self, is_lost) -> None:
        super().__init__()
        self.executor = ThreadPoolExecutor(3)
        self.is_lost = is_lost
        self.mended = 0

    def submit(self, work, *args):
        if self.is_lost(args):
            lost: Future = Future()
            lost.set_exception(BrokenProcessPool('a process has died'))
            return lost
        return super().submit(work, *args)

    def restart(self) -> None:
        self.mended += 1


@pytest.mark.slow
def test_lost_work_is_retried(rows, tmp_path):
    numbers = itertools.count(1)
    workers = LossyWorkers(lambda args: next(numbers) % 5 == 0)
    assert driven(SPEC, workers, tmp_path / 'journal') == rows
    assert workers.mended > 1


def test_episode_that_repeatedly_crashes_its_process_becomes_a_row(rows, tmp_path):
    fatal = combinations(SPEC)[2]
    workers = LossyWorkers(lambda args: args[0] == rules_of(SPEC) and args[1].entry == 2
                           and fatal in args[2])
    found = driven(SPEC, workers, tmp_path / 'journal')
    assert [k for k, pair in enumerate(zip(rows, found)) if pair[0] != pair[1]] == [22]
    crashed = found[22]
    assert (crashed.outcome, crashed.verdict, crashed.fault) == (
        CRASHED, 'none', 'ended as crashed')
    assert (crashed.algorithm, crashed.turn) == ('class1', 'left')
    assert crashed.command == rows[22].command
    assert workers.mended == 3


def test_workers_that_always_die_end_the_campaign(tmp_path):
    journal = Journal(str(tmp_path / 'journal'))
    with pytest.raises(WorkersError, match='3 processes'):
        Campaign(SPEC, journal, LossyWorkers(lambda args: True)).run()
    journal.close()


class Broken:
    metadata = Metadata('Broken', 'a test', 'contact', 'any', True, 'none', 'none')
    Parameters = NoParameters

    def __init__(self, parameters) -> None:
        pass

    def run(self, robot):
        raise KeyError('a bug')
        yield


def test_exception_of_an_algorithm_becomes_a_row_with_its_reason(rows, monkeypatch):
    monkeypatch.setattr('bug_nav.lab.episodes.find', lambda name: Broken)
    spec = dataclasses.replace(SPEC, worlds=SPEC.worlds[2:])
    found = rows_of(spec)
    assert [row.outcome for row in found] == ['error'] * 4
    assert all('a bug' in row.message and row.fault == 'ended as error' for row in found)


class Mistaken(Broken):

    def run(self, robot):
        yield move_to_goal(robot)


def test_mistake_in_an_algorithm_becomes_a_row_with_one_sentence(rows, monkeypatch):
    monkeypatch.setattr('bug_nav.lab.episodes.find', lambda name: Mistaken)
    found = rows_of(dataclasses.replace(SPEC, worlds=SPEC.worlds[2:]))
    assert [row.outcome for row in found] == ['error'] * 4
    assert all(row.message.startswith('Mistaken has yielded the generator move_to_goal(...)')
               and '\n' not in row.message for row in found)


# ---- processes --------------------------------------------------------------------------------

@pytest.mark.slow
def test_two_processes_yield_the_same_rows_when_one_is_killed(rows, tmp_path):
    seen = []

    def kill_one(row: Row, is_new: bool) -> None:
        seen.append(row)
        if len(seen) == 6:
            os.kill(multiprocessing.active_children()[0].pid, signal.SIGKILL)
    assert driven(SPEC, Pool(2), tmp_path / 'journal', kill_one) == rows
    assert len(seen) == 24


@pytest.mark.slow
def test_dask_yields_the_same_rows_when_a_worker_dies(rows, tmp_path):
    pytest.importorskip('distributed')
    workers = Dask('local', 2)
    pids = list(workers.run(os.getpid).values())
    seen = []

    def kill_one(row: Row, is_new: bool) -> None:
        seen.append(row)
        if len(seen) == 6:
            os.kill(pids[0], signal.SIGKILL)
    assert driven(SPEC, workers, tmp_path / 'journal', kill_one) == rows


def test_processes_that_die_while_work_is_cancelled_leave_no_error(monkeypatch):
    """SIGTERM to all processes of a campaign also ends those that it stops in order."""
    errors = []
    monkeypatch.setattr(threading, 'excepthook', lambda given: errors.append(given.exc_value))
    workers = Pool(1)
    futures = [workers.submit(time.sleep, 0.0)]
    wait(futures)
    futures += [workers.submit(time.sleep, HUNG) for _ in range(8)]
    for child in multiprocessing.active_children():
        child.kill()
    workers.request_stop()
    workers.cancel(futures)
    assert not wait(futures, HUNG).not_done
    workers.close()
    # The executor fails at a cancelled future, but only if it sees the dead process first.
    assert errors == [] and not any(future.cancelled() for future in futures)


@pytest.mark.parametrize('error', [EOFError, ConnectionRefusedError, BrokenPipeError])
def test_fork_server_that_dies_before_its_first_process_is_a_dead_worker(monkeypatch, error):
    workers = Pool(1)
    monkeypatch.setattr(workers.executor, 'submit', Mock(side_effect=error))
    with pytest.raises(BrokenExecutor) as raised:
        workers.submit(time.sleep, 0.0)
    assert workers.has_died(raised.value)
    workers.close()


def test_pool_that_is_asked_to_stop_drops_the_work_that_has_not_begun():
    workers = Pool(1)
    workers.request_stop()
    futures = [workers.submit(time.sleep, HUNG) for _ in range(8)]
    workers.cancel(futures)
    assert {type(future.exception(HUNG)) for future in futures} == {WorkDropped}
    workers.close()


def test_missing_scheduler_is_reported():
    pytest.importorskip('distributed')
    with pytest.raises(WorkersError, match='no Dask scheduler at nonsense'):
        Dask('nonsense', 1)


# ---- stopping and resuming --------------------------------------------------------------------

def test_stopped_campaign_resumes(rows, tmp_path):
    path = tmp_path / 'journal'
    journal, workers, seen = Journal(str(path)), OneThread(), []

    def stop(row: Row, is_new: bool) -> None:
        seen.append(row)
        campaign.stopped = len(seen) >= 7
    campaign = Campaign(SPEC, journal, workers, stop)
    assert not campaign.run()
    workers.close()
    journal.close()
    with open(path, 'ab') as file:
        file.write(b'{"key": "0123')  # as after a power failure
    again = []
    assert driven(SPEC, OneThread(), path, lambda row, is_new: again.append(is_new)) == rows
    assert again.count(False) == len(seen) < 24 and again.count(True) == 24 - len(seen)


@pytest.mark.slow
def test_extended_campaign_runs_only_new_episodes(rows, tmp_path):
    path = tmp_path / 'journal'
    small = dataclasses.replace(SPEC, algorithms=('class1',))
    assert driven(small, OneThread(), path) == [row for row in rows if row.algorithm == 'class1']
    again = []
    assert driven(SPEC, OneThread(), path, lambda row, is_new: again.append(is_new)) == rows
    assert again.count(True) == 12


def test_changed_rules_repeat_the_episodes(tmp_path):
    spec = dataclasses.replace(SPEC, worlds=SPEC.worlds[2:], algorithms=('bug2',))
    path, again = tmp_path / 'journal', []
    driven(spec, OneThread(), path)
    limited = dataclasses.replace(spec, time_allowance=5.0)
    found = driven(limited, OneThread(), path, lambda row, is_new: again.append(is_new))
    assert again == [True, True]
    assert {(row.outcome, row.fault) for row in found} == {('timeout', '')}


@pytest.mark.slow
def test_ctrl_c_keeps_finished_episodes(rows, tmp_path):
    spec, out = tmp_path / 'small.yaml', tmp_path / 'out'
    spec.write_text(json.dumps(SPEC.as_dict()))  # which is YAML as well
    command = [sys.executable, '-m', 'bug_nav', 'campaign', str(spec), '--out', str(out),
               '--workers', '1', '--format', 'csv']
    first = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    journal = out / 'journal.jsonl'
    try:
        await_episode(first, journal)
        first.send_signal(signal.SIGINT)
        _, told = first.communicate(timeout=60)
    finally:
        first.kill()
    assert first.returncode == 130 and 'continue with --resume' in told
    done = journal.read_text().count('"verdict"')
    assert 1 <= done < 24 and not (out / 'rows.csv').exists()
    second = subprocess.run([*command, '--resume'], capture_output=True, text=True, timeout=120)
    assert second.returncode == 0, second.stderr
    assert timeless(read_table(out)) == rows
    assert journal.read_text().count('"verdict"') == 24


def test_killed_pool_leaves_no_processes_behind():
    killed = subprocess.run([sys.executable, '-c', """
import os
import signal

from bug_nav.lab.workers import Pool

if __name__ == '__main__':
    pool = Pool(1)
    print(pool.executor.submit(os.getpid).result(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""], stdout=subprocess.PIPE, text=True, timeout=120)
    # The pipe is closed only after all processes that hold it have exited.
    assert killed.returncode == -signal.SIGKILL and int(killed.stdout) > 0


# ---- one episode ------------------------------------------------------------------------------

def test_command_of_a_row_repeats_its_episode(rows, capsys):
    for row in (rows[1], rows[10]):
        program, *argv = shlex.split(row.command)
        assert program == 'bug_nav' and bug_nav([*argv, '--json']) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told['outcome'], told['path_length'], told['time'], told['min_clearance'],
                told['hits']) == (row.outcome, row.path_length, row.time, row.min_clearance,
                                  row.hits)


def test_command_repeats_robot_follower_noise_and_settings(capsys):
    spec = make_spec({
        'worlds': [{'world': 'box'}], 'repetitions': 1, 'robots': 'turtlebot4', 'followers': 'pid',
        'turns': 'random', 'odometry': [{'model': 'velocity', 'noise': 0.05}],
        'settings': {'clearance': 0.12, 'bug2.leave_margin': 0.02, 'scan_no_return': 'above'}})
    (row,) = rows_of(spec)
    for words in ('--robot turtlebot4', '--turn random', '--set follower=pid',
                  '--set odometry=velocity', '--set odometry_noise=0.05', '--set turn_seed=',
                  '--set clearance=0.12', '--set bug2.leave_margin=0.02',
                  '--set scan_no_return=above'):
        assert words in row.command
    bug_nav([*shlex.split(row.command)[1:], '--json'])
    told = json.loads(capsys.readouterr().out)
    assert (told['outcome'], told['path_length'], told['time']) == (
        row.outcome, row.path_length, row.time)
    assert row.path_length != pytest.approx(row.odometry_length, rel=1e-6)


def test_parts_in_the_settings_apply_to_the_episode_and_its_command(capsys):
    spec = make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1, 'turns': 'left',
                      'settings': {'lidar': 'lds_02', 'scan_short': 0.0, 'wheels': 'turtlebot3'}})
    (row,) = rows_of(spec)
    assert (row.odometry, row.odometry_noise, row.range_noise) == ('encoders', 0.01, 0.005)
    assert row.path_length != pytest.approx(row.odometry_length, rel=1e-6)
    bug_nav([*shlex.split(row.command)[1:], '--json'])
    assert json.loads(capsys.readouterr().out)['path_length'] == row.path_length


VARIED = make_spec({
    'seed': 3, 'repetitions': 1, 'worlds': [{'world': 'box'}],
    'corrections': ['none', 'scan_matching'],
    'variants': [{}, {'name': 'one wheel', 'settings': {
        'odometry': 'encoders', 'odometry_bias': 0.02, 'bug2.leave_margin': 0.02}}]})


def test_variants_differ_only_in_their_settings(capsys):
    rows = rows_of(VARIED)
    assert [(row.variant, row.correction, row.odometry) for row in rows] == [
        ('', 'none', 'perfect'), ('', 'scan_matching', 'perfect'),
        ('one wheel', 'none', 'encoders'), ('one wheel', 'scan_matching', 'encoders')]
    assert len({row.seed for row in rows}) == 1
    assert rows[0].odometry_length == pytest.approx(rows[0].path_length, rel=1e-9)
    assert rows[2].odometry_length != pytest.approx(rows[2].path_length, rel=1e-4)
    for words in ('--set odometry=encoders', '--set odometry_bias=0.02',
                  '--set bug2.leave_margin=0.02', '--set drift_correction=none'):
        assert words in rows[2].command and (
            words not in rows[1].command), words
    bug_nav([*shlex.split(rows[2].command)[1:], '--json'])
    told = json.loads(capsys.readouterr().out)
    assert (told['outcome'], told['path_length']) == (rows[2].outcome, rows[2].path_length)


def test_added_variant_keeps_the_other_rows(tmp_path):
    one, again = dataclasses.replace(VARIED, variants=VARIED.variants[:1]), []
    few = driven(one, OneThread(), tmp_path / 'journal')
    rows = driven(VARIED, OneThread(), tmp_path / 'journal', lambda row, new: again.append(new))
    assert rows[:2] == few and again.count(True) == 2


def test_row_has_the_values_of_the_settings():
    spec = make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1, 'settings': {
        'turn_direction': 'right', 'follower': 'pid', 'odometry': 'velocity',
        'odometry_noise': 0.05, 'drift_correction': 'none'}})
    (row,) = rows_of(spec)
    assert (row.turn, row.follower, row.odometry, row.odometry_noise, row.correction) == (
        'right', 'pid', 'velocity', 0.05, 'none')
    assert '--turn right' in row.command and 'turn_direction' not in row.command


@pytest.mark.parametrize('outcome, fault', [
    ('undecided', ''), ('odom_contradictory', ''), ('reached_uncertain', ''),
    ('timeout', 'ended as timeout')])
def test_undecided_is_no_fault_under_drift(outcome, fault):
    rules = rules_of(SPEC)
    assert judge_episode(rules, 'bug2', True, True, outcome, 0, 2.0, drifts=True) == (
        'none', fault)
    assert judge_episode(rules, 'bug2', True, True, outcome, 0, 2.0) == (
        'none', f'ended as {outcome}')


@pytest.mark.parametrize('drifts', [True, False])
def test_uncertain_arrival_at_the_goal_is_judged_as_reached(drifts):
    for truth, verdict in ((True, 'right'), (False, 'wrong')):
        assert judge_episode(rules_of(SPEC), 'bug2', truth, truth, 'reached_uncertain', 0, 0.1,
                             drifts=drifts)[0] == verdict


def test_unreachable_under_drift_is_judged_by_the_ground_truth():
    for truth, verdict in ((False, 'right'), (True, 'wrong')):
        assert judge_episode(rules_of(SPEC), 'bug2', truth, truth, 'unreachable', 0, 2.0,
                             drifts=True)[0] == verdict


@pytest.mark.parametrize('truth, sure, outcome, error, verdict, fault', [
    (True, True, 'reached', 0.1, 'right', ''),
    (True, True, 'reached', 0.6, 'wrong', 'reached, but truly 0.60 m from the goal'),
    (True, True, 'unreachable', 2.0, 'wrong', 'reachable'),
    (False, False, 'unreachable', 2.0, 'right', ''),
    (False, False, 'reached', 0.1, 'wrong', 'not reachable'),
    (None, False, 'reached', 0.1, 'unjudged', ''),
    (None, False, 'unreachable', 2.0, 'unjudged', ''),
    (None, True, 'unreachable', 2.0, 'unjudged', 'reachable at rho + 2 cm'),
    (True, True, 'timeout', 2.0, 'none', 'ended as timeout'),
    (False, False, 'loop_detected', 2.0, 'none', 'ended as loop_detected'),
    (None, False, 'blocked', 2.0, 'none', 'ended as blocked')])
@pytest.mark.parametrize('algorithm, is_complete', [('bug2', True), ('bug0', False)])
def test_fault_and_verdict_are_judged(truth, sure, outcome, error, verdict, fault, algorithm,
                                      is_complete):
    rules = rules_of(SPEC)
    if not is_complete and outcome in ('timeout', 'loop_detected'):
        fault = ''  # an algorithm that is not complete may give up
    assert judge_episode(rules, algorithm, truth, sure, outcome, 0, error) == (verdict, fault)
    assert judge_episode(rules, algorithm, truth, sure, outcome, 1, error) == (
        verdict, 'an obstacle was touched')


def test_timeout_is_no_fault_with_a_time_allowance():
    limited = rules_of(dataclasses.replace(SPEC, time_allowance=10.0))
    assert judge_episode(limited, 'bug2', True, True, 'timeout', 0, 2.0) == ('none', '')


def test_passing_the_goal_can_count_as_success():
    # Every episode ends by timeout; only the success criterion differs.
    spec = make_spec({'worlds': [{'world': 'box'}], 'repetitions': 1, 'time_allowance': 20})
    (late,) = rows_of(dataclasses.replace(spec, success_radius=5.0))
    (passed,) = rows_of(dataclasses.replace(spec, success_radius=5.0, success='pass'))
    (far,) = rows_of(dataclasses.replace(spec, success_radius=0.5, success='pass'))
    assert [row.outcome for row in (late, passed, far)] == ['timeout'] * 3
    assert (late.success, passed.success, far.success) == (False, True, False)


STATIC_BASELINES = make_spec({'seed': 5, 'repetitions': 1, 'static_baselines': True, 'worlds': [
    {'world': 'random:moved', 'count': 1, 'goals': 'unreachable'}]})


@pytest.mark.slow
def test_static_baseline_has_the_same_seed_in_the_settled_world(capsys):
    rows = rows_of(STATIC_BASELINES)
    assert [row.still for row in rows] == [False, True] and STATIC_BASELINES.total == 2
    assert rows[0].seed == rows[1].seed and rows[0].path != rows[1].path
    # The ground truth refers to the settled world, where the goal is enclosed.
    assert {row.reachable for row in rows} == {False}
    assert '--still' in rows[1].command and '--still' not in rows[0].command
    for row in rows:
        bug_nav([*shlex.split(row.command)[1:], '--json'])
        told = json.loads(capsys.readouterr().out)
        assert (told['path_length'], told['bumped']) == (row.path_length, row.bumped)


@pytest.mark.slow
def test_added_static_baselines_keep_the_journal_valid(tmp_path):
    one, again = dataclasses.replace(STATIC_BASELINES, static_baselines=False), []
    few = driven(one, OneThread(), tmp_path / 'journal')
    rows = driven(STATIC_BASELINES, OneThread(), tmp_path / 'journal',
                  lambda row, new: again.append(new))
    assert rows[:1] == few and again.count(True) == 1
