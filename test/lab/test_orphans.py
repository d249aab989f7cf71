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

"""A child of a process that is killed ends too."""

import subprocess
import sys

import pytest

PARENT = """
import subprocess, sys
from bug_nav.lab.orphans import end_with_parent
child = subprocess.Popen([sys.executable, '-c', 'input()'], preexec_fn=end_with_parent())
print(child.pid, flush=True)
child.wait()"""


@pytest.mark.timeout(60)
@pytest.mark.skipif(not sys.platform.startswith('linux'), reason='a request to Linux')
def test_child_ends_when_its_parent_is_killed():
    parent = subprocess.Popen([sys.executable, '-c', PARENT], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    assert int(parent.stdout.readline()) > 0
    parent.kill()
    # The output ends when no process has it open any more; the input of the child stays open.
    assert parent.stdout.read() == ''
    parent.stdin.close()
    parent.wait()
