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

"""Tests of the environment, the output and the end of a submission's processes."""

from __future__ import annotations

import os
import subprocess
import sys

from bug_nav.lab.grading.submission_process import (
    environment_of,
    Limits,
    SubmissionProcess,
)
import pytest

ORPHAN = """
import os, subprocess, sys, time
from bug_nav.lab.grading.submission_process import descendants, end_descendants
from bug_nav.lab.orphans import adopt_orphans
adopt_orphans()
code = 'import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(600)'
parent = subprocess.Popen(
    [sys.executable, '-c', f'import subprocess, sys; '
     f'subprocess.Popen([sys.executable, "-c", {code!r}])'], stdout=subprocess.PIPE)
pid = int(parent.stdout.readline())
parent.wait()
assert pid in set(descendants(os.getpid()))
end_descendants()
try:
    os.kill(pid, 0)
except ProcessLookupError:
    print('gone')
"""


def test_environment_has_what_ros_needs_and_no_secret(monkeypatch):
    monkeypatch.setenv('AWS_SECRET_ACCESS_KEY', 'secret')
    monkeypatch.setenv('GITHUB_TOKEN', 'secret')
    monkeypatch.setenv('ROS_DISTRO', 'humble')
    found = environment_of({'MORE': '1'})
    assert 'secret' not in found.values()
    assert (found['ROS_DISTRO'], found['MORE'], found['PATH']) == (
        'humble', '1', os.environ['PATH'])


def test_orphan_in_a_session_of_its_own_is_ended():
    done = subprocess.run([sys.executable, '-c', ORPHAN], capture_output=True, text=True,
                          timeout=60)
    assert done.stdout == 'gone\n', done.stderr


@pytest.mark.parametrize('end', ['\\n', ''])
def test_lines_of_output_are_passed_on_as_they_come(end):
    lines = []
    process = SubmissionProcess(['printf', f'one\\ntwo{end}'], environment_of({}), Limits(),
                                on_line=lines.append)
    process._process.wait(20.0)
    process.end()
    assert lines == ['one', 'two'] and process.output.text.startswith('one\ntwo')


def test_output_after_the_end_of_a_trial_is_marked():
    process = SubmissionProcess(['sh', '-c', 'trap "echo bye; exit" INT; echo on; while :; do '
                                 'sleep 0.05; done'], environment_of({}), Limits())
    while 'on' not in process.output.text:
        assert process.exit_code is None
    process.end()
    on, note, bye = process.output.text.splitlines()
    assert (on, bye) == ('on', 'bye') and 'the program is asked to end' in note


@pytest.mark.parametrize('command, failure', [
    (['true'], ''), (['false'], 'it ended with exit code 1'),
    (['sh', '-c', 'echo oh; exit 4'], 'it ended with exit code 4; its last line was: oh'),
    (['sh', '-c', 'kill -ABRT $$'], 'it was ended by SIGABRT')])
def test_crash_is_described(command, failure):
    process = SubmissionProcess(command, environment_of({}), Limits())
    process._process.wait(20.0)
    process.end()
    assert process.failure == failure


def test_command_that_does_not_exist_is_an_os_error():
    with pytest.raises(OSError):
        SubmissionProcess(['/no/such/program'], environment_of({}), Limits())
