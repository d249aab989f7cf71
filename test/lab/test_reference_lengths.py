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

"""Reference path lengths of large worlds."""

from __future__ import annotations

from bug_nav.lab import reference_lengths
from bug_nav.simulation.catalogue import find_world
import pytest


@pytest.mark.parametrize('driven, ratio', [
    (6.0, 1.2), (5.0, 1.0),
    # Rounding.
    (4.95, 1.0),
    # The robot passed before an obstacle moved into the way.
    (4.0, None)])
def test_ratio_to_the_shortest_path_is_never_below_1(driven, ratio):
    assert reference_lengths.ratio_to_shortest(driven, 5.0) == ratio


def test_shortest_path_is_not_computed_in_a_huge_world(monkeypatch, capsys):
    world = find_world('box')
    monkeypatch.setattr(reference_lengths, 'MAX_SEGMENTS', 3)
    assert reference_lengths.shortest_path_length(
        world, world.start, world.goal, 0.224, 0.1) is None
    assert 'no shortest path is computed for 4 segments; the limit is 3' in capsys.readouterr().err
