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

"""QoS profiles."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Late subscribers receive the last message."""
STATIC_TRANSFORMS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Late subscribers receive the last static transforms of each broadcaster."""
SENSOR_OUTPUT = QoSProfile(depth=5, reliability=ReliabilityPolicy.RELIABLE)
"""
Sensor data of a simulator: every subscriber matches, reliable or best effort.

As ``SensorDataQoS().reliable()`` in the ray sensor of gazebo_ros_pkgs, which TurtleBot3's models
for Gazebo classic use. The drivers of the real LDS publish best effort, as ``SensorDataQoS()``.
"""


def recording_profile(depth: int, reliable: bool, latched: bool) -> QoSProfile:
    """Return the profile of a subscription that records a topic."""
    return QoSProfile(
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE)
