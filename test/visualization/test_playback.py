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

"""Playback document of a run, compared with the episode."""

from __future__ import annotations

import json
import math
from statistics import median
import tracemalloc
from types import SimpleNamespace

from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.perception import Perception
from bug_nav.navigation.settings import Settings
from bug_nav.navigation.types import Scan
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.robots import equip
from bug_nav.visualization.playback import MAX_SCANS, Playback, POINTS_EVERY, world_document
import numpy as np
import pytest


def played(world='demo', algorithm='bug2', goal=None, detail=True, **settings):
    """Return an episode and its document."""
    world, robot = find_world(world), equip('burger', settings)
    playback = Playback(detail)
    goal = goal or world.goal
    episode = run_episode(
        world, Pose(*world.start), goal, find(algorithm)(), model=robot.model,
        settings=robot.settings, lidar=robot.sensor, odometry=robot.odometry,
        watch=playback.watch)
    return episode, playback.document(
        episode, robot.settings.xy_goal_tolerance, robot.model.robot_radius,
        robot.contour_radius, {'algorithm': algorithm})


def poses_of(document):
    """Return the poses (n, 3) of a document [m, rad]."""
    return np.cumsum([document['x'], document['y'], document['yaw']], axis=1).T / 1000.0


@pytest.fixture(scope='module')
def demo():
    return played()


def test_document_is_strict_json(demo):
    json.dumps(demo[1], allow_nan=False)


def test_poses_match_those_of_the_episode_to_a_millimeter(demo):
    episode, document = demo
    places = np.array([sample.pose.position for sample in episode.samples])
    assert np.abs(poses_of(document)[:, :2] - places).max() < 0.0006
    turns = np.array([sample.pose.theta for sample in episode.samples])
    assert np.abs(np.sin(poses_of(document)[:, 2] - turns)).max() < 0.001


def test_states_match_those_of_the_episode(demo):
    episode, document = demo
    told = dict(map(tuple, document['states']))
    state = ''
    for tick, sample in enumerate(episode.samples):
        state = told.get(tick, state)
        assert state == '/'.join(sample.state)


def test_events_are_on_the_path(demo):
    episode, document = demo
    assert [(event['kind'], event['index']) for event in document['events']] == [
        (event.kind, event.index) for event in episode.events]
    for event in document['events']:
        place = poses_of(document)[event['tick'], :2]
        assert math.dist(place, (event['x'], event['y'])) < 0.05


def test_every_step_has_a_name_from_the_first_tick(demo):
    _, document = demo
    assert document['why'][0][0] == 0
    assert all(step for _, step, _ in document['why'])


def test_beams_of_a_scan_end_at_the_walls(demo):
    episode, document = demo
    scans = document['detail']['scans']
    middle = len(scans['at']) // 2
    pose = poses_of(document)[scans['at'][middle]]
    ranges = np.array(scans['ranges'][middle]) / 100.0
    angles = pose[2] + scans['mount'][2] + scans['angle_min'] + scans['angle_increment'] * (
        np.arange(len(ranges)))
    x, y = (pose[0] + scans['mount'][0] * math.cos(pose[2]),
            pose[1] + scans['mount'][0] * math.sin(pose[2]))
    ends = np.column_stack((x + ranges * np.cos(angles), y + ranges * np.sin(angles)))[ranges > 0]
    away = np.abs(episode.world.clearance(ends))
    assert np.median(away) < 0.03


def test_stored_points_are_on_obstacles_and_appear_over_time(demo):
    episode, document = demo
    points = np.array(document['detail']['points'])
    assert len(points) > 50
    assert np.percentile(np.abs(episode.world.clearance(points[:, :2] / 100.0)), 95) < 0.05
    assert len(set(points[:, 2])) > 10


@pytest.mark.slow
@pytest.mark.parametrize('world', ['demo', 'crowd'])
def test_points_in_the_document_match_the_stored_points_at_every_sample(world):
    remembered = {}

    class SamplingPlayback(Playback):

        def watch(self, simulator, navigator, decision):
            if len(self.places) % POINTS_EVERY == 0:
                remembered[len(self.places)] = set(map(tuple, np.rint(
                    100.0 * navigator.robot.perception.memory.points).astype(int).tolist()))
            super().watch(simulator, navigator, decision)
    world, robot = find_world(world), equip('burger', {})
    playback = SamplingPlayback()
    episode = run_episode(
        world, Pose(*world.start), world.goal, find('bug1')(), model=robot.model,
        settings=robot.settings, lidar=robot.sensor, watch=playback.watch)
    points = playback.document(episode, 0.1, 0.1, 0.2, {})['detail']['points']
    assert len(remembered) > 50
    for tick, cells in remembered.items():
        told = [(column, row) for column, row, since, until in points
                if since <= tick and (until < 0 or until > tick)]
        assert len(told) == len(set(told)) and set(told) == cells, tick


def test_memory_per_sample_does_not_grow_with_the_path_length():
    # In a uniform corridor, the number of points near the robot is constant.
    angles = np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False)
    ranges = np.minimum(1.0 / np.maximum(np.abs(np.sin(angles)), 1e-6), 3.5)
    perception, playback, peaks = Perception(settings=Settings(clearance=0.9)), Playback(), []
    decision = SimpleNamespace(state=('follow',), step='', events=())
    for tick in range(400 * POINTS_EVERY):
        pose = Pose(0.03 * tick, 0.0, 0.0)
        if tick % POINTS_EVERY == 0:
            perception.add(Scan(0.05 * tick, ranges, 0.0, angles[1], 0.1, 3.4, IDENTITY), pose)
            tracemalloc.start()
        playback.watch(
            SimpleNamespace(pose=pose, world=SimpleNamespace(movers=(), other_robots=())),
            SimpleNamespace(robot=SimpleNamespace(
                pose=pose, global_pose=pose, perception=perception)), decision)
        if tick % POINTS_EVERY == 0:
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert len(perception.memory.points) > 10_000
    assert median(peaks[-100:]) < 1.5 * median(peaks[50:150])


@pytest.mark.slow
def test_number_of_scans_of_a_long_run_is_limited():
    _, document = played(algorithm='bug1')
    scans = document['detail']['scans']
    assert len(scans['at']) <= MAX_SCANS
    assert scans['at'][0] < 100
    assert scans['at'][-1] > len(document['x']) - 100


def test_document_without_details_is_ten_times_smaller():
    lengths = [len(json.dumps(played(detail=detail)[1])) for detail in (False, True)]
    assert lengths[0] < 0.1 * lengths[1]


def test_estimated_poses_are_included_under_drift():
    _, document = played(odometry='encoders', axle_error=0.1, drift_correction='none')
    estimated = poses_of(document['estimated'])
    assert np.abs(estimated - poses_of(document))[:, :2].max() > 0.1


def test_unreachable_goal_has_its_certificate():
    episode, document = played('arena_out', 'bug1', goal=(20.0, 3.0))
    assert episode.outcome == 'unreachable'
    assert len(document['certificate']) > 10 and document['lap'] is None


def test_document_has_the_poses_of_movers():
    _, document = played('crowd')
    movers = document['detail']['movers']
    assert len(movers) >= 3
    ticks = len(document['x'])
    for mover in movers:
        assert len(mover['poses']) == 3 * math.ceil(ticks / mover['every'])
    assert any(len(set(mover['poses'][::3])) > 5 for mover in movers)


def test_world_document_is_in_whole_millimeters():
    world = find_world('demo')
    document = world_document(world)
    for solid, told in zip(world.solids, document['solids']):
        assert np.abs(np.array(told).reshape(-1, 2) / 1000.0 - solid).max() <= 0.0005001
    assert document['moves'] is False
    assert world_document(find_world('crowd'))['moves'] is True
