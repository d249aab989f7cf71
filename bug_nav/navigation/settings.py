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

"""What a robot is and how a goal is navigated: the settings that every algorithm shares."""

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
TOUCH_CLEARANCE = 0.37
"""The clearance is no larger then, in radii R: the contour lies well within what is felt."""


@dataclasses.dataclass(frozen=True)
class RobotModel(Checked):
    """The body and its limits; the defaults are a TurtleBot3 Burger about base_footprint."""

    robot_radius: float = parameter(
        0.124, 'radius R of the circle around the footprint, about the centre of rotation',
        unit='m', low=0.01, high=2.0)
    max_vel_x: float = parameter(0.22, 'largest forward speed', unit='m/s', low=0.01, high=5.0)
    max_vel_theta: float = parameter(
        1.0, 'largest turning rate', unit='rad/s', low=0.05, high=10.0)
    acc_lim_x: float = parameter(
        1.0, 'largest forward acceleration', unit='m/s^2', low=0.05, high=20.0)
    acc_lim_theta: float = parameter(
        3.2, 'largest turning acceleration', unit='rad/s^2', low=0.1, high=50.0)
    max_wheel_vel: float = parameter(
        0.22, 'largest speed of a wheel over the ground: |v| + wheel_separation/2 |w| stays below',
        unit='m/s', low=0.01, high=10.0)
    wheel_separation: float = parameter(
        0.16, 'distance between the wheels', unit='m', low=0.0, high=5.0)
    base: str = parameter(
        'diff', 'diff turns before it drives another way, omni drives any way at once',
        choices=BASES)


@dataclasses.dataclass(frozen=True)
class Settings(Checked):
    """What a goal is navigated with; every algorithm uses the same."""

    clearance: float = parameter(
        0.10, 'distance c that the body keeps from obstacles; the contour radius is rho = R + c',
        unit='m', low=0.02, high=2.0)
    xy_goal_tolerance: float = parameter(
        0.10, 'the goal is reached within this distance of it', unit='m', low=0.01, high=2.0)
    yaw_goal_tolerance: float = parameter(
        0.10, 'tolerance of the heading at the goal, where one is asked for',
        unit='rad', low=0.01, high=math.pi)
    turn_direction: str = parameter(
        'left', 'local direction: where the robot turns at a hit point; left keeps the obstacle '
        'on the right hand, clearer turns to where the scan sees further, goal to where the '
        'obstacle leads away from the goal less', choices=tuple(POLICIES))
    turn_seed: int = parameter(
        0, 'seed of the turn direction random', low=0, high=2 ** 31 - 1,
        needs=('turn_direction', 'random'))
    sensing: str = parameter(
        'range', 'contact makes a sense of touch of the lidar: only what lies within 1.5 R is '
        'felt, the clearance is at most 0.37 R and the speed 0.12 m/s; rangers is for a robot '
        'with single range sensors and no scan', choices=SENSING)
    follower: str = parameter(
        'rolling_disc', 'how boundaries are followed; rolling_disc keeps to the contour, the '
        'others are there to be compared with it', choices=FOLLOWERS)
    hit_distance: float = parameter(
        0.05, 'the way to the goal is blocked when the disc of radius rho has less than this to '
        'go', unit='m', low=0.01, high=1.0)
    clear_distance: float = parameter(
        0.15, 'the way to the goal is free when the disc has this much to go, or up to the goal',
        unit='m', low=0.02, high=2.0)
    drift_correction: str = parameter(
        'scan_matching', 'how drift of the odometry is corrected: each scan is matched with what '
        'earlier ones have seen, or none; a localiser, where there is one, does it instead',
        choices=DRIFT_CORRECTIONS)
    drift: float = parameter(
        0.0, 'expected drift of the odometry, per metre of travel; widens the lap tolerance',
        unit='m/m', low=0.0, high=0.2)
    memory: float = parameter(
        1.0, 'a remembered obstacle point is forgotten when beams have passed through it for so '
        'long', unit='s', low=0.2, high=10.0)
    passage_timeout: float = parameter(
        5.0, 'what moves is waited for; where it stands for so long in a place that was free, it '
        'is an obstacle like any other', unit='s', low=0.5, high=60.0)
    settled_timeout: float = parameter(
        60.0, 'what may be somebody, or has come, shuts a goal off once it is known to stand '
        'there for so long; with 0 all does at once', unit='s', low=0.0, high=600.0)
    scan_timeout: float = parameter(
        0.6, 'the robot stands still when no scan has come for so long', unit='s',
        low=0.05, high=10.0)
    odom_timeout: float = parameter(
        0.3, 'the robot stands still when no odometry has come for so long', unit='s',
        low=0.05, high=10.0)
    give_up_timeout: float = parameter(
        2.0, 'the goal ends when sensor data have been missing for so long', unit='s',
        low=0.1, high=60.0)
    required_movement_radius: float = parameter(
        0.5, 'path plus R times turning that counts as progress', unit='m', low=0.01, high=10.0)
    movement_time_allowance: float = parameter(
        10.0, 'the goal ends as blocked when there is no progress for so long', unit='s',
        low=0.5, high=600.0)

    def __post_init__(self) -> None:
        """Check every field, and that free and blocked do not overlap."""
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
    """Return the contour radius rho = R + c [m]; c is what can be felt at most."""
    clearance = settings.clearance
    if settings.sensing == 'contact':
        clearance = min(clearance, TOUCH_CLEARANCE * model.robot_radius)
    return model.robot_radius + clearance
