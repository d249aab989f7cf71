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

"""Trials of Python functions, and of programs that misbehave in every way we know."""

from __future__ import annotations

import os
from pathlib import Path
import time

from bug_nav.lab.grading import python_trial as module
from bug_nav.lab.grading.judgement import Trial, truth_of
from bug_nav.lab.grading.python_trial import python_trial
from bug_nav.lab.grading.referee import TrialRules
from bug_nav.lab.grading.submission_process import KEPT_OUTPUT, Limits
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import find_robot
import pytest

BURGER, LIMITS = find_robot('burger'), Limits()
GO = """
import math
def step(scan, pose, goal):
    e = math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.theta
    return (0.0, 0.0) if math.dist(pose.position, goal) < 0.1 else (0.2, e)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that drives a program in a world."""
    monkeypatch.setattr(module, 'ANSWER_TIMEOUT', 2.0)

    def drive(code, world='open', limits=LIMITS, function='step', environment=module.NO_VARIABLES,
              **rules):
        file = tmp_path / 'program.py'
        file.write_text(code)
        found = find_world(world)
        rules = TrialRules(**{'silence': 3.0, 'standstill': 5.0, 'time_allowance': 60.0, **rules})
        truth = truth_of(found, found.start, found.goal, BURGER.model, rules.tolerance)
        trial = Trial(world, found, found.start, found.goal, BURGER.model, rules, truth)
        return python_trial(trial, BURGER, file, function, limits, 1, environment)
    return drive


def test_function_drives_to_the_goal(run):
    found = run(GO).judgement
    assert found.reached and found.ratio == pytest.approx(1.0, abs=0.02)
    assert found.contacts == 0 and found.factor == 'lock step'


def test_same_seed_gives_the_same_trial(run):
    assert run(GO).judgement == run(GO).judgement


def test_contact_is_held_slid_or_ended_as_chosen(run):
    held = run(GO, 'u_trap', contact='hold').judgement
    slid = run(GO, 'u_trap', contact='slide').judgement
    ended = run(GO, 'u_trap', contact='end').judgement
    assert held.contacts and slid.contacts
    assert (ended.ending, ended.contacts) == ('contact', 1)
    assert ended.time < min(held.time, slid.time)


def test_verdict_ends_the_trial(run):
    found = run('def step(scan, pose, goal): return "unreachable"', 'ring_goal').judgement
    assert found.solved and found.ending == 'the program gave its verdict'
    assert not run('def step(scan, pose, goal): return "unreachable"').judgement.verdict_right


def test_scan_has_the_fields_of_the_library(run):
    found = run("""
def step(scan, pose, goal):
    assert len(scan.ranges) == 360 and scan.range_max == 3.5 and scan.angle_min == 0.0
    assert abs(scan.angle_increment - 0.0175) < 1e-4 and len(goal) == 2
    return 0.0, 1.0
""", time_allowance=5.0)
    assert found.judgement.ending == 'time limit', found.output


# ---- programs that misbehave -------------------------------------------------------------------

@pytest.mark.parametrize('code, ending, reason', [
    ('def step(scan, pose, goal): return 1 / 0', 'the program crashed', 'ZeroDivisionError'),
    ('import no_such_module', 'the program crashed', 'no_such_module'),
    ('def walk(): pass', 'the program crashed', 'has no function step(scan, pose, goal)'),
    ('syntax error', 'the program crashed', 'SyntaxError'),
    ('import os\nos._exit(3)', 'the program crashed', 'exit code 3'),
    ('import os\ndef step(*_): os.kill(os.getpid(), 11)', 'the program crashed', 'SIGSEGV'),
    ('import sys\ndef step(*_): sys.exit(0)', 'the program ended', 'ended by itself'),
    ('def step(scan, pose, goal): return None', 'no command', 'returned None'),
    ('def step(scan, pose, goal):\n  while True: pass', 'the program crashed',
     'did not answer within'),
    ('def step(scan, pose, goal): return 0.0, 0.0', 'standstill', '')])
def test_failure_is_named_with_its_reason(run, monkeypatch, code, ending, reason):
    monkeypatch.setattr(module, 'START_TIMEOUT', 5.0)
    found = run(code).judgement
    assert found.ending == ending and reason in found.reason, found.reason
    assert not found.solved


def test_program_that_is_too_slow_ends_with_its_trial(run, monkeypatch):
    monkeypatch.setattr(module, 'longest_of', lambda rules, limits: 0.0)
    found = run(GO).judgement
    assert found.ending == 'the program crashed' and not found.solved
    assert found.reason == 'step is too slow: 0 s of the trial took more than 0 s'


@pytest.mark.parametrize('cpu_time, longest', [(900, 1110.0), (5000, 5000.0)])
def test_slow_program_may_use_its_processor_time(cpu_time, longest):
    assert module.longest_of(TrialRules(), Limits(cpu_time=cpu_time)) == longest


def test_program_gets_its_environment(run):
    found = run('import os\ndef step(*_): return os.environ["SAYS"]', 'ring_goal',
                environment={'SAYS': 'unreachable'}).judgement
    assert found.solved


def test_controller_that_cannot_start_leaves_no_pipe_open(run, monkeypatch):
    def refuse(*_, **__):
        raise OSError('no more processes')

    monkeypatch.setattr(module, 'SubmissionProcess', refuse)
    before = os.listdir('/proc/self/fd')
    with pytest.raises(OSError, match='no more processes'):
        run(GO)
    assert os.listdir('/proc/self/fd') == before


@pytest.mark.parametrize('value', ['(float("nan"), 0.0)', '(0.1, float("inf"))', '"left"', '(1,)',
                                   '42', '(1e999, -1e999)', '[[1], [2]]'])
def test_answer_that_is_no_velocity_is_counted_and_ignored(run, value):
    found = run(f'def step(scan, pose, goal): return {value}', time_allowance=5.0).judgement
    assert found.rejected == found.commands > 50 and found.path_length == 0.0


def test_flood_of_output_is_cut_and_does_not_stop_the_program(run):
    result = run(GO + """
_step = step
def step(scan, pose, goal):
    print('x' * 20_000)
    return _step(scan, pose, goal)
""", time_allowance=10.0)
    assert result.judgement.ending == 'time limit' and result.judgement.path_length > 1.0
    assert len(result.output) < 3 * KEPT_OUTPUT and 'bytes are left out' in result.output


def test_memory_is_limited(run):
    found = run('def step(scan, pose, goal): return bytearray(1 << 31)',
                limits=Limits(memory=1024)).judgement
    assert found.ending == 'the program crashed' and 'MemoryError' in found.reason


def test_size_of_files_is_limited(run, tmp_path):
    found = run(f"""
def step(scan, pose, goal):
    with open({str(tmp_path / 'large')!r}, 'wb') as file:
        file.write(bytes(3 << 20))
""", limits=Limits(file_size=1)).judgement
    assert 'File too large' in found.reason
    assert (tmp_path / 'large').stat().st_size <= 1 << 20


def test_processor_time_is_limited(run, monkeypatch):
    monkeypatch.setattr(module, 'START_TIMEOUT', 30.0)
    found = run('while True: pass', limits=Limits(cpu_time=1)).judgement
    assert 'SIGXCPU' in found.reason


def test_output_on_the_answer_pipe_does_not_break_the_grader(run):
    found = run("""
import os, sys
def step(scan, pose, goal):
    os.write(int(sys.argv[-1]), b'garbage' * 50)
    return 0.1, 0.0
""", time_allowance=5.0).judgement
    assert found.ending in ('time limit', 'standstill', 'no command')


def test_program_that_ignores_all_signals_is_ended_with_its_children(run, tmp_path, monkeypatch):
    monkeypatch.setattr('bug_nav.lab.grading.submission_process.STOP_TIMEOUTS', (0.2, 0.2))
    pids = tmp_path / 'pids'
    result = run(f"""
import os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])
open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')
def step(scan, pose, goal): return 0.0, 1.0
""", time_allowance=2.0)
    assert result.judgement.ending == 'time limit'
    for pid in map(int, pids.read_text().split()):
        assert is_gone(pid), pid


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if 'Z' in Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2][:3]:
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
    return False
