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

"""Draw movers and other robots: initial poses and routes."""

from __future__ import annotations

from typing import Any, Iterator, List

from bug_nav.navigation.geometry import Pose
from bug_nav.simulation.movers import AutomaticDoor, disc, Person, Scripted
from bug_nav.simulation.scene import Scene
from bug_nav.simulation.world import World
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
import numpy as np

MOVER = '#7a5fb0'
"""Colour of people, doors and other robots, as on the page."""


def draw_movers(axes: Axes, world: World, radius: float, weight: float) -> None:
    """Draw movers, other robots of a radius [m], and faintly their routes."""
    ways = [way for mover in world.movers for way in _ways(mover)]
    axes.add_collection(LineCollection(ways, colors=MOVER, linewidths=1.1 * weight, alpha=0.45,
                                       zorder=2.4, gid='routes of movers'))
    axes.add_collection(PolyCollection(mover_polygons(Scene(world), world), facecolors=MOVER,
                                       edgecolors='none', alpha=0.85, zorder=2.6, gid='movers'))
    for robot in world.other_robots:
        axes.annotate('', robot.goal, robot.start[:2], zorder=2.4, gid='route of another robot',
                      arrowprops={'arrowstyle': '->', 'color': MOVER, 'alpha': 0.45,
                                  'linewidth': 1.1 * weight, 'shrinkA': 0, 'shrinkB': 0})
    axes.add_collection(PolyCollection(
        [disc(radius, *robot.start[:2]) for robot in world.other_robots], facecolors=MOVER,
        edgecolors='none', zorder=2.6, gid='other robots'))


def mover_polygons(scene: Scene, world: World) -> List[np.ndarray]:
    """Return the polygons of a world's movers at their poses in a scene, each (n, 2) [m]."""
    return [_placed(part, body.pose) for body, mover in zip(scene.bodies, world.movers)
            if body.pose is not None for part in mover.parts]


def _placed(part: np.ndarray, pose: Pose) -> np.ndarray:
    return np.array([pose.apply((x, y)) for x, y in part])


def _ways(mover: Any) -> Iterator[np.ndarray]:
    """Yield the route of a mover, and its outline when open or farthest away."""
    if isinstance(mover, Person):
        yield mover.route
    elif isinstance(mover, AutomaticDoor):
        yield from (_closed(_placed(part, mover.opened)) for part in mover.parts)
    elif isinstance(mover, Scripted):
        poses = [Pose(x, y, theta) for x, y, theta in mover.script.poses]
        yield np.array([pose.position for pose in poses])
        for part in mover.parts:
            first, *others = (_placed(part, pose) for pose in poses)
            yield _closed(max(others, key=lambda there: np.abs(there - first).max(),
                              default=first))


def _closed(part: np.ndarray) -> np.ndarray:
    return np.vstack((part, part[:1]))
