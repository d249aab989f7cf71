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

"""Maps from scans: occupied, free and unknown cells."""

import math

from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import Scan
from bug_nav.recording import map_builder, RecordingError
from bug_nav.recording.map_builder import MapBuilder
from bug_nav.simulation.map_file import FREE, OCCUPIED, UNKNOWN
import numpy as np
import pytest

STEP = math.radians(1.0)


def scan(ranges, range_max=30.0):
    return Scan(0.0, np.asarray(ranges, dtype=float), -math.pi, STEP, 0.1, range_max)


def room(x, y, half=2.0):
    """Return the ranges of a lidar at (x, y) in a square room around the origin [m]."""
    angles = -math.pi + STEP * np.arange(360)
    with np.errstate(divide='ignore'):
        across = np.where(np.cos(angles) > 0.0, half - x, -half - x) / np.cos(angles)
        along = np.where(np.sin(angles) > 0.0, half - y, -half - y) / np.sin(angles)
    return np.minimum(np.abs(across), np.abs(along))


def at(drawn, x, y):
    column, row = (math.floor((place - first) / drawn.resolution)
                   for place, first in zip((x, y), drawn.origin))
    rows, columns = drawn.cells.shape
    return drawn.cells[row, column] if 0 <= row < rows and 0 <= column < columns else UNKNOWN


def built(*scans, **options):
    builder = MapBuilder(**options)
    for each, pose in scans:
        builder.add(each, pose)
    return builder.grid()


@pytest.mark.parametrize('size', [0.05, 0.1])
def test_walls_are_occupied_and_the_room_is_free(size):
    drawn = built(*((scan(room(x, y)), Pose(x, y, 0.0))
                    for x in (-1.0, 0.3, 1.0) for y in (-1.0, 1.0)), resolution=size)
    rows, columns = np.nonzero(drawn.cells == OCCUPIED)
    places = np.column_stack((columns, rows)) * size + drawn.origin + 0.5 * size
    assert np.abs(np.abs(places).max(axis=1) - 2.0).max() <= size
    assert all(OCCUPIED in [at(drawn, 2.0 + off, y) for off in (-size, 0.0, size)]
               for y in np.arange(-1.9, 1.9, size))
    inside = np.arange(-1.7, 1.7, size)
    assert all(at(drawn, x, y) == FREE for x in inside for y in inside)
    assert drawn.cells.shape[0] * size < 4.2  # cropped to the known cells


def test_map_is_unknown_behind_walls():
    drawn = built((scan(np.full(90, 2.0)), Pose(0.0, 0.0, 0.0)))
    assert at(drawn, -1.0, -1.0) == FREE and at(drawn, 1.0, 1.0) == UNKNOWN


def test_scan_is_placed_by_pose_and_mount():
    ranges = np.full(360, math.nan)
    ranges[180] = 1.0  # ahead
    here = scan(ranges)._replace(mount=Pose(0.2, 0.0, 0.5 * math.pi))
    drawn = built((here, Pose(5.0, 3.0, 0.5 * math.pi)))
    assert at(drawn, 4.01, 3.21) == OCCUPIED and at(drawn, 4.5, 3.21) == FREE


def test_removed_obstacle_is_free_and_static_one_is_occupied():
    there, gone = room(0.0, 0.0), room(0.0, 0.0)
    there[175:186] = 1.0
    scans = [(scan(there), Pose(0.0, 0.0, 0.0))] + 9 * [(scan(gone), Pose(0.0, 0.0, 0.0))]
    assert at(built(*scans), 1.01, 0.01) == FREE
    assert at(built(*scans[:2]), 1.01, 0.01) == OCCUPIED


def test_beams_without_an_echo_do_not_clear_walls():
    wall, silent = np.full(360, 0.5), np.full(360, math.inf)
    drawn = built((scan(wall), Pose(0.0, 0.0, 0.0)),
                  *((scan(silent), Pose(0.0, 0.0, 0.0)) for _ in range(50)))
    assert at(drawn, 0.51, 0.01) == OCCUPIED and at(drawn, 0.8, 0.01) == FREE
    assert at(drawn, map_builder.CLEAR_LENGTH + 0.2, 0.01) == UNKNOWN


def test_beams_along_a_wall_do_not_clear_it():
    places = np.linspace(-1.5, 1.5, 40)
    drawn = built(*((scan(room(x, -1.8, 2.02)), Pose(x, -1.8, 0.0)) for x in places))
    assert all(at(drawn, x, -2.03) == OCCUPIED for x in np.arange(-1.4, 1.4, 0.05))


def test_far_obstacle_only_clears_up_to_the_mapped_distance():
    drawn = built((scan(np.full(360, 8.0)), Pose(0.0, 0.0, 0.0)), farthest=3.0)
    assert OCCUPIED not in drawn.cells
    assert at(drawn, 2.9, 0.01) == FREE and at(drawn, 3.2, 0.01) == UNKNOWN


def test_map_that_becomes_too_large_is_rejected():
    builder = MapBuilder()
    builder.add(scan(np.full(360, 2.0)), Pose(0.0, 0.0, 0.0))
    with pytest.raises(RecordingError, match='allowed are 4096 x 4096'):
        builder.add(scan(np.full(360, 2.0)), Pose(1e6, 0.0, 0.0))


def test_map_with_the_maximum_side_is_accepted():
    side = map_builder.MAX_SIDE * 0.05
    drawn = built((scan(np.full(360, 1.0)), Pose(0.0, 0.0, 0.0)),
                  (scan(np.full(360, 1.0)), Pose(side - 2.2, 0.0, 0.0)))
    assert side - 0.5 < drawn.cells.shape[1] * 0.05 <= side


def test_map_without_scans_is_rejected():
    with pytest.raises(RecordingError, match='no scan could be placed'):
        MapBuilder().grid()
