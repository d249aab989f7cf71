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

"""Replays of kernel calls that were recorded with tools/record_kernels.py."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

FILES = sorted(Path(__file__).parent.glob('*.npz'))
TOLERANCE = 1e-9


def loaded(value, arrays):
    """Return an argument or a result, with tuples for lists, and copies of arrays."""
    if isinstance(value, dict):
        return arrays[str(value['array'])].copy()
    return tuple(loaded(each, arrays) for each in value) if isinstance(value, list) else value


def check_same(answer, expected):
    """Compare tuples, arrays and numbers; NaN and infinity are equal to themselves."""
    if isinstance(expected, tuple):
        assert len(answer) == len(expected)
        for one, other in zip(answer, expected):
            check_same(one, other)
    elif expected is None:
        assert answer is None
    elif getattr(expected, 'dtype', np.dtype(float)).names:
        for name in expected.dtype.names:
            check_same(answer[name], expected[name])
    else:
        assert np.shape(answer) == np.shape(expected)
        assert np.asarray(answer).dtype.kind == np.asarray(expected).dtype.kind
        np.testing.assert_allclose(answer, expected, rtol=0.0, atol=TOLERANCE)


def test_more_than_35_kernels_are_recorded():
    assert len(FILES) > 35


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_recorded_call_gives_the_recorded_result_and_changes(path):
    module, _, name = f'bug_nav.{path.stem}'.rpartition('.')
    kernel = getattr(importlib.import_module(module), name)
    with np.load(path) as file:
        arrays = dict(file)
    calls = json.loads(arrays.pop('calls').tobytes())
    assert calls
    for call in calls:
        arguments = loaded(call['arguments'], arrays)
        expected = loaded(call['arguments'], arrays)
        for number, (places, values) in call['changed'].items():
            expected[int(number)].flat[loaded(places, arrays)] = loaded(values, arrays)
        check_same(kernel(*arguments), loaded(call['answer'], arrays))
        check_same(arguments, expected)
