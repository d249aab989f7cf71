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

"""Tests of how a disc rolls over points, stride by stride."""

from __future__ import annotations

import math

from bug_nav.navigation.cspace import disc_rolling
from bug_nav.navigation.cspace.disc_rolling import (
    JAM_CONTACTS,
    MAX_NEARBY,
    PENETRATION,
    resolve_penetration,
    roll_ahead,
    roll_step,
    STRIDE,
)
from hypothesis import assume, given
from hypothesis import strategies as st
import numpy as np
import pytest

R = 0.2
GAPS = (0.4, 0.02, 0.05)
NO_GAPS = (math.inf, 0.0, 0.05)
WALL = np.array([(0.01 * k, 0.0) for k in range(-200, 201)])
"""Points along y = 0."""


def radii_of(points, radius: float = R) -> np.ndarray:
    return np.full(len(points), radius)


def on_wall(x: float) -> disc_rolling.Disc:
    """Return a disc above the wall that touches the wall point at ``x``."""
    return x, R, x, 0.0, R


def ahead_on(points, disc, side, by, rolled=0.0, stuck=0, room=400, gaps=NO_GAPS):
    way = np.full((room, 2), np.nan)
    return way, roll_ahead(points, radii_of(points), disc, side, *disc[:2], by, gaps, rolled,
                           stuck, way)


# A turn.

@pytest.mark.parametrize('side', [1, -1])
def test_turn_about_a_single_point_is_one_stride_and_keeps_contact(side):
    point = np.array([(3.0, -1.0)])
    (x, y, ax, ay, radius), length, angle, met = roll_step(
        point, radii_of(point), (3.0, -1.0 + R, 3.0, -1.0, R), side)
    assert (ax, ay, radius, met) == (3.0, -1.0, R, False)
    assert length == pytest.approx(STRIDE)
    assert angle == pytest.approx(0.5 * math.pi - side * STRIDE / R)
    assert (x - 3.0, y + 1.0) == pytest.approx((R * math.cos(angle), R * math.sin(angle)))
    assert side * (x - 3.0) > 0.0  # with the point on its right, a disc above it moves right


@pytest.mark.parametrize('side', [1, -1])
def test_turn_ends_at_the_contact_with_the_next_point(side):
    disc, length, angle, met = roll_step(WALL, radii_of(WALL), on_wall(0.0), side)
    half = math.asin(0.005 / R)
    assert met and disc[2:] == pytest.approx((side * 0.01, 0.0, R))
    assert length == pytest.approx(R * half)
    assert angle == pytest.approx(0.5 * math.pi - side * half)
    assert disc[:2] == pytest.approx((side * 0.005, R * math.cos(half)))


def test_turns_about_a_single_point_complete_a_circle():
    pole, disc, walked = np.array([(1.0, 2.0)]), (1.0 + R, 2.0, 1.0, 2.0, R), 0.0
    for _ in range(math.ceil(2.0 * math.pi * R / STRIDE)):
        disc, length, _, _ = roll_step(pole, radii_of(pole), disc, 1)
        walked += length
        assert math.dist(disc[:2], (1.0, 2.0)) == pytest.approx(R)
    assert math.dist(disc[:2], (1.0 + R, 2.0)) < STRIDE + 1e-9
    assert walked == pytest.approx(2.0 * math.pi * R, abs=STRIDE)


# Penetration.

@given(st.floats(0.0, 0.19), st.floats(-math.pi, math.pi))
def test_contact_point_pushes_the_disc_straight_out(depth, direction):
    assume(depth > PENETRATION)
    contact = np.array([(5.0, 7.0)])
    x, y = (5.0 + (R - depth) * math.cos(direction), 7.0 + (R - depth) * math.sin(direction))
    disc = resolve_penetration(contact, radii_of(contact), (x, y, 5.0, 7.0, R))
    assert disc == pytest.approx((5.0 + R * math.cos(direction), 7.0 + R * math.sin(direction),
                                  5.0, 7.0, R))


@pytest.mark.parametrize('slip', [1, -1])
def test_disc_leaves_a_gap_that_is_too_narrow_by_the_shorter_way(slip):
    # Contact at the origin, the other jamb 0.38 m to the right, a disc of radius 0.2 m between.
    gap = np.array([(0.0, 0.0), (0.38, 0.0)])
    angle = slip * 0.1
    disc = resolve_penetration(gap, radii_of(gap),
                               (R * math.cos(angle), R * math.sin(angle), 0.0, 0.0, R))
    assert disc[2:] == (0.0, 0.0, R)
    assert disc[:2] == pytest.approx((0.19, slip * math.sqrt(R ** 2 - 0.19 ** 2)))


def test_disc_without_penetration_stays():
    disc = 0.3, R, 0.3, 0.0, R
    assert resolve_penetration(WALL, radii_of(WALL), disc) == disc
    sunk = 0.3, R - 0.5 * PENETRATION, 0.3, 0.0, R
    assert resolve_penetration(WALL, radii_of(WALL), sunk) == sunk


# Rolling on.

@pytest.mark.parametrize('side', [1, -1])
def test_disc_rolls_along_a_wall_for_the_given_distance(side):
    way, (disc, before, angle, jamb, rolled, stuck, count) = ahead_on(
        WALL, on_wall(0.0), side, 0.5)
    assert not jamb and stuck <= 1
    assert 0.5 <= math.dist(disc[:2], (0.0, R)) < 0.5 + STRIDE
    assert math.dist(before[:2], (0.0, R)) < 0.5
    assert side * disc[0] > 0.0 and disc[1] == pytest.approx(R, abs=1e-3)
    assert rolled == pytest.approx(0.5, abs=STRIDE) and rolled >= 0.5 - 1e-9
    # The path has every point that was passed, and no others.
    assert np.isfinite(way[:count]).all() and np.isnan(way[count:]).all()
    assert way[count - 1] == pytest.approx(disc[:2])
    steps = np.hypot(*np.diff(np.vstack([(0.0, R), way[:count]]), axis=0).T)
    assert (steps <= STRIDE + 1e-9).all() and steps.sum() == pytest.approx(rolled, rel=1e-2)


def test_rolling_ends_after_the_maximum_length_near_the_robot():
    pole = np.array([(0.0, 0.0)])
    _, (_, _, _, _, rolled, _, _) = ahead_on(pole, (R, 0.0, 0.0, 0.0, R), 1, 0.9)
    assert MAX_NEARBY < rolled <= MAX_NEARBY + STRIDE
    _, (*_, more, _, count) = ahead_on(pole, (R, 0.0, 0.0, 0.0, R), 1, 0.9, rolled=rolled)
    assert count == 1 and more == pytest.approx(rolled + STRIDE)


def test_full_path_array_ends_rolling():
    _, (*_, count) = ahead_on(WALL, on_wall(0.0), 1, 0.5, room=7)
    assert count == 7


def test_disc_without_progress_is_reported_as_jammed():
    # The disc touches three points, and turns from one to the next endlessly.
    corners = R * np.array([(math.cos(a), math.sin(a)) for a in (0.5, 2.6, 4.7)])
    _, (disc, _, _, jamb, rolled, stuck, _) = ahead_on(
        corners, (0.0, 0.0, *corners[0], R), 1, 0.3)
    assert not jamb and stuck == JAM_CONTACTS + 1 and rolled < 0.01
    assert math.hypot(*disc[:2]) < 0.01
    # Earlier contacts count, too.
    _, (*_, stuck, count) = ahead_on(corners, (0.0, 0.0, *corners[0], R), 1, 0.3,
                                     stuck=JAM_CONTACTS)
    assert (stuck, count) == (JAM_CONTACTS + 1, 1)


def test_contact_with_the_other_jamb_of_a_narrow_gap_is_reported():
    # Two walls with a gap of 0.39 m: the disc rolls around the corner of one, up to the other.
    gap = np.array([(x, -0.01 * k) for x in (0.0, 0.39) for k in range(100)])
    _, (disc, before, _, jamb, _, _, _) = ahead_on(gap, (-0.12, 0.16, 0.0, 0.0, R), 1, 3.0,
                                                   gaps=GAPS)
    assert jamb and before[2:4] == (0.0, 0.0) and disc[2:4] == pytest.approx((0.39, 0.0))
