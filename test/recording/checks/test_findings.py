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

"""Findings and remedies for given evidence."""

from array import array
import json
import math
from types import SimpleNamespace as Message

from bug_nav.messages.sensor_messages import Mount
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import RobotModel, Settings
from bug_nav.recording.checks import report
from bug_nav.recording.checks.evidence import Evidence, Graph, TopicTimes
from bug_nav.recording.checks.finding import Level
from bug_nav.recording.checks.frames import ExpectedRobot
from bug_nav.recording.checks.node_view import warm_up
import numpy as np
import pytest

NOW = 1_700_000_000.0
TWIST, STAMPED = 'geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped'
LASER, ODOMETRY = 'sensor_msgs/msg/LaserScan', 'nav_msgs/msg/Odometry'
DEMANDS = ExpectedRobot('burger', RobotModel(), Settings(), 'base_footprint',
                        Mount(Pose(-0.032, 0.0, 0.0)))


def header(stamp, frame):
    whole = math.floor(stamp)
    return Message(frame_id=frame, stamp=Message(sec=whole, nanosec=(stamp - whole) * 1e9))


def link(parent, child, x=0.0):
    return Message(header=header(NOW, parent), child_frame_id=child, transform=Message(
        translation=Message(x=x, y=0.0, z=0.0), rotation=Message(x=0.0, y=0.0, z=0.0, w=1.0)))


def scan(stamp, ranges=None, sweep=0.0, near=0.12, frame='base_scan'):
    ranges = np.full(360, 1.0) if ranges is None else np.asarray(ranges)
    step = 2.0 * math.pi / ranges.size
    return Message(header=header(stamp, frame), ranges=ranges, range_min=near, range_max=3.5,
                   angle_min=0.0, angle_max=step * (ranges.size - 1), angle_increment=step,
                   time_increment=sweep / max(ranges.size - 1, 1))


def odometry(stamp, child='base_footprint'):
    return Message(header=header(stamp, 'odom'), child_frame_id=child, pose=Message(pose=Message(
        position=Message(x=0.0, y=0.0, z=0.0), orientation=Message(x=0.0, y=0.0, z=0.0, w=1.0))))


def evidence_of(scans=5.0, odoms=20.0, late=0.0, clock=0.0, graph=None, child='base_footprint',
                duration=10.0, frames=True, **of_scan):
    """Return the evidence of a robot with late odometry and a clock that is ahead."""
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel', graph=graph,
                        began=NOW, ended=NOW + duration)
    evidence.topics = {'/scan': LASER, '/odom': ODOMETRY, '/cmd_vel': TWIST}
    arrivals = [
        *((at + late, evidence.add_odometry, odometry(at + clock, child))
          for at in np.arange(NOW, NOW + duration, 1.0 / odoms)),
        *((at, evidence.add_scan, scan(at + clock, **of_scan))
          for at in np.arange(NOW + 0.01, NOW + duration, 1.0 / scans))]
    for at, add, message in sorted(arrivals, key=lambda each: each[0]):
        add(message, at)
    if frames:
        evidence.tree.add(Message(transforms=[
            link(child, 'base_scan', -0.032), link('odom', child)]))
    evidence.add_command(TWIST, None, NOW)
    return evidence


def findings(evidence, demands=DEMANDS):
    return {each.subject: each for each in report.findings(evidence, demands)}


def test_healthy_robot_has_only_ok_findings():
    found = findings(evidence_of())
    assert {each.level for each in found.values()} == {Level.OK}
    assert '5.0 Hz' in found['scan'].found and '20.0 Hz' in found['odom'].found
    assert '100% of the beams have a range' in found['beams'].found


def test_lidar_slower_than_its_timeout_is_an_error_with_the_parameter():
    found = findings(evidence_of(scans=1.0))['scan']
    assert found.level is Level.ERROR and 'set scan_timeout to 2.0' in found.remedy


def test_gap_in_the_messages_is_a_warning():
    evidence = evidence_of(duration=4.0)
    evidence.ended += 3.0
    found = findings(evidence)['odom']
    assert found.level is Level.WARNING and 'no message in the last 3.' in found.found


def test_decreasing_stamps_are_an_error_with_a_check_of_the_publishers():
    evidence = evidence_of()
    evidence.add_odometry(odometry(NOW), NOW + 10.0)
    found = findings(evidence)['odom']
    assert found.level is Level.ERROR and 'ros2 topic info -v /odom' in found.remedy


def test_scans_of_two_lidars_may_overtake_each_other_on_one_topic():
    evidence = evidence_of()
    for k in range(20):
        at = NOW + 10.0 + 0.1 * k
        evidence.add_scan(scan(at, frame='front'), at + 0.02)
        evidence.add_scan(scan(at - 0.05, frame='rear'), at + 0.04)
    assert findings(evidence)['scan'].level is Level.OK
    evidence.add_scan(scan(NOW, frame='rear'), NOW + 13.0)
    found = findings(evidence)['scan']
    assert found.level is Level.ERROR and '; 1 times the stamp is older' in found.found


@pytest.mark.parametrize('late, level', [
    (0.0, Level.OK), (0.1, Level.OK), (0.25, Level.WARNING), (0.5, Level.ERROR)])
def test_late_odometry_is_reported_as_skew(late, level):
    found = findings(evidence_of(late=late))['skew']
    assert found.level is level and 'ahead of simultaneous' in found.found or late == 0.0


def test_stamps_at_the_end_of_the_sweep_are_recognized():
    found = findings(evidence_of(sweep=0.18))
    assert found['sweep'].level is Level.WARNING and 'of the last beam' in found['sweep'].found
    assert found['skew'].level is Level.OK


@pytest.mark.parametrize('sweep', [-0.2, 180.0])
def test_impossible_sweep_is_a_warning_and_counts_as_none(sweep):
    found = findings(evidence_of(sweep=sweep))
    assert found['sweep'].level is Level.WARNING
    assert f'a sweep takes {sweep:g} s; it must take from 0 to 1 s' in found['sweep'].found
    assert found['skew'].level is Level.OK


def test_odometry_that_is_seconds_late_places_no_scans():
    found = findings(evidence_of(late=1.5))['latency']
    assert found.level is Level.ERROR and '0% can be placed' in found.found


def test_different_clock_is_a_warning():
    found = findings(evidence_of(clock=-40.0))
    assert found['clock'].level is Level.WARNING and 'synchronize' in found['clock'].remedy
    assert found['skew'].level is Level.OK


def test_simulated_time_is_a_warning():
    assert 'simulated time' in findings(evidence_of(clock=-NOW + 5.0))['clock'].found


@pytest.mark.parametrize('word, value', [
    ('inf', math.inf), ('0.0', 0.0), ('NaN', math.nan), ('above range_max', 4.0),
    ('repeated maximum', 3.5), ('-inf', -math.inf), ('below range_min', 0.05)])
def test_readings_without_a_range_are_counted(word, value):
    found = findings(evidence_of(ranges=[1.0, 1.0, 1.0, value] * 90))['beams'].found
    assert f'{word} 25' in found and '75% of the beams have a range' in found


@pytest.mark.parametrize('ranges, level, words', [
    (np.full(360, 0.12), Level.ERROR, 'covers the lidar'),
    (np.full(360, math.inf), Level.ERROR, 'measures nothing'),
    (np.full(360, 3.5), Level.ERROR, 'measures nothing'),
    (np.r_[np.full(180, -math.inf), np.ones(180)], Level.ERROR, 'let it send inf'),
    (np.r_[np.full(350, math.inf), np.ones(10)], Level.WARNING, 'few beams have a range'),
    (np.ones(60), Level.WARNING, 'too few beams')])
def test_lidar_with_too_few_ranges_is_reported(ranges, level, words):
    found = findings(evidence_of(ranges=ranges))['beams']
    assert found.level is level and words in found.remedy


def test_contour_in_the_blind_zone_is_an_error_with_the_clearance():
    found = findings(evidence_of(near=0.25))['near']
    assert found.level is Level.ERROR and 'make the clearance at least 0.158 m' in found.remedy


def test_range_limit_that_is_no_number_is_named_without_findings_that_depend_on_it():
    found = findings(evidence_of(near=math.nan))
    assert 'the scan has the range_min nan; it must be finite' in found['node'].found
    assert not {'near', 'beams'} & set(found)
    assert not any('nan' in each.remedy for each in found.values())


def test_different_base_frame_is_an_error_and_is_used_by_further_checks():
    found = findings(evidence_of(child='base_link'))
    assert found['base'].level is Level.ERROR
    assert 'set robot_base_frame to base_link' in found['base'].remedy
    assert found['mount'].level is Level.OK and 'base_link -> base_scan' in found['mount'].found


def test_lidar_is_placed_in_the_frame_of_the_robot_if_odometry_names_none(monkeypatch):
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel',
                        base_frame='base_footprint')
    evidence.tree.add(Message(transforms=[link('base_footprint', 'base_scan', -0.032)]))
    mounts = []
    monkeypatch.setattr(evidence.node, 'add_scan', lambda _, mount, at: mounts.append(mount))
    evidence.add_odometry(odometry(NOW, child=''), NOW)
    evidence.add_scan(scan(NOW), NOW)
    assert mounts == [Mount(Pose(-0.032, 0.0, 0.0))]


def test_missing_transforms_are_an_error_for_the_mount_and_a_warning_for_odometry():
    found = findings(evidence_of(frames=False))
    assert found['mount'].level is Level.ERROR
    assert 'robot_state_publisher' in found['mount'].remedy
    assert found['frames'].level is Level.WARNING


def test_missing_topic_is_reported_with_topics_of_its_type():
    evidence = evidence_of()
    evidence.scan = TopicTimes('/scann')
    evidence.topics['/front/scan'] = LASER
    found = findings(evidence)['scan']
    assert found.level is Level.ERROR and 'no topic /scann' in found.found
    assert '/front/scan, /scan: give --scan /front/scan' in found.remedy


def test_topic_of_wrong_type_is_reported():
    evidence = evidence_of()
    evidence.odom = TopicTimes('/cmd_vel')
    found = findings(evidence)['odom']
    assert found.found == f'/cmd_vel has the type {TWIST}, not {ODOMETRY}'


@pytest.mark.parametrize('kind, level', [(TWIST, Level.OK), (STAMPED, Level.WARNING),
                                         ('std_msgs/msg/String', Level.ERROR)])
def test_type_of_the_recorded_commands_is_checked(kind, level):
    evidence = evidence_of()
    evidence.topics['/cmd_vel'] = kind
    assert findings(evidence)['cmd_vel'].level is level


# ---- running robot ------------------------------------------------------------------------------

def graph(*listeners, drivers=(), **more):
    return Graph(listeners, drivers, **more)


def test_missing_subscriber_is_an_error():
    found = findings(evidence_of(graph=graph()))
    assert found['cmd_vel'].level is Level.ERROR and 'stop' not in found


def test_only_subscriber_on_another_topic_is_reported_with_its_remapping():
    other = ('/cmd_vel_raw', ('/base', TWIST))
    found = findings(evidence_of(graph=graph(others=(other,))))['cmd_vel']
    assert found.found == (
        'no node subscribes to /cmd_vel; /base (Twist) subscribes to /cmd_vel_raw')
    assert '--cmd-vel /cmd_vel_raw' in found.remedy
    assert '-r cmd_vel:=/cmd_vel_raw' in found.remedy


def test_several_subscribers_on_other_topics_are_reported():
    found = findings(evidence_of(graph=graph(others=(
        ('/left/cmd_vel', ('/left/base', TWIST)), ('/right/cmd_vel', ('/right/base', STAMPED))))))
    assert found['cmd_vel'].found.endswith('subscribers to /left/cmd_vel, /right/cmd_vel')
    assert '--cmd-vel NAME' in found['cmd_vel'].remedy


def test_missing_stop_process_is_a_warning_with_a_reference():
    found = findings(evidence_of(graph=graph(('/base', TWIST))))['stop']
    assert found.level is Level.WARNING and 'docs/your_robot.md' in found.remedy


@pytest.mark.parametrize('name', ['/velocity_smoother', '/collision_monitor'])
def test_safety_node_between_navigator_and_robot_is_recognized(name):
    assert findings(evidence_of(graph=graph((name, TWIST))))['stop'].level is Level.OK


def test_multiplexer_does_not_stop_the_robot():
    found = findings(evidence_of(graph=graph(('/twist_mux', TWIST))))['stop']
    assert found.level is Level.WARNING


def test_stop_process_is_not_reported_as_competing_and_its_limits_are_named():
    found = findings(evidence_of(graph=graph(('/base', TWIST), drivers=(
        ('/bug_navigator', TWIST), ('/bug_navigator_stop_process', TWIST)))))
    assert found['publishers'].level is found['stop'].level is Level.OK
    assert found['stop'].found.startswith('/bug_navigator_stop_process stops the robot if')
    assert 'if its computer or the network fails' in found['stop'].found
    teleop = findings(evidence_of(graph=graph(
        ('/base', TWIST), drivers=(('/my_stop_process', TWIST),))))
    assert teleop['publishers'].level is teleop['stop'].level is Level.WARNING


def test_competing_publisher_is_a_warning_but_not_the_navigator():
    found = findings(evidence_of(graph=graph(('/base', TWIST), drivers=(
        ('/bug_navigator', TWIST), ('/teleop', TWIST)))))['publishers']
    assert found.level is Level.WARNING and found.found.startswith('/teleop (Twist) can publish')


def test_qos_mismatch_is_reported():
    evidence = evidence_of(graph=graph(('/base', TWIST), mismatches={'/scan': 'why not'}))
    evidence.scan = TopicTimes('/scan')
    assert 'no message arrived on /scan: why not' in findings(evidence)['scan'].found


def test_goals_in_a_frame_without_connection_to_odometry_are_an_error():
    demands = DEMANDS._replace(global_frame='map')
    found = {each.subject: each for each in report.findings(evidence_of(), demands)}
    assert found['goals'].level is Level.ERROR and 'global_frame to odom' in found['goals'].remedy
    for frame in ('odom', ''):
        assert 'goals' not in {each.subject for each in report.findings(
            evidence_of(), DEMANDS._replace(global_frame=frame))}


@pytest.mark.parametrize('most', [3.5, 3500.0])
def test_ranges_in_millimetres_are_named(most):
    evidence = evidence_of(ranges=np.full(360, 1000.0))
    evidence.beams.range_max = most
    found = findings(evidence)['beams']
    assert found.level is Level.ERROR and 'in millimetres' in found.remedy


def test_warming_up_filters_a_scan_as_those_of_a_robot():
    view = warm_up()
    assert list(view.lidars) == ['lidar'] and not any(view.rejected.values())


# ---- the report ---------------------------------------------------------------------------------

def test_report_is_printable_and_fits_the_width():
    evidence = evidence_of(late=0.5, graph=graph())
    evidence.scan.frames[:] = ['la\x1b[31mser']
    found = report.findings(evidence, DEMANDS)
    lines = report.table('x', evidence, DEMANDS, found)
    assert max(map(len, lines)) <= report.WIDTH and all(line.isprintable() for line in lines)
    assert lines[0] == 'x, 10.0 s, as burger (rho 0.224 m)'
    assert 'errors' in lines[-1] and report.worst(found) is Level.ERROR


def test_json_has_every_finding():
    evidence = evidence_of()
    found = report.findings(evidence, DEMANDS)
    told = json.loads(json.dumps(report.as_json('x', evidence, DEMANDS, found), allow_nan=False))
    assert told['level'] == 'ok' and len(told['findings']) == len(found)


# The view of the node.

def test_scans_that_the_node_rejects_are_an_error_with_its_reason():
    evidence = evidence_of()
    for k in range(50):
        bad = scan(NOW + 11.0 + 0.2 * k)
        bad.angle_increment = -bad.angle_increment
        evidence.add_scan(bad, NOW + 11.0 + 0.2 * k)
    found = findings(evidence)['node']
    assert found.level is Level.ERROR and 'rejects 50 of' in found.found
    assert 'sign must be that of angle_max - angle_min' in found.found


def test_rejections_that_differ_in_numbers_count_as_one():
    evidence = evidence_of()
    for k in range(50):
        bad = odometry(NOW + 11.0 + 0.05 * k)
        bad.pose.pose.position.x, bad.pose.pose.orientation.z = 0.1 * k, math.nan
        evidence.add_odometry(bad, NOW + 11.0 + 0.05 * k)
    found = [each for each in report.findings(evidence, DEMANDS) if each.subject == 'node']
    assert len(found) == 1 and found[0].level is Level.ERROR
    assert 'rejects 50 of 250 messages on /odom' in found[0].found


def test_scans_without_beams_are_rejected_while_the_robot_moves():
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel', began=NOW,
                        ended=NOW + 10.0)
    for at in np.arange(NOW, NOW + 10.0, 0.2):
        moved, empty = odometry(at), scan(at)
        moved.pose.pose.position.x, empty.ranges = 0.2 * (at - NOW), np.zeros(0)
        evidence.add_odometry(moved, at)
        evidence.add_scan(empty, at)
    found = findings(evidence)['node']
    assert found.level is Level.ERROR and '0 beams' in found.found


def test_repeated_stamps_are_a_warning_with_the_true_rate():
    evidence = evidence_of()
    for at in np.arange(NOW + 0.01, NOW + 10.0, 0.2):
        for _ in range(3):
            evidence.add_scan(scan(at), at)
    evidence.scan._stamps, evidence.scan._arrivals = (
        array('d', sorted(each)) for each in (evidence.scan._stamps, evidence.scan._arrivals))
    found = findings(evidence)['scan']
    assert found.level is Level.WARNING
    assert '150 of 200 repeat the stamp before them: there are 5.1 Hz' in found.found


def test_two_lidars_on_a_topic_are_a_warning_with_both_frames():
    evidence = evidence_of()
    evidence.add_scan(scan(NOW + 10.5, frame='rear_scan'), NOW + 10.5)
    found = findings(evidence)['lidar']
    assert found.level is Level.WARNING and 'base_scan, rear_scan' in found.found


@pytest.mark.parametrize('word, told', [(math.inf, 'inf or above range_max'), (3.5, '3.5 m')])
def test_dialect_of_the_lidar_is_shown(word, told):
    ranges = np.where(np.arange(360) < 300, 1.0, word)
    assert f'no return: {told}' in findings(evidence_of(ranges=ranges))['lidar'].found
