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
What a simulated robot senses with: a lidar, or a ring of single rangers.

Both are asked with `sense`, and answer with the scans of this moment as the navigator takes them.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
import math
from typing import Callable, List, NamedTuple, Protocol, Tuple, Union

from bug_nav.core.geometry import Pose, wrap
from bug_nav.core.interface import Scan
from bug_nav.core.parameters import Checked, parameter
from bug_nav.sim.faults import FAULTS, LONG, NO_PAIRS, NONE, report
from bug_nav.sim.world import ALL, BLACK, GLASS, PLAIN
import numpy as np

FAN = math.radians(2.0)
"""The rays with which the cone of a ranger is filled are no further apart than this [rad]."""


class Surroundings(Protocol):
    """What a sensor may ask of the world and of the robot that it is on."""

    pose: Pose
    """The robot's, true."""

    surfaces: Tuple[str, ...]
    """Those of `SURFACES` that the solids around have."""

    def cast(self, origin: Pose, first: float, step: float, count: int, reach: float,
             surface: str = ALL) -> np.ndarray:
        """
        Cast rays from a pose, the first at an angle [rad] of it, ``step`` [rad] apart.

        Returns the ranges (count,) up to ``reach`` [m], inf where there is nothing; where a
        ``surface`` is named, all that has another one counts for nothing.
        """

    def cast_each(self, origins: np.ndarray, reach: float, surface: str = ALL) -> np.ndarray:
        """Cast a ray from each x, y along theta of ``origins`` (n, 3); return the ranges (n,)."""

    def poses_ago(self, ages: np.ndarray) -> List[np.ndarray]:
        """Return the robot's x, y, theta so long ago [s], (n,) each; the first for before it."""


@dataclasses.dataclass(frozen=True)
class LidarModel(Checked):
    """A lidar; the defaults are the TurtleBot3's as Gazebo simulates it."""

    scan_count: int = parameter(360, 'beams of a scan', low=4, high=4096)
    scan_angle_min: float = parameter(
        0.0, 'direction of the first beam', unit='rad', low=-2 * math.pi, high=2 * math.pi)
    scan_angle_max: float = parameter(
        6.28, 'direction of the last beam', unit='rad', low=-2 * math.pi, high=4 * math.pi)
    scan_range_min: float = parameter(
        0.12, 'what is nearer is not measured', unit='m', low=0.0, high=10.0)
    scan_range_max: float = parameter(3.5, 'how far it sees', unit='m', low=0.1, high=1000.0)
    scan_publish_dur: float = parameter(
        0.2, 'time between two scans', unit='s', low=0.01, high=10.0)
    scan_sweep_time: float = parameter(
        0.0, 'how long one sweep takes; in 0 all beams are measured at once, as in Gazebo',
        unit='s', low=0.0, high=1.0)
    scan_noise: float = parameter(
        0.01, 'standard deviation of a range', unit='m', low=0.0, high=1.0)
    scan_noise_share: float = parameter(
        0.0, 'another standard deviation of a range, as a share of it; both add in quadrature',
        low=0.0, high=1.0)
    scan_short: float = parameter(
        0.0, 'share of the beams that end somewhere before what they should see', low=0.0,
        high=1.0)
    scan_long: float = parameter(
        0.0, f'share of the beams that are read longer, by more than {LONG:g} m', low=0.0,
        high=1.0)
    scan_mixed: float = parameter(
        0.0, 'share of the beams at edges that read something between what is before and behind',
        low=0.0, high=1.0)
    scan_dropout: float = parameter(
        0.0, 'share of the beams that are lost', low=0.0, high=1.0)
    scan_dropout_run: float = parameter(
        1.0, 'neighbours that are lost together, on average; with 1 each is lost by itself',
        unit='beams', low=1.0, high=1000.0, needs=('scan_dropout',))
    scan_lost: str = parameter(
        'nan', 'what a lost beam reports: an error, or that it has seen nothing',
        choices=('nan', 'inf'))
    scan_near: str = parameter(
        'unseen', 'what is nearer than scan_range_min reports: nothing seen, as in Gazebo 11, or '
        '-inf, as in REP-117', choices=('unseen', 'minus_inf'))
    scan_use_inf: bool = parameter(
        True, 'report nothing seen as inf, else just above scan_range_max')
    scan_zeros: bool = parameter(
        False, 'report as 0.0, as a real LDS does, what is not a range')
    scan_offset_x: float = parameter(
        -0.032, "the lidar's place ahead of the robot's centre", unit='m', low=-2.0, high=2.0)
    scan_offset_y: float = parameter(
        0.0, "the lidar's place left of the robot's centre", unit='m', low=-2.0, high=2.0)
    scan_offset_yaw: float = parameter(
        0.0, "the lidar's direction on the robot", unit='rad', low=-math.pi, high=math.pi)
    scan_yaw_error: float = parameter(
        0.0, 'by how much the lidar is turned further than anybody knows', unit='rad',
        low=-math.pi, high=math.pi)
    scan_through_glass: float = parameter(
        1.0, 'share of the beams that go through glass, where a world has some', low=0.0, high=1.0)
    scan_black_range: float = parameter(
        0.0, 'what is black is not seen from farther away, where a world has something black',
        unit='m', low=0.0, high=1000.0)

    def __post_init__(self) -> None:
        """Check every field, and those that hang together."""
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
        """Return the lidar's pose in the robot's frame, as the robot knows it."""
        return Pose(self.scan_offset_x, self.scan_offset_y, self.scan_offset_yaw)

    @cached_property
    def true_mount(self) -> Pose:
        """Return the lidar's pose in the robot's frame."""
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
        """How long one scan takes [s]."""
        return self.scan_sweep_time

    @property
    def blind(self) -> float:
        """Return the distance to the robot's centre [m] below which nothing may be seen."""
        return self.scan_range_min + math.hypot(self.scan_offset_x, self.scan_offset_y)

    @cached_property
    def _faults(self) -> np.ndarray:
        """The lidar's range and faults, a `FAULTS` (1,)."""
        nothing = math.inf if self.scan_use_inf else self.scan_range_max + 0.1
        near = -math.inf if self.scan_near == 'minus_inf' else nothing
        lost = math.nan if self.scan_lost == 'nan' else nothing
        if self.scan_zeros:
            near = nothing = lost = 0.0
        values = {**vars(self), 'near': near, 'nothing': nothing, 'lost': lost}
        return np.array([tuple(values[name] for name in FAULTS.names or ())], FAULTS)

    def sense(self, around: Surroundings, stamp: float, random: np.random.Generator
              ) -> Tuple[Scan, ...]:
        """Return the scan that ends now, its stamp the time of its first beam."""
        look = self._looking(around)
        ranges = self._seen(around, look, random) if around.surfaces else look(ALL)
        report(ranges, *self._draws(random), self._faults)
        return (Scan(stamp - self.scan_sweep_time, ranges, self.scan_angle_min, self.increment,
                     self.scan_range_min, self.scan_range_max, self.mount,
                     self.scan_sweep_time / (self.scan_count - 1)),)

    def _looking(self, around: Surroundings) -> Callable[[str], np.ndarray]:
        """Return what tells how far away a surface is along each beam."""
        if self.scan_sweep_time > 0.0:
            origins = self._sweep(around)
            return lambda surface: around.cast_each(origins, self.scan_range_max, surface)
        origin = around.pose.compose(self.true_mount)
        return lambda surface: around.cast(origin, self.scan_angle_min, self.increment,
                                           self.scan_count, self.scan_range_max, surface)

    def _sweep(self, around: Surroundings) -> np.ndarray:
        """Return from where, and in which direction, each beam was measured."""
        ages, beams = self._beams
        x, y, theta = around.poses_ago(ages)
        cosines, sines = np.cos(theta), np.sin(theta)
        return np.stack((x + cosines * self.scan_offset_x - sines * self.scan_offset_y,
                         y + sines * self.scan_offset_x + cosines * self.scan_offset_y,
                         theta + self.true_mount.theta + beams), axis=1)

    @cached_property
    def _beams(self) -> Tuple[np.ndarray, np.ndarray]:
        """Time from each beam to the end of the sweep [s], and angle of each beam [rad], (n,)."""
        return (np.linspace(self.scan_sweep_time, 0.0, self.scan_count),
                self.scan_angle_min + self.increment * np.arange(self.scan_count))

    def _seen(self, around: Surroundings, look: Callable[[str], np.ndarray],
              random: np.random.Generator) -> np.ndarray:
        """Return what the beams see of solids that are not all plain."""
        ranges = look(PLAIN)
        if GLASS in around.surfaces:
            stopped = random.random(ranges.size) >= self.scan_through_glass
            ranges = np.where(stopped, np.minimum(ranges, look(GLASS)), ranges)
        if BLACK in around.surfaces:
            black = look(BLACK)
            swallowed = (black <= ranges) & (black > self.scan_black_range)
            ranges = np.where(swallowed, np.inf, np.minimum(ranges, black))
        return ranges

    def _draws(self, random: np.random.Generator) -> Tuple[np.ndarray, ...]:
        """Return the draws for the faults of each beam, as `report` takes them."""
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
    """Of its topic, and of its frame."""
    mount: Pose
    """In the robot's frame; it looks along its own x axis."""


@dataclasses.dataclass(frozen=True)
class RangerRing:
    """Single rangers around a robot, all alike: `sensor_msgs/Range`."""

    rangers: Tuple[Ranger, ...]
    range_min: float
    """What is nearer is not measured [m]."""
    range_max: float
    """How far they see [m]."""
    field_of_view: float
    """The cone in which the nearest thing is measured [rad]."""
    noise: float
    """Standard deviation of a range, as a share of it."""
    period: float
    """Time between two measurements [s]."""
    infrared: bool = True
    """Else they are sonars."""
    sweep_time: float = 0.0
    """They all measure at once."""

    @property
    def blind(self) -> float:
        """Return the distance to the robot's centre [m] below which nothing may be seen."""
        return max(math.hypot(ranger.mount.x, ranger.mount.y) for ranger in self.rangers
                   ) + self.range_min

    def sense(self, around: Surroundings, stamp: float, random: np.random.Generator
              ) -> Tuple[Scan, ...]:
        """Return what each ranger measures, as a scan of one beam."""
        rays = 2 * math.ceil(0.5 * self.field_of_view / FAN) + 1
        step = self.field_of_view / (rays - 1) if rays > 1 else FAN
        scans = []
        for ranger in self.rangers:
            seen = float(around.cast(around.pose.compose(ranger.mount), -0.5 * step * (rays - 1),
                                     step, rays, self.range_max).min())
            seen *= 1.0 + self.noise * random.standard_normal()
            if not seen <= self.range_max:
                seen = math.inf
            elif seen < self.range_min:
                seen = -math.inf
            scans.append(Scan(stamp, np.array([seen]), 0.0, max(self.field_of_view, FAN),
                              self.range_min, self.range_max, ranger.mount))
        return tuple(scans)


Sensor = Union[LidarModel, RangerRing]


def ring_of(directions: Tuple[Tuple[str, float, float, float], ...]) -> Tuple[Ranger, ...]:
    """Return rangers from their names, places x, y [m] and directions [degrees]."""
    return tuple(Ranger(name, Pose(x, y, wrap(math.radians(yaw))))
                 for name, x, y, yaw in directions)
