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

"""Arrow heads along a path: longer than wide, with a notch at the back."""

from __future__ import annotations

import math
from typing import Any, Iterator, Sequence, Tuple

from bug_nav.navigation.geometry import bearing, distance, Point
from matplotlib.axes import Axes
from matplotlib.path import Path
import numpy as np

SHAPE = np.array([(1.0, 0.0), (-0.8, 0.62), (-0.5, 0.0), (-0.8, -0.62), (1.0, 0.0)])
"""An arrow head along x; the notch distinguishes its tip from the other corners."""
SIZE = 13.0
"""Size of an arrow head [points]."""


def draw_head(axes: Axes, place: Point, heading: float, size: float, **style: Any) -> None:
    """Draw an arrow head along a heading [rad] with a size [points]."""
    cosine, sine = math.cos(heading), math.sin(heading)
    turned = SHAPE @ np.array(((cosine, sine), (-sine, cosine)))
    # A marker is scaled to its largest coordinate, which depends on its rotation.
    axes.plot(*place, marker=Path(turned, closed=True), linestyle='', gid='direction',
              markersize=size * float(np.abs(turned).max()), **style)


def heads_along(path: Sequence[Point], spacing: float, back: float, keep_off: Sequence[Point],
                room: float) -> Iterator[Tuple[int, float]]:
    """
    Yield indices of a path at which arrow heads are drawn, and their headings [rad].

    They are ``spacing`` apart and keep ``room`` from some places. The heading is that of the path
    over the last ``back``; all in metres.
    """
    since, tail, behind = 0.5 * spacing, 0, 0.0
    for k in range(1, len(path)):
        step = distance(path[k - 1], path[k])
        since, behind = since + step, behind + step
        while tail < k - 1 and behind - distance(path[tail], path[tail + 1]) >= back:
            behind -= distance(path[tail], path[tail + 1])
            tail += 1
        if since >= spacing and distance(path[tail], path[k]) > 0.5 * back and all(
                distance(path[k], place) > room for place in keep_off):
            since = 0.0
            yield k, bearing(path[tail], path[k])
