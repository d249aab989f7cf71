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

"""Topics of a recording: names, types and quality of service, as in the nodes."""

from __future__ import annotations

from typing import NamedTuple

KEEP_LAST, RELIABLE, BEST_EFFORT, TRANSIENT_LOCAL, VOLATILE, AUTOMATIC = 1, 1, 2, 1, 2, 1
"""Numbers of the QoS policies in rmw; rosbag2 of Humble and later reads numbers."""
FOREVER = '{sec: 9223372036, nsec: 854775807}'


class Topic(NamedTuple):
    """A topic."""

    name: str
    datatype: str
    depth: int = 10
    reliable: bool = True
    latched: bool = False
    """Whether late subscribers get the last message (transient local)."""

    @property
    def qos(self) -> str:
        """Return the QoS profile in the format of rosbag2, which ``ros2 bag play`` offers."""
        return '\n'.join((
            f'- history: {KEEP_LAST}',
            f'  depth: {self.depth}',
            f'  reliability: {RELIABLE if self.reliable else BEST_EFFORT}',
            f'  durability: {TRANSIENT_LOCAL if self.latched else VOLATILE}',
            f'  deadline: {FOREVER}',
            f'  lifespan: {FOREVER}',
            f'  liveliness: {AUTOMATIC}',
            f'  liveliness_lease_duration: {FOREVER}',
            '  avoid_ros_namespace_conventions: false'))


SCAN = Topic('/scan', 'sensor_msgs/msg/LaserScan', depth=5)
ODOM = Topic('/odom', 'nav_msgs/msg/Odometry')
TF = Topic('/tf', 'tf2_msgs/msg/TFMessage', depth=100)
TF_STATIC = Topic('/tf_static', 'tf2_msgs/msg/TFMessage', depth=1, latched=True)
CMD_VEL = Topic('/cmd_vel', 'geometry_msgs/msg/Twist', depth=1)
MARKERS = Topic('/bug_navigator/markers', 'visualization_msgs/msg/MarkerArray', depth=1,
                latched=True)
PATH = Topic('/bug_navigator/path', 'nav_msgs/msg/Path', depth=1, latched=True)
STATE = Topic('/bug_navigator/state', 'std_msgs/msg/String', depth=1, latched=True)
"""Stack of states when it changes, and the outcome; the node only sends it as feedback."""
GROUND_TRUTH = Topic('/ground_truth', 'geometry_msgs/msg/PoseStamped')
"""True pose of the robot, if odometry drifts."""


def ranger(name: str) -> Topic:
    """Return the topic of a single ranger."""
    return Topic(f'/range/{name}', 'sensor_msgs/msg/Range', depth=5)
