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
Write a playback of each algorithm in the scene of the gallery: docs/static/play/NAME.html.

The pages are part of the site (`make docs`) but not of the repository, because each has some
hundred kilobytes. Takes names of algorithms; default: all of bug_nav.
"""

from __future__ import annotations

import argparse
import contextlib
import io
from pathlib import Path
import sys
from typing import Optional, Sequence

from bug_nav.cli.parser import main as bug_nav
from bug_nav.lab.algorithm_catalogue import catalogue

FOLDER = Path(__file__).resolve().parent.parent / 'docs' / 'static' / 'play'


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Write the pages."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('names', nargs='*', metavar='NAME')
    names = parser.parse_args(argv).names or [
        entry.name for entry in catalogue() if entry.is_shipped]
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names, 1):
        print(f'\rplaying {number} of {len(names)}: {name:<20}', end='', flush=True)
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = bug_nav(['run', 'gallery', '--algorithm', name, '--turn', 'left',
                            '--time-allowance', '1800', '--plot', str(FOLDER / f'{name}.html')])
        if code > 1:
            sys.exit(f'\n{name} failed')
    print()
    return 0


if __name__ == '__main__':
    sys.exit(main())
