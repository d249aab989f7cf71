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
Draw the diagrams of the course as pictures, for readers of the Markdown files on a forge.

Needs Chromium. Each tag in docs/course and docs/embed_diagrams.md gets a picture of its finished
diagram, which a browser with scripts never loads.
"""

from __future__ import annotations

import io
from pathlib import Path
import re
import sys
import tempfile
from typing import Iterator, List

from browsing import browser, NoBrowser
from bug_nav.visualization.course_script import write_script
from PIL import Image

DOCS = Path(__file__).resolve().parent.parent / 'docs'
PICTURES = DOCS / 'static' / 'course'
PAGES = (*sorted((DOCS / 'course').glob('*.md')), DOCS / 'embed_diagrams.md')
FENCE = re.compile(r'^```.*?^```$', re.MULTILINE | re.DOTALL)
TAG = re.compile(r'^<bug-(diagram|exercise|adversary)\b[^>]*>\n.*?^</bug-\1>$',
                 re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r'\n<img [^>]*>')
WIDTH = 640
"""Width of a picture [px]."""
COLOURS = 48


def tags(text: str) -> List[str]:
    """Return the diagrams and exercises of a page, without those in examples."""
    return [match.group() for match in TAG.finditer(FENCE.sub('', text))]


def main() -> int:
    """Write the pictures and their tags."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    kept = set()
    try:
        with browser() as chromium:
            for page in PAGES:
                kept |= set(draw(chromium, page))
    except NoBrowser as missing:
        sys.exit(str(missing))
    for path in PICTURES.glob('*.png'):
        if path.name not in kept:
            path.unlink()
    return 0


def draw(chromium, path: Path) -> Iterator[str]:
    """Draw the diagrams of a page, and return the names of their files."""
    text = path.read_text(encoding='utf-8')
    found = tags(text)
    if not found:
        return
    for number, (tag, picture) in enumerate(zip(found, pictures(chromium, found)), 1):
        name = f'{path.stem}_{number}.png'
        (PICTURES / name).write_bytes(picture)
        root = '../' if path.parent.name == 'course' else ''
        first, _, rest = PICTURE.sub('', tag).partition('\n')
        text = text.replace(tag, f'{first}\n<img src="{root}static/course/{name}" loading="lazy" '
                            f'alt="Diagram {number}; it moves in the course itself">\n{rest}')
        yield name
    path.write_text(text, encoding='utf-8')


def pictures(chromium, found: List[str]) -> Iterator[bytes]:
    """Return pictures of finished diagrams, with a few colours each."""
    with tempfile.TemporaryDirectory() as folder:
        write_script(Path(folder))
        page_path = Path(folder) / 'page.html'
        page_path.write_text('<!DOCTYPE html><meta charset="utf-8">' + ''.join(found)
                             + '<script src="bug_course.js"></script>', encoding='utf-8')
        page = chromium.new_page(viewport={'width': WIDTH + 16, 'height': 900})
        page.goto(page_path.as_uri())
        stages = page.evaluate_handle("""async () => {
          const all = [...document.querySelectorAll('bug-diagram, bug-exercise, bug-adversary')]
            .map((element) => element.diagram ?? element);
          for (const diagram of all) await diagram.build?.();
          return all.map(({stage}) => stage);
        }""")
        for number in range(len(found)):
            stage = stages.evaluate_handle('(all, k) => all[k]', number).as_element()
            image = Image.open(io.BytesIO(stage.screenshot())).convert('RGB')
            content = io.BytesIO()
            image.quantize(COLOURS).save(content, 'PNG', optimize=True)
            yield content.getvalue()
        page.close()


if __name__ == '__main__':
    sys.exit(main())
