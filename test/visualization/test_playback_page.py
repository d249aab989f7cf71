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

"""The page that plays a run holds all it needs, and nothing that somebody's names could start."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib

from bug_nav.visualization.playback_page import MODULES, render_page, script
from bug_nav.visualization.web import WEB
from hypothesis import given, strategies
import pytest

RUN = {'algorithm': 'bug2', 'title': 'Bug2', 'outcome': 'reached', 'x': [0, 1], 'y': [0, 1]}


def playback(**changes):
    """Return a document; what matters here is that it comes back."""
    return {'version': 1, 'world': {'name': 'demo', 'solids': [[0, 0, 1000, 0, 0, 1000]]},
            'start': [0.0, 0.0, 0.0], 'goal': [1.0, 1.0], 'runs': [RUN], **changes}


def carried(page):
    """Return the document that a page carries."""
    found, = re.findall(r'<script type="application/octet-stream" id="playback">([^<]*)</script>',
                        page)
    return json.loads(zlib.decompress(base64.b64decode(found)))


def test_document_comes_back_as_it_was():
    assert carried(render_page(playback())) == playback()


@given(strategies.text())
def test_names_of_others_start_nothing(name):
    document = playback(world={'name': f'</script><script>alert(1)</script>{name}'},
                        runs=[{**RUN, 'title': f'"><img onerror=x>@SCRIPT@{name}'}])
    page = render_page(document)
    assert page.count('<script') == 2 and '<img' not in page
    assert carried(page) == document


def test_page_asks_nobody_for_anything():
    page = render_page(playback())
    without_comments = re.sub('<!--.*?-->', '', page, flags=re.DOTALL)
    for word in ('http:', 'https:', ' src=', '<link', '@import', 'url(', 'fetch(', 'WebSocket('):
        assert word not in without_comments, word
    assert not re.search(r'^\s*(import|export)\b', page, re.MULTILINE)
    assert not re.search(r'@[A-Z]+@', page)


def test_modules_hold_no_name_twice():
    names = re.findall(r'^(?:async )?(?:const|let|class|function) +(\w+)', script(), re.MULTILINE)
    assert len(names) > 30 and sorted(set(names)) == sorted(names)


def test_modules_need_none_but_those_before_them():
    for number, name in enumerate(MODULES):
        needed = re.findall(r"from '\./(\w+)\.js'", (WEB / f'{name}.js').read_text())
        assert set(needed) <= set(MODULES[:number]), name


@pytest.mark.parametrize('element', ['script type="module"', 'style'])
def test_policy_allows_what_the_page_holds_and_no_more(element):
    page = render_page(playback())
    kind = element.split()[0]
    text, = re.findall(f'<{element}>(.*?)</{kind}>', page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    policy, = re.findall('Content-Security-Policy" content="([^"]*)"', page)
    assert f"{kind}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and 'unsafe' not in policy


def test_page_is_a_few_hundred_kilobytes_at_most():
    long = {**RUN, 'x': [11, -3] * 6000, 'y': [7, 8] * 6000}
    assert len(render_page(playback(runs=[long]))) < 300_000


@pytest.mark.parametrize('path', sorted(WEB.glob('*.html')), ids=lambda path: path.name)
def test_pages_have_no_script_and_no_style_within(path):
    """What is served may run files of the server alone."""
    if path.name == 'playback.html':
        pytest.skip('its script and style have their hashes in the policy')
    text = path.read_text()
    assert not re.search(r'\son\w+=|\sstyle=|<style|<script(?![^>]*src=)', text)
    assert not re.search(r'https?://', text)


@pytest.mark.parametrize('path', sorted(WEB.glob('*.js')), ids=lambda path: path.name)
def test_modules_make_no_markup_of_texts(path):
    """Icons are the one exception: their markup is the module's own."""
    text = path.read_text()
    found = re.findall(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b', text)
    assert found == (['innerHTML'] if path.name == 'dom.js' else [])
    assert text.startswith('// Copyright 2026 The bug_nav authors')
    assert max(map(len, text.splitlines())) <= 99
