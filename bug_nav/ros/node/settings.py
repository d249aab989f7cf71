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

"""
The parameters of the node itself, besides those of the navigator and of the algorithms.

This module imports no ROS, because the parameters page is generated without it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Tuple

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.parameters import parameter, ParameterSet


@dataclasses.dataclass(frozen=True)
class NodeSettings(ParameterSet):
    """Read-only parameters, set when the node starts."""

    autostart: bool = parameter(False, 'configure and activate at the start')
    navigate_to_pose: bool = parameter(
        False, "also serve Nav2's action navigate_to_pose, if no Nav2 serves it")
    controller_frequency: float = parameter(
        20.0, 'rate of the control loop', unit='Hz', low=1.0, high=100.0)
    feedback_rate: float = parameter(
        10.0, 'rate of feedback, which is also sent when the state changes; `ros2 action '
        'send_goal -f` prints it all', unit='Hz', low=0.1, high=20.0)
    global_frame: str = parameter(
        'odom', 'frame of goals without one, of results and of markers')
    robot_base_frame: str = parameter('base_footprint', "the robot's own frame")
    odom_topic: str = parameter('odom', 'odometry in (nav_msgs/Odometry)')
    scan_topic: str = parameter('scan', 'scans in (sensor_msgs/LaserScan)')
    range_topics: str = parameter(
        '', 'topics of single range sensors (sensor_msgs/Range), separated by commas, for a '
        'robot without a scan; sensing must be rangers')
    imu_topic: str = parameter(
        'imu', 'orientation of an IMU (sensor_msgs/Imu), by which a tilt is detected that planar '
        'odometry hides; empty for none')
    bumper_topic: str = parameter(
        '', 'contacts of a bumper (std_msgs/Bool), which end the goal; empty for none')
    enable_stamped_cmd_vel: bool = parameter(
        False, 'send TwistStamped instead of Twist on cmd_vel')
    use_stop_process: bool = parameter(
        True, 'start the stop process, which stops the robot when the node hangs, is suspended or '
        'dies')
    transform_tolerance: float = parameter(
        0.1, 'maximum age of a transform; with an older one, the robot waits', unit='s',
        low=0.0, high=10.0)
    use_tf: bool = parameter(
        True, "take the transforms of /tf and /tf_static; otherwise, the lidar's mount is "
        'scan_offset_*, and goals are in the global frame')
    scan_offset_x: float = parameter(
        -0.032, "the lidar's position ahead of the robot's frame, without use_tf", unit='m',
        low=-5.0, high=5.0)
    scan_offset_y: float = parameter(
        0.0, "the lidar's position to the left, without use_tf", unit='m', low=-5.0, high=5.0)
    scan_offset_yaw: float = parameter(
        0.0, "the lidar's heading, without use_tf", unit='rad', low=-math.pi, high=math.pi)
    scan_upside_down: bool = parameter(
        False, 'the lidar is mounted upside down, without use_tf')
    range_offsets: str = parameter(
        '', "pose of each of range_topics in the robot's frame, without use_tf: x y yaw [m, rad], "
        'separated by commas')

    def __post_init__(self) -> None:
        """Check every field, and that range_offsets has one entry per range topic."""
        super().__post_init__()
        for name in ('global_frame', 'robot_base_frame'):
            if not getattr(self, name).strip():
                raise ValueError(f'{name} is empty; give the name of a frame')
        if self.range_offsets and len(self.ranger_mounts) != len(self.ranger_topics):
            raise ValueError(f'range_offsets has {len(self.ranger_mounts)} poses and '
                             f'range_topics {len(self.ranger_topics)} topics; give one pose per '
                             'topic')

    @property
    def ranger_topics(self) -> Tuple[str, ...]:
        """Return the topics of single range sensors."""
        return tuple(filter(None, (topic.strip() for topic in self.range_topics.split(','))))

    @property
    def ranger_mounts(self) -> Tuple[Pose, ...]:
        """Return the poses of those sensors without transforms."""
        return tuple(map(_place, filter(None, self.range_offsets.split(','))))

    @property
    def mount(self) -> Mount:
        """Return the lidar's mount without transforms."""
        return Mount(Pose(self.scan_offset_x, self.scan_offset_y, self.scan_offset_yaw),
                     self.scan_upside_down)


@dataclasses.dataclass(frozen=True)
class GoalDefaults(ParameterSet):
    """Defaults for values that a goal leaves empty."""

    algorithm: str = parameter('bug2', 'algorithm of goals without one')
    pause_timeout: float = parameter(
        600.0, 'maximum pause of a simulation, after which the goal ends', unit='s', low=0.1,
        high=86400.0)


def _place(text: str) -> Pose:
    try:
        x, y, yaw = map(float, text.split())
    except ValueError:
        raise ValueError(f'range_offsets has {text.strip()!r}; give x y yaw for each of '
                         'range_topics, with commas between them') from None
    if not all(map(math.isfinite, (x, y, yaw))):
        raise ValueError(f'range_offsets has {text.strip()!r}; give finite numbers')
    return Pose(x, y, yaw)
