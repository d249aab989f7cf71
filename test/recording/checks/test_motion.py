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

"""Mount, wheels, delays and own parts, measured from a robot that turns and drives."""

from __future__ import annotations

import functools
import math

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.recording.checks.calibration import constant_beams, isolated
from bug_nav.recording.checks.evidence import Evidence, TopicTimes
from bug_nav.recording.checks.finding import Level
from bug_nav.recording.checks.frames import ExpectedRobot
from bug_nav.recording.checks.motion import findings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np
import pytest

pytest.importorskip('rosbags.rosbag2', reason='rosbags is not installed')
bags = pytest.importorskip('bags')

WORLD = find_world('random:cluttered?seed=3')
STEP = 0.02
TIMES = np.arange(0.0, 22.0, STEP)
DEGREE = math.radians(1.0)


def twist_at(t):
    """Return the motion of the robot: to the left, ahead, to the right."""
    if t < 11.0:
        return 0.0, 0.7 * float(np.clip(min(t - 1.0, 10.0 - t), 0.0, 1.0))
    if t < 16.5:
        return 0.2 * float(np.clip(min(t - 11.0, 16.0 - t) * 4.0, 0.0, 1.0)), 0.0
    return 0.0, -0.7 * float(np.clip(min(t - 17.0, 20.0 - t), 0.0, 1.0))


TWISTS = np.array([twist_at(t) for t in TIMES])


def driven(scale=1.0, turn_scale=1.0):
    """Return the poses (n, 3) of the robot, or of its odometry."""
    x, y, heading = WORLD.start
    poses = []
    for v, w in TWISTS:
        poses.append((x, y, heading))
        x += v / scale * STEP * math.cos(heading)
        y += v / scale * STEP * math.sin(heading)
        heading += w / turn_scale * STEP
    return np.array(poses)


def at(poses, t):
    return Pose(*(float(np.interp(t, TIMES, each)) for each in poses.T))


@functools.lru_cache(maxsize=None)
def scans_of(place, varies):
    """Return the stamps of the scans, and their ranges, with a lidar at ``place``."""
    x, y, yaw = place
    truth, stamps = driven(), np.arange(0.2, 21.5, 0.1)
    return stamps, [Simulator(WORLD, at(truth, t), lidar=LidarModel(
        scan_count=345 + 37 * k % 31 if varies else 360, scan_angle_min=-math.pi,
        scan_angle_max=math.pi, scan_range_max=8.0, scan_noise=0.01, scan_offset_x=x,
        scan_offset_y=y, scan_offset_yaw=yaw), seed=k).scan().ranges
                    for k, t in enumerate(stamps)]


@functools.lru_cache(maxsize=None)
def check(place=(0.0, 0.0, 0.0), stated=(0.0, 0.0, 0.0), mirrored=False, scale=1.0, turn_scale=1.0,
          skew=0.0, delay=0.1, sign=1.0, posts=0.0, sweep=0.0, shuffled=False,
          range_max=8.0, begins=0.0, ends=22.0, varies=False):
    """Return the findings on a robot, by their subject."""
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel')
    evidence.mount = Mount(Pose(*stated))
    odometry = driven(scale, turn_scale)
    for t, pose in zip(TIMES[::3], odometry[::3]):
        if not begins <= t <= ends:
            continue
        message = bags.odometry(bags.BEGAN + t, *map(float, pose))
        evidence.samples.add_odometry(message)
        evidence.odom.add(message, bags.BEGAN + t, 'base_footprint')
    turn = -1.0 if mirrored else 1.0
    for t, ranges in zip(*scans_of(place, varies)):
        ranges = np.array(ranges)
        if not begins <= t <= ends:
            continue
        if shuffled:
            ranges = np.roll(ranges, int(1e4 * t) % 29 - 14) * (1.0 + 0.02 * math.sin(50.0 * t))
        if posts:
            ranges[80:88] = ranges[260:268] = posts
        if range_max < 8.0:
            ranges[:] = range_max
        message = bags.scan(
            bags.BEGAN + t - skew, ranges, angle_min=-math.pi * turn, range_max=range_max,
            angle_max=math.pi * turn, angle_increment=2.0 * math.pi / (len(ranges) - 1) * turn,
            time_increment=sweep / 359.0)
        evidence.samples.add_scan(message)
        evidence.beams.add(message)
        evidence.node.add_odometry(bags.odometry(bags.BEGAN + t, *at(odometry, t)), bags.BEGAN + t)
        evidence.node.add_scan(message, evidence.mount, bags.BEGAN + t)
        evidence.scan.add(message, bags.BEGAN + t + 0.5 * sweep)
    for t, (v, w) in zip(TIMES[::5], TWISTS[::5]):
        evidence.samples.add_command(bags.make(
            'Twist', linear=bags.make('Vector3', x=sign * v),
            angular=bags.make('Vector3', z=sign * w)), bags.BEGAN + t - delay)
    expected = ExpectedRobot('mine', RobotModel(), Settings(), 'base_footprint',
                             Mount(Pose(*stated)), use_tf=False)
    return {each.subject: each for each in findings(evidence, expected)}


def test_robot_that_is_as_stated_raises_no_alarm():
    found = check(place=(0.05, 0.0, 0.0), stated=(0.05, 0.0, 0.0))
    assert all(each.level is Level.OK for each in found.values()), found
    assert {'motion', 'yaw', 'place', 'wheels', 'axle', 'turn_skew', 'delay'} <= set(found)


@pytest.mark.parametrize('setup, subject, level, words', [
    ({'mirrored': True}, 'mirrored', Level.ERROR, 'scan_upside_down: true'),
    ({'place': (0.0, 0.0, 90.0 * DEGREE)}, 'yaw', Level.ERROR, 'scan_offset_yaw: 1.5'),
    ({'place': (0.0, 0.0, 6.0 * DEGREE)}, 'yaw', Level.WARNING, 'scan_offset_yaw: 0.'),
    ({'place': (0.15, 0.0, 0.0)}, 'place', Level.WARNING, 'scan_offset_x: 0.1'),
    ({'scale': 1.1, 'turn_scale': 1.1}, 'wheels', Level.WARNING,
     'multiply wheel_radius of the base driver by 1.'),
    ({'scale': 0.5, 'turn_scale': 0.5}, 'wheels', Level.ERROR, 'base driver by 0.5'),
    ({'scale': 2.0, 'turn_scale': 2.0}, 'wheels', Level.ERROR, 'base driver by 2.0'),
    ({'scale': 0.25, 'turn_scale': 0.25}, 'wheels', Level.ERROR, 'base driver by 0.2'),
    ({'turn_scale': 0.9}, 'axle', Level.WARNING, 'multiply the wheel separation'),
    ({'skew': 0.2}, 'turn_skew', Level.WARNING, 'synchronize the clocks'),
    ({'delay': 0.5}, 'delay', Level.WARNING, 'lower max_vel_x'),
    ({'sign': -1.0}, 'direction', Level.ERROR, 'change the sign of'),
    ({'place': (0.0, 0.0, 90.0 * DEGREE), 'varies': True}, 'yaw', Level.ERROR,
     'scan_offset_yaw: 1.5'),
    ({'scale': 1e-3}, 'jumps', Level.ERROR, 'check the units of odometry'),
    ({'scale': 1e9, 'turn_scale': 1e9}, 'still', Level.ERROR, 'that its encoders'),
    ({'turn_scale': 1e9}, 'still', Level.ERROR, 'its gyroscope work'),
    ({'posts': 0.16}, 'own_parts', Level.ERROR, 'self_radius: 0.19'),
    ({'posts': 0.16, 'begins': 11.0, 'ends': 16.5}, 'own_parts', Level.ERROR,
     'self_radius: 0.19')])
def test_wrong_set_up_is_named_with_its_correction(setup, subject, level, words):
    found = check(**setup)
    assert found[subject].level is level, found
    assert words in found[subject].remedy
    others = {each.subject for each in found.values() if each.level is not Level.OK} - {subject}
    assert not others, found


def test_wall_beside_a_robot_that_drives_straight_is_no_part_of_it():
    scan = np.full(360, math.inf)
    for k in range(-60, 61):
        scan[90 + k] = 0.16 / math.cos(math.radians(k))
    assert np.isnan(isolated(constant_beams([scan] * 12, 0.2), [scan] * 12, 0.1)).all()


def test_beams_that_report_range_max_for_no_return_show_no_motion():
    found = check(range_max=3.5, begins=10.0)
    assert 'in 0.0 rad of turning and 0.00 m of driving' in found['motion'].found
    assert 'wheels' not in found


def test_sweep_stamped_with_its_last_beam_is_no_skew():
    # The middle of the sweep, at which the simulated lidar measures, is half of it before.
    found = check(skew=-0.08, sweep=0.16)
    assert found['turn_skew'].level is Level.OK, found['turn_skew']


def test_recording_among_what_moves_raises_no_alarm():
    # Each scan is of another place, as where a lidar sees only people.
    found = check(shuffled=True)
    assert all(each.level is Level.OK for each in found.values()), found
    assert 'do not show the motion clearly enough' in found['motion'].found
    assert not {'yaw', 'place', 'wheels', 'axle'} & set(found)


def test_wheels_and_their_separation_are_corrected_together():
    found = check(scale=1.1)  # turns are right by chance, as the separation is wrong as well
    assert found['wheels'].level is found['axle'].level is Level.WARNING
    assert 'wheel separation of the base driver by 1.1' in found['axle'].remedy


def number(text):
    """Return the first number in a text."""
    return next(float(word) for word in text.replace(',', ' ').split()
                if word.lstrip('-').replace('.', '', 1).isdigit())


@pytest.mark.parametrize('setup, subject, prefix, true, most', [
    ({'place': (0.0, 0.0, 6.0 * DEGREE)}, 'yaw', 'lidar is ', 6.0, 2.5),
    ({'place': (0.15, 0.0, 0.0)}, 'place', 'at x ', 0.15, 0.02),
    ({'scale': 1.1, 'turn_scale': 1.1}, 'wheels', 'drives ', 1.1, 0.03),
    ({'scale': 2.0, 'turn_scale': 2.0}, 'wheels', 'drives ', 2.0, 0.05),
    ({'turn_scale': 0.9}, 'axle', 'turns ', 0.9, 0.01),
    ({'skew': 0.2}, 'turn_skew', 'scans are ', 0.2, 0.03),
    ({'delay': 0.5}, 'delay', 'after ', 0.5, 0.08)])
def test_number_is_measured(setup, subject, prefix, true, most):
    assert number(check(**setup)[subject].found.partition(prefix)[2]) == pytest.approx(
        true, abs=most)


def test_robot_that_stands_is_asked_to_move():
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel')
    evidence.mount = Mount()
    for k in range(20):
        evidence.add_odometry(bags.odometry(bags.BEGAN + 0.1 * k), bags.BEGAN + 0.1 * k)
        evidence.add_scan(bags.scan(bags.BEGAN + 0.1 * k), bags.BEGAN + 0.1 * k)
    only, = findings(evidence, ExpectedRobot('mine', RobotModel(), Settings(), 'base_footprint',
                                             Mount(), use_tf=False))
    assert only.level is Level.OK and 'record a full turn on the spot' in only.found


def test_odometry_and_commands_are_compared_without_usable_scans():
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel')
    evidence.mount = Mount()
    for k in range(100):
        at = bags.BEGAN + 0.1 * k
        evidence.add_odometry(bags.odometry(at), at)
        evidence.add_scan(bags.scan(at, angle_increment=0.0), at)
        evidence.add_command('Twist', bags.make('Twist', linear=bags.make('Vector3', x=0.2)), at)
    found = {each.subject: each for each in findings(evidence, ExpectedRobot(
        'mine', RobotModel(), Settings(), 'base_footprint', Mount(), use_tf=False))}
    assert found['still'].level is Level.ERROR
    assert 'mount and wheels are not measured: that needs 3 usable scans' in found['motion'].found
