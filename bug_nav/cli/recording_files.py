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

"""Recording files: checked before a run and written during it, or opened for reading."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path
import signal
import sys
from typing import Any, Callable, Iterator, Optional, TYPE_CHECKING

from bug_nav.cli import CannotRun, Interrupted
from bug_nav.cli.ros_session import catch_signals
from bug_nav.files import BadInput, interrupt
from bug_nav.files.paths import check_folder
from bug_nav.lab.run_setup import RunSetup
from bug_nav.recording import RecordingError

if TYPE_CHECKING:
    from bug_nav.recording.mcap_file import McapFile
    from bug_nav.recording.recorded import Recording

ENDING = '.mcap'
DEADLINE = 1.0
"""Maximum time from Ctrl-C to the end of the tick, after which the process ends [s]."""


def check_recording_file(path: str) -> None:
    """Raise BadInput or CannotRun if the recording cannot be written."""
    file = Path(path)
    if file.suffix.lower() != ENDING:
        raise BadInput(f'the recording {path!r} must end in {ENDING}')
    if file.exists():
        raise BadInput(f'the recording {path!r} already exists; choose another name, or remove it')
    check_folder('the recording', path)
    try:
        importlib.import_module('mcap_ros2')
    except ImportError:
        raise CannotRun('a recording needs mcap-ros2-support, which is not installed; install it '
                        'with "pip install mcap-ros2-support"') from None


@contextlib.contextmanager
def episode_recorder(setup: RunSetup, path: Optional[str]) -> Iterator[Optional[Callable]]:
    """
    Yield a callback that records each tick of an episode; None without ``path``.

    Ctrl-C takes effect between two ticks, so that the file is complete up to the last tick. If the
    tick does not end, as in an endless loop of a plug-in, the process ends after `DEADLINE`.
    """
    if not path:
        yield None
        return
    from bug_nav.recording.episode import EpisodeRecording  # needs mcap
    deadline = _Deadline(path)
    with catch_signals(deadline.start) as interrupted, recording_file(path) as file:
        record = EpisodeRecording(file, setup.algorithm_name, setup.robot.odometry)

        def watch(*tick: Any) -> None:
            if interrupted():
                raise KeyboardInterrupt
            with deadline.suspended():
                record(*tick)
        with deadline.of(file):
            yield watch
        if interrupted():  # after the last tick
            raise KeyboardInterrupt


class _Deadline:
    """Completes a recording and ends the process if a tick does not end after Ctrl-C."""

    def __init__(self, path: str):
        """Store the path of the recording."""
        self._path = path
        self._file: Optional[McapFile] = None
        self._is_suspended = self._is_running = False

    @contextlib.contextmanager
    def of(self, file: McapFile) -> Iterator[None]:
        """Apply the deadline to the ticks within this context."""
        before = signal.getsignal(signal.SIGALRM)
        self._file = file
        try:
            yield
        finally:
            self._file = None
            if self._is_running:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
                signal.signal(signal.SIGALRM, before)

    @contextlib.contextmanager
    def suspended(self) -> Iterator[None]:
        """Suspend the deadline, because a message is written."""
        self._is_suspended = True
        try:
            yield
        finally:
            self._is_suspended = False

    def start(self) -> None:
        """Start the time, if a tick can run."""
        if self._file is not None and not self._is_running:
            self._is_running = True
            signal.signal(signal.SIGALRM, self._expire)
            signal.setitimer(signal.ITIMER_REAL, DEADLINE, DEADLINE)

    def _expire(self, *_: Any) -> None:
        if self._file is not None and not self._is_suspended:
            sentence = _interrupted(self._path)
            try:
                self._file.close()
            except RecordingError as error:
                sentence = str(error)
            interrupt.exit_interrupted('bug_nav', sentence)


def _interrupted(path: str) -> str:
    """Return the sentence about a recording that is complete up to an interrupt."""
    return f'interrupted; the finished part of the run is in {path}'


@contextlib.contextmanager
def open_recording(path: str) -> Iterator[Recording]:
    """Open a recording for reading; BadInput if it is invalid, CannotRun without rosbags."""
    try:
        from bug_nav.recording.carmen import CarmenLog, ENDINGS
        if path.endswith(ENDINGS) and not Path(path).is_dir():
            kind: Any = CarmenLog
        else:
            from bug_nav.recording.bag import Bag
            kind = Bag
    except ImportError as missing:
        raise CannotRun(f'reading a recording needs {missing.name}, which is not installed; '
                        'install it with "pip install rosbags"') from None
    try:
        with kind(path) as recording:
            if recording.warning:
                print(f'bug_nav: {recording.warning}', file=sys.stderr)
            yield recording
    except RecordingError as error:
        raise BadInput(str(error)) from None


@contextlib.contextmanager
def recording_file(path: str) -> Iterator[McapFile]:
    """
    Open a recording for writing and finish it on exit; CannotRun if it cannot be written.

    BadInput deletes the file, because there was no run; an error before the first message also.
    """
    from bug_nav.recording.mcap_file import McapFile  # needs mcap
    existed = Path(path).exists()
    file: Optional[McapFile] = None
    try:
        with McapFile(path) as file:
            yield file
    except (RecordingError, CannotRun) as error:
        if not existed and (file is None or file.is_empty):  # else the next attempt finds it
            with contextlib.suppress(OSError):
                Path(path).unlink()
        raise CannotRun(str(error)) from None
    except BadInput:
        Path(path).unlink()
        raise
    except (Interrupted, KeyboardInterrupt):
        raise Interrupted(_interrupted(path)) from None
