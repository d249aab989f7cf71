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

"""The robot model and the settings that all algorithms share."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.parameters import Checked, parameter
from bug_nav.navigation.turn_directions import POLICIES

TURNS = ('left', 'right')
"""The turn directions of the literature."""
FOLLOWERS = ('rolling_disc', 'sweep', 'pid', 'parallel', 'vector_field')
SENSING = ('range', 'contact', 'rangers')
DRIFT_CORRECTIONS = ('scan_matching', 'none')
BASES = ('diff', 'omni')
CONTACT_CLEARANCE = 0.37
"""
Maximum clearance with contact sensing [radii R]: the contour is well within the contact range.
"""


@dataclasses.dataclass(frozen=True)
class RobotModel(Checked):
    """The body and its limits; by default a TurtleBot3 Burger about base_footprint."""

    robot_radius: float = parameter(
        0.124, 'radius R of the circle around the footprint, about the centre of rotation',
        unit='m', low=0.01, high=2.0)
    max_vel_x: float = parameter(0.22, 'maximum forward speed', unit='m/s', low=0.01, high=5.0)
    max_vel_theta: float = parameter(
        1.0, 'maximum turning rate', unit='rad/s', low=0.05, high=10.0)
    acc_lim_x: float = parameter(
        1.0, 'maximum forward acceleration', unit='m/s^2', low=0.05, high=20.0)
    acc_lim_theta: float = parameter(
        3.2, 'maximum turning acceleration', unit='rad/s^2', low=0.1, high=50.0)
    max_wheel_vel: float = parameter(
        0.22, 'maximum speed of a wheel over the ground; limits |v| + wheel_separation/2 |w|',
        unit='m/s', low=0.01, high=10.0)
    wheel_separation: float = parameter(
        0.16, 'distance between the wheels', unit='m', low=0.0, high=5.0)
    base: str = parameter(
        'diff', 'diff turns before it changes direction, omni drives in any direction at once',
        choices=BASES)


@dataclasses.dataclass(frozen=True)
class Settings(Checked):
    """The navigation settings of a goal, the same for every algorithm."""

    clearance: float = parameter(
        0.10, 'distance c that the body keeps from obstacles; the contour radius is rho = R + c',
        unit='m', low=0.02, high=2.0)
    xy_goal_tolerance: float = parameter(
        0.10, 'the goal is reached within this distance of it', unit='m', low=0.01, high=2.0)
    yaw_goal_tolerance: float = parameter(
        0.10, 'tolerance of the heading at the goal, if the goal has one',
        unit='rad', low=0.01, high=math.pi)
    turn_direction: str = parameter(
        'left', 'local direction: how the robot turns at a hit point; left keeps the obstacle '
        'on the right hand, clearer turns to the side with more free range, goal to the side '
        'where the boundary deviates less from the goal', choices=tuple(POLICIES))
    turn_seed: int = parameter(
        0, 'seed of the turn direction random', low=0, high=2 ** 31 - 1,
        needs=('turn_direction', 'random'))
    sensing: str = parameter(
        'range', 'contact limits the lidar to contact sensing within 1.5 R, the clearance to '
        '0.37 R and the speed to 0.12 m/s; rangers is for a robot with single range sensors and '
        'no scan', choices=SENSING)
    follower: str = parameter(
        'rolling_disc', 'how boundaries are followed; rolling_disc follows the contour, '
        'the others are for comparison', choices=FOLLOWERS)
    hit_distance: float = parameter(
        0.05, 'the way to the goal is blocked if the free distance of the disc of radius rho is '
        'less than this', unit='m', low=0.01, high=1.0)
    clear_distance: float = parameter(
        0.15, 'the way to the goal is free if the disc is free up to this distance or to the goal',
        unit='m', low=0.02, high=2.0)
    drift_correction: str = parameter(
        'scan_matching', 'correction of odometry drift: by scan matching, or none; a localizer '
        'replaces it',
        choices=DRIFT_CORRECTIONS)
    drift: float = parameter(
        0.0, 'expected odometry drift per metre of travel; increases the lap tolerance',
        unit='m/m', low=0.0, high=0.2)
    memory: float = parameter(
        1.0, 'time after which an obstacle point is cleared when beams pass through it',
        unit='s', low=0.2, high=10.0)
    passage_timeout: float = parameter(
        5.0, 'the robot waits for dynamic obstacles; one that has been stationary for this time '
        'becomes an ordinary obstacle', unit='s', low=0.5, high=60.0)
    settled_timeout: float = parameter(
        60.0, 'minimum time that a possibly dynamic obstacle must be stationary before it counts '
        'in a proof; with 0 it counts at once', unit='s', low=0.0, high=600.0)
    scan_timeout: float = parameter(
        0.6, 'maximum age of the newest scan, beyond which the robot stops', unit='s',
        low=0.05, high=10.0)
    odom_timeout: float = parameter(
        0.3, 'maximum age of the newest odometry, beyond which the robot stops', unit='s',
        low=0.05, high=10.0)
    give_up_timeout: float = parameter(
        2.0, 'maximum time without sensor data, after which the goal ends', unit='s',
        low=0.1, high=60.0)
    required_movement_radius: float = parameter(
        0.5, 'path length plus R times rotation that counts as progress',
        unit='m', low=0.01, high=10.0)
    movement_time_allowance: float = parameter(
        10.0, 'maximum time without progress, after which the goal ends as blocked', unit='s',
        low=0.5, high=600.0)

    def __post_init__(self) -> None:
        """Check every field, and their combinations."""
        super().__post_init__()
        if self.hit_distance >= self.clear_distance:
            raise ValueError(f'hit_distance is {self.hit_distance} m; allowed is less than '
                             f'clear_distance, {self.clear_distance} m')
        if self.sensing != 'range' and self.follower != 'rolling_disc':
            raise ValueError(f'follower is {self.follower!r}, which needs a scan; allowed with '
                             f'sensing {self.sensing} is rolling_disc')
        if self.sensing == 'rangers' and self.turn_direction == 'clearer':
            raise ValueError("turn_direction is 'clearer', which needs a scan; allowed with "
                             'sensing rangers is any other')


def contour_radius(model: RobotModel, settings: Settings) -> float:
    """Return the contour radius rho = R + c [m]; contact sensing limits c."""
    clearance = settings.clearance
    if settings.sensing == 'contact':
        clearance = min(clearance, CONTACT_CLEARANCE * model.robot_radius)
    return model.robot_radius + clearance
