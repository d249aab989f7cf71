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
Measure the pages of the course in Chromium, opened from the file system.

For each page of a built site (`make docs`) or of a folder that `bug_nav course` wrote: its size
without the theme, the time from the navigation to its first diagram, the time to compute and draw
a position during a drag, and the width that it needs on a phone. Without a
browser, prints what is missing.
"""

from __future__ import annotations

import argparse
from pathlib import Path
import random
import re
import statistics
import sys
from typing import Optional, Sequence

from browsing import browser, NoBrowser

SITE = Path(__file__).resolve().parent.parent / 'docs' / '_build'
MOVES = 100
"""Mouse moves for each diagram."""
PHONE = 360
"""Width of a phone [px]."""
FIRST = """window.addEventListener('bug-ready', () => {
  window.firstDiagram ??= performance.now();
}, true);"""
OPEN = """async () => {
  window.diagrams = [...document.querySelectorAll('bug-diagram, bug-exercise')]
    .map((element) => element.diagram ?? element);
  for (const diagram of diagrams) await diagram.build();
  return diagrams.length;
}"""
PLACES = """(k) => {
  const {root, layers} = diagrams[k].picture;
  diagrams[k].scrollIntoView({block: 'center'});
  const {left, top, width, height} = root.getBoundingClientRect();
  const handle = [...layers.handles.children].pop()?.getBoundingClientRect();
  return [left, top, width, height,
    handle && [handle.left + handle.width / 2, handle.top + handle.height / 2]];
}"""


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Print a table of the pages."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('site', nargs='?', type=Path, default=SITE, help='folder of the site')
    site = parser.parse_args(argv).site
    # The slides have the diagrams of the chapters, but show one at a time.
    pages = [page for page in sorted(site.rglob('*.html')) if page.stem != 'slides'
             and re.search('<bug-(diagram|exercise) ', page.read_text('utf-8'))]
    if not pages:
        sys.exit(f'{site} has no page with a diagram; build it with `make docs`')
    script = next(site.rglob('bug_course.js')).stat().st_size
    print('page | diagrams | page + script [kB] | first diagram [ms] | '
          f'drag median / 95 % / max [ms] | width at {PHONE} px')
    try:
        with browser() as chromium:
            for page in pages:
                size = (page.stat().st_size + script) / 1000
                print(page.relative_to(site), *measure(chromium, page, size), sep=' | ',
                      flush=True)
    except NoBrowser as missing:
        sys.exit(str(missing))
    return 0


def measure(chromium, path: Path, size: float) -> list:
    """Return the remaining cells of a page."""
    page = chromium.new_page(viewport={'width': 1280, 'height': 900})
    page.add_init_script(FIRST)
    page.goto(path.as_uri())
    page.wait_for_function('window.firstDiagram')
    first = page.evaluate('firstDiagram')
    count = page.evaluate(OPEN)
    draw, times = random.Random(1), []
    for number in range(count):
        times += drag(page, number, draw)
    page.set_viewport_size({'width': PHONE, 'height': 800})
    page.wait_for_timeout(200)
    width = page.evaluate('document.documentElement.scrollWidth')
    page.close()
    times = times or [0.0]
    return [count, f'{size:.0f}', f'{first:.0f}',
            f'{statistics.median(times):.1f} / {percentile(times):.1f} / {max(times):.1f}', width]


def percentile(times: list) -> float:
    """Return the time that 95 % of the updates do not exceed."""
    return sorted(times)[int(0.95 * (len(times) - 1))]


def drag(page, number: int, draw: random.Random) -> list:
    """Drag one handle of a diagram; return the durations of the updates [ms]."""
    left, top, width, height, handle = page.evaluate(PLACES, number)
    if handle is None:
        return []
    page.mouse.move(*handle)
    page.mouse.down()
    for _ in range(MOVES):
        page.mouse.move(left + draw.uniform(0.05, 0.95) * width,
                        top + draw.uniform(0.05, 0.95) * height)
    page.mouse.up()
    return page.evaluate('(k) => diagrams[k].mover.times', number)


if __name__ == '__main__':
    sys.exit(main())
