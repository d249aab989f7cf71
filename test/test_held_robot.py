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
"""A robot that is held while its wheels turn must stop, and name that as the cause."""

import math

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Outcome, STOP, TickInput, Twist
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.robots import equip
from bug_nav.simulation.simulator import Simulator
import pytest

DT = 0.05
HELD, TURNS, GYRO = 'held', 'turns', 'gyro'
"""A robot that cannot move; that can still turn; that cannot move, with the heading of a gyro."""
CASES = [
    ('box', 'bug2', 'burger', {}, HELD),
    ('box', 'bug2', 'burger', {'lidar': 'lds_01', 'drift_correction': 'none'}, HELD),
    ('box', 'bug2', 'burger', {'scan_noise': 0.03}, GYRO),
    ('u_trap', 'tangent_bug', 'burger', {'lidar': 'lds_01', 'drift_correction': 'none'}, TURNS),
    ('u_trap', 'tangent_bug', 'turtlebot4', {}, HELD),
    ('maze', 'bug1', 'burger', {'scan_noise': 0.03, 'drift_correction': 'none'}, HELD),
    ('maze', 'bug1', 'waffle_pi', {'lidar': 'lds_01'}, TURNS),
    ('ring_goal', 'tangent_bug', 'burger', {}, HELD),
    ('ring_goal', 'tangent_bug', 'turtlebot4', {'drift_correction': 'none'}, TURNS)]
LIMITS = {('maze', TURNS): math.inf}
"""Maximum times until then [s], if not the usual ones; here 44 s on average of 30 seeds."""


def drive(world, algorithm, robot, settings, kind=HELD, begins=0.8, lasts=math.inf,
          before_goal=0.0):
    """
    Return the simulator, the result and when the robot was first held [s].

    It is held for ``lasts`` [s] once it has driven ``begins`` [m], or is within ``before_goal``
    [m] of the goal.
    """
    gear, world = equip(robot, settings), find_world(world)
    simulator = Simulator(world, Pose(*world.start), gear.model, gear.sensor, 3, gear.odometry)
    navigator = Navigator(find(algorithm)(), gear.model, gear.settings, 150.0)
    odometry, ticks, since = simulator.odometry, 0, math.inf
    while True:
        navigator.queue.add_pose(simulator.stamp, odometry)
        if ticks % round(gear.sensor.period / DT) == 0:
            for scan in simulator.sense():
                navigator.queue.add_scan(scan, simulator.stamp)
        decision = navigator.tick(TickInput(simulator.stamp, world.goal))
        if decision.result is not None:
            assert decision.twist == STOP
            return simulator, decision.result, since
        if (simulator.travelled >= begins
                or math.dist(simulator.pose.position, world.goal) < before_goal):
            since = min(since, simulator.stamp)
        twist, before = decision.twist, simulator.odometry
        if 0.0 <= simulator.stamp - since < lasts:
            simulator.step(Twist(0.0, twist.w) if kind == TURNS else STOP, DT)
            odometry = odometry.compose(
                Pose(DT * twist.v, 0.0, 0.0 if kind == GYRO else DT * twist.w))
        else:
            simulator.step(twist, DT)
            odometry = odometry.compose(before.inverse().compose(simulator.odometry))
        ticks += 1


@pytest.mark.parametrize('world, algorithm, robot, settings, kind', CASES)
def test_held_robot_ends_as_blocked_and_names_the_cause(world, algorithm, robot, settings, kind):
    simulator, result, since = drive(world, algorithm, robot, settings, kind)
    assert result.outcome is Outcome.BLOCKED
    assert 'the scans show no motion: it is held, or its wheels slip' in result.message
    # It waits for phantoms.
    assert simulator.stamp - since < LIMITS.get((world, kind), 70.0 if kind == TURNS else 60.0)


@pytest.mark.parametrize('kind', [HELD, GYRO])
@pytest.mark.parametrize('seed', [9020, 9037, 9043])
def test_robot_that_is_held_among_narrow_posts_is_not_at_the_goal_for_certain(seed, kind):
    # People may walk along: the posts are no wider.
    _, result, _ = drive(f'random:posts?seed={seed}', 'bug2', 'burger', {}, kind)
    assert result.outcome in (Outcome.REACHED_UNCERTAIN, Outcome.TIMEOUT)
    assert 'the scans show no motion' in result.message


@pytest.mark.parametrize('seed, robot, kind', [(4109, 'waffle_pi', HELD), (4106, 'burger', TURNS)])
def test_robot_that_runs_out_of_time_is_told_that_it_may_be_held(seed, robot, kind):
    _, result, _ = drive(f'random:posts?seed={seed}', 'bug1', robot, {}, kind)
    assert result.outcome is Outcome.TIMEOUT
    assert 'it is held, or its wheels slip, unless all obstacles in range' in result.message


@pytest.mark.parametrize('settings', [{}, {'drift_correction': 'none'}])
def test_robot_that_is_held_just_before_the_goal_is_not_there(settings):
    _, result, _ = drive('box', 'bug2', 'burger', settings, begins=math.inf, before_goal=0.5)
    assert result.outcome is Outcome.BLOCKED and 'it is held' in result.message


def test_robot_that_is_freed_soon_continues():
    simulator, result, _ = drive('box', 'bug2', 'burger', {}, lasts=2.0)
    assert result.outcome is Outcome.REACHED
    assert math.dist(simulator.pose.position, find_world('box').goal) < 0.2


def test_scans_do_not_show_a_held_robot_where_nothing_is_in_range():
    _, result, _ = drive('open', 'bug2', 'burger', {})
    assert result.outcome is Outcome.REACHED_UNCERTAIN
