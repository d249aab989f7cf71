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

"""MCAP files stay readable after failures, and never overwrite other files."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys

from bug_nav.recording import messages, RecordingError, topics
from bug_nav.recording.mcap_file import McapFile
from mcap.exceptions import EndOfFile
from mcap.reader import make_reader, NonSeekingReader
from mcap_ros2.decoder import DecoderFactory
import pytest
import yaml

LEFT_OPEN = """
import os, sys
from bug_nav.recording import messages, topics
from bug_nav.recording.mcap_file import McapFile
file = McapFile(sys.argv[1])
for i in range(20_000):
    file.write(topics.STATE, i, messages.text(f'{i} ' + os.urandom(20).hex()))
os._exit(9)
"""


def texts(path) -> list:
    with open(path, 'rb') as stream:
        return [(message.log_time, decoded.data) for _, _, message, decoded in make_reader(
            stream, decoder_factories=[DecoderFactory()]).iter_decoded_messages()]


def test_written_messages_are_read_back(tmp_path):
    with McapFile(str(tmp_path / 'a.mcap')) as file:
        file.write(topics.STATE, 5, messages.text('grün'))
        file.write(topics.STATE, 7, messages.text(''))
    assert texts(tmp_path / 'a.mcap') == [(5, 'grün'), (7, '')]


def test_serialized_message_is_kept_unchanged(tmp_path):
    data = b'\x00\x01\x00\x00\x03\x00\x00\x00ab\x00'
    with McapFile(str(tmp_path / 'a.mcap')) as file:
        file.write_encoded(topics.STATE, 1, data)
    with open(tmp_path / 'a.mcap', 'rb') as stream:
        ((_, _, message),) = make_reader(stream).iter_messages()
    assert message.data == data
    assert texts(tmp_path / 'a.mcap') == [(1, 'ab')]


def test_channel_has_type_encoding_and_quality_of_service(tmp_path):
    with McapFile(str(tmp_path / 'a.mcap')) as file:
        file.write_encoded(topics.SCAN, 0, b'')
        file.write_encoded(topics.MARKERS, 0, b'')
    with open(tmp_path / 'a.mcap', 'rb') as stream:
        reader = make_reader(stream)
        assert reader.get_header().profile == 'ros2'
        summary = reader.get_summary()
    scan, markers = summary.channels.values()
    assert (scan.topic, scan.message_encoding) == ('/scan', 'cdr')
    schema = summary.schemas[scan.schema_id]
    assert (schema.name, schema.encoding) == ('sensor_msgs/msg/LaserScan', 'ros2msg')
    (of_scan,), (of_markers,) = (
        yaml.safe_load(channel.metadata['offered_qos_profiles']) for channel in (scan, markers))
    assert (of_scan['reliability'], of_scan['durability'], of_scan['depth']) == (1, 2, 5)
    assert (of_markers['reliability'], of_markers['durability'], of_markers['depth']) == (1, 1, 1)
    assert {chunk.compression for chunk in summary.chunk_indexes} == {'zstd'}


def test_file_is_complete_after_an_exception(tmp_path):
    with pytest.raises(KeyboardInterrupt), McapFile(str(tmp_path / 'a.mcap')) as file:
        file.write(topics.STATE, 1, messages.text('so far'))
        raise KeyboardInterrupt
    assert texts(tmp_path / 'a.mcap') == [(1, 'so far')]


def test_killed_process_loses_only_the_last_chunk(tmp_path):
    path = tmp_path / 'a.mcap'
    assert subprocess.run([sys.executable, '-c', LEFT_OPEN, str(path)]).returncode == 9
    found = []
    with open(path, 'rb') as stream, pytest.raises(EndOfFile):
        for _, _, message in NonSeekingReader(stream).iter_messages(log_time_order=False):
            found.append(message.log_time)
    assert len(found) > 10_000 and found == list(range(len(found)))


def test_file_is_written_continuously(tmp_path):
    with McapFile(str(tmp_path / 'a.mcap')) as file:
        for i in range(1_000):
            file.write_encoded(topics.STATE, i, os.urandom(1_000))
        assert os.path.getsize(file.path) > 700_000


def test_existing_file_is_rejected_and_unchanged(tmp_path):
    path = tmp_path / 'a.mcap'
    path.write_text('precious')
    with pytest.raises(RecordingError, match='exists already; name another file'):
        McapFile(str(path))
    assert path.read_text() == 'precious'


def test_missing_folder_is_rejected(tmp_path):
    with pytest.raises(RecordingError, match="no/a.mcap' cannot be written: No such file"):
        McapFile(str(tmp_path / 'no' / 'a.mcap'))


def test_full_disk_is_reported_with_the_file(tmp_path, monkeypatch):
    class Full(io.BytesIO):

        def write(self, data):
            if self.tell() > 1_000:
                raise OSError(errno.ENOSPC, 'No space left on device')
            return super().write(data)

    monkeypatch.setattr('builtins.open', lambda *_: Full())
    file = McapFile(str(tmp_path / 'a.mcap'))
    monkeypatch.undo()
    with pytest.raises(RecordingError, match="a.mcap' cannot be written: No space left"):
        for i in range(1_000):
            file.write_encoded(topics.STATE, i, os.urandom(1_000))
