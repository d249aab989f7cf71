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

"""Messages wait until they are taken out, and come in the order in which they came."""

import time

from bug_nav.ros.node.inbox import DEPTH, Inbox
from geometry_msgs.msg import PointStamped
import pytest
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64, String

pytestmark = pytest.mark.ros


class Desk:
    """An inbox with two topics, who publishes on them, and what was taken out."""

    def __init__(self, stack):
        self.stack, self.taken, self.arrivals = stack, [], []
        self.inbox = Inbox(stack.node, time.monotonic)
        self._publishers = {}
        for kind, topic in ((Float64, 'numbers'), (String, 'words')):
            self.inbox.subscribe(kind, topic, self._take)
            self._publishers[kind] = stack.node.create_publisher(kind, topic, 1000)
        stack.wait(lambda: all(each.get_subscription_count() for each in
                               self._publishers.values()))

    def _take(self, message, arrival):
        self.taken.append(message.data)
        self.arrivals.append(arrival)

    def publish(self, *messages):
        for message in messages:
            self._publishers[type(message)].publish(message)

    def take_out(self, last):
        """Take out until a message is among it, and return all."""
        def found():
            self.inbox.take_out()
            return last in self.taken
        self.stack.wait(found)
        return self.taken


@pytest.fixture
def desk(make_stack):
    desk = Desk(make_stack())
    yield desk
    desk.inbox.close()


def test_messages_of_several_topics_come_in_the_order_in_which_they_came(desk):
    for number in range(10):
        desk.publish(Float64(data=float(number)), String(data=str(number)))
        time.sleep(0.002)  # the middleware's stamps may be no finer
    assert desk.take_out('9') == [each for number in range(10)
                                  for each in (float(number), str(number))]
    times = [arrival.at for arrival in desk.arrivals]
    assert times == sorted(times) and times[-1] - times[0] > 0.015


def test_arrival_is_when_it_came_and_not_when_it_was_taken_out(desk):
    desk.inbox.take_out()
    before = time.monotonic()
    desk.publish(String(data='early'))
    after = time.monotonic()
    time.sleep(0.3)
    desk.take_out('early')
    (arrival,) = desk.arrivals
    assert before - 0.01 < arrival.at < after + 0.1
    assert arrival.ago == pytest.approx(time.monotonic() - arrival.at, abs=0.1)


def test_no_executor_wakes_up_for_what_waits(desk):
    desk.publish(String(data='one'))
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        desk.stack.executor.spin_once(timeout_sec=0.05)
    assert desk.taken == []
    assert desk.take_out('one') == ['one']


def test_of_too_many_messages_the_newest_are_there(desk):
    desk.publish(*(Float64(data=float(number)) for number in range(3 * DEPTH)))
    assert desk.take_out(3.0 * DEPTH - 1.0)[-DEPTH:] == [
        float(number) for number in range(2 * DEPTH, 3 * DEPTH)]


def test_what_is_discarded_never_comes(desk):
    other = Desk(desk.stack)  # on the same topics: what has come to it has come to the first
    desk.publish(String(data='old'))
    other.take_out('old')
    desk.inbox.discard()
    other.inbox.close()
    desk.publish(String(data='new'))
    assert desk.take_out('new') == ['new']


class Spare:
    """An inbox with a topic of which not every message is wanted."""

    def __init__(self, stack):
        self.taken, self.spared = [], []
        self.inbox = Inbox(stack.node, time.monotonic)
        self.inbox.subscribe(PointStamped, 'points', self._take, self.spared.append)
        self._publisher = stack.node.create_publisher(
            PointStamped, 'points', QoSProfile(depth=1000))
        stack.wait(self._publisher.get_subscription_count)

    def _take(self, message, arrival):
        self.taken.append(message.point.x)

    def publish(self, *stamps, frame='odom'):
        for stamp in stamps:
            message = PointStamped()
            message.header.frame_id = frame
            message.header.stamp.sec = int(stamp)
            message.header.stamp.nanosec = round((stamp - int(stamp)) * 1e9)
            message.point.x = stamp
            self._publisher.publish(message)
        time.sleep(0.1)

    def take_out(self):
        self.inbox.take_out()
        return self.taken


@pytest.fixture
def spare(make_stack):
    spare = Spare(make_stack())
    yield spare
    spare.inbox.close()


def test_message_that_another_follows_soon_is_only_heard_of(spare):
    spare.publish(*(7.0 + 0.005 * k for k in range(11)))
    assert spare.take_out() == pytest.approx([7.01, 7.05])
    assert len(spare.spared) == 9
    spare.publish(7.055)  # another time is another matter
    assert spare.take_out()[2:] == pytest.approx([7.055])


@pytest.mark.parametrize('stamps', [
    (7.0, 7.05, 7.1), (7.0, 6.99, 6.98), (0.0, 0.0, 0.0)],
    ids=['slow', 'out of order', 'without a stamp'])
def test_message_that_none_repeats_is_taken(spare, stamps):
    spare.publish(*stamps)
    assert spare.take_out() == pytest.approx(stamps) and not spare.spared


def test_message_of_another_frame_is_taken(spare):
    for frame in ('odom', 'map', 'odom'):
        spare.publish(7.0, frame=frame)
    assert spare.take_out() == [7.0, 7.0, 7.0] and not spare.spared
