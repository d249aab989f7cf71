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

"""Small worlds and robots for the tests."""

from __future__ import annotations

import math
from typing import Callable, Generator

from bug_nav.navigation.algorithms.base import Algorithm, Metadata
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.robot import Robot
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Outcome, Result, Twist
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import EpisodeResult, run_episode
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np

R = 0.124
RHO = 0.224
QUIET = LidarModel(scan_noise=0.0)
"""The TurtleBot3's lidar without noise."""
BURGER = RobotModel()
TURNS = ('left', 'right')


def block(x0: float, x1: float, y0: float, y1: float) -> np.ndarray:
    """Return an axis-aligned rectangle."""
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], dtype=float)


def world_of(*solids: np.ndarray) -> World:
    """Return a world without a name."""
    return World('', solids)


def ring_of(count: int, radius: float = 1.0) -> list[tuple]:
    """Return points around the origin, counter-clockwise."""
    return [(radius * math.cos(2.0 * math.pi * k / count),
             radius * math.sin(2.0 * math.pi * k / count)) for k in range(count)]


def boundary_points(world: World, spacing: float = 0.04, shift: float = 0.0, noise: float = 0.0
                    ) -> np.ndarray:
    """Return points (n, 2) on the obstacle boundaries, at most ``spacing`` [m] apart."""
    points = [np.zeros((0, 2))]
    for x0, y0, x1, y1 in world.segments:
        count = max(math.ceil(math.hypot(x1 - x0, y1 - y0) / spacing), 1)
        share = ((np.arange(count) + shift) / count)[:, None]
        points.append((x0, y0) + share * (x1 - x0, y1 - y0))
    found = np.vstack(points)
    return found + noise * np.random.default_rng(1).standard_normal(found.shape)


def room(inner: float, wall: float = 0.1) -> World:
    """Return a closed square room around the origin."""
    half, out = 0.5 * inner, 0.5 * inner + wall
    return world_of(block(-out, out, half, out), block(-out, out, -out, -half),
                    block(-out, -half, -out, out), block(half, out, -out, out))


class Stage:
    """A robot that is placed anywhere in a world and senses it without noise."""

    def __init__(self, world: World, pose: Pose = IDENTITY, goal=(100.0, 0.0), *,
                 model: RobotModel = BURGER, lidar: LidarModel = QUIET, **settings) -> None:
        """Place the robot at ``pose``; ``settings`` are the fields of `Settings`."""
        self.world, self.goal, self.lidar = world, goal, lidar
        self.robot = Robot(model, Settings(**settings))
        self.stamp = 0.0
        self.put(pose, held=True)

    def put(self, pose: Pose, held: bool = False) -> Robot:
        """Place the robot at ``pose`` 0.2 s later, and take a scan there."""
        self.stamp += 0.2
        simulator = Simulator(self.world, pose, self.robot.model, self.lidar)
        simulator.stamp = self.stamp
        self.robot.perception.add(simulator.scan(), pose)
        self.robot.set_pose(self.stamp, pose, self.goal, held)
        return self.robot


def hand_over(simulator: Simulator, navigator: Navigator, scans: bool = True) -> None:
    """Hand odometry over to a navigator, and a scan as well."""
    navigator.queue.add_pose(simulator.stamp, simulator.odometry)
    if scans:
        navigator.queue.add_scan(simulator.scan(), simulator.stamp)


Script = Callable[[Robot], Generator[Twist, None, object]]


class Scripted(Algorithm):
    """An algorithm that runs a function and keeps its result, which ends the goal."""

    metadata = Metadata('Scripted', 'a test', 'contact', 'any', False, 'none', 'none')

    def __init__(self, script: Script) -> None:
        """Set the function."""
        super().__init__()
        self.script = script
        self.returned: object = None

    def run(self, robot: Robot):
        """Run the function."""
        self.returned = yield from self.script(robot)
        return Result(Outcome.LOOP_DETECTED, 'the script has ended')


def play(world: World, script: Script, start: Pose = IDENTITY, goal=(6.0, 0.0), *,
         lidar: LidarModel = QUIET, **settings) -> tuple[EpisodeResult, object]:
    """Run a script in the simulator; return the episode and what the script returned."""
    algorithm = Scripted(script)
    episode = run_episode(world, start, goal, algorithm, lidar=lidar,
                          settings=Settings(**settings), time_allowance=600.0)
    return episode, algorithm.returned


def drive_bug2(world: World, turn: str = 'left', *, start=None, goal=None,
               model: RobotModel = BURGER, lidar: LidarModel = QUIET, seed: int = 0,
               time_allowance: float = 3600.0, **settings) -> EpisodeResult:
    """Run Bug2 in a world, by default from the start to the goal of the world."""
    return run_episode(
        world, Pose(*(start or world.start)), goal or world.goal, Bug2(), model=model,
        lidar=lidar, settings=Settings(turn_direction=turn, **settings), seed=seed,
        time_allowance=time_allowance)


def drive(name: str, algorithm: Algorithm) -> EpisodeResult:
    """Run an algorithm without noise in a world given by name, from its start to its goal."""
    world = find_world(name)
    return run_episode(world, Pose(*world.start), world.goal, algorithm, lidar=QUIET)


def way_of(episode: EpisodeResult) -> np.ndarray:
    """Return the true positions of the robot, (n, 2)."""
    return np.array([sample.pose.position for sample in episode.samples])


def hits_and_leaves(episode: EpisodeResult) -> tuple[list, list]:
    """Return the hit and the leave events of an episode."""
    return ([event for event in episode.events if event.kind == 'hit'],
            [event for event in episode.events if event.kind == 'leave'])
