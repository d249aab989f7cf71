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
Write the generated tables of docs/: keys, columns, presets, worlds, parameters, fields, figures.

They come from the code and the message definitions; the measured figures, also those of
README.md, and the stored scores of the benchmark, from the files in results/. Run without
arguments to write, or with `--check` to compare (exit code 1 if they differ). Needs bug_nav
installed, and no ROS.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
from pathlib import Path
import re
import sys
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Type

from bug_nav.cli.algorithms import allowed_values, with_unit
from bug_nav.cli.robots import sensor_summary
from bug_nav.cli.worlds import description
from bug_nav.lab.algorithm_catalogue import catalogue
from bug_nav.lab.benchmark import REFERENCE
from bug_nav.lab.grading.assignment import Assignment, Course, Submission
from bug_nav.lab.grading.rubric import KINDS as CRITERIA
from bug_nav.lab.rows import Row
from bug_nav.lab.spec import AUTO, Odometry, OWN, Spec, Variant, Worlds
from bug_nav.lab.table import KINDS
from bug_nav.navigation.parameters import ParameterSet
from bug_nav.navigation.settings import contour_radius, RobotModel, Settings
from bug_nav.ros.node.settings import GoalDefaults, NodeSettings
from bug_nav.ros.sim.settings import MoversSettings, SimSettings, SimSwitches
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.latency import TimingModel
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.parts import LIDARS, Part, Parts, WHEELS
from bug_nav.simulation.robots import ROBOTS
from bug_nav.simulation.sensors import LidarModel
import results
import yaml

ROOT = Path(__file__).resolve().parent.parent
MESSAGES = ROOT / 'bug_nav_msgs'
REPEATED = 'repeated'
"""Beginning of the names of measurements in results/rivals that repeat one trial."""
KEYS: Dict[str, Type] = {'campaign': Spec, 'worlds': Worlds, 'odometry': Odometry,
                         'variants': Variant}
"""Tables of keys, by the name of their markers."""
PARAMETERS: Dict[str, Type[ParameterSet]] = {
    'robot': RobotModel, 'settings': Settings, 'goal_defaults': GoalDefaults,
    'node': NodeSettings, 'simulator': SimSettings, 'switches': SimSwitches,
    'movers': MoversSettings,
    'parts': Parts, 'lidar': LidarModel, 'odometry': OdometryModel, 'timing': TimingModel}
"""Tables of parameters, by the name of their markers; `algorithms` is added below."""


def table_of_keys(kind: Type) -> str:
    """Return the table of the keys of one class."""
    lines = ['| key | default | allowed | |', '|---|---|---|---|']
    for field in dataclasses.fields(kind):
        meta = field.metadata
        default = '*required*' if meta['required'] else _default(field)
        unit = f' [{meta["unit"]}]' if meta['unit'] else ''
        cells = (f'`{field.name}`', default, meta['reader'].form + unit, meta['doc'])
        lines.append(f'| {" | ".join(cell.replace("|", "/") for cell in cells)} |')
    return '\n'.join(lines)


def _default(field: dataclasses.Field) -> str:
    """Return the default of a key as typed in YAML."""
    value: Any = field.default
    if value is dataclasses.MISSING or value == () or field.name == 'rubric':
        return ''
    if field.name in ('odometry', 'variants', 'settings') or value in (None, ''):
        return f'`{AUTO}`' if field.name == 'time_allowance' else ''
    if isinstance(value, tuple):
        (value,) = value
    if value is None:
        return f'`{OWN}`'
    return f'`{str(value).lower() if isinstance(value, bool) else _plain(value)}`'


def _plain(value: Any) -> str:
    return f'{value:g}' if isinstance(value, float) else str(value)


def table_of_columns() -> str:
    """Return the table of the columns of a row."""
    names = {bool: 'boolean', int: 'integer', float: 'number', str: 'text'}
    lines = ['| column | type | unit | |', '|---|---|---|---|']
    for field in dataclasses.fields(Row):
        meta = field.metadata
        lines.append(f'| `{field.name}` | {names[KINDS[field.name]]} | {meta["unit"]} | '
                     f'{meta["about"]} |')
    return '\n'.join(lines)


def table_of_robots() -> str:
    """Return the table of the presets."""
    lines = ['| robot | R | rho | maximum speeds | sensor | |', '|---|---|---|---|---|---|']
    for name, preset in ROBOTS.items():
        model = preset.model
        base = ', omnidirectional' if model.base == 'omni' else ''
        cells = (f'`{name}`', f'{model.robot_radius:g} m',
                 f'{contour_radius(model, preset.settings):g} m',
                 f'{model.max_vel_x:g} m/s, {model.max_vel_theta:g} rad/s', sensor_summary(preset),
                 preset.title + base)
        lines.append(f'| {" | ".join(cells)} |')
    return '\n'.join(lines)


def table_of_worlds() -> str:
    """Return the table of the shipped worlds."""
    worlds = {name: find_world(name) for name in shipped_worlds()}
    return table(('world', '', 'start', 'goal'), (
        (f'`{name}`', description(name), *(','.join(f'{value:g}' for value in place or ())
                                           for place in (world.start, world.goal)))
        for name, world in worlds.items()))


def table_of_parts(parts: Dict[str, Part]) -> str:
    """Return the table of lidars, or of wheels."""
    return table(('name', '', 'sets', 'sources', 'not published'), (
        (f'`{name}`', part.title, ', '.join(f'`{called}={_short(value)}`'
                                            for called, value in part.values.items()),
         '; '.join(part.sources), part.assumed) for name, part in parts.items()))


def _short(value: Any) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value).lower()


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with Markdown in its cells."""
    lines = (head, ['---'] * len(head),
             *([cell.replace('|', '\\|') for cell in row] for row in rows))
    return '\n'.join(f'| {" | ".join(line)} |' for line in lines)


def table_of_parameters(groups: Dict[str, Type[ParameterSet]]) -> str:
    """Return the table of the parameters of some dataclasses, by the prefix of their names."""
    return table(('parameter', 'default', 'allowed', ''), (
        (f'`{prefix}{field.name}`', with_unit(field).strip() or 'empty', allowed_values(field),
         field.metadata['doc'])
        for prefix, group in groups.items()
        for field in dataclasses.fields(group)))  # type: ignore[arg-type]


def tables_of_parameters() -> Dict[str, str]:
    """Return the tables of docs/parameters.md."""
    own = {f'{entry.name}.': entry.algorithm.Parameters
           for entry in catalogue() if entry.is_shipped and entry.algorithm}
    return {**{name: table_of_parameters({'': group}) for name, group in PARAMETERS.items()},
            'algorithms': table_of_parameters(own)}


class Paragraph(NamedTuple):
    """Paragraph of a message definition, between empty lines."""

    doc: str
    fields: List[str]
    """Type and name of each field."""
    constants: List[Sequence[str]]
    """Name, value and comment of each constant."""


def paragraphs(definition: str) -> List[Paragraph]:
    """Return the paragraphs of a definition, or part of an action, with declarations."""
    found = []
    for block in re.split(r'\n\s*\n', definition.strip()):
        paragraph, comments = Paragraph('', [], []), []  # type: ignore[var-annotated]
        for line in block.splitlines():
            if line.startswith('#'):
                comments.append(line[1:].strip())
                continue
            comment, comments = ' '.join(comments), []
            kind, name = line.split(maxsplit=1)
            if not paragraph.fields and not paragraph.constants:  # the head of the paragraph
                paragraph, comment = paragraph._replace(doc=comment), ''
            if '=' in name:
                paragraph.constants.append((*name.split('='), comment))
            else:
                paragraph.fields.append(f'`{kind} {name}`')
        if paragraph.fields or paragraph.constants:
            found.append(paragraph)
    return found


def tables_of_definition(part: str, definition: str) -> Dict[str, str]:
    """Return the tables of the fields and, by field, of the constants of a part."""
    whole = paragraphs(definition)
    tables = {part: table(('field', ''), (
        ('<br>'.join(each.fields), each.doc) for each in whole if each.fields))}
    for each in whole:
        if any(comment for *_, comment in each.constants):
            name = each.fields[-1].strip('`').split()[-1]
            tables[f'{part}_{name}'] = table(('constant', 'value', ''), (
                (f'`{constant}`', value, comment) for constant, value, comment in each.constants))
    return tables


def tables_of_interfaces() -> Dict[str, str]:
    """Return the tables of docs/interfaces.md."""
    action = (MESSAGES / 'action/NavigateBug.action').read_text(encoding='utf-8')
    point = (MESSAGES / 'msg/BugPoint.msg').read_text(encoding='utf-8')
    parts = dict(zip(('goal', 'result', 'feedback'), re.split(r'\n---\n', action)), point=point)
    return {name: text for part, definition in parts.items()
            for name, text in tables_of_definition(part, definition).items()}


def table_of_family() -> str:
    """Return the algorithms in the order of their years."""
    entries = sorted(((entry.name, entry.metadata) for entry in catalogue()
                      if entry.is_shipped and entry.algorithm),
                     key=lambda each: (_year(each[1].source), each[0]))
    worst = _worst_scenes()
    return table(('year', 'algorithm', 'senses', 'remembers', 'guarantee', 'path at most',
                  'worst scene measured', 'differences from the paper'),
                 ((_year(known.source), f'[{known.title}](../algorithms/{name}.md)',
                   known.sensing, known.memory, known.guarantee, known.bound or 'not known',
                   worst.get(name, 'not measured'), known.differences or 'none known')
                  for name, known in entries))


def _worst_scenes() -> Dict[str, str]:
    """Return the scene of the benchmark in which each algorithm loops, or walks farthest."""
    factors: Dict[str, Dict[str, float]] = {}
    for row in results.stored('bench', 'static'):
        if row.reachable and row.outcome in ('reached', 'loop_detected'):
            factor = (math.inf if row.outcome == 'loop_detected'
                      else row.path_length / row.shortest_path)
            factors.setdefault(row.algorithm, {})[row.world] = factor
    found = {}
    for name, known in factors.items():
        world = max(known, key=lambda each: known[each])
        found[name] = (f'`{world}`: loops' if known[world] == math.inf
                       else f'`{world}`: {known[world]:.1f} times the shortest path')
    return found


def _year(source: str) -> str:
    years = re.findall(r'\b(?:19|20)\d\d\b', source)
    return min(years) if years else 'none'


def table_of_criteria() -> str:
    """Return the table of the criteria of a rubric."""
    return table(('criterion', 'judges', '`best`', '`worst`'), (
        (f'`{name}`', kind.about, f'{kind.best:g}' if 'best' in kind.limits else '',
         f'{kind.worst:g}' if 'worst' in kind.limits else '')
        for name, kind in CRITERIA.items()))


def tables_of_rivals() -> Dict[str, str]:
    """Return the tables of graded programs, from results/rivals."""
    found = {}
    for path in sorted((results.RESULTS / 'rivals').glob('*.json')):
        document = json.loads(path.read_text(encoding='utf-8'))
        if path.stem.startswith(REPEATED):
            continue
        found[path.stem] = table(
            ('program', 'world', 'goal', 'arrival', 'path ÷ shortest', 'contacts', 'verdict',
             'end'),
            (_rival_row(each['name'], trial) for each in document['grades']['submissions']
             for trial in each['trials']))
    found[REPEATED] = table(
        ('', 'points of 100', 'path ÷ shortest', 'time', 'contacts', 'measured factor'),
        map(_repetition_row, sorted((results.RESULTS / 'rivals').glob(f'{REPEATED}*.json'))))
    return found


def _repetition_row(path: Path) -> List[str]:
    """Return the extremes over the submissions of a measurement; its title is the condition."""
    graded = json.loads(path.read_text(encoding='utf-8'))['grades']['submissions']
    trials = [trial for each in graded for trial in each['trials']]
    title = yaml.safe_load(path.with_suffix('.yaml').read_text(encoding='utf-8'))['title']

    def extremes(values: List[float], digits: int) -> str:
        low, high = (f'{value:.{digits}f}' for value in (min(values), max(values)))
        return low if low == high else f'{low} to {high}'
    return [title, extremes([each['points'] for each in graded], 2),
            extremes([each['ratio'] for each in trials], 2),
            f'{extremes([each["time"] for each in trials], 0)} s',
            extremes([each['contacts'] for each in trials], 0),
            extremes([float(each['factor'].split('(')[1].split()[0]) for each in trials], 2)]


def _rival_row(name: str, trial: Dict[str, Any]) -> List[str]:
    contacts = trial['contacts']
    return [
        f'`{name}`', f'`{trial["world"]}`',
        {True: 'reachable', False: 'unreachable', None: 'unjudged'}[trial['reachable']],
        trial['arrival'], f'{trial["ratio"]:.2f}' if trial['ratio'] else '',
        f'{contacts}, {trial["contact_time"]:.0f} s' if contacts else '0',
        (trial['verdict'] + {True: '', False: ' (wrong)', None: ' (unjudged)'}[
            trial['verdict_right']]) if trial['verdict'] else 'none',
        f'{trial["ending"]}, {trial["time"]:.0f} s' if trial['time'] else trial['ending']]


def pages() -> Dict[str, Dict[str, str]]:
    """Return the tables of each page, by the names of their markers."""
    return {'grade.md': {'assignment': table_of_keys(Assignment), 'course': table_of_keys(Course),
                         'submission': table_of_keys(Submission), 'criteria': table_of_criteria()},
            'campaigns.md': {**{name: table_of_keys(kind) for name, kind in KEYS.items()},
                             'columns': table_of_columns()},
            'rivals.md': tables_of_rivals(),
            'robots.md': {'robots': table_of_robots(), 'lidars': table_of_parts(LIDARS),
                          'wheels': table_of_parts(WHEELS)},
            'parameters.md': tables_of_parameters(),
            'course/family.md': {'family': table_of_family()},
            'interfaces.md': tables_of_interfaces(),
            'worlds.md': {'worlds': table_of_worlds()}}


def with_tables(page: str, text: str, tables: Dict[str, str]) -> str:
    """Return the text of a page with its tables replaced."""
    for name, table in tables.items():
        pattern = re.compile(f'(<!-- {name}: [^\n]*-->\n).*?(<!-- {name}: end -->)', re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f'{page} has no <!-- {name}: ... --> and <!-- {name}: end -->')
        text = pattern.sub(lambda found, table=table: f'{found[1]}{table}\n{found[2]}', text)
    return text


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare the pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    check = parser.parse_args(arguments).check
    differing = False
    of_code = {f'docs/{page}': tables for page, tables in pages().items()}
    for page in sorted({*of_code, *results.PAGES}):
        measured = results.tables_of(page) if page in results.PAGES else {}
        before = (ROOT / page).read_text(encoding='utf-8')
        after = with_tables(page, before, {**of_code.get(page, {}), **measured})
        differing |= replaced(ROOT / page, before, after, check)
    with contextlib.suppress(results.NotMeasured):
        before = REFERENCE.read_text(encoding='utf-8') if REFERENCE.exists() else ''
        differing |= replaced(REFERENCE, before, results.bench_reference(), check)
    return 1 if differing else 0


def replaced(path: Path, before: str, after: str, check: bool) -> bool:
    """Write a file, or with ``check`` return whether it would change."""
    if check and after != before:
        print(f'{path.relative_to(ROOT)} does not match code and results/; run `make tables`',
              file=sys.stderr)
        return True
    if not check:
        path.write_text(after, encoding='utf-8')
    return False


if __name__ == '__main__':
    sys.exit(main())
