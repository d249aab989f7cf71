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

"""Run one episode: simulator and navigator until there is a result."""

from __future__ import annotations

import dataclasses
import time
from typing import Callable, List, NamedTuple, Optional, Tuple, Type

from bug_nav.navigation.algorithms.base import Algorithm
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import distance, Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import ARRIVED, Decision, Event, Result, TickInput, Twist
from bug_nav.navigation.warm_up import warm_up as compile_navigation
from bug_nav.navigation.warm_up import without_collection
from bug_nav.simulation.latency import IDEAL, LatencyQueue, substeps, TimingModel
from bug_nav.simulation.movers import disc, Script, Scripted
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.other_robots import OtherRobots
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.sensors import LidarModel, Sensor
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import check_start_and_goal, World
import numpy as np

PERIOD = 0.05
"""Control period [s]."""
MISSED_MARGIN = 0.05
"""Distance beyond the goal tolerance above which a goal counts as missed [m]."""


class Sample(NamedTuple):
    """The robot at one tick."""

    stamp: float
    pose: Pose
    state: Tuple[str, ...]


@dataclasses.dataclass
class EpisodeResult:
    """Result and trajectory of an episode."""

    world: World
    start: Pose
    goal: Point
    result: Optional[Result]
    """None if the episode ended in a contact."""
    path_length: float
    """Length of the true path [m]."""
    odometry_length: float
    """Length of the path by odometry [m]."""
    goal_error: float
    """True distance from the goal at the end [m]."""
    time: float
    ticks: int
    contacts: int
    """Number of contacts of the robot, or another one that runs bug_nav, by its own motion."""
    min_clearance: float
    """Smallest distance of the body from a static solid [m]; inf without any."""
    events: List[Event]
    """Events with true pose and true path length; goal distances are estimates."""
    samples: List[Sample]
    wall_time: float
    final_pose: Pose
    """The true pose at the end."""
    bumped: int = 0
    """Number of times that a mover has touched the robot, which did not move towards it."""
    certificate: Tuple[Point, ...] = ()
    """
    The certificate of the result, transformed from the estimated to the true final pose.

    With perfect odometry the two are equal.
    """
    certified: bool = False
    """
    Whether the certificate passes `certificate` between the true final pose and the true
    goal, at the contour radius rho. False without a certificate, or if odometry has drifted.
    """

    goal_missed: bool = False
    """Whether the goal is reached by the robot's estimate only, and the true position is off."""

    @property
    def outcome(self) -> str:
        """Return the name of the outcome; a contact is the outcome ``collision``."""
        if self.contacts or self.result is None:
            return 'collision'
        return self.result.outcome.value

    @property
    def real_time_factor(self) -> float:
        """Return simulated time divided by wall time."""
        return self.time / max(self.wall_time, 1e-9)


def run_episode(world: World, start: Tuple[float, float, float], goal: Point,
                algorithm: Algorithm, *,
                model: RobotModel = RobotModel(), settings: Settings = Settings(),
                lidar: Sensor = LidarModel(), odometry: OdometryModel = OdometryModel(),
                timing: TimingModel = IDEAL, goal_yaw: Optional[float] = None, seed: int = 0,
                time_allowance: float = 3600.0, keep_samples: bool = True,
                watch: Optional[Callable[[Simulator, Navigator, Decision], None]] = None,
                navigator_type: Type[Navigator] = Navigator) -> EpisodeResult:
    """
    Drive from ``start`` to ``goal`` (world frame) and return the episode.

    ``start``: x, y [m] and yaw [rad], a `Pose` or a tuple such as ``world.start``.
    The odometry frame starts as the world frame. ``goal_yaw`` [rad] is in the frame of the
    localizer if there is one, else of odometry. ``timing``: latency and rates of the data.

    ``watch`` is called after each tick. The same arguments give the same episode.

    :raises WorldError: if the robot does not fit at the start, or the goal is too far away.
    """
    start, goal = check_start_and_goal(world, start, goal, model.robot_radius)
    simulator = Simulator(world, start, model, lidar, seed, odometry)
    other_robots = OtherRobots(simulator, settings, lidar, odometry, seed)
    navigator = navigator_type(algorithm, model, settings, time_allowance)
    navigator.robot.random = np.random.default_rng((seed, 3))
    samples: List[Sample] = []
    events: List[Event] = []
    drive = _Ideal(simulator, lidar, navigator) if timing.is_ideal else _Delayed(
        simulator, lidar, navigator, LatencyQueue(timing, np.random.default_rng((seed, 2))))
    began, ticks, decision = time.perf_counter(), 0, None
    while decision is None or decision.result is None:
        drive.hand_over()
        decision = navigator.tick(TickInput(
            simulator.stamp, simulator.sensed(goal) if odometry.goal_beacon else goal, goal_yaw,
            simulator.correction, goal_is_measured=odometry.goal_beacon))
        if decision.events:
            events.extend(event._replace(pose=simulator.pose, path_length=simulator.travelled)
                          for event in decision.events)
        if keep_samples:
            samples.append(Sample(simulator.stamp, simulator.pose, decision.state))
        if watch:
            watch(simulator, navigator, decision)
        ticks += 1
        if simulator.contacts or other_robots.contacts or decision.result is not None:
            break
        drive.step(decision.twist)
        other_robots.step(PERIOD)
    wall_time = time.perf_counter() - began
    end = simulator.pose
    to_truth = end.compose(navigator.robot.global_pose.inverse())
    chain = tuple(map(to_truth.apply, decision.result.certificate if decision.result else ()))
    return EpisodeResult(
        world, start, goal, decision.result, simulator.travelled, navigator.robot.path_length,
        distance(end.position, goal), simulator.stamp, ticks,
        simulator.contacts + other_robots.contacts, simulator.min_clearance - model.robot_radius,
        events, samples, wall_time, end, simulator.bumped, chain,
        is_proof(chain, end.position, goal, navigator.robot.contour_radius,
                 settings.xy_goal_tolerance),
        decision.result is not None and decision.result.outcome.value in ARRIVED
        and navigator.robot.goal_distance <= settings.xy_goal_tolerance
        and distance(end.position, goal) > settings.xy_goal_tolerance + MISSED_MARGIN)


class _Ideal:
    """Delivers measurements at once, at every tick."""

    def __init__(self, simulator: Simulator, lidar: Sensor, navigator: Navigator):
        self._simulator, self._navigator = simulator, navigator
        self._every = max(round(lidar.period / PERIOD), 1)
        self._ticks = 0

    def hand_over(self) -> None:
        simulator, navigator = self._simulator, self._navigator
        navigator.queue.add_pose(simulator.stamp, simulator.odometry, simulator.stamp)
        if self._ticks % self._every == 0:
            for scan in simulator.sense():
                navigator.queue.add_scan(scan, simulator.stamp)
        self._ticks += 1

    def step(self, twist: Twist) -> None:
        self._simulator.step(twist, PERIOD)


class _Delayed:
    """Delivers measurements through a `LatencyQueue`."""

    def __init__(self, simulator: Simulator, lidar: Sensor, navigator: Navigator,
                 link: LatencyQueue):
        self._simulator, self._navigator, self._link = simulator, navigator, link
        self._lidar = lidar
        self._substeps = substeps(link.model, PERIOD)
        self._scan_due = 0.0
        navigator.queue.add_pose(simulator.stamp, simulator.odometry, simulator.stamp)
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
                self._navigator.queue.add_pose(arrival.stamp, arrival.odometry, arrival.at)
            for scan in arrival.scans:
                self._navigator.queue.add_scan(scan, arrival.at)

    def step(self, twist: Twist) -> None:
        for _ in range(self._substeps):
            self._simulator.step(twist, PERIOD / self._substeps)
            self._measure()


def warm_up() -> None:
    """Compile or load all kernels, those of navigation first, before time counts."""
    compile_navigation()
    walk = Script(np.array([0.0, 9.0]), np.array([[-1.6, -2.0, 0.0], [-1.6, 2.0, 0.0]]), True)
    box = np.array([[0.6, -0.2], [0.8, -0.2], [0.8, 0.2], [0.6, 0.2]])
    world = World('warm_up', (box,), movers=(Scripted('walker', (disc(0.2),), walk),))
    imperfect, pioneer = LidarModel(scan_dropout=0.03, scan_sweep_time=0.1), find_robot('pioneer')
    with without_collection():
        for sensor, settings in ((imperfect, Settings()), (pioneer.sensor, pioneer.settings)):
            run_episode(world, Pose(-0.6, 0.0, 0.0), (0.7, 0.0), Bug2(), settings=settings,
                        lidar=sensor, keep_samples=False, time_allowance=8.0)
