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
Simulated range sensors: a lidar, or a ring of single rangers.

`sense` of both returns the present scans in the format of the navigator.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
import math
from typing import Callable, List, NamedTuple, Protocol, Tuple, Union

from bug_nav.navigation.geometry import Pose, wrap
from bug_nav.navigation.parameters import parameter, ParameterSet
from bug_nav.navigation.types import Scan
from bug_nav.simulation.range_faults import apply_faults, FAULTS, LONG, NO_PAIRS, NONE
from bug_nav.simulation.world import ANY_SURFACE, BLACK, GLASS, PLAIN
import numpy as np

RAY_SPACING = math.radians(2.0)
"""Maximum angle between the rays that fill the cone of a ranger [rad]."""


class Surroundings(Protocol):
    """The queries of a sensor to the world and to its robot."""

    pose: Pose
    """True pose of the robot."""

    surfaces: Tuple[str, ...]
    """Surfaces of the world's solids that are not plain."""

    def cast(self, origin: Pose, first: float, step: float, count: int, reach: float,
             surface: str = ANY_SURFACE) -> np.ndarray:
        """
        Cast rays from a pose, the first at a relative angle [rad], ``step`` [rad] apart.

        Return the ranges (count,) up to ``reach`` [m], inf beyond. A given ``surface`` restricts
        the query to solids that have it.
        """

    def cast_each(self, origins: np.ndarray, reach: float, surface: str = ANY_SURFACE
                  ) -> np.ndarray:
        """Cast a ray from each x, y along theta of ``origins`` (n, 3); return the ranges (n,)."""

    def past_poses(self, ages: np.ndarray) -> List[np.ndarray]:
        """Return x, y, theta of the robot at ``ages`` [s] before now, (n,) each, clamped."""


@dataclasses.dataclass(frozen=True)
class LidarModel(ParameterSet):
    """A lidar; the defaults are those of the TurtleBot3 in Gazebo."""

    scan_count: int = parameter(360, 'beams per scan', low=4, high=4096)
    scan_angle_min: float = parameter(
        0.0, 'direction of the first beam', unit='rad', low=-2 * math.pi, high=2 * math.pi)
    scan_angle_max: float = parameter(
        6.28, 'direction of the last beam', unit='rad', low=-2 * math.pi, high=4 * math.pi)
    scan_range_min: float = parameter(
        0.12, 'minimum range', unit='m', low=0.0, high=10.0)
    scan_range_max: float = parameter(3.5, 'maximum range', unit='m', low=0.1, high=1000.0)
    scan_publish_dur: float = parameter(
        0.2, 'time between two scans', unit='s', low=0.01, high=10.0)
    scan_sweep_time: float = parameter(
        0.0, 'duration of a sweep; 0 measures all beams at once, as in Gazebo', unit='s', low=0.0,
        high=1.0)
    scan_noise: float = parameter(
        0.01, 'standard deviation of a range', unit='m', low=0.0, high=1.0)
    scan_noise_share: float = parameter(
        0.0, 'additional standard deviation as a share of the range; both add in quadrature',
        low=0.0, high=1.0)
    scan_bias: float = parameter(
        0.0, 'error that all ranges have alike', unit='m', low=-1.0, high=1.0)
    scan_scale_error: float = parameter(
        0.0, 'error that all ranges have alike, as a share of the range', low=-0.5, high=0.5)
    scan_short: float = parameter(
        0.0, 'share of beams that are too short', low=0.0, high=1.0)
    scan_long: float = parameter(
        0.0, f'share of beams that are too long by more than {LONG:g} m', low=0.0, high=1.0)
    scan_mixed: float = parameter(
        0.0, 'share of beams at edges that report a range between foreground and background',
        low=0.0, high=1.0)
    scan_dropout: float = parameter(
        0.0, 'share of beams that are lost', low=0.0, high=1.0)
    scan_dropout_run: float = parameter(
        1.0, 'mean number of neighbours lost together; 1 for independent losses', unit='beams',
        low=1.0, high=1000.0, needs=('scan_dropout',))
    scan_lost: str = parameter(
        'nan', 'value of a lost beam: an error, or no return', choices=('nan', 'inf'))
    scan_near: str = parameter(
        'unseen', 'value of a beam below scan_range_min: no return, as in Gazebo 11, or -inf, as '
        'in REP-117', choices=('unseen', 'minus_inf'))
    scan_no_return: str = parameter(
        'inf', 'value of no return; above: 0.1 m above scan_range_max',
        choices=('inf', 'above', 'range_max', 'nan', 'zero'))
    scan_zeros: bool = parameter(
        False, 'whether all beams without a valid range are reported as 0.0, as a real LDS does')
    scan_clockwise: bool = parameter(
        False, 'whether the lidar turns clockwise and its driver sorts the beams by rising angle, '
        'so that the first is the newest')
    scan_timed: bool = parameter(
        True, 'whether scans have the time of their first beam and the time between two beams; '
        'else only that of the last beam')
    scan_offset_x: float = parameter(
        -0.032, "position of the lidar ahead of the robot's centre", unit='m', low=-2.0, high=2.0)
    scan_offset_y: float = parameter(
        0.0, "position of the lidar left of the robot's centre", unit='m', low=-2.0, high=2.0)
    scan_offset_yaw: float = parameter(
        0.0, 'yaw of the lidar on the robot', unit='rad', low=-math.pi, high=math.pi)
    scan_yaw_error: float = parameter(
        0.0, 'unknown additional yaw of the lidar', unit='rad', low=-math.pi, high=math.pi)
    scan_through_glass: float = parameter(
        1.0, 'share of beams that pass through glass solids of a world', low=0.0, high=1.0)
    scan_black_range: float = parameter(
        0.0, 'maximum range to black solids of a world', unit='m', low=0.0, high=1000.0)

    def __post_init__(self) -> None:
        """Check every field, and fields that depend on each other."""
        super().__post_init__()
        fan = self.scan_angle_max - self.scan_angle_min
        if not 0.0 < fan <= 2.0 * math.pi + 1e-6:
            raise ValueError(f'scan_angle_max is {self.scan_angle_max:g} rad; allowed is up to '
                             f'one turn above scan_angle_min, {self.scan_angle_min:g} rad')
        if self.scan_range_min >= self.scan_range_max:
            raise ValueError(f'scan_range_min is {self.scan_range_min:g} m; allowed is less than '
                             f'scan_range_max, {self.scan_range_max:g} m')
        if self.scan_sweep_time > self.scan_publish_dur:
            raise ValueError(f'scan_sweep_time is {self.scan_sweep_time:g} s; allowed is up to '
                             f'scan_publish_dur, {self.scan_publish_dur:g} s')

    @cached_property
    def mount(self) -> Pose:
        """Return the assumed pose of the lidar in the robot frame."""
        return Pose(self.scan_offset_x, self.scan_offset_y, self.scan_offset_yaw)

    @cached_property
    def true_mount(self) -> Pose:
        """Return the true pose of the lidar in the robot frame."""
        return Pose(self.scan_offset_x, self.scan_offset_y,
                    self.scan_offset_yaw + self.scan_yaw_error)

    @cached_property
    def increment(self) -> float:
        """Angle between two beams [rad]."""
        return (self.scan_angle_max - self.scan_angle_min) / (self.scan_count - 1)

    @property
    def period(self) -> float:
        """Time between two scans [s]."""
        return self.scan_publish_dur

    @property
    def sweep_time(self) -> float:
        """Duration of one scan [s]."""
        return self.scan_sweep_time

    @property
    def blind(self) -> float:
        """Return the radius of the blind zone around the robot's centre [m]."""
        return self.scan_range_min + math.hypot(self.scan_offset_x, self.scan_offset_y)

    @cached_property
    def _faults(self) -> np.ndarray:
        """Range limits and faults of the lidar, a `FAULTS` (1,)."""
        far = self.scan_range_max
        nothing = {'inf': math.inf, 'above': far + 0.1, 'range_max': far, 'nan': math.nan,
                   'zero': 0.0}[self.scan_no_return]
        near = -math.inf if self.scan_near == 'minus_inf' else nothing
        lost = math.nan if self.scan_lost == 'nan' else nothing
        if self.scan_zeros:
            near = nothing = lost = 0.0
        values = {**vars(self), 'near': near, 'nothing': nothing, 'lost': lost}
        return np.array([tuple(values[name] for name in FAULTS.names or ())], FAULTS)

    def sense(self, around: Surroundings, stamp: float, random: np.random.Generator
              ) -> Tuple[Scan, ...]:
        """Return the scan that ends now; its stamp is the time of its oldest beam."""
        cast = self._caster(around)
        ranges = self._by_surface(around, cast, random) if around.surfaces else cast(ANY_SURFACE)
        apply_faults(ranges, *self._draws(random), self._faults)
        sweep = self.scan_sweep_time if self.scan_timed else 0.0
        return (Scan(stamp - sweep, ranges, self.scan_angle_min, self.increment,
                     self.scan_range_min, self.scan_range_max, self.mount,
                     sweep / (self.scan_count - 1)),)

    def _caster(self, around: Surroundings) -> Callable[[str], np.ndarray]:
        """Return a function that returns the range to a surface along each beam."""
        if self.scan_sweep_time > 0.0:
            origins = self._sweep(around)
            return lambda surface: around.cast_each(origins, self.scan_range_max, surface)
        origin = around.pose.compose(self.true_mount)
        return lambda surface: around.cast(origin, self.scan_angle_min, self.increment,
                                           self.scan_count, self.scan_range_max, surface)

    def _sweep(self, around: Surroundings) -> np.ndarray:
        """Return the origin and direction of each beam, (n, 3)."""
        ages, beams = self._beams
        x, y, theta = around.past_poses(ages)
        cosines, sines = np.cos(theta), np.sin(theta)
        return np.stack((x + cosines * self.scan_offset_x - sines * self.scan_offset_y,
                         y + sines * self.scan_offset_x + cosines * self.scan_offset_y,
                         theta + self.true_mount.theta + beams), axis=1)

    @cached_property
    def _beams(self) -> Tuple[np.ndarray, np.ndarray]:
        """Time from each beam to the end of the sweep [s], and angle of each beam [rad], (n,)."""
        ages = np.linspace(self.scan_sweep_time, 0.0, self.scan_count)
        return (ages[::-1] if self.scan_clockwise else ages,
                self.scan_angle_min + self.increment * np.arange(self.scan_count))

    def _by_surface(self, around: Surroundings, cast: Callable[[str], np.ndarray],
                    random: np.random.Generator) -> np.ndarray:
        """Return the ranges among plain, glass and black solids."""
        ranges = cast(PLAIN)
        if GLASS in around.surfaces:
            stopped = random.random(ranges.size) >= self.scan_through_glass
            ranges = np.where(stopped, np.minimum(ranges, cast(GLASS)), ranges)
        if BLACK in around.surfaces:
            black = cast(BLACK)
            absorbed = (black <= ranges) & (black > self.scan_black_range)
            ranges = np.where(absorbed, np.inf, np.minimum(ranges, black))
        return ranges

    def _draws(self, random: np.random.Generator) -> Tuple[np.ndarray, ...]:
        """Return the random draws for `apply_faults`."""
        count = self.scan_count
        return (
            random.standard_normal(count) if self.scan_noise or self.scan_noise_share else NONE,
            random.random((2, count - 1)) if self.scan_mixed else NO_PAIRS,
            random.random((2, count)) if self.scan_short else NO_PAIRS,
            random.random((2, count)) if self.scan_long else NO_PAIRS,
            random.random(count) if self.scan_dropout else NONE)


class Ranger(NamedTuple):
    """A sensor that measures one range."""

    name: str
    """Name of its topic and of its frame."""
    mount: Pose
    """Pose in the robot frame; it measures along its x axis."""


@dataclasses.dataclass(frozen=True)
class RangerRing:
    """Identical single rangers around a robot: `sensor_msgs/Range`."""

    rangers: Tuple[Ranger, ...]
    range_min: float
    """Minimum range [m]."""
    range_max: float
    """Maximum range [m]."""
    field_of_view: float
    """Opening angle of the cone of measurement [rad]."""
    noise: float
    """Standard deviation of a range, as a share of it."""
    period: float
    """Time between two measurements [s]."""
    infrared: bool = True
    """Whether they are infrared; else sonars."""
    sweep_time: float = 0.0
    """Duration of a measurement; all measure at once [s]."""

    @property
    def blind(self) -> float:
        """Return the radius of the blind zone around the robot's centre [m]."""
        return max(math.hypot(ranger.mount.x, ranger.mount.y) for ranger in self.rangers
                   ) + self.range_min

    def sense(self, around: Surroundings, stamp: float, random: np.random.Generator
              ) -> Tuple[Scan, ...]:
        """Return the measurement of each ranger as a scan of one beam."""
        rays = 2 * math.ceil(0.5 * self.field_of_view / RAY_SPACING) + 1
        step = self.field_of_view / (rays - 1) if rays > 1 else RAY_SPACING
        scans = []
        for ranger in self.rangers:
            seen = float(around.cast(around.pose.compose(ranger.mount), -0.5 * step * (rays - 1),
                                     step, rays, self.range_max).min())
            seen *= 1.0 + self.noise * random.standard_normal()
            if not seen <= self.range_max:
                seen = math.inf
            elif seen < self.range_min:
                seen = -math.inf
            scans.append(Scan(stamp, np.array([seen]), 0.0,
                              max(self.field_of_view, RAY_SPACING), self.range_min,
                              self.range_max, ranger.mount))
        return tuple(scans)


Sensor = Union[LidarModel, RangerRing]


def make_rangers(directions: Tuple[Tuple[str, float, float, float], ...]) -> Tuple[Ranger, ...]:
    """Return rangers from their names, positions x, y [m] and directions [degrees]."""
    return tuple(Ranger(name, Pose(x, y, wrap(math.radians(yaw))))
                 for name, x, y, yaw in directions)
