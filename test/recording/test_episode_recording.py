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

"""A recorded episode, read back with an independent reader."""

from __future__ import annotations

import collections
import math

from bug_nav.navigation.algorithms.bug1 import Bug1
from bug_nav.navigation.algorithms.bug2 import Bug2
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.navigation.types import Twist
from bug_nav.recording.episode import EpisodeRecording
from bug_nav.recording.mcap_file import McapFile
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.robots import ROBOTS
from bug_nav.simulation.sensors import LidarModel, RangerRing
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
import numpy as np
import pytest

QUIET = LidarModel(scan_noise=0.0)
DRIFT = OdometryModel(odometry='velocity', odometry_noise=0.1)


def record(path, world='pole', odometry=OdometryModel(), lidar=QUIET, only=None,
           algorithm=Bug2, **options):
    """Return the episode, and the messages that were read back, by topic."""
    place = find_world(world)
    with McapFile(str(path)) as file:
        episode = run_episode(
            place, Pose(*place.start), place.goal, algorithm(), odometry=odometry, lidar=lidar,
            watch=EpisodeRecording(file, 'bug2', odometry), **options)
    read = collections.defaultdict(list)
    with open(path, 'rb') as stream:
        for _, channel, message, decoded in make_reader(
                stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages(only):
            read[channel.topic].append((message.log_time * 1e-9, decoded))
    return episode, read


@pytest.fixture(scope='module')
def pole(tmp_path_factory):
    return record(tmp_path_factory.mktemp('pole') / 'a.mcap')


def planar(position, orientation) -> Pose:
    return Pose(position.x, position.y, 2.0 * math.atan2(orientation.z, orientation.w))


def link(transform) -> tuple:
    return transform.header.frame_id, transform.child_frame_id, planar(
        transform.transform.translation, transform.transform.rotation)


def seconds(message) -> float:
    return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec


def test_every_tick_and_every_scan_has_a_message(pole):
    episode, read = pole
    counts = {topic: len(messages) for topic, messages in read.items()}
    assert set(counts) == {'/scan', '/odom', '/tf', '/tf_static', '/cmd_vel',
                           '/bug_navigator/markers', '/bug_navigator/path', '/bug_navigator/state'}
    assert counts['/odom'] == counts['/tf'] == counts['/cmd_vel'] == episode.ticks
    assert counts['/scan'] == math.ceil(episode.ticks / 4)
    assert counts['/tf_static'] == 1


def test_time_is_simulated_time_from_zero(pole):
    episode, read = pole
    for topic in ('/odom', '/cmd_vel', '/tf'):
        stamps = [stamp for stamp, _ in read[topic]]
        assert stamps == pytest.approx(np.arange(episode.ticks) * 0.05)
    for topic in ('/odom', '/scan', '/bug_navigator/path'):
        assert all(seconds(message) == pytest.approx(stamp) for stamp, message in read[topic])


def test_odometry_matches_the_poses_of_the_robot(pole):
    episode, read = pole
    for sample, (_, message) in zip(episode.samples, read['/odom']):
        pose = planar(message.pose.pose.position, message.pose.pose.orientation)
        assert pose == pytest.approx(sample.pose, abs=1e-9)
        assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base_footprint')
    speeds = [message.twist.twist.linear.x for _, message in read['/odom']]
    assert max(speeds) == pytest.approx(RobotModel().max_vel_x)


def test_commands_match_the_driven_velocities_and_the_last_one_is_zero(pole):
    _, read = pole
    commands = [message for _, message in read['/cmd_vel']]
    driven = [message.twist.twist for _, message in read['/odom']]
    for command, before, after in zip(commands, driven, driven[1:]):
        slowest, fastest = sorted((before.angular.z, command.angular.z))
        assert slowest - 1e-9 <= after.angular.z <= fastest + 1e-9
    assert any(command.angular.z > 0.5 for command in commands)
    assert (commands[-1].linear.x, commands[-1].angular.z) == (0.0, 0.0)


def test_scan_points_are_on_walls_by_the_transforms(pole):
    episode, read = pole
    ((_, static),) = read['/tf_static']
    parent, child, mount = link(static.transforms[0])
    assert (parent, child) == ('base_footprint', 'base_scan')
    poses = {seconds(message.transforms[0]): link(message.transforms[0])
             for _, message in read['/tf']}
    walls = episode.world.segments
    found = 0
    for _, scan in read['/scan']:
        parent, child, base = poses[seconds(scan)]
        assert (parent, child, scan.header.frame_id) == ('odom', 'base_footprint', 'base_scan')
        sensor = base.compose(mount)
        ranges = np.array(scan.ranges)
        angles = sensor.theta + scan.angle_min + scan.angle_increment * np.arange(ranges.size)
        seen = np.isfinite(ranges)
        points = (np.array(sensor.position)
                  + (ranges * np.vstack([np.cos(angles), np.sin(angles)]))[:, seen].T
                  if seen.any() else np.empty((0, 2)))
        found += len(points)
        assert distances(points, walls).max(initial=0.0) < 1e-3
    assert found > 1_000


def distances(points: np.ndarray, segments: np.ndarray) -> np.ndarray:
    """Return the distance of each point, (n, 2), from the nearest of (m, 4) segments."""
    a, b = segments.reshape(-1, 2, 2)[:, 0], segments.reshape(-1, 2, 2)[:, 1]
    along = np.einsum('nmk,mk->nm', points[:, None] - a, b - a) / np.sum((b - a) ** 2, axis=1)
    feet = a + np.clip(along, 0.0, 1.0)[..., None] * (b - a)
    return np.linalg.norm(points[:, None] - feet, axis=2).min(axis=1, initial=math.inf)


def test_state_topic_has_every_change_and_the_outcome(pole):
    _, read = pole
    states = [message.data for _, message in read['/bug_navigator/state']]
    assert all(before != after for before, after in zip(states, states[1:]))
    assert 'bug2/motion_to_goal' in states
    assert any(state.startswith('bug2/boundary_following') for state in states)
    assert states[-1] == 'reached'


def test_markers_show_points_goal_and_state(tmp_path):
    # Without drift correction, the estimated pose is exact.
    episode, read = record(tmp_path / 'a.mcap', settings=Settings(drift_correction='none'))
    first, *markers = read['/bug_navigator/markers'][-1][1].markers
    assert first.action == 3  # DELETEALL
    shown = {(marker.ns, marker.id): marker for marker in markers}
    assert len(shown) == len(markers)
    for kind, letter in (('hit', 'H'), ('leave', 'L')):
        events = [event for event in episode.events if event.kind == kind]
        dots = shown[f'{kind}_points', 0]
        assert dots.type == 7 and len(events) >= 1
        for event, dot in zip(events, dots.points):
            assert (dot.x, dot.y) == pytest.approx(event.pose.position)
            assert shown[f'{kind}_points', event.index].text == f'{letter}{event.index}'
    assert (shown['goal', 0].pose.position.x, shown['goal', 0].pose.position.y) == episode.goal
    assert shown['goal', 0].scale.x == pytest.approx(2.0 * Settings().xy_goal_tolerance)
    ends = [(point.x, point.y) for point in shown['m_line', 0].points]
    assert ends == [episode.start.position, episode.goal]
    assert shown['state', 0].text.strip() == 'reached'
    assert shown['state', 0].header.frame_id == 'base_footprint'
    assert all(marker.color.a > 0.0 and marker.pose.orientation.w == 1.0 for marker in markers)


def test_markers_show_the_m_line_only_for_algorithms_that_have_one(pole, tmp_path):
    _, other = record(tmp_path / 'a.mcap', only=['/bug_navigator/markers'], algorithm=Bug1)
    of_bug2, of_bug1 = ({marker.ns for marker in read['/bug_navigator/markers'][-1][1].markers}
                        for read in (pole[1], other))
    assert of_bug2 - of_bug1 == {'m_line'}
    assert of_bug1 < of_bug2


def test_markers_are_written_at_every_event(pole):
    episode, read = pole
    stamps = [stamp for stamp, _ in read['/bug_navigator/markers']]
    for event in episode.events:
        assert any(stamp == pytest.approx(event.stamp, abs=0.051) for stamp in stamps)


def test_path_leads_from_start_to_goal(pole):
    episode, read = pole
    poses = read['/bug_navigator/path'][-1][1].poses
    places = [(pose.pose.position.x, pose.pose.position.y) for pose in poses]
    assert places[0] == pytest.approx(episode.start.position)
    assert math.dist(places[-1], episode.goal) < 0.15
    assert min(math.dist(a, b) for a, b in zip(places, places[1:])) >= 0.05


@pytest.mark.slow
def test_size_of_paths_grows_slower_than_their_length(tmp_path):
    _, read = record(tmp_path / 'a.mcap', 'maze', only='/bug_navigator/path')
    lengths = [len(message.poses) for _, message in read['/bug_navigator/path']]
    assert lengths[-1] > 200 and sum(lengths) < 70 * lengths[-1]
    assert all(after <= max(1.06 * before, before + 3)
               for before, after in zip(lengths, lengths[1:]))


def test_episode_is_the_same_with_and_without_a_recording(tmp_path, pole):
    place = find_world('pole')
    alone = run_episode(place, Pose(*place.start), place.goal, Bug2(), lidar=QUIET)
    assert (alone.path_length, alone.samples) == (pole[0].path_length, pole[0].samples)


def test_ground_truth_is_recorded_with_drifting_odometry(tmp_path):
    episode, read = record(tmp_path / 'a.mcap', odometry=DRIFT)
    assert len(read['/ground_truth']) == episode.ticks
    true, believed = (read[topic][-1][1] for topic in ('/ground_truth', '/odom'))
    assert true.header.frame_id == 'odom'
    pose = planar(true.pose.position, true.pose.orientation)
    assert pose == pytest.approx(episode.samples[-1].pose, abs=1e-9)
    odometry = planar(believed.pose.pose.position, believed.pose.pose.orientation)
    assert math.dist(pose.position, odometry.position) > 0.01


@pytest.mark.slow
@pytest.mark.parametrize('world', ['u_trap', 'ring_goal'])
def test_markers_are_shown_in_the_drifted_odometry_frame(tmp_path, world):
    drifting = OdometryModel(odometry='velocity', odometry_bias=0.03)
    episode, read = record(tmp_path / 'a.mcap', world, drifting)
    message = read['/odom'][-1][1].pose.pose
    odometry = planar(message.position, message.orientation)
    truth = episode.final_pose
    assert math.dist(odometry.position, truth.position) > 0.1  # a precondition
    in_the_world = truth.compose(odometry.inverse())
    path = read['/bug_navigator/path'][-1][1].poses
    assert math.dist((path[-1].pose.position.x, path[-1].pose.position.y),
                     odometry.position) < 0.12  # spacing of the path, and invisible motion
    start, end = (in_the_world.apply((pose.pose.position.x, pose.pose.position.y))
                  for pose in (path[0], path[-1]))
    assert math.dist(start, episode.start.position) < 0.1
    shown = {(marker.ns, marker.id): marker
             for marker in read['/bug_navigator/markers'][-1][1].markers}

    def places(name):
        marker = shown[name, 0]
        where = in_the_world.compose(planar(marker.pose.position, marker.pose.orientation))
        return [where.apply((point.x, point.y)) for point in marker.points] or [where.position]
    assert math.dist(places('goal')[0], episode.goal) < 0.1
    assert math.dist(places('m_line')[1], episode.goal) < 0.1
    first = next(event for event in episode.events if event.kind == 'hit')
    true = next(sample.pose for sample in episode.samples if sample.stamp == first.stamp)
    assert math.dist(places('hit_points')[0], true.position) < 0.1
    if episode.certificate:
        off = distances(np.array(places('certificate')), episode.world.segments)
        assert off.max() < 0.1
        assert distances(np.array(episode.certificate), episode.world.segments).max() < 0.1


def test_localizer_publishes_the_transform_from_map_to_odom(tmp_path):
    localized = OdometryModel(odometry='velocity', odometry_noise=0.1, localizer_period=1.0)
    episode, read = record(tmp_path / 'a.mcap', odometry=localized)
    links = {parent_child[:2]: parent_child[2] for parent_child in map(
        link, read['/tf'][-1][1].transforms)}
    believed = links['map', 'odom'].compose(links['odom', 'base_footprint'])
    assert math.dist(believed.position, episode.samples[-1].pose.position) < 0.05
    assert links['map', 'odom'] != Pose(0.0, 0.0, 0.0)
    for topic in ('/ground_truth', '/bug_navigator/path'):
        assert read[topic][-1][1].header.frame_id == 'map'
    goal = next(marker for marker in read['/bug_navigator/markers'][-1][1].markers
                if marker.ns == 'goal')
    assert goal.header.frame_id == 'map'


def test_every_ranger_has_its_topic_and_frame(tmp_path):
    preset = next(preset for preset in ROBOTS.values() if isinstance(preset.sensor, RangerRing))
    episode, read = record(tmp_path / 'a.mcap', lidar=preset.sensor, model=preset.model,
                           settings=preset.settings)
    names = [ranger.name for ranger in preset.sensor.rangers]
    ((_, static),) = read['/tf_static']
    assert [transform.child_frame_id for transform in static.transforms] == names
    assert '/scan' not in read
    for ranger in preset.sensor.rangers:
        _, message = read[f'/range/{ranger.name}'][0]
        assert message.header.frame_id == ranger.name
        assert message.max_range == pytest.approx(preset.sensor.range_max)


def test_contact_is_the_last_state(tmp_path):
    class Ramming(Navigator):

        def tick(self, observation):
            return super().tick(observation)._replace(twist=Twist(0.22, 0.0))

    episode, read = record(tmp_path / 'a.mcap', navigator_type=Ramming)
    assert episode.contacts == 1
    assert read['/bug_navigator/state'][-1][1].data == 'collision'


def test_same_run_yields_the_same_file(tmp_path):
    for name in ('a.mcap', 'b.mcap'):
        record(tmp_path / name, seed=3, lidar=LidarModel())
    assert (tmp_path / 'a.mcap').read_bytes() == (tmp_path / 'b.mcap').read_bytes()


def test_certificate_of_an_unreachable_goal_is_in_the_last_markers(tmp_path):
    episode, read = record(tmp_path / 'a.mcap', 'ring_goal', only=['/bug_navigator/markers'])
    *before, (_, last) = read['/bug_navigator/markers']
    line, dots = (marker for marker in last.markers if marker.ns == 'certificate')
    places = [(place.x, place.y) for place in dots.points]
    assert places == pytest.approx(np.array(episode.result.certificate))
    assert [(place.x, place.y) for place in line.points] == [*places, places[0]]
    assert not any(marker.ns == 'certificate' for _, each in before for marker in each.markers)
