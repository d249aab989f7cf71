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

"""One episode: a simulator and a navigator until there is a result."""

from __future__ import annotations

import dataclasses
import time
from typing import Callable, List, NamedTuple, Optional, Tuple, Type

from bug_nav.algorithms.base import Algorithm
from bug_nav.algorithms.bug2 import Bug2
from bug_nav.algorithms.tangent_bug import TangentBug
from bug_nav.algorithms.vis_bug_21 import VisBug21
from bug_nav.certificate import is_proof
from bug_nav.core.geometry import distance, Point, Pose
from bug_nav.core.interface import Decision, Event, Observation, Outcome, Result, Twist
from bug_nav.core.settings import RobotModel, Settings
from bug_nav.navigator import Navigator
from bug_nav.sim.link import IDEAL, Link, substeps, TimingModel
from bug_nav.sim.odometry import OdometryModel
from bug_nav.sim.rivals import Traffic
from bug_nav.sim.robots import find_robot
from bug_nav.sim.sensors import LidarModel, Sensor
from bug_nav.sim.simulator import Simulator
from bug_nav.sim.world import checked_places, World
from bug_nav.space import strides
import numpy as np

PERIOD = 0.05
"""Control period [s]."""
MISSED = 0.05
"""Further than this beyond the tolerance [m] no goal has been reached, whatever odometry says."""


class Sample(NamedTuple):
    """The robot at one tick."""

    stamp: float
    pose: Pose
    state: Tuple[str, ...]


@dataclasses.dataclass
class Episode:
    """What happened in an episode."""

    world: World
    start: Pose
    goal: Point
    result: Optional[Result]
    """None where the episode ended in a contact."""
    path_length: float
    """Of the true path [m]."""
    odometry_length: float
    """Of the path as odometry has it [m]."""
    goal_error: float
    """True distance from the goal at the end [m]."""
    time: float
    ticks: int
    contacts: int
    """How often the robot, or another that runs bug_nav, has touched something while it moved."""
    min_clearance: float
    """Smallest distance of the body from a solid that stands still [m]; inf without any."""
    events: List[Event]
    """Where the robot truly was, and after which true path; the distances are what it believed."""
    samples: List[Sample]
    wall_time: float
    final_pose: Pose
    """The true pose at the end."""
    bumped: int = 0
    """How often something that moves has touched the robot while that stood."""
    certificate: Tuple[Point, ...] = ()
    """
    The result's, in the world's frame: where the robot, at its true pose, has these obstacle
    points around it. With perfect odometry it is the result's own.
    """
    certified: bool = False
    """
    Whether the certificate passes `bug_nav.certificate` between the true pose at the end and the
    true goal, at the contour radius rho: false without one, and where odometry has drifted away.
    """

    missed: bool = False
    """Whether the goal is reached by odometry alone, and the robot truly is elsewhere."""

    @property
    def outcome(self) -> str:
        """Return the outcome's name; a contact is the outcome ``collision``."""
        if self.contacts or self.result is None:
            return 'collision'
        return self.result.outcome.value

    @property
    def real_time_factor(self) -> float:
        """Return the simulated time per wall time."""
        return self.time / max(self.wall_time, 1e-9)


def run_episode(world: World, start: Tuple[float, float, float], goal: Point,
                algorithm: Algorithm, *,
                model: RobotModel = RobotModel(), settings: Settings = Settings(),
                lidar: Sensor = LidarModel(), odometry: OdometryModel = OdometryModel(),
                timing: TimingModel = IDEAL, goal_yaw: Optional[float] = None, seed: int = 0,
                time_allowance: float = 3600.0, keep_samples: bool = True,
                watch: Optional[Callable[[Simulator, Navigator, Decision], None]] = None,
                navigator_type: Type[Navigator] = Navigator) -> Episode:
    """
    Drive to ``goal`` from ``start`` (world frame) and return what happened.

    ``start``: x, y [m] and yaw [rad], a `Pose` or a tuple such as ``world.start``.
    Odometry begins in the world's frame; ``goal_yaw`` [rad] is in that of the localiser, or else
    of the odometry. ``timing``: how late and how often data reach the navigator.

    ``watch`` is called after each tick. The same arguments give the same episode.

    :raises WorldError: for a start where the robot has no room, or a goal too far away.
    """
    start, goal = checked_places(world, start, goal, model.robot_radius)
    simulator = Simulator(world, start, model, lidar, seed, odometry)
    traffic = Traffic(simulator, settings, lidar, odometry, seed)
    navigator = navigator_type(algorithm, model, settings, time_allowance)
    samples: List[Sample] = []
    events: List[Event] = []
    drive = _Ideal(simulator, lidar, navigator) if timing.is_ideal else _Linked(
        simulator, lidar, navigator, Link(timing, np.random.default_rng((seed, 2))))
    began, ticks, decision = time.perf_counter(), 0, None
    while decision is None or decision.result is None:
        drive.hand_over()
        decision = navigator.tick(Observation(
            simulator.stamp, simulator.sensed(goal) if odometry.goal_beacon else goal, goal_yaw,
            simulator.correction))
        events.extend(event._replace(pose=simulator.pose, path_length=simulator.travelled)
                      for event in decision.events)
        if keep_samples:
            samples.append(Sample(simulator.stamp, simulator.pose, decision.state))
        if watch:
            watch(simulator, navigator, decision)
        ticks += 1
        if simulator.contacts or traffic.contacts or decision.result is not None:
            break
        drive.step(decision.twist)
        traffic.step(PERIOD)
    wall_time = time.perf_counter() - began
    end = simulator.pose
    to_truth = end.compose(navigator.robot.global_pose.inverse())
    chain = tuple(map(to_truth.apply, decision.result.certificate if decision.result else ()))
    return Episode(world, start, goal, decision.result, simulator.travelled,
                   navigator.robot.path_length, distance(end.position, goal),
                   simulator.stamp, ticks, simulator.contacts + traffic.contacts,
                   simulator.min_clearance - model.robot_radius, events, samples, wall_time, end,
                   simulator.bumped, chain,
                   is_proof(chain, end.position, goal, navigator.robot.contour_radius,
                            settings.xy_goal_tolerance),
                   decision.result is not None and decision.result.outcome is Outcome.REACHED
                   and navigator.robot.goal_distance <= settings.xy_goal_tolerance
                   and distance(end.position, goal) > settings.xy_goal_tolerance + MISSED)


class _Ideal:
    """Everything is measured at a tick, and known at once."""

    def __init__(self, simulator: Simulator, lidar: Sensor, navigator: Navigator):
        self._simulator, self._navigator = simulator, navigator
        self._every = max(round(lidar.period / PERIOD), 1)
        self._ticks = 0

    def hand_over(self) -> None:
        simulator, navigator = self._simulator, self._navigator
        navigator.add_pose(simulator.stamp, simulator.odometry, simulator.stamp)
        if self._ticks % self._every == 0:
            for scan in simulator.sense():
                navigator.add_scan(scan, simulator.stamp)
        self._ticks += 1

    def step(self, twist: Twist) -> None:
        self._simulator.step(twist, PERIOD)


class _Linked:
    """Data take their way: they are handed over as they arrive."""

    def __init__(self, simulator: Simulator, lidar: Sensor, navigator: Navigator, link: Link):
        self._simulator, self._navigator, self._link = simulator, navigator, link
        self._lidar = lidar
        self._substeps = substeps(link.model, PERIOD)
        self._scan_due = 0.0
        navigator.add_pose(simulator.stamp, simulator.odometry, simulator.stamp)
        self._measure()

    def _measure(self) -> None:
        simulator = self._simulator
        self._link.send_odometry(simulator.stamp, simulator.odometry)
        if simulator.stamp >= self._scan_due - 1e-9:
            self._scan_due += self._lidar.period
            self._link.send_scans(simulator.stamp, simulator.sense())

    def hand_over(self) -> None:
        for arrival in self._link.arrived(self._simulator.stamp):
            if arrival.odometry is not None:
                self._navigator.add_pose(arrival.stamp, arrival.odometry, arrival.at)
            for scan in arrival.scans:
                self._navigator.add_scan(scan, arrival.at)

    def step(self, twist: Twist) -> None:
        for _ in range(self._substeps):
            self._simulator.step(twist, PERIOD / self._substeps)
            self._measure()


def warm_up() -> None:
    """
    Have the kernels compiled, or loaded, before time counts: by short episodes.

    All that any algorithm or robot meets: else it would be compiled on a robot's way, for seconds
    in which nobody steers it. What an earlier process has kept may be a part of them.
    """
    box = World('warm_up', (np.array([[0.6, -0.2], [0.8, -0.2], [0.8, 0.2], [0.6, 0.2]]),))
    for algorithm, robot, far, allowance in (
            (VisBug21, 'burger', 1.8, 60.0), (TangentBug, 'burger', 0.7, 60.0),
            (Bug2, 'pioneer', 2.4, 8.0)):
        preset = find_robot(robot)
        run_episode(box, Pose(-0.6, 0.0, 0.0), (far, 0.0), algorithm(), model=preset.model,
                    settings=preset.settings, lidar=preset.sensor, keep_samples=False,
                    time_allowance=allowance)
    # In no scene as small as this does a disc that waits for the robot come to cover a point.
    strides.make_room(np.array([[1.0, 0.0]]), np.array([0.2]), (0.0, 0.0, 1.0, 0.0, 0.2))
