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

"""The parameters of the simulator's node; where Nav2's loopback simulator has one, its name."""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Dict, Tuple

from bug_nav.core.geometry import Pose
from bug_nav.core.parameters import Checked, parameter
from bug_nav.core.settings import RobotModel
from bug_nav.sim.robots import ROBOTS
from bug_nav.sim.sensors import LidarModel

_NAME = re.compile('[A-Za-z][A-Za-z0-9_]*')


@dataclasses.dataclass(frozen=True)
class SimSettings(Checked):
    """What is set when the node starts."""

    world: str = parameter('demo', 'the name of a shipped world, or a world file')
    robot: str = parameter(
        'burger', 'a robot that `bug_nav robots` lists; its numbers are the defaults of the rest',
        choices=tuple(ROBOTS))
    x_pose: float = parameter(math.nan, "where the robot starts; nan for the world's start",
                              unit='m')
    y_pose: float = parameter(math.nan, "where the robot starts; nan for the world's start",
                              unit='m')
    yaw: float = parameter(math.nan, "the robot's heading at the start; nan for the world's",
                           unit='rad')
    robots: str = parameter(
        '', 'several robots, each in a namespace of its own and with frames of its own: name x y '
        'yaw [m, rad], with commas between them; empty: one robot, as above')
    update_duration: float = parameter(
        0.05, 'a step of the simulation', unit='s', low=0.005, high=0.05)
    real_time_factor: float = parameter(
        1.0, 'simulated time per time; 0 for as fast as whoever drives the robot can',
        low=0.0, high=100.0)
    base_frame_id: str = parameter('base_footprint', "the robot's frame")
    odom_frame_id: str = parameter('odom', "odometry's frame: the world's, until it drifts")
    map_frame_id: str = parameter(
        'map', "the world's frame, in which a localiser corrects odometry; see localiser_period")
    scan_frame_id: str = parameter('base_scan', "the lidar's frame")
    enable_stamped_cmd_vel: bool = parameter(
        False, 'expect TwistStamped instead of Twist on cmd_vel')
    seed: int = parameter(0, 'seed of the noise', low=0, high=2 ** 31 - 1)
    scan_angle_increment: float = parameter(
        LidarModel().increment, 'angle between two beams', unit='rad', low=0.001, high=2.0)

    def __post_init__(self) -> None:
        """Check every field, and that each of several robots has a name and a place."""
        super().__post_init__()
        names = list(self.team)
        if len(names) != len(list(filter(None, self.robots.split(',')))):
            raise ValueError(f'robots is {self.robots!r}; give each robot a name of its own')

    @property
    def team(self) -> Dict[str, Pose]:
        """Return where each of several robots starts, by its name."""
        return dict(map(_named, filter(None, self.robots.split(','))))


def _named(text: str) -> Tuple[str, Pose]:
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
class SimSwitches(Checked):
    """What can be changed at any time; to switch something off is to simulate that it fails."""

    publish_clock: bool = parameter(True, 'publish /clock; else stamps are the system time')
    publish_scan: bool = parameter(True, 'publish scans')
    publish_odom: bool = parameter(True, 'publish odometry, and its transform')


@dataclasses.dataclass(frozen=True)
class MoversSettings(Checked):
    """What is set when the node that moves things in Gazebo starts."""

    world: str = parameter('', 'the world file that Gazebo has')
    robots: str = parameter(
        'burger', "the robots' models, with commas between them: doors and people take note of "
        'them')
    robot_radius: float = parameter(
        RobotModel().robot_radius, 'their radius', unit='m', low=0.01, high=2.0)
