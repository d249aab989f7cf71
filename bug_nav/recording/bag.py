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

"""
Reader of rosbag2 recordings (sqlite3 or MCAP) without ROS, safe for untrusted files.

Message types are built in: definitions in the file are never turned into code. Any exception of
the libraries becomes a RecordingError, and memory and file sizes are limited.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
import re
import shlex
import tempfile
from typing import Collection, Dict, Iterator, Optional

from bug_nav.files.interrupt import cleanup_on_interrupt
from bug_nav.files.paths import did_you_mean_file
from bug_nav.files.untrusted import LFS_POINTER, NOT_FETCHED
from bug_nav.recording import RecordingError
from bug_nav.recording.limits import resource_limits
from bug_nav.recording.mcap_repair import (
    complete_copy,
    has_end,
    has_profile,
    MAGIC,
    topics_of_other_systems,
)
from bug_nav.recording.recorded import Recorded
from rosbags.rosbag2 import Reader
from rosbags.typesys import get_typestore, Stores

MAX_METADATA = 1 << 20
MAX_MESSAGE = 1 << 24
"""Maximum size of a message [byte]."""
MAX_MEMORY = 4 << 30
"""Maximum additional memory while reading, and maximum size of written files [byte]."""
MAX_TOPICS = 5000
MAX_SHOWN = 8
"""Maximum number of topics in an error."""
KINDS = frozenset((
    'geometry_msgs/msg/Twist', 'geometry_msgs/msg/TwistStamped', 'nav_msgs/msg/Odometry',
    'sensor_msgs/msg/LaserScan', 'tf2_msgs/msg/TFMessage'))
"""Message types that are decoded."""
ENDINGS = ('.db3', '.mcap')
NO_STORAGE = re.compile(rb'^\s*storage_identifier:\s*(""|\'\')?\s*$', re.MULTILINE)
"""Metadata that do not tell the format of the recording."""
NO_ROS_2 = 'Profile is not ros2'
"""The error of rosbags for an MCAP file of another system."""
NANOSECONDS = 1e9


class Bag:
    """An open recording; a context manager."""

    def __init__(self, path: str):
        """Open a recording; RecordingError if that fails."""
        self._path, self._stack = path, contextlib.ExitStack()
        file = _file_of(Path(path))
        self.warning = _unread_end(path, file)
        if file.is_file() and file.suffix not in Reader.STORAGE_PLUGINS:
            raise RecordingError(f'{str(file)!r} is a single file, which rosbags can only read on '
                                 'Python 3.10 and newer; give the folder with its metadata.yaml')
        with self._errors_as_sentence():
            self._stack.enter_context(resource_limits(MAX_MEMORY))
            self._reader = self._stack.enter_context(Reader(self._repaired(file)))
            self._types = get_typestore(Stores.ROS2_HUMBLE)
            self.topics: Dict[str, str] = {
                str(each.topic): str(each.msgtype)
                for each in list(self._reader.connections)[:MAX_TOPICS]}
            """Message types by topic."""
            self.began = self._reader.start_time / NANOSECONDS
            self.ended = self._reader.end_time / NANOSECONDS
            count = self._reader.message_count
        if not count:
            self.close()
            raise RecordingError(f'the recording {path!r} has no messages' + self._unread())

    def _repaired(self, file: Path) -> Path:
        """Return the file, or a temporary copy of an MCAP file that lacks its end or profile."""
        if file.suffix != '.mcap' or has_end(file) and has_profile(file):
            return file
        if not has_end(file):
            self.warning = (f'the recording {self._path!r} has no end, as after its recorder was '
                            'killed; only its complete part is read')
        folder = tempfile.TemporaryDirectory()
        self._stack.enter_context(folder)
        self._stack.enter_context(cleanup_on_interrupt(folder.cleanup))
        return complete_copy(file, Path(folder.name))

    def _refuse_other_systems(self) -> None:
        """Raise RecordingError if an MCAP file has topics that are not of ROS 2."""
        path = Path(self._path)
        for file in [path] if path.is_file() else sorted(path.glob('*.mcap')):
            topics = topics_of_other_systems(file)[:MAX_SHOWN]
            if topics:
                without = ' '.join(f'--exclude-topic-regex {shlex.quote(each)}' for each in topics)
                raise RecordingError(
                    f'the recording {self._path!r} has messages that are not of ROS 2, on '
                    f'{", ".join(topics)}; leave them out with: mcap filter '
                    f'{shlex.quote(str(file))} -o filtered.mcap {without}') from None

    def _unread(self) -> str:
        """Return the defect of the file as the end of an error."""
        return f'; {self.warning}' if self.warning else ''

    def __enter__(self) -> Bag:
        """Return the recording."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Close the files."""
        self.close()

    def close(self) -> None:
        """Close the files."""
        self._stack.close()

    def messages(self, topics: Collection[str]) -> Iterator[Recorded]:
        """Yield the messages of some topics in order; unknown types are skipped."""
        with self._errors_as_sentence():
            wanted = [each for each in self._reader.connections
                      if each.topic in topics and each.msgtype in KINDS]
            if not wanted:
                return
            for connection, stamp, data in self._reader.messages(connections=wanted):
                if len(data) > MAX_MESSAGE:
                    raise ValueError(f'a message of {len(data)} bytes on {connection.topic}')
                yield Recorded(connection.topic, connection.msgtype, stamp / NANOSECONDS,
                               self._types.deserialize_cdr(data, connection.msgtype))

    @contextlib.contextmanager
    def _errors_as_sentence(self) -> Iterator[None]:
        """Turn any exception into a RecordingError."""
        try:
            yield
        except (GeneratorExit, RecordingError):
            raise
        except MemoryError:
            self.close()
            raise RecordingError(f'the recording {self._path!r} needs more than '
                                 f'{MAX_MEMORY >> 30} GiB of memory to be read') from None
        except Exception as error:  # of the library, of sqlite, of zstd, of a yaml file ...
            self.close()
            reason = _first_line(error)
            if isinstance(error, KeyError):  # perhaps the encoding of a schema
                self._refuse_other_systems()
            if reason == NO_ROS_2:
                raise RecordingError(f'the recording {self._path!r} is an MCAP file, but not of '
                                     'ROS 2; convert it to the profile "ros2"') from None
            repair = ('; if it is damaged, run "mcap recover"' if self._path.endswith('.mcap')
                      else '')
            raise RecordingError(f'the recording {self._path!r} cannot be read: '
                                 f'{reason}{repair}{self._unread()}') from None


def _file_of(path: Path) -> Path:
    """Return the file or folder to read; RecordingError if there is none."""
    if not path.exists():
        raise RecordingError(f'there is no recording {str(path)!r}{did_you_mean_file(path, True)}')
    if path.is_dir():
        return _with_content(path) if _has_metadata(path) else _only_file_in(path)
    if path.name == 'metadata.yaml':
        return _file_of(path.parent)
    if path.suffix == '.bag':
        raise RecordingError(f'{str(path)!r} is a recording of ROS 1; convert it with '
                             '"rosbags-convert --src FILE.bag --dst FOLDER" (pip install rosbags)')
    if path.suffix not in ENDINGS:
        raise RecordingError(f'{str(path)!r} is not a recording; give the folder that "ros2 bag '
                             'record" has made, a .db3 or .mcap file, or a CARMEN log (.log or '
                             '.clf, optionally .gz)')
    if not path.is_file() or path.stat().st_size == 0:
        raise RecordingError(f'the recording {str(path)!r} is empty')
    if _begins_with(path, LFS_POINTER):
        raise RecordingError(f'the recording {str(path)!r} is {NOT_FETCHED}')
    if path.suffix == '.mcap' and not _begins_with(path, MAGIC):
        raise RecordingError(f'{str(path)!r} is not an MCAP file; give a file that a recorder or '
                             '`bug_nav run --record` has written')
    return path


def _has_metadata(folder: Path) -> bool:
    """Return whether a folder has usable metadata; RecordingError if they are too long."""
    metadata = folder / 'metadata.yaml'
    if not metadata.exists():
        return False
    if metadata.stat().st_size > MAX_METADATA:
        raise RecordingError(f'{str(metadata)!r} is larger than {MAX_METADATA} bytes')
    # Some recorders leave it, or the format, empty; the file itself tells its format.
    content = metadata.read_bytes()
    return bool(content.strip(b'\0 \t\r\n')) and not NO_STORAGE.search(content)


def _with_content(folder: Path) -> Path:
    """Return the folder; RecordingError if one of its files was not fetched."""
    for each in folder.iterdir():
        if each.is_file() and each.suffix in ENDINGS and _begins_with(each, LFS_POINTER):
            raise RecordingError(f'the recording {str(each)!r} is {NOT_FETCHED}')
    return folder


def _unread_end(path: str, file: Path) -> str:
    """Return a sentence about the end of a killed sqlite recording, which is in another file."""
    for log in sorted(file.glob('*.db3-wal') if file.is_dir() else [Path(f'{file}-wal')]):
        if log.suffix == '.db3-wal' and log.is_file() and log.stat().st_size > 0:
            database = str(log)[:-len('-wal')]
            return (f'the end of the recording {path!r} is in {str(log)!r}, as after its recorder '
                    'was killed, and is not read; add it with: '
                    f'sqlite3 {shlex.quote(database)} "PRAGMA wal_checkpoint(TRUNCATE)"')
    return ''


def _begins_with(path: Path, expected: bytes) -> bool:
    with open(path, 'rb') as file:
        return file.read(len(expected)) == expected


def _only_file_in(folder: Path) -> Path:
    """Return the only recording in a folder without metadata, left by an interrupted recorder."""
    entries = sorted(folder.iterdir())
    files = [each for each in entries if each.suffix in ENDINGS]
    packed = [each for each in entries if each.suffix == '.zstd']
    if packed and not files:
        raise RecordingError(f'the folder {str(folder)!r} has no usable metadata.yaml; unpack its '
                             f'files first: zstd -d {packed[0].name}')
    if len(files) != 1:
        raise RecordingError(f'the folder {str(folder)!r} has no usable metadata.yaml and '
                             f'{len(files) or "no"} .db3 or .mcap file{"s" * (len(files) > 1)}; '
                             + ('name one of them, or run "ros2 bag reindex" on it' if files else
                                'give the one that "ros2 bag record" has made'))
    return _file_of(files[0])


def _first_line(error: Optional[BaseException]) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip('.') if lines else type(error).__name__
