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

"""Robots whose only sensors are rangers (sensor_msgs/Range)."""

from argparse import Namespace

from bug_nav.cli import robots
import pytest
from subsets import subset

pytestmark = pytest.mark.ros
E_PUCK = ['ps0', 'ps1', 'ps2', 'ps3', 'ps4', 'ps5', 'ps6', 'ps7']


@pytest.fixture(scope='module')
def params(tmp_path_factory, request):
    """Return a function that writes the parameters of a robot into a file."""
    folder = tmp_path_factory.mktemp('params')

    def write(name):
        path = folder / f'{name}.yaml'
        path.write_text('\n'.join(robots.parameter_file(name, robots.find_robot(name))))
        return str(path)
    return write


@pytest.mark.parametrize('robot, world, goal, ends', subset([
    ('pioneer', 'ring_goal', (4.5, 0.1), 'UNREACHABLE'),
    ('e_puck', 'box', (6.0, 0.0), 'REACHED')], 2))
def test_robot_with_only_rangers_has_the_expected_outcome(
        make_stack, params, robot, world, goal, ends):
    stack = make_stack()
    stack.start_sim(world=world, robot=robot)
    stack.start_navigator('--params-file', params(robot))
    status, outcome, message = stack.send(*goal).end(timeout=180.0)
    assert (status == 'SUCCEEDED', outcome) == (ends == 'REACHED', ends), message


def test_goal_of_a_robot_with_four_rangers_is_rejected(make_stack, params):
    stack = make_stack()
    stack.start_sim(world='box', robot='crazyflie')
    stack.start_navigator('--params-file', params('crazyflie'))
    status, outcome, message = stack.send(6.0, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'BAD_GOAL')
    assert 'directions up to 90 degrees apart' in message


def test_goal_with_a_silent_ranger_ends_as_stale(make_stack, params):
    stack = make_stack()
    stack.start_sim('-r', 'range/ps3:=elsewhere', world='box', robot='e_puck')
    stack.start_navigator('--params-file', params('e_puck'), with_sensors=False)
    status, outcome, message = stack.send(6.0, 0.0).end()
    assert (status, outcome) == ('ABORTED', 'SCAN_STALE')
    assert '/range/ps3 (0 publishers)' in message


def test_command_prints_the_topics_of_the_rangers(capsys):
    assert robots.main(Namespace(name='e_puck', params=True)) == 0
    printed = capsys.readouterr().out
    assert 'range_topics: "' + ', '.join(f'range/{name}' for name in E_PUCK) in printed
    assert 'sensing: "rangers"' in printed
