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

"""A third-party algorithm is found, configured and run over DDS."""

from plugin_door import install_example
import pytest
from rcl_interfaces.srv import DescribeParameters

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def stack(make_stack, tmp_path_factory):
    installed = install_example(tmp_path_factory.mktemp('plugin'))
    stack = make_stack()
    stack.start_sim(world='gap_step')
    stack.start_navigator(path=installed)
    return stack


def test_parameter_of_a_plug_in_is_a_parameter_of_the_node(stack):
    descriptor, = stack.call(
        DescribeParameters, '/bug_navigator/describe_parameters',
        DescribeParameters.Request(names=['picky_bug.reach'])).descriptors
    assert descriptor.description.endswith('[m]')
    limits, = descriptor.floating_point_range
    assert (limits.from_value, limits.to_value) == (0.2, 3.0)
    reason = stack.set_parameters(**{'picky_bug.reach': 7.0})
    assert 'picky_bug.reach is 7.0 m; allowed is 0.2 to 3.0 m' in reason


def test_plug_in_reaches_the_goal_with_its_parameter(stack):
    assert stack.set_parameters(**{'picky_bug.reach': 0.2}) == ''
    sent = stack.send(6.0, 0.05, algorithm='picky_bug')
    assert sent.end(timeout=120.0)[:2] == ('SUCCEEDED', 'REACHED')
    # The robot leaves at the end of the slab; with the default of 1 m, it leaves near the M-line.
    assert sent.result.leave_points[0].pose.position.y > 2.0


def test_plug_in_can_be_the_default_algorithm(stack):
    assert stack.set_parameters(algorithm='picky_bug') == ''
    assert stack.send(6.0, 0.05).end()[1] == 'REACHED'
    reason = stack.set_parameters(algorithm='pick_bug')
    assert "did you mean 'picky_bug'?" in reason


def test_node_without_the_plug_in_rejects_the_goal_and_names_the_command(make_stack):
    stack = make_stack()
    stack.start_sim(world='open')
    stack.start_navigator()
    status, outcome, message = stack.send(1.0, 0.0, algorithm='picky_bug').end()
    assert (status, outcome) == ('ABORTED', 'BAD_GOAL')
    assert "unknown algorithm 'picky_bug'" in message and '`bug_nav algorithms`' in message
