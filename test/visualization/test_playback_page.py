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

"""Playback page: self-contained, and safe with arbitrary names."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib

from browsing import browser, NoBrowser
from bug_nav.cli.parser import main
from bug_nav.visualization.playback_page import render_page
from bug_nav.visualization.web import WEB
from hypothesis import given, strategies
import pytest

RUN = {'algorithm': 'bug2', 'title': 'Bug2', 'outcome': 'reached', 'x': [0, 1], 'y': [0, 1]}


def playback(**changes):
    """Return a document with changes."""
    return {'version': 1, 'world': {'name': 'demo', 'solids': [[0, 0, 1000, 0, 0, 1000]]},
            'start': [0.0, 0.0, 0.0], 'goal': [1.0, 1.0], 'runs': [RUN], **changes}


def embedded(page):
    """Return the document that is embedded in a page."""
    found, = re.findall(r'<script type="application/octet-stream" id="playback">([^<]*)</script>',
                        page)
    return json.loads(zlib.decompress(base64.b64decode(found)))


def test_document_survives_a_round_trip_through_the_page():
    assert embedded(render_page(playback())) == playback()


@given(strategies.text())
def test_markup_in_names_is_not_executed(name):
    document = playback(world={'name': f'</script><script>alert(1)</script>{name}'},
                        runs=[{**RUN, 'title': f'"><img onerror=x>@SCRIPT@{name}'}])
    page = render_page(document)
    assert page.count('<script') == 2 and '<img' not in page
    assert embedded(page) == document


def test_page_loads_no_external_resources():
    page = render_page(playback())
    without_comments = re.sub('<!--.*?-->', '', page, flags=re.DOTALL)
    for word in ('http:', 'https:', ' src=', '<link', '@import', 'url(', 'fetch(', 'WebSocket('):
        assert word not in without_comments, word
    assert not re.search(r'^\s*(import|export)\b', page, re.MULTILINE)
    assert not re.search(r'@[A-Z]+@', page)


@pytest.mark.parametrize('element', ['script type="module"', 'style'])
def test_content_security_policy_allows_only_the_embedded_elements(element):
    page = render_page(playback())
    kind = element.split()[0]
    text, = re.findall(f'<{element}>(.*?)</{kind}>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy, = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and 'unsafe' not in policy


@pytest.fixture(scope='module')
def run_page(tmp_path_factory):
    path = tmp_path_factory.mktemp('page') / 'run.html'
    assert main(['run', 'u_trap', '--algorithm', 'tangent_bug', '--plot', str(path)]) == 0
    return path


@pytest.mark.parametrize('width', [340, 700, 870, 1000, 1180])
def test_table_of_runs_is_not_cut_off(run_page, width):
    try:
        with browser() as chromium:
            page = chromium.new_page(viewport={'width': width, 'height': 900})
            page.goto(run_page.as_uri())
            page.get_by_text('bound 51.6 m').wait_for()
            assert page.evaluate("""() => [...document.querySelectorAll('.side')].every(
              ({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)""")
    except NoBrowser as missing:
        pytest.skip(str(missing))


def test_page_of_a_long_run_is_less_than_300_kilobytes():
    long = {**RUN, 'x': [11, -3] * 6000, 'y': [7, 8] * 6000}
    assert len(render_page(playback(runs=[long]))) < 300_000


@pytest.mark.parametrize('path', sorted(WEB.glob('*.html')), ids=lambda path: path.name)
def test_served_pages_have_no_inline_scripts_or_styles(path):
    """The policy of served pages allows only files of the server."""
    if path.name == 'playback.html':
        pytest.skip('its script and style have their hashes in the policy')
    text = path.read_text()
    assert not re.search(r'\son\w+=|\sstyle=|<style|<script(?![^>]*src=)', text)
    assert not re.search(r'https?://', text)


@pytest.mark.parametrize('path', sorted(WEB.rglob('*.js')), ids=lambda path: path.name)
def test_modules_do_not_create_markup_from_text(path):
    """Icons are the only exception, because their markup is constant."""
    text = path.read_text()
    found = re.findall(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b', text)
    assert found == (['innerHTML'] if path.name == 'dom.js' else [])
    assert text.startswith('// Copyright 2026 The bug_nav authors')
    assert max(map(len, text.splitlines())) <= 99
