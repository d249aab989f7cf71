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

"""What docs/design.md says of the node: the ways of a scan and a goal, and its packages."""

import json
from pathlib import Path
import re
import sys

import pytest

pytestmark = pytest.mark.ros
PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'design.md'
SLOW = {'autostart': 'true', 'use_sim_time': 'true', 'use_tf': 'false', 'scan_timeout': 10.0,
        'odom_timeout': 10.0, 'give_up_timeout': 60.0}
"""Parameters of the node, whose kernels run as plain Python."""


@pytest.fixture(scope='module')
def passed(make_stack):
    """Return the files that a node calls for a scan and for a goal, with their functions."""
    stack = make_stack()
    stack.start_sim(world='box', real_time_factor=0.1, scan_count=90)
    node = stack.run(
        sys.executable, [str(Path(__file__).with_name('traced_node.py')), '--ros-args',
                         *(word for item in SLOW.items() for word in ('-p', '%s:=%s' % item))],
        stack.environment)
    stack.wait_until_active()
    stack.send(1.0).under_way(0.25).cancel()
    node.interrupt()
    assert node.wait() == 0, node.output
    return json.loads(node.output.splitlines()[-1])


def listed(what):
    """Return the files in the table of the page."""
    section = PAGE.read_text(encoding='utf-8').split(f'\n### Files on the way of a {what}\n')[1]
    table = [line for line in section.split('\n#')[0].splitlines() if line.startswith('|')]
    names = re.findall(r'`([\w/]+\.py)`', ' '.join(table))
    assert len(set(names)) == len(names), 'a file is listed twice'
    return set(names)


@pytest.mark.parametrize('what', ['scan', 'goal'])
def test_files_on_the_way_are_those_that_the_page_lists(passed, what):
    listed_files, files = listed(what), passed[what]
    new = {file: files[file] for file in files.keys() - listed_files}
    assert not new, f'add these to docs/design.md, or keep them off the way of a {what}'
    assert not listed_files - files.keys(), f'these are no longer on the way of a {what}'


def test_driving_node_imports_only_its_own_packages(passed):
    assert passed['rooms'] == ['files', 'messages', 'navigation', 'ros']
