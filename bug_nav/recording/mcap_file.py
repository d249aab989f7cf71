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

"""Writer of MCAP files with ROS 2 messages, for rosbag2 and Foxglove."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Dict, Iterator, NamedTuple

from bug_nav import __version__
from bug_nav.recording import RecordingError
from bug_nav.recording.definitions import definition
from bug_nav.recording.messages import Message
from bug_nav.recording.topics import Topic
from mcap.well_known import MessageEncoding, Profile, SchemaEncoding
from mcap.writer import CompressionType, Writer

# Private: the public Writer registers channels without QoS profiles, and offers no encoder alone.
from mcap_ros2._dynamic import serialize_dynamic

CHUNK = 1 << 18
"""Size of a chunk, the maximum loss if the process is killed [byte]."""


class _Schema(NamedTuple):
    """Schema of a message type."""

    number: int
    encode: Callable[[Message], bytes]


class McapFile:
    """
    MCAP file for writing; memory is bounded by one chunk and the index.

    A context manager: on exit, for whatever reason, the file is complete.
    """

    def __init__(self, path: str):
        """Create the file; RecordingError if it exists or cannot be written."""
        self.path = path
        self.is_empty = True
        """Whether no message was written."""
        self._schemas: Dict[str, _Schema] = {}
        self._channels: Dict[str, int] = {}
        with self._errors_as_sentence():
            self._stream: Any = open(path, 'xb')  # noqa: SIM115
            self._writer = Writer(self._stream, CHUNK, CompressionType.ZSTD)
            self._writer.start(Profile.ROS2, f'bug_nav {__version__}')

    def __enter__(self) -> McapFile:
        """Return the file."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Write the index and close the file."""
        if self._stream.closed:
            return
        with self._errors_as_sentence(), self._stream:
            self._writer.finish()

    @property
    def size(self) -> int:
        """Return the size of the finished chunks [byte]."""
        return int(self._stream.tell())

    def write(self, topic: Topic, stamp: int, message: Message) -> None:
        """Add a message at a time [ns]."""
        self.write_encoded(topic, stamp, self._schema(topic.datatype).encode(message))

    def write_encoded(self, topic: Topic, stamp: int, data: bytes) -> None:
        """Add a serialized message."""
        with self._errors_as_sentence():
            self._writer.add_message(self.channel(topic), stamp, data, stamp)
        self.is_empty = False

    def channel(self, topic: Topic) -> int:
        """Return the number of a topic, which is then in the file even without messages."""
        if topic.name not in self._channels:
            self._channels[topic.name] = self._writer.register_channel(
                topic.name, MessageEncoding.CDR, self._schema(topic.datatype).number,
                {'offered_qos_profiles': topic.qos})
        return self._channels[topic.name]

    def _schema(self, datatype: str) -> _Schema:
        if datatype not in self._schemas:
            text = definition(datatype)
            self._schemas[datatype] = _Schema(
                self._writer.register_schema(datatype, SchemaEncoding.ROS2, text.encode()),
                serialize_dynamic(datatype, text)[datatype])
        return self._schemas[datatype]

    @contextlib.contextmanager
    def _errors_as_sentence(self) -> Iterator[None]:
        try:
            yield
        except FileExistsError:
            raise RecordingError(f'the recording {self.path!r} exists already; name another file, '
                                 'or remove it') from None
        except OSError as error:
            raise RecordingError(f'the recording {self.path!r} cannot be written: '
                                 f'{error.strerror or error}') from None
