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
Presets of robots: body, drive, sensors and encoders, with their sources.

`ROBOTS` has them by name. Values that a manufacturer does not publish are those of the TurtleBot3
Burger; `Preset.assumed` names them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Tuple

from bug_nav.navigation.names import unknown
from bug_nav.navigation.perception.sensors import check_coverage
from bug_nav.navigation.robot import CONTACT_SPEED
from bug_nav.navigation.settings import check_blind_zone, contour_radius, RobotModel, Settings
from bug_nav.simulation.latency import IDEAL, TimingModel
from bug_nav.simulation.odometry import check_base, OdometryModel
from bug_nav.simulation.parts import OWN, Parts
from bug_nav.simulation.sensors import LidarModel, make_rangers, RangerRing, Sensor


@dataclasses.dataclass(frozen=True)
class Preset:
    """A commercially available robot."""

    title: str
    model: RobotModel
    sensor: Sensor
    settings: Settings
    """Settings of navigation: the clearance that its sensors need, and its sensing mode."""
    odometry: OdometryModel
    """Perfect odometry, with the wheels and encoders of this robot for the other modes."""
    sources: Tuple[str, ...]
    assumed: str = ''
    """Values that are not published and taken from elsewhere."""
    base_frame: str = 'base_footprint'
    """Its frame in ROS."""


def find_robot(name: str) -> Preset:
    """Return a preset by its name; raise ValueError if there is none."""
    if name not in ROBOTS:
        # Match the manufacturer's name: a TurtleBot3 is a burger or a waffle_pi.
        titled = [known for known, preset in ROBOTS.items() if _letters(name)
                  and _letters(name) in _letters(preset.title)]
        raise ValueError(unknown('robot', name, ROBOTS, 'see `bug_nav robots`', titled))
    return ROBOTS[name]


def _letters(name: str) -> str:
    """Return the letters and digits of a name in lower case, so that turtlebot_3 is TurtleBot3."""
    return ''.join(filter(str.isalnum, name.lower()))


def with_parts(preset: Preset, parts: Parts) -> Preset:
    """
    Return a robot with replaced parts.

    :raises ValueError: for a lidar on a robot that has none.
    """
    if parts.lidar != OWN and not isinstance(preset.sensor, LidarModel):
        raise ValueError(f'lidar is {parts.lidar!r}, but this robot ({preset.title}) has no '
                         f'lidar; allowed is {OWN}')
    return dataclasses.replace(
        preset, sensor=dataclasses.replace(preset.sensor, **parts.of_lidar),
        odometry=dataclasses.replace(preset.odometry, **parts.of_wheels))


def check_sensor(sensor: Sensor, model: RobotModel, settings: Settings,
                 who: str = 'the robot') -> None:
    """
    Raise ValueError if a robot cannot sense the walls that it follows.

    :param who: name of the robot, for the message.
    """
    if isinstance(sensor, RangerRing):
        if settings.sensing != 'rangers':
            raise ValueError(f'sensing is {settings.sensing!r}, and {who} has single rangers and '
                             'no scan; allowed is rangers')
        check_coverage([ranger.mount for ranger in sensor.rangers], who)
    elif settings.sensing == 'rangers':
        raise ValueError(f"sensing is 'rangers', and {who} has a lidar; allowed are range and "
                         'contact')
    check_blind_zone(model, settings, sensor.blind)


_TURTLEBOT3_LDS = 'ROBOTIS-GIT/turtlebot3_simulations, models/{}/model.sdf'

ROBOTS: Dict[str, Preset] = {
    'burger': Preset(
        'TurtleBot3 Burger', RobotModel(), LidarModel(), Settings(), OdometryModel(),
        (_TURTLEBOT3_LDS.format('turtlebot3_burger'),
         'ROBOTIS e-Manual, TurtleBot3 specifications: 0.22 m/s, 2.84 rad/s',
         'ROBOTIS e-Manual, XL430-W250: 4096 encoder ticks a turn')),
    'waffle_pi': Preset(
        'TurtleBot3 Waffle Pi',
        # The collision box of 0.265 m is centred 0.064 m behind the axle: hypot(0.1965, 0.1325).
        RobotModel(robot_radius=0.237, max_vel_x=0.26, max_wheel_vel=0.26, wheel_separation=0.287),
        LidarModel(scan_offset_x=-0.064), Settings(),
        OdometryModel(),
        (_TURTLEBOT3_LDS.format('turtlebot3_waffle_pi'),
         'ROBOTIS e-Manual, TurtleBot3 specifications: 0.26 m/s, 1.82 rad/s',
         'ROBOTIS e-Manual, XM430-W210: 4096 encoder ticks a turn')),
    'turtlebot4': Preset(
        'TurtleBot 4 on a Create 3',
        RobotModel(robot_radius=0.175, max_vel_x=0.30, max_wheel_vel=0.46, wheel_separation=0.233),
        LidarModel(scan_count=640, scan_angle_min=-math.pi, scan_angle_max=math.pi,
                   scan_range_min=0.164, scan_range_max=12.0, scan_offset_x=-0.04,
                   scan_offset_yaw=math.pi / 2.0),
        Settings(), OdometryModel(wheel_radius=0.03575),
        ('turtlebot/turtlebot4, turtlebot4_description: lidar',
         'turtlebot/turtlebot4, turtlebot4_navigation/config/nav2.yaml: robot_radius, base_link',
         'iRobotEducation/create3_sim, create3.urdf.xacro: wheels 0.233 m apart',
         'iRobot Create 3 documentation: 0.46 m/s, 0.306 m/s with its safety on'),
        'encoder ticks, scan rate (5 Hz) and noise, accelerations',
        # Its lidar moves against base_footprint, and is fixed to base_link.
        base_frame='base_link'),
    'jackal': Preset(
        'Clearpath Jackal with a Hokuyo UST-10LX',
        # Skid steering turns as if the wheels were 1.5 times as far apart: 1.5 * 0.37559 m. The
        # controller allows 20 m/s^2, but tyres of friction 0.5 brake with at most 4.9 m/s^2.
        RobotModel(robot_radius=0.333, max_vel_x=2.0, max_vel_theta=4.0, acc_lim_x=4.9,
                   acc_lim_theta=12.0, max_wheel_vel=2.0, wheel_separation=0.563),
        LidarModel(scan_count=720, scan_angle_min=-2.35619, scan_angle_max=2.35619,
                   scan_range_min=0.1, scan_range_max=30.0, scan_publish_dur=0.025,
                   scan_offset_x=0.055),
        Settings(), OdometryModel(wheel_radius=0.098),
        ('Clearpath, Jackal data sheet: 0.508 m x 0.430 m, 2.0 m/s',
         'jackal/jackal, jackal_control/config/control.yaml: 2 m/s, 4 rad/s, wheel separation x '
         '1.5',
         'jackal/jackal, jackal_description/urdf: wheels of 0.098 m, 0.37559 m apart, friction '
         '0.5; hokuyo_ust10: 720 beams over 270 degrees, 0.1 to 30 m; front_mount: 0.12 m ahead',
         'jackal/jackal, jackal_control/config/localization.yaml: base_link',
         'Daffan/the-barn-challenge, run.py: lidar 0.065 m behind front_mount',
         'Hokuyo, UST-10LX data sheet: 25 ms a scan'),
        'encoder ticks, turning acceleration; range noise, between 1 mm of the description and 3 '
        'cm of the data sheet',
        base_frame='base_link'),
    'pioneer': Preset(
        'Pioneer 3-DX with 16 sonars',
        RobotModel(robot_radius=0.267, max_vel_x=0.40, max_wheel_vel=1.2, wheel_separation=0.33),
        RangerRing(make_rangers((
            ('so0', 0.069, 0.136, 90), ('so1', 0.114, 0.119, 50), ('so2', 0.148, 0.078, 30),
            ('so3', 0.166, 0.027, 10), ('so4', 0.166, -0.027, -10), ('so5', 0.148, -0.078, -30),
            ('so6', 0.114, -0.119, -50), ('so7', 0.069, -0.136, -90),
            ('so8', -0.157, -0.136, -90), ('so9', -0.203, -0.119, -130),
            ('so10', -0.237, -0.078, -150), ('so11', -0.255, -0.027, -170),
            ('so12', -0.255, 0.027, 170), ('so13', -0.237, 0.078, 150),
            ('so14', -0.203, 0.119, 130), ('so15', -0.157, 0.136, 90))),
            range_min=0.0, range_max=5.0, field_of_view=math.radians(20.0), noise=0.01, period=0.1,
            infrared=False),
        Settings(clearance=0.15, sensing='rangers'), OdometryModel(wheel_radius=0.0975),
        ('cyberbotics/webots, Pioneer3dx.proto: body, wheels, sonars of one ray up to 5 m, 1 %',
         'MobileRobots ARIA, params/p3dx.p: places and directions of the sonars',
         'Adept Pioneer 3-DX data sheet: swing radius 26.7 cm, 1.2 m/s'),
        'encoder ticks, accelerations; driven at 0.40 m/s'),
    'e_puck': Preset(
        'e-puck with eight infrared rangers',
        RobotModel(robot_radius=0.037, max_vel_x=0.128, max_vel_theta=2.0, max_wheel_vel=0.128,
                   wheel_separation=0.052),
        RangerRing(make_rangers((
            ('ps0', 0.030, -0.010, -17.2), ('ps1', 0.022, -0.025, -45.9),
            ('ps2', 0.000, -0.031, -90.0), ('ps3', -0.030, -0.015, -151.5),
            ('ps4', -0.030, 0.015, 151.5), ('ps5', 0.000, 0.031, 90.0),
            ('ps6', 0.022, 0.025, 45.9), ('ps7', 0.030, 0.010, 17.2))),
                   range_min=0.0, range_max=0.07, field_of_view=0.1, noise=0.03, period=0.05),
        # 0.03 m is too little: sharp corners pass between two of its beams unseen.
        Settings(clearance=0.04, sensing='rangers'),
        OdometryModel(wheel_radius=0.0205, encoder_resolution=1000),
        ('cyberbotics/webots, E-puckDistanceSensor.proto: aperture 0.1 rad, up to 0.07 m, noise',
         'Webots user guide, e-puck: places and directions of ps0 to ps7, axle 52 mm, wheels '
         '20.5 mm, 1000 steps a turn, 6.28 rad/s'),
        'accelerations'),
    'crazyflie': Preset(
        'Crazyflie 2.1 with a Multi-ranger deck',
        RobotModel(robot_radius=0.07, max_vel_x=0.30, max_wheel_vel=0.30, wheel_separation=0.0,
                   base='omni'),
        RangerRing(make_rangers((('front', 0.0, 0.0, 0), ('left', 0.0, 0.0, 90),
                                 ('back', 0.0, 0.0, 180), ('right', 0.0, 0.0, -90))),
                   range_min=0.0, range_max=4.0, field_of_view=math.radians(27.0), noise=0.01,
                   period=0.1),
        Settings(sensing='rangers'), OdometryModel(),
        ('Bitcraze, Multi-ranger deck: five VL53L1x, up to 4 m',
         'STMicroelectronics, VL53L1X data sheet: field of view 27 degrees',
         'Bitcraze, Crazyflie 2.1: 92 mm from motor to motor'),
        'speed and noise; it has no wheels, so odometry is that of a flow deck'),
}
"""The presets, by name."""


class Equipment(NamedTuple):
    """A complete and checked robot."""

    model: RobotModel
    settings: Settings
    sensor: Sensor
    odometry: OdometryModel
    timing: TimingModel = IDEAL

    @property
    def contour_radius(self) -> float:
        """Return the contour radius rho [m]."""
        return contour_radius(self.model, self.settings)

    @property
    def speed(self) -> float:
        """Return the maximum speed of the robot [m/s]."""
        touch = CONTACT_SPEED if self.settings.sensing == 'contact' else math.inf
        return min(self.model.max_vel_x, touch)

    @property
    def range_noise(self) -> float:
        """Return the standard deviation of a range [m], or for rangers as a share of the range."""
        return (self.sensor.scan_noise if isinstance(self.sensor, LidarModel)
                else self.sensor.noise)


PARAMETERS: Dict[str, dataclasses.Field] = {
    field.name: field for group in (
        Parts, RobotModel, Settings, LidarModel, OdometryModel, TimingModel)
    for field in dataclasses.fields(group)}
"""Parameters of a robot that can be changed, by name."""


def equip(name: str, changes: Mapping[str, Any]) -> Equipment:
    """
    Return a robot with changed parameters, named as in `PARAMETERS`.

    :raises ValueError: for an unknown robot, a value that is not allowed, or a combination that
        cannot work.
    """
    equipment = described(name, changes)
    check_sensor(equipment.sensor, equipment.model, equipment.settings, f"the robot '{name}'")
    return equipment


def described(name: str, changes: Mapping[str, Any]) -> Equipment:
    """Return a robot as `equip`, whatever its own sensor sees: it may have another one."""
    named = {called: value for called, value in changes.items() if hasattr(Parts, called)}
    preset = with_parts(find_robot(name), Parts(**named))
    parts: List[Any] = [preset.model, preset.settings, preset.sensor, preset.odometry, IDEAL]
    changed: List[Dict[str, Any]] = [{} for _ in parts]
    for called, value in changes.items():
        if called in named:
            continue
        owners = [k for k, part in enumerate(parts) if hasattr(type(part), called)]
        if not owners:
            raise ValueError(f'{called} is a lidar parameter, but this robot ({preset.title}) '
                             'has no lidar; leave it out, or choose another robot')
        changed[owners[0]][called] = value
    # All at once, because a value may be valid only together with another new one.
    equipment = Equipment(*(dataclasses.replace(part, **values)
                            for part, values in zip(parts, changed)))
    check_base(equipment.model, equipment.odometry)
    return equipment


def check_all_used(equipment: Equipment, changes: Iterable[str]) -> None:
    """Raise ValueError if one of the changed parameters has no effect."""
    values = {name: value for part in equipment for name, value in vars(part).items()}
    for name in changes:
        if name in values:
            _check_use(name, values, PARAMETERS[name])


def _check_use(name: str, values: Mapping[str, Any], field: dataclasses.Field) -> None:
    """
    Raise ValueError, in one sentence, if a value was given that has no effect.

    :param values: those of all parameters, by name.
    """
    if not field.metadata.get('needs') or values[name] == field.default:
        return
    other, *good = field.metadata['needs']
    if values[other] not in good if good else not values[other] > 0:
        wanted = ' or '.join(good) or 'a value above 0'
        raise ValueError(f'{name} is {values[name]}, which has no effect while {other} is '
                         f'{values[other]}; give {other} as well: {wanted}')
