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
"""What stands in the way and may go again is told from walls."""

import math

from bug_nav.navigation.perception.tracker import possibly_dynamic
import numpy as np

NOW, LONG_AGO = 100.0, 10.0


def line(x0, y0, x1, y1):
    count = int(math.dist((x0, y0), (x1, y1)) / 0.02) + 1
    return np.column_stack((np.linspace(x0, x1, count), np.linspace(y0, y1, count)))


WALL, POST = line(0, 0, 3, 0), line(1, 1, 1.5, 1)
POINTS = np.concatenate((WALL, POST))
PLACES = [(1.0, 0.0), (1.2, 1.0)]


NEEDED = 60.0
HERE = (5.0, 5.0)
NOW_ALL = np.full(len(POINTS), NOW)


def never(place):
    return -math.inf


def since(of_wall, of_post):
    return np.concatenate((np.full(len(WALL), of_wall), np.full(len(POST), of_post)))


def test_who_is_no_wider_than_a_person_and_known_for_a_moment_may_go_and_a_wall_may_not():
    assert possibly_dynamic(PLACES, POINTS, since(90.0, 90.0), NOW_ALL, never, NEEDED,
                            HERE) == [PLACES[1]]


def test_what_was_seen_there_for_long_enough_stays():
    assert possibly_dynamic(PLACES, POINTS, since(90.0, LONG_AGO), NOW_ALL, never, NEEDED,
                            HERE) == []


def test_who_was_not_seen_again_may_have_gone():
    seen = since(NOW, 20.0)
    assert possibly_dynamic(PLACES, POINTS, since(90.0, LONG_AGO), seen, never, NEEDED,
                            HERE) == [PLACES[1]]


def test_wall_that_has_come_a_moment_ago_may_go():
    came = {PLACES[0]: 80.0}
    told = possibly_dynamic(PLACES, POINTS, since(80.0, LONG_AGO), NOW_ALL,
                            lambda place: came.get(place, -math.inf), NEEDED, HERE)
    assert told == [PLACES[0]]


def test_wall_that_somebody_has_stood_beside_is_older_than_that():
    told = possibly_dynamic(PLACES, POINTS, since(50.0, LONG_AGO), NOW_ALL,
                            lambda place: 80.0 if place[1] < 0.5 else -math.inf, NEEDED, HERE)
    assert told == []


def test_post_that_a_wall_runs_into_is_a_part_of_it():
    points = np.concatenate((POINTS, line(1.5, 1.0, 1.5, 0.0)))
    known = np.concatenate((since(90.0, 90.0), np.full(51, 90.0)))
    seen = np.full(len(points), NOW)
    assert possibly_dynamic(PLACES, points, known, seen, never, NEEDED, HERE) == []


def test_nothing_may_go_where_nothing_is_waited_for():
    assert possibly_dynamic(PLACES, POINTS, since(NOW, NOW), NOW_ALL, never, 0.0, HERE) == []


def test_cell_around_the_robot_is_nobody_however_small():
    cell = np.concatenate((line(0, 0, 0.5, 0), line(0.5, 0, 0.5, 0.5), line(0.5, 0.5, 0, 0.5),
                           line(0, 0.5, 0, 0)))
    known, seen = np.full(len(cell), 99.0), np.full(len(cell), NOW)
    assert possibly_dynamic([(0.0, 0.25)], cell, known, seen, never, NEEDED, (0.25, 0.25)) == []
    assert possibly_dynamic([(0.0, 0.25)], cell, known, seen, never, NEEDED, HERE) == [(0.0, 0.25)]
