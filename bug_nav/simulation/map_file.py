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
Write occupancy maps for map_server: a yaml file and its image.

The shades are those of Nav2's map_saver, but not its ``free_thresh`` of 0.25, with which unknown
cells (205 of 255, an occupancy of 0.196) would be read as free.

Source: nav2_map_server (github.com/ros-planning/navigation2, branch humble), map_io.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Tuple

from bug_nav.files.paths import atomic_write
from bug_nav.simulation.pgm import pgm_of
import numpy as np
import yaml

UNKNOWN, FREE, OCCUPIED = -1, 0, 1
"""Values of a map cell."""
SHADE_OF_UNKNOWN = 205
SHADES = {UNKNOWN: SHADE_OF_UNKNOWN, FREE: 254, OCCUPIED: 0}
OCCUPIED_THRESH, FREE_THRESH = 0.65, 0.196
"""Thresholds of occupancy, which is 1 - shade / 255; between them a cell is unknown."""


class GridMap(NamedTuple):
    """An occupancy grid."""

    cells: np.ndarray
    """UNKNOWN, FREE or OCCUPIED, (rows, columns); the first row has the smallest y."""
    resolution: float
    """Side of a cell [m]."""
    origin: Tuple[float, float]
    """Lower left corner [m]."""

    def share(self, kind: int) -> float:
        """Return the share of cells with a value."""
        return float(np.mean(self.cells == kind))


def save_map(given: GridMap, path: Path) -> None:
    """Write the yaml file ``path`` and the image beside it; may raise OSError."""
    image = path.with_suffix('.pgm')
    shades = np.zeros(given.cells.shape, np.uint8)
    for kind, shade in SHADES.items():
        shades[given.cells == kind] = shade
    x, y = given.origin
    metadata = yaml.safe_dump({
        'image': image.name, 'mode': 'trinary', 'resolution': given.resolution,
        'origin': [round(x, 6), round(y, 6), 0.0], 'negate': 0,
        'occupied_thresh': OCCUPIED_THRESH, 'free_thresh': FREE_THRESH},
        default_flow_style=None, sort_keys=False, allow_unicode=True)
    with atomic_write(path) as yaml_file, atomic_write(image) as image_file:
        image_file.write_bytes(pgm_of(shades[::-1]))
        yaml_file.write_text(metadata, encoding='utf-8')
