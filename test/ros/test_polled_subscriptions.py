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

"""Messages are queued until polled, and handled in order of arrival."""

import time

from bug_nav.ros.node.polled_subscriptions import PolledSubscriptions, QUEUE_DEPTH
from geometry_msgs.msg import PointStamped
import pytest
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64, String

pytestmark = pytest.mark.ros


class TwoTopics:
    """Polled subscriptions to two topics, their publishers, and the handled messages."""

    def __init__(self, stack):
        self.stack, self.taken, self.arrivals = stack, [], []
        self.polled = PolledSubscriptions(stack.node, time.monotonic)
        self._publishers = {}
        for kind, topic in ((Float64, 'numbers'), (String, 'words')):
            self.polled.subscribe(kind, topic, self._take)
            self._publishers[kind] = stack.node.create_publisher(kind, topic, 1000)
        stack.wait(lambda: all(each.get_subscription_count() for each in
                               self._publishers.values()))

    def _take(self, message, arrival):
        self.taken.append(message.data)
        self.arrivals.append(arrival)

    def publish(self, *messages):
        for message in messages:
            self._publishers[type(message)].publish(message)

    def dispatch(self, last):
        """Poll until a message has arrived, and return all."""
        def found():
            self.polled.dispatch()
            return last in self.taken
        self.stack.wait(found)
        return self.taken


@pytest.fixture
def listener(make_stack):
    listener = TwoTopics(make_stack())
    yield listener
    listener.polled.close()


def test_messages_of_several_topics_are_handled_in_order_of_arrival(listener):
    for number in range(10):
        listener.publish(Float64(data=float(number)), String(data=str(number)))
        time.sleep(0.002)  # the stamps of the middleware may be coarse
    assert listener.dispatch('9') == [each for number in range(10)
                                      for each in (float(number), str(number))]
    times = [arrival.at for arrival in listener.arrivals]
    assert times == sorted(times) and times[-1] - times[0] > 0.015


def test_arrival_time_does_not_depend_on_the_time_of_polling(listener):
    listener.polled.dispatch()
    before = time.monotonic()
    listener.publish(String(data='early'))
    after = time.monotonic()
    time.sleep(0.3)
    listener.dispatch('early')
    (arrival,) = listener.arrivals
    assert before - 0.01 < arrival.at < after + 0.1
    assert arrival.ago == pytest.approx(time.monotonic() - arrival.at, abs=0.1)


def test_queued_messages_do_not_wake_the_executor(listener):
    listener.publish(String(data='one'))
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        listener.stack.executor.spin_once(timeout_sec=0.05)
    assert listener.taken == []
    assert listener.dispatch('one') == ['one']


def test_full_queue_keeps_the_newest_messages(listener):
    listener.publish(*(Float64(data=float(number)) for number in range(3 * QUEUE_DEPTH)))
    assert listener.dispatch(3.0 * QUEUE_DEPTH - 1.0)[-QUEUE_DEPTH:] == [
        float(number) for number in range(2 * QUEUE_DEPTH, 3 * QUEUE_DEPTH)]


def test_discarded_messages_are_not_handled(listener):
    other = TwoTopics(listener.stack)  # receives all messages that the first one receives
    listener.publish(String(data='old'))
    other.dispatch('old')
    listener.polled.discard()
    other.polled.close()
    listener.publish(String(data='new'))
    assert listener.dispatch('new') == ['new']


class SkippingSubscription:
    """A polled subscription that skips messages."""

    def __init__(self, stack):
        self.taken, self.skipped = [], []
        self.polled = PolledSubscriptions(stack.node, time.monotonic)
        self.polled.subscribe(PointStamped, 'points', self._take, self.skipped.append)
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

    def dispatch(self):
        self.polled.dispatch()
        return self.taken


@pytest.fixture
def skipping(make_stack):
    skipping = SkippingSubscription(make_stack())
    yield skipping
    skipping.polled.close()


def test_superseded_message_is_skipped(skipping):
    skipping.publish(*(7.0 + 0.005 * k for k in range(11)))
    assert skipping.dispatch() == pytest.approx([7.01, 7.05])
    assert len(skipping.skipped) == 9
    skipping.publish(7.055)  # in a later call of dispatch
    assert skipping.dispatch()[2:] == pytest.approx([7.055])


@pytest.mark.parametrize('stamps', [
    (7.0, 7.05, 7.1), (7.0, 6.99, 6.98), (0.0, 0.0, 0.0)],
    ids=['slow', 'out of order', 'without a stamp'])
def test_message_that_is_not_superseded_is_handled(skipping, stamps):
    skipping.publish(*stamps)
    assert skipping.dispatch() == pytest.approx(stamps) and not skipping.skipped


def test_message_with_another_frame_is_handled(skipping):
    for frame in ('odom', 'map', 'odom'):
        skipping.publish(7.0, frame=frame)
    assert skipping.dispatch() == [7.0, 7.0, 7.0] and not skipping.skipped
