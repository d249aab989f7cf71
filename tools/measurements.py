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
The measurements behind the figures of README.md and docs/.

Each is one or more commands, in a long version, whose figures are stored in results/
(`measure_results`), and a short one, with which `claims` checks them.
"""

from __future__ import annotations

from collections import defaultdict
import dataclasses
import json
from pathlib import Path
import re
import statistics
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

from bug_nav.lab.benchmark import BASELINE, scores_of, Suite, SUITES
from bug_nav.lab.rows import is_wrong, Row
from bug_nav.lab.static_baseline import BaselineComparison
from bug_nav.lab.summary import Summary
from bug_nav.lab.table import read_table
from bug_nav.lab.verdict_counts import VerdictCounts
import results
from results import added, Data

DRIVEN = ('bug_nav/navigation', 'bug_nav/simulation')
"""Code that an episode depends on."""
JUDGED = (*DRIVEN, 'bug_nav/lab/cases.py', 'bug_nav/lab/episodes.py',
          'bug_nav/lab/ground_truth.py', 'bug_nav/lab/moving_truth.py')
"""Code that an episode and its verdict depend on."""


class Share(NamedTuple):
    """A count and its total."""

    hits: int
    count: int

    def __str__(self) -> str:
        """Return the share as in the pages."""
        return results.of(*self)


Shares = Dict[str, Share]
TABLE_LINES = 3
"""Minimum number of lines of a table."""


class Part(NamedTuple):
    """A command, in a short and a long version."""

    command: str
    """`{seed}` is the seed of this run."""
    short: Optional[str]
    """Appended to the command for a check; None without a short version."""
    long: str
    """Appended to the command for results/."""
    read: Callable[[str, Path], Data]
    """Returns the figures from the printed output and the output folder."""
    studied: bool = False
    """Whether faults are studied, so that a complete share may be less, within its interval."""

    def typed(self, seed: int, is_long: bool) -> str:
        """Return the command, in its long or its short version."""
        tail = self.long if is_long else self.short
        return ' '.join(filter(None, (self.command, tail))).replace('{seed}', str(seed))


class Measurement(NamedTuple):
    """A measurement for a page."""

    page: str
    parts: Dict[str, Part]
    shares: Callable[[Data], Shares]
    """Returns the shares that must hold, from the data of one part."""
    times: Callable[[Data], Dict[str, str]] = lambda data: {}
    """Returns the times, which are shown but not judged."""
    code: Sequence[str] = JUDGED
    """Files and folders that the figures depend on, as for `provenance.digests`."""

    @property
    def depends(self) -> List[str]:
        """Return `code`, and the campaigns and tools of the commands."""
        named = ' '.join(part.command for part in self.parts.values())
        campaigns = (f'campaigns/{name}.yaml' for name in re.findall(r' campaign (\w+)', named))
        return list(dict.fromkeys((*self.code, *campaigns, *re.findall(r'tools/\w+\.py', named))))


# ---- reading output ----------------------------------------------------------------------------

def counts(rows: Sequence[Row]) -> Data:
    """Return the counts of the verdicts of some episodes."""
    verdicts = VerdictCounts()
    for row in rows:
        verdicts.add(row)
    counted = {**verdicts.as_dict(),
               'bumped': sum(row.bumped for row in rows), 'all': len(rows),
               'unreachable': sum(row.certified is not None for row in rows),
               'certified': sum(row.certified is True for row in rows),
               'unjudged': sum(row.reachable is None for row in rows),
               'unsound': sum(row.reachable is None and is_wrong(row) for row in rows)}
    if any(row.uncertainty is not None for row in rows):  # not in rows that predate the column
        counted['uncertain'] = {verdict: sum(
            row.verdict == verdict and row.outcome == 'reached'
            and (row.uncertainty or 0.0) > results.UNCERTAIN for row in rows)
            for verdict in ('right', 'wrong')}
    return counted


def grouped(rows: Sequence[Row], name: Callable[[Row], str]) -> Dict[str, Data]:
    """Return the counts of rows by name."""
    groups: Dict[str, List[Row]] = defaultdict(list)
    for row in rows:
        groups[name(row)].append(row)
    return {label: counts(some) for label, some in groups.items()}


def by_world(rows: Sequence[Row]) -> Data:
    """Return the counts by kind of world, and mean paths of cases that every algorithm solved."""
    found: Dict[str, Dict[str, float]] = defaultdict(dict)
    for score in Summary(tuple(dict.fromkeys(row.algorithm for row in rows)), rows).table_rows():
        if score['path'] is not None:
            found[score['group']][score['algorithm']] = round(score['path'], 2)
    clearances = [row.min_clearance for row in rows if row.min_clearance is not None]
    return {'groups': grouped(rows, lambda row: row.group), 'paths': found,
            'clearance': min(clearances, default=0.0)}


def campaign(make: Callable[[Sequence[Row]], Data]) -> Callable[[str, Path], Data]:
    """Return a reader of the rows in the folder of a campaign."""
    return lambda printed, out: make(list(read_table(out)))


def by_variant(rows: Sequence[Row]) -> Data:
    """Return the counts under each fault."""
    return {'groups': grouped(rows, lambda row: row.variant)}


def by_goal(rows: Sequence[Row]) -> Data:
    """Return the counts by kind of world and reachability of the goal."""
    return {'groups': grouped(rows, lambda row: f'`{row.group.replace("random:", "")}`, ' + (
        'reachable' if row.reachable else 'unreachable'))}


def by_baseline(rows: Sequence[Row]) -> Data:
    """Return the counts in dynamic worlds and in their static baseline, and the time ratios."""
    ratios: Dict[str, List[float]] = defaultdict(list)
    for (_, group), figures in BaselineComparison(rows).figures.items():
        ratios[group] += figures.ratios
    return {'groups': grouped(rows, lambda row: row.group + (
                ', static baseline' if row.still else '')),
            'ratios': {group: round(statistics.median(some), 3)
                       for group, some in ratios.items() if some}}


def by_noise(rows: Sequence[Row]) -> Data:
    """Return the successes of each algorithm with each correction, by wheel noise."""
    shares: Dict[str, Dict[str, Dict[str, List[int]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        hits, count = shares[row.algorithm][row.correction].get(f'{row.odometry_noise:g}', (0, 0))
        shares[row.algorithm][row.correction][f'{row.odometry_noise:g}'] = [
            hits + row.success, count + 1]
    return {'shares': shares, 'contacts': sum(row.contacts > 0 for row in rows), 'all': len(rows)}


def by_algorithm(suite: Suite) -> Callable[[Sequence[Row]], Data]:
    """Return a function for the scores of each algorithm in a suite of the benchmark."""
    suites = (suite, BASELINE) if suite.campaign == BASELINE.campaign else (suite,)
    return lambda rows: {
        **{key: grouped([row for row in rows if row.still == still], lambda row: row.algorithm)
           for key, still in (('groups', False), ('static_baselines', True))},
        'scores': [dataclasses.asdict(score) for each in suites
                   for score in scores_of(each, rows)]}


def read_hostile(printed: str, out: Path) -> Data:
    """Return the number of episodes and contacts of hostile plug-ins."""
    found = re.search(r'(\d+) episodes, (\d+) contacts', printed)
    if not found:
        raise ValueError('no counts of episodes and contacts were printed')
    return {'episodes': int(found[1]), 'contacts': int(found[2]),
            'ended': len(re.findall('^ended:', printed, re.M))}


def lines(printed: str, out: Path) -> Data:
    """Return the printed lines."""
    return {'lines': printed.splitlines()}


def lines_and_table(printed: str, out: Path) -> Data:
    """Return the printed lines, among which a table must be."""
    table_lines(printed, out)
    return lines(printed, out)


def table_lines(printed: str, out: Path) -> Data:
    """Return the lines of a printed table, without what was reported before it."""
    found = [line for line in printed.splitlines() if line.startswith('|')]
    if len(found) < TABLE_LINES:
        raise ValueError('no table was printed')
    return {'lines': found}


# ---- shares that must hold ---------------------------------------------------------------------

def verdict_shares(data: Data) -> Shares:
    """Return the shares of right verdicts, valid certificates and episodes without contact."""
    total = added(data['groups'].values())
    return {'right verdicts': Share(total['right'], total['episodes']),
            'certificates that hold': Share(total['certified'], total['unreachable']),
            'episodes without a contact': Share(total['all'] - total['contacts'], total['all']),
            'sound verdicts in unjudged worlds': Share(
                total['unjudged'] - total['unsound'], total['unjudged'])}


def group_shares(data: Data) -> Shares:
    """Return the shares of right verdicts by group; of false ones and contacts overall."""
    total = added(data['groups'].values())
    shares = {f'{name}: right': Share(each['right'], each['episodes'])
              for name, each in data['groups'].items()}
    return {**shares,
            'all: no false UNREACHABLE': Share(
                total['episodes'] - total['false_unreachable'], total['episodes']),
            'all: no contact': Share(total['all'] - total['contacts'], total['all'])}


def noise_shares(data: Data) -> Shares:
    """Return the successes of each algorithm at each noise."""
    shares = {f'{name}, noise {noise}, {correction}': Share(*share)
              for name, each in data['shares'].items() for correction, levels in each.items()
              for noise, share in levels.items()}
    return {**shares, 'no contact': Share(data['all'] - data['contacts'], data['all'])}


def hostile_shares(data: Data) -> Shares:
    """Return the shares of hostile episodes without a contact, and without an early end."""
    count = data['episodes']
    return {'episodes without a contact': Share(count - data['contacts'], count),
            'episodes that lasted': Share(count - data['ended'], count)}


def follower_shares(data: Data) -> Shares:
    """Return the right verdicts of Bug2 with each follower, and the laps without a contact."""
    laps, ends = results.markdown_tables('\n'.join(data['lines']))
    shares: Shares = {f'{row["follower"]}, {row["worlds"]}': Share(
        *map(int, row['right'].split(' of '))) for row in ends}
    for kind in dict.fromkeys(row['follower'] for row in laps):
        some = [row['contacts'] for row in laps if row['follower'] == kind]
        shares[f'{kind}: laps without a contact'] = Share(some.count('0'), len(some))
    return shares


def door_shares(data: Data) -> Shares:
    """Return the outcome of each goal behind a door; times do not count."""
    return {f'{title}: {re.sub(" after .*?,", ",", end)}': Share(1, 1)
            for title, end in results.doors_of(data)}


def swarm_shares(data: Data) -> Shares:
    """Return the worlds without a contact."""
    (rows,) = results.markdown_tables('\n'.join(data['lines']))
    worlds = [row for row in rows if row['world'].isdigit()]
    return {'worlds without a contact': Share(
        sum(row['contacts'] == '0' for row in worlds), len(worlds))}


def timing_times(data: Data) -> Dict[str, str]:
    """Return mean and 99th percentile of a tick, and the simulation speed of Bug2."""
    if len(data['lines']) == 1:  # the short version: figures of one process
        figures = json.loads(data['lines'][0])
        return {name: f'{figures[key]:.3g}' for name, key in (
            ('tick, mean [us]', 'mean'), ('tick, p99 [us]', 'p99'), ('per wall time', 'wall'))}
    row = results.markdown_tables('\n'.join(data['lines']))[0][0]
    return {'tick, mean [us]': results.number(row['tick, mean']),
            'tick, p99 [us]': results.number(row['tick, p99']),
            'per wall time': results.number(row['per wall time'])}


# ---- the measurements --------------------------------------------------------------------------

DRIFT = 'bug_nav campaign drift --seed {seed} --set corrections='
FEW = ('--set repetitions=1 --set \'worlds=[{world: "random:cluttered", count: 2, goals: both}, '
       '{world: "random:rings", count: 2, goals: both}]\'')
ALIKE = ('bug_nav campaign --world random:rotundas,random:corridors,random:fields,'
         'random:enfilades --goals both --seed {seed} --set success_radius=0.3 '
         "--set 'variants=[{name: one wheel 1 %, settings: {odometry: encoders, odometry_bias: "
         "0.01}}, {name: wheels 10 %, settings: {odometry: encoders, odometry_noise: 0.1}}]'")
COURSES = ("--set repetitions=1 --set 'worlds=[{world: course_1_wall}, {world: course_3_pocket}, "
           '{world: "random:cluttered?size=14&count=8", count: 3, goals: reachable}]\'')
ROBOTS = ('pioneer', 'e_puck', 'turtlebot4', 'waffle_pi')  # crazyflie: too few rangers
LIDARS = ('turtlebot4', 'waffle_pi')
"""Robots with a 360-degree lidar, whose verdicts must be right."""


def _robot(name: str) -> Part:
    # Episodes in the same world are right or wrong together, so that the short version has many
    # worlds with few episodes each.
    return Part(f'bug_nav campaign --world random:cluttered --goals both --robot {name} '
                '--seed {seed} --set repetitions=1',
                '--algorithm bug1 --turn left --count 8',
                '--algorithm bug1,bug2 --turn left,right --count 50',
                campaign(by_world), name not in LIDARS)


MEASUREMENTS: Dict[str, Measurement] = {
    'protocol': Measurement('README.md', {'protocol': Part(
        'bug_nav campaign turtlebot3_2024', '', '--multiply 10',
        campaign(by_world))}, verdict_shares),
    'verdicts': Measurement('docs/verdicts.md', {'verdicts': Part(
        'bug_nav campaign verdicts --algorithm complete --seed {seed}', '--turn left',
        '--multiply 29', campaign(by_world))}, verdict_shares),
    'drift': Measurement('docs/verdicts.md', {
        'without': Part(f'{DRIFT}none --time-allowance 900', f'--algorithm bug2 {FEW}',
                        '--algorithm bug1,bug2 --multiply 2', campaign(by_variant), True),
        'matched': Part(f'{DRIFT}scan_matching', f'--algorithm bug2 {FEW}',
                        '--algorithm bug1,bug2,tangent_bug --multiply 8',
                        campaign(by_variant), True)},
        group_shares, code=(*JUDGED, 'bug_nav/lab/consistency.py')),
    'alike': Measurement('docs/verdicts.md', {'alike': Part(
        ALIKE, '--algorithm bug2 --count 2 --set repetitions=1',
        '--algorithm bug1,bug2,dist_bug,tangent_bug --count 4 --set repetitions=1',
        campaign(by_goal), True)}, group_shares),
    'moving': Measurement('docs/campaigns.md', {'moving': Part(
        'bug_nav campaign moving --seed {seed}', '--algorithm bug2 --set static_baselines=false',
        '--algorithm bug1,bug2,tangent_bug --multiply 6', campaign(by_baseline), True)},
        group_shares),
    'bench': Measurement('docs/benchmark.md', {suite.folder: Part(
        f'bug_nav bench --suite {suite.folder}', '--algorithm bug2', '',
        campaign(by_algorithm(suite)), True) for suite in SUITES},
        group_shares, code=(*JUDGED, 'bug_nav/lab/benchmark.py', *(
            f'campaigns/{name}.yaml' for name in dict.fromkeys(
                suite.campaign for suite in SUITES)))),
    'hostile': Measurement('README.md', {'hostile': Part(
        'python tools/hostile.py --seconds 8 --seed {seed}', '--episodes 500',
        '--episodes 10000', read_hostile)}, hostile_shares, code=DRIVEN),
    'robots': Measurement('docs/robots.md', {name: _robot(name) for name in ROBOTS},
                          verdict_shares),
    'touch': Measurement('docs/followers.md', {'touch': Part(
        'bug_nav campaign --world random:cluttered --goals both --algorithm bug2 '
        '--turn alternating --set settings.sensing=contact --seed {seed}', '--count 10',
        '--count 60', campaign(by_world))}, verdict_shares),
    'followers': Measurement('docs/followers.md', {'followers': Part(
        'python tools/compare_followers.py --scenes arena_out box demo door_050 goal_solid graze '
        'pole ring_goal ring_start two_close u_trap maze', '--followers rolling_disc --worlds 4',
        '--worlds 10', lines, True)}, follower_shares, code=(*JUDGED, 'worlds')),
    'doors': Measurement('docs/moving.md', {'doors': Part(
        'python tools/draw_doors.py', '--out doors.png', '', lines)}, door_shares, code=DRIVEN),
    'mcguire': Measurement('docs/campaigns.md', {'mcguire': Part(
        'bug_nav campaign mcguire_2019',
        "--seed {seed} --algorithm alg2,bug2 --set 'odometry=[{model: encoders, noise: [0.1]}]' "
        '--set worlds.0.count=3 --set worlds.1.count=3 --set repetitions=1',
        "--set 'odometry=[{model: encoders, noise: [0, 0.1, 0.2]}]'; "
        'python tools/draw_mcguire.py out',
        campaign(by_noise), True)}, noise_shares),
    'yufka': Measurement('docs/campaigns.md', {
        'sonars': Part('bug_nav campaign yufka_2009', f'--seed {{seed}} {COURSES}', '',
                       campaign(by_world), True),
        'lidar': Part('bug_nav campaign yufka_2009 --robot waffle_pi '
                      '--algorithm bug1,bug2,class1,alg1,alg2,dist_bug',
                      f'--seed {{seed}} {COURSES}', '', campaign(by_world))}, verdict_shares,
        code=(*JUDGED, 'worlds')),
    'swarm': Measurement('docs/algorithms/sgba.md', {
        start: Part(f'python tools/swarm.py --start {start}', '--seeds 1 --minutes 2',
                    '--seeds 2', table_lines) for start in ('corner', 'middle')}, swarm_shares,
        code=DRIVEN),
    'timing': Measurement('README.md', {'timing': Part(
        'python tools/measure_speed.py', '--here --episodes 3 --repeats 1',
        '--episodes 10 --repeats 1', lines)}, lambda data: {}, times=timing_times,
        code=(*DRIVEN, 'worlds')),
    'playground': Measurement('docs/playground.md', {'playground': Part(
        'python tools/measure_page.py', None, '', lines_and_table)}, lambda data: {},
        code=(*DRIVEN, 'bug_nav/playground')),
    'cost': Measurement('docs/your_robot.md', {'cost': Part('make cost', None, '', table_lines)},
                        lambda data: {}, code=(
                            'bug_nav/navigation', 'bug_nav/ros/node', 'tools/measure_node.py')),
    'sizes': Measurement('docs/install_pypi.md', {'sizes': Part(
        'python tools/measure_sizes.py', None, '', table_lines)}, lambda data: {},
        code=('setup.py', 'tools/measure_sizes.py')),
}
