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

"""Tests of the cases of a campaign."""

from __future__ import annotations

from bug_nav.lab.cases import robot_geometries
from bug_nav.lab.spec import load_spec
import pytest


@pytest.mark.parametrize('sensing', ['range', 'contact'])
def test_drawn_starts_have_room_for_the_body(sensing):
    """Contact sensing limits the clearance, so that its contour is nearer to the body."""
    spec = load_spec('verdicts', [
        ('settings.sensing', sensing), ('algorithms', 'bug2'), ('robots', 'burger')])
    geometry = robot_geometries(spec)['burger']
    assert 0.124 < geometry.room < geometry.rho
