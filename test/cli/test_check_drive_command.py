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

"""``bug_nav check --drive`` without ROS: options, and how the end of a drive is judged."""

from types import SimpleNamespace as Plan

from bug_nav.cli import check_drive
from bug_nav.cli.parser import main, make_parser
from bug_nav.files import BadInput
from bug_nav.recording.checks.command_topic import TWIST
from bug_nav.recording.checks.evidence import Evidence, Graph, NavigatorStatus, TopicTimes
from bug_nav.recording.checks.finding import error, Level
from bug_nav.recording.robot_description import TODO
import pytest


@pytest.mark.parametrize('ended, is_disobeyed, stands, level', [
    ('', False, True, Level.OK), ('', False, False, Level.WARNING),
    ('no room', False, True, Level.WARNING), ('it stands', True, True, Level.ERROR)])
def test_robot_that_does_not_obey_is_an_error(ended, is_disobeyed, stands, level):
    found = check_drive._end(Plan(ended=ended, is_disobeyed=is_disobeyed, waits=0), stands)
    assert found.level is level and ended in found.found
    assert ('the robot stands by its odometry' in found.found) == stands
    assert ('make sure that it has stopped' in found.found) != stands


def test_late_data_are_reported_with_a_complete_drive():
    found = check_drive._end(Plan(ended='', waits=2, waited=0.73), True)
    assert found.level is Level.OK and 'late 2 times, for 0.7 s in all' in found.found


def parsed(*options):
    return make_parser().parse_args(['check', '--drive', *options])


def test_robot_of_unknown_radius_is_not_driven(tmp_path):
    with pytest.raises(BadInput, match='--params FILE .* or --robot NAME'):
        check_drive._require_radius(parsed())
    file = tmp_path / 'mine.yaml'
    file.write_text('/**:\n  bug_navigator:\n    ros__parameters:\n'
                    f'      robot_radius: 0.124  # {TODO}: m\n')
    unmeasured = parsed('--params', str(file), '--set', 'robot_radius=0.124')
    with pytest.raises(BadInput, match='is marked with TODO'):
        check_drive._require_radius(unmeasured)


@pytest.mark.parametrize('options', [('--robot', 'burger'), ('--set', 'robot_radius=0.29')])
def test_robot_of_known_radius_is_driven(options):
    check_drive._require_radius(parsed(*options))


@pytest.mark.parametrize('state, drivers, words', [
    ('running', (), 'bug_navigator drives to a goal'), ('ready', (), ''),
    ('ready', (('/teleop', TWIST),), '/teleop can publish'),
    ('ready', (('/bug_navigator', TWIST),), '')])
def test_robot_that_another_node_may_drive_is_not_driven(state, drivers, words):
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel', navigator=(
        NavigatorStatus(state, '', False)), graph=Graph((('/base', TWIST),), drivers))
    assert words in check_drive._obstacle(evidence, [])
    assert bool(check_drive._obstacle(evidence, [])) == bool(words)
    assert 'errors: scan' in check_drive._obstacle(evidence, [error('scan', 'none', 'start it')])


def test_navigator_of_unknown_state_forbids_the_drive():
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel', graph=Graph(
        (('/base', TWIST),), (('/robot1/bug_navigator', TWIST),)))
    assert 'state of bug_navigator is unknown' in check_drive._obstacle(evidence, [])


def test_scans_of_several_lidars_forbid_the_drive():
    evidence = Evidence(TopicTimes('/scan'), TopicTimes('/odom'), '/cmd_vel')
    evidence.scan.frames = ['front', 'rear']
    assert 'several frames' in check_drive._obstacle(evidence, [])


@pytest.mark.parametrize('options, words', [
    (['--bag', 'x', '--yes'], 'exclude each other'), ([], 'give --yes if somebody watches')])
def test_drive_is_refused_without_a_robot_or_an_answer(options, words, capsys, monkeypatch):
    monkeypatch.setattr('sys.stdin', Plan(isatty=lambda: False))
    assert main(['check', '--drive', *options]) == 2
    assert words in capsys.readouterr().err
