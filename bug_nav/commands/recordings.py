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

"""The file of a recording: checked before the run, written during it; or read."""

from __future__ import annotations

import contextlib
import importlib
from pathlib import Path
from typing import Any, Callable, Iterator, Optional, TYPE_CHECKING

from bug_nav.commands import BadInput, CannotRun, check_folder, Interrupted
from bug_nav.commands.case import Case
from bug_nav.commands.ros_session import interrupts
from bug_nav.recording import RecordingError

if TYPE_CHECKING:
    from bug_nav.recording.mcap_file import McapFile
    from bug_nav.recording.recorded import Recording

ENDING = '.mcap'


def check_recording_file(path: str) -> None:
    """Raise BadInput where nothing can be recorded, before any time is spent on a run."""
    file = Path(path)
    if file.suffix.lower() != ENDING:
        raise BadInput(f'the recording {path!r} must end in {ENDING}')
    if file.exists():
        raise BadInput(f'the recording {path!r} exists already; name another file, or remove it')
    check_folder('the recording', path)
    try:
        importlib.import_module('mcap_ros2')
    except ImportError:
        raise CannotRun('a recording needs mcap-ros2-support, which is not installed; install it '
                        'with "pip install mcap-ros2-support"') from None


@contextlib.contextmanager
def recording_of(case: Case, path: Optional[str]) -> Iterator[Optional[Callable]]:
    """
    Yield what records an episode when it is called after each tick; None for no ``path``.

    Ctrl-C is obeyed between two ticks, so that the file is whole: it ends with the last tick.
    """
    if not path:
        yield None
        return
    from bug_nav.recording.episode import EpisodeRecording  # only where mcap is installed
    with interrupts() as interrupted, recording_file(path) as file:
        record = EpisodeRecording(file, case.algorithm_name, case.robot.odometry)

        def watch(*tick: Any) -> None:
            if interrupted():
                raise KeyboardInterrupt
            record(*tick)
        yield watch
        if interrupted():  # after the last tick
            raise KeyboardInterrupt


@contextlib.contextmanager
def opened(path: str) -> Iterator[Recording]:
    """Yield a recording to be read; BadInput where it is none, CannotRun without rosbags."""
    try:
        from bug_nav.recording.carmen import CarmenLog, ENDINGS
        if path.endswith(ENDINGS) and not Path(path).is_dir():
            kind: Any = CarmenLog
        else:
            from bug_nav.recording.bag import Bag
            kind = Bag
    except ImportError as missing:
        raise CannotRun(f'to read a recording {missing.name} is needed, which is not installed; '
                        'install it with "pip install rosbags"') from None
    try:
        with kind(path) as recording:
            yield recording
    except RecordingError as error:
        raise BadInput(str(error)) from None


@contextlib.contextmanager
def recording_file(path: str) -> Iterator[McapFile]:
    """
    Yield the file, whole when this ends; CannotRun where it cannot be written.

    After bad input there was no run, and there is no file.
    """
    from bug_nav.recording.mcap_file import McapFile  # only where mcap is installed
    existed = Path(path).exists()
    try:
        with McapFile(path) as file:
            yield file
    except RecordingError as error:
        if not existed:  # half of a recording, on a disk that is full perhaps
            with contextlib.suppress(OSError):
                Path(path).unlink()
        raise CannotRun(str(error)) from None
    except BadInput:
        Path(path).unlink()
        raise
    except (Interrupted, KeyboardInterrupt):
        raise Interrupted(f'interrupted; the run so far is in {path}') from None
