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
"""Tests of the distinction between walls and possibly dynamic obstacles."""

import math

from bug_nav.navigation.proof.settled import settled
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


def possibly_dynamic(places, points, known, seen, arrived, *others):
    """Return the places whose nearest point is not settled."""
    is_settled = settled(points, known, seen, np.array(list(map(arrived, points))), *others)
    return [place for place in places
            if not is_settled[np.argmin(np.hypot(*(points - place).T))]]


def test_new_person_sized_cluster_is_possibly_dynamic_and_a_wall_is_not():
    assert possibly_dynamic(PLACES, POINTS, since(90.0, 90.0), NOW_ALL, never, NEEDED,
                            HERE) == [PLACES[1]]


def test_cluster_observed_for_long_enough_is_static():
    assert possibly_dynamic(PLACES, POINTS, since(90.0, LONG_AGO), NOW_ALL, never, NEEDED,
                            HERE) == []


def test_cluster_not_observed_for_long_enough_is_possibly_dynamic():
    seen = since(NOW, 20.0)
    assert possibly_dynamic(PLACES, POINTS, since(90.0, LONG_AGO), seen, never, NEEDED,
                            HERE) == [PLACES[1]]


def test_recently_arrived_wall_is_possibly_dynamic():
    found = possibly_dynamic(
        PLACES, POINTS, since(80.0, LONG_AGO), NOW_ALL,
        lambda place: 80.0 if math.dist(place, PLACES[0]) < 0.01 else -math.inf, NEEDED, HERE)
    assert found == [PLACES[0]]


def test_wall_known_before_an_arrival_beside_it_is_static():
    found = possibly_dynamic(PLACES, POINTS, since(50.0, LONG_AGO), NOW_ALL,
                             lambda place: 80.0 if place[1] < 0.5 else -math.inf, NEEDED, HERE)
    assert found == []


def test_door_that_was_not_measured_since_an_arrival_is_possibly_dynamic():
    # It has opened, and what arrived there is the door that shut again.
    found = possibly_dynamic(PLACES, POINTS, since(20.0, LONG_AGO), since(30.0, NOW),
                             lambda place: 80.0 if place[1] < 0.5 else -math.inf, NEEDED, HERE)
    assert found == [PLACES[0]]


def test_post_connected_to_a_wall_is_static():
    points = np.concatenate((POINTS, line(1.5, 1.0, 1.5, 0.0)))
    known = np.concatenate((since(90.0, 90.0), np.full(51, 90.0)))
    seen = np.full(len(points), NOW)
    assert possibly_dynamic(PLACES, points, known, seen, never, NEEDED, HERE) == []


def test_nothing_is_possibly_dynamic_without_a_settling_time():
    assert possibly_dynamic(PLACES, POINTS, since(NOW, NOW), NOW_ALL, never, 0.0, HERE) == []


def test_small_cell_around_the_robot_is_static():
    cell = np.concatenate((line(0, 0, 0.5, 0), line(0.5, 0, 0.5, 0.5), line(0.5, 0.5, 0, 0.5),
                           line(0, 0.5, 0, 0)))
    known, seen = np.full(len(cell), 99.0), np.full(len(cell), NOW)
    assert possibly_dynamic([(0.0, 0.25)], cell, known, seen, never, NEEDED, (0.25, 0.25)) == []
    assert possibly_dynamic([(0.0, 0.25)], cell, known, seen, never, NEEDED, HERE) == [(0.0, 0.25)]
