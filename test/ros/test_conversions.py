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

"""Conversion between messages and types of the core."""

import math

from bug_nav.messages import sensor_messages
from bug_nav.messages.sensor_messages import (
    Mount,
    mount_from_matrix,
    scan_from_message,
    transform_matrix,
)
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.perception.beams import obstacle_points
from bug_nav.navigation.types import Scan, Twist
from bug_nav.ros import conversions
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Pose as PoseMsg
from geometry_msgs.msg import Quaternion, Transform
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from sensor_msgs.msg import LaserScan
from transforms3d.euler import euler2quat

pytestmark = pytest.mark.ros


def quaternion(roll, pitch, yaw):
    w, x, y, z = euler2quat(roll, pitch, yaw)
    return Quaternion(x=x, y=y, z=z, w=w)


def transform(x=0.0, y=0.0, roll=0.0, pitch=0.0, yaw=0.0):
    message = Transform(rotation=quaternion(roll, pitch, yaw))
    message.translation.x, message.translation.y = x, y
    return message


def laser_scan(ranges, angle_min=0.0, increment=0.1, range_min=0.1, range_max=4.0):
    return LaserScan(ranges=np.array(ranges, dtype=np.float32), angle_min=angle_min,
                     angle_max=angle_min + increment * (len(ranges) - 1),
                     angle_increment=increment, range_min=range_min, range_max=range_max)


@pytest.mark.parametrize('stamp, message', [
    (0.0, Time()), (12.25, Time(sec=12, nanosec=250_000_000)),
    (0.9999999999, Time(sec=1, nanosec=0)), (-1.0, Time())])
def test_time_is_rounded_and_never_negative(stamp, message):
    assert conversions.to_time(stamp) == message


def test_durations_are_converted_both_ways():
    assert conversions.to_duration(1.5) == Duration(sec=1, nanosec=500_000_000)
    assert sensor_messages.seconds(Duration(sec=-2, nanosec=500_000_000)) == -1.5


@pytest.mark.parametrize('angle', [0.0, 1.0, -2.5, math.pi / 2, 3.1])
def test_yaw_survives_a_round_trip(angle):
    q = conversions.to_quaternion(angle)
    assert sensor_messages.yaw(q) == pytest.approx(angle)
    assert (q.x, q.y) == (0.0, 0.0)  # not transforms3d's order


def test_pose_that_is_not_finite_is_rejected():
    message = conversions.to_pose(Pose(1.0, 2.0, 0.5))
    assert sensor_messages.planar(message) == pytest.approx((1.0, 2.0, 0.5))
    message.position.y = math.inf
    with pytest.raises(ValueError, match='not finite: position .1.0, inf.'):
        sensor_messages.planar(message)


@pytest.mark.parametrize('q, align, asked', [
    (Quaternion(x=0.0, y=0.0, z=0.0, w=0.0), False, None), (Quaternion(), False, None),
    (Quaternion(), True, 0.0), (Quaternion(x=0.0, y=0.0, z=0.0, w=0.0), True, 0.0),
    (quaternion(0.0, 0.0, 1.0), False, 1.0)])
def test_default_orientation_requests_a_yaw_only_with_align_yaw(q, align, asked):
    assert conversions.requested_yaw(PoseMsg(orientation=q), align) == (
        None if asked is None else pytest.approx(asked))


@pytest.mark.parametrize('q', [
    Quaternion(x=0.0, y=0.0, z=1.57, w=0.0), Quaternion(x=0.0, y=0.0, z=3.0, w=3.0)])
def test_goal_with_an_orientation_that_is_no_quaternion_is_rejected(q):
    with pytest.raises(ValueError, match=r'allowed is 1; for a yaw t, z is sin'):
        conversions.requested_yaw(PoseMsg(orientation=q), False)


@pytest.mark.parametrize('yaw', [0.0, 1.0, math.pi / 2, -3.0])
@pytest.mark.parametrize('roll', [0.0, math.pi])
def test_position_of_a_wall_does_not_depend_on_the_mount_of_the_lidar(roll, yaw):
    wall = math.radians(30.0), 2.0  # in the robot's frame: bearing and distance
    placed = transform(0.1, -0.2, roll=roll, yaw=yaw)
    mount = mount_from_matrix(transform_matrix(placed))
    dx = wall[1] * math.cos(wall[0]) - 0.1
    dy = wall[1] * math.sin(wall[0]) + 0.2
    bearing = math.atan2(dy, dx) - yaw
    beam = -bearing if roll else bearing  # beams of an upside-down lidar run the other way
    message = laser_scan([math.hypot(dx, dy), math.inf], angle_min=beam)
    point, = obstacle_points(scan_from_message(message, mount, 0.0))
    assert point == pytest.approx(
        (wall[1] * math.cos(wall[0]), wall[1] * math.sin(wall[0])), abs=1e-5)


def test_beams_of_a_clockwise_lidar_turn_right():
    scan = scan_from_message(laser_scan([1.0, 1.0], angle_min=0.0, increment=-math.pi / 2),
                             Mount(), 0.0)
    assert obstacle_points(scan)[1] == pytest.approx((0.0, -1.0), abs=1e-6)


def test_tilted_lidar_is_rejected():
    assert mount_from_matrix(transform_matrix(transform(pitch=0.1))).upside_down is False
    with pytest.raises(ValueError, match='tilted by 29 degrees'):
        mount_from_matrix(transform_matrix(transform(pitch=0.5)))


@pytest.mark.parametrize('message, words', [
    (laser_scan([]), '0 beams'), (laser_scan([1.0]), '1 beams'),
    (laser_scan([1.0, 1.0], increment=0.0), '2 beams, 0 rad apart'),
    (laser_scan([1.0, 1.0], angle_min=math.nan), 'angle_min nan; it must be finite'),
    (laser_scan([1.0, 1.0], range_max=0.05), 'must be larger than range_min'),
], ids=['empty', 'one', 'increment', 'nan', 'limits'])
def test_invalid_scan_is_rejected(message, words):
    with pytest.raises(ValueError, match=words):
        scan_from_message(message, Mount(), 0.0)


@pytest.mark.parametrize('count', [359, 360, 361])
def test_scan_with_one_beam_more_or_less_than_its_angles_imply_is_accepted(count):
    message = laser_scan([1.0] * count, 0.0, math.radians(1.0))
    for degrees in (359.0, 360.0):
        message.angle_max = math.radians(degrees)
        assert len(scan_from_message(message, Mount(), 0.0).ranges) == count


@pytest.mark.parametrize('count, first, last, step, words', [
    (240, 0.0, 359.0, 1.0, 'angles are those of 360 beams'),
    (360, -1e4, -1e4 + 359.0, 1.0, 'a full turn'), (720, 0.0, 719.0, 1.0, 'more than a full turn'),
    (360, 0.0, -359.0, 1.0, 'its sign must be'), (360, 0.0, 359.0, -1.0, 'its sign must be'),
    (360, 0.0, math.inf, 1.0, 'angle_max inf; it must be finite')])
def test_scan_with_inconsistent_angles_is_rejected(count, first, last, step, words):
    message = laser_scan([1.0] * count, math.radians(first), math.radians(step))
    message.angle_max = math.radians(last)
    with pytest.raises(ValueError, match=words):
        scan_from_message(message, Mount(), 0.0)


def test_scan_with_too_many_beams_is_rejected():
    message = laser_scan([1.0] * 100_000, increment=6e-5)
    with pytest.raises(ValueError, match='100000 beams; at most 10000'):
        scan_from_message(message, Mount(), 0.0)


@pytest.mark.parametrize('q, fine', [
    ((0.0, 0.0, 0.0, 0.0), False), ((0.0, 0.0, 0.0, 1e200), False), ((0.0, 0.0, 0.8, 0.0), False),
    ((0.0, 0.0, 0.0, 1.2), False), ((0.0, 0.0, 0.74, 0.74), True), ((0.0, 0.0, -0.95, 0.0), True)])
def test_odometry_with_an_invalid_quaternion_is_rejected(q, fine):
    message = Odometry()
    message.pose.pose.orientation = Quaternion(**dict(zip('xyzw', q)))
    if fine:
        sensor_messages.odometry_pose(message)
        return
    with pytest.raises(ValueError, match='its orientation .* is a quaternion of length'):
        sensor_messages.odometry_pose(message)


@pytest.mark.parametrize('roll, pitch, tilt', [
    (0.3, 0.0, 17), (0.0, -0.5, 29), (math.pi, 0.0, 180)])
def test_odometry_of_a_robot_that_tips_is_rejected(roll, pitch, tilt):
    message = Odometry()
    message.pose.pose.orientation = quaternion(roll, pitch, 1.0)
    with pytest.raises(ValueError, match=f'tilted by {tilt} degrees; at most 10 degrees'):
        sensor_messages.odometry_pose(message)
    message.pose.pose.orientation = quaternion(0.1, -0.1, 1.0)  # a ramp, or a soft suspension
    assert sensor_messages.odometry_pose(message).theta == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize('x', [1e8, -1e308, math.nan])
def test_implausible_odometry_is_rejected(x):
    message = Odometry()
    message.pose.pose.position.x = x
    with pytest.raises(ValueError, match='are allowed|finite'):
        sensor_messages.odometry_pose(message)


@pytest.mark.parametrize('count', [240, 360, 359, 628])
def test_scan_survives_a_round_trip(count):
    scan = Scan(1.5, np.linspace(0.5, 3.0, count), -1.0, 0.01, 0.12, 3.5, Pose(0.1, 0.0, 0.0))
    message = conversions.to_laser_scan(scan, 'base_scan', 0.2)
    assert message.angle_max == pytest.approx(-1.0 + 0.01 * (count - 1))
    stamp = sensor_messages.seconds(message.header.stamp)
    back = scan_from_message(message, Mount(scan.mount), stamp)
    assert back.ranges == pytest.approx(scan.ranges, abs=1e-6)
    assert (back.stamp, back.mount, len(back.ranges)) == (1.5, scan.mount, count)


def test_twist_is_converted():
    message = conversions.to_twist(Twist(np.float64(0.2), 1))
    assert (message.linear.x, message.angular.z) == (0.2, 1.0)
