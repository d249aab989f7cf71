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
Tables of measured figures in README.md and docs/, generated from the files in results/.

`make results` measures and writes results/NAME/ (`measure_results`); `make tables` writes the
tables to the pages. A figure on a page that is not in results/ fails a test.
"""

from __future__ import annotations

from collections import defaultdict
import contextlib
import json
from pathlib import Path
import re
from statistics import median
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from bug_nav.lab.benchmark import (
    as_json,
    BASELINE,
    mean_share,
    ranked,
    Reference,
    Score,
    SUITES,
    VERSION,
)
from bug_nav.lab.report.statistics import wilson
from bug_nav.lab.rows import is_wrong, Row
from bug_nav.lab.table import read_table
from bug_nav.lab.verdict_counts import estimate_cells, no_verdict_text
from bug_nav.navigation.algorithms.registry import find
from bug_nav.navigation.names import listed

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / 'results'
MANIFEST = 'manifest.json'
"""File in the folder of a result with its figures and their provenance."""
NG_BRAUNL = ('bug1', 'bug2', 'alg1', 'alg2', 'dist_bug', 'tangent_bug', 'one_bug', 'leave_bug',
             'rev1', 'rev2', 'class1')
"""Algorithms that Ng and Braunl compared in 2007."""
COUNTS = ('episodes', 'right', 'false_unreachable', 'false_reached', 'contacts', 'bumped', 'all',
          'unreachable', 'certified', 'unjudged', 'unsound')
"""Counts that are summed over groups of episodes."""
NEARLY_EQUAL = 0.01
"""Relative difference below which two lengths are equal."""
JUDGING = ('protocol', 'verdicts', 'drift', 'moving', 'hostile')
"""Results with verdicts and contacts in README.md."""
STILL = ', static baseline'
"""Tail of the name of a suite whose worlds do not move."""
UNCERTAIN = 0.15
"""
Standard deviation of the goal's position above which REACHED is uncertain: half of the success
radius of the campaigns with drift [m].
"""
Data = Dict[str, Any]


def load(name: str) -> Data:
    """
    Return the manifest of a stored result.

    :raises NotMeasured: if it does not exist.
    """
    try:
        manifest: Data = json.loads((RESULTS / name / MANIFEST).read_text(encoding='utf-8'))
    except OSError:
        raise NotMeasured(f'results/{name} does not exist; run `make results NAME={name}`'
                          ) from None
    return manifest


class NotMeasured(LookupError):
    """A result is missing; the message is one sentence."""


def tables_of(page: str) -> Dict[str, str]:
    """Return the tables of a page; for a missing result, the command that measures it."""
    made = {}
    for name, make in PAGES[page].items():
        try:
            made[name] = make()
        except NotMeasured as missing:
            made[name] = f'Not measured: {missing}.'
    return made


# ---- reading -----------------------------------------------------------------------------------

def added(groups: Iterable[Data]) -> Data:
    """Return the sums of the counts of several groups of episodes."""
    total: Data = {**dict.fromkeys(COUNTS, 0), 'no_verdict': {}}
    for group in groups:
        for name in COUNTS:
            total[name] += group[name]
        for outcome, count in group['no_verdict'].items():
            total['no_verdict'][outcome] = total['no_verdict'].get(outcome, 0) + count
    return total


def markdown_tables(text: str) -> List[List[Dict[str, str]]]:
    """Return the Markdown tables of a text, each a list of rows by column."""
    tables: List[List[Dict[str, str]]] = []
    head: Optional[List[str]] = None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
        if not line.startswith('|'):
            head = None
        elif head is None:
            head = cells
            tables.append([])
        elif not re.fullmatch(r'[|: -]+', line):
            tables[-1].append(dict(zip(head, cells)))
    return tables


def number(cell: str) -> str:
    """Return the number of a printed cell, without unit and target."""
    found = re.match(r'[\d.]+', cell)
    return found[0] if found else cell


# ---- writing -----------------------------------------------------------------------------------

def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = (head, ['---'] * len(head), *(list(map(str, row)) for row in rows))
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def source(*results: Data) -> str:
    """Return command, commit, date and machine of a measurement."""
    lines = []
    for result in results:
        commands = ', '.join(f'`{part["command"]}`' for part in result['parts'].values())
        again = result.get('repeated')
        lines.append(f'{commands}; commit {result["commit"]}, {result["date"]}, '
                     f'{result["machine"]}' + (
                         f'; {of(again["rows"], again["of"])} episodes repeated with commit '
                         f'{again["commit"]}, all the same to the last bit.' if again else '.'))
    return f'<sub>{"<br>".join(lines)}</sub>'


def stored(name: str, part: str) -> List[Row]:
    """Return the rows of a part of a result."""
    return list(read_table(RESULTS / name / f'{part}.csv.gz'))


def worlds_of(rows: Iterable[Row], key: Callable[[Row], str]) -> Dict[str, int]:
    """Return the number of different worlds of some rows, by a property of the row."""
    found: Dict[str, Set[str]] = defaultdict(set)
    for row in rows:
        found[key(row)].add(row.world)
    return {name: len(worlds) for name, worlds in found.items()}


def of(hits: int, count: int) -> str:
    """Return a share as text."""
    return f'{hits} of {count}'


VERDICT_HEAD = ('episodes', 'right', 'false UNREACHABLE', 'false REACHED', 'no verdict',
                'contacts')


def verdict_cells(counts: Data) -> Tuple[Any, ...]:
    """Return the cells below `VERDICT_HEAD`."""
    return (counts['episodes'], counts['right'], counts['false_unreachable'],
            counts['false_reached'], no_verdict_text(counts['no_verdict']), counts['contacts'])


# ---- the tables of docs/ -----------------------------------------------------------------------

def verdicts() -> str:
    """Return the verdicts of the complete algorithms by kind of world."""
    result = load('verdicts')
    data = result['parts']['verdicts']['data']
    head = ('kind', 'judged worlds', *VERDICT_HEAD,
            'valid certificates, also in unjudged worlds', 'unjudged worlds', 'episodes there',
            'unsound')
    groups = {**data['groups'], '**all**': added(data['groups'].values())}
    episodes = stored('verdicts', 'verdicts')
    judged, unjudged = _worlds(episodes, True), _worlds(episodes, False)
    rows = [(name, judged[name], *verdict_cells(counts),
             of(counts['certified'], counts['unreachable']), unjudged.get(name, 0),
             counts['unjudged'], counts['unsound']) for name, counts in groups.items()]
    failed = [f'- {row.outcome.upper()}, {_what_is_wrong(row)}: `{row.command}`'
              for row in _failed(episodes)]
    failures = '\n'.join(['Without a right verdict:', '', *failed, '', '']) if failed else ''
    return f'{table(head, rows)}\n\n{failures}{source(result)}'


def _worlds(rows: Iterable[Row], judged: bool) -> Dict[str, int]:
    """Return the numbers of the judged worlds, or of the others, by kind and of all."""
    found = worlds_of((row for row in rows if (row.reachable is not None) == judged),
                      lambda row: row.group)
    return {**found, '**all**': sum(found.values())}


def _failed(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the episodes in judged worlds without a right verdict."""
    return (row for row in rows if row.reachable is not None and row.verdict != 'right')


def paths() -> str:
    """Return the mean paths of the complete algorithms by kind of world, and the best."""
    result = load('verdicts')
    data = result['parts']['verdicts']['data']
    groups = [group for group in data['groups'] if data['paths'].get(group)]
    names = sorted({name for group in groups for name in data['paths'][group]})
    rows = [(f'`{name}`', *(f'{data["paths"][group][name]:.1f}' for group in groups))
            for name in names]
    return '\n\n'.join([table(('algorithm', *groups), rows), '\n'.join(_extremes(data, groups)),
                        source(result)])


def _extremes(data: Data, groups: Sequence[str]) -> Iterator[str]:
    names = listed([f'`{name}`' for name in NG_BRAUNL], len(NG_BRAUNL))
    yield (f'Of the algorithms that Ng and Braunl compared ({names}), by mean path; differences '
           'of a few percent are chance:')
    yield ''
    yield from (f'- In {end}.' for end in _ends({
        group: {name: data['paths'][group][name] for name in NG_BRAUNL
                if name in data['paths'][group]} for group in groups}))


def drift() -> str:
    """Return the verdicts under each fault, without and with scan matching."""
    result = load('drift')
    without, matched = (result['parts'][name]['data']['groups']
                        for name in ('without', 'matched'))
    head = ('fault', 'right without scan matching', 'without scan matching: false '
            'UNREACHABLE, false REACHED, no verdict', 'right with scan matching',
            'false UNREACHABLE', 'false REACHED', 'no verdict', 'contacts', 'valid certificates',
            'worlds with a failure', 'NEES, median', 'scans within two sigma, mean',
            'largest position error')
    episodes = stored('drift', 'matched')
    worlds, failed = (worlds_of(some, lambda row: row.variant)
                      for some in (episodes, _failed(episodes)))
    rows = []
    for name, counts in matched.items():
        old = without.get(name)
        before = ('', '') if old is None else (
            of(old['right'], old['episodes']),
            f'{old["false_unreachable"]}, {old["false_reached"]}, '
            f'{sum(old["no_verdict"].values())}')
        rows.append((name, *before, of(counts['right'], counts['episodes']),
                     counts['false_unreachable'], counts['false_reached'],
                     no_verdict_text(counts['no_verdict']),
                     counts['contacts'], of(counts['certified'], counts['unreachable']),
                     of(failed.get(name, 0), worlds[name]), median_nees(episodes, name),
                     *estimate_cells(counts['estimates'])[1:]))
    return f'{table(head, rows)}\n\n{source(result)}'


def median_nees(episodes: Iterable[Row], variant: str) -> str:
    """Return the median of the episodes' mean NEES: single ones, far off, rule the mean."""
    found = [row.mean_nees for row in episodes
             if row.variant == variant and row.mean_nees is not None]
    return f'{median(found):.2f}'


def _groups(name: str, first: str) -> str:
    """Return a table with a line for each group of a result."""
    result = load(name)
    data = result['parts'][name]['data']['groups']
    rows = [(group, *verdict_cells(counts)) for group, counts in data.items()]
    return f'{table((first, *VERDICT_HEAD), rows)}\n\n{source(result)}'


def alike() -> str:
    """Return the verdicts in worlds with aliased places, which look alike."""
    return _groups('alike', 'worlds, goals')


def moving() -> str:
    """Return the verdicts in dynamic worlds and in their static baseline."""
    result = load('moving')
    data = result['parts']['moving']['data']
    head = ('worlds', *VERDICT_HEAD, 'bumped', 'time against the baseline, median')
    rows = [(name, *verdict_cells(counts), counts['bumped'],
             f'{data["ratios"][name]:.2f}' if data['ratios'].get(name) else '')
            for name, counts in data['groups'].items()]
    return f'{table(head, rows)}\n\n{source(result)}'


def bench() -> str:
    """Return the right verdicts of each algorithm in each suite of the benchmark."""
    result = load('bench')
    scores = bench_scores(result)
    suites = [suite.folder for suite in (*SUITES, BASELINE)]
    rows = []
    for name, found in ranked(scores):
        cells = {score.suite: of(score.right, score.episodes) for score in found}
        rows.append((f'`{name}`', f'{100.0 * mean_share(found):.1f} %',
                     *(cells.get(suite, '') for suite in suites)))
    head = ('algorithm', 'mean of the suites', *map(_spelled, suites))
    return f'{table(head, rows)}\n\n{source(result)}'


def bench_counts() -> str:
    """Return the verdicts in each suite of the benchmark, by completeness of the algorithms."""
    rows = []
    for suite, part in load('bench')['parts'].items():
        for key, tail in (('groups', ''), ('static_baselines', STILL)):
            for kind, complete in (('complete', True), ('incomplete', False)):
                some = [counts for name, counts in part['data'][key].items()
                        if find(name).metadata.complete == complete]
                if some:
                    total = added(some)
                    low, high = wilson(total['right'], total['episodes']) or (0.0, 1.0)
                    rows.append((_spelled(suite) + tail, kind, *verdict_cells(total),
                                 total['bumped'], f'{100.0 * low:.1f} to {100.0 * high:.1f} %'))
    return table(('suite', 'algorithms', *VERDICT_HEAD, 'bumped', 'right, 95 % interval'), rows)


def bench_failures() -> str:
    """
    Return the failures in the benchmark, those of the same world and fault together.

    Of an incomplete algorithm, only a wrong verdict or a contact is a failure.
    """
    found: Dict[Tuple[str, ...], List[Row]] = {}
    for suite in SUITES:
        for row in stored('bench', suite.folder):
            gave_up = row.verdict == 'none' and find(row.algorithm).metadata.complete
            if is_wrong(row) or row.contacts or gave_up:
                key = _spelled(suite.folder), row.variant, row.world, row.outcome
                found.setdefault(key, []).append(row)
    rows = []
    for (suite, variant, world, outcome), failed in sorted(found.items()):
        worst = max(failed, key=lambda row: row.goal_error)
        rows.append((suite, variant, f'`{world}`', outcome.upper(),
                     _what_is_wrong(worst),
                     ', '.join(f'{row.algorithm} ({row.seed})' for row in failed)))
    return table(('suite', 'fault', 'world', 'outcome', 'message, of the episode that ended '
                  'farthest from the goal', 'algorithms (seed)'), rows)


def _spelled(suite: str) -> str:
    """Return the name of a suite, or of the static baseline of `moving`, for a table."""
    return f'moving{STILL}' if suite == BASELINE.folder else suite.replace('_', ' ')


def _what_is_wrong(row: Row) -> str:
    """Return what the robot reported, or why that is wrong."""
    if not is_wrong(row):
        return row.message
    return f'the goal is {row.fault}' if row.fault.endswith('reachable') else row.fault


def bench_paths() -> str:
    """Return paths, times and turns of each algorithm in the static suite of the benchmark."""
    result = load('bench')
    rows = []
    for _, found in ranked(bench_scores(result)):
        for score in found:
            if score.suite == SUITES[0].folder and score.ratio is not None:
                low, high = score.interval
                rows.append((f'`{score.algorithm}`', of(score.right, score.episodes),
                             f'{100.0 * low:.0f} to {100.0 * high:.0f} %',
                             of(score.reached, score.reachable), f'{score.ratio:.2f}',
                             f'{score.ratio_p90:.2f}', f'{score.time:.0f}',
                             f'{score.turning:.2f}', f'{score.tick:.0f}'))
    return table(('algorithm', 'right', '95 % interval', 'goals reached', 'path, median',
                  'path, p90', 'time [s]', 'turning [rad/m]', 'tick with simulation [us]'), rows)


def bench_scores(result: Data) -> List[Score]:
    """Return the scores of a stored benchmark."""
    return [Score(**score) for part in result['parts'].values()
            for score in part['data']['scores']]


def bench_reference() -> str:
    """Return the text of the file of stored scores that bug_nav contains."""
    result = load('bench')
    return as_json(Reference(bench_scores(result), (
        f'The quick version, measured with commit {result["commit"]} on {result["date"]}, '
        f'{result["machine"]}')))


def bench_citation() -> str:
    """Return how to cite the stored results of the benchmark, and how long they took."""
    result = load('bench')
    version, *libraries = (f'{name} {version}' for name, version in result['versions'].items())
    return (f'> {version}, commit {result["commit"]}, bench {VERSION}, quick; '
            f'{", ".join(libraries)}\n\nThe quick version took {result["seconds"] / 60.0:.0f} '
            f'minutes with {result["machine"]}; the full one takes about ten times as long.')


def robots() -> str:
    """Return the verdicts of the shipped robots."""
    result = load('robots')
    head = ('robot', *VERDICT_HEAD, 'smallest clearance of the body')
    rows = []
    for name, part in result['parts'].items():
        counts = added(part['data']['groups'].values())
        rows.append((f'`{name}`', *verdict_cells(counts),
                     f'{100.0 * part["data"]["clearance"]:.1f} cm'))
    return f'{table(head, rows)}\n\n{source(result)}'


def touch() -> str:
    """Return the verdicts of Bug2 with contact sensing."""
    return _groups('touch', 'worlds')


def followers() -> Tuple[str, str]:
    """Return the table of the laps and that of the verdicts, as printed."""
    result = load('followers')
    laps, ends = (part.strip() for part in re.split(
        r'\n\s*\n', '\n'.join(result['parts']['followers']['data']['lines'])))
    return laps, f'{ends}\n\n{source(result)}'


def mcguire() -> str:
    """Return the successes under wheel noise, without and with scan matching."""
    result = load('mcguire')
    data = result['parts']['mcguire']['data']['shares']
    noises = sorted({noise for each in data.values() for levels in each.values()
                     for noise in levels}, key=float)
    rows = [(f'`{name}`', correction.replace('_', ' '),
             *(of(*levels[noise]) if noise in levels else '' for noise in noises))
            for name, each in data.items() for correction, levels in sorted(each.items())]
    rows += [('**all**', correction.replace('_', ' '), *(of(*_summed(
        each[correction][noise] for each in data.values() if noise in each.get(correction, {})))
        for noise in noises)) for correction in sorted({key for each in data.values()
                                                        for key in each})]
    head = ('algorithm', 'drift correction',
            *(f'wheel noise {100.0 * float(noise):g} %' for noise in noises))
    return f'{table(head, rows)}\n\n{source(result)}'


def _summed(shares: Iterable[Sequence[int]]) -> Tuple[int, int]:
    """Return the sums of hits and counts."""
    found = list(shares)
    return sum(hits for hits, _ in found), sum(count for _, count in found)


def yufka() -> str:
    """Return the mean paths of a Pioneer with sonars and of a robot with a lidar."""
    result = load('yufka')
    parts = {label: result['parts'][label]['data'] for label in ('sonars', 'lidar')}
    names = list(next(iter(parts['lidar']['paths'].values())))
    rows = []
    for world in parts['lidar']['groups']:
        for label, data in parts.items():
            found = data['paths'].get(world, {})
            if any(found.values()):
                rows.append((f'`{world}`', label, *(
                    f'{found[name]:.2f}' if found.get(name) else '' for name in names)))
    lines = [table(('world', 'robot', *(f'`{name}`' for name in names)), rows), '']
    for label, data in parts.items():
        lines += [f'- With {"the sonars" if label == "sonars" else "the lidar"} in {end}.'
                  for end in _ends({world: data['paths'].get(world, {})
                                    for world in parts['lidar']['groups']})]
    for label, data in parts.items():
        counts = added(data['groups'].values())
        wrong = counts['false_unreachable'] + counts['false_reached']
        lines.append(f'- With {"the sonars" if label == "sonars" else "the lidar"}, '
                     f'{of(counts["right"], counts["episodes"])} verdicts are right; '
                     f'{counts["false_unreachable"]} are a false UNREACHABLE, '
                     f'{wrong - counts["false_unreachable"]} a false REACHED; '
                     f'{no_verdict_text(counts["no_verdict"])} episodes ended without a verdict; '
                     f'contacts: {counts["contacts"]}.')
    return '\n'.join([*lines, '', source(result)])


def _ends(paths: Mapping[str, Mapping[str, Optional[float]]]) -> Iterator[str]:
    """Yield in which worlds the same algorithms have the shortest and the longest path."""
    worlds: Dict[str, List[str]] = {}
    for world, lengths in paths.items():
        for end in _shortest_and_longest(lengths):
            worlds.setdefault(end, []).append(f'`{world}`')
    yield from (f'{listed(names, len(names))}, {end}' for end, names in worlds.items())


def _shortest_and_longest(paths: Mapping[str, Optional[float]]) -> Iterator[str]:
    """Yield whose path is the shortest and whose the longest, if there are several."""
    lengths = {name: length for name, length in paths.items() if length}
    if len(lengths) > 1:
        shortest, longest = min(lengths.values()), max(lengths.values())
        if longest < (1.0 + NEARLY_EQUAL) * shortest:
            yield f'all paths are equal within {100.0 * NEARLY_EQUAL:g} %'
            return
        first, last = (listed([f'`{name}`' for name, length in lengths.items() if abs(
            length - best) < NEARLY_EQUAL * best], len(lengths)) for best in (shortest, longest))
        yield f'the shortest path is that of {first}, the longest that of {last}'


def doors() -> str:
    """Return the outcomes of the goals behind doors."""
    result = load('doors')
    ends = [f'{title}: {end}' for title, end in doors_of(result['parts']['doors']['data'])]
    return f'{"; ".join(ends)}.\n\n{source(result)}'


def doors_of(data: Data) -> Iterator[Tuple[str, str]]:
    """Yield the title and the outcome of each scene with a door."""
    for line in data['lines']:
        found = re.match(r'(.*): (\w+) after ([\d.]+) s, .*?(\d+) contacts', line)
        if found:
            yield found[1], f'{found[2]} after {float(found[3]):.0f} s, {found[4]} contacts'


def printed(name: str, part: str = '') -> str:
    """Return a part of a result as printed; without ``part``, that with the name of the result."""
    part = part or name
    result = load(name)
    one = result['parts'][part]
    lines = '\n'.join(one['data']['lines']).strip()
    return f'{lines}\n\n{source({**result, "parts": {part: one}})}'


# ---- the table of README.md --------------------------------------------------------------------

def numbers() -> str:
    """Return the table of README.md."""
    rows: List[Tuple[str, str, str]] = []
    sources: Dict[str, List[str]] = {}
    for names, of_them in ((('timing',), _timing_rows), (('playground',), _playground_rows),
                           (JUDGING, _verdict_rows)):
        with contextlib.suppress(NotMeasured):  # no row without a measurement
            rows += of_them()
            for name in names:
                each = load(name)
                sources.setdefault(f'commit {each["commit"]}, {each["date"]}, {each["machine"]}',
                                   []).append(f'`{name}`')
    ends = '; '.join(f'{listed(names)}: {each}' for each, names in sources.items())
    return f'{table(("what", "measured", "command"), rows)}\n\n<sub>{ends}</sub>'


def _timing_rows() -> Iterator[Tuple[str, str, str]]:
    part = load('timing')['parts']['timing']
    tables = markdown_tables('\n'.join(part['data']['lines']))
    by_head: Dict[str, Dict[str, Dict[str, str]]] = {
        next(iter(rows[0])): {next(iter(row.values())): row for row in rows}
        for rows in tables if rows}
    command = f'`{part["command"]}`'
    for row in by_head.get('tick, mean', {}).values():
        times = ', '.join(number(row[f'tick, {what}']) for what in ('mean', 'p50', 'p99'))
        yield 'control tick: mean, p50, p99', f'{times} us', command
        yield ('simulated seconds per second, one core, with Bug2',
               number(row['per wall time']), command)
    algorithms = by_head.get('algorithm', {})
    best = [algorithms[name] for name in ('bug2', 'tangent_bug', 'vis_bug_21')
            if name in algorithms]
    if best:
        yield ('simulated seconds per CPU second in `maze`: Bug2, TangentBug, VisBug-21',
               ', '.join(number(row['per CPU time']) for row in best), command)
    steps = by_head.get('simulator', {})
    if 'bug_nav' in steps:
        names = sorted(steps)
        yield (f'one step with a scan, no algorithm: {", ".join(names)}',
               ', '.join(number(steps[name]['time per step']) for name in names) + ' us', command)


def _playground_rows() -> Iterator[Tuple[str, str, str]]:
    lines = load('playground')['parts']['playground']['data']['lines']
    row = markdown_tables('\n'.join(lines))[0][0]
    yield (f'the playground, goal of `{row["algorithms"]}` moved: from a jump to the first line, '
           'and to the whole path (median, 95th percentile); from the end of a drag to the whole '
           'path', '; '.join(row[name] for name in (
               'jump: first line', 'jump: complete path', 'last move to final path')) + ' ms',
           '[how](docs/playground.md#how-fast)')


def _verdict_rows() -> Iterator[Tuple[str, str, str]]:
    loaded = {name: load(name) for name in JUDGING}
    protocol, all_verdicts = (added(loaded[name]['parts'][name]['data']['groups'].values())
                              for name in ('protocol', 'verdicts'))
    command = loaded['protocol']['parts']['protocol']['command']
    yield ('right verdicts of Bug1 and Bug2 in the TurtleBot3 protocol of Spektor et al. 2024',
           of(protocol['right'], protocol['episodes']), f'`{command}`')
    page = '[docs/verdicts.md](docs/verdicts.md)'
    random_worlds = stored('verdicts', 'verdicts')
    judged, unjudged = (_worlds(random_worlds, is_judged)['**all**']
                        for is_judged in (True, False))
    yield (f'right verdicts of the complete algorithms in {judged} judged random worlds, exact '
           'odometry, range noise 1 cm',
           of(all_verdicts['right'], all_verdicts['episodes']), page)
    yield ('valid certificates of their UNREACHABLE verdicts, also in unjudged worlds',
           of(all_verdicts['certified'], all_verdicts['unreachable']), page)
    yield (f'unsound verdicts in {unjudged} random worlds that cannot be judged',
           f'{all_verdicts["unsound"]} in {all_verdicts["unjudged"]}', page)
    fault = 'one wheel 1 %'
    both = [loaded['drift']['parts'][part]['data']['groups'][fault]
            for part in ('matched', 'without')]
    yield ('right verdicts with one wheel 1 % too large: with scan matching (Bug1, Bug2, '
           'TangentBug), without (Bug1, Bug2)',
           ', '.join(of(counts['right'], counts['episodes']) for counts in both),
           '[docs/verdicts.md](docs/verdicts.md#under-drift)')
    matched = loaded['drift']['parts']['matched']['data']['groups']
    under_faults = added(matched.values())
    yield (f'false verdicts with scan matching, {len(matched)} conditions of odometry and lidar',
           f'{under_faults["false_unreachable"] + under_faults["false_reached"]} in '
           f'{under_faults["episodes"]}', '[docs/verdicts.md](docs/verdicts.md#under-drift)')
    everything = [protocol, all_verdicts,
                  *(added(part['data']['groups'].values())
                    for part in loaded['drift']['parts'].values())]
    contacts, episodes = (sum(each[key] for each in everything) for key in ('contacts', 'all'))
    yield ('contacts in static worlds: that protocol, the random worlds and the campaign `drift`',
           f'{contacts} in {episodes}', page)
    crowd = [row for row in stored('moving', 'moving') if row.group == 'crowd' and not row.still]
    bumps = 3600.0 * sum(row.bumped for row in crowd) / sum(row.time for row in crowd)
    yield ('in a dense crowd: episodes with a contact; bumps of people into the robot per '
           'simulated hour',
           f'{sum(row.contacts > 0 for row in crowd)} in {len(crowd)}; {bumps:.0f}',
           '[docs/campaigns.md](docs/campaigns.md#worlds-that-move)')
    part = loaded['hostile']['parts']['hostile']
    yield ('contacts of hostile plug-ins at the limits of every robot but the Crazyflie, and at '
           '2 m/s',
           f'{part["data"]["contacts"]} in {part["data"]["episodes"]}', f'`{part["command"]}`')


PAGES: Dict[str, Dict[str, Callable[[], str]]] = {
    'README.md': {'numbers': numbers},
    'docs/verdicts.md': {'verdicts': verdicts, 'paths': paths, 'drift': drift, 'alike': alike},
    'docs/campaigns.md': {'mcguire': mcguire, 'yufka': yufka, 'moving': moving},
    'docs/benchmark.md': {'bench': bench, 'verdicts': bench_counts, 'failures': bench_failures,
                          'paths': bench_paths, 'cite': bench_citation},
    'docs/moving.md': {'doors': doors},
    'docs/robots.md': {'verdicts': robots},
    'docs/followers.md': {'laps': lambda: followers()[0], 'followers': lambda: followers()[1],
                          'touch': touch},
    'docs/playground.md': {'playground': lambda: printed('playground')},
    'docs/install_pypi.md': {'sizes': lambda: printed('sizes')},
    'docs/your_robot.md': {'cost': lambda: printed('cost')},
    'tools/measured/sgba.md': {'corner': lambda: printed('swarm', 'corner'),
                               'middle': lambda: printed('swarm', 'middle')}}
"""Tables by page and name of the markers."""
