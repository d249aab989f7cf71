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

"""``bug_nav bench``: run the benchmark of Bug navigation, and rank the algorithms."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
import sys
from typing import Dict, Iterable, Iterator, Optional, Sequence, Tuple

from bug_nav.cli import CannotRun, make_folder
from bug_nav.cli.campaign import check_same_campaign, drive, journal_of, workers_of
from bug_nav.cli.grade import file_and_function
from bug_nav.cli.parser import check_alone
from bug_nav.files import BadInput
from bug_nav.files.interrupt import INTERRUPTED
from bug_nav.lab.benchmark import (
    BASELINE,
    contestants,
    FULL,
    mean_share,
    ranked,
    reference,
    Score,
    scores_of,
    spec_of,
    Suite,
    suites_of,
    VERSION,
)
from bug_nav.lab.controller_benchmark import CONTROLLER_SUITES, score_of_controller
from bug_nav.lab.journal import JournalError
from bug_nav.lab.report.leaderboard import write_leaderboard
from bug_nav.lab.rows import Row, SOFTWARE_FAULTS
from bug_nav.lab.spec import Spec
from bug_nav.lab.spec_values import SpecError
from bug_nav.lab.summary import lines_of_fault
from bug_nav.lab.table import default_format, read_table, TableError
from bug_nav.lab.workers import WorkersError

Program = Tuple[Path, str]
"""File and function of a Python controller."""
PAGE = 'leaderboard.html'
"""File in the output folder."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    folder = Path(arguments.out or Path('out') / 'bench')
    if arguments.stored:
        check_alone(arguments, 'stored', 'out')
        return _show_stored(folder)
    programs = [file_and_function(text) for text in arguments.python]
    algorithms = [name for text in arguments.algorithm for name in text.split(',')]
    algorithms = algorithms or ([] if programs else contestants())
    try:
        suites = suites_of([name for text in arguments.suite for name in text.split(',')])
        _check_programs(programs, suites, bool(arguments.suite))
        specs = [(suite, spec_of(suite, algorithms, FULL if arguments.full else 1))
                 for suite in suites]
    except ValueError as error:  # a mistyped name
        raise BadInput(str(error)) from error
    for suite, spec in specs:
        if spec is not None:
            check_same_campaign(folder / suite.folder, spec)
    try:
        return _run(specs, folder, arguments, programs)
    except (WorkersError, TableError, JournalError) as error:
        raise CannotRun(str(error)) from error
    except SpecError as error:
        raise BadInput(str(error)) from error


def _check_programs(programs: Sequence[Program], suites: Sequence[Suite], chosen: bool) -> None:
    """Check that controllers exist, and can drive the suites that were chosen."""
    for file, _ in programs:
        if not file.is_file():
            raise BadInput(f'there is no file {str(file)!r}; give a Python file with '
                           'step(scan, pose, goal)')
    unable = [suite.name for suite in suites if suite.name not in CONTROLLER_SUITES]
    if programs and chosen and unable:
        raise BadInput(f'the suite is {unable[0]!r}; a Python controller can drive '
                       f'{" and ".join(CONTROLLER_SUITES)}')


def _controllers(programs: Sequence[Program], suites: Sequence[Suite], factor: int
                 ) -> Iterator[Score]:
    """Yield the scores of controllers in the suites that they can drive."""
    for suite in suites:
        if not programs or suite.name not in CONTROLLER_SUITES:
            continue
        # The algorithm takes no part; a campaign has at least one.
        spec = spec_of(suite, ['bug2'], factor)
        assert spec is not None  # Bug2 runs with every robot
        for file, function in programs:
            print(f'{suite.folder}: {file.name}:{function}, {spec.total} episodes',
                  file=sys.stderr)
            yield score_of_controller(suite, spec, file, function, lambda count: print(
                f'bug_nav: {count} episodes', file=sys.stderr) if count % 10 == 0 else None,
                lambda reason: print(f'bug_nav: the controller crashed: {reason}',
                                     file=sys.stderr))


def _run(specs: Sequence[Tuple[Suite, Optional[Spec]]], folder: Path,
         arguments: argparse.Namespace, programs: Sequence[Program]) -> int:
    scores = list(_controllers(programs, [suite for suite, _ in specs],
                               FULL if arguments.full else 1))
    workers, faults = workers_of(arguments), SoftwareFaults()
    try:
        for suite, spec in specs:
            if spec is None and programs and not arguments.algorithm:
                continue
            if spec is None:
                print(f'{suite.folder}: none of the algorithms works with these sensors',
                      file=sys.stderr)
                continue
            print(f'{suite.folder}: {suite.title}, {spec.total} episodes', file=sys.stderr)
            out = folder / suite.folder
            journal = journal_of(out, True)
            try:
                campaign, rows = drive(spec, journal, out, workers, default_format())
            finally:
                journal.close()
            if campaign.stopped:
                print(f'stopped; the same command continues in {folder}', file=sys.stderr)
                return INTERRUPTED
            scores += scores_of(suite, faults.noted(read_table(rows)))
            if spec.static_baselines:
                scores += scores_of(BASELINE, read_table(rows))
    finally:
        workers.close()
    if not scores:
        return 0
    driven = {(score.suite, score.algorithm) for score in scores}
    stored = [score for score in reference().scores if (score.suite, score.algorithm) not in driven
              and score.suite in {suite for suite, _ in driven}]
    code = _show([*scores, *stored], folder, f'{len(stored)} of these scores were stored: '
                 f'{reference().source}' if stored else '')
    for line in faults.lines():
        print(line)
    return 1 if faults.first else code


class SoftwareFaults:
    """Episodes that ended with an error, such as of a plug-in."""

    def __init__(self) -> None:
        """Begin without any."""
        self.first: Dict[str, Row] = {}
        """The first of each algorithm."""
        self._counts: Counter[str] = Counter()

    def noted(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield the rows, and note the faults among them."""
        for row in rows:
            if row.outcome in SOFTWARE_FAULTS:
                self.first.setdefault(row.algorithm, row)
                self._counts[row.algorithm] += 1
            yield row

    def lines(self) -> Iterator[str]:
        """Yield the first fault of each algorithm as text, and their number."""
        for name, row in self.first.items():
            yield from lines_of_fault(row)
            if self._counts[name] > 1:
                yield f'  and {self._counts[name] - 1} more of {name}'


def _show_stored(folder: Path) -> int:
    scores, source = reference()
    if not scores:
        raise CannotRun('no scores are stored with this version of bug_nav; run `bug_nav bench`')
    return _show(scores, folder, source)


def _show(scores: Sequence[Score], folder: Path, source: str) -> int:
    """Print the leaderboard, and write its page."""
    print('\n'.join(lines(scores)))
    make_folder('the output folder', folder, '--out')
    write_leaderboard(scores, folder / PAGE, source)
    print(f'\n{folder / PAGE}')
    return 0


def lines(scores: Sequence[Score]) -> Iterator[str]:
    """Yield the lines of the leaderboard as text."""
    suites = list(dict.fromkeys(score.suite for score in scores))
    wide = max([9, *(len(suite) + 2 for suite in suites)])
    yield f'bench {VERSION}, right verdicts of the judged episodes'
    yield ''
    named = max([15, *(len(score.algorithm) + 1 for score in scores)])
    yield (f'{"":>3} {"algorithm":<{named}}{"mean":>8}'
           + ''.join(f'{suite:>{wide}}' for suite in suites))
    for place, (name, found) in enumerate(ranked(scores), 1):
        shares = {score.suite: f'{score.right}/{score.episodes}' for score in found}
        yield (f'{place:>3} {name:<{named}}{100.0 * mean_share(found):>6.1f} %'
               + ''.join(f'{shares.get(suite, "-"):>{wide}}' for suite in suites))
    wrong = [(score.suite, score.algorithm, what, count) for score in scores for what, count in (
        ('false UNREACHABLE', score.false_unreachable), ('false REACHED', score.false_reached),
        ('with contacts', score.contacts)) if count]
    if wrong:
        yield ''
        yield from (f'{suite}: {algorithm}: {count} {what}' for suite, algorithm, what, count
                    in wrong)
