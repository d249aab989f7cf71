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

"""
Ground truth of a world with doors: whether a goal could be reached by a given time.

A verdict is about what was possible by then: a goal behind a door that opens later could not be
reached yet. Reachable is what an arbitrarily fast robot could reach through the doors as they are
at each time. The true robot is slower, so that this criterion is strict about UNREACHABLE.
People and other robots do not block the way, because they move on, nor does a door that opens for
a robot.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Tuple

from bug_nav.lab.ground_truth import arrivals, frame_of, inflate, polygons_of
from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.movers import Scripted
from bug_nav.simulation.world import World
import numpy as np
import shapely
from shapely.geometry import Point, Polygon

STEP = 0.5
"""Time between two states of the world that are compared [s]."""
DIGITS = 3
"""Digits to which poses are compared [m, rad]."""
Places = Tuple[Tuple[int, Tuple[float, ...]], ...]
"""The present movers and their poses."""


class _Room(NamedTuple):
    """A connected part of the free space at a time."""

    free: Polygon
    has_goal: bool


def could_be_reached(world: World, start: tuple, goal: tuple, radius: float, until: float,
                     tolerance: float = 0.10) -> bool:
    """
    Return whether a disc could get from start to goal within ``until`` [s], at any speed.

    Arguments as for `ground_truth.reachable`; the world has movers.
    """
    rooms = _Rooms(world, start, goal, radius, tolerance)
    place = Point(start[:2]).buffer(radius)
    there: List[_Room] = []
    before: Places = ((-1, ()),)
    for stamp in np.arange(0.0, until + STEP, STEP).tolist():
        places = rooms.places(stamp)
        if places == before:
            continue
        before = places
        # Where the free space closes around the robot, it stays.
        there = [room for room in rooms.at(places) if any(
            room.free.intersects(each.free) for each in there) or (
                not there and room.free.intersects(place))] or there
        if any(room.has_goal for room in there):
            return True
    return False


class _Rooms:
    """The rooms of a world with scripted movers at any time."""

    def __init__(self, world: World, start: tuple, goal: tuple, radius: float, tolerance: float):
        self._scripted = [mover for mover in world.movers if isinstance(mover, Scripted)]
        self._goal, self._radius, self._tolerance = goal, radius, tolerance
        walls = World('', world.solids)
        self._free = frame_of(walls, start[:2], goal, radius + tolerance).difference(
            inflate(walls, radius))
        self._solids = inflate(walls, 0.0)
        self._known: Dict[Places, List[_Room]] = {}

    def places(self, stamp: float) -> Places:
        """Return the movers that are present at a time [s], and their poses."""
        return tuple((k, tuple(round(value, DIGITS) for value in mover.script.at(stamp)))
                     for k, mover in enumerate(self._scripted) if mover.is_present(stamp))

    def at(self, places: Places) -> List[_Room]:
        """Return the rooms while the movers are at some places."""
        if places not in self._known:
            there = [Polygon([Pose(*pose).apply(corner) for corner in part.tolist()])
                     for k, pose in places for part in self._scripted[k].parts]
            free = self._free.difference(shapely.union_all(
                shapely.buffer(there, self._radius))) if there else self._free
            solids = shapely.union_all([self._solids, *there])
            self._known[places] = [
                _Room(part, bool(arrivals(part, solids, self._goal, self._tolerance)))
                for part in polygons_of(free)]
        return self._known[places]
