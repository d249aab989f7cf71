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

"""A run as a moving picture: the world, what moves in it, the robot, its trail and its points."""

from __future__ import annotations

import io
from typing import Any, Callable, Iterator, List, NamedTuple, Tuple, Union

from bug_nav.core.geometry import Point, Pose
from bug_nav.sim.movers import SIDES
from bug_nav.viz.episode_plot import (
    CONTOUR,
    draw_ground,
    FACES,
    FAINT_INK,
    FLOOR,
    GOAL,
    GRID,
    HIT,
    INK,
    LEAVE,
    OTHER,
    PAPER,
    phase_of,
    PHASES,
    SOLID_EDGE,
    title,
    View,
)
from bug_nav.viz.movers import MOVER, outlines, RIVAL
from bug_nav.viz.record import RunRecord
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle
import numpy as np
from PIL import Image

RATE = 10
"""Pictures in a second."""
MOST = 300
"""A film has no more pictures than this: of a longer run, it is faster."""
LARGEST = 2_500_000
"""Nor more bytes."""
SIDE, DPI = 4.6, 96
"""The longer side of the map [inch]."""
ABOVE, BELOW = 0.30, 0.28
"""Room for the title and for the caption [inch]."""
SHADES = 5
"""Of each colour, towards that of the floor."""
LAST = 2.0
"""The last picture stays so long [s]."""


class Picture(NamedTuple):
    """What there is to be seen at a moment."""

    stamp: float
    pose: Pose
    state: str
    movers: List[np.ndarray]
    """Polygons, each (n, 2) [m]."""
    rivals: List[np.ndarray]
    trail: int
    """So many places of the trail are behind the robot."""
    marks: Tuple[Tuple[str, Point], ...]


class Film:
    """Takes pictures while a simulator runs: `watch` is for `run_episode`."""

    def __init__(self, speed_up: float = 8.0):
        """Have simulated time go so much faster in the film."""
        self._period = speed_up / RATE
        self._due = 0.0
        self._trail: List[Point] = []
        self._marks: Tuple[Tuple[str, Point], ...] = ()
        self.pictures: List[Picture] = []

    @property
    def speed_up(self) -> float:
        """How much faster it goes, which a long run has made more."""
        return self._period * RATE

    def watch(self, simulator: Any, navigator: Any, decision: Any) -> None:
        """Take a picture where one is due; the last one always."""
        self._trail.append(simulator.pose.position)
        self._marks += tuple((event.kind, simulator.pose.position) for event in decision.events
                             if event.kind in ('hit', 'leave'))
        ends = decision.result is not None or simulator.contacts
        if simulator.stamp < self._due - 1e-9 and not ends:
            return
        self._due = simulator.stamp + self._period
        scene = simulator.scene
        others = scene.seen_by(simulator)[len(scene.segments):].reshape(-1, SIDES, 4)
        self.pictures.append(Picture(
            simulator.stamp, simulator.pose, '/'.join(decision.state),
            outlines(scene, simulator.world), list(others[..., :2]), len(self._trail),
            self._marks))
        if len(self.pictures) > MOST:
            self._thin()

    def _thin(self) -> None:
        # From the end, for that has to be seen.
        self.pictures = self.pictures[::-2][::-1]
        self._period *= 2.0

    def save(self, record: RunRecord, path: Union[str, Any],
             tell: Callable[[int, int], None] = lambda done, count: None) -> None:
        """
        Write the film of a run; ``record`` says what it is about. May raise OSError.

        :param tell: is told how many pictures are drawn, and of how many.
        """
        while True:
            images = []
            for number, image in enumerate(self._images(record)):
                images.append(image)
                tell(number + 1, len(self.pictures))
            few = _palette()
            images = [image.quantize(palette=few, dither=Image.Dither.NONE) for image in images]
            durations = [1000 // RATE] * (len(images) - 1) + [int(1000 * LAST)]
            told = io.BytesIO()
            images[0].save(told, 'GIF', save_all=True, append_images=images[1:], loop=0,
                           duration=durations, optimize=True)
            if told.tell() <= LARGEST or len(self.pictures) < 4:
                break
            self._thin()
        with open(path, 'wb') as file:
            file.write(told.getvalue())

    def _images(self, record: RunRecord) -> Iterator[Image.Image]:
        view = View([record], SIDE, 0.7, whole=True)
        size = view.width, view.height + ABOVE + BELOW
        figure = Figure(figsize=size, facecolor=PAPER, dpi=DPI)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, BELOW / size[1], 1.0, view.height / size[1]))
        draw_ground(axes, record, view)
        axes.plot(*record.goal, marker='*', markersize=11, color=GOAL, linestyle='', zorder=3)
        figure.text(0.012, 1.0 - 0.5 * ABOVE / size[1], title(record), fontsize=9.5,
                    fontweight='bold', color=INK, va='center')
        caption = figure.text(0.012, 0.5 * BELOW / size[1], '', fontsize=8.5, color=FAINT_INK,
                              va='center')
        trail, = axes.plot([], [], linewidth=1.6, zorder=3.5)
        heading, = axes.plot([], [], color=PAPER, linewidth=1.3, zorder=5.1)
        robot = axes.add_patch(Circle(record.start.position, record.robot_radius, zorder=5))
        points = {kind: axes.plot([], [], marker=marker, color=colour, linestyle='', zorder=4,
                                  markersize=5, markeredgecolor=PAPER)[0]
                  for kind, colour, marker in (('hit', HIT, 'o'), ('leave', LEAVE, 's'))}
        movers, rivals = (PolyCollection([], facecolors=colour, zorder=4.5)
                          for colour in (MOVER, RIVAL))
        axes.add_collection(movers)
        axes.add_collection(rivals)
        state = ''
        for picture in self.pictures:
            state = picture.state or state
            trail.set_data(*np.array(self._trail[:picture.trail]).T)
            trail.set_color(OTHER.colour)
            robot.set(center=picture.pose.position, facecolor=phase_of(state).colour,
                      edgecolor=INK)
            heading.set_data(*np.array([picture.pose.position,
                                        picture.pose.apply((record.robot_radius, 0.0))]).T)
            for kind, line in points.items():
                places = [place for called, place in picture.marks if called == kind]
                line.set_data(*np.array(places).reshape(-1, 2).T)
            movers.set_verts(picture.movers)
            rivals.set_verts(picture.rivals)
            is_last = picture is self.pictures[-1]
            told = record.outcome.replace('_', ' ') if is_last else state.replace('_', ' ')
            caption.set_text(f'{picture.stamp:6.1f} s   {told}   ({self.speed_up:g} times)')
            canvas.draw()
            yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())


def _palette() -> Image.Image:
    """Return an image whose colours are those that are drawn, and what is between them."""
    drawn = [INK, FAINT_INK, PAPER, SOLID_EDGE, CONTOUR, GRID, GOAL, HIT, MOVER, RIVAL,
             OTHER.colour, *FACES.values(), *(phase.colour for phase in PHASES)]
    floor = np.array(to_rgb(FLOOR))
    shades = [floor + share * (np.array(to_rgb(colour)) - floor)
              for colour in drawn for share in np.linspace(0.2, 1.0, SHADES)]
    image = Image.new('P', (1, 1))
    image.putpalette(np.rint(255.0 * np.array([floor, *shades])).astype(np.uint8).tobytes())
    return image
