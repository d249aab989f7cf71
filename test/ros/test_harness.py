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

"""The harness ends the processes of a test, and reverts its changes."""

import os
from pathlib import Path
import signal

from command_harness import Command, wait_for
import pytest
from rcl_interfaces.srv import GetParameters

pytestmark = pytest.mark.ros
STARTED = []
SUITE = """
import os
from pathlib import Path
import signal


def test_that_is_killed(make_stack):
    stack = make_stack()
    stack.start_sim()
    stack.start_navigator()
    Path('started').touch()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    stack.processes[0].signal(signal.SIGSTOP)
    os.kill(os.getpid() if {kills_itself} else os.getppid(), signal.SIG{signal})
    stack.wait(lambda: False)
"""


@pytest.mark.slow
@pytest.mark.timeout(180)
@pytest.mark.parametrize('number, options', [
    ('KILL', ()), ('INT', ()), ('KILL', ('-n', '1'))], ids=['killed', 'interrupted', 'xdist'])
def test_killed_suite_leaves_no_processes_behind(tmp_path, number, options):
    if options:
        pytest.importorskip('xdist', reason='pytest-xdist is not installed')
    here = Path(__file__).parent
    (tmp_path / 'conftest.py').write_text((here / 'conftest.py').read_text())
    (tmp_path / 'test_killed.py').write_text(
        SUITE.format(signal=number, kills_itself=not options))
    suite = Command(
        '-q', '-p', 'no:cacheprovider', *options, str(tmp_path), program='pytest',
        # `colcon test` selects tests with PYTEST_ADDOPTS.
        folder=tmp_path, environment={**os.environ, 'PYTEST_ADDOPTS': '', 'PYTHONPATH': (
            os.pathsep.join(filter(None, (str(here), os.environ.get('PYTHONPATH')))))})
    try:
        suite.code()
        assert wait_for(lambda: not suite.left_behind), suite.left_behind
        assert 'passed' not in suite.output
        assert (tmp_path / 'started').exists()
    finally:
        for process in suite.left_behind:
            os.kill(process, signal.SIGKILL)
        suite.wait()


def test_changes_of_a_test_to_the_stack_are_reverted(stack):
    def speed():
        return stack.call(GetParameters, f'{stack.name}/get_parameters',
                          GetParameters.Request(names=['max_vel_x'])).values[0].double_value
    before = speed()
    stack.begin_test()
    for faster in (0.5, 0.75):
        assert stack.set_parameters(max_vel_x=before * faster) == ''
    sent = stack.send(2000.0, 0.0).under_way()
    stack.processes[0].signal(signal.SIGSTOP)
    stack.end_test()
    assert sent.has_ended and sent.end()[1] == 'CANCELED'
    assert speed() == before


@pytest.mark.parametrize('_', ['one', 'another'])
def test_stack_ends_with_the_test_that_creates_it(make_stack, _):
    assert all(process.ended for process in STARTED)
    STARTED.append(make_stack().start_sim(world='open'))
    assert not STARTED[-1].ended
