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

"""``bug_nav run --record``: the file, and its error messages."""

from __future__ import annotations

import signal
import sys
from types import SimpleNamespace

from bug_nav.cli import CannotRun
from bug_nav.cli.evidence import survey_of
from bug_nav.cli.parser import main
from bug_nav.cli.recording_files import recording_file
from bug_nav.navigation.navigator import Navigator
from bug_nav.recording import RecordingError, topics
import pytest


def run(tmp_path, *options, name='a.mcap'):
    return main(['run', 'pole', '--record', str(tmp_path / name), *options])


def error_of(capsys) -> str:
    out, error = capsys.readouterr()
    assert out == '' and error.startswith('bug_nav: ') and error.count('\n') == 1
    return error


def read(path) -> dict:
    """Return the count of messages by topic."""
    reader = pytest.importorskip('mcap.reader', reason='mcap-ros2-support is not installed')
    with open(path, 'rb') as stream:
        summary = reader.make_reader(stream).get_summary()
    return {channel.topic: summary.statistics.channel_message_counts[number]
            for number, channel in summary.channels.items()}


def test_run_is_recorded(tmp_path, capsys):
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    assert run(tmp_path, '--json') == 0
    counts = read(tmp_path / 'a.mcap')
    assert counts['/odom'] == counts['/cmd_vel'] > 100 and counts['/scan'] > 25


def test_drifting_run_is_recorded_with_the_ground_truth(tmp_path):
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    run(tmp_path, '--set', 'odometry=velocity', '--set', 'odometry_noise=0.05')
    assert read(tmp_path / 'a.mcap')['/ground_truth'] > 100


def test_existing_recording_is_not_overwritten(tmp_path, capsys):
    (tmp_path / 'a.mcap').write_text('precious')
    assert run(tmp_path) == 2
    assert "a.mcap' already exists; choose another name, or remove it" in error_of(capsys)
    assert (tmp_path / 'a.mcap').read_text() == 'precious'


@pytest.mark.parametrize('name, words', [
    ('a.bag', "a.bag' must end in .mcap"),
    ('nowhere/a.mcap', "nowhere/a.mcap' does not exist; create it first")])
def test_invalid_file_is_rejected_and_not_created(tmp_path, capsys, name, words):
    assert run(tmp_path, name=name) == 2
    assert words in error_of(capsys)
    assert not list(tmp_path.iterdir())


def test_missing_package_is_reported_with_the_install_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'mcap_ros2', None)
    assert run(tmp_path) == 1
    assert 'install it with "pip install mcap-ros2-support"' in error_of(capsys)
    assert not list(tmp_path.iterdir())


def test_bad_input_leaves_no_file(tmp_path, capsys):
    assert run(tmp_path, '--goal', '1e9,0') == 2
    assert not list(tmp_path.iterdir())


def test_interrupt_keeps_the_partial_recording(tmp_path, capsys, monkeypatch):
    episode = pytest.importorskip('bug_nav.recording.episode')
    record = episode.EpisodeRecording.__call__
    ticks = []

    def interrupted(self, *tick):
        record(self, *tick)
        ticks.append(tick)
        if len(ticks) == 50:
            signal.raise_signal(signal.SIGINT)
    monkeypatch.setattr(episode.EpisodeRecording, '__call__', interrupted)
    assert run(tmp_path) == 130
    assert 'the finished part of the run is in' in error_of(capsys)
    assert read(tmp_path / 'a.mcap')['/odom'] == len(ticks) == 50


def test_exception_of_an_algorithm_keeps_the_partial_recording(tmp_path, capsys, monkeypatch):
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    step = Navigator._step

    def faulty(self, observation):
        if observation.stamp > 2.0:
            raise ArithmeticError('of somebody')
        return step(self, observation)
    monkeypatch.setattr('bug_nav.cli.run.prepare', lambda: None)
    monkeypatch.setattr(Navigator, '_step', faulty)
    assert run(tmp_path) == 1
    assert 'ArithmeticError: of somebody' in capsys.readouterr().out
    assert 40 <= read(tmp_path / 'a.mcap')['/odom'] <= 42


def test_full_disk_is_reported_in_one_sentence(tmp_path, capsys, monkeypatch):
    episode = pytest.importorskip('bug_nav.recording.episode')

    def full(self, *tick):
        raise RecordingError('the recording cannot be written: No space left on device')
    monkeypatch.setattr(episode.EpisodeRecording, '__call__', full)
    assert run(tmp_path) == 1
    assert 'No space left on device' in error_of(capsys)


@pytest.mark.parametrize('error', [CannotRun, RecordingError])
@pytest.mark.parametrize('count', [0, 1])
def test_error_keeps_a_recording_only_if_it_has_messages(tmp_path, error, count):
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    path = tmp_path / 'a.mcap'
    with pytest.raises(CannotRun, match='lost'), recording_file(str(path)) as file:
        for _ in range(count):
            file.write_encoded(topics.ODOM, 1, bytes(8))
        raise error('lost')
    assert path.exists() == bool(count)
    assert not count or read(path) == {'/odom': 1}


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Run `bug_nav record` with a stand-in for ROS, which ``ends`` after a message."""
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')

    def run(ends):
        def record(file, *_):
            file.write_encoded(topics.ODOM, 1, bytes(8))
            return ends()
        monkeypatch.setattr('bug_nav.cli.record.require_ros', lambda **_: None)
        monkeypatch.setitem(sys.modules, 'bug_nav.ros.client.robot_recording',
                            SimpleNamespace(record=record))
        return main(['record', str(tmp_path / 'a.mcap'), '--namespace', 'robot1/'])
    return run


def test_recording_of_a_robot_is_kept_if_ros_fails_later(record, tmp_path):
    def fail():
        raise CannotRun('lost')
    assert record(fail) == 1 and read(tmp_path / 'a.mcap') == {'/odom': 1}


def test_topics_that_were_left_out_are_reported(record, capsys):
    assert record(lambda: SimpleNamespace(
        duration=1.0, topics={'/odom': 'nav_msgs/msg/Odometry'}, counts={'/odom': 1},
        left_out={'/y', '/x'})) == 0
    assert ('bug_nav: 2 topics more than 1 were not recorded, such as /x; give --topic or '
            '--namespace\n') in capsys.readouterr().err


@pytest.mark.parametrize('namespace', ['', '/', 'robot1', '/robot1', 'robot1/', '/robot1/'])
def test_namespace_may_have_slashes_at_its_ends(namespace, monkeypatch):
    monkeypatch.setattr('bug_nav.cli.evidence.require_ros', lambda **_: None)
    monkeypatch.setitem(sys.modules, 'bug_nav.ros.client.survey',
                        SimpleNamespace(survey=lambda *_: 'found'))
    assert survey_of(namespace) == 'found'
