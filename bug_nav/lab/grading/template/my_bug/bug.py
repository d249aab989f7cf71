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

"""A Bug algorithm to complete: it follows walls to the goal, but leaves them too early (Bug0)."""
import math

from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from std_srvs.srv import SetBool

NEAR, SPEED, TURN = 0.35, 0.18, 0.9  # distance from walls [m], speed [m/s], turning [rad/s]


class Bug(Node):

    def __init__(self):
        super().__init__('bug')
        self.goal = [self.declare_parameter(name, 0.0).value for name in ('goal_x', 'goal_y')]
        self.scan = self.pose = None
        self.following = False
        self.pub = self.create_publisher(Twist, 'cmd_vel', 10)
        self.create_subscription(LaserScan, 'scan', lambda msg: setattr(self, 'scan', msg), 10)
        self.create_subscription(Odometry, 'odom', self.on_odom, 10)
        self.create_service(SetBool, 'follow_wall', self.on_follow_wall)
        self.create_timer(0.1, self.decide)

    def on_odom(self, msg):
        p, q = msg.pose.pose.position, msg.pose.pose.orientation
        self.pose = p.x, p.y, 2.0 * math.atan2(q.z, q.w)

    def on_follow_wall(self, request, response):
        self.following, response.success = request.data, True
        return response

    def nearest(self, low, high):
        """Return the smallest range between two angles [degrees], to the left of ahead."""
        turn = 2.0 * math.pi
        return min((r for k, r in enumerate(self.scan.ranges) if low <= math.degrees(
            (self.scan.angle_min + k * self.scan.angle_increment + math.pi) % turn - math.pi)
            <= high and self.scan.range_min < r < math.inf), default=math.inf)

    def decide(self):
        if self.scan is None or self.pose is None:
            return
        x, y, yaw = self.pose
        distance = math.hypot(self.goal[0] - x, self.goal[1] - y)
        error = math.remainder(math.atan2(self.goal[1] - y, self.goal[0] - x) - yaw, math.tau)
        front, right = self.nearest(-30, 30), self.nearest(-110, -20)
        if distance < 0.1:
            return self.drive(0.0, 0.0)
        if front < NEAR and abs(error) < 0.6:
            self.following = True  # TODO: store the hit point
        elif self.following and self.nearest(
                math.degrees(error) - 30, math.degrees(error) + 30) > 2.0 * NEAR:
            self.following = False  # TODO: this is Bug0; leave where your algorithm says
        if not self.following:
            return self.drive(SPEED if abs(error) < 0.3 else 0.0, 2.0 * error)
        if front < NEAR:
            return self.drive(0.0, TURN)
        self.drive(0.8 * SPEED, -2.5 * (min(right, NEAR + 0.4) - NEAR))

    def drive(self, v, w):
        msg = Twist()
        msg.linear.x, msg.angular.z = v, max(-TURN, min(TURN, w))
        self.pub.publish(msg)


def main():
    rclpy.init()
    try:
        rclpy.spin(Bug())
    except KeyboardInterrupt:
        pass


if __name__ == '__main__':
    main()
