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

"""Tests of the example plug-in, installed as by its author, and run without ROS."""

from __future__ import annotations

import json
from pathlib import Path
import subprocess
import sys

from plugin_door import environment_with, EXAMPLE, install_example
import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope='module')
def installed(tmp_path_factory):
    return install_example(tmp_path_factory.mktemp('plugin'))


def bug_nav(installed, *arguments):
    """Run the command with the plug-in installed; return its output."""
    done = subprocess.run([sys.executable, '-m', 'bug_nav', *arguments], capture_output=True,
                          text=True, timeout=120, env=environment_with(installed), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_plug_in_leaves_by_its_own_rule(installed):
    run = ('run', 'gap_step', '--algorithm', 'picky_bug', '--json')
    early, late = (json.loads(bug_nav(installed, *run, '--set', f'picky_bug.reach={reach}'))
                   for reach in (0.2, 1.0))
    for report in (early, late):
        assert report['algorithm'] == 'picky_bug' and report['outcome'] == 'reached'
        assert report['contacts'] == 0
    # Between the slabs, no way is free for a metre: only the safe rule leaves there, at the
    # closest point of the lap, beside the M-line. A shorter reach leaves at the end of the slab.
    at_end, closest = early['leave_points'][0], late['leave_points'][0]
    assert at_end['y'] > 2.0 and abs(closest['y']) < 0.2


def test_plug_in_proves_that_a_goal_is_unreachable(installed):
    report = json.loads(bug_nav(installed, 'run', 'ring_goal', '--algorithm', 'picky_bug',
                                '--json'))
    assert report['outcome'] == 'unreachable' and report['lap_length'] > 8.0


@pytest.mark.slow
def test_out_of_range_parameter_of_a_plug_in_is_rejected(installed):
    refused = subprocess.run(
        [sys.executable, '-m', 'bug_nav', 'run', 'box', '--algorithm', 'picky_bug', '--set',
         'picky_bug.reach=7'], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env=environment_with(installed))
    assert refused.returncode == 2
    assert 'picky_bug.reach is 7.0 m; allowed is 0.2 to 3.0 m' in refused.stderr


@pytest.mark.slow
def test_plug_in_is_listed_with_its_facts(installed):
    listed = json.loads(bug_nav(installed, 'algorithms', 'picky_bug', '--json'))
    assert listed['value'] == 'picky_bug:PickyBug' and listed['sensing'] == 'range'
    assert listed['parameters'][0]['name'] == 'picky_bug.reach'


@pytest.mark.slow
def test_campaign_judges_the_verdicts_of_a_plug_in(installed, ground_truth, tmp_path):
    done = subprocess.run(
        [sys.executable, '-m', 'bug_nav', 'campaign', 'verdicts', '--algorithm', 'picky_bug',
         '--turn', 'left', '--workers', '1', '--out', str(tmp_path)],
        capture_output=True, text=True, timeout=300, env=environment_with(installed), cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize('file', ['picky_bug.py', 'setup.py'])
def test_page_shows_the_source_of_the_example(file):
    """Compare the page with the source that these tests run."""
    page = (ROOT / 'docs' / 'write_your_own_algorithm.md').read_text(encoding='utf-8')
    header, _, code = (EXAMPLE / file).read_text(encoding='utf-8').partition('"""')
    assert header.startswith('# Copyright') and f'```python\n"""{code}```' in page
