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

"""Small SDF worlds for the tests."""

from __future__ import annotations

from pathlib import Path

from bug_nav.simulation.sdf import load_sdf
from bug_nav.simulation.world import World, WorldError
import pytest

HEAD = '<?xml version="1.0"?>\n<sdf version="1.6" xmlns:bug_nav="urn:bug_nav">\n<world name="w">\n'
TAIL = '\n</world>\n</sdf>\n'


def read(folder: Path, body: str, **options) -> World:
    """Return the world with a body, by way of a file."""
    path = folder / 'my.world'
    path.write_text(HEAD + body + TAIL, encoding='utf-8')
    return load_sdf(path, **options)


def rejection(folder: Path, body: str) -> str:
    """Return what the error for a body says after the name of the file."""
    with pytest.raises(WorldError) as caught:
        read(folder, body)
    message = str(caught.value)
    assert '\n' not in message and message.startswith(str(folder / 'my.world'))
    return message[len(str(folder / 'my.world')):]
