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

"""One trial: drive, inject a fault, observe the robot, and send the next goal."""

from __future__ import annotations

import dataclasses
import math
from random import Random
from typing import Any, Callable, Iterator, Optional

from bug_nav.navigation.geometry import distance
from trials.fault import Kind
from trials.judge import bound_of, NEXT_BOUND, Seen
from trials.navigator import Goal, Lost, Navigator
from trials.robot import LockstepRobot, STEP
from trials.scenes import Moment, some_moment

SETTLE = 70
"""Time without a goal after the robot was moved, until old odometry is forgotten [ticks]."""
WARM = (30, 90)
"""Minimum and maximum time from the goal to the onset of the fault [ticks]."""
AFTER = 12
"""Time of observation after the end of the goal, with the fault still active [ticks]."""
CLEAN = 20
"""Time without the fault before the next goal [ticks]."""


class Trial:
    """A trial of one kind at a random time of a drive."""

    def __init__(self, robot: LockstepRobot, navigator: Navigator, kind: Kind, random: Random):
        """Choose scene and time."""
        self.robot, self.navigator, self.kind, self.random = robot, navigator, kind, random
        self.moment: Moment = some_moment(random)
        self.goal: Optional[Goal] = None
        """The observed goal; actions of a fault may replace it."""
        self.seen = Seen(kind.name, self.moment.world.name, self.moment.algorithm,
                         self.moment.mode)
        self._moved_at = -math.inf

    def run(self) -> Seen:
        """Run the trial; an unanswered request is part of the observations."""
        try:
            self._run()
        except Lost as lost:
            self.seen = dataclasses.replace(self.seen, lost=str(lost))
        finally:
            self.robot.end()
        robot = self.robot
        self.seen = dataclasses.replace(
            self.seen, contacts=robot.sim.contacts, missing=self.seen.missing + robot.missing,
            alive=self.navigator.alive)
        return self.seen

    def _run(self) -> None:
        robot, moment = self.robot, self.moment
        robot.place(moment.world, moment.start, self.random.randrange(2 ** 31))
        self.idle(SETTLE)
        self.goal = self.navigator.send(*moment.goal, moment.algorithm)
        if self.goal is None:
            raise Lost('the goal before the fault was rejected')
        for _ in range(self.random.randint(*WARM)):
            if not self.goal.ended:
                self._step(expects=True)
        if self.goal.ended:  # too near, or failed without the fault
            self.seen = dataclasses.replace(
                self.seen, lost=f'{self.goal.outcome} before the fault: {self.goal.message}')
            return
        robot.missing = 0
        self._with_fault()
        robot.end()
        if not robot.sim.contacts:
            self._next()

    def _with_fault(self) -> None:
        """Inject the fault and continue until the goal ends or the time is up."""
        robot, kind = self.robot, self.kind
        fault = kind.make(self.random)
        robot.begin(fault)
        doing: Iterator[None] = fault.doing(self) if fault.doing else iter(())
        busy, bound = fault.doing is not None, bound_of(kind)
        self._moved_at = robot.onset
        while robot.stamp - robot.onset < bound and not robot.sim.contacts:
            busy = busy and next(doing, self) is not self  # self marks the end of the iterator
            if not busy and (fault.doing or robot.stamp - robot.onset >= kind.span):
                robot.end()
            if not busy and self._has_ended():
                break
            self._step(expects=not kind.paced, paced=kind.paced and self.navigator.alive)
        ended_after = robot.stamp - robot.onset
        missing = robot.missing
        for _ in range(AFTER):
            if not robot.sim.contacts:
                self._step(expects=False)
        outcome, message = self._outcome()
        self.seen = dataclasses.replace(
            self.seen, outcome=outcome, message=message, ended_after=ended_after,
            stood_after=self._moved_at - robot.onset, missing=missing, stands=robot.stands,
            off=distance(robot.sim.pose.position, self.moment.goal))
        robot.missing = 0

    def _outcome(self) -> Any:
        if self.goal is None:
            return 'none', 'no goal'
        return self.goal.outcome or 'none', self.goal.message

    def _next(self) -> None:
        """Send the next goal without the fault; a dead node is restarted."""
        robot = self.robot
        if not self.navigator.alive:
            self.navigator.start(lambda: robot.heard)
        self.idle(CLEAN)
        self.navigator.activate()
        where = self.moment.near(robot.sim.pose)
        goal = self.navigator.send(*where, self.moment.algorithm)
        if goal is None:
            self.seen = dataclasses.replace(self.seen, next_outcome='rejected')
            return
        self.goal, began = goal, robot.stamp
        while not goal.ended and robot.stamp - began < NEXT_BOUND and not robot.sim.contacts:
            self._step(expects=True)
        self.seen = dataclasses.replace(
            self.seen, next_outcome=goal.outcome or 'none', next_message=goal.message)

    def idle(self, ticks: int) -> None:
        """Let time pass without a goal."""
        for _ in range(ticks):
            self.robot.step()

    def wait(self, condition: Callable[[], bool], timeout: float = 10.0) -> bool:
        """Wait in real time, with stopped simulated time."""
        return self.robot.wait(condition, timeout)

    def _step(self, expects: bool, paced: bool = False) -> None:
        robot = self.robot
        robot.step(self._has_ended if expects or paced else None, paced)
        if not robot.stands:
            self._moved_at = robot.stamp

    def _has_ended(self) -> bool:
        return self.goal is None or self.goal.ended or not self.navigator.alive


def ticks(span: float) -> range:
    """Return a range with the number of steps in a span [s]."""
    return range(max(round(span / STEP), 1))
