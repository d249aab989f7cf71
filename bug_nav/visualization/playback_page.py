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
The page that plays back runs: one self-contained HTML file without network requests.

It consists of the playground's modules. Without their import and export statements they form one
script, because their top-level names are unique.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from typing import Any, Dict
import zlib

from bug_nav.visualization.web import WEB

MODULES = ('dom', 'palette', 'document', 'camera', 'view', 'player', 'why', 'table', 'board',
           'playback_page')
"""Modules of a playback, in order of dependency."""
_IMPORT = re.compile(r"^import\s*\{[^}]*\}\s*from\s*'[^']*';\n", re.MULTILINE)
_LICENCE = re.compile(r'\A(//[^\n]*\n)+\n')


def render_page(playback: Dict[str, Any]) -> str:
    """Return the page of a playback document, which works from a file or a server."""
    style, code = text_of('style.css'), script()
    parts = {
        'TITLE': html.escape(title_of(playback)), 'STYLE': style, 'SCRIPT': code,
        # The page may run only its own script, whatever the document contains.
        'POLICY': f"default-src 'none'; script-src '{source_hash(code)}'; "
                  f"style-src '{source_hash(style)}'",
        'DOCUMENT': packed(playback)}
    return re.sub('@([A-Z]+)@', lambda found: parts[found.group(1)], text_of('playback.html'))


def script() -> str:
    """Return the modules as one script."""
    return ''.join(map(plain_module, MODULES))


def packed(playback: Dict[str, Any]) -> str:
    """Return a document deflated and base64-encoded, for embedding in the page."""
    text = json.dumps(playback, separators=(',', ':'), allow_nan=False)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()


def title_of(playback: Dict[str, Any]) -> str:
    """Return the title: algorithms and world."""
    titles = dict.fromkeys(run['title'] for run in playback['runs'])
    return f'{", ".join(titles)} in {playback["world"]["name"]}'


def plain_module(name: str) -> str:
    """Return a module without licence header, imports and exports; the page has the licence."""
    text = _LICENCE.sub('', text_of(f'{name}.js'))
    return re.sub('^export ', '', _IMPORT.sub('', text), flags=re.MULTILINE)


def text_of(name: str) -> str:
    """Return the text of a file of the playground."""
    return (WEB / name).read_text(encoding='utf-8')


def source_hash(text: str) -> str:
    """Return the content security policy source of an inline script or style."""
    return f'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'
