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

"""``bug_nav check --bag`` and ``bug_nav replay``: arguments, output and exit codes."""

import json
import sys

from bug_nav.cli.parser import main
import numpy as np
import pytest


@pytest.fixture
def bags():
    """Return the module that writes recordings; skip without rosbags."""
    pytest.importorskip('rosbags.rosbag2', reason='rosbags is not installed')
    import bags
    return bags


@pytest.fixture
def drive(bags, tmp_path):
    return bags.write(tmp_path / 'drive', bags.drive())


def sentence(capsys):
    captured = capsys.readouterr()
    assert captured.out == '' and captured.err.count('\n') == 1
    assert captured.err.startswith('bug_nav: ')
    return captured.err


def test_check_of_a_good_recording_prints_a_table_with_exit_code_0(drive, capsys):
    assert main(['check', '--bag', drive]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f'{drive}, 6.0 s, as burger (rho 0.224 m)')
    assert 'ok       scan       /scan: 30 in 6.0 s, 5.0 Hz' in out
    assert out.endswith('0 errors, 0 warnings: nothing here prevents the robot from driving.\n')


def test_check_with_an_error_has_exit_code_1(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', bags.drive(odom_late=0.6))
    assert main(['check', '--bag', path, '--json']) == 1
    told = json.loads(capsys.readouterr().out)
    assert told['level'] == 'error'
    assert next(each for each in told['findings'] if each['subject'] == 'skew')['remedy']


def test_check_uses_robot_and_parameters(drive, capsys):
    assert main(['check', '--bag', drive, '--robot', 'waffle_pi', '--set', 'clearance=0.2']) == 0
    assert 'as waffle_pi (rho 0.437 m)' in capsys.readouterr().out


@pytest.mark.parametrize('options', [
    ['--base-frame', 'base_link'], ['--base-frame', '/base_link'], ['--robot', 'turtlebot4']])
def test_frames_with_a_leading_slash_are_those_without_it(bags, options, tmp_path, capsys):
    messages = bags.drive(base='/base_link')
    path = bags.write(tmp_path / 'a', messages)
    assert main(['check', '--bag', path, *options]) == 0
    assert 'the robot frame is base_link' in capsys.readouterr().out
    assert main(['replay', path, *options]) == 0


def test_replay_reads_the_transforms_of_a_robot_in_a_namespace(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', [
        (at, f'/robot1{topic}', message) for at, topic, message in bags.drive()])
    assert main(['replay', path, '--namespace', 'robot1']) == 0
    assert 'the mount of the lidar is that of the preset' not in capsys.readouterr().out


def test_topics_may_omit_the_leading_slash(drive, capsys):
    assert main(['check', '--bag', drive, '--scan', 'scan', '--odom', 'odom']) == 0


def test_replay_reports_the_decisions(drive, capsys):
    assert main(['replay', drive]) == 0
    out = capsys.readouterr().out
    for words in ('100% of the scans were placed', 'goal              (1.19, 0.00)',
                  'ended             after', 'reached'):
        assert words in out


def test_replay_without_placed_scans_has_exit_code_1(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', bags.drive(scan_ahead=2.0))
    assert main(['replay', path, '--json']) == 1
    assert json.loads(capsys.readouterr().out)['placed'] == 0


def test_replay_of_a_stationary_robot_has_a_goal_ahead(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', bags.drive(speed=0.0))
    assert main(['replay', path, '--json']) == 0
    assert json.loads(capsys.readouterr().out)['goal'] == [2.0, 0.0]


def test_replay_rejects_a_base_frame_that_the_recording_does_not_have(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', bags.drive(base='base_link'))
    assert main(['replay', path, '--base-frame', 'base_lnk']) == 2
    assert sentence(capsys) == (
        "bug_nav: --base-frame: unknown frame 'base_lnk'; did you mean 'base_link'? The recording "
        'has base_link, base_scan and odom\n')
    assert main(['replay', path, '--base-frame', 'base_link']) == 0


def test_base_frame_may_be_in_odometry_alone(bags, tmp_path):
    messages = [each for each in bags.drive(base='base_link') if not each[1].startswith('/tf')]
    path = bags.write(tmp_path / 'a', messages)
    assert main(['replay', path, '--base-frame', 'base_link']) == 0


def test_replay_is_plotted(drive, tmp_path):
    pytest.importorskip('matplotlib')
    for name in ('a.png', 'a.svg'):
        assert main(['replay', drive, '--plot', str(tmp_path / name)]) == 0
        assert (tmp_path / name).stat().st_size > 10_000


@pytest.mark.slow
def test_replay_of_a_recorded_run_matches_the_run(bags, tmp_path, capsys):
    bags.require_files()
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    path = str(tmp_path / 'box.mcap')
    assert main(['run', 'box', '--record', path]) == 0
    assert main(['check', '--bag', path]) == 0
    capsys.readouterr()
    assert main(['replay', path, '--goal', '6,0', '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert [event['kind'] for event in told['events']] == ['hit', 'leave']
    assert told['ends'][-1]['outcome'] == 'reached' and told['placed'] == told['scans']


@pytest.mark.slow
def test_map_of_a_recorded_run_matches_the_world(bags, tmp_path, capsys):
    bags.require_files()
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    from bug_nav.simulation.catalogue import find_world
    path, out = str(tmp_path / 'box.mcap'), tmp_path / 'again'
    assert main(['run', 'box', '--record', path]) == 0
    capsys.readouterr()
    assert main(['replay', path, '--map', str(out), '--json']) == 0
    told = json.loads(capsys.readouterr().out)
    assert told['map'] == f'{out}.yaml' and told['ends'] == [] and told['ticks'] == 0
    true = np.concatenate(find_world('box').solids)
    corners = np.concatenate(find_world(f'{out}.yaml').solids)
    # The mapped points are on the outline of the box, on all sides.
    assert corners.min(axis=0) == pytest.approx(true.min(axis=0), abs=0.1)
    assert corners.max(axis=0) == pytest.approx(true.max(axis=0), abs=0.1)
    (left, low), (right, high) = true.min(axis=0), true.max(axis=0)
    x, y = corners.T
    inner = np.minimum.reduce((x - left, right - x, y - low, high - y))
    assert np.abs(inner).max() <= 0.1
    assert main(['run', f'{out}.yaml', '--start', '0,0,0', '--goal', '6,0', '--json']) == 0
    assert json.loads(capsys.readouterr().out)['outcome'] == 'reached'


def test_carmen_log_is_mapped_and_plotted(tmp_path, capsys):
    pytest.importorskip('matplotlib')
    lines = [f'FLASER 180 {"2.0 " * 180}{x} 0 0 {x} 0 0 {x} host {x}' for x in range(5)]
    (tmp_path / 'a.log').write_text('\n'.join(lines))
    assert main(['replay', str(tmp_path / 'a.log'), '--map', str(tmp_path / 'b.yaml'),
                 '--resolution', '0.1', '--plot', str(tmp_path / 'b.png')]) == 0
    out = capsys.readouterr().out
    assert '5 received, 5 placed' in out and 'cells of 0.1 m' in out
    assert (tmp_path / 'b.pgm').exists() and (tmp_path / 'b.png').exists()


def test_existing_map_is_kept(drive, tmp_path, capsys):
    (tmp_path / 'a.pgm').write_text('mine')
    assert main(['replay', drive, '--map', str(tmp_path / 'a')]) == 2
    assert 'already exists' in sentence(capsys) and (tmp_path / 'a.pgm').read_text() == 'mine'


def test_map_without_placed_scans_is_not_written(bags, tmp_path, capsys):
    path = bags.write(tmp_path / 'a', bags.drive(scan_ahead=0.8))
    assert main(['replay', path, '--map', str(tmp_path / 'b')]) == 1
    assert not (tmp_path / 'b.yaml').exists()


def test_empty_map_is_refused_in_one_sentence(drive, tmp_path, capsys):
    assert main(['replay', drive, '--map', str(tmp_path / 'b'), '--farthest', '1e-4']) == 2
    assert 'bug_nav: the map is empty: no scan shows anything' in capsys.readouterr().err
    assert not (tmp_path / 'b.yaml').exists()


@pytest.mark.parametrize('command', [['check', '--bag'], ['replay']])
def test_invalid_recording_is_reported_in_one_sentence(bags, command, tmp_path, capsys):
    (tmp_path / 'b.mcap').write_bytes(b'')
    for path, words in (('/nowhere', 'there is no recording'),
                        (__file__, 'or a CARMEN log (.log or .clf, optionally .gz)'),
                        (str(tmp_path / 'b.mcap'), 'is empty')):
        assert main([*command, path]) == 2
        assert words in sentence(capsys)


@pytest.mark.parametrize('options, words', [
    (['--scan', '/'], 'is not a topic name'), (['--scan', 'odom'], 'give two different topics'),
    (['--scan', 'a b'], "'a b' is not a topic name"), (['--odom', '/2odom'], 'no digit first'),
    (['--robot', 'pioneer'], 'single rangers'),
    (['--robot', 'burgr'], "did you mean 'burger'"), (['--set', 'clearanc=1'], 'clearance'),
    (['--set', 'clearance=99'], 'allowed is')])
def test_bad_option_is_reported_in_one_sentence(drive, options, words, capsys):
    for command in (['check', '--bag', drive], ['replay', drive]):
        assert main([*command, *options]) == 2
        assert words in sentence(capsys)


def test_invalid_command_topic_is_reported_in_one_sentence(drive, capsys):
    assert main(['check', '--bag', drive, '--cmd-vel', '/cmd vel']) == 2
    assert "'/cmd vel' is not a topic name" in sentence(capsys)


@pytest.mark.parametrize('options, words', [
    (['--algorithm', 'bug9'], "did you mean 'bug2'"), (['--goal', '1'], 'give x,y'),
    (['--odom', '/elsewhere'], 'no usable Odometry on /elsewhere: there is no such topic; '
     'give --odom /odom'),
    (['--scan', '/elsewhere'], 'no usable LaserScan on /elsewhere: there is no such topic; '
     'give --scan /scan'),
    (['--plot', 'a.txt'], 'must end in'), (['--set', 'bug2.leave_margin=9'], 'allowed is'),
    (['--resolution', '0.1'], 'give --map OUT as well'), (['--farthest', '9'], 'give --map OUT'),
    (['--map', 'a', '--goal', '1,2'], 'there is no goal'),
    (['--map', '/nowhere/a'], 'does not exist'),
    (['--map', 'a', '--resolution', '0'], 'give 0.005'),
    (['--map', 'a', '--farthest', '0'], 'is not above 0'),
    (['--map', 'a', '--farthest', '1e9'], 'give at most 1000 m')])
def test_bad_option_of_replay_is_reported_in_one_sentence(drive, options, words, capsys):
    assert main(['replay', drive, *options]) == 2
    assert words in sentence(capsys)


def test_replay_says_why_all_odometry_is_rejected(bags, tmp_path, capsys):
    def tilted(at):
        message = bags.odometry(at)
        message.pose.pose.orientation = bags.make('Quaternion', x=0.5, y=0.01 * at % 0.1, w=0.86)
        return message
    path = bags.write(tmp_path / 'a', [
        each for k in range(20) for each in (
            (bags.BEGAN + k, '/odom', tilted(bags.BEGAN + k)),
            (bags.BEGAN + k, '/scan', bags.scan(bags.BEGAN + k)))])
    assert main(['replay', path]) == 2
    assert 'no usable Odometry on /odom: 20 messages are rejected because the robot is tilted' in (
        sentence(capsys))


@pytest.mark.parametrize('seconds', ['0', '0.5', '1e6', 'x'])
def test_duration_out_of_bounds_is_reported_in_one_sentence(seconds, capsys):
    assert main(['check', '--duration', seconds]) == 2
    assert '--duration' in sentence(capsys)


def test_missing_rosbags_is_reported_in_one_sentence(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'rosbags.rosbag2', None)
    monkeypatch.delitem(sys.modules, 'bug_nav.recording.bag', raising=False)
    assert main(['check', '--bag', 'x']) == 1
    assert 'install it with "pip install rosbags"' in sentence(capsys)


def test_answer_without_its_question_is_rejected(capsys):
    assert main(['check', '--yes', '--bag', 'none']) == 2
    assert '--yes answers the question of --drive' in sentence(capsys)


def test_listening_time_for_a_recording_is_refused(capsys):
    for command in (['check'], ['robot', 'init', '--out', 'never.yaml']):
        assert main([*command, '--bag', 'none', '--duration', '3']) == 2
        assert '--duration is the listening time for a running robot' in sentence(capsys)
