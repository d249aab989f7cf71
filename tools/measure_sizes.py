#!/usr/bin/env python3
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
Measure the size on disk of bug_nav with its dependencies, and of each extra beyond that.

Prints a table; the packages are those installed in this environment. Exit code: 1 if one is
missing.
"""

from __future__ import annotations

from importlib.metadata import distribution, PackageNotFoundError
import os
import sys
from typing import Iterable, Set, Tuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BLOCK = 4096
"""Size that files are rounded up to [bytes]."""
EXTRAS = 'play', 'record', 'bag', 'lab', 'campaign'


def needed(name: str, extra: str = '') -> Set[str]:
    """Return the names of a package and of everything that it needs here."""
    found: Set[Tuple[str, str]] = set()
    open_ = [(canonicalize_name(name), each) for each in {'', extra}]
    while open_:
        package, extra = open_.pop()
        found.add((package, extra))
        for line in distribution(package).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({'extra': extra}):
                of_it = canonicalize_name(requirement.name)
                open_ += {(of_it, each) for each in ('', *requirement.extras)} - found
    return {package for package, _ in found}


def size(packages: Iterable[str]) -> float:
    """Return the size of their files on disk [MB]."""
    files = {str(distribution(name).locate_file(file)) for name in packages
             for file in distribution(name).files or ()}
    return sum(-(-os.stat(file).st_size // BLOCK) * BLOCK
               for file in files if os.path.isfile(file)) / 1e6


def main() -> int:
    """Print the table."""
    try:
        base = needed('bug_nav')
        largest = max(base, key=lambda name: size([name]))
        print('| `pip install` | size on disk [MB] | largest package [MB] |')
        print('|---|---:|---|')
        print(f'| `.` | {size(base):.0f} | {largest} {size([largest]):.0f} |')
        for extra in EXTRAS:
            added = needed('bug_nav', extra) - base
            largest = max(added, key=lambda name: size([name]))
            print(f'| `".[{extra}]"` | {size(added):.0f} more | '
                  f'{largest} {size([largest]):.0f} |')
    except PackageNotFoundError as error:
        print(f'{error.name} is not installed in this environment; run `make setup` before',
              file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
