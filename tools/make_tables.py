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
Write what the documents say of the algorithms: README.md's table and docs/algorithms.md.

All of it comes from the algorithms' own facts and parameters. Run without arguments to write, with
`--check` to compare with what is there (exit code 1 where they differ, or where an algorithm
cannot be loaded). Needs bug_nav installed, for its entry points.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
import re
import sys
from typing import Dict, List, Optional, Sequence

from bug_nav.commands.algorithms import allowed, TURNS, with_unit
from bug_nav.commands.catalogue import catalogue, Entry

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = '<!-- algorithms: written by `make tables` -->', '<!-- algorithms: end -->'
COMPLETE = 'reaches the goal, or proves that it cannot be reached'
"""What most of them guarantee; the table says `complete` for it."""

INTRODUCTION = """# The algorithms

Written by `make tables` from what the algorithms say of themselves, as `bug_nav algorithms` does.
[Write your own](write_your_own_algorithm.md) to have it listed there.

Each picture shows the same scene, `bug_nav run gallery --algorithm NAME --turn left`. `D` is the
distance from start to goal, `p_i` the perimeter of an obstacle (inflated by the robot), and `n_i`
how often the straight line from start to goal crosses it. An algorithm is *complete* if it reaches
every goal that can be reached and proves of every other that it cannot; that holds for a static
world.

![Every algorithm in the same scene](images/family.png)
"""


def own() -> List[Entry]:
    """Return the algorithms that come with this package."""
    return [entry for entry in catalogue() if entry.is_own]


def formula(bound: str) -> str:
    """Return a bound as Markdown: what is a formula as code, with the signs of mathematics."""
    found = re.fullmatch(r'(D \+ .*?)((?: \(|, ).*)?', bound)
    if not found:
        return bound
    text = re.sub(r'ceil\((.*?)\)', r'⌈\1⌉', found[1]).replace('sum of', 'Σ')
    return f'`{text}`{found[2] or ""}'


def readme_table(entries: Sequence[Entry]) -> str:
    """Return the table of README.md."""
    lines = ['| algorithm | paper | senses | guarantees | path at most |', '|---|---|---|---|---|']
    for entry in entries:
        facts = entry.facts
        names = ', '.join(f'`{name}`' for name in (entry.name, *entry.aliases))
        guarantee = 'complete' if facts.guarantee == COMPLETE else facts.guarantee
        cells = (f'[{names}](docs/algorithms.md#{entry.name})',
                 facts.source + (' \\*' if facts.reconstruction else ''), facts.sensing, guarantee,
                 formula(facts.bound))
        lines.append(f'| {" | ".join(map(_cell, cells))} |')
    return '\n'.join(lines)


def _cell(text: str) -> str:
    return text.replace('|', '\\|')


def section(entry: Entry) -> str:
    """Return the section of docs/algorithms.md about one algorithm."""
    facts = entry.facts
    also = f' Also registered as {", ".join(f"`{name}`" for name in entry.aliases)}.'
    rows = [('senses', facts.sensing), ('remembers', facts.memory),
            ('complete', 'yes' if facts.complete else '**no**'), ('guarantee', facts.guarantee),
            ('path at most', formula(facts.bound)),
            ('turn direction', TURNS.get(facts.turn, facts.turn)),
            ('ours in it', facts.reconstruction)]
    parts = [f'## {entry.name}',
             f'**{facts.title}**, {facts.source}.' + (also if entry.aliases else ''),
             entry.idea,
             f'![{facts.title} in the gallery](images/algorithms/{entry.name}.png)',
             '\n'.join(['| | |', '|---|---|',
                        *(f'| {name} | {_cell(text)} |' for name, text in rows if text)])]
    if entry.parameters:
        parts.append('\n'.join(['| parameter | default | allowed | |', '|---|---|---|---|',
                                *(_parameter_row(entry, field) for field in entry.parameters)]))
    return '\n\n'.join(filter(None, parts)) + '\n'


def _parameter_row(entry: Entry, field: dataclasses.Field) -> str:
    cells = (f'`{entry.name}.{field.name}`', with_unit(field), allowed(field),
             field.metadata.get('doc', ''))
    return f'| {" | ".join(map(_cell, cells))} |'


def documents(entries: Sequence[Entry]) -> Dict[Path, str]:
    """Return the texts of the documents as they should be."""
    readme = ROOT / 'README.md'
    before, _, rest = readme.read_text(encoding='utf-8').partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f'README.md has no {BEGIN} ... {END}')
    return {readme: f'{before}{BEGIN}\n{readme_table(entries)}\n{END}{after}',
            ROOT / 'docs' / 'algorithms.md':
                '\n'.join([INTRODUCTION, *map(section, entries)])}


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare the documents; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    check = parser.parse_args(arguments).check
    broken = [entry for entry in own() if entry.error]
    for entry in broken:
        print(f'{entry.name} cannot be loaded and is left out: {entry.error}', file=sys.stderr)
    differing = False
    for path, text in documents([entry for entry in own() if not entry.error]).items():
        if not check:
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text(encoding='utf-8') != text:
            print(f'{path.relative_to(ROOT)} is not what the code says; run `make tables`',
                  file=sys.stderr)
            differing = True
    return 1 if broken or differing else 0


if __name__ == '__main__':
    sys.exit(main())
