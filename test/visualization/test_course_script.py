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

"""Tests of the scripts of course and playback: modules, size, and independence of other files."""

from __future__ import annotations

import inspect
from pathlib import Path
import re
import runpy
import sys
from unittest.mock import Mock

from bug_nav.simulation.catalogue import shipped_worlds
from bug_nav.visualization import course_site, playback_page
from bug_nav.visualization.course_script import (
    MODULES,
    NAME,
    render_script,
    render_simulator,
    SIMULATOR,
    static_worlds,
    style,
    translations,
    write_script,
)
from bug_nav.visualization.web import WEB
import pytest


def imports_of(name):
    """Return the modules that a module imports, by their names in MODULES."""
    folder = 'course/' if name.startswith('course/') else ''
    text = (WEB / f'{name}.js').read_text(encoding='utf-8')
    return {found[3:] if found.startswith('../') else folder + found
            for found in re.findall(r"from '\.?/?((?:\.\./)?\w+)\.js'", text)}


def test_modules_import_only_preceding_modules():
    for names in (MODULES, SIMULATOR, playback_page.MODULES):
        for number, name in enumerate(names):
            assert imports_of(name) <= set(names[:number]), name
    assert 'course/geometry' in imports_of('course/scene')
    assert 'dom' in imports_of('course/panel')


def test_modules_import_exactly_the_names_that_they_use():
    """In one script, a missing import would not be noticed."""
    texts = {name: (WEB / f'{name}.js').read_text(encoding='utf-8') for name in MODULES}
    top_level = {found for text in texts.values() for found in re.findall(
        r'^(?:export )?(?:async )?(?:const|class|function) +(\w+)', text, re.MULTILINE)}
    for name, text in texts.items():
        imports = re.findall(r'^import \{([^}]*)\}', text, re.MULTILINE)
        imported = {found for line in imports for found in re.findall(r'\w+', line)}
        code = re.sub(r"^import .*?;|/\*\*.*?\*/|//[^\n]*|'[^'\n]*'", '', text, flags=re.S | re.M)
        assert imported <= set(re.findall(r'\w+', code)), name
        called = set(re.findall(r'(?<![.\w$])([a-z]\w*)\((?![^()]*\) \{)', code))
        called |= set(re.findall(r'\b(?:new|extends|instanceof) ([A-Z]\w+)', code))
        called |= set(re.findall(r'(?<![.\w$])[A-Z][A-Z_]+\b', code))
        own = set(re.findall(r'(?:const|let|class|function) +(\w+)|(\w+)\([^()]*\) \{', code))
        if name.startswith('course/'):
            assert called & top_level <= imported | {each for pair in own for each in pair}, name


def test_every_module_of_the_course_is_in_the_script():
    found = {f'course/{path.stem}' for path in (WEB / 'course').glob('*.js')}
    assert found == {name for name in MODULES if name.startswith('course/')}


@pytest.mark.parametrize('script, least', [(render_script, 150), (playback_page.script, 30)])
def test_top_level_names_of_modules_are_unique(script, least):
    names = re.findall(r'^(?:async )?(?:const|let|class|function) +(\w+)', script(), re.M)
    assert len(names) > least and sorted(set(names)) == sorted(names)
    # A list of names would escape this test.
    assert not re.search(r'^(?:const|let) *[\[{]', script(), re.MULTILINE)


def test_script_is_small_classic_and_needs_nothing_else():
    script = render_script()
    assert script.isascii() and len(script) < 300_000
    assert not re.search(r'^\s*(import|export)\b', script, re.MULTILINE)
    for word in ('https:', '<link', '@import', 'url(', 'fetch(', 'WebSocket(', 'import('):
        assert word not in script, word
    # The only address is that of the playground on this host.
    assert set(re.findall(r'http://[\w.:/]+', script)) == {
        'http://127.0.0.1:8770/', 'http://www.w3.org/2000/svg'}


def test_simulator_needs_no_document():
    assert not re.search(r'customElements|COURSE_STYLE', render_simulator())


GERMAN = translations()['de']
SCRIPTS = {path.stem: path.read_text(encoding='utf-8')
           for path in sorted((WEB / 'course').glob('*.js')) if path.stem != 'strings'}
LITERAL = r"""(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")"""
TRANSLATED = re.compile(rf'\btr\(({LITERAL}(?:\s*\+?\s*{LITERAL})*)')
"""A call of `tr`, in JavaScript or Python, with its text, which may consist of several parts."""
WORDS = re.compile(r"^[A-Z][a-z']+$|[A-Za-z]{2,}[,:;.]? [A-Za-z]{2,}|[a-z]{2}[.:;]$")
"""A word with a capital letter, two words, or an end of a sentence."""
NO_TEXTS = {
    'Insert', 'Delete', 'start goal', 'start goal walls', 'mline bounds', 'mline certificate',
    'mline circumnavigation', 'bounds circumnavigation disc', 'picture game', 'note drift-note',
    'note result', 'diagram with-code', 'outcome result ', 'certificate doubtful', 'trail phase-',
    'pass pass-', 'bug-diagram, bug-slides', '(prefers-reduced-motion: reduce)',
    '(prefers-color-scheme: dark)', 'exercise.', 'drawing.', 'revealed.',
    'no scene found for the seed '}
"""Keys, attributes, classes, selectors, names in the storage, and an error of the program."""


def texts_of(code):
    """Return the texts that a piece of code gives to `tr`."""
    return {''.join(each[1:-1] for each in re.findall(LITERAL, found))
            for found in TRANSLATED.findall(code)}


def literals_of(code):
    """Yield the literals of a script, those of templates in pieces between their values."""
    k, begin, open_braces = 0, None, []
    while k < len(code):
        if begin is None:
            found = re.compile(LITERAL).match(code, k)
            if found:
                yield found.group()[1:-1]
                k = found.end()
                continue
            if code[k] == '`' or (code[k] == '}' and open_braces.pop() == '$'):
                begin = k + 1
            elif code[k] == '{':
                open_braces.append('{')
        elif code[k] == '`' or code.startswith('${', k):
            yield code[begin:k]
            begin = None
            if code[k] == '$':
                open_braces.append('$')
                k += 1
        k += 1


def test_every_text_of_scripts_and_pages_is_in_the_table_and_every_entry_is_used():
    found = set().union(*map(texts_of, (*SCRIPTS.values(), inspect.getsource(course_site))))
    phases = re.findall(r"label: '([^']+)'", (WEB / 'palette.js').read_text(encoding='utf-8'))
    assert len(found) > 250 and found | {'left', 'right', *phases} == set(GERMAN)


@pytest.mark.parametrize('name', SCRIPTS)
def test_no_visible_text_of_a_script_is_outside_the_table(name):
    code = re.sub(r'/\*.*?\*/|^ *//[^\n]*|^import .*?;', '', SCRIPTS[name],
                  flags=re.DOTALL | re.MULTILINE)
    assert {text for text in literals_of(TRANSLATED.sub('tr(', code))
            if WORDS.search(text)} <= NO_TEXTS


@pytest.mark.parametrize('code, expected', [
    ("el('p', {}, 'Two words.')", ['p', 'Two words.']), ("tr('A text')", []),
    ('`a ${b ? `c d` : "e f"} g`', ['a ', 'c d', 'e f', ' g']), ('{a: {b: `c`}}', ['c'])])
def test_literals_of_a_script_are_found_in_templates_too(code, expected):
    assert list(literals_of(TRANSLATED.sub('tr(', code))) == expected


def test_translations_have_the_same_values_as_the_english_texts():
    for english, german in GERMAN.items():
        values = set(re.findall(r'\{\d\}', english))
        assert set(re.findall(r'\{\d\}', german)) == values, english


def test_style_has_the_colours_of_the_playground_in_both_schemes():
    blocks = re.findall(r'^:host(\S*) \{.*?^\}', style(), re.MULTILINE | re.DOTALL)
    assert blocks[:2] == ['', '([data-theme="dark"])']
    used = set(re.findall(r'var\((--[\w-]+)', style()))
    assert used - {'--c'} <= set(re.findall(r'(--[\w-]+):', style()))


def test_links_know_every_shipped_world_without_motion():
    worlds = static_worlds()
    assert set(worlds) == set(shipped_worlds()) - {'crossing', 'crowd', 'doors'}
    assert sorted(worlds['box']['solids'][0]) == [-800, -800, 1600, 1600, 2500, 2500, 3500, 3500]


def test_script_is_rewritten_only_if_it_differs(tmp_path):
    path = write_script(tmp_path / 'static')
    assert path.name == NAME and path.read_text(encoding='utf-8') == render_script()
    path.write_text('old', encoding='utf-8')
    write_script(tmp_path / 'static')
    time = path.stat().st_mtime_ns
    assert write_script(tmp_path / 'static').stat().st_mtime_ns == time
    assert path.read_text(encoding='utf-8') == render_script()


def test_page_of_the_site_without_scripts_says_what_is_missing(monkeypatch):
    monkeypatch.setenv('NUMBA_DISABLE_JIT', '1')
    monkeypatch.setattr(sys, 'path', [*sys.path])
    site = runpy.run_path(str(Path(__file__).resolve().parents[2] / 'docs/conf.py'))
    app, context = Mock(), {'body': '<bug-diagram></bug-diagram><bug-exercise>A</bug-exercise>'}
    site['_add_course_script'](app, 'course/bug0', 'page.html', context, None)
    app.add_js_file.assert_called_once()
    note = '<noscript><p>This {} needs JavaScript.</p></noscript>'.format
    mark = '<span id="first-diagram" tabindex="-1"></span>'
    assert context['body'] == (f'{mark}<bug-diagram>{note("diagram")}</bug-diagram>'
                               f'<bug-exercise>A{note("exercise")}</bug-exercise>')
