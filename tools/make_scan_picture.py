#!/usr/bin/env python3
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
Draw docs/images/scan_faults.png: scans of the same place by an ideal and by real lidars.

Needs bug_nav installed, and matplotlib.
"""

from __future__ import annotations

from pathlib import Path

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.ascii import world_of
from bug_nav.simulation.robots import equip
from bug_nav.simulation.simulator import Simulator
from bug_nav.visualization.episode_plot import FACES, FAINT_INK, INK, PAPER, SOLID_EDGE
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
import numpy as np

IMAGE = Path(__file__).resolve().parent.parent / 'docs' / 'images' / 'scan_faults.png'
ROOM = """
    ####################
    #..................#
    #..........##......#
    #..................#
    :..................#
    :....#......S......%
    :..................%
    #..................%
    #.......##.........#
    #..................#
    ####################
"""
CELL = 0.25
"""Side of a cell [m]."""
SEED = 2
LIDARS = {'as in Gazebo': {}, 'lidar=lds_01': {'lidar': 'lds_01'},
          'lidar=lds_01, scan_yaw_error of 5 degrees': {'lidar': 'lds_01',
                                                        'scan_yaw_error': 0.0873}}


def main() -> int:
    """Draw."""
    world = world_of(ROOM, CELL)
    start = Pose(*world.start)
    figure = Figure(figsize=(10.5, 2.4), facecolor=PAPER, constrained_layout=True)
    FigureCanvasAgg(figure)
    for axes, (title, changes) in zip(figure.subplots(1, len(LIDARS)), LIDARS.items()):
        robot = Simulator(world, start, lidar=equip('burger', changes).sensor, seed=SEED)
        scan = robot.scan()
        axes.add_collection(PolyCollection(
            world.solids, facecolors=[FACES[surface] for surface in world.surfaces],
            edgecolors=SOLID_EDGE, linewidths=0.6))
        lidar = start.compose(scan.mount)
        seen = np.flatnonzero(np.isfinite(scan.ranges) & (scan.ranges >= scan.range_min))
        angles = lidar.theta + scan.angle_min + scan.angle_increment * seen
        axes.plot(lidar.x + scan.ranges[seen] * np.cos(angles),
                  lidar.y + scan.ranges[seen] * np.sin(angles), '.', color='#b3261e',
                  markersize=2.2)
        axes.plot(*start.position, 'o', color=INK, markersize=5)
        axes.set_title(title, fontsize=8.5, color=INK)
        axes.set_aspect('equal')
        x0, y0, x1, y1 = world.bounds
        axes.set_xlim(x0 - 1.0, x1 + 1.0)
        axes.set_ylim(y0 - 0.7, y1 + 0.7)
        axes.tick_params(labelsize=7, labelcolor=FAINT_INK)
    figure.savefig(IMAGE, dpi=110)
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
