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
Worker process that runs episodes for the server, one job at a time.

It receives `Job`s through a pipe, and ``None`` to cancel the current job. During a run it sends
``('path', from, [x, y, ...], progress)`` [mm]; at the end ``('done', text)`` with the JSON answer,
``('error', message)`` or ``('cancelled',)``. ``progress`` is the simulated time [s], the path
length [m] and the stack of states, joined by '/'.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from multiprocessing.connection import Connection
from pathlib import Path
import signal
import time
import traceback
from typing import Any, Dict, List, Optional, Tuple

from bug_nav.files import BadInput
from bug_nav.lab.playback_document import run_document
from bug_nav.lab.reference_lengths import path_length_bound, shortest_path_length
from bug_nav.lab.run_report import make_report
from bug_nav.lab.run_setup import drive
from bug_nav.lab.workers import end_with_parent
from bug_nav.navigation.geometry import Point, Pose
from bug_nav.playground.image_export import render
from bug_nav.playground.job import Job
from bug_nav.playground.request_parser import parse_run, parse_world, UploadedFiles
from bug_nav.simulation.export import world_to_drawing, world_to_sdf
from bug_nav.simulation.odometry import OdometryModel
from bug_nav.simulation.world import World
from bug_nav.visualization.playback import Playback, world_document

CANCEL_CHECK_PERIOD = 0.005
"""Period of the checks for a cancel [s]."""
PATH_PERIOD = 0.03
"""Period of the path messages [s]."""
FIRST_PATH_DELAY = 0.01
"""Delay of the first path message [s]."""
PATH_SPACING = 0.02
"""Minimum spacing of the path points [m]."""
MAX_RUN_TIME = 60.0
"""Maximum computation time of an episode [s]."""
MAX_SEGMENTS = 3000
"""Maximum number of segments for the shortest path and the bound."""


class Cancelled(Exception):
    """The job was cancelled."""


def serve(pipe: Connection) -> None:
    """Process jobs until the pipe is closed."""
    # The server handles Ctrl-C and stops its workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    while True:
        try:
            job: Optional[Job] = pipe.recv()
        except (EOFError, OSError):
            return
        if job is not None:
            try:
                pipe.send(_answer(job, pipe))
            except (BrokenPipeError, OSError):
                return


def _answer(job: Job, pipe: Connection) -> Tuple[Any, ...]:
    """Return the answer to a job: JSON text, or the bytes of a picture."""
    try:
        if job.kind == 'run':
            answer: Any = _run(job, pipe)
        elif job.kind == 'world':
            answer = _world(job)
        elif job.kind == 'picture':
            return 'done', render(job.data, UploadedFiles(job.files), job.ending)
        else:
            answer = _saved(job)
        return 'done', json.dumps(answer, allow_nan=False, separators=(',', ':'))
    except Cancelled:
        return 'cancelled',
    except BadInput as error:
        return 'error', _hide_paths(' '.join(str(error).split()), job.files)
    except (Exception, SystemExit) as fault:  # from third-party algorithms: keep running
        traceback.print_exc()
        return 'error', f'internal error: {type(fault).__name__}: {fault}'


def _world(job: Job) -> Dict[str, Any]:
    """Return a world for the page, with sentences on what it lacks of its file."""
    world = parse_world(job.data, UploadedFiles(job.files))
    return {**world_document(world),
            'notes': [_hide_paths(note, job.files) for note in world.notes]}


def _hide_paths(sentence: str, files: Dict[str, str]) -> str:
    """Replace paths of this machine in an error message."""
    for path in files.values():
        file, _, query = path.partition('?')
        option, _, image = query.partition('=')
        if option == 'image':
            sentence = sentence.replace(str(Path(file).with_name(image)), 'the image')
        sentence = sentence.replace(file, 'the file')
    return sentence


def _saved(job: Job) -> Dict[str, str]:
    world = parse_world(job.data.get('world'), UploadedFiles(job.files))
    world = World(world.name, world.solids, job.data.get('start') or world.start,
                  job.data.get('goal') or world.goal, (), world.surfaces, world.movers,
                  world.other_robots)
    write = {'.world': world_to_sdf, '.txt': world_to_drawing}[job.ending]
    return {'name': world.name, 'text': write(world)}


def _run(job: Job, pipe: Connection) -> Dict[str, Any]:
    request = parse_run(job.data, job.algorithm, UploadedFiles(job.files))
    playback = Playback(job.detail)
    reporter = _PathReporter(pipe)

    def watch(*tick: Any) -> None:
        playback.watch(*tick)
        reporter.watch(*tick)
    setup = request.setup
    settings = setup.robot.settings
    if not job.detail and setup.robot.odometry == OdometryModel():
        # Perfect odometry needs no drift correction, which takes a third of the time.
        settings = dataclasses.replace(settings, drift_correction='none')
    episode = drive(setup._replace(robot=setup.robot._replace(settings=settings)), watch,
                    keep_samples=False)
    reporter.check()  # the following steps cannot be cancelled
    shortest, bound = (_reference_lengths(
        setup.algorithm_name, setup.world, setup.start, setup.goal, setup.robot.contour_radius,
        setup.robot.settings.xy_goal_tolerance)
        if job.detail and len(setup.world.segments) < MAX_SEGMENTS else (None, None))
    report = make_report(setup, episode, shortest)
    return run_document(setup, episode, playback, report, request.command, bound)


@functools.lru_cache(maxsize=32)
def _reference_lengths(algorithm: str, world: World, start: Pose, goal: Point, rho: float,
                       tolerance: float) -> Tuple[Optional[float], Optional[float]]:
    """Return the shortest path length and the bound from the paper [m]; None if unknown."""
    still = world.settled
    return (shortest_path_length(still, start, goal, rho, tolerance),
            path_length_bound(algorithm, still, start, goal, rho))


class _PathReporter:
    """Send the path during a run, and stop the run when it is cancelled."""

    def __init__(self, pipe: Connection):
        self._pipe = pipe
        self._began = self._checked = time.monotonic()
        self._due = self._began + FIRST_PATH_DELAY
        self._points: List[int] = []
        self._last: Point = (float('inf'), 0.0)
        self._sent = 0

    def watch(self, simulator: Any, navigator: Any, decision: Any) -> None:
        x, y = simulator.pose.position
        if abs(x - self._last[0]) + abs(y - self._last[1]) > PATH_SPACING:
            self._last = x, y
            self._points += (round(1000.0 * x), round(1000.0 * y))
        now = time.monotonic()
        if now - self._checked < CANCEL_CHECK_PERIOD:
            return
        self._checked = now
        self.check()
        if now - self._began > MAX_RUN_TIME:
            raise BadInput(f'this run takes longer than {MAX_RUN_TIME:g} s to compute; use '
                           '`bug_nav run`, which has no limit')
        if now > self._due and len(self._points) > self._sent:
            self._due = now + PATH_PERIOD
            self._pipe.send(('path', self._sent // 2, self._points[self._sent:], (
                round(simulator.stamp, 1), round(simulator.travelled, 2),
                '/'.join(decision.state))))
            self._sent = len(self._points)

    def check(self) -> None:
        """Raise Cancelled if the job was cancelled."""
        if self._pipe.poll():
            raise Cancelled
