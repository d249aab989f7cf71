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

"""Pages of graded submissions: an index of the class, and one page for each, with pictures."""

from __future__ import annotations

from pathlib import Path
import re
from typing import Any, Callable, Dict, List, Sequence

from bug_nav import __version__
from bug_nav.files.paths import atomic_write
from bug_nav.lab.grading.assignment import Assignment, Course, Submission, world_of
from bug_nav.lab.grading.boundary_phases import boundary_phases, Phase
from bug_nav.lab.grading.gradebook import Grade, row_of
from bug_nav.lab.grading.judgement import Judgement
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.settings import contour_radius, Settings
from bug_nav.visualization.animation import Animation
from bug_nav.visualization.episode_plot import draw, save_figure
from bug_nav.visualization.record import Mark, RunRecord, Step
from jinja2 import Environment, PackageLoader, StrictUndefined
import numpy as np

PICTURE, FILM = 'map.png', 'film.gif'
DPI = 80
MAX_OUTPUT = 20_000
"""Maximum number of characters of a program's output on its page."""
EVERY = 2
"""Every how many samples are drawn."""
CONTROL = re.compile(r'[\x00-\x08\x0b-\x1f\x7f]')


def write_pages(assignment: Assignment, grades: Sequence[Grade], out: Path, films: bool = False,
                progress: Callable[[str], None] = lambda name: None) -> None:
    """Write the pages of a class into its output folder, with films if asked."""
    pages = Environment(loader=PackageLoader('bug_nav.lab.grading'), autoescape=True,
                        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    submissions = {each.name: each for each in assignment.submissions}
    shared = {'assignment': assignment, 'version': __version__}
    for grade in grades:
        trials = [_drawn(assignment, submissions[grade.name], course, trial,
                         out / grade.name / str(k), films)
                  for k, (course, trial) in enumerate(zip(assignment.worlds, grade.trials))]
        _write(out / grade.name / 'index.html', pages.get_template('submission.html').render(
            **shared, grade=grade, trials=trials, submission=submissions[grade.name]))
        progress(grade.name)
    _write(out / 'index.html', pages.get_template('class.html').render(
        **shared, grades=grades, rows={grade.name: row_of(grade) for grade in grades}))


def _write(path: Path, text: str) -> None:
    with atomic_write(path) as partial:
        partial.write_text(text, encoding='utf-8')


def _drawn(assignment: Assignment, submission: Submission, course: Course, trial: Judgement,
           folder: Path, films: bool) -> Dict[str, Any]:
    """Return the content of a trial for its page, and draw it."""
    trace = np.load(folder / 'trace.npy').view(np.recarray)
    pictures: List[str] = []
    if len(trace):
        record = record_of(assignment, submission, course, trial, trace)
        save_figure(draw(record), folder / PICTURE, DPI)
        pictures.append(PICTURE)
        if films:
            _film(record, trace).save(record, folder / FILM)
            pictures.append(FILM)
    output = CONTROL.sub('', (folder / 'output.txt').read_text(encoding='utf-8'))
    if len(output) > MAX_OUTPUT:
        output = output[:MAX_OUTPUT // 2] + '\n[...]\n' + output[-MAX_OUTPUT // 2:]
    return {'judgement': trial, 'folder': folder.name, 'pictures': pictures, 'output': output,
            'notes': world_of(assignment, submission, course).notes}


def record_of(assignment: Assignment, submission: Submission, course: Course, trial: Judgement,
              trace: np.recarray) -> RunRecord:
    """Return a trial as a record for plots."""
    world, model = world_of(assignment, submission, course), assignment.preset.model
    assert world.start is not None and world.goal is not None  # `world_of` sets them
    lengths = _lengths(trace)
    # Until the arrival, as in the judgement.
    way = trace[lengths <= trial.path_length + 1e-9].view(np.recarray)
    phases = boundary_phases(world, world.goal, way, model.robot_radius)
    marks = [mark for k, phase in enumerate(phases, 1) for mark in (
        Mark('hit', k, phase.hit), *([Mark('leave', k, phase.leave)] if phase.left else []))]
    return RunRecord(
        world, submission.name, '', Pose(*world.start), world.goal, assignment.tolerance,
        model.robot_radius, contour_radius(model, Settings()), _outcome(trial),
        trial.reason or trial.ending, tuple(_steps(trace, lengths, phases)), tuple(marks),
        trial.path_length, float(trace.stamp[-1]), trial.shortest)


def _outcome(trial: Judgement) -> str:
    """Return the name of the outcome for plots."""
    if trial.reached:
        return 'reached'
    return 'unreachable' if trial.verdict == 'unreachable' else trial.ending


def _lengths(trace: np.recarray) -> np.ndarray:
    """Return the path length at each sample [m]."""
    return np.concatenate(([0.0], np.hypot(np.diff(trace.x), np.diff(trace.y)).cumsum()))


def _steps(trace: np.recarray, lengths: np.ndarray, phases: Sequence[Phase]) -> List[Step]:
    follows = np.zeros(len(trace), dtype=bool)
    for phase in phases:
        follows |= (lengths >= phase.extent[0]) & (lengths <= phase.extent[1])
    states = np.where(follows, 'boundary_following', 'motion_to_goal')
    return [Step(Pose(*pose), state) for *pose, state in zip(
        trace.x[::EVERY].tolist(), trace.y[::EVERY].tolist(), trace.theta[::EVERY].tolist(),
        states[::EVERY].tolist())]


def _film(record: RunRecord, trace: np.recarray) -> Animation:
    film = Animation()
    stamps = trace.stamp[::EVERY].tolist()
    for k, (stamp, step) in enumerate(zip(stamps, record.steps)):
        film.add(stamp, step.pose, step.state, ends=k == len(stamps) - 1)
    return film
