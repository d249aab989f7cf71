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

"""``bug_nav demo``: simulator, node and client on this host, without left-over processes."""

import collections
import itertools
import os
import signal

from bug_nav.simulation.robots import equip
from bug_nav.simulation.sensors import RangerRing
from command_harness import Command, processes, wait_for
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
import numpy as np
import pytest
from subsets import subset

pytestmark = [pytest.mark.ros, pytest.mark.timeout(180)]


def recorded(path):
    """Return the messages of a file by topic, each with its time [s]."""
    read = collections.defaultdict(list)
    with open(path, 'rb') as stream:
        for _, channel, message, decoded in make_reader(
                stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            read[channel.topic].append((message.log_time * 1e-9, decoded))
    return read


@pytest.fixture(scope='module')
def finished(tmp_path_factory):
    """Return a finished demo that has plotted and recorded its run."""
    command = Command('demo', 'pole', '--record', 'a.mcap', folder=tmp_path_factory.mktemp('demo'))
    assert command.code() == 0, command.output
    return command


@pytest.fixture(scope='module')
def demo(finished):
    return recorded(finished.log.parent / 'a.mcap')


def test_demo_plots_the_run_and_leaves_no_processes_behind(finished):
    assert 'REACHED: ' in finished.output and '1 hit, 1 left' in finished.output
    assert (finished.log.parent / 'out' / 'demo.png').read_bytes().startswith(b'\x89PNG')
    assert not finished.left_behind


def test_recording_of_the_demo_has_no_gaps(demo):
    for topic, step in (('/odom', 0.05), ('/tf', 0.05), ('/scan', 0.2)):
        stamps = [stamp for stamp, _ in demo[topic]]
        assert len(stamps) > 50
        assert np.diff(stamps) == pytest.approx(step, abs=1e-6)


def test_recording_of_the_demo_ends_with_the_outcome(demo):
    states = [message.data for _, message in demo['/bug_navigator/state']]
    assert any(state.startswith('bug2/boundary_following') for state in states)
    assert states[-1] == 'reached'
    texts = [marker.text.strip() for marker in demo['/bug_navigator/markers'][-1][1].markers]
    assert {'H1', 'L1', 'reached'} <= set(texts)
    assert demo['/cmd_vel'][-1][1].linear.x == 0.0


def test_recorded_transforms_of_the_demo_match_its_odometry(demo):
    ((_, static),) = demo['/tf_static']
    assert (static.transforms[0].header.frame_id, static.transforms[0].child_frame_id) == (
        'base_footprint', 'base_scan')
    places = {stamp: message.pose.pose.position for stamp, message in demo['/odom']}
    for stamp, message in demo['/tf']:
        (link,) = message.transforms
        assert (link.header.frame_id, link.child_frame_id) == ('odom', 'base_footprint')
        if stamp in places:
            assert (link.transform.translation.x, link.transform.translation.y) == (
                places[stamp].x, places[stamp].y)


def test_recording_is_kept_if_the_picture_cannot_be_written(tmp_path):
    (tmp_path / 'gone').mkdir()
    # Between walls: with a pole alone in view, the position may be too uncertain for REACHED.
    command = Command('demo', 'demo', '--goal', '3,4.5', '--record', 'a.mcap', '--plot',
                      'gone/demo.png', folder=tmp_path)
    assert command.prints('m to go')
    (tmp_path / 'gone').rmdir()
    assert command.code() == 2
    assert 'REACHED: ' in command.output and "'gone/demo.png' cannot be written" in command.output
    states = recorded(tmp_path / 'a.mcap')['/bug_navigator/state']
    assert states[-1][1].data == 'reached'


@pytest.mark.slow
def test_demo_proves_that_a_goal_is_unreachable(tmp_path):
    command = Command('demo', 'ring_start', '--turn', 'right', '--plot', 'ring.svg',
                      folder=tmp_path)
    assert command.code() == 0, command.output
    assert 'UNREACHABLE: ' in command.output and 'a closed lap of' in command.output
    assert '<svg' in (tmp_path / 'ring.svg').read_text()


@pytest.mark.slow
@pytest.mark.parametrize('name', subset(['turtlebot4', 'pioneer'], 2))  # a lidar, and rangers
def test_demo_drives_the_selected_robot(name, tmp_path):
    command = Command('demo', 'pole', '--robot', name, '--record', 'a.mcap', folder=tmp_path)
    assert command.code() == 0, command.output
    assert 'REACHED: ' in command.output
    read = recorded(tmp_path / 'a.mcap')
    robot = equip(name, {})
    body = next(marker for marker in read['/bug_navigator/markers'][-1][1].markers
                if (marker.ns, marker.id) == ('robot', 0))
    assert body.scale.x == pytest.approx(2.0 * robot.model.robot_radius)      # in the node
    driven = [message.twist.twist.linear.x for _, message in read['/odom']]
    # The heading is never exact, which may cost a thousandth of the maximum speed.
    assert max(driven) == pytest.approx(robot.model.max_vel_x, rel=1e-3)
    if isinstance(robot.sensor, RangerRing):                                  # in the simulator
        assert all(len(read[f'/range/{ranger.name}']) > 50 for ranger in robot.sensor.rangers)
        assert '/scan' not in read
    else:
        assert len(read['/scan']) > 50


@pytest.mark.slow
def test_unknown_robot_is_reported_with_a_suggestion(tmp_path):
    command = Command('demo', '--robot', 'wafle_pi', folder=tmp_path)
    assert command.code() == 2
    assert "unknown robot 'wafle_pi'" in command.output
    assert "did you mean 'waffle_pi'?" in command.output


@pytest.mark.slow
def test_demo_reports_the_dead_process_and_the_location_of_the_output(tmp_path):
    command = Command('demo', 'box', '--speed', '1', folder=tmp_path)
    assert command.prints('m to go')
    pid, = processes(command.mark, 'ros.sim.node')
    os.kill(pid, signal.SIGKILL)
    assert command.code(30.0) == 1
    assert 'navigator: [INFO]' in command.output  # its latest output
    assert 'the simulator exited unexpectedly' in command.output
    assert 'the output of the nodes is in ' in command.output
    # The stop process outlives its node; on Humble by most of a second.
    assert wait_for(lambda: not command.left_behind), command.left_behind


@pytest.mark.slow
def test_demo_with_an_unknown_algorithm_is_bad_input(tmp_path):
    command = Command('demo', 'open', '--algorithm', 'bug3', folder=tmp_path)
    assert command.code() == 2, command.output
    assert "'bug3'" in command.output.splitlines()[-1]
    assert not command.left_behind


@pytest.mark.parametrize('number, words', subset(itertools.product(
    (signal.SIGINT, signal.SIGTERM),
    ('m to go', None, 'starting simulator', 'boundary_following')), 8))
def test_interrupted_demo_leaves_no_processes_behind(number, words, tmp_path):
    # Slow enough for a busy machine to observe boundary following.
    command = Command('demo', 'box', '--speed', '2', folder=tmp_path)
    if words is None:
        assert wait_for(lambda: len(command.left_behind) > 1)  # its first node is running
    else:
        assert command.prints(words)
    command.signal(number)
    command.signal(number)  # as from an impatient user
    assert command.code(30.0) == 130, command.output
    assert not command.left_behind


@pytest.mark.slow
def test_killed_demo_leaves_no_processes_behind(tmp_path):
    command = Command('demo', 'box', '--speed', '1', folder=tmp_path)
    assert command.prints('m to go')
    assert len(command.left_behind) == 4     # with the simulator, the node and its stop process
    command.signal(signal.SIGKILL)
    command.wait()
    assert wait_for(lambda: not command.left_behind), command.left_behind
