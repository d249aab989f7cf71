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

"""Tests of hit points, leave points and laps, found in the paths of the algorithms themselves."""

from __future__ import annotations

from bug_nav.lab.grading.boundary_phases import boundary_phases, laps, resemblance
from bug_nav.lab.grading.trace import as_table, Sample
from bug_nav.navigation.algorithms.registry import find
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.episode import run_episode
import pytest


def phases_of(algorithm, world):
    found = find_world(world)
    episode = run_episode(found, found.start, found.goal, find(algorithm)())
    trace = as_table([Sample(each.stamp, *each.pose, 0.2, 0.0, 0.2, 0.0, 1.0, 0.0, 0.0)
                      for each in episode.samples])
    phases = boundary_phases(found, found.goal, trace, 0.105)
    on_line = sum(phase.leaves_on((found.start[:2], found.goal)) for phase in phases)
    return phases, resemblance(phases, on_line)


@pytest.mark.parametrize('world', ['u_trap', 'box', 'pole'])
@pytest.mark.parametrize('algorithm, title', [('bug1', 'Bug1'), ('bug2', 'Bug2')])
def test_path_of_an_algorithm_resembles_it(algorithm, title, world):
    phases, resembles = phases_of(algorithm, world)
    assert len(phases) == 1 and resembles.startswith(title), resembles


def test_bug0_leaves_off_the_m_line():
    _, resembles = phases_of('bug0', 'box')
    assert resembles.startswith('Bug0')


def test_lap_around_an_unreachable_goal_is_counted():
    phases, resembles = phases_of('bug1', 'ring_goal')
    assert laps(phases) >= 1 and resembles == ''


def test_straight_path_has_no_phases():
    assert phases_of('bug2', 'open') == ([], '')
