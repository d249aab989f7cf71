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

"""A trial of a Python controller, ``step(scan, pose, goal) -> (v, w)``, without ROS."""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path
import select
import time
from typing import List, Mapping, NamedTuple, Optional, Tuple, Union

from bug_nav.files.module_path import child_command
from bug_nav.lab.grading.controller_protocol import (
    ANSWER,
    COMMAND,
    MALFORMED,
    NOTHING,
    packed,
    REACHED,
    Request,
    UNREACHABLE,
)
from bug_nav.lab.grading.judgement import Facts, judge, Judgement, Trial
from bug_nav.lab.grading.referee import Ending, Referee, TrialRules
from bug_nav.lab.grading.submission_process import environment_of, Limits, SubmissionProcess
from bug_nav.lab.grading.trace import as_table, Counters, sample_of
from bug_nav.navigation.geometry import Pose
from bug_nav.navigation.types import STOP, Twist
from bug_nav.simulation.episode import PERIOD
from bug_nav.simulation.robots import Equipment, Preset
from bug_nav.simulation.sensors import LidarModel
from bug_nav.simulation.simulator import Simulator
import numpy as np

START_TIMEOUT, ANSWER_TIMEOUT = 30.0, 5.0
"""Maximum real time until the first answer, which includes imports, and until others [s]."""
VERDICTS = {REACHED: 'reached', UNREACHABLE: 'unreachable'}
NO_VARIABLES: Mapping[str, str] = {}


class Answer(NamedTuple):
    """An answer of a controller."""

    kind: int
    twist: Twist = STOP


class ControllerLost(Exception):
    """The process of a controller has ended, or does not answer; the message says why."""


class PythonController:
    """The process of a controller."""

    def __init__(self, file: Path, function: str, limits: Limits,
                 environment: Mapping[str, str]):
        """Start the process."""
        requests, self._requests = os.pipe()
        self._answers, answers = os.pipe()
        self._file, self._timeout = file, START_TIMEOUT
        try:
            self.process = SubmissionProcess(
                child_command('bug_nav.lab.grading.controller_process', str(file), function,
                              str(requests), str(answers)),
                environment_of({'OMP_NUM_THREADS': '1', **environment}), limits,
                folder=file.resolve().parent, pass_fds=(requests, answers))
        except BaseException:
            self._close_pipes()
            raise
        finally:
            os.close(requests)
            os.close(answers)

    def ask(self, request: Request) -> Answer:
        """
        Return the answer to a request.

        :raises ControllerLost: if there is none.
        """
        deadline = time.monotonic() + self._timeout
        self._send(packed(request), deadline)
        kind, v, w = ANSWER.unpack(self._receive(deadline))
        self._timeout = ANSWER_TIMEOUT
        return Answer(kind if 0 <= kind <= MALFORMED else MALFORMED, Twist(v, w))

    def _send(self, data: bytes, deadline: float) -> None:
        os.set_blocking(self._requests, False)
        while data:
            self._wait([], [self._requests], deadline)
            try:
                data = data[os.write(self._requests, data):]
            except BrokenPipeError:
                raise self._lost() from None

    def _receive(self, deadline: float) -> bytes:
        data = b''
        while len(data) < ANSWER.size:
            self._wait([self._answers], [], deadline)
            part = os.read(self._answers, ANSWER.size - len(data))
            if not part:
                raise self._lost()
            data += part
        return data

    def _wait(self, reading: List[int], writing: List[int], deadline: float) -> None:
        ready = select.select(reading, writing, [], max(deadline - time.monotonic(), 0.0))
        if not any(ready):
            raise ControllerLost(f'step did not answer within {self._timeout:g} s')

    def _lost(self) -> ControllerLost:
        """Return how the process has ended."""
        deadline = time.monotonic() + 1.0
        while self.process.exit_code is None and time.monotonic() < deadline:
            time.sleep(0.005)
        self.process.output.close()
        return ControllerLost(self.process.failure or 'it ended by itself')

    def close(self) -> None:
        """End the process."""
        self._close_pipes()
        self.process.end()

    def _close_pipes(self) -> None:
        for pipe in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                os.close(pipe)


class PythonResult(NamedTuple):
    """The result of a trial."""

    judgement: Judgement
    trace: np.recarray
    output: str


def python_trial(trial: Trial, robot: Union[Preset, Equipment], file: Path, function: str,
                 limits: Limits, seed: int, environment: Mapping[str, str] = NO_VARIABLES
                 ) -> PythonResult:
    """Return the result of a trial; an exception is an error of the grader."""
    assert isinstance(robot.sensor, LidarModel)  # checked with the assignment
    simulator = Simulator(trial.world, Pose(*trial.start), robot.model, robot.sensor, seed,
                          robot.odometry, slides=trial.rules.slides)
    controller = PythonController(file, function, limits, environment)
    referee = Referee(trial.rules, trial.goal)
    try:
        ending, verdicts, reason = _drive(
            simulator, controller, referee, longest_of(trial.rules, limits))
    finally:
        controller.close()
    trace = as_table(referee.samples)
    if ending is Ending.SILENT:
        reason = 'step returned None at every call; return (v, w)'
    facts = Facts(ending, tuple(verdicts), reason, 'lock step')
    return PythonResult(judge(trial, trace, facts), trace, controller.process.output.text)


def longest_of(rules: TrialRules, limits: Limits) -> float:
    """Return the maximum real time of a trial [s], which allows all of the processor time."""
    return max(rules.longest_real_time(), float(limits.cpu_time))


def _drive(simulator: Simulator, controller: PythonController, referee: Referee, longest: float
           ) -> Tuple[Ending, List[Tuple[float, str]], str]:
    """Return why the trial ended, the verdicts, and the reason of a crash."""
    deadline = time.monotonic() + longest
    verdicts: List[Tuple[float, str]] = []
    counters, command, scan, ticks = Counters(), STOP, simulator.scan(), 0
    every = max(round(simulator.lidar.period / PERIOD), 1)
    while True:
        if ticks and ticks % every == 0:
            scan = simulator.scan()
        if time.monotonic() > deadline:
            return Ending.CRASHED, verdicts, (
                f'step is too slow: {simulator.stamp:.0f} s of the trial took more than '
                f'{longest:.0f} s')
        try:
            answer = controller.ask(Request(scan, simulator.odometry, referee.goal))
        except ControllerLost as lost:
            reason = str(lost)
            exited = reason == 'it ended by itself'
            return Ending.EXITED if exited else Ending.CRASHED, verdicts, reason
        if answer.kind in VERDICTS:
            verdicts.append((simulator.stamp, VERDICTS[answer.kind]))
            referee.add_verdict(simulator.stamp)
        command, counters = _taken(answer, command, counters)
        simulator.step(command, PERIOD)
        ticks += 1
        ending: Optional[Ending] = referee.add(sample_of(simulator, counters))
        if ending is not None:
            return ending, verdicts, ''


def _taken(answer: Answer, command: Twist, counters: Counters) -> Tuple[Twist, Counters]:
    """Return the command after an answer, and the counters."""
    if answer.kind == NOTHING:
        return command, counters
    if answer.kind in VERDICTS:
        return STOP, Counters(0.0, 0.0, counters.received + 1, counters.rejected)
    is_finite = answer.kind == COMMAND and all(map(math.isfinite, answer.twist[:2]))
    if not is_finite:
        return command, Counters(counters.v, counters.w, counters.received + 1,
                                 counters.rejected + 1)
    return answer.twist, Counters(*answer.twist[:2], counters.received + 1, counters.rejected)
