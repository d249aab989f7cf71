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
    to_do = [(canonicalize_name(name), each) for each in ('', extra)]
    while to_do:
        package, of_package = to_do.pop()
        found.add((package, of_package))
        for line in distribution(package).requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({'extra': of_package}):
                needs = canonicalize_name(requirement.name)
                to_do += {(needs, each) for each in ('', *requirement.extras)} - found
    return {package for package, _ in found}


def size(name: str) -> float:
    """Return the size of the files of a package on disk [MB]."""
    found = distribution(name)
    files = (found.locate_file(file) for file in found.files or ())
    return sum(-(-os.stat(file).st_size // BLOCK) * BLOCK
               for file in files if os.path.isfile(file)) / 1e6


def row(what: str, packages: Iterable[str], more: str = '') -> str:
    """Return the row of the table for some packages."""
    sizes = {name: size(name) for name in packages}
    largest = max(sizes, key=lambda name: sizes[name])
    return (f'| `{what}` | {sum(sizes.values()):.0f}{more} | '
            f'{largest} {sizes[largest]:.0f} |')


def main() -> int:
    """Print the table."""
    try:
        base = needed('bug_nav')
        print('| `pip install` | size on disk [MB] | largest package [MB] |')
        print('|---|---:|---|')
        print(row('.', base))
        for extra in EXTRAS:
            print(row(f'".[{extra}]"', needed('bug_nav', extra) - base, ' more'))
    except PackageNotFoundError as error:
        print(f'{error.name} is not installed in this environment; run `make setup` before',
              file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
