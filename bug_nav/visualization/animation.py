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

"""Animation of a run: the world, movers, the robot, its trail, hit and leave points."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, NamedTuple, Sequence, Tuple, Union

from bug_nav.navigation.geometry import Point, Pose
from bug_nav.simulation.movers import SIDES
from bug_nav.visualization.episode_plot import (
    draw_ground,
    draw_m_line,
    FAINT_INK,
    GOAL,
    HIT,
    INK,
    LEAVE,
    PAPER,
    Paper,
    phase_of,
    phases,
    title,
    verdict_of,
    View,
)
from bug_nav.visualization.mover_plot import MOVER, mover_polygons
from bug_nav.visualization.record import RunRecord, Step
from bug_nav.visualization.video_file import DPI, RATE, write_animation
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Circle
import numpy as np

MAX_FRAMES = 300
"""Maximum number of frames; the animation of a longer run is faster."""
SIDE = 4.6
"""Longer side of the map [inch]."""
ABOVE, BELOW = 0.30, 0.28
"""Height of the title and of the caption [inch]."""


class Frame(NamedTuple):
    """The content of one frame."""

    stamp: float
    pose: Pose
    state: str
    movers: List[np.ndarray]
    """Polygons, each (n, 2) [m]."""
    other_robots: List[np.ndarray]
    trail: int
    """Number of trail points behind the robot."""
    marks: Tuple[Tuple[str, Point], ...]


class Animation:
    """Collects frames during a run: pass `watch` to `run_episode`."""

    def __init__(self, speed_up: float = 8.0):
        """Create an animation that is ``speed_up`` times faster than simulated time."""
        self._period = speed_up / RATE
        self._due = 0.0
        self._trail: List[Step] = []
        self._marks: Tuple[Tuple[str, Point], ...] = ()
        self.frames: List[Frame] = []

    @property
    def speed_up(self) -> float:
        """Speed relative to simulated time, which a long run increases."""
        return self._period * RATE

    def watch(self, simulator: Any, navigator: Any, decision: Any) -> None:
        """Add a tick of a run."""
        scene = simulator.scene
        others = scene.seen_by(simulator)[len(scene.segments):].reshape(-1, SIDES, 4)
        self.add(simulator.stamp, simulator.pose, '/'.join(decision.state),
                 tuple((event.kind, simulator.pose.position) for event in decision.events
                       if event.kind in ('hit', 'leave')),
                 ends=decision.result is not None or simulator.contacts,
                 movers=lambda: mover_polygons(scene, simulator.world), others=others[..., :2])

    def add(self, stamp: float, pose: Pose, state: str, marks: Tuple[Tuple[str, Point], ...] = (),
            ends: Any = False, movers: Callable[[], List[np.ndarray]] = list,
            others: Sequence[np.ndarray] = ()) -> None:
        """Add a step, as a frame if one is due, and always at the end."""
        self._trail.append(Step(pose, state))
        self._marks += marks
        if stamp < self._due - 1e-9 and not ends:
            return
        self._due = stamp + self._period
        self.frames.append(Frame(stamp, pose, state, movers(), list(others), len(self._trail),
                                 self._marks))
        if len(self.frames) > MAX_FRAMES:
            self._thin()

    def _thin(self) -> None:
        # Backwards, so that the last frame is kept.
        self.frames = self.frames[::-2][::-1]
        self._period *= 2.0

    def save(self, record: RunRecord, path: Union[str, Any],
             progress: Callable[[int, int], None] = lambda done, count: None,
             dpi: int = DPI) -> None:
        """
        Write the animation of the run in ``record``. May raise OSError.

        :param progress: called with the number of frames drawn, and the total.
        :param dpi: pixels per inch; the longer side of the map has about 4.6 inches.
        """
        stage = _Stage(record, dpi)
        write_animation(stage.figure, lambda: self._draw_frames(stage, progress),
                        self._has_thinned, path)

    def _draw_frames(self, stage: _Stage, progress: Callable[[int, int], None]) -> Iterator[None]:
        for number, frame in enumerate(self.frames):
            stage.show(frame, self._trail[:frame.trail], self.speed_up, frame is self.frames[-1])
            yield
            progress(number + 1, len(self.frames))

    def _has_thinned(self) -> bool:
        if len(self.frames) < 4:
            return False
        self._thin()
        return True


class _Stage:
    """The figure on which the frames are drawn."""

    def __init__(self, record: RunRecord, dpi: int):
        """Draw the constant parts: world, goal and title."""
        self._record = record
        view = View([record], SIDE, 0.7, whole=True)
        self.figure, axes, self._caption = animation_figure(record, view, title(record), dpi=dpi)
        draw_m_line(axes, record, view)
        self._trail = axes.add_collection(LineCollection([], linewidths=1.8, zorder=3.5))
        self._heading, = axes.plot([], [], color=PAPER, linewidth=1.3, zorder=5.1)
        self._robot = axes.add_patch(Circle(record.start.position, record.robot_radius,
                                            zorder=5))
        self._points = {kind: axes.plot([], [], marker=marker, color=colour, linestyle='',
                                        zorder=4, markersize=5, markeredgecolor=PAPER)[0]
                        for kind, colour, marker in (('hit', HIT, 'o'), ('leave', LEAVE, 's'))}
        self._movers = axes.add_collection(PolyCollection([], facecolors=MOVER, zorder=4.5))
        self._state = ''

    def show(self, frame: Frame, trail: List[Step], speed_up: float, is_last: bool) -> None:
        """Show a frame."""
        self._state = frame.state or self._state
        stretches = list(phases(tuple(trail)))
        self._trail.set(segments=[np.array(places) for _, places in stretches],
                        color=[phase.colour for phase, _ in stretches])
        colour = phase_of(self._state).colour
        self._robot.set(center=frame.pose.position, facecolor=colour, edgecolor=INK)
        self._heading.set_data(*np.array([
            frame.pose.position, frame.pose.apply((self._record.robot_radius, 0.0))]).T)
        for kind, line in self._points.items():
            places = [place for called, place in frame.marks if called == kind]
            line.set_data(*np.array(places).reshape(-1, 2).T)
        self._movers.set_verts([*frame.movers, *frame.other_robots])
        caption = self._state.replace('_', ' ')
        if is_last:
            colour, caption = verdict_of(self._record)
            self._caption.set_weight('bold')
        self._caption.set_text(f'{frame.stamp:6.1f} s   {caption}   {speed_up:g}x speed')
        self._caption.set_color(colour)


def animation_figure(record: RunRecord, view: View, headline: str, below: float = BELOW,
                     dpi: int = DPI) -> Tuple:
    """Return figure, axes and caption of an animation, with world and goal of a run."""
    # Video codecs need an even number of pixels on each side.
    wide, high = (2.0 * round(0.5 * dpi * side) / dpi
                  for side in (view.width, view.height + ABOVE + below))
    figure = Paper((wide, high), dpi=dpi)
    axes = figure.add_axes((0.0, below / high, 1.0, view.height / high))
    draw_ground(axes, record, view)
    axes.plot(*record.goal, marker='*', markersize=11, color=GOAL, linestyle='', zorder=3)
    figure.text(0.012, 1.0 - 0.5 * ABOVE / high, headline, fontsize=9.5, fontweight='bold',
                color=INK, va='center')
    caption = figure.text(0.012, 0.5 * BELOW / high, '', fontsize=8.5, color=FAINT_INK,
                          va='center')
    return figure, axes, caption
