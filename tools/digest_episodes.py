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
Drive episodes by their commands, and print a digest of all that happened in each.

Standard input has a command in each line, such as those in the rows of a campaign; the output has
a line for each, in their order. The digest depends on every true pose, state and event, and on the
result, to the last bit. `compare_commits` runs this with the code of two commits.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import shlex
import sys

from bug_nav.cli.parser import make_parser
from bug_nav.cli.run import options_of
from bug_nav.lab.run import prepare
from bug_nav.lab.run_setup import drive, set_up

REPORTED = 50
"""Number of episodes after which the progress is shown."""


def digest(command: str) -> str:
    """Drive an episode and return its digest, with its outcome for the reader."""
    arguments = make_parser().parse_args(shlex.split(command)[1:])
    found = hashlib.sha256()
    # Outside of the try: two commands that cannot be driven are not the same episode.
    setup = set_up(options_of(arguments, algorithm=arguments.algorithm, turn=arguments.turn))
    try:
        episode = drive(setup)
    except Exception as error:  # raised by the algorithm, as a campaign records it
        return f'error {type(error).__name__}'
    for sample in episode.samples:
        found.update(repr((sample.stamp, *sample.pose, sample.state)).encode())
    result = episode.result and (episode.result.outcome.value, *episode.result[1:])
    found.update(repr((result, episode.events, episode.odometry_length, episode.contacts,
                       episode.bumped, episode.min_clearance)).encode())
    return f'{episode.outcome} {found.hexdigest()[:16]}'


def main() -> int:
    """Drive the episodes; the argument is the number of processes."""
    commands = sys.stdin.read().splitlines()
    with multiprocessing.get_context('spawn').Pool(
            int(sys.argv[1]) if len(sys.argv) > 1 else os.cpu_count(), prepare) as pool:
        for number, line in enumerate(pool.imap(digest, commands, chunksize=2), 1):
            print(line, flush=True)
            if number % REPORTED == 0:
                print(f'{number} of {len(commands)} episodes', file=sys.stderr, flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
