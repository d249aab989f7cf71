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

"""``bug_nav record`` of a running robot: what is in the file, and how a recording ends."""

import signal
from types import SimpleNamespace

from bug_nav.recording.checks.command_topic import TWIST
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.ros.client.robot_recording import MAX_TOPICS, RobotRecording
from command_harness import Command
from geometry_msgs.msg import TwistStamped
from nav_msgs.msg import Odometry
import pytest
from rclpy.qos import qos_profile_sensor_data

pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
bag = pytest.importorskip('bug_nav.recording.bag', reason='rosbags is not installed')
pytestmark = pytest.mark.ros


def command(stack, *options):
    """Return the running command, in the stack's domain."""
    return Command('record', 'robot.mcap', *options, folder=stack.folder,
                   environment=stack.environment)


def end_after_odometry(process, robot, topic, number=signal.SIGINT):
    """End a recording by a signal, a while after it has begun to record a topic."""
    robot.wait(lambda: any(end.node_name == 'bug_nav_record' for end in
                           robot.node.get_subscriptions_info_by_topic(topic)))
    received = robot.listen(Odometry, 'odom')
    robot.wait(lambda: len(received) > 20)
    process.signal(number)
    assert process.code(20.0) == 0, process.output


@pytest.fixture
def file(robot):
    path = robot.folder / 'robot.mcap'
    yield path
    path.unlink(missing_ok=True)


def test_recording_has_the_topics_of_the_robot_for_check(robot, file):
    process = command(robot, '--duration', '4')
    assert process.code(60.0) == 0 and str(file.name) in process.output
    from bug_nav.recording.evidence_reader import read_evidence
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel')
    with bag.Bag(str(file)) as recording:
        read_evidence(recording, evidence, lambda done: None)
    assert len(evidence.scan) > 3 and len(evidence.odom) > 15
    assert evidence.topics['/cmd_vel'] == 'geometry_msgs/msg/Twist'  # although none was sent
    assert evidence.tree.mount('base_footprint', 'base_scan').pose.x == pytest.approx(-0.032)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_a_complete_recording(robot, file, number):
    process = command(robot)
    end_after_odometry(process, robot, '/scan', number)
    with bag.Bag(str(file)) as recording:
        assert not recording.warning  # the file has an end
        assert {each.topic for each in recording.messages(('/odom', '/scan'))}


def test_recording_ends_at_its_size(robot, file):
    process = command(robot, '--size', '0.001')
    assert process.code(60.0) == 0, process.output


def test_only_the_topics_that_were_named_are_recorded(robot, file):
    end_after_odometry(command(robot, '--topic', 'odom'), robot, '/odom')
    with bag.Bag(str(file)) as recording:
        assert '/odom' in recording.topics and '/scan' not in recording.topics


def test_stamped_commands_are_recorded(make_stack):
    stack = make_stack()
    publisher = stack.node.create_publisher(TwistStamped, '/cmd_vel', 1)
    process = command(stack)
    stack.wait(lambda: publisher.get_subscription_count() > 0)
    sent = TwistStamped()
    sent.twist.linear.x = 0.25
    publisher.publish(sent)
    stack.wait(lambda: publisher.wait_for_all_acked())
    process.signal(signal.SIGINT)
    assert process.code(20.0) == 0, process.output
    with bag.Bag(str(stack.folder / 'robot.mcap')) as recording:
        assert [each.message.twist.linear.x
                for each in recording.messages(['/cmd_vel'])] == [0.25]


def test_driver_that_is_restarted_with_less_reliable_data_is_recorded_on(make_stack):
    stack = make_stack()
    received = stack.listen(Odometry, 'odom', qos_profile_sensor_data)

    def publish(name, profile):
        publisher = stack.node.create_publisher(Odometry, 'odom', profile)
        stack.wait(lambda: publisher.get_subscription_count() > 1)
        del received[:]
        timer = stack.node.create_timer(
            0.02, lambda: publisher.publish(Odometry(child_frame_id=name)))
        stack.wait(lambda: len(received) > 20)
        stack.node.destroy_timer(timer)
        stack.node.destroy_publisher(publisher)

    process = command(stack)
    publish('reliable', 10)
    publish('best effort', qos_profile_sensor_data)
    process.signal(signal.SIGINT)
    assert process.code(20.0) == 0, process.output
    with bag.Bag(str(stack.folder / 'robot.mcap')) as recording:
        assert {each.message.child_frame_id for each in recording.messages(['/odom'])} == {
            'reliable', 'best effort'}


def test_silent_robot_leaves_no_file(make_stack):
    stack = make_stack()
    process = command(stack, '--duration', '1')
    assert process.code(60.0) == 1 and 'nothing was recorded' in process.output
    assert not (stack.folder / 'robot.mcap').exists()


def test_topics_beyond_the_limit_are_named():
    names = [f'/command{k}' for k in range(MAX_TOPICS + 2)]
    recording = RobotRecording(SimpleNamespace(
        get_topic_names_and_types=lambda: [(name, [TWIST]) for name in names],
        get_publishers_info_by_topic=lambda name: [], create_subscription=lambda *_, **__: None),
        SimpleNamespace(channel=lambda topic: None), lambda name: True)
    recording.subscribe()
    assert list(recording.topics) == names[:MAX_TOPICS]
    assert recording.left_out == set(names[MAX_TOPICS:])
