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

"""``bug_nav run``: navigate in the embedded simulator, without ROS."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from types import FrameType
from typing import Any, Callable, Dict, Optional, TYPE_CHECKING, Union

from bug_nav.cli import CannotRun, exit_code, report_notes, report_written
from bug_nav.cli.argument_types import settings_of
from bug_nav.cli.progress import ProgressLine
from bug_nav.cli.recording_files import check_recording_file, episode_recorder
from bug_nav.cli.robot_file import check_has_effect
from bug_nav.files import BadInput
from bug_nav.files.interrupt import cleanup_on_interrupt
from bug_nav.lab.run import Episode, prepare, shortest_of, SPEED_UP
from bug_nav.lab.run_setup import drive, RunOptions, RunSetup, set_up, SHORTHANDS
from bug_nav.navigation.algorithms.base import check_turn
from bug_nav.navigation.names import did_you_mean
from bug_nav.navigation.parameters import check
from bug_nav.recording import RecordingError
from bug_nav.simulation.robots import PARAMETERS
from bug_nav.visualization.playback import Playback
from bug_nav.visualization.plot_files import check_picture_file, is_animation, is_html
import numpy as np

if TYPE_CHECKING:
    from bug_nav.visualization.animation import Animation

PROGRESS_DELAY = 1.0
"""Time before a run shows its progress on a terminal [s]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    _check_single_run(arguments)
    animation = animation_options(arguments)
    setup = set_up(options_of(arguments, algorithm=arguments.algorithm, turn=arguments.turn))
    try:
        check_turn(setup.algorithm, arguments.turn or '')
    except ValueError as error:
        raise BadInput(f'--turn: {error}') from None
    if arguments.plot:
        check_picture_file(arguments.plot, animations=True)
    if arguments.record:
        check_recording_file(arguments.record)
    report_notes(setup.world)
    warn_of_solid_goal(setup)
    with episode_recorder(setup, arguments.record) as record:
        episode = drive_with_progress(setup, shortest_of(setup), _recorder(arguments), record)
    # Before the plot, which may fail or take minutes.
    print(json.dumps(dict(episode), allow_nan=False) if arguments.json else episode, flush=True)
    if arguments.plot and episode['ticks'] is not None:
        episode.plot(arguments.plot, **animation)
        report_written(arguments.plot)
    return exit_code(episode.outcome)


def options_of(arguments: argparse.Namespace, **given: Any) -> RunOptions:
    """Return the options of a run; BadInput if ``--set`` or another option is not valid."""
    check_shorthands(noise=arguments.noise, clearance=arguments.clearance,
                     turn=given.get('turn'))
    settings = settings_of(arguments.settings)
    check_has_effect(settings, arguments)
    return RunOptions(
        arguments.world, start=arguments.start, goal=arguments.goal, robot=arguments.robot,
        noise=arguments.noise, clearance=arguments.clearance, still=arguments.still,
        time_allowance=arguments.time_allowance, seed=arguments.seed,
        settings=settings, **given)


def check_shorthands(**values: Any) -> None:
    """Raise BadInput, with the option as typed, if a parameter with an option is not allowed."""
    for option, value in values.items():
        parameter = SHORTHANDS[option]
        name = f'--{option}' + (f' ({parameter})' if parameter != option else '')
        try:
            if value is not None:
                check(name, value, PARAMETERS[parameter])
        except ValueError as error:
            raise BadInput(str(error)) from error


def _check_single_run(arguments: argparse.Namespace) -> None:
    """Raise BadInput if several runs are requested: `bug_nav compare` does that."""
    for option, several in (('algorithm', ',' in arguments.algorithm),
                            ('turn', arguments.turn == 'both' or ',' in (arguments.turn or ''))):
        if several:
            raise BadInput(f'--{option} {getattr(arguments, option)} is more than one run; '
                           '`bug_nav compare` runs several and draws all paths')


def warn_of_solid_goal(setup: RunSetup) -> None:
    """Warn of a goal inside an obstacle, which no robot can reach."""
    if setup.world.clearance(np.array([setup.goal]))[0] < 0.0:
        x, y = setup.goal
        print(f'bug_nav: the goal {x:g},{y:g} lies inside an obstacle of the world',
              file=sys.stderr)


def animation_options(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return the given options of an animation; BadInput if no animation is requested."""
    given = {name: getattr(arguments, name) for name in ('speed_up', 'size')
             if getattr(arguments, name) is not None}
    if given and not (arguments.plot and is_animation(arguments.plot)):
        option = next(iter(given)).replace('_', '-')
        raise BadInput(f'--{option} applies to an animation; give --plot FILE with the ending '
                       '.gif or .mp4 as well')
    return given


def _recorder(arguments: argparse.Namespace) -> Union[Animation, Playback, None]:
    """Return the recorder that the plot file needs; None for a still picture or without a plot."""
    if arguments.plot and is_animation(arguments.plot):
        from bug_nav.visualization.animation import Animation
        return Animation(arguments.speed_up or SPEED_UP)
    return Playback() if arguments.plot and is_html(arguments.plot) else None


def drive_with_progress(setup: RunSetup, shortest: Optional[float],
                        recorder: Union[Animation, Playback, None] = None,
                        watch: Optional[Callable] = None) -> Episode:
    """
    Return the episode; an error of the software is shown and becomes its outcome.

    :param shortest: length of the shortest path [m].
    :param recorder: records the run for its plot file.
    :param watch: called after each tick, too.
    """
    result, error = None, ''
    try:
        prepare()
        with cleanup_on_interrupt(lambda: _report_line_of_plugin(setup)):
            result = drive(setup, _combined(_progress(), watch,
                                            recorder.watch if recorder else None))
    except (CannotRun, RecordingError):
        raise
    except (Exception, SystemExit) as fault:  # from third-party algorithms: show it
        _print_traceback(fault, setup)
        error = f'{type(fault).__name__}: {fault}{_nearest_attribute(fault)}'
    return Episode(setup, result, shortest, error, recorder)


def _is_of_algorithm(frame: FrameType, setup: RunSetup) -> bool:
    """Return whether a frame runs code of the package of the algorithm."""
    here, there = frame.f_globals.get('__name__', ''), setup.algorithm.__module__
    return str(here).partition('.')[0] == there.partition('.')[0]


def _print_traceback(error: BaseException, setup: RunSetup) -> None:
    """Print the traceback; only the frames of the algorithm if the error is in its own code."""
    text = traceback.TracebackException.from_exception(error)
    frames = list(traceback.walk_tb(error.__traceback__))
    if frames and _is_of_algorithm(frames[-1][0], setup):
        text.stack = traceback.StackSummary.extract(iter(
            [each for each in frames if _is_of_algorithm(each[0], setup)]))
    print(''.join(text.format()), end='', file=sys.stderr)


def _nearest_attribute(error: BaseException) -> str:
    """Return a suggestion for a mistyped attribute; '' if there is none, or before Python 3.10."""
    name = getattr(error, 'name', None)
    if not isinstance(error, AttributeError) or not isinstance(name, str):
        return ''
    return did_you_mean(name, (each for each in dir(getattr(error, 'obj', None))
                               if not each.startswith('_')))


def _report_line_of_plugin(setup: RunSetup) -> None:
    """After Ctrl-C, report the line of a plug-in that is running, such as an endless loop."""
    if setup.algorithm.__module__.startswith('bug_nav.'):
        return
    for frame, line in traceback.walk_stack(sys._getframe()):
        if _is_of_algorithm(frame, setup):
            place = f'bug_nav: the algorithm was at {frame.f_code.co_filename}:{line}\n'
            # Bypass sys.stderr, as `interrupt.exit_interrupted` does; begin by clearing the line
            # of progress.
            os.write(2, ('\r\x1b[K' if os.isatty(2) else '').encode() + place.encode())
            return


def _combined(*watchers: Optional[Callable]) -> Optional[Callable]:
    """Return one callback that calls all given ones; None if there are none."""
    present = [watcher for watcher in watchers if watcher is not None]

    def watch(*tick: Any) -> None:
        for watcher in present:
            watcher(*tick)
    return watch if present else None


def _progress() -> Optional[Callable]:
    if not sys.stderr.isatty():
        return None
    line = ProgressLine(sys.stderr)
    began, hits, leaves = time.monotonic(), 0, 0

    def watch(simulator: Any, navigator: Any, decision: Any) -> None:
        nonlocal hits, leaves
        hits += sum(event.kind == 'hit' for event in decision.events)
        leaves += sum(event.kind == 'leave' for event in decision.events)
        if decision.result is not None:
            line.clear()
        elif time.monotonic() - began > PROGRESS_DELAY:
            line.show(navigator.robot.goal_distance, '/'.join(decision.state), hits, leaves,
                      navigator.robot.path_length, simulator.stamp)
    return watch
