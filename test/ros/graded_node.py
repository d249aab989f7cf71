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

"""A node to be graded, which drives to its goal, or makes the mistake that its argument names."""

import math
import os
import signal
import subprocess
import sys

MISTAKE = sys.argv[1]
if MISTAKE == 'other_domain':
    os.environ['ROS_DOMAIN_ID'] = '101'

from geometry_msgs.msg import Point, PoseStamped, Twist, TwistStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from nav_msgs.srv import GetPlan  # noqa: E402
import rclpy  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from sensor_msgs.msg import LaserScan  # noqa: E402
from std_msgs.msg import String  # noqa: E402


class Driver(Node):
    """Drives to the goal by odometry."""

    def __init__(self):
        """Subscribe and publish, with the mistake if it is one of these."""
        super().__init__('driver')
        self.goal = tuple(map(float, sys.argv[2:4])) if len(sys.argv) > 3 else None
        self.count = 0
        kind = TwistStamped if MISTAKE in ('stamped', 'wrong_type') else Twist
        self.pub = self.create_publisher(
            kind, 'cmd_vel' if MISTAKE != 'wrong_topic' else 'robot/cmd_vel',
            qos_profile_sensor_data if MISTAKE == 'best_effort' else 10)
        self.create_subscription(Odometry, 'odom', self.on_odom, 10)
        self.create_subscription(LaserScan, 'scan', lambda message: None, 10)
        self.create_subscription(Point, 'goal_point', self.on_point, 10)
        self.create_subscription(
            PoseStamped, 'goal_pose', lambda message: self.on_point(message.pose.position), 10)
        self.status = self.create_publisher(String, 'status', 10)
        self.create_service(GetPlan, 'plan', self.on_plan)
        self.declare_parameter('goal_x', math.nan)
        self.declare_parameter('goal_y', math.nan)

    def on_point(self, point):
        """Take a goal."""
        self.goal = point.x, point.y

    def on_plan(self, request, response):
        """Take a goal by a service."""
        self.on_point(request.goal.pose.position)
        return response

    def on_odom(self, message):
        """Send a command."""
        values = [self.get_parameter(name).value for name in ('goal_x', 'goal_y')]
        if not any(map(math.isnan, values)):
            self.goal = tuple(values)
        if self.goal is None or MISTAKE == 'silent':
            return
        self.count += 1
        p, q = message.pose.pose.position, message.pose.pose.orientation
        away = math.dist((p.x, p.y), self.goal)
        error = math.atan2(self.goal[1] - p.y, self.goal[0] - p.x) - 2.0 * math.atan2(q.z, q.w)
        v, w = (0.0, 0.0) if away < 0.1 else (0.2, math.remainder(error, math.tau))
        if MISTAKE == 'never_stops':
            v, w = 0.2, 0.0
        elif MISTAKE == 'nan':
            v = math.nan
        elif MISTAKE == 'crash' and self.count > 20:
            raise RuntimeError('index out of range')
        elif MISTAKE == 'flood':
            print('x' * 50_000)
        elif MISTAKE == 'gives_up' and self.count > 20:
            self.get_logger().info('the goal is unreachable')
        elif MISTAKE == 'reports' and self.count > 20:
            self.status.publish(String(data='no path to the goal'))
        stamped = hasattr(self.pub.msg_type(), 'twist')
        out = self.pub.msg_type()
        twist = out.twist if stamped else out
        twist.linear.x, twist.angular.z = v, w
        self.pub.publish(out)


def main():
    """Run the node."""
    if MISTAKE == 'no_node':
        signal.pause()
    if MISTAKE == 'ignores_signals':
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        subprocess.Popen([sys.executable, '-c', 'import os, time; os.setsid(); '
                          f'open({sys.argv[4]!r}, "w").write(f"{{os.getpid()}} {os.getpid()}"); '
                          'time.sleep(600)'])
        rclpy.init(signal_handler_options=rclpy.signals.SignalHandlerOptions.NO)
    else:
        rclpy.init()
    rclpy.spin(Driver())


if __name__ == '__main__':
    main()
