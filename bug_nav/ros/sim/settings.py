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

"""The parameters of the simulator's node, named as in Nav2's loopback simulator if it has them."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Dict, Tuple

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.settings import RobotModel
from bug_nav.simulation.robots import ROBOTS
from bug_nav.simulation.sensors import LidarModel

_NAME = re.compile('[A-Za-z][A-Za-z0-9_]*')


@dataclasses.dataclass(frozen=True)
class SimSettings(ParameterSet):
    """Read-only parameters, set when the node starts."""

    world: str = parameter('demo', 'the name of a shipped world, a world file, or a random world '
                           'such as random:cluttered?seed=7')
    robot: str = parameter(
        'burger', 'a robot that `bug_nav robots` lists, with the defaults of other parameters',
        choices=tuple(ROBOTS))
    x_pose: float = parameter(math.nan, "x of the robot's start; nan for the world's start",
                              unit='m')
    y_pose: float = parameter(math.nan, "y of the robot's start; nan for the world's start",
                              unit='m')
    yaw: float = parameter(math.nan, "heading of the robot's start; nan for the world's start",
                           unit='rad')
    robots: str = parameter(
        '', 'several robots, each with its own namespace and frames: name x y yaw [m, rad], '
        'separated by commas; empty: one robot, as above')
    update_duration: float = parameter(
        0.05, 'step of the simulation', unit='s', low=0.005, high=0.05)
    real_time_factor: float = parameter(
        1.0, 'simulated time per real time; 0: as fast as the navigator can drive',
        low=0.0, high=100.0)
    base_frame_id: str = parameter('base_footprint', "the robot's frame")
    odom_frame_id: str = parameter(
        'odom', "odometry's frame; without odometry drift, it coincides with the world's frame")
    map_frame_id: str = parameter(
        'map', "the world's frame, in which a localizer corrects odometry; see localizer_period")
    scan_frame_id: str = parameter('base_scan', "the lidar's frame")
    enable_stamped_cmd_vel: bool = parameter(
        False, 'expect TwistStamped instead of Twist on cmd_vel')
    contact: str = parameter(
        'hold', 'reaction of a robot that drives into an obstacle: it is held until it turns '
        'away, or slides along it, as in Gazebo', choices=('hold', 'slide'))
    command_timeout: float = parameter(
        1.0, 'time after which a robot without a new command stops; 0: it drives on, as in Gazebo '
        'classic', unit='s', low=0.0, high=100.0)
    seed: int = parameter(0, 'seed of the noise', low=0, high=2 ** 31 - 1)
    scan_angle_increment: float = parameter(
        LidarModel().increment, 'angle between two beams', unit='rad', low=0.001, high=2.0)

    def __post_init__(self) -> None:
        """Check every field, and that each of several robots has a unique name and a pose."""
        super().__post_init__()
        names = list(self.team)
        if len(names) != len(list(filter(None, self.robots.split(',')))):
            raise ValueError(f'robots is {self.robots!r}; give each robot a name of its own')

    @property
    def team(self) -> Dict[str, Pose]:
        """Return the start pose of each of several robots, by name."""
        return dict(map(_parse_robot, filter(None, self.robots.split(','))))


def _parse_robot(text: str) -> Tuple[str, Pose]:
    try:
        name, *place = text.split()
        x, y, yaw = map(float, place)
    except ValueError:
        raise ValueError(f'robots has {text.strip()!r}; give name x y yaw for each, with commas '
                         'between them') from None
    if not _NAME.fullmatch(name) or not all(map(math.isfinite, (x, y, yaw))):
        raise ValueError(f'robots has {text.strip()!r}; give a name of letters, digits and '
                         'underscores, and finite numbers')
    return name, Pose(x, y, yaw)


@dataclasses.dataclass(frozen=True)
class SimSwitches(ParameterSet):
    """Live parameters that simulate failures of an output."""

    publish_clock: bool = parameter(True, 'publish /clock; otherwise stamps are the system time')
    publish_scan: bool = parameter(True, 'publish scans')
    publish_odom: bool = parameter(True, 'publish odometry and its transform')


@dataclasses.dataclass(frozen=True)
class MoversSettings(ParameterSet):
    """Read-only parameters of the node that moves people and doors in Gazebo."""

    world: str = parameter('', "Gazebo's world file")
    robots: str = parameter(
        'burger', 'models of the robots, separated by commas, to which doors and people react')
    robot_radius: float = parameter(
        RobotModel().robot_radius, 'radius of the robots', unit='m', low=0.01, high=2.0)
