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

"""bug_nav.launch.py passes its arguments to the node, which exits cleanly."""

from pathlib import Path
import unittest

from launch_harness import assert_clean_end, launch
import launch_testing
import pytest
from rcl_interfaces.srv import GetParameters

PARAMS = Path(__file__).with_name('params.yaml')


@pytest.mark.launch_test
@pytest.mark.ros
@launch_testing.parametrize('namespace, autostart', [('', 'true'), ('robot1', 'false')])
def generate_test_description(namespace, autostart):
    return launch('bug_nav.launch.py', namespace, autostart=autostart, params_file=str(PARAMS))


class TestNode(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack, autostart):
        if autostart == 'true':
            stack.wait(lambda: stack.state() == 'active')
        else:
            assert stack.state() == 'unconfigured'
            assert stack.transition('configure') and stack.state() == 'inactive'
            assert stack.transition('activate') and stack.state() == 'active'

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_goal_without_sensor_data_is_accepted_and_ends_as_stale(self, stack):
        sent = stack.send(1.0, 0.0)
        assert sent.accepted and sent.end()[1] in ('SCAN_STALE', 'ODOM_STALE')

    def test_names_are_in_the_namespace(self, stack, namespace):
        published, heard = (dict(kinds) for kinds in (
            stack.node.get_publisher_names_and_types_by_node('bug_navigator', f'/{namespace}'),
            stack.node.get_subscriber_names_and_types_by_node('bug_navigator', f'/{namespace}')))
        prefix = f'/{namespace}' if namespace else ''
        assert {f'{prefix}/cmd_vel', f'{prefix}/bug_navigator/path'} <= set(published)
        assert {f'{prefix}/scan', f'{prefix}/odom', f'{prefix}/goal_pose'} <= set(heard)

    def test_parameters_of_the_file_are_set(self, stack):
        request = GetParameters.Request(names=['algorithm', 'max_vel_x', 'clearance'])
        algorithm, speed, clearance = stack.call(
            GetParameters, f'{stack.name}/get_parameters', request).values
        assert (algorithm.string_value, speed.double_value) == ('tangent_bug', 0.15)
        assert clearance.double_value == 0.1  # the default, because it is not in the file


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    def test_interrupted_node_exits_cleanly(self, proc_info, proc_output):
        assert_clean_end(proc_info, proc_output, processes=1)
