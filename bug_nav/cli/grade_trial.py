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
The supervisor of the trials of one submission, a process of `bug_nav grade`.

It adopts all processes of the submission, also orphaned ones and those in other sessions, and
ends them after each trial. Its argument is a folder with job.json.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
from pathlib import Path
import re
import shutil
import signal
import sys
import tempfile
import time
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from bug_nav.cli.child_processes import ChildProcess, module
from bug_nav.cli.ros_domain import confine, domains_of, reserved_domain
from bug_nav.lab.grading.assignment import (
    Assignment,
    Course,
    GAZEBO,
    seed_of,
    Submission,
    world_of,
)
from bug_nav.lab.grading.judgement import Facts, judge, Judgement, Trial, truth_of
from bug_nav.lab.grading.python_trial import python_trial
from bug_nav.lab.grading.referee import Ending, TrialRules
from bug_nav.lab.grading.rubric import Criterion
from bug_nav.lab.grading.silence import why_silent
from bug_nav.lab.grading.submission_process import (
    descendants,
    end_descendants,
    environment_of,
    SubmissionProcess,
)
from bug_nav.lab.grading.trace import as_table
from bug_nav.lab.orphans import adopt_orphans
from bug_nav.simulation.catalogue import shipped_worlds
from bug_nav.simulation.export import world_to_sdf
from bug_nav.simulation.shipped import share_dir
import numpy as np

START_TIMEOUT = 120.0
"""Maximum time until the simulator is ready, including kernel compilation [s]."""
GRACE = 2.0
"""Real time between the end of a program and the end of its trial [s]."""
POLL_PERIOD = 0.05
REPORT_TIMEOUT = 20.0
"""Maximum time until an interrupted simulator has written its result [s]."""
GAZEBO_PORT = 11345
"""Default port of Gazebo's master; with the domain added, that of a trial."""
POSE = ('x_pose', 'y_pose', 'yaw')
"""Parameters of the start, of simulator and launch file."""
JOB = 'job.json'


class Finished(NamedTuple):
    """A finished trial."""

    judgement: Judgement
    trace: np.recarray
    output: str


def main(arguments: Sequence[str]) -> int:
    """Run the trials of a job, and write a folder of results for each."""
    folder = Path(arguments[0])
    job = json.loads((folder / JOB).read_text(encoding='utf-8'))
    assignment, submission = read_job(job)
    adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    finished: Dict[int, Finished] = {}
    try:
        for k in job['numbers']:
            finished[k] = _trial(assignment, submission, assignment.worlds[k])
    finally:
        end_descendants()
        # Not before, because a program could change the result of an earlier trial.
        for k, each in finished.items():
            write(folder / str(k), each)
    return 0


def job_of(assignment: Assignment, submission: Submission, numbers: Sequence[int]
           ) -> Dict[str, Any]:
    """Return a job as a document."""
    return {'assignment': dataclasses.asdict(dataclasses.replace(assignment, submissions=())),
            'submission': dataclasses.asdict(submission), 'numbers': list(numbers)}


def read_job(job: Dict[str, Any]) -> Tuple[Assignment, Submission]:
    """Return assignment and submission of a job."""
    task, program = dict(job['assignment']), dict(job['submission'])
    task.update(submissions=(), worlds=tuple(Course(
        each['world'], tuple(each['start']), tuple(each['goal'])) for each in task['worlds']),
                 rubric=tuple(Criterion(**each) for each in task['rubric']))
    program.update(command=tuple(program['command']), setup=tuple(program['setup']))
    return Assignment(**task), Submission(**program)


def write(folder: Path, finished: Finished) -> None:
    """Write the result of a trial to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / 'trace.npy', np.asarray(finished.trace))
    (folder / 'output.txt').write_text(finished.output, encoding='utf-8', errors='replace')
    (folder / 'judgement.json').write_text(
        json.dumps(finished.judgement.as_dict(), indent=1), encoding='utf-8')


def trial_of(assignment: Assignment, submission: Submission, course: Course) -> Trial:
    """Return a trial with its ground truth."""
    world = world_of(assignment, submission, course)
    assert world.start is not None and world.goal is not None  # `world_of` sets them
    rules, model = TrialRules.from_dict(dataclasses.asdict(assignment)), assignment.preset.model
    return Trial(course.label(seed_of(assignment, submission, course)), world, world.start,
                 world.goal, model, rules,
                 truth_of(world, world.start, world.goal, model, rules.tolerance))


def _trial(assignment: Assignment, submission: Submission, course: Course) -> Finished:
    trial = trial_of(assignment, submission, course)
    if not submission.python:
        name = course.named(seed_of(assignment, submission, course))
        return _RosTrial(assignment, submission, trial, name).run()
    result = python_trial(trial, assignment.preset, Path(submission.python),
                          submission.function, assignment.limits, assignment.seed,
                          submission.variables)
    end_descendants()
    return Finished(*result)


class _RosTrial:
    """A trial of ROS nodes, in a domain of its own."""

    def __init__(self, assignment: Assignment, submission: Submission, trial: Trial,
                 world: str):
        exists = Path(world.partition('?')[0]).exists()
        self._world = os.path.abspath(world) if exists else world
        self._assignment, self._submission, self._trial = assignment, submission, trial
        self._simulators: List[ChildProcess] = []
        self._programs: List[SubmissionProcess] = []
        self._verdict = re.compile(submission.verdict, re.IGNORECASE)

    def run(self) -> Finished:
        """Return the result."""
        with reserved_domain() as domain, temporary_folder() as folder:
            self._folder, self._domain = folder, domain
            try:
                self._start_simulator()
                self._wait_until_ready()
                failure = self._start_programs()
                self._watch()
                # Before they are asked to end, after which an exit code means nothing.
                failure = failure or next(
                    filter(None, (program.failure for program in self._programs)), '')
                domains = self._other_domains()
            finally:
                for program in reversed(self._programs):
                    program.end()
                end_descendants([process.pid for process in self._simulators])
                self._end_simulator()
            return self._finished(failure, domains)

    def _start_simulator(self) -> None:
        """Start the simulator, and the referee as its last process."""
        trial, assignment, program = self._trial, self._assignment, self._submission
        (self._folder / 'trial.json').write_text(json.dumps({
            'rules': dataclasses.asdict(trial.rules), 'goal': list(trial.goal),
            'yaw': 0.0, 'delivery': program.goal, 'verdict_topic': program.verdict_topic,
            'world': self._world, 'start': list(trial.start), 'robot': assignment.robot,
        }), encoding='utf-8')
        environment = dict(os.environ, PYTHONUNBUFFERED='1', ROS_LOG_DIR=str(self._folder))
        confine(environment, self._domain)
        if assignment.simulator == GAZEBO:
            # Each Gazebo has its own master, as each trial has its own domain.
            environment['GAZEBO_MASTER_URI'] = f'http://127.0.0.1:{GAZEBO_PORT + self._domain}'
            commands = {'gazebo': self._gazebo(),
                        'referee': self._referee('gazebo_referee', self._remaps())}
        else:
            commands = {'simulator': self._referee('referee', [
                *self._parameters(), *self._remaps()])}
        for name, command in commands.items():
            self._simulators.append(ChildProcess(
                name, command, self._folder / f'{name}.log', environment))

    def _referee(self, name: str, arguments: Iterable[str]) -> List[str]:
        return module(f'bug_nav.ros.sim.{name}', str(self._folder), '--ros-args', *arguments)

    def _parameters(self) -> Iterator[str]:
        """Yield the arguments for the parameters of the embedded simulator."""
        trial, assignment = self._trial, self._assignment
        for name, value in {
                'world': self._world, **dict(zip(POSE, trial.start)),
                'robot': assignment.robot, 'seed': assignment.seed,
                'real_time_factor': assignment.speed,
                'contact': 'slide' if trial.rules.slides else 'hold', 'command_timeout': 0.0,
                'enable_stamped_cmd_vel': self._submission.stamped}.items():
            yield from ('-p', f'{name}:={json.dumps(value)}')

    def _remaps(self) -> Iterator[str]:
        """Yield the arguments for the names of the robot's topics."""
        for name, topic in self._submission.topics.items():
            yield from ('-r', f'{name}:={topic}')
        if self._submission.namespace:
            yield from ('-r', f'__ns:=/{self._submission.namespace.strip("/")}')

    def _gazebo(self) -> List[str]:
        """Return the command that starts Gazebo with the world and the robot."""
        file = self._world.partition('?')[0]
        if not Path(file).exists() and file not in shipped_worlds():
            file = str(self._folder / 'graded.world')
            Path(file).write_text(world_to_sdf(self._trial.world), encoding='utf-8')
        start = (f'{name}:={value:.6f}' for name, value in zip(POSE, self._trial.start))
        return ['ros2', 'launch', str(share_dir() / 'launch' / 'gazebo_demo.launch.py'),
                f'world:={file}', f'model:={self._assignment.robot}', *start,
                *([f'namespace:={self._submission.namespace.strip("/")}']
                  if self._submission.namespace else ()),
                'headless:=true', 'use_navigator:=false']

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while not (self._folder / 'ready').exists():
            if self._has_ended() or time.monotonic() > deadline:
                raise SystemExit(f'the simulator did not start:\n{self._log_tail()}')
            time.sleep(POLL_PERIOD)

    def _has_ended(self) -> bool:
        """Return whether the referee, or the simulator that it observes, has ended."""
        return any(process.ended for process in self._simulators)

    def _log_tail(self) -> str:
        return '\n'.join(process.log_tail() for process in self._simulators)

    def _start_programs(self) -> str:
        """Start the commands of the submission; return why one cannot start."""
        program, trial = self._submission, self._trial
        (self._folder / 'log').mkdir()
        environment = environment_of({
            **program.variables, 'ROS_LOG_DIR': str(self._folder / 'log')})
        confine(environment, self._domain)
        for words in program.commands(trial.goal, 0.0, program.own_seed(self._assignment.seed)):
            try:
                self._programs.append(SubmissionProcess(
                    words, environment, self._assignment.limits, Path(program.folder),
                    on_line=self._read_line))
            except (OSError, ValueError) as error:
                return f'{words[0]} cannot be started: {getattr(error, "strerror", None) or error}'
        return ''

    def _read_line(self, line: str) -> None:
        if self._verdict.search(line):
            (self._folder / 'verdict').touch()

    def _watch(self) -> None:
        """Wait until the referee has ended the trial, or the program has."""
        deadline = time.monotonic() + self._trial.rules.longest_real_time(
            self._assignment.speed or 1.0)
        ended_at: Optional[float] = None
        while not self._has_ended() and time.monotonic() < deadline:
            if all(program.exit_code is not None for program in self._programs):
                ended_at = ended_at or time.monotonic()
                if time.monotonic() - ended_at > GRACE:
                    (self._folder / 'ended').touch()
            time.sleep(POLL_PERIOD)
        if not self._simulators[-1].ended:  # the referee
            what = 'ended early' if self._has_ended() else 'did not finish in time'
            raise SystemExit(f'the simulator {what}:\n{self._log_tail()}')

    def _other_domains(self) -> List[int]:
        """Return other domains that a process of the submission uses."""
        programs = descendants(os.getpid(), [each.pid for each in self._simulators])
        return [domain for domain in domains_of(set(_udp_ports(programs)))
                if domain != self._domain]

    def _end_simulator(self) -> None:
        """Let the referee write its result, and end all."""
        for referee in self._simulators[-1:]:
            referee.interrupt()
            deadline = time.monotonic() + REPORT_TIMEOUT
            while not referee.ended and time.monotonic() < deadline:
                time.sleep(POLL_PERIOD)
        for process in reversed(self._simulators):
            process.end()

    def _finished(self, crash: str, domains: List[int]) -> Finished:
        file = self._folder / 'result.json'
        if not file.exists():
            raise SystemExit(f'the simulator has no result:\n{self._log_tail()}')
        seen = json.loads(file.read_text(encoding='utf-8'))
        trace = np.load(self._folder / 'trace.npy').view(np.recarray)
        ending = Ending(seen['ending'])
        if ending in (Ending.EXITED, Ending.SILENT) and crash:
            ending, reason = Ending.CRASHED, crash
        elif ending is Ending.SILENT or (ending is Ending.EXITED and not trace.commands.any()):
            reason = why_silent(seen, domains)
        else:
            reason = ''
        verdicts = tuple((float(stamp), str(what)) for stamp, what in seen['verdicts'])
        speed = self._assignment.speed
        factor = (f'{speed:g} ({seen["measured_factor"]:.2f} measured)' if speed
                  else f'as fast as possible ({seen["measured_factor"]:.1f} measured)')
        notes = tuple(f'{sentence}.' for sentence in seen['unmatched']) if not reason else ()
        output = '\n'.join(f'$ {" ".join(program.command)}\n{program.output.text}'
                           for program in self._programs)
        return Finished(judge(self._trial, trace, Facts(
            ending, verdicts, reason, factor, notes)), trace, output)


@contextlib.contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder outside the output folder, and remove it."""
    folder = Path(tempfile.mkdtemp(prefix='bug_nav_grade_'))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _udp_ports(pids: Iterable[int]) -> Iterator[int]:
    """Yield the local UDP ports of processes."""
    inodes = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for link in Path(f'/proc/{pid}/fd').iterdir():
                with contextlib.suppress(OSError):
                    inodes.add(os.readlink(link))
    with contextlib.suppress(OSError, IndexError, ValueError):
        for line in Path('/proc/net/udp').read_text().splitlines()[1:]:
            fields = line.split()
            if f'socket:[{fields[9]}]' in inodes:
                yield int(fields[1].rpartition(':')[2], 16)


def nothing_judged(trial: Trial, reason: str) -> Finished:
    """Return the result of a trial that the grader could not run."""
    trace = as_table([])
    return Finished(judge(trial, trace, Facts(Ending.INTERRUPTED, reason=reason)), trace, '')


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
