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

"""One run in the embedded simulator: `run` and its `Episode`, of the public interface."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Type,
    TYPE_CHECKING,
    Union,
)

from bug_nav.lab.playback_document import playback_document, run_document
from bug_nav.lab.reference_lengths import path_length_bound, shortest_path_length
from bug_nav.lab.run_report import describe, make_report
from bug_nav.lab.run_setup import command_of, drive, RunOptions, RunSetup, set_up
from bug_nav.navigation.algorithms.base import Algorithm, TURN_BY_ALGORITHM
from bug_nav.navigation.compile_progress import compiling
from bug_nav.navigation.names import did_you_mean, shown
from bug_nav.simulation.episode import EpisodeResult, warm_up
from bug_nav.simulation.world import World
from bug_nav.visualization import plot_files
from bug_nav.visualization.playback import Playback
from bug_nav.visualization.record import record_of, RunRecord
import numpy as np

if TYPE_CHECKING:
    from bug_nav.visualization.animation import Animation
    from matplotlib.figure import Figure

SPEED_UP = 8.0
"""Default speed of an animation relative to simulated time."""
SIZE = 880
"""Default longer side of the map in an animation [pixels]."""


def run(world: Union[str, Path, World], *, algorithm: Union[str, Type[Algorithm]] = 'bug2',
        start: Optional[Sequence[float]] = None, goal: Optional[Sequence[float]] = None,
        robot: str = 'burger', turn: Optional[str] = None, noise: Optional[float] = None,
        clearance: Optional[float] = None, still: bool = False, time_allowance: float = 3600.0,
        seed: int = 1, settings: Optional[Mapping[str, Any]] = None) -> Episode:
    """
    Drive a simulated robot to a goal, and return the episode.

    The arguments are the options of ``bug_nav run``; the same arguments give the same path. The
    first run in a process compiles or loads the kernels.

    :param world: a name or file as for `find_world`, or a `World`.
    :param algorithm: a name of `algorithms`, or a subclass of `Algorithm`.
    :param start: x, y [m] and yaw [rad]; by default the world's.
    :param goal: x, y [m]; by default the world's.
    :param robot: a name of `robots`.
    :param turn: turn direction at a hit point: left (the default), right, clearer, goal,
        alternating or random.
    :param noise: range noise, standard deviation [m].
    :param clearance: distance that the body keeps from obstacles [m].
    :param still: freeze the world in its final state: dynamic obstacles that come to rest are at
        their final positions, and all others are removed.
    :param time_allowance: time limit [simulated s]; 0 for none.
    :param seed: seed of all random numbers.
    :param settings: any parameters by name, such as
        ``{'robot_radius': 0.11, 'bug2.leave_margin': 0.02}``; those of a class that is passed as
        `algorithm` begin with the name of the class.
    :raises ValueError: for invalid input, in one sentence.
    """
    setup = set_up(RunOptions(world, algorithm, start, goal, robot, turn, noise, clearance, still,
                              time_allowance, seed, settings or {}))
    prepare()
    return Episode(setup, drive(setup), shortest_of(setup))


@functools.lru_cache(maxsize=1)
def prepare() -> None:
    """Compile or load all kernels, once per process."""
    with compiling():
        warm_up()


def shortest_of(setup: RunSetup) -> Optional[float]:
    """Return the length of the shortest path [m]; None if there is none or it is unknown."""
    return shortest_path_length(
        setup.world.settled, setup.start, setup.goal, setup.robot.contour_radius,
        setup.robot.settings.xy_goal_tolerance)


def bound_of(setup: RunSetup) -> Optional[float]:
    """Return the upper bound of the path length from the paper [m]; None if unknown."""
    return path_length_bound(setup.algorithm_name, setup.world.settled, setup.start, setup.goal,
                             setup.robot.contour_radius)


def plot_record(setup: RunSetup, episode: EpisodeResult, shortest: Optional[float]) -> RunRecord:
    """Return the record of an episode for plots."""
    metadata, robot = setup.algorithm.metadata, setup.robot
    return record_of(
        episode, metadata.title,
        '' if metadata.turn == TURN_BY_ALGORITHM else robot.settings.turn_direction,
        goal_tolerance=robot.settings.xy_goal_tolerance, robot_radius=robot.model.robot_radius,
        contour_radius=robot.contour_radius, shortest_path=shortest, has_m_line=metadata.m_line)


class Episode(Mapping[str, Any]):
    """
    The result of a run: a mapping with the keys of ``bug_nav run --json``.

    ``dict(episode)`` is the whole document and ``print(episode)`` the text of ``bug_nav run``. A
    notebook shows the plot.
    """

    def __init__(self, setup: RunSetup, result: Optional[EpisodeResult],
                 shortest: Optional[float], fault: str = '',
                 recorder: Union[Animation, Playback, None] = None):
        """
        Store the result of a run; call `run` instead.

        :param result: None if an error of the software ended the run.
        :param fault: that error.
        :param recorder: recorder of the run for `plot`; if None, `plot` repeats the run for an
            animation or a page.
        """
        self._setup, self._result, self._recorder = setup, result, recorder
        self._report = make_report(setup, result, shortest, fault)

    def __getitem__(self, key: str) -> Any:
        """Return a value of the ``--json`` document."""
        try:
            return self._report[key]
        except KeyError:
            raise KeyError(f'unknown key {shown(key)}'
                           + did_you_mean(str(key), self._report)) from None

    if not TYPE_CHECKING:  # type checkers find unknown attributes themselves
        def __getattr__(self, name: str) -> NoReturn:
            """Raise AttributeError, with the nearest name."""
            # Private names are those of protocols, such as pickle's before `_report` exists.
            public = () if name.startswith('_') else {*dir(type(self)), *self._report}
            hint = (f"; it is a key: use episode['{name}']" if name in public else
                    did_you_mean(name, public))
            raise AttributeError(f'an Episode has no attribute {name!r}{hint}')

    def __iter__(self) -> Iterator[str]:
        """Iterate over the keys of the ``--json`` document."""
        return iter(self._report)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._report)

    def __repr__(self) -> str:
        """Return the text that ``bug_nav run`` prints."""
        return describe(self._report)

    def _repr_png_(self) -> Optional[bytes]:
        return self.figure()._repr_png_() if self._result else None  # type: ignore[attr-defined]

    # ---- the most used keys -------------------------------------------------------------------

    @property
    def outcome(self) -> str:
        """Outcome, such as ``reached`` or ``unreachable``."""
        return str(self['outcome'])

    @property
    def message(self) -> str:
        """Sentence about the outcome."""
        return str(self['message'])

    @property
    def path_length(self) -> float:
        """Length of the true path [m]."""
        return float(self['path_length'])

    @property
    def shortest_path(self) -> Optional[float]:
        """Length of the shortest path of a robot with a map [m]; None without a way."""
        return self['shortest_path']

    @property
    def time(self) -> float:
        """Return the simulated time [s]."""
        return float(self['time'])

    @property
    def hits(self) -> int:
        """Return the number of hit points."""
        return int(self['hits'])

    @property
    def leaves(self) -> int:
        """Return the number of leave points."""
        return int(self['leaves'])

    @property
    def hit_points(self) -> List[Dict[str, Any]]:
        """Hit points with true position, time and path length."""
        return self['hit_points']

    @property
    def leave_points(self) -> List[Dict[str, Any]]:
        """Leave points with true position, time and path length."""
        return self['leave_points']

    @property
    def certificate(self) -> Optional[List[List[float]]]:
        """Return the closed chain of points [x, y] that proves ``unreachable`` [m], else None."""
        return self['certificate']

    @property
    def trajectory(self) -> np.ndarray:
        """Return the true path (n, 4), a row per control tick: time [s], x, y [m], yaw [rad]."""
        assert self._result is not None
        return np.array([(sample.stamp, *sample.pose) for sample in self._result.samples])

    # ---- pictures -----------------------------------------------------------------------------

    def figure(self) -> Figure:
        """Return the plot as a new matplotlib figure."""
        from bug_nav.visualization.episode_plot import draw
        return draw(self._record())

    def plot(self, path: Union[str, Path], *, speed_up: float = SPEED_UP, size: int = SIZE
             ) -> None:
        """
        Write a plot, an animation or a playback page, depending on the file ending.

        Plots are .png, .svg or .pdf files. Animations (.gif and .mp4) and pages (.html) repeat
        the run.

        :param speed_up: speed of an animation relative to simulated time.
        :param size: longer side of the map in an animation [pixels].
        :raises ValueError: if the file cannot be written, in one sentence.
        """
        path = str(path)
        plot_files.check_picture_file(path, animations=True)
        if plot_files.is_html(path):
            plot_files.save_page(playback_document(self._setup, [self._page_document()]), path)
        elif plot_files.is_animation(path):
            from bug_nav.visualization.animation import Animation
            animation = self._recorder
            if not isinstance(animation, Animation):
                animation = Animation(speed_up)
                drive(self._setup, animation.watch)
            plot_files.save_animation(animation, self._record(), path, size)
        else:
            plot_files.save(self.figure(), path)

    def _record(self) -> RunRecord:
        """Return the record for plots."""
        assert self._result is not None
        return plot_record(self._setup, self._result, self['shortest_path'])

    def _page_document(self) -> Dict[str, Any]:
        """Return the document for the playback page."""
        assert self._result is not None
        playback, options = self._recorder, self._setup.options
        if not isinstance(playback, Playback):
            playback = Playback()
            drive(self._setup, playback.watch)
        world = options.world.name if isinstance(options.world, World) else str(options.world)
        return run_document(self._setup, self._result, playback, self._report,
                            command_of(options, world), bound_of(self._setup))
