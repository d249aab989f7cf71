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
A log of CARMEN, the Carnegie Mellon Robot Navigation Toolkit, as a recording.

Most of the buildings that SLAM is compared in are such logs: text, a message a line, its name
first, and last two times [s] with the name of a computer between them. Read here are those of the
front lidar:

- ``FLASER``: count, ranges, the lidar's pose, odometry's pose. It has no angles: the beams go from
  right to left over half a turn, and 180 of them leave out the last degree, 181 do not.
- ``ROBOTLASER1``: type, first angle, field of view, step, largest range, accuracy, mode of the
  remissions, count, ranges, in newer logs a count and remissions, the lidar's pose, the robot's.
- ``RAWLASER1``: the same without poses. Where nothing better is there, ``ODOM`` tells of those.

With a scan comes the lidar's pose, and the lidar is taken for the robot here. A log that was
"corrected" has there what SLAM has found. Such logs have lost most of their scans, and often the
times: a scan whose time is not later than the one before counts as a tenth of a second later.

Sources: the header of the log files, http://carmen.sourceforge.net/logger_playback.html; for the
remissions, what newer loggers write into that header.
"""

from __future__ import annotations

import contextlib
import gzip
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Collection, Dict, Iterator, List, NamedTuple, Optional, Tuple
import zlib

from bug_nav.core.geometry import Pose
from bug_nav.recording import RecordingError
from bug_nav.recording.recorded import Recorded
from bug_nav.recording.topics import ODOM, SCAN
from bug_nav.sense.messages import FARTHEST, MOST_BEAMS
import numpy as np

ENDINGS = ('.log', '.log.gz', '.clf', '.clf.gz')
LONGEST_LINE = 1 << 18
"""A line of so many characters holds more beams than any lidar has."""
LARGEST_LOG = 1 << 30
"""Of a log so much is read once it is unpacked [B]: days of scans."""
PLACED, UNPLACED = ('FLASER', 'ROBOTLASER1'), ('RAWLASER1', 'ODOM')
"""The messages that are read: scans with a pose; else scans without, and the poses."""
TAIL = 3
"""Each line ends with two times and a name."""
FRAME = 'laser'
STEP = 0.1
"""Scans whose times do not go on are so far apart [s]."""
LATEST = 1e11
"""A time that is later [s] is none."""


class _Line(NamedTuple):
    number: int
    words: List[str]

    @property
    def name(self) -> str:
        return self.words[0]

    def numbers(self, first: int, count: int) -> List[float]:
        """Return finite numbers; ValueError where there are others, or fewer."""
        values = [float(word) for word in self.words[first:first + count]]
        if len(values) < count or not all(map(math.isfinite, values)):
            raise ValueError(f'{self.name} has not {count} finite numbers from word {first + 1}')
        return values


class _Sight(NamedTuple):
    """What a line of a lidar says."""

    ranges: np.ndarray
    first: float
    step: float
    farthest: float
    """What is no nearer is nothing seen [m]; nan where the line does not tell."""
    pose: Optional[Pose]


class CarmenLog:
    """A log that is open; a context manager."""

    def __init__(self, path: str):
        """Look through it; RecordingError where it cannot be read, or is none."""
        self._path = path
        file = Path(path)
        if not file.is_file():
            raise RecordingError(f'there is no recording {path!r}' if not file.exists() else
                                 f'the recording {path!r} is no regular file')
        self._names: Tuple[str, ...] = (*PLACED, *UNPLACED)
        self.topics: Dict[str, str] = {}
        """The types of the topics."""
        self.began = self.ended = self._farthest = math.nan
        self._look_through()

    def __enter__(self) -> CarmenLog:
        """Return the log."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Close it: between two readings it is not open."""

    def _look_through(self) -> None:
        """Learn what there is, from when to when, and how far the lidar sees."""
        names, farthest = set(), 0.0
        for line in self._lines():
            names.add(line.name)
            if line.name != 'ODOM':
                with self._telling(line):
                    ranges = _sight(line).ranges
                farthest = max(farthest, float(ranges[np.isfinite(ranges)].max(initial=0.0)))
        if not names - {'ODOM'}:
            raise RecordingError(f'the recording {self._path!r} has no line {PLACED[0]}, '
                                 f'{PLACED[1]} or {UNPLACED[0]}: it is no log of CARMEN')
        self._names = PLACED if names & {*PLACED} else UNPLACED
        # What sees nothing says the same large number again and again, and so the largest.
        self._farthest = farthest
        if names & {*self._names} - {'ODOM'}:
            self.topics[SCAN.name] = SCAN.datatype
        if self._names is PLACED or 'ODOM' in names:
            self.topics[ODOM.name] = ODOM.datatype
        for at, _ in self._timed():
            self.began, self.ended = at if math.isnan(self.began) else self.began, at

    def messages(self, topics: Collection[str]) -> Iterator[Recorded]:
        """Yield the messages of these topics, in their order."""
        for at, line in self._timed():
            with self._telling(line):
                found = list(self._messages(line, at))
            yield from (each for each in found if each.topic in topics)

    def _messages(self, line: _Line, at: float) -> Iterator[Recorded]:
        """Yield what a line says."""
        sight = None if line.name == 'ODOM' else _sight(line)
        pose = Pose(*line.numbers(1, 3)) if sight is None else sight.pose
        if pose is not None:
            yield Recorded(ODOM.name, ODOM.datatype, at, _odometry(at, pose))
        if sight is not None:
            farthest = self._farthest if math.isnan(sight.farthest) else sight.farthest
            yield Recorded(SCAN.name, SCAN.datatype, at, _scan(at, sight, farthest))

    def _timed(self) -> Iterator[Tuple[float, _Line]]:
        """Yield the lines that count with their times, of which none goes back."""
        before, step = -math.inf, STEP if self._names is PLACED else 0.0
        for line in self._lines():
            if line.name in self._names:
                with self._telling(line):
                    at, = line.numbers(len(line.words) - 1, 1)
                    if abs(at) > LATEST:
                        raise ValueError(f'{line.name} has the time {at:g} s')
                before = at if at > before else before + step
                yield before, line

    def _lines(self) -> Iterator[_Line]:
        """Yield the lines of the messages that are known."""
        opened: Any = gzip.open if self._path.endswith('.gz') else open
        number = read = 0
        try:
            with opened(self._path, 'rb') as stream:
                while True:
                    text = stream.readline(LONGEST_LINE)
                    number, read = number + 1, read + len(text)
                    if not text:
                        return
                    if len(text) == LONGEST_LINE:
                        raise RecordingError(f'{self._path}:{number}: a line of more than '
                                             f'{LONGEST_LINE} characters')
                    if read > LARGEST_LOG:
                        raise RecordingError(f'the recording {self._path!r} is larger than '
                                             f'{LARGEST_LOG >> 30} GiB')
                    name = text[:16].decode('latin-1').split(None, 1)[:1]
                    if name and name[0] in self._names:
                        yield _Line(number, text.decode('latin-1').split())
        except (OSError, EOFError, zlib.error) as error:
            raise RecordingError(f'the recording {self._path!r} cannot be read: '
                                 f'{getattr(error, "strerror", None) or error}') from None

    @contextlib.contextmanager
    def _telling(self, line: _Line) -> Iterator[None]:
        """Turn what is wrong with a line into one sentence."""
        try:
            yield
        except ValueError as error:
            raise RecordingError(f'{self._path}:{line.number}: {str(error)[:200]}') from None


def _sight(line: _Line) -> _Sight:
    """Return what a line of a lidar says; ValueError where it makes no sense."""
    if line.name == 'FLASER':
        ranges, after = _ranges(line, 1)
        # 180 or 360 beams do not reach the end of the half turn, 181 or 361 do.
        step = math.pi / (ranges.size - ranges.size % 2)
        line.numbers(after, 6)  # the lidar's pose, and odometry's, which is not taken
        return _Sight(ranges, -0.5 * math.pi, step, math.nan, _pose(line, after))
    first, _, step, farthest = line.numbers(2, 4)
    ranges, after = _ranges(line, 8)
    if line.name == 'RAWLASER1':
        return _Sight(ranges, first, step, farthest, None)
    # Both poses, two speeds, two or three distances; before them perhaps the remissions.
    if len(line.words) - after - TAIL not in (10, 11):
        remissions, = line.numbers(after, 1)
        after += 1 + int(remissions)
        if remissions < 0.0 or len(line.words) - after - TAIL not in (10, 11):
            raise ValueError(f'{line.name} has {len(line.words)} words, which are not those of '
                             f'{ranges.size} ranges, {remissions:g} remissions and two poses')
    return _Sight(ranges, first, step, farthest, _pose(line, after))


def _ranges(line: _Line, place: int) -> Tuple[np.ndarray, int]:
    """Return the ranges whose number is at a place among the words, and the place after them."""
    count = int(line.words[place]) if len(line.words) > place else 0
    if not 2 <= count <= MOST_BEAMS:
        raise ValueError(f'{line.name} has {count} ranges; from 2 to {MOST_BEAMS} are taken')
    after = place + 1 + count
    if len(line.words) < after + TAIL:
        raise ValueError(f'{line.name} is to have {count} ranges, and has {len(line.words)} words '
                         'in all')
    return np.array(line.words[place + 1:after], dtype=float), after


def _pose(line: _Line, place: int) -> Pose:
    pose = Pose(*line.numbers(place, 3))
    if max(map(abs, pose)) > FARTHEST:
        raise ValueError(f'{line.name} has a pose further away than a robot drives')
    return pose


def _header(at: float, frame: str) -> SimpleNamespace:
    whole = math.floor(at)
    return SimpleNamespace(frame_id=frame, stamp=SimpleNamespace(
        sec=whole, nanosec=min(round((at - whole) * 1e9), 999_999_999)))


def _odometry(at: float, pose: Pose) -> SimpleNamespace:
    turn = SimpleNamespace(x=0.0, y=0.0, z=math.sin(0.5 * pose.theta),
                           w=math.cos(0.5 * pose.theta))
    place = SimpleNamespace(position=SimpleNamespace(x=pose.x, y=pose.y, z=0.0), orientation=turn)
    return SimpleNamespace(header=_header(at, 'odom'), child_frame_id=FRAME,
                           pose=SimpleNamespace(pose=place))


def _scan(at: float, sight: _Sight, farthest: float) -> SimpleNamespace:
    ranges = np.where(sight.ranges >= farthest, math.inf, sight.ranges)
    return SimpleNamespace(
        header=_header(at, FRAME), ranges=ranges, angle_min=sight.first,
        angle_max=sight.first + sight.step * (ranges.size - 1), angle_increment=sight.step,
        range_min=0.0, range_max=farthest, time_increment=0.0)
