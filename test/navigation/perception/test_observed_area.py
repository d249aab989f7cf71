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

"""The area that a lidar without a view all around has observed."""

import math

from bug_nav.navigation.geometry import IDENTITY, Pose
from bug_nav.navigation.perception.observed_area import MARGIN, ObservedArea
from bug_nav.navigation.types import Scan
import numpy as np
import pytest

BODY, CLEARANCE = 0.3, 0.02
ANGLES = np.radians(np.arange(-135.0, 135.0))


def look(*circles, pose=IDENTITY, area=None):
    """Return the area after a scan of 270 degrees among circles (x, y, radius)."""
    directions = np.column_stack((np.cos(ANGLES + pose.theta), np.sin(ANGLES + pose.theta)))
    ranges = np.full(len(ANGLES), math.inf)
    for x, y, radius in circles:
        to = np.array((x - pose.x, y - pose.y))
        along = directions @ to
        square = radius ** 2 - to @ to + along ** 2
        hit = (square >= 0.0) & (along > 0.0)
        ranges[hit] = np.minimum(ranges[hit], along[hit] - np.sqrt(square[hit]))
    area = area or ObservedArea(BODY)
    area.add_view(Scan(0.0, ranges, -0.75 * math.pi, math.radians(1.0), 0.05, 5.0), pose)
    return area


def covers(area, *places, start=(math.inf, math.inf)):
    poses = np.array([[x, y, 0.0] for x, y in places])
    return area.covers(poses, BODY, area.margin, start)


@pytest.mark.parametrize('turn', np.arange(0.0, math.pi, 0.3))
def test_passage_between_posts_is_observed_although_the_posts_are_within_the_margin(turn):
    assert CLEARANCE < MARGIN * BODY
    across = BODY + CLEARANCE + 0.075
    posts = [(math.cos(turn) - side * across * math.sin(turn),
              math.sin(turn) + side * across * math.cos(turn), 0.075) for side in (1.0, -1.0)]
    area = None
    for s in np.arange(0.0, 2.0, 0.05):
        pose = Pose(s * math.cos(turn), s * math.sin(turn), turn)
        area = look(*posts, pose=pose, area=area)
        ahead = [((s + d) * math.cos(turn), (s + d) * math.sin(turn)) for d in (0.05, 0.1, 0.2)]
        assert covers(area, *ahead, start=pose.position)


def test_place_behind_an_obstacle_is_unobserved_until_it_is_in_view():
    wall = [(1.0, y, 0.05) for y in np.arange(-1.0, 1.01, 0.05)]
    area = look(*wall)
    assert not covers(area, (1.4, 0.0)) and not covers(area, (1.36, 1.0))
    assert covers(look(*wall, pose=Pose(1.4, 1.5, -1.0), area=area), (1.6, 1.0))


@pytest.mark.parametrize('degrees', [60, 180, 270])
@pytest.mark.parametrize('ahead', [0.0, 0.1, 0.2, 0.25])
def test_turn_by_the_largest_gap_brings_all_around_the_body_into_view(degrees, ahead):
    # A lidar ahead of the centre does not see places beside the body when it faces them.
    area, first = ObservedArea(BODY), -math.radians(degrees) / 2.0
    turned = 0.0
    while not turned or turned <= area.max_gap + 0.05:
        area.add_view(Scan(0.0, np.full(degrees, math.inf), first, math.radians(1.0), 0.05, 5.0,
                           Pose(ahead, 0.0, 0.0)), Pose(0.0, 0.0, turned))
        turned += 0.05
    assert covers(area, (0.0, 0.0))


def test_place_in_the_blind_sector_is_unobserved():
    assert not covers(look(), (-0.6, 0.0))
    assert covers(look(), (0.6, 0.0)) and covers(look(), (0.0, 0.8))


def test_robot_leaves_the_unobserved_cells_beside_it_and_drives_into_none():
    area = look()
    assert not covers(area, (0.0, 0.0))
    assert covers(area, (0.0, 0.0), (0.1, 0.0), start=(0.0, 0.0))
    assert not covers(area, (0.0, 0.0), (-0.1, 0.0), start=(0.0, 0.0))
