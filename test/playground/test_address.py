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

"""The address of the playground: what a link and a reload keep, in JavaScript."""

from __future__ import annotations

import json
import subprocess

from bug_nav.visualization.web import WEB
from javascript import NODE
import pytest

PREFACE = """
import {readFileSync} from 'node:fs';
const source = readFileSync(process.argv[1], 'utf8');
const {encodeState, decodeState, keepWhole, keptState} = await import(
  `data:text/javascript,${encodeURIComponent(source)}`);
const stored = new Map();
globalThis.sessionStorage = {getItem: (name) => stored.get(name) ?? null,
  setItem: (name, value) => stored.set(name, value), removeItem: (name) => stored.delete(name)};
const given = JSON.parse(readFileSync(0));
"""
STATE = {'world': {'name': 'demo', 'edits': {'removed': [], 'moved': {}, 'added': []}},
         'start': [0, 0, 0], 'goal': [1, 1], 'robot': 'burger', 'turn': 'left', 'seed': 1,
         'set': {}, 'algorithms': ['bug2'], 'view': 'top'}
SHAPES = [{'l': [[(37 * k * j) % 9973 / 1000, (91 * k * j * j) % 9949 / 1000]
                 for j in range(1, 61)], 'w': 0.1} for k in range(1, 200)]
"""A drawing that makes a link too long."""


def result_of(script, state):
    """Return what a script prints for a state, as JSON."""
    command = [NODE, '--input-type=module', '-e', PREFACE + script, WEB / 'address.js']
    done = subprocess.run(command, input=json.dumps(state), text=True, capture_output=True,
                          check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def drawn(shapes):
    return {**STATE, 'world': {'name': 'demo', 'edits': {
        'removed': [], 'moved': {}, 'added': shapes}}}


@pytest.mark.parametrize('name, value', [
    ('turn_seed', 2 ** 31 - 1), ('encoder_resolution', 1e7), ('clearance', 0.1),
    ('scan_zeros', True), ('lidar', 'lds_01')])
def test_parameter_that_the_page_allows_survives_a_reload(name, value):
    state = {**STATE, 'set': {name: value}}
    assert result_of("""
const {fragment} = await encodeState(given);
console.log(JSON.stringify((await decodeState(fragment)).set));""", state) == {name: value}


def test_link_has_the_drawing():
    found = result_of("""
const {fragment, isTooLong} = await encodeState(given);
console.log(JSON.stringify([isTooLong, await decodeState(fragment)]));""", drawn(SHAPES[:5]))
    assert found[0] is False and found[1]['world']['edits']['added'] == SHAPES[:5]


def test_drawing_that_is_too_large_for_a_link_survives_a_reload():
    is_too_long, linked, kept = result_of("""
const encoded = await encodeState(given);
keepWhole(encoded);
console.log(JSON.stringify([encoded.isTooLong, await decodeState(encoded.fragment),
  await keptState(`#${encoded.fragment}`)]));""", drawn(SHAPES))
    assert is_too_long and linked['world']['edits']['added'] == []
    assert kept['world']['edits']['added'] == SHAPES and kept['goal'] == linked['goal']


def test_drawing_that_was_removed_does_not_return():
    assert result_of("""
keepWhole(await encodeState(given));
given.world.edits.added = [];
const encoded = await encodeState(given);
keepWhole(encoded);
console.log(JSON.stringify(await keptState(`#${encoded.fragment}`)));""", drawn(SHAPES)) is None


def test_kept_drawing_is_not_shown_for_another_link():
    assert result_of("""
keepWhole(await encodeState(given));
const {fragment} = await encodeState({...given, seed: 2});
console.log(JSON.stringify(await keptState(`#${fragment}`)));""", drawn(SHAPES)) is None
