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
A Gymnasium environment: drive to a goal from a scan, at the speed of the embedded simulator.

Importing this module registers ``bug_nav/Goal-v0``, for `gymnasium.make` and `make_vec`. It needs
the extra ``gym``.
"""

from __future__ import annotations

from functools import lru_cache
import math
from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Union

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.types import Scan, Twist
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.robots import find_robot
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import check_start_and_goal, World
import gymnasium
from gymnasium import spaces
import numpy as np

ID = 'bug_nav/Goal-v0'
FARTHEST = 10.0
"""Goal distance that is observed as 1 [m]; larger ones are clipped."""
GOAL_VALUES = 3
"""Number of observed values of the goal: distance, cosine and sine of its direction."""
REWARD_REACHED, REWARD_CONTACT, REWARD_TIME = 10.0, -5.0, -0.01
"""Rewards at the goal, for a contact, and per step; progress gives 1 per metre."""


def observe(scan: Scan, pose: Pose, goal: Point, sectors: int) -> np.ndarray:
    """
    Return what a policy sees, (sectors + 3,) float32 in [-1, 1].

    For each of ``sectors`` equal sectors, counter-clockwise from behind, the smallest range as a
    share of the maximum range; then distance, cosine and sine of the direction of the goal. -inf
    (too near to measure) is 0; 0.0, NaN and inf are the maximum range. It is a function of its
    own, so that a trained policy can be graded with ``bug_nav grade --python``.
    """
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    which = (((angles + math.pi) % (2.0 * math.pi)) * (sectors / (2.0 * math.pi))).astype(int)
    nearest = np.full(sectors, scan.range_max)
    is_range = np.isfinite(scan.ranges) & (scan.ranges > 0.0)
    ranges = np.where(is_range, scan.ranges, scan.range_max)
    ranges[np.isneginf(scan.ranges)] = 0.0
    np.minimum.at(nearest, np.minimum(which, sectors - 1), ranges)
    away = math.dist(pose.position, goal)
    direction = math.atan2(goal[1] - pose.y, goal[0] - pose.x) - pose.theta
    return np.concatenate((
        np.clip(nearest / scan.range_max, 0.0, 1.0),
        (min(away / FARTHEST, 1.0), math.cos(direction), math.sin(direction))
    )).astype(np.float32)


@lru_cache(maxsize=64)
def _world(name: str) -> World:
    return find_world(name)


class GoalEnvironment(gymnasium.Env):
    """
    A robot that has to reach the goal of a world without a contact.

    Action: (2,) in [-1, 1], speed and turning as shares of the robot's maximum; the robot does
    not drive backwards. Observation: `observe`. The info has ``success``, ``contacts``,
    ``distance`` to the goal [m] and ``world``.
    """

    metadata: Dict[str, Any] = {'render_modes': []}

    def __init__(self, worlds: Union[str, Sequence[str]] = 'random:cluttered?seed={seed}', *,
                 robot: str = 'burger', sectors: int = 24, period: float = 0.2,
                 tolerance: float = 0.2, time_allowance: float = 120.0, contact: str = 'end',
                 seeds: int = 1000):
        """
        Create an environment.

        :param worlds: names as for ``bug_nav run``; ``{seed}`` is drawn for each episode.
        :param period: time of a step [s], a multiple of 0.05.
        :param contact: end, hold or slide.
        :param seeds: number of seeds to draw from.
        :raises ValueError: for an unknown world or robot, or a robot without a lidar.
        """
        self._worlds = (worlds,) if isinstance(worlds, str) else tuple(worlds)
        self._preset = find_robot(robot)
        if not isinstance(self._preset.sensor, LidarModel):
            raise ValueError(f'the robot {robot!r} has no lidar; give one that has')
        if contact not in ('end', 'hold', 'slide'):
            raise ValueError(f'contact is {contact!r}; allowed are end, hold and slide')
        self._sectors, self._seeds, self._contact = sectors, seeds, contact
        self._substeps = max(round(period / PERIOD), 1)
        self._tolerance, self._time_allowance = tolerance, time_allowance
        for name in self._worlds:  # a mistyped name is reported here
            _world(name.replace('{seed}', '0'))
        low = np.concatenate((np.zeros(sectors + 1), -np.ones(2))).astype(np.float32)
        self.observation_space = spaces.Box(low, np.ones(sectors + GOAL_VALUES, np.float32))
        self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed: Optional[int] = None, options: Optional[Mapping[str, Any]] = None
              ) -> Tuple[np.ndarray, Dict[str, Any]]:
        """Begin an episode; ``options`` may have the name of a ``world``."""
        super().reset(seed=seed)
        drawn = int(self.np_random.integers(self._seeds))
        name = self._worlds[int(self.np_random.integers(len(self._worlds)))]
        self._name = (options or {}).get('world', name).replace('{seed}', str(drawn))
        world, model = _world(self._name), self._preset.model
        start, self._goal = check_start_and_goal(world, world.start, world.goal,
                                                 model.robot_radius)
        self.simulator = Simulator(
            world, start, model, self._preset.sensor, int(self.np_random.integers(2 ** 31)),
            self._preset.odometry, slides=self._contact == 'slide')
        self._away = math.dist(start.position, self._goal)
        return self._observation(), self._info()

    def step(self, action: np.ndarray
             ) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        """Drive for one period."""
        simulator, model = self.simulator, self._preset.model
        forward, turn = np.clip(np.asarray(action, dtype=float), -1.0, 1.0).tolist()
        command = Twist(max(forward, 0.0) * model.max_vel_x, turn * model.max_vel_theta)
        before = simulator.contacts
        for _ in range(self._substeps):
            simulator.step(command, PERIOD)
        away = math.dist(simulator.pose.position, self._goal)
        touched, reached = simulator.contacts > before, away <= self._tolerance
        reward = (self._away - away + REWARD_TIME + touched * REWARD_CONTACT
                  + reached * REWARD_REACHED)
        self._away = away
        return (self._observation(), float(reward),
                bool(reached or (touched and self._contact == 'end')),
                bool(simulator.stamp >= self._time_allowance - 1e-9), self._info())

    def _observation(self) -> np.ndarray:
        simulator = self.simulator
        return observe(simulator.scan(), simulator.odometry, self._goal, self._sectors)

    def _info(self) -> Dict[str, Any]:
        return {'success': self._away <= self._tolerance, 'contacts': self.simulator.contacts,
                'distance': self._away, 'world': self._name}


gymnasium.register(ID, entry_point='bug_nav.lab.gym_environment:GoalEnvironment')
