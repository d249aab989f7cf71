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
The script of the course: one classic script that defines `<bug-diagram>` and `<bug-exercise>`.

It consists of modules of the playground and of the course, and contains the style sheet, so that a
page needs only `<script src="bug_course.js"></script>`, also when opened from a file.
"""

from __future__ import annotations

import json
from pathlib import Path
import re
from typing import Any, Dict, Iterator, Tuple

from bug_nav.simulation.catalogue import find_world, shipped_worlds
from bug_nav.simulation.shipped import share_dir
from bug_nav.simulation.world import World, WorldError
from bug_nav.visualization.playback_page import plain_module, text_of
from bug_nav.visualization.web import WEB

SIMULATOR = (
    'dom', 'course/strings', 'course/geometry', 'course/union', 'course/boundary', 'course/lap',
    'course/scene', 'course/run', 'course/certificate', 'course/contact', 'course/tangent',
    'course/visbug', 'course/bounds', 'course/believer', 'course/algorithms', 'course/scenes',
    'course/gates', 'course/model', 'course/judges', 'course/randoms', 'course/opponent')
"""Modules of the simulator, in order of dependency; they need no document."""
MODULES = (
    *SIMULATOR, 'palette', 'address', 'shapes', 'camera', 'course/themed', 'course/link',
    'course/attributes', 'course/sight', 'course/passes', 'course/picture', 'course/profile',
    'course/panel', 'course/controls', 'course/editor', 'course/handles', 'course/diagram',
    'course/embed', 'course/handin', 'course/exercise', 'course/slides', 'course/adversary',
    'course/elements')
"""All modules of the course, in order of dependency."""
OFFERED = (
    'ALGORITHMS', 'boundOf', 'Case', 'deadReckoning', 'faultOf', 'GeometryError', 'inflated',
    'JUDGES', 'judged', 'lengthOf', 'Model', 'Opponent', 'randomScene', 'Run', 'runAlgorithm',
    'Scene', 'SCENES', 'sceneFrom', 'shortestPath', 'solidLoops', 'unionOf')
"""Names of the simulator that `bugCourse` offers."""
NAME = 'bug_course.js'
"""File name of the script in a site."""
_HEADER = '// Copyright 2026 The bug_nav authors; licensed under the Apache License, Version 2.0\n'
_COMMENT = re.compile(r'^ *(?:/\*\*.*?\*/|//[^\n]*)\n', re.MULTILINE | re.DOTALL)
_ROW = re.compile(r'^\|.*?\(\.\./algorithms/(\w+)\.md\).*\| ([^|]+) \|$', re.MULTILINE)
_COURSE_ALGORITHMS = ('bug0', 'bug1', 'bug2', 'tangent_bug', 'vis_bug_21', 'vis_bug_22')
_COLOURS = re.compile(r'^:root(\[data-theme="dark"\])? (\{.*?^\})', re.MULTILINE | re.DOTALL)


def render_script() -> str:
    """Return the script for pages."""
    return _scoped(f'const COURSE_STYLE = {json.dumps(style())};\n'
                   f'const SHIPPED_WORLDS = {json.dumps(static_worlds())};\n'
                   f'const PAPER_DIFFERENCES = {json.dumps(differences())};\n'
                   f'const COURSE_TRANSLATIONS = {json.dumps(translations())};\n'
                   + _joined(MODULES))


def render_simulator() -> str:
    """Return the script of the simulator alone, which sets `bugCourse`; it needs no document."""
    return _scoped('const COURSE_TRANSLATIONS = {};\n' + _joined(SIMULATOR)
                   + f'\nglobalThis.bugCourse = {{{", ".join(OFFERED)}}};\n')


def write_script(folder: Path) -> Path:
    """Write the script into a folder, if it differs, and return its path."""
    path, text = folder / NAME, render_script()
    if not path.is_file() or path.read_text(encoding='utf-8') != text:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')
    return path


def style() -> str:
    """Return the style sheet of the elements, with the colours of the playground."""
    light, dark = (block for _, block in _COLOURS.findall(text_of('style.css')))
    own = re.sub(r'/\*.*?\*/\n?', '', text_of('course/course.css'), flags=re.DOTALL)
    return (f':host {light}\n:host([data-theme="dark"]) {dark}\n{own}')


def differences() -> Dict[str, str]:
    """Return the differences from the papers by algorithm, from the table of the family."""
    path = share_dir() / 'docs' / 'course' / 'family.md'
    text = path.read_text(encoding='utf-8') if path.is_file() else ''
    return {name: cell for name, cell in _ROW.findall(text) if name in _COURSE_ALGORITHMS}


def static_worlds() -> Dict[str, Any]:
    """Return the shipped worlds without anything that moves, for links from the playground."""
    return {name: {'start': world.start and world.start[:2], 'goal': world.goal,
                   'solids': [[round(1000 * float(value)) for place in solid for value in place]
                              for solid in world.solids]}
            for name, world in _shipped() if not (world.movers or world.other_robots)}


def _shipped() -> Iterator[Tuple[str, World]]:
    for name in shipped_worlds():
        try:
            yield name, find_world(name)
        except WorldError:
            # Another robot needs an installed algorithm; the site is built without installation.
            continue


def translations() -> Dict[str, Dict[str, str]]:
    """Return the texts of scripts and pages in other languages, by language and English text."""
    return {path.stem: json.loads(path.read_text(encoding='utf-8'))
            for path in sorted((WEB / 'course').glob('*.json'))}


def _joined(names: tuple) -> str:
    """Return modules as one script without comments on lines of their own."""
    return _COMMENT.sub('', ''.join(map(plain_module, names)))


def _scoped(code: str) -> str:
    """Return code in a function, so that a page keeps its own names."""
    # In ASCII, because a page of one's own may not name its encoding.
    plain = code.encode('ascii', 'backslashreplace').decode('ascii')
    return f"{_HEADER}(() => {{\n'use strict';\n{plain}}})();\n"
