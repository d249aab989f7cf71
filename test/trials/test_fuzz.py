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

"""Fuzzing: reproducible corrupted files, and detection of failures."""

from __future__ import annotations

import os
from random import Random
import sys
import time

import bags
from bug_nav.simulation.episode import warm_up
import fuzz
import pytest
from trials import fuzz_kinds, fuzz_worker
from trials.fuzz_kinds import FuzzKind, KINDS
from trials.fuzz_worker import files_of, wrong_with
from trials.mutations import mutated, MUTATIONS

GOOD = b'<a b="1.5">\n  <c>2 3</c>\n</a>\n'


@pytest.mark.parametrize('mutation', MUTATIONS)
def test_every_mutation_accepts_any_file(mutation):
    for number in range(50):
        for content in (GOOD, b'', b'\xff', b'1', b'[a, b]'):
            assert isinstance(mutation(content, Random(number), GOOD), bytes)


def test_same_number_yields_the_same_files():
    seeds = [{'one': GOOD, 'two': b'x: 1'}]
    assert files_of('kind', seeds, 7) == files_of('kind', seeds, 7)
    assert len({files_of('kind', seeds, i)['one'] for i in range(40)}) > 10
    assert mutated(GOOD, Random(1), GOOD) == mutated(GOOD, Random(1), GOOD)


@pytest.mark.parametrize('code, told, said, wrong', [
    (0, '', '', ''), (2, '', 'bug_nav: no', ''), (1, 'TIMEOUT: late', '', ''),
    (3, '', 'bug_nav: no', 'exit code 3'), (None, '', '', 'exit code None'),
    (2, 'told', '', 'exit code 2 without a message'), (1, '', '', 'exit code 1 without a message'),
    (2, '', 'one\ntwo', '2 lines on stderr: one'), (0, '', 'one\ntwo', '2 lines on stderr: one'),
    (0, '', 'bug_nav: one\nbug_nav: two', ''),
    (2, '', 'bug_nav: a\nbug_nav: b', '2 lines on stderr: bug_nav: a'),
    (1, '', 'Traceback (most recent call last):', 'a traceback')])
def test_exit_code_must_be_allowed_and_have_one_sentence(code, told, said, wrong):
    assert wrong_with(code, told, said, (0, 1, 2)) == wrong


def test_accepted_campaign_may_announce_its_episodes_before_it_stops():
    assert wrong_with(130, '', 'announced\nstopped', (0, 1, 2, 130)) == ''


def fates(path, random):
    """Act according to the content of a file."""
    fate = path.read_bytes()
    if fate == b'raise':
        raise RuntimeError('a bug')
    if fate == b'die':
        os._exit(9)
    if fate == b'hang':
        time.sleep(60.0)
    if fate == b'eat':
        bytearray(2_000_000_000)
    if fate == b'bad':
        print('bug_nav: bad input', file=sys.stderr)
        return 2
    return 0


def test_crash_timeout_and_memory_exhaustion_of_a_worker_are_findings(monkeypatch):
    monkeypatch.setitem(KINDS, 'fate', FuzzKind(list, fates))
    monkeypatch.setattr(fuzz_worker, 'SECONDS', 1)
    inputs = [b'good', b'raise', b'die', b'hang', b'eat', b'bad', b'good']
    monkeypatch.setattr(fuzz_worker, 'files_of',
                        lambda kind, seeds, number: {'fate': inputs[number]})
    verdicts = {verdict.number: verdict for verdict in fuzz.run(
        'fate', [{'fate': b'good'}], range(len(inputs)), 2)}
    assert {number: verdict.fault.split(' in ')[0] for number, verdict in verdicts.items()} == {
        0: '', 1: 'RuntimeError', 2: 'the process died with 9', 3: 'timeout',
        4: 'MemoryError', 5: '', 6: ''}
    assert verdicts[5].code == 2 and verdicts[5].said == 'bug_nav: bad input\n'


@pytest.mark.parametrize('kind', [pytest.param(kind, marks=[pytest.mark.ros] * (
    kind in ('params', 'node'))) for kind in KINDS])
def test_every_kind_reads_a_valid_file_without_a_failure(kind):
    for module in fuzz_kinds.NEEDS.get(kind, ()):
        pytest.importorskip(module)
    if kind == 'recording':
        bags.require_files()
    warm_up()  # a command that compiles says so
    seeds = KINDS[kind].seeds()
    assert all(seeds)
    verdict = fuzz_worker.tried(KINDS[kind], seeds[0], 0, fuzz_worker.START)
    assert verdict.code in (0, 1, 130) and not verdict.fault, verdict


def test_settings_of_kinds_name_kinds():
    assert set(fuzz_kinds.NEEDS) | set(fuzz_kinds.SHARE) <= set(KINDS)
