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

"""The robot model and the navigation settings that all algorithms share."""

from __future__ import annotations

import dataclasses
import math

from bug_nav.navigation.parameters import parameter, ParameterSet

TURNS = ('left', 'right')
"""The turn directions of the literature."""
TURN_DIRECTIONS = (*TURNS, 'clearer', 'goal', 'alternating', 'random')
FOLLOWERS = ('rolling_disc', 'sweep', 'pid', 'parallel', 'vector_field')
DRIFT_CORRECTIONS = ('scan_matching', 'none')
NO_RETURNS = ('auto', 'inf', 'nan', 'zero', 'range_max', 'unknown')
BEAM_ORDERS = ('auto', 'index', 'reversed', 'none')
BASES = ('diff', 'omni')
CONTACT_CLEARANCE = 0.37
"""
Maximum clearance with contact sensing [radii R]: the contour is well within the contact range.
"""

MAX_GOAL_DISTANCE = 10_000.0
"""Maximum distance of a goal from the robot; a larger one is a typing error [m]."""


@dataclasses.dataclass(frozen=True)
class RobotModel(ParameterSet):
    """The body and its limits; by default a TurtleBot3 Burger about base_footprint."""

    robot_radius: float = parameter(
        0.124, 'radius R of the circle around the footprint, about the centre of rotation',
        unit='m', low=0.01, high=2.0)
    self_radius: float = parameter(
        0.0, 'readings nearer to the centre than this are of the robot itself, such as of posts '
        'that hold a plate; 0: 0.9 R', unit='m', low=0.0, high=2.0)
    max_vel_x: float = parameter(0.22, 'maximum forward speed', unit='m/s', low=0.01, high=5.0)
    max_vel_theta: float = parameter(
        1.0, 'maximum turning rate', unit='rad/s', low=0.05, high=10.0)
    acc_lim_x: float = parameter(
        1.0, 'maximum forward acceleration', unit='m/s^2', low=0.05, high=20.0)
    acc_lim_theta: float = parameter(
        3.2, 'maximum turning acceleration', unit='rad/s^2', low=0.1, high=50.0)
    max_wheel_vel: float = parameter(
        0.22, 'maximum wheel speed over the ground: limits |v| + wheel_separation/2 |w|',
        unit='m/s', low=0.01, high=10.0)
    wheel_separation: float = parameter(
        0.16, 'distance between the wheels', unit='m', low=0.0, high=5.0)
    base: str = parameter(
        'diff', 'diff: turns before it drives in another direction; omni: drives in any direction',
        choices=BASES)


@dataclasses.dataclass(frozen=True)
class Settings(ParameterSet):
    """Navigation settings of a goal, the same for every algorithm."""

    clearance: float = parameter(
        0.10, 'distance c that the body keeps from obstacles; the contour radius is rho = R + c',
        unit='m', low=0.02, high=2.0)
    xy_goal_tolerance: float = parameter(
        0.10, 'maximum distance to the goal at which it counts as reached', unit='m', low=0.01,
        high=2.0)
    yaw_goal_tolerance: float = parameter(
        0.10, 'maximum heading error at the goal, if the goal has a heading',
        unit='rad', low=0.01, high=math.pi)
    turn_direction: str = parameter(
        'left', 'turn direction at a hit point; left: keeps the obstacle on the right; clearer: '
        'to the side with the larger free range; goal: to the side on which the wall deviates '
        'less from the goal direction; alternating: left first', choices=TURN_DIRECTIONS)
    turn_seed: int = parameter(
        0, 'seed of turn_direction: random', low=0, high=2 ** 31 - 1,
        needs=('turn_direction', 'random'))
    sensing: str = parameter(
        'range', 'range: a laser scan; contact: the scan within 1.5 R only, like a contact '
        'sensor, with a clearance of at most 0.37 R and a speed of at most 0.12 m/s; rangers: '
        'single range sensors instead of a scan', choices=('range', 'contact', 'rangers'))
    no_return: str = parameter(
        'auto', 'what the lidar reports where nothing is in range; auto: what its readings show; '
        'unknown: the same as for a reading that it has lost',
        choices=NO_RETURNS)
    beam_order: str = parameter(
        'auto', 'time order of the beams of a scan; index: the first beam of the message is the '
        'oldest; reversed: it is the newest, as of a lidar that turns clockwise and sorts its '
        'beams by rising angle; none: all at once; auto: found out while the robot turns',
        choices=BEAM_ORDERS)
    follower: str = parameter(
        'rolling_disc', 'boundary follower; rolling_disc follows the exact contour, the others '
        'are for comparison', choices=FOLLOWERS)
    hit_distance: float = parameter(
        0.05, 'the way to the goal is blocked if the disc of radius rho can move less than this',
        unit='m', low=0.01, high=1.0)
    clear_distance: float = parameter(
        0.15, 'the way to the goal is free if the disc can move this far, or to the goal',
        unit='m', low=0.02, high=2.0)
    drift_correction: str = parameter(
        'scan_matching', 'correction of odometry drift: match each scan with earlier ones, or '
        'none; a localizer takes precedence',
        choices=DRIFT_CORRECTIONS)
    expected_drift: float = parameter(
        0.0, 'expected odometry drift per metre of travel; widens the tolerance for closing a lap',
        unit='m/m', low=0.0, high=0.2)
    clearing_time: float = parameter(
        1.0, 'time for which beams must pass through a remembered obstacle point before it is '
        'removed', unit='s', low=0.2, high=10.0)
    passage_timeout: float = parameter(
        5.0, 'time that a dynamic obstacle must be stationary before it is followed like a static '
        'one; until then, the robot waits', unit='s', low=0.5, high=60.0)
    settled_timeout: float = parameter(
        60.0, 'time that a possibly dynamic obstacle must be stationary before it counts in a '
        'proof; 0: all obstacles count at once', unit='s', low=0.0, high=600.0)
    scan_timeout: float = parameter(
        0.6, 'time without a scan after which the robot stops', unit='s', low=0.05, high=10.0)
    odom_timeout: float = parameter(
        0.3, 'time without odometry after which the robot stops', unit='s', low=0.05, high=10.0)
    give_up_timeout: float = parameter(
        2.0, 'time without sensor data after which the goal ends', unit='s', low=0.1, high=60.0)
    required_movement_radius: float = parameter(
        0.5, 'minimum progress: path length plus R times the angle swept', unit='m',
        low=0.01, high=10.0)
    movement_time_allowance: float = parameter(
        10.0, 'time without this progress after which the goal ends as blocked', unit='s',
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


def clearance(model: RobotModel, settings: Settings) -> float:
    """Return the clearance c [m], which contact sensing limits."""
    if settings.sensing == 'contact':
        return min(settings.clearance, CONTACT_CLEARANCE * model.robot_radius)
    return settings.clearance


def contour_radius(model: RobotModel, settings: Settings) -> float:
    """Return the contour radius rho = R + c [m]."""
    return model.robot_radius + clearance(model, settings)


def check_blind_zone(model: RobotModel, settings: Settings, blind: float) -> None:
    """
    Raise ValueError, in one sentence, if the contour is inside the blind zone of the sensors.

    ``blind`` [m]: some sensors do not measure obstacles nearer to the centre of the robot.
    """
    rho = contour_radius(model, settings)
    if rho >= blind:
        return
    if settings.sensing == 'contact':
        raise ValueError(f"sensing is 'contact' with a contour radius of {rho:.3g} m, but the "
                         f'lidar is blind up to {blind:g} m from the centre of the robot '
                         '(range_min and mounting offset); choose sensing range')
    raise ValueError(f'robot_radius + clearance is {rho:g} m, but the sensors are blind up to '
                     f'{blind:.3g} m from the centre of the robot (range_min and mounting '
                     f'offset); make the clearance at least {blind - model.robot_radius:.3g} m')
