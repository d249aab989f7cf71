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
Record a run tick by tick for the playback page.

Pass `Playback.watch` to `run_episode`; `Playback.document` is a JSON document for the page. Long
series of lengths and angles are whole millimetres and milliradians, as differences from the
previous value.
"""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.navigation.navigator import Navigator
from bug_nav.navigation.types import Decision, Scan
from bug_nav.simulation.episode import EpisodeResult, PERIOD
from bug_nav.simulation.movers import disc
from bug_nav.simulation.simulator import Simulator
from bug_nav.simulation.world import World
import numpy as np

MAX_SCANS = 600
"""Number of scans above which every second one is dropped."""
MAX_BEAMS = 360
POINTS_EVERY = 10
"""Interval between two records of the stored points [ticks]."""
MOVERS_EVERY = 4
"""Interval between two records of movers [ticks]."""
MIN_ERROR = 0.001
"""Position error above which the estimated path is included [m]."""
NOWHERE = np.iinfo(np.int64).min
"""Cell of a point that is not stored."""


class Playback:
    """The record of a run."""

    def __init__(self, detail: bool = True):
        """Create a record; ``detail``: with scans, stored points and movers."""
        self._detail = detail
        self._poses: List[Pose] = []
        self._estimated: List[Pose] = []
        self._states: List[Tuple[int, str]] = []
        self._why: List[Tuple[int, str, str]] = []
        self._events: List[Dict[str, Any]] = []
        self._scans: List[Tuple[int, Scan]] = []
        self._every = 1
        self._seen = 0
        self._points: List[List[int]] = []
        self._cells = np.empty(0, dtype=np.int64)
        self._known: Dict[int, int] = {}
        self._count: Dict[int, int] = {}
        self._moving: List[List[Optional[Pose]]] = []

    @property
    def places(self) -> List[Point]:
        """Return the position of the robot at each tick [m]."""
        return [pose.position for pose in self._poses]

    def watch(self, simulator: Simulator, navigator: Navigator, decision: Decision) -> None:
        """Record a tick."""
        tick, robot = len(self._poses), navigator.robot
        self._poses.append(simulator.pose)
        self._estimated.append(robot.pose)
        _note(self._states, tick, '/'.join(decision.state))
        if decision.step:
            _note(self._why, tick, decision.step, decision.reason)
        if decision.events:
            to_truth = simulator.pose.compose(robot.global_pose.inverse())
            self._events += [
                {'tick': tick, 'kind': event.kind, 'index': event.index,
                 **_place(to_truth.apply(event.pose.position)),
                 'goal_distance': round(event.goal_distance, 4),
                 'path_length': round(event.path_length, 4)} for event in decision.events]
        if self._detail:
            self._add_details(tick, simulator, navigator)

    def _add_details(self, tick: int, simulator: Simulator, navigator: Navigator) -> None:
        perception = navigator.robot.perception
        scan = perception.perceived.newest_scan.scan
        if len(scan.ranges) > 1 and (not self._scans or scan is not self._scans[-1][1]):
            self._add_scan(tick, scan)
        if tick % POINTS_EVERY == 0:
            self._compare_points(tick, *perception.memory.changes())
        if tick % MOVERS_EVERY == 0 and (simulator.world.movers or simulator.world.other_robots):
            self._moving.append(_moving(simulator))

    def _add_scan(self, tick: int, scan: Scan) -> None:
        self._seen += 1
        if self._seen % self._every == 0:
            self._scans.append((tick, scan))
            if len(self._scans) > MAX_SCANS:
                self._scans = self._scans[::2]
                self._every *= 2

    def _compare_points(self, tick: int, numbers: np.ndarray, places: np.ndarray) -> None:
        """
        Record which cells of 1 cm have gained a point, and which have lost their last one.

        :param numbers: indices (n,) of points that may have changed, `ObstacleMemory.changes`.
        :param places: their present positions (n, 2) [m].
        """
        if len(numbers) and numbers[-1] >= len(self._cells):
            room = np.full(max(numbers[-1] + 1 - len(self._cells), len(self._cells)), NOWHERE)
            self._cells = np.concatenate((self._cells, room))
        now = _cells(places)
        moved = now != self._cells[numbers]
        before = self._cells[numbers[moved]].tolist()
        self._cells[numbers] = now
        # Add before removing, so that a cell that changes its point is never empty.
        for cell in now[moved].tolist():
            if cell != NOWHERE:
                self._count[cell] = self._count.get(cell, 0) + 1
                if cell not in self._known:
                    self._known[cell] = len(self._points)
                    self._points.append([*_column_and_row(cell), tick, -1])
        for cell in before:
            if cell != NOWHERE:
                self._count[cell] -= 1
                if not self._count[cell]:
                    del self._count[cell]
                    self._points[self._known.pop(cell)][3] = tick

    def document(self, episode: EpisodeResult, tolerance: float, radius: float, rho: float,
                 facts: Dict[str, Any]) -> Dict[str, Any]:
        """
        Return the run as a document for the page.

        :param facts: additional entries, copied into the document.
        """
        lap = episode.result.lap_length if episode.result else 0.0
        off = max((math.dist(one.position, other.position)
                   for one, other in zip(self._poses, self._estimated)), default=0.0)
        return {
            **facts,
            'radius': radius, 'rho': rho, 'tolerance': tolerance, 'period': PERIOD,
            **_pose_series(self._poses),
            'estimated': _pose_series(self._estimated) if off > MIN_ERROR else None,
            'states': [list(each) for each in self._states],
            'why': [list(each) for each in self._why],
            'events': self._events,
            'certificate': [[round(x, 4), round(y, 4)] for x, y in episode.certificate],
            'lap': self._lap(lap) if lap > 0.0 and not episode.certificate else None,
            'detail': self._details(episode.world, radius) if self._detail else None}

    def _lap(self, length: float) -> List[int]:
        """Return the first and last tick of the final ``length`` metres of the path."""
        tick, gone = len(self._poses) - 1, 0.0
        last = tick
        while tick > 0 and gone < length:
            gone += math.dist(self._poses[tick].position, self._poses[tick - 1].position)
            tick -= 1
        return [tick, last]

    def _details(self, world: World, radius: float) -> Dict[str, Any]:
        return {'scans': _scans(self._scans), 'points': self._points,
                'movers': _movers(world, self._moving, radius)}


def world_document(world: World) -> Dict[str, Any]:
    """Return a world as a document for the page."""
    return {
        'name': world.name, 'bounds': [round(value, 4) for value in world.bounds],
        'solids': [np.rint(1000.0 * solid).astype(int).ravel().tolist()
                   for solid in world.solids],
        'surfaces': list(world.surfaces) if world.special_surfaces else [],
        'start': list(world.start) if world.start else None,
        'goal': list(world.goal) if world.goal else None,
        'moves': bool(world.movers or world.other_robots)}


def _note(notes: List[Any], tick: int, *what: str) -> None:
    """Append a note if it differs from the last one."""
    if not notes or notes[-1][1:] != what:
        notes.append((tick, *what))


def _cells(places: np.ndarray) -> np.ndarray:
    """Return the indices (n,) of the 1 cm cells that contain places (n, 2) [m]."""
    there = places[:, 0] < math.inf
    columns, rows = np.rint(100.0 * places[there]).astype(np.int64).T
    cells = np.full(len(places), NOWHERE)
    cells[there] = (columns << 32) + rows
    return cells


def _column_and_row(cell: int) -> Tuple[int, int]:
    column = (cell + (1 << 31)) >> 32
    return column, cell - (column << 32)


def _place(point: Point) -> Dict[str, float]:
    return {'x': round(point[0], 4), 'y': round(point[1], 4)}


def _pose_series(poses: Sequence[Pose]) -> Dict[str, List[int]]:
    turned = np.unwrap([pose.theta for pose in poses]) if poses else np.empty(0)
    return {'x': _differences(pose.x for pose in poses),
            'y': _differences(pose.y for pose in poses),
            'yaw': _differences(turned)}


def _differences(values: Iterable[float]) -> List[int]:
    """Return values in whole thousandths, as differences from the previous one."""
    return np.diff(np.rint(1000.0 * np.array(list(values))).astype(int), prepend=0).tolist()


def _scans(scans: Sequence[Tuple[int, Scan]]) -> Optional[Dict[str, Any]]:
    if not scans:
        return None
    first = scans[0][1]
    step = max(1, math.ceil(len(first.ranges) / MAX_BEAMS))
    return {'at': [tick for tick, _ in scans], 'angle_min': round(first.angle_min, 6),
            'angle_increment': round(first.angle_increment * step, 8),
            'mount': [round(value, 4) for value in first.mount],
            'range_max': round(float(first.range_max), 3),
            'ranges': [_centimetres(scan.ranges[::step]) for _, scan in scans]}


def _centimetres(ranges: np.ndarray) -> List[int]:
    """Return ranges in whole centimetres, 0 for no return."""
    return np.rint(100.0 * np.where(np.isfinite(ranges), ranges, 0.0)).astype(int).tolist()


def _moving(simulator: Simulator) -> List[Optional[Pose]]:
    """Return the poses of movers and other robots; None for an absent mover."""
    scene = simulator.scene
    return [*(body.pose for body in scene.bodies),
            *(Pose(x, y, 0.0) for x, y, _ in scene.robots[1:])]


def _movers(world: World, samples: Sequence[Sequence[Optional[Pose]]], radius: float
            ) -> List[Dict[str, Any]]:
    """Return the parts of movers and other robots, with their poses over time."""
    other_robots = [(f'robot {number + 1}', disc(radius))
                    for number in range(len(world.other_robots))]
    parts = [(number, mover.name, part) for number, mover in enumerate(world.movers)
             for part in mover.parts]
    parts += [(len(world.movers) + number, *robot) for number, robot in enumerate(other_robots)]
    return [{'name': name, 'solid': np.rint(1000.0 * part).astype(int).ravel().tolist(),
             'radius': radius if number >= len(world.movers) else None, 'every': MOVERS_EVERY,
             'poses': [value for sample in samples for value in _pose(sample[number])]}
            for number, name, part in parts]


def _pose(pose: Optional[Pose]) -> Sequence[Optional[int]]:
    return (None,) * 3 if pose is None else [round(1000.0 * value) for value in pose]
