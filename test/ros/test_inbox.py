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
import pytest
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
