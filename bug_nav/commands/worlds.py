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

"""``bug_nav worlds``: the worlds that come with bug_nav."""

from __future__ import annotations

import argparse
import re

from bug_nav.commands import BadInput
from bug_nav.share import share_dir
from bug_nav.sim.world import shipped_worlds, WorldError

_ABOUT = re.compile(r'<!--\s*(.*?)\s*(?:Written by .*?)?\s*-->', re.DOTALL)


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    try:
        names = shipped_worlds()
    except WorldError as error:
        raise BadInput(str(error)) from error
    width = max(map(len, names), default=0)
    for name in names:
        print(f'{name:<{width}}  {about(name)}'.rstrip())
    return 0


def about(name: str) -> str:
    """Return what a shipped world is for: the first comment in its file."""
    head = (share_dir() / 'worlds' / f'{name}.world').read_text(encoding='utf-8')[:2000]
    found = _ABOUT.search(head)
    return ' '.join(found.group(1).split()) if found else ''
