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


from __future__ import annotations

import importlib.metadata
import math

from bug_nav.navigation.algorithms.registry import registered
import compare_with_ir_sim
import measure_speed
import numpy as np
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize('segments', measure_speed.SEGMENTS)
def test_hall_has_the_requested_walls_and_free_ends(segments):
    world = measure_speed.hall(segments // measure_speed.CORNERS)
    assert segments - measure_speed.CORNERS < len(world.segments) <= segments
    assert world.clearance(np.array([world.start[:2], world.goal])).min() > 0.3


def test_goal_in_the_hall_is_reached():
    assert measure_speed.drive(measure_speed.hall(25)).outcome == 'reached'


def test_number_of_ticks_of_an_episode_is_repeatable():
    world, = measure_speed.worlds(1)
    low, high = measure_speed.WORKLOAD_SEGMENTS
    assert low <= len(world.segments) <= high
    assert len(measure_speed.ticks(world)) == len(measure_speed.ticks(world)) > 100


def test_every_algorithm_has_a_line_with_its_target(monkeypatch):
    monkeypatch.setattr(measure_speed, 'WORLD', 'box')
    monkeypatch.setattr(measure_speed, 'MAX_DURATION', 5.0)
    lines = measure_speed.algorithm_table(1).splitlines()
    assert [line.split()[1] for line in lines if ' x (target ' in line] == sorted(registered())
    assert any(line.startswith('| bug2 | 5 s |') and '(target 4000)' in line for line in lines)


def test_cost_of_scan_matching_is_shown_with_its_targets(monkeypatch):
    monkeypatch.setattr(measure_speed, 'SCANS', 5)
    text = measure_speed.scan_matching_table(1)
    assert '360 beams' in text and '(target 150)' in text
    assert '| scan_matching |' in text and '| none |' in text and '(target 2500)' in text


def test_missing_ir_sim_is_reported_as_skipped(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)
    monkeypatch.setattr(importlib.metadata, 'version', missing)
    assert compare_with_ir_sim.table(measure_speed.hall(2), 1).startswith(
        'ir-sim is skipped: not installed')


def test_ir_sim_world_has_the_same_solids_and_lidar():
    world = measure_speed.hall(3)
    theirs = compare_with_ir_sim._their_world(world)
    assert [one['shape']['vertices'] for one in theirs['obstacle']] == [
        solid.tolist() for solid in world.solids]
    lidar = theirs['robot'][0]['sensors'][0]
    assert (lidar['number'], lidar['range_max']) == (360, 3.5)
    assert lidar['angle_range'] == pytest.approx(2.0 * math.pi, abs=0.01)
