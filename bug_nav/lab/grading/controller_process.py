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
The process of a Python controller: loads a file and answers requests until they end.

Arguments: file, name of the function, file descriptors of requests and of answers.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
import sys
from typing import Any, Callable, Tuple

from bug_nav.lab.grading.controller_protocol import (
    ANSWER,
    COMMAND,
    HEADER,
    MALFORMED,
    NOTHING,
    REACHED,
    unpacked,
    UNREACHABLE,
)

VERDICTS = {'reached': REACHED, 'unreachable': UNREACHABLE}


def main(file: str, name: str, requests: str, answers: str) -> None:
    """Answer requests until their pipe is closed."""
    step = load(Path(file), name)
    with os.fdopen(int(requests), 'rb') as reading, os.fdopen(int(answers), 'wb', 0) as writing:
        while True:
            header = reading.read(HEADER.size)
            if len(header) < HEADER.size:
                return
            request = unpacked(header, reading.read(8 * HEADER.unpack(header)[-1]))
            writing.write(ANSWER.pack(*answer_of(step(*request))))


def load(file: Path, name: str) -> Callable:
    """Return a function of a Python file; SystemExit, in one sentence, if there is none."""
    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location('submission', file)
    if spec is None or spec.loader is None:
        raise SystemExit(f'{file} is no Python file')
    module = importlib.util.module_from_spec(spec)
    sys.modules['submission'] = module
    spec.loader.exec_module(module)
    step = getattr(module, name, None)
    if not callable(step):
        raise SystemExit(f'{file.name} has no function {name}(scan, pose, goal)')
    return step


def answer_of(value: Any) -> Tuple[int, float, float]:
    """Return an answer for the value that a controller has returned."""
    if value is None:
        return NOTHING, 0.0, 0.0
    if isinstance(value, str) and value in VERDICTS:
        return VERDICTS[value], 0.0, 0.0
    try:
        v, w = map(float, value)
    except (TypeError, ValueError):
        print(f'step returned {value!r:.200}; return (v, w), "reached", "unreachable" or None',
              file=sys.stderr)
        return MALFORMED, 0.0, 0.0
    return COMMAND, v, w


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except KeyboardInterrupt:  # the end of the trial
        sys.exit(130)
