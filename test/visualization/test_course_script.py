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

"""Tests of the course's script: its modules, size, and independence of other files."""

from __future__ import annotations

from pathlib import Path
import re
import runpy
import sys
from unittest.mock import Mock

from bug_nav.simulation.catalogue import shipped_worlds
from bug_nav.visualization.course_script import (
    MODULES,
    NAME,
    render_script,
    render_simulator,
    SIMULATOR,
    static_worlds,
    style,
    write_script,
)
from bug_nav.visualization.web import WEB


def imports_of(name):
    """Return the modules that a module imports, by their names in MODULES."""
    folder = 'course/' if name.startswith('course/') else ''
    text = (WEB / f'{name}.js').read_text(encoding='utf-8')
    return {found[3:] if found.startswith('../') else folder + found
            for found in re.findall(r"from '\.?/?((?:\.\./)?\w+)\.js'", text)}


def test_modules_import_only_preceding_modules():
    for names in (MODULES, SIMULATOR):
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


def test_top_level_names_of_modules_are_unique():
    names = re.findall(r'^(?:async )?(?:const|let|class|function) +(\w+)', render_script(), re.M)
    assert len(names) > 150 and sorted(set(names)) == sorted(names)
    # A list of names would escape this test.
    assert not re.search(r'^(?:const|let) *[\[{]', render_script(), re.MULTILINE)


def test_script_is_small_classic_and_needs_nothing_else():
    script = render_script()
    assert script.isascii() and len(script) < 250_000
    assert not re.search(r'^\s*(import|export)\b', script, re.MULTILINE)
    for word in ('https:', '<link', '@import', 'url(', 'fetch(', 'WebSocket(', 'import('):
        assert word not in script, word
    # The only address is that of the playground on this host.
    assert set(re.findall(r'http://[\w.:/]+', script)) == {
        'http://127.0.0.1:8770/', 'http://www.w3.org/2000/svg'}


def test_simulator_needs_no_document():
    assert not re.search(r'customElements|COURSE_STYLE', render_simulator())


GERMAN = dict(re.findall(r"^  '(.+)':\s+'(.+)',$",
                         (WEB / 'course/strings.js').read_text(encoding='utf-8'), re.MULTILINE))


def test_every_translated_text_is_in_the_table_and_every_entry_is_used():
    texts = {path: path.read_text(encoding='utf-8') for path in (WEB / 'course').glob('*.js')}
    code = '\n'.join(text for path, text in texts.items() if path.name != 'strings.js')
    found = set(re.findall(r"\btr\('([^']+)'", code))
    found |= {each for pair in re.findall(r"\btr\([^()]*\? '([^']+)' : '([^']+)'\)", code)
              for each in pair}
    found |= set(re.findall(r"label: '([^']+)', unit", code))
    verdicts = re.search(r'VERDICTS = \{.*?\};', code, re.DOTALL).group()
    found |= set(re.findall(r": '([^']+)'", verdicts))
    assert len(found) > 35 and found <= set(GERMAN)
    assert {each for each in GERMAN if f"'{each}'" not in code} == set()


def test_translations_have_the_same_values_as_the_english_texts():
    assert len(GERMAN) > 40
    for english, german in GERMAN.items():
        values = re.findall(r'\{\d\}', english)
        assert sorted(re.findall(r'\{\d\}', german)) == sorted(values), english


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
