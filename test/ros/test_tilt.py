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

"""A robot that has driven onto something low."""

import math
from types import SimpleNamespace

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.perception.sensor_queue import SensorQueue
from bug_nav.ros.node.frames import FixedFrames
from bug_nav.ros.node.polled_subscriptions import Arrival
from bug_nav.ros.node.sensors import Sensors
from bug_nav.ros.node.settings import NodeSettings
from bug_nav.ros.node.tilt import Tilt, TiltMonitor
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry
import pytest
from sensor_msgs.msg import Imu, LaserScan, Range
from transforms3d.euler import euler2quat
from transforms3d.quaternions import qmult

pytestmark = pytest.mark.ros


def tilt_after(*degrees):
    tilt = Tilt()
    for stamp, angle in enumerate(degrees):
        tilt.add(stamp, math.radians(angle))
    return tilt


@pytest.mark.parametrize('degrees, has_tipped', [
    ((0, 4), False), ((0, 8), False), ((0, 12), True), ((12, 8), True), ((12, 8, 4), False),
    ((12, 4, 8), False)])
def test_robot_has_tipped_until_it_is_level_again(degrees, has_tipped):
    assert tilt_after(*degrees).has_tipped == has_tipped


@pytest.mark.parametrize('stamp, is_used', [(0.9, False), (1.0, False), (1.1, True)])
def test_scan_that_began_before_the_robot_was_level_is_rejected(stamp, is_used):
    tilt = tilt_after(0, 7, 1)
    if is_used:
        return tilt.check_scan(stamp)
    with pytest.raises(ValueError, match='tilted by 7 degrees; at most 5 degrees are allowed'):
        tilt.check_scan(stamp)


def test_scan_of_a_tilted_robot_is_rejected():
    with pytest.raises(ValueError, match='tilted by 6 degrees'):
        tilt_after(0, 6).check_scan(5.0)


def test_scan_of_a_level_robot_is_used():
    tilt_after(0, 4).check_scan(1.0)


MOUNTS = [(0.0, 0.0, 0.0), (math.pi, 0.0, 0.5), (0.0, -math.pi / 2.0, 0.0)]
"""Roll, pitch and yaw of IMUs: as the robot, upside down, and standing on its edge."""


def orientation(*quaternions):
    """Return the product of quaternions (w, x, y, z)."""
    product = (1.0, 0.0, 0.0, 0.0)
    for each in quaternions:
        product = qmult(product, each)
    return Quaternion(**{axis: float(value) for axis, value in zip('wxyz', product)})


def imu(*quaternions, covariance=0.0):
    message = Imu(orientation=orientation(*quaternions))
    message.orientation_covariance[0] = covariance
    return message


@pytest.mark.parametrize('mount', MOUNTS)
@pytest.mark.parametrize('roll, pitch, has_tipped', [
    (0.0, 0.0, False), (0.0, 0.1, False), (0.0, 0.2, True), (-0.2, 0.0, True)])
def test_imu_in_any_mount_detects_a_tilt(mount, roll, pitch, has_tipped):
    monitor = TiltMonitor()
    monitor.add_imu(0.0, imu(euler2quat(0.0, 0.0, 1.0), euler2quat(*mount)))
    monitor.add_imu(1.0, imu(euler2quat(roll, pitch, 2.5), euler2quat(*mount)))
    monitor.add_odometry(1.1, orientation())  # planar
    assert monitor.has_tipped == has_tipped


@pytest.mark.parametrize('message', [
    imu(euler2quat(0.0, 0.5, 0.0), covariance=-1.0),
    Imu(orientation=Quaternion(x=0.0, y=0.0, z=0.0, w=0.0)),
    Imu(orientation=Quaternion(x=math.nan, y=0.0, z=0.0, w=1.0))])
def test_imu_without_an_orientation_is_ignored(message):
    monitor = TiltMonitor()
    monitor.add_imu(0.0, imu())
    monitor.add_imu(1.0, message)
    assert not monitor.has_tipped
    monitor.check_scan(0.5)


def test_odometry_and_imu_must_both_be_level():
    monitor = TiltMonitor()
    monitor.add_imu(0.0, imu())
    monitor.add_odometry(1.0, orientation(euler2quat(0.0, 0.3, 0.0)))
    monitor.add_imu(1.1, imu())
    assert monitor.has_tipped
    with pytest.raises(ValueError, match='tilted by 17 degrees'):
        monitor.check_scan(1.2)


@pytest.mark.parametrize('value', [math.nan, math.inf, 0.0])
def test_orientation_that_is_none_is_no_tilt(value):
    monitor = TiltMonitor()
    monitor.add_odometry(1.0, Quaternion(x=value, y=value, z=value, w=value))
    assert not monitor.has_tipped
    monitor.check_scan(1.0)


class Inputs:
    """Sensors whose messages a test hands over, and the queue of a goal that receives them."""

    def __init__(self, **parameters):
        """Start without messages."""
        self.handlers, self.now, settings = {}, 0.0, NodeSettings(**parameters)
        node = SimpleNamespace(get_logger=lambda: SimpleNamespace(
            info=print, warning=lambda text, throttle_duration_sec: print(text)),
                               get_clock=lambda: SimpleNamespace(ros_time_is_active=True))
        self.sensors = Sensors(node, settings, FixedFrames(Mount(), dict(zip(
            settings.ranger_topics, settings.ranger_mounts))), self,
                               lambda: self.now)
        self.queue = SensorQueue()
        self.sensors.on_pose, self.sensors.on_scan = self.queue.add_pose, self.queue.add_scan
        self.sensors.on_tilt = self.queue.drop_waiting

    def subscribe(self, kind, topic, handler, on_skipped=None):
        self.handlers[topic] = handler

    def send(self, topic, message, stamp):
        self.now = stamp
        message.header.stamp.sec, message.header.stamp.nanosec = 1, round(stamp * 1e9)
        self.handlers[topic](message, Arrival(stamp, 0.0))


@pytest.mark.parametrize('pitch, count', [(0.0, 1), (math.radians(7.0), 0)])
def test_scan_that_waits_for_odometry_is_dropped_if_the_robot_tilts_meanwhile(pitch, count):
    inputs = Inputs()
    inputs.send('odom', Odometry(child_frame_id='base_footprint'), 0.0)
    inputs.send('imu', imu(), 0.0)
    inputs.send('scan', LaserScan(
        angle_max=2.0 * math.pi - 0.1, angle_increment=0.1, time_increment=0.001, range_min=0.1,
        range_max=3.5, ranges=[1.0] * 62), 0.1)
    inputs.send('imu', imu(euler2quat(0.0, pitch, 0.0)), 0.18)
    inputs.send('odom', Odometry(child_frame_id='base_footprint'), 0.2)
    assert len(inputs.sensors.scans) == len(inputs.queue.ready(0.2)) == count


def test_readings_of_rangers_are_missing_with_the_reason_while_the_robot_is_tilted():
    inputs = Inputs(range_topics='front', range_offsets='0 0 0')
    reading = Range(field_of_view=0.3, min_range=0.02, max_range=2.0, range=1.0)
    for topic, message, stamp in (
            ('odom', Odometry(child_frame_id='base_footprint'), 0.0), ('imu', imu(), 0.0),
            ('front', reading, 0.1), ('imu', imu(euler2quat(0.0, 0.3, 0.0)), 0.2),
            ('front', reading, 0.3), ('front', reading, 0.9)):
        inputs.send(topic, message, stamp)
    arrivals = inputs.sensors.scan_arrivals
    assert arrivals.missing > 0.7 and 'the robot is tilted by 17 degrees' in arrivals.reason
    assert not inputs.sensors.scans
    inputs.send('imu', imu(), 0.95)
    inputs.send('front', reading, 0.98)
    assert len(inputs.sensors.scans) == 1
