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
Campaign that checks verdicts against the ground truth: ``python -m bug_nav.lab.verdicts``.

Every algorithm drives in the same random worlds. A long campaign writes its episodes to a journal
(``--out``) and continues from there after an interruption (``--resume``).

Exit code: 0 if every verdict was right and there was no contact, 1 otherwise, 2 for bad input,
130 after Ctrl-C, which prints the results up to then.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
import sys
import tempfile
from typing import Any, Dict, Optional, Sequence

from bug_nav.lab.journal import Journal, JournalError
from bug_nav.lab.progress import run_with_progress
from bug_nav.lab.spec import make_spec, Spec
from bug_nav.lab.spec_values import SpecError
from bug_nav.lab.summary import Summary
from bug_nav.lab.workers import Pool, WorkersError
from bug_nav.navigation.settings import TURNS
from bug_nav.simulation.files import whole
from bug_nav.simulation.generators import ALIASED, GENERATORS, MOVING, PREFIX
from bug_nav.simulation.interrupt import INTERRUPTED
from bug_nav.simulation.sensors import LidarModel

KINDS: Dict[str, str] = {**{kind: PREFIX + kind for kind in GENERATORS
                            if kind not in (*ALIASED, *MOVING)},
                         'dense': f'{PREFIX}cluttered?count=60&size=6&gaps=0.8'}
"""Kinds of random worlds; in `dense`, most obstacles are about 2 rho from their neighbour."""
GOALS = ('both', 'reachable', 'unreachable')


def verdicts_spec(worlds: int, seed: int = 0, algorithms: Sequence[str] = ('bug2',),
                  kinds: Sequence[str] = ('cluttered',), turns: Sequence[str] = TURNS,
                  noise: float = 0.0, goals: str = 'both') -> Spec:
    """
    Return the specification of a campaign of verdicts.

    :param worlds: number of judged worlds of each kind; unjudged ones among them are driven too.
    :param seed: first seed of each kind; consecutive seeds follow.
    :raises SpecError: if the campaign cannot be run.
    """
    return make_spec({
        'name': 'verdicts', 'seed': seed, 'algorithms': list(algorithms), 'turns': list(turns),
        'range_noise': [noise], 'repetitions': 1,
        'worlds': [{'world': KINDS[kind], 'group': kind, 'count': worlds, 'goals': goals,
                    'unjudged': 'keep'} for kind in kinds]})


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog='python -m bug_nav.lab.verdicts', description='Navigate in random worlds and '
        'compare each verdict with the ground truth.')
    parser.add_argument('--worlds', type=int, default=500, metavar='N',
                        help='judged worlds of each kind (default: 500)')
    parser.add_argument('--goals', choices=GOALS, default='both',
                        help='which goals are reachable: half of them, all or none '
                        '(default: both)')
    parser.add_argument('--seed', type=int, default=0, metavar='S',
                        help='first seed of each kind (default: 0)')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='number of processes (default: %(default)s)')
    parser.add_argument('--algorithm', default='bug2', metavar='NAME[,NAME...]',
                        help='names, or complete (all complete algorithms), or all '
                        '(default: bug2)')
    parser.add_argument('--kind', default='cluttered', metavar='KIND[,KIND...]',
                        help=f'kinds: {", ".join(KINDS)}, or all (default: cluttered)')
    parser.add_argument('--turn', choices=('both', *TURNS), default='both', help='default: both')
    parser.add_argument('--noise', type=float, default=LidarModel().scan_noise, metavar='SIGMA',
                        help='standard deviation of range noise [m] (default: %(default)g)')
    parser.add_argument('--json', metavar='FILE', help='write summary and episodes to this file')
    parser.add_argument('--out', metavar='FILE', help='journal: append a line of JSON for each '
                        'episode')
    parser.add_argument('--resume', action='store_true',
                        help='continue from the episodes in the file of --out')
    return parser


def _spec(parser: argparse.ArgumentParser, given: argparse.Namespace) -> Spec:
    if given.workers < 1:
        parser.error(f'--workers is {given.workers}; give at least 1')
    if given.resume and not given.out:
        parser.error('--resume needs the file of --out')
    turns = TURNS if given.turn == 'both' else (given.turn,)
    try:
        return verdicts_spec(given.worlds, given.seed, _names(given.algorithm),
                             _kinds(given.kind), turns, given.noise, given.goals)
    except ValueError as error:
        parser.error(str(error))


def _names(text: str) -> Sequence[str]:
    return tuple(dict.fromkeys(text.split(',')))


def _kinds(text: str) -> Sequence[str]:
    kinds = tuple(KINDS) if text == 'all' else _names(text)
    for kind in kinds:
        if kind not in KINDS:
            raise SpecError(f"unknown kind of worlds '{kind}'; give one of {', '.join(KINDS)}")
    return kinds


def _journal(parser: argparse.ArgumentParser, given: argparse.Namespace, folder: str) -> Journal:
    try:
        return Journal(given.out or str(Path(folder) / 'journal'), given.resume)
    except FileExistsError:
        parser.error(f'{given.out} is there already: give --resume, or another file')
    except (JournalError, OSError) as error:
        parser.error(str(error))


def heading(spec: Spec, summary: Summary) -> str:
    """Return the heading of the table: turn directions, noise and seeds."""
    noise = spec.range_noise[0] or 0.0
    seeds = ('seeds {} to {}'.format(*summary.seeds) if summary.seeds else 'no worlds yet')
    return f'turning {" and ".join(spec.turns)}, range noise {noise:g} m, {seeds}'


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    spec = _spec(parser, given)
    with tempfile.TemporaryDirectory() as folder:
        journal = _journal(parser, given, folder)
        workers = Pool(given.workers)
        try:
            campaign = run_with_progress(spec, journal, workers)
            summary = Summary(spec.algorithms, campaign.rows())
            if given.json:
                _write_json(given.json, spec, summary, [row.as_dict() for row in campaign.rows()])
        except (WorkersError, JournalError) as error:
            parser.exit(1, f'{error}\n')
        finally:
            workers.close()
            journal.close()
    print(summary.text(heading(spec, summary), with_goals=False))
    if summary.wrong:
        return 1
    return INTERRUPTED if campaign.stopped else 0


def _write_json(path: str, spec: Spec, summary: Summary, episodes: Any) -> None:
    with whole(path) as partial, open(partial, 'w', encoding='utf-8') as file:
        json.dump({'plan': spec.as_dict(), **summary.as_dict(), 'episodes': episodes}, file,
                  allow_nan=False, indent=1)


if __name__ == '__main__':
    sys.exit(main())
