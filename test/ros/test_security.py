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

"""
With SROS2 enforced, only permitted enclaves succeed.

Intruders run the same ros2 commands as the permitted enclave. They start first and wait; when the
permitted one succeeds after them, discovery has had enough time.
"""

import contextlib
import os
import shutil
import subprocess
from typing import NamedTuple, Tuple
from unittest import mock

from bug_nav.cli.ros_domain import reserved_domain
from bug_nav.messages.sensor_messages import planar
from bug_nav.navigation.geometry import wrap
from bug_nav.simulation.shipped import share_dir
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import TransitionEvent
from nav_msgs.msg import Odometry
import pytest
from rcl_interfaces.msg import ParameterEvent
from rclpy.qos import qos_profile_sensor_data
from rclpy.utilities import get_rmw_implementation_identifier
from ros_harness import moves, NODE, SIM

pytest.importorskip('sros2', reason='SROS2 is not installed')
pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.timeout(180)]

POLICY = share_dir() / 'security' / 'bug_nav.policy.xml'
NO_SECURITY = 'have the security libraries'
"""Message of rmw_fastrtps_cpp if it was built without the security libraries."""
if get_rmw_implementation_identifier() == 'rmw_cyclonedds_cpp':
    DENIED = 'failed to create '  # it tells the insider no more
    FORGED = 'permissions from plugin: Failed to parse'
else:
    DENIED = 'topic not found in allow rule'
    FORGED = 'Error validating remote permissions'
WAITS = 'aiting for'
"""Part of the message of every command that has not found its counterpart yet."""


class Attempt(NamedTuple):
    """An attempted ros2 command, without its last argument."""

    owner: str
    """The permitted enclave."""
    insider: str
    """An enclave of the same keystore without permission."""
    command: Tuple[str, ...]
    owners: str
    intruders: str


GOAL = Attempt(
    'client', 'operator',
    ('action', 'send_goal', '/navigate_bug', 'bug_nav_msgs/action/NavigateBug'),
    '{pose: {pose: {position: {x: 0.25}}}}', '{pose: {pose: {position: {y: 1.0}}}}')
VELOCITY = Attempt(
    'bug_navigator', 'client',
    ('topic', 'pub', '--rate', '20', '--times', '10', '/cmd_vel', 'geometry_msgs/msg/Twist'),
    '{angular: {z: 0.5}}', '{linear: {x: 0.2}}')
PARAMETER = Attempt(
    'operator', 'client',
    ('service', 'call', '/bug_navigator/set_parameters', 'rcl_interfaces/srv/SetParameters'),
    '{parameters: [{name: clearance, value: {type: 3, double_value: 0.12}}]}',
    '{parameters: [{name: clearance, value: {type: 3, double_value: 0.15}}]}')
STATE = Attempt(
    'operator', 'client',
    ('service', 'call', '/bug_navigator/change_state', 'lifecycle_msgs/srv/ChangeState'),
    '{transition: {label: deactivate}}', '{transition: {label: shutdown}}')


class Keystores:
    """
    The robot's keystore, those of two intruders, and ros2 commands in their enclaves.

    The foreign keystore is unrelated. The forged one has identities of the robot's keystore, and
    permissions for everything that the robot's authority has not signed.
    """

    def __init__(self, folder, domain, policy):
        self.folder = folder
        self.unsecured = dict(os.environ, ROS_DOMAIN_ID=str(domain), PYTHONUNBUFFERED='1')
        self.own, self.foreign, self.forged = (
            folder / name for name in ('own', 'foreign', 'forged'))
        for keystore in (self.own, self.foreign):
            self.run('security', 'generate_artifacts', '-k', str(keystore), '-p', str(policy))
        self._forge(GOAL.insider, VELOCITY.insider)

    def _forge(self, *names):
        enclaves = [f'bug_nav/{name}' for name in names]
        self.run('security', 'generate_artifacts', '-k', str(self.forged),
                 '-e', *(f'/{enclave}' for enclave in enclaves))
        for path in ('public/identity_ca.cert.pem', *(
                f'enclaves/{enclave}/{part}.pem' for enclave in enclaves
                for part in ('cert', 'key'))):
            (self.forged / path).unlink()
            shutil.copy(self.own / path, self.forged / path)

    def secured(self, keystore, enclave):
        """Return the environment of a process in an enclave, by default that of its arguments."""
        environment = dict(
            self.unsecured, ROS_SECURITY_ENABLE='true', ROS_SECURITY_STRATEGY='Enforce',
            ROS_SECURITY_KEYSTORE=str(keystore))
        if enclave:
            environment['ROS_SECURITY_ENCLAVE_OVERRIDE'] = f'/bug_nav/{enclave}'
        return environment

    def run(self, *command, enclave=''):
        """Run a command of ros2, in an enclave of the robot's keystore or without one."""
        done = subprocess.run(
            ['ros2', *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL, timeout=60, universal_newlines=True,
            env=self.secured(self.own, enclave) if enclave else self.unsecured)
        if NO_SECURITY in done.stdout:
            pytest.skip('this DDS was built without security')
        assert done.returncode == 0, done.stdout
        return done.stdout


class Secured:
    """Simulator and node with SROS2; the test listens from the clients' enclave."""

    def __init__(self, stack, keystores):
        self.stack, self.keystores = stack, keystores
        remaps = ['-r', '/tf:=tf', '-r', '/tf_static:=tf_static']
        stack.start(SIM, '--enclave', '/bug_nav/bug_sim', *remaps, world='open',
                    real_time_factor=2.0)
        self.navigator = stack.start(NODE, '--enclave', '/bug_nav/bug_navigator', *remaps,
                                     use_sim_time=True, autostart=True)
        self.odometry = stack.listen(Odometry, 'odom', qos_profile_sensor_data)
        health = stack.listen(DiagnosticArray, '/diagnostics')
        stack.wait(lambda: health and health[-1].status[0].level == DiagnosticStatus.OK)

    def pose(self):
        """Wait until the robot has stopped; return its pose."""
        del self.odometry[:]
        # Messages in transit arrive first.
        self.stack.wait(lambda: len(self.odometry) > 5
                        and not moves(self.odometry[-1].twist.twist))
        return planar(self.odometry[-1].pose.pose)

    def run(self, program, arguments, enclave):
        """Run a program in an enclave, and return its output."""
        process = self.stack.run(
            program, arguments, self.keystores.secured(self.keystores.own, enclave))
        self.stack.wait(lambda: process.ended, 60.0)
        assert process.wait() == 0, process.output
        return process.output

    def attempt(self, attempt):
        """
        Run an attempt by four intruders, then by the permitted enclave.

        The intruders: one without keys, one with a foreign keystore, a forger, and an insider.
        """
        keystores = self.keystores
        ros2 = shutil.which('ros2')
        forgers = self.navigator.output.count(FORGED)
        *outsiders, insider = intruders = [
            self.stack.run(ros2, [*attempt.command, attempt.intruders], environment)
            for environment in (keystores.unsecured,
                                keystores.secured(keystores.foreign, attempt.owner),
                                keystores.secured(keystores.forged, attempt.insider),
                                keystores.secured(keystores.own, attempt.insider))]
        self.stack.wait(lambda: all(WAITS in outsider.output for outsider in outsiders)
                        and self.navigator.output.count(FORGED) > forgers
                        and insider.ended, 60.0)
        assert insider.wait() == 1
        assert DENIED in insider.output
        self.run(ros2, [*attempt.command, attempt.owners], attempt.owner)
        for outsider in outsiders:
            assert not outsider.ended, outsider.output
        for intruder in intruders:
            intruder.end()


@pytest.fixture(scope='module')
def secure(make_stack, tmp_path_factory):
    """Return a function that creates a stack secured by a policy."""
    with mock.patch.dict(os.environ), contextlib.ExitStack() as domains:
        unsecured = dict(os.environ)

        def make(policy=POLICY, namespace=''):
            os.environ.clear()
            os.environ.update(unsecured)
            domain = domains.enter_context(reserved_domain())
            keystores = Keystores(tmp_path_factory.mktemp('keystores'), domain, policy)
            keystores.run('topic', 'list', '--no-daemon', enclave='client')
            os.environ.update(keystores.secured(keystores.own, ''))
            return Secured(make_stack(
                namespace=namespace, domain=domain, start_parameter_services=False,
                args=['--ros-args', '--enclave', '/bug_nav/client']), keystores)
        yield make


@pytest.fixture(scope='module')
def secured(secure):
    return secure()


def send_goal(secured, *arguments):
    return secured.run('bug_nav.__main__', ['send-goal', *arguments], 'client')


def test_client_in_its_enclave_reaches_a_goal(secured):
    assert 'REACHED' in send_goal(secured, '0.5', '0.0')
    assert secured.pose().x == pytest.approx(0.5, abs=0.12)


def test_wrong_enclave_of_a_client_is_reported_with_a_remedy(secured):
    keystores = secured.keystores
    process = secured.stack.run('bug_nav.__main__', ['send-goal', '0.5', '0.0'],
                                keystores.secured(keystores.own, 'operator'))
    secured.stack.wait(lambda: process.ended)
    assert process.wait() != 0
    assert 'Traceback' not in process.output
    assert 'ROS_SECURITY_ENCLAVE_OVERRIDE=/bug_nav/client' in process.output


def test_goals_of_intruders_are_not_accepted(secured):
    secured.attempt(GOAL)
    assert 'new goal: (0.25, 0.00)' in secured.navigator.output
    assert 'new goal: (0.00, 1.00)' not in secured.navigator.output
    assert secured.pose().x == pytest.approx(0.25, abs=0.12)


def test_velocity_commands_of_intruders_do_not_move_the_robot(secured):
    before = secured.pose()
    secured.attempt(VELOCITY)
    after = secured.pose()
    assert abs(wrap(after.theta - before.theta)) > 0.3
    assert after[:2] == pytest.approx(before[:2], abs=1e-6)


def test_parameters_of_intruders_are_not_set(secured):
    events = secured.stack.listen(ParameterEvent, '/parameter_events')
    secured.attempt(PARAMETER)
    secured.stack.wait(lambda: events)
    assert [parameter.value.double_value for event in events
            for parameter in event.changed_parameters] == [0.12]


def test_transitions_of_intruders_are_not_executed(secured):
    events = secured.stack.listen(TransitionEvent, 'bug_navigator/transition_event')
    secured.attempt(STATE)
    secured.stack.wait(lambda: events and events[-1].goal_state.label == 'inactive')
    assert {event.goal_state.label for event in events} == {'deactivating', 'inactive'}
    assert not secured.navigator.ended


def test_policy_with_a_namespace_secures_that_namespace(secure, tmp_path):
    for name in ('bug_nav.policy.xml', 'node.xml'):
        (tmp_path / name).write_text((POLICY.parent / name).read_text().replace(
            '<!ENTITY namespace "/">', '<!ENTITY namespace "/robot1">'))
    secured = secure(tmp_path / 'bug_nav.policy.xml', '/robot1')
    assert 'REACHED' in send_goal(secured, '0.5', '0.0', '--namespace', 'robot1')
