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
A process that drives episodes for the server, one after the other.

It communicates through a pipe. It receives `Job`s, and ``None`` to abandon the job under way. It
sends ``('path', from, [x, y, ...], progress)`` [mm] while it drives, and at last ``('done',
text)``, the JSON of the answer; ``('error', sentence)``; or ``('dropped',)``. ``progress`` is the
simulated time [s], the path's length [m] and the stack of states, joined by '/'.
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

from bug_nav.bench.workers import end_with_parent
from bug_nav.commands import BadInput
from bug_nav.commands.playbacks import run_document
from bug_nav.commands.run import make_report
from bug_nav.commands.shortest import bound_for, shortest_path_of
from bug_nav.core.geometry import Point, Pose
from bug_nav.play.job import Job
from bug_nav.play.pictures import picture
from bug_nav.play.spec import asked, Files, world_of
from bug_nav.sim.episode import run_episode
from bug_nav.sim.export import world_to_drawing, world_to_sdf
from bug_nav.sim.odometry import OdometryModel
from bug_nav.sim.world import World, WorldError
from bug_nav.viz.playback import Playback, world_document

LISTEN = 0.005
"""Period of checks whether the run is still wanted [s]."""
TELL = 0.03
"""Period of messages with the path so far [s]."""
FIRST = 0.01
"""Time until the first of them [s]."""
STEP = 0.02
"""Between two points of it [m]."""
LONGEST = 60.0
"""An episode takes no longer to drive [s]."""
MOST_SEGMENTS = 3000
"""In larger worlds the shortest path and the bounds stay unknown."""


class Dropped(Exception):
    """Nobody wants the run any more."""


def serve(pipe: Connection) -> None:
    """Do one job after the other until the pipe is closed."""
    # Ctrl-C is the server's: it ends its workers.
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
    """Return what is sent of a job: JSON, or the bytes of a picture."""
    try:
        if job.kind == 'run':
            told: Any = _run(job, pipe)
        elif job.kind == 'world':
            told = world_document(world_of(job.data, Files(job.files)))
        elif job.kind == 'picture':
            return 'done', picture(job.data, Files(job.files), job.ending)
        else:
            told = _saved(job)
        return 'done', json.dumps(told, allow_nan=False, separators=(',', ':'))
    except Dropped:
        return 'dropped',
    except (BadInput, WorldError) as error:
        return 'error', _without_paths(' '.join(str(error).split()), job.files)
    except Exception as fault:  # of an algorithm, which may be anybody's: the server goes on
        traceback.print_exc()
        return 'error', f'a fault of the software: {type(fault).__name__}: {fault}'


def _without_paths(sentence: str, files: Dict[str, str]) -> str:
    """Return a sentence without the paths of this machine."""
    for path in files.values():
        file, _, query = path.partition('?')
        option, _, image = query.partition('=')
        if option == 'image':
            sentence = sentence.replace(str(Path(file).with_name(image)), 'the image')
        sentence = sentence.replace(file, 'the file')
    return sentence


def _saved(job: Job) -> Dict[str, str]:
    world = world_of(job.data.get('world'), Files(job.files))
    world = World(world.name, world.solids, job.data.get('start') or world.start,
                  job.data.get('goal') or world.goal, (), world.surfaces, world.movers,
                  world.other_robots)
    write = {'.world': world_to_sdf, '.txt': world_to_drawing}[job.ending]
    return {'name': world.name, 'text': write(world)}


def _run(job: Job, pipe: Connection) -> Dict[str, Any]:
    it = asked(job.data, job.algorithm, Files(job.files))
    playback = Playback(job.detail)
    teller = _Teller(pipe)

    def watch(*tick: Any) -> None:
        playback.watch(*tick)
        teller.watch(*tick)
    case = it.case
    settings = case.robot.settings
    if not job.detail and case.robot.odometry == OdometryModel():
        # There is no drift to correct, and matching scans takes a third of the time.
        settings = dataclasses.replace(settings, drift_correction='none')
    episode = run_episode(
        case.world, case.start, case.goal, case.algorithm, model=case.robot.model,
        settings=settings, lidar=case.robot.sensor, odometry=case.robot.odometry,
        timing=case.robot.timing, seed=it.seed, time_allowance=it.time_allowance,
        keep_samples=False, watch=watch)
    teller.check()  # what follows cannot be interrupted
    shortest, bound = (_yardsticks(
        case.algorithm_name, case.world, case.start, case.goal, case.robot.contour_radius,
        case.robot.settings.xy_goal_tolerance)
        if job.detail and len(case.world.segments) < MOST_SEGMENTS else (None, None))
    return run_document(case, episode, playback, make_report(case, it.seed, episode, shortest),
                        it.command, bound)


@functools.lru_cache(maxsize=32)
def _yardsticks(algorithm: str, world: World, start: Pose, goal: Point, rho: float,
                tolerance: float) -> Tuple[Optional[float], Optional[float]]:
    """Return the shortest path and the longest that theory allows [m], where they are known."""
    still = world.settled
    return (shortest_path_of(still, start, goal, rho, tolerance),
            bound_for(algorithm, still, start, goal, rho))


class _Teller:
    """Tells the path while it grows, and stops where nobody wants it any more."""

    def __init__(self, pipe: Connection):
        self._pipe = pipe
        self._began = self._listened = time.monotonic()
        self._due = self._began + FIRST
        self._places: List[int] = []
        self._last: Point = (float('inf'), 0.0)
        self._sent = 0

    def watch(self, simulator: Any, navigator: Any, decision: Any) -> None:
        x, y = simulator.pose.position
        if abs(x - self._last[0]) + abs(y - self._last[1]) > STEP:
            self._last = x, y
            self._places += (round(1000.0 * x), round(1000.0 * y))
        now = time.monotonic()
        if now - self._listened < LISTEN:
            return
        self._listened = now
        self.check()
        if now - self._began > LONGEST:
            raise BadInput(f'this run takes longer than {LONGEST:g} s to compute; `bug_nav run` '
                           'does it in its own time')
        if now > self._due and len(self._places) > self._sent:
            self._due = now + TELL
            self._pipe.send(('path', self._sent // 2, self._places[self._sent:], (
                round(simulator.stamp, 1), round(simulator.travelled, 2),
                '/'.join(decision.state))))
            self._sent = len(self._places)

    def check(self) -> None:
        """Raise Dropped where nobody wants the run any more."""
        if self._pipe.poll():
            raise Dropped
