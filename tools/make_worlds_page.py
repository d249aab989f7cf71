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
Write the table of shipped worlds in docs/worlds.md, and draw docs/images/worlds*.png.

Run without arguments to write, or with `--check` to compare the table (exit code 1 if it differs;
pictures are not compared). Needs bug_nav installed, and matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import sys
from typing import Optional, Sequence

from bug_nav.cli.parser import main as bug_nav
from bug_nav.cli.worlds import description
from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.generators import GENERATORS, random_name
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'worlds.md'
IMAGES = ROOT / 'docs' / 'images'
BEGIN, END = '<!-- worlds: written by tools/make_worlds_page.py -->', '<!-- worlds: end -->'
SHADES = 64
SEEDS = (1, 2)
"""Seeds of the drawn random worlds with a reachable and with an unreachable goal."""


def table() -> str:
    """Return the table of the shipped worlds."""
    lines = ['| world | | start | goal |', '|---|---|---|---|']
    for name in shipped_worlds():
        world = find_world(name)
        start, goal = (','.join(f'{value:g}' for value in place or ())
                       for place in (world.start, world.goal))
        lines.append(f'| `{name}` | {description(name)} | {start} | {goal} |')
    return '\n'.join(lines)


def page() -> str:
    """Return the page with its table replaced."""
    before, _, rest = PAGE.read_text(encoding='utf-8').partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f'{PAGE.name} has no {BEGIN} ... {END}')
    return f'{before}{BEGIN}\n{table()}\n{END}{after}'


def draw() -> None:
    """Draw all shipped worlds on one sheet, and random ones of every kind on another."""
    kinds = [random_name(kind, seed, wish) for kind in GENERATORS
             for wish, seed in zip((True, False), SEEDS)]
    for names, image in (([], 'worlds.png'), (kinds, 'worlds_random.png')):
        if bug_nav(['worlds', *names, '--plot', str(IMAGES / image)]):
            raise SystemExit(f'{image} cannot be drawn')
        with Image.open(IMAGES / image) as drawn:
            # A reduced palette halves the size.
            few = drawn.convert('RGB').quantize(
                SHADES, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        few.save(IMAGES / image, optimize=True)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Write or compare; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--check', action='store_true', help='compare instead of writing')
    if not parser.parse_args(arguments).check:
        PAGE.write_text(page(), encoding='utf-8')
        draw()
        return 0
    if PAGE.read_text(encoding='utf-8') != page():
        print(f'{PAGE.relative_to(ROOT)} does not match the worlds; run '
              'tools/make_worlds_page.py', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
