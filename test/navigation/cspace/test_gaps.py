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

from arena import RHO
from bug_nav.navigation.cspace.gaps import GapMemory, NARROW, PLUG_RADIUS, SAME_GAP
import numpy as np
import pytest


@pytest.mark.parametrize('width, narrow', [
    (2 * RHO, True), (2 * RHO - NARROW + 0.001, True), (2 * RHO + NARROW - 0.001, True),
    (2 * RHO - NARROW - 0.001, False), (2 * RHO + NARROW + 0.001, False)])
def test_gap_near_the_critical_width_is_narrow(width, narrow):
    assert GapMemory(RHO).is_narrow((1.0, 0.0), (1.0, width)) is narrow


def test_plug_touches_the_place_where_the_gap_was_closed():
    gaps = GapMemory(RHO)
    gaps.mark_closed((1.0, 0.0), (0.0, 1.0))
    assert gaps.plugs == [(1.0, PLUG_RADIUS)]


def test_each_judgement_is_counted():
    gaps = GapMemory(RHO)
    assert gaps.changes == 0
    gaps.mark_passed((1.0, 0.0))
    gaps.mark_closed((3.0, 0.0), (0.0, 1.0))
    assert gaps.changes == 2


def test_gap_closed_again_gets_no_second_plug():
    gaps = GapMemory(RHO)
    for shift in (0.0, 0.01, -0.02):
        gaps.mark_closed((1.0 + shift, 0.0), (0.0, 1.0))
    assert len(gaps.plugs) == 1
    gaps.mark_closed((2.0, 0.0), (0.0, 1.0))
    assert len(gaps.plugs) == 2


def test_first_judgement_of_a_gap_is_kept():
    refused = GapMemory(RHO)
    refused.mark_closed((1.0, 0.0), (0.0, 1.0))
    refused.mark_passed((1.0, SAME_GAP / 2))
    assert refused.passages == []
    passed = GapMemory(RHO)
    passed.mark_passed((1.0, PLUG_RADIUS))
    passed.mark_closed((1.0, 0.0), (0.0, 1.0))
    assert passed.plugs == [] and passed.passages


def test_gap_with_a_passed_mouth_can_be_closed_at_its_throat():
    # The disc is ahead of the robot: the marks end before the place where the disc is refused.
    gaps = GapMemory(RHO)
    for behind in (0.20, 0.15, 0.10, SAME_GAP - PLUG_RADIUS + 0.001):
        gaps.mark_passed((1.0, -behind))
    gaps.mark_closed((1.0, 0.0), (0.0, 1.0))
    assert gaps.plugs == [(1.0, PLUG_RADIUS)]


def test_passage_is_marked_along_its_length_but_not_at_every_tick():
    gaps = GapMemory(RHO)
    for k in range(101):
        gaps.mark_passed((0.01 * k, 0.0))
    assert 10 <= len(gaps.passages) <= 21


@pytest.mark.parametrize('radius', [0.05, RHO, 0.337, 0.417, 1.2])
def test_disc_of_every_size_passes_a_gap_that_is_slightly_narrower_but_was_passed(radius):
    gaps = GapMemory(radius)
    narrower = 2.0 * radius - gaps.ease
    jambs = np.array([(0.0, -0.5 * narrower), (0.0, 0.5 * narrower)])
    assert gaps.apply(jambs)[1].tolist() == pytest.approx([radius, radius])
    gaps.mark_passed((0.0, 0.0))
    assert (gaps.apply(jambs)[1] < 0.5 * narrower).all()


def test_gap_around_the_robot_is_open_despite_earlier_judgements():
    gaps = GapMemory(RHO)
    gaps.mark_closed((1.0, 0.0), (0.0, 1.0))
    gaps.mark_closed((3.0, 0.0), (0.0, 1.0))
    assert gaps.mark_entered((1.0, 0.0)) is True
    assert gaps.plugs == [(3.0, PLUG_RADIUS)] and gaps.passages == [(1.0, 0.0)]
    gaps.mark_closed((1.0, 0.0), (0.0, 1.0))
    assert gaps.plugs == [(3.0, PLUG_RADIUS)]
    assert gaps.mark_entered((1.0, 0.0)) is False


def test_robot_can_stand_where_it_was_in_a_passage_that_noise_closes_around_it():
    gaps, half = GapMemory(RHO), RHO - 0.03
    points = np.array([(x, y) for x in (0.0, 3.0) for y in (-half, half)])
    gaps.mark_passed((0.0, 0.0))
    gaps.assume_open((3.0, 0.0))  # where the robot was not
    assert gaps.apply(points)[1] == pytest.approx(RHO - gaps.ease)
    assert gaps.free_trace((0.0, 0.0)) is True
    radii = gaps.apply(points)[1]
    assert (radii[:2] < half).all() and radii[2:] == pytest.approx(RHO - gaps.ease)
    changes = gaps.changes
    assert gaps.free_trace((0.0, 0.0)) is False and gaps.changes == changes
    assert gaps.free_trace((0.1, 0.0)) is True


def test_passage_that_becomes_too_narrow_ahead_is_closed_there():
    gaps = GapMemory(RHO)
    for behind in (0.30, 0.0):
        gaps.mark_passed((1.0, -behind))
    assert gaps.close((1.0, 0.0), (0.0, 1.0)) and gaps.plugs == [(1.0, PLUG_RADIUS)]
    assert gaps.passages == [(1.0, -0.30)]          # the way back stays open
    assert not gaps.close((1.0, 0.0), (0.0, 1.0))


def test_reopened_gap_counts_as_a_change():
    gaps = GapMemory(RHO)
    gaps.mark_closed((1.0, 0.0), (0.0, 1.0))
    changes = gaps.changes
    gaps.reopen((1.0, 0.1))
    assert gaps.plugs == [] and gaps.passages == [(1.0, 0.1)]
    assert gaps.changes > changes
    changes = gaps.changes
    gaps.reopen((3.0, 0.0))
    assert gaps.changes == changes and len(gaps.passages) == 1


def test_closed_gaps_along_a_lap_with_an_exit_are_reopened():
    gaps = GapMemory(RHO)
    for x in (1.0, 4.0, 4.9):
        gaps.mark_closed((x, 2.0), (0.0, 1.0))
    # The lap passes the last gap at slightly more than rho.
    gaps.reopen_along(np.array([(0.5, 2.0), (0.9, 2.0), (4.0, 1.9), (4.9, 2.0 - RHO)]))
    assert gaps.plugs == [(4.9, 2.0 + PLUG_RADIUS)]
    assert gaps.passages == [(1.0, 2.0 + PLUG_RADIUS), (4.0, 2.0 + PLUG_RADIUS)]


def test_ambiguous_gap_is_assumed_open_once_until_it_is_closed():
    gaps, here, there = GapMemory(RHO), (1.0, 0.0), (3.0, 0.0)
    assert gaps.assume_open(here) and gaps.assume_open(there)
    assert not gaps.assume_open(here)
    assert gaps.passages == [here, there]
    gaps.mark_closed((1.0, SAME_GAP / 2), (0.0, 1.0))
    assert gaps.passages == [there] and len(gaps.plugs) == 1
    assert not gaps.assume_open(here)
