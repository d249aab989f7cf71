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

"""Nav2's lifecycle manager with the shipped parameters."""

import os

from ament_index_python.packages import get_package_prefix, PackageNotFoundError
from bug_nav.simulation.shipped import share_dir
from nav2_msgs.srv import ManageLifecycleNodes
import pytest
from ros_harness import NODE
from std_srvs.srv import Trigger

PARAMS = str(share_dir() / 'params' / 'nav2_lifecycle_manager.yaml')
NAME = 'lifecycle_manager_navigation'
Command = ManageLifecycleNodes.Request
try:
    MANAGER = os.path.join(get_package_prefix('nav2_lifecycle_manager'), 'lib',
                           'nav2_lifecycle_manager', 'lifecycle_manager')
except PackageNotFoundError:
    MANAGER = ''
pytestmark = [pytest.mark.ros, pytest.mark.timeout(300),
              pytest.mark.skipif(not MANAGER, reason='nav2_lifecycle_manager is not installed')]


@pytest.mark.slow
@pytest.mark.parametrize('namespace', ['', '/robot1'])
def test_manager_brings_the_node_up_and_down_twenty_times(make_stack, namespace):
    stack = make_stack(namespace=namespace)
    stack.start_sim(world='open')
    navigator = stack.start(NODE, use_sim_time=True)
    stack.start(MANAGER, '-r', f'__node:={NAME}', '--params-file', PARAMS)

    def manage(command):
        return stack.call(ManageLifecycleNodes, f'{namespace}/{NAME}/manage_nodes',
                          Command(command=command)).success

    def is_active():
        return stack.call(Trigger, f'{namespace}/{NAME}/is_active', Trigger.Request()).success

    stack.wait(is_active)
    for up, down, state in 10 * [(Command.RESUME, Command.PAUSE, 'inactive'),
                                 (Command.STARTUP, Command.RESET, 'unconfigured')]:
        under_way = stack.send(2000.0, 0.0).under_way()
        assert manage(down)
        assert under_way.end()[:2] == ('ABORTED', 'CANCELED')
        assert stack.state() == state
        assert not stack.send(2000.0, 0.0).accepted
        assert manage(up)
        assert is_active() and stack.state() == 'active'
    # An invalid transition gets a negative response; the manager would otherwise wait for ever.
    assert manage(Command.PAUSE) and manage(Command.PAUSE)
    assert manage(Command.RESUME) and not manage(Command.STARTUP)
    assert stack.send(0.0, 0.0).accepted
    assert manage(Command.SHUTDOWN)
    assert stack.state() == 'finalized'
    assert not stack.send(0.0, 0.0).accepted
    assert 'Traceback' not in navigator.output
