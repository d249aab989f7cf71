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

"""Zero velocities for subscribers that may execute an old command."""

from types import SimpleNamespace

from bug_nav.navigation.types import Twist
from bug_nav.ros.velocity import Velocity
import pytest

pytestmark = pytest.mark.ros


class Robot:
    """A node with a publisher whose subscribers come and go."""

    def __init__(self):
        self.count, self.received = 0, []
        self.velocity = Velocity(self, stamped=False, frame_id='base_footprint')

    def create_publisher(self, kind, topic, qos):
        return SimpleNamespace(
            topic_name=topic, msg_type=kind, get_subscription_count=lambda: self.count,
            publish=lambda message: self.received.append(message.linear.x))

    def zeros_for(self, *counts):
        """Return the number of zeros sent while the number of subscribers changes."""
        del self.received[:]
        for self.count in counts:
            self.velocity.stop_once_connected()
        assert not any(self.received)
        return len(self.received)


@pytest.mark.parametrize('counts, zeros', [
    ((0, 0), 0), ((0, 1, 1), 1), ((1, 2), 1), ((1, 0, 1), 2), ((2, 1, 2), 2), ((1, 0, 0), 1)])
def test_new_and_returning_subscribers_get_a_zero(counts, zeros):
    assert Robot().zeros_for(*counts) == zeros


def test_subscriber_that_returns_during_a_goal_gets_no_zero():
    robot = Robot()
    robot.velocity.send(Twist(0.2, 0.0))
    assert robot.zeros_for(1, 0, 1) == 0


def test_zero_is_sent_before_the_stop_process_may_rest():
    robot = Robot()
    robot.count = 2
    robot.velocity._stop_process = SimpleNamespace(
        beat=lambda moving, speed, subscribers: robot.received.append((moving, subscribers)))
    robot.velocity.send(Twist(0.2, 0.0))
    robot.velocity.stop()
    assert robot.received == [(True, 2), 0.2, 0.0, (False, 2)]


def test_subscriber_that_joins_others_gets_no_zero():
    """Another node may drive the robot, and this one may be a recorder."""
    robot = Robot()
    assert robot.zeros_for(1) == 1
    assert robot.zeros_for(2, 3) == 0
