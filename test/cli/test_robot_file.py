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

"""A robot file, ``--params``, in every command that takes one, and ``bug_nav robot init``."""

from __future__ import annotations

import json

from bug_nav.cli.parser import main, make_parser
from bug_nav.cli.robot_file import defaults_of
from bug_nav.lab.spec import load_spec
import numpy as np
import pytest
import yaml

FILE = """
/**/bug_navigator:
  ros__parameters:
    use_sim_time: false
    scan_topic: laser
    odom_topic: odometry
    robot_base_frame: chassis
    enable_stamped_cmd_vel: true
    scan_offset_x: 0.15
    scan_upside_down: true
    robot_radius: 0.3
    clearance: 0.15
    algorithm: bug1
    turn_direction: right
    bug2: {leave_margin: 0.02}
    bug1: {}
"""


@pytest.fixture
def params(tmp_path):
    """Return a function that writes a robot file with changed text."""
    def write(*changes):
        text = FILE
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / 'robot.yaml'
        file.write_text(text)
        return str(file)
    return write


def run(capsys, *argv):
    assert main(['run', 'box', '--json', *argv]) == 0
    return json.loads(capsys.readouterr().out)


def test_run_drives_the_robot_of_the_file(params, capsys):
    told = run(capsys, '--params', params())
    assert told['contour_radius'] == pytest.approx(0.45)
    assert (told['algorithm'], told['turn']) == ('bug1', 'right')


def test_options_take_precedence_over_the_file(params, capsys):
    told = run(capsys, '--params', params(), '--set', 'robot_radius=0.2', '--turn', 'left',
               '--algorithm', 'bug2', '--clearance', '0.2')
    assert told['contour_radius'] == pytest.approx(0.4)
    assert (told['algorithm'], told['turn']) == ('bug2', 'left')


@pytest.mark.parametrize('change, words', [
    (('robot_radius', 'robot_radious'), "did you mean 'robot_radius'?"),
    (('robot_radius: 0.3', 'robot_radius: [0.3]'), 'robot_radius is [0.3] in the parameter file'),
    (('robot_radius: 0.3', 'robot_radius: big'), "robot_radius is 'big'"),
    (('robot_radius: 0.3', 'robot_radius: 30.0'), 'robot_radius'),
    (('bug_navigator', 'bug_navigato'), 'has no parameters for /bug_navigator')])
@pytest.mark.parametrize('command', [
    ('run', 'box'), ('check', '--bag', 'none'), ('replay', 'none'),
    ('campaign', '--world', 'box'), ('play', '--no-browser')])
def test_invalid_file_is_reported_in_one_sentence(params, change, words, command, capsys):
    assert main([*command, '--params', params(change)]) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1 and words in err


def arguments_of(*argv):
    return make_parser().parse_args(argv)


def test_campaign_drives_the_robot_of_the_file(params, tmp_path, capsys):
    out = tmp_path / 'out'
    assert main(['campaign', '--params', params(), '--world', 'box', '--algorithm', 'bug2',
                 '--workers', '1', '--noise', '0', '--format', 'csv', '--out', str(out)]) == 0
    settings = load_spec(str(out / 'campaign.yaml')).settings
    assert settings == {'robot_radius': 0.3, 'clearance': 0.15, 'scan_offset_x': 0.15}


def test_topics_and_frames_of_the_file_are_options_of_check_and_replay(params):
    for argv in (('check',), ('replay', 'bag')):
        found = defaults_of(arguments_of(*argv, '--params', params()))
        assert (found['scan'], found['odom'], found['base_frame']) == (
            'laser', 'odometry', 'chassis')
        assert 'scan_upside_down=true' in found['settings']


def test_namespace_selects_the_entry_of_the_file(params):
    file = params(('/**/bug_navigator', '/robot1/bug_navigator'))
    arguments = arguments_of('play', '--params', file, '--namespace', 'robot1')
    assert 'robot_radius=0.3' in defaults_of(arguments)['settings']


# ---- recordings -------------------------------------------------------------------------------

@pytest.fixture
def bag(tmp_path):
    """Return a recording of a robot with frames of its own and a lidar upside down."""
    pytest.importorskip('rosbags.rosbag2', reason='rosbags is not installed')
    import bags
    messages = [(bags.BEGAN + 0.1 * k, '/odometry', bags.odometry(
        bags.BEGAN + 0.1 * k, 0.02 * k, child='chassis')) for k in range(60)]
    for k in range(44):
        stamp = bags.BEGAN + k / 8.0
        messages.append((stamp + 0.01, '/laser', bags.scan(
            stamp, 2.0 + 0.001 * np.cos(100.0 * stamp + np.arange(270)), 'laser_link',
            angle_min=-2.356, angle_increment=np.radians(1.0), angle_max=2.339)))
    mount = bags.transform('chassis', 'laser_link', 0.15)
    mount.transform.rotation = bags.make('Quaternion', x=1.0, w=0.0)
    messages.append((bags.BEGAN, '/tf_static', bags.make('TFMessage', transforms=[mount])))
    messages.append((bags.BEGAN, '/cmd_vel', bags.make('Twist')))
    return bags.write(tmp_path / 'bag', messages)


def test_file_of_a_recording_has_what_its_messages_show_and_marks_the_rest(bag, tmp_path, capsys):
    out = tmp_path / 'made.yaml'
    assert main(['robot', 'init', '--bag', bag, '--out', str(out),
                 '--set', 'robot_radius=0.3']) == 0
    err = capsys.readouterr().err
    assert ('marked with TODO: max_vel_x, max_vel_theta, acc_lim_x, acc_lim_theta, '
            'wheel_separation and max_wheel_vel') in err
    nodes = yaml.safe_load(out.read_text())['/**']
    node = nodes['bug_navigator']['ros__parameters']
    assert (node['scan_topic'], node['odom_topic'], node['robot_base_frame']) == (
        'laser', 'odometry', 'chassis')
    assert node['global_frame'] == 'odom'
    assert node['scan_offset_x'] == 0.15 and node['scan_upside_down'] is True
    assert node['robot_radius'] == 0.3 and node['enable_stamped_cmd_vel'] is False
    lidar = nodes['bug_sim']['ros__parameters']
    assert lidar['scan_angle_min'] == pytest.approx(-2.356, abs=1e-4)
    assert lidar['scan_publish_dur'] == pytest.approx(0.125, abs=1e-3)
    capsys.readouterr()
    assert main(['check', '--bag', bag, '--params', str(out)]) == 0
    told = capsys.readouterr().out
    assert f'as {out} (rho 0.400 m)' in told and 'upside down' in told
    assert main(['replay', bag, '--params', str(out)]) == 0
    assert '44 received, 44 placed' in capsys.readouterr().out
    assert run(capsys, '--params', str(out))['contour_radius'] == pytest.approx(0.4)


def test_recording_of_a_simulation_needs_no_clock(tmp_path, params, capsys):
    pytest.importorskip('rosbags.rosbag2', reason='rosbags is not installed')
    import bags
    messages = []
    for k in range(60):
        at = bags.BEGAN + 0.1 * k
        messages += [(at, '/odometry', bags.odometry(10.0 + 0.1 * k, child='chassis')),
                     (at, '/laser', bags.scan(10.0 + 0.1 * k)),
                     (at, '/tf_static', bags.make('TFMessage', transforms=[
                         bags.transform('chassis', 'base_scan', 0.15)]))]
    bag, out = bags.write(tmp_path / 'simulated', messages), tmp_path / 'made.yaml'
    assert main(['robot', 'init', '--bag', bag, '--out', str(out)]) == 0
    assert 'use_sim_time: true' in out.read_text()
    capsys.readouterr()
    for value, expected in (('true', set()), ('false', {'error'})):
        main(['check', '--bag', bag, '--json', '--params',
              params(('use_sim_time: false', f'use_sim_time: {value}'))])
        assert {each['level'] for each in json.loads(capsys.readouterr().out)['findings']
                if each['subject'] == 'sim_time'} == expected


@pytest.fixture
def record(tmp_path):
    """Return a function that records lidars: an interval [s], their frames, and changed fields."""
    pytest.importorskip('rosbags.rosbag2', reason='rosbags is not installed')
    import bags

    def write(interval, frames, **fields):
        messages = [(bags.BEGAN + 0.1 * k, '/odom', bags.odometry(
            bags.BEGAN + 0.1 * k, 0.02 * k, child='chassis')) for k in range(60)]
        messages += [(bags.BEGAN + interval * k + 0.003 * i, '/scan', bags.scan(
            bags.BEGAN + interval * k, np.full(270, 2.0), frame, **{
                'angle_min': -2.356, 'angle_increment': np.radians(1.0), 'angle_max': 2.339,
                **fields}))
            for k in range(40) for i, frame in enumerate(frames)]
        mounts = [bags.transform('chassis', frame, 0.15) for frame in frames]
        messages.append((bags.BEGAN, '/tf_static', bags.make('TFMessage', transforms=mounts)))
        return bags.write(tmp_path / 'lidars', messages)
    return write


@pytest.mark.parametrize('interval, frames, fields, name, value', [
    (0.125, ['front', 'rear'], {}, 'scan_publish_dur', pytest.approx(0.125, rel=0.03)),
    (0.002, ['front'], {}, 'scan_publish_dur', 0.01),
    (0.1, ['front'], {'range_max': np.inf}, 'scan_range_max', 1000.0),
    (0.1, ['front'], {'range_min': -1.0}, 'scan_range_min', 0.0),
    (0.1, ['front'], {'angle_increment': np.radians(1.4)}, 'scan_angle_max',
     pytest.approx(-2.356 + 2.0 * np.pi, abs=1e-5))])
def test_commands_accept_the_file_of_an_unusual_lidar(
        interval, frames, fields, name, value, record, tmp_path, capsys):
    bag, out = record(interval, frames, **fields), tmp_path / 'made.yaml'
    assert main(['robot', 'init', '--bag', bag, '--out', str(out),
                 '--set', 'robot_radius=0.3']) == 0
    text = out.read_text()
    assert yaml.safe_load(text)['/**']['bug_sim']['ros__parameters'][name] == value
    assert ('of front; the node looks up' in text) is (len(frames) > 1)
    capsys.readouterr()
    assert run(capsys, '--params', str(out))['outcome'] == 'reached'


@pytest.mark.parametrize('field, value', [
    ('angle_min', np.nan), ('angle_increment', np.inf), ('range_min', np.nan)])
def test_limit_that_is_no_number_is_marked_in_the_file(field, value, record, tmp_path):
    bag, out = record(0.1, ['front'], **{field: value}), tmp_path / 'made.yaml'
    assert main(['robot', 'init', '--bag', bag, '--out', str(out)]) == 0
    name = {'range_min': 'scan_range_min'}.get(field, 'scan_angle_min')
    line, = (line for line in out.read_text().splitlines() if f' {name}: ' in line)
    assert line.endswith('# TODO: the scans do not have it')


def test_check_names_the_clearance_of_a_lidar_that_is_blind_beyond_the_contour(
        record, tmp_path, capsys):
    bag, out = record(0.1, ['front'], range_min=0.3), tmp_path / 'made.yaml'
    assert main(['robot', 'init', '--bag', bag, '--out', str(out)]) == 0
    capsys.readouterr()
    assert main(['check', '--bag', bag, '--params', str(out), '--json']) == 1
    found = {each['subject']: each for each in json.loads(capsys.readouterr().out)['findings']}
    assert found['near']['level'] == 'error' and 'clearance' in found['near']['remedy']


@pytest.mark.parametrize('value', ['[', '{a', '&', '2026-99-99', '[' * 5000])
def test_setting_that_is_not_yaml_is_rejected_before_the_robot_is_read(value, tmp_path, capsys):
    assert main(['robot', 'init', '--out', str(tmp_path / 'a.yaml'), '--set', f'a={value}']) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1 and len(err) < 300
    assert '--set a: ' in err and 'is not a value in YAML' in err


@pytest.mark.parametrize('setting, words', [
    ('robot_radus=0.3', "did you mean 'robot_radius'?"), ('robot_radius=30.0', 'allowed is'),
    ('robot_radius=big', "'big' is not a number"), ('use_tf=1', '1 is not true or false')])
def test_setting_that_no_command_would_accept_is_refused(setting, words, tmp_path, capsys):
    out = tmp_path / 'a.yaml'
    assert main(['robot', 'init', '--bag', 'none', '--out', str(out), '--set', setting]) == 2
    err = capsys.readouterr().err
    assert '--set' in err and words in err and err.count('\n') == 1 and not out.exists()


def test_existing_file_is_kept(bag, tmp_path, capsys):
    out = tmp_path / 'made.yaml'
    out.write_text('mine')
    assert main(['robot', 'init', '--bag', bag, '--out', str(out)]) == 2
    assert 'already exists' in capsys.readouterr().err and out.read_text() == 'mine'


def test_missing_topic_is_named_with_those_of_the_recording(bag, tmp_path, capsys):
    assert main(['robot', 'init', '--bag', bag, '--out', str(tmp_path / 'a'),
                 '--scan', 'nothing']) == 2
    assert 'there is no laser scan on /nothing; its topics are' in capsys.readouterr().err


@pytest.mark.parametrize('setting, subject, words', [
    ('enable_stamped_cmd_vel: true', 'cmd_vel', 'set enable_stamped_cmd_vel to false'),
    ('use_sim_time: true', 'sim_time', 'set use_sim_time to false')])
def test_check_compares_the_parameters_of_the_file_with_the_robot(
        bag, params, setting, subject, words, capsys):
    file = params(('enable_stamped_cmd_vel: true', 'enable_stamped_cmd_vel: false'),
                  (f'{setting.partition(":")[0]}: false', setting))
    assert main(['check', '--bag', bag, '--params', file, '--json']) == 1
    found = {each['subject']: each for each in json.loads(capsys.readouterr().out)['findings']}
    assert found[subject]['level'] == 'error' and words in found[subject]['remedy']


def test_check_uses_the_mount_of_the_file_without_transforms(bag, params, capsys):
    file = params(('use_sim_time: false', 'use_sim_time: false\n    use_tf: false'),
                  ('scan_offset_x: 0.15', 'scan_offset_x: 0.1'),
                  ('stamped_cmd_vel: true', 'stamped_cmd_vel: false'))
    assert main(['check', '--bag', bag, '--params', file]) == 0
    assert 'x 0.100 m, y 0.000 m, yaw 0 degrees, upside down, by the' in capsys.readouterr().out


def test_check_accepts_the_parameters_of_the_node_that_it_compares(bag, params, capsys):
    argv = ('check', '--bag', bag, '--json', '--params', params())
    for setting, subject in (('use_sim_time=true', 'sim_time'), ('global_frame=map', 'goals'),
                             ('enable_stamped_cmd_vel=true', 'cmd_vel')):
        assert main([*argv, '--set', setting]) == 1
        found = {each['subject']: each for each in json.loads(capsys.readouterr().out)['findings']}
        assert found[subject]['level'] == 'error'
    assert main([*argv, '--set', 'enable_stamped_cmd_vel=false', '--set', 'use_tf=false']) == 0
    assert 'because use_tf is false' in capsys.readouterr().out


@pytest.mark.parametrize('command, setting, advice', [
    (('check', '--bag'), 'robot_base_frame=a', 'give --base-frame'),
    (('check', '--bag'), 'autostart=true', 'leave it out'),
    (('replay',), 'scan_topic=a', 'give --scan'), (('replay',), 'use_sim_time=true', 'leave it')])
def test_parameter_of_the_node_without_an_effect_is_refused_with_advice(
        bag, command, setting, advice, capsys):
    assert main([*command, bag, '--set', setting]) == 2
    err = capsys.readouterr().err
    assert 'is a parameter of the node, without an effect here; ' + advice in err


def test_mount_may_be_set_for_check_and_replay(bag, capsys):
    argv = ('--scan', 'laser', '--odom', 'odometry', '--base-frame', 'chassis', '--set',
            'scan_upside_down=true', '--set', 'robot_radius=0.3')
    assert main(['check', '--bag', bag, *argv]) == 0
    assert main(['replay', bag, *argv]) == 0
    capsys.readouterr()
    assert main(['check', '--bag', bag, '--set', 'scan_upside_down=maybe']) == 2
    assert 'give one of them' in capsys.readouterr().err
