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
"""bug_sim with movers and with several robots, over real DDS."""

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP
from bug_nav.ros.qos import LATCHED
from bug_nav.ros.sim.settings import SimSettings
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.simulator import Simulator
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import LaserScan
from visualization_msgs.msg import Marker, MarkerArray

pytestmark = pytest.mark.ros


def shown(message):
    """Return the corners of the published movers, (n, 2) [m], and the time [s]."""
    (marker,) = message.markers
    stamp = marker.header.stamp
    return (np.array([(point.x, point.y) for point in marker.points]).reshape(-1, 2),
            stamp.sec + 1e-9 * stamp.nanosec)


def outlines_at(stamp):
    """Return the corners of the people in the crowd at a time, with a stationary robot."""
    world = find_world('crowd')
    simulator = Simulator(world, Pose(*world.start))
    for _ in range(round(stamp / 0.05)):
        simulator.step(STOP, 0.05)
    return simulator.scene.segments.reshape(-1, 2)


def counts_of(message):
    """Return contacts and bumps by robot."""
    return {status.name: tuple(int(value.value) for value in status.values)
            for status in message.status}


@pytest.fixture
def crowd(make_stack):
    stack = make_stack()
    stack.start_sim(world='crowd', real_time_factor=2.0)
    stack.movers = stack.listen(MarkerArray, 'bug_sim/movers')
    stack.scans = stack.listen(LaserScan, 'scan', qos_profile_sensor_data)
    stack.wait(lambda: stack.movers)
    return stack


def test_people_are_published_at_their_simulated_positions(crowd):
    crowd.wait(lambda: len(crowd.movers) > 15)
    for corners, stamp in map(shown, crowd.movers[::5]):
        assert len(corners) == 2 * 12 * 8       # two of six have legs
        assert corners == pytest.approx(outlines_at(stamp), abs=1e-6)
    stamps = [shown(message)[1] for message in crowd.movers]
    assert np.diff(stamps) == pytest.approx(0.2, abs=1e-6)
    assert crowd.movers[0].markers[0].header.frame_id == 'odom'


def test_lidar_sees_moving_people(crowd):
    crowd.wait(lambda: len(crowd.scans) > 25)
    ranges = np.array([scan.ranges for scan in crowd.scans])
    finite = np.where(np.isfinite(ranges), ranges, 9.0)
    # During 5 s with a stationary robot, ranges to static obstacles vary only by the noise.
    assert (np.ptp(finite, axis=0) > 0.3).sum() > 10
    assert (np.ptp(finite, axis=0) < 0.1).sum() > 50


@pytest.mark.slow
def test_reset_returns_people_to_their_start_positions(crowd):
    crowd.wait(lambda: shown(crowd.movers[-1])[1] > 4.0)
    crowd.reset_sim()
    del crowd.movers[:]
    crowd.wait(lambda: crowd.movers)
    corners, stamp = shown(crowd.movers[-1])
    assert stamp < 4.0 and corners == pytest.approx(outlines_at(stamp), abs=1e-6)


@pytest.mark.slow
def test_people_continue_their_routes_when_the_robot_is_relocated(crowd):
    crowd.wait(lambda: shown(crowd.movers[-1])[1] > 3.0)
    odometry = crowd.listen(Odometry, 'odom')
    message = PoseWithCovarianceStamped()
    message.pose.pose.position.x, message.pose.pose.position.y = 0.5, 7.5
    crowd.publisher(PoseWithCovarianceStamped, 'initialpose').publish(message)
    crowd.wait(lambda: odometry and odometry[-1].pose.pose.position.y == 7.5)
    del crowd.movers[:]
    crowd.wait(lambda: crowd.movers)
    corners, stamp = shown(crowd.movers[-1])
    # Ann and Eve, on the left, may have avoided the robot; the others have not.
    away = np.abs(corners - outlines_at(stamp)).max(axis=1)
    assert stamp > 3.0 and (away < 0.05).mean() > 0.5


PENDULUM = """<sdf version="1.6"><world name="w"><actor name="a"><script>
    <trajectory id="0" type="w">
      <waypoint><time>0</time><pose>2 0 0 0 0 0</pose></waypoint>
      <waypoint><time>4</time><pose>-2 0 0 0 0 0</pose></waypoint>
      <waypoint><time>8</time><pose>2 0 0 0 0 0</pose></waypoint>
    </trajectory></script></actor></world></sdf>"""
"""An actor that does not stop, and walks through the robot's position."""


@pytest.mark.slow
def test_bumps_and_contacts_are_reported(make_stack, tmp_path):
    (tmp_path / 'w.world').write_text(PENDULUM, encoding='utf-8')
    stack = make_stack()
    sim = stack.start_sim(world=tmp_path / 'w.world', real_time_factor=2.0)
    contacts = stack.listen(DiagnosticArray, 'bug_sim/contacts', LATCHED)
    stack.wait(lambda: contacts and counts_of(contacts[-1])['bug_sim: the robot'][1] > 0)
    assert counts_of(contacts[-1])['bug_sim: the robot'][0] == 0
    assert 'bump: something touches the robot' in sim.output
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.1, 0.5
    cmd_vel = stack.publisher(Twist, 'cmd_vel')

    def circle():
        cmd_vel.publish(twist)
        return counts_of(contacts[-1])['bug_sim: the robot'][0] > 0
    stack.wait(circle)
    assert 'contact: the robot touches something' in sim.output


def test_goal_in_the_crowd_ends_without_a_contact(make_stack):
    stack = make_stack()
    stack.start_sim(world='crowd')
    stack.start_navigator(transform_tolerance=2.0)
    contacts = stack.listen(DiagnosticArray, 'bug_sim/contacts', LATCHED)
    sent = stack.send(9.3, 4.0)
    sent.end(timeout=240.0)
    assert sent.result.path_length > 0.5
    assert counts_of(contacts[-1])['bug_sim: the robot'][0] == 0


@pytest.mark.slow
def test_other_robot_of_a_world_approaches_the_robot(make_stack):
    stack = make_stack()
    stack.start_sim(world='crossing', real_time_factor=5.0)
    movers = stack.listen(MarkerArray, 'bug_sim/movers')
    contacts = stack.listen(DiagnosticArray, 'bug_sim/contacts', LATCHED)
    stack.wait(lambda: contacts and movers and shown(movers[-1])[0][:, 0].mean() < 8.0)
    assert counts_of(contacts[-1]) == {
        'bug_sim: the robot': (0, 0), 'bug_sim: other robot 1': (0, 0)}


@pytest.mark.slow
def test_static_world_publishes_no_movers(make_stack):
    stack = make_stack()
    stack.start_sim(world='box', real_time_factor=5.0)
    movers = stack.listen(MarkerArray, 'bug_sim/movers')
    odometry = stack.listen(Odometry, 'odom')
    stack.wait(lambda: len(odometry) > 60)
    assert not movers


# Several robots.

TEAM = 'tb1 0 -2 0, tb2 5 -2 3.1416'


@pytest.mark.slow
def test_robots_have_separate_topics_and_frames(make_stack):
    stack = make_stack()
    stack.start_sim(world='box', real_time_factor=2.0, robots=TEAM)
    odometry = [stack.listen(Odometry, f'{name}/odom') for name in ('tb1', 'tb2')]
    scans = [stack.listen(LaserScan, f'{name}/scan', qos_profile_sensor_data)
             for name in ('tb1', 'tb2')]
    walls = stack.listen(MarkerArray, 'bug_sim/world', LATCHED)
    stack.wait(lambda: all((*odometry, *scans, walls)))
    for name, x, heard, seen in zip(('tb1', 'tb2'), (0.0, 5.0), odometry, scans):
        assert heard[0].header.frame_id == f'{name}/odom'
        assert heard[0].child_frame_id == f'{name}/base_footprint'
        assert seen[0].header.frame_id == f'{name}/base_scan'
        assert heard[0].pose.pose.position.x == x
    assert walls[0].markers[0].header.frame_id == 'map'
    assert walls[0].markers[0].action == Marker.ADD
    twist = Twist()
    twist.linear.x = 0.2
    stack.publisher(Twist, 'tb2/cmd_vel').publish(twist)
    stack.wait(lambda: odometry[1][-1].pose.pose.position.x < 4.95)
    assert odometry[0][-1].pose.pose.position.x == 0.0


@pytest.mark.slow
def test_two_navigators_in_namespaces_drive_past_each_other(make_stack):
    first = make_stack()
    first.start_sim(world='box', robots=TEAM)
    contacts = first.listen(DiagnosticArray, 'bug_sim/contacts', LATCHED)
    clients = [make_stack(namespace=f'/{name}', domain=first.domain) for name in ('tb1', 'tb2')]
    for name, client in zip(('tb1', 'tb2'), clients):
        client.start_navigator(global_frame=f'{name}/odom', transform_tolerance=2.0,
                               robot_base_frame=f'{name}/base_footprint')
    way = [first.listen(Odometry, f'{name}/odom') for name in ('tb1', 'tb2')]
    sent = [client.send(*goal) for client, goal in zip(clients, ((5.0, -2.1), (0.0, -2.1)))]

    def both_have_ended():
        for client in clients:
            client.executor.spin_once(timeout_sec=0.0)
        return all(each.has_ended for each in sent)
    first.wait(both_have_ended, timeout=120.0)
    one, other = ([message.pose.pose.position.x for message in heard] for heard in way)
    # They have passed each other's start area.
    assert max(one) > 2.0 and min(other) < 3.0, [each.end() for each in sent]
    assert set(counts_of(contacts[-1])) == {'bug_sim: tb1', 'bug_sim: tb2'}


@pytest.mark.parametrize('robots, words', [
    ('tb1 1 1 0, tb1 2 1 0', 'a name of its own'), ('tb1 0 -2 nan', 'finite numbers'),
    ('1b 1 1 0', 'letters, digits')])
def test_invalid_robots_are_rejected(robots, words):
    with pytest.raises(ValueError, match=words):
        SimSettings(robots=robots)


@pytest.mark.slow
@pytest.mark.parametrize('robots, words', [
    ('tb1 1 1', 'give name x y yaw for each'), ('tb1 0 -2 0, tb2 0.1 -2 0', 'would touch')])
def test_impossible_robots_are_reported_without_a_traceback(make_stack, robots, words):
    stack = make_stack()
    process = stack.start_sim(world='box', robots=robots)
    assert process.wait() != 0
    assert words in process.output and 'Traceback' not in process.output
