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
Write the tables and pages of the algorithms.

These are docs/algorithms.md with the table of all, a page for each in docs/algorithms/, and the
table of the best-known ones in README.md and docs/index.rst.

They come from the metadata and parameters of the algorithms, and from measurements
(`tools/measured`). Run without arguments to write, or with `--check` to compare (exit code 1 if
they differ, or if an algorithm cannot be loaded). Needs bug_nav installed, for its entry points.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
import re
import sys
from typing import Dict, List, Optional, Sequence

from bug_nav.cli.algorithms import allowed_values, TURNS, with_unit
from bug_nav.lab.algorithm_catalogue import catalogue, Entry
from make_doc_tables import replaced

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = '<!-- algorithms: written by `make tables` -->', '<!-- algorithms: end -->'
RST_BEGIN, RST_END = '.. algorithms: written by `make tables`', '.. algorithms: end'
COMPLETE = 'reaches the goal, or proves that it cannot be reached'
"""Guarantee of most algorithms, which the table abbreviates as `complete`."""
BEST_KNOWN = (
    'bug0', 'bug1', 'bug2', 'tangent_bug', 'dist_bug', 'vis_bug_21', 'wedge_bug', 'i_bug')
"""The algorithms in the table of README.md."""
MEASURED = ROOT / 'tools' / 'measured'
"""Folder of measurements, NAME.md, which end the section of an algorithm."""

INTRODUCTION = """# The algorithms

`make tables` writes this page from the metadata of the algorithms, which `bug_nav algorithms` also
prints, with [your own](write_your_own_algorithm.md).

![Every algorithm in the same scene](images/family.png)

{begin}
{table}

{ideas}
{end}

`D` is the distance from start to goal, `p_i` the perimeter of obstacle i (inflated by the
robot), and `n_i` the number of times that the straight line from start to goal crosses it.
*complete*: the algorithm reaches the goal, or proves that the goal cannot be reached, in a
static world. \\* reconstructed: no available source has all steps. *The bounds* are published for
a point robot, and not proven for our implementations: "of the original", or "of Bug1" for
algorithms that drive at most as far as Bug1.

On the page of an algorithm, the picture is `bug_nav run gallery --algorithm NAME --turn left`. In
the steps, `d(x)` is the distance from x to the goal, and `H_i` a hit point. The step names are the
paper's, if it has any. *(ours)* marks a step or a condition that is not in the paper.

## Differences from the papers

No algorithm follows its paper to the letter. The row "differences" of each page lists them,
and the source of the steps. These differences are common to all:

- *The point is a disc* of radius rho, and obstacles are inflated by rho
  ([why](design.md#a-robot-that-is-not-a-point)). Obstacles less than 2 rho apart count as one. A
  gap near 2 rho is judged once.
- *Blocked and free are not complements.* The way to the goal is blocked if less than
  `hit_distance` is free, and free if `clear_distance` is free, or the whole way to the goal. A
  rule that asks for "closer" has a margin: a parameter of the algorithm, or a few centimetres.
- *A lap is closed* when its last 0.4 m run beside an earlier 0.4 m of it, not at the hit point.
- *The safe rule* of complete algorithms. In the papers, a lap without a leave point proves that
  there is no way. Here, a closed lap is a proof only if it encloses the goal or the robot, but not
  both. For a point with perfect sensors, both rules are equivalent. Otherwise the robot goes to
  the closest point of the lap by the shorter way and leaves there; algorithms with an M-line draw
  a new one from it.
"""


def own() -> List[Entry]:
    """Return the algorithms that come with this package."""
    return [entry for entry in catalogue() if entry.is_shipped]


def formula(bound: str) -> str:
    """Return a bound as Markdown: formulas as code with mathematical symbols."""
    found = re.fullmatch(r'(D \+ .*?)((?: \(|, ).*)?', bound)
    if not found:
        return bound
    text = re.sub(r'ceil\((.*?)\)', r'⌈\1⌉', found[1]).replace('sum of', 'Σ')
    return f'`{text}`{found[2] or ""}'


def table(entries: Sequence[Entry], folder: str = 'algorithms') -> str:
    """Return a table of algorithms that links to their pages in a folder."""
    lines = ['| algorithm | paper | senses | guarantees | path at most |', '|---|---|---|---|---|']
    for entry in entries:
        metadata = entry.metadata
        names = ', '.join(f'`{name}`' for name in (entry.name, *entry.aliases))
        guarantee = 'complete' if metadata.guarantee == COMPLETE else metadata.guarantee
        cells = (f'[{names}]({folder}/{entry.name}.md)',
                 metadata.source + (' \\*' if metadata.reconstructed else ''), metadata.sensing,
                 guarantee, formula(metadata.bound))
        lines.append(f'| {" | ".join(map(_cell, cells))} |')
    return '\n'.join(lines)


def index_table(entries: Sequence[Entry]) -> str:
    """Return the table for the first page of the site, in reStructuredText."""
    lines = ['.. list-table::', '   :header-rows: 1', '']
    rows = [_columns(row) for row in table(entries).splitlines()]
    for cells in (rows[0], *rows[2:]):
        lines += [f'   {"-" if k else "* -"} {_as_rst(cell)}'.replace('   - ', '     - ')
                  for k, cell in enumerate(cells)]
    return '\n'.join(lines)


def _columns(row: str) -> List[str]:
    return [cell.strip() for cell in row.strip('|').split(' | ')]


def _as_rst(cell: str) -> str:
    """Return a Markdown cell as reStructuredText: links, code and the escaped asterisk."""
    link = re.fullmatch(r'\[(.*)\]\((.*)\.md\)', cell)
    if link:
        return f':doc:`{link[1].replace("`", "")} <{link[2]}>`'
    return cell.replace('`', '``')


def _cell(text: str) -> str:
    return text.replace('|', '\\|')


def overview(entries: Sequence[Entry]) -> str:
    """Return docs/algorithms.md."""
    ideas = '\n'.join(f'- [{entry.metadata.title}](algorithms/{entry.name}.md): {entry.idea}'
                      for entry in entries)
    names = '\n'.join(f'algorithms/{entry.name}' for entry in entries)
    return (INTRODUCTION.format(begin=BEGIN, table=table(entries), ideas=ideas, end=END)
            + f'\n```{{toctree}}\n:hidden:\n\n{names}\n```\n')


def page(entry: Entry) -> str:
    """Return docs/algorithms/NAME.md."""
    metadata = entry.metadata
    also = f' Also registered as {", ".join(f"`{name}`" for name in entry.aliases)}.'
    rows = [('senses', metadata.sensing), ('remembers', metadata.memory),
            ('complete', 'yes' if metadata.complete else '**no**'),
            ('guarantee', metadata.guarantee),
            ('path at most', formula(metadata.bound)),
            ('turn direction', TURNS.get(metadata.turn, metadata.turn)),
            ('differences', metadata.differences or 'none')]
    parts = [f'# {entry.name}',
             f'**{metadata.title}**, {metadata.source}.' + (also if entry.aliases else ''),
             entry.idea,
             f'![{metadata.title} in the gallery](../images/algorithms/{entry.name}.png)',
             '\n'.join(['| | |', '|---|---|',
                        *(f'| {name} | {_cell(text)} |' for name, text in rows if text)])]
    if entry.steps:
        parts.append('\n'.join(['| step | |', '|---|---|', *(
            f'| {step.name} | {_cell(step.text)} |' for step in entry.steps)]))
    if entry.parameters:
        parts.append('\n'.join(['| parameter | default | allowed | |', '|---|---|---|---|',
                                *(_parameter_row(entry, field) for field in entry.parameters)]))
    measured = MEASURED / f'{entry.name}.md'
    if measured.is_file():
        # One level higher than in a section, and one folder lower.
        text = re.sub(r'^#(#+ )', r'\1', measured.read_text(encoding='utf-8').strip(), flags=re.M)
        parts.append(re.sub(r'(\]\()(?!https?:|#)', r'\1../', text))
    return '\n\n'.join(filter(None, parts)) + '\n'


def _parameter_row(entry: Entry, field: dataclasses.Field) -> str:
    cells = (f'`{entry.name}.{field.name}`', with_unit(field), allowed_values(field),
             field.metadata.get('doc', ''))
    return f'| {" | ".join(map(_cell, cells))} |'


def documents(entries: Sequence[Entry]) -> Dict[Path, str]:
    """Return the generated texts of the documents."""
    readme, index = ROOT / 'README.md', ROOT / 'docs' / 'index.rst'
    known = sorted((entry for entry in entries if entry.name in BEST_KNOWN),
                   key=lambda entry: BEST_KNOWN.index(entry.name))
    return {readme: _between(readme, BEGIN, f'\n{table(known, "docs/algorithms")}\n', END),
            index: _between(index, RST_BEGIN, f'\n\n{index_table(known)}\n\n', RST_END),
            ROOT / 'docs' / 'algorithms.md': overview(entries),
            **{ROOT / 'docs' / 'algorithms' / f'{entry.name}.md': page(entry)
               for entry in entries}}


def _between(path: Path, begin: str, table: str, end: str) -> str:
    """Return the text of a document with the table between its markers replaced."""
    before, _, rest = path.read_text(encoding='utf-8').partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f'{path.name} has no {begin} ... {end}')
    return f'{before}{begin}{table}{end}{after}'


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare the documents; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    check = parser.parse_args(arguments).check
    broken = [entry for entry in own() if entry.error]
    for entry in broken:
        print(f'{entry.name} cannot be loaded and is omitted: {entry.error}', file=sys.stderr)
    differing = False
    for path, text in documents([entry for entry in own() if not entry.error]).items():
        before = path.read_text(encoding='utf-8') if path.is_file() else ''
        differing |= replaced(path, before, text, check)
    return 1 if broken or differing else 0


if __name__ == '__main__':
    sys.exit(main())
