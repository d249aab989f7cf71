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

"""``bug_nav course``: write the course as pages, and open it in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
import webbrowser

from bug_nav.files import BadInput
from bug_nav.visualization.course_script import NAME, translations
from bug_nav.visualization.course_site import write_course


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.seed is not None and not arguments.exam:
        raise BadInput('--seed applies to an examination; give --exam N as well')
    folder = Path(arguments.out)
    languages = ['en', *translations()]
    if arguments.language not in languages:
        raise BadInput(f'the course has no language {arguments.language!r}; available: '
                       f'{", ".join(languages)}')
    if folder.exists() and not folder.is_dir():
        raise BadInput(f'the output folder {arguments.out!r} is a file; choose another name')
    if folder.is_dir() and any(folder.iterdir()) and not (folder / NAME).is_file():
        raise BadInput(f'the output folder {arguments.out!r} has files that are not of the '
                       'course; choose another one')
    first = write_course(folder, arguments.teacher, arguments.exam,
                         1 if arguments.seed is None else arguments.seed,
                         arguments.language).resolve()
    print(first)
    left = [name for name in ('solutions.html', 'exam_key.html') if (folder / name).is_file()]
    if left and not (arguments.teacher or arguments.exam):
        print(f'warning: {arguments.out!r} has {" and ".join(left)} from an earlier call; give '
              'students another folder', file=sys.stderr)
    if not arguments.no_browser:
        # The default browser may be one of the terminal, which would take it over.
        webbrowser.open(first.as_uri())
    return 0
