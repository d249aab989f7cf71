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

"""Tests of the entry point in a shell that has closed standard streams."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize('command, closed, code', [
    ('worlds', '>&-', 0), ('algorithms', '>&-', 0), ('run nowhere', '>&-', 2),
    ('worlds', '<&- >&- 2>&-', 0), ("run ''", '2>&-', 2)])
def test_closed_streams_are_no_error(command, closed, code):
    done = subprocess.run(['bash', '-c', f'{sys.executable} -m bug_nav {command} {closed}'],
                          cwd=ROOT, text=True, capture_output=True, check=False)
    assert done.returncode == code
    assert 'Traceback' not in done.stdout + done.stderr


def test_file_does_not_take_the_place_of_a_closed_stream(tmp_path):
    picture = tmp_path / 'run.png'
    subprocess.run(['bash', '-c', f'{sys.executable} -m bug_nav run open --plot {picture} >&-'],
                   cwd=ROOT, check=True, capture_output=True)
    assert picture.read_bytes().startswith(b'\x89PNG')
