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
Reader of logs of CARMEN, the Carnegie Mellon Robot Navigation Toolkit.

Most SLAM benchmark buildings are such logs: text with one message per line, its name first, and
last two times [s] with a host name between them: that of the measurement, and that of its arrival
in the log, which jitters. The first is used if it increases from scan to scan and spans the same
time as the second. These messages of the front lidar are read:

- ``FLASER``: count, ranges, lidar pose, odometry pose. It has no angles: the beams go from right
  to left over 180 degrees; 180 or 360 beams leave out the last step, 181 or 361 do not.
- ``ROBOTLASER1``: type, first angle, field of view, step, maximum range, accuracy, remission mode,
  count, ranges, in newer logs a count and remissions, lidar pose, robot pose.
- ``RAWLASER1``: the same without poses, which then come from ``ODOM``. Used only if the log has
  neither of the others.

The robot frame is that of the lidar, whose pose comes with the scan. In a "corrected" log it is
the result of SLAM. Such logs have lost most of their scans, and often the times: a scan whose
time is not later than the previous one counts as 0.1 s later.

Sources: the header of the log files, http://carmen.sourceforge.net/logger_playback.html; for
remissions, the header written by newer loggers.
"""

from __future__ import annotations

import contextlib
import gzip
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Collection, Dict, Iterator, List, NamedTuple, Optional, Tuple
import zlib

from bug_nav.files.paths import did_you_mean_file
from bug_nav.messages.sensor_messages import MAX_BEAMS, MAX_POSITION
from bug_nav.navigation.geometry import Pose
from bug_nav.recording import RecordingError
from bug_nav.recording.recorded import Recorded
from bug_nav.recording.topics import ODOM, SCAN
import numpy as np

ENDINGS = ('.log', '.log.gz', '.clf', '.clf.gz')
MAX_LINE = 1 << 18
"""Maximum length of a line, more than any lidar needs [characters]."""
MAX_LOG = 1 << 30
"""Maximum size of a log after decompression, days of scans [byte]."""
PLACED, UNPLACED = ('FLASER', 'ROBOTLASER1'), ('RAWLASER1', 'ODOM')
"""Messages that are read: scans with a pose; if there are none, scans and poses."""
TAIL = 3
"""Number of words at the end of each line: two times and a host name."""
FRAME = 'laser'
STEP = 0.1
"""Interval between scans whose times do not increase [s]."""
SPAN_TOLERANCE = 0.1
"""Maximum difference of the spans of both times, as a share."""
MAX_TIME = 1e11
"""Maximum plausible time [s]."""


class _Line(NamedTuple):
    number: int
    words: List[str]

    @property
    def name(self) -> str:
        return self.words[0]

    def numbers(self, first: int, count: int) -> List[float]:
        """Return ``count`` finite numbers; ValueError if there are fewer."""
        values = [float(word) for word in self.words[first:first + count]]
        if len(values) < count or not all(map(math.isfinite, values)):
            raise ValueError(f'{self.name} lacks {count} finite numbers from word {first + 1} on')
        return values


class _LaserLine(NamedTuple):
    """A scan of a log line."""

    ranges: np.ndarray
    first: float
    step: float
    farthest: float
    """Range from which on a beam counts as without a return [m]; nan if unknown."""
    pose: Optional[Pose]


class CarmenLog:
    """A CARMEN log; a context manager."""

    def __init__(self, path: str):
        """Read the log once for its topics and times; RecordingError if it is not valid."""
        self._path, self.warning = path, ''
        file = Path(path)
        if not file.is_file():
            raise RecordingError(
                f'the recording {path!r} is not a regular file' if file.exists() else
                f'there is no recording {path!r}{did_you_mean_file(path)}')
        self._names: Tuple[str, ...] = (*PLACED, *UNPLACED)
        self.topics: Dict[str, str] = {}
        """Message types by topic."""
        self.began = self.ended = self._farthest = math.nan
        self._offset: Optional[float] = None
        """Time of logging minus that of measurement [s]; None if the first is used."""
        self._scan_file()

    def __enter__(self) -> CarmenLog:
        """Return the log."""
        return self

    def __exit__(self, *reason: object) -> None:
        """Do nothing: the file is only open while it is read."""

    def _scan_file(self) -> None:
        """Find the topics, the first and last time, and the maximum range."""
        names, farthest = set(), 0.0
        for line in self._lines():
            names.add(line.name)
            if line.name != 'ODOM':
                with self._errors_as_sentence(line):
                    ranges = _laser_line(line).ranges
                farthest = max(farthest, float(ranges[np.isfinite(ranges)].max(initial=0.0)))
        if not names - {'ODOM'}:
            raise RecordingError(f'the recording {self._path!r} has no line {PLACED[0]}, '
                                 f'{PLACED[1]} or {UNPLACED[0]}: it is not a CARMEN log')
        self._names = PLACED if names & {*PLACED} else UNPLACED
        # Beams without a return all have the same value, the largest of the log.
        self._farthest = farthest
        if names & {*self._names} - {'ODOM'}:
            self.topics[SCAN.name] = SCAN.datatype
        if self._names is PLACED or 'ODOM' in names:
            self.topics[ODOM.name] = ODOM.datatype
        self._offset = self._find_offset()
        for at, _ in self._timed():
            self.began, self.ended = at if math.isnan(self.began) else self.began, at

    def messages(self, topics: Collection[str]) -> Iterator[Recorded]:
        """Yield the messages of some topics in order."""
        for at, line in self._timed():
            with self._errors_as_sentence(line):
                found = list(self._messages(line, at))
            yield from (each for each in found if each.topic in topics)

    def _messages(self, line: _Line, at: float) -> Iterator[Recorded]:
        """Yield the messages of a line."""
        laser = None if line.name == 'ODOM' else _laser_line(line)
        pose = Pose(*line.numbers(1, 3)) if laser is None else laser.pose
        if pose is not None:
            yield Recorded(ODOM.name, ODOM.datatype, at, _odometry(at, pose))
        if laser is not None:
            farthest = self._farthest if math.isnan(laser.farthest) else laser.farthest
            yield Recorded(SCAN.name, SCAN.datatype, at, _scan(at, laser, farthest))

    def _find_offset(self) -> Optional[float]:
        """Return the offset of the times of measurement if they are usable, else None."""
        first: Optional[Tuple[float, float]] = None
        last, scan = (-math.inf, -math.inf), -math.inf
        for line in self._lines():
            if line.name not in self._names:
                continue
            try:
                last, before = (float(line.words[-TAIL]), float(line.words[-1])), last
            except (ValueError, IndexError):
                return None
            is_scan = line.name != 'ODOM'
            if not max(map(abs, last)) < math.inf or last[0] < before[0] or (
                    is_scan and last[0] <= scan):
                return None
            first, scan = first or last, last[0] if is_scan else scan
        if first is None:
            return None
        measured, logged = last[0] - first[0], last[1] - first[1]
        fits = abs(measured - logged) <= SPAN_TOLERANCE * logged
        return first[1] - first[0] if fits else None

    def _timed(self) -> Iterator[Tuple[float, _Line]]:
        """Yield the relevant lines with their times, which never decrease."""
        before, step = -math.inf, STEP if self._names is PLACED else 0.0
        for line in self._lines():
            if line.name in self._names:
                with self._errors_as_sentence(line):
                    tail = 1 if self._offset is None else TAIL
                    at, = line.numbers(len(line.words) - tail, 1)
                    at += self._offset or 0.0
                    if abs(at) > MAX_TIME:
                        raise ValueError(f'{line.name} has the time {at:g} s')
                before = at if at > before else before + step
                yield before, line

    def _lines(self) -> Iterator[_Line]:
        """Yield the lines with known messages."""
        opened: Any = gzip.open if self._path.endswith('.gz') else open
        number = read = 0
        try:
            with opened(self._path, 'rb') as stream:
                while True:
                    text = stream.readline(MAX_LINE)
                    number, read = number + 1, read + len(text)
                    if not text:
                        return
                    if len(text) == MAX_LINE:
                        raise RecordingError(f'{self._path}:{number}: a line of more than '
                                             f'{MAX_LINE} characters')
                    if read > MAX_LOG:
                        raise RecordingError(f'the recording {self._path!r} is larger than '
                                             f'{MAX_LOG >> 30} GiB')
                    name = text[:16].decode('latin-1').split(None, 1)[:1]
                    if name and name[0] in self._names:
                        yield _Line(number, text.decode('latin-1').split())
        except (OSError, EOFError, zlib.error) as error:
            raise RecordingError(f'the recording {self._path!r} cannot be read: '
                                 f'{getattr(error, "strerror", None) or error}') from None

    @contextlib.contextmanager
    def _errors_as_sentence(self, line: _Line) -> Iterator[None]:
        """Turn a ValueError about a line into a RecordingError."""
        try:
            yield
        except ValueError as error:
            raise RecordingError(f'{self._path}:{line.number}: {str(error)[:200]}') from None


def _laser_line(line: _Line) -> _LaserLine:
    """Return the scan of a line; ValueError if it is not valid."""
    if line.name == 'FLASER':
        ranges, after = _ranges(line, 1)
        # 180 or 360 beams leave out the last step of the half turn, 181 or 361 do not.
        step = math.pi / (ranges.size - ranges.size % 2)
        line.numbers(after, 6)  # check the pose of the lidar and the unused one of odometry
        return _LaserLine(ranges, -0.5 * math.pi, step, math.nan, _pose(line, after))
    first, _, step, farthest = line.numbers(2, 4)
    ranges, after = _ranges(line, 8)
    if line.name == 'RAWLASER1':
        return _LaserLine(ranges, first, step, farthest, None)
    # Two poses, two speeds, two or three distances; in newer logs preceded by remissions.
    if len(line.words) - after - TAIL not in (10, 11):
        remissions, = line.numbers(after, 1)
        after += 1 + int(remissions)
        if remissions < 0.0 or len(line.words) - after - TAIL not in (10, 11):
            raise ValueError(f'{line.name} has {len(line.words)} words, which do not fit '
                             f'{ranges.size} ranges, {remissions:g} remissions and two poses')
    return _LaserLine(ranges, first, step, farthest, _pose(line, after))


def _ranges(line: _Line, place: int) -> Tuple[np.ndarray, int]:
    """Return the ranges after the count at index ``place`` of the words, and the next index."""
    count = int(line.words[place]) if len(line.words) > place else 0
    if not 2 <= count <= MAX_BEAMS:
        raise ValueError(f'{line.name} has {count} ranges; allowed are 2 to {MAX_BEAMS}')
    after = place + 1 + count
    if len(line.words) < after + TAIL:
        raise ValueError(f'{line.name} announces {count} ranges but has only {len(line.words)} '
                         'words')
    return np.array(line.words[place + 1:after], dtype=float), after


def _pose(line: _Line, place: int) -> Pose:
    pose = Pose(*line.numbers(place, 3))
    if max(map(abs, pose)) > MAX_POSITION:
        raise ValueError(f'{line.name} has a pose farther than {MAX_POSITION:g} m from the origin')
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


def _scan(at: float, laser: _LaserLine, farthest: float) -> SimpleNamespace:
    ranges = np.where(laser.ranges >= farthest, math.inf, laser.ranges)
    return SimpleNamespace(
        header=_header(at, FRAME), ranges=ranges, angle_min=laser.first,
        angle_max=laser.first + laser.step * (ranges.size - 1), angle_increment=laser.step,
        range_min=0.0, range_max=farthest, time_increment=0.0)
