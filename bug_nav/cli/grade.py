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

"""``bug_nav grade``: grade any controller, Python functions and ROS nodes, in judged worlds."""

from __future__ import annotations

import argparse
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
import json
import os
from pathlib import Path
import re
import shutil
import sys
import threading
import time
from typing import Any, Dict, Iterator, NamedTuple, Optional, Sequence, Tuple

from bug_nav.cli import CannotRun, Interrupted, make_folder, notes_of, report_written
from bug_nav.cli.child_processes import ChildProcess, module
from bug_nav.cli.grade_trial import (
    JOB,
    job_of,
    nothing_judged,
    temporary_folder,
    trial_of,
    write,
)
from bug_nav.cli.parser import check_alone
from bug_nav.cli.ros_session import catch_signals, require_ros
from bug_nav.files import BadInput
from bug_nav.lab.grading.assignment import (
    Assignment,
    GAZEBO,
    load_assignment,
    Submission,
    suites,
    world_of,
)
from bug_nav.lab.grading.gradebook import as_text, Grade, grade_of, write_table
from bug_nav.lab.grading.judgement import Judgement
from bug_nav.simulation.episode import warm_up

POLL_PERIOD = 0.1
TEMPLATE = 'template'
RESULTS = re.compile(
    r'index\.html|\d+(/(judgement\.json|trace\.npy|output\.txt|map\.png|film\.gif))?')
"""Paths in the folder of a submission that the grader writes."""


class Job(NamedTuple):
    """Trials that one supervisor runs in order."""

    submission: Submission
    numbers: Tuple[int, ...]
    folder: Path
    """Folder of the submission."""


class Done(NamedTuple):
    """A job that has ended."""

    judgements: Dict[int, Judgement]
    """By number of the trial."""
    reason: str
    """Why it failed; '' if it did not."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command."""
    if arguments.list:
        check_alone(arguments, 'list')
        print('\n'.join(suites()))
        return 0
    if arguments.template:
        check_alone(arguments, 'template')
        return _write_template(Path(arguments.template))
    try:
        assignment = load_assignment(arguments.file, _changes(arguments))
    except ValueError as error:
        raise BadInput(str(error)) from error
    if any(submission.command for submission in assignment.submissions):
        require_ros(messages=False)
    if assignment.simulator == GAZEBO and shutil.which('ros2') is None:
        raise CannotRun(f'the simulator {GAZEBO!r} needs Gazebo 11 and the command ros2, which is '
                        'not found; source the setup file of ROS 2 Humble')
    if not arguments.no_pages:  # a missing package is named before the trials
        import bug_nav.lab.grading.pages  # noqa: F401
    out = Path(arguments.out or os.path.join('out', assignment.name))
    _check_folders(assignment, out, arguments.file)
    make_folder('the output folder', out, '--out')
    warm_up()  # once, not in each process
    for note in _world_notes(assignment):
        print(f'bug_nav: {note}', file=sys.stderr)
    began = time.monotonic()
    done, failures = _run(assignment, out, arguments.jobs)
    grades = [grade_of(submission.name, [done[submission.name][k] for k in range(
        len(assignment.worlds))], assignment.rubric) for submission in assignment.submissions]
    _report(assignment, grades, out, arguments, time.monotonic() - began)
    return 1 if failures else 0


def _check_folders(assignment: Assignment, out: Path, file: Optional[str]) -> None:
    """Check that each folder of results, which is emptied, holds nothing but results."""
    sources = [source.resolve() for submission in assignment.submissions
               for source in _sources(submission)] + ([Path(file).resolve()] if file else [])
    for submission in assignment.submissions:
        folder = out / submission.name
        held = [source for source in sources
                if folder.resolve() in (source, *source.parents)]
        other = next(filter(None, [*held, _other_file(folder)]), None)
        if other:
            raise BadInput(f'the results of {submission.name!r} would replace {str(folder)!r}, '
                           f'which has {str(other)!r}, not written by bug_nav grade; give '
                           'another --out')


def _sources(submission: Submission) -> Iterator[Path]:
    """Yield files and folders that a submission needs."""
    if submission.python:
        yield Path(submission.python)
    else:
        yield Path(submission.folder)
        yield from (Path(submission.folder, file) for file in submission.setup)


def _other_file(folder: Path) -> Optional[Path]:
    """Return a file in a folder of results that the grader has not written; None without one."""
    if folder.is_symlink() or folder.is_file():
        return folder
    return next((path for path in folder.rglob('*') if not RESULTS.fullmatch(
        path.relative_to(folder).as_posix()) or path.is_symlink()), None)


def _world_notes(assignment: Assignment) -> Iterator[str]:
    """Yield sentences about what worlds lack of their files, such as with ?missing=skip."""
    # Worlds with {seed} are random, and lack nothing.
    for name, course in {course.world: course for course in assignment.worlds}.items():
        for note in notes_of(world_of(assignment, assignment.submissions[0], course)):
            yield f'{name}: {note}'


def _changes(arguments: argparse.Namespace) -> Dict[str, Any]:
    """Return the keys of an assignment that the options give."""
    return {
        'suite': arguments.suite, 'robot': arguments.robot,
        'simulator': arguments.simulator, 'contact': arguments.contact,
        'tolerance': arguments.tolerance, 'time_allowance': arguments.time_allowance,
        'speed': arguments.speed, 'seed': arguments.seed,
        'worlds': arguments.worlds.split(',') if arguments.worlds else None,
        'submissions': list(_programs(arguments)) or None}


def _programs(arguments: argparse.Namespace) -> Iterator[Dict[str, Any]]:
    """Yield the submissions that the options describe."""
    if arguments.command_line:
        yield {'name': arguments.name or 'submission', 'command': arguments.command_line,
               'folder': os.path.abspath(arguments.folder or '.'),
               'stamped': arguments.stamped,
               **({'setup': arguments.setup} if arguments.setup else {})}
    for text in arguments.python:
        file, function = file_and_function(text)
        yield {'name': arguments.name or file.stem, 'python': str(file), 'function': function}


def file_and_function(text: str) -> Tuple[Path, str]:
    """Return the absolute path and the function of FILE[:FUNCTION]."""
    file, colon, function = text.rpartition(':')
    file, function = (file, function) if colon and file else (text, 'step')
    return Path(os.path.abspath(file)), function


def _write_template(folder: Path) -> int:
    if folder.exists():
        raise BadInput(f'{str(folder)!r} exists; give a new folder for the template')
    import bug_nav.lab.grading as home
    shutil.copytree(Path(home.__file__).parent / TEMPLATE, folder,
                    ignore=shutil.ignore_patterns('__pycache__'))
    report_written(str(folder))
    return 0


# ---- the trials -------------------------------------------------------------------------------

def _jobs(assignment: Assignment, out: Path) -> Iterator[Job]:
    """Yield the jobs: all worlds of a Python function, or one world of ROS nodes."""
    every = tuple(range(len(assignment.worlds)))
    for submission in assignment.submissions:
        folder = out / submission.name
        for numbers in [every] if submission.python else [(k,) for k in every]:
            yield Job(submission, numbers, folder)


def _run(assignment: Assignment, out: Path, count: int
         ) -> Tuple[Dict[str, Dict[int, Judgement]], int]:
    """
    Run all trials, several side by side.

    Return the judgements by submission and number, and how many trials could not be judged.
    """
    for submission in assignment.submissions:
        shutil.rmtree(out / submission.name, ignore_errors=True)
    found: Dict[str, Dict[int, Judgement]] = defaultdict(dict)
    jobs = list(_jobs(assignment, out))
    done, total = 0, len(assignment.submissions) * len(assignment.worlds)
    stop = threading.Event()
    failures = 0
    with catch_signals(stop.set) as interrupted, ThreadPoolExecutor(count) as pool:
        running: Dict[Future, Job] = {
            pool.submit(_supervise, assignment, job, stop): job for job in jobs}
        for future, job in running.items():
            result = future.result()
            if interrupted():
                continue
            failures += _fill_gaps(assignment, job, result)
            found[job.submission.name].update(result.judgements)
            done += len(job.numbers)
            print(f'bug_nav: {done}/{total} trials, {job.submission.name}', file=sys.stderr)
    if interrupted():
        raise Interrupted
    return found, failures


def _supervise(assignment: Assignment, job: Job, stop: threading.Event) -> Done:
    """
    Run a job in a process of its own, in a folder that its programs are not told.

    The judgements are kept in this process, because a program can write to the output folder.
    """
    if stop.is_set():
        return Done({}, 'interrupted')
    with temporary_folder() as folder:
        (folder / JOB).write_text(json.dumps(job_of(assignment, job.submission, job.numbers)),
                                  encoding='utf-8')
        process = ChildProcess('trial', module('bug_nav.cli.grade_trial', str(folder)),
                               folder / 'supervisor.log', os.environ)
        try:
            while not process.ended and not stop.is_set():
                time.sleep(POLL_PERIOD)
            code = process.wait() if process.ended else 1
        finally:
            process.end()
        reason = f'the grader failed: {process.output[-500:].strip()}' if code else ''
        return Done(dict(_kept(folder, job)), reason)


def _kept(folder: Path, job: Job) -> Iterator[Tuple[int, Judgement]]:
    """Move the results of a job to the folder of its submission, and yield the judgements."""
    for number in job.numbers:
        source = folder / str(number)
        if (source / 'judgement.json').exists():
            yield number, Judgement.from_dict(json.loads(
                (source / 'judgement.json').read_text(encoding='utf-8')))
            shutil.move(str(source), str(_emptied(job.folder / str(number))))


def _emptied(path: Path) -> Path:
    """Return a path at which nothing is, in a folder that exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink() or path.is_file():
        path.unlink()
    shutil.rmtree(path, ignore_errors=True)
    return path


def _fill_gaps(assignment: Assignment, job: Job, done: Done) -> int:
    """Add a result that says why for each trial without one; return their number."""
    missing = [number for number in job.numbers if number not in done.judgements]
    for number in missing:
        trial = trial_of(assignment, job.submission, assignment.worlds[number])
        finished = nothing_judged(trial, done.reason)
        write(_emptied(job.folder / str(number)), finished)
        done.judgements[number] = finished.judgement
    return len(missing)


# ---- the results ------------------------------------------------------------------------------

def _report(assignment: Assignment, grades: Sequence[Grade], out: Path,
            arguments: argparse.Namespace, seconds: float) -> None:
    write_table(grades, out / 'grades.csv')
    (out / 'grades.json').write_text(json.dumps(_document(assignment, grades), indent=1),
                                     encoding='utf-8')
    if not arguments.no_pages:
        from bug_nav.lab.grading.pages import write_pages
        write_pages(assignment, grades, out, arguments.films, lambda name: print(
            f'bug_nav: drew {name}', file=sys.stderr))
    if arguments.json:
        print(json.dumps(_document(assignment, grades), allow_nan=False))
    else:
        print(as_text(grades))
        for grade in grades if len(grades) <= 3 else ():
            _print_trials(grade)
        print(f'{len(grades)} submissions in {seconds:.0f} s')
    report_written(str(out / ('grades.csv' if arguments.no_pages else 'index.html')))


def _print_trials(grade: Grade) -> None:
    for trial in grade.trials:
        ratio = f', {trial.ratio:.2f} times the shortest path' if trial.ratio else ''
        print(f'{grade.name}, {trial.world}: {trial.ending}{ratio}'
              + (f'; {trial.reason}' if trial.reason else ''))
        for remark in trial.remarks:
            print(f'  {remark}')


def _document(assignment: Assignment, grades: Sequence[Grade]) -> Dict[str, Any]:
    """Return all grades, for JSON."""
    return {'assignment': assignment.name, 'simulator': assignment.simulator,
            'contact': assignment.contact,
            'speed': assignment.speed, 'seed': assignment.seed,
            'submissions': [{
                'name': grade.name, 'points': grade.points, 'maximum': grade.maximum,
                'marks': {mark.criterion.title: mark.points for mark in grade.marks
                          if mark.applies},
                'trials': [trial.as_dict() for trial in grade.trials]} for grade in grades]}
