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

"""The node's parameters: descriptors, and the messages for invalid values."""

import itertools
import os
import subprocess
import sys

from bug_nav.messages.ros_distribution import distribution
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.ros.node.settings import GoalDefaults, NodeSettings
from bug_nav.simulation.shipped import share_dir
from command_harness import wait_for
from forked import Forked
import pytest
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, ListParameters
from ros_harness import lines_of, NODE, SIM
from sensor_msgs.msg import LaserScan
import yaml

pytestmark = pytest.mark.ros


def describe(stack, *names):
    return stack.call(DescribeParameters, '/bug_navigator/describe_parameters',
                      DescribeParameters.Request(names=list(names))).descriptors


def test_every_field_of_the_core_is_a_parameter(stack):
    listed = stack.call(ListParameters, '/bug_navigator/list_parameters',
                        ListParameters.Request()).result.names
    expected = {*RobotModel.__dataclass_fields__, *Settings.__dataclass_fields__,
                'bug2.leave_margin', 'algorithm', 'controller_frequency', 'global_frame',
                'robot_base_frame', 'autostart', 'enable_stamped_cmd_vel', 'transform_tolerance'}
    assert expected <= set(listed)


def test_descriptors_have_range_unit_and_purpose(stack):
    clearance, turn, frequency = describe(
        stack, 'clearance', 'turn_direction', 'controller_frequency')
    assert clearance.floating_point_range[0].from_value == pytest.approx(0.02)
    assert clearance.description.endswith('[m]') and not clearance.read_only
    assert clearance.type == ParameterType.PARAMETER_DOUBLE
    assert 'left, right' in turn.additional_constraints
    assert frequency.read_only


@pytest.mark.parametrize('values, words', [
    ({'clearance': 99.0}, 'clearance is 99.0 m; allowed is 0.02 to'),
    ({'clearance': float('nan')}, 'finite'), ({'clearance': 'wide'}, 'it has to be a number'),
    ({'turn_direction': 'up'}, "turn_direction is 'up'; allowed are left, right"),
    ({'algorithm': 'bug22'}, "did you mean 'bug2'"), ({'global_frame': 'map'}, 'read-only'),
    ({'bug2.leave_margin': 1.0}, 'bug2.leave_margin is 1.0 m'),
    ({'clearance': 0.02}, 'the sensors are blind up to 0.152 m'),
    ({'expected_drift': 0.1, 'clearance': 99.0}, 'clearance is 99.0'),
    ({'hit_distance': 0.2}, 'hit_distance is 0.2 m; allowed is less than clear_distance'),
    ({'algorithm': 'x' * 100_000}, 'xxx'),
], ids=lambda value: str(value)[:60])
def test_invalid_value_is_rejected_with_one_sentence(stack, values, words):
    before = stack.call(GetParameters, '/bug_navigator/get_parameters',
                        GetParameters.Request(names=list(values))).values
    stack.wait(lambda: stack.send(0.0, 0.0).end()[1] == 'REACHED')  # a scan has been received
    reason = stack.set_parameters(**values)
    assert words in reason and '\n' not in reason and len(reason) < 600
    assert before == stack.call(GetParameters, '/bug_navigator/get_parameters',
                                GetParameters.Request(names=list(values))).values


def test_live_value_takes_effect_with_the_next_goal(stack):
    assert stack.set_parameters(clearance=0.2) == ''
    sent = stack.send(0.0, 0.0)
    sent.end()
    assert sent.result.contour_radius == pytest.approx(0.324)
    assert stack.set_parameters(clearance=1) == ''  # an integer is accepted
    assert stack.set_parameters(clearance=0.1) == ''


def run(folder, module, *arguments):
    """Run a node that should exit by itself; return its exit code and output."""
    node = Forked(module, ['--ros-args', *arguments], folder / 'log', os.environ)
    return node.wait(), lines_of(node.output)


@pytest.mark.parametrize('module, argument, words', [
    (NODE, 'clearance:=99.0', 'bug_navigator: clearance is 99.0 m; allowed is 0.02 to'),
    (NODE, 'autostart:=2', 'bug_navigator: autostart is 2; it has to be true or false'),
    (NODE, 'algorithm:=bug22', "did you mean 'bug2'"),
    (NODE, 'hit_distance:=0.3', 'hit_distance is 0.3 m; allowed is less than clear_distance'),
    (NODE, 'scan_topic:="my scan"',
     "scan_topic is 'my scan': topic name must not contain characters other than"),
    (NODE, 'odom_topic:=""', "odom_topic is '': topic name must not be empty"),
    (NODE, 'global_frame:=""', 'global_frame is empty'),
    (NODE, 'use_sim_time:=3', "expecting type 'BOOL'"),
    (SIM, 'use_sim_time:=3', "bug_sim: Trying to set parameter 'use_sim_time' to '3'"),
    (SIM, 'world:=opn', "did you mean 'open'"),
    (SIM, 'real_time_factor:=-1', 'bug_sim: real_time_factor is -1'),
    (SIM, 'x_pose:=.inf', 'finite'),
])
def test_invalid_initial_value_is_reported_in_one_sentence(
        module, argument, words, tmp_path):
    code, lines = run(tmp_path, module, '-p', argument)
    assert code == 1
    assert len(lines) == 1 and words in lines[0]


@pytest.mark.slow
@pytest.mark.parametrize('module, program', [(NODE, 'bug_navigator'), (SIM, 'bug_sim')])
@pytest.mark.parametrize('arguments', [['clearance:=0.2'], ['--ros-args', 'clearance:=0.2']])
def test_missing_p_option_is_reported_in_one_sentence(module, program, arguments):
    done = subprocess.run([sys.executable, '-m', module, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, text=True)
    assert done.returncode == 1 and lines_of(done.stdout) == [
        f"{program}: unknown argument 'clearance:=0.2'; a parameter is "
        f'given as --ros-args -p clearance:=0.2 (see {program} --help)']


@pytest.mark.slow
@pytest.mark.parametrize('module, program', [(NODE, 'bug_navigator'), (SIM, 'bug_sim')])
def test_help_is_printed(module, program):
    done = subprocess.run([sys.executable, '-m', module, '--help'], stdout=subprocess.PIPE,
                          timeout=60, text=True, check=True)
    assert done.stdout.startswith(f'usage: ros2 run bug_nav {program} ')
    assert '-p NAME:=VALUE' in done.stdout


@pytest.mark.parametrize('module, given, meant', [
    (NODE, 'clearence', 'clearance'), (NODE, 'bug2.leave_margn', 'bug2.leave_margin'),
    (SIM, 'wrld', 'world')])
def test_misspelt_parameter_is_reported_with_a_suggestion(
        module, given, meant, tmp_path):
    # The node continues, because nodes share parameter files.
    node = Forked(module, ['--ros-args', '-p', f'{given}:=0.2'], tmp_path / 'log', os.environ)
    sentence = f'{given!r}; did you mean {meant!r}? Its value is ignored'
    assert wait_for(lambda: sentence in node.output), node.output
    node.end()


@pytest.mark.slow
@pytest.mark.parametrize('module', [NODE, SIM])
def test_unreadable_parameter_file_is_reported_in_one_sentence(tmp_path, module):
    file = tmp_path / 'broken.yaml'
    file.write_text('/**: [\n')
    code, lines = run(tmp_path, module, '--params-file', str(file))
    assert code == 1 and len(lines) == 1
    assert "Couldn't parse params file" in lines[0] and file.name in lines[0]
    assert lines[0].endswith('; "bug_nav robots burger --params" prints a valid file')


@pytest.mark.parametrize('text', [
    '', '/robot2/bug_navigator: {ros__parameters: {robot_radius: 0.3}}',
    'bug_navigatr: {ros__parameters: {robot_radius: 0.3}}'])
def test_parameter_file_for_another_node_is_refused_in_one_sentence(tmp_path, text):
    file = tmp_path / 'params.yaml'
    file.write_text(text)
    code, lines = run(tmp_path, NODE, '--params-file', str(file))
    assert code == 1 and len(lines) == 1, lines
    assert 'has no parameters for /bug_navigator; begin it with' in lines[0]


def test_activation_is_rejected_if_the_clearance_is_in_the_blind_zone(make_stack):
    stack = make_stack()
    stack.start_sim(world='open', scan_range_min=0.3)
    navigator = stack.start(NODE, use_sim_time=True)
    assert stack.transition('configure')
    stack.wait(lambda: not stack.transition('activate') or not stack.transition('deactivate'))
    assert stack.state() == 'inactive'
    assert 'make the clearance at least 0.208 m' in navigator.output
    assert stack.set_parameters(clearance=0.25) == ''
    assert stack.transition('activate')


def test_missing_message_package_is_reported_in_one_sentence():
    code = ("import sys; sys.modules['bug_nav_msgs'] = None; "
            'from bug_nav.ros.node import main; main.main()')
    done = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert 'cannot import bug_nav_msgs' in done.stderr and 'colcon build' in done.stderr


@pytest.mark.slow
def test_missing_nav2_messages_are_reported_in_one_sentence_if_requested():
    code = ("import sys; sys.modules['nav2_msgs'] = None; "
            'from bug_nav.ros.node import main; main.main()')
    done = subprocess.run([sys.executable, '-c', code, '--ros-args', '-p',
                           'navigate_to_pose:=true'], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, text=True)
    lines = lines_of(done.stdout)
    assert done.returncode == 1 and len(lines) == 1
    assert 'navigate_to_pose is true' in lines[0] and f'ros-{distribution()}-nav2-msgs' in lines[0]


def test_shipped_parameter_file_has_every_default(stack, make_stack):
    """Compare the file with the defaults of a node, and start a node with it in a namespace."""
    other = make_stack(namespace='/robot2')
    other.start(NODE, '--params-file', str(share_dir() / 'params' / 'bug_nav.yaml'))
    written = yaml.safe_load((share_dir() / 'params' / 'bug_nav.yaml').read_text())
    written = flat(written['/**']['bug_navigator']['ros__parameters'])
    names = {name for group in (RobotModel, Settings, NodeSettings, GoalDefaults)
             for name in group.__dataclass_fields__}
    assert names | {'bug2.leave_margin', 'use_sim_time'} <= set(written)
    values = other.call(GetParameters, '/robot2/bug_navigator/get_parameters',
                        GetParameters.Request(names=list(written))).values
    defaults = stack.call(GetParameters, '/bug_navigator/get_parameters',
                          GetParameters.Request(names=list(written))).values
    differing = [name for name, a, b in zip(written, values, defaults) if a != b]
    # The harness sets these parameters of the other node.
    assert differing == ['use_sim_time', 'autostart', 'give_up_timeout']


def flat(tree, prefix=''):
    pairs = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            pairs.update(flat(value, f'{prefix}{key}.'))
        else:
            pairs[prefix + key] = value
    return pairs


@pytest.mark.slow
def test_unsuitable_lidar_rejects_only_changes_that_concern_it(make_stack):
    stack = make_stack()
    stack.start_navigator(with_sensors=False, use_sim_time=False, use_tf=False)
    publisher = stack.publisher(LaserScan, 'scan')
    scan = LaserScan(angle_max=6.2, angle_increment=0.1, range_min=0.5, range_max=3.5,
                     ranges=[1.0] * 63)
    scan.header.frame_id = 'base_scan'
    clearances = itertools.cycle((0.12, 0.13))  # before the first scan, one is accepted

    def is_rejected():
        publisher.publish(scan)
        return 'the sensors are blind up to' in stack.set_parameters(clearance=next(clearances))
    stack.wait(is_rejected)
    assert stack.set_parameters(algorithm='bug1', max_vel_x=0.2) == ''
    assert stack.set_parameters(clearance=0.41) == ''
