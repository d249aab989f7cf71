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
Replacement parts for a robot: lidars, and wheels with their odometry.

`LIDARS` and `WHEELS` have them by name, each as the parameters that it sets. A tolerance (+-) of a
data sheet counts as two standard deviations. Data sheets do not give the share of outliers;
`OUTLIERS` were measured.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Dict, Mapping, NamedTuple, Tuple

from bug_nav.navigation.parameters import parameter, ParameterSet

OWN = 'own'
"""The robot's own part."""


class Part(NamedTuple):
    """A lidar, or wheels with their odometry."""

    title: str
    values: Mapping[str, Any]
    """Parameters by name; all others keep the robot's values."""
    sources: Tuple[str, ...]
    assumed: str = ''
    """Values that are not published."""


OUTLIERS = {'scan_long': 0.06, 'scan_short': 0.025, 'scan_dropout': 0.03, 'scan_dropout_run': 3.0,
            'scan_mixed': 0.5}
"""
Shares of outliers among the beams.

Residuals of recordings of real robots against maps made of the same recordings: 4 to 8 % of the
beams were long by more than 0.5 m, 2 to 3 % were short, and 3 % had no return. (The rest had a
robust standard deviation of 4 to 5 cm, which includes the resolution of the map.) The lengths of
dropout runs and the share of mixed beams at edges were not measured.
"""
_MEASURED = ('bug_nav: recordings of real robots against maps made of them, for long and short '
             'beams and lost ones')
_ASSUMED = 'runs of 3 lost beams, every second beam at an edge mixed'


def _turn(samples_per_second: float, **values: Any) -> Dict[str, Any]:
    """Return the parameters of a lidar that turns clockwise, of 360 beams, 1 degree apart."""
    return {'scan_count': 360, 'scan_angle_min': 0.0, 'scan_angle_max': math.radians(359.0),
            'scan_publish_dur': 360 / samples_per_second,
            'scan_sweep_time': 359 / samples_per_second, 'scan_clockwise': True, **OUTLIERS,
            **values}


LIDARS: Dict[str, Part] = {
    'lds_01': Part(
        'LDS-01, of TurtleBot3 until 2022',
        _turn(1800.0, scan_range_min=0.12, scan_range_max=3.5, scan_noise=0.005,
              scan_noise_share=0.0175, scan_zeros=True),
        ('ROBOTIS e-Manual, TurtleBot3, appendix LDS-01: 0.12 to 3.5 m, 1 degree, 1.8 kHz, 5 '
         'turns a second; precision +-10 mm up to 0.5 m, +-3.5 % beyond',
         'ROBOTIS-GIT/hls_lfcd_lds_driver: 0.0 for no return', _MEASURED), _ASSUMED),
    'lds_02': Part(
        'LDS-02, of TurtleBot3 since 2022',
        _turn(2300.0, scan_range_min=0.16, scan_range_max=8.0, scan_noise=0.005,
              scan_noise_share=0.015, scan_zeros=True),
        ('ROBOTIS e-Manual, TurtleBot3, appendix LDS-02: 0.16 to 8 m, 1 degree, 2.3 kHz; +-10 mm '
         'up to 0.3 m, +-3 % up to 6 m', 'ROBOTIS-GIT/ld08_driver: 0.0 for no return', _MEASURED),
        f'+-3 % beyond 6 m too (the data sheet has +-5 %), {_ASSUMED}'),
    'rplidar_a1': Part(
        'RPLIDAR A1M8',
        _turn(360 * 5.5, scan_range_min=0.15, scan_range_max=12.0, scan_noise=0.00025,
              scan_noise_share=0.005, scan_lost='inf'),
        ('Slamtec, RPLIDAR A1 data sheet: 0.15 to 12 m, 1 degree at 5.5 turns a second; '
         'resolution below 0.5 mm up to 1.5 m, below 1 % at all distances',
         'Slamtec/rplidar_ros: inf for no return', _MEASURED), _ASSUMED),
}
"""Commercially available lidars."""

_ENCODERS = {'odometry': 'encoders'}
WHEELS: Dict[str, Part] = {
    'turtlebot3': Part(
        'calibrated wheels of a TurtleBot3 Burger',
        {**_ENCODERS, 'encoder_resolution': 4096, 'wheel_radius': 0.033, 'odometry_noise': 0.01},
        ('ROBOTIS e-Manual, XL430-W250: 4096 encoder ticks a turn',
         'ROBOTIS e-Manual, TurtleBot3 specifications: wheels'), 'noise of 1 %'),
    'uncalibrated': Part(
        'the assumed right wheel is 1 % larger than the real one',
        {**_ENCODERS, 'odometry_bias': 0.01}, (), 'everything'),
    'slippery': Part(
        'each wheel slips irregularly, by 5 % on average',
        {**_ENCODERS, 'odometry_slip': 0.05, 'odometry_slip_irregular': True,
         'odometry_noise': 0.02}, (), 'everything'),
}
"""Wheels with the errors of their odometry."""


@dataclasses.dataclass(frozen=True)
class Parts(ParameterSet):
    """The parts of a robot; single parameters of a part can be changed too."""

    lidar: str = parameter(
        OWN, "lidar that replaces the robot's own: range, rate, noise and faults; its mount stays",
        choices=(OWN, *LIDARS))
    wheels: str = parameter(
        OWN, "wheels and odometry errors that replace the robot's own", choices=(OWN, *WHEELS))

    @property
    def of_lidar(self) -> Mapping[str, Any]:
        """Return the parameters that the lidar sets."""
        return {} if self.lidar == OWN else LIDARS[self.lidar].values

    @property
    def of_wheels(self) -> Mapping[str, Any]:
        """Return the parameters that the wheels set."""
        return {} if self.wheels == OWN else WHEELS[self.wheels].values
