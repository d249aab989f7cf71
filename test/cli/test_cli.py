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

"""Command line: arguments, output and exit codes."""

import json
import math
import os
from pathlib import Path
import shlex
import subprocess
import sys
import types

from bug_nav.cli import exit_code
from bug_nav.cli.parser import main, make_parser
from bug_nav.cli.run import options_of
from bug_nav.lab.run_setup import set_up
from bug_nav.navigation.algorithms.base import Algorithm, Metadata
from bug_nav.navigation.behaviors.follow_boundary import meet_boundary
from bug_nav.navigation.behaviors.move_to_goal import move_to_goal
from bug_nav.navigation.proof.certificate import is_proof
from bug_nav.simulation.catalogue import find_world
import numpy as np
import pytest
from subsets import subset

RUN = ('run', 'box')
WORLD = """<sdf version="1.6"><world name="w">
<model name="m"><static>true</static><link name="l"><collision name="c"><geometry>
<box><size>1 1 1</size></box></geometry></collision></link></model></world></sdf>"""
BILLION_LAUGHS = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><sdf version="1.6"><world name="&b;"/></sdf>"""


def run_json(capsys, *argv):
    code = main([*argv, '--json'])
    out = capsys.readouterr().out
    assert out.count('\n') == 1 and out.endswith('\n')
    # Strict: NaN and Infinity are not valid JSON.
    return code, json.loads(out, parse_constant=pytest.fail)


def test_run_prints_verdict_and_numbers(capsys, ground_truth):
    assert main(['run', 'box']) == 0
    out = capsys.readouterr().out
    assert out.startswith('REACHED: ')
    for word in ('box, burger, bug2, turning left', 'the shortest is 6.4', '1 hit, 1 left',
                 'no contact'):
        assert word in out


def test_json_is_one_complete_object_on_one_line(capsys, ground_truth):
    code, report = run_json(capsys, 'run', 'box', '--turn', 'right', '--seed', '7')
    assert code == 0
    assert report['outcome'] == 'reached'
    assert (report['world'], report['algorithm'], report['turn'], report['seed']) == (
        'box', 'bug2', 'right', 7)
    assert report['start'] == [0.0, 0.0, 0.0] and report['goal'] == [6.0, 0.0]
    assert report['contacts'] == 0 and report['hits'] == 1 and report['leaves'] == 1
    assert report['hit_points'][0]['index'] == 1
    assert 0.0 < report['min_clearance'] < 0.2
    assert 6.3 < report['shortest_path'] < report['path_length'] < 9.0
    assert report['time'] == pytest.approx(0.05 * (report['ticks'] - 1))
    assert report['real_time_factor'] == pytest.approx(report['time'] / report['wall_time'])


def test_missing_value_is_null_in_json(capsys):
    code, report = run_json(capsys, 'run', 'open')
    assert code == 0 and report['min_clearance'] is None
    code, report = run_json(capsys, 'run', 'ring_goal')
    assert code == 0 and report['outcome'] == 'unreachable'
    assert report['shortest_path'] is None and report['lap_length'] > 1.0


@pytest.mark.parametrize('world', subset(['ring_goal', 'goal_solid', 'ring_start'], 3))
def test_unreachable_goal_has_a_valid_certificate(world, capsys):
    code, report = run_json(capsys, 'run', world)
    assert (code, report['outcome']) == (0, 'unreachable')
    chain, rho = report['certificate'], report['contour_radius']
    assert is_proof(chain, report['final_pose'][:2], report['goal'], rho) and rho == 0.224
    # The points are on obstacles, up to the range noise.
    distances = [np.abs(find_world(world).clearance(np.array([point])))[0] for point in chain]
    assert max(distances) < 0.03
    assert main(['run', world]) == 0
    around = 'robot' if world == 'ring_start' else 'goal'
    assert (f'certificate {len(chain)} obstacle points around the {around}, each nearer to the '
            'next than 0.448 m') in capsys.readouterr().out


def test_reached_goal_has_no_certificate(capsys):
    code, report = run_json(capsys, 'run', 'box')
    x, y, yaw = report['final_pose']
    assert report['certificate'] is None and code == 0
    assert math.dist((x, y), report['goal']) == pytest.approx(report['goal_error'])
    assert main(['run', 'box']) == 0 and 'certificate' not in capsys.readouterr().out


@pytest.mark.parametrize('options', [
    (), ('--set', 'odometry=velocity', '--set', 'odometry_bias=0.05')])
def test_uncertainty_of_the_goal_is_reported_with_drift_correction(options, capsys):
    _, report = run_json(capsys, 'run', 'pole', *options)
    assert 0.0 < report['uncertainty'] < 0.1
    assert main(['run', 'pole', *options]) == 0
    assert f'goal        position known to {report["uncertainty"]:.3f} m' in (
        capsys.readouterr().out)


def test_uncertainty_is_null_without_drift_correction(capsys):
    options = ('--set', 'drift_correction=none')
    assert run_json(capsys, 'run', 'pole', *options)[1]['uncertainty'] is None
    assert main(['run', 'pole', *options]) == 0 and 'known to' not in capsys.readouterr().out


def test_run_is_repeatable_by_seed(capsys):
    first, again, other = (run_json(capsys, 'run', 'pole', '--seed', seed)[1]
                           for seed in ('1', '1', '2'))
    for report in (first, again, other):
        for key in ('wall_time', 'real_time_factor', 'seed'):
            del report[key]
    assert first == again
    assert first != other


def test_timeout_is_an_outcome_with_exit_code_1(capsys):
    code, report = run_json(capsys, 'run', 'box', '--time-allowance', '2')
    assert code == 1 and report['outcome'] == 'timeout'


def test_start_and_goal_can_be_negative(capsys):
    code, report = run_json(capsys, 'run', 'open', '--start', '-1,-2e-1,-.5', '--goal', '-2.5,1')
    assert code == 0 and report['outcome'] == 'reached'
    assert report['start'] == [-1.0, -0.2, -0.5] and report['goal'] == [-2.5, 1.0]


def test_set_option_applies_to_every_kind_of_parameter():
    given = ['run', 'box', '--set', 'robot_radius=0.11', '--set', 'xy_goal_tolerance=0.2',
             '--set', 'bug2.leave_margin=0.02', '--set', 'scan_count=180', '--noise', '0',
             '--set', 'scan_no_return=above', '--set', 'odometry_noise=0.1',
             '--set', 'odometry=velocity',
             '--clearance', '0.15', '--turn', 'right']
    typed = make_parser().parse_args(given)
    made = set_up(options_of(typed, algorithm=typed.algorithm, turn=typed.turn))
    assert made.robot.model.robot_radius == 0.11
    assert (made.robot.settings.xy_goal_tolerance, made.robot.settings.clearance) == (0.2, 0.15)
    assert made.robot.settings.turn_direction == 'right'
    assert made.parameters.leave_margin == 0.02
    assert (made.robot.sensor.scan_count, made.robot.sensor.scan_noise) == (180, 0.0)
    assert made.robot.sensor.scan_no_return == 'above'
    assert made.robot.odometry.odometry_noise == 0.1
    assert made.robot.contour_radius == pytest.approx(0.26)


@pytest.mark.parametrize('argv, reason', [
    (['run', 'bux'], "unknown world 'bux'; did you mean 'box'? See `bug_nav worlds`"),
    (['run', 'box', '--alg', 'bug2'], "did you mean '--algorithm'? (see bug_nav run --help)"),
    ([*RUN, '--noise', '5'], '--noise (scan_noise) is 5.0 m; allowed is 0.0 to 1.0 m'),
    ([*RUN, '--turn', 'up'], "--turn (turn_direction) is 'up'; allowed are left, "),
    ([*RUN, '--clearance', '9'], 'bug_nav: --clearance is 9.0 m; allowed is 0.02 to 2.0 m'),
    (['run', 'random:foo?seed=1'], 'kinds are cluttered, cells, '),
    (['run', 'nowhere.world'], 'No such file'),
    (['runn', 'box'], "unknown command 'runn'; did you mean 'run'? Commands are run, "),
    (['run', 'box', '--algoritm', 'bug2'], "did you mean '--algorithm'? (see bug_nav run --help)"),
    (['run', 'box', '--robot', 'turtlebot3'], "did you mean 'burger' or 'waffle_pi'?"),
    (['run', 'random:maze?seed=1'], "did you mean 'cells'?"),
    (['run', 'random:clutterd?seed=1'], "did you mean 'cluttered'?"),
    (['run', 'box', '--set', 'odometry_noise=0.1'],
     'odometry_noise is 0.1, which has no effect while odometry is perfect; give odometry as '
     'well: encoders or velocity'),
    (['run', 'box', '--set', 'odometry=velocity', '--set', 'axle_error=0.1'], 'give odometry as'),
    (['run', 'box', '--set', 'localizer_noise=0.1'],
     'while localizer_period is 0.0; give localizer_period as well: a value above 0'),
    (['run', 'box', '--set', 'turn_seed=3'], 'give turn_direction as well: random'),
    ([*RUN, '--set', 'tangent_bug.sensor_range=1'], 'choose the algorithm tangent_bug (--al'),
    (['run', '/dev/null'], 'not a regular file'),
    (['run', 'bro\nken\0\x1b[2J'], r"'bro\nken\x00\x1b[2J'; see"),
    ([*RUN, '--algorithm', 'bug3'], "did you mean 'bug2'"),
    ([*RUN, '--start', '0,0'], 'has 2 values; 3 are needed'),
    ([*RUN, '--start', '0,0,0,0'], 'has 4 values; 3 are needed'),
    ([*RUN, '--start', '0,,0'], 'not a number'),
    ([*RUN, '--start', 'nan,0,0'], 'not finite'),
    ([*RUN, '--start', '-inf,0,0'], 'not finite'),
    ([*RUN, '--start', '1e400,0,0'], 'not finite'),
    ([*RUN, '--start', '1e9,0,0', '--goal', '1e9,1'], 'up to 100000 m'),
    ([*RUN, '--start', '3.5,0,0'], 'inside an obstacle'),
    ([*RUN, '--start', '2.4,0,0'], '0.100 m from an obstacle'),
    ([*RUN, '--goal', '6'], 'has 1 value; 2 are needed'),
    ([*RUN, '--goal', '-1,x'], 'not a number'),
    ([*RUN, '--goal', '0,inf'], 'not finite'),
    ([*RUN, '--goal', '10001,0'], 'at most 10 km'),
    ([*RUN, '--goal', '-1e300,1e300'], 'at most 10 km'),
    ([*RUN, '--turn', 'up'], 'allowed are left, right'),
    ([*RUN, '--seed', '-1'], 'negative'),
    ([*RUN, '--seed', '1.5'], 'whole number'),
    ([*RUN, '--noise', 'nan'], 'not finite'),
    ([*RUN, '--noise', '-0.1'], 'negative'),
    ([*RUN, '--noise', '2'], '0.0 to 1.0 m'),
    ([*RUN, '--clearance', '9'], '0.02 to 2.0 m'),
    ([*RUN, '--clearance', '0.02'], 'blind up to 0.152 m'),
    ([*RUN, '--time-allowance', '-1'], 'negative'),
    ([*RUN, '--time-allowance', 'inf'], 'not finite'),
    ([*RUN, '--time-allowance', '1e10'], 'at most 1e+09 s'),
    ([*RUN, '--set', 'robot_radius'], 'NAME=VALUE'),
    ([*RUN, '--set', 'robot_radius='], 'give a number'),
    ([*RUN, '--set', 'robot_radius=-1'], 'allowed is 0.01 to 2.0 m'),
    ([*RUN, '--set', 'robot_radius=nan'], 'finite'),
    ([*RUN, '--set', 'robot_radios=1'], "did you mean 'robot_radius'? See docs/parameters.md"),
    ([*RUN, '--set', 'scan_upside_down=true'], 'a parameter of the node, without an effect here'),
    ([*RUN, '--set', 'algorithm=bug1'], 'without an effect here; give --algorithm'),
    ([*RUN, '--set', 'bug2.leave_margin=1'], '0.0 to 0.03 m'),
    ([*RUN, '--set', 'scan_zeros=maybe'], 'true or false'),
    ([*RUN, '--set', 'scan_count=1e2'], 'whole number'),
    ([*RUN, '--plot', 'run.bmp'], '.png, .svg, .pdf, .gif, .mp4 or .html'),
    ([*RUN, '--plot', 'no/such/folder/run.png'], 'does not exist'),
    ([*RUN, '--plot', '/dev/full/run.png'], 'does not exist'),
    ([*RUN, '--jsn'], "unrecognized arguments: --jsn; did you mean '--json'?"),
    ([*RUN, '--world', 'box'], 'unrecognized arguments: --world box (see'),
    *(([*RUN, option], 'run --plot FILE') for option in ('--show', '--animate', '--gui')),
    ([*RUN, '--gui'], '`bug_nav play`'),
    ([*RUN, '--speed-up', '3'], 'give --plot FILE with the ending .gif or .mp4 as well'),
    ([*RUN, '--size', '300', '--plot', 'run.png'], '--size applies to an animation'),
    (['run'], 'WORLD'),
    (['rum', 'box'], 'rum'),
    (['send-goal', '1'], 'Y'),
    (['send-goal', '1', 'nan'], 'not finite'),
    (['send-goal', '1', '2', '--timeout', '0'], 'more than 0'),
    (['send-goal', '1', '1', '--turn', 'up'], "--turn (turn_direction) is 'up'; allowed are left"),
    (['play', 'maze', '--namespace', 'r1'], '--namespace r1 applies to the robot of a running'),
    (['demo', 'bux'], "did you mean 'box'"),
    (['demo', '--speed', '-1'], '0 or more'),
    (['demo', '--speed', '1e6'], 'at most 100'),
    (['demo', '--goal', '1'], 'has 1 value; 2 are needed'),
    (['demo', '--start', '0,0,0'], 'inside an obstacle'),
    (['demo', '--plot', 'run.txt'], '.png, .svg or .pdf'),
])
def test_bad_input_is_reported_in_one_sentence_with_exit_code_2(argv, reason, capsys):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ''
    assert err.startswith('bug_nav: ') and err.count('\n') == 1
    assert reason in err
    assert 'Traceback' not in err


@pytest.mark.parametrize('text, reason', [
    ('', 'well-formed'),
    ('<sdf version="1.6"><world name="w">', 'well-formed'),
    ('<svg/>', 'not <sdf>'),
    (BILLION_LAUGHS, 'not allowed'),
    (WORLD.replace('1 1 1', '1 nan 1'), 'finite'),
    (WORLD.replace('<box><size>1 1 1</size></box>', '<mesh/>'), '<mesh>'),
    (WORLD, 'has no start; give one with --start X,Y,YAW '),
])
def test_broken_or_hostile_world_is_rejected(text, reason, tmp_path, capsys):
    file = tmp_path / 'w.world'
    file.write_text(text)
    assert main(['run', str(file), '--json']) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1 and reason in err


def test_world_without_a_goal_requires_one(tmp_path, capsys):
    file = tmp_path / 'w.world'
    file.write_text(WORLD)
    assert main(['run', str(file), '--start', '2,0,0']) == 2
    assert 'has no goal; give one with --goal X,Y ' in capsys.readouterr().err
    assert main(['run', str(file), '--start', '2,0,0', '--goal', '-2,0']) == 0


def test_unwritable_picture_is_bad_input(tmp_path, capsys):
    folder = tmp_path / 'folder.png'
    folder.mkdir()
    assert main(['run', 'open', '--plot', str(folder), '--json']) == 2
    out, err = capsys.readouterr()
    assert out == '' and 'is a folder; choose another name' in err


def test_written_file_is_reported_by_its_real_path(tmp_path, capsys):
    pytest.importorskip('shapely', minversion='2', reason='the path needs shapely 2')
    assert main(['run', 'open', '--plot', f'{tmp_path}/run.png/']) == 0
    assert capsys.readouterr().err == f'bug_nav: wrote {tmp_path}/run.png\n'


@pytest.mark.parametrize('host', ['nohost.invalid', '192.0.2.7', 'a..b'])
def test_unusable_host_of_the_playground_asks_for_another_host(host, capsys):
    pytest.importorskip('uvicorn', reason='the playground needs uvicorn')
    assert main(['play', '--host', host, '--no-browser']) == 1
    err = capsys.readouterr().err
    assert err.startswith(f'bug_nav: cannot listen on {host}: ')
    assert err.endswith('; give another --host, or omit it\n')


@pytest.mark.parametrize('ending, magic', subset([
    ('png', b'\x89PNG'), ('svg', b'<?xml'), ('pdf', b'%PDF')], 3))
def test_plot_format_follows_the_file_ending(ending, magic, tmp_path, capsys):
    file = tmp_path / f'run.{ending}'
    assert main(['run', 'pole', '--plot', str(file)]) == 0
    assert file.read_bytes().startswith(magic)


@pytest.mark.parametrize('command, words, absent', [
    ('run', ['or a missing requirement', 'timing or algorithm parameter', 'lidar=lds_01'], 'twin'),
    ('campaign', ['wrong and missing verdicts', 'an unexpected end without a verdict'],
     'collision'),
    ('check', ['print the findings as one JSON object'], 'decisions'),
    ('replay', ['print the decisions as one JSON object', 'the farthest one if it returned'],
     'findings')])
def test_help_states_what_the_command_does(command, words, absent, capsys):
    assert main([command, '--help']) == 0
    text = ' '.join(capsys.readouterr().out.split())
    assert [each for each in words if each not in text] == [] and absent not in text


class Broken(Algorithm):
    metadata = Metadata('Broken', '', 'contact', '', False, '', '')

    def run(self, robot):
        yield 1 / 0


class Counting(Broken):

    def run(self, robot):
        yield 3


class NoYield(Broken):

    def run(self, robot):
        hit = move_to_goal(robot)
        return meet_boundary(robot, hit)


class Mistyped(Broken):

    def run(self, robot):
        yield from called_by_the_algorithm(robot)


def called_by_the_algorithm(robot):
    yield robot.to_goal()
    yield robot.goal_dist


class Endless(Broken):

    def run(self, robot):
        yield robot.to_goal()
        while True:
            pass


def test_run_without_any_yield_is_explained_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr('bug_nav.lab.run_setup.find', lambda name: NoYield)
    assert main(['run', 'open', '--algorithm', 'no_yield']) == 1
    out, err = capsys.readouterr()
    assert out.startswith('ERROR: NoYield uses a generator as the finding of a behavior (')
    assert '`yield from`' in out and 'Traceback' not in err


def test_traceback_of_an_error_in_an_algorithm_has_its_own_frames_only(monkeypatch, capsys):
    monkeypatch.setattr('bug_nav.lab.run_setup.find', lambda name: Mistyped)
    assert main(['run', 'open', '--algorithm', 'mistyped']) == 1
    out, err = capsys.readouterr()
    assert err.count('  File ') == 2 and err.count('test_cli.py') == 2
    assert "has no attribute 'goal_dist'" in out
    if sys.version_info >= (3, 10):
        assert out.rstrip().endswith("; did you mean 'goal_distance'?")


def interrupted_while_endless(folder, *options):
    """Return the finished process of an endless algorithm that got SIGINT after 1 s."""
    program = (
        'import sys\nfrom test_cli import Endless\nfrom bug_nav import __main__ as program\n'
        'from bug_nav.lab import run_setup\nimport threading, os, signal\n'
        'run_setup.find = lambda name: Endless\n'
        'run = Endless.run\n'
        'def begun(self, robot):\n'
        '    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n'
        '    return run(self, robot)\n'
        'Endless.run = begun\n'
        f"sys.argv[1:] = ['run', 'open', '--algorithm', 'endless', *{options}]\n"
        'program.main()\n')
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          timeout=120, cwd=folder, env={**os.environ, 'PYTHONPATH': path})


def test_ctrl_c_in_an_endless_algorithm_names_its_line(tmp_path):
    done = interrupted_while_endless(tmp_path)
    assert done.returncode == 130, done.stderr
    line, last = done.stderr.splitlines()[-2:]
    assert line.startswith('bug_nav: the algorithm was at ') and 'test_cli.py:' in line
    assert last == 'bug_nav: interrupted'


def test_ctrl_c_in_an_endless_algorithm_completes_the_recording(tmp_path):
    reader = pytest.importorskip('mcap.reader')
    done = interrupted_while_endless(tmp_path, '--record', 'run.mcap')
    assert done.returncode == 130, done.stderr
    line, last = done.stderr.splitlines()[-2:]
    assert line.startswith('bug_nav: the algorithm was at ') and 'test_cli.py:' in line
    assert last == 'bug_nav: interrupted; the finished part of the run is in run.mcap'
    with open(tmp_path / 'run.mcap', 'rb') as file:
        assert reader.make_reader(file).get_summary().statistics.message_count > 0


def test_misuse_of_the_interface_is_explained_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr('bug_nav.lab.run_setup.find', lambda name: Counting)
    assert main(['run', 'open', '--algorithm', 'counting']) == 1
    out, err = capsys.readouterr()
    assert out.startswith('ERROR: Counting has yielded 3 instead of an intent (')
    assert 'Traceback' not in err


def test_goal_inside_an_obstacle_is_reported(capsys):
    main(['run', 'goal_solid', '--time-allowance', '1'])
    line = 'lies inside an obstacle of the world\n'
    assert capsys.readouterr().err.count(line) == 1
    main(['compare', 'goal_solid', '--algorithm', 'bug1,bug2', '--time-allowance', '1'])
    assert capsys.readouterr().err.count(line) == 1
    main(['run', 'box', '--time-allowance', '1'])
    assert line not in capsys.readouterr().err


def test_exception_in_an_algorithm_is_the_outcome_error(monkeypatch, capsys):
    monkeypatch.setattr('bug_nav.lab.run_setup.find', lambda name: Broken)
    assert main(['run', 'open', '--algorithm', 'broken', '--json']) == 1
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert report['outcome'] == 'error' and 'division by zero' in report['message']
    assert 'Traceback' in err  # for the author of the algorithm


@pytest.mark.parametrize('argv, words', [
    (['run', 'open', '--set', f'clearance={"9" * 5000}'], 'clearance is'),
    (['run', 'open', '--set', f'clearance={"wide" * 5000}'], 'give a number'),
    (['run', 'open', '--set', f'{"wide" * 5000}=1'], 'unknown parameter'),
    (['run', 'open', '--set', 'wide=1'], 'see docs/parameters.md'),
    (['run', 'open', '--seed', 'x' * 5000], 'is not a whole number (see bug_nav run --help)'),
    (['run', 'open' * 2000], 'unknown world'),
    (['run', 'open', '--algorithm', 'x' * 5000], 'unknown algorithm'),
    (['x' * 5000], 'unknown command'),
    (['run', 'open', '--plot', 'x' * 5000], 'must end in .png')])
def test_error_message_has_limited_length(argv, words, capsys):
    assert main(argv) == 2
    error = capsys.readouterr().err
    assert words in error and len(error) < 650 and error.count('\n') == 1


def test_exit_code_depends_on_the_outcome():
    assert {exit_code(outcome) for outcome in ('reached', 'unreachable', 'loop_detected')} == {0}
    assert {exit_code(outcome) for outcome in ('timeout', 'collision', 'error', 'blocked')} == {1}


def test_worlds_lists_every_shipped_world(capsys):
    assert main(['worlds']) == 0
    *lines, _ = capsys.readouterr().out.splitlines()  # the last one is about random worlds
    files = (Path(__file__).parents[2] / 'worlds').glob('*.world')
    assert [line.split()[0] for line in lines] == sorted(file.stem for file in files)
    assert all(len(line.split()) > 2 for line in lines)


def test_version_and_help_are_printed(capsys):
    assert main(['--version']) == 0
    assert capsys.readouterr().out.startswith('bug_nav 1.')
    for argv in (['--help'], ['run', '--help'], ['send-goal', '--help'], ['demo', '--help']):
        assert main(argv) == 0
        assert 'exit code' in capsys.readouterr().out or argv == ['--help']
    assert main([]) == 2
    assert 'usage' in capsys.readouterr().err


CALL = 'from bug_nav.cli.parser import main; assert main({}) == 0'


@pytest.mark.parametrize('code, allowed, printed', [
    ('import bug_nav; dir(bug_nav)', (), ''), (CALL.format(['run', '--help']), (), 'usage'),
    (CALL.format(['algorithms']), ('numpy',), 'bug2')])
def test_import_help_and_list_import_no_heavy_package(code, allowed, printed):
    check = (f'import sys; {code}; '
             'heavy = {"numpy", "numba", "matplotlib", "shapely", "rclpy"} & set(sys.modules); '
             f'sys.exit(str(heavy) if heavy - {{*{allowed}}} else 0)')
    done = subprocess.run([sys.executable, '-c', check], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


def test_ctrl_c_has_exit_code_130_without_a_traceback(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt
    monkeypatch.setattr('bug_nav.lab.run_setup.run_episode', interrupt)
    assert main(['run', 'open']) == 130
    assert 'Traceback' not in capsys.readouterr().err


@pytest.mark.parametrize('missing', ['rclpy', 'tf2_msgs'])
@pytest.mark.parametrize('argv', [
    ['send-goal', '1', '2'], ['demo'], ['check'], ['record', 'drive.mcap'], ['play', '--live']])
def test_ros_commands_report_a_missing_package_of_ros_in_one_sentence(
        argv, missing, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, 'rclpy', types.ModuleType('rclpy'))
    monkeypatch.setitem(sys.modules, missing, None)
    assert main(argv) == 1
    out, err = capsys.readouterr()
    assert out == '' and err.count('\n') == 1
    assert f'{missing} cannot be imported' in err and 'make setup' in err


@pytest.mark.slow
@pytest.mark.parametrize('package, argv', [
    ('defusedxml', ['run', 'open']), ('matplotlib', ['run', 'open', '--plot', 'run.png'])])
def test_missing_package_is_reported_in_one_sentence(package, argv, tmp_path):
    hidden = (f'import sys; sys.modules[{package!r}] = None; from bug_nav.cli.parser import main; '
              f'sys.exit(main({argv!r}))')
    done = subprocess.run([sys.executable, '-c', hidden], capture_output=True, text=True,
                          cwd=tmp_path, timeout=60)
    assert done.returncode == 1 and done.stdout == ''
    assert done.stderr.count('\n') == 1 and f'{package}' in done.stderr


def test_shortest_path_is_unknown_without_shapely(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'shapely', None)
    monkeypatch.setitem(sys.modules, 'shapely.geometry', None)
    monkeypatch.delitem(sys.modules, 'bug_nav.lab.ground_truth', raising=False)
    code, report = run_json(capsys, 'run', 'box')
    assert code == 0 and report['shortest_path'] is None


def test_closed_pipe_causes_no_traceback():
    done = subprocess.run(
        f'{shlex.quote(sys.executable)} -m bug_nav worlds | true', shell=True, capture_output=True,
        text=True, timeout=60)
    assert 'Traceback' not in done.stderr and 'Exception' not in done.stderr


def test_unwritable_output_is_reported_in_one_sentence(ground_truth):
    done = subprocess.run(f'{shlex.quote(sys.executable)} -m bug_nav run open > /dev/full',
                          shell=True, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr == (
        'bug_nav: standard output cannot be written: No space left on device; free some '
        'space\n')


def test_long_runs_show_their_progress_on_a_terminal(monkeypatch, capsys, ground_truth):
    from bug_nav.cli import progress, run
    monkeypatch.setattr(run, 'PROGRESS_DELAY', 0.0)
    monkeypatch.setattr(progress, 'TERMINAL_PERIOD', 0.0)  # a run may be shorter than the period
    monkeypatch.setattr(sys.stderr, 'isatty', lambda: True, raising=False)
    assert main(['run', 'box']) == 0
    err = capsys.readouterr().err
    assert 'boundary_following' in err and 'm to go' in err
    assert err.endswith('\r\x1b[K')  # and the line is erased


def test_ratio_is_omitted_unless_the_goal_is_reached(capsys, ground_truth):
    assert main(['run', 'maze', '--time-allowance', '20']) == 1
    told = capsys.readouterr().out
    assert 'TIMEOUT' in told and 'the shortest is' in told and 'ratio' not in told


@pytest.mark.slow
def test_goal_reached_by_odometry_alone_is_reported(capsys):
    drifting = ('demo', '--set', 'odometry=encoders', '--set', 'odometry_bias=0.01',
                '--set', 'drift_correction=none')
    assert main(['run', *drifting]) == 0
    out = capsys.readouterr().out
    assert out.startswith('REACHED BY ODOMETRY ALONE: the robot is in fact 3.')
    _, report = run_json(capsys, 'run', *drifting)
    assert report['outcome'] == 'reached' and report['goal_error'] > 3.0 and report['goal_missed']


@pytest.mark.parametrize('options, missed', [
    ((), False), (('--set', 'odometry=encoders', '--set', 'odometry_bias=0.02'), True)])
def test_uncertain_arrival_is_reported_with_exit_code_0(capsys, options, missed):
    # Nothing is in range to match scans with.
    run = ('open', *options)
    code, report = run_json(capsys, 'run', *run)
    assert (code, report['outcome']) == (0, 'reached_uncertain')
    assert 2.0 * report['uncertainty'] > report['contour_radius']
    assert f'only known to {2.0 * report["uncertainty"]:.2f} m' in report['message']
    assert report['goal_missed'] is missed
    assert main(['run', *run]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f'REACHED_UNCERTAIN: {report["message"]}')
    assert ('the robot is in fact' in told) is missed and ('ratio' in told) is not missed


def test_wall_follower_has_no_missed_goal(capsys):
    _, report = run_json(capsys, 'run', 'box', '--algorithm', 'follow_wall')
    assert report['outcome'] == 'reached' and report['goal_error'] > 1.0
    assert not report['goal_missed']


@pytest.mark.slow
@pytest.mark.parametrize('line, words', [
    ('bug_nav r', {'run', 'robot', 'robots', 'report', 'replay', 'record'}),
    ('bug_nav run box --algorithm tangent', {'tangent_bug'}),
    ('bug_nav run box --robot turtle', {'turtlebot4'}), ('bug_nav run u_t', {'u_trap'})])
def test_shell_completion_suggests_names(tmp_path, line, words):
    pytest.importorskip('argcomplete')
    found = tmp_path / 'found'
    # argcomplete writes to file descriptor 8.
    subprocess.run(['sh', '-c', '"$@" 8>"$0"', str(found), sys.executable, '-m', 'bug_nav'],
                   check=False, timeout=120, env={
                       **os.environ, '_ARGCOMPLETE': '1', '_ARGCOMPLETE_IFS': '\n',
                       'COMP_LINE': line, 'COMP_POINT': str(len(line))})
    assert {word.strip() for word in found.read_text().split('\n')} == words


def test_page_of_robots_shows_the_distances_of_a_run_with_scan_matching(capsys, ground_truth):
    command = 'run box --set odometry=encoders --set odometry_bias=0.01'
    assert main(command.split()) == 0
    page = (Path(__file__).parents[2] / 'docs' / 'robots.md').read_text(encoding='utf-8')
    assert '\n'.join([f'$ bug_nav {command}', *capsys.readouterr().out.splitlines()[:4]]) in page


def test_turn_of_an_algorithm_that_chooses_it_is_refused_and_not_printed(capsys):
    assert main(['run', 'box', '--algorithm', 'tangent_bug', '--turn', 'left']) == 2
    said = capsys.readouterr().err
    assert '--turn: the turn direction left has no effect: TangentBug chooses' in said
    assert main(['run', 'box', '--algorithm', 'tangent_bug']) == 0
    assert 'turning' not in capsys.readouterr().out
    assert run_json(capsys, 'run', 'box', '--algorithm', 'tangent_bug')[1]['turn'] == 'own'
    assert run_json(capsys, 'run', 'box', '--algorithm', 'bug2')[1]['turn'] == 'left'
