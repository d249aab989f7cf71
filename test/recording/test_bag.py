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

"""Recordings from other recorders: both storages, and malformed files."""

import os
from pathlib import Path
import re
import shutil
import sqlite3
import subprocess
import sys

import bags
from bug_nav.recording import RecordingError, topics
from bug_nav.recording.bag import Bag
import pytest


@pytest.fixture(scope='module')
def recording(tmp_path_factory):
    return bags.write(tmp_path_factory.mktemp('bag') / 'drive', bags.drive(2.0))


def copy(recording, tmp_path):
    """Return a copy of the only file of a recording, to be corrupted."""
    data = bytearray(next(Path(recording).glob('*.db3')).read_bytes())
    return data, tmp_path / 'spoilt.db3'


def topics_of(path):
    with Bag(str(path)) as bag:
        return {each.topic for each in bag.messages(tuple(bag.topics))}


@pytest.mark.parametrize('mcap', [False, True])
def test_messages_are_read_in_order_with_their_times(tmp_path, mcap):
    path = bags.write(tmp_path / 'a', bags.drive(2.0), mcap)
    with Bag(path) as bag:
        assert bag.topics['/scan'] == 'sensor_msgs/msg/LaserScan'
        times = [each.at for each in bag.messages(['/scan', '/odom'])]
    assert len(times) == 50 and times == sorted(times) and times[0] == bags.BEGAN


@pytest.mark.parametrize('mcap', [False, True])
@pytest.mark.parametrize('identifier', ['', "''", '""'])
def test_recording_whose_metadata_do_not_name_its_format_is_read(tmp_path, mcap, identifier):
    bags.require_files()
    path = bags.write(tmp_path / 'a', bags.drive(2.0), mcap)
    metadata = tmp_path / 'a' / 'metadata.yaml'
    text = re.sub('storage_identifier:.*', f'storage_identifier: {identifier}',
                  metadata.read_text())
    metadata.write_text(text)
    assert '/scan' in topics_of(path)


def test_recording_with_empty_metadata_is_read(tmp_path):
    bags.require_files()
    path = bags.write(tmp_path / 'a', bags.drive(2.0))
    (tmp_path / 'a' / 'metadata.yaml').write_bytes(b'\0' * 512)
    assert '/scan' in topics_of(path)


@pytest.mark.parametrize('name', ['a.mcap', 'a.db3', 'folder'])
def test_recording_that_git_lfs_has_not_fetched_is_named(name, tmp_path):
    path = tmp_path / name
    if name == 'folder':
        bags.write(path, bags.drive(2.0))
        path, = path.glob('*.db3')
    path.write_text('version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n')
    with pytest.raises(RecordingError, match='git lfs pull'):
        topics_of(tmp_path / name)


def test_single_file_is_read_without_its_folder(recording, tmp_path):
    bags.require_files()
    data, path = copy(recording, tmp_path)
    path.write_bytes(data)
    assert '/scan' in topics_of(path) and '/scan' in topics_of(tmp_path)


def test_unknown_types_are_skipped(tmp_path):
    path = bags.write(tmp_path / 'a', [(bags.BEGAN, '/scan', bags.make('String', data='x'))])
    assert topics_of(path) == set()


@pytest.mark.parametrize('name, content, words', [
    ('a.db3', b'', 'is empty'), ('a.mcap', b'', 'is empty'),
    ('a.mcap', b'no mcap at all' * 9, 'is not an MCAP file'),
    ('a.db3', b'x' * 9999, 'cannot be read'),
    ('a.txt', b'x', 'is not a recording'), ('a.bag', b'#ROSBAG V2.0', 'is a recording of ROS 1')])
def test_invalid_file_is_reported_in_one_sentence(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    if words == 'cannot be read' and not bags.READS_FILES:
        words = 'can only read on'
    with pytest.raises(RecordingError, match=words) as told:
        topics_of(tmp_path / name)
    assert '\n' not in str(told.value) and name in str(told.value)


@pytest.mark.parametrize('metadata', [
    '', '{', '- 1', 'rosbag2_bagfile_information: 3', '!!python/object/apply:os.system ["true"]',
    'rosbag2_bagfile_information: {version: 5, storage_identifier: x, relative_file_paths: []}'])
def test_malformed_metadata_are_rejected(tmp_path, metadata):
    (tmp_path / 'metadata.yaml').write_text(metadata)
    with pytest.raises(RecordingError):
        topics_of(tmp_path)


@pytest.mark.parametrize('mcap', [False, True])
@pytest.mark.parametrize('name', ['../secret/{file}', '{folder}/secret/{file}'])
def test_metadata_name_no_file_outside_the_folder_of_the_recording(tmp_path, mcap, name):
    bags.write(tmp_path / 'secret', [(1.0, '/odom', bags.odometry(1.0))], mcap=mcap)
    file, = (each.name for each in (tmp_path / 'secret').iterdir() if each.suffix != '.yaml')
    assert topics_of(tmp_path / 'secret')
    (tmp_path / 'sent').mkdir()
    metadata = (tmp_path / 'secret' / 'metadata.yaml').read_text()
    outside = name.format(folder=tmp_path, file=file)
    (tmp_path / 'sent' / 'metadata.yaml').write_text(metadata.replace(file, outside))
    with pytest.raises(RecordingError, match='cannot be read'):
        topics_of(tmp_path / 'sent')


def test_huge_metadata_are_rejected(tmp_path):
    (tmp_path / 'metadata.yaml').write_bytes(b'#' * (1 << 21))
    with pytest.raises(RecordingError, match='is larger than 1048576 bytes'):
        topics_of(tmp_path)


def test_folder_without_a_unique_recording_is_rejected(tmp_path):
    with pytest.raises(RecordingError, match='no .db3 or .mcap file'):
        topics_of(tmp_path)
    for name in ('a.db3', 'b.db3'):
        (tmp_path / name).write_bytes(b'x')
    with pytest.raises(RecordingError, match='2 .db3 or .mcap files; name one of them'):
        topics_of(tmp_path)


def test_compressed_recording_without_metadata_is_to_be_unpacked(tmp_path):
    (tmp_path / 'a_0.db3.zstd').write_bytes(b'x')
    with pytest.raises(RecordingError, match='zstd -d a_0.db3.zstd'):
        topics_of(tmp_path)


def test_mcap_file_of_another_system_is_rejected(tmp_path):
    bags.require_files()
    writer = pytest.importorskip('mcap.writer', reason='mcap is not installed')
    with open(tmp_path / 'a.mcap', 'wb') as file:
        written = writer.Writer(file)
        written.start('ros1')
        channel = written.register_channel('/scan', 'ros1', 0)
        written.add_message(channel, 1, b'x', 1)
        written.finish()
    with pytest.raises(RecordingError, match='not of ROS 2'):
        topics_of(tmp_path / 'a.mcap')


def test_empty_recording_is_rejected(tmp_path):
    with pytest.raises(RecordingError, match='has no messages'):
        topics_of(bags.write(tmp_path / 'a', []))


def test_damaged_file_is_read_or_reported_in_one_sentence(recording, tmp_path):
    data, path = copy(recording, tmp_path)
    for place in range(0, len(data), len(data) // 16):
        damaged = bytearray(data)
        damaged[place:place + 64] = b'\xff' * 64
        path.write_bytes(damaged)
        try:
            topics_of(path)
        except RecordingError as error:
            assert '\n' not in str(error)


INTERRUPTED = """
import os
import signal
import sys
from bug_nav.recording.bag import Bag
from bug_nav.files import interrupt
interrupt.install_handler('bug_nav')
with Bag(sys.argv[1]):
    assert os.listdir(os.environ['TMPDIR'])
    os.kill(os.getpid(), signal.SIGINT)
"""
"""A program that is interrupted while it reads a file."""


def truncated(folder, lost):
    """Return the path of an MCAP file without its last bytes."""
    bags.require_files()
    pytest.importorskip('mcap_ros2', reason='mcap-ros2-support is not installed')
    from bug_nav.recording.mcap_file import McapFile
    path = folder / 'killed.mcap'
    with McapFile(str(path)) as file:
        for number in range(2000):
            file.write_encoded(topics.STATE, number, bytes([0, 1, 0, 0]) + os.urandom(996))
    path.write_bytes(path.read_bytes()[:-lost])
    return path


@pytest.mark.parametrize('lost', [1, 60, 3000])
def test_complete_part_of_a_truncated_mcap_file_is_read_with_a_warning(tmp_path, lost):
    path = truncated(tmp_path, lost)
    before = path.read_bytes()
    with Bag(str(path)) as bag:
        assert bag.warning.endswith('only its complete part is read')
        assert bag.topics == {'/bug_navigator/state': 'std_msgs/msg/String'}
        assert bag.began == 0.0 and 1.5e-6 < bag.ended <= 2.0e-6
    assert path.read_bytes() == before


def test_ctrl_c_while_a_truncated_file_is_read_leaves_no_copy(tmp_path):
    path, temporary = truncated(tmp_path, 60), tmp_path / 'temporary'
    temporary.mkdir()
    done = subprocess.run([sys.executable, '-c', INTERRUPTED, str(path)], timeout=60,
                          env={**os.environ, 'TMPDIR': str(temporary)})
    assert done.returncode == 130
    assert not list(temporary.iterdir())


def test_truncated_message_is_rejected(recording, tmp_path):
    bags.require_files()
    data, path = copy(recording, tmp_path)
    path.write_bytes(data)
    with sqlite3.connect(path) as base:
        base.execute('UPDATE messages SET data = substr(data, 1, 40)')
    with pytest.raises(RecordingError, match='cannot be read'):
        topics_of(path)


def test_memory_limit_of_the_process_is_restored(recording):
    resource = pytest.importorskip('resource')
    before = resource.getrlimit(resource.RLIMIT_AS)
    with Bag(recording):
        assert resource.getrlimit(resource.RLIMIT_AS)[0] > 0
    assert resource.getrlimit(resource.RLIMIT_AS) == before


@pytest.mark.parametrize('compressed', [True, False])
def test_recording_that_needs_too_much_memory_is_rejected(tmp_path, monkeypatch, compressed):
    pytest.importorskip('resource')
    path = bags.write(tmp_path / 'a', [
        (bags.BEGAN, '/scan', bags.scan(bags.BEGAN)),
        (bags.BEGAN, '/bomb', bags.make('String', data='0' * (90 << 20)))], mcap=True,
        compressed=compressed)
    monkeypatch.setattr('bug_nav.recording.bag.MAX_MEMORY', 40 << 20)
    with pytest.raises(RecordingError, match='memory'):
        topics_of(path)


def test_end_of_a_killed_sqlite_recording_is_missed_with_its_remedy(tmp_path):
    path = Path(bags.write(tmp_path / 'a', bags.drive(2.0)))
    database = sqlite3.connect(path / 'a.db3')
    database.execute('PRAGMA journal_mode=WAL')
    database.execute('DELETE FROM messages WHERE id > 60')
    database.commit()
    killed = tmp_path / 'killed'
    shutil.copytree(path, killed)  # as a killed recorder leaves it
    database.close()
    with Bag(str(killed)) as bag:
        assert "the end of the recording '" in bag.warning
        remedy = bag.warning.partition('add it with: ')[2]
    assert remedy == f'sqlite3 {killed / "a.db3"} "PRAGMA wal_checkpoint(TRUNCATE)"'
    database = sqlite3.connect(killed / 'a.db3')
    database.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    with Bag(str(killed)) as bag:
        assert bag.warning == ''


def mcap_of(path, profile, *others):
    """Write a drive as another recorder does, with topics of another encoding."""
    writer = pytest.importorskip('mcap.writer', reason='mcap is not installed')
    with open(path, 'wb') as file:
        written, channels = writer.Writer(file), {}
        written.start(profile, 'foxglove-sdk')
        for topic in others:
            schema = written.register_schema('x', 'jsonschema', b'{}')
            channel = written.register_channel(topic, 'json', schema)
            written.add_message(channel, round(bags.BEGAN * 1e9), b'{}', round(bags.BEGAN * 1e9))
        for at, topic, message in bags.drive(2.0):
            kind = message.__msgtype__
            if topic not in channels:
                schema = written.register_schema(
                    kind, 'ros2msg', bags.TYPES.generate_msgdef(kind)[0].encode())
                channels[topic] = written.register_channel(topic, 'cdr', schema)
            written.add_message(channels[topic], round(at * 1e9),
                                bytes(bags.TYPES.serialize_cdr(message, kind)), round(at * 1e9))
        written.finish()
    return path


@pytest.mark.parametrize('is_complete', [True, False])
def test_mcap_file_of_ros_2_without_a_profile_is_read(tmp_path, is_complete):
    bags.require_files()
    path = mcap_of(tmp_path / 'a.mcap', '')
    if not is_complete:
        path.write_bytes(path.read_bytes()[:-20])
    assert topics_of(path) == {'/scan', '/odom', '/tf', '/tf_static', '/cmd_vel'}


def test_topic_of_another_system_is_named_with_its_remedy(tmp_path):
    bags.require_files()
    path = mcap_of(tmp_path / 'a.mcap', 'ros2', '/meta')
    with pytest.raises(RecordingError, match='not of ROS 2, on /meta; leave them out with: mcap '
                       r'filter \S*a.mcap -o filtered.mcap --exclude-topic-regex /meta'):
        topics_of(path)
