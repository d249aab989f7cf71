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
Check the claims of README.md and docs/, or measure their figures again.

Without options: run the `bug_nav` commands of the pages verbatim, in a new folder with a new HOME,
and a short version of each measurement, and print claim, expected and measured value in one table.
Exit code: 0 if every claim holds, 1 if one does not, 2 for bad input.

With `--store`: run the long version of each measurement, and write results/NAME.json and the
tables of the pages.

A share that is stored as complete (800 of 800) must be complete again, unless faults were under
study. Any other share holds if the upper end of its 99.9 % interval reaches the lower end of the
stored one. Times are shown but not judged.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
import contextlib
import datetime
import functools
import importlib.metadata
import json
import os
from pathlib import Path
import platform
import re
import resource
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from bug_nav.cli.child_processes import end_with_parent
from bug_nav.lab.report.statistics import wilson
from bug_nav.lab.rows import is_wrong, Row
from bug_nav.lab.spec import load_spec, multiplied
from bug_nav.lab.static_twins import TwinComparison
from bug_nav.lab.summary import Summary
from bug_nav.lab.table import read_table
from bug_nav.lab.verdict_counts import VerdictCounts
from bug_nav.simulation.files import whole
import make_doc_tables
import make_tables
import numpy as np
from PIL import Image
import results
from results import added, Data, ROOT

STRICT = 3.29
"""
Normal quantile of the 99.9 % intervals of shares. About 60 shares are compared in a run, and the
rows of a table share their worlds: with 95 %, every other run would report a false alarm.
"""
LONGEST = 900.0
"""Timeout of a command of a page, after which its claim does not hold [s]."""
NO_FIGURES = (OSError, ValueError, KeyError, IndexError)
"""Exceptions that mean that the output of a command is not as expected."""
PROGRAMS = Path(sys.executable).parent
"""Folder of `bug_nav` and `python` of this environment."""


class Share(NamedTuple):
    """A count and its total."""

    hits: int
    count: int

    def __str__(self) -> str:
        """Return the share as in the pages."""
        return results.of(*self)


Shares = Dict[str, Share]


class Part(NamedTuple):
    """A command, in a short and a long version."""

    command: str
    """`{seed}` is the seed of this run."""
    short: Optional[str]
    """Appended to the command for a check; None without a short version."""
    long: str
    """Appended to the command for `--store`."""
    read: Callable[[str, Path], Data]
    """Returns the figures from the printed output and the output folder."""
    studied: bool = False
    """Whether faults are studied, so that a complete share may be less, within its interval."""


class Measurement(NamedTuple):
    """A measurement for a page."""

    page: str
    parts: Dict[str, Part]
    shares: Callable[[Data], Shares]
    """Returns the shares that must hold, from the data of one part."""
    times: Callable[[Data], Dict[str, str]] = lambda data: {}
    """Returns the times, which are shown but not judged."""


class Check(NamedTuple):
    """A line of the printed table."""

    page: str
    claim: str
    expected: str
    measured: str
    holds: Optional[bool]
    """None if it is not judged."""
    repeat: str = ''
    """Command that repeats a check that does not hold."""


# ---- reading output ----------------------------------------------------------------------------

def counts(rows: Sequence[Row]) -> Data:
    """Return the counts of the verdicts of some episodes."""
    verdicts = VerdictCounts()
    for row in rows:
        verdicts.add(row)
    return {**verdicts.as_dict(), 'undecided': dict(verdicts.undecided),
            'bumped': sum(row.bumped for row in rows), 'all': len(rows),
            'unreachable': sum(row.certified is not None for row in rows),
            'certified': sum(row.certified is True for row in rows),
            'unjudged': sum(row.reachable is None for row in rows),
            'unsound': sum(row.reachable is None and is_wrong(row) for row in rows)}


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


def by_twin(rows: Sequence[Row]) -> Data:
    """Return the counts in dynamic worlds and in their static twins, and the time ratios."""
    ratios: Dict[str, List[float]] = defaultdict(list)
    for (_, group), figures in TwinComparison(rows).figures.items():
        ratios[group] += figures.ratios
    return {'groups': grouped(rows, lambda row: row.group + (
                ', static twin' if row.still else '')),
            'ratios': {group: statistics.median(some) for group, some in ratios.items() if some}}


def by_noise(rows: Sequence[Row]) -> Data:
    """Return the successes of each algorithm with each correction, by wheel noise."""
    shares: Dict[str, Dict[str, Dict[str, List[int]]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        hits, count = shares[row.algorithm][row.correction].get(f'{row.odometry_noise:g}', (0, 0))
        shares[row.algorithm][row.correction][f'{row.odometry_noise:g}'] = [
            hits + row.success, count + 1]
    return {'shares': shares, 'contacts': sum(row.contacts > 0 for row in rows), 'all': len(rows)}


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
    return Part(f'bug_nav campaign --world random:cluttered --goals both --robot {name} '
                '--algorithm bug1,bug2 --turn left,right --seed {seed}',
                '--count 4 --set repetitions=1', '--count 50 --set repetitions=1',
                campaign(by_world),
                name not in LIDARS)


MEASUREMENTS: Dict[str, Measurement] = {
    'protocol': Measurement('README.md', {'protocol': Part(
        'bug_nav campaign turtlebot3_2024', '', '--multiply 10',
        campaign(by_world))}, verdict_shares),
    'verdicts': Measurement('docs/verdicts.md', {'verdicts': Part(
        'bug_nav campaign verdicts --algorithm complete --seed {seed}', '--turn left',
        '--multiply 9', campaign(by_world))}, verdict_shares),
    'drift': Measurement('docs/verdicts.md', {
        'without': Part(f'{DRIFT}none --time-allowance 900', f'--algorithm bug2 {FEW}',
                        '--algorithm bug1,bug2 --multiply 2', campaign(by_variant), True),
        'matched': Part(f'{DRIFT}scan_matching', f'--algorithm bug2 {FEW}',
                        '--algorithm bug1,bug2,tangent_bug --multiply 8',
                        campaign(by_variant), True)},
        group_shares),
    'alike': Measurement('docs/verdicts.md', {'alike': Part(
        ALIKE, '--algorithm bug2 --count 2 --set repetitions=1',
        '--algorithm bug1,bug2,dist_bug,tangent_bug --count 4 --set repetitions=1',
        campaign(by_goal), True)}, group_shares),
    'moving': Measurement('docs/campaigns.md', {'moving': Part(
        'bug_nav campaign moving --seed {seed}', '--algorithm bug2 --set twins=false',
        '--algorithm bug1,bug2,tangent_bug --multiply 6', campaign(by_twin), True)},
        group_shares),
    'hostile': Measurement('README.md', {'hostile': Part(
        'python tools/hostile.py --seconds 8 --seed {seed}', '--episodes 500',
        '--episodes 10000', read_hostile)}, hostile_shares),
    'robots': Measurement('docs/robots.md', {name: _robot(name) for name in ROBOTS},
                          verdict_shares),
    'touch': Measurement('docs/followers.md', {'touch': Part(
        'bug_nav campaign --world random:cluttered --goals both --algorithm bug2 '
        '--turn alternating --set settings.sensing=contact --seed {seed}', '--count 10',
        '--count 60', campaign(by_world))}, verdict_shares),
    'followers': Measurement('docs/followers.md', {'followers': Part(
        'python tools/compare_followers.py --scenes arena_out box demo door_050 goal_solid graze '
        'pole ring_goal ring_start two_close u_trap maze', '--followers rolling_disc --worlds 4',
        '--worlds 10', lines, True)}, follower_shares),
    'doors': Measurement('docs/moving.md', {'doors': Part(
        'python tools/draw_doors.py', '--out doors.png', '', lines)}, door_shares),
    'mcguire': Measurement('docs/campaigns.md', {'mcguire': Part(
        'bug_nav campaign mcguire_2019',
        "--seed {seed} --algorithm alg2,bug2 --set 'odometry=[{model: encoders, noise: [0.1]}]' "
        '--set worlds.0.count=3 --set worlds.1.count=3 --set repetitions=1',
        "--set 'odometry=[{model: encoders, noise: [0, 0.1, 0.2]}]' --set worlds.0.count=5 "
        '--set worlds.1.count=5; python tools/draw_mcguire.py out',
        campaign(by_noise), True)}, noise_shares),
    'yufka': Measurement('docs/campaigns.md', {
        'sonars': Part('bug_nav campaign yufka_2009', f'--seed {{seed}} {COURSES}', '',
                       campaign(by_world), True),
        'lidar': Part('bug_nav campaign yufka_2009 --robot waffle_pi '
                      '--algorithm bug1,bug2,class1,alg1,alg2,dist_bug',
                      f'--seed {{seed}} {COURSES}', '', campaign(by_world))}, verdict_shares),
    'swarm': Measurement('docs/algorithms/sgba.md', {
        start: Part(f'python tools/swarm.py --start {start}', '--seeds 1 --minutes 2',
                    '--seeds 2', lines) for start in ('corner', 'middle')}, swarm_shares),
    'timing': Measurement('README.md', {'timing': Part(
        'python tools/measure_speed.py', '--here --episodes 3 --repeats 1',
        '--episodes 10 --repeats 1', lines)}, lambda data: {}, times=timing_times),
    'playground': Measurement('docs/playground.md', {'playground': Part(
        'python tools/measure_page.py', None, '', lines)}, lambda data: {}),
    'cost': Measurement('docs/your_robot.md', {'cost': Part('make cost', None, '', lines)},
                        lambda data: {}),
}


# ---- running -----------------------------------------------------------------------------------

class Workspace:
    """A new folder to run commands in, with its own HOME and environment."""

    def __init__(self, folder: Path, seed: int, workers: int, is_long: bool) -> None:
        """Make the folders; programs of this environment come first in PATH."""
        self.folder, self.seed, self.workers, self.is_long = folder, seed, workers, is_long
        self._driving = threading.Lock()
        home, programs = folder / 'home', folder / 'programs'
        for made in (home, programs):
            made.mkdir(parents=True)
        for name in ('bug_nav', 'python', 'python3'):
            self._program(programs / name)
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(('XDG_', 'MPL', 'BUG_NAV_'))}
        self.environment = {**kept, 'HOME': str(home), 'COLUMNS': '100', 'BROWSER': 'true',
                            'PATH': os.pathsep.join((str(programs), os.environ['PATH'])),
                            'PYTHONPATH': os.pathsep.join(filter(None, (
                                str(ROOT), os.environ.get('PYTHONPATH'))))}

    @staticmethod
    def _program(path: Path) -> None:
        entry = '-m bug_nav ' if path.name == 'bug_nav' else ''
        own = PROGRAMS / path.name
        call = (shlex.quote(str(own)) if own.exists() and path.name == 'bug_nav'
                else f'{shlex.quote(sys.executable)} {entry}')
        path.write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding='utf-8')
        path.chmod(0o755)

    def work(self, name: str) -> Path:
        """Return a new folder to run in."""
        folder = self.folder / 'work' / name
        folder.mkdir(parents=True)
        return folder

    def page_work(self, name: str, line: str) -> Path:
        """Return a new folder for a command, with the map, world and rows that the pages name."""
        folder = self.work(name)
        (folder / 'my_map.yaml').write_text(MAP, encoding='utf-8')
        image = np.full((120, 160), 255, np.uint8)
        image[[0, -1]], image[:, [0, -1]], image[40:60, 60:80] = 0, 0, 0
        Image.fromarray(image).save(folder / 'my_map.png')
        shutil.copy(ROOT / 'worlds' / 'convex.world', folder / 'my_hall.world')
        if line.startswith('bug_nav report'):
            for place in ('', 'out/family', 'out/robots'):
                (folder / place).mkdir(parents=True, exist_ok=True)
                shutil.copy(self._rows(), folder / place / 'rows.csv')
        return folder

    def _rows(self) -> Path:
        """Return the rows of a small campaign, which runs on the first call."""
        with self._driving:
            rows = self.folder / 'rows.csv'
            if not rows.exists():
                driven = self.run('bug_nav campaign --world box,u_trap --algorithm bug1,bug2 '
                                  '--robot burger,waffle_pi --set repetitions=1 --format csv '
                                  f'--workers 1 --out {self.folder}/rows', self.folder)
                shutil.copy(self.folder / 'rows' / 'rows.csv', rows)
                assert driven[0] == 0, driven[1]
        return rows

    def run(self, command: str, folder: Path, shown: bool = False) -> Tuple[int, str]:
        """Run a shell command; return its exit code and output (without progress)."""
        # exec, so that the command itself exits with this process and by the timeout.
        done = subprocess.run(
            command if ';' in command else f'exec {command}', shell=True, cwd=folder,
            preexec_fn=end_with_parent(), env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=None if shown else subprocess.STDOUT, text=True,
            timeout=None if shown else LONGEST, check=False)
        return done.returncode, done.stdout

    def measure(self, name: str, part: Part) -> Tuple[str, Data]:
        """Run a part of a measurement; return the command as in the pages, and the data."""
        shown = ' '.join(filter(None, (part.command, part.long if self.is_long else part.short)))
        shown = shown.replace('{seed}', str(self.seed))
        folder = self.work(name)
        out = folder / 'out'
        command = shown.replace('tools/', f'{ROOT}/tools/')
        command = re.sub('^make ', f'make --silent --no-print-directory -C {ROOT} ', command)
        command = command.replace(' campaign ', f' campaign --out {out} ', 1)
        command = re.sub(r'( campaign|tools/hostile\.py) ', rf'\1 --workers {self.workers} ',
                         command, count=1)
        _, printed = self.run(command, folder, shown=True)
        return shown.partition(';')[0], part.read(printed, out)


def store(name: str, desk: Workspace) -> None:
    """Measure and write results/NAME.json."""
    began, used, load = time.monotonic(), _cpu_time(), os.getloadavg()[0]
    parts = {}
    for label, part in MEASUREMENTS[name].parts.items():
        _say(f'{name}, {label}')
        command, data = desk.measure(f'{name}_{label}', part)
        parts[label] = {'command': command, 'data': data}
    result = {'name': name, 'commit': commit(), 'date': datetime.date.today().isoformat(),
              'seed': desk.seed, 'machine': machine(), 'versions': versions(),
              'load': round(load, 1), 'seconds': round(time.monotonic() - began),
              'cpu_seconds': round(_cpu_time() - used), 'parts': parts}
    results.RESULTS.mkdir(exist_ok=True)
    with whole(results.RESULTS / f'{name}.json') as path:
        path.write_text(json.dumps(result, indent=1, allow_nan=False) + '\n', encoding='utf-8')


def stored(name: str, desk: Workspace) -> bool:
    """Measure and store; without figures, report it and return False."""
    try:
        store(name, desk)
    except NO_FIGURES as error:
        _say(f'{name} has no figures: {type(error).__name__}: {error}')
        return False
    return True


def check(name: str, desk: Workspace) -> Iterator[Check]:
    """Measure the short version and compare it with the stored result."""
    measurement = MEASUREMENTS[name]
    try:
        kept = results.load(name)
    except results.NotMeasured as missing:
        yield Check(measurement.page, name, 'no figure', str(missing), None)  # nor on the page
        return
    for label, part in measurement.parts.items():
        if part.short is None:
            continue
        _say(f'{name}, {label}')
        try:
            command, data = desk.measure(f'{name}_{label}', part)
            fresh = measurement.shares(data)
        except NO_FIGURES as error:
            yield Check(measurement.page, f'{name}, {label}', 'figures',
                        f'none: {type(error).__name__}: {error}', False, part.command)
            continue
        old = kept['parts'][label]['data']
        what = name if label == name else f'{name}, {label}'
        yield from compared(measurement.page, part.studied, what, measurement.shares(old), fresh,
                            command)
        for which, value in measurement.times(data).items():
            yield Check(measurement.page, f'{name}: {which}',
                        measurement.times(old).get(which, ''), value, None)


def compared(page: str, studied: bool, what: str, stored: Shares, fresh: Shares, command: str
             ) -> Iterator[Check]:
    """Yield a check of each measured share; empty shares are skipped."""
    for name, share in fresh.items():
        if not share.count:
            continue
        expected = stored.get(name)
        if expected is None or not expected.count:
            yield Check(page, f'{what}: {name}', 'not stored', str(share), False,
                        command)
            continue
        complete = expected.hits == expected.count
        if complete and not studied:
            holds = share.hits == share.count
        else:
            holds = wilson(*share, STRICT)[1] >= wilson(*expected, STRICT)[0]
        yield Check(page, f'{what}: {name}', str(expected), str(share), holds, command)


# ---- the commands of the pages -----------------------------------------------------------------

MAP = """image: my_map.png
resolution: 0.05
origin: [0.0, 0.0, 0.0]
negate: 0
occupied_thresh: 0.65
free_thresh: 0.25
"""
"""Map of a room of 8 m by 6 m with a pillar."""
SKIPPED: Dict[str, str] = {
    r'ros2 |send-goal|bug_nav demo|--live|bug_nav check( |$)(?!.*--bag)': 'needs ROS 2: test/ros',
    r'world my_map|my\.yaml|office|my_recording|take_2|/map\.yaml|intel':
        'names a file of the reader',
    r'picky_bug': 'needs the plug-in of that page: test/test_plugin_example.py',
    r'^bug_nav campaign turtlebot3_2024$': 'the measurement `protocol` runs it',
    r'--scheduler tcp': 'needs a cluster: test/lab',
    r'campaign (drift|moving|mcguire_2019|yufka_2009|family)|--multiply|--count 24':
        'takes minutes or hours: its short version is a measurement here',
}
"""Commands of the pages that are not run: pattern and reason."""


class Command(NamedTuple):
    """A command in a code block of a page, and the output that the page shows."""

    page: str
    line: str
    printed: Tuple[str, ...]

    @property
    def skipped(self) -> str:
        """Return why the command is not run; '' if it is."""
        return next((why for pattern, why in SKIPPED.items() if re.search(pattern, self.line)), '')


def blocks(text: str) -> Iterator[Tuple[str, str]]:
    """Yield language and text of each code block of a page."""
    yield from re.findall(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S)


def commands_of(page: str, text: str) -> Iterator[Command]:
    """Yield the `bug_nav` commands in code blocks; `$ ` marks commands in blocks with output."""
    for language, block in blocks(text):
        if language not in ('', 'bash', 'sh', 'console'):
            continue
        block = re.sub(r'\\\n\s*', '', block)
        commands: List[Tuple[str, List[str]]] = []
        for line in block.splitlines():
            found = re.match(r'\$ (.*)' if block.startswith('$ ') else '(.*)', line)
            if found:
                commands.append((found[1], []))
            else:
                commands[-1][1].append(line)
        for line, printed in commands:
            line = re.sub(r'\s+#.*', '', line)
            if line.startswith('bug_nav '):
                yield Command(page, line, tuple(printed))


def python_of(page: str) -> str:
    """Return the Python blocks of a page as one program."""
    text = (ROOT / page).read_text(encoding='utf-8')
    return '\n'.join(block for language, block in blocks(text) if language == 'python')


def pages() -> List[str]:
    """Return the pages whose commands are run."""
    return ['README.md', *sorted(f'docs/{path.name}' for path in (ROOT / 'docs').glob('*.md'))]


def all_commands() -> Tuple[List[Command], List[Command]]:
    """Return the commands of the pages to run, each once, and those to skip."""
    found: Dict[Tuple[str, Tuple[str, ...]], Command] = {}
    for page in pages():
        for command in commands_of(page, (ROOT / page).read_text(encoding='utf-8')):
            found.setdefault((command.line, command.printed), command)
    return ([each for each in found.values() if not each.skipped],
            [each for each in found.values() if each.skipped])


def run_command(desk: Workspace, number: int, command: Command) -> Check:
    """Run a command of a page verbatim and compare its output with the page."""
    folder = desk.page_work(f'page_{number}', command.line)
    began = time.monotonic()
    try:
        if command.line.startswith('bug_nav play'):
            code, printed = _served(desk, command.line, folder), ''
        else:
            code, printed = desk.run(command.line, folder)
    except subprocess.TimeoutExpired:
        code, printed = -1, ''
    took = f'{time.monotonic() - began:.0f} s'
    missing = missing_line(command.printed, printed)
    ends_well = code == (2 if any(line.startswith('bug_nav: ') for line in command.printed) else 0)
    measured = f'exit {code}' if not ends_well or missing is None else f'no "{missing}"'
    _say(f'{took:>6}  {command.line}' + ('' if ends_well and missing is None
                                         else f'\n{printed[-2000:]}'))
    return Check(command.page, command.line, 'as the page says' if command.printed else 'exit 0',
                 f'{measured}, {took}', ends_well and missing is None, command.line)


def missing_line(expected: Iterable[str], printed: str) -> Optional[str]:
    """
    Return the first line of a page that was not printed in order; None if there is none.

    Three dots match any text.
    """
    rest = iter(printed.splitlines())
    for line in expected:
        pattern = '.*'.join(map(re.escape, line.rstrip().split('...')))
        if not any(re.fullmatch(pattern, given.rstrip()) for given in rest):
            return line
    return None


def rewritten(expected: Sequence[str], printed: str) -> Tuple[str, ...]:
    """
    Return the lines of a page with current output, matched by the first word.

    Lines that match with three dots stay.
    """
    given = {line.split()[0]: line.rstrip() for line in reversed(printed.splitlines())
             if line.strip()}
    now = [given.get(line.split()[0] if line.strip() else '', line) for line in expected]
    return tuple(line if missing_line([line], each) is None else each
                 for line, each in zip(expected, now))


def store_pages(desk: Workspace) -> None:
    """Update the output of commands in the pages."""
    for number, command in enumerate(all_commands()[0]):
        if not command.printed:
            continue
        _, printed = desk.run(command.line, desk.page_work(f'page_{number}', command.line))
        before = '\n'.join(('', f'$ {command.line}', *command.printed, ''))
        after = '\n'.join(('', f'$ {command.line}', *rewritten(command.printed, printed), ''))
        path = ROOT / command.page
        path.write_text(path.read_text(encoding='utf-8').replace(before, after), encoding='utf-8')


def _served(desk: Workspace, line: str, folder: Path) -> int:
    """Run `bug_nav play` until it serves, interrupt it, and return 0 if that stops it."""
    server = subprocess.Popen(
        shlex.split(line), cwd=folder, env=desk.environment, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=end_with_parent(),
        executable=shutil.which('bug_nav', path=desk.environment['PATH']))
    late = threading.Timer(LONGEST, server.kill)
    late.start()
    assert server.stderr is not None
    with server.stderr as output:
        for text in output:
            if 'http://' in text:
                server.send_signal(signal.SIGINT)
                break
        output.read()
    code = server.wait()
    late.cancel()
    return 0 if code == 130 else code or -1


# ---- figures in the text -----------------------------------------------------------------------

def episodes(name: str, factor: int = 1, **changes: Any) -> int:
    """Return the number of episodes of a campaign."""
    return multiplied(load_spec(name, list(changes.items())), factor).total


def recording_size(desk: Workspace) -> float:
    """Return the size of a recording of `demo` per simulated minute [MB]."""
    folder = desk.work('recording')
    _, printed = desk.run('bug_nav run demo --json --record demo.mcap', folder)
    report = json.loads(next(line for line in printed.splitlines() if line.startswith('{')))
    return (folder / 'demo.mcap').stat().st_size / 1e6 / (report['time'] / 60.0)


class Text(NamedTuple):
    """A figure in the text of a page: a pattern with one group, and its measurement."""

    page: str
    pattern: str
    measure: Callable[[Workspace], float]
    tolerance: float = 0.0
    """Maximum relative difference."""


TEXTS = (
    Text('docs/campaigns.md', r'turtlebot3_2024 +# the paper\'s (\d+) runs',
         lambda desk: episodes('turtlebot3_2024')),
    Text('docs/campaigns.md', r'drift --algorithm bug2 +# a quick look: (\d+) episodes',
         lambda desk: episodes('drift', algorithms=['bug2'])),
    Text('docs/campaigns.md', r'drift --multiply 8 .*# (\d+) judged episodes in each line',
         lambda desk: episodes('drift', 8, variants=[{}], corrections=['none'])),
    Text('docs/campaigns.md', r'moving --multiply 10 .*# (\d+) judged cases',
         lambda desk: episodes('moving', 10, algorithms=['bug2'], twins=False)),
    Text('docs/recording.md', r'A simulated minute takes about ([\d.]+) MB', recording_size, 0.3),
)


def check_text(desk: Workspace, text: Text) -> Check:
    """Compare a figure in the text of a page with its measurement."""
    found = re.search(text.pattern, (ROOT / text.page).read_text(encoding='utf-8'))
    if not found:
        return Check(text.page, text.pattern, 'a figure in the page', 'none', False)
    measured, claimed = text.measure(desk), float(found[1])
    return Check(text.page, found[0], found[1], f'{measured:.4g}',
                 abs(measured - claimed) <= text.tolerance * claimed)


# ---- provenance --------------------------------------------------------------------------------

def _git(*arguments: str) -> str:
    done = subprocess.run(['git', *arguments], cwd=ROOT, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout.strip()


@functools.lru_cache(maxsize=None)
def commit() -> str:
    """Return the commit, and whether there are uncommitted changes."""
    changed = _git('status', '--porcelain', '--', 'bug_nav', 'campaigns', 'worlds', 'params')
    return (_git('rev-parse', '--short=8', 'HEAD') or 'unknown') + (' and changes' if changed
                                                                    else '')


def fresh_seed() -> int:
    """Return a seed derived from the commit, for reproducibility; without git, from the date."""
    found = _git('rev-parse', 'HEAD')
    return int(found[:7], 16) if found else datetime.date.today().toordinal()


def machine() -> str:
    """Return machine and interpreter as text."""
    return (f'{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}')


def versions() -> Dict[str, str]:
    """Return the versions of the libraries that figures depend on."""
    found = {}
    for name in ('numpy', 'numba', 'shapely'):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[name] = importlib.metadata.version(name)
    return found


def _cpu_time() -> float:
    """Return the CPU time of all finished child processes [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def stale(name: str) -> str:
    """Return the number of commits to the code since a result was measured, as text."""
    with contextlib.suppress(results.NotMeasured):
        return _behind(name, results.load(name)['commit'].split()[0])
    return ''


def _behind(name: str, since: str) -> str:
    count = _git('rev-list', '--count', f'{since}..HEAD', '--', 'bug_nav', 'campaigns')
    return '' if count in ('0', '') else f'{name}: bug_nav/ has {count} commits since {since}'


# ---- the command -------------------------------------------------------------------------------

def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def report(checks: Sequence[Check]) -> str:
    """Return the table, with failed checks last, and the commands that repeat them."""
    order = sorted(checks, key=lambda each: each.holds is False)
    cells = [(f'{each.page}: {each.claim.splitlines()[0]}'[:110], each.expected[:40],
              each.measured[:60],
              {True: 'holds', False: 'DOES NOT HOLD', None: 'not judged'}[each.holds])
             for each in order]
    cells.insert(0, ('claim', 'expected', 'measured', ''))
    widths = [max(len(row[k]) for row in cells) for k in range(4)]
    rows = ['  '.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in cells]
    repeats = dict.fromkeys(each.repeat for each in checks if each.holds is False and each.repeat)
    return '\n'.join([*rows, *(f'repeat: {command}' for command in repeats)])


def check_all(names: Sequence[str], desk: Workspace, with_pages: bool) -> List[Check]:
    """Return all checks: first the commands of the pages, in parallel."""
    checks: List[Check] = []
    if with_pages:
        run, skipped = all_commands()
        for each in skipped:
            _say(f'not run, {each.skipped}: {each.line}')
        run.append(Command('README.md', f'python -c {shlex.quote(python_of("README.md"))}', ()))
        with ThreadPoolExecutor(desk.workers) as pool:
            checks += pool.map(lambda pair: run_command(desk, *pair), enumerate(run))
        checks += [check_text(desk, text) for text in TEXTS]
    for name in names:
        checks += check(name, desk)
    return checks


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog='make claims', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--seed', type=int, help='seed (default: derived from the commit)')
    parser.add_argument('--only', metavar='NAME[,NAME...]', default='',
                        help=f'pages, {", ".join(MEASUREMENTS)}')
    parser.add_argument('--store', action='store_true',
                        help='measure the long versions, and write results/ and the pages')
    parser.add_argument('--short', action='store_true', help='store the short versions')
    parser.add_argument('--workers', type=int, default=os.cpu_count() or 1, metavar='W',
                        help='number of processes (default: %(default)s)')
    return parser


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit code."""
    parser = make_parser()
    given = parser.parse_args(argv)
    only = [name for name in given.only.split(',') if name]
    unknown = [name for name in only if name not in ('pages', *MEASUREMENTS)]
    if unknown:
        parser.error(f'unknown measurement {unknown[0]!r}; give some of: pages, '
                     f'{", ".join(MEASUREMENTS)}')
    seed = fresh_seed() if given.seed is None else given.seed
    names = [name for name in MEASUREMENTS if not only or name in only]
    with_pages = not only or 'pages' in only
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix='claims-') as folder:
        desk = Workspace(Path(folder), seed, given.workers, given.store and not given.short)
        _say(f'seed {seed}, commit {commit()}')
        if given.store:
            failed = [name for name in names if not stored(name, desk)]
            if with_pages:
                store_pages(desk)
            written = make_doc_tables.main([]) or make_tables.main([])
            return 1 if failed else written
        checks = check_all(names, desk, with_pages)
    print(report(checks))
    for text in filter(None, map(stale, names)):
        print(text)
    failed = sum(each.holds is False for each in checks)
    print(f'{len(checks)} claims, {failed} do not hold; seed {seed}, '
          f'{time.monotonic() - began:.0f} s')
    return 1 if failed else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
