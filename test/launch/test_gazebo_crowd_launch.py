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


"""gazebo_demo.launch.py in a world with walking people."""

import math
import unittest

from bug_nav.messages.sensor_messages import planar
from bug_nav.ros.launching.resources import package_share
from bug_nav.simulation.catalogue import find_world
from gazebo_msgs.msg import ModelStates
from geometry_msgs.msg import Twist
from launch_harness import launch, STARTS, text_of
import launch_testing
from launch_testing.asserts import assertExitCodes
import numpy as np
import pytest
from rclpy.qos import qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import LaserScan

MISSING = [name for name in ('gazebo_ros', 'turtlebot3_gazebo') if package_share(name) is None]
RADIUS, BODY = 0.105, 0.25
"""Radii of the robot in Gazebo and of a person [m]."""
PEOPLE = [mover.name for mover in find_world('crowd').movers]


@pytest.mark.launch_test
@pytest.mark.ros
@pytest.mark.slow
@pytest.mark.gazebo
@pytest.mark.skipif(bool(MISSING), reason=f'not installed: {", ".join(MISSING)}')
def generate_test_description():
    return launch('gazebo_demo.launch.py', world='crowd', model='burger', headless='true')


class TestCrowd(unittest.TestCase):

    @classmethod
    def setUpClass(cls, stack):
        stack.wait_until_active(timeout=STARTS)
        cls.states = stack.listen(ModelStates, '/gazebo/model_states')
        stack.wait(lambda: cls.states and 'burger' in cls.states[-1].name)

    def test_people_walk_as_fast_as_in_the_embedded_simulator(self, stack):
        clock = stack.listen(Clock, '/clock', qos_profile_sensor_data)
        stack.wait(lambda: clock)
        began, before = seconds(clock[-1]), places(self.states[-1])
        del self.states[:]
        stack.wait(lambda: len(self.states) > 100, timeout=60.0)
        took = seconds(clock[-1]) - began
        ways = {name: np.array([places(message)[name].position for message in self.states])
                for name in PEOPLE}
        lengths = {name: np.hypot(*np.diff(way, axis=0).T).sum() for name, way in ways.items()}
        assert sum(length > 0.4 * took for length in lengths.values()) >= 4
        assert all(length < 1.6 * (took + 0.5) for length in lengths.values())
        assert sum(math.dist(before[name].position, ways[name][-1]) > 0.3 for name in PEOPLE) >= 4

    def test_lidar_sees_moving_people(self, stack):
        scans = stack.listen(LaserScan, 'scan', qos_profile_sensor_data)
        stack.wait(lambda: len(scans) > 30, timeout=60.0)
        finite = np.array([[min(value, 9.0) for value in scan.ranges] for scan in scans])
        assert (np.ptp(finite, axis=0) > 0.3).sum() > 10
        assert (np.ptp(finite, axis=0) < 0.15).sum() > 50

    def test_goal_is_reached_without_touching_people(self, stack):
        contacts = Contacts(self.states, stack.listen(Twist, 'cmd_vel'))
        sent = stack.send(0.7, 7.0)
        stack.wait(lambda: contacts.count() or sent.has_ended, timeout=200.0)
        assert sent.end()[1] == 'REACHED'
        assert contacts.moving == contacts.standing == 0
        assert math.dist(contacts.robot.position, (0.7, 7.0)) < 0.15

    # The last test, because people continue to walk and push the robot.
    def test_robot_drives_through_the_crowd_without_a_contact(self, stack):
        contacts = Contacts(self.states, stack.listen(Twist, 'cmd_vel'))
        sent = stack.send(9.3, 4.0)
        stack.wait(lambda: contacts.count() or sent.has_ended, timeout=300.0)
        _, outcome, message = sent.end()
        print(f'{outcome} {message}: {contacts.moving} contacts while the robot moved, '
              f'{contacts.standing} while it stood, least distance {contacts.least:.2f} m')
        assert sent.result.path_length > 0.5 and contacts.moving == 0


@launch_testing.post_shutdown_test()
class TestEnd(unittest.TestCase):

    @classmethod
    def tearDownClass(cls, stack):
        stack.close()

    def test_navigator_and_movers_exit_cleanly(self, proc_info, proc_output):
        for process in ('bug_navigator', 'bug_movers'):
            assertExitCodes(proc_info, process=process)
        assert 'Traceback' not in text_of(proc_output)


class Contacts:
    """Counter of contacts between robot and people, by ground truth."""

    def __init__(self, states, commands):
        """Store the lists of received messages."""
        self._states, self._commands = states, commands
        self.moving = self.standing = 0
        self.least = math.inf
        self._touching = set()

    def count(self):
        """Process the messages received since the last call."""
        if not self._states:
            return
        found = places(self._states[-1])
        self.robot = found['burger']
        twist = self._commands[-1] if self._commands else Twist()
        for name in PEOPLE:
            gap = math.dist(found['burger'].position, found[name].position) - RADIUS - (
                0.2 if name in ('ben', 'dan') else BODY)
            self.least = min(self.least, gap)
            if gap < 0.0 and name not in self._touching:
                self._touching.add(name)
                self.moving += abs(twist.linear.x) > 0.01
                self.standing += abs(twist.linear.x) <= 0.01
            elif gap > 0.05:
                self._touching.discard(name)


def seconds(message):
    """Return the time of a clock message [s]."""
    return message.clock.sec + 1e-9 * message.clock.nanosec


def places(message):
    """Return the poses of models by name."""
    return dict(zip(message.name, map(planar, message.pose)))
