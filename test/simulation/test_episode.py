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

from __future__ import annotations

import math
import subprocess
import sys

from arena import block, play, QUIET, R, world_of
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Twist
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import PERIOD, run_episode
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.world import WorldError
import numpy as np
import pytest

WITHOUT_CORRECTION = Settings(drift_correction='none')


def bug2_in(name: str, **options):
    world = find_world(name)
    return run_episode(world, Pose(*world.start), world.goal, Bug2(), **options)


def forever(command: Twist):
    def script(robot):
        while True:
            yield command
    return script


def facts_of(episode) -> tuple:
    return (episode.outcome, episode.path_length, episode.time, episode.ticks,
            episode.min_clearance, tuple(episode.events), tuple(episode.samples))


def test_same_seed_yields_the_identical_episode():
    first, again = (bug2_in('box', seed=5) for _ in range(2))
    assert facts_of(first) == facts_of(again)


class Drawing(Bug2):
    """Bug2 that draws a random number first."""

    drawn = None

    def run(self, robot):
        self.drawn = robot.random.random()
        yield from super().run(robot)


def test_random_numbers_of_an_algorithm_depend_on_the_seed_of_the_episode():
    def drawn(seed):
        algorithm, world = Drawing(), find_world('open')
        run_episode(world, Pose(*world.start), world.goal, algorithm, seed=seed)
        return algorithm.drawn
    assert drawn(5) == drawn(5) != drawn(6)


def test_start_may_be_a_tuple():
    world = find_world('open')
    episode = run_episode(world, world.start, world.goal, Bug2())
    assert type(episode.start) is Pose
    assert facts_of(episode) == facts_of(bug2_in('open'))


@pytest.mark.parametrize('start, goal, words', [
    ((3.5, 0.0, 0.0), (6.0, 0.0), '^the start 3.5,0 is inside an obstacle; the centre of a robot '
     'of radius 0.124 m needs more room than its radius$'),
    (None, (6.0, 0.0), "^the world 'box' has no start; give one with --start"),
    ((0.0, 0.0), (6.0, 0.0), r'^the start must be 3 finite numbers, got \(0.0, 0.0\)$'),
    ((0.0, 0.0, math.nan), (6.0, 0.0), '^the start must be 3 finite numbers'),
    ((0.0, 0.0, 10 ** 400), (6.0, 0.0), '^the start must be 3 numbers'),
    ((0.0, 0.0, 0.0), (1e6, 0.0), 'at most 10 km are allowed$')])
def test_invalid_start_and_goal_are_rejected_as_on_the_command_line(start, goal, words):
    with pytest.raises(WorldError, match=words):
        run_episode(find_world('box'), start, goal, Bug2())


def test_other_seed_yields_another_episode_with_the_same_verdict():
    first, other = bug2_in('box', seed=5), bug2_in('box', seed=6)
    assert facts_of(first) != facts_of(other)
    assert first.outcome == other.outcome == 'reached'


def test_seed_has_no_effect_without_noise():
    first, other = (bug2_in('box', seed=seed, lidar=QUIET) for seed in (5, 6))
    assert facts_of(first) == facts_of(other)


def test_samples_and_events_cover_the_whole_path():
    episode = bug2_in('box', lidar=QUIET, settings=WITHOUT_CORRECTION)
    assert episode.ticks == len(episode.samples)
    stamps = [sample.stamp for sample in episode.samples]
    assert stamps == pytest.approx([PERIOD * k for k in range(episode.ticks)])
    assert episode.samples[0].pose == episode.start
    way = [sample.pose.position for sample in episode.samples]
    assert sum(map(math.dist, way, way[1:])) == pytest.approx(episode.path_length)
    assert [(event.kind, event.index) for event in episode.events] == [('hit', 1), ('leave', 1)]
    states = {state for sample in episode.samples for state in sample.state}
    assert {'motion_to_goal', 'boundary_following'} <= states
    for event in episode.events:
        sample = episode.samples[round(event.stamp / PERIOD)]
        assert event.pose == pytest.approx(sample.pose)


def test_certificate_with_perfect_odometry_equals_that_of_the_result():
    episode = bug2_in('ring_goal', settings=WITHOUT_CORRECTION)
    assert episode.outcome == 'unreachable' and episode.certified
    assert episode.certificate == pytest.approx(np.array(episode.result.certificate), abs=1e-9)
    assert episode.final_pose == episode.samples[-1].pose


@pytest.mark.parametrize('odometry', [
    OdometryModel(odometry='velocity', odometry_bias=0.03),
    OdometryModel(odometry='velocity', odometry_bias=0.03, goal_beacon=True),
    OdometryModel(odometry='velocity', odometry_bias=0.03, localizer_period=5.0,
                  localizer_noise=0.02)])
def test_certificate_is_at_the_true_positions_of_the_obstacles(odometry):
    episode = bug2_in('ring_goal', odometry=odometry, settings=WITHOUT_CORRECTION)
    assert episode.outcome == 'unreachable' and episode.certified
    away = math.dist(episode.certificate[0], episode.result.certificate[0])
    # Only the points passed last, because odometry has drifted since the others.
    near = [place for place in episode.certificate
            if math.dist(place, episode.final_pose.position) < 0.5]
    clearances = [abs(episode.world.clearance(np.array([place]))[0]) for place in near]
    assert len(near) > 3 and sorted(clearances)[len(near) // 2] < 0.08
    assert (away > 0.2) is (odometry.localizer_period == 0.0)


def test_reached_goal_has_no_certificate():
    episode = bug2_in('box')
    assert episode.certificate == () and not episode.certified


def test_samples_are_not_kept_if_disabled():
    episode = bug2_in('box', lidar=QUIET, keep_samples=False)
    assert episode.samples == [] and episode.ticks > 100


def test_contact_ends_the_episode_as_a_collision():
    # The lidar is blind, so that the robot does not see the wall.
    wall = world_of(block(1.0, 1.2, -2.0, 2.0))
    blind = LidarModel(scan_noise=0.0, scan_range_min=5.0, scan_range_max=5.1)
    episode, _ = play(wall, forever(Twist(0.2, 0.0)), lidar=blind)
    assert (episode.outcome, episode.contacts, episode.result) == ('collision', 1, None)
    assert episode.min_clearance < 0.0
    assert episode.path_length < 1.0 - R + 0.02


def test_time_allowance_ends_the_episode():
    episode = bug2_in('box', time_allowance=3.0)
    assert episode.outcome == 'timeout'
    assert episode.time == pytest.approx(3.0, abs=2 * PERIOD)


def test_watcher_is_called_at_every_tick_with_the_decision():
    seen = []
    episode = bug2_in('open', watch=lambda simulator, navigator, decision: seen.append(
        (simulator.stamp, decision.result)))
    assert len(seen) == episode.ticks
    assert [result for _, result in seen[:-1]] == [None] * (episode.ticks - 1)
    assert seen[-1][1] is episode.result


def test_scan_period_changes_the_path_but_not_the_outcome():
    episode = bug2_in('box', lidar=LidarModel(scan_noise=0.0, scan_publish_dur=0.05))
    slow = bug2_in('box', lidar=LidarModel(scan_noise=0.0, scan_publish_dur=0.4))
    assert episode.outcome == slow.outcome == 'reached'
    assert episode.path_length != slow.path_length


def test_empty_world_has_infinite_clearance_and_a_straight_path():
    episode = bug2_in('open', settings=Settings(xy_goal_tolerance=0.05))
    assert episode.min_clearance == math.inf
    assert episode.path_length == pytest.approx(5.0 - 0.05, abs=0.015)
    assert episode.real_time_factor > 0.0


@pytest.mark.parametrize('beacon', [True, False])
def test_goal_beacon_is_reached_despite_odometry_drift(beacon):
    world = find_world('open')
    drifting = OdometryModel('encoders', odometry_bias=0.02, goal_beacon=beacon)
    episode = run_episode(world, Pose(*world.start), world.goal, Bug2(), odometry=drifting)
    assert episode.outcome == ('reached' if beacon else 'reached_uncertain')
    assert (episode.goal_error < 0.11) is beacon and episode.goal_missed is not beacon


def test_lengths_and_event_poses_are_true_despite_odometry_drift():
    drifting = OdometryModel('encoders', odometry_bias=0.01)
    episode = bug2_in('box', odometry=drifting, settings=WITHOUT_CORRECTION)
    way = [sample.pose.position for sample in episode.samples]
    assert episode.path_length == pytest.approx(sum(map(math.dist, way, way[1:])), rel=1e-3)
    assert abs(episode.odometry_length - episode.path_length) > 0.02
    for event in episode.events:
        sample = round(event.stamp / PERIOD)
        assert event.pose == episode.samples[sample].pose
        assert event.path_length == pytest.approx(
            sum(map(math.dist, way[:sample], way[1:sample + 1])), rel=1e-3)


COLD_KERNELS = """
from bug_nav.navigation.algorithms.registry import find, registered
from bug_nav.navigation import compiled
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode, warm_up
from bug_nav.simulation.robots import ROBOTS


def ready():
    # For how many argument types each kernel has been compiled or loaded.
    return {f"{made.py_func.__module__}.{made.py_func.__name__}": len(made.signatures)
            for made in compiled.KERNELS}


warm_up()
before = ready()
for world, names, robots in (("box", registered(), ["turtlebot4"]),
                             ("box", ["bug2"], ROBOTS),
                             ("ring_goal", ["tangent_bug"], ["turtlebot4"])):
    world = find_world(world)
    for name in names:
        for robot in robots:
            preset = ROBOTS[robot]
            run_episode(world, Pose(*world.start), world.goal, find(name)(), model=preset.model,
                        settings=preset.settings, lidar=preset.sensor, keep_samples=False,
                        time_allowance=80.0 if world.name == "ring_goal" else 25.0)
print(sorted(set(ready().items()) - set(before.items())))
"""


@pytest.mark.slow
def test_episodes_after_the_warm_up_compile_no_kernels():
    # In another process, because this one may have compiled kernels before.
    done = subprocess.run([sys.executable, '-c', COLD_KERNELS], check=True, text=True,
                          capture_output=True, timeout=300.0)
    assert done.stdout == '[]\n'
